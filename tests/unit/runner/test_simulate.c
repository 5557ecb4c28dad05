#include "runner/runner.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/arena.h"

#define DELAY 200

struct fixture {
	struct arena arena;
	struct runner *runner;
};

static int set_up(void **state)
{
	struct fixture *f = test_calloc(1, sizeof(*f));
	struct node *fail = node_seq(&f->arena);

	node_seq_add(&f->arena, fail, node_string(&f->arena, "broken-*"));
	node_seq_add(&f->arena, fail, node_string(&f->arena, "?nother"));
	const struct simulate_config config = {.delay_ms = DELAY, .fail = fail};
	f->runner = runner_simulate.new(&config);
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	runner_free(f->runner);
	arena_release(&f->arena);
	test_free(f);
	return 0;
}

static struct workload workload(const char *identifier, int64_t ticket)
{
	return (struct workload){
		.uid = identifier, .identifier = identifier, .generation = 1, .ticket = ticket};
}

static void test_start_reports_running_when_the_delay_has_passed(void **state)
{
	struct runner *r = ((struct fixture *)*state)->runner;
	const struct workload w = workload("orders-dr", 7);
	struct runner_report report;

	assert_int_equal(r->type->next_due(r), INT64_MAX);
	r->type->start(r, &w, 1000);
	assert_int_equal(r->type->next_due(r), 1000 + DELAY);
	assert_false(r->type->observe(r, 1000 + DELAY - 1, &report));
	assert_true(r->type->observe(r, 1000 + DELAY, &report));
	assert_int_equal(report.ticket, 7);
	assert_int_equal(report.outcome, RUNNER_RUNNING);
	assert_string_equal(report.message, "simulated: no data is moved");
	assert_false(r->type->observe(r, 9000, &report));
	assert_int_equal(r->type->next_due(r), INT64_MAX);
}

static void test_start_and_update_fail_when_a_pattern_matches(void **state)
{
	struct runner *r = ((struct fixture *)*state)->runner;
	const struct workload started = workload("broken-eu", 1);
	const struct workload updated = workload("another", 2);
	struct runner_report report;

	r->type->start(r, &started, 0);
	r->type->update(r, &updated, 0);
	assert_true(r->type->observe(r, DELAY, &report));
	assert_int_equal(report.outcome, RUNNER_FAILED);
	assert_non_null(strstr(report.message, "\"broken-*\""));
	assert_true(r->type->observe(r, DELAY, &report));
	assert_int_equal(report.outcome, RUNNER_FAILED);
	assert_non_null(strstr(report.message, "\"?nother\""));
}

static void test_stop_succeeds_when_a_pattern_matches(void **state)
{
	struct runner *r = ((struct fixture *)*state)->runner;
	const struct workload w = workload("broken-eu", 3);
	struct runner_report report;

	r->type->stop(r, &w, 0);
	assert_true(r->type->observe(r, DELAY, &report));
	assert_int_equal(report.ticket, 3);
	assert_int_equal(report.outcome, RUNNER_GONE);
}

static void test_reports_come_in_the_order_of_the_calls(void **state)
{
	struct runner *r = ((struct fixture *)*state)->runner;
	struct runner_report report;

	for (int64_t i = 0; i < 100; i++) {
		const struct workload w = workload("orders-dr", i);

		r->type->update(r, &w, i);
	}
	for (int64_t i = 0; i < 100; i++) {
		assert_int_equal(r->type->next_due(r), DELAY + i);
		assert_true(r->type->observe(r, 1000, &report));
		assert_int_equal(report.ticket, i);
	}
	assert_false(r->type->observe(r, 1000, &report));
}

static void test_free_when_calls_are_pending(void **state)
{
	struct runner *r = ((struct fixture *)*state)->runner;
	const struct workload w = workload("orders-dr", 1);

	/* The leak checker looks at what tear_down leaves behind. */
	r->type->start(r, &w, 0);
}

static void test_names_and_types_are_in_one_order(void **state)
{
	size_t n = 0;

	(void)state;
	while (runner_names[n]) {
		assert_string_equal(runner_types[n]->name, runner_names[n]);
		assert_non_null(runner_types[n]->providers[0]);
		n++;
	}
	assert_int_equal(n, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			test_start_reports_running_when_the_delay_has_passed, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			test_start_and_update_fail_when_a_pattern_matches, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			test_stop_succeeds_when_a_pattern_matches, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			test_reports_come_in_the_order_of_the_calls, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			test_free_when_calls_are_pending, set_up, tear_down),
		cmocka_unit_test(test_names_and_types_are_in_one_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
