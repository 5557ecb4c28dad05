/* BLAKE2b and the identifiers made from it. */
#include "base/hash.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <sodium.h>

static crypto_generichash_state *state_of(struct hash *h)
{
	_Static_assert(sizeof(crypto_generichash_state) <= sizeof(h->state), "room for the state");
	return (crypto_generichash_state *)(void *)h->state;
}

void hash_begin(struct hash *h)
{
	crypto_generichash_init(state_of(h), NULL, 0, HASH_BYTES);
}

void hash_add(struct hash *h, const void *data, size_t len)
{
	unsigned char prefix[8];

	for (size_t i = 0; i < sizeof(prefix); i++)
		prefix[i] = (unsigned char)((uint64_t)len >> (8 * i));
	crypto_generichash_update(state_of(h), prefix, sizeof(prefix));
	crypto_generichash_update(state_of(h), data, len);
}

void hash_adds(struct hash *h, const char *s)
{
	hash_add(h, s, strlen(s));
}

void hash_end(struct hash *h, unsigned char out[HASH_BYTES])
{
	crypto_generichash_final(state_of(h), out, HASH_BYTES);
}

const char *hash_hex(const unsigned char digest[HASH_BYTES], char out[HASH_HEX_MAX])
{
	return sodium_bin2hex(out, HASH_HEX_MAX, digest, HASH_BYTES);
}

/* RFC 9562: the version in the upper half of byte 6, the variant in the upper two bits of byte 8.
 */
static const char *format_uuid(const unsigned char bytes[16], unsigned version, char out[UUID_MAX])
{
	unsigned char b[16];

	memcpy(b, bytes, sizeof(b));
	b[6] = (unsigned char)((b[6] & 0x0f) | version << 4);
	b[8] = (unsigned char)((b[8] & 0x3f) | 0x80);
	snprintf(out, UUID_MAX,
		"%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", b[0], b[1],
		b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14],
		b[15]);
	return out;
}

const char *uuid_from_hash(const unsigned char digest[HASH_BYTES], char out[UUID_MAX])
{
	return format_uuid(digest, 8, out);
}

const char *uuid_random(const struct rng *r, char out[UUID_MAX])
{
	unsigned char bytes[16];

	r->fill(r->ctx, bytes, sizeof(bytes));
	return format_uuid(bytes, 4, out);
}
