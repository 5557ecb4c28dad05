/*
 * Where commit statuses go. A forge is a vtable; posting blocks and is done on a worker, one batch
 * at a time.
 */
#ifndef FORGE_FORGE_H
#define FORGE_FORGE_H

#include <stddef.h>

#include "base/err.h"
#include "source/source.h"
#include "store/store.h"

struct forge_status {
	const char *sha;
	const char *context; /* "weir/acme/sync" */
	enum status_state state;
	const char *text; /* at most FORGE_TEXT_MAX code points, no control characters */
	const char *target_url; /* or NULL */
};

#define FORGE_TEXT_MAX 140

struct forge;

struct forge_ops {
	const char *name;
	/*
	 * Posts them all, or as many as it can: `ret_posted[i]` says which arrived. An error is
	 * about those that did not; retriable or not.
	 */
	int (*post)(struct forge *f, const struct forge_status *statuses, size_t n,
		bool *ret_posted, struct err *e);
	void (*free)(struct forge *f);
};

struct forge {
	const struct forge_ops *ops;
};

/* Statuses as Git notes in the same repository; works with any Git server that takes a push.
 * Borrows the source. */
struct forge *forge_notes_new(struct source *source, const char *ref);
/* Keeps statuses to ourselves: for repositories that we may only read. */
struct forge *forge_none_new(void);
void forge_free(struct forge *f);

#endif
