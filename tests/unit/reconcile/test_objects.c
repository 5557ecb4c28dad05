/* One object after another under the same name, and objects that are seen only after a while. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/log.h"
#include "apis.h"
#include "documents.h"
#include "reconcile/internal.h"
#include "world.h"

static void look_now(struct world *w, int64_t ms)
{
	engine_wake(w->engine);
	world_run(w, ms);
}

/* Without observed_generation, what others started is known by having been seen busy. */
static void test_what_was_seen_of_an_object_says_nothing_of_the_next_one(void **state)
{
	struct world *w = *state;
	w->no_observed = w->no_state = true;
	world_start_with(w, ONE);
	world_save(w, "orders", "topic_blacklist", "\"a\"");
	look_now(w, MINUTE);
	world_reconcile(w, "orders");
	look_now(w, 1500); /* it is seen busy at generation 2 */
	look_now(w, MINUTE);
	world_delete(w, "orders");
	look_now(w, 12 * MINUTE);
	assert_int_equal(world_object(w, "orders")->generation, 1);
	world_save(w, "orders", "topic_blacklist", "\"never started\"");
	world_object(w, "orders")->foreign = true;
	look_now(w, MINUTE);
	world_commit(w, DOCUMENT("orders", "5"));
	world_run(w, 12 * MINUTE);
	assert_int_equal(w->trespasses, 0);
	assert_int_equal(world_count(w, API_PATCH), 0);
	assert_non_null(strstr(world_note(w, "sync"), "failure orders: "));
}

static void draft_with_more(struct world *w, const char *body)
{
	auto_free char *more = xasprintf(
		"%.*s, \"topic_blacklist\": \"theirs\"}", (int)(strrchr(body, '}') - body), body);
	world_draft(w, more)->foreign = true;
}

/* Neither uid nor created_at nor a lower generation tells: that it never ran does. */
static void test_one_made_anew_that_never_ran_is_another(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(apis); i++) {
		struct world w;
		world_setup(&w);
		set_api(&w, &apis[i]);
		world_start_with(&w, ONE);
		look_now(&w, 12 * MINUTE);
		auto_free char *body = xstrdup(world_object(&w, "orders")->body);
		world_delete(&w, "orders");
		draft_with_more(&w, body);
		look_now(&w, 12 * MINUTE);
		world_commit(&w, DOCUMENT("orders", "5"));
		world_run(&w, 12 * MINUTE);
		assert_int_equal(w.trespasses, 0);
		assert_int_equal(world_count(&w, API_PATCH), 0);
		assert_non_null(strstr(world_note(&w, "sync"), "failure orders: exists already"));
		world_object(&w, "orders")->foreign = false;
		w.operation_ms = 3 * MINUTE; /* longer than what an API may lag behind */
		world_approve_all(&w);
		world_run(&w, 12 * MINUTE);
		assert_string_equal(world_note(&w, "sync"), "success 1 in sync (1 changed)");
		assert_false(world_has_event(&w, "orders", "adopted")); /* once is enough */
		assert_false(world_has_event(&w, "orders", "superseded"));
		world_commit(&w, DOCUMENT("orders", "6"));
		world_run(&w, 12 * MINUTE);
		assert_string_equal(world_note(&w, "sync"), "success 1 in sync (1 changed)");
		world_teardown(&w);
	}
}

static void test_what_was_refused_for_an_object_is_sent_to_the_next_one(void **state)
{
	struct world *w = *state;
	w->config.sync.adopt = ADOPT_OVERWRITE;
	world_start_with(w, ONE);
	auto_free char *body = xstrdup(world_object(w, "orders")->body);
	world_fail(w, API_PATCH, MISHAP_REFUSE, 1);
	world_commit(w, DOCUMENT("orders", "5"));
	world_run(w, 12 * MINUTE);
	assert_int_equal(world_count(w, API_PATCH), 1); /* and is not sent to this one again */
	world_delete(w, "orders");
	world_create(w, body);
	world_run(w, 12 * MINUTE);
	assert_int_equal(world_count(w, API_PATCH), 2);
	assert_string_equal(world_note(w, "sync"), "success 1 in sync (1 changed)");
}

/* The create has its effect, nobody hears of it, and it is out of Git before it shows. */
static void begin_to_vanish(struct world *w)
{
	w->config.sync.prune.enabled = true;
	w->config.sync.prune.max = (struct count_or_percent){.value = 5};
	w->lag_ms = 20000;
	world_start_with(w, ONE);
	world_run(w, 60 * MINUTE);
	world_fail(w, API_CREATE, MISHAP_AFTER, 1);
	world_commit(w, TWO);
	while (w->mishaps[API_CREATE])
		world_run(w, 50);
	world_run(w, 200);
	world_commit(w, ONE);
}

static void test_a_create_of_which_nobody_heard_is_not_lost_track_of(void **state)
{
	struct world *w = *state;
	begin_to_vanish(w);
	world_run(w, 60 * MINUTE);
	assert_null(world_object(w, "payments"));
	assert_int_equal(world_count(w, API_DELETE), 1);
	assert_string_equal(world_note(w, "sync"), "success 1 in sync");
}

static void test_nor_is_it_by_a_restart(void **state)
{
	struct world *w = *state;
	begin_to_vanish(w);
	world_kill(w);
	world_start(w);
	world_run(w, 60 * MINUTE);
	assert_null(world_object(w, "payments"));
	assert_string_equal(world_note(w, "sync"), "success 1 in sync");
}

static void test_a_create_that_came_to_nothing_is_let_go_in_time(void **state)
{
	struct world *w = *state;
	world_commit(w, TWO);
	world_start(w);
	world_fail(w, API_CREATE, MISHAP_BEFORE, 2);
	world_run(w, 200);
	world_commit(w, ONE);
	world_run(w, 12 * MINUTE);
	assert_string_equal(world_note(w, "sync"), "success 1 in sync (1 changed)");
	assert_null(ledger_find(engine_ledger(w->engine), "payments"));
	assert_null(world_object(w, "payments"));
}

int main(void)
{
	log_setup(LOG__COUNT, LOG_TEXT);
#define TEST(f) cmocka_unit_test_setup_teardown(f, world_test_setup, world_test_teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_what_was_seen_of_an_object_says_nothing_of_the_next_one),
		cmocka_unit_test(test_one_made_anew_that_never_ran_is_another),
		TEST(test_what_was_refused_for_an_object_is_sent_to_the_next_one),
		TEST(test_a_create_of_which_nobody_heard_is_not_lost_track_of),
		TEST(test_nor_is_it_by_a_restart),
		TEST(test_a_create_that_came_to_nothing_is_let_go_in_time),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
