/* Statuses that come to an end, and say what is so. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/log.h"
#include "documents.h"
#include "reconcile/internal.h"
#include "world.h"

static void prune(struct world *w)
{
	w->config.sync.prune.enabled = true;
	w->config.sync.prune.max = (struct count_or_percent){.value = 5};
}

static void assert_begins(const char *note, const char *with)
{
	if (strncmp(note, with, strlen(with)) != 0)
		fail_msg("'%s' does not begin with '%s'", note, with);
}

static void test_a_delete_that_never_gets_through_is_not_pending_for_ever(void **state)
{
	struct world *w = *state;
	prune(w);
	world_start_with(w, TWO);
	world_fail(w, API_DELETE, MISHAP_500, 1000000);
	world_commit(w, ONE);
	world_run(w, 5 * MINUTE);
	assert_string_equal(world_note(w, "sync"), "pending deleting 1");
	world_run(w, 15 * MINUTE);
	assert_begins(world_note(w, "sync"), "error payments: to be deleted since 2026-09-21T");
	world_kill(w);
	world_start(w);
	world_run(w, 2 * MINUTE);
	assert_begins(world_note(w, "sync"), "error payments: to be deleted since 2026-09-21T");
	world_fail(w, API_DELETE, MISHAP_NONE, 0);
	world_run(w, 5 * MINUTE);
	assert_string_equal(world_note(w, "sync"), "success 1 in sync");
}

static void test_whoever_waits_for_such_a_delete_gets_an_end(void **state)
{
	struct world *w = *state;
	prune(w);
	world_start_with(w, TWO);
	world_kill(w);
	w->once = true;
	world_fail(w, API_DELETE, MISHAP_500, 1000000);
	world_commit(w, ONE);
	world_start(w);
	assert_true(world_settles(w, 30 * MINUTE));
	assert_begins(world_note(w, "sync"), "error payments: to be deleted since");
}

/* What was wished before it left Git does not make it late. */
static void test_a_delete_counts_from_when_it_was_wanted(void **state)
{
	struct world *w = *state;
	prune(w);
	world_start_with(w, TWO);
	world_fail(w, API_PATCH, MISHAP_500, 1000000);
	world_commit(w, ONE DOCUMENT("payments", "5"));
	world_run(w, 30 * MINUTE);
	world_fail(w, API_DELETE, MISHAP_500, 1000000);
	world_commit(w, ONE);
	world_run(w, 5 * MINUTE);
	assert_string_equal(world_note(w, "sync"), "pending deleting 1");
}

static void test_and_not_from_before_it_was_taken_back(void **state)
{
	struct world *w = *state;
	prune(w);
	world_start_with(w, TWO);
	world_fail(w, API_DELETE, MISHAP_500, 1000000);
	world_commit(w, ONE);
	world_run(w, 5 * MINUTE);
	world_commit(w, TWO DOCUMENT("sales", "1"));
	world_run(w, 20 * MINUTE);
	assert_begins(world_note(w, "sync"), "success 3 in sync");
	world_commit(w, ONE DOCUMENT("sales", "1"));
	world_run(w, 5 * MINUTE);
	assert_string_equal(world_note(w, "sync"), "pending deleting 1");
}

/* The API accepts it each time, and nothing comes of it. */
static void test_what_cannot_be_deleted_stays_a_failure_while_it_is_tried_again(void **state)
{
	struct world *w = *state;
	prune(w);
	world_start_with(w, TWO);
	w->call_ms = 3000;
	w->operation_ms = 1000 * MINUTE;
	world_commit(w, ONE);
	for (bool failed = false; world_count(w, API_DELETE) < 3;) {
		world_run(w, 1000);
		world_object(w, "payments")->deleting = false;
		const struct record *r = ledger_find(engine_ledger(w->engine), "payments");
		failed = failed || r->undeleted;
		if (failed && r->work != WORK_NONE && r->work < WORK_WATCH)
			assert_begins(world_note(w, "sync"), "failure payments: could not be");
	}
}

static void delete_for_ever(struct world *w, const char *name)
{
	world_object(w, name)->deleting = true;
	world_object(w, name)->gone_at = INT64_MAX;
}

static void test_what_others_delete_without_an_end_is_not_pending_for_ever(void **state)
{
	struct world *w = *state;
	world_start_with(w, TWO);
	delete_for_ever(w, "payments");
	world_commit(w, ONE);
	world_run(w, 5 * MINUTE);
	assert_string_equal(world_note(w, "sync"), "pending deleting 1");
	world_run(w, 15 * MINUTE);
	assert_begins(world_note(w, "sync"), "error payments: is being deleted since 2026-09-21T");
	world_object(w, "payments")->gone_at = w->now;
	world_run(w, 10 * MINUTE);
	assert_string_equal(world_note(w, "sync"), "success 1 in sync");
}

/* The commit that mends what was refused is under way, and did not fail. */
static void assert_mended_without_a_failure(struct world *w)
{
	w->call_ms = 2000;
	world_commit(w, DOCUMENT("orders", "6") DOCUMENT("payments", "10000"));
	for (unsigned i = 0; i < 300; i++) {
		world_run(w, 100);
		if (!strncmp(world_note(w, "sync"), "failure", 7))
			fail_msg("%s", world_note(w, "sync"));
	}
	assert_string_equal(world_note(w, "sync"), "success 2 in sync (1 changed)");
}

static void test_a_commit_that_mends_what_was_refused_does_not_begin_as_a_failure(void **state)
{
	struct world *w = *state;
	world_start_with(w, TWO);
	world_fail(w, API_PATCH, MISHAP_REFUSE, 1);
	world_commit(w, DOCUMENT("orders", "5") DOCUMENT("payments", "10000"));
	world_run(w, MINUTE);
	assert_begins(world_note(w, "sync"), "failure orders: the API refused it");
	assert_mended_without_a_failure(w);
}

static void test_nor_does_one_that_mends_what_ended_in_error(void **state)
{
	struct world *w = *state;
	world_start_with(w, TWO);
	w->fails = true;
	world_commit(w, DOCUMENT("orders", "5") DOCUMENT("payments", "10000"));
	world_run(w, MINUTE / 2);
	assert_begins(world_note(w, "sync"), "failure orders: ended in Error");
	w->fails = false;
	assert_mended_without_a_failure(w);
}

static void test_nor_does_one_that_takes_it_away(void **state)
{
	struct world *w = *state;
	prune(w);
	world_start_with(w, TWO);
	w->fails = true;
	world_commit(w, ONE DOCUMENT("payments", "5"));
	world_run(w, MINUTE / 2);
	assert_begins(world_note(w, "sync"), "failure payments: ended in Error");
	w->fails = false;
	w->call_ms = 2000;
	world_commit(w, ONE);
	for (unsigned i = 0; i < 300; i++) {
		world_run(w, 100);
		if (!strncmp(world_note(w, "sync"), "failure", 7))
			fail_msg("%s", world_note(w, "sync"));
	}
	assert_string_equal(world_note(w, "sync"), "success 1 in sync");
}

static void test_what_is_forbidden_stays_a_failure_while_it_is_tried_again(void **state)
{
	struct world *w = *state;
	w->call_ms = 2000;
	world_start_with(w, ONE);
	world_fail(w, API_PATCH, MISHAP_403, 1000000);
	world_commit(w, DOCUMENT("orders", "5"));
	world_run(w, MINUTE / 2);
	for (unsigned i = 0; i < 50; i++) {
		assert_begins(world_note(w, "sync"), "failure orders: ");
		world_run(w, 10000);
	}
	assert_true(world_count(w, API_PATCH) > 5);
}

static void test_a_mirror_that_cannot_be_read_is_not_the_fault_of_the_commit(void **state)
{
	struct world *w = *state;
	world_start_with(w, ONE);
	w->load_fails = ERR_IO;
	world_commit(w, TWO);
	world_run(w, MINUTE);
	assert_string_equal(world_note(w, "sync"), "error the tree cannot be read");
	w->load_fails = ERR_LIMIT;
	world_commit(w, TWO DOCUMENT("sales", "1"));
	world_run(w, MINUTE);
	assert_string_equal(world_note(w, "sync"), "failure the tree cannot be read");
}

/* What was posted meanwhile is not in the store. */
static void test_a_status_of_a_full_disk_does_not_outlive_it_in_the_forge(void **state)
{
	struct world *w = *state;
	world_store_on_disk(w);
	world_start_with(w, TWO);
	world_fill_disk(w, true);
	world_edit(w, "orders", "lag_alert_threshold", "7");
	world_run(w, 15 * MINUTE);
	assert_begins(world_note(w, "drift"), "error store");
	world_kill(w);
	world_fill_disk(w, false);
	world_edit(w, "orders", "lag_alert_threshold", "10000");
	world_start(w);
	world_run(w, 2 * MINUTE);
	assert_string_equal(world_note(w, "drift"), "success no drift");
}

/* Nobody would know after a restart that it was. */
static void test_nothing_is_a_success_for_good_before_that_is_on_disk(void **state)
{
	struct world *w = *state;
	world_store_on_disk(w);
	world_start_with(w, ONE);
	w->call_ms = 5000;
	world_commit(w, ONE "# the same\n");
	world_run(w, 4000);
	assert_begins(world_note(w, "sync"), "pending comparing");
	world_fill_disk(w, true);
	for (unsigned i = 0; i < 600; i++) {
		world_run(w, 500);
		if (!strncmp(world_note(w, "sync"), "success", 7))
			fail_msg("%s", world_note(w, "sync"));
	}
	assert_begins(world_note(w, "sync"), "error store");
	world_fill_disk(w, false);
	world_run(w, 2 * MINUTE);
	assert_string_equal(world_note(w, "sync"), "success 1 in sync");
}

static void test_a_stop_and_a_start_post_nothing_anew(void **state)
{
	struct world *w = *state;
	world_start_with(w, TWO);
	world_run(w, 10 * MINUTE);
	unsigned posts = w->posts;
	world_stop(w);
	world_start(w);
	world_run(w, 10 * MINUTE);
	assert_int_equal(w->posts, posts);
}

int main(void)
{
	log_setup(LOG__COUNT, LOG_TEXT);
#define TEST(f) cmocka_unit_test_setup_teardown(f, world_test_setup, world_test_teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_a_delete_that_never_gets_through_is_not_pending_for_ever),
		TEST(test_whoever_waits_for_such_a_delete_gets_an_end),
		TEST(test_a_delete_counts_from_when_it_was_wanted),
		TEST(test_and_not_from_before_it_was_taken_back),
		TEST(test_what_cannot_be_deleted_stays_a_failure_while_it_is_tried_again),
		TEST(test_what_others_delete_without_an_end_is_not_pending_for_ever),
		TEST(test_a_commit_that_mends_what_was_refused_does_not_begin_as_a_failure),
		TEST(test_nor_does_one_that_mends_what_ended_in_error),
		TEST(test_nor_does_one_that_takes_it_away),
		TEST(test_what_is_forbidden_stays_a_failure_while_it_is_tried_again),
		TEST(test_a_mirror_that_cannot_be_read_is_not_the_fault_of_the_commit),
		TEST(test_a_status_of_a_full_disk_does_not_outlive_it_in_the_forge),
		TEST(test_nothing_is_a_success_for_good_before_that_is_on_disk),
		TEST(test_a_stop_and_a_start_post_nothing_anew),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
