/*
 * The loop's heart: fetch, load, observe, plan, apply, report, as one state machine that never
 * blocks and never sleeps. It owns the ledger and decides; everything outside is an argument: time,
 * randomness, the API's transport, and ports for the work that blocks (Git, statuses). Each request
 * through a port is answered by one call of an engine_…_done function, later, on the same thread.
 *
 *	engine_new(&options, &engine, e);
 *	for (;;) {
 *		wait until engine_step(engine) says, or an answer arrives;
 *		engine_read_done / engine_answer / engine_posted …
 *	}
 *
 * A pass derives everything anew from Git, the API and the ledger, so a pass that is cut short
 * anywhere, by an error or a kill, is made good by the next. What waits (for Healthy, for a retry)
 * is a record in the ledger with a time at which it is looked at again; a pass never waits for it.
 */
#ifndef RECONCILE_ENGINE_H
#define RECONCILE_ENGINE_H

#include <stdbool.h>
#include <stdint.h>

#include "api/api.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/rng.h"
#include "config/config.h"
#include "forge/forge.h"
#include "plan/plan.h"
#include "reconcile/report.h"
#include "source/source.h"
#include "store/store.h"

struct engine;
struct ledger;

/* A secret path of a replicator that does not resolve, or lacks keys. */
struct secret_problem {
	char *name;
	enum spec_field field;
	char *message;
};
struct secret_problems {
	VEC_FIELDS(struct secret_problem);
};
void secret_problems_release(struct secret_problems *problems);

struct read_request {
	char known[SHA_MAX]; /* the head that was taken last, "" if none */
	char tree[SHA_MAX]; /* the tree that `catalog` is of, "" if none */
	const struct catalog *catalog; /* stays valid until the answer; NULL if none */
};

struct read_result {
	struct err
		err; /* of the fetch: then there is nothing else but secrets of the old catalog */
	struct source_head head;
	struct err load_err; /* of reading the tree: then there is no catalog */
	struct catalog *catalog; /* NULL if the tree is the one that was asked with */
	struct secret_problems secrets;
};
void read_result_free(struct read_result *r);

struct post_batch {
	VEC(struct forge_status) statuses; /* strings are the batch's own */
	enum post_end *ends;
	struct err err;
};
void post_batch_free(struct post_batch *b);

struct engine_ports {
	struct api_transport api;
	void (*read)(
		void *ctx, struct read_request *owned_request); /* answered by engine_read_done */
	void (*post)(void *ctx, struct post_batch *owned_batch); /* answered by engine_posted */
	void *ctx;
};

struct engine_options {
	const struct config *config;
	struct store *store; /* borrowed; NULL with `dry` when there is none yet */
	struct engine_ports ports;
	const struct clock *clock;
	const struct rng *rng;
	bool dry; /* plan only: nothing is written anywhere, not even to the store */
	bool follows; /* with `dry`: the plan is as if a rewound branch were followed */
	bool once; /* one commit, to its end: Git is looked at once; see engine_settled */
	/* Called with each new plan, before anything is done about it. May be NULL. */
	void (*on_plan)(void *ctx, const struct plan *plan, const struct plan_header *header);
	/* Called for each thing that a person who waits wants to read: "orders-dr: created,
	 * generation 1". May be NULL. */
	void (*on_progress)(void *ctx, const char *line);
	void *ctx;
};

int engine_new(const struct engine_options *options, struct engine **ret_engine, struct err *e);
void engine_free(struct engine *en);

/* Does what is due; returns the monotonic time of the next, INT64_MAX for none. */
int64_t engine_step(struct engine *en, int64_t now_mono_ms);
/* Makes the next pass come now: a signal, a webhook, a person. */
void engine_wake(struct engine *en);
/* Starts nothing new. What is under way is answered, journalled and left for the next start. */
void engine_stop(struct engine *en);
/* Nothing is under way outside: the ports may go. */
bool engine_idle(const struct engine *en);
/* What is under way is a look at Git and nothing else: nobody misses its end. */
bool engine_only_reads(const struct engine *en);

void engine_read_done(struct engine *en, struct read_result *owned_result);
void engine_answer(struct engine *en, struct api_answer *owned_answer);
void engine_posted(struct engine *en, struct post_batch *owned_batch);

/* The digest is what stands in the way of the replicator now: only that can be approved. */
bool engine_binds(const struct engine *en, const char *name, const char *digest);

/* once: everything came to its end, well or not, and the statuses are out. */
bool engine_settled(const struct engine *en);

/* How things stand, for people, /readyz and /metrics. */
struct engine_stats {
	const char *head; /* "" if none */
	const char *summary; /* of its commit */
	bool settled; /* nothing of the head is under way, and its statuses are out */
	bool busy; /* in the middle of a pass, or of a look at Git */
	bool ready; /* a pass was completed, and neither Git, the API nor the store is in trouble
		       now */
	const char *trouble; /* the first of these troubles, "" if none */
	struct engine_trouble {
		const char *what; /* "store", "repository", "api", "statuses" */
		const char *message;
		int64_t since_ms; /* wall */
		int64_t next_ms; /* wall; when it is tried again, 0: at once */
	} troubles[4];
	size_t n_troubles;
	const char *load_error; /* the head's tree cannot be read, "" if it can */
	enum status_state state; /* of the head's /sync */
	const char *text;
	uint64_t passes;
	uint64_t reads;
	uint64_t calls[API__COUNT];
	uint64_t outcomes[API_OUTCOME__COUNT];
	uint64_t posts;
	uint64_t post_failures;
	size_t standing[STANDING__COUNT]; /* how many replicators stand so */
	size_t load_problems;
	int64_t last_pass_ms; /* wall; 0 if none was completed */
};
void engine_stats(const struct engine *en, struct engine_stats *ret_stats);

/* The last plan, NULL while there is none. It goes with the next call that lets the engine work. */
const struct plan *engine_plan(const struct engine *en);
/* What a person orders is done to it (reconcile/orders.h) between two calls of the engine; then: */
struct ledger *engine_ledger(struct engine *en);
/* Writes what was ordered, and makes the next pass come now. What did not leave yet is planned anew
 * first; what has left is answered. */
int engine_ordered(struct engine *en, struct err *e);
/* A rewound branch that is held: from which commit to which, and what releases it. */
struct engine_rewind {
	const char *from;
	const char *to;
	const char *approval;
};
bool engine_rewind(const struct engine *en, struct engine_rewind *ret_rewind);
/* A commit of which nothing more is begun: why, and what releases all of it. */
struct engine_brake {
	const char *commit;
	const char *why;
	const char *approval;
};
bool engine_brake(const struct engine *en, struct engine_brake *ret_brake);
/* How those stand that are not Healthy, as JSON: a list of {name, standing, hold, since_ms, why,
 * release, until_ms, approval, live_generation, differs: ["…", …]}; what is not known is not there.
 * NULL before the first report. */
const char *engine_standings(const struct engine *en);

/* The idempotency key of a reconcile: the same for the same object, generation and attempt,
 * wherever it is made. */
void idempotency_key(const char *organization, const char *identifier, const char *uid,
	const char *created_at, int64_t generation, int64_t attempt, char ret_key[UUID_MAX]);

#endif
