/*
 * A world for the engine to live in: a clock that only moves when nothing else can, Git as a
 * string, an API of a few lines, and a forge that remembers. Everything happens in one thread and
 * in the same order each time; with `chaos`, in an order and with mishaps that come from a seed.
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
	MISHAP_403,
	MISHAP_404,
	MISHAP_422,
	MISHAP_REFUSE, /* 400, no effect */
	MISHAP__COUNT
};

struct world;

/* What somebody else does when a call of ours arrives: before or after it has its effect. */
struct strike {
	enum api_verb verb;
	bool after;
	unsigned times;
	void (*act)(struct world *w);
};

struct operation_of { /* an operation in the API */
	char uid[UUID_MAX];
	int64_t generation;
	enum operation_state state;
	int64_t ends_at;
};

struct object { /* a replicator in the API */
	char *name;
	char *body; /* JSON of its fields */
	char uid[UUID_MAX];
	char created[CLOCK_TEXT_MAX];
	int64_t generation;
	int64_t observed;
	struct operation_of *running; /* NULL if none */
	int64_t shows_at; /* not to be seen before */
	bool unlisted; /* seen only by those who ask for it */
	bool failed;
	bool deleting;
	int64_t gone_at; /* when it is deleted, 0 if it is not */
	unsigned patches; /* that changed something */
	bool foreign; /* its draft holds what somebody else saved, and nobody else may start */
};

struct waiting_call {
	struct api_call *call;
	int64_t at; /* when its answer comes */
};

struct call_log {
	enum api_verb verb;
	char *name;
	char *key;
	bool effect;
	int64_t at;
};

struct world {
	int64_t now;
	int64_t wall_ahead; /* of where it began: somebody set the clock */
	struct clock clock;
	struct rng_seeded seed;
	struct rng rng;

	char *git; /* the one YAML file, NULL: the branch is gone */
	char sha[SHA_MAX];
	char tree[SHA_MAX];
	enum source_relation relation;
	unsigned commits;
	bool git_down;
	bool path_missing;
	enum err_code load_fails; /* the tree of a new commit cannot be read, so; ERR_OK: it can */
	bool secret_missing; /* of orders' source */
	bool folder; /* a folder is read, and not Git: no commit, and a catalog each time */

	struct world *serves; /* whose API it is; NULL: its own */
	struct map objects; /* struct object * */
	unsigned uids;
	bool fails; /* operations end in Error */
	int64_t operation_ms;
	int64_t call_ms; /* until a call is answered */
	int64_t lag_ms; /* new objects show only after it */
	bool no_observed; /* the API has no observed_generation */
	bool no_uid; /* ... no uid */
	bool no_created; /* ... no created_at */
	bool no_state; /* ... no state of operations */
	bool no_if_match; /* ... and does not know If-Match */
	struct strike strike;
	unsigned trespasses; /* operations of ours that provisioned somebody else's draft */
	const char *drops; /* a field that the API does not keep, NULL if none */
	const char *mixes_up; /* a GET of any other shows this one, NULL if not */
	const char *holds; /* calls on this replicator get no answer yet, NULL if none */
	enum mishap mishap[API__COUNT];
	unsigned mishaps[API__COUNT]; /* how many of them are left */
	VEC(struct call_log) log;
	struct map keys; /* idempotency key to struct operation_of */
	struct map others; /* operations of others, by number */

	struct map notes; /* "sha context" to "state text" */
	bool forge_down;
	bool forge_refuses_first; /* of each batch, for ever; the others cannot go */
	bool forge_refuses; /* every status, for good */
	unsigned posts;

	struct config config;
	bool dry;
	bool once;
	char *folder_of_store; /* NULL: it is in memory */
	bool disk_full;
	struct store *store;
	struct engine *engine;
	VEC(struct waiting_call) calls; /* to be answered */
	struct read_request *read;
	struct post_batch *post;

	unsigned burst; /* so many things happen before the engine gets to do something; 0: one */
	bool newest_first; /* the call that left last is answered first */
	bool chaos; /* any order, any delay, any mishap */
	uint64_t seed_of_history; /* for whoever reads that it went wrong */
	struct rng_seeded dice_seed;
	struct rng dice;
};

void world_setup(struct world *w);
void world_teardown(struct world *w);
/* The same for cmocka: the world is the test's state. */
int world_test_setup(void **state);
int world_test_teardown(void **state);
/* A commit with this text as its only file. */
void world_commit(struct world *w, const char *yaml);
/* As a commit of that number was the head before: the branch is there again. */
void world_return_to(struct world *w, unsigned commit, const char *yaml);
void world_start(struct world *w);
/* Commits, starts and runs for a minute. */
void world_start_with(struct world *w, const char *yaml);
/* As kill -9: the engine is gone, the store and the world stay; calls under way have their effect
 * and no answer. */
void world_kill(struct world *w);
/* As SIGTERM: it is asked to stop, and gets the answers to what is under way. */
void world_stop(struct world *w);
/* While no engine runs: it is empty from now on. */
void world_lose_store(struct world *w);
/* From now on the store is on disk. */
void world_store_on_disk(struct world *w);
/* No create and no change may leave then. */
void world_fill_disk(struct world *w, bool full);
/* Runs until nothing happens before `ms` have passed. */
void world_run(struct world *w, int64_t ms);
/* Runs until the engine says that everything came to its end; false if it does not within `ms`. */
bool world_settles(struct world *w, int64_t ms);
/* Changes a field of a live object behind everyone's back, and provisions it. */
void world_edit(struct world *w, const char *name, const char *field, const char *json);
/* Somebody else saves a field and starts nothing. */
void world_save(struct world *w, const char *name, const char *field, const char *json);
/* Somebody else starts what is saved; it takes as long as any operation. */
void world_reconcile(struct world *w, const char *name);
/* Deletes it behind everyone's back. */
void world_delete(struct world *w, const char *name);
/* Somebody else makes one, and provisions it. */
void world_create(struct world *w, const char *json);
/* ... or makes it and starts nothing; NULL if there is one. */
struct object *world_draft(struct world *w, const char *json);
struct object *world_object(struct world *w, const char *name);
/* Whether it is among the last events of the replicator; `name` NULL: of all. */
bool world_has_event(struct world *w, const char *name, const char *what);
/* Jane approves it; the digest is one that the engine binds. */
void world_approve(struct world *w, const char *name, const char *digest);
/* ... whatever of the plan can be, and is not yet. */
void world_approve_all(struct world *w);
/* "success 2 in sync (2 changed)", or "" */
const char *world_note(struct world *w, const char *kind);
size_t world_count(const struct world *w, enum api_verb verb);
/* Operations that were started. */
size_t world_operations(const struct world *w);
void world_fail(struct world *w, enum api_verb verb, enum mishap mishap, unsigned times);

/* world_api.c: answers a call, with its effect. */
struct api_answer *world_answer(struct world *w, const struct api_call *c);
void world_api_release(struct world *w);

#endif
