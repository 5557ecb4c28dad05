/* Copies are of exactly what was given, and hand-over leaves nothing behind. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <string.h>
#include <cmocka.h>

#include "base/alloc.h"

static void test_memdupz_copies_exactly_and_ends_with_nul(void **state)
{
	(void)state;
	auto_free char *copy = xmemdupz("abcdef", 3);
	auto_free char *nothing = xmemdupz(NULL, 0);

	assert_string_equal(copy, "abc");
	assert_string_equal(nothing, "");
}

static void test_strdup_opt_is_null_for_null(void **state)
{
	(void)state;
	auto_free char *copy = xstrdup_opt("a");

	assert_string_equal(copy, "a");
	assert_null(xstrdup_opt(NULL));
}

static void test_sizes_of_zero_give_memory_that_can_be_freed(void **state)
{
	(void)state;
	auto_free char *a = xmalloc(0);
	auto_free char *b = xcalloc(0, 8);
	auto_free char *c = xreallocarray(NULL, 0, 8);

	assert_non_null(a);
	assert_non_null(b);
	assert_non_null(c);
}

static void test_replace_frees_what_was_there(void **state)
{
	(void)state;
	auto_free char *slot = xstrdup("before");

	str_replace(&slot, xasprintf("%s-%d", "after", 2));
	assert_string_equal(slot, "after-2");
}

static void test_take_leaves_null(void **state)
{
	(void)state;
	char *owner = xstrdup("x");
	auto_free char *next = TAKE(owner);

	assert_null(owner);
	assert_string_equal(next, "x");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_memdupz_copies_exactly_and_ends_with_nul),
		cmocka_unit_test(test_strdup_opt_is_null_for_null),
		cmocka_unit_test(test_sizes_of_zero_give_memory_that_can_be_freed),
		cmocka_unit_test(test_replace_frees_what_was_there),
		cmocka_unit_test(test_take_leaves_null),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
