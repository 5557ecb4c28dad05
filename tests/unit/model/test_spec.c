/* The table of fields, and bodies as a server gets them: JSON, with paths that are names of fields.
 */
#include "tree.h"

#include "base/alloc.h"
#include "doc/json.h"
#include "model/catalog.h"
#include "model/spec.h"

static void test_fields_are_documented(void **state)
{
	(void)state;
	for (enum spec_field f = 0; f < SPEC__COUNT; f++) {
		const struct spec_field_info *info = &spec_fields[f];

		assert_int_equal(spec_field_find(info->name), f);
		assert_true(strlen(info->doc) > 0);
		assert_int_equal(info->kind == SPEC_KIND_CHOICE, info->choices != NULL);
		if (info->required || info->immutable)
			assert_int_equal(info->reset, SPEC_RESET_NOT);
		else
			assert_int_not_equal(info->reset, SPEC_RESET_NOT);
	}
	assert_int_equal(spec_field_find("nonsense"), SPEC__COUNT);
}

static void test_identifiers(void **state)
{
	static const char *const good[] = {"a", "0", "orders-dr", "a--b", "9-a",
		"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"};
	static const char *const bad[] = {"", "-", "-a", "a-", "A", "a_b", "a.b", "a b", "\xc3\xa9",
		"a/b", "..", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(good); i++)
		assert_true(identifier_valid(good[i]));
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_false(identifier_valid(bad[i]));
}

#define GOOD                                                                                       \
	"identifier: orders-dr, provider: MirrorMaker2, source_kafka_id: prod-eu, "                \
	"destination_kafka_id: dr-eu, "                                                            \
	"replication_mode: active-passive"

/* Decodes and checks as a server does; `wanted` has a line for each problem. */
static void expect_problems(const char *yaml, const char *wanted)
{
	auto_arena struct arena a = ARENA_INIT;
	auto_buf struct buf found = BUF_INIT;
	const struct field_place place = {.arena = &a, .path = ""};
	struct problems problems = PROBLEMS_INIT;
	struct spec spec;
	struct node *body;
	auto_buf struct buf json = BUF_INIT;
	struct err e = ERR_INIT;

	json_write(&json, tree(&a, yaml), JSON_STYLE_COMPACT);
	assert_int_equal(json_read(&a, json.data, json.len, &body, &e), 0);
	bool ok = spec_decode(body, &place, false, &spec, &problems);
	ok = spec_check(&spec, &place, &problems) && ok;
	assert_int_equal(ok, problems.n_errors == 0);
	vec_each (it, &problems) {
		problem_format(it, &found);
		buf_addc(&found, '\n');
	}
	assert_string_equal(buf_str(&found), wanted);
	problems_release(&problems);
}

static void test_body_that_is_good(void **state)
{
	(void)state;
	expect_problems("{" GOOD ", topic_whitelist: 'orders.*'}", "");
}

static void test_body_without_anything(void **state)
{
	(void)state;
	expect_problems("{}", "identifier: is required: the replicator's name\n"
			      "provider: is required: MirrorMaker2 or ClusterLink\n"
			      "replication_mode: is required: active-passive or active-active\n"
			      "topic_whitelist: must name something: list the topics to copy, .* "
			      "for all of them\n"
			      "source_kafka_id: is required: the cluster's id, or "
			      "source_connection_details for an external cluster\n"
			      "destination_kafka_id: is required: the cluster's id, or "
			      "destination_connection_details for an external "
			      "cluster\n");
}

static void test_body_with_nulls_is_a_body_without_them(void **state)
{
	(void)state;
	expect_problems("{" GOOD
			", topic_whitelist: a, topic_blacklist: null, lag_alert_threshold: null, "
			"lag_alert_threshold_unit: null, source_connection_details: null, "
			"advanced_configuration: null}",
		"");
	expect_problems("{" GOOD ", topic_whitelist: null}",
		"topic_whitelist: must name something: list "
		"the topics to copy, .* for all of them\n");
}

static void test_body_with_a_bad_identifier(void **state)
{
	(void)state;
	expect_problems("{identifier: Orders, provider: MirrorMaker2, source_kafka_id: a, "
			"destination_kafka_id: b, "
			"replication_mode: active-active, topic_whitelist: x}",
		"identifier: \"Orders\" is no identifier: use 1 to 63 lower-case letters, digits "
		"and hyphens, with a letter "
		"or digit at both ends\n");
}

static void test_body_names_the_field(void **state)
{
	(void)state;
	expect_problems("{" GOOD ", topic_whitelist: [a, 5]}",
		"topic_whitelist: must be a string, is a whole number\n");
	expect_problems("{" GOOD ", topic_whitelist: 'orders*'}",
		"topic_whitelist: \"orders*\" looks like a shell pattern, but patterns are regular "
		"expressions: write "
		"orders.*\n");
	expect_problems("{" GOOD ", topic_whitelist: a, advanced_configuration: {tasks.max: 0}}",
		"advanced_configuration.tasks.max: must be a number between 1 and 10000, such as "
		"3\n");
	expect_problems("{" GOOD ", topic_whitelist: a, status: Healthy}",
		"status: is reported by the API: remove it\n");
	expect_problems("{" GOOD ", topic_whitelist: a, lag_alert_threshold: true}",
		"lag_alert_threshold: must be a whole number between 0 and 9007199254740991, such "
		"as 3, is a boolean\n");
}

static void test_missing_field_is_told_where_the_map_begins(void **state)
{
	auto_arena struct arena a = ARENA_INIT;
	const struct field_place place = {.arena = &a, .file = "eu.yaml", .path = "spec"};
	struct problems problems = PROBLEMS_INIT;
	struct spec spec;

	(void)state;
	assert_false(spec_decode(
		tree(&a, "\n  provder: MirrorMaker2\n"), &place, true, &spec, &problems));
	assert_int_equal(problems.n, 1); /* and not that it is missing as well */
	assert_false(spec_check(&spec, &place, &problems));
	vec_each (it, &problems) {
		assert_int_equal(it->line, 2);
		assert_int_equal(it->col, 3);
		assert_null(strstr(it->path, "provider"));
	}
	problems_release(&problems);
}

static void test_warnings_are_no_errors(void **state)
{
	auto_arena struct arena a = ARENA_INIT;
	const struct field_place place = {.arena = &a, .path = ""};
	struct problems problems = PROBLEMS_INIT;
	struct spec spec;

	(void)state;
	assert_true(spec_decode(tree(&a, "{" GOOD ", topic_whitelist: billing.internal}"), &place,
		false, &spec, &problems));
	assert_true(spec_check(&spec, &place, &problems));
	assert_int_equal(problems.n_warnings, 1);
	problems_release(&problems);
}

static void test_reference_names_every_field(void **state)
{
	auto_buf struct buf out = BUF_INIT;

	(void)state;
	spec_mdoc(&out);
	for (enum spec_field f = SPEC_IDENTIFIER + 1; f < SPEC__COUNT; f++)
		assert_non_null(strstr(buf_str(&out), spec_fields[f].name));
	assert_non_null(strstr(buf_str(&out), ".It Sy emit.heartbeats.interval.seconds"));
	assert_null(strstr(buf_str(&out), ".It Sy topics.blacklist"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fields_are_documented),
		cmocka_unit_test(test_identifiers),
		cmocka_unit_test(test_body_that_is_good),
		cmocka_unit_test(test_body_without_anything),
		cmocka_unit_test(test_body_with_nulls_is_a_body_without_them),
		cmocka_unit_test(test_body_with_a_bad_identifier),
		cmocka_unit_test(test_body_names_the_field),
		cmocka_unit_test(test_missing_field_is_told_where_the_map_begins),
		cmocka_unit_test(test_warnings_are_no_errors),
		cmocka_unit_test(test_reference_names_every_field),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
