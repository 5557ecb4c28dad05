/* Opening the store: who may, who has to wait, and files that are not to be touched. */
#include "fixture.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "db/db.h"

static void test_second_daemon_is_told_who_has_it(void **state)
{
	struct fixture *f = *state;
	struct store *second = NULL;
	auto_free char *pid = xasprintf("%ld", (long)getpid());

	assert_int_equal(store_open(f->folder, "scope", &second, &f->e), -ERR_CONFLICT);
	assert_null(second);
	assert_non_null(strstr(f->e.msg, "another weir works on "));
	assert_non_null(strstr(f->e.msg, f->folder));
	assert_non_null(strstr(f->e.msg, pid));
}

static void test_another_scope_in_one_folder_is_a_second_daemon_too(void **state)
{
	struct fixture *f = *state;
	struct store *second = NULL;

	assert_int_equal(store_open(f->folder, "another", &second, &f->e), -ERR_CONFLICT);
}

static void test_lock_goes_with_the_store(void **state)
{
	struct fixture *f = *state;

	fixture_reopen(f);
	assert_non_null(f->ours);
}

static void test_looking_needs_no_lock(void **state)
{
	struct fixture *f = *state;
	struct store *looking = NULL;
	auto_free char *value = NULL;

	assert_int_equal(store_set(f->ours, "head", "abc", NULL), 0);
	assert_int_equal(store_open_shared(f->folder, "scope", &looking, NULL), 0);
	assert_int_equal(store_get(looking, "head", &value, NULL), 0);
	assert_string_equal(value, "abc");
	/* What is written meanwhile shows. */
	assert_int_equal(store_set(f->ours, "head", "def", NULL), 0);
	str_replace(&value, NULL);
	assert_int_equal(store_get(looking, "head", &value, NULL), 0);
	assert_string_equal(value, "def");
	store_close(looking);
}

static void test_looking_makes_no_store(void **state)
{
	struct fixture *f = *state;
	auto_free char *empty = fs_join(f->folder, "empty");
	auto_free char *file = fs_join(empty, "weir.db");
	struct store *looking = NULL;

	assert_int_equal(store_open_shared(empty, "scope", &looking, &f->e), -ERR_NOT_FOUND);
	assert_non_null(strstr(f->e.msg, "weir has not run with this state"));
	assert_int_equal(fs_mkdirs(empty, 0700, NULL), 0);
	err_clear(&f->e);
	assert_int_equal(store_open_shared(empty, "scope", &looking, &f->e), -ERR_NOT_FOUND);
	assert_int_equal(access(file, F_OK), -1);
}

/* An empty one is of the oldest version there is. */
static void test_looking_leaves_an_older_store_as_it_is(void **state)
{
	struct fixture *f = *state;
	auto_free char *file = fs_join(f->folder, "weir.db");
	auto_free char *value = NULL;
	struct store *looking = NULL;
	struct stat st;

	fixture_close(f);
	assert_int_equal(fs_write(file, "", 0, 0600, NULL), 0);
	assert_int_equal(store_open_shared(f->folder, "scope", &looking, &f->e), 0);
	assert_int_equal(store_get(looking, "head", &value, &f->e), 0);
	assert_null(value);
	store_close(looking);
	assert_int_equal(stat(file, &st), 0);
	assert_int_equal(st.st_size, 0);
}

static void test_folders_are_made_for_nobody_else(void **state)
{
	struct fixture *f = *state;
	auto_free char *deep = fs_join(f->folder, "a/b/state");
	auto_free char *file = fs_join(deep, "weir.db");
	struct store *s = NULL;
	struct stat st;

	assert_int_equal(store_open(deep, "scope", &s, NULL), 0);
	assert_int_equal(stat(deep, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0700);
	assert_int_equal(stat(file, &st), 0);
	assert_int_equal(st.st_mode & 0077, 0);
	store_close(s);
}

static void test_folder_that_cannot_be_made_is_an_error(void **state)
{
	struct fixture *f = *state;
	struct store *s = NULL;

	assert_true(store_open("/dev/null/state", "scope", &s, &f->e) < 0);
	assert_null(s);
	assert_non_null(strstr(f->e.msg, "state: "));
}

/* Whatever the file was, it stays that, and the lock is free again. */
static void assert_refused(struct fixture *f, enum err_code code, const char *says)
{
	struct store *s = NULL;

	for (int i = 0; i < 2; i++) {
		err_clear(&f->e);
		assert_int_equal(store_open(f->folder, "scope", &s, &f->e), -(int)code);
		assert_non_null(strstr(f->e.msg, "store: "));
		assert_non_null(strstr(f->e.msg, says));
		err_clear(&f->e);
		assert_int_equal(store_open_shared(f->folder, "scope", &s, &f->e), -(int)code);
		assert_non_null(strstr(f->e.msg, says));
	}
}

static char *store_file(const struct fixture *f)
{
	return fs_join(f->folder, "weir.db");
}

static void test_store_of_a_newer_version_is_left_alone(void **state)
{
	struct fixture *f = *state;
	auto_free char *file = store_file(f);
	static const char *const newer[] = {
		"", "", "", "", "", "", "", "", "", "", "CREATE TABLE of_the_future (n INTEGER)"};
	struct db *db = NULL;

	fixture_close(f);
	assert_int_equal(db_open(file, newer, ARRAY_SIZE(newer), &db, NULL), 0);
	db_close(db);
	assert_refused(f, ERR_CONFLICT, "of a newer release");

	assert_int_equal(db_open(file, newer, ARRAY_SIZE(newer), &db, NULL), 0);
	assert_int_equal(db_run(db_prepare(db, "DELETE FROM of_the_future"), NULL), 0);
	db_close(db);
}

static void test_file_that_is_no_database_is_left_alone(void **state)
{
	struct fixture *f = *state;
	auto_free char *file = store_file(f);
	auto_buf struct buf content = BUF_INIT;
	static const char text[] = "This is not a database, and longer than the header of one is: "
				   "a hundred bytes are the least it takes to see that.";

	fixture_close(f);
	assert_int_equal(fs_write(file, text, strlen(text), 0600, NULL), 0);
	assert_refused(f, ERR_IO, "weir.db");
	assert_int_equal(fs_read(file, &content, NULL), 0);
	assert_string_equal(buf_str(&content), text);
}

static void test_empty_file_becomes_a_store(void **state)
{
	struct fixture *f = *state;
	auto_free char *file = store_file(f);

	fixture_close(f);
	assert_int_equal(fs_write(file, "", 0, 0600, NULL), 0);
	fixture_open(f);
	assert_int_equal(store_set(f->ours, "head", "abc", NULL), 0);
}

/* What a kill -9 in the middle leaves: nothing of the transaction. */
static void test_transaction_is_whole_or_not_there(void **state)
{
	struct fixture *f = *state;
	auto_free char *one = NULL, *two = NULL;

	assert_int_equal(store_begin(f->ours, NULL), 0);
	assert_int_equal(store_set(f->ours, "one", "1", NULL), 0);
	store_rollback(f->ours);
	assert_int_equal(store_begin(f->ours, NULL), 0);
	assert_int_equal(store_set(f->ours, "two", "2", NULL), 0);
	assert_int_equal(store_commit(f->ours, NULL), 0);
	assert_int_equal(store_begin(f->ours, NULL), 0);
	assert_int_equal(store_set(f->ours, "two", "3", NULL), 0);
	fixture_reopen(f);
	assert_int_equal(store_get(f->ours, "one", &one, NULL), 0);
	assert_int_equal(store_get(f->ours, "two", &two, NULL), 0);
	assert_null(one);
	assert_string_equal(two, "2");
}

static void test_store_in_memory_is_nobody_elses(void **state)
{
	struct store *a = NULL, *b = NULL;
	auto_free char *value = NULL;

	(void)state;
	assert_int_equal(store_open_memory("scope", &a, NULL), 0);
	assert_int_equal(store_open_memory("scope", &b, NULL), 0);
	assert_int_equal(store_set(a, "head", "abc", NULL), 0);
	assert_int_equal(store_get(b, "head", &value, NULL), 0);
	assert_null(value);
	store_close(a);
	store_close(b);
	store_close(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_with_fixture(test_second_daemon_is_told_who_has_it),
		test_with_fixture(test_another_scope_in_one_folder_is_a_second_daemon_too),
		test_with_fixture(test_lock_goes_with_the_store),
		test_with_fixture(test_looking_needs_no_lock),
		test_with_fixture(test_looking_makes_no_store),
		test_with_fixture(test_looking_leaves_an_older_store_as_it_is),
		test_with_fixture(test_folders_are_made_for_nobody_else),
		test_with_fixture(test_folder_that_cannot_be_made_is_an_error),
		test_with_fixture(test_store_of_a_newer_version_is_left_alone),
		test_with_fixture(test_file_that_is_no_database_is_left_alone),
		test_with_fixture(test_empty_file_becomes_a_store),
		test_with_fixture(test_transaction_is_whole_or_not_there),
		cmocka_unit_test(test_store_in_memory_is_nobody_elses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
