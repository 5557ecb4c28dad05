/*
 * The world that a history is played in: a clock that only moves when nothing else can, Git as a
 * row of trees, the reference API, a forge that remembers, people, and the engine. One thread, and
 * the same each time.
 */
#ifndef TEST_MODEL_WORLD_H
#define TEST_MODEL_WORLD_H

#include "base/map.h"
#include "history.h"
#include "model.h"
#include "reconcile/engine.h"

#define MINUTE ((int64_t)60000)

/* ---- the API */

struct op { /* an operation */
	int who;
	unsigned uid;
	int64_t generation;
	enum operation_state state;
	int64_t ends_at;
	bool ours; /* weir asked for it */
	bool changes; /* what the commit changes is in it */
	uint64_t left; /* the tick at which the call did that began it */
	int64_t at_wall; /* when it began */
	uint64_t changed; /* the tick at which the change left that it is for */
	size_t commit; /* that weir went by: index + 1 */
	unsigned stores; /* that were lost before */
	char key[UUID_MAX];
};

struct object { /* a replicator in the API */
	bool exists;
	unsigned uid;
	int64_t made_wall;
	int64_t generation;
	int64_t observed;
	bool failed;
	bool deleting;
	int64_t gone_at;
	int64_t shows_at; /* not to be seen before */
	struct body live;
	struct body runs; /* what was provisioned last, or is being */
	bool theirs[F__COUNT]; /* who wrote the live value: somebody else, */
	uint64_t theirs_at[F__COUNT]; /* ... the tick at which they did, */
	bool at_work[F__COUNT]; /* ... and whether an operation of others ran then */
	uint64_t met; /* the tick at which weir saw it before it was weir's */
	unsigned met_in; /* the store in which it is weir's since then: lost ones + 1 */
	unsigned wrote[F__COUNT]; /* stores that were lost when weir wrote it */
	uint64_t made; /* the tick */
	bool by_us; /* weir made it */
	bool known; /* weir saw it before anybody else touched it, */
	uint64_t pure; /* ... which it was at this tick, */
	uint64_t known_at; /* ... and learned at this one */
	bool doubtful; /* made by a call without an answer, and weir asked for another since */
	unsigned stores; /* that were lost when weir wrote last */
	unsigned own_store; /* in which weir knows that it is its own: lost ones + 1 */
	struct body applied; /* what weir wrote, or saw to be as Git says */
	size_t op; /* index + 1 of the running one; 0: none */
	VEC(struct body) past; /* the body of each generation, from 1 on */
};

/* ---- what is under way */

enum event_kind { EVENT_READ, EVENT_EFFECT, EVENT_ANSWER, EVENT_POST };

struct pending {
	int64_t at;
	uint64_t order;
	enum event_kind kind;
	struct api_call *call; /* EFFECT */
	bool twin; /* of the second daemon */
	bool orphan; /* EFFECT: nobody waits for the answer */
	unsigned stores; /* EFFECT: that were lost when it left */
	uint64_t left; /* EFFECT: the tick, ... */
	uint64_t knew; /* ... until which weir had seen what the call is about, */
	int64_t ends; /* ... and when its time (api.timeout) is over */
	struct api_answer *answer;
	unsigned shows; /* ANSWER: bit per replicator that it shows, */
	uint64_t shown; /* ... as it was at this tick */
	struct read_request *read;
	struct post_batch *post;
};

struct memory { /* what weir is to remember of a replicator, as long as its store is there */
	struct doc last; /* as it was in Git when it loaded last */
	bool has_last;
	struct doc stored; /* ... and was on disk */
	bool has_stored;
	bool gone; /* from Git */
	int64_t gone_now, gone_wall; /* since when */
	bool over_max; /* perhaps one of too many at once since it is gone: a person is asked */
};

struct approved { /* what weir showed to a person who said yes to it */
	bool is;
	unsigned uid;
	bool braked; /* ... although the brake was on */
	bool used; /* something was written by it */
	bool had; /* an object */
	struct body before;
	struct doc said; /* by Git */
};

struct commit {
	struct tree tree;
	size_t parent; /* index + 1; 0: none */
	size_t files; /* commits with the same tree share it */
	bool taken; /* weir read it, and was not to hold it */
	bool read; /* weir was shown it */
	bool seen; /* ... and had the time to write that down */
	bool refused; /* the forge took no status of it */
	bool claimed; /* a success left */
	uint64_t whole; /* the tick at which all of it was in sync, 0: never */
	unsigned stores; /* that were lost when it was seen last */
	uint64_t head_tick; /* when it became the head that weir goes by */
};

struct world {
	int64_t now;
	int64_t wall_ahead;
	uint64_t tick; /* things that happened */
	struct clock clock;
	struct rng_seeded seed;
	struct rng rng;
	uint64_t delays; /* state of the delays; 0: none */

	struct tree draft; /* what is written and not pushed */
	VEC(struct commit) commits;
	size_t head; /* index + 1 */
	bool branch_gone;
	bool git_down;
	struct map parsed; /* text to struct parsed_file * */
	size_t taken; /* the commit that weir took last: index + 1 */
	bool taken_here; /* by the engine that runs */
	bool held; /* weir holds a rewind */
	size_t fresh; /* the commit that was read last and may not be in the store yet: index + 1 */
	int fresh_steps; /* of the engine since then */

	struct memory memory[WHO__COUNT];
	int64_t suspended[WHO__COUNT]; /* by a person: until when, 0: not */
	bool resumed[WHO__COUNT];
	struct approved approved[WHO__COUNT];
	struct {
		size_t from, files; /* of the commits; 0: it was not */
	} followed; /* the rewind that a person approved */
	size_t read; /* the commit that weir read last */
	struct object object[WHO__COUNT];
	unsigned uids;
	VEC(struct op) ops;
	unsigned variants; /* bit per enum variant */
	int64_t api[API_SWITCH__COUNT];
	enum mishap mishap[API__COUNT];
	int64_t mishaps[API__COUNT];

	struct map notes; /* "sha context" to "state text" */
	int64_t forge;
	uint64_t forge_failed; /* the tick */
	bool disk_full;

	struct config config; /* as it runs */
	int64_t configured[CONFIG__COUNT]; /* as it is written */
	struct store *store;
	unsigned stores_lost;
	unsigned effect_stores; /* ... when the call left that has its effect now */
	uint64_t effect_left; /* the tick at which that was */
	uint64_t effect_knew; /* ... until which weir had seen what the call is about then */
	bool effect_orphan; /* nobody waits for its answer */
	uint64_t started; /* the tick */
	uint64_t written; /* ... until which what it knew was written down */
	int64_t started_now;
	struct engine *engine;
	struct twin {
		struct engine *engine; /* NULL: it does not run */
		struct store *store;
		struct config config;
		bool acts; /* the call that has its effect is one of its own */
		size_t read; /* the commit that it read last: index + 1 */
		int64_t left_at[256];
		size_t left;
	} twin;
	struct {
		VEC_FIELDS(struct pending);
	} events;
	uint64_t order;

	/* What checks remember. */
	uint64_t lied; /* the tick at which a GET said falsely that there is none */
	uint64_t meddled[WHO__COUNT]; /* the tick of what somebody else did last */
	uint64_t shown[WHO__COUNT]; /* the tick of what weir saw of it last */
	uint64_t saw[WHO__COUNT]; /* the tick at which weir saw what they did last, */
	int64_t saw_at[WHO__COUNT]; /* ... and the time */
	uint64_t post_left; /* the tick at which the last statuses left, */
	int64_t post_left_at, post_answered_at; /* ... when they did, and when that was answered */
	unsigned shows; /* bit per replicator in the answer that is being made */
	bool refused[WHO__COUNT]; /* what weir sent: it is sent again only once Git changes */
	uint64_t jumped; /* the tick at which the wall clock did, */
	uint64_t jumped_far; /* ... by more than a call takes */
	bool was[WHO__COUNT]; /* it existed at some time */
	uint64_t late[WHO__COUNT]; /* the tick at which a PATCH had its effect when nobody waited
				      for it any more */
	uint64_t unsure[WHO__COUNT]; /* the tick at which it was not told what came of a write */
	int undone[WHO__COUNT][F__COUNT]; /* how often others took back what Git says */
	bool half_done[WHO__COUNT]; /* it was deleted to be replaced */
	uint64_t changed[WHO__COUNT]; /* the tick at which a change of Git left */
	unsigned updated; /* bit per replicator that the commit changes, and nobody approved */
	uint64_t calls[API__COUNT]; /* that left */
	uint64_t posts;
	int64_t left_at[256]; /* when the last calls left */
	size_t left;
};

/* For twin.c. */
void world_schedule_twin(struct world *w, struct pending e, int64_t in_ms);
void world_release_event(struct pending *e);

/* twin.c */
void twin_start(struct world *w);
void twin_kill(struct world *w);
void twin_release(struct world *w);
void twin_happen(struct world *w, struct pending *e);

extern bool world_disk_full; /* commits of the store fail */

/* The tick of what was last done without weir's knowing. */
static inline uint64_t world_disturbed(const struct world *w, int who)
{
	return w->late[who] > w->meddled[who] ? w->late[who] : w->meddled[who];
}

void world_setup(struct world *w);
void world_teardown(struct world *w);
void world_start(struct world *w);
void world_kill(struct world *w, int64_t fates);
void world_stop(struct world *w);
void world_lose_store(struct world *w);
void world_run(struct world *w, int64_t ms);
void world_events(struct world *w, int64_t n);
int64_t world_wall(const struct world *w);
/* "success 2 in sync", or "" */
const char *world_note(const struct world *w, size_t commit, const char *kind);

/* describe.c: to stdout */
void world_describe(struct world *w);
extern bool world_talks; /* one history is played for a reader: each call is told */
void world_tell(const struct world *w, const char *what, const struct api_call *c);

/* play.c */
void world_play(struct world *w, const struct history *h);
/* All that is wrong outside ends, and people finish what they began. */
void world_calm(struct world *w);

/* orders.c: what people order, through the desk of the daemon's socket */
bool order_give(struct world *w, int who, enum order_of what, int64_t ms);

/* git.c */
void git_push(struct world *w);
void git_rewind(struct world *w, int64_t n);
void git_rewrite(struct world *w);
void git_sha(size_t commit, char ret_sha[SHA_MAX]);
/* The commit of a sha: index + 1, 0 if it is none. */
size_t git_find(const struct world *w, const char *sha);
struct read_result *git_read(struct world *w, const struct read_request *request);
struct read_result *git_read_by_twin(struct world *w, const struct read_request *request);
void git_release(struct world *w);
static inline const struct commit *git_commit(const struct world *w, size_t commit)
{
	return &w->commits.at[commit - 1];
}

/* api.c */
int who_is(const char *name);
/* Operations and deletions that are due come to their end. */
void api_tick(struct world *w);
/* When the next one does; INT64_MAX: none. */
int64_t api_due(const struct world *w);
/* The call's effect, and its answer. */
struct api_answer *api_take(struct world *w, const struct api_call *c, bool *ret_late);
struct api_answer *api_take_of_twin(struct world *w, const struct api_call *c);
/* The effect alone: its HTTP status. */
int api_act(struct world *w, const struct api_call *c, struct buf *out);
void api_release(struct world *w);
/* What somebody else does. */
void people_save(struct world *w, int who, enum field_of f, int value);
void people_launch(struct world *w, int who);
void people_delete(struct world *w, int who);
void people_make(struct world *w, int who, const struct body *b, bool launch);

#endif
