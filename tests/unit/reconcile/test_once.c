/* The engine that plans and writes nothing, and the one that takes a commit to its end. */
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

/* A plan writes nothing, not even to ask how an operation stands. */
static void test_a_dry_run_writes_nothing(void **state)
{
	struct world *w = *state;
	w->no_observed = true;
	w->operation_ms = NEVER;
	world_start_with(w, ONE);
	world_kill(w);
	w->dry = true;
	w->once = true;
	size_t reconciles = world_count(w, API_RECONCILE);
	world_start(w);
	world_run(w, 5 * MINUTE);
	assert_int_equal(world_count(w, API_RECONCILE), reconciles);
	assert_true(engine_settled(w->engine));
}

static void test_once_ends_when_an_operation_does_not(void **state)
{
	struct world *w = *state;
	w->once = true;
	w->operation_ms = NEVER;
	world_commit(w, ONE);
	world_start(w);
	assert_true(world_settles(w, 15 * MINUTE));
	assert_non_null(strstr(world_note(w, "sync"), "error orders: not Healthy since "));
}

static void test_once_ends_when_statuses_cannot_be_posted(void **state)
{
	struct world *w = *state;
	w->once = true;
	w->forge_down = true;
	world_commit(w, ONE);
	world_start(w);
	assert_true(world_settles(w, 15 * MINUTE));
}

static void test_once_ends_when_git_stays_away(void **state)
{
	struct world *w = *state;
	w->once = true;
	w->git_down = true;
	world_commit(w, ONE);
	world_start(w);
	assert_true(world_settles(w, 15 * MINUTE));
}

static void test_once_waits_for_all_although_one_fails(void **state)
{
	struct world *w = *state;
	w->once = true;
	world_commit(w,
		"---\napiVersion: weir/v1\nkind: KafkaReplicator\nmetadata: {name: broken}\n"
		"spec: {provider: Kafka}\n" TWO);
	world_fail(w, API_CREATE, MISHAP_500, 3);
	world_start(w);
	assert_true(world_settles(w, 15 * MINUTE));
	assert_non_null(world_object(w, "orders"));
	assert_non_null(world_object(w, "payments"));
	assert_int_equal(world_object(w, "payments")->observed, 1);
	assert_non_null(strstr(world_note(w, "sync"), "failure "));
}

static void test_once_reads_a_folder_once(void **state)
{
	struct world *w = *state;
	w->once = true;
	w->folder = true;
	w->operation_ms = 2 * MINUTE;
	world_commit(w, ONE);
	world_start(w);
	assert_true(world_settles(w, 3 * MINUTE));
	struct engine_stats stats;
	engine_stats(w->engine, &stats);
	assert_int_equal(stats.reads, 1);
	assert_int_equal(stats.state, STATUS_SUCCESS);
}

static void test_once_ends_where_the_api_is_not(void **state)
{
	struct world *w = *state;
	w->once = true;
	world_fail(w, API_LIST, MISHAP_404, 1000);
	world_commit(w, ONE);
	world_start(w);
	assert_true(world_settles(w, MINUTE));
	assert_non_null(strstr(world_note(w, "sync"), "error organization acme: check api.url"));
}

int main(void)
{
	log_setup(LOG__COUNT, LOG_TEXT);
#define TEST(f) cmocka_unit_test_setup_teardown(f, world_test_setup, world_test_teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_a_dry_run_writes_nothing),
		TEST(test_once_ends_when_an_operation_does_not),
		TEST(test_once_ends_when_statuses_cannot_be_posted),
		TEST(test_once_ends_when_git_stays_away),
		TEST(test_once_waits_for_all_although_one_fails),
		TEST(test_once_reads_a_folder_once),
		TEST(test_once_ends_where_the_api_is_not),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
