/* Deletes and replacements: what is done, what is not done again, and that a crash anywhere costs
 * nothing. */
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

#define REPLACED(topics)                                                                           \
	"---\napiVersion: weir/v1\nkind: KafkaReplicator\nmetadata: {name: orders}\n"              \
	"sync: {replace: true}\n"                                                                  \
	"spec: {provider: MirrorMaker2, source_kafka_id: " topics                                  \
	", destination_kafka_id: dr-eu, "                                                          \
	"replication_mode: active-passive, topic_whitelist: [\"a\"]}\n"

static void prune(struct world *w, int64_t most, int64_t grace_ms)
{
	w->config.sync.prune.enabled = true;
	w->config.sync.prune.max = (struct count_or_percent){.value = most};
	w->config.sync.prune.grace_ms = grace_ms;
}

/* Two are Healthy, one leaves Git; nothing is done yet. */
static void begin(struct world *w)
{
	prune(w, 1, 0);
	world_start_with(w, TWO);
	world_commit(w, ONE);
}

static void assert_inventory(struct world *w, const char *names)
{
	struct store_rows rows = VEC_INIT;
	auto_buf struct buf text = BUF_INIT;
	assert_int_equal(store_load_rows(w->store, &rows, NULL), 0);
	vec_each (row, &rows)
		buf_addf(&text, "%s ", row->name);
	store_rows_release(&rows);
	assert_string_equal(buf_str(&text), names);
}

static size_t deletes_with_effect(const struct world *w)
{
	size_t n = 0;
	vec_each (l, &w->log)
		n += l->verb == API_DELETE && l->effect;
	return n;
}

static void test_what_left_git_is_deleted_and_its_record_goes(void **state)
{
	struct world *w = *state;
	begin(w);
	world_run(w, 1500);
	assert_string_equal(world_note(w, "sync"), "pending deleting 1");
	world_run(w, MINUTE);
	assert_null(world_object(w, "payments"));
	assert_int_equal(world_count(w, API_DELETE), 1);
	assert_string_equal(world_note(w, "sync"), "success 1 in sync");
	assert_true(world_has_event(w, "payments", "deleted"));
	assert_inventory(w, "orders ");
	struct map accepted = MAP_INIT;
	assert_int_equal(store_load_accepted(w->store, &accepted, NULL), 0);
	assert_int_equal(map_size(&accepted), 1);
	map_release_with(&accepted, free);
	size_t calls = w->log.n - world_count(w, API_LIST);
	world_run(w, 60 * MINUTE);
	assert_int_equal(w->log.n - world_count(w, API_LIST), calls);
}

static void test_a_get_comes_right_before_the_delete(void **state)
{
	struct world *w = *state;
	begin(w);
	world_run(w, MINUTE);
	for (size_t i = 1; i < w->log.n; i++) {
		if (w->log.at[i].verb != API_DELETE)
			continue;
		assert_int_equal(w->log.at[i - 1].verb, API_GET);
		assert_string_equal(w->log.at[i - 1].name, "payments");
	}
}

static void test_a_draft_goes_at_once(void **state)
{
	struct world *w = *state;
	prune(w, 1, 0);
	world_fail(w, API_RECONCILE, MISHAP_REFUSE, 1);
	world_commit(w, ONE);
	world_start(w);
	world_run(w, MINUTE);
	world_commit(w, DOCUMENT("sales", "1"));
	world_run(w, 5000);
	assert_null(world_object(w, "orders"));
	assert_int_equal(world_count(w, API_DELETE), 1);
}

static void save_more(struct world *w)
{
	world_save(w, "payments", "lag_alert_threshold", "77");
}

static void make_anew(struct world *w)
{
	auto_free char *body = xstrdup(world_object(w, "payments")->body);
	world_delete(w, "payments");
	world_create(w, body);
}

static void delete_it(struct world *w)
{
	world_delete(w, "payments");
}

/* Before the look that comes right before the DELETE. */
static void test_what_was_changed_meanwhile_is_planned_anew(void **state)
{
	struct world *w = *state;
	begin(w);
	w->strike = (struct strike){API_GET, false, 1, save_more};
	world_run(w, 500);
	assert_int_equal(world_count(w, API_DELETE), 0);
	world_run(w, MINUTE); /* still not in Git, and ours */
	assert_int_equal(deletes_with_effect(w), 1);
	assert_null(world_object(w, "payments"));
}

static void test_what_was_made_anew_meanwhile_is_left_alone(void **state)
{
	static const enum api_verb verbs[] = {API_GET, API_DELETE};
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(verbs); i++) {
		struct world w;
		world_setup(&w);
		w.operation_ms = i ? 0 : 3000;
		begin(&w);
		w.strike = (struct strike){verbs[i], i == 1, 1, make_anew};
		if (i)
			w.strike.act = make_anew;
		world_run(&w, 60 * MINUTE);
		assert_non_null(world_object(&w, "payments"));
		assert_int_equal(deletes_with_effect(&w), i);
		assert_inventory(&w, "orders ");
		assert_string_equal(world_note(&w, "sync"), "success 1 in sync");
		world_teardown(&w);
	}
}

static void test_what_is_gone_already_is_a_success(void **state)
{
	static const enum api_verb verbs[] = {API_GET, API_DELETE};
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(verbs); i++) {
		struct world w;
		world_setup(&w);
		begin(&w);
		w.strike = (struct strike){verbs[i], false, 1, delete_it};
		world_run(&w, MINUTE);
		assert_string_equal(world_note(&w, "sync"), "success 1 in sync");
		assert_inventory(&w, "orders ");
		world_teardown(&w);
	}
}

static void test_a_delete_that_never_ends_is_named_with_its_age(void **state)
{
	struct world *w = *state;
	begin(w);
	w->operation_ms = 10000 * MINUTE;
	world_run(w, 5 * MINUTE);
	assert_string_equal(world_note(w, "sync"), "pending deleting 1");
	world_run(w, 6 * MINUTE);
	assert_non_null(strstr(world_note(w, "sync"), "error payments: to be deleted since "));
	assert_non_null(strstr(world_note(w, "sync"), "Deleting"));
	w->operation_ms = 3000;
	world_commit(w, DOCUMENT("orders", "5")); /* others go on */
	world_run(w, MINUTE);
	assert_int_equal(world_object(w, "orders")->observed, 2);
	assert_int_equal(world_count(w, API_DELETE), 1);
}

static void test_what_comes_back_while_it_is_deleted_is_made_anew(void **state)
{
	struct world *w = *state;
	w->operation_ms = 20000;
	begin(w);
	world_run(w, 5000);
	assert_true(world_object(w, "payments")->deleting);
	world_commit(w, TWO);
	world_run(w, 2 * MINUTE);
	assert_int_equal(world_object(w, "payments")->observed, 1);
	assert_string_equal(world_note(w, "sync"), "success 2 in sync (1 changed)");
}

static void test_every_answer_of_a_delete_may_be_lost(void **state)
{
	(void)state;
	static const enum mishap mishaps[] = {MISHAP_BEFORE, MISHAP_AFTER, MISHAP_500, MISHAP_401};
	static const enum api_verb verbs[] = {API_LIST, API_GET, API_DELETE};
	for (size_t m = 0; m < ARRAY_SIZE(mishaps); m++)
		for (size_t v = 0; v < ARRAY_SIZE(verbs); v++) {
			struct world w;
			world_setup(&w);
			begin(&w);
			world_fail(&w, verbs[v], mishaps[m], 3);
			world_run(&w, 10 * MINUTE);
			assert_null(world_object(&w, "payments"));
			assert_int_equal(deletes_with_effect(&w), 1);
			assert_string_equal(world_note(&w, "sync"), "success 1 in sync");
			world_teardown(&w);
		}
}

static void test_a_refused_delete_is_told_and_not_sent_again(void **state)
{
	struct world *w = *state;
	begin(w);
	world_fail(w, API_DELETE, MISHAP_REFUSE, 1000);
	world_run(w, 60 * MINUTE);
	assert_int_equal(world_count(w, API_DELETE), 1);
	assert_non_null(strstr(world_note(w, "sync"), "failure payments: the API refused it"));
}

static void test_nothing_is_deleted_while_git_cannot_be_read(void **state)
{
	struct world *w = *state;
	prune(w, 1, 5 * MINUTE);
	world_start_with(w, TWO);
	world_commit(w, ONE);
	world_run(w, MINUTE);
	assert_non_null(strstr(world_note(w, "sync"), "1 to be deleted at "));
	w->git_down = true;
	world_run(w, 30 * MINUTE);
	assert_int_equal(world_count(w, API_DELETE), 0);
	w->git_down = false;
	world_run(w, 3 * MINUTE);
	assert_null(world_object(w, "payments"));
}

/* Nobody looks at the clock but the pass that the grace itself wakes. */
static void test_grace_ends_when_it_ends(void **state)
{
	struct world *w = *state;
	prune(w, 1, 90000);
	world_start_with(w, TWO);
	world_commit(w, ONE);
	world_run(w, 88000);
	assert_int_equal(world_count(w, API_DELETE), 0);
	world_run(w, 5000);
	assert_int_equal(world_count(w, API_DELETE), 1);
}

static void test_grace_counts_from_the_first_pass_and_outlives_a_restart(void **state)
{
	struct world *w = *state;
	prune(w, 1, 10 * MINUTE);
	world_start_with(w, TWO);
	world_commit(w, ONE);
	world_run(w, 6 * MINUTE);
	world_kill(w);
	w->now += 3 * MINUTE;
	world_start(w);
	world_run(w, 30000);
	assert_int_equal(world_count(w, API_DELETE), 0);
	world_run(w, MINUTE);
	assert_null(world_object(w, "payments"));
}

/* Forward it would end the grace at once, back it would never end. */
static void test_setting_the_clock_leaves_a_grace_as_long_as_it_is(void **state)
{
	static const int64_t steps[] = {MINUTE * 60 * 24 * 10, MINUTE * 60 * 24 * -10};
	struct world *w = *state;
	prune(w, 1, 10 * MINUTE);
	world_start_with(w, TWO);
	world_commit(w, ONE);
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		w->wall_ahead += steps[i];
		world_run(w, 4 * MINUTE);
		assert_int_equal(world_count(w, API_DELETE), 0);
	}
	world_run(w, 3 * MINUTE);
	assert_int_equal(world_count(w, API_DELETE), 1);
}

static void test_a_clock_that_was_set_back_meanwhile_begins_the_grace_once_more(void **state)
{
	struct world *w = *state;
	prune(w, 1, 10 * MINUTE);
	world_start_with(w, TWO);
	world_commit(w, ONE);
	world_run(w, 4 * MINUTE);
	world_kill(w);
	w->wall_ahead -= MINUTE * 60 * 24 * 10;
	world_start(w);
	world_run(w, 9 * MINUTE);
	assert_int_equal(world_count(w, API_DELETE), 0);
	world_run(w, 2 * MINUTE);
	assert_int_equal(world_count(w, API_DELETE), 1);
}

static void test_coming_back_starts_the_grace_anew(void **state)
{
	struct world *w = *state;
	prune(w, 1, 10 * MINUTE);
	world_start_with(w, TWO);
	world_commit(w, ONE);
	world_run(w, 8 * MINUTE);
	world_commit(w, TWO);
	world_run(w, MINUTE);
	world_commit(w, ONE);
	world_run(w, 8 * MINUTE);
	assert_int_equal(world_count(w, API_DELETE), 0);
	world_run(w, 3 * MINUTE);
	assert_int_equal(world_count(w, API_DELETE), 1);
}

/* A later commit that does not load must not bring back what is gone. */
static void test_what_is_gone_is_not_healed_when_git_breaks(void **state)
{
	struct world *w = *state;
	world_start_with(w, TWO);
	world_commit(w, ONE);
	world_run(w, MINUTE);
	world_edit(w, "payments", "lag_alert_threshold", "7");
	world_commit(w, BROKEN);
	world_run(w, 10 * MINUTE);
	assert_non_null(strstr(world_object(w, "payments")->body, ":7"));
	world_delete(w, "payments");
	world_run(w, 10 * MINUTE);
	assert_null(world_object(w, "payments"));
}

static void test_what_protects_is_remembered_when_it_is_gone(void **state)
{
	struct world *w = *state;
	static const char protected[] =
		"---\napiVersion: weir/v1\nkind: KafkaReplicator\nmetadata: {name: payments}\n"
		"sync: {protect: true}\n"
		"spec: {provider: MirrorMaker2, source_kafka_id: a, destination_kafka_id: b, "
		"replication_mode: active-passive, topic_whitelist: [\"a\"]}\n";
	auto_free char *both = xasprintf("%s%s", ONE, protected);
	prune(w, 1, 0);
	world_start_with(w, both);
	world_commit(w, ONE);
	world_run(w, 10 * MINUTE);
	world_kill(w);
	world_start(w);
	world_run(w, 10 * MINUTE);
	assert_int_equal(world_count(w, API_DELETE), 0);
	assert_non_null(strstr(world_note(w, "sync"), "failure payments: "));
}

static void begin_replacement(struct world *w)
{
	world_start_with(w, REPLACED("a"));
	world_commit(w, REPLACED("b"));
}

static void assert_replaced(struct world *w)
{
	struct object *o = world_object(w, "orders");
	assert_non_null(o);
	assert_non_null(strstr(o->body, "\"source_kafka_id\":\"b\""));
	assert_int_equal(o->observed, 1);
	assert_string_equal(o->uid, "uid-2");
	assert_int_equal(deletes_with_effect(w), 1);
	assert_string_equal(world_note(w, "sync"), "success 1 in sync (1 changed)");
	assert_string_equal(world_note(w, "drift"), "success no drift");
}

static void test_a_replacement_is_deleted_and_created(void **state)
{
	struct world *w = *state;
	prune(w, 1, 0);
	begin_replacement(w);
	world_run(w, MINUTE);
	if (!world_count(w, API_DELETE))
		world_approve_all(w);
	world_run(w, MINUTE);
	assert_replaced(w);
	assert_true(world_has_event(w, "orders", "deleted"));
	assert_inventory(w, "orders ");
}

static char *detail_of(struct world *w, const char *name, const char *what)
{
	struct events events = VEC_INIT;
	char *detail = NULL;
	assert_int_equal(store_load_events(w->store, name, 1000, &events, NULL), 0);
	vec_each (event, &events)
		if (!strcmp(event->what, what))
			str_replace(&detail, xstrdup_opt(event->detail));
	events_release(&events);
	return detail;
}

static void test_of_a_replacement_that_is_refused_it_is_told_what_was_deleted(void **state)
{
	struct world *w = *state;
	prune(w, 1, 0);
	world_fail(w, API_CREATE, MISHAP_REFUSE, 0);
	begin_replacement(w);
	w->mishaps[API_CREATE] = 1;
	world_run(w, MINUTE);
	assert_null(world_object(w, "orders"));
	assert_non_null(strstr(world_note(w, "sync"),
		"failure orders: was deleted to be replaced, and the new one is not accepted; "
		"revert the commit to have it back: "));
	auto_free char *body = detail_of(w, "orders", "to be deleted");
	assert_non_null(strstr(body, "\"source_kafka_id\":\"a\""));
	world_commit(w, REPLACED("a")); /* reverted */
	world_run(w, MINUTE);
	assert_non_null(world_object(w, "orders"));
	assert_string_equal(world_note(w, "sync"), "success 1 in sync (1 changed)");
}

static void test_for_what_was_refused_once_nothing_is_deleted(void **state)
{
	struct world *w = *state;
	test_of_a_replacement_that_is_refused_it_is_told_what_was_deleted(state);
	world_kill(w);
	world_commit(w, REPLACED("b")); /* once more */
	world_start(w);
	world_run(w, 10 * MINUTE);
	assert_int_equal(deletes_with_effect(w), 1);
	assert_non_null(strstr(world_note(w, "sync"), "`weir approve orders`"));
	world_approve_all(w);
	world_run(w, MINUTE);
	assert_int_equal(deletes_with_effect(w), 2);
	assert_string_equal(world_note(w, "sync"), "success 1 in sync (1 changed)");
	world_commit(w, REPLACED("a"));
	world_run(w, MINUTE);
	world_commit(w, REPLACED("b")); /* accepted since */
	world_run(w, 2 * MINUTE);
	assert_int_equal(deletes_with_effect(w), 4);
}

/* Killed after each number of steps, once with the answers under way lost after their effect. */
static void test_a_kill_at_any_step_of_a_delete_costs_nothing(void **state)
{
	(void)state;
	for (int64_t at = 0; at < 7000; at += 125) {
		struct world w;
		world_setup(&w);
		begin(&w);
		world_run(&w, at);
		world_kill(&w);
		world_start(&w);
		world_run(&w, 2 * MINUTE);
		assert_null(world_object(&w, "payments"));
		assert_int_equal(deletes_with_effect(&w), 1);
		assert_string_equal(world_note(&w, "sync"), "success 1 in sync");
		assert_inventory(&w, "orders ");
		world_teardown(&w);
	}
}

static void test_a_kill_at_any_step_of_a_replacement_costs_nothing(void **state)
{
	(void)state;
	for (int64_t at = 0; at < 14000; at += 125) {
		struct world w;
		world_setup(&w);
		prune(&w, 1, 0);
		begin_replacement(&w);
		world_run(&w, at);
		world_kill(&w);
		world_start(&w);
		world_run(&w, 2 * MINUTE);
		assert_replaced(&w);
		world_teardown(&w);
	}
}

int main(void)
{
	log_setup(LOG__COUNT, LOG_TEXT);
#define TEST(f) cmocka_unit_test_setup_teardown(f, world_test_setup, world_test_teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_what_left_git_is_deleted_and_its_record_goes),
		TEST(test_a_get_comes_right_before_the_delete),
		TEST(test_a_draft_goes_at_once),
		TEST(test_what_was_changed_meanwhile_is_planned_anew),
		cmocka_unit_test(test_what_was_made_anew_meanwhile_is_left_alone),
		cmocka_unit_test(test_what_is_gone_already_is_a_success),
		TEST(test_a_delete_that_never_ends_is_named_with_its_age),
		TEST(test_what_comes_back_while_it_is_deleted_is_made_anew),
		cmocka_unit_test(test_every_answer_of_a_delete_may_be_lost),
		TEST(test_a_refused_delete_is_told_and_not_sent_again),
		TEST(test_nothing_is_deleted_while_git_cannot_be_read),
		TEST(test_grace_ends_when_it_ends),
		TEST(test_grace_counts_from_the_first_pass_and_outlives_a_restart),
		TEST(test_setting_the_clock_leaves_a_grace_as_long_as_it_is),
		TEST(test_a_clock_that_was_set_back_meanwhile_begins_the_grace_once_more),
		TEST(test_coming_back_starts_the_grace_anew),
		TEST(test_what_is_gone_is_not_healed_when_git_breaks),
		TEST(test_what_protects_is_remembered_when_it_is_gone),
		TEST(test_a_replacement_is_deleted_and_created),
		TEST(test_of_a_replacement_that_is_refused_it_is_told_what_was_deleted),
		TEST(test_for_what_was_refused_once_nothing_is_deleted),
		cmocka_unit_test(test_a_kill_at_any_step_of_a_delete_costs_nothing),
		cmocka_unit_test(test_a_kill_at_any_step_of_a_replacement_costs_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
