/* Values of fields: equality, the API's form, the form for people. */
#include "tree.h"

#include "base/alloc.h"
#include "doc/json.h"
#include "model/spec.h"

/* The canonical value of a field, from YAML; NULL for NULL. */
static const struct node *value(struct arena *a, enum spec_field field, const char *yaml)
{
	const struct field_place place = {.arena = a, .path = ""};
	struct problems problems = PROBLEMS_INIT;
	struct node *map = node_map(a);
	struct spec spec;

	if (!yaml)
		return NULL;
	node_map_set(a, map, spec_fields[field].name, tree(a, yaml));
	spec_decode(map, &place, false, &spec, &problems);
	assert_int_equal(problems.n_errors, 0);
	problems_release(&problems);
	return spec.value[field];
}

static void test_equal_values(void **state)
{
	static const struct {
		enum spec_field field;
		const char *a;
		const char *b;
		bool equal;
	} rows[] = {
		{SPEC_PROVIDER, "MirrorMaker2", "MirrorMaker2", true},
		{SPEC_PROVIDER, "MirrorMaker2", "ClusterLink", false},
		{SPEC_PROVIDER, "MirrorMaker2", NULL, false},
		{SPEC_TOPIC_WHITELIST, "[b, a, a]", "'a, b'", true},
		{SPEC_TOPIC_WHITELIST, "[a]", "[a, b]", false},
		{SPEC_TOPIC_WHITELIST, "[a]", "[A]", false},
		{SPEC_TOPIC_BLACKLIST, NULL, NULL, true},
		{SPEC_TOPIC_BLACKLIST, NULL, "''", true},
		{SPEC_TOPIC_BLACKLIST, "[]", "~", true},
		{SPEC_TOPIC_BLACKLIST, NULL, "[a]", false},
		{SPEC_LAG_ALERT_THRESHOLD, "5", "'5'", true},
		{SPEC_LAG_ALERT_THRESHOLD, "5.0", "5", true},
		{SPEC_LAG_ALERT_THRESHOLD, "0", NULL, false},
		{SPEC_LAG_ALERT_THRESHOLD, "~", NULL, true},
		{SPEC_LAG_ALERT_THRESHOLD_UNIT, NULL, "messages", true},
		{SPEC_LAG_ALERT_THRESHOLD_UNIT, "messages", "~", true},
		{SPEC_LAG_ALERT_THRESHOLD_UNIT, NULL, "bytes", false},
		{SPEC_LAG_ALERT_THRESHOLD_UNIT, "messages", "bytes", false},
		{SPEC_ADVANCED_CONFIGURATION, NULL, "{}", true},
		{SPEC_ADVANCED_CONFIGURATION, "{tasks.max: 4}", "{tasks.max: '4'}", true},
		{SPEC_ADVANCED_CONFIGURATION, "{unknown: 4, other: true}",
			"{other: 'true', unknown: '4'}", true},
		{SPEC_ADVANCED_CONFIGURATION, "{unknown: 0.5}", "{unknown: '0.5'}", true},
		{SPEC_ADVANCED_CONFIGURATION, "{tasks.max: 4}", "{tasks.max: 5}", false},
		{SPEC_ADVANCED_CONFIGURATION, "{tasks.max: 4}", "{}", false},
		{SPEC_ADVANCED_CONFIGURATION, "{}", "{tasks.max: 4}", false},
		{SPEC_ADVANCED_CONFIGURATION, "{predicates: [a, b]}", "{predicates: 'a , b'}",
			true},
		{SPEC_ADVANCED_CONFIGURATION, "{tasks.max: 4, offset.lag.max: ~}", "{tasks.max: 4}",
			true},
		{SPEC_SOURCE_CONNECTION_DETAILS, "{bootstrap_servers: 'a:1,b:2'}",
			"{bootstrap_servers: 'b:2, a:1'}", true},
		{SPEC_SOURCE_CONNECTION_DETAILS, "{bootstrap_servers: 'a:1'}",
			"{bootstrap_servers: 'a:1', security_protocol: PLAINTEXT, sasl_mechanism: "
			"null}",
			true},
		{SPEC_SOURCE_CONNECTION_DETAILS, "{bootstrap_servers: 'a:1'}",
			"{bootstrap_servers: 'a:1', security_protocol: SSL}", false},
		{SPEC_SOURCE_CONNECTION_DETAILS, "{bootstrap_servers: 'a:1'}",
			"{bootstrap_servers: 'a:1,b:2'}", false},
		{SPEC_SOURCE_CONNECTION_DETAILS, "{bootstrap_servers: 'a:1'}",
			"{bootstrap_servers: 'a:11'}", false},
		{SPEC_SOURCE_CONNECTION_DETAILS, "{bootstrap_servers: 'a:1'}", NULL, false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		auto_arena struct arena a = ARENA_INIT;
		const struct node *left = value(&a, rows[i].field, rows[i].a);
		const struct node *right = value(&a, rows[i].field, rows[i].b);

		if (spec_value_equal(rows[i].field, left, right) != rows[i].equal ||
			spec_value_equal(rows[i].field, right, left) != rows[i].equal)
			fail_msg("row %zu: %s and %s", i, rows[i].a ? rows[i].a : "nothing",
				rows[i].b ? rows[i].b : "nothing");
	}
}

static void test_equal_of_values_that_did_not_decode(void **state)
{
	auto_arena struct arena a = ARENA_INIT;

	(void)state;
	assert_false(spec_value_equal(SPEC_TOPIC_WHITELIST, tree(&a, "{a: 1}"), tree(&a, "[a]")));
	assert_false(spec_value_equal(
		SPEC_ADVANCED_CONFIGURATION, tree(&a, "text"), tree(&a, "{a: b}")));
	assert_false(spec_value_equal(SPEC_SOURCE_CONNECTION_DETAILS,
		tree(&a, "{bootstrap_servers: [a]}"), tree(&a, "{bootstrap_servers: a}")));
	assert_true(spec_value_equal(
		SPEC_SOURCE_CONNECTION_DETAILS, tree(&a, "text"), tree(&a, "text")));
}

static void expect_wire(enum spec_field field, const char *yaml, const char *json)
{
	auto_arena struct arena a = ARENA_INIT;
	auto_buf struct buf out = BUF_INIT;

	json_write(&out, spec_value_wire(&a, field, value(&a, field, yaml)), JSON_STYLE_CANONICAL);
	assert_string_equal(buf_str(&out), json);
}

static void test_wire_forms(void **state)
{
	(void)state;
	expect_wire(SPEC_TOPIC_WHITELIST, "[payments.*, orders.*]", "\"orders.*,payments.*\"");
	expect_wire(SPEC_TOPIC_BLACKLIST, "[]", "\"\"");
	expect_wire(SPEC_TOPIC_BLACKLIST, NULL, "null");
	expect_wire(SPEC_TOPIC_BLACKLIST, "~", "null");
	expect_wire(SPEC_LAG_ALERT_THRESHOLD, "5000", "5000");
	expect_wire(SPEC_PROVIDER, "ClusterLink", "\"ClusterLink\"");
	expect_wire(SPEC_ADVANCED_CONFIGURATION,
		"{tasks.max: '4', predicates: [a, b], emit.heartbeats.enabled: false}",
		"{\"emit.heartbeats.enabled\":false,\"predicates\":\"a,b\",\"tasks.max\":4}");
	expect_wire(SPEC_SOURCE_CONNECTION_DETAILS,
		"{bootstrap_servers: 'a:1 , b:2', security_protocol: ~}",
		"{\"bootstrap_servers\":\"a:1,b:2\"}");
}

static void test_wire_form_is_read_back_to_the_same(void **state)
{
	auto_arena struct arena a = ARENA_INIT;
	const struct field_place place = {.arena = &a, .path = ""};
	struct problems problems = PROBLEMS_INIT;
	struct spec first, second;

	(void)state;
	assert_true(
		spec_decode(tree(&a, "{identifier: a, provider: MirrorMaker2, topic_whitelist: [b, "
				     "a], lag_alert_threshold: 5, "
				     "topic_blacklist: ~, advanced_configuration: {tasks.max: 4}}"),
			&place, false, &first, &problems));
	assert_true(spec_decode(spec_to_wire(&a, &first), &place, false, &second, &problems));
	for (enum spec_field f = 0; f < SPEC__COUNT; f++)
		assert_true(node_equal(first.value[f], second.value[f]));
	assert_int_equal(second.value[SPEC_TOPIC_BLACKLIST]->type, NODE_NULL);
	assert_null(second.value[SPEC_GROUPS_WHITELIST]);
	problems_release(&problems);
}

static void expect_text(enum spec_field field, const struct node *n, const char *text)
{
	auto_buf struct buf out = BUF_INIT;

	spec_value_text(&out, field, n);
	assert_string_equal(buf_str(&out), text);
}

static void test_text_for_people(void **state)
{
	auto_arena struct arena a = ARENA_INIT;

	(void)state;
	expect_text(SPEC_TOPIC_WHITELIST, value(&a, SPEC_TOPIC_WHITELIST, "'b, a'"), "[a, b]");
	expect_text(SPEC_TOPIC_WHITELIST, tree(&a, "[]"), "(none)");
	expect_text(SPEC_LAG_ALERT_THRESHOLD, tree(&a, "10000"), "10000");
	expect_text(SPEC_LAG_ALERT_THRESHOLD, NULL, "(none)");
	expect_text(SPEC_LAG_ALERT_THRESHOLD, tree(&a, "~"), "(none)");
	expect_text(SPEC_SOURCE_SECRET_PATH, tree(&a, "kafka/prod-eu"), "kafka/prod-eu");
	expect_text(SPEC_SOURCE_KAFKA_ID, tree(&a, "\"a\\nb\""), "a\\nb");
}

static void test_text_never_shows_what_may_be_secret(void **state)
{
	auto_arena struct arena a = ARENA_INIT;

	(void)state;
	expect_text(SPEC_ADVANCED_CONFIGURATION,
		tree(&a, "{tasks.max: 4, sasl.jaas.config: hunter2, topics: hunter2, x: hunter2, "
			 "offset.lag.max: [hunter2]}"),
		"{tasks.max: 4, sasl.jaas.config: ***, topics: ***, x: ***, offset.lag.max: ***}");
	expect_text(SPEC_ADVANCED_CONFIGURATION, tree(&a, "hunter2"), "***");
	expect_text(SPEC_SOURCE_CONNECTION_DETAILS,
		tree(&a, "{bootstrap_servers: 'a:9092', security_protocol: SASL_SSL, password: "
			 "hunter2}"),
		"{bootstrap_servers: a:9092, security_protocol: SASL_SSL, password: ***}");
	expect_text(SPEC_SOURCE_CONNECTION_DETAILS,
		tree(&a, "{bootstrap_servers: 'u:hunter2@a:9092'}"), "{bootstrap_servers: ***}");
	expect_text(SPEC_SOURCE_CONNECTION_DETAILS, tree(&a, "u:hunter2@a:9092"), "***");
}

static void test_merge_keeps_nulls_that_are_written(void **state)
{
	auto_arena struct arena a = ARENA_INIT;
	struct spec base = {0}, over = {0}, merged;

	(void)state;
	base.value[SPEC_PROVIDER] = tree(&a, "MirrorMaker2");
	base.value[SPEC_LAG_ALERT_THRESHOLD] = tree(&a, "5");
	base.value[SPEC_TOPIC_WHITELIST] = tree(&a, "[a]");
	over.value[SPEC_LAG_ALERT_THRESHOLD] = tree(&a, "~");
	over.value[SPEC_TOPIC_WHITELIST] = tree(&a, "[b]");
	merged = spec_merge(&base, &over);
	assert_ptr_equal(merged.value[SPEC_PROVIDER], base.value[SPEC_PROVIDER]);
	assert_int_equal(merged.value[SPEC_LAG_ALERT_THRESHOLD]->type, NODE_NULL);
	assert_ptr_equal(merged.value[SPEC_TOPIC_WHITELIST], over.value[SPEC_TOPIC_WHITELIST]);
	assert_null(merged.value[SPEC_TOPIC_BLACKLIST]);
}

static void test_copy_outlives_the_original(void **state)
{
	auto_arena struct arena kept = ARENA_INIT;
	struct arena a = ARENA_INIT;
	struct spec spec = {0};

	(void)state;
	spec.value[SPEC_TOPIC_WHITELIST] = tree(&a, "[orders.*]");
	struct spec copy = spec_copy(&kept, &spec);
	arena_release(&a);
	assert_string_equal(copy.value[SPEC_TOPIC_WHITELIST]->u.seq.at[0]->u.string.s, "orders.*");
}

static void expect_keys(const char *details, const char *joined)
{
	auto_arena struct arena a = ARENA_INIT;
	auto_buf struct buf out = BUF_INIT;
	struct spec spec = {0};

	if (details)
		spec.value[SPEC_DESTINATION_CONNECTION_DETAILS] = tree(&a, details);
	for (const char *const *key = spec_secret_keys(&spec, false); *key; key++)
		buf_addf(&out, "%s ", *key);
	assert_string_equal(buf_str(&out), joined);
	assert_null(spec_secret_keys(&spec, true)[0]);
}

static void test_secret_keys_of_each_kind_of_connection(void **state)
{
	(void)state;
	expect_keys(NULL, "");
	expect_keys("text", "");
	expect_keys("{bootstrap_servers: 'a:1'}", "");
	expect_keys("{security_protocol: PLAINTEXT}", "");
	expect_keys("{security_protocol: SSL}", "certificate key ca ");
	expect_keys("{security_protocol: SASL_SSL, sasl_mechanism: PLAIN}", "username password ");
	expect_keys("{security_protocol: SASL_PLAINTEXT, sasl_mechanism: SCRAM-SHA-512}",
		"username password ");
	expect_keys("{security_protocol: SASL_SSL, sasl_mechanism: OAUTHBEARER}", "");
	expect_keys("{security_protocol: nonsense}", "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_equal_values),
		cmocka_unit_test(test_equal_of_values_that_did_not_decode),
		cmocka_unit_test(test_wire_forms),
		cmocka_unit_test(test_wire_form_is_read_back_to_the_same),
		cmocka_unit_test(test_text_for_people),
		cmocka_unit_test(test_text_never_shows_what_may_be_secret),
		cmocka_unit_test(test_merge_keeps_nulls_that_are_written),
		cmocka_unit_test(test_copy_outlives_the_original),
		cmocka_unit_test(test_secret_keys_of_each_kind_of_connection),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
