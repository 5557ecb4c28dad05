/*
 * The fleets: each a runner with a number of places. A replicator gets its place when it is created
 * and keeps it until it is gone.
 */
#ifndef SERVER_FLEETS_H
#define SERVER_FLEETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/strv.h"
#include "server/config.h"
#include "server/store.h"

struct fleet {
	const struct fleet_config *config;
	struct runner *runner;
	int64_t n_used; /* replicators of all organizations */
};

struct fleets {
	struct fleet *at; /* in the order of the configuration */
	size_t n;
};

/* The configuration must outlive them. */
void fleets_init(struct fleets *f, const struct config *config);
void fleets_release(struct fleets *f);
/* Counts what is in use. ERR_CONFIG if a fleet has replicators and is not in the configuration. */
int fleets_count(struct fleets *f, struct store *store, struct err *e);

/* How many more replicators it takes: 0 also where the capacity was lowered below what is in use.
 */
int64_t fleet_room(const struct fleet *f);
struct fleet *fleets_find(const struct fleets *f, const char *name);
bool fleet_serves(const struct fleet *f, const char *provider);
/* What it serves, ended by NULL; valid as long as the configuration. */
void fleet_providers(const struct fleet *f, struct strv *ret_names);
/*
 * The first that serves the provider and has room. NULL: `ret_why` says that none serves it and
 * what they do serve, or that all that do are full.
 */
struct fleet *fleets_place(const struct fleets *f, const char *provider, struct buf *ret_why);

#endif
