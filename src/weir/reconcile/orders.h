/*
 * What a person orders, done to the ledger: by the daemon for whoever comes through its socket, and
 * by a command that has the store to itself when no daemon runs. Pure but for the ledger: what
 * comes of it is for the next pass to do, and the caller flushes. Each leaves an event with who
 * ordered it and why.
 *
 * Errors are for that person: ERR_NOT_FOUND with a "did you mean" for a name that is not known,
 * ERR_CONFLICT where the order does not fit how things stand, with what to do instead.
 */
#ifndef RECONCILE_ORDERS_H
#define RECONCILE_ORDERS_H

#include "reconcile/ledger.h"

struct order {
	const char *name; /* of the replicator */
	const char *reason; /* "" if none was given */
	const char *by; /* who ordered it */
	int64_t now_ms; /* wall */
};

/* Left alone until it is resumed, or until a time. Takes the place of an earlier order. */
int orders_suspend(
	struct ledger *l, const struct order *o, bool has_until, int64_t until_ms, struct err *e);
/* Ends an order to suspend, and what a document that is gone from Git is remembered to have said.
 * What a document in Git says stays: ERR_CONFLICT if there is nothing else, with its place. True in
 * `ret_still` if it goes on being suspended for that. */
int orders_resume(struct ledger *l, const struct order *o, bool *ret_still, struct err *e);
/* Lets go of what is not in Git any more, without deleting it. */
int orders_forget(struct ledger *l, const struct order *o, struct err *e);
/* What a held item of the plan binds may be done. The name is "" where it is about the commit. */
int orders_approve(struct ledger *l, const struct order *o, const char *digest, const char *action,
	struct err *e);

/*
 * The last version that loaded, which may be gone from Git, and the one that is in Git; NULL if
 * there is none. Read into `arena`: a plan may point to what the ledger made of it before an order.
 */
const struct replicator *orders_remembered(const struct record *r, struct arena *arena);
const struct replicator *orders_document(const struct record *r, struct arena *arena);

#endif
