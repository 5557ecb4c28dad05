/* What the store has and cannot be read: nothing is done as if it had nothing. */
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

static const char *unreadable; /* "changed", or the key of a value; NULL: all can be read */

int __real_store_get(struct store *s, const char *key, char **ret_value, struct err *e);
int __wrap_store_get(struct store *s, const char *key, char **ret_value, struct err *e);
int __real_store_load_changed(struct store *s, const char *sha, struct strv *ret_begun,
	struct strv *ret_done, struct err *e);
int __wrap_store_load_changed(struct store *s, const char *sha, struct strv *ret_begun,
	struct strv *ret_done, struct err *e);

static bool fails(const char *what)
{
	return unreadable && !strcmp(unreadable, what);
}

int __wrap_store_get(struct store *s, const char *key, char **ret_value, struct err *e)
{
	return fails(key) ? err_retriable(e, ERR_IO, "weir.db: cannot be read")
			  : __real_store_get(s, key, ret_value, e);
}

int __wrap_store_load_changed(struct store *s, const char *sha, struct strv *ret_begun,
	struct strv *ret_done, struct err *e)
{
	return fails("changed") ? err_retriable(e, ERR_IO, "weir.db: cannot be read")
				: __real_store_load_changed(s, sha, ret_begun, ret_done, e);
}

static int setup(void **state)
{
	unreadable = NULL;
	return world_test_setup(state);
}

#define D(name) DOCUMENT(name, "1")
#define FIVE	D("r-1") D("r-2") D("r-3") D("r-4") D("r-5")

static void brake_five(struct world *w)
{
	w->fails = true;
	world_start_with(w, FIVE);
	assert_int_equal(map_size(&w->objects), 3);
	assert_non_null(w->engine->brake.reason);
	w->fails = false;
	world_kill(w);
}

static bool has_store_trouble(const struct world *w)
{
	return w->engine->store.times && strstr(w->engine->store.err.msg, "cannot be read");
}

static void test_a_brake_that_cannot_be_read_is_not_off(void **state)
{
	struct world *w = *state;
	brake_five(w);
	world_start(w);
	unreadable = "brake";
	world_run(w, MINUTE);
	assert_true(has_store_trouble(w));
	assert_int_equal(map_size(&w->objects), 3);
	unreadable = NULL;
	world_run(w, 5 * MINUTE);
	assert_false(w->engine->store.times);
	assert_non_null(w->engine->brake.reason);
	assert_int_equal(map_size(&w->objects), 3);
	assert_non_null(strstr(world_note(w, "sync"), "nothing more of this commit"));
}

/* It must not. */
static int start(struct world *w, struct err *e)
{
	struct engine_options options = {
		.config = &w->config,
		.store = w->store,
		.clock = &w->clock,
		.rng = &w->rng,
	};
	struct engine *en = NULL;
	return engine_new(&options, &en, e);
}

static void test_no_engine_starts_on_what_it_cannot_read(void **state)
{
	struct world *w = *state;
	static const char *const keys[] = {"brake", "found", "new", "new-at", "standings", "head"};
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		struct err e = ERR_INIT;
		unreadable = keys[i];
		assert_int_equal(start(w, &e), -ERR_IO);
		assert_non_null(strstr(e.msg, "cannot be read"));
	}
}

static void test_a_value_that_is_no_json_is_not_empty(void **state)
{
	struct world *w = *state;
	static const char *const keys[] = {"brake", "found"};
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		struct err e = ERR_INIT;
		assert_int_equal(store_set(w->store, keys[i], "{\"half", &e), 0);
		assert_true(start(w, &e) < 0);
		assert_non_null(strstr(e.msg, "what is known of"));
		assert_int_equal(store_set(w->store, keys[i], "[]", NULL), 0);
	}
}

/* What it did before is not told as if it had done nothing. */
static void test_a_commit_whose_past_cannot_be_read_waits(void **state)
{
	struct world *w = *state;
	world_start_with(w, TWO);
	assert_string_equal(world_note(w, "sync"), "success 2 in sync (2 changed)");
	world_kill(w);
	world_start(w);
	unreadable = "changed";
	world_run(w, MINUTE);
	assert_true(has_store_trouble(w));
	assert_string_equal(w->engine->head.sha, "");
	unreadable = NULL;
	world_run(w, 5 * MINUTE);
	assert_false(w->engine->store.times);
	assert_int_equal(map_size(&w->engine->changed), 2);
	assert_string_equal(world_note(w, "sync"), "success 2 in sync (2 changed)");
}

static void test_a_newer_commit_is_applied_once_its_past_can_be_read(void **state)
{
	struct world *w = *state;
	world_start_with(w, TWO);
	unreadable = "changed";
	world_commit(w, TWO FIVE);
	world_run(w, MINUTE);
	assert_true(has_store_trouble(w));
	assert_int_equal(map_size(&w->objects), 2);
	unreadable = NULL;
	world_run(w, 5 * MINUTE);
	assert_int_equal(map_size(&w->objects), 7);
	assert_false(w->engine->store.times);
}

int main(void)
{
	log_setup(LOG__COUNT, LOG_TEXT);
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, world_test_teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_a_brake_that_cannot_be_read_is_not_off),
		TEST(test_no_engine_starts_on_what_it_cannot_read),
		TEST(test_a_value_that_is_no_json_is_not_empty),
		TEST(test_a_commit_whose_past_cannot_be_read_waits),
		TEST(test_a_newer_commit_is_applied_once_its_past_can_be_read),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
