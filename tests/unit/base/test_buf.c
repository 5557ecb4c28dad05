/* The buffer and its limit. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <string.h>
#include <cmocka.h>

#include "base/alloc.h"
#include "base/buf.h"

static void test_additions_grow_and_end_with_nul(void **state)
{
	(void)state;
	auto_buf struct buf b = BUF_INIT;

	assert_string_equal(buf_str(&b), "");
	for (int i = 0; i < 1000; i++)
		assert_true(buf_addf(&b, "%03d,", i));
	assert_int_equal(b.len, 4000);
	assert_int_equal(strlen(b.data), 4000);
	assert_memory_equal(b.data + 3996, "999,", 5);
}

static void test_nothing_is_stored_past_the_limit(void **state)
{
	(void)state;
	auto_buf struct buf b = BUF_LIMIT(5);

	assert_true(buf_adds(&b, "12345"));
	assert_false(b.full);
	assert_false(buf_addc(&b, '6'));
	assert_true(b.full);
	assert_string_equal(buf_str(&b), "12345");
}

static void test_a_full_buffer_takes_nothing_smaller_either(void **state)
{
	(void)state;
	auto_buf struct buf b = BUF_LIMIT(5);

	assert_false(buf_addf(&b, "%s", "too long"));
	assert_false(buf_adds(&b, "x"));
	assert_int_equal(b.len, 0);
	buf_clear(&b);
	assert_true(buf_adds(&b, "x"));
}

static void test_truncate_and_clear_keep_memory(void **state)
{
	(void)state;
	auto_buf struct buf b = BUF_INIT;

	buf_adds(&b, "abcdef");
	size_t cap = b.cap;
	buf_truncate(&b, 2);
	assert_string_equal(buf_str(&b), "ab");
	buf_clear(&b);
	assert_string_equal(buf_str(&b), "");
	assert_int_equal(b.cap, cap);
}

static void test_take_hands_over_and_leaves_the_limit(void **state)
{
	(void)state;
	struct buf b = BUF_LIMIT(3);

	buf_adds(&b, "abc");
	auto_free char *s = buf_take(&b);
	auto_free char *nothing = buf_take(&b);
	assert_string_equal(s, "abc");
	assert_string_equal(nothing, "");
	assert_null(b.data);
	assert_int_equal(b.max, 3);
}

static void test_bytes_may_hold_nul(void **state)
{
	(void)state;
	auto_buf struct buf b = BUF_INIT;

	buf_add(&b, "a\0b", 3);
	buf_add(&b, NULL, 0);
	assert_int_equal(b.len, 3);
	assert_memory_equal(b.data, "a\0b", 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_additions_grow_and_end_with_nul),
		cmocka_unit_test(test_nothing_is_stored_past_the_limit),
		cmocka_unit_test(test_a_full_buffer_takes_nothing_smaller_either),
		cmocka_unit_test(test_truncate_and_clear_keep_memory),
		cmocka_unit_test(test_take_hands_over_and_leaves_the_limit),
		cmocka_unit_test(test_bytes_may_hold_nul),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
