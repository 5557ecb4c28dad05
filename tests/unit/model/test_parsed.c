/* Parsed files, which catalogs of several passes and threads share. */
#include "tree.h"

#include <pthread.h>

#include "base/alloc.h"
#include "model/catalog.h"

#define REPLICATOR(name_, topics_)                                                                 \
	"apiVersion: weir/v1\n"                                                                    \
	"kind: KafkaReplicator\n"                                                                  \
	"metadata: {name: " name_ "}\n"                                                            \
	"spec: {provider: MirrorMaker2, source_kafka_id: a, destination_kafka_id: b, "             \
	"replication_mode: active-passive, topic_whitelist: [" topics_ "]}\n"

static struct parsed_file *parse(const char *text)
{
	return parsed_file_new(text, strlen(text));
}

static struct catalog *load(struct parsed_file *parsed, const char *path)
{
	struct catalog *c = catalog_new();

	catalog_add(c, path, parsed);
	catalog_finish(c);
	return c;
}

static void test_one_file_serves_two_catalogs_under_two_paths(void **state)
{
	struct parsed_file *parsed = parse(REPLICATOR("orders-dr", "zebra, apple"));
	struct catalog *first = load(parsed, "eu.yaml");
	struct catalog *second = load(parsed, "us.yaml");

	(void)state;
	parsed_file_unref(parsed);
	const struct replicator *one = map_get(&first->by_name, "orders-dr");
	const struct replicator *two = map_get(&second->by_name, "orders-dr");
	assert_string_equal(one->file, "eu.yaml");
	assert_string_equal(two->file, "us.yaml");
	assert_true(node_equal(
		one->spec.value[SPEC_TOPIC_WHITELIST], two->spec.value[SPEC_TOPIC_WHITELIST]));
	catalog_free(first);
	assert_string_equal(
		two->spec.value[SPEC_TOPIC_WHITELIST]->u.seq.at[0]->u.string.s, "apple");
	catalog_free(second);
}

static void test_problems_of_a_shared_file_name_each_path(void **state)
{
	struct parsed_file *parsed = parse("spec: [\n");
	struct catalog *first = load(parsed, "eu.yaml");
	struct catalog *second = load(parsed, "us.yaml");

	(void)state;
	parsed_file_unref(parsed);
	assert_int_equal(first->problems.n, 1);
	assert_string_equal(first->problems.at[0].file, "eu.yaml");
	assert_int_equal(second->problems.n, 1);
	assert_string_equal(second->problems.at[0].file, "us.yaml");
	assert_false(first->complete);
	catalog_free(first);
	catalog_free(second);
}

static void test_one_file_under_two_paths_of_one_catalog_is_declared_twice(void **state)
{
	struct parsed_file *parsed = parse(REPLICATOR("orders-dr", "a"));
	struct catalog *c = catalog_new();

	(void)state;
	catalog_add(c, "eu.yaml", parsed);
	catalog_add(c, "copy.yaml", parsed);
	parsed_file_unref(parsed);
	catalog_finish(c);
	assert_int_equal(c->problems.n_errors, 2);
	assert_int_equal(c->n_files, 2);
	assert_int_equal(c->n_failed, 2);
	assert_int_equal(map_size(&c->by_name), 1);
	assert_true(((const struct replicator *)map_get(&c->by_name, "orders-dr"))->failed);
	catalog_free(c);
}

#define DEFAULTS(threshold_)                                                                       \
	"apiVersion: weir/v1\n"                                                                    \
	"kind: Defaults\n"                                                                         \
	"spec: {lag_alert_threshold: " threshold_ ", advanced_configuration: {tasks.max: 2}}\n"    \
	"sync: {timeout: 5m}\n"

static struct catalog *load_with(
	struct parsed_file *parsed, const char *path, struct parsed_file *defaults)
{
	struct catalog *c = catalog_new();

	catalog_add(c, path, parsed);
	if (defaults)
		catalog_add(c, "eu/defaults.yaml", defaults);
	catalog_finish(c);
	assert_true(c->complete);
	return c;
}

static int64_t threshold(const struct catalog *c)
{
	const struct replicator *r = map_get(&c->by_name, "orders-dr");
	const struct node *value = r->spec.value[SPEC_LAG_ALERT_THRESHOLD];

	return value ? value->u.integer : -1;
}

static void test_what_defaults_add_stays_with_the_catalog(void **state)
{
	struct parsed_file *parsed = parse(REPLICATOR("orders-dr", "a"));
	struct parsed_file *five = parse(DEFAULTS("5")), *six = parse(DEFAULTS("6"));
	struct catalog *with = load_with(parsed, "eu/orders.yaml", five);
	struct catalog *other = load_with(parsed, "eu/orders.yaml", six);
	struct catalog *elsewhere = load_with(parsed, "us/orders.yaml", five);
	struct catalog *without = load_with(parsed, "eu/orders.yaml", NULL);
	const struct replicator *plain = map_get(&without->by_name, "orders-dr");

	(void)state;
	assert_int_equal(threshold(with), 5);
	assert_int_equal(threshold(other), 6);
	assert_int_equal(threshold(elsewhere), -1);
	assert_int_equal(threshold(without), -1);
	assert_null(plain->spec.value[SPEC_ADVANCED_CONFIGURATION]);
	assert_false(plain->sync.has_timeout);
	struct catalog *const all[] = {with, other, elsewhere, without};
	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		catalog_free(all[i]);
	parsed_file_unref(parsed);
	parsed_file_unref(five);
	parsed_file_unref(six);
}

static bool same(const struct catalog *a, const struct catalog *b)
{
	return replicator_same(
		map_get(&a->by_name, "orders-dr"), map_get(&b->by_name, "orders-dr"));
}

static void test_same_is_what_nothing_changed_about(void **state)
{
	struct parsed_file *parsed = parse(REPLICATOR("orders-dr", "a"));
	struct parsed_file *five = parse(DEFAULTS("5")), *six = parse(DEFAULTS("6"));
	struct catalog *with = load_with(parsed, "eu/orders.yaml", five);
	struct catalog *again = load_with(parsed, "eu/orders.yaml", five);
	struct catalog *other = load_with(parsed, "eu/orders.yaml", six);
	struct catalog *elsewhere = load_with(parsed, "us/orders.yaml", five);
	struct catalog *without = load_with(parsed, "eu/orders.yaml", NULL);

	(void)state;
	assert_true(same(with, again));
	assert_false(same(with, other));
	assert_false(same(with, elsewhere));
	assert_false(same(with, without));
	assert_false(same(without, with));
	assert_false(same(elsewhere, without));
	struct catalog *const all[] = {with, again, other, elsewhere, without};
	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		catalog_free(all[i]);
	parsed_file_unref(parsed);
	parsed_file_unref(five);
	parsed_file_unref(six);
}

#define CLUSTER(id_)                                                                               \
	"apiVersion: weir/v1\n"                                                                    \
	"kind: KafkaCluster\n"                                                                     \
	"metadata: {name: prod}\n"                                                                 \
	"spec: {kafka_id: " id_ "}\n"
#define USER                                                                                       \
	"apiVersion: weir/v1\n"                                                                    \
	"kind: KafkaReplicator\n"                                                                  \
	"metadata: {name: orders-dr}\n"                                                            \
	"spec: {provider: MirrorMaker2, source_cluster: prod, destination_kafka_id: b, "           \
	"replication_mode: active-passive, topic_whitelist: [a]}\n"

static void test_another_cluster_of_the_name_is_not_the_same(void **state)
{
	struct parsed_file *parsed = parse(USER);
	struct parsed_file *one = parse(CLUSTER("one")), *two = parse(CLUSTER("two"));
	struct catalog *first = load_with(parsed, "eu/orders.yaml", one);
	struct catalog *again = load_with(parsed, "eu/orders.yaml", one);
	struct catalog *second = load_with(parsed, "eu/orders.yaml", two);

	(void)state;
	assert_true(same(first, again));
	assert_false(same(first, second));
	catalog_free(first);
	catalog_free(again);
	catalog_free(second);
	parsed_file_unref(parsed);
	parsed_file_unref(one);
	parsed_file_unref(two);
}

static void *load_often(void *parsed)
{
	for (int i = 0; i < 200; i++) {
		struct parsed_file *mine = parsed_file_ref(parsed);
		struct catalog *c = load(mine, "eu.yaml");

		parsed_file_unref(mine);
		catalog_free(c);
	}
	parsed_file_unref(parsed);
	return NULL;
}

static void test_two_threads_share_a_file(void **state)
{
	struct parsed_file *parsed = parse(REPLICATOR("orders-dr", "zebra, apple"));
	pthread_t threads[2];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(threads); i++)
		assert_int_equal(
			pthread_create(&threads[i], NULL, load_often, parsed_file_ref(parsed)), 0);
	parsed_file_unref(parsed);
	for (size_t i = 0; i < ARRAY_SIZE(threads); i++)
		assert_int_equal(pthread_join(threads[i], NULL), 0);
}

static void test_failed_documents_are_counted(void **state)
{
	struct parsed_file *parsed =
		parse(REPLICATOR("good", "a") "---\n" REPLICATOR("Bad", "b") "---\n[]\n");
	struct catalog *c = load(parsed, "eu.yaml");

	(void)state;
	parsed_file_unref(parsed);
	assert_int_equal(c->n_failed, 2);
	assert_false(c->complete);
	assert_false(((const struct replicator *)map_get(&c->by_name, "good"))->failed);
	assert_true(((const struct replicator *)map_get(&c->by_name, "Bad"))->failed);
	catalog_free(c);
}

static void test_empty_catalog_is_complete(void **state)
{
	struct catalog *c = catalog_new();

	(void)state;
	catalog_finish(c);
	assert_true(c->complete);
	assert_int_equal(c->n_files, 0);
	catalog_free(c);
	catalog_free(NULL);
	parsed_file_unref(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_file_serves_two_catalogs_under_two_paths),
		cmocka_unit_test(test_problems_of_a_shared_file_name_each_path),
		cmocka_unit_test(test_one_file_under_two_paths_of_one_catalog_is_declared_twice),
		cmocka_unit_test(test_what_defaults_add_stays_with_the_catalog),
		cmocka_unit_test(test_same_is_what_nothing_changed_about),
		cmocka_unit_test(test_another_cluster_of_the_name_is_not_the_same),
		cmocka_unit_test(test_two_threads_share_a_file),
		cmocka_unit_test(test_failed_documents_are_counted),
		cmocka_unit_test(test_empty_catalog_is_complete),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
