/*
 * SQLite for both programs: opening with numbered migrations, cached statements, transactions.
 * One thread uses a handle. WAL, synchronous=FULL: what was committed survives a power cut.
 *
 *	struct db_stmt *s = db_prepare(db, "SELECT name FROM replicator WHERE org = ?1");
 *	db_bind_text(s, 1, org);
 *	while ((rc = db_step(s, e)) > 0)
 *		use(db_text(s, 0));           // valid until the next step
 *	db_reset(s);
 *
 * A statement that does not compile is a bug and aborts. Errors:
 *	ERR_IO           the disk is full (retriable; what was committed is safe), or the file is
 *	                 damaged or unreadable
 *	ERR_UNAVAILABLE  another process held the lock for 5 s (retriable)
 *	ERR_CONFLICT     a constraint of the schema; the statement did nothing, the transaction
 *	                 goes on
 */
#ifndef DB_DB_H
#define DB_DB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct db;
struct db_stmt;

/*
 * `migrations` are SQL scripts; number i brings the schema from version i to i + 1 in a transaction
 * of its own. `path` NULL: in memory. A file whose version is above n_migrations was written by a
 * newer program: ERR_CONFLICT, which says so; a file that is no database: ERR_IO; a database of
 * another program: ERR_CONFLICT. None of these is touched. Makes the file with mode 0600, not its
 * folder. Foreign keys are enforced, except inside migrations.
 */
int db_open(const char *path, const char *const *migrations, size_t n_migrations,
	struct db **ret_db, struct err *e);
/* To look at a file that others work on, perhaps with an older program: one of an older version is
 * left as it is, and read into memory, where its schema is brought up to date. */
int db_open_beside(const char *path, const char *const *migrations, size_t n_migrations,
	struct db **ret_db, struct err *e);
void db_close(struct db *db);
/* To look at a file and to copy it; nothing of it is changed. It must be whole and have these
 * tables (ended by NULL): ERR_IO and ERR_CONFLICT if not, and `advice`, a literal, says what to do
 * then. */
int db_open_to_read(const char *path, const char *const *tables, const char *advice,
	struct db **ret_db, struct err *e);
/* A consistent copy into a file that is not there yet, while others may write. On disk when it
 * returns; nothing is left of one that failed. */
int db_copy(struct db *db, const char *path, struct err *e);
/* The same in memory: what is done to the one does not show in the other. */
int db_fork(const struct db *db, struct db **ret_db, struct err *e);

/* Cached by the text's address: pass a literal. Comes back reset and with nothing bound. */
struct db_stmt *db_prepare(struct db *db, const char *literal_sql);
void db_bind_text(struct db_stmt *s, int i, const char *text); /* copied; NULL binds NULL */
void db_bind_blob(struct db_stmt *s, int i, const void *data, size_t len); /* copied; never NULL */
void db_bind_int(struct db_stmt *s, int i, int64_t value);
/* 1: a row, 0: done, negative: an error (and the statement is reset). */
int db_step(struct db_stmt *s, struct err *e);
void db_reset(struct db_stmt *s);

/* Columns count from 0. NULL reads as NULL and 0; so does an empty blob. */
const char *db_text(struct db_stmt *s, int col);
const void *db_blob(struct db_stmt *s, int col, size_t *ret_len);
int64_t db_int(struct db_stmt *s, int col);
bool db_is_null(struct db_stmt *s, int col);

/* Steps to the end and resets: for statements without rows. */
int db_run(struct db_stmt *s, struct err *e);
int64_t db_last_rowid(struct db *db);
int64_t db_changes(struct db *db);

/*
 * Transactions nest by count; only the outermost counts. Rolling back an inner one marks the outer
 * one, which then rolls back at its end and returns an error. db_commit ends the transaction also
 * when it fails: nothing is to be rolled back then. After a failure in which SQLite itself rolled
 * back (a full disk), all further steps fail with that error until the end.
 */
int db_begin(struct db *db, struct err *e);
int db_commit(struct db *db, struct err *e);
void db_rollback(struct db *db);

#endif
