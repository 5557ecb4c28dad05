/*
 * When changes may be made: windows of weir.yaml that open or close by a cron schedule in a time
 * zone, for so long, and perhaps only for replicators with certain labels. Deny wins over allow;
 * where there is any allow window that concerns a replicator, outside of all of them is closed.
 *
 * A window begins when its schedule comes (schedule.h has what that is on the days on which clocks
 * are changed) and lasts its duration as it elapses; where it begins again before it has ended, it
 * goes on. Pure once they were made: time is an argument. What was found out is remembered, so
 * windows are for one thread at a time.
 */
#ifndef CALENDAR_CALENDAR_H
#define CALENDAR_CALENDAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "doc/node.h"

struct window_rule { /* as weir.yaml has it */
	bool deny;
	const char *schedule; /* cron, five fields: when it begins */
	int64_t duration_ms;
	const char *timezone; /* of the tz database, such as Europe/Berlin */
	const struct node *match; /* labels that a replicator must have, all of them; NULL: any */
};

struct windows;

/* ERR_INVALID with *ret_key, the key that is wrong, and a message that does not repeat it. */
int window_check(const struct window_rule *rule, const char **ret_key, struct err *e);
/* Copies the rules. ERR_INVALID with *ret_bad, the index of the rule that is wrong, and a message
 * that names the key. */
int windows_new(const struct window_rule *rules, size_t n, struct windows **ret_windows,
	size_t *ret_bad, struct err *e);
void windows_free(struct windows *w);

struct window_state {
	bool open; /* changes may be made */
	int64_t until_ms; /* wall; when that changes, INT64_MAX: not within a year */
	size_t rule; /* the window that closes it, SIZE_MAX: it is outside of all that allow */
};

/* `w` may be NULL: always open. */
struct window_state windows_at(const struct windows *w, const struct node *labels, int64_t now_ms);
/* Whether a replicator with these labels may be changed at any time at all. */
bool windows_open_ever(const struct windows *w, const struct node *labels);

/* `closed by the window "0 8 * * 1-5" for 9h (Europe/Berlin), until 2026-12-01T16:00:00Z`, for what
 * windows_at gave: "open" where it is. */
void windows_text(const struct windows *w, const struct window_state *state, struct buf *out);

#endif
