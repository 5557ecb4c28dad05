/* JSON in and out: numbers, limits, and messages that repeat nothing. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <math.h>
#include <string.h>
#include <cmocka.h>

#include "base/alloc.h"
#include "base/limits.h"
#include "doc/json.h"

static void assert_written(const struct node *n, enum json_style style, const char *expected)
{
	auto_buf struct buf out = BUF_INIT;

	json_write(&out, n, style);
	assert_string_equal(buf_str(&out), expected);
}

/* Reads and writes in one style. */
static void assert_round(const char *text, enum json_style style, const char *expected)
{
	auto_arena struct arena a = ARENA_INIT;
	struct node *n = NULL;

	assert_int_equal(json_read(&a, text, strlen(text), &n, NULL), 0);
	assert_written(n, style, expected);
}

static void assert_refused(const char *text, const char *message)
{
	auto_arena struct arena a = ARENA_INIT;
	struct node *n = NULL;
	struct err e = ERR_INIT;

	assert_int_equal(json_read(&a, text, strlen(text), &n, &e), -ERR_REMOTE);
	assert_null(n);
	assert_string_equal(e.msg, message);
}

/* Of one string in an array. */
static void assert_loose(const char *text, const char *expected)
{
	auto_arena struct arena a = ARENA_INIT;
	struct node *n = NULL;

	assert_int_equal(json_read_loose(&a, text, strlen(text), &n, NULL), 0);
	assert_written(n, JSON_STYLE_COMPACT, expected);
}

static void test_escapes_for_no_character_are_passed_over_where_others_write(void **state)
{
	(void)state;
	assert_loose("[\"a\\u0000b\", 1]", "[\"a\xef\xbf\xbd"
					   "b\",1]");
	assert_loose("{\"k\\u0000\": \"\\ud800\"}", "{\"k\xef\xbf\xbd\":\"\xef\xbf\xbd\"}");
	assert_loose("[\"\\uDC00\\uD83D\\uDE00\\uD83D\"]",
		"[\"\xef\xbf\xbd\xf0\x9f\x98\x80\xef\xbf\xbd\"]");
	/* A backslash, and then letters; the pair is whole. */
	assert_loose("[\"\\\\u0000 \\ud83d\\ude00 \\u0000\"]",
		"[\"\\\\u0000 \xf0\x9f\x98\x80 \xef\xbf\xbd\"]");
	assert_refused(
		"[\"a\\u0000\"]", "not JSON: line 1, column 10: a NUL character in a string");
}

static void test_what_else_is_broken_stays_an_error_where_others_write(void **state)
{
	static const char *const texts[] = {
		"[\"\\u0000", "[\"\\u000\"]", "[\"\\u0000\" x]", "\\", "[\"\\", "\\u0000", ""};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		auto_arena struct arena a = ARENA_INIT;
		/* No byte more than there is: reading on would be seen. */
		size_t len = strlen(texts[i]);
		auto_free char *text = xmalloc(len ? len : 1);
		struct node *n = NULL;
		struct err e = ERR_INIT;

		memcpy(text, texts[i], len);
		assert_int_equal(json_read_loose(&a, text, len, &n, &e), -ERR_REMOTE);
		assert_non_null(strstr(e.msg, "JSON"));
	}
}

static void test_styles(void **state)
{
	(void)state;
	static const char text[] = "{\"b\": [1, {}, []], \"a\": {\"x\": null, \"w\": true}}";

	assert_round(text, JSON_STYLE_COMPACT, "{\"b\":[1,{},[]],\"a\":{\"x\":null,\"w\":true}}");
	assert_round(text, JSON_STYLE_CANONICAL, "{\"a\":{\"w\":true,\"x\":null},\"b\":[1,{},[]]}");
	assert_round(text, JSON_STYLE_PRETTY,
		"{\n  \"b\": [\n    1,\n    {},\n    []\n  ],\n  \"a\": {\n    \"x\": null,\n    "
		"\"w\": true\n  }\n}");
}

static void test_numbers_come_back_as_they_are(void **state)
{
	(void)state;
	static const char text[] =
		"[0,-7,9223372036854775807,-9223372036854775808,0.1,1.5,-2.25e-07,1.0,1e+300]";

	assert_round(text, JSON_STYLE_COMPACT, text);
}

static void test_canonical_numbers_of_equal_value_are_equal_bytes(void **state)
{
	(void)state;
	assert_round("[1, 1.0, 1e0, -0.0, 0]", JSON_STYLE_CANONICAL, "[1,1,1,0,0]");
	assert_round("[1e18, 1.5]", JSON_STYLE_CANONICAL, "[1000000000000000000,1.5]");
}

static void test_whole_numbers_beyond_64_bits_become_reals_and_others_stay(void **state)
{
	(void)state;
	assert_round("[9223372036854775808, 7, 1.5]", JSON_STYLE_COMPACT,
		"[9.223372036854776e+18,7,1.5]");
	assert_refused("[1e400]", "not JSON: line 1, column 6: a number too large to hold");
}

static void test_what_json_does_not_have_is_null(void **state)
{
	(void)state;
	auto_arena struct arena a = ARENA_INIT;

	assert_written(node_real(&a, INFINITY), JSON_STYLE_COMPACT, "null");
	assert_written(node_real(&a, NAN), JSON_STYLE_CANONICAL, "null");
}

static void test_strings_are_escaped(void **state)
{
	(void)state;
	assert_round("[\"a\\\"\\\\\\n\\u0001\\u2028\\u00e9\"]", JSON_STYLE_COMPACT,
		"[\"a\\\"\\\\\\n\\u0001\\u2028é\"]");
}

static void test_anything_may_stand_at_the_top(void **state)
{
	(void)state;
	assert_round(" null ", JSON_STYLE_COMPACT, "null");
	assert_round("\"x\"", JSON_STYLE_COMPACT, "\"x\"");
}

static void test_messages_say_where_and_what_and_repeat_nothing(void **state)
{
	(void)state;
	assert_refused("", "empty where JSON was expected");
	assert_refused(" \n", "empty where JSON was expected");
	assert_refused("\n <!DOCTYPE html>", "not JSON: it looks like HTML or XML");
	assert_refused("{\"token\": secret}",
		"not JSON: line 1, column 16: a character that does not belong there");
	assert_refused("{\"a\": 1,\n \"b\"", "not JSON: line 2, column 4: it ends too early");
	assert_refused("{\"a\": 1} x", "not JSON: line 1, column 10: something follows its end");
	assert_refused("{\"a\": 1,\n \"a\": 2}",
		"not JSON: line 2, column 4: the same key twice in one object");
	assert_refused(
		"[\"x\\u0000\"]", "not JSON: line 1, column 10: a NUL character in a string");
	assert_refused("[\"\xff\"]", "not JSON: line 1, column 2: a byte that is not UTF-8");
}

static void nest(struct buf *b, int depth)
{
	for (int i = 0; i < depth; i++)
		buf_addc(b, '[');
	for (int i = 0; i < depth; i++)
		buf_addc(b, ']');
}

static void test_depth_is_limited(void **state)
{
	(void)state;
	auto_buf struct buf good = BUF_INIT, deep = BUF_INIT, abyss = BUF_INIT;

	nest(&good, LIMIT_JSON_DEPTH);
	nest(&deep, LIMIT_JSON_DEPTH + 1);
	nest(&abyss, 100000);
	assert_round(good.data, JSON_STYLE_COMPACT, good.data);
	assert_refused(deep.data, "JSON nested more than 64 deep");
	assert_refused(abyss.data, "not JSON: line 1, column 2049: nested too deep");
}

static void test_write_string(void **state)
{
	(void)state;
	auto_buf struct buf out = BUF_INIT;

	json_write_string(&out, "a\"b");
	assert_string_equal(buf_str(&out), "\"a\\\"b\"");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_escapes_for_no_character_are_passed_over_where_others_write),
		cmocka_unit_test(test_what_else_is_broken_stays_an_error_where_others_write),
		cmocka_unit_test(test_styles),
		cmocka_unit_test(test_numbers_come_back_as_they_are),
		cmocka_unit_test(test_canonical_numbers_of_equal_value_are_equal_bytes),
		cmocka_unit_test(test_whole_numbers_beyond_64_bits_become_reals_and_others_stay),
		cmocka_unit_test(test_what_json_does_not_have_is_null),
		cmocka_unit_test(test_strings_are_escaped),
		cmocka_unit_test(test_anything_may_stand_at_the_top),
		cmocka_unit_test(test_messages_say_where_and_what_and_repeat_nothing),
		cmocka_unit_test(test_depth_is_limited),
		cmocka_unit_test(test_write_string),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
