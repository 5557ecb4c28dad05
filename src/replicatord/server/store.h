/*
 * What replicatord remembers: hashed tokens, replicators, their operations, and log lines. Rows,
 * without meaning: what they mean and when they change is the business of lifecycle.h.
 *
 * Writes that belong together stand between store_begin and store_end:
 *
 *	rc = store_begin(s, e);
 *	if (rc == 0 && (rc = store_insert_replicator(s, &row, e)) == 0)
 *		rc = store_log(s, &row, now_ms, LOG_INFO, "saved", e);
 *	return store_end(s, rc, e);
 *
 * Strings in rows point into the arena that was given, or, in a callback, are valid until it
 * returns. A callback must not use the store. Finders return 1 (found), 0 (not) or a negative code.
 */
#ifndef SERVER_STORE_H
#define SERVER_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/log.h"
#include "model/live.h"

struct store;

/*
 * `dir` is made if need be and locked against a second replicatord; NULL: in memory. The errors say
 * what to do about a folder that cannot be written to, one that is in use, and a database of a
 * newer release.
 */
int store_open(const char *dir, struct store **ret_store, struct err *e);
void store_close(struct store *s);

int store_begin(struct store *s, struct err *e);
/* Commits if rc is 0, else rolls back and returns rc. */
int store_end(struct store *s, int rc, struct err *e);

struct token_row {
	const char *org;
	const char *name;
	unsigned char hash[HASH_BYTES];
	bool write;
};

/* Puts these in place of all that there were. */
int store_replace_tokens(struct store *s, const struct token_row *rows, size_t n, struct err *e);
/* Who a token is, for one organization: found 1, with the better access if it has two names there.
 */
int store_find_token(struct store *s, const unsigned char hash[HASH_BYTES], const char *org,
	bool *ret_write, struct err *e);
/* Whether any organization knows it. */
int store_knows_token(struct store *s, const unsigned char hash[HASH_BYTES], struct err *e);

struct replicator_row {
	int64_t id; /* in the order of creation, never used twice */
	const char *org;
	const char *identifier;
	const char *uid;
	const char *fleet;
	const char *spec; /* settings of `generation` as the API shows them: a JSON object */
	const char *endpoints; /* a JSON object */
	int64_t generation;
	int64_t observed_generation; /* of the last operation that ended; 0: none did */
	enum live_status status; /* Pending: a draft that was never provisioned */
	const char *status_message;
	int64_t status_at_ms; /* wall time; when the status became what it is */
	int64_t created_at_ms; /* wall time */
};

typedef void (*replicator_fn)(void *ctx, const struct replicator_row *row);

/* Sets row->id. */
int store_insert_replicator(struct store *s, struct replicator_row *row, struct err *e);
/* All that may change after creation: spec, endpoints, generations and status. */
int store_update_replicator(struct store *s, const struct replicator_row *row, struct err *e);
/* With its operations. */
int store_delete_replicator(struct store *s, int64_t id, struct err *e);
int store_find_replicator(struct store *s, struct arena *a, const char *org, const char *identifier,
	struct replicator_row *ret_row, struct err *e);
int store_get_replicator(struct store *s, struct arena *a, int64_t id,
	struct replicator_row *ret_row, struct err *e);

/* A slice of a list. */
struct window {
	int64_t offset;
	int64_t limit;
};

int store_count_replicators(struct store *s, const char *org, int64_t *ret_n, struct err *e);
/* In the order of creation. */
int store_list_replicators(struct store *s, const char *org, struct window window, replicator_fn fn,
	void *ctx, struct err *e);
/* Those of a fleet that belong to `org` and are in one state. */
int store_list_by_status(struct store *s, const char *fleet, const char *org,
	enum live_status status, struct window window, replicator_fn fn, void *ctx, struct err *e);
int store_count_by_status(struct store *s, const char *fleet, const char *org,
	int64_t ret_n[LIVE__COUNT], struct err *e);
/* Of all organizations. */
int store_list_deleting(struct store *s, replicator_fn fn, void *ctx, struct err *e);

typedef void (*count_fn)(void *ctx, const char *fleet, int64_t n);
int store_count_by_fleet(struct store *s, count_fn fn, void *ctx, struct err *e);

struct operation_row {
	int64_t ticket; /* the row; never used twice */
	int64_t replicator;
	const char *id;
	const char *key;
	const char *spec; /* what it provisions; NULL once it has ended */
	int64_t generation;
	enum operation_state state;
	const char *error; /* "" if none */
	int64_t created_at_ms;
};

typedef void (*operation_fn)(
	void *ctx, const struct replicator_row *row, const struct operation_row *op);

/* Sets op->ticket. At most one operation of a replicator is Running. */
int store_insert_operation(struct store *s, struct operation_row *op, struct err *e);
int store_find_operation(struct store *s, struct arena *a, int64_t replicator, const char *key,
	struct operation_row *ret_op, struct err *e);
int store_get_running(struct store *s, struct arena *a, int64_t ticket,
	struct operation_row *ret_op, struct err *e);
int store_finish_operation(struct store *s, int64_t ticket, enum operation_state state,
	const char *error, struct err *e);
/* The one that is Running, if any, becomes Superseded. */
int store_supersede_operation(struct store *s, int64_t replicator, const char *why, struct err *e);
/* In the order they were accepted. */
int store_list_running(struct store *s, operation_fn fn, void *ctx, struct err *e);

struct log_row {
	int64_t at_ms;
	const char *level;
	const char *identifier;
	const char *message;
};

typedef void (*log_fn)(void *ctx, const struct log_row *row);

/* The last STORE_LOG_ROWS of all fleets are kept. */
#define STORE_LOG_ROWS 100000

int store_log(struct store *s, const struct replicator_row *row, int64_t at_ms,
	enum log_level level, const char *message, struct err *e);
int store_count_log(struct store *s, const char *fleet, const char *org, int64_t since_ms,
	int64_t *ret_n, struct err *e);
/* Oldest first. */
int store_list_log(struct store *s, const char *fleet, const char *org, int64_t since_ms,
	struct window window, log_fn fn, void *ctx, struct err *e);

#endif
