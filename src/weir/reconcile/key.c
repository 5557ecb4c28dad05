/* The idempotency key of a reconcile. */
#include "reconcile/engine.h"

#include <stdio.h>

#include "base/hash.h"

/*
 * Objects that have no uid are told apart by when they were created; as a UTC second, since servers
 * print the same moment with and without a fraction.
 */
static void add_identity(struct hash *h, const char *uid, const char *created_at)
{
	int64_t at;
	char second[CLOCK_TEXT_MAX] = "";
	if (uid) {
		hash_adds(h, uid);
		return;
	}
	if (created_at && clock_parse(created_at, &at))
		clock_format_second(at, second);
	else if (created_at)
		snprintf(second, sizeof(second), "%s", created_at);
	hash_adds(h, second);
}

void idempotency_key(const char *organization, const char *identifier, const char *uid,
	const char *created_at, int64_t generation, int64_t attempt, char ret_key[UUID_MAX])
{
	struct hash h;
	unsigned char digest[HASH_BYTES];
	hash_begin(&h);
	hash_adds(&h, "weir reconcile");
	hash_adds(&h, organization);
	hash_adds(&h, identifier);
	add_identity(&h, uid, created_at);
	hash_add(&h, &generation, sizeof(generation));
	hash_add(&h, &attempt, sizeof(attempt));
	hash_end(&h, digest);
	uuid_from_hash(digest, ret_key);
}
