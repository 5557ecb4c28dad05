/*
 * The other end of the daemon's socket (cli/control.h), for commands. Each call finds out anew
 * whether a daemon runs: it may come and go at any time.
 */
#ifndef CLI_DAEMON_H
#define CLI_DAEMON_H

#include "config/config.h"
#include "doc/node.h"

/* Whether somebody listens. ERR_DENIED if this user may not ask. */
int daemon_runs(const struct config *c, bool *ret_runs, struct err *e);
/* `body` NULL: a GET. The answer lives in `a`; the daemon's own errors come with their code. */
int daemon_ask(const struct config *c, const char *path, const struct node *body, struct arena *a,
	struct node **ret_answer, struct err *e);
/*
 * An order (cli/desk.h), to the daemon, or, where none runs, to the store itself, under its lock.
 * ERR_NOT_FOUND if there is neither.
 */
int daemon_order(const struct config *c, const char *order, const struct node *body,
	struct arena *a, struct node **ret_answer, struct err *e);

#endif
