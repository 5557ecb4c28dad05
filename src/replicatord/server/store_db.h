/*
 * What the files of the store share.
 */
#ifndef SERVER_STORE_DB_H
#define SERVER_STORE_DB_H

#include "db/db.h"
#include "server/store.h"

struct store {
	struct db *db;
	int lock_fd; /* -1 in memory */
};

/* Runs a statement of one row and one number. */
int store_number(struct db_stmt *s, int64_t *ret_n, struct err *e);

#define REPLICATOR_COLUMNS                                                                         \
	"r.id, r.org, r.identifier, r.uid, r.fleet, r.spec, r.endpoints, r.generation, "           \
	"r.observed_generation, r.status, r.status_message, r.status_at, r.created_at"
#define REPLICATOR_N_COLUMNS 13

/* From the first columns of a statement's current row; strings are valid until its next step. */
void store_read_replicator(struct db_stmt *s, struct replicator_row *ret_row);

#endif
