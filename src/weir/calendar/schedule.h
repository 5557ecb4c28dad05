/*
 * When a cron schedule comes on the clocks of a time zone. What it names once comes once also on
 * the days on which clocks are changed: a time that is left out comes right when they go on, and of
 * one that is shown twice the first counts. A schedule of every hour goes with the hours as they
 * pass instead: it makes up for none and leaves none out.
 */
#ifndef CALENDAR_SCHEDULE_H
#define CALENDAR_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

#include "calendar/cron.h"
#include "calendar/zone.h"

struct schedule {
	struct cron cron;
	struct zone *zone;
};

/* The first and the last time it comes in [from_s, to_s), in seconds since 1970 UTC; false if it
 * does not. */
bool schedule_first(const struct schedule *s, int64_t from_s, int64_t to_s, int64_t *ret_s);
bool schedule_last(const struct schedule *s, int64_t from_s, int64_t to_s, int64_t *ret_s);

#endif
