/* Times and durations as text, there and back. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <string.h>
#include <cmocka.h>

#include "base/alloc.h"
#include "base/clock.h"

static void test_format_shows_milliseconds_only_where_there_are_some(void **state)
{
	(void)state;
	char out[CLOCK_TEXT_MAX];

	assert_string_equal(clock_format(0, out), "1970-01-01T00:00:00Z");
	assert_string_equal(clock_format(1796057063000, out), "2026-11-30T16:44:23Z");
	assert_string_equal(clock_format(1796057063007, out), "2026-11-30T16:44:23.007Z");
	assert_string_equal(clock_format(-1, out), "1969-12-31T23:59:59.999Z");
	assert_string_equal(clock_format_short(1796057063007, out), "16:44Z");
}

static void test_parse_takes_offsets_and_fractions(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		int64_t ms;
	} rows[] = {
		{"1970-01-01T00:00:00Z", 0},
		{"2026-11-30T16:44:23.007Z", 1796057063007},
		{"2026-11-30t16:44:23.0079999z", 1796057063007},
		{"2026-11-30 17:44:23+01:00", 1796057063000},
		{"2026-11-30T11:14:23-05:30", 1796057063000},
		{"2024-02-29T00:00:00Z", 1709164800000},
		{"2016-12-31T23:59:60Z", 1483228800000},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		int64_t ms = -1;

		assert_true(clock_parse(rows[i].text, &ms));
		assert_true(ms == rows[i].ms);
	}
}

static void test_parse_refuses_what_is_no_time(void **state)
{
	(void)state;
	static const char *const rows[] = {"", "2026-11-30", "2026-11-30T16:44:23",
		"2026-11-30T16:44Z", "2026-02-29T00:00:00Z", "2100-02-29T00:00:00Z",
		"2026-13-01T00:00:00Z", "2026-11-31T00:00:00Z", "2026-11-30T24:00:00Z",
		"2026-11-30T00:60:00Z", "2026-11-30T00:00:61Z", "2026-11-30T00:00:00.Z",
		"2026-11-30T00:00:00+0100", "2026-11-30T00:00:00Z ", "26-11-30T00:00:00Z"};
	int64_t ms = 5;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_false(clock_parse(rows[i], &ms));
	assert_int_equal(ms, 5);
}

static void test_duration_parse(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		int64_t ms;
	} rows[] = {{"0", 0}, {"0s", 0}, {"200ms", 200}, {"30s", 30000}, {"5m", 300000},
		{"1h30m", 5400000}, {"1m500ms", 60500}, {"36h", 129600000}};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		int64_t ms = -1;

		assert_true(duration_parse(rows[i].text, &ms));
		assert_true(ms == rows[i].ms);
	}
}

static void test_duration_parse_refuses_the_rest(void **state)
{
	(void)state;
	static const char *const rows[] = {"", "5", "-5s", "5 s", "1.5h", "5d", "30m1h", "1m1m",
		"m", "5S", "00", "99999999999999999999s", "9223372036854775807h"};
	int64_t ms = 5;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_false(duration_parse(rows[i], &ms));
	assert_int_equal(ms, 5);
}

static void test_duration_format_leaves_out_zeroes(void **state)
{
	(void)state;
	char out[CLOCK_TEXT_MAX];

	assert_string_equal(duration_format(0, out), "0");
	assert_string_equal(duration_format(-5, out), "0");
	assert_string_equal(duration_format(5400000, out), "1h30m");
	assert_string_equal(duration_format(90001, out), "1m30s1ms");
	assert_true(strlen(duration_format(INT64_MAX, out)) < CLOCK_TEXT_MAX);
}

static void test_real_clock_moves_on(void **state)
{
	(void)state;
	int64_t before = clock_mono_ms(&clock_real);

	assert_true(clock_mono_ms(&clock_real) >= before);
	assert_true(clock_wall_ms(&clock_real) > 1700000000000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_format_shows_milliseconds_only_where_there_are_some),
		cmocka_unit_test(test_parse_takes_offsets_and_fractions),
		cmocka_unit_test(test_parse_refuses_what_is_no_time),
		cmocka_unit_test(test_duration_parse),
		cmocka_unit_test(test_duration_parse_refuses_the_rest),
		cmocka_unit_test(test_duration_format_leaves_out_zeroes),
		cmocka_unit_test(test_real_clock_moves_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
