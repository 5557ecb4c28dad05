/* When there is which status, on which commit, and for whom. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/log.h"
#include "documents.h"
#include "reconcile/internal.h"
#include "world.h"

#define SYNCED(name, threshold, sync) DOCUMENT(name, threshold) "sync: " sync "\n"

static void suspend(struct world *w, const char *name)
{
	struct suspension *s = xmalloc(sizeof(*s));
	*s = (struct suspension){
		.name = xstrdup(name), .reason = xstrdup("upgrade"), .by = xstrdup("jane")};
	ledger_suspend(&w->engine->ledger, s);
	engine_wake(w->engine);
}

static void test_drift_is_told_on_every_head_that_was_compared(void **state)
{
	struct world *w = *state;
	w->operation_ms = 5 * MINUTE;
	world_start_with(w, ONE);
	assert_string_equal(world_note(w, "sync"), "pending waiting for Healthy 0/1");
	assert_string_equal(world_note(w, "drift"), "success no drift");
	world_run(w, 5 * MINUTE);
	world_commit(w, SYNCED("orders", "10000", "{mode: report}") SYNCED("payments", "1",
				"{depends_on: [customers]}") DOCUMENT("customers", "1"));
	world_edit(w, "orders", "lag_alert_threshold", "7");
	world_run(w, MINUTE);
	assert_string_equal(world_note(w, "sync"), "pending waiting for Healthy 0/3");
	assert_string_equal(world_note(w, "drift"),
		"failure orders: drift, and sync.mode is report (lag_alert_threshold); write in "
		"Git what is live, or set sync.mode: heal");
}

static void test_ill_health_after_all_was_well_is_told_at_once(void **state)
{
	struct world *w = *state;
	world_start_with(w, ONE);
	world_object(w, "orders")->failed = true;
	engine_wake(w->engine);
	world_run(w, 5000);
	assert_string_equal(world_note(w, "sync"), "success 1 in sync (1 changed)");
	assert_string_equal(
		world_note(w, "drift"), "failure orders: the API says Error: no route to broker");
}

static void test_what_is_held_on_a_new_head_is_told_of_its_drift_too(void **state)
{
	struct world *w = *state;
	world_start_with(w, SYNCED("orders", "1", "{protect: true}") DOCUMENT("payments", "1"));
	w->config.sync.prune.enabled = true;
	w->config.sync.prune.max.value = 1;
	world_commit(w, DOCUMENT("payments", "1"));
	world_run(w, MINUTE);
	assert_non_null(strstr(world_note(w, "sync"), "failure orders: not in Git any more, and "));
	assert_string_equal(world_note(w, "drift"), world_note(w, "sync"));
}

static void test_drift_that_waits_for_others_is_told(void **state)
{
	struct world *w = *state;
	world_start_with(
		w, SYNCED("orders", "1", "{depends_on: [payments]}") DOCUMENT("payments", "1"));
	world_object(w, "payments")->failed = true;
	world_edit(w, "orders", "lag_alert_threshold", "7");
	suspend(w, "payments");
	world_run(w, MINUTE);
	assert_int_equal(world_count(w, API_PATCH), 0);
	assert_non_null(strstr(world_note(w, "drift"), "failure orders: waits for payments, "));
}

static void test_a_store_that_was_lost_is_told_of_one_commit(void **state)
{
	struct world *w = *state;
	const char *told = "success 2 in sync (new state: nothing is pruned)";
	world_start_with(w, TWO);
	assert_string_equal(world_note(w, "sync"), "success 2 in sync (2 changed)");
	world_kill(w);
	world_lose_store(w);
	world_start(w);
	world_run(w, MINUTE);
	assert_string_equal(world_note(w, "sync"), told);
	world_kill(w);
	world_start(w);
	world_run(w, MINUTE);
	assert_string_equal(world_note(w, "sync"), told);
	world_commit(w, DOCUMENT("orders", "5") DOCUMENT("payments", "10000"));
	world_run(w, MINUTE);
	assert_string_equal(world_note(w, "sync"), "success 2 in sync (1 changed)");
}

static void test_drift_is_told_while_another_file_is_broken(void **state)
{
	struct world *w = *state;
	world_start_with(w, TWO);
	world_commit(w, DOCUMENT("orders", "10000") "---\napiVersion: weir/v1\nkind: Nothing\n");
	world_run(w, MINUTE);
	assert_non_null(strstr(world_note(w, "sync"), "failure "));
	assert_string_equal(world_note(w, "drift"), "success no drift");
}

#define TYPO	     "  lag_alert_thresold: 5\n"
#define AFTER(other) "sync: {depends_on: [" other "]}\n"

static void assert_stands(const struct world *w, const char *name, const char *why, const char *how)
{
	auto_free char *text = xasprintf("\"name\":\"%s\",\"standing\":\"left alone\"", name);
	const char *row = strstr(engine_standings(w->engine), text);
	assert_non_null(row);
	const char *said = strstr(row, why), *advised = strstr(row, how);
	const char *next = strstr(row, "{\"name\"");
	if (!said || !advised || (next && advised > next))
		fail_msg("%s", row);
}

/* Running, accepted and never made, and never seen before: each with its own error. */
static void test_what_does_not_load_is_left_alone_for_its_own_error(void **state)
{
	struct world *w = *state;
	w->operation_ms = 3 * MINUTE;
	world_start_with(w, TWO DOCUMENT("later", "1") AFTER("orders"));
	world_commit(w, DOCUMENT("orders", "1") TYPO DOCUMENT("payments", "-2") DOCUMENT(
				"later", "1") TYPO AFTER("orders") DOCUMENT("new", "1") TYPO);
	world_run(w, 10 * MINUTE);
	assert_null(world_object(w, "later"));
	assert_null(strstr(engine_standings(w->engine), "unhealthy"));
	assert_stands(w, "later", "unknown field; did you mean lag_alert_threshold?",
		"it is not created before");
	assert_stands(w, "new", "unknown field", "it is not created before");
	assert_stands(w, "orders", "all.yaml:13:3: spec.lag_alert_thresold: unknown field",
		"its last version that loaded counts");
	assert_stands(w, "payments", "all.yaml:24:24: ", "its last version that loaded counts");
	world_commit(w, "not: [closed");
	world_run(w, 10 * MINUTE);
	assert_stands(
		w, "payments", "all.yaml:2:1: a comma", "its last version that loaded counts");
}

static void test_what_differs_is_told_with_both_values(void **state)
{
	struct world *w = *state;
	w->config.sync.mode = SYNC_REPORT;
	world_start_with(w, ONE);
	world_edit(w, "orders", "lag_alert_threshold", "78");
	world_run(w, 10 * MINUTE);
	const char *told = engine_standings(w->engine);
	assert_non_null(strstr(told, "\"live_generation\":2"));
	assert_non_null(strstr(told, "[\"lag_alert_threshold: 10000 in Git, 78 live\"]"));
}

static void test_a_commit_that_is_head_twice_counts_once(void **state)
{
	struct world *w = *state;
	w->config.source.rewind = REWIND_FOLLOW;
	world_start_with(w, ONE);
	world_commit(w, DOCUMENT("orders", "5"));
	world_run(w, MINUTE);
	w->relation = SOURCE_REWOUND;
	world_return_to(w, 1, ONE);
	world_run(w, MINUTE);
	assert_string_equal(world_note(w, "sync"), "success 1 in sync (1 changed)");
}

static void open_scope(struct world *w, const char *scope, const char *yaml)
{
	struct err e = ERR_INIT;
	world_kill(w);
	store_close(w->store);
	assert_int_equal(store_open(w->folder_of_store, scope, &w->store, &e), 0);
	str_replace(&w->git, xstrdup(yaml)); /* another folder of the same commit */
	world_start(w);
	world_run(w, 2 * MINUTE);
}

static void test_a_head_that_another_folder_had_meanwhile_is_told_anew(void **state)
{
	struct world *w = *state;
	world_store_on_disk(w);
	world_start_with(w, TWO);
	open_scope(w, "another", DOCUMENT("customers", "1"));
	assert_string_equal(world_note(w, "sync"), "success 1 in sync (1 changed)");
	world_edit(w, "orders", "lag_alert_threshold", "7");
	open_scope(w, "scope", TWO);
	assert_string_equal(world_note(w, "sync"), "success 2 in sync (2 changed)");
	assert_string_equal(world_note(w, "drift"), "success no drift");
}

static void test_another_forge_gets_all_statuses_of_the_head(void **state)
{
	struct world *w = *state;
	world_start_with(w, ONE);
	map_release_with(&w->notes, free);
	world_kill(w);
	w->config.forge.url = "https://elsewhere";
	world_start(w);
	world_run(w, MINUTE);
	assert_string_equal(world_note(w, "sync"), "success 1 in sync (1 changed)");
	assert_string_equal(world_note(w, "drift"), "success no drift");
}

static void test_under_another_name_nothing_stays_pending(void **state)
{
	struct world *w = *state;
	w->operation_ms = 5 * MINUTE;
	world_start_with(w, ONE);
	world_kill(w);
	w->config.name = "other";
	world_start(w);
	world_run(w, MINUTE);
	assert_string_equal(world_note(w, "sync"), "error superseded by weir/other/sync");
}

int main(void)
{
	log_setup(LOG__COUNT, LOG_TEXT);
#define TEST(f) cmocka_unit_test_setup_teardown(f, world_test_setup, world_test_teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_drift_is_told_on_every_head_that_was_compared),
		TEST(test_ill_health_after_all_was_well_is_told_at_once),
		TEST(test_what_is_held_on_a_new_head_is_told_of_its_drift_too),
		TEST(test_drift_that_waits_for_others_is_told),
		TEST(test_a_store_that_was_lost_is_told_of_one_commit),
		TEST(test_drift_is_told_while_another_file_is_broken),
		TEST(test_what_does_not_load_is_left_alone_for_its_own_error),
		TEST(test_what_differs_is_told_with_both_values),
		TEST(test_a_commit_that_is_head_twice_counts_once),
		TEST(test_a_head_that_another_folder_had_meanwhile_is_told_anew),
		TEST(test_another_forge_gets_all_statuses_of_the_head),
		TEST(test_under_another_name_nothing_stays_pending),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
