/* What the events say: what differed, what became held, and that an approval came to nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/log.h"
#include "documents.h"
#include "reconcile/internal.h"
#include "world.h"

static void look_now(struct world *w, int64_t ms)
{
	engine_wake(w->engine);
	world_run(w, ms);
}

/* How many of these there are of orders; `words` stand in the detail of each. */
static size_t count_events(struct world *w, const char *what, const char *words)
{
	struct events events = VEC_INIT;
	struct err e = ERR_INIT;
	size_t n = 0;
	assert_int_equal(store_load_events(w->store, "orders", 1000, &events, &e), 0);
	vec_each (event, &events) {
		if (strcmp(event->what, what) != 0)
			continue;
		n++;
		if (!event->detail || !strstr(event->detail, words))
			fail_msg("%s: \"%s\" lacks \"%s\"", what, event->detail, words);
	}
	events_release(&events);
	return n;
}

static void test_drift_says_what_it_was(void **state)
{
	struct world *w = *state;
	world_start_with(w, ONE);
	world_edit(w, "orders", "lag_alert_threshold", "78");
	look_now(w, 12 * MINUTE);
	assert_int_equal(count_events(w, "drift", "lag_alert_threshold: 10000 in Git, 78 live"), 1);
	assert_int_equal(count_events(w, "changed",
				 "generation 3: lag_alert_threshold: 78 -> 10000 (drift)"),
		1);
	assert_int_equal(count_events(w, "healed", "lag_alert_threshold: 78 -> 10000 (drift)"), 1);
}

static void test_a_change_says_what_it_is(void **state)
{
	struct world *w = *state;
	world_start_with(w, ONE);
	world_commit(w, DOCUMENT("orders", "5"));
	world_run(w, 12 * MINUTE);
	assert_int_equal(
		count_events(w, "changed", "generation 2: lag_alert_threshold: 10000 -> 5"), 1);
	assert_int_equal(count_events(w, "drift", ""), 0);
}

static void test_what_was_saved_without_an_answer_is_told_once_it_shows(void **state)
{
	struct world *w = *state;
	world_fail(w, API_CREATE, MISHAP_AFTER, 1);
	world_start_with(w, ONE);
	world_run(w, 12 * MINUTE);
	assert_int_equal(count_events(w, "created", "generation 1; its answer was lost"), 1);
	world_fail(w, API_PATCH, MISHAP_AFTER, 1);
	world_commit(w, DOCUMENT("orders", "5"));
	world_run(w, 12 * MINUTE);
	assert_int_equal(
		count_events(w, "changed",
			"generation 2: lag_alert_threshold: 10000 -> 5; its answer was lost"),
		1);
}

static void test_what_is_held_is_told_once_also_after_a_restart(void **state)
{
	struct world *w = *state;
	w->config.sync.mode = SYNC_REPORT;
	world_start_with(w, ONE);
	world_edit(w, "orders", "lag_alert_threshold", "78");
	for (int i = 0; i < 20; i++)
		look_now(w, MINUTE);
	world_stop(w);
	world_start(w);
	for (int i = 0; i < 20; i++)
		look_now(w, MINUTE);
	assert_int_equal(count_events(w, "held",
				 "report: drift, and sync.mode is report; "
				 "lag_alert_threshold: 78 -> 10000 (drift)"),
		1);
}

/* It comes and goes at each look, for three hours. */
static void test_what_flaps_fills_no_store(void **state)
{
	struct world *w = *state;
	w->config.sync.mode = SYNC_REPORT;
	world_start_with(w, ONE);
	for (int i = 0; i < 180; i++) {
		world_edit(w, "orders", "lag_alert_threshold", i % 2 ? "10000" : "78");
		look_now(w, MINUTE);
	}
	assert_in_range(count_events(w, "held", "report: "), 3, 4);
}

static void test_an_approval_of_what_changed_since_is_told(void **state)
{
	struct world *w = *state;
	world_start_with(w, ONE);
	world_save(w, "orders", "topic_blacklist", "\"theirs\"");
	world_commit(w, DOCUMENT("orders", "5"));
	world_run(w, 3 * MINUTE);
	assert_int_equal(count_events(w, "held",
				 "foreign-draft: a draft of somebody else (generation 2) would be "
				 "provisioned too; lag_alert_threshold: 10000 -> 5; would also "
				 "provision topic_blacklist: (none) -> [theirs]"),
		1);
	const struct plan_item *item = plan_find(w->engine->plan, "orders");
	auto_free char *digest = xstrdup(item->approval);
	world_save(w, "orders", "topic_blacklist", "\"others\"");
	world_approve(w, "orders", digest);
	look_now(w, 12 * MINUTE);
	assert_int_equal(world_count(w, API_PATCH), 0);
	assert_int_equal(
		count_events(w, "approval lapsed", "it: what was approved has changed"), 1);
	world_object(w, "orders")->foreign = false;
	world_approve_all(w);
	look_now(w, 12 * MINUTE);
	assert_int_equal(world_count(w, API_PATCH), 1);
	assert_int_equal(count_events(w, "approval lapsed", ""), 1);
}

int main(void)
{
	log_setup(LOG__COUNT, LOG_TEXT);
#define TEST(f) cmocka_unit_test_setup_teardown(f, world_test_setup, world_test_teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_drift_says_what_it_was),
		TEST(test_a_change_says_what_it_is),
		TEST(test_what_was_saved_without_an_answer_is_told_once_it_shows),
		TEST(test_what_is_held_is_told_once_also_after_a_restart),
		TEST(test_what_flaps_fills_no_store),
		TEST(test_an_approval_of_what_changed_since_is_told),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
