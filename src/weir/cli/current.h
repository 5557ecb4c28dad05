/*
 * The plan as it is now: the daemon's, or, where none runs, one that is made as `weir plan` does.
 */
#ifndef CLI_CURRENT_H
#define CLI_CURRENT_H

#include "config/config.h"
#include "doc/node.h"

struct current {
	const struct node *plan; /* schema/plan.schema.json */
	const struct node *rewound; /* {from, to, approval}; NULL: the branch was not */
	const struct node *brake; /* {commit, why, approval}; NULL: it is not on */
};

/* In `a`. Waits a little for a daemon that is just comparing. */
int current_get(
	const struct config *c, struct arena *a, struct current *ret_current, struct err *e);

/* What would follow if a rewound branch were approved, from what the branch is at this moment;
 * `rewound` is NULL if it was not. */
int current_get_rewound(
	const struct config *c, struct arena *a, struct current *ret_current, struct err *e);

#endif
