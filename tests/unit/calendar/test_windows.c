/* Windows: what is open when and until when, also on days on which clocks are changed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/limits.h"
#include "calendar/calendar.h"

#define MINUTE INT64_C(60000)
#define HOUR   (60 * MINUTE)
#define DAY    (24 * HOUR)

#define deny(cron, hours, zone)                                                                    \
	{                                                                                          \
		true, cron, (int64_t)((hours)*HOUR), zone, NULL                                    \
	}
#define allow(cron, hours, zone)                                                                   \
	{                                                                                          \
		false, cron, (int64_t)((hours)*HOUR), zone, NULL                                   \
	}

static int64_t at(const char *time)
{
	int64_t ms;

	if (!clock_parse(time, &ms))
		fail_msg("%s is no time", time);
	return ms;
}

static struct windows *windows_of(const struct window_rule *rules, size_t n)
{
	struct windows *w = NULL;
	struct err e = ERR_INIT;
	size_t bad;

	if (windows_new(rules, n, &w, &bad, &e) < 0)
		fail_msg("window %zu: %s", bad, e.msg);
	return w;
}

/* ---- by hand ---- */

struct turn {
	const char *at;
	bool open; /* from then on */
};

/* It is otherwise just before each turn, and `until` leads from each to the next. */
static void assert_turns(const char *what, const struct window_rule *rules, size_t n_rules,
	const struct turn *turns, size_t n)
{
	struct windows *w = windows_of(rules, n_rules);
	char text[CLOCK_TEXT_MAX];

	for (size_t i = 0; i < n; i++) {
		struct window_state before = windows_at(w, NULL, at(turns[i].at) - 1);
		struct window_state after = windows_at(w, NULL, at(turns[i].at));

		if (before.until_ms != at(turns[i].at))
			fail_msg("%s: %s until %s, not until %s", what,
				before.open ? "open" : "closed",
				clock_format(before.until_ms, text), turns[i].at);
		if (before.open == turns[i].open || after.open != turns[i].open)
			fail_msg("%s: does not turn at %s", what, turns[i].at);
		if (i + 1 < n)
			assert_true(after.until_ms == at(turns[i + 1].at));
	}
	windows_free(w);
}

#define TURNS(what, rules, ...)                                                                    \
	assert_turns(what, rules, ARRAY_SIZE(rules), (const struct turn[]){__VA_ARGS__},           \
		ARRAY_SIZE(((const struct turn[]){__VA_ARGS__})))

static void test_no_windows_are_always_open(void **state)
{
	struct windows *none = windows_of(NULL, 0);
	const struct windows *all[] = {NULL, none};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct window_state s = windows_at(all[i], NULL, at("2026-11-30T12:00:00Z"));

		assert_true(s.open && s.until_ms == INT64_MAX && s.rule == SIZE_MAX);
		assert_true(windows_open_ever(all[i], NULL));
	}
	windows_free(none);
	windows_free(NULL);
}

static void test_working_hours(void **state)
{
	const struct window_rule closed[] = {deny("0 8 * * 1-5", 9, "Europe/Berlin")};
	const struct window_rule open[] = {allow("0 22 * * 5", 8, "America/New_York")};

	(void)state;
	TURNS("deny", closed, {"2026-11-27T07:00:00Z", false}, {"2026-11-27T16:00:00Z", true},
		{"2026-11-30T07:00:00Z", false}, {"2026-11-30T16:00:00Z", true});
	TURNS("allow", open, {"2026-11-28T03:00:00Z", true}, {"2026-11-28T11:00:00Z", false},
		{"2026-12-05T03:00:00Z", true});
}

static void test_windows_that_touch_or_overlap_are_one(void **state)
{
	const struct window_rule touch[] = {deny("0 8,9,10 * * *", 1, "UTC")};
	const struct window_rule overlap[] = {deny("0 8,9 * * *", 2.5, "UTC")};
	const struct window_rule across[] = {deny("0 20 * * 5", 60, "UTC"),
		deny("0 6 * * 1", 4, "UTC"), deny("30 5 * * 0", 24.5, "UTC")};

	(void)state;
	TURNS("touch", touch, {"2026-11-30T08:00:00Z", false}, {"2026-11-30T11:00:00Z", true});
	TURNS("overlap", overlap, {"2026-11-30T08:00:00Z", false}, {"2026-11-30T11:30:00Z", true});
	TURNS("across", across, {"2026-11-27T20:00:00Z", false}, {"2026-11-30T10:00:00Z", true});
}

static void test_deny_wins_over_allow(void **state)
{
	const struct window_rule rules[] = {allow("0 9 * * *", 8, "UTC"),
		deny("0 12 * * *", 1, "UTC"), allow("0 20 * * *", 2, "UTC"),
		deny("0 21 * * *", 6, "UTC")};

	(void)state;
	TURNS("day", rules, {"2026-11-30T09:00:00Z", true}, {"2026-11-30T12:00:00Z", false},
		{"2026-11-30T13:00:00Z", true}, {"2026-11-30T17:00:00Z", false},
		{"2026-11-30T20:00:00Z", true}, {"2026-11-30T21:00:00Z", false},
		{"2026-12-01T09:00:00Z", true});
}

/* At 02:00 clocks go to 03:00 on 29 March, and at 03:00 to 02:00 on 25 October. */
static void test_clocks_that_are_changed_in_berlin(void **state)
{
	const struct window_rule in_gap[] = {deny("30 2 * * *", 1, "Europe/Berlin")};
	const struct window_rule many[] = {deny("*/10 2 * * *", 0.1, "Europe/Berlin")};
	const struct window_rule night[] = {allow("0 22 * * *", 8, "Europe/Berlin")};

	(void)state;
	TURNS("left out", in_gap, {"2026-03-28T01:30:00Z", false}, {"2026-03-28T02:30:00Z", true},
		{"2026-03-29T01:00:00Z", false}, {"2026-03-29T02:00:00Z", true},
		{"2026-03-30T00:30:00Z", false}, {"2026-03-30T01:30:00Z", true});
	TURNS("all left out", many, {"2026-03-28T01:50:00Z", false}, {"2026-03-28T01:56:00Z", true},
		{"2026-03-29T01:00:00Z", false}, {"2026-03-29T01:06:00Z", true},
		{"2026-03-30T00:00:00Z", false});
	TURNS("twice", in_gap, {"2026-10-25T00:30:00Z", false}, {"2026-10-25T01:30:00Z", true},
		{"2026-10-26T01:30:00Z", false});
	TURNS("all twice", many, {"2026-10-25T00:50:00Z", false}, {"2026-10-25T00:56:00Z", true},
		{"2026-10-26T01:00:00Z", false});
	TURNS("elapsed in spring", night, {"2026-03-28T21:00:00Z", true},
		{"2026-03-29T05:00:00Z", false}, {"2026-03-29T20:00:00Z", true});
	TURNS("elapsed in autumn", night, {"2026-10-24T20:00:00Z", true},
		{"2026-10-25T04:00:00Z", false}, {"2026-10-25T21:00:00Z", true});
}

static void test_clocks_that_are_changed_elsewhere(void **state)
{
	const struct window_rule york[] = {deny("30 2 * * 0", 1, "America/New_York")};
	const struct window_rule twice[] = {deny("30 1 * * 0", 1, "America/New_York")};
	/* By half an hour: 02:00 to 02:30 on 4 October, 02:00 to 01:30 on 5 April. */
	const struct window_rule howe[] = {deny("15 2 * * *", 0.25, "Australia/Lord_Howe")};
	const struct window_rule howe_twice[] = {deny("45 1 * * *", 0.25, "Australia/Lord_Howe")};

	(void)state;
	TURNS("left out", york, {"2026-03-08T07:00:00Z", false}, {"2026-03-08T08:00:00Z", true},
		{"2026-03-15T06:30:00Z", false});
	TURNS("twice", twice, {"2026-11-01T05:30:00Z", false}, {"2026-11-01T06:30:00Z", true},
		{"2026-11-08T06:30:00Z", false});
	TURNS("half an hour left out", howe, {"2026-10-02T15:45:00Z", false},
		{"2026-10-02T16:00:00Z", true}, {"2026-10-03T15:30:00Z", false},
		{"2026-10-03T15:45:00Z", true}, {"2026-10-04T15:15:00Z", false});
	TURNS("half an hour twice", howe_twice, {"2026-04-04T14:45:00Z", false},
		{"2026-04-04T15:00:00Z", true}, {"2026-04-05T15:15:00Z", false});
}

/* A schedule of every hour neither makes up for an hour nor leaves one out. */
static void test_hours_pass_whatever_clocks_show(void **state)
{
	const struct window_rule rules[] = {deny("15 * * * *", 0.5, "Europe/Berlin")};

	(void)state;
	TURNS("spring", rules, {"2026-03-29T00:15:00Z", false}, {"2026-03-29T00:45:00Z", true},
		{"2026-03-29T01:15:00Z", false}, {"2026-03-29T01:45:00Z", true});
	TURNS("autumn", rules, {"2026-10-25T00:15:00Z", false}, {"2026-10-25T00:45:00Z", true},
		{"2026-10-25T01:15:00Z", false}, {"2026-10-25T01:45:00Z", true},
		{"2026-10-25T02:15:00Z", false});
}

/* ---- labels ---- */

static struct node *labels_of(struct arena *a, const char *team, const char *tier)
{
	struct node *labels = node_map(a);

	if (team)
		node_map_set(a, labels, "team", node_string(a, team));
	if (tier)
		node_map_set(a, labels, "tier", node_string(a, tier));
	return labels;
}

static void test_windows_concern_replicators_with_all_labels(void **state)
{
	auto_arena struct arena a = ARENA_INIT;
	const struct window_rule rules[] = {
		{true, "0 8 * * *", 4 * HOUR, "UTC", labels_of(&a, "orders", NULL)},
		{true, "0 10 * * *", 4 * HOUR, "UTC", labels_of(&a, "orders", "1")},
		{false, "0 9 * * *", 8 * HOUR, "UTC", labels_of(&a, NULL, "2")},
	};
	const struct {
		const struct node *labels;
		const char *until;
		bool open;
		size_t rule;
	} cases[] = {
		{NULL, NULL, true, SIZE_MAX},
		{labels_of(&a, NULL, NULL), NULL, true, SIZE_MAX},
		{labels_of(&a, "payments", "1"), NULL, true, SIZE_MAX},
		{labels_of(&a, "orders", NULL), "2026-11-30T12:00:00Z", false, 0},
		{labels_of(&a, "orders", "1"), "2026-11-30T14:00:00Z", false, 1},
		{labels_of(&a, "orders", "2"), "2026-11-30T12:00:00Z", false, 0},
		{labels_of(&a, NULL, "2"), "2026-11-30T17:00:00Z", true, SIZE_MAX},
	};
	struct windows *w = windows_of(rules, ARRAY_SIZE(rules));

	(void)state;
	for (size_t i = 0; i < 2 * ARRAY_SIZE(cases); i++) {
		size_t k = i % ARRAY_SIZE(cases);
		struct window_state s = windows_at(w, cases[k].labels, at("2026-11-30T11:00:00Z"));

		assert_int_equal(s.open, cases[k].open);
		assert_true(s.until_ms == (cases[k].until ? at(cases[k].until) : INT64_MAX));
		assert_true(s.rule == cases[k].rule);
	}
	windows_free(w);
}

static void test_an_empty_match_concerns_all(void **state)
{
	auto_arena struct arena a = ARENA_INIT;
	const struct window_rule rules[] = {
		{true, "0 8 * * *", HOUR, "UTC", labels_of(&a, NULL, NULL)}};
	struct windows *w = windows_of(rules, 1);

	(void)state;
	assert_false(windows_at(w, NULL, at("2026-11-30T08:30:00Z")).open);
	windows_free(w);
}

/* ---- for ever, and not within a year ---- */

static void test_what_never_opens_is_known(void **state)
{
	const struct window_rule always[] = {deny("* * * * *", 0.1, "UTC")};
	const struct window_rule covered[] = {
		allow("0 9 * * *", 8, "Europe/Berlin"), deny("30 8 * * *", 9, "Europe/Berlin")};
	const struct window_rule daily[] = {deny("0 0 * * *", 25, "Europe/Berlin")};
	const struct window_rule weekday[] = {
		allow("0 12 1 1 *", 4, "UTC"), deny("0 0 * * 6,0", 24, "UTC")};
	const struct window_rule leap[] = {allow("0 0 29 2 *", 24, "UTC")};
	const struct {
		const struct window_rule *rules;
		size_t n;
		bool opens;
	} cases[] = {{always, 1, false}, {covered, 2, false}, {daily, 1, false}, {weekday, 2, true},
		{leap, 1, true}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct windows *w = windows_of(cases[i].rules, cases[i].n);

		assert_int_equal(windows_open_ever(w, NULL), cases[i].opens);
		windows_free(w);
	}
}

/* A day in spring has 23 hours: what lasts 24 is on all year. One in autumn has 25. */
static void test_daily_windows_leave_an_hour_in_autumn(void **state)
{
	const struct window_rule rules[] = {deny("0 0 * * *", 24, "Europe/Berlin")};

	(void)state;
	TURNS("autumn", rules, {"2026-10-25T22:00:00Z", true}, {"2026-10-25T23:00:00Z", false});
	TURNS("next autumn", rules, {"2027-10-31T22:00:00Z", true},
		{"2027-10-31T23:00:00Z", false});
}

static void test_what_is_beyond_a_year_is_found_once_it_is_near(void **state)
{
	const struct window_rule rules[] = {allow("0 0 29 2 *", 24, "UTC")};
	struct windows *w = windows_of(rules, 1);
	struct window_state s = windows_at(w, NULL, at("2026-11-30T00:00:00Z"));

	(void)state;
	assert_true(!s.open && s.until_ms == INT64_MAX && s.rule == SIZE_MAX);
	s = windows_at(w, NULL, at("2027-02-27T00:00:00Z"));
	assert_true(!s.open && s.until_ms == INT64_MAX);
	s = windows_at(w, NULL, at("2027-03-05T00:00:00Z"));
	assert_true(!s.open && s.until_ms == at("2028-02-29T00:00:00Z"));
	s = windows_at(w, NULL, at("2028-02-29T12:00:00Z"));
	assert_true(s.open && s.until_ms == at("2028-03-01T00:00:00Z"));
	s = windows_at(w, NULL, at("2026-11-30T00:00:00Z"));
	assert_true(!s.open && s.until_ms == INT64_MAX);
	windows_free(w);
}

/* ---- in words ---- */

static void assert_text(const struct windows *w, const char *now, const char *wanted)
{
	struct window_state s = windows_at(w, NULL, at(now));
	auto_buf struct buf text = BUF_INIT;

	windows_text(w, &s, &text);
	assert_string_equal(buf_str(&text), wanted);
}

static void test_words_for_a_state(void **state)
{
	const struct window_rule rules[] = {
		deny("0 8 * * 1-5", 9, "Europe/Berlin"), allow("0 0 * * *", 20, "UTC")};
	const struct window_rule for_ever[] = {deny("* * * * *", 1, "UTC")};
	struct windows *w = windows_of(rules, 2), *always = windows_of(for_ever, 1);

	(void)state;
	assert_text(w, "2026-12-01T07:30:00Z",
		"closed by the window \"0 8 * * 1-5\" for 9h (Europe/Berlin), until "
		"2026-12-01T16:00:00Z");
	assert_text(w, "2026-12-01T21:00:00Z",
		"closed outside of the windows that allow changes, until 2026-12-02T00:00:00Z");
	assert_text(w, "2026-12-01T16:00:00Z", "open, until 2026-12-01T20:00:00Z");
	assert_text(NULL, "2026-12-01T16:00:00Z", "open");
	assert_text(
		always, "2026-12-01T16:00:00Z", "closed by the window \"* * * * *\" for 1h (UTC)");
	windows_free(always);
	windows_free(w);
}

/* ---- rules that make no sense ---- */

static void test_bad_rules_are_told_by_index_and_key(void **state)
{
	static const struct {
		struct window_rule rule;
		const char *says;
	} bad[] = {
		{deny("*/0 * * * *", 1, "UTC"), "schedule: minute: \"*/0\" never gets on"},
		{deny("0 8 * * *", 0, "UTC"),
			"duration: must be a duration between 1m and 8784h, such as 9h"},
		{deny("0 8 * * *", 8785, "UTC"), "duration: must be a duration between"},
		{{true, "0 8 * * *", MINUTE + 1, "UTC", NULL},
			"duration: must be whole seconds, such as 90s"},
		{deny("0 8 * * *", 1, "Berlin"), "timezone: \"Berlin\" is not in the tz database"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		const struct window_rule rules[] = {deny("0 8 * * *", 1, "UTC"), bad[i].rule};
		struct windows *w = NULL;
		struct err e = ERR_INIT;
		size_t which = 99;

		assert_int_equal(windows_new(rules, 2, &w, &which, &e), -ERR_INVALID);
		assert_int_equal(which, 1);
		assert_null(w);
		if (!strstr(e.msg, bad[i].says))
			fail_msg("\"%s\", and not \"%s\"", e.msg, bad[i].says);
	}
}

static void test_more_windows_than_there_may_be_are_refused(void **state)
{
	struct window_rule rules[LIMIT_WINDOWS + 1];
	struct windows *w = NULL;
	struct err e = ERR_INIT;
	size_t bad;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rules); i++)
		rules[i] = (struct window_rule)deny("0 8 * * *", 1, "UTC");
	assert_int_equal(windows_new(rules, LIMIT_WINDOWS + 1, &w, &bad, &e), -ERR_INVALID);
	assert_non_null(strstr(e.msg, "there are 65 windows"));
	w = windows_of(rules, LIMIT_WINDOWS);
	assert_false(windows_at(w, NULL, at("2026-11-30T08:30:00Z")).open);
	windows_free(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_windows_are_always_open),
		cmocka_unit_test(test_working_hours),
		cmocka_unit_test(test_windows_that_touch_or_overlap_are_one),
		cmocka_unit_test(test_deny_wins_over_allow),
		cmocka_unit_test(test_clocks_that_are_changed_in_berlin),
		cmocka_unit_test(test_clocks_that_are_changed_elsewhere),
		cmocka_unit_test(test_hours_pass_whatever_clocks_show),
		cmocka_unit_test(test_windows_concern_replicators_with_all_labels),
		cmocka_unit_test(test_an_empty_match_concerns_all),
		cmocka_unit_test(test_what_never_opens_is_known),
		cmocka_unit_test(test_daily_windows_leave_an_hour_in_autumn),
		cmocka_unit_test(test_what_is_beyond_a_year_is_found_once_it_is_near),
		cmocka_unit_test(test_words_for_a_state),
		cmocka_unit_test(test_bad_rules_are_told_by_index_and_key),
		cmocka_unit_test(test_more_windows_than_there_may_be_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
