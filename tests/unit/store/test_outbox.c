/* The outbox and the events. */
#include "fixture.h"

static void put(struct store *s, const char *sha, const char *context, struct outbox_row row)
{
	row.sha = (char *)(uintptr_t)sha;
	row.context = (char *)(uintptr_t)context;
	assert_int_equal(store_put_outbox(s, &row, NULL), 0);
}

static char *text(const char *s)
{
	return (char *)(uintptr_t)s;
}

static struct outbox_rows load(struct store *s, const char *head)
{
	struct outbox_rows rows = VEC_INIT;

	assert_int_equal(store_load_outbox(s, head, &rows, NULL), 0);
	return rows;
}

/* "sha/context …", in the order they come. */
static void assert_loaded(struct store *s, const char *head, const char *expected)
{
	struct outbox_rows rows = load(s, head);
	auto_buf struct buf got = BUF_INIT;

	vec_each (row, &rows)
		buf_addf(&got, "%s%s/%s", got.len ? " " : "", row->sha, row->context);
	outbox_rows_release(&rows);
	assert_string_equal(buf_str(&got), expected);
}

static struct outbox_row posted(enum status_state state, const char *what)
{
	return (struct outbox_row){.state = state,
		.text = text(what),
		.posted = true,
		.posted_state = state,
		.posted_text = text(what)};
}

static void test_status_comes_back_as_it_was_put(void **state)
{
	struct fixture *f = *state;
	const struct outbox_row row = {
		.state = STATUS_FAILURE,
		.text = text("one"),
		.posted = true,
		.posted_state = STATUS_ERROR,
		.posted_text = text("two"),
		.latched = true,
		.updated_ms = 1234567890123,
		.posts = 900,
		.refused = true,
	};

	put(f->ours, "abc", "weir/acme/sync", row);
	put(f->ours, "abc", "weir/acme/drift", (struct outbox_row){.text = text("")});
	fixture_reopen(f);
	struct outbox_rows rows = load(f->ours, "abc");
	assert_int_equal(rows.n, 2);
	const struct outbox_row *bare = &rows.at[0], *full = &rows.at[1];
	assert_string_equal(bare->context, "weir/acme/drift");
	assert_int_equal(bare->state, STATUS_PENDING);
	assert_false(bare->posted || bare->latched || bare->refused);
	assert_int_equal(bare->posts, 0);
	assert_null(bare->posted_text);
	assert_string_equal(full->sha, "abc");
	assert_int_equal(full->state, STATUS_FAILURE);
	assert_string_equal(full->text, "one");
	assert_true(full->posted);
	assert_int_equal(full->posted_state, STATUS_ERROR);
	assert_string_equal(full->posted_text, "two");
	assert_true(full->latched);
	assert_int_equal(full->updated_ms, 1234567890123);
	assert_int_equal(full->posts, 900);
	assert_true(full->refused);
	outbox_rows_release(&rows);
}

static void test_status_is_replaced(void **state)
{
	struct fixture *f = *state;

	put(f->ours, "abc", "c", posted(STATUS_FAILURE, "old"));
	put(f->ours, "abc", "c", posted(STATUS_SUCCESS, "new"));
	struct outbox_rows rows = load(f->ours, "abc");
	assert_int_equal(rows.n, 1);
	assert_string_equal(rows.at[0].text, "new");
	outbox_rows_release(&rows);
}

static void test_head_comes_whole_and_of_others_what_is_not_finished(void **state)
{
	struct fixture *f = *state;
	struct outbox_row row;

	put(f->ours, "head", "c", posted(STATUS_SUCCESS, "x"));
	put(f->ours, "finished", "c", posted(STATUS_SUCCESS, "x"));
	put(f->ours, "pending", "c", posted(STATUS_PENDING, "x"));
	row = posted(STATUS_SUCCESS, "x");
	row.posted = false;
	put(f->ours, "new", "c", row);
	row = posted(STATUS_SUCCESS, "x");
	row.posted_state = STATUS_FAILURE;
	put(f->ours, "state", "c", row);
	row = posted(STATUS_SUCCESS, "x");
	row.posted_text = text("y");
	put(f->ours, "text", "c", row);
	row.posted_text = NULL;
	put(f->ours, "textless", "c", row);
	assert_loaded(f->ours, "head", "head/c new/c pending/c state/c text/c textless/c");
	assert_loaded(f->ours, "", "new/c pending/c state/c text/c textless/c");
	assert_loaded(f->ours, "finished", "finished/c new/c pending/c state/c text/c textless/c");
	assert_loaded(f->other, "head", "");
}

static void test_oldest_comes_first(void **state)
{
	struct fixture *f = *state;

	put(f->ours, "a", "c", (struct outbox_row){.text = text(""), .updated_ms = 3});
	put(f->ours, "b", "d", (struct outbox_row){.text = text(""), .updated_ms = 1});
	put(f->ours, "b", "c", (struct outbox_row){.text = text(""), .updated_ms = 1});
	put(f->ours, "c", "c", (struct outbox_row){.text = text(""), .updated_ms = 2});
	assert_loaded(f->ours, "", "b/c b/d c/c a/c");
}

static void test_states_have_the_names_that_forges_know(void **state)
{
	(void)state;
	assert_string_equal(status_state_name(STATUS_PENDING), "pending");
	assert_string_equal(status_state_name(STATUS_SUCCESS), "success");
	assert_string_equal(status_state_name(STATUS_FAILURE), "failure");
	assert_string_equal(status_state_name(STATUS_ERROR), "error");
	assert_string_equal(status_state_name(STATUS__COUNT), "unknown");
}

static void add_event(struct store *s, int64_t at_ms, const char *name, const char *what)
{
	char sha[] = "abc";
	struct event event = {.at_ms = at_ms, .name = xstrdup_opt(name), .what = xstrdup(what)};

	event.sha = sha;
	assert_int_equal(store_add_event(s, &event, NULL), 0);
	free(event.name);
	free(event.what);
}

/* The `what` of each, in the order they come. */
static void assert_events(struct store *s, const char *name, size_t most, const char *expected)
{
	struct events events = VEC_INIT;
	auto_buf struct buf got = BUF_INIT;

	assert_int_equal(store_load_events(s, name, most, &events, NULL), 0);
	vec_each (event, &events)
		buf_addf(&got, "%s%s", got.len ? " " : "", event->what);
	events_release(&events);
	assert_string_equal(buf_str(&got), expected);
}

static void test_event_comes_back_as_it_was_put(void **state)
{
	struct fixture *f = *state;
	struct events events = VEC_INIT;

	char name[] = "orders", sha[] = "abc", what[] = "resumed", detail[] = "well again";
	char by[] = "jane", taken[] = "taken";
	const struct event resumed = {
		.at_ms = 7, .name = name, .sha = sha, .what = what, .detail = detail, .by = by};
	const struct event bare = {.at_ms = 8, .what = taken};

	assert_int_equal(store_add_event(f->ours, &resumed, NULL), 0);
	assert_int_equal(store_add_event(f->ours, &bare, NULL), 0);
	fixture_reopen(f);
	assert_int_equal(store_load_events(f->ours, NULL, 10, &events, NULL), 0);
	assert_int_equal(events.n, 2);
	assert_null(events.at[0].name);
	assert_null(events.at[0].sha);
	assert_null(events.at[0].detail);
	assert_null(events.at[0].by);
	assert_int_equal(events.at[1].at_ms, 7);
	assert_string_equal(events.at[1].name, "orders");
	assert_string_equal(events.at[1].sha, "abc");
	assert_string_equal(events.at[1].what, "resumed");
	assert_string_equal(events.at[1].detail, "well again");
	assert_string_equal(events.at[1].by, "jane");
	events_release(&events);
}

static void test_newest_events_come_first_and_no_more_than_asked(void **state)
{
	struct fixture *f = *state;

	add_event(f->ours, 3, "a", "one"); /* clocks may go back: the order is that of adding */
	add_event(f->ours, 1, "b", "two");
	add_event(f->ours, 2, "a", "three");
	add_event(f->other, 9, "a", "four");
	assert_events(f->ours, NULL, 10, "three two one");
	assert_events(f->ours, NULL, 2, "three two");
	assert_events(f->ours, "a", 10, "three one");
	assert_events(f->ours, "c", 10, "");
	assert_events(f->other, NULL, 10, "four");
}

static void test_event_of_a_commit_is_found_however_many_came_since(void **state)
{
	struct fixture *f = *state;
	int64_t at_ms = -1;

	add_event(f->ours, 3, NULL, "taken");
	add_event(f->ours, 4, NULL, "taken");
	add_event(f->ours, 5, "orders", "taken");
	add_event(f->other, 6, NULL, "taken");
	for (int i = 0; i < 2000; i++)
		add_event(f->ours, 7, "orders", "healthy");
	assert_int_equal(store_commit_event(f->ours, "abc", "taken", &at_ms, NULL), 0);
	assert_int_equal(at_ms, 4);
	assert_int_equal(store_commit_event(f->ours, "abc", "rewound", &at_ms, NULL), 0);
	assert_int_equal(at_ms, 0);
	assert_int_equal(store_commit_event(f->ours, "def", "taken", &at_ms, NULL), 0);
	assert_int_equal(at_ms, 0);
}

static void test_a_claim_is_seen_by_every_scope(void **state)
{
	struct fixture *f = *state;
	auto_free char *none = NULL, *claim = NULL;

	assert_int_equal(store_get_claim(f->ours, &none, NULL), 0);
	assert_null(none);
	assert_int_equal(store_put_claim(f->other, "another notes", NULL), 0);
	assert_int_equal(store_get_claim(f->ours, &claim, NULL), 0);
	assert_string_equal(claim, "another notes");
}

static void test_what_another_scope_said_since_of_an_old_commit_stays(void **state)
{
	struct fixture *f = *state;
	struct outbox_row row = {.state = STATUS_PENDING, .text = text("0/1"), .updated_ms = 1};

	put(f->ours, "both", "weir/acme/sync", row);
	put(f->ours, "head", "weir/acme/sync", row);
	put(f->ours, "only-ours", "weir/acme/sync", row);
	row.updated_ms = 2;
	put(f->other, "both", "weir/acme/sync", row);
	put(f->other, "head", "weir/acme/sync", row);
	assert_loaded(f->ours, "head", "head/weir/acme/sync only-ours/weir/acme/sync");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_with_fixture(test_status_comes_back_as_it_was_put),
		test_with_fixture(test_status_is_replaced),
		test_with_fixture(test_head_comes_whole_and_of_others_what_is_not_finished),
		test_with_fixture(test_oldest_comes_first),
		cmocka_unit_test(test_states_have_the_names_that_forges_know),
		test_with_fixture(test_event_comes_back_as_it_was_put),
		test_with_fixture(test_newest_events_come_first_and_no_more_than_asked),
		test_with_fixture(test_event_of_a_commit_is_found_however_many_came_since),
		test_with_fixture(test_a_claim_is_seen_by_every_scope),
		test_with_fixture(test_what_another_scope_said_since_of_an_old_commit_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
