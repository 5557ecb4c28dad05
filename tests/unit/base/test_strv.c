/* The list of strings. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <string.h>
#include <cmocka.h>

#include "base/strv.h"

static void test_strings_are_copied_or_taken(void **state)
{
	(void)state;
	auto_strv struct strv v = VEC_INIT;
	char word[] = "copied";

	strv_push(&v, word);
	strv_push_take(&v, xstrdup("taken"));
	strv_pushf(&v, "%d", 3);
	word[0] = 'X';
	assert_int_equal(v.n, 3);
	assert_string_equal(v.at[0], "copied");
	assert_string_equal(v.at[1], "taken");
	assert_string_equal(v.at[2], "3");
}

static void test_sort_is_by_bytes(void **state)
{
	(void)state;
	auto_strv struct strv v = VEC_INIT;

	strv_push(&v, "b");
	strv_push(&v, "a");
	strv_push(&v, "B");
	strv_push(&v, "");
	strv_sort(&v);
	assert_string_equal(v.at[0], "");
	assert_string_equal(v.at[1], "B");
	assert_string_equal(v.at[2], "a");
	assert_string_equal(v.at[3], "b");
}

static void test_contains_compares_whole_strings(void **state)
{
	(void)state;
	auto_strv struct strv v = VEC_INIT;

	assert_false(strv_contains(&v, ""));
	strv_push(&v, "orders");
	assert_true(strv_contains(&v, "orders"));
	assert_false(strv_contains(&v, "order"));
}

static void test_argv_ends_with_null_that_does_not_count(void **state)
{
	(void)state;
	auto_strv struct strv v = VEC_INIT;

	assert_null(strv_argv(&v)[0]);
	for (size_t i = 1; i < 20; i++) {
		strv_push(&v, "x");
		assert_null(strv_argv(&v)[i]);
		assert_int_equal(v.n, i);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_strings_are_copied_or_taken),
		cmocka_unit_test(test_sort_is_by_bytes),
		cmocka_unit_test(test_contains_compares_whole_strings),
		cmocka_unit_test(test_argv_ends_with_null_that_does_not_count),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
