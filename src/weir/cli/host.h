/*
 * The world around an engine: the loop, Git and the forge on a worker, the API over HTTP, the
 * store. What `run`, `apply` and `plan` have in common.
 */
#ifndef CLI_HOST_H
#define CLI_HOST_H

#include <stdbool.h>

#include "base/loop.h"
#include "config/config.h"
#include "reconcile/engine.h"

struct host;

struct host_options {
	const struct config *config;
	const char *folder; /* read this instead of Git; NULL: Git */
	bool dry; /* as the engine's */
	bool follows;
	bool once;
	void (*on_plan)(void *ctx, const struct plan *plan, const struct plan_header *header);
	void (*on_progress)(void *ctx, const char *line);
	/* Instead of all else: what is declared is read once, without engine, API and store, and
	 * the host stops. `read` goes afterwards. */
	void (*on_read)(void *ctx, const struct read_result *read);
	void *ctx;
};

int host_new(const struct host_options *options, struct host **ret_host, struct err *e);
/* Until a signal, or, if once, until everything is settled. */
int host_run(struct host *h, struct err *e);
void host_free(struct host *h);

struct loop *host_loop(struct host *h);
struct engine *host_engine(struct host *h);
struct store *host_store(struct host *h);

/* What the inventory is keyed by (the caller frees). */
char *host_scope(const struct config *c);
/* The store in the state folder, beside whoever works on it; see store_open_shared. */
int host_open_shared(const struct config *c, struct store **ret_store, struct err *e);

#endif
