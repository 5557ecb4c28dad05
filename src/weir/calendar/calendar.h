/*
 * When changes may be made: windows of weir.yaml that open or close by a cron schedule in a time
 * zone, for so long, and perhaps only for replicators with certain labels. Deny wins over allow;
 * where there is any allow window that concerns a replicator, outside of all of them is closed.
 * Pure once they were made: time is an argument.
 */
#ifndef CALENDAR_CALENDAR_H
#define CALENDAR_CALENDAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

#endif
