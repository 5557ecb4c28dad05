/* Cron schedules: what they say, and what is said about those that make no sense. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/text.h"
#include "calendar/cron.h"

#define DAY_S  INT64_C(86400)
#define YEAR_S (366 * DAY_S)

static struct cron parse(const char *text)
{
	struct err e = ERR_INIT;
	struct cron c;

	if (cron_parse(text, &c, &e) < 0)
		fail_msg("%s: %s", text, e.msg);
	return c;
}

static int64_t at(const char *time)
{
	int64_t ms;

	assert_true(clock_parse(time, &ms));
	return ms / 1000;
}

/* The first times from `from` on, on a clock that is never changed. */
static void assert_times(const char *schedule, const char *from, const char *const *wanted)
{
	struct cron c = parse(schedule);
	char text[CLOCK_TEXT_MAX];
	int64_t t = at(from), last;

	for (; *wanted; wanted++, t++) {
		if (!cron_first(&c, t, t + 9 * YEAR_S, &t))
			fail_msg("%s: not at %s", schedule, *wanted);
		clock_format(t * 1000, text);
		if (strcmp(text, *wanted) != 0)
			fail_msg("%s: at %s, not at %s", schedule, text, *wanted);
		assert_true(cron_last(&c, t - 59, t + 1, &last) && last == t);
		assert_true(cron_last(&c, at(from) - YEAR_S, t + 60, &last) && last == t);
	}
}

#define assert_comes(schedule, from, ...)                                                          \
	assert_times(schedule, from, (const char *const[]){__VA_ARGS__, NULL})

static void test_values_ranges_lists_and_steps(void **state)
{
	(void)state;
	assert_comes("0 8 * * 1-5", "2026-11-27T08:00:00Z", "2026-11-27T08:00:00Z",
		"2026-11-30T08:00:00Z", "2026-12-01T08:00:00Z");
	assert_comes("*/20 22-23 * * *", "2026-11-30T22:00:01Z", "2026-11-30T22:20:00Z",
		"2026-11-30T22:40:00Z", "2026-11-30T23:00:00Z", "2026-11-30T23:20:00Z",
		"2026-11-30T23:40:00Z", "2026-12-01T22:00:00Z");
	assert_comes("5,10-20/5,59 0 1 1 *", "2026-12-01T00:00:00Z", "2027-01-01T00:05:00Z",
		"2027-01-01T00:10:00Z", "2027-01-01T00:15:00Z", "2027-01-01T00:20:00Z",
		"2027-01-01T00:59:00Z", "2028-01-01T00:05:00Z");
	assert_comes("\t 30   6\t31 * * ", "2026-01-31T07:00:00Z", "2026-03-31T06:30:00Z",
		"2026-05-31T06:30:00Z", "2026-07-31T06:30:00Z", "2026-08-31T06:30:00Z");
	assert_comes("0 0 29 2 *", "2026-01-01T00:00:00Z", "2028-02-29T00:00:00Z",
		"2032-02-29T00:00:00Z");
}

static void test_names_and_sundays(void **state)
{
	struct cron c;

	(void)state;
	assert_comes("0 0 * JAN,mar-Apr Sun", "2026-01-20T00:00:00Z", "2026-01-25T00:00:00Z",
		"2026-03-01T00:00:00Z");
	assert_comes("0 12 * * fri-sun", "2026-11-30T00:00:00Z", "2026-12-04T12:00:00Z",
		"2026-12-05T12:00:00Z", "2026-12-06T12:00:00Z", "2026-12-11T12:00:00Z");
	c = parse("0 0 * * 0");
	for (size_t i = 0; i < 3; i++) {
		static const char *const same[] = {"0 0 * * 7", "0 0 * * sun-sun", "0 0 * * 7,0-0"};
		struct cron other = parse(same[i]);

		assert_memory_equal(c.set, other.set, sizeof(c.set));
	}
	c = parse("0 0 * * *");
	assert_int_equal(c.set[CRON_WEEKDAY], parse("0 0 * * 1-7").set[CRON_WEEKDAY]);
}

/* Both days where one of the fields begins with *, either where none does. */
static void test_days_of_month_and_of_week(void **state)
{
	(void)state;
	assert_comes("0 0 13 * 5", "2026-11-01T00:00:00Z", "2026-11-06T00:00:00Z",
		"2026-11-13T00:00:00Z", "2026-11-20T00:00:00Z", "2026-11-27T00:00:00Z",
		"2026-12-04T00:00:00Z", "2026-12-11T00:00:00Z", "2026-12-13T00:00:00Z");
	assert_comes("0 0 13 * *", "2026-11-01T00:00:00Z", "2026-11-13T00:00:00Z",
		"2026-12-13T00:00:00Z");
	assert_comes("0 0 */2 * 1", "2026-11-01T00:00:00Z", "2026-11-09T00:00:00Z",
		"2026-11-23T00:00:00Z", "2026-12-07T00:00:00Z");
	assert_comes("0 0 1 * */3", "2026-11-01T00:00:00Z", "2026-11-01T00:00:00Z",
		"2027-05-01T00:00:00Z");
}

static void test_nothing_comes_outside_of_what_is_asked(void **state)
{
	struct cron c = parse("30 12 * * *");
	int64_t noon = at("2026-11-30T12:30:00Z"), t;

	(void)state;
	assert_false(cron_first(&c, noon + 1, noon + DAY_S, &t));
	assert_false(cron_last(&c, noon - DAY_S + 1, noon, &t));
	assert_false(cron_first(&c, noon, noon, &t));
	assert_false(cron_last(&c, noon, noon, &t));
	assert_false(cron_first(&c, noon + 10, noon - DAY_S, &t));
	assert_false(cron_last(&c, noon + DAY_S, noon - 10, &t));
	assert_true(cron_first(&c, noon - 59, noon + 1, &t) && t == noon);
	assert_true(cron_last(&c, -5 * YEAR_S, 0, &t) && t == -DAY_S / 2 + 1800);
	assert_true(cron_first(&c, -DAY_S, 0, &t) && t == -DAY_S / 2 + 1800);
}

static void test_what_is_hourly_and_what_is_always(void **state)
{
	struct cron hourly = parse("*/10 * * * 1"), all = parse("0 0-23 * * *");
	struct cron always = parse("0-59 * 1-31 1-12 *"), either = parse("* * 1-31 * 1");
	struct cron not_always = parse("* * * * 1-6"), night = parse("0 0-22 * * *");

	(void)state;
	assert_true(cron_is_hourly(&hourly) && cron_is_hourly(&all) && !cron_is_hourly(&night));
	assert_true(cron_is_always(&always) && cron_is_always(&either));
	assert_true(!cron_is_always(&hourly) && !cron_is_always(&not_always));
}

static void test_bad_schedules_are_told_what_to_write(void **state)
{
	static const struct {
		const char *text;
		const char *says;
	} bad[] = {
		{"", "has 0 fields, and needs five"},
		{"   ", "has 0 fields, and needs five"},
		{"0 8 * *", "has 4 fields, and needs five"},
		{"0 0 8 * * 1-5", "has 6 fields, and needs five without blanks in them: minute, "},
		{"0, 5 8 * * *", "needs five without blanks"},
		{"@daily", "@daily: write \"0 0 * * *\""},
		{"@Hourly", "@hourly: write \"0 * * * *\""},
		{"@reboot", "has 1 field, and needs five"},
		{"60 * * * *", "minute: \"60\" is out of range: write 0 to 59"},
		{"0 24 * * *", "hour: \"24\" is out of range: write 0 to 23"},
		{"0 0 0 * *", "day of the month: \"0\" is out of range: write 1 to 31"},
		{"0 0 * 13 *", "month: \"13\" is out of range: write 1 to 12 or jan to dec"},
		{"0 0 * * 8", "day of the week: \"8\" is out of range: write 0 to 7 or sun to sat"},
		{"99999999999999999999 * * * *", "is out of range: write 0 to 59"},
		{"-5 * * * *", "minute: \"-5\" is no value: write 0 to 59"},
		{"x * * * *", "minute: \"x\" is no value: write 0 to 59"},
		{"0 0 * january *", "month: \"january\" is no value: write 1 to 12 or jan to dec"},
		{"0 0 * * mond", "\"mond\" is no value"},
		{"0 0 * * jan", "day of the week: \"jan\" is no value"},
		{"*/0 * * * *", "minute: \"*/0\" never gets on: the step must be at least 1"},
		{"*/60 * * * *", "minute: \"*/60\" takes a step beyond the last value, so only the "
				 "first is meant: write 0"},
		{"*/ * * * *", "minute: \"*/\" has no number behind the slash"},
		{"*/-1 * * * *", "has no number behind the slash"},
		{"5/10 * * * *", "minute: \"5/10\" is a step without a range: write 5-59/10"},
		{"30-10 * * * *", "minute: \"30-10\" ends before it begins: write two ranges"},
		{"0 0 * * sat-mon", "ends before it begins"},
		{"1- * * * *", "\"1-\" is no value"},
		{"1-2-3 * * * *", "minute: \"1-2-3\" goes on with \"-\""},
		{"** * * * *", "\"**\" goes on with \"*\""},
		{"1;2 * * * *", "goes on with \";\""},
		{"1,,2 * * * *", "minute: a comma stands with nothing before or behind it"},
		{", * * * *", "a comma stands with nothing"},
		{"1, * * * *", "a comma stands with nothing"},
		{"0 0 ? * 1", "day of the month: \"?\" is not known here: write *"},
		{"0 0 L * *", "\"L\" is not known here: write the days themselves"},
		{"0 0 * * 5L", "goes on with \"L\""},
		{"0 0 30 2 *", "no month that it names has such a day"},
		{"0 0 31 feb,apr,jun *", "no month that it names has such a day"},
		{"\xff * * * *", "minute: \"\\xff\" is no value"},
		{"5\x01 * * * *", "goes on with \"?\""},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct err e = ERR_INIT;
		struct cron c;

		if (cron_parse(bad[i].text, &c, &e) != -ERR_INVALID)
			fail_msg("\"%s\" is taken", bad[i].text);
		if (!strstr(e.msg, bad[i].says))
			fail_msg("\"%s\": \"%s\", and not \"%s\"", bad[i].text, e.msg, bad[i].says);
	}
}

static void test_long_schedules_are_refused_before_they_are_read(void **state)
{
	char text[LIMIT_SCHEDULE_BYTES + 2];
	struct err e = ERR_INIT;
	struct cron c;

	(void)state;
	memset(text, ' ', sizeof(text));
	memcpy(text, "0 8 * * *", 9);
	text[LIMIT_SCHEDULE_BYTES] = '\0';
	assert_int_equal(cron_parse(text, &c, &e), 0);
	text[LIMIT_SCHEDULE_BYTES] = ' ';
	text[LIMIT_SCHEDULE_BYTES + 1] = '\0';
	assert_int_equal(cron_parse(text, &c, &e), -ERR_INVALID);
	assert_non_null(strstr(e.msg, "is longer than 200 bytes"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values_ranges_lists_and_steps),
		cmocka_unit_test(test_names_and_sundays),
		cmocka_unit_test(test_days_of_month_and_of_week),
		cmocka_unit_test(test_nothing_comes_outside_of_what_is_asked),
		cmocka_unit_test(test_what_is_hourly_and_what_is_always),
		cmocka_unit_test(test_bad_schedules_are_told_what_to_write),
		cmocka_unit_test(test_long_schedules_are_refused_before_they_are_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
