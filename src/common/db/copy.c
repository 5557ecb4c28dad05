/* Copies of a database that may be in use. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/fs.h"
#include "db/handle.h"

/* Empty and for its owner alone, as SQLite is to find it. */
static int make_empty(const char *path, struct err *e)
{
	auto_close int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	return fd < 0 ? err_errno(e, errno, "cannot create %s", path) : 0;
}

/* SQLite does not sync what it makes by VACUUM INTO. */
static int sync_file(const char *path, struct err *e)
{
	auto_close int fd = open(path, O_RDWR | O_CLOEXEC);

	if (fd < 0 || fsync(fd) < 0)
		return err_errno(e, errno, "%s", path);
	return fs_sync_folder(path, e);
}

int db_copy(struct db *db, const char *path, struct err *e)
{
	int rc = make_empty(path, e);

	if (rc < 0)
		return rc;
	struct db_stmt *s = db_prepare(db, "VACUUM INTO ?1");
	db_bind_text(s, 1, path);
	rc = db_run(s, e);
	if (rc < 0)
		err_prefix(e, "copying to %s", path); /* it may be that disk which is full */
	else
		rc = sync_file(path, e);
	if (rc < 0)
		unlink(path);
	return rc;
}

static int check_whole(struct db *db, struct err *e)
{
	struct db_stmt *s = db_prepare(db, "PRAGMA quick_check(1)");
	int rc = db_step(s, e);

	if (rc < 0)
		return rc;
	bool ok = rc > 0 && strcmp(db_text(s, 0), "ok") == 0;
	db_reset(s);
	return ok ? 0 : db_fail(db, SQLITE_CORRUPT, e);
}

static int check_table(struct db *db, const char *table, struct err *e)
{
	struct db_stmt *s =
		db_prepare(db, "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?1");

	db_bind_text(s, 1, table);
	int rc = db_step(s, e);
	if (rc < 0)
		return rc;
	db_reset(s);
	return rc > 0 ? 0
		      : err_set(e, ERR_CONFLICT, "%s: has no table %s; %s", db->name, table,
				db->advice);
}

int db_open_to_read(const char *path, const char *const *tables, const char *advice,
	struct db **ret_db, struct err *e)
{
	struct db *db = xcalloc(1, sizeof(*db));
	int flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
	auto_free char *name = xasprintf("%s%s", path[0] == '/' ? "" : "./", path);

	db->name = xstrdup(path);
	db->advice = advice;
	int rc = 0;
	if (access(path, R_OK) < 0)
		rc = err_errno(e, errno, "%s", path);
	int opened = rc == 0 ? sqlite3_open_v2(name, &db->handle, flags, NULL) : SQLITE_OK;
	if (opened != SQLITE_OK)
		rc = db_fail(db, opened, e);
	else if (rc == 0)
		sqlite3_busy_timeout(db->handle, BUSY_TIMEOUT_MS);
	if (rc == 0)
		rc = check_whole(db, e);
	for (; rc == 0 && *tables; tables++)
		rc = check_table(db, *tables, e);
	if (rc < 0) {
		db_close(db);
		return rc;
	}
	*ret_db = db;
	return 0;
}
