/* Statements: compiled once per literal, bound, stepped, read. */
#include "db/handle.h"

#include <string.h>

#include "base/alloc.h"

/* A statement that is not SQL, or names what the schema does not have, can only be our mistake. */
static void compile(struct db_stmt *s)
{
	sqlite3 *handle = s->db->handle;
	const char *tail = "";

	s->rc = sqlite3_prepare_v3(handle, s->sql, -1, SQLITE_PREPARE_PERSISTENT, &s->stmt, &tail);
	int primary = s->rc & 0xff;
	if (primary == SQLITE_ERROR || primary == SQLITE_MISUSE || primary == SQLITE_TOOBIG)
		BUG("%s: %s: %s", s->db->name, s->sql, sqlite3_errmsg(handle));
	if (s->rc == SQLITE_OK && (!s->stmt || *tail))
		BUG("not exactly one statement: %s", s->sql);
}

static struct db_stmt *find_cached(const struct db *db, const char *literal_sql)
{
	vec_each (s, &db->stmts) {
		if ((*s)->sql == literal_sql)
			return *s;
	}
	return NULL;
}

struct db_stmt *db_prepare(struct db *db, const char *literal_sql)
{
	struct db_stmt *s = find_cached(db, literal_sql);

	if (!s) {
		s = xcalloc(1, sizeof(*s));
		s->db = db;
		s->sql = literal_sql;
		vec_push(&db->stmts, s);
	}
	if (!s->stmt)
		compile(s);
	else if (strcmp(sqlite3_sql(s->stmt), literal_sql) != 0)
		BUG("the text of a statement changed: %s", sqlite3_sql(s->stmt));
	db_reset(s);
	if (s->stmt)
		sqlite3_clear_bindings(s->stmt);
	return s;
}

static void check_bound(const struct db_stmt *s, int rc, int i)
{
	if (s->stmt && rc != SQLITE_OK)
		BUG("%s: parameter %d: %s", s->sql, i, sqlite3_errstr(rc));
}

void db_bind_text(struct db_stmt *s, int i, const char *text)
{
	check_bound(s, sqlite3_bind_text(s->stmt, i, text, -1, SQLITE_TRANSIENT), i);
}

void db_bind_blob(struct db_stmt *s, int i, const void *data, size_t len)
{
	/* A NULL pointer would bind NULL; an empty buffer has one. */
	const void *bytes = data ? data : "";

	check_bound(s, sqlite3_bind_blob64(s->stmt, i, bytes, len, SQLITE_TRANSIENT), i);
}

void db_bind_int(struct db_stmt *s, int i, int64_t value)
{
	check_bound(s, sqlite3_bind_int64(s->stmt, i, value), i);
}

int db_step(struct db_stmt *s, struct err *e)
{
	struct db *db = s->db;
	struct err cause = ERR_INIT;

	/* Rolled back by SQLite: what follows would stand outside the transaction. */
	if (db->depth > 0 && sqlite3_get_autocommit(db->handle))
		return db_doomed(db, e);
	int rc = s->stmt ? sqlite3_step(s->stmt) : s->rc;
	if (rc == SQLITE_ROW)
		return 1;
	if (rc == SQLITE_DONE)
		return 0;
	db_fail(db, rc, &cause);
	db_reset(s);
	db_note_failure(db, &cause);
	if (e && e->code == ERR_OK)
		*e = cause;
	return -(int)cause.code;
}

void db_reset(struct db_stmt *s)
{
	sqlite3_reset(s->stmt);
}

int db_run(struct db_stmt *s, struct err *e)
{
	int rc;

	do {
		rc = db_step(s, e);
	} while (rc > 0);
	db_reset(s);
	return rc;
}

const char *db_text(struct db_stmt *s, int col)
{
	return (const char *)sqlite3_column_text(s->stmt, col);
}

const void *db_blob(struct db_stmt *s, int col, size_t *ret_len)
{
	const void *data = sqlite3_column_blob(s->stmt, col);

	*ret_len = (size_t)sqlite3_column_bytes(s->stmt, col);
	return data;
}

int64_t db_int(struct db_stmt *s, int col)
{
	return sqlite3_column_int64(s->stmt, col);
}

bool db_is_null(struct db_stmt *s, int col)
{
	return sqlite3_column_type(s->stmt, col) == SQLITE_NULL;
}

int64_t db_last_rowid(struct db *db)
{
	return sqlite3_last_insert_rowid(db->handle);
}

int64_t db_changes(struct db *db)
{
	return sqlite3_changes64(db->handle);
}
