/* Statements: what is bound comes back, what is cached is found, what fails says so. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/alloc.h"
#include "db/db.h"

static const char *const migrations[] = {
	"CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT UNIQUE, data BLOB);"
	"CREATE TABLE part (item INTEGER NOT NULL REFERENCES item (id))",
};

static const char insert[] = "INSERT INTO item (name, data) VALUES (?1, ?2)";

static int open_db(void **state)
{
	return db_open(NULL, migrations, 1, (struct db **)state, NULL);
}

static int close_db(void **state)
{
	db_close(*state);
	return 0;
}

static int add(struct db *db, const char *name, struct err *e)
{
	struct db_stmt *s = db_prepare(db, insert);

	db_bind_text(s, 1, name);
	return db_run(s, e);
}

static void test_values_come_back_as_bound(void **state)
{
	static const unsigned char bytes[] = {0, 1, 255, 0};
	struct db_stmt *s = db_prepare(*state, "SELECT ?1, ?2, ?3, ?4, ?5, ?6");
	size_t len;

	db_bind_text(s, 1, "naïve 'text'");
	db_bind_blob(s, 2, bytes, sizeof(bytes));
	db_bind_int(s, 3, INT64_MIN);
	db_bind_text(s, 5, NULL);
	db_bind_blob(s, 6, NULL, 0);
	assert_int_equal(db_step(s, NULL), 1);
	assert_string_equal(db_text(s, 0), "naïve 'text'");
	const void *blob = db_blob(s, 1, &len);
	assert_int_equal(len, sizeof(bytes));
	assert_memory_equal(blob, bytes, len);
	assert_true(db_int(s, 2) == INT64_MIN);
	assert_true(db_is_null(s, 3));
	assert_null(db_text(s, 3));
	assert_int_equal(db_int(s, 3), 0);
	assert_true(db_is_null(s, 4));
	assert_false(db_is_null(s, 5));
	db_blob(s, 5, &len);
	assert_int_equal(len, 0);
	assert_int_equal(db_step(s, NULL), 0);
}

static void test_bound_text_is_copied(void **state)
{
	struct db_stmt *s = db_prepare(*state, "SELECT ?1");
	char text[] = "before";

	db_bind_text(s, 1, text);
	memcpy(text, "after!", sizeof(text));
	assert_int_equal(db_step(s, NULL), 1);
	assert_string_equal(db_text(s, 0), "before");
}

static void test_statement_is_reused_and_clean_when_prepared_again(void **state)
{
	struct db_stmt *first = db_prepare(*state, insert);

	db_bind_text(first, 1, "a");
	struct db_stmt *again = db_prepare(*state, insert);
	assert_ptr_equal(first, again);
	assert_int_equal(db_run(again, NULL), 0);
	struct db_stmt *s = db_prepare(*state, "SELECT name FROM item");
	assert_int_equal(db_step(s, NULL), 1);
	assert_true(db_is_null(s, 0));
}

static void test_many_statements_live_side_by_side(void **state)
{
	char sql[100][32];
	struct db_stmt *s[100];

	for (int i = 0; i < 100; i++) {
		snprintf(sql[i], sizeof(sql[i]), "SELECT %d", i);
		s[i] = db_prepare(*state, sql[i]);
		assert_int_equal(db_step(s[i], NULL), 1);
	}
	for (int i = 0; i < 100; i++)
		assert_int_equal(db_int(s[i], 0), i);
}

static void test_rows_come_in_order_until_done(void **state)
{
	assert_int_equal(add(*state, "b", NULL), 0);
	assert_int_equal(db_last_rowid(*state), 1);
	assert_int_equal(add(*state, "a", NULL), 0);
	assert_int_equal(db_last_rowid(*state), 2);
	struct db_stmt *s = db_prepare(*state, "SELECT name FROM item ORDER BY name");
	assert_int_equal(db_step(s, NULL), 1);
	assert_string_equal(db_text(s, 0), "a");
	assert_int_equal(db_step(s, NULL), 1);
	assert_string_equal(db_text(s, 0), "b");
	assert_int_equal(db_step(s, NULL), 0);
	assert_int_equal(db_run(db_prepare(*state, "DELETE FROM item"), NULL), 0);
	assert_int_equal(db_changes(*state), 2);
}

static void test_conflict_when_not_unique(void **state)
{
	struct err e = ERR_INIT;

	assert_int_equal(add(*state, "same", NULL), 0);
	assert_int_equal(add(*state, "same", &e), -ERR_CONFLICT);
	assert_non_null(strstr(e.msg, "item.name"));
	assert_false(e.retriable);
	assert_int_equal(add(*state, "other", NULL), 0);
}

static void test_conflict_when_reference_is_missing(void **state)
{
	struct err e = ERR_INIT;

	assert_int_equal(
		db_run(db_prepare(*state, "INSERT INTO part VALUES (99)"), &e), -ERR_CONFLICT);
}

#define test(fn) cmocka_unit_test_setup_teardown(fn, open_db, close_db)

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(test_values_come_back_as_bound),
		test(test_bound_text_is_copied),
		test(test_statement_is_reused_and_clean_when_prepared_again),
		test(test_many_statements_live_side_by_side),
		test(test_rows_come_in_order_until_done),
		test(test_conflict_when_not_unique),
		test(test_conflict_when_reference_is_missing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
