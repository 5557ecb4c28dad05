/* Opens a database file and brings its schema up to date. */
#include "db/handle.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/fs.h"

/*
 * SQLite would make the file readable to all, and its -wal and -shm take their mode from it.
 * O_EXCL, because closing another descriptor of a file that this process has open would drop
 * SQLite's locks on it.
 */
static int make_file(const char *path, struct err *e)
{
	auto_close int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	if (fd < 0 && errno != EEXIST)
		return err_errno(e, errno, "cannot create the database %s", path);
	return 0;
}

static int open_handle(struct db *db, const char *path, struct err *e)
{
	int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;

	/* "./" keeps SQLite from reading a URI or ":memory:" into a file name. */
	auto_free char *name =
		path ? xasprintf("%s%s", path[0] == '/' ? "" : "./", path) : xstrdup(":memory:");
	int rc = path ? make_file(path, e) : 0;
	if (rc < 0)
		return rc;
	rc = sqlite3_open_v2(name, &db->handle, flags, NULL);
	if (rc != SQLITE_OK)
		return db_fail(db, rc, e);
	sqlite3_busy_timeout(db->handle, BUSY_TIMEOUT_MS);
	/* A misspelt column in double quotes is an error, not a string. */
	sqlite3_db_config(db->handle, SQLITE_DBCONFIG_DQS_DML, 0, NULL);
	sqlite3_db_config(db->handle, SQLITE_DBCONFIG_DQS_DDL, 0, NULL);
	sqlite3_db_config(db->handle, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	return 0;
}

/* `literal_sql` has one row with a number. */
static int query_int(struct db *db, const char *literal_sql, int64_t *ret_value, struct err *e)
{
	struct db_stmt *s = db_prepare(db, literal_sql);
	int rc = db_step(s, e);

	if (rc < 0)
		return rc;
	*ret_value = db_int(s, 0);
	db_reset(s);
	return 0;
}

/* Before anything is written: a file that is not ours, or of a later time, stays as it is. */
static int check_version(struct db *db, size_t n_migrations, struct err *e)
{
	int64_t version = 0, n_objects = 0;

	int rc = query_int(db, "PRAGMA user_version", &version, e);
	if (rc == 0)
		rc = query_int(db, "SELECT count(*) FROM sqlite_schema", &n_objects, e);
	if (rc < 0)
		return rc;
	if (version < 0 || (version == 0 && n_objects > 0))
		return err_set(e, ERR_CONFLICT,
			"%s: is a database of another program; name another file", db->name);
	if ((uint64_t)version > n_migrations)
		return err_set(e, ERR_CONFLICT,
			"%s: has schema version %lld, of a newer release; this one knows versions "
			"up to %zu: "
			"install the newer release again, or restore a copy made before it",
			db->name, (long long)version, n_migrations);
	if (sqlite3_db_readonly(db->handle, "main"))
		return db_fail(db, SQLITE_READONLY, e);
	return 0;
}

/* What was committed survives a power cut, and readers do not wait for the writer. */
static int use_wal(struct db *db, struct err *e)
{
	struct db_stmt *s = db_prepare(db, "PRAGMA journal_mode = WAL");
	int rc = db_step(s, e);

	if (rc < 0)
		return rc;
	bool wal = strcmp(db_text(s, 0), "wal") == 0;
	db_reset(s);
	if (!wal)
		return err_set(e, ERR_IO,
			"%s: its file system has no shared memory; use a local disk", db->name);
	return db_exec(db, "PRAGMA synchronous = FULL", e);
}

static int migrate_step(struct db *db, const char *script, int64_t version, struct err *e)
{
	auto_free char *stamp = xasprintf("PRAGMA user_version = %lld", (long long)version);
	int rc = db_exec(db, script, e);

	return rc < 0 ? rc : db_exec(db, stamp, e);
}

/* One step, with the version read inside its transaction: another process may be doing the same. */
static int migrate_once(
	struct db *db, const char *const *migrations, size_t n, bool *ret_done, struct err *e)
{
	int64_t version = 0;
	int rc = db_begin(db, e);

	if (rc < 0)
		return rc;
	rc = query_int(db, "PRAGMA user_version", &version, e);
	if (rc == 0 && version < (int64_t)n)
		rc = migrate_step(db, migrations[version], version + 1, e);
	if (rc < 0) {
		db_rollback(db);
		return rc;
	}
	*ret_done = version + 1 >= (int64_t)n;
	return db_commit(db, e);
}

static int migrate(struct db *db, const char *const *migrations, size_t n, struct err *e)
{
	int64_t version = 0;
	int rc = query_int(db, "PRAGMA user_version", &version, e);
	bool done = version == (int64_t)n;

	while (rc == 0 && !done)
		rc = migrate_once(db, migrations, n, &done, e);
	return rc;
}

static struct db *db_new(const char *name)
{
	struct db *db = xcalloc(1, sizeof(*db));

	db->name = xstrdup(name);
	return db;
}

/* Foreign keys come last: a migration that makes a table anew has to drop one that others refer to.
 */
static int bring_up_to_date(
	struct db *db, const char *const *migrations, size_t n_migrations, struct err *e)
{
	int rc = migrate(db, migrations, n_migrations, e);

	return rc < 0 ? rc : db_exec(db, "PRAGMA foreign_keys = ON", e);
}

int db_open(const char *path, const char *const *migrations, size_t n_migrations,
	struct db **ret_db, struct err *e)
{
	struct db *db = db_new(path ? path : "the database in memory");
	int rc = open_handle(db, path, e);

	if (rc == 0)
		rc = check_version(db, n_migrations, e);
	if (rc == 0)
		rc = path ? use_wal(db, e) : 0;
	if (rc == 0)
		rc = bring_up_to_date(db, migrations, n_migrations, e);
	if (rc < 0) {
		db_close(db);
		return rc;
	}
	*ret_db = db;
	return 0;
}

static int read_all(const struct db *from, struct db *into, struct err *e)
{
	sqlite3_backup *copy = sqlite3_backup_init(into->handle, "main", from->handle, "main");

	if (!copy)
		return db_fail(into, sqlite3_errcode(into->handle), e);
	int rc = sqlite3_backup_step(copy, -1);
	sqlite3_backup_finish(copy);
	return rc == SQLITE_DONE ? 0 : db_fail(from, rc, e);
}

static int open_in_memory(const struct db *from, const char *const *migrations, size_t n_migrations,
	struct db **ret_db, struct err *e)
{
	struct db *db = db_new(from->name);
	int rc = open_handle(db, NULL, e);

	if (rc == 0)
		rc = read_all(from, db, e);
	if (rc == 0)
		rc = bring_up_to_date(db, migrations, n_migrations, e);
	if (rc < 0) {
		db_close(db);
		return rc;
	}
	*ret_db = db;
	return 0;
}

int db_fork(const struct db *db, struct db **ret_db, struct err *e)
{
	return open_in_memory(db, NULL, 0, ret_db, e);
}

int db_open_beside(const char *path, const char *const *migrations, size_t n_migrations,
	struct db **ret_db, struct err *e)
{
	struct db *db = db_new(path);
	int64_t version = 0;
	int rc = open_handle(db, path, e);

	if (rc == 0)
		rc = check_version(db, n_migrations, e);
	if (rc == 0)
		rc = query_int(db, "PRAGMA user_version", &version, e);
	if (rc == 0 && version == (int64_t)n_migrations) {
		*ret_db = db;
		return 0;
	}
	if (rc == 0)
		rc = open_in_memory(db, migrations, n_migrations, ret_db, e);
	db_close(db);
	return rc;
}

void db_close(struct db *db)
{
	if (!db)
		return;
	vec_each (s, &db->stmts) {
		sqlite3_finalize((*s)->stmt);
		free(*s);
	}
	vec_release(&db->stmts);
	sqlite3_close(db->handle);
	free(db->name);
	free(db);
}
