/* Targets: escapes and patterns. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <string.h>
#include <cmocka.h>

#include "base/buf.h"
#include "base/limits.h"
#include "httpd/target.h"

static void join(const struct strv *v, struct buf *out)
{
	buf_clear(out);
	for (size_t i = 0; i < v->n; i++)
		buf_addf(out, "%s%s", i ? "|" : "", v->at[i]);
}

static void test_path_and_query_are_taken_apart(void **state)
{
	static const struct {
		const char *raw, *path, *segments, *names, *values;
	} cases[] = {
		{"/", "/", "", "", ""},
		{"/a/b", "/a/b", "a|b", "", ""},
		{"/a/b/", "/a/b/", "a|b|", "", ""},
		{"//a", "//a", "|a", "", ""},
		{"/a%2Fb/%3f", "/a%2Fb/%3f", "a/b|?", "", ""},
		{"/a+b", "/a+b", "a+b", "", ""},
		{"/%C3%A9", "/%C3%A9", "é", "", ""},
		{"/a?", "/a", "a", "", ""},
		{"/a?x=1&y=2", "/a", "a", "x|y", "1|2"},
		{"/a?x&y=&=z", "/a", "a", "x|y|", "||z"},
		{"/a?x=a+b%26c%3D", "/a", "a", "x", "a b&c="},
		{"/a?x=b?c/d", "/a", "a", "x", "b?c/d"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		auto_buf struct buf joined = BUF_INIT;
		struct target t = {0};
		assert_int_equal(target_parse(&t, cases[i].raw), 0);
		assert_string_equal(t.path, cases[i].path);
		join(&t.segments, &joined);
		assert_string_equal(buf_str(&joined), cases[i].segments);
		join(&t.names, &joined);
		assert_string_equal(buf_str(&joined), cases[i].names);
		join(&t.values, &joined);
		assert_string_equal(buf_str(&joined), cases[i].values);
		target_release(&t);
	}
}

static void test_refused_when_malformed(void **state)
{
	static const char *const cases[] = {"", "*", "a/b", "http://h/a", "/%", "/%4", "/%4g",
		"/%g4", "/%00", "/a%00b", "/a/%00", "/a?%00", "/a?x=%00", "/a?x=%", "/a?%zz=1",
		"/%-1", "/% 1", "/%+1", "/a b", "/a\tb", "/a\x7f", "/a?b\n"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct target t = {0};
		if (target_parse(&t, cases[i]) != 400)
			fail_msg("%s was taken", cases[i]);
		assert_non_null(t.path);
		target_release(&t);
	}
}

static void test_refused_when_too_long(void **state)
{
	auto_buf struct buf raw = BUF_INIT;

	(void)state;
	buf_addc(&raw, '/');
	while (raw.len < LIMIT_HTTP_TARGET)
		buf_addc(&raw, 'a');
	struct target t = {0};
	assert_int_equal(target_parse(&t, raw.data), 0);
	target_release(&t);
	buf_addc(&raw, 'a');
	t = (struct target){0};
	assert_int_equal(target_parse(&t, raw.data), 414);
	target_release(&t);
}

static void test_pattern_fits(void **state)
{
	static const struct {
		const char *pattern, *raw;
		const char *values; /* NULL: does not fit */
	} cases[] = {
		{"/", "/", ""},
		{"/", "/a", NULL},
		{"/", "//", NULL},
		{"/a", "/a", ""},
		{"/a", "/a/", NULL},
		{"/a/", "/a", NULL},
		{"/a/", "/a/", ""},
		{"/a", "/A", NULL},
		{"/a", "/%61", ""},
		{"/a/b", "/a%2Fb", NULL},
		{"/o/{org}/", "/o/acme/", "acme"},
		{"/o/{org}/", "/o/acme", NULL},
		{"/o/{org}/", "/o//", NULL},
		{"/o/{org}", "/o/", NULL},
		{"/o/{org}/", "/o/a%2Fb/", "a/b"},
		{"/o/{org}/r/{id}/", "/o/a/r/b/", "a|b"},
		{"/o/{org}/r/{id}/", "/o/a/r/b/c/", NULL},
		{"/o/{org}/r/{id}/", "/o/a/x/b/", NULL},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		auto_strv struct strv names = VEC_INIT, values = VEC_INIT;
		auto_buf struct buf joined = BUF_INIT;
		struct target t = {0};
		assert_int_equal(target_parse(&t, cases[i].raw), 0);
		bool fits = target_matches(&t, cases[i].pattern, &names, &values);
		if (fits != (cases[i].values != NULL))
			fail_msg("%s and %s", cases[i].pattern, cases[i].raw);
		join(&values, &joined);
		if (fits)
			assert_string_equal(buf_str(&joined), cases[i].values);
		target_release(&t);
	}
}

static void test_names_are_those_of_the_last_pattern(void **state)
{
	auto_strv struct strv names = VEC_INIT, values = VEC_INIT;
	struct target t = {0};

	(void)state;
	assert_int_equal(target_parse(&t, "/a/b"), 0);
	assert_false(target_matches(&t, "/{x}/c", &names, &values));
	assert_true(target_matches(&t, "/a/{y}", &names, &values));
	assert_int_equal(names.n, 1);
	assert_string_equal(names.at[0], "y");
	assert_string_equal(values.at[0], "b");
	target_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_path_and_query_are_taken_apart),
		cmocka_unit_test(test_refused_when_malformed),
		cmocka_unit_test(test_refused_when_too_long),
		cmocka_unit_test(test_pattern_fits),
		cmocka_unit_test(test_names_are_those_of_the_last_pattern),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
