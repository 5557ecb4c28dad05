/* Field tables: every type, what is said about each wrong value, defaults, nesting, and what is not
 * built yet. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <string.h>
#include <cmocka.h>

#include "doc/fields.h"
#include "doc/json.h"
#include "doc/yaml.h"

struct inner {
	const char *name;
	int64_t size;
};

struct thing {
	const char *text;
	const char *token;
	bool flag;
	bool flag_written;
	int64_t number;
	bool number_written;
	int64_t duration_ms;
	int64_t time_ms;
	int mode;
	struct inner inner;
	struct field_list list;
	const struct node *strings;
	const struct node *labels;
	const struct node *any;
	struct count_or_percent share;
	int64_t future_ms;
	const struct node *future_node;
	struct inner future_map;
};

static const char *const modes[] = {"heal", "report", "off", NULL};

static const struct field inner_fields[] = {
	{.name = "name",
		.type = FIELD_STRING,
		.flags = FIELD_REQUIRED,
		.offset = offsetof(struct inner, name)},
	{.name = "size", .type = FIELD_INT, .offset = offsetof(struct inner, size), .def = "3"},
	{.name = NULL},
};

static const struct field thing_fields[] = {
	{.name = "text",
		.type = FIELD_STRING,
		.offset = offsetof(struct thing, text),
		.def = "main"},
	{.name = "token",
		.type = FIELD_STRING,
		.flags = FIELD_SECRET,
		.offset = offsetof(struct thing, token)},
	{.name = "flag",
		.type = FIELD_BOOL,
		.offset = offsetof(struct thing, flag),
		.has_offset = offsetof(struct thing, flag_written) + 1,
		.def = "true"},
	{.name = "number",
		.type = FIELD_INT,
		.flags = FIELD_NULL_OK,
		.offset = offsetof(struct thing, number),
		.has_offset = offsetof(struct thing, number_written) + 1,
		.min = 1,
		.max = 100,
		.def = "8"},
	{.name = "duration",
		.type = FIELD_DURATION,
		.offset = offsetof(struct thing, duration_ms),
		.max = 3600000,
		.def = "1m"},
	{.name = "time", .type = FIELD_TIME, .offset = offsetof(struct thing, time_ms)},
	{.name = "mode",
		.type = FIELD_CHOICE,
		.offset = offsetof(struct thing, mode),
		.choices = modes,
		.def = "report"},
	{.name = "inner",
		.type = FIELD_MAP,
		.offset = offsetof(struct thing, inner),
		.sub = inner_fields},
	{.name = "list",
		.type = FIELD_LIST,
		.offset = offsetof(struct thing, list),
		.sub = inner_fields,
		.sub_size = sizeof(struct inner)},
	{.name = "strings",
		.type = FIELD_STRINGS,
		.flags = FIELD_ONE_OK,
		.offset = offsetof(struct thing, strings),
		.def = "[a, b]"},
	{.name = "labels", .type = FIELD_STRING_MAP, .offset = offsetof(struct thing, labels)},
	{.name = "any", .type = FIELD_NODE, .offset = offsetof(struct thing, any)},
	{.name = "share",
		.type = FIELD_COUNT_OR_PERCENT,
		.offset = offsetof(struct thing, share),
		.def = "10%"},
	{.name = "future",
		.type = FIELD_DURATION,
		.flags = FIELD_NOT_BUILT,
		.offset = offsetof(struct thing, future_ms),
		.def = "1h"},
	{.name = "future_node",
		.type = FIELD_NODE,
		.flags = FIELD_NOT_BUILT,
		.offset = offsetof(struct thing, future_node)},
	{.name = "future_map",
		.type = FIELD_MAP,
		.flags = FIELD_NOT_BUILT,
		.offset = offsetof(struct thing, future_map),
		.sub = inner_fields},
	{.name = "moved", .flags = FIELD_REFUSED, .doc = "belongs elsewhere: remove it here"},
	{.name = NULL},
};

/* One decoded text; freed by teardown. */
static struct yaml_docs docs;
static struct problems problems;
static struct thing thing;
static struct buf said;

static int release(void **state)
{
	(void)state;
	yaml_docs_release(&docs);
	problems_release(&problems);
	buf_release(&said);
	return 0;
}

/* What was wrong, a line each, goes to `said`. */
static bool decode(const struct field *fields, const char *yaml, void *ret_struct)
{
	release(NULL);
	assert_int_equal(yaml_parse("x.yaml", yaml, strlen(yaml), &docs, &problems), 0);
	const struct field_place place = {.arena = &docs.arena, .file = "x.yaml", .path = ""};
	bool good =
		fields_decode(fields, docs.n ? docs.at[0] : NULL, &place, ret_struct, &problems);
	vec_each (it, &problems) {
		problem_format(it, &said);
		buf_addc(&said, '\n');
	}
	return good;
}

static void assert_good(const char *yaml)
{
	memset(&thing, 0xff, sizeof(thing));
	decode(thing_fields, yaml, &thing);
	assert_string_equal(buf_str(&said), "");
}

static void assert_bad(const char *yaml, const char *expected)
{
	auto_free char *line = xasprintf("x.yaml:%s\n", expected);

	memset(&thing, 0xff, sizeof(thing));
	assert_false(decode(thing_fields, yaml, &thing));
	assert_string_equal(buf_str(&said), line);
}

static void assert_json(const struct node *n, const char *expected)
{
	auto_buf struct buf out = BUF_INIT;

	assert_non_null(n);
	json_write(&out, n, JSON_STYLE_COMPACT);
	assert_string_equal(buf_str(&out), expected);
}

static void assert_defaults(void)
{
	assert_string_equal(thing.text, "main");
	assert_null(thing.token);
	assert_true(thing.flag);
	assert_false(thing.flag_written);
	assert_int_equal(thing.number, 8);
	assert_false(thing.number_written);
	assert_int_equal(thing.duration_ms, 60000);
	assert_int_equal(thing.time_ms, 0);
	assert_int_equal(thing.mode, 1);
	assert_null(thing.inner.name);
	assert_int_equal(thing.inner.size, 3);
	assert_int_equal(thing.list.n, 0);
	assert_json(thing.strings, "[\"a\",\"b\"]");
	assert_null(thing.labels);
	assert_null(thing.any);
	assert_int_equal(thing.share.value, 10);
	assert_true(thing.share.percent);
	assert_int_equal(thing.future_ms, 3600000);
}

static void test_what_is_not_written_has_its_default(void **state)
{
	(void)state;
	assert_good("{}");
	assert_defaults();
	assert_good("# nothing");
	assert_defaults();
	assert_good("number: null");
	assert_defaults();
}

static void test_every_type_decodes(void **state)
{
	(void)state;
	assert_good(
		"text: orders\ntoken: \"env:TOKEN\"\nflag: false\nnumber: 100\nduration: 1m30s\n"
		"time: 2026-11-30T16:44:23Z\nmode: heal\ninner: {name: x}\n"
		"list: [{name: a}, {name: b, size: 5}]\nstrings: [p.*, q]\nlabels: {team: orders}\n"
		"any: {x: [1]}\nshare: 3\n");
	assert_string_equal(thing.text, "orders");
	assert_string_equal(thing.token, "env:TOKEN");
	assert_false(thing.flag);
	assert_true(thing.flag_written);
	assert_int_equal(thing.number, 100);
	assert_true(thing.number_written);
	assert_int_equal(thing.duration_ms, 90000);
	assert_true(thing.time_ms == 1796057063000);
	assert_int_equal(thing.mode, 0);
	assert_string_equal(thing.inner.name, "x");
	assert_int_equal(thing.inner.size, 3);
	assert_int_equal(thing.list.n, 2);
	const struct inner *items = thing.list.at;
	assert_string_equal(items[1].name, "b");
	assert_int_equal(items[1].size, 5);
	assert_int_equal(items[0].size, 3);
	assert_json(thing.strings, "[\"p.*\",\"q\"]");
	assert_json(thing.labels, "{\"team\":\"orders\"}");
	assert_json(thing.any, "{\"x\":[1]}");
	assert_int_equal(thing.share.value, 3);
	assert_false(thing.share.percent);
}

static void test_other_ways_to_write_the_same(void **state)
{
	(void)state;
	assert_good("strings: only\nmode: off\nduration: 0\ntime: "
		    "2026-11-30T17:44:23+01:00\nnumber: 5.0\n"
		    "share: 0%\n");
	assert_json(thing.strings, "[\"only\"]");
	assert_int_equal(thing.mode, 2);
	assert_int_equal(thing.duration_ms, 0);
	assert_true(thing.time_ms == 1796057063000);
	assert_int_equal(thing.number, 5);
	assert_true(thing.share.percent);
}

static void test_a_string_that_yaml_reads_otherwise_gets_a_hint(void **state)
{
	(void)state;
	assert_bad("text: no",
		"1:7: text: must be a string, but no is a boolean to some readers of YAML; "
		"write \"no\"");
	assert_bad("text: 012",
		"1:7: text: must be a string, but 012 is an octal number to some readers of "
		"YAML; write \"012\"");
	assert_bad("text: 1:30",
		"1:7: text: must be a string, but 1:30 is a number to the base 60 to some "
		"readers of YAML; write \"1:30\"");
	assert_bad("text: 1_000",
		"1:7: text: must be a string, but 1_000 is a number to some readers of YAML; "
		"write \"1_000\"");
	assert_bad("text: 2026-11-30",
		"1:7: text: must be a string, but 2026-11-30 is a date to some readers of "
		"YAML; write \"2026-11-30\"");
	assert_bad(
		"text: 12", "1:7: text: must be a string, but 12 is a whole number; write \"12\"");
	assert_bad(
		"text: true", "1:7: text: must be a string, but true is a boolean; write \"true\"");
	assert_bad("text: null",
		"1:7: text: must be a string, but null stands for no value; write \"null\"");
	assert_bad("text:",
		"1:6: text: must be a string, and has no value; give it one or take the line out");
	assert_bad("text: ~",
		"1:7: text: must be a string, and has no value; give it one or take the line out");
	assert_bad("text: [a]",
		"1:7: text: must be a string, but YAML reads a list here; put the value in quotes");
	assert_bad("text:\n  a: 1", "2:3: text: must be a string, is a map");
	assert_bad("strings: [a, b: c]",
		"1:14: strings[1]: must be a string, but YAML reads a map here; put the "
		"value in quotes");
	assert_bad("strings: [yes]",
		"1:11: strings[0]: must be a string, but yes is a boolean to some readers of "
		"YAML; write \"yes\"");
	assert_bad("labels: {a: 1}",
		"1:13: labels.a: must be a string, but 1 is a whole number; write \"1\"");
}

static void test_wrong_values_are_told_what_is_right(void **state)
{
	(void)state;
	assert_bad("flag: yes", "1:7: flag: must be true or false, without quotes");
	assert_bad("flag: 1", "1:7: flag: must be true or false, is a whole number");
	assert_bad("number: 0", "1:9: number: must be a number between 1 and 100, such as 8");
	assert_bad("number: 101", "1:9: number: must be a number between 1 and 100, such as 8");
	assert_bad("number: 1.5",
		"1:9: number: must be a whole number between 1 and 100, such as 8; this "
		"one is too large or has a fraction");
	assert_bad("number: \"5\"", "1:9: number: must be a whole number between 1 and 100, such "
				    "as 8, in plain digits and without "
				    "quotes");
	assert_bad("number: 012", "1:9: number: must be a whole number between 1 and 100, such as "
				  "8, in plain digits and without "
				  "quotes");
	assert_bad("inner: {name: x, size: -1}",
		"1:24: inner.size: must be a number of at least 0, such as 3");
	assert_bad("duration: 30", "1:11: duration: needs a unit, ms, s, m or h: it must be a "
				   "duration between 0 and 1h, such as 1m");
	assert_bad("duration: 1:30",
		"1:11: duration: must be a duration between 0 and 1h, such as 1m; it is written "
		"as whole numbers with ms, s, m or h, the largest first");
	assert_bad("duration: [1]",
		"1:11: duration: must be a duration between 0 and 1h, such as 1m, is a list");
	assert_bad(
		"duration: 2h", "1:11: duration: must be a duration between 0 and 1h, such as 1m");
	assert_bad("time: 2026-12-24",
		"1:7: time: must be a time with its offset, such as 2026-12-24T06:00:00Z or "
		"2026-12-24T07:00:00+01:00");
	assert_bad("time: 5",
		"1:7: time: must be a time such as 2026-12-24T06:00:00Z, is a whole number");
	assert_bad("mode: heel",
		"1:7: mode: must be heal, report or off, is heel; did you mean heal?");
	assert_bad("mode: [heal]", "1:7: mode: must be heal, report or off, is a list");
	assert_bad("strings: {a: b}",
		"1:10: strings: must be a string, but YAML reads a map here; put the value in "
		"quotes");
	assert_bad("labels: x", "1:9: labels: must be a map of strings, is a string");
	assert_bad("share: 101%", "1:8: share: must be a count of at least 0, such as 3, or a "
				  "share between 0% and 100%, such as 10%");
	assert_bad("share: many", "1:8: share: must be a count of at least 0, such as 3, or a "
				  "share between 0% and 100%, such as 10%");
	assert_bad("share: -1", "1:8: share: must be a count of at least 0, such as 3, or a share "
				"between 0% and 100%, such as 10%");
	assert_bad("inner: x", "1:8: inner: must be a map, is a string");
	assert_bad("inner:", "1:7: inner: must be a map, is null");
	assert_bad("list: {name: x}", "1:7: list: must be a list of maps, is a map");
	assert_bad("[a]", "1:1: must be a map, is a list");
}

static void test_a_bad_value_leaves_the_default(void **state)
{
	(void)state;
	assert_bad("number: 101", "1:9: number: must be a number between 1 and 100, such as 8");
	assert_int_equal(thing.number, 8);
	assert_bad("[a]", "1:1: must be a map, is a list");
	assert_defaults();
}

static void test_a_required_field_is_asked_for_where_its_map_is(void **state)
{
	(void)state;
	assert_bad("inner: {size: 1}", "1:8: inner.name: is missing");
	assert_bad("list:\n- {name: a}\n- {size: 2}", "3:3: list[1].name: is missing");

	static const struct field required[] = {
		{.name = "mode", .type = FIELD_CHOICE, .flags = FIELD_REQUIRED, .choices = modes},
		{.name = NULL},
	};
	int mode;
	assert_false(decode(required, "", &mode));
	assert_string_equal(
		buf_str(&said), "x.yaml: mode: is missing; it must be heal, report or off\n");
}

static void test_unknown_keys_get_the_nearest_name_or_all_of_them(void **state)
{
	(void)state;
	assert_bad("txet: x", "1:1: txet: unknown key; did you mean text?");
	assert_bad("throttle: 1", "1:1: throttle: unknown key");
	assert_bad("inner: {name: x, colour: y}",
		"1:18: inner.colour: unknown key; known here: name, size");
	assert_bad(
		"inner:\n  name: x\n  Size: 5", "3:3: inner.Size: unknown key; did you mean size?");
}

static void test_all_problems_are_found(void **state)
{
	(void)state;
	assert_false(
		decode(thing_fields, "text: 1\nfoo: 2\nflag: 3\nlist: [{name: 4}, 5]\n", &thing));
	assert_int_equal(problems.n, 5);
}

static void test_a_secret_is_a_reference_and_is_never_repeated(void **state)
{
	(void)state;
	static const char *const good[] = {"\"env:A_1\"", "\"env:_x\"",
		"\"file:/run/secrets/token\"", "file:token", "systemd:api-token", "systemd:.x"};
	static const char *const bad[] = {"hunter2", "s3cr3t:env:A", "\"env:\"", "\"env:1A\"",
		"\"env:A B\"", "\"env:A-B\"", "\"file:\"", "\"systemd:\"", "systemd:../x",
		"systemd:a/b", "systemd:..", "\"file:/run/\\ttoken\"", "12345", "true", "[hunter2]",
		"\"ENV:A\""};

	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		auto_free char *yaml = xasprintf("token: %s", good[i]);

		assert_good(yaml);
		assert_non_null(thing.token);
	}
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		auto_free char *yaml = xasprintf("token: %s", bad[i]);

		assert_bad(yaml, "1:8: token: must say where the secret is: env:NAME, file:PATH or "
				 "systemd:NAME; never the secret itself");
		assert_null(thing.token);
	}
}

static void test_what_is_not_built_takes_its_default_only(void **state)
{
	(void)state;
	assert_good("future: 1h\nfuture_node: {}\nfuture_map: {}");
	assert_good("future: 60m\nfuture_node: null\nfuture_map: {size: 3}");
	assert_bad(
		"future: 2h", "1:9: future: is not built yet; only its default, 1h, is accepted");
	assert_bad("future_node: {a: 1}", "1:14: future_node: is not built yet; take it out");
	assert_bad("future_map: {size: 4}",
		"1:20: future_map.size: is not built yet; only its default, 3, is accepted");
	assert_bad("future_map: {name: x}", "1:20: future_map.name: is not built yet; take it out");
	assert_bad("future: soon",
		"1:9: future: must be a duration of at least 0, such as 1h; it is written as whole "
		"numbers with ms, s, m or h, the largest first");
}

static void test_what_belongs_elsewhere_is_refused_and_not_suggested(void **state)
{
	(void)state;
	assert_bad("moved: 1", "1:1: moved: belongs elsewhere: remove it here");
	assert_bad("moved:", "1:1: moved: belongs elsewhere: remove it here");
	assert_bad("movedx: 1", "1:1: movedx: unknown key");
}

static void test_paths_begin_where_the_map_stands(void **state)
{
	(void)state;
	auto_arena struct arena a = ARENA_INIT;
	const struct field_place place = {.arena = &a, .path = "spec.source"};
	struct node *map = node_map(&a);

	node_map_set(&a, map, "size", node_string(&a, "x"));
	assert_false(fields_decode(inner_fields, map, &place, &thing, &problems));
	assert_string_equal(problems.at[0].path, "spec.source.name");
	assert_string_equal(problems.at[1].path, "spec.source.size");
	assert_null(problems.at[0].file);
}

static void test_check_unknown_alone(void **state)
{
	(void)state;
	auto_arena struct arena a = ARENA_INIT;
	const struct field_place place = {.arena = &a, .path = "x"};
	struct node *map = node_map(&a);

	node_map_set(&a, map, "size", node_string(&a, "x"));
	assert_true(fields_check_unknown(inner_fields, map, &place, &problems));
	node_map_set(&a, map, "sized", node_string(&a, "x"));
	assert_false(fields_check_unknown(inner_fields, map, &place, &problems));
	assert_string_equal(problems.at[0].message, "unknown key; did you mean size?");
}

static void test_expect_string_of_json(void **state)
{
	(void)state;
	auto_arena struct arena a = ARENA_INIT;
	const struct field_place place = {.arena = &a, .path = ""};
	const char *s = "before";

	assert_false(field_expect_string(node_int(&a, 12), &place, "identifier", &problems, &s));
	assert_string_equal(s, "before");
	assert_string_equal(problems.at[0].path, "identifier");
	assert_string_equal(problems.at[0].message, "must be a string, is a whole number");
	assert_false(field_expect_string(node_null(&a), &place, "identifier", &problems, &s));
	assert_string_equal(problems.at[1].message, "must be a string, is null");
	assert_true(
		field_expect_string(node_string(&a, "yes"), &place, "identifier", &problems, &s));
	assert_string_equal(s, "yes");
}

#define FIELDS_TEST(test) cmocka_unit_test_teardown(test, release)

int main(void)
{
	const struct CMUnitTest tests[] = {
		FIELDS_TEST(test_what_is_not_written_has_its_default),
		FIELDS_TEST(test_every_type_decodes),
		FIELDS_TEST(test_other_ways_to_write_the_same),
		FIELDS_TEST(test_a_string_that_yaml_reads_otherwise_gets_a_hint),
		FIELDS_TEST(test_wrong_values_are_told_what_is_right),
		FIELDS_TEST(test_a_bad_value_leaves_the_default),
		FIELDS_TEST(test_a_required_field_is_asked_for_where_its_map_is),
		FIELDS_TEST(test_unknown_keys_get_the_nearest_name_or_all_of_them),
		FIELDS_TEST(test_all_problems_are_found),
		FIELDS_TEST(test_a_secret_is_a_reference_and_is_never_repeated),
		FIELDS_TEST(test_what_is_not_built_takes_its_default_only),
		FIELDS_TEST(test_what_belongs_elsewhere_is_refused_and_not_suggested),
		FIELDS_TEST(test_paths_begin_where_the_map_stands),
		FIELDS_TEST(test_check_unknown_alone),
		FIELDS_TEST(test_expect_string_of_json),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
