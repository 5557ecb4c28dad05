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
	"sync: {mode: report, timeout: 5m}\n"

static struct catalog *load(const char *text)
{
	struct catalog *c = catalog_new();
	struct parsed_file *parsed = parsed_file_new(text, strlen(text));

	catalog_add(c, "eu.yaml", parsed);
	parsed_file_unref(parsed);
	catalog_finish(c);
	assert_true(c->complete);
	return c;
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
	assert_true(after.sync.has_mode && after.sync.mode == SYNC_REPORT);
	assert_true(after.sync.has_timeout && after.sync.timeout_ms == 300000);
	for (enum spec_field f = 0; f < SPEC__COUNT; f++) {
		assert_true(node_equal(after.spec.value[f], before->spec.value[f]));
		if (after.spec.value[f])
			assert_int_equal(after.spec.value[f]->line, before->spec.value[f]->line);
	}
	assert_null(after.spec.value[SPEC_LAG_ALERT_THRESHOLD_UNIT]);
	catalog_free(c);
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
					      "\"sync\": {\"mode\": 9}, "
					      "\"places\": {\"provider\": \"x\"}, \"spec\": "
					      "{\"provider\": \"ClusterLink\"}}",
				 &a, &r, &e),
		0);
	assert_int_equal(r.line, 0);
	assert_false(r.sync.has_mode);
	assert_string_equal(r.spec.value[SPEC_PROVIDER]->u.string.s, "ClusterLink");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_read_gives_back_what_was_written),
		cmocka_unit_test(test_write_twice_is_the_same),
		cmocka_unit_test(test_read_refuses_what_it_did_not_write),
		cmocka_unit_test(test_read_passes_over_odd_parts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
