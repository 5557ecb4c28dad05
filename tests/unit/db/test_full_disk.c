/* A full disk: an error that says so, nothing lost, and work goes on once there is room. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>
#include <cmocka.h>

#include "db/db.h"
#include "folder.h"

static const char *const migrations[] = {"CREATE TABLE item (n INTEGER PRIMARY KEY, data TEXT)"};
static const char text[4000];

static int add(struct db *db, int64_t n, struct err *e)
{
	struct db_stmt *s = db_prepare(db, "INSERT INTO item VALUES (?1, ?2)");

	db_bind_int(s, 1, n);
	db_bind_blob(s, 2, text, sizeof(text));
	return db_run(s, e);
}

static int64_t count(struct db *db)
{
	struct db_stmt *s = db_prepare(db, "SELECT count(*) FROM item");

	assert_int_equal(db_step(s, NULL), 1);
	int64_t n = db_int(s, 0);
	db_reset(s);
	return n;
}

static void assert_says_full(const struct err *e)
{
	assert_int_equal(e->code, ERR_IO);
	assert_true(e->retriable);
	assert_non_null(strstr(e->msg, "the disk is full"));
}

static void assert_cannot_open(const char *path)
{
	struct err e = ERR_INIT;
	struct db *db = NULL;

	assert_int_equal(db_open(path, migrations, 1, &db, &e), -ERR_IO);
	assert_says_full(&e);
}

static struct db *open_at(const char *path)
{
	struct db *db = NULL;

	assert_int_equal(db_open(path, migrations, 1, &db, NULL), 0);
	return db;
}

/* Adds until it fails; returns how many rows were committed. */
static int64_t fill(struct db *db)
{
	struct err e = ERR_INIT;
	int64_t n = count(db);

	for (int i = 0; i < 10000; i++) {
		if (add(db, n, &e) < 0) {
			assert_says_full(&e);
			assert_int_equal(count(db), n);
			return n;
		}
		n++;
	}
	fail_msg("the disk never got full");
	return 0;
}

/* In a transaction that hits the end, no step may be saved, not even those after the failure. */
static void check_transaction(struct db *db, int64_t n)
{
	struct err e = ERR_INIT, later = ERR_INIT, end = ERR_INIT;
	int rc = 0;

	assert_int_equal(db_begin(db, NULL), 0);
	for (int64_t i = n; i < n + 10000 && rc == 0; i++)
		rc = add(db, i, &e);
	assert_says_full(&e);
	static const char small[] = "INSERT INTO item VALUES (999999, 'small')";
	assert_int_equal(db_run(db_prepare(db, small), &later), -ERR_IO);
	assert_says_full(&later);
	assert_int_equal(db_commit(db, &end), -ERR_IO);
	assert_says_full(&end);
	assert_int_equal(count(db), n);
}

static void test_full_when_pages_run_out(void **state)
{
	auto_free char *path = fs_join(*state, "store.db");
	struct db *db = open_at(path);

	assert_int_equal(db_step(db_prepare(db, "PRAGMA max_page_count = 30"), NULL), 1);
	int64_t n = fill(db);
	check_transaction(db, n);
	assert_int_equal(db_step(db_prepare(db, "PRAGMA max_page_count = 100"), NULL), 1);
	assert_int_equal(add(db, n, NULL), 0);
	assert_int_equal(count(db), n + 1);
	db_close(db);
}

/* A file system of its own, if we may: seen by this process only, gone with it. */
static void mount_tiny(const char *path)
{
	if (unshare(CLONE_NEWNS) < 0 && unshare(CLONE_NEWUSER | CLONE_NEWNS) < 0)
		skip();
	if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
		mount("tmpfs", path, "tmpfs", 0, "size=512k,mode=0700") < 0)
		skip();
}

/* Takes all the room that is left. */
static void write_ballast(const char *path)
{
	auto_close int fd = open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);

	assert_true(fd >= 0);
	while (write(fd, text, sizeof(text)) > 0)
		;
	while (write(fd, text, 1) > 0)
		;
	assert_int_equal(errno, ENOSPC);
}

static void check_on_full_mount(const char *folder)
{
	auto_free char *path = fs_join(folder, "store.db");
	auto_free char *another = fs_join(folder, "another.db");
	auto_free char *ballast = fs_join(folder, "ballast");

	struct db *db = open_at(path);
	assert_int_equal(add(db, 0, NULL), 0);
	db_close(db);
	write_ballast(ballast);
	/* No room for a database, and none for the files beside one. */
	assert_cannot_open(another);
	assert_cannot_open(path);
	assert_int_equal(unlink(ballast), 0);

	db = open_at(path);
	assert_int_equal(count(db), 1);
	write_ballast(ballast);
	int64_t n = fill(db);
	check_transaction(db, n);
	db_close(db);
	assert_int_equal(unlink(ballast), 0);

	db = open_at(path);
	assert_int_equal(count(db), n);
	assert_int_equal(add(db, n, NULL), 0);
	db_close(db);
}

static void test_full_when_the_file_system_is(void **state)
{
	mount_tiny(*state);
	check_on_full_mount(*state);
	assert_int_equal(umount(*state), 0);
}

static void test_full_when_a_copy_does_not_fit(void **state)
{
	struct err e = ERR_INIT;

	mount_tiny(*state);
	auto_free char *path = fs_join(*state, "copy");
	struct db *db = open_at(NULL);
	for (int64_t i = 0; i < 300; i++)
		assert_int_equal(add(db, i, NULL), 0);
	assert_int_equal(db_copy(db, path, &e), -ERR_IO);
	assert_says_full(&e);
	assert_non_null(strstr(e.msg, path));
	assert_int_equal(access(path, F_OK), -1);
	db_close(db);
	assert_int_equal(umount(*state), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_in_folder(test_full_when_pages_run_out),
		test_in_folder(test_full_when_the_file_system_is),
		test_in_folder(test_full_when_a_copy_does_not_fit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
