/* Transactions: nesting, other handles, and a kill between the steps. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "db/db.h"
#include "folder.h"

static const char *const migrations[] = {"CREATE TABLE item (name TEXT UNIQUE)"};

static struct db *open_in(const char *folder)
{
	auto_free char *path = fs_join(folder, "store.db");
	struct err e = ERR_INIT;
	struct db *db = NULL;

	int rc = db_open(path, migrations, 1, &db, &e);
	assert_string_equal(e.msg, "");
	assert_int_equal(rc, 0);
	return db;
}

static int add(struct db *db, const char *name, struct err *e)
{
	struct db_stmt *s = db_prepare(db, "INSERT INTO item VALUES (?1)");

	db_bind_text(s, 1, name);
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

static void test_all_or_nothing(void **state)
{
	struct db *db = open_in(*state);

	assert_int_equal(db_begin(db, NULL), 0);
	assert_int_equal(add(db, "a", NULL), 0);
	db_rollback(db);
	assert_int_equal(count(db), 0);
	assert_int_equal(db_begin(db, NULL), 0);
	assert_int_equal(add(db, "a", NULL), 0);
	assert_int_equal(db_commit(db, NULL), 0);
	assert_int_equal(count(db), 1);
	db_close(db);
}

static void test_only_the_outermost_counts_when_nested(void **state)
{
	struct db *db = open_in(*state), *other = open_in(*state);

	assert_int_equal(db_begin(db, NULL), 0);
	assert_int_equal(db_begin(db, NULL), 0);
	assert_int_equal(add(db, "a", NULL), 0);
	assert_int_equal(db_commit(db, NULL), 0);
	assert_int_equal(count(other), 0);
	assert_int_equal(db_commit(db, NULL), 0);
	assert_int_equal(count(other), 1);
	db_close(other);
	db_close(db);
}

static void test_outer_fails_when_inner_was_rolled_back(void **state)
{
	struct db *db = open_in(*state);
	struct err e = ERR_INIT;

	assert_int_equal(db_begin(db, NULL), 0);
	assert_int_equal(add(db, "outer", NULL), 0);
	assert_int_equal(db_begin(db, NULL), 0);
	assert_int_equal(add(db, "inner", NULL), 0);
	db_rollback(db);
	assert_int_equal(add(db, "later", NULL), 0);
	assert_int_equal(db_commit(db, &e), -ERR_CANCELLED);
	assert_int_equal(count(db), 0);

	assert_int_equal(db_begin(db, NULL), 0);
	assert_int_equal(add(db, "anew", NULL), 0);
	assert_int_equal(db_commit(db, NULL), 0);
	assert_int_equal(count(db), 1);
	db_close(db);
}

static void test_goes_on_after_a_constraint(void **state)
{
	struct db *db = open_in(*state);

	assert_int_equal(db_begin(db, NULL), 0);
	assert_int_equal(add(db, "a", NULL), 0);
	assert_int_equal(add(db, "a", NULL), -ERR_CONFLICT);
	assert_int_equal(add(db, "b", NULL), 0);
	assert_int_equal(db_commit(db, NULL), 0);
	assert_int_equal(count(db), 2);
	db_close(db);
}

static void test_reader_keeps_its_view_while_another_writes(void **state)
{
	struct db *db = open_in(*state), *other = open_in(*state);

	assert_int_equal(add(db, "a", NULL), 0);
	struct db_stmt *s = db_prepare(other, "SELECT name FROM item");
	assert_int_equal(db_step(s, NULL), 1);
	assert_int_equal(add(db, "b", NULL), 0);
	assert_int_equal(db_step(s, NULL), 0);
	assert_int_equal(count(other), 2);
	db_close(other);
	db_close(db);
}

static void test_second_writer_is_told_to_wait(void **state)
{
	struct db *db = open_in(*state), *other = open_in(*state);
	struct err e = ERR_INIT;

	assert_int_equal(db_run(db_prepare(other, "PRAGMA busy_timeout = 0"), NULL), 0);
	assert_int_equal(db_begin(db, NULL), 0);
	assert_int_equal(db_begin(other, &e), -ERR_UNAVAILABLE);
	assert_true(e.retriable);
	assert_non_null(strstr(e.msg, "another program is writing"));
	assert_int_equal(db_commit(db, NULL), 0);
	assert_int_equal(db_begin(other, NULL), 0);
	assert_int_equal(db_commit(other, NULL), 0);
	db_close(other);
	db_close(db);
}

/* Commits "kept", begins "lost", and tells the parent that the moment has come. */
static _Noreturn void be_killed(const char *folder, int out)
{
	struct db *db = NULL;
	auto_free char *path = fs_join(folder, "store.db");

	/* Also when the test fails. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (db_open(path, migrations, 1, &db, NULL) < 0 || add(db, "kept", NULL) < 0 ||
		db_begin(db, NULL) < 0 || add(db, "lost", NULL) < 0 || write(out, "x", 1) != 1)
		_exit(1);
	for (;;)
		pause();
}

static void test_committed_is_there_and_the_rest_is_not_after_a_kill(void **state)
{
	int ends[2], status;
	char byte;

	assert_int_equal(pipe(ends), 0);
	pid_t child = fork();
	assert_true(child >= 0);
	if (child == 0)
		be_killed(*state, ends[1]);
	close(ends[1]);
	assert_int_equal(read(ends[0], &byte, 1), 1);
	close(ends[0]);
	assert_int_equal(kill(child, SIGKILL), 0);
	assert_int_equal(waitpid(child, &status, 0), child);

	struct db *db = open_in(*state);
	assert_int_equal(count(db), 1);
	assert_int_equal(add(db, "kept", NULL), -ERR_CONFLICT);
	db_close(db);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_in_folder(test_all_or_nothing),
		test_in_folder(test_only_the_outermost_counts_when_nested),
		test_in_folder(test_outer_fails_when_inner_was_rolled_back),
		test_in_folder(test_goes_on_after_a_constraint),
		test_in_folder(test_reader_keeps_its_view_while_another_writes),
		test_in_folder(test_second_writer_is_told_to_wait),
		test_in_folder(test_committed_is_there_and_the_rest_is_not_after_a_kill),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
