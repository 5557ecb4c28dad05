/*
 * The engine against somebody else who saves, starts, deletes or makes anew at the worst moments,
 * over APIs that tell much or little. What is theirs is never overwritten, what they saved and did
 * not start is never started for them, nothing becomes a storm, and once they stop, all is as Git
 * says or the status says what stands in the way.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "apis.h"
#include "base/alloc.h"
#include "base/log.h"
#include "documents.h"
#include "reconcile/internal.h"
#include "world.h"

#define BEFORE	DOCUMENT("orders", "10000")
#define AFTER	DOCUMENT("orders", "5000")
#define THEIRS	"\"groups_whitelist\": \"theirs\""
#define MADE(x) "{\"identifier\": \"orders\", \"provider\": \"MirrorMaker2\", " x "}"
#define REST                                                                                       \
	"\"source_kafka_id\": \"prod-eu\", \"destination_kafka_id\": \"dr-eu\", "                  \
	"\"replication_mode\": \"active-passive\", \"topic_whitelist\": \"orders.*\", "            \
	"\"lag_alert_threshold_unit\": \"messages\", \"lag_alert_threshold\": "

static void save_theirs(struct world *w)
{
	world_save(w, "orders", "groups_whitelist", "\"theirs\"");
	world_object(w, "orders")->foreign = true;
}

static void run_theirs(struct world *w)
{
	save_theirs(w);
	world_reconcile(w, "orders");
}

static void save_ours(struct world *w)
{
	world_save(w, "orders", "lag_alert_threshold", "7");
}

static void run_ours(struct world *w)
{
	save_ours(w);
	world_reconcile(w, "orders");
}

static void run_both(struct world *w)
{
	save_ours(w);
	run_theirs(w);
}

static void run_and_save(struct world *w)
{
	run_ours(w);
	save_theirs(w);
}

static void run_what_is_there(struct world *w)
{
	world_reconcile(w, "orders");
}

static void delete_it(struct world *w)
{
	world_delete(w, "orders");
}

static void delete_if_there(struct world *w)
{
	if (world_object(w, "orders"))
		world_delete(w, "orders");
}

static void make_another(struct world *w)
{
	delete_if_there(w);
	world_create(w, MADE(REST "7, " THEIRS));
}

static void draft_another(struct world *w)
{
	delete_if_there(w);
	world_draft(w, MADE(REST "5000, " THEIRS))->foreign = true;
}

static void make_the_same(struct world *w)
{
	delete_if_there(w);
	world_create(w, MADE(REST "5000"));
}

static const struct moment {
	const char *name;
	bool creates; /* the replicator is new; else it is changed */
	enum api_verb verb;
	bool after;
} moments[] = {
	{"list and POST", true, API_CREATE, false},
	{"POST and reconcile", true, API_RECONCILE, false},
	{"reconcile and Healthy, new", true, API_RECONCILE, true},
	{"list and PATCH", false, API_PATCH, false},
	{"PATCH and reconcile", false, API_RECONCILE, false},
	{"reconcile and Healthy", false, API_RECONCILE, true},
};

static const struct act {
	const char *name;
	void (*act)(struct world *w);
	bool makes; /* also where there is none yet */
	bool keeps_theirs; /* their field is there to stay */
} acts[] = {
	{"saves another field", save_theirs, false, true},
	{"saves and starts another field", run_theirs, false, true},
	{"saves a field of ours", save_ours, false, false},
	{"saves and starts a field of ours", run_ours, false, false},
	{"saves and starts both", run_both, false, true},
	{"starts a field of ours, then saves another", run_and_save, false, true},
	{"starts what is there", run_what_is_there, false, false},
	{"deletes", delete_it, false, false},
	{"makes another", make_another, true, false},
	{"makes another and does not start it", draft_another, true, true},
	{"makes the same", make_the_same, true, false},
};

/* What is being tried, for whoever reads that it went wrong. */
static struct {
	const struct api *api;
	const struct moment *moment;
	const struct act *act;
	struct world w;
} at;

static void fall_short(const char *what)
{
	fail_msg("an API with %s; between %s somebody %s: %s (sync: %s)", at.api->name,
		at.moment->name, at.act->name, what, world_note(&at.w, "sync"));
}

#define check(cond)                                                                                \
	do {                                                                                       \
		if (!(cond))                                                                       \
			fall_short(#cond);                                                         \
	} while (0)

static bool starts_with(const char *text, const char *prefix)
{
	return !strncmp(text, prefix, strlen(prefix));
}

static bool is_as_git_says(const struct object *o)
{
	return o && !o->running && !o->failed && strstr(o->body, "\"lag_alert_threshold\":5000,");
}

/* A draft on top takes nothing from what runs. */
static bool is_provisioned(const struct object *o)
{
	return o->observed == o->generation || (o->foreign && o->observed > 0);
}

/* A draft of somebody else stands where ours stood, and the API shows nothing that tells. */
static bool cannot_be_told(void)
{
	bool nameless = at.api->no_uid && at.api->no_created;
	bool same_generation = at.moment->creates && at.moment->verb == API_RECONCILE;
	return at.act->act == draft_another && (nameless || (same_generation && !at.moment->after));
}

static void check_outcome(void)
{
	struct world *w = &at.w;
	const char *sync = world_note(w, "sync");
	const struct object *o = world_object(w, "orders");
	if (starts_with(sync, "success ")) {
		check(is_as_git_says(o));
		check(is_provisioned(o));
	} else if (!cannot_be_told() || !starts_with(sync, "error orders: not Healthy since ")) {
		check(starts_with(sync, "failure orders: "));
	}
	if (at.act->keeps_theirs)
		check(o && strstr(o->body, "\"groups_whitelist\":\"theirs\""));
}

/* No operation is started twice for what was meant once. */
static void check_operations(void)
{
	const struct map *keys = &at.w.keys;
	for (size_t i = 0; i < map_size(keys); i++) {
		const struct operation_of *one = map_value(keys, i);
		unsigned n = 0;
		for (size_t k = 0; k < map_size(keys); k++) {
			const struct operation_of *other = map_value(keys, k);
			n += !strcmp(one->uid, other->uid) && one->generation == other->generation;
		}
		check(n == 1);
	}
}

/* They give way: what they saved and did not start is undone, what they made is as in Git. */
static void yield_to_git(struct world *w)
{
	struct object *o = world_object(w, "orders");
	if (o->foreign)
		o->foreign = false;
	world_save(w, "orders", "groups_whitelist", "null");
	world_save(w, "orders", "lag_alert_threshold", "5000");
	world_reconcile(w, "orders");
}

/* In half an hour: a list every five minutes, and looks at what does not end. */
static void check_calls(size_t n, size_t most)
{
	if (starts_with(world_note(&at.w, "sync"), "error orders: not Healthy since "))
		most += 6 * 30;
	check(n <= most);
}

static void try_one(void)
{
	struct world *w = &at.w;
	set_api(w, at.api);
	if (!at.moment->creates)
		world_start_with(w, BEFORE);
	w->strike = (struct strike){at.moment->verb, at.moment->after, 1, at.act->act};
	world_commit(w, AFTER);
	if (at.moment->creates)
		world_start(w);
	world_run(w, 30 * MINUTE);
	check(w->strike.times == 0);
	check(w->trespasses == 0 || cannot_be_told());
	check_outcome();
	check_operations();
	check_calls(w->log.n, 40);
	size_t calls = w->log.n;
	world_run(w, 30 * MINUTE);
	check_calls(w->log.n - calls, 8);
	check_outcome();
	if (!starts_with(world_note(w, "sync"), "success ")) {
		yield_to_git(w);
		world_run(w, 12 * MINUTE);
		check(starts_with(world_note(w, "sync"), "success "));
	}
}

/* There is nothing to meddle with before it is made. */
static bool is_possible(const struct moment *moment, const struct act *act)
{
	return moment->verb != API_CREATE || act->makes;
}

static void test_somebody_else_at_the_worst_moment(void **state)
{
	(void)state;
	size_t n = 0;
	for (size_t a = 0; a < ARRAY_SIZE(apis); a++) {
		for (size_t m = 0; m < ARRAY_SIZE(moments); m++) {
			for (size_t k = 0; k < ARRAY_SIZE(acts); k++) {
				if (!is_possible(&moments[m], &acts[k]))
					continue;
				at.api = &apis[a];
				at.moment = &moments[m];
				at.act = &acts[k];
				world_setup(&at.w);
				try_one();
				world_teardown(&at.w);
				n++;
			}
		}
	}
	assert_true(n > 500);
}

#define ALWAYS 1000000

static void strike_always(
	struct world *w, enum api_verb verb, bool after, void (*act)(struct world *))
{
	w->strike = (struct strike){verb, after, ALWAYS, act};
}

/* Once they stop, it is as Git says. */
static void stop_striking(struct world *w)
{
	w->strike.times = 0;
	world_run(w, 12 * MINUTE);
	assert_true(is_as_git_says(world_object(w, "orders")));
	assert_true(starts_with(world_note(w, "sync"), "success "));
}

/* What they took back again and again is not written once more, until they give way. */
static void stop_contesting(struct world *w, const char *held)
{
	w->strike.times = 0;
	world_run(w, 12 * MINUTE);
	assert_false(is_as_git_says(world_object(w, "orders")));
	assert_true(starts_with(world_note(w, "sync"), held));
	yield_to_git(w);
	world_run(w, 12 * MINUTE);
	assert_true(is_as_git_says(world_object(w, "orders")));
	assert_true(starts_with(world_note(w, "sync"), "success "));
}

/* What took the place of our operation is waited for, and not superseded in turn. */
static void test_whoever_always_supersedes_is_followed(void **state)
{
	struct world *w = *state;
	w->no_observed = true;
	strike_always(w, API_RECONCILE, true, run_what_is_there);
	world_start_with(w, AFTER);
	world_run(w, 30 * MINUTE);
	assert_int_equal(world_operations(w), 1);
	assert_string_equal(world_note(w, "sync"), "success 1 in sync (1 changed)");
}

static void test_what_supersedes_and_fails_is_tried_again_later(void **state)
{
	struct world *w = *state;
	w->no_observed = true;
	w->fails = true;
	strike_always(w, API_RECONCILE, true, run_what_is_there);
	world_start_with(w, AFTER);
	assert_true(starts_with(world_note(w, "sync"), "failure orders: ended in Error"));
	world_run(w, 60 * MINUTE);
	assert_true(world_operations(w) >= 5 && world_operations(w) <= 7);
	w->fails = false;
	world_run(w, 60 * MINUTE);
	stop_striking(w);
}

static void test_whoever_always_undoes_is_no_storm(void **state)
{
	struct world *w = *state;
	world_start_with(w, BEFORE);
	strike_always(w, API_RECONCILE, true, run_ours);
	world_commit(w, AFTER);
	world_run(w, 30 * MINUTE);
	assert_true(world_count(w, API_PATCH) < 60);
	assert_false(starts_with(world_note(w, "sync"), "success "));
	stop_contesting(w, "failure orders: somebody else keeps changing it back");
}

static void test_whoever_always_deletes_is_no_storm(void **state)
{
	struct world *w = *state;
	strike_always(w, API_RECONCILE, true, delete_it);
	world_start_with(w, AFTER);
	world_run(w, 30 * MINUTE);
	assert_true(world_count(w, API_CREATE) < 40);
	stop_striking(w);
}

static int thresholds;

static void save_ever_more(struct world *w)
{
	auto_free char *value = xasprintf("%d", ++thresholds);
	world_save(w, "orders", "lag_alert_threshold", value);
}

static void test_whoever_always_saves_first_is_no_storm(void **state)
{
	struct world *w = *state;
	for (int i = 0; i < 2; i++) {
		if (i == 0)
			world_start_with(w, BEFORE);
		w->no_if_match = i == 1;
		size_t before = world_count(w, API_PATCH);
		strike_always(w, API_PATCH, false, save_ever_more);
		world_commit(w, i == 0 ? AFTER : AFTER "  groups_whitelist: [ours]\n");
		world_run(w, 30 * MINUTE);
		assert_true(world_count(w, API_PATCH) - before < 60);
		stop_striking(w);
	}
}

static void test_whoever_always_saves_before_the_reconcile_is_no_storm(void **state)
{
	struct world *w = *state;
	strike_always(w, API_RECONCILE, false, save_ever_more);
	world_start_with(w, AFTER);
	world_run(w, 30 * MINUTE);
	assert_true(world_count(w, API_RECONCILE) < 60);
	stop_contesting(w, "failure orders: a draft of somebody else");
}

/* Without observed_generation, nobody knows that what they saved runs already. */
static void test_an_edit_that_was_started_unseen_is_held_until_it_is_seen(void **state)
{
	struct world *w = *state;
	w->no_observed = true;
	world_start_with(w, BEFORE);
	world_edit(w, "orders", "groups_whitelist", "\"theirs\"");
	world_run(w, 6 * MINUTE);
	assert_true(starts_with(world_note(w, "sync"), "success "));
	world_commit(w, AFTER);
	world_run(w, 6 * MINUTE);
	assert_true(starts_with(
		world_note(w, "sync"), "failure orders: a draft of somebody else (generation 2)"));
	w->operation_ms = 6 * MINUTE; /* long enough for a pass to see it */
	world_reconcile(w, "orders");
	world_run(w, 7 * MINUTE);
	w->operation_ms = 3000;
	world_run(w, 6 * MINUTE);
	assert_string_equal(world_note(w, "sync"), "success 1 in sync (1 changed)");
	assert_true(is_as_git_says(world_object(w, "orders")));
	assert_non_null(strstr(world_object(w, "orders")->body, "theirs"));
}

/* What was seen running first may have been started before the draft on top was saved. */
static void test_a_draft_on_top_of_what_runs_is_not_taken_for_it(void **state)
{
	struct world *w = *state;
	w->no_observed = true;
	world_start_with(w, BEFORE);
	w->operation_ms = 6 * MINUTE;
	world_save(w, "orders", "topic_blacklist", "\"x\"");
	world_reconcile(w, "orders");
	save_theirs(w);
	world_run(w, 12 * MINUTE);
	world_commit(w, AFTER);
	world_run(w, 12 * MINUTE);
	assert_int_equal(w->trespasses, 0);
	assert_true(starts_with(
		world_note(w, "sync"), "failure orders: a draft of somebody else (generation 3)"));
}

static void test_an_operation_of_somebody_else_is_waited_for(void **state)
{
	struct world *w = *state;
	world_start_with(w, BEFORE);
	w->operation_ms = 5 * MINUTE;
	run_theirs(w);
	world_commit(w, AFTER);
	world_run(w, 2 * MINUTE);
	assert_true(starts_with(world_note(w, "sync"), "pending "));
	assert_int_equal(world_count(w, API_PATCH), 0);
	size_t lists = world_count(w, API_LIST);
	world_run(w, 2 * MINUTE);
	assert_true(world_count(w, API_LIST) - lists <= 5);
	w->operation_ms = 3000;
	world_run(w, 3 * MINUTE);
	assert_string_equal(world_note(w, "sync"), "success 1 in sync (1 changed)");
}

/* A key that was accepted for what is gone would start what stands in its place. */
static void test_a_draft_in_the_place_of_ours_is_not_started_by_asking(void **state)
{
	struct world *w = *state;
	w->no_observed = w->no_uid = w->no_created = true;
	w->strike = (struct strike){API_RECONCILE, true, 1, draft_another};
	world_start_with(w, AFTER);
	world_run(w, 30 * MINUTE);
	assert_int_equal(w->trespasses, 0);
	assert_int_equal(world_operations(w), 1);
	assert_true(starts_with(world_note(w, "sync"), "error orders: not Healthy since "));
}

static void add_key(struct world *w)
{
	world_save(w, "orders", "advanced_configuration",
		"{\"tasks.max\": 1, \"replication.factor\": 3}");
	world_reconcile(w, "orders");
}

/* A map is written as a whole: what is not in it is gone. */
static void test_a_key_that_somebody_adds_between_list_and_patch_is_kept(void **state)
{
	struct world *w = *state;
	world_start_with(w, ONE "  advanced_configuration: {tasks.max: 1}\n");
	w->strike = (struct strike){API_PATCH, false, 1, add_key};
	world_commit(w, ONE "  advanced_configuration: {tasks.max: 2}\n");
	world_run(w, 12 * MINUTE);
	assert_int_equal(w->strike.times, 0);
	assert_non_null(strstr(
		world_object(w, "orders")->body, "{\"replication.factor\":3,\"tasks.max\":2}"));
	assert_true(starts_with(world_note(w, "sync"), "success "));
}

/* Killed while its operation ran, and not seen since at its generation. */
static void test_what_was_started_is_known_after_a_restart(void **state)
{
	struct world *w = *state;
	w->no_observed = true;
	w->operation_ms = 20000;
	for (int i = 0; i < 4; i++) {
		w->fails = i % 2;
		world_commit(w, i < 2 ? AFTER : BEFORE);
		if (i % 2)
			world_commit(w, i < 2 ? BEFORE : AFTER);
		world_start(w);
		world_run(w, 5000);
		world_kill(w);
		save_ours(w); /* drift, on top of what was started */
		w->fails = false;
		world_start(w);
		world_run(w, 12 * MINUTE);
		assert_true(starts_with(world_note(w, "sync"), "success "));
		world_stop(w);
	}
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, world_test_setup, world_test_teardown)
	log_setup(getenv("WEIR_DEBUG") ? LOG_DEBUG : LOG__COUNT, LOG_TEXT);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_somebody_else_at_the_worst_moment),
		TEST(test_whoever_always_supersedes_is_followed),
		TEST(test_what_supersedes_and_fails_is_tried_again_later),
		TEST(test_whoever_always_undoes_is_no_storm),
		TEST(test_whoever_always_deletes_is_no_storm),
		TEST(test_whoever_always_saves_first_is_no_storm),
		TEST(test_whoever_always_saves_before_the_reconcile_is_no_storm),
		TEST(test_an_edit_that_was_started_unseen_is_held_until_it_is_seen),
		TEST(test_a_draft_on_top_of_what_runs_is_not_taken_for_it),
		TEST(test_an_operation_of_somebody_else_is_waited_for),
		TEST(test_a_draft_in_the_place_of_ours_is_not_started_by_asking),
		TEST(test_what_was_started_is_known_after_a_restart),
		TEST(test_a_key_that_somebody_adds_between_list_and_patch_is_kept),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
