/*
 * The inside of a database handle, shared by the files of this folder.
 */
#ifndef DB_HANDLE_H
#define DB_HANDLE_H

#include <sqlite3.h>

#include "base/err.h"
#include "base/vec.h"
#include "db/db.h"

#define BUSY_TIMEOUT_MS 5000 /* as db.h says */

struct db_stmt {
	struct db *db;
	const char *sql; /* the caller's literal: the key of the cache */
	sqlite3_stmt *stmt; /* NULL: could not be compiled this time, `rc` says why */
	int rc;
};

struct db {
	sqlite3 *handle;
	char *name; /* what messages call it */
	const char *advice; /* what to do if it is damaged or no database; NULL: the usual */
	VEC(struct db_stmt *) stmts;
	unsigned depth; /* of transactions */
	struct err doom; /* set: the transaction will be rolled back, for this reason */
};

/* Turns SQLite's (extended) code into an error that says what to do. */
int db_fail(const struct db *db, int rc, struct err *e);
/* A statement (or several) without parameters or rows. One that makes no sense is a bug. */
int db_exec(struct db *db, const char *sql, struct err *e);
/* To be told of each failed step: SQLite rolls a transaction back by itself after some of them. */
void db_note_failure(struct db *db, const struct err *cause);
/* Fails with the reason why the transaction will be, or was, rolled back. */
int db_doomed(const struct db *db, struct err *e);

#endif
