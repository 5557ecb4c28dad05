/*
 * What becomes of a replicator:
 *
 *	create → Pending (a draft)
 *	reconcile → Provisioning the first time, Updating later → Healthy or Error, as the
 *	            runner reports
 *	save → the status stays; the new generation is a draft until it is reconciled
 *	delete → gone at once if Pending, else Deleting until the runner has taken it down
 *
 * Each step is one transaction, made before the runner hears of it; what was not reported when the
 * program ended is asked of the runner again at the next start. So a kill at any moment loses
 * nothing and starts nothing twice.
 */
#ifndef SERVER_LIFECYCLE_H
#define SERVER_LIFECYCLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/rng.h"
#include "model/spec.h"
#include "server/fleets.h"
#include "server/store.h"

struct lifecycle_lines;

struct lifecycle {
	const struct config *config;
	struct store *store;
	struct fleets *fleets;
	const struct clock *clock;
	const struct rng *rng;
	struct lifecycle_lines *lines; /* for the log once all of it is saved; NULL: at once */
	int64_t retry_at_ms; /* monotonic; not 0: reports could not be saved, and are asked for
				again then */
};

/* Asks the runners again for what they had not reported. Call it once, before the first request. */
int lifecycle_resume(struct lifecycle *l, struct err *e);
/* A loop_due_fn over a struct lifecycle: takes in what the runners report. */
int64_t lifecycle_due(void *ctx, int64_t now_mono_ms);

/* A draft of generation 1 on that fleet. ERR_CONFLICT if the identifier exists. */
int lifecycle_create(struct lifecycle *l, struct arena *a, const char *org, const struct spec *spec,
	struct fleet *fleet, struct replicator_row *ret_row, struct err *e);
/* A new generation with these settings. Updates row. */
int lifecycle_save(struct lifecycle *l, struct arena *a, struct replicator_row *row,
	const struct spec *spec, struct err *e);
/*
 * Starts an operation for the row's generation; one that is Running is superseded. The key must be
 * new to the replicator. Updates row.
 */
int lifecycle_reconcile(struct lifecycle *l, struct arena *a, struct replicator_row *row,
	const char *key, struct operation_row *ret_op, struct err *e);
/* Updates row: status Deleting unless `ret_gone`. */
int lifecycle_delete(struct lifecycle *l, struct arena *a, struct replicator_row *row,
	bool *ret_gone, struct err *e);

#endif
