/* Wall and monotonic time, RFC 3339 and durations. */
#include "base/clock.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"

static int64_t read_clock(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

static int64_t real_wall_ms(void *ctx)
{
	(void)ctx;
	return read_clock(CLOCK_REALTIME);
}

static int64_t real_mono_ms(void *ctx)
{
	(void)ctx;
	return read_clock(CLOCK_MONOTONIC);
}

const struct clock clock_real = {real_wall_ms, real_mono_ms, NULL};

int64_t clock_wall_ms(const struct clock *c)
{
	return c->wall_ms(c->ctx);
}

int64_t clock_mono_ms(const struct clock *c)
{
	return c->mono_ms(c->ctx);
}

/* Returns the milliseconds within the second. */
static int split_wall(int64_t wall_ms, struct tm *ret_tm)
{
	int64_t ms = wall_ms % 1000;

	if (ms < 0)
		ms += 1000;
	time_t seconds = (time_t)((wall_ms - ms) / 1000);
	gmtime_r(&seconds, ret_tm);
	return (int)ms;
}

const char *clock_format(int64_t wall_ms, char out[CLOCK_TEXT_MAX])
{
	struct tm tm;
	int ms = split_wall(wall_ms, &tm);
	size_t n = strftime(out, CLOCK_TEXT_MAX, "%Y-%m-%dT%H:%M:%S", &tm);

	if (ms)
		snprintf(out + n, CLOCK_TEXT_MAX - n, ".%03dZ", ms);
	else
		snprintf(out + n, CLOCK_TEXT_MAX - n, "Z");
	return out;
}

const char *clock_format_second(int64_t wall_ms, char out[CLOCK_TEXT_MAX])
{
	return clock_format(wall_ms / 1000 * 1000, out);
}

const char *clock_format_short(int64_t wall_ms, char out[CLOCK_TEXT_MAX])
{
	struct tm tm;

	split_wall(wall_ms, &tm);
	strftime(out, CLOCK_TEXT_MAX, "%H:%MZ", &tm);
	return out;
}

/* Exactly `n` digits, in least…most; moves on behind them. */
static bool take_digits(const char **s, int n, int least, int most, int *ret_value)
{
	int value = 0;

	for (int i = 0; i < n; i++) {
		if (!isdigit((unsigned char)(*s)[i]))
			return false;
		value = value * 10 + ((*s)[i] - '0');
	}
	*s += n;
	*ret_value = value;
	return value >= least && value <= most;
}

static bool take_char(const char **s, const char *any_of)
{
	if (!**s || !strchr(any_of, **s))
		return false;
	(*s)++;
	return true;
}

static bool take_date(const char **s, struct tm *tm)
{
	static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	int year, month, day;

	if (!take_digits(s, 4, 0, 9999, &year) || !take_char(s, "-") ||
		!take_digits(s, 2, 1, 12, &month) || !take_char(s, "-") ||
		!take_digits(s, 2, 1, 31, &day))
		return false;
	bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
	tm->tm_year = year - 1900;
	tm->tm_mon = month - 1;
	tm->tm_mday = day;
	return day <= days[month - 1] + (month == 2 && leap);
}

/* The second 60 of a leap second is the first of the next minute to a clock that has none. */
static bool take_time(const char **s, struct tm *tm, int *ret_ms)
{
	int scale = 100;

	if (!take_digits(s, 2, 0, 23, &tm->tm_hour) || !take_char(s, ":") ||
		!take_digits(s, 2, 0, 59, &tm->tm_min) || !take_char(s, ":") ||
		!take_digits(s, 2, 0, 60, &tm->tm_sec))
		return false;
	*ret_ms = 0;
	if (!take_char(s, "."))
		return true;
	if (!isdigit((unsigned char)**s))
		return false;
	for (; isdigit((unsigned char)**s); (*s)++, scale /= 10)
		*ret_ms += (**s - '0') * scale;
	return true;
}

static bool take_offset(const char **s, int *ret_minutes)
{
	int hours, minutes;
	bool behind = **s == '-';

	*ret_minutes = 0;
	if (take_char(s, "Zz"))
		return true;
	if (!take_char(s, "+-") || !take_digits(s, 2, 0, 23, &hours) || !take_char(s, ":") ||
		!take_digits(s, 2, 0, 59, &minutes))
		return false;
	*ret_minutes = (hours * 60 + minutes) * (behind ? -1 : 1);
	return true;
}

bool clock_parse(const char *s, int64_t *ret_wall_ms)
{
	struct tm tm = {0};
	int ms, offset;

	if (!take_date(&s, &tm) || !take_char(&s, "Tt ") || !take_time(&s, &tm, &ms) ||
		!take_offset(&s, &offset) || *s)
		return false;
	*ret_wall_ms = ((int64_t)timegm(&tm) - (int64_t)offset * 60) * 1000 + ms;
	return true;
}

static const struct {
	const char *name;
	int64_t ms;
} units[] = {{"h", 3600000}, {"m", 60000}, {"s", 1000}, {"ms", 1}};

/* The unit whose name is all letters up to the next digit or the end, or -1. */
static int take_unit(const char **s)
{
	size_t len = 0;

	while (isalpha((unsigned char)(*s)[len]))
		len++;
	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		if (strlen(units[i].name) == len && strncmp(*s, units[i].name, len) == 0) {
			*s += len;
			return (int)i;
		}
	}
	return -1;
}

static bool take_number(const char **s, int64_t *ret_value)
{
	int64_t value = 0;

	if (!isdigit((unsigned char)**s))
		return false;
	for (; isdigit((unsigned char)**s); (*s)++)
		if (__builtin_mul_overflow(value, 10, &value) ||
			__builtin_add_overflow(value, **s - '0', &value))
			return false;
	*ret_value = value;
	return true;
}

bool duration_parse(const char *s, int64_t *ret_ms)
{
	int64_t total = 0, value;
	int last = -1;

	if (strcmp(s, "0") == 0) {
		*ret_ms = 0;
		return true;
	}
	do {
		if (!take_number(&s, &value))
			return false;
		int unit = take_unit(&s);
		if (unit <= last || __builtin_mul_overflow(value, units[unit].ms, &value) ||
			__builtin_add_overflow(total, value, &total))
			return false;
		last = unit;
	} while (*s);
	*ret_ms = total;
	return true;
}

const char *duration_format(int64_t ms, char out[CLOCK_TEXT_MAX])
{
	size_t n = 0;

	snprintf(out, CLOCK_TEXT_MAX, "0");
	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		if (ms / units[i].ms > 0)
			n += (size_t)snprintf(out + n, CLOCK_TEXT_MAX - n, "%lld%s",
				(long long)(ms / units[i].ms), units[i].name);
		ms %= units[i].ms;
	}
	return out;
}
