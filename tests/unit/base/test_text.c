/* Escaping, cutting, suggesting, matching. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <string.h>
#include <cmocka.h>

#include "base/alloc.h"
#include "base/text.h"

static void assert_escaped(const char *s, size_t len, const char *expected)
{
	auto_buf struct buf b = BUF_INIT;

	text_escape(&b, s, len);
	assert_string_equal(buf_str(&b), expected);
}

static void test_escape_leaves_nothing_that_moves_the_cursor(void **state)
{
	(void)state;
	assert_escaped("a\tb\r\n", 5, "a\\tb\\r\\n");
	assert_escaped("\0\x1b\x7f", 3, "\\x00\\x1b\\x7f");
	assert_escaped("\xc2\x9b", 2, "\\u{009b}");
	assert_escaped("\xe2\x80\xae", 3, "\\u{202e}");
	assert_escaped("\xe2\x80\xa8", 3, "\\u{2028}");
	assert_escaped("\xe2\x81\xa6", 3, "\\u{2066}");
	assert_escaped("a\\n \xc3\xa9 \xf0\x9f\x98\x80", 11, "a\\n \xc3\xa9 \xf0\x9f\x98\x80");
}

static void test_escape_shows_bytes_that_are_not_utf8(void **state)
{
	(void)state;
	assert_escaped("\xff", 1, "\\xff");
	assert_escaped("\xc3", 1, "\\xc3");
	assert_escaped("\xc0\xaf", 2, "\\xc0\\xaf");
	assert_escaped("\xed\xa0\x80", 3, "\\xed\\xa0\\x80");
	assert_escaped("\xf4\x90\x80\x80", 4, "\\xf4\\x90\\x80\\x80");
	assert_escaped("\xf8\x90\x80\x80", 4, "\\xf8\\x90\\x80\\x80");
}

static size_t next(const char *s)
{
	uint32_t c;

	return text_next(s, strlen(s), &c);
}

static void test_next_knows_the_edges_of_utf8(void **state)
{
	(void)state;
	assert_int_equal(next(""), 0);
	assert_int_equal(next("\xf4\x8f\xbf\xbf"), 4);
	assert_int_equal(next("\xee\x80\x80"), 3);
	assert_int_equal(next("\xe0\x80\x80"), 0);
	assert_int_equal(next("\xf0\x9f\x98"), 0);
	assert_int_equal(next("\x80"), 0);
}

static void test_percent_takes_two_hex_digits(void **state)
{
	static const char *const none[] = {
		"", "%", "%4", "41", "%4g", "%g1", "% 4", "%+4", "%%4", "%\x10\x11", "%4\x11"};
	char byte = 'x';

	(void)state;
	assert_true(text_percent("%2Fa", 4, &byte));
	assert_int_equal(byte, '/');
	assert_true(text_percent("%fFa", 3, &byte));
	assert_int_equal((unsigned char)byte, 0xff);
	for (size_t i = 0; i < ARRAY_SIZE(none); i++)
		assert_false(text_percent(none[i], strlen(none[i]), &byte));
	assert_false(text_percent("%41", 2, &byte));
	assert_int_equal((unsigned char)byte, 0xff);
}

static void test_quote_json_is_json(void **state)
{
	(void)state;
	auto_buf struct buf b = BUF_INIT;

	text_quote_json(&b, "a\"\\\n\x01\xff\xe2\x80\xa8\xc3\xa9", 11);
	assert_string_equal(buf_str(&b), "\"a\\\"\\\\\\n\\u0001\\ufffd\\u2028\xc3\xa9\"");
}

static void test_length_counts_characters(void **state)
{
	(void)state;
	assert_int_equal(text_length(""), 0);
	assert_int_equal(text_length("a…b"), 3);
	assert_int_equal(text_length("\xff\xff"), 2);
}

static void test_truncate_ends_with_an_ellipsis(void **state)
{
	(void)state;
	auto_buf struct buf b = BUF_INIT;

	buf_adds(&b, "äöüß");
	text_truncate(&b, 4);
	assert_string_equal(buf_str(&b), "äöüß");
	text_truncate(&b, 3);
	assert_string_equal(buf_str(&b), "äö…");
	text_truncate(&b, 0);
	assert_string_equal(buf_str(&b), "");
}

static void test_suggest_finds_what_was_meant(void **state)
{
	(void)state;
	static const char *const names[] = {
		"topic_whitelist", "topic_blacklist", "groups_whitelist", "mode", "on"};
	const size_t n = ARRAY_SIZE(names);

	assert_string_equal(text_suggest("topic_whitelst", names, n), "topic_whitelist");
	assert_string_equal(text_suggest("topicWhitelist", names, n), "topic_whitelist");
	assert_string_equal(text_suggest("topic-blacklist", names, n), "topic_blacklist");
	assert_string_equal(text_suggest("mdoe", names, n), "mode");
	assert_string_equal(text_suggest("no", names, n), "on");
	assert_null(text_suggest("throttle", names, n));
	assert_null(text_suggest("x", names, n));
	assert_null(text_suggest("", names, n));
	assert_null(text_suggest("mode", names, 0));
}

static void test_suggest_survives_endless_words(void **state)
{
	(void)state;
	char word[1000];
	const char *const names[] = {word, "mode"};

	memset(word, 'x', sizeof(word) - 1);
	word[sizeof(word) - 1] = '\0';
	assert_null(text_suggest(word, names + 1, 1));
	assert_string_equal(text_suggest("moed", names, 2), "mode");
}

static void test_parse_u64_takes_digits_only(void **state)
{
	(void)state;
	uint64_t value = 7;

	assert_true(text_parse_u64("18446744073709551615", &value));
	assert_true(value == UINT64_MAX);
	assert_true(text_parse_u64("007", &value));
	assert_int_equal(value, 7);
	assert_false(text_parse_u64("18446744073709551616", &value));
	assert_false(text_parse_u64("", &value));
	assert_false(text_parse_u64("-1", &value));
	assert_false(text_parse_u64("1 ", &value));
	assert_int_equal(value, 7);
}

static void test_prefix_and_suffix(void **state)
{
	(void)state;
	assert_true(text_has_prefix("refs/notes/x", "refs/notes/"));
	assert_false(text_has_prefix("refs", "refs/"));
	assert_true(text_has_suffix("a.yaml", ".yaml"));
	assert_false(text_has_suffix("yaml", ".yaml"));
	assert_true(text_has_suffix("", ""));
}

static void test_glob(void **state)
{
	(void)state;
	static const struct {
		const char *pattern;
		const char *s;
		bool matches;
	} rows[] = {
		{"", "", true},
		{"", "a", false},
		{"*", "", true},
		{"a*c", "abbbc", true},
		{"a*c", "abbbd", false},
		{"*.yaml", "x.yaml.yaml", true},
		{"broken-*", "broken-", true},
		{"?", "é", true},
		{"?", "", false},
		{"a?c", "abc", true},
		{"a.c", "abc", false},
		{"**a**", "a", true},
		{"[a]", "a", false},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_int_equal(text_glob(rows[i].pattern, rows[i].s), rows[i].matches);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_escape_leaves_nothing_that_moves_the_cursor),
		cmocka_unit_test(test_escape_shows_bytes_that_are_not_utf8),
		cmocka_unit_test(test_next_knows_the_edges_of_utf8),
		cmocka_unit_test(test_percent_takes_two_hex_digits),
		cmocka_unit_test(test_quote_json_is_json),
		cmocka_unit_test(test_length_counts_characters),
		cmocka_unit_test(test_truncate_ends_with_an_ellipsis),
		cmocka_unit_test(test_suggest_finds_what_was_meant),
		cmocka_unit_test(test_suggest_survives_endless_words),
		cmocka_unit_test(test_parse_u64_takes_digits_only),
		cmocka_unit_test(test_prefix_and_suffix),
		cmocka_unit_test(test_glob),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
