/* Time zones, against those of the C library. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "calendar/zone.h"

#define DAY_S  INT64_C(86400)
#define YEAR_S (366 * DAY_S)
#define T_2020 INT64_C(1577836800)

static struct zone *zone_of(const char *name)
{
	struct zone *z = NULL;
	struct err e = ERR_INIT;

	if (zone_new(name, &z, &e) < 0)
		fail_msg("%s", e.msg);
	return z;
}

static void check_span(struct zone *z, const char *name, int64_t t)
{
	struct zone_span span = zone_span_at(z, t);
	time_t at = (time_t)t, before = (time_t)span.from_s - 1, last = (time_t)span.to_s - 1;
	struct tm tm;

	localtime_r(&at, &tm);
	if (span.from_s > t || span.to_s <= t || span.ahead_s != tm.tm_gmtoff)
		fail_msg("%s at %lld: %lld to %lld, %lld ahead and not %ld", name, (long long)t,
			(long long)span.from_s, (long long)span.to_s, (long long)span.ahead_s,
			tm.tm_gmtoff);
	localtime_r(&before, &tm);
	assert_int_equal(span.ahead_before_s, tm.tm_gmtoff);
	localtime_r(&last, &tm);
	assert_int_equal(span.ahead_s, tm.tm_gmtoff);
}

static void test_offsets_are_those_of_the_c_library(void **state)
{
	static const char *const names[] = {"UTC", "Europe/Berlin", "America/New_York",
		"Australia/Lord_Howe", "Asia/Kolkata", "Pacific/Apia", "Africa/Casablanca",
		"America/Sao_Paulo", "Antarctica/Troll", "Etc/GMT+5", "Asia/Gaza"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct zone *z = zone_of(names[i]);

		setenv("TZ", names[i], 1);
		tzset();
		for (int64_t t = T_2020; t < T_2020 + 30 * YEAR_S; t += 5 * DAY_S + 1001)
			check_span(z, names[i], t);
		zone_free(z);
	}
}

static void test_span_begins_and_ends_when_clocks_change(void **state)
{
	struct zone *z = zone_of("Europe/Berlin");
	const int64_t spring = 1774746000; /* 2026-03-29T01:00:00Z */
	const int64_t autumn = 1792890000; /* 2026-10-25T01:00:00Z */
	struct zone_span span;

	(void)state;
	for (int64_t t = spring; t < autumn; t += autumn - spring - 1) {
		span = zone_span_at(z, t);
		assert_true(span.from_s == spring && span.to_s == autumn);
		assert_true(span.ahead_s == 7200 && span.ahead_before_s == 3600);
	}
	span = zone_span_at(z, spring - 1);
	assert_true(span.to_s == spring && span.ahead_s == 3600 && span.ahead_before_s == 7200);
	span = zone_span_at(z, autumn);
	assert_true(span.from_s == autumn && span.ahead_s == 3600 && span.ahead_before_s == 7200);
	zone_free(z);
}

static void test_what_is_not_in_the_database_is_refused(void **state)
{
	static const char *const bad[] = {"", "Berlin", "europe/berlin", "Europe", "+01:00", "XYZ3",
		"CET-1CEST,M3.5.0,M10.5.0/3", ":Europe/Berlin", "../../../etc/passwd",
		"/usr/share/zoneinfo/Europe/Berlin", "Europe/../Europe/Berlin",
		"right/Europe/Berlin", "tzdata.zi", "Europe/Berlin\n", "Europe//Nowhere"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct zone *z = NULL;
		struct err e = ERR_INIT;

		if (zone_new(bad[i], &z, &e) != -ERR_INVALID)
			fail_msg("\"%s\" is taken", bad[i]);
		assert_non_null(strstr(e.msg, "is not in the tz database: write a name"));
		assert_non_null(strstr(e.msg, "Europe/Berlin or UTC"));
	}
}

static void test_without_the_database_there_is_utc_and_a_hint(void **state)
{
	struct err e = ERR_INIT;
	struct zone *z = NULL;

	(void)state;
	setenv("TZDIR", "/nonexistent", 1);
	assert_int_equal(zone_new("Europe/Berlin", &z, &e), -ERR_INVALID);
	assert_non_null(strstr(e.msg, "/nonexistent is not there; install tzdata"));
	z = zone_of("UTC");
	assert_int_equal(zone_span_at(z, T_2020).ahead_s, 0);
	zone_free(z);
	unsetenv("TZDIR");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_offsets_are_those_of_the_c_library),
		cmocka_unit_test(test_span_begins_and_ends_when_clocks_change),
		cmocka_unit_test(test_what_is_not_in_the_database_is_refused),
		cmocka_unit_test(test_without_the_database_there_is_utc_and_a_hint),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
