/* The ordered map. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <stdlib.h>
#include <stdio.h>
#include <cmocka.h>

#include "base/alloc.h"
#include "base/map.h"

static const char *name_of(int i, char out[16])
{
	snprintf(out, 16, "key-%d", i);
	return out;
}

/* Values are the numbers themselves, plus one so that none is NULL. */
static void *value_of(int i)
{
	return (void *)(intptr_t)(i + 1);
}

static void fill(struct map *m, int n)
{
	char name[16];

	for (int i = 0; i < n; i++)
		assert_null(map_put(m, name_of(i, name), value_of(i)));
}

static void test_thousands_are_found_in_the_order_put(void **state)
{
	(void)state;
	struct map m = MAP_INIT;
	char name[16];

	fill(&m, 5000);
	assert_int_equal(map_size(&m), 5000);
	for (int i = 0; i < 5000; i++) {
		assert_string_equal(map_key(&m, (size_t)i), name_of(i, name));
		assert_ptr_equal(map_get(&m, name), value_of(i));
		assert_ptr_equal(map_value(&m, (size_t)i), value_of(i));
	}
	assert_null(map_get(&m, "key-5000"));
	map_release(&m);
}

static void test_put_again_returns_the_value_before(void **state)
{
	(void)state;
	struct map m = MAP_INIT;

	fill(&m, 3);
	assert_ptr_equal(map_put(&m, "key-1", value_of(9)), value_of(1));
	assert_int_equal(map_size(&m), 3);
	assert_ptr_equal(map_get(&m, "key-1"), value_of(9));
	map_release(&m);
}

static void test_remove_keeps_order_and_the_others(void **state)
{
	(void)state;
	struct map m = MAP_INIT;
	char name[16];

	fill(&m, 100);
	assert_null(map_remove(&m, "none"));
	for (int i = 0; i < 100; i += 2)
		assert_ptr_equal(map_remove(&m, name_of(i, name)), value_of(i));
	assert_int_equal(map_size(&m), 50);
	for (int i = 0; i < 100; i++)
		assert_int_equal(map_has(&m, name_of(i, name)), i % 2);
	for (size_t i = 0; i < 50; i++)
		assert_string_equal(map_key(&m, i), name_of((int)i * 2 + 1, name));
	map_release(&m);
}

static void test_a_null_value_is_there(void **state)
{
	(void)state;
	struct map m = MAP_INIT;

	assert_false(map_has(&m, ""));
	map_put(&m, "", NULL);
	assert_true(map_has(&m, ""));
	assert_null(map_get(&m, ""));
	map_release(&m);
}

static void test_sort_is_by_key_and_finds_all_afterwards(void **state)
{
	(void)state;
	struct map m = MAP_INIT;

	map_put(&m, "b", value_of(2));
	map_put(&m, "c", value_of(3));
	map_put(&m, "a", value_of(1));
	map_sort(&m);
	assert_string_equal(map_key(&m, 0), "a");
	assert_string_equal(map_key(&m, 2), "c");
	assert_ptr_equal(map_get(&m, "b"), value_of(2));
	map_release(&m);
}

static void test_clear_leaves_a_map_to_fill_again(void **state)
{
	(void)state;
	struct map m = MAP_INIT;

	map_clear(&m);
	fill(&m, 40);
	map_clear(&m);
	assert_int_equal(map_size(&m), 0);
	assert_null(map_get(&m, "key-7"));
	fill(&m, 40);
	map_release(&m);
}

static void test_release_with_frees_each_value_once(void **state)
{
	(void)state;
	struct map m = MAP_INIT;

	map_put(&m, "a", xstrdup("a"));
	map_put(&m, "b", xstrdup("b"));
	map_release_with(&m, free);
	assert_int_equal(map_size(&m), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_thousands_are_found_in_the_order_put),
		cmocka_unit_test(test_put_again_returns_the_value_before),
		cmocka_unit_test(test_remove_keeps_order_and_the_others),
		cmocka_unit_test(test_a_null_value_is_there),
		cmocka_unit_test(test_sort_is_by_key_and_finds_all_afterwards),
		cmocka_unit_test(test_clear_leaves_a_map_to_fill_again),
		cmocka_unit_test(test_release_with_frees_each_value_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
