/* Time, what is under way, and the engine's ports. */
#include "world.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "checks.h"
#include "db/db.h"
#include "doc/json.h"
#include "store/internal.h"

#define STEPS_MOST	1000000 /* of one run: more is a loop */
#define CALL_TAKES_MOST 29000 /* less than api.timeout */

bool world_disk_full;

/* The linker puts these in place of the store's own (see CMakeLists.txt). */
int __real_store_commit(struct store *s, struct err *e);
int __wrap_store_commit(struct store *s, struct err *e);
int __wrap_store_commit(struct store *s, struct err *e)
{
	if (world_disk_full) {
		store_rollback(s);
		return err_set(e, ERR_IO, "the disk is full");
	}
	return __real_store_commit(s, e);
}

int64_t world_wall(const struct world *w)
{
	return 1790000000000 + w->now + w->wall_ahead;
}

static int64_t wall(void *ctx)
{
	return world_wall(ctx);
}

static int64_t mono(void *ctx)
{
	return ((struct world *)ctx)->now;
}

/* ---- what is under way */

static uint64_t draw(struct world *w)
{
	w->delays += 0x9e3779b97f4a7c15;
	uint64_t z = w->delays;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

/* Mostly short ones, a few of a minute. */
static int64_t delay(struct world *w)
{
	if (!w->delays)
		return 0;
	uint64_t dice = draw(w) % 32;
	return (int64_t)(draw(w) % (dice == 0 ? 60000 : dice < 8 ? 4000 : 200));
}

static int64_t sooner(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static void schedule(struct world *w, struct pending e, int64_t in_ms)
{
	e.at = w->now + in_ms;
	e.order = ++w->order;
	if (!e.orphan) {
		e.stores = w->stores_lost;
		e.left = w->tick;
	}
	vec_push(&w->events, e);
}

void world_schedule_twin(struct world *w, struct pending e, int64_t in_ms)
{
	e.twin = true;
	schedule(w, e, in_ms);
}

static void take_call(void *ctx, struct api_call *owned_call)
{
	struct world *w = ctx;
	world_tell(w, "leave", owned_call);
	check_leaves(w, owned_call);
	w->calls[owned_call->verb]++;
	const char *about = owned_call->identifier;
	struct pending e = {.kind = EVENT_EFFECT,
		.call = owned_call,
		.knew = about ? w->shown[who_is(about)] : 0,
		.ends = w->now + CALL_TAKES_MOST};
	schedule(w, e, sooner(w->api[API_SWITCH_SLOW] + delay(w), CALL_TAKES_MOST));
}

static void take_read(void *ctx, struct read_request *owned_request)
{
	struct world *w = ctx;
	schedule(w, (struct pending){.kind = EVENT_READ, .read = owned_request}, delay(w));
}

static void take_post(void *ctx, struct post_batch *owned_batch)
{
	struct world *w = ctx;
	w->posts++;
	vec_each (s, &owned_batch->statuses)
		check_posts(w, s);
	w->post_left = w->tick;
	w->post_left_at = w->now;
	schedule(w, (struct pending){.kind = EVENT_POST, .post = owned_batch}, delay(w));
}

void world_release_event(struct pending *e)
{
	if (e->call)
		api_call_free(e->call);
	if (e->answer)
		api_answer_free(e->answer);
	free(e->read);
	post_batch_free(e->post);
}

/* ---- the forge */

static void keep_note(struct world *w, const struct forge_status *s)
{
	auto_free char *key = xasprintf("%s %s", s->sha, s->context);
	free(map_put(&w->notes, key, xasprintf("%s %s", status_state_name(s->state), s->text)));
}

static void take_statuses(struct world *w, struct post_batch *b)
{
	bool arrive = w->forge == 0 || w->forge == 3;
	for (size_t i = 0; i < b->statuses.n; i++) {
		size_t commit = git_find(w, b->statuses.at[i].sha);
		if (arrive)
			keep_note(w, &b->statuses.at[i]);
		if (w->forge == 2 && commit)
			w->commits.at[commit - 1].refused = true;
		b->ends[i] = w->forge == 0 ? POST_ARRIVED : w->forge == 2 ? POST_REFUSED : POST_NOT;
	}
	if (w->forge == 0)
		return;
	w->forge_failed = w->tick;
	if (w->forge == 2)
		err_set(&b->err, ERR_INVALID, "the forge takes no such status");
	else
		err_retriable(&b->err, ERR_UNAVAILABLE, "the forge is down");
}

const char *world_note(const struct world *w, size_t commit, const char *kind)
{
	char sha[SHA_MAX];
	git_sha(commit, sha);
	auto_free char *key = xasprintf("%s weir/acme/%s", sha, kind);
	const char *note = map_get(&w->notes, key);
	return note ? note : "";
}

/* ---- events */

static void deliver(struct world *w, struct pending *answer)
{
	for (int who = 0; who < WHO__COUNT; who++) {
		if (!(answer->shows >> who & 1) || w->shown[who] >= answer->shown)
			continue;
		uint64_t when = world_disturbed(w, who);
		if (w->shown[who] <= when && when < answer->shown)
			w->saw[who] = w->tick, w->saw_at[who] = w->now;
		w->shown[who] = answer->shown;
		check_met(w, who);
	}
	engine_answer(w->engine, TAKE(answer->answer));
}

static void take_effect(struct world *w, struct pending *e)
{
	bool late;
	w->effect_stores = e->stores;
	w->effect_left = e->left;
	w->effect_knew = e->knew;
	w->effect_orphan = e->orphan;
	w->shows = 0;
	world_tell(w, e->orphan ? "late effect" : "effect", e->call);
	struct pending answer = {.kind = EVENT_ANSWER, .answer = api_take(w, e->call, &late)};
	answer.shows = answer.answer->outcome == API_OK ? w->shows : 0;
	answer.shown = w->tick;
	enum api_outcome outcome = answer.answer->outcome;
	if (outcome == API_TRY_AGAIN || outcome == API_NONSENSE || outcome == API_FORBIDDEN)
		check_unsure(w, e->call);
	int64_t ms = sooner(delay(w), e->ends - w->now);
	if (late && !e->orphan)
		schedule(w,
			(struct pending){.kind = EVENT_EFFECT,
				.call = TAKE(e->call),
				.orphan = true,
				.stores = e->stores,
				.left = e->left,
				.knew = e->knew},
			30000 + 4 * delay(w));
	if (e->orphan)
		api_answer_free(answer.answer);
	else if (ms > 0)
		schedule(w, answer, ms);
	else
		deliver(w, &answer);
}

static void happen(struct world *w, struct pending *e)
{
	w->tick++;
	if (e->twin) {
		twin_happen(w, e);
		return;
	}
	switch (e->kind) {
	case EVENT_READ:
		engine_read_done(w->engine, git_read(w, e->read));
		break;
	case EVENT_EFFECT:
		take_effect(w, e);
		break;
	case EVENT_ANSWER:
		deliver(w, e);
		break;
	case EVENT_POST:
		take_statuses(w, e->post);
		w->post_answered_at = w->now;
		engine_posted(w->engine, TAKE(e->post));
		break;
	}
	world_release_event(e);
}

/* The next one; events.n if there is none. */
static size_t next_event(const struct world *w)
{
	size_t next = w->events.n;
	for (size_t i = 0; i < w->events.n; i++) {
		const struct pending *e = &w->events.at[i];
		const struct pending *first = next < w->events.n ? &w->events.at[next] : NULL;
		if (!first || e->at < first->at || (e->at == first->at && e->order < first->order))
			next = i;
	}
	return next;
}

/* That weir saw a commit is in the store after its next step, what it says of it after the one
 * behind that. */
static void note_written(struct world *w)
{
	if (!w->engine || !w->fresh || world_disk_full || ++w->fresh_steps < 2)
		return;
	w->commits.at[w->fresh - 1].seen = true;
	if (w->fresh == w->taken && !w->held)
		check_written(w, &w->commits.at[w->fresh - 1].tree);
	w->fresh = 0;
}

/* Until `end`, or until so many things happened. */
static void run(struct world *w, int64_t end, int64_t n)
{
	size_t steps = 0;
	while (n > 0 && w->now <= end) {
		if (steps++ > STEPS_MOST)
			violate("never_rests", "it does something all the time");
		api_tick(w);
		int64_t due = w->engine ? engine_step(w->engine, w->now) : INT64_MAX;
		if (w->engine && !world_disk_full)
			w->written = w->tick;
		if (w->twin.engine)
			due = sooner(due, engine_step(w->twin.engine, w->now));
		note_written(w);
		size_t next = next_event(w);
		int64_t at = next < w->events.n ? w->events.at[next].at : INT64_MAX;
		if (at <= due && at <= end) {
			struct pending e = w->events.at[next];
			vec_remove(&w->events, next);
			w->now = at > w->now ? at : w->now;
			happen(w, &e);
			n--;
			continue;
		}
		at = sooner(due, api_due(w));
		if (at > end)
			break;
		w->now = at > w->now ? at : w->now;
	}
	if (n > 0 && w->now < end)
		w->now = end;
	api_tick(w);
}

void world_run(struct world *w, int64_t ms)
{
	run(w, w->now + ms, INT64_MAX);
}

void world_events(struct world *w, int64_t n)
{
	int64_t end = w->now + 10 * MINUTE;
	run(w, end, n);
}

/* ---- the engine's life */

/* Made once: a time zone is read from a file. */
static struct windows *windows_of(int64_t minutes, bool some)
{
	static struct windows *made[2][WINDOW_EACH][2];
	int64_t n = minutes < 0 ? -minutes : minutes;
	if (n == 0 || n >= WINDOW_EACH)
		return NULL;
	struct windows **at = &made[minutes > 0][n][some];
	auto_arena struct arena a = ARENA_INIT;
	struct node *match = node_map(&a);
	node_map_set(&a, match, "team", node_string(&a, "even"));
	const struct window_rule rule = {.deny = minutes > 0,
		.schedule = "*/20 * * * *",
		.duration_ms = (minutes > 0 ? n : WINDOW_EACH - n) * MINUTE,
		.timezone = "UTC",
		.match = some ? match : NULL};
	struct err e = ERR_INIT;
	size_t bad;
	if (!*at && windows_new(&rule, 1, at, &bad, &e) < 0)
		BUG("%s", e.msg);
	return *at;
}

static void configure(struct world *w)
{
	w->config.source.rewind = w->configured[CONFIG_REWIND] ? REWIND_FOLLOW : REWIND_HOLD;
	w->config.sync.concurrency =
		w->configured[CONFIG_CONCURRENCY] > 0 ? w->configured[CONFIG_CONCURRENCY] : 4;
	w->config.sync.adopt = (int)(w->configured[CONFIG_ADOPT] % 3);
	w->config.sync.prune.enabled = w->configured[CONFIG_PRUNE];
	w->config.sync.prune.max =
		(struct count_or_percent){.value = w->configured[CONFIG_PRUNE_MAX]};
	w->config.sync.prune.grace_ms = w->configured[CONFIG_PRUNE_GRACE];
	w->config.sync.max_updates = w->configured[CONFIG_MAX_UPDATES];
	w->config.sync.windows =
		windows_of(w->configured[CONFIG_WINDOW], w->configured[CONFIG_WINDOW_MATCH]);
}

void world_start(struct world *w)
{
	if (w->engine)
		return;
	configure(w);
	const struct engine_options options = {
		.config = &w->config,
		.store = w->store,
		.ports = {.api = {take_call, w}, .read = take_read, .post = take_post, .ctx = w},
		.clock = &w->clock,
		.rng = &w->rng,
	};
	struct err e = ERR_INIT;
	w->taken_here = w->held = false;
	w->fresh = 0;
	w->started = w->tick;
	w->started_now = w->now;
	w->updated = 0;
	check_restarted(w);
	if (engine_new(&options, &w->engine, &e) < 0)
		violate("starts", "%s", e.msg);
}

/* What becomes of an event whose engine is gone: 0 nothing, 1 its effect, 2 its effect later. */
static void outlive(struct world *w, struct pending *e, int64_t fate)
{
	bool late;
	w->effect_stores = e->stores;
	w->effect_left = e->left;
	w->effect_knew = e->knew;
	w->effect_orphan = e->orphan;
	if (e->kind == EVENT_EFFECT)
		check_unsure(w, e->call);
	if (e->kind == EVENT_EFFECT && fate == 1)
		api_answer_free(api_take(w, e->call, &late));
	else if (e->kind == EVENT_EFFECT && fate == 2)
		schedule(w,
			(struct pending){.kind = EVENT_EFFECT,
				.call = TAKE(e->call),
				.orphan = true,
				.stores = e->stores,
				.left = e->left,
				.knew = e->knew},
			5000);
	else if (e->kind == EVENT_POST && fate == 1)
		take_statuses(w, e->post);
	world_release_event(e);
}

void world_kill(struct world *w, int64_t fates)
{
	if (!w->engine)
		return;
	size_t n = w->events.n;
	struct pending *events = w->events.at;
	w->events.at = NULL;
	w->events.n = w->events.cap = 0;
	engine_free(TAKE(w->engine));
	for (size_t i = 0; i < n; i++) {
		if (events[i].orphan || events[i].twin) {
			vec_push(&w->events, events[i]);
			continue;
		}
		outlive(w, &events[i], fates % 3);
		fates /= 3;
	}
	free(events);
}

static bool awaits(const struct world *w)
{
	vec_each (e, &w->events)
		if (!e->orphan && !e->twin)
			return true;
	return false;
}

void world_stop(struct world *w)
{
	if (!w->engine)
		return;
	uint64_t calls = w->calls[API_CREATE] + w->calls[API_PATCH];
	engine_stop(w->engine);
	for (int i = 0; !engine_idle(w->engine); i++) {
		if (i > 1000)
			violate("stops", "it does not stop");
		engine_step(w->engine, w->now);
		if (awaits(w))
			world_events(w, 1);
	}
	engine_step(w->engine, w->now);
	if (calls != w->calls[API_CREATE] + w->calls[API_PATCH])
		violate("stops", "it began something although it was asked to stop");
	if (!world_disk_full)
		check_stopped(w);
	engine_free(TAKE(w->engine));
}

static void empty(struct store *s)
{
	struct db_stmt *const all[] = {
		db_prepare(s->db, "DELETE FROM accepted"),
		db_prepare(s->db, "DELETE FROM approval"),
		db_prepare(s->db, "DELETE FROM event"),
		db_prepare(s->db, "DELETE FROM intent"),
		db_prepare(s->db, "DELETE FROM inventory"),
		db_prepare(s->db, "DELETE FROM outbox"),
		db_prepare(s->db, "DELETE FROM suspension"),
		db_prepare(s->db, "DELETE FROM value"),
	};
	struct db_stmt *count =
		db_prepare(s->db, "SELECT count(*) FROM sqlite_schema WHERE type = 'table'"
				  " AND name NOT LIKE 'sqlite_%'");
	struct err e = ERR_INIT;
	if (db_step(count, &e) != 1 || db_int(count, 0) != ARRAY_SIZE(all))
		BUG("the store has other tables");
	db_reset(count);
	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		if (db_run(all[i], &e) < 0)
			BUG("%s", e.msg);
}

/* An empty one. It is made once: that, and compiling its statements, takes as long as a history. */
static void open_store(struct world *w)
{
	static struct store *made;
	struct err e = ERR_INIT;
	if (!made && store_open_memory("scope", &made, &e) < 0)
		BUG("%s", e.msg);
	empty(made);
	w->store = made;
}

void world_lose_store(struct world *w)
{
	if (w->engine)
		return;
	open_store(w);
	w->stores_lost++;
	memset(w->memory, 0, sizeof(w->memory));
	memset(w->suspended, 0, sizeof(w->suspended));
	memset(w->approved, 0, sizeof(w->approved));
	w->taken = 0;
}

void world_setup(struct world *w)
{
	*w = (struct world){.now = 1000, .api = {[API_SWITCH_TAKES] = 3000}};
	w->clock = (struct clock){wall, mono, w};
	w->rng = rng_from_seed(&w->seed, 7);
	w->config = (struct config){
		.file = "weir.yaml",
		.name = "acme",
		.source = {.interval_ms = 30000},
		.api = {.url = "http://api", .organization = "acme"},
		.sync = {.interval_ms = 10 * MINUTE, .timeout_ms = 10 * MINUTE},
	};
	world_disk_full = false;
	open_store(w);
}

void world_teardown(struct world *w)
{
	engine_free(w->engine);
	twin_release(w);
	vec_each (e, &w->events)
		world_release_event(e);
	vec_release(&w->events);
	map_release_with(&w->notes, free);
	git_release(w);
	api_release(w);
}
