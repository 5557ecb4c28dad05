/* The sentences of the statuses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/text.h"
#include "forge/forge.h"
#include "reconcile/report.h"

#define NOW ((int64_t)1790000000000)

static const struct report_input quiet = {
	.compared = true,
	.now_ms = NOW,
	.head_since_ms = NOW - 1000,
	.timeout_ms = 600000,
};

static struct report make(struct report_input in, const struct report_item *items, size_t n)
{
	struct report r;
	in.items = items;
	in.n_items = n;
	report_make(&in, &r);
	return r;
}

static void assert_sync(const struct report *r, enum status_state state, const char *text)
{
	assert_string_equal(r->sync.text, text);
	assert_int_equal(r->sync.state, state);
}

static void test_sync_counts_what_is_healthy(void **state)
{
	(void)state;
	const struct report_item items[] = {
		{"a", STANDING_HEALTHY, "", false},
		{"b", STANDING_HEALTHY, "", false},
		{"c", STANDING_ABSENT_OK, "", false},
	};
	struct report_input in = quiet;
	in.changed = 2;
	struct report r = make(in, items, 3);
	assert_sync(&r, STATUS_SUCCESS, "2 in sync (2 changed), 1 not in Git (prune is off)");
	assert_true(r.whole);
	assert_string_equal(r.drift.text, "no drift");
}

static void test_sync_is_pending_while_something_is_under_way(void **state)
{
	(void)state;
	const struct report_item items[] = {
		{"a", STANDING_HEALTHY, "", false},
		{"b", STANDING_APPLYING, "", false},
		{"c", STANDING_WAITING, "", false},
	};
	struct report r = make(quiet, items, 3);
	assert_sync(&r, STATUS_PENDING, "applying 2/3");
	r = make(quiet, items + 2, 1);
	assert_sync(&r, STATUS_PENDING, "waiting for Healthy 0/1");
	assert_false(r.whole);
}

static void test_sync_names_the_first_failure_and_counts_the_others(void **state)
{
	(void)state;
	const struct report_item items[] = {
		{"a", STANDING_FAILED, "the API refused it (400 topic_whitelist: no)", false},
		{"b", STANDING_FAILED, "x", false},
		{"c", STANDING_HEALTHY, "", false},
	};
	struct report r = make(quiet, items, 3);
	assert_sync(&r, STATUS_FAILURE, "a: the API refused it (400 topic_whitelist: no) +1 more");
}

static void test_texts_are_cut_to_what_forges_take_and_escaped(void **state)
{
	(void)state;
	char why[2000];
	memset(why, 'x', sizeof(why) - 1);
	memcpy(why, "evil\n\x1b[31m", 10);
	why[sizeof(why) - 1] = '\0';
	const struct report_item items[] = {
		{"a", STANDING_FAILED, why, false},
		{"b", STANDING_FAILED, "y", false},
	};
	struct report r = make(quiet, items, 2);
	assert_true(text_length(r.sync.text) <= FORGE_TEXT_MAX);
	assert_null(strpbrk(r.sync.text, "\n\x1b"));
	assert_true(text_has_suffix(r.sync.text, " +1 more"));
}

static void test_load_problems_name_the_place(void **state)
{
	(void)state;
	struct problems problems = PROBLEMS_INIT;
	problems_add(&problems, PROBLEM_WARNING, "a.yaml", 1, 1, "", "only a warning");
	problems_add(&problems, PROBLEM_ERROR, "eu.yaml", 14, 20, "spec.topic_whitelist",
		"must name something");
	problems_add(&problems, PROBLEM_ERROR, "us.yaml", 2, 1, "", "is wrong too");
	struct report_input in = quiet;
	in.problems = &problems;
	struct report r = make(in, NULL, 0);
	assert_sync(&r, STATUS_FAILURE,
		"spec.topic_whitelist: must name something (eu.yaml:14) +1 more");
	problems_release(&problems);
}

static void test_an_api_that_is_away_is_an_error_only_after_the_timeout(void **state)
{
	(void)state;
	struct report_input in = quiet;
	in.api_error = "cannot reach it";
	in.api_since_ms = NOW - 1000;
	struct report r = make(in, NULL, 0);
	assert_int_equal(r.sync.state, STATUS_PENDING);
	in.api_since_ms = NOW - in.timeout_ms;
	r = make(in, NULL, 0);
	assert_int_equal(r.sync.state, STATUS_ERROR);
	assert_non_null(strstr(r.sync.text, "cannot reach it"));
}

static void test_nothing_stays_pending_for_ever(void **state)
{
	(void)state;
	const struct report_item items[] = {
		{"a", STANDING_APPLYING, "the API failed (500)", false},
		{"b", STANDING_UNHEALTHY, "the API says Updating", false},
		{"c", STANDING_STUCK, "not Healthy since 16:44Z", false},
		{"d", STANDING_UNKNOWN, "the API may be hiding it", false},
	};
	struct report_input in = quiet;
	in.head_since_ms = NOW - in.timeout_ms;
	for (size_t i = 0; i < ARRAY_SIZE(items); i++) {
		struct report r = make(in, &items[i], 1);
		assert_int_equal(r.sync.state, STATUS_ERROR);
		assert_non_null(strstr(r.sync.text, items[i].why));
	}
}

static void test_drift_is_never_pending(void **state)
{
	(void)state;
	const struct report_item items[] = {{"a", STANDING_WAITING, "lag_alert_threshold", true}};
	struct report r = make(quiet, items, 1);
	assert_int_equal(r.drift.state, STATUS_FAILURE);
	assert_string_equal(r.drift.text, "healing 1: a: lag_alert_threshold");
}

static void test_every_standing_has_a_name(void **state)
{
	(void)state;
	for (int i = 0; i < STANDING__COUNT; i++)
		assert_non_null(standing_name((enum standing)i));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sync_counts_what_is_healthy),
		cmocka_unit_test(test_sync_is_pending_while_something_is_under_way),
		cmocka_unit_test(test_sync_names_the_first_failure_and_counts_the_others),
		cmocka_unit_test(test_texts_are_cut_to_what_forges_take_and_escaped),
		cmocka_unit_test(test_load_problems_name_the_place),
		cmocka_unit_test(test_an_api_that_is_away_is_an_error_only_after_the_timeout),
		cmocka_unit_test(test_nothing_stays_pending_for_ever),
		cmocka_unit_test(test_drift_is_never_pending),
		cmocka_unit_test(test_every_standing_has_a_name),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
