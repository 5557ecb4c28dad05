/* Blocks: alignment, zeroes, large and small ones mixed. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <stdalign.h>
#include <string.h>
#include <cmocka.h>

#include "base/arena.h"

static void test_memory_is_zeroed_and_aligned(void **state)
{
	(void)state;
	auto_arena struct arena a = ARENA_INIT;

	for (size_t size = 1; size < 300; size++) {
		unsigned char *p = arena_alloc(&a, size);

		assert_int_equal((uintptr_t)p % alignof(max_align_t), 0);
		for (size_t i = 0; i < size; i++)
			assert_int_equal(p[i], 0);
		memset(p, 0xff, size);
		arena_strdup(&a, "x");
	}
}

static void test_large_pieces_do_not_waste_the_open_block(void **state)
{
	(void)state;
	auto_arena struct arena a = ARENA_INIT;
	char *first = arena_strdup(&a, "first");
	char *large = arena_alloc(&a, 1 << 20);
	char *second = arena_strdup(&a, "second");

	memset(large, 'x', 1 << 20);
	assert_ptr_equal(second + sizeof("second"), first);
	assert_string_equal(first, "first");
	assert_string_equal(second, "second");
}

static void test_used_counts_what_was_handed_out(void **state)
{
	(void)state;
	struct arena a = ARENA_INIT;

	arena_alloc(&a, 100);
	arena_memdupz(&a, "abc", 3);
	assert_int_equal(a.used, 104);
	arena_release(&a);
	assert_int_equal(a.used, 0);
	assert_null(a.blocks);
}

static void test_printf_and_memdupz_end_with_nul(void **state)
{
	(void)state;
	auto_arena struct arena a = ARENA_INIT;

	assert_string_equal(arena_printf(&a, "%s-%d", "a", 7), "a-7");
	assert_string_equal(arena_memdupz(&a, "abcdef", 2), "ab");
	assert_string_equal(arena_memdupz(&a, NULL, 0), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_memory_is_zeroed_and_aligned),
		cmocka_unit_test(test_large_pieces_do_not_waste_the_open_block),
		cmocka_unit_test(test_used_counts_what_was_handed_out),
		cmocka_unit_test(test_printf_and_memdupz_end_with_nul),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
