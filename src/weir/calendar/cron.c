/* Which minutes of local time a cron schedule names. */
#include "calendar/cron.h"

#include "calendar/civil.h"

#define ALL(n) (((uint64_t)1 << (n)) - 1)

bool cron_is_hourly(const struct cron *c)
{
	return c->set[CRON_HOUR] == ALL(24);
}

static bool takes_every_day(const struct cron *c)
{
	bool every_day = c->set[CRON_DAY] == ALL(32) - 1;
	bool every_weekday = c->set[CRON_WEEKDAY] == ALL(7);
	bool both = c->starred[CRON_DAY] || c->starred[CRON_WEEKDAY];

	return both ? every_day && every_weekday : every_day || every_weekday;
}

bool cron_is_always(const struct cron *c)
{
	return c->set[CRON_MINUTE] == ALL(60) && cron_is_hourly(c) &&
	       c->set[CRON_MONTH] == ALL(13) - 1 && takes_every_day(c);
}

static bool has(const struct cron *c, enum cron_part part, int value)
{
	return c->set[part] >> value & 1;
}

static bool names_day(const struct cron *c, int64_t day)
{
	struct civil_date date = civil_date(day);
	bool in_month = has(c, CRON_DAY, date.day);
	bool in_week = has(c, CRON_WEEKDAY, civil_weekday(day));

	if (!has(c, CRON_MONTH, date.month))
		return false;
	return c->starred[CRON_DAY] || c->starred[CRON_WEEKDAY] ? in_month && in_week
								: in_month || in_week;
}

/* The first minute of a day, not before `from`, in minutes since midnight; -1 if there is none. */
static int first_of_day(const struct cron *c, int from)
{
	for (int hour = from / 60; hour < 24; hour++) {
		int least = hour == from / 60 ? from % 60 : 0;
		uint64_t minutes = c->set[CRON_MINUTE] >> least << least;

		if (has(c, CRON_HOUR, hour) && minutes)
			return hour * 60 + __builtin_ctzll(minutes);
	}
	return -1;
}

/* The last minute of a day, not after `to`. */
static int last_of_day(const struct cron *c, int to)
{
	for (int hour = to / 60; hour >= 0; hour--) {
		int most = hour == to / 60 ? to % 60 : 59;
		uint64_t minutes = c->set[CRON_MINUTE] & ALL(most + 1);

		if (has(c, CRON_HOUR, hour) && minutes)
			return hour * 60 + 63 - __builtin_clzll(minutes);
	}
	return -1;
}

static bool take_within(int64_t s, int64_t from_s, int64_t to_s, int64_t *ret_s)
{
	if (s < from_s || s >= to_s)
		return false;
	*ret_s = s;
	return true;
}

bool cron_first(const struct cron *c, int64_t from_s, int64_t to_s, int64_t *ret_s)
{
	int64_t from = civil_floor(from_s + 59, 60); /* in minutes */

	for (int64_t day = civil_floor(from, CIVIL_DAY_MINUTES); day * CIVIL_DAY_S < to_s; day++) {
		int64_t begin = day * CIVIL_DAY_MINUTES;
		int minute = !names_day(c, day)
				     ? -1
				     : first_of_day(c, from > begin ? (int)(from - begin) : 0);

		if (minute >= 0)
			return take_within((begin + minute) * 60, from_s, to_s, ret_s);
	}
	return false;
}

bool cron_last(const struct cron *c, int64_t from_s, int64_t to_s, int64_t *ret_s)
{
	int64_t to = civil_floor(to_s - 1, 60);

	for (int64_t day = civil_floor(to, CIVIL_DAY_MINUTES); (day + 1) * CIVIL_DAY_S > from_s;
		day--) {
		int64_t begin = day * CIVIL_DAY_MINUTES;
		int64_t most = to - begin;
		int minute = !names_day(c, day) ? -1
						: last_of_day(c, most < CIVIL_DAY_MINUTES
									 ? (int)most
									 : CIVIL_DAY_MINUTES - 1);

		if (minute >= 0)
			return take_within((begin + minute) * 60, from_s, to_s, ret_s);
	}
	return false;
}
