/* Typed arrays. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/vec.h"

struct item {
	int number;
	const char *name;
};

static void test_push_grows_and_each_visits_in_order(void **state)
{
	(void)state;
	VEC(struct item) items = VEC_INIT;
	int expected = 0;

	for (int i = 0; i < 100; i++)
		vec_push(&items, (struct item){.number = i, .name = "x"});
	vec_each (it, &items)
		assert_int_equal(it->number, expected++);
	assert_int_equal(expected, 100);
	vec_release(&items);
	assert_int_equal(items.n, 0);
	assert_null(items.at);
}

static void test_each_does_nothing_for_an_empty_one(void **state)
{
	(void)state;
	VEC(int) numbers = VEC_INIT;

	vec_each (it, &numbers)
		fail_msg("visited %d", *it);
}

static void test_remove_closes_the_gap(void **state)
{
	(void)state;
	VEC(int) numbers = VEC_INIT;

	for (int i = 0; i < 4; i++)
		vec_push(&numbers, i);
	vec_remove(&numbers, 1);
	vec_remove(&numbers, 2);
	assert_int_equal(numbers.n, 2);
	assert_int_equal(numbers.at[0], 0);
	assert_int_equal(numbers.at[1], 2);
	vec_release(&numbers);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_push_grows_and_each_visits_in_order),
		cmocka_unit_test(test_each_does_nothing_for_an_empty_one),
		cmocka_unit_test(test_remove_closes_the_gap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
