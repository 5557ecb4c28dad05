/*
 * Time zones of the tz database: how far the clocks there are ahead of UTC, and when that changes.
 * What GLib makes of the database stays behind this header.
 */
#ifndef CALENDAR_ZONE_H
#define CALENDAR_ZONE_H

#include <stdint.h>

#include "base/err.h"

/* For one thread at a time: it remembers what was found last. */
struct zone;

/* By its name there, such as Europe/Berlin. ERR_INVALID if it has none, and says what to write. */
int zone_new(const char *name, struct zone **ret_zone, struct err *e);
void zone_free(struct zone *z);

/* Times, in seconds since 1970 UTC, throughout which clocks are equally far ahead. */
struct zone_span {
	int64_t from_s;
	int64_t to_s; /* exclusive */
	int64_t ahead_s; /* of UTC; negative west of it */
	int64_t ahead_before_s; /* in the span before this one */
};

/* The one that a time is in; a long one is cut, ZONE_SPAN_S or more from its other end. */
#define ZONE_SPAN_S ((int64_t)400 * 86400)
struct zone_span zone_span_at(struct zone *z, int64_t time_s);

#endif
