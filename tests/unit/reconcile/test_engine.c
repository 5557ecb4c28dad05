/* The engine in a world of its own: what it does, what it says, and that a crash anywhere costs
 * nothing. */
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
#include "world.h"

static void test_two_replicators_become_healthy_when_pushed(void **state)
{
	struct world *w = *state;
	world_start_with(w, TWO);
	assert_string_equal(world_note(w, "sync"), "success 2 in sync (2 changed)");
	assert_string_equal(world_note(w, "drift"), "success no drift");
	assert_int_equal(world_operations(w), 2);
	assert_int_equal(world_object(w, "orders")->observed, 1);
}

static void test_nothing_is_called_but_the_list_when_nothing_changed(void **state)
{
	struct world *w = *state;
	world_start_with(w, TWO);
	size_t calls = w->log.n;
	size_t lists = world_count(w, API_LIST);
	world_run(w, 60 * MINUTE);
	assert_true(world_count(w, API_LIST) > lists + 8);
	assert_int_equal(w->log.n - calls, world_count(w, API_LIST) - lists);
}

static size_t reads_of(const struct world *w)
{
	struct engine_stats stats;
	engine_stats(w->engine, &stats);
	return stats.reads;
}

/* What is being read may be older than what we were told of. */
static void test_who_wakes_while_git_is_read_makes_it_be_read_again(void **state)
{
	struct world *w = *state;
	world_start_with(w, TWO);
	size_t reads = reads_of(w);
	engine_wake(w->engine);
	engine_step(w->engine, w->now);
	assert_non_null(w->read);
	engine_wake(w->engine);
	world_run(w, 1000);
	assert_int_equal(reads_of(w), reads + 2);
}

static void test_a_change_is_one_patch_and_one_operation(void **state)
{
	struct world *w = *state;
	world_start_with(w, TWO);
	world_commit(w, DOCUMENT("orders", "5000") DOCUMENT("payments", "10000"));
	world_run(w, MINUTE);
	assert_string_equal(world_note(w, "sync"), "success 2 in sync (1 changed)");
	assert_int_equal(world_count(w, API_PATCH), 1);
	assert_int_equal(world_operations(w), 3);
}

static void test_a_broken_file_fails_its_commit_and_touches_nothing(void **state)
{
	struct world *w = *state;
	world_start_with(w, TWO);
	size_t calls = w->log.n - world_count(w, API_LIST);
	world_commit(w, BROKEN DOCUMENT("payments", "10000"));
	world_run(w, 10 * MINUTE);
	assert_non_null(strstr(world_note(w, "sync"), "failure "));
	assert_non_null(strstr(world_note(w, "sync"), "all.yaml:"));
	assert_int_equal(w->log.n - world_count(w, API_LIST), calls);
}

static void test_drift_is_healed_and_told_on_drift(void **state)
{
	struct world *w = *state;
	world_start_with(w, TWO);
	world_edit(w, "orders", "lag_alert_threshold", "7");
	world_run(w, 7 * MINUTE);
	assert_non_null(strstr(world_object(w, "orders")->body, "10000"));
	assert_string_equal(world_note(w, "sync"), "success 2 in sync (2 changed)");
	assert_string_equal(world_note(w, "drift"), "success no drift");
	assert_int_equal(world_operations(w), 3);
}

static void test_drift_is_only_told_in_mode_report(void **state)
{
	struct world *w = *state;
	w->config.sync.mode = SYNC_REPORT;
	world_start_with(w, TWO);
	world_edit(w, "orders", "lag_alert_threshold", "7");
	world_run(w, 7 * MINUTE);
	assert_int_equal(world_count(w, API_PATCH), 0);
	assert_non_null(strstr(world_note(w, "drift"), "failure orders: "));
}

static void test_nothing_is_written_in_mode_plan(void **state)
{
	struct world *w = *state;
	w->config.sync.mode = SYNC_PLAN;
	world_start_with(w, TWO);
	assert_int_equal(w->log.n, world_count(w, API_LIST));
	assert_non_null(strstr(world_note(w, "sync"), "2 to change"));
}

static void test_a_refused_body_is_not_sent_again(void **state)
{
	struct world *w = *state;
	world_fail(w, API_CREATE, MISHAP_REFUSE, 100);
	world_start_with(w, ONE);
	world_run(w, 60 * MINUTE);
	assert_int_equal(world_count(w, API_CREATE), 1);
	assert_non_null(strstr(world_note(w, "sync"), "failure orders: "));
	assert_non_null(strstr(world_note(w, "sync"), "not allowed"));
	w->mishaps[API_CREATE] = 0;
	world_commit(w, DOCUMENT("orders", "5000"));
	world_run(w, MINUTE);
	assert_string_equal(world_note(w, "sync"), "success 1 in sync (1 changed)");
}

static void test_an_error_is_tried_again_under_another_key(void **state)
{
	struct world *w = *state;
	w->fails = true;
	world_start_with(w, ONE);
	assert_non_null(strstr(world_note(w, "sync"),
		"failure orders: ended in Error at generation 1: no route to broker"));
	w->fails = false;
	world_run(w, 2 * MINUTE);
	assert_int_equal(world_operations(w), 2);
	assert_string_equal(world_note(w, "sync"), "success 1 in sync (1 changed)");
}

static void test_a_refused_token_is_an_error_and_is_probed_slowly(void **state)
{
	struct world *w = *state;
	world_fail(w, API_LIST, MISHAP_401, 1000);
	world_start_with(w, ONE);
	world_run(w, 30 * MINUTE);
	assert_non_null(strstr(world_note(w, "sync"), "error the API refused the token"));
	assert_true(w->log.n < 40);
	w->mishaps[API_LIST] = 0;
	world_run(w, 3 * MINUTE);
	assert_string_equal(world_note(w, "sync"), "success 1 in sync (1 changed)");
}

static void test_an_api_that_is_away_is_pending_then_an_error_then_mended(void **state)
{
	struct world *w = *state;
	world_fail(w, API_LIST, MISHAP_500, 100000);
	world_start_with(w, ONE);
	assert_non_null(strstr(world_note(w, "sync"), "pending API unreachable since "));
	world_run(w, 11 * MINUTE);
	assert_non_null(strstr(world_note(w, "sync"), "error API unreachable since "));
	w->mishaps[API_LIST] = 0;
	world_run(w, 3 * MINUTE);
	assert_string_equal(world_note(w, "sync"), "success 1 in sync (1 changed)");
}

static void test_a_commit_that_is_overtaken_says_by_which(void **state)
{
	struct world *w = *state;
	world_commit(w, ONE);
	world_start(w);
	world_run(w, 2000);
	char first[SHA_MAX];
	memcpy(first, w->sha, sizeof(first));
	assert_non_null(strstr(world_note(w, "sync"), "pending "));
	world_commit(w, TWO);
	world_run(w, MINUTE);
	assert_string_equal(world_note(w, "sync"), "success 2 in sync (1 changed)");
	auto_free char *key = xasprintf("%s weir/acme/sync", first);
	assert_non_null(strstr(map_get(&w->notes, key), "error superseded by 0000000"));
}

static void test_a_rewound_branch_is_held(void **state)
{
	struct world *w = *state;
	world_start_with(w, TWO);
	world_commit(w, ONE);
	w->relation = SOURCE_REWOUND;
	world_edit(w, "payments", "lag_alert_threshold", "7");
	world_run(w, 10 * MINUTE);
	assert_non_null(strstr(world_note(w, "sync"), "failure the branch was rewound"));
	/* What was accepted before is healed all the same. */
	assert_non_null(strstr(world_object(w, "payments")->body, "10000"));
}

static void test_statuses_are_posted_once_the_forge_is_back(void **state)
{
	struct world *w = *state;
	w->forge_down = true;
	world_start_with(w, ONE);
	assert_string_equal(world_note(w, "sync"), "");
	w->forge_down = false;
	world_run(w, 2 * MINUTE);
	assert_string_equal(world_note(w, "sync"), "success 1 in sync (1 changed)");
}

static void test_a_status_that_is_refused_is_not_posted_again_until_it_changes(void **state)
{
	struct world *w = *state;
	w->forge_refuses = true;
	world_start_with(w, ONE);
	unsigned posts = w->posts;
	world_run(w, 60 * MINUTE);
	assert_int_equal(w->posts, posts);
	assert_string_equal(world_note(w, "sync"), "");
	w->forge_refuses = false;
	world_commit(w, TWO);
	world_run(w, 2 * MINUTE);
	assert_string_equal(world_note(w, "sync"), "success 2 in sync (1 changed)");
}

static void test_what_is_gone_from_git_is_held_and_never_deleted(void **state)
{
	struct world *w = *state;
	world_start_with(w, TWO);
	world_commit(w, ONE);
	world_run(w, 60 * MINUTE);
	assert_non_null(world_object(w, "payments"));
	assert_int_equal(world_count(w, API_DELETE), 0);
	assert_string_equal(world_note(w, "sync"),
		"success 1 in sync, 1 not in Git (prune is off; weir forget payments): payments");
}

static void test_an_api_without_observed_generation_is_asked_by_key(void **state)
{
	struct world *w = *state;
	w->no_observed = true;
	world_start_with(w, TWO);
	assert_string_equal(world_note(w, "sync"), "success 2 in sync (2 changed)");
	assert_int_equal(world_operations(w), 2);
}

static void test_what_does_not_show_yet_is_not_made_again(void **state)
{
	struct world *w = *state;
	w->lag_ms = 20000;
	world_start_with(w, TWO);
	world_run(w, 2 * MINUTE);
	assert_int_equal(world_count(w, API_CREATE), 2);
	assert_int_equal(world_operations(w), 2);
	assert_string_equal(world_note(w, "sync"), "success 2 in sync (2 changed)");
}

/* For each verb, before and after its effect: the answer is lost, and nothing is done twice. */
static void test_every_answer_may_be_lost(void **state)
{
	(void)state;
	static const enum mishap mishaps[] = {MISHAP_BEFORE, MISHAP_AFTER, MISHAP_500};
	static const enum api_verb verbs[] = {
		API_LIST, API_GET, API_CREATE, API_PATCH, API_RECONCILE};
	for (size_t m = 0; m < ARRAY_SIZE(mishaps); m++) {
		for (size_t v = 0; v < ARRAY_SIZE(verbs); v++) {
			struct world w;
			world_setup(&w);
			world_fail(&w, verbs[v], mishaps[m], 3);
			world_start_with(&w, TWO);
			world_commit(&w, DOCUMENT("orders", "5000") DOCUMENT("payments", "10000"));
			world_fail(&w, verbs[v], mishaps[m], 3);
			world_run(&w, 5 * MINUTE);
			assert_string_equal(
				world_note(&w, "sync"), "success 2 in sync (1 changed)");
			assert_int_equal(world_operations(&w), 3);
			world_teardown(&w);
		}
	}
}

/* Killed after each number of steps, once with the answers under way lost after their effect; then
 * started again. */
static void test_a_kill_at_any_step_costs_nothing(void **state)
{
	(void)state;
	for (int64_t at = 0; at < 8000; at += 125) {
		struct world w;
		world_setup(&w);
		world_commit(&w, TWO);
		world_start(&w);
		world_run(&w, at);
		world_kill(&w);
		world_start(&w);
		world_run(&w, 2 * MINUTE);
		assert_string_equal(world_note(&w, "sync"), "success 2 in sync (2 changed)");
		assert_int_equal(world_operations(&w), 2);
		world_teardown(&w);
	}
}

#define WITH(keys) DOCUMENT("orders", "1") "  advanced_configuration: {" keys "tasks.max: 4}\n"

/* A memory checker sees it if it does not. */
static void test_what_a_plan_points_to_stays_while_it_is_carried_out(void **state)
{
	struct world *w = *state;
	world_start_with(w, WITH("producer.linger.ms: 5, "));
	world_fail(w, API_PATCH, MISHAP_500, 1);
	world_commit(w, WITH(""));
	world_run(w, 300);
	world_edit(w, "orders", "topic_blacklist", "\"x\"");
	world_run(w, MINUTE);
	assert_string_equal(world_note(w, "sync"), "success 1 in sync (1 changed)");
}

int main(void)
{
	log_setup(LOG__COUNT, LOG_TEXT);
#define TEST(f) cmocka_unit_test_setup_teardown(f, world_test_setup, world_test_teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_two_replicators_become_healthy_when_pushed),
		TEST(test_nothing_is_called_but_the_list_when_nothing_changed),
		TEST(test_who_wakes_while_git_is_read_makes_it_be_read_again),
		TEST(test_a_change_is_one_patch_and_one_operation),
		TEST(test_a_broken_file_fails_its_commit_and_touches_nothing),
		TEST(test_drift_is_healed_and_told_on_drift),
		TEST(test_drift_is_only_told_in_mode_report),
		TEST(test_nothing_is_written_in_mode_plan),
		TEST(test_a_refused_body_is_not_sent_again),
		TEST(test_an_error_is_tried_again_under_another_key),
		TEST(test_a_refused_token_is_an_error_and_is_probed_slowly),
		TEST(test_an_api_that_is_away_is_pending_then_an_error_then_mended),
		TEST(test_a_commit_that_is_overtaken_says_by_which),
		TEST(test_a_rewound_branch_is_held),
		TEST(test_statuses_are_posted_once_the_forge_is_back),
		TEST(test_a_status_that_is_refused_is_not_posted_again_until_it_changes),
		TEST(test_what_is_gone_from_git_is_held_and_never_deleted),
		TEST(test_an_api_without_observed_generation_is_asked_by_key),
		TEST(test_what_does_not_show_yet_is_not_made_again),
		TEST(test_what_a_plan_points_to_stays_while_it_is_carried_out),
		cmocka_unit_test(test_every_answer_may_be_lost),
		cmocka_unit_test(test_a_kill_at_any_step_costs_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
