/* The world of the engine's tests. */
#include "world.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/fs.h"
#include "reconcile/ledger.h"

static int64_t wall(void *ctx)
{
	const struct world *w = ctx;
	return 1790000000000 + w->now + w->wall_ahead;
}

static int64_t mono(void *ctx)
{
	return ((struct world *)ctx)->now;
}

static void take_call(void *ctx, struct api_call *owned_call)
{
	struct world *w = ctx;
	bool writes = owned_call->verb == API_CREATE || owned_call->verb == API_PATCH;
	if (w->disk_full && writes)
		BUG("seed %llu: a write that is not journalled",
			(unsigned long long)w->seed_of_history);
	vec_push(&w->calls, (struct waiting_call){owned_call, w->now + w->call_ms});
}

static void take_read(void *ctx, struct read_request *owned_request)
{
	((struct world *)ctx)->read = owned_request;
}

static void take_post(void *ctx, struct post_batch *owned_batch)
{
	((struct world *)ctx)->post = owned_batch;
}

void world_setup(struct world *w)
{
	struct err e = ERR_INIT;
	*w = (struct world){.now = 1000, .operation_ms = 3000};
	w->clock = (struct clock){wall, mono, w};
	w->rng = rng_from_seed(&w->seed, 7);
	w->config = (struct config){
		.file = "weir.yaml",
		.name = "acme",
		.source = {.interval_ms = 30000},
		.api = {.url = "http://api", .organization = "acme"},
		.sync = {.interval_ms = 300000, .timeout_ms = 600000, .concurrency = 4},
	};
	if (store_open_memory("scope", &w->store, &e) < 0)
		BUG("%s", e.msg);
}

static void drop_requests(struct world *w)
{
	vec_each (c, &w->calls)
		api_call_free(c->call);
	vec_clear(&w->calls);
	free(w->read);
	w->read = NULL;
	post_batch_free(w->post);
	w->post = NULL;
}

void world_teardown(struct world *w)
{
	drop_requests(w);
	vec_release(&w->calls);
	engine_free(w->engine);
	store_close(w->store);
	if (w->folder_of_store)
		fs_remove_tree(w->folder_of_store, NULL);
	free(w->folder_of_store);
	vec_each (l, &w->log) {
		free(l->name);
		free(l->key);
	}
	vec_release(&w->log);
	world_api_release(w);
	map_release_with(&w->notes, free);
	free(w->git);
}

int world_test_setup(void **state)
{
	*state = xcalloc(1, sizeof(struct world));
	world_setup(*state);
	return 0;
}

int world_test_teardown(void **state)
{
	world_teardown(*state);
	free(*state);
	return 0;
}

static void point_at(struct world *w, unsigned commit, const char *yaml)
{
	if (!w->git || strcmp(w->git, yaml) != 0)
		snprintf(w->tree, sizeof(w->tree), "%040u", commit);
	str_replace(&w->git, xstrdup(yaml));
	snprintf(w->sha, sizeof(w->sha), "%040u", commit);
	if (w->engine)
		engine_wake(w->engine);
}

void world_commit(struct world *w, const char *yaml)
{
	w->commits++;
	point_at(w, w->commits, yaml);
	w->relation = w->commits == 1 ? SOURCE_FIRST : SOURCE_FORWARD;
}

void world_return_to(struct world *w, unsigned commit, const char *yaml)
{
	point_at(w, commit, yaml);
}

void world_start(struct world *w)
{
	const struct engine_options options = {
		.config = &w->config,
		.store = w->store,
		.ports = {.api = {take_call, w}, .read = take_read, .post = take_post, .ctx = w},
		.clock = &w->clock,
		.rng = &w->rng,
		.dry = w->dry,
		.once = w->once,
	};
	struct err e = ERR_INIT;
	if (engine_new(&options, &w->engine, &e) < 0)
		BUG("%s", e.msg);
}

void world_fail(struct world *w, enum api_verb verb, enum mishap mishap, unsigned times)
{
	w->mishap[verb] = mishap;
	w->mishaps[verb] = times;
}

static void read_files(struct world *w, struct read_result *r)
{
	struct parsed_file *f = parsed_file_new(w->git, strlen(w->git));
	r->catalog = catalog_new();
	catalog_add(r->catalog, "all.yaml", f);
	catalog_finish(r->catalog);
	parsed_file_unref(f);
}

static void read_commit(struct world *w, const struct read_request *q, struct read_result *r)
{
	memcpy(r->head.sha, w->sha, sizeof(w->sha));
	memcpy(r->head.tree, w->tree, sizeof(w->tree));
	r->head.relation = strcmp(q->known, w->sha) != 0 ? w->relation : SOURCE_SAME;
	if (w->path_missing)
		err_set(&r->load_err, ERR_NOT_FOUND, "there is no folder replicators");
	else if (w->load_fails != ERR_OK)
		err_set(&r->load_err, w->load_fails, "the tree cannot be read");
	else if (!q->catalog || strcmp(q->tree, w->tree) != 0)
		read_files(w, r);
}

static void answer_read(struct world *w)
{
	struct read_request *q = w->read;
	w->read = NULL;
	struct read_result *r = xcalloc(1, sizeof(*r));
	if (w->git_down || (w->chaos && rng_below(&w->dice, 10) == 0))
		err_retriable(&r->err, ERR_UNAVAILABLE, "the server is down");
	else if (!w->git)
		err_set(&r->err, ERR_NOT_FOUND, "there is no branch main");
	else if (w->folder)
		read_files(w, r);
	else
		read_commit(w, q, r);
	if (w->secret_missing)
		vec_push(&r->secrets, (struct secret_problem){xstrdup("orders"),
					      SPEC_SOURCE_SECRET_PATH, xstrdup("is not there")});
	free(q);
	engine_read_done(w->engine, r);
}

static void answer_post(struct world *w)
{
	struct post_batch *b = w->post;
	bool down = w->forge_down || (w->chaos && rng_below(&w->dice, 4) == 0);
	w->post = NULL;
	w->posts++;
	if (w->forge_refuses_first)
		b->ends[0] = POST_REFUSED;
	if (down)
		err_retriable(&b->err, ERR_UNAVAILABLE, "the forge is down");
	if (w->forge_refuses)
		err_set(&b->err, ERR_INVALID, "the forge takes no such status");
	for (size_t i = 0; i < b->statuses.n && w->forge_refuses; i++)
		b->ends[i] = POST_REFUSED;
	for (size_t i = 0; i < b->statuses.n && !down && !w->forge_refuses; i++) {
		const struct forge_status *s = &b->statuses.at[i];
		auto_free char *key = xasprintf("%s %s", s->sha, s->context);
		free(map_put(
			&w->notes, key, xasprintf("%s %s", status_state_name(s->state), s->text)));
		b->ends[i] = POST_ARRIVED;
	}
	engine_posted(w->engine, b);
}

/* The first call that gets its answer, or, in chaos, any; calls.n if none does. */
static size_t choose_call(struct world *w)
{
	if (w->chaos && w->calls.n)
		return rng_below(&w->dice, w->calls.n);
	for (size_t k = 0; k < w->calls.n; k++) {
		size_t i = w->newest_first ? w->calls.n - 1 - k : k;
		const struct waiting_call *c = &w->calls.at[i];
		const char *name = c->call->identifier;
		if (w->now >= c->at && (!w->holds || !name || strcmp(w->holds, name) != 0))
			return i;
	}
	return w->calls.n;
}

/* One thing that is waiting to happen; false if there is none. */
static bool happen(struct world *w)
{
	size_t i = choose_call(w);
	bool skips = w->chaos && rng_below(&w->dice, 3) == 0;
	if (w->read && !(skips && w->calls.n)) {
		answer_read(w);
	} else if (i < w->calls.n && !(skips && w->post)) {
		struct api_call *c = w->calls.at[i].call;
		vec_remove(&w->calls, i);
		struct api_answer *a = world_answer(w, c);
		api_call_free(c);
		engine_answer(w->engine, a);
	} else if (w->post) {
		answer_post(w);
	} else {
		return false;
	}
	if (w->chaos)
		w->now += (int64_t)rng_below(&w->dice, rng_below(&w->dice, 20) ? 100 : 20000);
	return true;
}

static bool happen_often(struct world *w)
{
	unsigned n = w->chaos ? 1 + (unsigned)rng_below(&w->dice, 3) : w->burst ? w->burst : 1;
	bool any = false;
	while (n-- && happen(w))
		any = true;
	return any;
}

/* The time of the first answer that is on its way, if it comes before `due`. */
static int64_t next_answer(const struct world *w, int64_t due)
{
	vec_each (c, &w->calls)
		if (c->at > w->now && c->at < due)
			due = c->at;
	return due;
}

static bool run_until(struct world *w, int64_t ms, bool (*done)(const struct engine *))
{
	int64_t end = w->now + ms;
	for (unsigned steps = 0;; steps++) {
		if (steps > 1000000)
			BUG("seed %llu: the engine does not come to rest",
				(unsigned long long)w->seed_of_history);
		int64_t due = engine_step(w->engine, w->now);
		if (done && done(w->engine))
			return true;
		if (happen_often(w) || due <= w->now)
			continue;
		due = next_answer(w, due);
		if (due > end)
			break;
		w->now = due;
	}
	if (w->now < end)
		w->now = end;
	return false;
}

void world_run(struct world *w, int64_t ms)
{
	run_until(w, ms, NULL);
}

bool world_settles(struct world *w, int64_t ms)
{
	return run_until(w, ms, engine_settled);
}

void world_store_on_disk(struct world *w)
{
	struct err e = ERR_INIT;
	store_close(w->store);
	/* In memory all the same where that can be: no disk is waited for. */
	bool shm = access("/dev/shm", W_OK) == 0;
	w->folder_of_store = xasprintf("%s/weir-world-XXXXXX", shm ? "/dev/shm" : "/tmp");
	if (!mkdtemp(w->folder_of_store) ||
		store_open(w->folder_of_store, "scope", &w->store, &e) < 0)
		BUG("%s", e.msg);
}

void world_lose_store(struct world *w)
{
	struct err e = ERR_INIT;
	world_fill_disk(w, false);
	store_close(w->store);
	if (w->folder_of_store)
		fs_remove_tree(w->folder_of_store, NULL);
	str_replace(&w->folder_of_store, NULL);
	if (store_open_memory("scope", &w->store, &e) < 0)
		BUG("%s", e.msg);
}

void world_fill_disk(struct world *w, bool full)
{
	w->disk_full = full;
	struct rlimit limit;
	getrlimit(RLIMIT_FSIZE, &limit);
	limit.rlim_cur = full ? 1 : limit.rlim_max;
	setrlimit(RLIMIT_FSIZE, &limit);
	signal(SIGXFSZ, SIG_IGN);
}

void world_stop(struct world *w)
{
	engine_stop(w->engine);
	uint64_t steps = 0;
	do {
		if (steps++ > 1000)
			BUG("seed %llu: it does not stop", (unsigned long long)w->seed_of_history);
		engine_step(w->engine, w->now);
		happen(w);
		w->now += 10;
	} while (!engine_idle(w->engine));
	engine_step(w->engine, w->now);
	engine_free(w->engine);
	w->engine = NULL;
}

void world_kill(struct world *w)
{
	vec_each (c, &w->calls)
		api_answer_free(world_answer(w, c->call));
	drop_requests(w);
	engine_free(w->engine);
	w->engine = NULL;
}

void world_start_with(struct world *w, const char *yaml)
{
	world_commit(w, yaml);
	world_start(w);
	world_run(w, 60000);
}

bool world_has_event(struct world *w, const char *name, const char *what)
{
	struct events events = VEC_INIT;
	struct err e = ERR_INIT;
	bool found = false;
	if (store_load_events(w->store, name, 1000, &events, &e) < 0)
		BUG("%s", e.msg);
	vec_each (event, &events)
		found = found || !strcmp(event->what, what);
	events_release(&events);
	return found;
}

void world_approve(struct world *w, const char *name, const char *digest)
{
	struct approval *a = xmalloc(sizeof(*a));
	if (!engine_binds(w->engine, name, digest))
		BUG("%s: nothing binds %s", name, digest);
	*a = (struct approval){
		.digest = xstrdup(digest),
		.name = xstrdup(name),
		.action = xstrdup("it"),
		.by = xstrdup("jane"),
		.reason = xstrdup(""),
	};
	ledger_approve(engine_ledger(w->engine), a);
	engine_wake(w->engine);
}

void world_approve_all(struct world *w)
{
	const struct ledger *ledger = engine_ledger(w->engine);
	vec_each (item, &engine_plan(w->engine)->items)
		if (item->approval && !map_has(&ledger->approvals, item->approval))
			world_approve(w, item->name, item->approval);
}

const char *world_note(struct world *w, const char *kind)
{
	auto_free char *key = xasprintf("%s weir/acme/%s", w->sha, kind);
	const char *note = map_get(&w->notes, key);
	return note ? note : "";
}

size_t world_count(const struct world *w, enum api_verb verb)
{
	size_t n = 0;
	vec_each (l, &w->log)
		n += l->verb == verb;
	return n;
}

size_t world_operations(const struct world *w)
{
	return map_size(&w->keys);
}
