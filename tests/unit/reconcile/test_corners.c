/* The engine where two things happen at once, where something never ends, or where others meddle. */
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

/* The look at the old commit's operation is answered between the plan for the new one and its write.
 */
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

/* Of two that the list lacks, one gives an error and one is slow: its answer, which says that there is
 * none, comes when the next pass has asked again. */
static void test_a_late_answer_is_not_taken_for_one_of_the_next_pass(void **state)
{
	struct world *w = *state;
	world_start_with(w, TWO DOCUMENT("sales", "1"));
	world_object(w, "orders")->unlisted = true;
	world_object(w, "payments")->unlisted = true;
	w->holds = "orders";
	world_fail(w, API_GET, MISHAP_500, 1);
	world_run(w, 7 * MINUTE);
	world_fail(w, API_GET, MISHAP_404, 1);
	w->holds = NULL;
	world_run(w, 7 * MINUTE);
	assert_int_equal(world_count(w, API_CREATE), 3);
	assert_string_equal(world_note(w, "drift"), "success no drift");
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

int main(void)
{
	log_setup(LOG__COUNT, LOG_TEXT);
#define TEST(f) cmocka_unit_test_setup_teardown(f, world_test_setup, world_test_teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_a_late_look_does_not_disturb_a_newer_write),
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
		TEST(test_the_wait_after_a_failure_starts_over_with_a_new_generation),
		TEST(test_what_is_not_kept_is_written_once_whatever_else_changes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
