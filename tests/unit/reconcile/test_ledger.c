/* The ledger: what was marked is written, in one transaction, and comes back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "reconcile/ledger.h"

static struct store *store;
static struct ledger ledger;

static int setup(void **state)
{
	(void)state;
	struct err e = ERR_INIT;
	return store_open_memory("scope", &store, &e) < 0 || ledger_load(&ledger, store, &e) < 0;
}

static int teardown(void **state)
{
	(void)state;
	ledger_release(&ledger);
	store_close(store);
	return 0;
}

static void reload(void)
{
	struct err e = ERR_INIT;
	ledger_release(&ledger);
	assert_int_equal(ledger_load(&ledger, store, &e), 0);
}

static void flush(void)
{
	struct err e = ERR_INIT;
	assert_true(ledger_is_dirty(&ledger));
	assert_int_equal(ledger_flush(&ledger, &e), 0);
	assert_false(ledger_is_dirty(&ledger));
}

static struct intent *new_intent(const char *name, const char *intended)
{
	struct intent *i = xcalloc(1, sizeof(*i));
	i->name = xstrdup(name);
	i->intended = xstrdup(intended);
	i->base_generation = 4;
	return i;
}

static void test_a_row_comes_back_after_a_restart(void **state)
{
	(void)state;
	struct record *r = ledger_need(&ledger, "orders");
	r->row.owned = true;
	r->row.uid = xstrdup("u1");
	r->row.last_applied = xstrdup("{\"lag_alert_threshold\":5}");
	ledger_changed(&ledger, r);
	flush();
	reload();
	r = ledger_find(&ledger, "orders");
	assert_non_null(r);
	assert_string_equal(ledger_plan(r, NULL)->uid, "u1");
	assert_true(ledger_plan(r, NULL)->has_last_applied);
	assert_int_equal(
		ledger_plan(r, NULL)->last_applied.value[SPEC_LAG_ALERT_THRESHOLD]->u.integer, 5);
}

static void test_what_runs_is_decoded_below_a_draft(void **state)
{
	(void)state;
	struct record *r = ledger_need(&ledger, "orders");
	const struct live healthy = {.generation = 3}, draft = {.generation = 4};
	r->row.provisioned = xstrdup("{\"lag_alert_threshold\":5}");
	r->row.provisioned_generation = 3;
	ledger_changed(&ledger, r);
	assert_null(ledger_plan(r, NULL)->provisioned);
	assert_null(ledger_plan(r, &healthy)->provisioned);
	const struct spec *runs = ledger_plan(r, &draft)->provisioned;
	assert_int_equal(runs->value[SPEC_LAG_ALERT_THRESHOLD]->u.integer, 5);
	assert_ptr_equal(ledger_plan(r, &draft)->provisioned, runs);
}

static void test_there_is_one_open_intent_and_the_newest_counts(void **state)
{
	(void)state;
	struct record *r = ledger_need(&ledger, "orders");
	ledger_open_intent(&ledger, r, new_intent("orders", "{\"lag_alert_threshold\":5}"));
	flush();
	ledger_open_intent(&ledger, r, new_intent("orders", "{\"lag_alert_threshold\":6}"));
	flush();
	reload();
	r = ledger_find(&ledger, "orders");
	assert_true(ledger_plan(r, NULL)->intent_open);
	assert_int_equal(ledger_plan(r, NULL)->intent_base, 4);
	assert_int_equal(
		ledger_plan(r, NULL)->intended.value[SPEC_LAG_ALERT_THRESHOLD]->u.integer, 6);
	struct intents open = VEC_INIT;
	struct err e = ERR_INIT;
	assert_int_equal(store_load_intents(store, &open, &e), 0);
	assert_int_equal(open.n, 1);
	intents_release(&open);
}

static void test_what_was_not_flushed_is_not_there_after_a_crash(void **state)
{
	(void)state;
	struct record *r = ledger_need(&ledger, "orders");
	ledger_open_intent(&ledger, r, new_intent("orders", "{}"));
	reload();
	assert_null(ledger_find(&ledger, "orders"));
}

static void test_the_last_attempt_counts_only_keys_that_were_journalled(void **state)
{
	(void)state;
	struct err e = ERR_INIT;
	int64_t attempt = -1;
	struct record *r = ledger_need(&ledger, "orders");
	struct intent *i = new_intent("orders", "{}");
	i->uid = xstrdup("u1");
	i->generation = 5;
	i->attempt = 3;
	ledger_open_intent(&ledger, r, i);
	flush();
	assert_int_equal(store_next_attempt(store, i, &attempt, &e), 0);
	assert_int_equal(attempt, 1);
	i->key = xstrdup("k");
	ledger_intent_changed(&ledger, r);
	flush();
	assert_int_equal(store_next_attempt(store, i, &attempt, &e), 0);
	assert_int_equal(attempt, 3);
	str_replace(&i->uid, xstrdup("u2"));
	assert_int_equal(store_next_attempt(store, i, &attempt, &e), 0);
	assert_int_equal(attempt, 1);
}

static void test_a_status_comes_back_with_what_was_posted(void **state)
{
	(void)state;
	struct outbox_entry *o = ledger_outbox(&ledger, "abc", "weir/acme/sync");
	o->row.state = STATUS_SUCCESS;
	str_replace(&o->row.text, xstrdup("1 in sync"));
	o->row.updated_ms = 1;
	o->dirty = true;
	ledger_set(&ledger, "head", "abc");
	flush();
	reload();
	assert_string_equal(ledger.head, "abc");
	o = ledger_outbox(&ledger, "abc", "weir/acme/sync");
	assert_string_equal(o->row.text, "1 in sync");
	assert_false(o->row.posted);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_a_row_comes_back_after_a_restart),
		TEST(test_what_runs_is_decoded_below_a_draft),
		TEST(test_there_is_one_open_intent_and_the_newest_counts),
		TEST(test_what_was_not_flushed_is_not_there_after_a_crash),
		TEST(test_the_last_attempt_counts_only_keys_that_were_journalled),
		TEST(test_a_status_comes_back_with_what_was_posted),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
