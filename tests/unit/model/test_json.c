/* Replicators on their way into the store and back. */
#include "tree.h"

#include "base/alloc.h"
#include "model/catalog.h"

#define DOCUMENT                                                                                   \
	"apiVersion: weir/v1\n"                                                                    \
	"kind: KafkaReplicator\n"                                                                  \
	"metadata: {name: orders-dr, labels: {team: orders}}\n"                                    \
	"spec:\n"                                                                                  \
	"  provider: MirrorMaker2\n"                                                               \
	"  source_connection_details: {bootstrap_servers: 'a:9093', security_protocol: SSL}\n"     \
	"  source_secret_path: kafka/a\n"                                                          \
	"  destination_kafka_id: dr-eu\n"                                                          \
	"  replication_mode: active-passive\n"                                                     \
	"  topic_whitelist: [payments.*, orders.*]\n"                                              \
	"  lag_alert_threshold: 10000\n"                                                           \
	"  lag_alert_threshold_unit: ~\n"                                                          \
	"  advanced_configuration: {tasks.max: 4}\n"                                               \
	"sync:\n"                                                                                  \
	"  mode: report\n"                                                                         \
	"  timeout: 5m\n"                                                                          \
	"  adopt: overwrite\n"                                                                     \
	"  foreign_drafts: apply\n"                                                                \
	"  on_remove: orphan\n"                                                                    \
	"  protect: true\n"                                                                        \
	"  suspend: {reason: broker upgrade, until: 2026-12-24T06:00:00Z}\n"                       \
	"  depends_on: [customers-dr, payments-dr]\n"                                              \
	"  ignore: [/advanced_configuration/tasks.max]\n"

#define NAMED(name_)                                                                               \
	"apiVersion: weir/v1\n"                                                                    \
	"kind: KafkaReplicator\n"                                                                  \
	"metadata: {name: " name_ "}\n"                                                            \
	"spec: {provider: MirrorMaker2, source_kafka_id: a, destination_kafka_id: b, "             \
	"replication_mode: active-passive, topic_whitelist: [" name_ "]}\n"

static void add(struct catalog *c, const char *path, const char *text)
{
	struct parsed_file *parsed = parsed_file_new(text, strlen(text));

	catalog_add(c, path, parsed);
	parsed_file_unref(parsed);
}

/* With what it depends on. */
static struct catalog *load(const char *text)
{
	struct catalog *c = catalog_new();

	add(c, "eu.yaml", text);
	add(c, "others.yaml", NAMED("customers-dr") "---\n" NAMED("payments-dr"));
	catalog_finish(c);
	assert_true(c->complete);
	return c;
}

/* Of the keys of sync that DOCUMENT has. */
static void assert_sync(const struct sync_settings *after, const struct sync_settings *before)
{
	assert_true(after->has_mode && after->mode == SYNC_REPORT);
	assert_true(after->has_timeout && after->timeout_ms == 300000);
	assert_true(after->has_adopt && after->adopt == ADOPT_OVERWRITE);
	assert_true(after->has_foreign_drafts && after->foreign_drafts == DRAFTS_APPLY);
	assert_int_equal(after->on_remove, REMOVE_ORPHAN);
	assert_true(after->protect);
	assert_false(after->replace);
	assert_true(after->suspend.is_set && after->suspend.has_until);
	assert_string_equal(after->suspend.reason, "broker upgrade");
	assert_true(after->suspend.until_ms == 1798092000000);
	assert_int_equal(after->depends_on->u.seq.n, 2);
	assert_true(node_equal(after->depends_on, before->depends_on));
	assert_true(node_equal(after->ignore, before->ignore));
}

static void test_read_gives_back_what_was_written(void **state)
{
	struct catalog *c = load(DOCUMENT);
	const struct replicator *before = map_get(&c->by_name, "orders-dr");
	auto_arena struct arena a = ARENA_INIT;
	auto_buf struct buf json = BUF_INIT;
	struct err e = ERR_INIT;
	struct replicator after;

	(void)state;
	replicator_write_json(before, &json);
	assert_int_equal(replicator_read_json(buf_str(&json), &a, &after, &e), 0);
	assert_string_equal(after.name, "orders-dr");
	assert_string_equal(after.file, "eu.yaml");
	assert_int_equal(after.line, before->line);
	assert_int_equal(after.col, before->col);
	assert_false(after.failed);
	assert_true(node_equal(after.labels, before->labels));
	assert_sync(&before->sync, &before->sync);
	assert_sync(&after.sync, &before->sync);
	for (enum spec_field f = 0; f < SPEC__COUNT; f++) {
		assert_true(node_equal(after.spec.value[f], before->spec.value[f]));
		if (after.spec.value[f])
			assert_int_equal(after.spec.value[f]->line, before->spec.value[f]->line);
	}
	assert_null(after.spec.value[SPEC_LAG_ALERT_THRESHOLD_UNIT]);
	catalog_free(c);
}

static void test_what_a_document_does_not_say_stays_unsaid(void **state)
{
	auto_arena struct arena a = ARENA_INIT;
	auto_buf struct buf json = BUF_INIT;
	struct err e = ERR_INIT;
	struct replicator before = {.name = "a", .file = "f"}, after;

	(void)state;
	replicator_write_json(&before, &json);
	assert_non_null(strstr(buf_str(&json), "\"sync\":{}"));
	assert_int_equal(replicator_read_json(buf_str(&json), &a, &after, &e), 0);
	assert_memory_equal(&after.sync, &before.sync, sizeof(after.sync));
	before.sync.replace = true;
	buf_clear(&json);
	replicator_write_json(&before, &json);
	assert_int_equal(replicator_read_json(buf_str(&json), &a, &after, &e), 0);
	assert_true(after.sync.replace);
	assert_false(after.sync.protect || after.sync.has_adopt || after.sync.suspend.is_set);
}

static void test_write_twice_is_the_same(void **state)
{
	struct catalog *c = load(DOCUMENT);
	auto_arena struct arena a = ARENA_INIT;
	auto_buf struct buf first = BUF_INIT, second = BUF_INIT;
	struct err e = ERR_INIT;
	struct replicator after;

	(void)state;
	replicator_write_json(map_get(&c->by_name, "orders-dr"), &first);
	assert_int_equal(replicator_read_json(buf_str(&first), &a, &after, &e), 0);
	replicator_write_json(&after, &second);
	assert_string_equal(buf_str(&first), buf_str(&second));
	catalog_free(c);
}

#define DEFAULTS                                                                                   \
	"apiVersion: weir/v1\n"                                                                    \
	"kind: Defaults\n"                                                                         \
	"spec:\n"                                                                                  \
	"  provider: MirrorMaker2\n"                                                               \
	"  source_cluster: prod-eu\n"                                                              \
	"  lag_alert_threshold: 5\n"                                                               \
	"  advanced_configuration: {tasks.max: 4}\n"
#define CLUSTER                                                                                    \
	"apiVersion: weir/v1\n"                                                                    \
	"kind: KafkaCluster\n"                                                                     \
	"metadata: {name: prod-eu}\n"                                                              \
	"spec: {kafka_id: lkc-1}\n"
#define USER                                                                                       \
	"apiVersion: weir/v1\n"                                                                    \
	"kind: KafkaReplicator\n"                                                                  \
	"metadata: {name: users-dr}\n"                                                             \
	"spec:\n"                                                                                  \
	"  destination_kafka_id: b\n"                                                              \
	"  replication_mode: active-passive\n"                                                     \
	"  topic_whitelist: [users]\n"                                                             \
	"  advanced_configuration: {producer.linger.ms: 7}\n"

static void assert_origin(const struct replicator *r, const struct node *value,
	enum origin_kind kind, const char *file, unsigned line)
{
	struct origin origin = replicator_origin(r, value);

	assert_int_equal(origin.kind, kind);
	assert_string_equal(origin.file, file);
	assert_int_equal(origin.line, line);
}

static void assert_origins(const struct replicator *r)
{
	const struct node *config = r->spec.value[SPEC_ADVANCED_CONFIGURATION];

	assert_origin(r, r->spec.value[SPEC_PROVIDER], ORIGIN_DEFAULTS, "defaults.yaml", 4);
	assert_origin(r, r->spec.value[SPEC_SOURCE_KAFKA_ID], ORIGIN_CLUSTER, "c.yaml", 4);
	assert_origin(r, r->spec.value[SPEC_TOPIC_WHITELIST], ORIGIN_DOCUMENT, "eu/users.yaml", 7);
	assert_origin(r, node_get(config, "tasks.max"), ORIGIN_DEFAULTS, "defaults.yaml", 7);
	assert_origin(
		r, node_get(config, "producer.linger.ms"), ORIGIN_DOCUMENT, "eu/users.yaml", 8);
	assert_origin(r, NULL, ORIGIN_DOCUMENT, "eu/users.yaml", 3);
	assert_string_equal(
		replicator_origin(r, r->spec.value[SPEC_SOURCE_KAFKA_ID]).name, "prod-eu");
}

static void test_origins_survive_the_store(void **state)
{
	struct catalog *c = catalog_new();
	auto_arena struct arena a = ARENA_INIT;
	auto_buf struct buf json = BUF_INIT;
	struct err e = ERR_INIT;
	struct replicator after;

	(void)state;
	add(c, "defaults.yaml", DEFAULTS);
	add(c, "c.yaml", CLUSTER);
	add(c, "eu/users.yaml", USER);
	catalog_finish(c);
	assert_true(c->complete);
	const struct replicator *before = map_get(&c->by_name, "users-dr");
	assert_origins(before);
	replicator_write_json(before, &json);
	assert_int_equal(replicator_read_json(buf_str(&json), &a, &after, &e), 0);
	assert_origins(&after);
	assert_int_equal(after.spec.value[SPEC_LAG_ALERT_THRESHOLD]->u.integer, 5);
	catalog_free(c);
}

static void refuse(const char *json, int code)
{
	auto_arena struct arena a = ARENA_INIT;
	struct err e = ERR_INIT;
	struct replicator r;

	assert_int_equal(replicator_read_json(json, &a, &r, &e), -code);
	assert_non_null(strstr(e.msg, "stored replicator"));
}

static void test_read_refuses_what_it_did_not_write(void **state)
{
	(void)state;
	refuse("", ERR_REMOTE);
	refuse("{\"name\":", ERR_REMOTE);
	refuse("[]", ERR_INTERNAL);
	refuse("{\"name\": \"a\"}", ERR_INTERNAL);
}

static void test_read_passes_over_odd_parts(void **state)
{
	auto_arena struct arena a = ARENA_INIT;
	struct err e = ERR_INIT;
	struct replicator r;

	(void)state;
	assert_int_equal(replicator_read_json("{\"name\": \"a\", \"file\": \"f\", \"place\": [1], "
					      "\"sync\": {\"mode\": 9, \"adopt\": -1, "
					      "\"suspend\": {}, \"ignore\": [1], "
					      "\"depends_on\": 4, \"protect\": 1}, "
					      "\"places\": {\"provider\": [1, 2, 9]}, "
					      "\"origins\": [7, {\"kind\": 1}], \"spec\": "
					      "{\"provider\": \"ClusterLink\"}}",
				 &a, &r, &e),
		0);
	assert_int_equal(r.line, 0);
	assert_false(r.sync.has_mode || r.sync.has_adopt || r.sync.protect);
	assert_true(r.sync.suspend.is_set && !r.sync.suspend.has_until);
	assert_string_equal(r.sync.suspend.reason, "");
	assert_true(!r.sync.ignore && !r.sync.depends_on);
	assert_string_equal(r.spec.value[SPEC_PROVIDER]->u.string.s, "ClusterLink");
	assert_origin(&r, r.spec.value[SPEC_PROVIDER], ORIGIN_DOCUMENT, "f", 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_read_gives_back_what_was_written),
		cmocka_unit_test(test_what_a_document_does_not_say_stays_unsaid),
		cmocka_unit_test(test_write_twice_is_the_same),
		cmocka_unit_test(test_origins_survive_the_store),
		cmocka_unit_test(test_read_refuses_what_it_did_not_write),
		cmocka_unit_test(test_read_passes_over_odd_parts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
