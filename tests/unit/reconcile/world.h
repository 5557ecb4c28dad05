/*
 * A world for the engine to live in: a clock that only moves when nothing else can, Git as a
 * string, an API of a few lines, and a forge that remembers. Everything happens in one thread and
 * in the same order each time.
 */
#ifndef TEST_WORLD_H
#define TEST_WORLD_H

#include "base/map.h"
#include "reconcile/engine.h"

/* What befalls the next call of a verb. */
enum mishap {
	MISHAP_NONE,
	MISHAP_BEFORE, /* no effect, no answer */
	MISHAP_AFTER, /* the effect, and no answer */
	MISHAP_500,
	MISHAP_401,
	MISHAP_REFUSE /* 400, no effect */
};

struct object { /* a replicator in the API */
	char *name;
	char *body; /* JSON of its fields */
	char uid[UUID_MAX];
	int64_t generation;
	int64_t observed;
	int64_t running; /* generation of the operation under way, 0 if none */
	int64_t ready_at;
	int64_t shows_at; /* not to be seen before */
	bool failed;
};

struct call_log {
	enum api_verb verb;
	char *name;
	char *key;
	bool effect;
};

struct world {
	int64_t now;
	struct clock clock;
	struct rng_seeded seed;
	struct rng rng;

	char *git; /* the one YAML file, NULL: the branch is gone */
	char sha[SHA_MAX];
	enum source_relation relation;
	unsigned commits;

	struct map objects; /* struct object * */
	unsigned uids;
	bool fails; /* operations end in Error */
	int64_t lag_ms; /* new objects show only after it */
	bool no_observed; /* the API has no observed_generation */
	enum mishap mishap[API__COUNT];
	unsigned mishaps[API__COUNT]; /* how many of them are left */
	VEC(struct call_log) log;
	struct map keys; /* idempotency key to generation, started operations */

	struct map notes; /* "sha context" to "state text" */
	bool forge_down;

	struct config config;
	struct store *store;
	struct engine *engine;
	VEC(struct api_call *) calls; /* to be answered */
	struct read_request *read;
	struct post_batch *post;
};

void world_setup(struct world *w);
void world_teardown(struct world *w);
/* A commit with this text as its only file. */
void world_commit(struct world *w, const char *yaml);
void world_start(struct world *w);
/* As kill -9: the engine is gone, the store and the world stay; calls under way have their effect
 * and no answer. */
void world_kill(struct world *w);
/* Runs until nothing happens before `ms` have passed. */
void world_run(struct world *w, int64_t ms);
/* Changes a field of a live object behind everyone's back, and provisions it. */
void world_edit(struct world *w, const char *name, const char *field, const char *json);
struct object *world_object(struct world *w, const char *name);
/* "success 2 in sync (2 changed)", or "" */
const char *world_note(struct world *w, const char *kind);
size_t world_count(const struct world *w, enum api_verb verb);
/* Operations that were started. */
size_t world_operations(const struct world *w);
void world_fail(struct world *w, enum api_verb verb, enum mishap mishap, unsigned times);

#endif
