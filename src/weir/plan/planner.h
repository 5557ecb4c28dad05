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
	const struct plan_suspension *suspension; /* from outside of Git */
	const struct plan_secret *const *secrets;
	size_t n_secrets;
};

struct planner {
	const struct plan_input *in;
	struct plan *plan;
	struct settings settings; /* of the subject at hand; kept for its memory */
	size_t n_inventory; /* of what was live once */
	bool hidden; /* so much of the inventory is missing that the API may be hiding it */
};

/* Adds the subject's item, if it gets one. */
void plan_subject(struct planner *p, const struct subject *s);

/* ours.c: what the record says, and what Git says of drift and drafts. */
/* The object was seen once. */
bool record_was_live(const struct plan_record *record);
/* L. Without one it is a create of ours that showed: what was sent is what was applied. */
const struct spec *record_applied(const struct plan_record *record);

/* Drift of this replicator is only told. */
bool reports_drift(const struct planner *p, const struct replicator *r);
/* What others saved may be provisioned with what is ours. */
bool applies_drafts(const struct planner *p, const struct replicator *r);
/* True if whether it is there is not known. */
bool hold_unread(struct planner *p, struct plan_item *it);
/* What is live is what the record is about. */
bool is_ours(struct planner *p, const struct subject *s);

/* Settings of others that are told one by one; a person approves what is shown. */
#define FOREIGN_SHOWN 64

/* item.c */
/* The document that counts for the item, in Git or remembered; NULL if there is none. */
const struct replicator *item_document(const struct plan_item *it);
bool action_does_something(enum plan_action action);
bool action_writes(enum plan_action action);
/* Its differences are not drift alone. */
bool has_change_of_git(const struct plan_item *it);

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
/* ... until that time, which releases it. */
void item_hold_until(struct plan_item *it, enum plan_hold hold, enum plan_action action,
	const char *why, const char *release, int64_t until_ms);
/* ... unless a person approved it. True if it is held. */
bool item_hold_unless_approved(struct planner *p, struct plan_item *it, enum plan_hold hold,
	enum plan_action action, const char *why, const char *release);
/* ... in the face of this guard, a digest of its own. */
bool item_hold_by_guard(struct planner *p, struct plan_item *it, enum plan_hold hold,
	const char *why, const char *release, const char *guard);
/* A person approved what would hold it. */
void item_approved(struct plan_item *it, const char *digest);
/* "2026-11-30T21:00:00Z", in the plan's arena. */
const char *plan_time(struct planner *p, int64_t wall_ms);

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

/* owned.c: somebody else's operation is under way; what waits for its end. */
bool is_busy(const struct plan_item *it);
void hold_busy(struct planner *p, struct plan_item *it, enum plan_action action);

/* owned.c, adopt.c: what is live and in Git, ours or not yet. */
void plan_owned(struct planner *p, const struct subject *s, struct plan_item *it);
void plan_adoption(struct planner *p, const struct subject *s, struct plan_item *it);
/* replace.c: true if it is to be written and something of that is immutable: then it is decided. */
bool plan_fixed(struct planner *p, struct plan_item *it);
/* The names of those settings, NULL if there are none; whether Git changed any of them. */
const char *plan_fixed_names(struct planner *p, bool *ret_in_git);
/* leftover.c: the settings that are neither as Git says nor written; `n` of each verdict. */
void plan_leave(struct planner *p, struct plan_item *it, const size_t n[VERDICT__COUNT]);
/* prune.c: in the inventory, and in nothing of Git that loaded. */
void plan_removed(struct planner *p, const struct subject *s, struct plan_item *it);

/* approval.c: the digest of an action on what is there, and of the guard that it is let through,
 * where that is not every guard that asks for approval: NULL. */
const char *approval_digest(
	struct planner *p, const struct plan_item *it, enum plan_action action, const char *guard);
/* Somebody approved the digest; NULL is never approved. */
bool approval_given(const struct plan_input *in, const char *digest);

/* suspend.c */
void item_note_suspended(struct planner *p, const struct subject *s, struct plan_item *it);
/* Holds whatever would be done, before any other reason. */
void item_suspend(struct planner *p, struct plan_item *it);

/*
 * Once all items are there. What one of them may do depends on the others: how many are deleted,
 * which come first.
 */
void guard_items(struct planner *p); /* guard.c: all that follow, in their order */
void guard_deletes(struct planner *p); /* prune.c */
void guard_dependants(struct planner *p); /* order.c: what is depended on is deleted last */
void guard_windows(struct planner *p); /* window.c */
void guard_dependencies(struct planner *p); /* order.c: what is depended on is written first */

#endif
