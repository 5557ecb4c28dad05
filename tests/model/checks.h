/*
 * What holds in every history: each promise is a function of its own in checks.c (at the moment
 * something happens) or checks_end.c (once the faults have stopped), and judges by the model's
 * numbers alone.
 */
#ifndef TEST_MODEL_CHECKS_H
#define TEST_MODEL_CHECKS_H

#include "world.h"

/* The history is over: it went wrong in this way. */
_Noreturn void violate(const char *promise, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* ---- when something happens */
void check_leaves(struct world *w, const struct api_call *c);
void check_keys_before(struct world *w, int who, const struct body *b, unsigned has);
void check_patched(struct world *w, int who, const struct body *before);
void check_starts(struct world *w, int who, const struct api_call *c);
void check_deletes(struct world *w, int who, int64_t generation);
void check_posts(struct world *w, const struct forge_status *s);
void check_shown(struct world *w, int who);
/* ... and that reached weir. */
void check_met(struct world *w, int who);
void check_listed(struct world *w);
/* weir took a commit; and wrote down that it did. */
void check_taken(struct world *w, const struct tree *t);
void check_written(struct world *w, const struct tree *t);
/* A person had it forgotten. */
void check_let_go(struct world *w, int who);
/* It ended, and wrote down what it knew. */
void check_stopped(struct world *w);
/* It starts anew with what is on disk. */
void check_restarted(struct world *w);
/* A CREATE, a PATCH or a DELETE leaves. */
void check_guards(struct world *w, int who);
/* A PATCH leaves. */
void check_adoption(const struct world *w, int who, int64_t generation);
/* A write leaves; a PATCH or a CREATE, with this body. */
void check_window(struct world *w, int who, enum api_verb verb);
/* Of the second daemon. */
void check_twin_starts(const struct world *w, int who);
void check_twin_deletes(const struct world *w, int who);
/* What came of a call is not known. */
void check_unsure(struct world *w, const struct api_call *c);
/* An operation of ours begins. */
void check_brake(const struct world *w, int who);
void check_updates(
	struct world *w, int who, int64_t generation, const struct body *b, unsigned has);
void check_report(const struct world *w, int who, const struct doc *d, enum field_of f, int value);

/* ---- once all is calm */
void check_end(struct world *w);

/* ---- judgement */
#define WINDOW_EACH 20 /* minutes from one window to the next */
/* By an order, beyond doubt. */
bool check_suspended(const struct world *w, int who);
bool check_has_windows(const struct world *w, int who);
bool check_window_open(const struct world *w, int who);
/* A person approved just that: the object as it was at this generation, to become what Git says. */
bool check_approved(const struct world *w, int who, int64_t generation);
/* ... or is about to become that, whatever Git says by now. */
bool check_approved_before(const struct world *w, int who, int64_t generation);
/* The document that weir goes by, if that is beyond doubt: it took the head while it ran, and all
 * of it loads. NULL: an older one may count. */
const struct doc *check_doc(const struct world *w, int who);
/* The live body that a PATCH was made against; NULL if that may be of one that is gone. */
const struct body *check_base(const struct world *w, int who, int64_t generation);
/* Others took back what Git says so often that it may be left so. */
bool check_may_be_contested(const struct world *w, int who, int times);
/* Gone from Git, and not deleted until a person decides; or deleted in the end. */
bool check_stays(const struct world *w, int who, const struct tree *t);
bool check_is_pruned(const struct world *w, int who, const struct tree *t);
/* Some commit that weir took says so of the field. */
bool check_ever_says(const struct world *w, int who, enum field_of f, int value);
bool check_ever_written(const struct world *w, int who, enum field_of f);
/* sync.ignore names it, or the threshold without which this unit cannot be there. */
bool check_leaves_alone(const struct doc *d, const struct object *o, enum field_of f);
/* What the head's document says is live, and runs. */
bool check_as_git(const struct world *w, int who, const struct doc *d);
/* It need not be weir's, so what differs may be held. */
bool check_may_differ(const struct world *w, int who);
/* It began for the object's generation, and not for that of one that was there before it. */
bool check_op_is_of(const struct op *op, const struct object *o);
bool check_has_foreign_draft(const struct object *o);
/* So many are missing at once that weir may not believe it. */
bool check_may_be_hidden(const struct world *w);

#endif
