/* What holds a plan back, and what lets it go: time, people, others, the next commit. */
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

#define SYNCED(name, threshold, sync) DOCUMENT(name, threshold) "sync: " sync "\n"

static void many(struct buf *out, size_t n, int threshold)
{
	for (size_t i = 0; i < n; i++)
		buf_addf(out,
			"---\napiVersion: weir/v1\nkind: KafkaReplicator\n"
			"metadata: {name: r-%02zu}\n"
			"spec: {provider: MirrorMaker2, source_kafka_id: a, destination_kafka_id: "
			"b, replication_mode: active-passive, topic_whitelist: [\"t%zu\"], "
			"lag_alert_threshold: %d, lag_alert_threshold_unit: messages}\n",
			i, i, threshold);
}

static size_t count_approvals(const struct world *w)
{
	return map_size(&w->engine->ledger.approvals);
}

static void test_what_was_just_made_is_protected_from_its_replacement(void **state)
{
	struct world *w = *state;
	w->config.sync.prune.max.value = 1;
	world_start_with(w, SYNCED("orders", "1", "{protect: true}"));
	auto_free char *text = xstrdup(SYNCED("orders", "1", "{replace: true}"));
	memcpy(strstr(text, "active-passive"), "active-active ", strlen("active-passive"));
	world_commit(w, text);
	world_run(w, 3 * MINUTE);
	assert_int_equal(world_count(w, API_DELETE), 0);
	assert_non_null(strstr(world_note(w, "sync"), "failure orders: was protected"));
}

static void test_what_is_suspended_goes_on_when_the_time_comes(void **state)
{
	struct world *w = *state;
	w->config.sync.interval_ms = 600 * MINUTE;
	world_start_with(w, SYNCED("orders", "1",
				    "{suspend: {reason: upgrade, until: \"2026-09-21T15:00:00Z\"}}")
				    DOCUMENT("payments", "1"));
	assert_string_equal(world_note(w, "sync"),
		"success 1 in sync (1 changed), 1 suspended until 15:00Z "
		"(upgrade; sync.suspend in Git): orders");
	world_run(w, 47 * MINUTE);
	assert_string_equal(world_note(w, "sync"), "success 2 in sync (2 changed)");
}

static void suspend(struct world *w, const char *name)
{
	struct suspension *s = xmalloc(sizeof(*s));
	*s = (struct suspension){
		.name = xstrdup(name), .reason = xstrdup("upgrade"), .by = xstrdup("jane")};
	ledger_suspend(&w->engine->ledger, s);
	engine_wake(w->engine);
}

static void test_what_others_do_to_what_is_held_is_known(void **state)
{
	struct world *w = *state;
	w->config.sync.mode = SYNC_REPORT;
	world_start_with(w, ONE);
	const struct store_row *row = &ledger_find(&w->engine->ledger, "orders")->row;
	assert_int_equal(row->provisioned_generation, 1);
	world_edit(w, "orders", "lag_alert_threshold", "7");
	engine_wake(w->engine);
	world_run(w, MINUTE);
	assert_int_equal(row->seen_generation, 2);
	assert_int_equal(row->provisioned_generation, 2);
	assert_non_null(strstr(row->provisioned, "\"lag_alert_threshold\":7"));
	world_save(w, "orders", "lag_alert_threshold", "8"); /* and starts nothing */
	engine_wake(w->engine);
	world_run(w, MINUTE);
	assert_int_equal(row->seen_generation, 3);
	assert_int_equal(row->provisioned_generation, 2);
}

/* It is gone from Git, and what to do about it nobody asks. */
static void test_a_draft_on_what_is_left_in_the_api_is_not_taken_for_what_runs(void **state)
{
	struct world *w = *state;
	world_start_with(w, TWO);
	world_commit(w, ONE);
	world_run(w, MINUTE);
	world_save(w, "payments", "groups_whitelist", "\"theirs\"");
	world_object(w, "payments")->foreign = true;
	engine_wake(w->engine);
	world_run(w, MINUTE);
	world_commit(w, ONE DOCUMENT("payments", "2"));
	world_run(w, 10 * MINUTE);
	assert_int_equal(w->trespasses, 0);
	assert_non_null(
		strstr(world_note(w, "sync"), "failure payments: a draft of somebody else"));
}

static void test_what_is_suspended_and_in_sync_says_what_resumes_it(void **state)
{
	struct world *w = *state;
	world_start_with(
		w, SYNCED("orders", "1", "{suspend: {reason: upgrade}}") DOCUMENT("payments", "1"));
	suspend(w, "payments");
	engine_wake(w->engine);
	world_run(w, MINUTE);
	const char *told = engine_standings(w->engine);
	assert_non_null(strstr(told, "\"hold\":\"suspend\""));
	assert_non_null(strstr(told, "\"why\":\"suspended: upgrade\""));
	assert_non_null(strstr(told, "\"why\":\"suspended by jane"));
	assert_non_null(strstr(told, "\"release\":\"take sync.suspend out of its YAML\""));
	assert_non_null(strstr(told, "\"release\":\"`weir resume payments`"));
}

static void test_drift_of_what_a_person_suspended_is_told_and_left(void **state)
{
	struct world *w = *state;
	world_start_with(w, TWO);
	suspend(w, "orders");
	world_edit(w, "orders", "lag_alert_threshold", "7");
	world_run(w, 10 * MINUTE);
	assert_int_equal(world_count(w, API_PATCH), 0);
	assert_non_null(strstr(world_note(w, "drift"), "failure orders: suspended by jane"));
	assert_non_null(strstr(world_note(w, "drift"), "`weir resume orders`"));
	ledger_resume(&w->engine->ledger, "orders");
	engine_wake(w->engine);
	world_run(w, MINUTE);
	assert_string_equal(world_note(w, "drift"), "success no drift");
	assert_int_equal(world_count(w, API_PATCH), 1);
}

static void test_dependants_go_on_as_soon_as_the_first_is_healthy(void **state)
{
	struct world *w = *state;
	world_commit(w, SYNCED("customers", "1", "{depends_on: [sales]}") SYNCED(
				"orders", "1", "{depends_on: [customers]}") DOCUMENT("sales", "1"));
	world_start(w);
	world_run(w, 2000);
	assert_int_equal(map_size(&w->objects), 1);
	assert_string_equal(world_note(w, "sync"), "pending waiting for Healthy 0/3");
	world_run(w, 28000);
	assert_string_equal(world_note(w, "sync"), "success 3 in sync (3 changed)");
}

static size_t count_looks(const struct world *w, const char *name)
{
	size_t n = 0;
	vec_each (l, &w->log)
		n += l->verb == API_GET && !strcmp(l->name, name);
	return n;
}

/* What is suspended is not ours to bring about. */
static void wait_for_suspended(struct world *w)
{
	w->config.sync.interval_ms = 600 * MINUTE;
	world_start_with(w, DOCUMENT("sales", "1"));
	world_object(w, "sales")->failed = true;
	world_commit(w, SYNCED("orders", "1", "{depends_on: [sales]}")
				SYNCED("sales", "1", "{suspend: {reason: audit}}"));
	world_run(w, MINUTE);
	assert_null(world_object(w, "orders"));
}

static void test_a_dependency_that_others_make_healthy_is_seen_soon(void **state)
{
	struct world *w = *state;
	wait_for_suspended(w);
	world_object(w, "sales")->failed = false;
	world_run(w, MINUTE);
	assert_non_null(world_object(w, "orders"));
}

static void test_a_dependency_is_not_looked_at_for_ever(void **state)
{
	struct world *w = *state;
	wait_for_suspended(w);
	size_t lists = world_count(w, API_LIST);
	world_run(w, 20 * MINUTE);
	size_t looks = count_looks(w, "sales");
	assert_true(looks > 10 && looks < 100);
	world_run(w, 60 * MINUTE);
	assert_int_equal(count_looks(w, "sales"), looks);
	assert_int_equal(world_count(w, API_LIST), lists);
	world_object(w, "sales")->failed = false;
	engine_wake(w->engine);
	world_run(w, MINUTE);
	assert_non_null(world_object(w, "orders"));
}

static void test_what_others_delete_is_made_again_as_soon_as_it_is_gone(void **state)
{
	struct world *w = *state;
	w->config.sync.interval_ms = 600 * MINUTE;
	world_start_with(w, ONE);
	world_object(w, "orders")->deleting = true;
	engine_wake(w->engine);
	world_run(w, MINUTE);
	assert_int_equal(world_count(w, API_CREATE), 1);
	world_delete(w, "orders");
	world_run(w, MINUTE);
	assert_int_equal(world_count(w, API_CREATE), 2);
}

static void test_what_is_depended_on_is_deleted_last(void **state)
{
	struct world *w = *state;
	w->config.sync.prune.enabled = true;
	w->config.sync.prune.max.value = 10;
	world_start_with(w, SYNCED("customers", "1", "{depends_on: [sales]}")
				    DOCUMENT("orders", "1") DOCUMENT("sales", "1"));
	world_commit(w, DOCUMENT("orders", "1"));
	world_run(w, MINUTE);
	const char *order[2] = {"", ""};
	size_t n = 0;
	vec_each (l, &w->log)
		if (l->verb == API_DELETE && n < 2)
			order[n++] = l->name;
	assert_string_equal(order[0], "customers");
	assert_string_equal(order[1], "sales");
	assert_string_equal(world_note(w, "sync"), "success 1 in sync");
}

static void take_back(struct world *w, const char *value)
{
	world_edit(w, "orders", "lag_alert_threshold", value);
	engine_wake(w->engine);
	world_run(w, 5 * MINUTE);
}

static void contest(struct world *w)
{
	world_start_with(w, ONE);
	take_back(w, "1");
	take_back(w, "2");
	assert_int_equal(world_count(w, API_PATCH), 2);
	take_back(w, "3");
}

static void test_what_is_taken_back_three_times_is_held(void **state)
{
	struct world *w = *state;
	contest(w);
	assert_int_equal(world_count(w, API_PATCH), 2);
	assert_non_null(strstr(world_note(w, "drift"), "failure orders: somebody else "));
	world_kill(w);
	world_start(w);
	world_run(w, 300 * MINUTE); /* however long */
	assert_int_equal(world_count(w, API_PATCH), 2);
}

static void test_what_is_taken_back_now_and_then_is_healed(void **state)
{
	struct world *w = *state;
	world_start_with(w, ONE);
	for (int i = 0; i < 6; i++) {
		auto_free char *value = xasprintf("%d", i);
		take_back(w, value);
		world_run(w, 40 * MINUTE);
	}
	assert_int_equal(world_count(w, API_PATCH), 6);
}

static void test_a_person_has_a_contested_setting_written_again(void **state)
{
	struct world *w = *state;
	contest(w);
	world_approve_all(w);
	world_run(w, MINUTE);
	assert_int_equal(world_count(w, API_PATCH), 3);
	assert_int_equal(count_approvals(w), 0);
	assert_string_equal(world_note(w, "drift"), "success no drift");
}

static void test_git_says_something_else_of_a_contested_setting(void **state)
{
	struct world *w = *state;
	contest(w);
	world_commit(w, DOCUMENT("orders", "4"));
	world_run(w, MINUTE);
	assert_int_equal(world_count(w, API_PATCH), 3);
	assert_string_equal(world_note(w, "sync"), "success 1 in sync (1 changed)");
}

static void test_a_contested_setting_that_stays_right_is_healed_again(void **state)
{
	struct world *w = *state;
	contest(w);
	world_edit(w, "orders", "lag_alert_threshold", "10000");
	world_run(w, 30 * MINUTE);
	take_back(w, "9"); /* too soon */
	assert_int_equal(world_count(w, API_PATCH), 2);
	world_edit(w, "orders", "lag_alert_threshold", "10000");
	world_run(w, 80 * MINUTE);
	take_back(w, "10");
	assert_int_equal(world_count(w, API_PATCH), 3);
}

static void test_what_was_approved_and_is_not_there_any_more_is_forgotten(void **state)
{
	struct world *w = *state;
	world_start_with(w, ONE);
	world_kill(w);
	world_lose_store(w);
	world_edit(w, "orders", "lag_alert_threshold", "7");
	world_start(w);
	world_run(w, MINUTE);
	assert_non_null(strstr(world_note(w, "sync"), "failure orders: exists already"));
	world_approve_all(w);
	world_delete(w, "orders");
	world_run(w, MINUTE);
	assert_int_equal(count_approvals(w), 0);
	assert_int_equal(world_count(w, API_CREATE), 2);
}

static void rewind_branch(struct world *w)
{
	world_start_with(w, TWO);
	world_commit(w, DOCUMENT("orders", "5"));
	w->relation = SOURCE_REWOUND;
	world_run(w, MINUTE);
	assert_non_null(strstr(world_note(w, "sync"), "`weir approve --rewind`"));
}

static void approve_rewind(struct world *w)
{
	assert_non_null(w->engine->rewind_approval);
	world_approve(w, "orders", w->engine->rewind_approval);
}

static void test_a_rewound_branch_is_followed_once_that_is_approved(void **state)
{
	struct world *w = *state;
	rewind_branch(w);
	approve_rewind(w);
	world_run(w, MINUTE);
	assert_string_equal(world_note(w, "sync"),
		"success 1 in sync (1 changed), 1 not in Git "
		"(prune is off; weir forget payments): payments");
	assert_int_equal(count_approvals(w), 0);
}

static void test_what_was_approved_of_a_rewind_is_that_tree(void **state)
{
	struct world *w = *state;
	rewind_branch(w);
	approve_rewind(w);
	world_commit(w, DOCUMENT("orders", "6")); /* before anybody looked */
	w->relation = SOURCE_REWOUND;
	world_run(w, 10 * MINUTE);
	assert_int_equal(world_count(w, API_PATCH), 0);
	assert_non_null(strstr(world_note(w, "sync"), "failure the branch was rewound"));
}

static void test_no_more_than_so_many_are_changed_by_one_commit(void **state)
{
	struct world *w = *state;
	auto_buf struct buf text = BUF_INIT;
	world_start_with(w, TWO);
	w->config.sync.max_updates = 2;
	many(&text, 3, 1);
	buf_adds(&text, TWO);
	world_commit(w, buf_str(&text));
	world_run(w, MINUTE);
	assert_int_equal(world_count(w, API_CREATE), 2);
	assert_non_null(strstr(world_note(w, "sync"), "`weir approve r-00`"));
	world_approve_all(w);
	world_run(w, MINUTE);
	assert_int_equal(world_count(w, API_CREATE), 5);
}

static void test_a_new_store_overwrites_nothing_until_git_says_so(void **state)
{
	struct world *w = *state;
	w->config.sync.adopt = ADOPT_OVERWRITE;
	world_start_with(w, TWO);
	world_kill(w);
	world_edit(w, "orders", "lag_alert_threshold", "7");
	world_lose_store(w);
	world_start(w);
	world_run(w, 20 * MINUTE);
	assert_non_null(strstr(world_note(w, "sync"), "failure orders: exists already"));
	assert_true(world_has_event(w, NULL, "new store"));
	world_kill(w);
	world_start(w);
	world_run(w, 20 * MINUTE); /* the store is not empty any more */
	assert_int_equal(world_count(w, API_PATCH), 0);
	world_commit(w, DOCUMENT("orders", "5") DOCUMENT("payments", "10000"));
	world_run(w, MINUTE);
	assert_string_equal(world_note(w, "sync"), "success 2 in sync (1 changed)");
	auto_free char *found = NULL;
	assert_int_equal(store_get(w->store, "found", &found, NULL), 0);
	assert_string_equal(found, "[]");
}

static void test_what_is_forbidden_is_tried_again_when_somebody_says_so(void **state)
{
	struct world *w = *state;
	world_fail(w, API_CREATE, MISHAP_403, 1);
	world_commit(w, ONE);
	world_start(w);
	world_run(w, 5000);
	assert_int_equal(world_count(w, API_CREATE), 1);
	engine_wake(w->engine);
	world_run(w, 5000);
	assert_int_equal(world_count(w, API_CREATE), 2);
}

static void test_another_source_on_an_old_store_deletes_nothing(void **state)
{
	struct world *w = *state;
	struct err e = ERR_INIT;
	w->config.sync.prune.enabled = true;
	w->config.sync.prune.max.value = 10;
	world_store_on_disk(w);
	world_start_with(w, TWO);
	world_kill(w);
	store_close(w->store);
	assert_int_equal(store_open(w->folder_of_store, "another", &w->store, &e), 0);
	world_commit(w, ONE);
	w->relation = SOURCE_FIRST;
	world_start(w);
	world_run(w, 60 * MINUTE);
	assert_int_equal(world_count(w, API_DELETE), 0);
	assert_string_equal(
		world_note(w, "sync"), "success 1 in sync (new state: nothing is pruned)");
}

static void test_what_is_gone_leaves_the_memory(void **state)
{
	struct world *w = *state;
	auto_buf struct buf text = BUF_INIT;
	w->config.sync.prune.enabled = true;
	w->config.sync.prune.max.value = 100;
	many(&text, 20, 1);
	world_start_with(w, buf_str(&text));
	world_commit(w, ONE);
	world_run(w, 10 * MINUTE);
	assert_int_equal(map_size(&w->engine->ledger.records), 1);
}

int main(void)
{
	log_setup(LOG__COUNT, LOG_TEXT);
#define TEST(f) cmocka_unit_test_setup_teardown(f, world_test_setup, world_test_teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_what_was_just_made_is_protected_from_its_replacement),
		TEST(test_what_is_suspended_goes_on_when_the_time_comes),
		TEST(test_what_others_do_to_what_is_held_is_known),
		TEST(test_a_draft_on_what_is_left_in_the_api_is_not_taken_for_what_runs),
		TEST(test_what_is_suspended_and_in_sync_says_what_resumes_it),
		TEST(test_drift_of_what_a_person_suspended_is_told_and_left),
		TEST(test_dependants_go_on_as_soon_as_the_first_is_healthy),
		TEST(test_a_dependency_that_others_make_healthy_is_seen_soon),
		TEST(test_a_dependency_is_not_looked_at_for_ever),
		TEST(test_what_others_delete_is_made_again_as_soon_as_it_is_gone),
		TEST(test_what_is_depended_on_is_deleted_last),
		TEST(test_what_is_taken_back_three_times_is_held),
		TEST(test_what_is_taken_back_now_and_then_is_healed),
		TEST(test_a_person_has_a_contested_setting_written_again),
		TEST(test_git_says_something_else_of_a_contested_setting),
		TEST(test_a_contested_setting_that_stays_right_is_healed_again),
		TEST(test_what_was_approved_and_is_not_there_any_more_is_forgotten),
		TEST(test_a_rewound_branch_is_followed_once_that_is_approved),
		TEST(test_what_was_approved_of_a_rewind_is_that_tree),
		TEST(test_no_more_than_so_many_are_changed_by_one_commit),
		TEST(test_a_new_store_overwrites_nothing_until_git_says_so),
		TEST(test_what_is_forbidden_is_tried_again_when_somebody_says_so),
		TEST(test_another_source_on_an_old_store_deletes_nothing),
		TEST(test_what_is_gone_leaves_the_memory),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
