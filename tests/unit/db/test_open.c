/* Opening: migrations, and files that are not what they should be. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/buf.h"
#include "db/db.h"
#include "folder.h"

static const char *const migrations[] = {
	"CREATE TABLE item (name TEXT PRIMARY KEY); INSERT INTO item VALUES ('first')",
	"ALTER TABLE item ADD COLUMN size INTEGER; UPDATE item SET size = 7",
	"CREATE TABLE part (item TEXT NOT NULL REFERENCES item (name))",
};

static int64_t query(struct db *db, const char *literal)
{
	struct err e = ERR_INIT;
	struct db_stmt *s = db_prepare(db, literal);

	assert_int_equal(db_step(s, &e), 1);
	int64_t value = db_int(s, 0);
	db_reset(s);
	return value;
}

static struct db *open_at(const char *path, size_t n_migrations)
{
	struct err e = ERR_INIT;
	struct db *db = NULL;

	int rc = db_open(path, migrations, n_migrations, &db, &e);
	assert_string_equal(e.msg, "");
	assert_int_equal(rc, 0);
	return db;
}

static void assert_refused(const char *path, enum err_code code, const char *words)
{
	struct err e = ERR_INIT;
	struct db *db = NULL;

	assert_int_equal(db_open(path, migrations, ARRAY_SIZE(migrations), &db, &e), -(int)code);
	assert_null(db);
	assert_int_equal(e.code, code);
	assert_false(e.retriable);
	assert_non_null(strstr(e.msg, path));
	assert_non_null(strstr(e.msg, words));
}

static void write_file(const char *path, const void *data, size_t len)
{
	assert_int_equal(fs_write(path, data, len, 0600, NULL), 0);
}

static void read_file(const char *path, struct buf *out)
{
	buf_clear(out);
	assert_int_equal(fs_read(path, out, NULL), 0);
}

static void test_memory_when_no_path(void **state)
{
	(void)state;
	struct db *db = open_at(NULL, ARRAY_SIZE(migrations));

	assert_int_equal(query(db, "SELECT size FROM item"), 7);
	db_close(db);
}

static void test_migrations_run_once_each(void **state)
{
	auto_free char *path = fs_join(*state, "store.db");

	struct db *db = open_at(path, 1);
	assert_int_equal(query(db, "SELECT count(*) FROM item"), 1);
	db_close(db);

	db = open_at(path, 3);
	assert_int_equal(query(db, "PRAGMA user_version"), 3);
	assert_int_equal(query(db, "SELECT size FROM item"), 7);
	db_close(db);

	db = open_at(path, 3);
	assert_int_equal(query(db, "SELECT count(*) FROM item"), 1);
	db_close(db);
}

/* The file of a program that is older than the one that looks at it stays that one's. */
static void test_who_looks_on_changes_no_schema(void **state)
{
	auto_free char *path = fs_join(*state, "store.db");
	struct err e = ERR_INIT;
	struct db *older = open_at(path, 1);
	struct db *look = NULL;

	assert_int_equal(db_open_beside(path, migrations, 3, &look, &e), 0);
	assert_int_equal(query(look, "SELECT size FROM item WHERE name = 'first'"), 7);
	assert_int_equal(query(look, "PRAGMA foreign_keys"), 1);
	db_close(look);
	assert_int_equal(query(older, "PRAGMA user_version"), 1);
	db_close(older);
	older = open_at(path, 1);
	db_close(older);
}

static void test_who_looks_on_sees_what_is_written(void **state)
{
	auto_free char *path = fs_join(*state, "store.db");
	struct err e = ERR_INIT;
	struct db *db = open_at(path, 3);
	struct db *look = NULL;

	assert_int_equal(db_open_beside(path, migrations, 3, &look, &e), 0);
	assert_int_equal(db_run(db_prepare(db, "UPDATE item SET size = 8"), &e), 0);
	assert_int_equal(query(look, "SELECT size FROM item WHERE name = 'first'"), 8);
	db_close(look);
	db_close(db);
}

static void test_failed_migration_leaves_the_version_before(void **state)
{
	static const char *const failing[] = {
		"CREATE TABLE item (name TEXT PRIMARY KEY); INSERT INTO item VALUES ('a')",
		"DELETE FROM item; INSERT INTO item VALUES ('b'); INSERT INTO item VALUES ('b')",
	};
	auto_free char *path = fs_join(*state, "store.db");
	struct err e = ERR_INIT;
	struct db *db = NULL;

	assert_int_equal(db_open(path, failing, 2, &db, &e), -ERR_CONFLICT);
	assert_non_null(strstr(e.msg, "item.name"));
	assert_int_equal(db_open(path, failing, 1, &db, NULL), 0);
	assert_int_equal(query(db, "PRAGMA user_version"), 1);
	assert_int_equal(query(db, "SELECT count(*) FROM item WHERE name = 'a'"), 1);
	db_close(db);
}

static void test_settings_that_keep_what_was_committed(void **state)
{
	auto_free char *path = fs_join(*state, "store.db");
	struct db *db = open_at(path, 3);
	struct db_stmt *s = db_prepare(db, "PRAGMA journal_mode");

	assert_int_equal(db_step(s, NULL), 1);
	assert_string_equal(db_text(s, 0), "wal");
	db_reset(s);
	assert_int_equal(query(db, "PRAGMA synchronous"), 2);
	assert_int_equal(query(db, "PRAGMA foreign_keys"), 1);
	assert_int_equal(query(db, "PRAGMA busy_timeout"), 5000);
	db_close(db);
}

static void test_who_only_reads_waits_for_the_lock_too(void **state)
{
	static const char *const tables[] = {"item", NULL};
	auto_free char *path = fs_join(*state, "store.db");
	struct db *db = NULL;

	db_close(open_at(path, 3));
	assert_int_equal(db_open_to_read(path, tables, "mend it", &db, NULL), 0);
	assert_int_equal(query(db, "PRAGMA busy_timeout"), 5000);
	db_close(db);
}

static void test_file_is_for_its_owner_only(void **state)
{
	auto_free char *path = fs_join(*state, "store.db");
	auto_free char *wal = xasprintf("%s-wal", path);
	struct stat st;

	mode_t before = umask(0);
	struct db *db = open_at(path, 3);
	umask(before);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_int_equal(stat(wal, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	db_close(db);
}

static void test_refused_and_untouched_when_newer(void **state)
{
	static const char *const later[] = {
		"CREATE TABLE a (b)", "SELECT 1", "SELECT 1", "SELECT 1"};
	auto_free char *path = fs_join(*state, "store.db");
	auto_buf struct buf before = BUF_INIT, after = BUF_INIT;
	struct db *db = NULL;

	assert_int_equal(db_open(path, later, 4, &db, NULL), 0);
	db_close(db);
	read_file(path, &before);
	assert_refused(path, ERR_CONFLICT, "schema version 4, of a newer release");
	read_file(path, &after);
	assert_int_equal(before.len, after.len);
	assert_memory_equal(before.data, after.data, before.len);
}

static void test_refused_when_database_of_another_program(void **state)
{
	auto_free char *path = fs_join(*state, "store.db");
	struct db *db = open_at(path, 0);
	struct err e = ERR_INIT;

	assert_int_equal(db_run(db_prepare(db, "CREATE TABLE theirs (a)"), &e), 0);
	db_close(db);
	assert_refused(path, ERR_CONFLICT, "another program");
}

static void test_refused_and_untouched_when_no_database(void **state)
{
	auto_free char *path = fs_join(*state, "notes.txt");
	auto_buf struct buf text = BUF_INIT, after = BUF_INIT;

	buf_adds(&text, "short");
	write_file(path, text.data, text.len);
	assert_refused(path, ERR_IO, "is not a database");
	for (int i = 0; i < 3000; i++)
		buf_adds(&text, "not a database ");
	write_file(path, text.data, text.len);
	assert_refused(path, ERR_IO, "is not a database");
	read_file(path, &after);
	assert_string_equal(text.data, after.data);
}

static void test_refused_when_damaged(void **state)
{
	static const unsigned char noise[3 * 4096] = {0xa5, 0x5a};
	auto_free char *path = fs_join(*state, "store.db");
	auto_buf struct buf content = BUF_INIT;
	struct db *db = open_at(path, 3);

	db_close(db);
	read_file(path, &content);
	assert_true(content.len > 4096);
	/* Every page but the header of the first one. */
	memcpy(content.data + 100, noise, 4096 - 100);
	write_file(path, content.data, content.len);
	assert_refused(path, ERR_IO, "is damaged");
}

static void test_damage_is_an_error_when_found_later(void **state)
{
	auto_free char *path = fs_join(*state, "store.db");
	auto_buf struct buf content = BUF_INIT;
	struct err e = ERR_INIT;
	struct db *db = open_at(path, 3);

	db_close(db);
	read_file(path, &content);
	memset(content.data + 4096, 0xa5, content.len - 4096);
	write_file(path, content.data, content.len);
	db = open_at(path, 3);
	assert_int_equal(db_step(db_prepare(db, "SELECT name, size FROM item"), &e), -ERR_IO);
	assert_non_null(strstr(e.msg, "is damaged"));
	db_close(db);
}

static void test_error_when_folder_is_missing(void **state)
{
	auto_free char *path = fs_join(*state, "none/store.db");
	struct err e = ERR_INIT;
	struct db *db = NULL;

	assert_true(db_open(path, migrations, 3, &db, &e) < 0);
	assert_non_null(strstr(e.msg, path));
	assert_false(e.retriable);
}

static void test_error_when_path_is_a_folder(void **state)
{
	struct err e = ERR_INIT;
	struct db *db = NULL;

	assert_int_equal(db_open(*state, migrations, 3, &db, &e), -ERR_IO);
	assert_non_null(strstr(e.msg, *state));
}

/* Root may write anything, so another user has to try. */
static void test_error_when_not_writable(void **state)
{
	auto_free char *path = fs_join(*state, "store.db");

	db_close(open_at(path, 3));
	assert_int_equal(chmod(path, 0444), 0);
	assert_int_equal(chmod(*state, 0777), 0);
	bool root = geteuid() == 0;
	if (root)
		assert_int_equal(seteuid(65534), 0);
	assert_refused(path, ERR_IO, "check its owner and mode");
	if (root)
		assert_int_equal(seteuid(0), 0);
}

static void test_names_are_never_read_as_uri_when_relative(void **state)
{
	auto_free char *cwd = getcwd(NULL, 0);

	assert_int_equal(chdir(*state), 0);
	db_close(open_at("file:x.db?mode=memory", 3));
	db_close(open_at(":memory:", 3));
	assert_int_equal(access("file:x.db?mode=memory", F_OK), 0);
	assert_int_equal(access(":memory:", F_OK), 0);
	assert_int_equal(chdir(cwd), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_in_folder(test_memory_when_no_path),
		test_in_folder(test_migrations_run_once_each),
		test_in_folder(test_who_looks_on_changes_no_schema),
		test_in_folder(test_who_looks_on_sees_what_is_written),
		test_in_folder(test_failed_migration_leaves_the_version_before),
		test_in_folder(test_settings_that_keep_what_was_committed),
		test_in_folder(test_who_only_reads_waits_for_the_lock_too),
		test_in_folder(test_file_is_for_its_owner_only),
		test_in_folder(test_refused_and_untouched_when_newer),
		test_in_folder(test_refused_when_database_of_another_program),
		test_in_folder(test_refused_and_untouched_when_no_database),
		test_in_folder(test_refused_when_damaged),
		test_in_folder(test_damage_is_an_error_when_found_later),
		test_in_folder(test_error_when_folder_is_missing),
		test_in_folder(test_error_when_path_is_a_folder),
		test_in_folder(test_error_when_not_writable),
		test_in_folder(test_names_are_never_read_as_uri_when_relative),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
