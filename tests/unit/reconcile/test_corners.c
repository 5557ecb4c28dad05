/* The engine where two things happen at once, something never ends, or others meddle. */
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

#define NEVER (10000 * MINUTE)

static const char *note_of(struct world *w, unsigned commit, const char *kind)
{
	auto_free char *key = xasprintf("%040u weir/acme/%s", commit, kind);
	const char *note = map_get(&w->notes, key);
	return note ? note : "";
}

/* The look at the old operation is answered between the plan for the new commit and its write. */
static void test_a_late_look_does_not_disturb_a_newer_write(void **state)
{
	struct world *w = *state;
	w->operation_ms = NEVER;
	w->holds = "orders";
	world_commit(w, ONE);
	world_start(w);
	world_run(w, 500); /* it is created, and its reconcile hangs */
	w->holds = NULL;
	world_run(w, 500);
	w->holds = "orders";
	world_run(w, 5000); /* the look is under way, and hangs */
	w->holds = NULL;
	w->operation_ms = 3000;
	w->newest_first = true;
	w->burst = 3; /* Git, the list, the look */
	world_commit(w, DOCUMENT("orders", "5000"));
	world_run(w, MINUTE);
	assert_string_equal(world_note(w, "sync"), "success 1 in sync (1 changed)");
	assert_int_equal(world_operations(w), 2);
	assert_int_equal(world_count(w, API_PATCH), 1);
}

/* What a draft of ours took away is nobody else's doing when the next one is saved on top of it. */
static void test_drafts_of_ours_on_each_other_are_started_together(void **state)
{
	struct world *w = *state;
	world_start_with(w, DOCUMENT("orders", "10000") "  topic_blacklist: [tmp]\n");
	world_fail(w, API_RECONCILE, MISHAP_401, 1);
	world_commit(w, DOCUMENT("orders", "10000"));
	world_run(w, 500); /* saved, and not started */
	assert_int_equal(world_object(w, "orders")->generation, 2);
	assert_int_equal(world_object(w, "orders")->observed, 1);
	world_fail(w, API_RECONCILE, MISHAP_401, 1);
	world_commit(w, DOCUMENT("orders", "5000"));
	world_run(w, 5 * MINUTE);
	assert_int_equal(world_object(w, "orders")->observed, 3);
	assert_string_equal(world_note(w, "sync"), "success 1 in sync (1 changed)");
}

static void test_what_was_deleted_by_others_is_made_again_once(void **state)
{
	struct world *w = *state;
	world_start_with(w, TWO);
	world_edit(w, "orders", "lag_alert_threshold", "7");
	world_run(w, 7 * MINUTE);
	assert_int_equal(world_object(w, "orders")->generation, 3);
	size_t lists = world_count(w, API_LIST);
	world_delete(w, "orders");
	world_run(w, 7 * MINUTE);
	assert_int_equal(world_object(w, "orders")->observed, 1);
	assert_string_equal(world_note(w, "drift"), "success no drift");
	assert_int_equal(world_count(w, API_CREATE), 3);
	assert_true(world_count(w, API_LIST) - lists <= 4);
}

static void test_what_was_made_again_is_not_adopted_but_ours(void **state)
{
	struct world *w = *state;
	world_start_with(w, ONE);
	world_edit(w, "orders", "lag_alert_threshold", "7");
	world_run(w, 7 * MINUTE);
	w->config.sync.adopt = ADOPT_NEVER;
	world_delete(w, "orders");
	world_run(w, 20 * MINUTE);
	assert_string_equal(world_note(w, "drift"), "success no drift");
}

static void test_a_failure_is_forgotten_with_its_object(void **state)
{
	struct world *w = *state;
	w->fails = true;
	world_start_with(w, ONE);
	auto_free char *body = xstrdup(world_object(w, "orders")->body);
	w->fails = false;
	world_delete(w, "orders");
	world_create(w, body);
	world_run(w, 20 * MINUTE);
	assert_int_equal(world_operations(w), 1);
	assert_string_equal(world_note(w, "sync"), "success 1 in sync");
}

/* A further attempt is waited for as the first one is. */
static void test_a_retry_that_hangs_is_asked_for_once_and_named(void **state)
{
	struct world *w = *state;
	w->fails = true;
	world_start_with(w, ONE);
	w->operation_ms = NEVER;
	world_run(w, 2 * MINUTE);
	assert_int_equal(world_operations(w), 2);
	assert_non_null(strstr(world_note(w, "sync"), "pending waiting for Healthy 0/1"));
	world_run(w, 30 * MINUTE);
	assert_non_null(strstr(world_note(w, "sync"), "error orders: not Healthy since "));
	assert_int_equal(world_operations(w), 2);
}

static void test_a_refused_reconcile_is_not_sent_again(void **state)
{
	struct world *w = *state;
	world_fail(w, API_RECONCILE, MISHAP_REFUSE, 100);
	world_start_with(w, ONE);
	world_run(w, 60 * MINUTE);
	assert_int_equal(world_count(w, API_RECONCILE), 1);
	assert_non_null(strstr(world_note(w, "sync"), "failure orders: "));
	w->mishaps[API_RECONCILE] = 0;
	world_commit(w, DOCUMENT("orders", "5000"));
	world_run(w, MINUTE);
	assert_string_equal(world_note(w, "sync"), "success 1 in sync (1 changed)");
}

static void test_an_operation_that_ends_at_once_is_one_operation(void **state)
{
	struct world *w = *state;
	w->operation_ms = 0;
	world_start_with(w, TWO);
	assert_string_equal(world_note(w, "sync"), "success 2 in sync (2 changed)");
	assert_int_equal(world_operations(w), 2);
}

static void test_an_operation_that_fails_at_once_is_tried_again_later(void **state)
{
	struct world *w = *state;
	w->operation_ms = 0;
	w->fails = true;
	world_start_with(w, ONE);
	assert_int_equal(world_operations(w), 1);
	assert_non_null(strstr(world_note(w, "sync"), "failure orders: ended in Error"));
}

static void test_an_operation_that_ends_at_once_is_one_without_observed_generation_too(void **state)
{
	struct world *w = *state;
	w->operation_ms = 0;
	w->no_observed = true;
	world_start_with(w, ONE);
	assert_string_equal(world_note(w, "sync"), "success 1 in sync (1 changed)");
	assert_int_equal(world_operations(w), 1);
}

static void test_an_operation_is_asked_for_at_most_every_five_seconds(void **state)
{
	struct world *w = *state;
	w->no_observed = true;
	w->operation_ms = 50000;
	world_start_with(w, ONE);
	int64_t before = -5000;
	vec_each (l, &w->log) {
		if (l->verb != API_RECONCILE)
			continue;
		assert_true(l->at - before >= 5000);
		before = l->at;
	}
	world_run(w, MINUTE);
	assert_string_equal(world_note(w, "sync"), "success 1 in sync (1 changed)");
}

/* Of two that the list lacks, one is refused with the token and one is slow: its answer, which says
 * that there is none, comes when the next pass has asked again. */
static void test_a_late_answer_is_not_taken_for_one_of_the_next_pass(void **state)
{
	struct world *w = *state;
	world_start_with(w, TWO DOCUMENT("sales", "1"));
	world_object(w, "orders")->unlisted = true;
	world_object(w, "payments")->unlisted = true;
	w->holds = "orders";
	world_fail(w, API_GET, MISHAP_401, 1);
	world_run(w, 7 * MINUTE);
	world_fail(w, API_GET, MISHAP_404, 1);
	w->holds = NULL;
	world_run(w, 7 * MINUTE);
	assert_int_equal(world_count(w, API_CREATE), 3);
	assert_string_equal(world_note(w, "drift"), "success no drift");
}

static void test_a_new_commit_with_the_same_files_is_compared_before_it_is_a_success(void **state)
{
	struct world *w = *state;
	world_start_with(w, ONE);
	world_fail(w, API_LIST, MISHAP_500, 1000);
	world_commit(w, ONE);
	world_run(w, MINUTE);
	assert_non_null(strstr(world_note(w, "sync"), "pending API unreachable since "));
	w->mishaps[API_LIST] = 0;
	world_run(w, 2 * MINUTE);
	assert_string_equal(world_note(w, "sync"), "success 1 in sync");
}

static void test_a_tree_that_can_be_read_again_is_applied_at_once(void **state)
{
	struct world *w = *state;
	world_start_with(w, ONE);
	w->path_missing = true;
	world_commit(w, TWO);
	world_run(w, MINUTE);
	assert_string_equal(world_note(w, "sync"), "failure there is no folder replicators");
	w->path_missing = false;
	world_run(w, MINUTE);
	assert_string_equal(world_note(w, "sync"), "success 2 in sync (1 changed)");
}

static void test_a_commit_in_bad_times_is_applied_as_soon_as_they_end(void **state)
{
	struct world *w = *state;
	w->operation_ms = NEVER;
	world_start_with(w, ONE);
	world_fail(w, API_GET, MISHAP_401, 1);
	world_run(w, 20000); /* a look is refused */
	str_replace(&w->git, xstrdup(TWO));
	snprintf(w->sha, sizeof(w->sha), "%040u", ++w->commits);
	snprintf(w->tree, sizeof(w->tree), "%040u", w->commits);
	world_run(w, 2 * MINUTE); /* found by polling */
	assert_non_null(world_object(w, "payments"));
}

static void test_the_wait_after_a_failure_starts_over_with_a_new_generation(void **state)
{
	struct world *w = *state;
	w->fails = true;
	world_start_with(w, ONE);
	world_run(w, 60 * MINUTE);
	size_t before = world_operations(w);
	assert_true(before >= 5 && before <= 7);
	world_commit(w, DOCUMENT("orders", "5000"));
	world_run(w, 2 * MINUTE);
	assert_int_equal(world_operations(w), before + 2);
}

static void test_what_is_not_kept_is_written_once_whatever_else_changes(void **state)
{
	struct world *w = *state;
	w->drops = "groups_whitelist";
	world_start_with(w, ONE "  groups_whitelist: [g]\n");
	assert_non_null(strstr(world_note(w, "sync"), "failure orders: was written"));
	world_commit(w, DOCUMENT("orders", "5000") "  groups_whitelist: [g]\n");
	world_run(w, 20 * MINUTE);
	assert_int_equal(world_count(w, API_PATCH), 1);
	assert_int_equal(world_operations(w), 2);
	assert_non_null(strstr(world_note(w, "sync"), "failure orders: "));
}

static void test_what_ends_after_it_left_git_is_still_not_in_git(void **state)
{
	struct world *w = *state;
	w->operation_ms = 20000;
	world_commit(w, TWO);
	world_start(w);
	world_run(w, 5000);
	world_commit(w, ONE);
	world_run(w, MINUTE);
	assert_string_equal(world_note(w, "sync"),
		"success 1 in sync, 1 not in Git (prune is off; weir forget payments): payments");
}

static void test_a_deletion_that_never_ends_is_not_pending_for_ever(void **state)
{
	struct world *w = *state;
	world_start_with(w, ONE);
	world_object(w, "orders")->deleting = true;
	world_commit(w, DOCUMENT("orders", "5000"));
	world_run(w, MINUTE);
	assert_non_null(strstr(world_note(w, "sync"), "pending "));
	world_run(w, 20 * MINUTE);
	assert_non_null(strstr(world_note(w, "sync"), "the API is deleting it"));
	assert_null(strstr(world_note(w, "sync"), "pending "));
}

static void test_statuses_of_old_commits_leave_the_memory(void **state)
{
	struct world *w = *state;
	world_start_with(w, ONE);
	for (int i = 0; i < 50; i++) {
		world_commit(w, i % 2 ? ONE : TWO);
		world_run(w, 10000);
	}
	assert_true(map_size(&w->engine->ledger.outbox) <= 4);
	for (unsigned commit = 1; commit <= w->commits; commit++)
		assert_null(strstr(note_of(w, commit, "sync"), "pending"));
}

static void many(struct buf *out, size_t n, const char *threshold)
{
	for (size_t i = 0; i < n; i++)
		buf_addf(out,
			"---\napiVersion: weir/v1\nkind: KafkaReplicator\nmetadata: {name: r-%zu}\n"
			"spec: {provider: MirrorMaker2, source_kafka_id: a, destination_kafka_id: "
			"b, "
			"replication_mode: active-passive, topic_whitelist: [\"t%zu\"], "
			"lag_alert_threshold: %s, lag_alert_threshold_unit: messages}\n",
			i, i, threshold);
}

static void test_a_newer_commit_goes_before_what_still_waits(void **state)
{
	struct world *w = *state;
	auto_buf struct buf first = BUF_INIT;
	many(&first, 100, "1");
	w->call_ms = 1000;
	world_commit(w, buf_str(&first));
	world_start(w);
	world_run(w, 5000);
	world_commit(w, ONE);
	world_run(w, MINUTE);
	assert_true(world_count(w, API_CREATE) < 30);
	assert_non_null(strstr(world_note(w, "sync"), "success 1 in sync"));
	assert_int_equal(world_operations(w), map_size(&w->objects));
}

static void test_many_that_wait_are_not_a_storm_of_lists(void **state)
{
	struct world *w = *state;
	auto_buf struct buf text = BUF_INIT;
	many(&text, 200, "1");
	world_fail(w, API_CREATE, MISHAP_500, 1000000);
	world_start_with(w, buf_str(&text));
	size_t lists = world_count(w, API_LIST);
	world_run(w, 10 * MINUTE);
	assert_true(world_count(w, API_LIST) - lists <= 10 * 60);
}

static void test_a_secret_that_comes_is_noticed_with_the_next_look_at_git(void **state)
{
	struct world *w = *state;
	w->secret_missing = true;
	world_start_with(w, TWO);
	assert_non_null(strstr(world_note(w, "sync"), "failure orders: all.yaml:"));
	assert_null(world_object(w, "orders"));
	assert_int_equal(world_object(w, "payments")->observed, 1);
	w->secret_missing = false;
	world_run(w, MINUTE);
	assert_string_equal(world_note(w, "sync"), "success 2 in sync (2 changed)");
	w->secret_missing = true;
	world_run(w, MINUTE);
	assert_non_null(strstr(world_note(w, "drift"), "failure orders: all.yaml:"));
}

/* An API that says 422 for whatever reason. */
static void test_keys_that_are_never_taken_are_not_made_for_ever(void **state)
{
	struct world *w = *state;
	world_fail(w, API_RECONCILE, MISHAP_422, 1000000);
	world_start_with(w, ONE);
	world_run(w, 60 * MINUTE);
	assert_true(world_count(w, API_RECONCILE) <= 5);
	assert_non_null(strstr(world_note(w, "sync"), "failure orders: "));
}

static void test_a_change_that_the_api_does_not_make_starts_nothing(void **state)
{
	struct world *w = *state;
	world_start_with(w, ONE);
	w->drops = "groups_whitelist";
	world_commit(w, ONE "  groups_whitelist: [g]\n");
	world_run(w, 20 * MINUTE);
	assert_int_equal(world_count(w, API_PATCH), 1);
	assert_int_equal(world_operations(w), 1);
	assert_non_null(strstr(world_note(w, "sync"), "failure orders: was written"));
}

/* Somebody's, whom we are not shown. */
static void test_what_exists_and_is_not_shown_is_told(void **state)
{
	struct world *w = *state;
	world_commit(w, ONE);
	w->lag_ms = NEVER;
	world_create(w, "{\"identifier\": \"orders\"}");
	world_start(w);
	world_run(w, 20 * MINUTE);
	assert_non_null(strstr(world_note(w, "sync"), "error orders: the API says that it has"));
	assert_true(world_count(w, API_CREATE) < 40);
}

static void test_drift_is_told_in_mode_plan(void **state)
{
	struct world *w = *state;
	world_start_with(w, TWO);
	w->config.sync.mode = SYNC_PLAN;
	world_edit(w, "orders", "lag_alert_threshold", "7");
	world_run(w, 7 * MINUTE);
	assert_string_equal(world_note(w, "sync"), "success 2 in sync (2 changed)");
	assert_string_equal(
		world_note(w, "drift"), "failure orders: lag_alert_threshold (sync.mode is plan)");
	assert_int_equal(world_count(w, API_PATCH), 0);
}

static void test_drift_in_mode_report_is_told_on_a_newer_commit_too(void **state)
{
	struct world *w = *state;
	w->config.sync.mode = SYNC_REPORT;
	world_start_with(w, ONE);
	world_edit(w, "orders", "lag_alert_threshold", "7");
	world_commit(w, TWO);
	world_run(w, MINUTE);
	assert_string_equal(world_note(w, "sync"),
		"success 1 in sync (1 changed), 1 drifted (sync.mode is report): orders");
	assert_non_null(strstr(world_note(w, "drift"), "failure orders: drift"));
}

static void test_an_answer_about_another_replicator_counts_for_nothing(void **state)
{
	struct world *w = *state;
	world_start_with(w, ONE);
	w->mixes_up = "orders";
	w->operation_ms = NEVER;
	world_commit(w, TWO);
	world_run(w, MINUTE);
	assert_string_equal(world_note(w, "sync"), "pending waiting for Healthy 1/2");
}

static void test_an_api_that_goes_after_it_refused_the_token_is_no_storm(void **state)
{
	struct world *w = *state;
	world_start_with(w, ONE);
	world_fail(w, API_LIST, MISHAP_401, 1);
	engine_wake(w->engine);
	world_run(w, 1000);
	world_fail(w, API_LIST, MISHAP_BEFORE, 100000);
	size_t lists = world_count(w, API_LIST);
	world_run(w, 10 * MINUTE);
	assert_true(world_count(w, API_LIST) - lists < 30);
}

/* One that is refused does not hide that the others could not go. */
static void test_statuses_are_not_posted_in_a_storm_when_one_is_refused(void **state)
{
	struct world *w = *state;
	w->forge_down = true;
	world_start_with(w, ONE);
	for (int i = 0; i < 5; i++) {
		world_commit(w, i % 2 ? ONE : TWO);
		world_run(w, 10000);
	}
	unsigned posts = w->posts;
	w->forge_refuses_first = true;
	world_run(w, 10 * MINUTE);
	assert_true(w->posts > posts && w->posts - posts < 30);
}

static void test_a_missing_path_is_no_storm_of_fetches(void **state)
{
	struct world *w = *state;
	w->path_missing = true;
	world_start_with(w, ONE);
	struct engine_stats stats;
	engine_stats(w->engine, &stats);
	assert_true(stats.reads <= 4);
	assert_string_equal(world_note(w, "sync"), "failure there is no folder replicators");
}

/* Until the API was compared once, the drift that was told before the restart stands. */
static void test_a_restart_does_not_say_that_drift_is_gone(void **state)
{
	struct world *w = *state;
	w->config.sync.mode = SYNC_REPORT;
	world_start_with(w, ONE);
	world_edit(w, "orders", "lag_alert_threshold", "7");
	world_run(w, 7 * MINUTE);
	assert_non_null(strstr(world_note(w, "drift"), "failure orders: "));
	world_kill(w);
	world_fail(w, API_LIST, MISHAP_500, 1000);
	world_start(w);
	world_run(w, MINUTE);
	assert_non_null(strstr(world_note(w, "drift"), "failure orders: "));
	world_run(w, 10 * MINUTE);
	assert_non_null(strstr(world_note(w, "drift"), "error API unreachable since "));
}

static void test_where_the_branch_was_rewound_to_is_remembered(void **state)
{
	struct world *w = *state;
	world_start_with(w, ONE);
	world_commit(w, TWO);
	w->relation = SOURCE_REWOUND;
	world_run(w, MINUTE);
	auto_free char *head = NULL;
	auto_free char *seen = NULL;
	struct err e = ERR_INIT;
	assert_int_equal(store_get(w->store, "head", &head, &e), 0);
	assert_int_equal(store_get(w->store, "seen-head", &seen, &e), 0);
	assert_string_not_equal(head, w->sha);
	assert_string_equal(seen, w->sha);
}

/* `weir status` takes what is not among them for healthy. */
static void test_all_that_are_not_healthy_are_kept_for_status(void **state)
{
	struct world *w = *state;
	auto_buf struct buf text = BUF_INIT;
	auto_free char *standings = NULL;
	struct err e = ERR_INIT;
	size_t n = 0;
	many(&text, 300, "1");
	world_fail(w, API_CREATE, MISHAP_REFUSE, 300);
	world_start_with(w, buf_str(&text));
	assert_int_equal(store_get(w->store, "standings", &standings, &e), 0);
	for (const char *at = standings; (at = strstr(at, "\"failed\"")); at++)
		n++;
	assert_int_equal(n, 300);
}

static void test_a_head_that_is_head_again_starts_anew(void **state)
{
	struct world *w = *state;
	w->config.source.rewind = REWIND_FOLLOW;
	world_start_with(w, ONE);
	assert_string_equal(note_of(w, 1, "sync"), "success 1 in sync (1 changed)");
	world_commit(w, TWO);
	world_run(w, MINUTE);
	world_edit(w, "orders", "lag_alert_threshold", "7");
	w->fails = true;
	w->relation = SOURCE_REWOUND;
	world_return_to(w, 1, ONE);
	world_run(w, MINUTE);
	assert_non_null(strstr(note_of(w, 1, "sync"), "failure orders: ended in Error"));
	w->fails = false;
	world_run(w, 5 * MINUTE);
	assert_non_null(strstr(note_of(w, 1, "sync"), "success 1 in sync"));
}

int main(void)
{
	log_setup(LOG__COUNT, LOG_TEXT);
#define TEST(f) cmocka_unit_test_setup_teardown(f, world_test_setup, world_test_teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_a_late_look_does_not_disturb_a_newer_write),
		TEST(test_drafts_of_ours_on_each_other_are_started_together),
		TEST(test_what_was_deleted_by_others_is_made_again_once),
		TEST(test_what_was_made_again_is_not_adopted_but_ours),
		TEST(test_a_failure_is_forgotten_with_its_object),
		TEST(test_a_retry_that_hangs_is_asked_for_once_and_named),
		TEST(test_a_refused_reconcile_is_not_sent_again),
		TEST(test_an_operation_that_ends_at_once_is_one_operation),
		TEST(test_an_operation_that_fails_at_once_is_tried_again_later),
		TEST(test_an_operation_that_ends_at_once_is_one_without_observed_generation_too),
		TEST(test_an_operation_is_asked_for_at_most_every_five_seconds),
		TEST(test_a_late_answer_is_not_taken_for_one_of_the_next_pass),
		TEST(test_a_new_commit_with_the_same_files_is_compared_before_it_is_a_success),
		TEST(test_a_tree_that_can_be_read_again_is_applied_at_once),
		TEST(test_a_commit_in_bad_times_is_applied_as_soon_as_they_end),
		TEST(test_the_wait_after_a_failure_starts_over_with_a_new_generation),
		TEST(test_what_is_not_kept_is_written_once_whatever_else_changes),
		TEST(test_what_ends_after_it_left_git_is_still_not_in_git),
		TEST(test_a_deletion_that_never_ends_is_not_pending_for_ever),
		TEST(test_statuses_of_old_commits_leave_the_memory),
		TEST(test_a_newer_commit_goes_before_what_still_waits),
		TEST(test_many_that_wait_are_not_a_storm_of_lists),
		TEST(test_a_secret_that_comes_is_noticed_with_the_next_look_at_git),
		TEST(test_keys_that_are_never_taken_are_not_made_for_ever),
		TEST(test_a_change_that_the_api_does_not_make_starts_nothing),
		TEST(test_what_exists_and_is_not_shown_is_told),
		TEST(test_drift_is_told_in_mode_plan),
		TEST(test_drift_in_mode_report_is_told_on_a_newer_commit_too),
		TEST(test_an_answer_about_another_replicator_counts_for_nothing),
		TEST(test_an_api_that_goes_after_it_refused_the_token_is_no_storm),
		TEST(test_statuses_are_not_posted_in_a_storm_when_one_is_refused),
		TEST(test_a_missing_path_is_no_storm_of_fetches),
		TEST(test_a_restart_does_not_say_that_drift_is_gone),
		TEST(test_where_the_branch_was_rewound_to_is_remembered),
		TEST(test_all_that_are_not_healthy_are_kept_for_status),
		TEST(test_a_head_that_is_head_again_starts_anew),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
