/*
 * Secrets: values that live in locked, wiped memory and have no way to be printed; references to
 * them in configuration files; and the stores that secret paths (`source_secret_path`) name
 * something in.
 *
 * A reference is `env:NAME`, `file:PATH` or `systemd:NAME` (below $CREDENTIALS_DIRECTORY). It is
 * read anew at each use, so a changed token needs no restart. Values are text: one that is empty or
 * holds a NUL is an error, and wherever a file is read, one trailing line end is dropped.
 */
#ifndef SECRET_SECRET_H
#define SECRET_SECRET_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/strv.h"

struct secret;

/* Once, at the start of a program: libsodium, no core dumps (rlimit, and not dumpable), one warning
 * if memory cannot be locked. Without it the rest works all the same. */
int secret_setup(struct err *e);

struct secret *secret_new(const void *data, size_t len);
void secret_free(struct secret *s);
/* The bytes, ended by a NUL; for handing to the library that needs them and nothing else. */
const char *secret_reveal(const struct secret *s);
size_t secret_len(const struct secret *s);
void secret_freep(struct secret **s);
#define auto_secret __attribute__((cleanup(secret_freep)))

/* Whether `hex` is the HMAC-SHA256 of the data under this secret: 64 digits, of either case.
 * Constant time. */
bool secret_hmac_matches(const struct secret *key, const void *data, size_t len, const char *hex);

/* True if the text is a well-formed reference. */
bool secret_ref_valid(const char *ref);
/* ERR_CONFIG if it is none. The text is not repeated: it may be a secret that somebody wrote there
 * by mistake. */
int secret_ref_read(const char *ref, struct secret **ret_secret, struct err *e);

/*
 * Stores. `secrets.stores` in weir.yaml and replicatord.yaml is a list of these; a path belongs to
 * the store with the longest prefix that it begins with (by whole segments); a path that belongs to
 * none is not checked: the API resolves it itself.
 */
enum secret_store_type {
	/* <root>/<path below the prefix>/<key>: a file for each key, as Kubernetes mounts them.
	 * Links may lead anywhere below the root. */
	SECRET_DIRECTORY,
	/* <variable prefix><PATH BELOW THE PREFIX>_<KEY>: upper case, all but A-Z 0-9 as _ */
	SECRET_ENV
};

struct secret_store_config {
	enum secret_store_type type;
	const char *prefix; /* of the paths it serves; "" for all */
	const char *root; /* directory: an absolute folder */
	const char *variable_prefix; /* env */
};

/* They stand for the same paths: slashes at their ends say nothing. */
bool secret_prefix_same(const char *a, const char *b);

struct secret_stores;

struct secret_stores *secret_stores_new(const struct secret_store_config *configs, size_t n);
void secret_stores_free(struct secret_stores *s);

struct secret_status {
	bool checked; /* false: no store serves the path */
	struct strv missing; /* keys that are not there or have no byte */
	/* Changes when the content of these keys does; "" if one is missing, or unknown. */
	char version[65];
};

/*
 * Whether a path resolves and has these keys. Only names and versions come back, no values:
 * `directory` looks at what the files are, not into them (one that holds only a line end is not
 * missing, and is empty when it is fetched), and the versions of `env` hold within one
 * process only. ERR_NOT_FOUND if the path does not exist, ERR_INVALID for a path that tries to
 * leave the store ("..", absolute, control characters); ERR_IO, retriable, if the store cannot be
 * read.
 */
int secret_check(const struct secret_stores *s, const char *path, const char *const *keys,
	size_t n_keys, struct secret_status *ret_status, struct err *e);
void secret_status_release(struct secret_status *s);
/* The value of one key: for replicatord, which needs it. */
int secret_fetch(const struct secret_stores *s, const char *path, const char *key,
	struct secret **ret_secret, struct err *e);

#endif
