/* A commit of which one replicator after the other ends in Error: how far it gets, and what lets it
 * go on. */
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

#define MANY 30

static char *many_with(size_t n, const char *mode, int threshold)
{
	struct buf out = BUF_INIT;
	for (size_t i = 0; i < n; i++)
		buf_addf(&out,
			"---\napiVersion: weir/v1\nkind: KafkaReplicator\n"
			"metadata: {name: r-%02zu}\nsync: {replace: true}\n"
			"spec: {provider: MirrorMaker2, source_kafka_id: a, destination_kafka_id: "
			"b, replication_mode: %s, topic_whitelist: [\"t%zu\"], "
			"lag_alert_threshold: %d, lag_alert_threshold_unit: messages}\n",
			i, mode, i, threshold);
	return buf_take(&out);
}

static char *many(size_t n, int threshold)
{
	return many_with(n, "active-passive", threshold);
}

static void commit_many(struct world *w, size_t n, int threshold)
{
	auto_free char *text = many(n, threshold);
	world_commit(w, text);
}

static void start_with_many(struct world *w, size_t n)
{
	commit_many(w, n, 1);
	world_start(w);
	world_run(w, MINUTE);
}

static void run_without_ends(struct world *w)
{
	w->operation_ms = 1000 * MINUTE;
	start_with_many(w, MANY);
}

static void test_of_a_commit_that_breaks_all_three_are_begun(void **state)
{
	struct world *w = *state;
	w->fails = true;
	start_with_many(w, MANY);
	assert_int_equal(world_operations(w), 3);
	assert_int_equal(world_count(w, API_CREATE), 3);
	assert_non_null(strstr(world_note(w, "sync"), "failure r-"));
	assert_non_null(strstr(world_note(w, "sync"), "nothing more of this commit"));
	assert_true(world_has_event(w, NULL, "braked"));
	world_kill(w);
	world_start(w);
	world_run(w, 30 * MINUTE);
	assert_int_equal(map_size(&w->objects), 3);
}

static void test_whenever_it_is_killed_no_more_are_begun(void **state)
{
	(void)state;
	for (int64_t at = 0; at < 9000; at += 250) {
		struct world w;
		world_setup(&w);
		w.fails = true;
		w.operation_ms = 2500;
		commit_many(&w, MANY, 1);
		world_start(&w);
		world_run(&w, at);
		world_kill(&w);
		world_start(&w);
		world_run(&w, 5 * MINUTE);
		assert_int_equal(map_size(&w.objects), 3);
		world_teardown(&w);
	}
}

static void test_each_that_ends_well_lets_more_begin(void **state)
{
	struct world *w = *state;
	w->call_ms = 1;
	w->operation_ms = 20000;
	w->config.sync.concurrency = 100;
	commit_many(w, MANY, 1);
	world_start(w);
	const size_t begun[] = {3, 9, 21, MANY};
	for (size_t i = 0; i < ARRAY_SIZE(begun); i++) {
		size_t well = 0;
		world_run(w, 15000);
		assert_int_equal(world_count(w, API_CREATE), begun[i]);
		if (i == 0)
			assert_string_equal(world_note(w, "sync"), "pending applying 3/30");
		while (well < (i ? begun[i] : 3)) { /* the whole round */
			world_run(w, 500);
			well = map_size(&w->engine->changed);
		}
	}
	world_run(w, MINUTE);
	assert_string_equal(world_note(w, "sync"), "success 30 in sync (30 changed)");
}

static void test_what_waits_says_so_and_is_not_late(void **state)
{
	struct world *w = *state;
	run_without_ends(w);
	const struct plan_item *last = plan_find(w->engine->plan, "r-29");
	assert_int_equal(last->action, PLAN_CREATE);
	assert_true(last->queued);
	assert_non_null(strstr(engine_standings(w->engine),
		"waits for its turn, until more of its commit are Healthy"));
	assert_string_equal(world_note(w, "sync"), "pending applying 3/30");
}

static void test_what_is_stuck_keeps_nobody_from_beginning(void **state)
{
	struct world *w = *state;
	run_without_ends(w);
	world_run(w, 8 * MINUTE);
	assert_int_equal(world_count(w, API_CREATE), 3);
	world_run(w, 2 * MINUTE);
	assert_int_equal(world_count(w, API_CREATE), 6);
}

static void test_what_is_refused_keeps_nobody_from_beginning(void **state)
{
	struct world *w = *state;
	world_fail(w, API_CREATE, MISHAP_REFUSE, MANY - 2);
	start_with_many(w, MANY);
	assert_int_equal(world_count(w, API_CREATE), MANY);
	assert_int_equal(map_size(&w->objects), 2);
	assert_non_null(strstr(world_note(w, "sync"), "+27 more"));
}

static void test_what_is_forbidden_keeps_nobody_from_beginning(void **state)
{
	struct world *w = *state;
	world_fail(w, API_RECONCILE, MISHAP_403, MANY - 2);
	start_with_many(w, MANY);
	assert_int_equal(world_count(w, API_CREATE), MANY);
	world_run(w, 5 * MINUTE);
	assert_string_equal(world_note(w, "sync"), "success 30 in sync (30 changed)");
}

static void test_what_gets_no_answer_is_in_doubt(void **state)
{
	struct world *w = *state;
	world_fail(w, API_RECONCILE, MISHAP_AFTER, 1000);
	w->operation_ms = 1000 * MINUTE;
	start_with_many(w, MANY);
	assert_int_equal(world_operations(w), 3);
	assert_int_equal(map_size(&w->objects), 3);
}

static void test_what_vanishes_keeps_nobody_from_beginning(void **state)
{
	struct world *w = *state;
	run_without_ends(w);
	w->operation_ms = 3000;
	world_delete(w, "r-00");
	world_delete(w, "r-01");
	world_delete(w, "r-02");
	world_run(w, 10 * MINUTE);
	assert_non_null(strstr(world_note(w, "sync"), "success 30 in sync"));
}

static void test_those_that_end_well_in_between_let_it_go_on(void **state)
{
	struct world *w = *state;
	w->operation_ms = 20000;
	w->fails = true;
	commit_many(w, MANY, 1);
	world_start(w);
	world_run(w, 10000);
	struct object *one = world_object(w, "r-01");
	w->fails = false;
	world_run(w, 13000);
	assert_non_null(one);
	world_run(w, 20 * MINUTE);
	assert_string_equal(world_note(w, "sync"), "success 30 in sync (30 changed)");
}

static void test_drift_is_healed_at_once(void **state)
{
	struct world *w = *state;
	start_with_many(w, MANY);
	world_kill(w);
	for (int i = 0; i < MANY; i++) {
		auto_free char *name = xasprintf("r-%02d", i);
		world_edit(w, name, "lag_alert_threshold", "7");
	}
	w->operation_ms = 1000 * MINUTE;
	world_start(w);
	world_run(w, 10000);
	assert_int_equal(world_count(w, API_PATCH), MANY);
}

/* To replace is to delete first. */
static void test_of_what_is_replaced_three_are_deleted(void **state)
{
	struct world *w = *state;
	start_with_many(w, MANY);
	auto_free char *other = many_with(MANY, "active-active", 1);
	world_commit(w, other);
	w->fails = true;
	w->config.sync.prune.max.value = 100;
	world_run(w, 10000);
	world_kill(w);
	world_start(w);
	world_run(w, 5 * MINUTE);
	size_t deletes = world_count(w, API_DELETE);
	assert_int_equal(deletes, 3);
	assert_int_equal(map_size(&w->objects), MANY);
}

static enum standing standing_of(const struct world *w, const char *name)
{
	auto_arena struct arena a = ARENA_INIT;
	struct report_item item;
	judge_item(w->engine, plan_find(w->engine->plan, name), &a, &item);
	return item.standing;
}

static void test_what_waits_to_be_replaced_is_not_on_its_way_out(void **state)
{
	struct world *w = *state;
	start_with_many(w, MANY);
	auto_free char *other = many_with(MANY, "active-active", 1);
	w->config.sync.prune.max.value = 100;
	w->operation_ms = 1000 * MINUTE;
	world_commit(w, other);
	world_run(w, MINUTE);
	assert_string_equal(world_note(w, "sync"), "pending applying 0/27, deleting 3");
	world_run(w, 12 * MINUTE); /* what is stuck lets others begin */
	assert_int_equal(standing_of(w, "r-02"), STANDING_STUCK);
	assert_int_equal(standing_of(w, "r-05"), STANDING_DELETING);
	assert_int_equal(standing_of(w, "r-06"), STANDING_APPLYING);
}

static void break_many(struct world *w)
{
	w->fails = true;
	start_with_many(w, MANY);
	w->fails = false;
}

static void test_a_newer_commit_releases_the_brake(void **state)
{
	struct world *w = *state;
	break_many(w);
	commit_many(w, MANY, 2);
	world_run(w, 10 * MINUTE);
	assert_string_equal(world_note(w, "sync"), "success 30 in sync (30 changed)");
}

static void test_a_person_releases_the_brake(void **state)
{
	struct world *w = *state;
	break_many(w);
	world_approve(w, "", w->engine->brake.approval);
	world_run(w, 10 * MINUTE);
	assert_string_equal(world_note(w, "sync"), "success 30 in sync (30 changed)");
	assert_int_equal(map_size(&w->engine->ledger.approvals), 0);
}

static const char *approval_of_item(struct world *w, const char *name)
{
	return plan_find(w->engine->plan, name)->approval;
}

static void test_a_person_lets_one_go_on_and_no_other(void **state)
{
	struct world *w = *state;
	break_many(w);
	assert_string_not_equal(approval_of_item(w, "r-20"), approval_of_item(w, "r-21"));
	world_approve(w, "r-20", approval_of_item(w, "r-20"));
	world_run(w, 10 * MINUTE);
	assert_non_null(world_object(w, "r-20"));
	assert_int_equal(map_size(&w->objects), 4);
	assert_int_equal(map_size(&w->engine->ledger.approvals), 0);
	assert_non_null(strstr(world_note(w, "sync"), "`weir approve --brake`"));
	w->fails = true;
	world_approve(w, "r-21", approval_of_item(w, "r-21"));
	world_run(w, 10 * MINUTE);
	assert_int_equal(map_size(&w->objects), 5);
}

static void test_a_brake_that_was_released_bites_again(void **state)
{
	struct world *w = *state;
	break_many(w);
	w->fails = true;
	world_approve(w, "", w->engine->brake.approval);
	world_run(w, 10 * MINUTE);
	assert_int_equal(map_size(&w->objects), 6);
}

static void test_two_that_fail_again_and_again_are_no_reason_to_stop(void **state)
{
	struct world *w = *state;
	w->fails = true;
	world_start_with(w, TWO);
	world_run(w, 60 * MINUTE);
	assert_null(strstr(world_note(w, "sync"), "nothing more"));
	w->fails = false;
	world_run(w, 70 * MINUTE);
	assert_string_equal(world_note(w, "sync"), "success 2 in sync (2 changed)");
}

int main(void)
{
	log_setup(LOG__COUNT, LOG_TEXT);
#define TEST(f) cmocka_unit_test_setup_teardown(f, world_test_setup, world_test_teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_of_a_commit_that_breaks_all_three_are_begun),
		cmocka_unit_test(test_whenever_it_is_killed_no_more_are_begun),
		TEST(test_each_that_ends_well_lets_more_begin),
		TEST(test_what_waits_says_so_and_is_not_late),
		TEST(test_what_is_stuck_keeps_nobody_from_beginning),
		TEST(test_what_is_refused_keeps_nobody_from_beginning),
		TEST(test_what_is_forbidden_keeps_nobody_from_beginning),
		TEST(test_what_gets_no_answer_is_in_doubt),
		TEST(test_what_vanishes_keeps_nobody_from_beginning),
		TEST(test_those_that_end_well_in_between_let_it_go_on),
		TEST(test_drift_is_healed_at_once),
		TEST(test_of_what_is_replaced_three_are_deleted),
		TEST(test_what_waits_to_be_replaced_is_not_on_its_way_out),
		TEST(test_a_newer_commit_releases_the_brake),
		TEST(test_a_person_releases_the_brake),
		TEST(test_a_person_lets_one_go_on_and_no_other),
		TEST(test_a_brake_that_was_released_bites_again),
		TEST(test_two_that_fail_again_and_again_are_no_reason_to_stop),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
