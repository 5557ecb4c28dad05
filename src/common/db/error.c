/* What SQLite's result codes mean for us: whose fault, whether to try again, what to do. */
#include "db/handle.h"

#include <errno.h>
#include <string.h>

#include "base/alloc.h"

static const struct failure {
	int rc;
	enum err_code code;
	bool retriable;
	const char *what; /* NULL: SQLite's own words */
	const char *advice; /* where whoever opened it gave none; NULL: `what` says it all */
} failures[] = {
	{.rc = SQLITE_FULL,
		.code = ERR_IO,
		.retriable = true,
		.what = "the disk is full; what was saved is safe, make room and it goes on"},
	{.rc = SQLITE_BUSY,
		.code = ERR_UNAVAILABLE,
		.retriable = true,
		.what = "another program is writing to it; wait for it to end, or stop it"},
	{.rc = SQLITE_LOCKED,
		.code = ERR_UNAVAILABLE,
		.retriable = true,
		.what = "another connection is writing to it; try again"},
	{.rc = SQLITE_IOERR,
		.code = ERR_IO,
		.retriable = true,
		.what = "cannot be read or written; check the disk"},
	{.rc = SQLITE_CANTOPEN,
		.code = ERR_IO,
		.what = "cannot be opened; check that its folder exists and who may write there"},
	{.rc = SQLITE_PERM, .code = ERR_IO, .what = "may not be opened; check its owner and mode"},
	{.rc = SQLITE_READONLY,
		.code = ERR_IO,
		.what = "cannot be written; check its owner and mode"},
	{.rc = SQLITE_CORRUPT,
		.code = ERR_IO,
		.what = "is damaged",
		.advice = "restore it from a backup, or move it away to start anew"},
	{.rc = SQLITE_NOTADB,
		.code = ERR_IO,
		.what = "is not a database",
		.advice = "move it away, or name another file"},
	{.rc = SQLITE_PROTOCOL,
		.code = ERR_IO,
		.retriable = true,
		.what = "cannot be locked; put it on a local disk"},
	{.rc = SQLITE_CONSTRAINT, .code = ERR_CONFLICT},
};

/* SQLite reports a lack of space as an I/O error where it makes files other than the main one. */
static bool is_disk_full(const struct db *db, int rc)
{
	int primary = rc & 0xff;

	if (primary != SQLITE_IOERR && primary != SQLITE_CANTOPEN)
		return primary == SQLITE_FULL;
	int errnum = sqlite3_system_errno(db->handle);
	return errnum == ENOSPC || errnum == EDQUOT;
}

int db_fail(const struct db *db, int rc, struct err *e)
{
	int primary = is_disk_full(db, rc) ? SQLITE_FULL : rc & 0xff;

	if (primary == SQLITE_NOMEM)
		BUG("%s: out of memory", db->name);
	for (size_t i = 0; i < ARRAY_SIZE(failures); i++) {
		const struct failure *f = &failures[i];
		if (f->rc != primary)
			continue;
		const char *what = f->what ? f->what : sqlite3_errmsg(db->handle);
		if (f->advice)
			return err_set(e, f->code, "%s: %s; %s", db->name, what,
				db->advice ? db->advice : f->advice);
		return f->retriable ? err_retriable(e, f->code, "%s: %s", db->name, what)
				    : err_set(e, f->code, "%s: %s", db->name, what);
	}
	return err_set(e, ERR_INTERNAL, "%s: %s", db->name, sqlite3_errstr(rc));
}

int db_exec(struct db *db, const char *sql, struct err *e)
{
	int rc = sqlite3_exec(db->handle, sql, NULL, NULL, NULL);

	if (rc == SQLITE_OK)
		return 0;
	if ((rc & 0xff) == SQLITE_ERROR || (rc & 0xff) == SQLITE_MISUSE)
		BUG("%s: %s: %s", db->name, sql, sqlite3_errmsg(db->handle));
	return db_fail(db, rc, e);
}
