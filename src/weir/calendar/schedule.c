/* Local time meets UTC: one span of equal clocks after the other. */
#include "calendar/schedule.h"

static int64_t later(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static int64_t earlier(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* Whether it names a time that the clocks left out when the span began. */
static bool comes_in_gap(const struct schedule *s, const struct zone_span *span)
{
	int64_t at;

	return span->ahead_s > span->ahead_before_s && !cron_is_hourly(&s->cron) &&
	       cron_first(&s->cron, span->from_s + span->ahead_before_s,
		       span->from_s + span->ahead_s, &at);
}

/* From when on the clocks show what they did not show before. */
static int64_t begin_of_new(const struct schedule *s, const struct zone_span *span)
{
	if (span->ahead_s >= span->ahead_before_s || cron_is_hourly(&s->cron))
		return span->from_s;
	return span->from_s + span->ahead_before_s - span->ahead_s;
}

bool schedule_first(const struct schedule *s, int64_t from_s, int64_t to_s, int64_t *ret_s)
{
	struct zone_span span;
	int64_t at;

	for (int64_t t = from_s; t < to_s; t = span.to_s) {
		span = zone_span_at(s->zone, t);
		if (span.from_s == t && comes_in_gap(s, &span)) {
			*ret_s = t;
			return true;
		}
		if (cron_first(&s->cron, later(t, begin_of_new(s, &span)) + span.ahead_s,
			    earlier(to_s, span.to_s) + span.ahead_s, &at)) {
			*ret_s = at - span.ahead_s;
			return true;
		}
	}
	return false;
}

bool schedule_last(const struct schedule *s, int64_t from_s, int64_t to_s, int64_t *ret_s)
{
	struct zone_span span;
	int64_t at;

	for (int64_t t = to_s; t > from_s; t = span.from_s) {
		span = zone_span_at(s->zone, t - 1);
		if (cron_last(&s->cron, later(from_s, begin_of_new(s, &span)) + span.ahead_s,
			    t + span.ahead_s, &at)) {
			*ret_s = at - span.ahead_s;
			return true;
		}
		if (span.from_s >= from_s && comes_in_gap(s, &span)) {
			*ret_s = span.from_s;
			return true;
		}
	}
	return false;
}
