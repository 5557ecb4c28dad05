/*
 * BLAKE2b digests (libsodium's generichash) and the identifiers made from them.
 */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stddef.h>

#include "base/rng.h"

#define HASH_BYTES   32
#define HASH_HEX_MAX (HASH_BYTES * 2 + 1)
#define UUID_MAX     37

struct hash {
	_Alignas(64) unsigned char state[384];
};

void hash_begin(struct hash *h);
/* Adds the length as well as the bytes, so that ("ab","c") and ("a","bc") differ. */
void hash_add(struct hash *h, const void *data, size_t len);
void hash_adds(struct hash *h, const char *s);
void hash_end(struct hash *h, unsigned char out[HASH_BYTES]);
/* Lower-case hex of a digest. */
const char *hash_hex(const unsigned char digest[HASH_BYTES], char out[HASH_HEX_MAX]);

/* A UUID of version 8 (RFC 9562: made by a rule of our own) from the first 16 bytes of a digest. */
const char *uuid_from_hash(const unsigned char digest[HASH_BYTES], char out[UUID_MAX]);
/* A UUID of version 4. */
const char *uuid_random(const struct rng *r, char out[UUID_MAX]);

#endif
