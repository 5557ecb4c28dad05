/* Transactions that nest by count, and that never go on after SQLite rolled one back. */
#include "db/handle.h"

#include "base/alloc.h"

int db_begin(struct db *db, struct err *e)
{
	if (db->depth == 0) {
		/* IMMEDIATE: two that both read first and then write would fail instead of waiting.
		 */
		int rc = db_run(db_prepare(db, "BEGIN IMMEDIATE"), e);
		if (rc < 0)
			return rc;
	}
	db->depth++;
	return 0;
}

static void end_transaction(struct db *db)
{
	db->depth = 0;
	err_clear(&db->doom);
	if (!sqlite3_get_autocommit(db->handle))
		sqlite3_exec(db->handle, "ROLLBACK", NULL, NULL, NULL);
}

int db_commit(struct db *db, struct err *e)
{
	if (db->depth == 0)
		BUG("%s: commit without begin", db->name);
	int rc = db->doom.code != ERR_OK ? db_doomed(db, e) : 0;
	if (db->depth > 1) {
		db->depth--;
		return rc;
	}
	if (rc == 0)
		rc = db_run(db_prepare(db, "COMMIT"), e);
	end_transaction(db);
	return rc;
}

void db_rollback(struct db *db)
{
	if (db->depth == 0)
		BUG("%s: rollback without begin", db->name);
	if (--db->depth > 0) {
		err_set(&db->doom, ERR_CANCELLED,
			"%s: nothing was saved: a part of the transaction was rolled back",
			db->name);
		return;
	}
	end_transaction(db);
}

void db_note_failure(struct db *db, const struct err *cause)
{
	if (db->depth > 0 && sqlite3_get_autocommit(db->handle) && db->doom.code == ERR_OK)
		db->doom = *cause;
}

int db_doomed(const struct db *db, struct err *e)
{
	if (e && e->code == ERR_OK)
		*e = db->doom;
	return -(int)db->doom.code;
}
