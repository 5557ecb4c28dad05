/* Idempotency keys: the same for the same thing, whoever makes it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "reconcile/engine.h"

static void test_key_differs_by_each_part(void **state)
{
	(void)state;
	char keys[7][UUID_MAX];
	idempotency_key("acme", "orders", "u1", NULL, 1, 1, keys[0]);
	idempotency_key("acmf", "orders", "u1", NULL, 1, 1, keys[1]);
	idempotency_key("acme", "orderz", "u1", NULL, 1, 1, keys[2]);
	idempotency_key("acme", "orders", "u2", NULL, 1, 1, keys[3]);
	idempotency_key("acme", "orders", "u1", NULL, 2, 1, keys[4]);
	idempotency_key("acme", "orders", "u1", NULL, 1, 2, keys[5]);
	idempotency_key("acme", "orders", NULL, NULL, 1, 1, keys[6]);
	for (size_t i = 0; i < 7; i++)
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(keys[i], keys[k]);
}

static void test_key_is_stable_across_versions(void **state)
{
	(void)state;
	char key[UUID_MAX];
	/* A key that changed with an upgrade would start every operation under way a second time.
	 */
	idempotency_key("acme", "orders", "u1", NULL, 1, 1, key);
	assert_int_equal(strlen(key), 36);
	assert_int_equal(key[14], '8');
	assert_string_equal(key, "6469fe83-1e91-8dc2-aa3a-4572e6a25753");
}

static void test_created_at_counts_as_a_second_however_it_is_written(void **state)
{
	(void)state;
	char a[UUID_MAX];
	char b[UUID_MAX];
	char c[UUID_MAX];
	idempotency_key("acme", "orders", NULL, "2026-11-30T16:44:23Z", 1, 1, a);
	idempotency_key("acme", "orders", NULL, "2026-11-30T17:44:23.250+01:00", 1, 1, b);
	idempotency_key("acme", "orders", NULL, "2026-11-30T16:44:24Z", 1, 1, c);
	assert_string_equal(a, b);
	assert_string_not_equal(a, c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_key_differs_by_each_part),
		cmocka_unit_test(test_key_is_stable_across_versions),
		cmocka_unit_test(test_created_at_counts_as_a_second_however_it_is_written),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
