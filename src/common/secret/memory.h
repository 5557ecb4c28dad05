/*
 * How values come into locked memory without a copy elsewhere. For this folder only.
 */
#ifndef SECRET_MEMORY_H
#define SECRET_MEMORY_H

#include <stddef.h>

#include "secret/secret.h"

struct secret {
	size_t len;
	char bytes[]; /* and a NUL behind them */
};

/* Room for `len` bytes that the caller fills in. */
struct secret *secret_alloc(size_t len);
/* Forgets what stands behind the first `len` bytes. */
void secret_cut(struct secret *s, size_t len);

/* The content of a regular file, without one trailing line end. `name` is for messages. ERR_INVALID
 * if it is empty, holds a NUL or is no file at all, ERR_LIMIT past LIMIT_SECRET_BYTES. */
int secret_read_fd(int fd, const char *name, struct secret **ret_secret, struct err *e);
/* The value of an environment variable as it is. ERR_NOT_FOUND, ERR_INVALID if it is empty,
 * ERR_LIMIT. */
int secret_read_variable(const char *name, struct secret **ret_secret, struct err *e);

#endif
