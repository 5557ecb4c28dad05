/* Replays from a seed, and no bias. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <string.h>
#include <cmocka.h>

#include "base/rng.h"

static void test_same_seed_same_sequence(void **state)
{
	(void)state;
	struct rng_seeded first, second, third;
	struct rng a = rng_from_seed(&first, 42), b = rng_from_seed(&second, 42),
		   other = rng_from_seed(&third, 43);
	int differ = 0;

	for (int i = 0; i < 100; i++) {
		uint64_t value = rng_below(&a, UINT64_MAX);

		assert_true(value == rng_below(&b, UINT64_MAX));
		differ += value != rng_below(&other, UINT64_MAX);
	}
	assert_int_equal(differ, 100);
}

static void test_below_covers_the_range_and_no_more(void **state)
{
	(void)state;
	struct rng_seeded seeded;
	struct rng r = rng_from_seed(&seeded, 1);
	int seen[7] = {0};

	for (int i = 0; i < 7000; i++) {
		uint64_t value = rng_below(&r, 7);

		assert_true(value < 7);
		seen[value]++;
	}
	for (int i = 0; i < 7; i++)
		assert_in_range(seen[i], 800, 1200);
	assert_int_equal(rng_below(&r, 0), 0);
	assert_int_equal(rng_below(&r, 1), 0);
}

static void test_real_fills_all_bytes(void **state)
{
	(void)state;
	unsigned char a[64] = {0}, b[64] = {0};

	rng_real.fill(rng_real.ctx, a, sizeof(a));
	rng_real.fill(rng_real.ctx, b, sizeof(b));
	assert_memory_not_equal(a, b, sizeof(a));
	assert_memory_not_equal(a + 56, "\0\0\0\0\0\0\0\0", 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same_seed_same_sequence),
		cmocka_unit_test(test_below_covers_the_range_and_no_more),
		cmocka_unit_test(test_real_fills_all_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
