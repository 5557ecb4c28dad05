/*
 * Dates of the calendar from days since 1970-01-01, by arithmetic alone.
 */
#ifndef CALENDAR_CIVIL_H
#define CALENDAR_CIVIL_H

#include <stdint.h>

#define CIVIL_DAY_MINUTES 1440
#define CIVIL_DAY_S	  ((int64_t)86400)

/* Division that rounds down also below zero. */
static inline int64_t civil_floor(int64_t n, int64_t by)
{
	return n / by - (n % by < 0);
}

/* 0 is Sunday; day 0 was a Thursday. */
static inline int civil_weekday(int64_t day)
{
	return (int)(day + 4 - 7 * civil_floor(day + 4, 7));
}

struct civil_date {
	int month; /* 1 to 12 */
	int day; /* 1 to 31 */
};

/*
 * Years are counted from 1 March, so that the leap day is their last: months before it have lengths
 * that repeat every five (31 30 31 30 31), which is what 153 days are.
 */
static inline struct civil_date civil_date(int64_t day)
{
	int64_t since = day + 719468; /* days since 0000-03-01 */
	int64_t in_era = since - 146097 * civil_floor(since, 146097); /* 400 years */
	int64_t year = (in_era - in_era / 1460 + in_era / 36524 - in_era / 146096) / 365;
	int64_t in_year = in_era - (365 * year + year / 4 - year / 100);
	int64_t month = (5 * in_year + 2) / 153; /* 0 is March */

	return (struct civil_date){
		.month = (int)(month < 10 ? month + 3 : month - 9),
		.day = (int)(in_year - (153 * month + 2) / 5) + 1,
	};
}

#endif
