/* The world of the engine's tests. */
#include "world.h"

#include <stdio.h>
#include <string.h>

#include "api/answer.h"
#include "base/alloc.h"
#include "doc/json.h"

static int64_t wall(void *ctx)
{
	return 1790000000000 + ((struct world *)ctx)->now;
}

static int64_t mono(void *ctx)
{
	return ((struct world *)ctx)->now;
}

static void take_call(void *ctx, struct api_call *owned_call)
{
	struct world *w = ctx;
	vec_push(&w->calls, owned_call);
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
	*w = (struct world){.now = 1000};
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

static void free_object(void *p)
{
	struct object *o = p;
	free(o->name);
	free(o->body);
	free(o);
}

static void drop_requests(struct world *w)
{
	vec_each (c, &w->calls)
		api_call_free(*c);
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
	vec_each (l, &w->log) {
		free(l->name);
		free(l->key);
	}
	vec_release(&w->log);
	map_release_with(&w->objects, free_object);
	map_release(&w->keys);
	map_release_with(&w->notes, free);
	free(w->git);
}

void world_commit(struct world *w, const char *yaml)
{
	str_replace(&w->git, xstrdup(yaml));
	snprintf(w->sha, sizeof(w->sha), "%040u", ++w->commits);
	w->relation = w->commits == 1 ? SOURCE_FIRST : SOURCE_FORWARD;
	if (w->engine)
		engine_wake(w->engine);
}

void world_start(struct world *w)
{
	const struct engine_options options = {
		.config = &w->config,
		.store = w->store,
		.ports = {.api = {take_call, w}, .read = take_read, .post = take_post, .ctx = w},
		.clock = &w->clock,
		.rng = &w->rng,
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

struct object *world_object(struct world *w, const char *name)
{
	return map_get(&w->objects, name);
}

static void settle(struct world *w, struct object *o)
{
	if (!o->running || w->now < o->ready_at)
		return;
	o->observed = o->running;
	o->failed = w->fails;
	o->running = 0;
}

static const char *status_of(const struct object *o)
{
	if (o->running)
		return o->observed ? "Updating" : "Provisioning";
	if (!o->observed)
		return "Pending";
	return o->failed ? "Error" : "Healthy";
}

static void write_object(struct world *w, struct object *o, struct buf *out)
{
	struct arena a = ARENA_INIT;
	struct node *n;
	settle(w, o);
	json_read(&a, o->body, strlen(o->body), &n, NULL);
	node_map_set(&a, n, "identifier", node_string(&a, o->name));
	node_map_set(&a, n, "uid", node_string(&a, o->uid));
	node_map_set(&a, n, "generation", node_int(&a, o->generation));
	if (!w->no_observed)
		node_map_set(&a, n, "observed_generation", node_int(&a, o->observed));
	node_map_set(&a, n, "status", node_string(&a, status_of(o)));
	node_map_set(
		&a, n, "status_message", node_string(&a, o->failed ? "no route to broker" : ""));
	json_write(out, n, JSON_STYLE_COMPACT);
	arena_release(&a);
}

/* Puts the fields of `json` over the object's. True if anything changed. */
static bool merge(struct object *o, const char *json)
{
	struct arena a = ARENA_INIT;
	struct node *old;
	struct node *over;
	json_read(&a, o->body, strlen(o->body), &old, NULL);
	json_read(&a, json, strlen(json), &over, NULL);
	for (size_t i = 0; i < over->u.map.n; i++)
		node_map_set(&a, old, over->u.map.at[i].key->u.string.s, over->u.map.at[i].value);
	struct buf merged = BUF_INIT;
	json_write(&merged, old, JSON_STYLE_CANONICAL);
	bool changed = strcmp(buf_str(&merged), o->body) != 0;
	str_replace(&o->body, buf_take(&merged));
	arena_release(&a);
	return changed;
}

static int create(struct world *w, const struct api_call *c, struct buf *out)
{
	struct arena a = ARENA_INIT;
	struct node *n;
	json_read(&a, c->body, strlen(c->body), &n, NULL);
	auto_free char *name = xstrdup(node_get_string(n, "identifier"));
	arena_release(&a);
	if (world_object(w, name))
		return 409;
	struct object *o = xcalloc(1, sizeof(*o));
	*o = (struct object){.name = xstrdup(name), .body = xstrdup("{}"), .generation = 1};
	o->shows_at = w->now + w->lag_ms;
	snprintf(o->uid, sizeof(o->uid), "uid-%u", ++w->uids);
	merge(o, c->body);
	map_put(&w->objects, name, o);
	write_object(w, o, out);
	return 201;
}

static int patch(struct world *w, struct object *o, const struct api_call *c, struct buf *out)
{
	settle(w, o);
	if (c->generation && c->generation != o->generation)
		return 412;
	o->generation += merge(o, c->body);
	write_object(w, o, out);
	return 200;
}

static int reconcile(struct world *w, struct object *o, const struct api_call *c, struct buf *out)
{
	settle(w, o);
	if (!map_has(&w->keys, c->idempotency_key)) {
		if (c->generation != o->generation)
			return 409;
		map_put(&w->keys, c->idempotency_key, o);
		o->running = c->generation;
		o->ready_at = w->now + 3000;
	}
	buf_addf(out, "{\"id\": \"op\", \"generation\": %lld, \"state\": \"%s\", \"error\": \"\"}",
		(long long)c->generation,
		o->running  ? "Running"
		: o->failed ? "Failed"
			    : "Succeeded");
	return 202;
}

static int list(struct world *w, struct buf *out)
{
	buf_addc(out, '[');
	for (size_t i = 0; i < map_size(&w->objects); i++) {
		struct object *o = map_value(&w->objects, i);
		if (w->now < o->shows_at)
			continue;
		if (out->len > 1)
			buf_addc(out, ',');
		write_object(w, o, out);
	}
	buf_addc(out, ']');
	return 200;
}

static int act(struct world *w, const struct api_call *c, struct buf *out)
{
	struct object *o = c->identifier ? world_object(w, c->identifier) : NULL;
	if (c->verb == API_LIST)
		return list(w, out);
	if (c->verb == API_CREATE)
		return create(w, c, out);
	if (!o || (c->verb == API_GET && w->now < o->shows_at))
		return 404;
	if (c->verb == API_PATCH)
		return patch(w, o, c, out);
	if (c->verb == API_RECONCILE)
		return reconcile(w, o, c, out);
	write_object(w, o, out);
	return 200;
}

static enum mishap next_mishap(struct world *w, enum api_verb verb)
{
	if (!w->mishaps[verb])
		return MISHAP_NONE;
	w->mishaps[verb]--;
	return w->mishap[verb];
}

static struct api_answer *answer_call(struct world *w, const struct api_call *c)
{
	enum mishap mishap = next_mishap(w, c->verb);
	auto_buf struct buf body = BUF_INIT;
	struct err e = ERR_INIT;
	int status = 0;
	bool effect = mishap == MISHAP_NONE || mishap == MISHAP_AFTER;
	if (effect)
		status = act(w, c, &body);
	vec_push(&w->log, (struct call_log){c->verb, xstrdup_opt(c->identifier),
				  xstrdup_opt(c->idempotency_key), effect});
	if (mishap == MISHAP_BEFORE || mishap == MISHAP_AFTER) {
		err_retriable(&e, ERR_UNAVAILABLE, "the connection was lost");
		return api_answer_failed(c->verb, c->token, &e);
	}
	if (mishap == MISHAP_500)
		status = 500;
	if (mishap == MISHAP_401)
		status = 401;
	if (mishap == MISHAP_REFUSE) {
		status = 400;
		buf_adds(&body, "{\"topic_whitelist\": [\"names a topic that is not allowed\"]}");
	}
	const struct api_raw_answer raw = {.status = status,
		.content_type = "application/json",
		.body = buf_str(&body),
		.body_len = body.len};
	return api_answer_read(c->verb, c->token, &raw);
}

static void answer_read(struct world *w)
{
	struct read_request *q = w->read;
	w->read = NULL;
	struct read_result *r = xcalloc(1, sizeof(*r));
	if (!w->git) {
		err_set(&r->err, ERR_NOT_FOUND, "there is no branch main");
	} else {
		memcpy(r->head.sha, w->sha, sizeof(w->sha));
		memcpy(r->head.tree, w->sha, sizeof(w->sha));
		r->head.relation = strcmp(q->known, w->sha) != 0 ? w->relation : SOURCE_SAME;
		if (strcmp(q->tree, w->sha) != 0) {
			struct parsed_file *f = parsed_file_new(w->git, strlen(w->git));
			r->catalog = catalog_new();
			catalog_add(r->catalog, "all.yaml", f);
			catalog_finish(r->catalog);
			parsed_file_unref(f);
		}
	}
	free(q);
	engine_read_done(w->engine, r);
}

static void answer_post(struct world *w)
{
	struct post_batch *b = w->post;
	w->post = NULL;
	if (w->forge_down)
		err_retriable(&b->err, ERR_UNAVAILABLE, "the forge is down");
	for (size_t i = 0; i < b->statuses.n && !w->forge_down; i++) {
		const struct forge_status *s = &b->statuses.at[i];
		auto_free char *key = xasprintf("%s %s", s->sha, s->context);
		free(map_put(
			&w->notes, key, xasprintf("%s %s", status_state_name(s->state), s->text)));
		b->posted[i] = true;
	}
	engine_posted(w->engine, b);
}

/* One thing that is waiting to happen; false if there is none. */
static bool happen(struct world *w)
{
	if (w->read) {
		answer_read(w);
	} else if (w->calls.n) {
		struct api_call *c = w->calls.at[0];
		vec_remove(&w->calls, 0);
		struct api_answer *a = answer_call(w, c);
		api_call_free(c);
		engine_answer(w->engine, a);
	} else if (w->post) {
		answer_post(w);
	} else {
		return false;
	}
	return true;
}

void world_run(struct world *w, int64_t ms)
{
	int64_t end = w->now + ms;
	for (unsigned steps = 0;; steps++) {
		if (steps > 100000)
			BUG("the engine does not come to rest");
		int64_t due = engine_step(w->engine, w->now);
		if (happen(w) || due <= w->now)
			continue;
		if (due > end)
			break;
		w->now = due;
	}
	w->now = end;
}

void world_kill(struct world *w)
{
	vec_each (c, &w->calls)
		api_answer_free(answer_call(w, *c));
	drop_requests(w);
	engine_free(w->engine);
	w->engine = NULL;
}

void world_edit(struct world *w, const char *name, const char *field, const char *json)
{
	struct object *o = world_object(w, name);
	auto_free char *body = xasprintf("{\"%s\": %s}", field, json);
	settle(w, o);
	merge(o, body);
	o->observed = ++o->generation;
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
