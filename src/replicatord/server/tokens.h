/*
 * Bearer tokens. The configuration says where they are; the store keeps their hashes. A token is
 * long and random, so a plain hash of it tells nothing.
 */
#ifndef SERVER_TOKENS_H
#define SERVER_TOKENS_H

#include "base/err.h"
#include "base/hash.h"
#include "server/config.h"
#include "server/store.h"

void token_hash(const char *token, unsigned char out[HASH_BYTES]);
/*
 * Reads every token that the configuration names and puts their hashes in place of those in the
 * store. On failure the store stays as it was.
 */
int tokens_load(struct store *store, const struct config *config, struct err *e);

#endif
