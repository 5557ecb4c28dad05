/* Trimming: what is old goes, and never what is still needed. */
#include "fixture.h"

#include <stdio.h>

#include "base/limits.h"
#include "db/db.h"
#include "store/internal.h"

#define DAY_MS ((int64_t)24 * 60 * 60 * 1000)
#define NOW    (1000 * DAY_MS)
#define OLD    (NOW - 400 * DAY_MS)

static int64_t count(struct store *s, const char *table)
{
	struct db_stmt *q =
		!strcmp(table, "event")	   ? db_prepare(s->db, "SELECT count(*) FROM event")
		: !strcmp(table, "intent") ? db_prepare(s->db, "SELECT count(*) FROM intent")
					   : db_prepare(s->db, "SELECT count(*) FROM outbox");
	assert_int_equal(db_step(q, NULL), 1);
	int64_t n = db_int(q, 0);
	db_reset(q);
	return n;
}

static void trim(struct store *s)
{
	bool more = true;

	while (more)
		assert_int_equal(store_trim(s, "head", NOW, &more, NULL), 0);
}

static void put_event(struct store *s, int64_t at_ms)
{
	const struct event event = {.at_ms = at_ms, .what = (char *)(uintptr_t) "happened"};

	assert_int_equal(store_add_event(s, &event, NULL), 0);
}

static void test_old_events_go(void **state)
{
	struct fixture *f = *state;

	for (int i = 0; i < 1200; i++)
		put_event(f->ours, OLD);
	put_event(f->ours, NOW);
	put_event(f->other, OLD);
	trim(f->ours);
	assert_int_equal(count(f->ours, "event"), 2);
}

static void test_events_that_are_too_many_go_oldest_first(void **state)
{
	struct fixture *f = *state;
	struct events events = VEC_INIT;

	assert_int_equal(store_begin(f->ours, NULL), 0);
	for (int i = 0; i < LIMIT_STORE_EVENTS + 700; i++)
		put_event(f->ours, NOW - DAY_MS + i);
	assert_int_equal(store_commit(f->ours, NULL), 0);
	trim(f->ours);
	assert_int_equal(count(f->ours, "event"), LIMIT_STORE_EVENTS);
	assert_int_equal(store_load_events(f->ours, NULL, 1, &events, NULL), 0);
	assert_int_equal(events.at[0].at_ms, NOW - DAY_MS + LIMIT_STORE_EVENTS + 699);
	events_release(&events);
}

static void put_intent(struct store *s, struct intent i)
{
	static int64_t id;

	i.id = ++id;
	i.created_ms = OLD;
	if (!i.name)
		i.name = (char *)(uintptr_t) "orders";
	assert_int_equal(store_put_intent(s, &i, NULL), 0);
}

static void test_ended_intents_go_but_those_that_are_needed(void **state)
{
	struct fixture *f = *state;
	char *key = (char *)(uintptr_t) "key", *uid = (char *)(uintptr_t) "uid";
	const struct store_row row = {
		.name = (char *)(uintptr_t) "orders", .uid = uid, .seen_generation = 5};
	int64_t attempt = 0;

	assert_int_equal(store_put_row(f->ours, &row, NULL), 0);
	put_intent(f->ours, (struct intent){.state = INTENT_DONE});
	put_intent(f->ours, (struct intent){.state = INTENT_FAILED, .key = key, .generation = 5});
	put_intent(f->ours,
		(struct intent){.state = INTENT_DONE, .key = key, .uid = uid, .generation = 4});
	put_intent(f->ours, (struct intent){.state = INTENT_DONE,
				    .name = (char *)(uintptr_t) "gone",
				    .key = key,
				    .generation = 5});
	trim(f->ours);
	assert_int_equal(count(f->ours, "intent"), 0);

	put_intent(f->ours, (struct intent){.state = INTENT_RUNNING});
	put_intent(
		f->ours, (struct intent){.state = INTENT_DONE, .sha = (char *)(uintptr_t) "head"});
	put_intent(f->ours, (struct intent){.state = INTENT_FAILED,
				    .key = key,
				    .uid = uid,
				    .generation = 5,
				    .attempt = 3});
	put_intent(f->ours,
		(struct intent){
			.state = INTENT_SUPERSEDED, .key = key, .uid = uid, .generation = 6});
	trim(f->ours);
	assert_int_equal(count(f->ours, "intent"), 4);
	const struct intent of = {
		.name = (char *)(uintptr_t) "orders", .uid = uid, .generation = 5};
	assert_int_equal(store_next_attempt(f->ours, &of, &attempt, NULL), 0);
	assert_int_equal(attempt, 3);
}

static void put_status(
	struct store *s, const char *sha, enum status_state state, bool posted, int64_t at_ms)
{
	struct outbox_row row = {
		.sha = (char *)(uintptr_t)sha,
		.context = (char *)(uintptr_t) "weir/acme/sync",
		.state = state,
		.text = (char *)(uintptr_t) "text",
		.posted = posted,
		.posted_state = state,
		.posted_text = (char *)(uintptr_t) "text",
		.updated_ms = at_ms,
	};

	assert_int_equal(store_put_outbox(s, &row, NULL), 0);
}

static void test_statuses_of_old_commits_go(void **state)
{
	struct fixture *f = *state;

	put_status(f->ours, "head", STATUS_SUCCESS, true, OLD);
	put_status(f->ours, "old", STATUS_SUCCESS, true, OLD);
	put_status(f->ours, "refused for ever", STATUS_FAILURE, false, OLD);
	put_status(f->ours, "pending", STATUS_PENDING, true, OLD);
	put_status(f->ours, "new", STATUS_SUCCESS, true, NOW);
	trim(f->ours);
	assert_int_equal(count(f->ours, "outbox"), 3);

	for (int i = 0; i < LIMIT_STORE_STATUSES + 5; i++) {
		char sha[32];

		snprintf(sha, sizeof(sha), "%d", i);
		put_status(f->ours, sha, STATUS_SUCCESS, i != 0, NOW + i);
	}
	trim(f->ours);
	assert_true(count(f->ours, "outbox") <= LIMIT_STORE_STATUSES + 4);
	struct outbox_rows rows = VEC_INIT;
	assert_int_equal(store_load_outbox(f->ours, "head", &rows, NULL), 0);
	assert_int_equal(rows.n, 3); /* the head's, what is pending, and what did not arrive yet */
	outbox_rows_release(&rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_with_fixture(test_old_events_go),
		test_with_fixture(test_events_that_are_too_many_go_oldest_first),
		test_with_fixture(test_ended_intents_go_but_those_that_are_needed),
		test_with_fixture(test_statuses_of_old_commits_go),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
