/* A disk that is full: an error that says so, and everything that was committed. */
#include "fixture.h"

#include "db/db.h"
#include "store/internal.h"

static const char large[20000];

static char *filler(char c)
{
	char *s = xmemdupz(large, sizeof(large));

	memset(s, c, sizeof(large));
	return s;
}

/* No more pages than there are, and some. SQLite allows no fewer than it has. */
static void limit_pages(struct store *s, bool full)
{
	static const char none[] = "PRAGMA max_page_count = 1";
	static const char many[] = "PRAGMA max_page_count = 100000";
	struct db_stmt *q = full ? db_prepare(s->db, none) : db_prepare(s->db, many);

	assert_int_equal(db_step(q, NULL), 1);
	db_reset(q);
}

static void assert_full(struct fixture *f, int rc)
{
	assert_int_equal(rc, -ERR_IO);
	assert_true(f->e.retriable);
	assert_non_null(strstr(f->e.msg, "the disk is full"));
	err_clear(&f->e);
}

/* Every function that writes, with more than fits. */
static void check_writers(struct fixture *f, const char *much)
{
	char *text = (char *)(uintptr_t)much;
	const struct store_row row = {.name = text};
	const struct intent intent = {.id = 1, .name = text};
	const struct outbox_row status = {.sha = text, .context = text, .text = text};

	assert_full(f, store_set(f->ours, "key", much, &f->e));
	assert_full(f, store_put_row(f->ours, &row, &f->e));
	assert_full(f, store_put_accepted(f->ours, "name", much, &f->e));
	assert_full(f, store_put_intent(f->ours, &intent, &f->e));
	assert_full(f, store_put_outbox(f->ours, &status, &f->e));
	const struct event event = {.what = text};
	const struct suspension suspension = {.name = text, .reason = text, .by = text};
	const struct approval approval = {
		.digest = text, .name = text, .action = text, .by = text, .reason = text};
	assert_full(f, store_add_event(f->ours, &event, &f->e));
	assert_full(f, store_put_suspension(f->ours, &suspension, &f->e));
	assert_full(f, store_put_approval(f->ours, &approval, &f->e));
}

static void test_what_does_not_fit_is_an_error_and_the_rest_stays(void **state)
{
	struct fixture *f = *state;
	auto_free char *much = filler('x');
	auto_free char *value = NULL;

	assert_int_equal(store_set(f->ours, "head", "abc", NULL), 0);
	limit_pages(f->ours, true);
	check_writers(f, much);
	limit_pages(f->ours, false);
	assert_int_equal(store_set(f->ours, "key", much, NULL), 0);
	fixture_reopen(f);
	assert_int_equal(store_get(f->ours, "head", &value, NULL), 0);
	assert_string_equal(value, "abc");
	str_replace(&value, NULL);
	assert_int_equal(store_get(f->ours, "key", &value, NULL), 0);
	assert_string_equal(value, much);
}

static void test_transaction_that_does_not_fit_leaves_nothing(void **state)
{
	struct fixture *f = *state;
	auto_free char *much = filler('x');
	auto_free char *value = NULL;

	assert_int_equal(store_set(f->ours, "head", "abc", NULL), 0);
	limit_pages(f->ours, true);
	assert_int_equal(store_begin(f->ours, NULL), 0);
	assert_int_equal(store_set(f->ours, "head", "def", NULL), 0);
	assert_full(f, store_put_accepted(f->ours, "name", much, &f->e));
	store_rollback(f->ours);
	assert_int_equal(store_get(f->ours, "head", &value, NULL), 0);
	assert_string_equal(value, "abc");
	limit_pages(f->ours, false);
	assert_int_equal(store_begin(f->ours, NULL), 0);
	assert_int_equal(store_put_accepted(f->ours, "name", much, NULL), 0);
	assert_int_equal(store_commit(f->ours, NULL), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_with_fixture(test_what_does_not_fit_is_an_error_and_the_rest_stays),
		test_with_fixture(test_transaction_that_does_not_fit_leaves_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
