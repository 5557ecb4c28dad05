/*
 * Where people's orders are taken: a JSON object in, a JSON object out. The same whether they come
 * through the daemon's socket or from a command that has the store to itself.
 *
 *	suspend  {name, reason, until?}                  {name, until}
 *	resume   {name, reason?}                         {name, suspended}: by Git, still
 *	forget   {name, reason?}                         {name}
 *	approve  {items: [{name, digest, action}], reason?}; the name of a rewind and of a brake
 *	         is ""                                   {approved, changed, already}: names, "the
 *	                                                 rewind", "the brake"
 */
#ifndef CLI_DESK_H
#define CLI_DESK_H

#include "reconcile/engine.h"
#include "reconcile/orders.h"

struct desk {
	struct ledger *ledger;
	/* Only what it binds can be approved; NULL: the caller has just made a plan itself. */
	const struct engine *engine;
	const char *by; /* who orders */
	int64_t now_ms;
};

/* ERR_INVALID for a body that is not as above. What was ordered is in the ledger, not flushed. */
int desk_take(const struct desk *d, const char *order, const struct node *body, struct arena *a,
	struct node **ret_answer, struct err *e);
/* "jane", or "uid 1234" where the system knows no name. It may ask a directory of users over the
 * network: not for those who wait. The caller frees. */
char *desk_user_name(unsigned uid);

#endif
