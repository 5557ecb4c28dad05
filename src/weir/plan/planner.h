/*
 * Planning one replicator at a time: what is known of a name goes in, an item of the plan comes
 * out.
 */
#ifndef PLAN_PLANNER_H
#define PLAN_PLANNER_H

#include <stdbool.h>
#include <stddef.h>

#include "plan/plan.h"
#include "plan/setting.h"

struct subject { /* a name, with everything that is known of it */
	const char *name;
	const struct replicator *declared; /* in Git, failed or not */
	const struct replicator *accepted;
	const struct live *live;
	const struct plan_record *record;
	const struct plan_secret *const *secrets;
	size_t n_secrets;
};

struct planner {
	const struct plan_input *in;
	struct plan *plan;
	struct settings settings; /* of the subject at hand; kept for its memory */
	bool hidden; /* so much of the inventory is missing that the API may be hiding it */
};

/* Adds the subject's item, if it gets one. */
void plan_subject(struct planner *p, const struct subject *s);
/* The record says that the object was seen once. */
bool record_was_live(const struct plan_record *record);
/* L. Without one it is a create of ours that showed: what was sent is what was applied. */
const struct spec *record_applied(const struct plan_record *record);

/* Drift of this replicator is only told. */
bool reports_drift(const struct planner *p, const struct replicator *r);

/* A text for the reader in the plan's arena, escaped. */
const char *plan_text(struct planner *p, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void item_note(struct plan_item *it, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void item_add_diff(struct plan_item *it, const struct setting *s, enum plan_change change,
	const struct node *before);
/* The settings with this verdict become diffs against live. */
void item_add_diffs(struct planner *p, struct plan_item *it, enum verdict verdict);
/* Instead of doing `action`. What is held already stays held for its first reason; a further one
 * becomes a note. */
void item_hold(struct plan_item *it, enum plan_hold hold, enum plan_action action, const char *why,
	const char *release);

/* draft.c: what the live generation is to us. */
struct draft {
	int64_t started; /* the highest generation that was seen through or set going */
	bool exists; /* the live generation is above that: saved, and never provisioned */
	bool ours; /* it holds something of ours that is to be provisioned */
	bool unknown; /* it may hold changes of others, and which is not known */
	size_t n_foreign; /* settings in it that others changed */
};
/* The generation up to which things run, or were set going. */
int64_t draft_started(const struct live *live, const struct plan_record *record);
/* Of settings that were judged; says of each what part of a draft it is. */
struct draft draft_examine(
	struct settings *settings, const struct live *live, const struct plan_record *record);
/* The body that runs, as far as is known; NULL if it is not. */
const struct spec *draft_baseline(const struct live *live, const struct plan_record *record);
/* An open intent's changes show in live. */
bool intent_shows(const struct settings *settings);

/* owned.c, adopt.c: what is live and in Git, ours or not yet. */
void plan_owned(struct planner *p, const struct subject *s, struct plan_item *it);
void plan_adoption(struct planner *p, const struct subject *s, struct plan_item *it);

#endif
