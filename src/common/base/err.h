/*
 * Errors: a function that can fail returns 0 or a negative enum err_code, takes `struct err *e`
 * last and writes it only on failure. The caller owns it, usually on its stack, and passes it
 * down a chain of calls:
 *
 *	struct err e = ERR_INIT;
 *	if (db_open(&db, path, &e) < 0 || store_load(db, &store, &e) < 0)
 *		return err_prefix(e, "store %s", path);
 *
 * The first error wins: err_set on an error that is already set changes nothing. Callers may put
 * words before a message (err_prefix), never replace it. `retriable` says what to do next and is
 * set where the error is made. Messages are one line, lower case, name the thing and the value,
 * and say what to do. Text from outside is escaped by err_set, so that a message can be printed
 * anywhere.
 */
#ifndef BASE_ERR_H
#define BASE_ERR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

enum err_code {
	ERR_OK,
	ERR_USAGE, /* a command line that makes no sense */
	ERR_CONFIG, /* a configuration file or a resource that does not load */
	ERR_INVALID, /* a value that somebody sent and must change */
	ERR_NOT_FOUND,
	ERR_CONFLICT, /* exists already, is out of date, or is held by somebody else */
	ERR_AUTH, /* not recognised: a token that is missing or refused */
	ERR_DENIED, /* recognised, and not allowed */
	ERR_LIMIT, /* larger, deeper or more than what we take */
	ERR_UNAVAILABLE, /* cannot be reached or says it is busy */
	ERR_TIMEOUT,
	ERR_REMOTE, /* the other side answered something that makes no sense */
	ERR_IO, /* this machine: files, disk, memory maps, processes */
	ERR_CANCELLED,
	ERR_INTERNAL,
	ERR__COUNT
};

#define ERR_MSG_MAX 512

struct err {
	enum err_code code;
	bool retriable; /* the same call may succeed later without anybody changing anything */
	int http; /* the HTTP status it came from, 0 if none */
	int64_t retry_after_ms; /* what the other side asked us to wait, 0 if it did not say */
	char msg[ERR_MSG_MAX];
};

#define ERR_INIT                                                                                   \
	{                                                                                          \
		ERR_OK, false, 0, 0, ""                                                            \
	}

/* All return -code, so that `return err_set(e, …)` reads well. `e` may be NULL. */
int err_set(struct err *e, enum err_code code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
int err_vset(struct err *e, enum err_code code, const char *fmt, va_list ap)
	__attribute__((format(printf, 3, 0)));
/* As err_set, with retriable set. */
int err_retriable(struct err *e, enum err_code code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* From errno: picks the code (ENOSPC, EACCES, ENOENT, …) and ends the message with its text and a
 * hint. */
int err_errno(struct err *e, int errnum, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Puts words and ": " before the message. Returns -e->code. */
int err_prefix(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

void err_clear(struct err *e);

/* "not-found": stable, for logs and JSON. */
const char *err_name(enum err_code code);
/* The exit status of a program that ends with this error: 1, or 64 for ERR_USAGE. */
int err_exit_status(enum err_code code);
/* The HTTP status a server of ours answers with. */
int err_http_status(enum err_code code);

#endif
