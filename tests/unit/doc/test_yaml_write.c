/* What is written is read back as the same, whatever it looks like. */
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <string.h>
#include <cmocka.h>

#include "base/alloc.h"
#include "base/rng.h"
#include "doc/yaml.h"
#include "doc/yaml_write.h"

/* As the value of a key, as an item of a list, and as a key. */
static void assert_comes_back(const struct node *n)
{
	auto_buf struct buf text = BUF_INIT, written = BUF_INIT;
	struct yaml_docs docs = YAML_DOCS_INIT;
	struct problems problems = PROBLEMS_INIT;

	yaml_write_scalar(&written, n);
	buf_addf(&text, "value: %s\nlist:\n  - %s\n", buf_str(&written), buf_str(&written));
	if (n->type == NODE_STRING)
		buf_addf(&text, "map:\n  %s: 1\n", buf_str(&written));
	int rc = yaml_parse("f", buf_str(&text), text.len, &docs, &problems);
	problems_print(&problems, stderr);
	if (rc < 0)
		print_message("%s\n", buf_str(&text));
	assert_int_equal(rc, 0);
	const struct node *value = node_get(docs.at[0], "value");
	assert_true(node_equal(value, n));
	assert_int_equal(value->ambiguity, AMBIGUOUS_NOT);
	assert_true(node_equal(node_get(docs.at[0], "list")->u.seq.at[0], n));
	if (n->type == NODE_STRING)
		assert_non_null(node_get(node_get(docs.at[0], "map"), n->u.string.s));
	yaml_docs_release(&docs);
	problems_release(&problems);
}

static void assert_string_comes_back(const char *s)
{
	auto_arena struct arena a = ARENA_INIT;

	assert_comes_back(node_string(&a, s));
}

static void test_strings_that_look_like_something_else(void **state)
{
	static const char *const strings[] = {"", " ", "no", "NO", "Yes", "y", "n", "on", "off",
		"true", "null", "~", "012", "0o14", "0x1f", "1:30", "1_000", "1e3", "1.5", ".5",
		"-1", "+1", ".inf", ".nan", "inf", "nan", "2026-11-30", "2026-11-30T10:00:00Z",
		"- a", "-", "--- a", "---", "...", "? a", "a: b", "a:", ": a", "a #b", "#a", "&a",
		"*a", "!a", "!!str a", "|", ">", "%a", "@a", "`a", "{a}", "[a]", "a, b", "'", "\"",
		"'a'", "\"a\"", "it's", "a\\.b", "\\", "\\n", "orders.*", ".*\\-internal",
		"(a|b){1,3}", "a\nb", "\n", "a\n", "a\tb", "\ta", " a", "a ", "<<", "=", "a/b",
		"$\x7b"
		"x}",
		"\xc3\xa4", "\xf0\x9f\x98\x80", "\xe2\x80\xa8", "\xc2\xa0"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(strings); i++)
		assert_string_comes_back(strings[i]);
}

static void test_plain_words_stay_plain(void **state)
{
	auto_buf struct buf out = BUF_INIT;

	(void)state;
	yaml_write_string(&out, "active-passive", 14);
	assert_string_equal(buf_str(&out), "active-passive");
}

static void test_numbers_and_words_of_yaml(void **state)
{
	static const double reals[] = {
		0.1, -0.0, 5.0, 1e22, 1e300, -1.5e-300, 9223372036854775808.0};
	auto_arena struct arena a = ARENA_INIT;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(reals); i++)
		assert_comes_back(node_real(&a, reals[i]));
	assert_comes_back(node_int(&a, INT64_MAX));
	assert_comes_back(node_int(&a, INT64_MIN));
	assert_comes_back(node_bool(&a, true));
	assert_comes_back(node_bool(&a, false));
	assert_comes_back(node_null(&a));
}

/* Of characters that mean something to YAML, and some that do not. */
static void test_random_strings(void **state)
{
	static const char *const pieces[] = {"a", "0", "-", ":", " ", "#", "'", "\"", "\\", "\n",
		"\t", "{", "]", ",", "&", "*", "!", "%", "|", ">", "?", "~", ".", "e", "\xc3\xa9",
		"\xe2\x80\xa9", "\xef\xbb\xbf"};
	struct rng_seeded seed;
	struct rng rng = rng_from_seed(&seed, 7);

	(void)state;
	for (int i = 0; i < 5000; i++) {
		auto_buf struct buf s = BUF_INIT;
		uint64_t n = rng_below(&rng, 8);

		for (uint64_t k = 0; k < n; k++)
			buf_adds(&s, pieces[rng_below(&rng, ARRAY_SIZE(pieces))]);
		assert_string_comes_back(buf_str(&s));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_strings_that_look_like_something_else),
		cmocka_unit_test(test_plain_words_stay_plain),
		cmocka_unit_test(test_numbers_and_words_of_yaml),
		cmocka_unit_test(test_random_strings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
