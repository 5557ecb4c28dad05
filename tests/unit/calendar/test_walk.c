/*
 * Windows made up at random, against a walk from minute to minute with the time zones of the C
 * library, which knows nothing of how windows are found.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/limits.h"
#include "base/rng.h"
#include "calendar/calendar.h"

#define MINUTE INT64_C(60000)

#define WALK_MINUTES (430 * 24 * 60)

/* What the clocks of a zone show, for each minute since `begin`. */
struct walk {
	time_t begin;
	int64_t local[WALK_MINUTES]; /* minutes since 1970 on the clock on the wall */
	struct tm shown[WALK_MINUTES];
	bool again[WALK_MINUTES]; /* it was shown before */
	bool open[WALK_MINUTES];
};

static void walk_zone(struct walk *w, const char *zone)
{
	int64_t latest = INT64_MIN;

	setenv("TZ", zone, 1);
	tzset();
	for (size_t i = 0; i < WALK_MINUTES; i++) {
		time_t t = w->begin + (time_t)i * 60;

		localtime_r(&t, &w->shown[i]);
		w->local[i] = (t + w->shown[i].tm_gmtoff) / 60;
		w->again[i] = w->local[i] <= latest;
		latest = w->local[i] > latest ? w->local[i] : latest;
	}
}

/* A schedule as sets of values, and the text that says so. */
struct made_up {
	bool minute[60], hour[24], day[32], month[13], weekday[7];
	bool day_starred, weekday_starred, hourly;
	char text[LIMIT_SCHEDULE_BYTES];
};

static size_t below(const struct rng *rng, size_t n)
{
	return (size_t)rng_below(rng, n);
}

/* "*", or some values; returns whether it is "*". */
static bool make_part(
	const struct rng *rng, bool *set, int min, int max, size_t star_percent, struct buf *out)
{
	bool starred = below(rng, 100) < star_percent;
	size_t n = 1 + below(rng, 3);

	buf_adds(out, out->len ? " " : "");
	for (int v = min; starred && v <= max; v++)
		set[v] = true;
	if (starred)
		buf_addc(out, '*');
	for (size_t i = 0; !starred && i < n; i++) {
		int first = min + (int)below(rng, (size_t)(max - min) + 1);
		int last = first + (int)below(rng, (size_t)(max - first) + 1);

		buf_addf(out, "%s%d-%d", i ? "," : "", first, last);
		for (int v = first; v <= last; v++)
			set[v] = true;
	}
	return starred;
}

static void make_up(const struct rng *rng, struct made_up *s)
{
	auto_buf struct buf text = BUF_INIT;

	memset(s, 0, sizeof(*s));
	s->hourly = true;
	buf_addf(&text, "%d", (int)below(rng, 60));
	s->minute[atoi(buf_str(&text))] = true;
	make_part(rng, s->hour, 0, 23, 15, &text);
	for (int h = 0; h < 24; h++)
		s->hourly &= s->hour[h];
	s->day_starred = make_part(rng, s->day, 1, 31, 75, &text);
	make_part(rng, s->month, 1, 12, 75, &text);
	s->weekday_starred = make_part(rng, s->weekday, 0, 6, 65, &text);
	snprintf(s->text, sizeof(s->text), "%s", buf_str(&text));
}

static bool fits(const struct made_up *s, const struct tm *tm)
{
	bool day = s->day[tm->tm_mday], weekday = s->weekday[tm->tm_wday];

	return s->minute[tm->tm_min] && s->hour[tm->tm_hour] && s->month[tm->tm_mon + 1] &&
	       (s->day_starred || s->weekday_starred ? day && weekday : day || weekday);
}

static bool fits_left_out(const struct made_up *s, const struct walk *w, size_t i)
{
	for (int64_t local = i ? w->local[i - 1] + 1 : w->local[i]; local < w->local[i]; local++) {
		time_t shown = (time_t)local * 60;
		struct tm tm;

		if (fits(s, gmtime_r(&shown, &tm)))
			return true;
	}
	return false;
}

static bool begins(const struct made_up *s, const struct walk *w, size_t i)
{
	if (s->hourly)
		return fits(s, &w->shown[i]);
	return fits_left_out(s, w, i) || (fits(s, &w->shown[i]) && !w->again[i]);
}

struct made_up_rule {
	struct made_up schedule;
	bool deny;
	int64_t minutes;
};

static void walk_rules(struct walk *w, const struct made_up_rule *rules, size_t n)
{
	int64_t left[4] = {0};

	for (size_t i = 0; i < WALK_MINUTES; i++) {
		bool denied = false, allowed = false, any_allows = false;

		for (size_t k = 0; k < n; k++) {
			left[k] = begins(&rules[k].schedule, w, i) ? rules[k].minutes : left[k] - 1;
			denied |= rules[k].deny && left[k] > 0;
			allowed |= !rules[k].deny && left[k] > 0;
			any_allows |= !rules[k].deny;
		}
		w->open[i] = !denied && (allowed || !any_allows);
	}
}

/* From where the walk knows what began before it. */
#define FROM_MINUTE (20 * 24 * 60)
#define DAY_MINUTES 1440

/* Every minute of some days, and of those around a change of clocks. */
static bool looks_closely(const struct walk *w, size_t i)
{
	return i < FROM_MINUTE + 3 * DAY_MINUTES ||
	       (i + DAY_MINUTES < WALK_MINUTES &&
		       w->shown[i - DAY_MINUTES].tm_gmtoff != w->shown[i + DAY_MINUTES].tm_gmtoff);
}

static void compare(const struct walk *walk, const struct windows *w, const char *what)
{
	size_t turn = FROM_MINUTE;

	for (size_t i = FROM_MINUTE; i < WALK_MINUTES; i++) {
		int64_t now = ((int64_t)walk->begin + (int64_t)i * 60) * 1000;
		struct window_state s;

		if (!looks_closely(walk, i) && i % 7213)
			continue;
		s = windows_at(w, NULL, now + (int64_t)(i % 3) * 20000);
		while (turn < WALK_MINUTES && (turn <= i || walk->open[turn] == walk->open[i]))
			turn++;
		if (s.open != walk->open[i])
			fail_msg("%s: at %lld open is %d", what, (long long)now, s.open);
		if (turn < WALK_MINUTES ? s.until_ms != now + (int64_t)(turn - i) * MINUTE
					: s.until_ms < now + (int64_t)(turn - i) * MINUTE)
			fail_msg("%s: at %lld until %lld, and turns after %zu minutes", what,
				(long long)now, (long long)s.until_ms, turn - i);
	}
}

static void compare_one(struct walk *walk, const char *zone, const struct rng *rng)
{
	struct made_up_rule made[3];
	struct window_rule rules[3] = {{0}};
	size_t n = 1 + below(rng, 3);
	auto_buf struct buf what = BUF_INIT;

	buf_adds(&what, zone);
	for (size_t i = 0; i < n; i++) {
		make_up(rng, &made[i].schedule);
		made[i].deny = below(rng, 2);
		made[i].minutes = 1 + (int64_t)below(rng, below(rng, 2) ? 90 : 19 * 24 * 60);
		rules[i] = (struct window_rule){
			made[i].deny, made[i].schedule.text, made[i].minutes * MINUTE, zone, NULL};
		buf_addf(&what, "; %s \"%s\" %lldm", made[i].deny ? "deny" : "allow",
			made[i].schedule.text, (long long)made[i].minutes);
	}
	walk_rules(walk, made, n);
	struct windows *w = NULL;
	struct err e = ERR_INIT;
	size_t bad;

	if (windows_new(rules, n, &w, &bad, &e) < 0)
		fail_msg("%s: %s", buf_str(&what), e.msg);
	compare(walk, w, buf_str(&what));
	windows_free(w);
}

static void test_windows_are_those_of_a_walk_from_minute_to_minute(void **state)
{
	static const char *const zones[] = {"Europe/Berlin", "America/New_York",
		"Australia/Lord_Howe", "Africa/Casablanca", "Asia/Kolkata", "America/St_Johns"};
	struct walk *walk = xcalloc(1, sizeof(*walk));
	struct rng_seeded seeded;
	struct rng rng = rng_from_seed(&seeded, 20261130);

	(void)state;
	for (size_t i = 0; i < 2 * ARRAY_SIZE(zones); i++) {
		const char *zone = zones[i % ARRAY_SIZE(zones)];

		walk->begin = 1772323200 + (time_t)below(&rng, 5 * 365) * 86400;
		walk_zone(walk, zone);
		for (size_t k = 0; k < 3; k++)
			compare_one(walk, zone, &rng);
	}
	free(walk);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_windows_are_those_of_a_walk_from_minute_to_minute),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
