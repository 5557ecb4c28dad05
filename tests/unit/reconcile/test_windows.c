/* Times at which nothing is changed, and labels by which they are chosen. The world begins at
 * 14:13:20Z. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/log.h"
#include "documents.h"
#include "reconcile/internal.h"
#include "world.h"

static void test_a_window_that_opens_wakes_the_pass(void **state)
{
	struct world *w = *state;
	struct err e = ERR_INIT;
	size_t bad;
	const struct window_rule rule = {.deny = true,
		.schedule = "0 14 * * *",
		.duration_ms = 60 * MINUTE,
		.timezone = "UTC"};
	assert_int_equal(windows_new(&rule, 1, &w->config.sync.windows, &bad, &e), 0);
	w->config.sync.interval_ms = 600 * MINUTE;
	world_start_with(w, ONE);
	assert_string_equal(world_note(w, "sync"),
		"success 0 in sync, 1 waiting for a window until 15:00Z (sync.windows): orders");
	assert_string_equal(world_note(w, "drift"), "success no drift");
	world_run(w, 45 * MINUTE);
	assert_int_equal(world_count(w, API_CREATE), 0);
	world_run(w, 2 * MINUTE);
	assert_string_equal(world_note(w, "sync"), "success 1 in sync (1 changed)");
	windows_free(w->config.sync.windows);
}

#define LABELLED(team, threshold)                                                                  \
	"---\napiVersion: weir/v1\nkind: KafkaReplicator\n"                                        \
	"metadata: {name: orders, labels: {team: " team "}}\n"                                     \
	"spec: {provider: MirrorMaker2, source_kafka_id: a, destination_kafka_id: b, "             \
	"replication_mode: active-passive, topic_whitelist: [t], lag_alert_threshold: " threshold  \
	", lag_alert_threshold_unit: messages}\n"

/* From this time of a day on, in UTC, nothing that is of the team orders is changed. */
static void deny_orders(struct world *w, const char *schedule, int64_t duration_ms)
{
	auto_arena struct arena a = ARENA_INIT;
	struct err e = ERR_INIT;
	struct node *match = node_map(&a);
	node_map_set(&a, match, "team", node_string(&a, "orders"));
	const struct window_rule rule = {.deny = true,
		.schedule = schedule,
		.duration_ms = duration_ms,
		.timezone = "UTC",
		.match = match};
	size_t bad;
	assert_int_equal(windows_new(&rule, 1, &w->config.sync.windows, &bad, &e), 0);
}

static void test_labels_that_change_along_get_it_past_no_window(void **state)
{
	struct world *w = *state;
	world_start_with(w, LABELLED("orders", "1"));
	world_kill(w);
	deny_orders(w, "0 * * * *", 60 * MINUTE);
	world_commit(w, LABELLED("payments", "2"));
	world_start(w);
	world_run(w, 10 * MINUTE);
	assert_int_equal(world_count(w, API_PATCH), 0);
	assert_non_null(strstr(world_note(w, "sync"), "1 waiting for a window"));
	windows_free(w->config.sync.windows);
}

static void test_labels_that_change_first_get_it_past_no_window(void **state)
{
	struct world *w = *state;
	world_start_with(w, LABELLED("orders", "1"));
	world_kill(w);
	deny_orders(w, "0 14 * * *", 60 * MINUTE);
	world_commit(w, LABELLED("payments", "1"));
	world_start(w);
	world_run(w, 10 * MINUTE);
	assert_string_equal(world_note(w, "sync"), "success 1 in sync");
	world_commit(w, LABELLED("payments", "2"));
	world_run(w, 10 * MINUTE);
	assert_int_equal(world_count(w, API_PATCH), 0);
	assert_non_null(strstr(world_note(w, "sync"), "1 waiting for a window"));
	world_run(w, 30 * MINUTE);
	assert_int_equal(world_count(w, API_PATCH), 1);
	windows_free(w->config.sync.windows);
}

static void test_labels_that_change_while_the_window_is_open_count(void **state)
{
	struct world *w = *state;
	world_start_with(w, LABELLED("orders", "1"));
	world_kill(w);
	deny_orders(w, "0 15 * * *", 60 * MINUTE);
	world_commit(w, LABELLED("payments", "1"));
	world_start(w);
	world_run(w, 60 * MINUTE);
	world_commit(w, LABELLED("payments", "2"));
	world_run(w, MINUTE);
	assert_int_equal(world_count(w, API_PATCH), 1);
	windows_free(w->config.sync.windows);
}

/* Until the next one is made, also where something was noted of it since. */
static void test_what_a_plan_points_to_stays(void **state)
{
	struct world *w = *state;
	deny_orders(w, "0 3 * * *", 60 * MINUTE);
	w->config.sync.interval_ms = 600 * MINUTE;
	world_start_with(w, LABELLED("payments", "1"));
	world_edit(w, "orders", "groups_whitelist", "\"theirs\"");
	engine_wake(w->engine);
	world_run(w, MINUTE);
	const struct record *r = ledger_find(&w->engine->ledger, "orders");
	assert_int_equal(r->row.seen_generation, 2);
	assert_false(r->plan_is_made);
	windows_free(w->config.sync.windows);
}

int main(void)
{
	log_setup(LOG__COUNT, LOG_TEXT);
#define TEST(f) cmocka_unit_test_setup_teardown(f, world_test_setup, world_test_teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_a_window_that_opens_wakes_the_pass),
		TEST(test_labels_that_change_along_get_it_past_no_window),
		TEST(test_labels_that_change_first_get_it_past_no_window),
		TEST(test_labels_that_change_while_the_window_is_open_count),
		TEST(test_what_a_plan_points_to_stays),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
