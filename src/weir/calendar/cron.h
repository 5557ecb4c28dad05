/*
 * Cron schedules: which minutes of the clock on the wall they name. Local time is counted here as
 * seconds since 1970-01-01 00:00 on that clock; what zones do to it is schedule.h's.
 *
 *	minute 0-59, hour 0-23, day of the month 1-31, month 1-12 or jan-dec,
 *	day of the week 0-7 or sun-sat (0 and 7 are Sunday)
 *
 * Each is *, a value, a range a-b, either of * and a range with a step (/n), or a list of these
 * with commas. A day is one where both days fit, if one of the two fields begins with *, and where
 * either does, if none does: as Vixie's cron has it.
 */
#ifndef CALENDAR_CRON_H
#define CALENDAR_CRON_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

enum cron_part { CRON_MINUTE, CRON_HOUR, CRON_DAY, CRON_MONTH, CRON_WEEKDAY, CRON__COUNT };

struct cron {
	uint64_t set[CRON__COUNT]; /* bit per value; Sunday is 0 */
	bool starred[CRON__COUNT]; /* begins with * */
};

/* ERR_INVALID with what is wrong with which field, and what to write. */
int cron_parse(const char *text, struct cron *ret_cron, struct err *e);
/* It goes with the hours as they pass, rather than with what the clock says. */
bool cron_is_hourly(const struct cron *c);
/* It names every minute there is. */
bool cron_is_always(const struct cron *c);
/* The first and the last minute it names in [from_s, to_s) of local time; false: there is none. */
bool cron_first(const struct cron *c, int64_t from_s, int64_t to_s, int64_t *ret_s);
bool cron_last(const struct cron *c, int64_t from_s, int64_t to_s, int64_t *ret_s);

#endif
