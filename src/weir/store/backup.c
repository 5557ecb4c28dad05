/* Copies of the store, and back. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/fs.h"
#include "store/internal.h"

/* What SQLite may have beside a database. */
static const char *const suffixes[] = {"", "-wal", "-shm"};

static const char *const tables[] = {"value", "inventory", "accepted", "intent", "outbox", NULL};

static void remove_all(const char *path)
{
	for (size_t i = 0; i < ARRAY_SIZE(suffixes); i++) {
		auto_free char *file = xasprintf("%s%s", path, suffixes[i]);
		unlink(file);
	}
}

int store_backup(const char *folder, const char *file, struct err *e)
{
	auto_free char *path = fs_join(folder, "weir.db");
	struct db *db;
	if (access(path, F_OK) < 0)
		return err_set(e, ERR_NOT_FOUND,
			"no store in %s yet: weir has not run with this state", folder);
	if (access(file, F_OK) == 0)
		return err_set(e, ERR_CONFLICT, "%s is there already; name another file", file);
	int rc = db_open_to_read(
		path, tables, "`weir state restore FILE` puts an earlier copy back", &db, e);
	if (rc < 0)
		return err_prefix(e, "store");
	rc = db_copy(db, file, e);
	db_close(db);
	return rc;
}

/* A copy that this release can work with. */
static int take_copy(const char *file, const char *path, struct err *e)
{
	struct db *db;
	int rc = db_open_to_read(file, tables, "nothing was changed; name another copy", &db, e);
	if (rc < 0)
		return e->code == ERR_CONFLICT ? err_prefix(e, "this is no store of weir") : rc;
	rc = db_copy(db, path, e);
	db_close(db);
	if (rc < 0)
		return rc;
	rc = store_open_file(path, &db, e);
	if (rc == 0) {
		db_close(db);
		return 0;
	}
	remove_all(path);
	return err_prefix(e, "%s", file);
}

/* Of a folder SQLite says that the disk may be broken. */
static int check_is_file(const char *file, struct err *e)
{
	struct stat st;
	if (stat(file, &st) == 0 && !S_ISREG(st.st_mode))
		return err_set(e, ERR_INVALID,
			"%s is no file; name the copy that `weir state backup` made", file);
	return 0;
}

/* What stands in its log only gets into its file, as SQLite does when the last one closes it. Of a
 * damaged one there is nothing to bring in order. */
static void empty_log(const char *path)
{
	struct db *db;

	if (access(path, F_OK) == 0 && store_look_at_file(path, &db, NULL) == 0)
		db_close(db);
}

/* Under another name as well, so that there is a store at any moment; with what was not in the main
 * file yet. */
static int keep(const char *path, const char *as, struct err *e)
{
	for (size_t i = 0; i < ARRAY_SIZE(suffixes); i++) {
		auto_free char *from = xasprintf("%s%s", path, suffixes[i]);
		auto_free char *to = xasprintf("%s%s", as, suffixes[i]);
		if (link(from, to) < 0 && errno != ENOENT)
			return err_errno(e, errno, "cannot keep %s as %s", from, to);
	}
	return 0;
}

/* SQLite would take a log that is left for the new file's own. */
static void remove_logs(const char *path)
{
	for (size_t i = 1; i < ARRAY_SIZE(suffixes); i++) {
		auto_free char *file = xasprintf("%s%s", path, suffixes[i]);
		unlink(file);
	}
}

static int replace(
	const char *path, const char *fresh, int64_t now_ms, char **ret_kept, struct err *e)
{
	char at[CLOCK_TEXT_MAX];
	auto_free char *kept = xasprintf("%s.before-%s", path, clock_format(now_ms, at));
	bool was_there = access(path, F_OK) == 0;
	empty_log(path);
	int rc = keep(path, kept, e);
	if (rc < 0)
		return rc;
	remove_logs(path);
	if (rename(fresh, path) < 0)
		return err_errno(e, errno, "cannot move the copy to %s", path);
	rc = fs_sync_folder(path, e);
	if (rc == 0)
		*ret_kept = was_there ? TAKE(kept) : NULL;
	return rc;
}

int store_restore(
	const char *folder, const char *file, int64_t now_ms, char **ret_kept, struct err *e)
{
	auto_free char *path = fs_join(folder, "weir.db");
	auto_free char *fresh = fs_join(folder, "weir.db.restored");
	auto_free char *lock_path = fs_join(folder, "lock");
	auto_close int lock = -1;
	int rc = check_is_file(file, e);
	if (rc < 0)
		return rc;
	rc = fs_mkdirs(folder, 0700, e);
	if (rc == 0)
		rc = fs_lock(lock_path, &lock, e);
	if (rc < 0 && e->code == ERR_CONFLICT)
		return err_prefix(e, "a weir works on %s; stop it first", folder);
	if (rc < 0)
		return err_prefix(e, "state");
	remove_all(fresh); /* of one that was cut short */
	rc = take_copy(file, fresh, e);
	if (rc == 0)
		rc = replace(path, fresh, now_ms, ret_kept, e);
	return rc;
}
