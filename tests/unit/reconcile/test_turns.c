/* What waits for its turn, or is under way, when something comes that changes what is to be done.
 */
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
#include "reconcile/orders.h"
#include "world.h"

/* One call at a time, and each takes its time: the others wait for their turn. */
static void slow_down(struct world *w)
{
	w->config.sync.concurrency = 1;
	w->call_ms = 2000;
}

/* Until such a call is under way. */
static void run_until_under_way(struct world *w, enum api_verb verb)
{
	for (unsigned i = 0; i < 600; i++) {
		vec_each (c, &w->calls)
			if (c->call->verb == verb)
				return;
		world_run(w, 100);
	}
	fail_msg("%s never leaves", api_verb_name(verb));
}

static void suspend(struct world *w, const char *name)
{
	struct err e = ERR_INIT;
	const struct order o = {name, "hands off", "jane", clock_wall_ms(&w->clock)};
	assert_int_equal(orders_suspend(engine_ledger(w->engine), &o, false, 0, &e), 0);
	assert_int_equal(engine_ordered(w->engine, &e), 0);
}

static void test_what_is_suspended_while_its_write_waits_is_not_written(void **state)
{
	struct world *w = *state;
	world_start_with(w, TWO);
	slow_down(w);
	world_commit(w, DOCUMENT("orders", "5") DOCUMENT("payments", "5"));
	run_until_under_way(w, API_PATCH);
	suspend(w, "payments");
	world_run(w, 10 * MINUTE);
	assert_int_equal(world_object(w, "orders")->generation, 2);
	assert_int_equal(world_object(w, "payments")->generation, 1);
	assert_string_equal(world_note(w, "sync"),
		"success 1 in sync (1 changed), 1 suspended (by jane: hands off; weir resume "
		"payments): payments");
}

static void test_what_is_suspended_right_before_its_delete_is_not_deleted(void **state)
{
	struct world *w = *state;
	w->config.sync.prune.enabled = true;
	w->config.sync.prune.max = (struct count_or_percent){.value = 5};
	world_start_with(w, TWO);
	slow_down(w);
	world_commit(w, ONE);
	run_until_under_way(w, API_GET); /* the last look */
	suspend(w, "payments");
	world_run(w, 10 * MINUTE);
	assert_non_null(world_object(w, "payments"));
	assert_int_equal(world_count(w, API_DELETE), 0);
}

static void test_an_order_about_another_holds_up_nothing(void **state)
{
	struct world *w = *state;
	world_start_with(w, TWO DOCUMENT("sales", "10000"));
	slow_down(w);
	world_commit(
		w, DOCUMENT("orders", "5") DOCUMENT("payments", "5") DOCUMENT("sales", "10000"));
	run_until_under_way(w, API_PATCH);
	suspend(w, "sales");
	world_run(w, 10 * MINUTE);
	assert_int_equal(world_count(w, API_PATCH), 2);
	assert_int_equal(world_object(w, "payments")->observed, 2);
}

/* The world begins at 14:13:20Z. */
static void open_until_a_quarter_past_two(struct world *w, const struct node *also)
{
	struct err e = ERR_INIT;
	size_t bad;
	const struct window_rule rules[] = {
		{.schedule = "0 14 * * *", .duration_ms = 15 * MINUTE, .timezone = "UTC"},
		{.schedule = "0 0 * * *",
			.duration_ms = 24 * 60 * MINUTE,
			.timezone = "UTC",
			.match = also},
	};
	assert_int_equal(windows_new(rules, also ? 2 : 1, &w->config.sync.windows, &bad, &e), 0);
}

static void change_both_as_the_window_closes(struct world *w, const char *yaml)
{
	slow_down(w);
	world_run(w, 20000);
	world_commit(w, yaml);
	run_until_under_way(w, API_PATCH);
	w->calls.at[0].at = w->now + 30000; /* it is answered after the window has closed */
	world_run(w, 10 * MINUTE);
	assert_int_equal(world_object(w, "orders")->observed, 2); /* what was begun is completed */
	windows_free(w->config.sync.windows);
}

static void test_what_waits_until_the_window_has_closed_is_not_written(void **state)
{
	struct world *w = *state;
	open_until_a_quarter_past_two(w, NULL);
	world_start_with(w, TWO);
	change_both_as_the_window_closes(w, DOCUMENT("orders", "5") DOCUMENT("payments", "5"));
	assert_int_equal(world_object(w, "payments")->generation, 1);
	assert_non_null(strstr(world_note(w, "sync"), "1 waiting for a window until 14:00Z"));
}

#define LABELLED(name, threshold)                                                                  \
	"---\napiVersion: weir/v1\nkind: KafkaReplicator\n"                                        \
	"metadata: {name: " name ", labels: {team: data}}\n"                                       \
	"spec: {provider: MirrorMaker2, source_kafka_id: a, destination_kafka_id: b, "             \
	"replication_mode: active-passive, topic_whitelist: [a], lag_alert_threshold: " threshold  \
	", lag_alert_threshold_unit: messages}\n"

static void test_a_window_that_closes_for_others_stops_nothing_for_good(void **state)
{
	struct world *w = *state;
	auto_arena struct arena a = ARENA_INIT;
	struct node *match = node_map(&a);
	node_map_set(&a, match, "team", node_string(&a, "data"));
	open_until_a_quarter_past_two(w, match);
	world_start_with(w, ONE LABELLED("payments", "1"));
	change_both_as_the_window_closes(w, DOCUMENT("orders", "5") LABELLED("payments", "2"));
	assert_int_equal(world_object(w, "payments")->observed, 2);
}

#define KEYED(threshold, keys)                                                                     \
	DOCUMENT("orders", threshold) "  advanced_configuration: {" keys "tasks.max: 4}\n"

/* A key is taken away, and the answer that still shows it comes after the next commit was read. */
static void test_a_key_that_stays_is_known_although_a_newer_commit_came(void **state)
{
	struct world *w = *state;
	world_start_with(w, KEYED("1", "producer.linger.ms: 5, "));
	w->call_ms = 3000;
	w->drops = "advanced_configuration";
	world_commit(w, KEYED("2", ""));
	run_until_under_way(w, API_PATCH);
	world_commit(w, KEYED("3", ""));
	world_run(w, 5000);
	assert_int_equal(world_count(w, API_PATCH), 1);
	w->drops = NULL;
	world_run(w, 20 * MINUTE);
	assert_non_null(strstr(world_object(w, "orders")->body, "\"producer.linger.ms\":null"));
	assert_string_equal(world_note(w, "sync"), "success 1 in sync (1 changed)");
}

/* Nothing takes it away: that is tried in both ways, and then told. */
static void test_a_key_that_stays_whatever_is_sent_is_told(void **state)
{
	struct world *w = *state;
	world_start_with(w, KEYED("1", "producer.linger.ms: 5, "));
	w->drops = "advanced_configuration";
	world_commit(w, KEYED("2", ""));
	world_run(w, 20 * MINUTE);
	assert_int_equal(world_count(w, API_PATCH), 2);
	world_commit(w, KEYED("3", ""));
	world_run(w, 20 * MINUTE);
	assert_int_equal(world_count(w, API_PATCH), 3);
	assert_non_null(strstr(world_note(w, "sync"),
		"failure orders: was written, and the API does not keep it "
		"(advanced_configuration)"));
}

int main(void)
{
	log_setup(LOG__COUNT, LOG_TEXT);
#define TEST(f) cmocka_unit_test_setup_teardown(f, world_test_setup, world_test_teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_what_is_suspended_while_its_write_waits_is_not_written),
		TEST(test_what_is_suspended_right_before_its_delete_is_not_deleted),
		TEST(test_an_order_about_another_holds_up_nothing),
		TEST(test_what_waits_until_the_window_has_closed_is_not_written),
		TEST(test_a_window_that_closes_for_others_stops_nothing_for_good),
		TEST(test_a_key_that_stays_is_known_although_a_newer_commit_came),
		TEST(test_a_key_that_stays_whatever_is_sent_is_told),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
