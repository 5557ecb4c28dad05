/* Digests, and the identifiers made from them. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <string.h>
#include <cmocka.h>

#include "base/hash.h"

static const char *hash_of(const char *const *parts, char out[HASH_HEX_MAX])
{
	unsigned char digest[HASH_BYTES];
	struct hash h;

	hash_begin(&h);
	for (; *parts; parts++)
		hash_adds(&h, *parts);
	hash_end(&h, digest);
	return hash_hex(digest, out);
}

/* Fixed for ever: idempotency keys that are in somebody's journal come from it. */
static void test_digest_never_changes(void **state)
{
	(void)state;
	static const char *const parts[] = {"acme", "orders-dr", NULL};
	char hex[HASH_HEX_MAX];

	assert_string_equal(hash_of(parts, hex),
		"fb692a1c8c32fd6f360b9a64a29d4ddcf0732ba55540424e919257ace473a138");
}

static void test_parts_do_not_run_together(void **state)
{
	(void)state;
	static const char *const left[] = {"ab", "c", NULL};
	static const char *const right[] = {"a", "bc", NULL};
	static const char *const whole[] = {"abc", NULL};
	char a[HASH_HEX_MAX], b[HASH_HEX_MAX], c[HASH_HEX_MAX];

	assert_string_not_equal(hash_of(left, a), hash_of(right, b));
	assert_string_not_equal(a, hash_of(whole, c));
}

static void test_uuid_from_hash_is_version_8(void **state)
{
	(void)state;
	unsigned char digest[HASH_BYTES];
	char uuid[UUID_MAX];

	memset(digest, 0xff, sizeof(digest));
	assert_string_equal(uuid_from_hash(digest, uuid), "ffffffff-ffff-8fff-bfff-ffffffffffff");
	memset(digest, 0, sizeof(digest));
	assert_string_equal(uuid_from_hash(digest, uuid), "00000000-0000-8000-8000-000000000000");
}

static void test_random_uuid_is_version_4(void **state)
{
	(void)state;
	struct rng_seeded seeded;
	struct rng r = rng_from_seed(&seeded, 1);
	char a[UUID_MAX], b[UUID_MAX];

	uuid_random(&r, a);
	uuid_random(&r, b);
	assert_int_equal(a[14], '4');
	assert_non_null(strchr("89ab", a[19]));
	assert_string_not_equal(a, b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_digest_never_changes),
		cmocka_unit_test(test_parts_do_not_run_together),
		cmocka_unit_test(test_uuid_from_hash_is_version_8),
		cmocka_unit_test(test_random_uuid_is_version_4),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
