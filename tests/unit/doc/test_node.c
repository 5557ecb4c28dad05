/* Trees made by hand: maps of any size, equality, copies. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/alloc.h"
#include "doc/node.h"

static void test_map_set_replaces_and_keeps_order(void **state)
{
	(void)state;
	auto_arena struct arena a = ARENA_INIT;
	struct node *map = node_map(&a);

	node_map_set(&a, map, "b", node_int(&a, 1));
	node_map_set(&a, map, "a", node_int(&a, 2));
	node_map_set(&a, map, "b", node_int(&a, 3));
	assert_int_equal(map->u.map.n, 2);
	assert_string_equal(map->u.map.at[0].key->u.string.s, "b");
	assert_int_equal(map->u.map.at[0].value->u.integer, 3);
}

/* Enough for the hash table, and for it to grow several times. */
static void test_large_maps_find_every_key(void **state)
{
	(void)state;
	auto_arena struct arena a = ARENA_INIT;
	struct node *map = node_map(&a);
	char key[16];

	for (int i = 0; i < 3000; i++) {
		snprintf(key, sizeof(key), "k%d", i);
		assert_null(node_get(map, key));
		node_map_set(&a, map, key, node_int(&a, i));
		assert_int_equal(node_get(map, key)->u.integer, i);
	}
	for (int i = 0; i < 3000; i++) {
		snprintf(key, sizeof(key), "k%d", i);
		node_map_set(&a, map, key, node_int(&a, i + 1));
		assert_int_equal(node_get(map, key)->u.integer, i + 1);
		assert_string_equal(map->u.map.at[i].key->u.string.s, key);
	}
	assert_int_equal(map->u.map.n, 3000);
	assert_null(node_get(map, "k3000"));
}

static void test_getters_give_nothing_for_another_type(void **state)
{
	(void)state;
	auto_arena struct arena a = ARENA_INIT;
	struct node *map = node_map(&a);
	int64_t integer = 5;
	bool boolean = true;

	node_map_set(&a, map, "s", node_string(&a, "x"));
	node_map_set(&a, map, "i", node_int(&a, 7));
	node_map_set(&a, map, "b", node_bool(&a, false));
	assert_string_equal(node_get_string(map, "s"), "x");
	assert_null(node_get_string(map, "i"));
	assert_null(node_get_string(map, "none"));
	assert_null(node_get_string(NULL, "s"));
	assert_null(node_get(node_get(map, "s"), "x"));
	assert_false(node_get_int(map, "s", &integer));
	assert_int_equal(integer, 5);
	assert_true(node_get_int(map, "i", &integer));
	assert_int_equal(integer, 7);
	assert_false(node_get_bool(map, "i", &boolean));
	assert_true(node_get_bool(map, "b", &boolean));
	assert_false(boolean);
}

static void test_equal_numbers(void **state)
{
	(void)state;
	auto_arena struct arena a = ARENA_INIT;
	const int64_t large = (INT64_C(1) << 53) + 1;

	assert_true(node_equal(node_int(&a, 1), node_real(&a, 1.0)));
	assert_true(node_equal(node_real(&a, -0.0), node_int(&a, 0)));
	assert_false(node_equal(node_int(&a, 1), node_real(&a, 1.5)));
	assert_false(node_equal(node_int(&a, large), node_real(&a, 0x1p53)));
	assert_false(node_equal(node_int(&a, INT64_MAX), node_real(&a, 0x1p63)));
	assert_false(node_equal(node_int(&a, 0), node_real(&a, INFINITY)));
	assert_false(node_equal(node_int(&a, 0), node_real(&a, NAN)));
	assert_false(node_equal(node_int(&a, 1), node_string(&a, "1")));
	assert_false(node_equal(node_int(&a, 1), node_bool(&a, true)));
}

static void test_equal_maps_have_no_order_and_lists_have(void **state)
{
	(void)state;
	auto_arena struct arena a = ARENA_INIT;
	struct node *left = node_map(&a), *right = node_map(&a), *ab = node_seq(&a),
		    *ba = node_seq(&a);

	node_map_set(&a, left, "a", node_int(&a, 1));
	node_map_set(&a, left, "b", node_null(&a));
	node_map_set(&a, right, "b", node_null(&a));
	node_map_set(&a, right, "a", node_real(&a, 1));
	assert_true(node_equal(left, right));
	node_map_set(&a, right, "c", node_null(&a));
	assert_false(node_equal(left, right));
	node_map_set(&a, left, "d", node_null(&a));
	assert_false(node_equal(left, right));
	node_seq_add(&a, ab, node_string(&a, "a"));
	node_seq_add(&a, ab, node_string(&a, "b"));
	node_seq_add(&a, ba, node_string(&a, "b"));
	assert_false(node_equal(ab, ba));
	node_seq_add(&a, ba, node_string(&a, "a"));
	assert_false(node_equal(ab, ba));
	assert_true(node_equal(ab, node_copy(&a, ab)));
}

static void test_equal_is_false_for_null_pointers_but_of_both(void **state)
{
	(void)state;
	auto_arena struct arena a = ARENA_INIT;

	assert_true(node_equal(NULL, NULL));
	assert_false(node_equal(NULL, node_null(&a)));
	assert_false(node_equal(node_null(&a), NULL));
	assert_true(node_equal(node_null(&a), node_null(&a)));
}

static void test_copy_outlives_its_source_and_keeps_places(void **state)
{
	(void)state;
	auto_arena struct arena kept = ARENA_INIT;
	struct arena a = ARENA_INIT;
	struct node *map = node_map(&a), *list = node_seq(&a);
	char key[16];

	for (int i = 0; i < 30; i++) {
		snprintf(key, sizeof(key), "k%d", i);
		node_map_set(&a, map, key, list);
	}
	node_seq_add(&a, list, node_string(&a, "x"));
	list->line = 7;
	list->flow = true;
	map->u.map.at[3].key->col = 9;
	struct node *copy = node_copy(&kept, map);
	arena_release(&a);
	assert_int_equal(copy->u.map.n, 30);
	assert_int_equal(copy->u.map.at[3].key->col, 9);
	const struct node *copied = node_get(copy, "k29");
	assert_int_equal(copied->line, 7);
	assert_true(copied->flow);
	assert_string_equal(copied->u.seq.at[0]->u.text, "x");
	node_seq_add(&kept, node_get(copy, "k29"), node_int(&kept, 1));
	assert_int_equal(copied->u.seq.n, 2);
}

static void test_every_type_has_a_name(void **state)
{
	(void)state;
	for (int type = 0; type < NODE__COUNT; type++)
		assert_non_null(node_type_name((enum node_type)type));
}

static struct node *map_of(struct arena *a, const char *key, struct node *value)
{
	struct node *map = node_map(a);

	node_map_set(a, map, key, value);
	return map;
}

static void test_merge_goes_into_maps_and_into_nothing_else(void **state)
{
	(void)state;
	auto_arena struct arena a = ARENA_INIT;
	struct node *base = map_of(&a, "in", map_of(&a, "x", node_int(&a, 1)));
	struct node *over = map_of(&a, "in", map_of(&a, "y", node_int(&a, 2)));
	struct node *list = node_seq(&a);

	node_seq_add(&a, list, node_int(&a, 3));
	node_map_set(&a, base, "list", list);
	node_map_set(&a, over, "list", node_seq(&a));
	node_map_set(&a, over, "new", node_null(&a));
	over->line = 7;
	over->origin = 3;
	const struct node *merged = node_merge(&a, base, over);
	assert_int_equal(merged->u.map.n, 3);
	assert_int_equal(node_get(node_get(merged, "in"), "x")->u.integer, 1);
	assert_int_equal(node_get(node_get(merged, "in"), "y")->u.integer, 2);
	assert_int_equal(node_get(merged, "list")->u.seq.n, 0);
	assert_int_equal(node_get(merged, "new")->type, NODE_NULL);
	assert_int_equal(merged->line, 7);
	assert_int_equal(merged->origin, 3);
	assert_int_equal(node_get(base, "in")->u.map.n, 1);
	assert_ptr_equal(node_merge(&a, base, list), list);
	assert_ptr_equal(node_merge(&a, base, NULL), base);
	assert_ptr_equal(node_merge(&a, NULL, over), over);
	assert_null(node_merge(&a, NULL, NULL));
}

static void test_nulls_are_left_out_of_maps_in_maps(void **state)
{
	(void)state;
	auto_arena struct arena a = ARENA_INIT;
	struct node *inside = map_of(&a, "x", node_null(&a));
	struct node *map = map_of(&a, "in", inside);

	node_map_set(&a, inside, "y", node_int(&a, 1));
	node_map_set(&a, map, "z", node_null(&a));
	const struct node *rest = node_without_nulls(&a, map);
	assert_int_equal(rest->u.map.n, 1);
	assert_int_equal(node_get(rest, "in")->u.map.n, 1);
	assert_int_equal(map->u.map.n, 2);
	assert_ptr_equal(node_without_nulls(&a, rest), rest);
	assert_null(node_without_nulls(&a, NULL));
}

static void test_a_copy_has_one_origin_all_through(void **state)
{
	(void)state;
	auto_arena struct arena a = ARENA_INIT;
	struct node *list = node_seq(&a);

	node_seq_add(&a, list, node_int(&a, 3));
	struct node *copy = node_copy_from(&a, map_of(&a, "k", list), 4);
	assert_int_equal(copy->origin, 4);
	assert_int_equal(copy->u.map.at[0].key->origin, 4);
	assert_int_equal(node_get(copy, "k")->u.seq.at[0]->origin, 4);
	assert_int_equal(list->u.seq.at[0]->origin, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_map_set_replaces_and_keeps_order),
		cmocka_unit_test(test_large_maps_find_every_key),
		cmocka_unit_test(test_getters_give_nothing_for_another_type),
		cmocka_unit_test(test_equal_numbers),
		cmocka_unit_test(test_equal_maps_have_no_order_and_lists_have),
		cmocka_unit_test(test_equal_is_false_for_null_pointers_but_of_both),
		cmocka_unit_test(test_copy_outlives_its_source_and_keeps_places),
		cmocka_unit_test(test_every_type_has_a_name),
		cmocka_unit_test(test_merge_goes_into_maps_and_into_nothing_else),
		cmocka_unit_test(test_nulls_are_left_out_of_maps_in_maps),
		cmocka_unit_test(test_a_copy_has_one_origin_all_through),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
