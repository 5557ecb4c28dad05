/* What a person orders: what it does to the ledger, what it leaves behind, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "reconcile/orders.h"

static struct store *store;
static struct ledger ledger;
static struct err e;

static void add_document(const char *name, const char *suspend_reason)
{
	struct replicator document = {.name = name, .file = "a.yaml", .line = 3};
	document.sync.suspend.is_set = suspend_reason;
	document.sync.suspend.reason = suspend_reason;
	ledger_accept(&ledger, ledger_need(&ledger, name), &document);
}

static void add_owned(const char *name)
{
	struct record *r = ledger_need(&ledger, name);
	r->row.owned = true;
	r->row.seen_generation = 1;
	ledger_changed(&ledger, r);
}

static int setup(void **state)
{
	(void)state;
	err_clear(&e);
	if (store_open_memory("scope", &store, &e) < 0 || ledger_load(&ledger, store, &e) < 0)
		return -1;
	add_document("orders-dr", NULL);
	add_owned("orders-dr");
	add_owned("gone-dr");
	return ledger_flush(&ledger, &e);
}

static int teardown(void **state)
{
	(void)state;
	ledger_release(&ledger);
	store_close(store);
	return 0;
}

static void restart(void)
{
	assert_int_equal(ledger_flush(&ledger, &e), 0);
	ledger_release(&ledger);
	assert_int_equal(ledger_load(&ledger, store, &e), 0);
}

static struct order order(const char *name)
{
	return (struct order){
		.name = name, .reason = "broker upgrade", .by = "jane", .now_ms = 1000};
}

static int suspend(const char *name)
{
	const struct order o = order(name);
	return orders_suspend(&ledger, &o, false, 0, &e);
}

static int resume(const char *name, bool *ret_still)
{
	const struct order o = order(name);
	return orders_resume(&ledger, &o, ret_still, &e);
}

static int forget(const char *name)
{
	const struct order o = order(name);
	return orders_forget(&ledger, &o, &e);
}

static void assert_refused(int rc, enum err_code code, const char *words)
{
	assert_int_equal(rc, -(int)code);
	assert_non_null(strstr(e.msg, words));
	assert_false(ledger_is_dirty(&ledger));
	err_clear(&e);
}

static void assert_last_event(const char *what, const char *detail)
{
	struct events events = VEC_INIT;
	assert_int_equal(store_load_events(store, NULL, 1, &events, &e), 0);
	assert_string_equal(events.at[0].what, what);
	assert_string_equal(events.at[0].detail, detail);
	assert_string_equal(events.at[0].by, "jane");
	assert_int_equal(events.at[0].at_ms, 1000);
	events_release(&events);
}

static void test_a_suspension_outlives_a_restart_until_it_is_resumed(void **state)
{
	(void)state;
	bool still = true;
	const struct order o = order("orders-dr");
	assert_int_equal(orders_suspend(&ledger, &o, true, 61000, &e), 0);
	restart();
	assert_last_event("suspended", "broker upgrade, until 1970-01-01T00:01:01Z");
	const struct suspension *s = map_get(&ledger.suspensions, "orders-dr");
	assert_non_null(s);
	assert_int_equal(s->until_ms, 61000);
	assert_string_equal(s->by, "jane");
	assert_int_equal(resume("orders-dr", &still), 0);
	assert_false(still);
	restart();
	assert_false(map_has(&ledger.suspensions, "orders-dr"));
	assert_last_event("resumed", "broker upgrade");
}

static void test_names_that_are_not_known_are_refused_with_a_near_one(void **state)
{
	(void)state;
	bool still;
	assert_refused(suspend("order-dr"), ERR_NOT_FOUND, "did you mean orders-dr?");
	assert_refused(resume("order-dr", &still), ERR_NOT_FOUND, "did you mean orders-dr?");
	assert_refused(forget("gone-rd"), ERR_NOT_FOUND, "did you mean gone-dr?");
	assert_refused(suspend("something-else"), ERR_NOT_FOUND, "weir status --all");
}

static void test_a_time_that_has_passed_is_refused(void **state)
{
	(void)state;
	const struct order o = order("orders-dr");
	assert_refused(orders_suspend(&ledger, &o, true, 1000, &e), ERR_INVALID, "has passed");
}

static void test_what_git_suspends_is_not_for_a_command_to_resume(void **state)
{
	(void)state;
	bool still = false;
	add_document("orders-dr", "maintenance");
	restart();
	assert_refused(resume("orders-dr", &still), ERR_CONFLICT, "in Git (a.yaml:3: maintenance)");
	assert_refused(resume("gone-dr", &still), ERR_CONFLICT, "is not suspended");
	assert_int_equal(suspend("orders-dr"), 0);
	restart();
	assert_int_equal(resume("orders-dr", &still), 0);
	assert_true(still);
}

static void test_what_a_document_that_is_gone_said_is_lifted(void **state)
{
	(void)state;
	auto_arena struct arena arena = ARENA_INIT;
	struct replicator document;
	bool still = true;
	add_document("gone-dr", "maintenance");
	struct record *r = ledger_find(&ledger, "gone-dr");
	r->row.gone_since_ms = 500;
	ledger_changed(&ledger, r);
	restart();
	assert_int_equal(resume("gone-dr", &still), 0);
	assert_false(still);
	restart();
	r = ledger_find(&ledger, "gone-dr");
	assert_int_equal(r->row.gone_since_ms, 1000); /* its grace begins */
	assert_non_null(r->accepted);
	assert_int_equal(replicator_read_json(r->accepted, &arena, &document, &e), 0);
	assert_false(document.sync.suspend.is_set);
	assert_refused(resume("gone-dr", &still), ERR_CONFLICT, "is not suspended");
}

static void test_only_what_is_gone_from_git_can_be_forgotten(void **state)
{
	(void)state;
	assert_refused(forget("orders-dr"), ERR_CONFLICT, "is in Git (a.yaml:3)");
	assert_int_equal(suspend("gone-dr"), 0);
	assert_int_equal(forget("gone-dr"), 0);
	restart();
	assert_last_event("forgotten", "broker upgrade");
	assert_null(ledger_find(&ledger, "gone-dr"));
	assert_int_equal(map_size(&ledger.suspensions), 0);
	assert_refused(forget("gone-dr"), ERR_NOT_FOUND, "neither in Git nor in the inventory");
}

static void test_what_is_being_worked_on_is_not_forgotten(void **state)
{
	(void)state;
	struct intent *i = xcalloc(1, sizeof(*i));
	i->name = xstrdup("gone-dr");
	ledger_open_intent(&ledger, ledger_find(&ledger, "gone-dr"), i);
	restart();
	assert_refused(forget("gone-dr"), ERR_CONFLICT, "something is under way");
}

static void test_an_approval_is_kept_with_who_gave_it(void **state)
{
	(void)state;
	const struct order o = order("orders-dr");
	assert_int_equal(orders_approve(&ledger, &o, "1f2e", "replace", &e), 0);
	restart();
	assert_last_event("approved", "replace: broker upgrade");
	const struct approval *a = map_get(&ledger.approvals, "1f2e");
	assert_non_null(a);
	assert_string_equal(a->action, "replace");
	assert_string_equal(a->by, "jane");
	assert_refused(orders_approve(&ledger, &o, "1f2e", "replace", &e), ERR_CONFLICT,
		"approved already");
	assert_true(ledger_disapprove(&ledger, "1f2e"));
	restart();
	assert_int_equal(map_size(&ledger.approvals), 0);
}

#define with_ledger(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		with_ledger(test_a_suspension_outlives_a_restart_until_it_is_resumed),
		with_ledger(test_names_that_are_not_known_are_refused_with_a_near_one),
		with_ledger(test_a_time_that_has_passed_is_refused),
		with_ledger(test_what_git_suspends_is_not_for_a_command_to_resume),
		with_ledger(test_what_a_document_that_is_gone_said_is_lifted),
		with_ledger(test_only_what_is_gone_from_git_can_be_forgotten),
		with_ledger(test_what_is_being_worked_on_is_not_forgotten),
		with_ledger(test_an_approval_is_kept_with_who_gave_it),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
