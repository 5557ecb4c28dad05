/*
 * What a type of store can do. `below` is the path without the store's prefix, known to be made of
 * plain names; it is
 * "" for the store itself. For this folder only.
 */
#ifndef SECRET_STORE_H
#define SECRET_STORE_H

#include <stddef.h>

#include "secret/secret.h"

struct secret_store_ops {
	/* Fills `missing` and `version` of an empty status, also on failure. */
	int (*check)(const struct secret_store_config *config, const char *below,
		const char *const *keys, size_t n_keys, struct secret_status *status,
		struct err *e);
	int (*fetch)(const struct secret_store_config *config, const char *below, const char *key,
		struct secret **ret_secret, struct err *e);
};

extern const struct secret_store_ops secret_store_directory;
extern const struct secret_store_ops secret_store_env;

#endif
