/* The API of the engine's tests: a replicator is a JSON object with a generation. */
#include "world.h"

#include <stdio.h>
#include <string.h>

#include "api/answer.h"
#include "base/alloc.h"
#include "doc/json.h"

static void free_object(void *p)
{
	struct object *o = p;
	free(o->name);
	free(o->body);
	free(o);
}

void world_api_release(struct world *w)
{
	map_release_with(&w->objects, free_object);
	map_release_with(&w->keys, free);
	map_release_with(&w->others, free);
}

struct object *world_object(struct world *w, const char *name)
{
	return map_get(&w->objects, name);
}

static void settle(struct world *w, struct object *o)
{
	struct operation_of *op = o->running;
	if (!op || w->now < op->ends_at)
		return;
	op->state = w->fails ? OPERATION_FAILED : OPERATION_SUCCEEDED;
	o->observed = op->generation;
	o->failed = w->fails;
	o->running = NULL;
}

static const char *status_of(const struct object *o)
{
	if (o->deleting)
		return "Deleting";
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
	if (!w->no_uid)
		node_map_set(&a, n, "uid", node_string(&a, o->uid));
	if (!w->no_created)
		node_map_set(&a, n, "created_at", node_string(&a, o->created));
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
static bool merge(const struct world *w, struct object *o, const char *json)
{
	struct arena a = ARENA_INIT;
	struct node *old;
	struct node *over;
	json_read(&a, o->body, strlen(o->body), &old, NULL);
	json_read(&a, json, strlen(json), &over, NULL);
	for (size_t i = 0; i < over->u.map.n; i++) {
		const struct node_pair *pair = &over->u.map.at[i];
		if (!w->drops || strcmp(w->drops, pair->key->u.string.s) != 0)
			node_map_set(&a, old, pair->key->u.string.s, pair->value);
	}
	struct buf merged = BUF_INIT;
	json_write(&merged, old, JSON_STYLE_CANONICAL);
	bool changed = strcmp(buf_str(&merged), o->body) != 0;
	str_replace(&o->body, buf_take(&merged));
	arena_release(&a);
	return changed;
}

static struct object *add_object(struct world *w, const char *json)
{
	struct arena a = ARENA_INIT;
	struct node *n;
	json_read(&a, json, strlen(json), &n, NULL);
	auto_free char *name = xstrdup(node_get_string(n, "identifier"));
	arena_release(&a);
	if (world_object(w, name))
		return NULL;
	struct object *o = xcalloc(1, sizeof(*o));
	*o = (struct object){.name = xstrdup(name), .body = xstrdup("{}"), .generation = 1};
	o->shows_at = w->now + w->lag_ms;
	snprintf(o->uid, sizeof(o->uid), "uid-%u", ++w->uids);
	clock_format(clock_wall_ms(&w->clock) + 1000 * w->uids, o->created);
	merge(w, o, json);
	map_put(&w->objects, name, o);
	return o;
}

static int create(struct world *w, const struct api_call *c, struct buf *out)
{
	struct object *o = add_object(w, c->body);
	if (!o)
		return 409;
	write_object(w, o, out);
	return 201;
}

static int patch(struct world *w, struct object *o, const struct api_call *c, struct buf *out)
{
	settle(w, o);
	if (!w->no_if_match && c->generation && c->generation != o->generation)
		return 412;
	bool changed = merge(w, o, c->body);
	o->generation += changed;
	o->patches += changed;
	write_object(w, o, out);
	return 200;
}

static struct operation_of *start_operation(struct world *w, struct object *o)
{
	struct operation_of *op = xcalloc(1, sizeof(*op));
	memcpy(op->uid, o->uid, sizeof(op->uid));
	op->generation = o->generation;
	op->state = OPERATION_RUNNING;
	op->ends_at = w->now + w->operation_ms;
	if (o->running)
		o->running->state = OPERATION_SUPERSEDED;
	o->running = op;
	return op;
}

void world_reconcile(struct world *w, const char *name)
{
	struct object *o = world_object(w, name);
	auto_free char *number = xasprintf("%zu", map_size(&w->others));
	settle(w, o);
	map_put(&w->others, number, start_operation(w, o));
	settle(w, o);
	o->foreign = false;
}

static int reconcile(struct world *w, struct object *o, const struct api_call *c, struct buf *out)
{
	settle(w, o);
	auto_free char *key = xasprintf("%s %s", o->uid, c->idempotency_key);
	struct operation_of *op = map_get(&w->keys, key);
	if (!op) {
		if (c->generation != o->generation)
			return 409;
		w->trespasses += o->foreign;
		op = start_operation(w, o);
		map_put(&w->keys, key, op);
		settle(w, o);
	}
	buf_addf(out, "{\"id\": \"op\", \"generation\": %lld", (long long)op->generation);
	if (!w->no_state)
		buf_addf(out, ", \"state\": \"%s\", \"error\": \"\"",
			operation_state_name(op->state));
	buf_addc(out, '}');
	return 202;
}

/* A draft goes at once, everything else takes as long as an operation. */
static int remove_object(struct world *w, struct object *o, const struct api_call *c)
{
	settle(w, o);
	if (o->deleting)
		return 409;
	if (!w->no_if_match && c->generation && c->generation != o->generation)
		return 412;
	if (!o->observed && !o->running) {
		free_object(map_remove(&w->objects, o->name));
		return 204;
	}
	o->deleting = true;
	o->gone_at = w->now + w->operation_ms;
	return 202;
}

static void sweep(struct world *w)
{
	for (size_t i = map_size(&w->objects); i-- > 0;) {
		struct object *o = map_value(&w->objects, i);
		if (o->gone_at && w->now >= o->gone_at)
			free_object(map_remove(&w->objects, o->name));
	}
}

static int list(struct world *w, struct buf *out)
{
	buf_addc(out, '[');
	for (size_t i = 0; i < map_size(&w->objects); i++) {
		struct object *o = map_value(&w->objects, i);
		if (o->unlisted || w->now < o->shows_at)
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
	if (c->verb == API_DELETE)
		return remove_object(w, o, c);
	if (w->mixes_up)
		o = world_object(w, w->mixes_up);
	write_object(w, o, out);
	return 200;
}

static enum mishap next_mishap(struct world *w, enum api_verb verb)
{
	static const enum mishap dice[] = {MISHAP_BEFORE, MISHAP_AFTER, MISHAP_500, MISHAP_401};
	if (w->chaos && rng_below(&w->dice, 5) == 0)
		return dice[rng_below(&w->dice, ARRAY_SIZE(dice))];
	if (!w->mishaps[verb])
		return MISHAP_NONE;
	w->mishaps[verb]--;
	return w->mishap[verb];
}

static void strike(struct world *w, enum api_verb verb, bool after)
{
	struct strike *s = &w->strike;
	if (!s->times || s->verb != verb || s->after != after)
		return;
	s->times--;
	s->act(w);
}

struct api_answer *world_answer(struct world *w, const struct api_call *c)
{
	static const int statuses[MISHAP__COUNT] = {[MISHAP_500] = 500,
		[MISHAP_401] = 401,
		[MISHAP_403] = 403,
		[MISHAP_404] = 404,
		[MISHAP_422] = 422,
		[MISHAP_REFUSE] = 400};
	if (w->serves)
		w = w->serves;
	enum mishap mishap = next_mishap(w, c->verb);
	auto_buf struct buf body = BUF_INIT;
	bool effect = mishap == MISHAP_NONE || mishap == MISHAP_AFTER;
	strike(w, c->verb, false);
	sweep(w);
	int status = effect ? act(w, c, &body) : statuses[mishap];
	strike(w, c->verb, true);
	vec_push(&w->log, (struct call_log){c->verb, xstrdup_opt(c->identifier),
				  xstrdup_opt(c->idempotency_key), effect, w->now});
	if (mishap == MISHAP_BEFORE || mishap == MISHAP_AFTER) {
		struct err e = ERR_INIT;
		err_retriable(&e, ERR_UNAVAILABLE, "the connection was lost");
		return api_answer_failed(c->verb, c->token, &e);
	}
	if (mishap == MISHAP_REFUSE)
		buf_adds(&body, "{\"topic_whitelist\": [\"names a topic that is not allowed\"]}");
	const struct api_raw_answer raw = {.status = status,
		.content_type = "application/json",
		.body = buf_str(&body),
		.body_len = body.len};
	return api_answer_read(c->verb, c->token, &raw);
}

/* What others do ends an operation of ours. */
static void provision(struct world *w, struct object *o)
{
	if (o->running)
		o->running->state = OPERATION_SUPERSEDED;
	o->running = NULL;
	o->observed = o->generation;
	o->failed = w->fails;
	o->foreign = false;
}

void world_save(struct world *w, const char *name, const char *field, const char *json)
{
	struct object *o = world_object(w, name);
	auto_free char *body = xasprintf("{\"%s\": %s}", field, json);
	settle(w, o);
	o->generation += merge(w, o, body);
}

void world_edit(struct world *w, const char *name, const char *field, const char *json)
{
	struct object *o = world_object(w, name);
	auto_free char *body = xasprintf("{\"%s\": %s}", field, json);
	settle(w, o);
	o->generation += merge(w, o, body);
	provision(w, o);
}

struct object *world_draft(struct world *w, const char *json)
{
	return add_object(w, json);
}

void world_create(struct world *w, const char *json)
{
	provision(w, add_object(w, json));
}

void world_delete(struct world *w, const char *name)
{
	free_object(map_remove(&w->objects, name));
}
