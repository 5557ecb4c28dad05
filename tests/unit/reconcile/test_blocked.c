/* What stands in the way of one replicator stands in nobody else's, and no longer than it must. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "documents.h"
#include "plan/plan.h"
#include "reconcile/ledger.h"
#include "reconcile/orders.h"
#include "world.h"

#define HOUR (60 * MINUTE)

static size_t count_calls(const struct world *w, enum api_verb verb, const char *name)
{
	size_t n = 0;
	vec_each (l, &w->log)
		n += l->verb == verb && l->name && !strcmp(l->name, name);
	return n;
}

static void hide(struct world *w, const char *name, enum mishap mishap)
{
	world_object(w, name)->unlisted = true;
	world_fail(w, API_GET, mishap, 1000000);
}

static void test_one_that_cannot_be_read_stops_no_other(void **state)
{
	static const enum mishap mishaps[] = {MISHAP_403, MISHAP_500, MISHAP_BEFORE, MISHAP_422};
	for (size_t i = 0; i < sizeof(mishaps) / sizeof(mishaps[0]); i++) {
		struct world *w = *state;
		world_start_with(w, TWO);
		hide(w, "payments", mishaps[i]);
		w->operation_ms = 0; /* nothing has to be asked for */
		world_commit(w, DOCUMENT("orders", "5") DOCUMENT("payments", "10000"));
		world_run(w, HOUR);
		assert_int_equal(world_object(w, "orders")->patches, 1);
		assert_non_null(strstr(world_note(w, "sync"),
			"error payments: the API does not list it, and whether it is there"));
		assert_int_equal(count_calls(w, API_CREATE, "payments"), 0);
		assert_true(world_count(w, API_LIST) < 100);

		world_fail(w, API_GET, MISHAP_NONE, 0);
		world_run(w, 10 * MINUTE);
		assert_string_equal(world_note(w, "sync"), "success 2 in sync (1 changed)");
		world_teardown(w);
		world_setup(w);
	}
}

static void test_an_api_that_answers_nobody_is_away(void **state)
{
	struct world *w = *state;
	world_start_with(w, TWO DOCUMENT("refunds", "1"));
	hide(w, "payments", MISHAP_500);
	hide(w, "orders", MISHAP_500);
	hide(w, "refunds", MISHAP_500);
	engine_wake(w->engine);
	world_run(w, HOUR);
	assert_non_null(strstr(world_note(w, "drift"), "error API unreachable since"));
}

/* On top of what is there, and not started. */
static void save_theirs(struct world *w)
{
	world_save(w, "orders", "topic_blacklist", "\"theirs\"");
}

static void approve(struct world *w, const char *name)
{
	struct err e = ERR_INIT;
	const struct order order = {name, "", "anna", clock_wall_ms(&w->clock)};
	const struct plan_item *item = plan_find(engine_plan(w->engine), name);
	assert_int_equal(item->action, PLAN_HOLD);
	assert_non_null(item->approval);
	assert_int_equal(orders_approve(engine_ledger(w->engine), &order, item->approval,
				 plan_action_name(item->held_action), &e),
		0);
	assert_int_equal(engine_ordered(w->engine, &e), 0);
}

/* The answer of the write before was lost: what that one had is accounted for, and not what was
 * approved since. */
static void test_what_was_approved_is_not_used_up_by_the_write_before(void **state)
{
	struct world *w = *state;
	world_start_with(w, ONE);
	world_fail(w, API_PATCH, MISHAP_AFTER, 1);
	world_commit(w, DOCUMENT("orders", "5"));
	world_run(w, 100);
	save_theirs(w);
	world_commit(w, DOCUMENT("orders", "6"));
	world_run(w, MINUTE);
	world_fail(w, API_PATCH, MISHAP_500, 1);
	approve(w, "orders");
	world_run(w, 20 * MINUTE);
	assert_string_equal(world_note(w, "sync"), "success 1 in sync (1 changed)");
}

static void test_what_was_approved_is_started_also_if_that_fails_once(void **state)
{
	for (unsigned kills = 0; kills < 2; kills++) {
		struct world *w = *state;
		world_start_with(w, ONE);
		save_theirs(w);
		world_commit(w, DOCUMENT("orders", "5"));
		world_run(w, MINUTE);
		world_fail(w, API_RECONCILE, MISHAP_500, 1);
		approve(w, "orders");
		while (w->mishaps[API_RECONCILE])
			world_run(w, 10);
		if (kills) {
			world_kill(w);
			world_start(w);
		}
		world_run(w, 20 * MINUTE);
		assert_string_equal(world_note(w, "sync"), "success 1 in sync (1 changed)");
		world_teardown(w);
		world_setup(w);
	}
}

/* It was approved, and what a person suspends is not thereby not approved any more. */
static void test_what_was_approved_stays_so_while_it_is_suspended(void **state)
{
	struct world *w = *state;
	struct err e = ERR_INIT;
	const struct order order = {"orders", "", "anna", clock_wall_ms(&w->clock)};
	bool still;
	world_start_with(w, ONE);
	save_theirs(w);
	world_commit(w, DOCUMENT("orders", "5"));
	world_run(w, MINUTE);
	world_fail(w, API_PATCH, MISHAP_500, 1);
	approve(w, "orders");
	while (w->mishaps[API_PATCH])
		world_run(w, 10);
	orders_suspend(engine_ledger(w->engine), &order, false, 0, &e);
	engine_ordered(w->engine, &e);
	world_run(w, 10 * MINUTE);
	assert_int_equal(world_object(w, "orders")->patches, 0);
	assert_int_equal(orders_resume(engine_ledger(w->engine), &order, &still, &e), 0);
	engine_ordered(w->engine, &e);
	world_run(w, 10 * MINUTE);
	assert_string_equal(world_note(w, "sync"), "success 1 in sync (1 changed)");
}

static void test_a_key_that_was_used_before_is_not_the_last_after_other_failures(void **state)
{
	struct world *w = *state;
	world_start_with(w, ONE);
	world_fail(w, API_RECONCILE, MISHAP_500, 4);
	world_commit(w, DOCUMENT("orders", "5"));
	while (w->mishaps[API_RECONCILE])
		world_run(w, 100);
	world_fail(w, API_RECONCILE, MISHAP_422, 1);
	world_run(w, 10 * MINUTE);
	assert_string_equal(world_note(w, "sync"), "success 1 in sync (1 changed)");
}

/* The answer to the reconcile was lost, and its operation had failed before anybody looked. */
static void test_the_first_retry_is_another_operation(void **state)
{
	struct world *w = *state;
	w->fails = true;
	w->operation_ms = 500;
	world_fail(w, API_RECONCILE, MISHAP_AFTER, 1);
	world_start_with(w, ONE);
	assert_int_equal(world_operations(w), 1);
	world_run(w, MINUTE + 10000);
	assert_int_equal(world_operations(w), 2);
}

/* NULL if it has none. */
static char *failure_on_disk(const struct world *w, const char *name)
{
	struct store_rows rows = VEC_INIT;
	struct err e = ERR_INIT;
	char *failure = NULL;
	assert_int_equal(store_load_rows(w->store, &rows, &e), 0);
	vec_each (row, &rows)
		if (!strcmp(row->name, name))
			failure = xstrdup_opt(row->failure);
	store_rows_release(&rows);
	return failure;
}

static void test_what_is_forbidden_is_on_disk_until_it_is_not(void **state)
{
	struct world *w = *state;
	world_start_with(w, ONE);
	world_fail(w, API_PATCH, MISHAP_403, 2);
	world_commit(w, DOCUMENT("orders", "5"));
	world_run(w, 5000);
	auto_free char *failure = failure_on_disk(w, "orders");
	assert_non_null(failure);
	world_fail(w, API_PATCH, MISHAP_500, 1);
	while (w->mishaps[API_PATCH])
		world_run(w, 1000);
	world_run(w, 10);
	auto_free char *later = failure_on_disk(w, "orders");
	assert_null(later);
}

/* What is forbidden is tried again, and when; what is refused is not. */
static void test_what_was_not_accepted_says_what_would_help(void **state)
{
	struct world *w = *state;
	world_start_with(w, TWO);
	world_fail(w, API_PATCH, MISHAP_403, 1);
	world_commit(w, DOCUMENT("orders", "5") DOCUMENT("payments", "10000"));
	world_run(w, 5000);
	const char *told = engine_standings(w->engine);
	assert_non_null(strstr(told, "\"release\":\"give the token that right in the API\""));
	assert_non_null(strstr(told, "\"until_ms\":"));
	assert_null(strstr(world_note(w, "sync"), "next attempt"));
	world_fail(w, API_PATCH, MISHAP_REFUSE, 1);
	world_run(w, 2 * MINUTE);
	told = engine_standings(w->engine);
	assert_non_null(strstr(told, "\"release\":\"change it in Git: the same is not sent again"));
	assert_null(strstr(told, "\"until_ms\":"));
}

static void test_what_never_was_made_and_left_git_is_forgotten(void **state)
{
	struct world *w = *state;
	world_start_with(w, ONE);
	world_fail(w, API_CREATE, MISHAP_REFUSE, 1);
	world_commit(w, TWO);
	world_run(w, MINUTE);
	auto_free char *failure = failure_on_disk(w, "payments");
	assert_non_null(failure);
	world_commit(w, ONE);
	world_run(w, 10 * MINUTE);
	auto_free char *later = failure_on_disk(w, "payments");
	assert_null(later);
	assert_null(ledger_find(engine_ledger(w->engine), "payments"));
}

int main(void)
{
#define TEST(fn) cmocka_unit_test_setup_teardown(fn, world_test_setup, world_test_teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_one_that_cannot_be_read_stops_no_other),
		TEST(test_an_api_that_answers_nobody_is_away),
		TEST(test_what_was_approved_is_not_used_up_by_the_write_before),
		TEST(test_what_was_approved_is_started_also_if_that_fails_once),
		TEST(test_what_was_approved_stays_so_while_it_is_suspended),
		TEST(test_a_key_that_was_used_before_is_not_the_last_after_other_failures),
		TEST(test_the_first_retry_is_another_operation),
		TEST(test_what_is_forbidden_is_on_disk_until_it_is_not),
		TEST(test_what_was_not_accepted_says_what_would_help),
		TEST(test_what_never_was_made_and_left_git_is_forgotten),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
