/*
 * The reference API: what a server of the Kafka Replicator API is by the design's page 2, with the
 * variants that servers may be. It knows nothing of weir's planner, and nothing of replicatord.
 */
#include <stdio.h>
#include <string.h>

#include "api/answer.h"
#include "checks.h"
#include "doc/json.h"
#include "world.h"

#define PAGE 2

static bool is(const struct world *w, enum variant v)
{
	return w->variants & 1u << v;
}

int who_is(const char *name)
{
	for (int who = 0; who < WHO__COUNT; who++)
		if (!strcmp(who_names[who], name))
			return who;
	BUG("nobody is called %s", name);
}

static void meddled(struct world *w, int who)
{
	w->meddled[who] = w->tick;
}

/* Of what a call does; the second daemon is one of the others. */
static void note_twin(struct world *w, int who)
{
	if (w->twin.acts)
		meddled(w, who);
}

static void note_shown(struct world *w, int who)
{
	if (!w->twin.acts)
		check_shown(w, who);
}

/* ---- objects and operations */

static struct op *running(struct world *w, struct object *o)
{
	return o->op ? &w->ops.at[o->op - 1] : NULL;
}

static void vanish(struct object *o)
{
	vec_release(&o->past);
	*o = (struct object){0};
}

static void settle(struct world *w, struct object *o)
{
	struct op *op = running(w, o);
	if (op && w->now >= op->ends_at) {
		o->failed = w->api[API_SWITCH_FAILS];
		op->state = o->failed ? OPERATION_FAILED : OPERATION_SUCCEEDED;
		o->observed = op->generation;
		o->op = 0;
	}
	if (o->deleting && w->now >= o->gone_at)
		vanish(o);
}

void api_tick(struct world *w)
{
	for (int who = 0; who < WHO__COUNT; who++)
		settle(w, &w->object[who]);
}

int64_t api_due(const struct world *w)
{
	int64_t due = INT64_MAX;
	for (int who = 0; who < WHO__COUNT; who++) {
		const struct object *o = &w->object[who];
		if (o->op && w->ops.at[o->op - 1].ends_at < due)
			due = w->ops.at[o->op - 1].ends_at;
		if (o->deleting && o->gone_at < due)
			due = o->gone_at;
	}
	return due;
}

static void keep_past(struct object *o)
{
	vec_push(&o->past, o->live);
}

static void note_writer(struct world *w, struct object *o, enum field_of f, bool theirs)
{
	const struct op *op = running(w, o);
	o->theirs[f] = theirs;
	o->theirs_at[f] = theirs ? w->tick : 0;
	o->at_work[f] = theirs && op && !op->ours;
}

static void add_object(struct world *w, int who, const struct body *b, bool ours)
{
	struct object *o = &w->object[who];
	*o = (struct object){.exists = true,
		.uid = ++w->uids,
		.made_wall = world_wall(w),
		.generation = 1,
		.shows_at = w->now + (ours ? w->api[API_SWITCH_LAG] : 0),
		.live = *b,
		.made = w->tick,
		.by_us = ours,
		.doubtful = ours && w->effect_orphan,
		.stores = w->effect_stores};
	for (enum field_of f = 0; f < F__COUNT; f++)
		note_writer(w, o, f, !ours);
	for (enum field_of f = 0; f < F__COUNT; f++)
		o->wrote[f] = w->effect_stores;
	if (ours && !w->effect_orphan)
		o->met_in = o->own_store = w->effect_stores + 1;
	if (ours)
		o->applied = *b;
	w->was[who] = true;
	keep_past(o);
}

/* Others take back what Git says. */
static void note_undone(struct world *w, const struct object *o, enum field_of f)
{
	int who = (int)(o - w->object);
	const struct doc *d = w->taken ? &git_commit(w, w->taken)->tree.doc[who] : NULL;
	if (d && same_value(f, o->live.v[f], doc_value(d, f)))
		w->undone[who][f]++;
}

/* A unit says nothing without a threshold, also the one that is taken for granted. */
static bool is_unit_alone(const struct object *o, const struct body *b, unsigned has)
{
	const struct body *threshold = has >> F_THRESHOLD & 1 ? b : &o->live;
	const struct body *unit = has >> F_UNIT & 1 ? b : &o->live;
	return unit->v[F_UNIT] && !threshold->v[F_THRESHOLD];
}

/* Puts the fields that are given over those there are. False if that is not allowed. */
static bool change(struct world *w, struct object *o, const struct body *b, unsigned has, bool ours)
{
	bool changed = is(w, VARIANT_MORE) && ours;
	if (is_unit_alone(o, b, has))
		return false;
	for (enum field_of f = 0; f < F__COUNT; f++)
		if (has & 1u << f && field_rows[f].immutable && b->v[f] != o->live.v[f])
			return false;
	for (enum field_of f = 0; f < F__COUNT; f++) {
		if (!(has & 1u << f) || b->v[f] == o->live.v[f])
			continue;
		changed = true;
		if (!ours)
			note_undone(w, o, f);
		o->live.v[f] = b->v[f];
		note_writer(w, o, f, !ours);
		o->wrote[f] = w->effect_stores;
		if (ours)
			o->applied.v[f] = b->v[f];
	}
	if (ours)
		o->stores = w->effect_stores;
	for (enum field_of f = 0; ours && w->effect_orphan && f < F__COUNT; f++)
		if (has >> f & 1) /* weir may know nothing of it any more */
			note_writer(w, o, f, true);
	if (changed) {
		o->generation++;
		keep_past(o);
	}
	return true;
}

static struct op *start_operation(struct world *w, int who, bool ours)
{
	struct object *o = &w->object[who];
	uint64_t head_tick = w->taken ? git_commit(w, w->taken)->head_tick : 0;
	if (running(w, o))
		running(w, o)->state = OPERATION_SUPERSEDED;
	vec_push(&w->ops, (struct op){.who = who,
				  .uid = o->uid,
				  .generation = o->generation,
				  .state = OPERATION_RUNNING,
				  .ends_at = w->now + w->api[API_SWITCH_TAKES],
				  .ours = ours,
				  .left = ours || w->twin.acts ? w->effect_left : w->tick,
				  .at_wall = world_wall(w),
				  .changed = w->changed[who],
				  .commit = w->taken,
				  .stores = w->stores_lost,
				  .changes = ours && head_tick && w->changed[who] >= head_tick});
	o->op = w->ops.n;
	o->runs = o->live;
	return &w->ops.at[w->ops.n - 1];
}

static void begin_deletion(struct world *w, struct object *o)
{
	if (!o->observed && !o->op) {
		vanish(o);
		return;
	}
	o->deleting = true;
	o->gone_at = w->now + w->api[API_SWITCH_TAKES];
}

/* ---- answers */

static const char *status_of(const struct object *o)
{
	if (o->deleting)
		return "Deleting";
	if (o->op)
		return o->observed ? "Updating" : "Provisioning";
	if (!o->observed)
		return "Pending";
	return o->failed ? "Error" : "Healthy";
}

static void write_object(const struct world *w, int who, struct buf *out)
{
	const struct object *o = &w->object[who];
	char at[CLOCK_TEXT_MAX];
	buf_addf(out, "{\"identifier\": \"%s\", \"generation\": %lld, \"status\": \"%s\", ",
		who_names[who], (long long)o->generation, status_of(o));
	if (!is(w, VARIANT_NO_UID))
		buf_addf(out, "\"uid\": \"uid-%u\", ", o->uid);
	if (!is(w, VARIANT_NO_CREATED_AT))
		buf_addf(out, "\"created_at\": \"%s\", ", clock_format(o->made_wall, at));
	if (!is(w, VARIANT_NO_OBSERVED))
		buf_addf(out, "\"observed_generation\": %lld, ", (long long)o->observed);
	buf_addf(out, "\"status_message\": \"%s\", ", o->failed ? "no route to broker" : "");
	write_body(out, who, &o->live);
	buf_addc(out, '}');
}

static bool is_listed(const struct world *w, int who)
{
	const struct object *o = &w->object[who];
	return o->exists && w->now >= o->shows_at && !(w->api[API_SWITCH_HIDES] >> who & 1);
}

static int list(struct world *w, const struct api_call *c, struct buf *out)
{
	int skip = 0, n = 0, total = 0;
	bool pages = is(w, VARIANT_PAGES);
	sscanf(c->page && c->page[0] ? c->page : "", "/list?from=%d", &skip);
	auto_buf struct buf items = BUF_INIT;
	if (!w->twin.acts)
		check_listed(w);
	for (int who = 0; who < WHO__COUNT; who++) {
		if (!is_listed(w, who))
			continue;
		total++;
		if (pages && (total <= skip || n >= PAGE))
			continue;
		n++;
		buf_adds(&items, items.len ? ", " : "");
		write_object(w, who, &items);
		note_shown(w, who);
	}
	if (!pages) {
		buf_addf(out, "[%s]", buf_str(&items));
		return 200;
	}
	buf_addf(out, "{\"count\": %d, \"results\": [%s], \"next\": ", total, buf_str(&items));
	if (skip + n < total)
		buf_addf(out, "\"/list?from=%d\"}", skip + n);
	else
		buf_adds(out, "null}");
	return 200;
}

static unsigned read_request(const char *json, struct body *b, int *ret_who)
{
	auto_arena struct arena a = ARENA_INIT;
	struct node *n;
	if (json_read(&a, json, strlen(json), &n, NULL) < 0)
		BUG("weir sent %s", json);
	if (ret_who)
		*ret_who = who_is(node_get_string(n, "identifier"));
	return read_body(n, b);
}

static int create(struct world *w, const struct api_call *c, struct buf *out)
{
	struct body b;
	int who;
	read_request(c->body, &b, &who);
	if (w->object[who].exists) {
		w->object[who].doubtful |=
			!w->twin.acts && memcmp(&w->object[who].live, &b, sizeof(b)) != 0;
		return 409;
	}
	add_object(w, who, &b, !w->twin.acts);
	note_twin(w, who);
	write_object(w, who, out);
	return 201;
}

static int patch(struct world *w, int who, const struct api_call *c, struct buf *out)
{
	struct object *o = &w->object[who];
	struct body b, before = o->live;
	unsigned has = read_request(c->body, &b, NULL);
	if (o->deleting)
		return 409;
	if (!is(w, VARIANT_NO_IF_MATCH) && c->generation && c->generation != o->generation)
		return 412;
	for (enum field_of f = F_KEYS; is(w, VARIANT_MERGES) && f < F__COUNT; f++)
		if (!b.v[f] && !strstr(c->body, field_rows[f].wire) &&
			!strstr(c->body, "\"advanced_configuration\":null"))
			has &= ~(1u << f);
	if (!w->twin.acts)
		check_keys_before(w, who, &b, has);
	if (!change(w, o, &b, has, !w->twin.acts))
		return 400;
	note_twin(w, who);
	if (w->effect_orphan)
		w->late[who] = w->tick;
	if (!w->twin.acts)
		check_patched(w, who, &before);
	write_object(w, who, out);
	return 200;
}

static struct op *find_key(struct world *w, const struct object *o, const char *key)
{
	vec_each (op, &w->ops)
		if (op->uid == o->uid && !strcmp(op->key, key))
			return op;
	return NULL;
}

static int reconcile(struct world *w, int who, const struct api_call *c, struct buf *out)
{
	struct object *o = &w->object[who];
	struct op *op = find_key(w, o, c->idempotency_key);
	if (o->deleting)
		return 409;
	if (op && op->generation != c->generation)
		return 422;
	if (!op && c->generation != o->generation)
		return 409;
	if (!op) {
		if (w->twin.acts)
			check_twin_starts(w, who);
		else
			check_starts(w, who, c);
		op = start_operation(w, who, !w->twin.acts);
		snprintf(op->key, sizeof(op->key), "%s", c->idempotency_key);
		note_twin(w, who);
		if (!w->twin.acts)
			check_brake(w, who);
		settle(w, o);
	}
	buf_addf(out, "{\"id\": \"op\", \"generation\": %lld, \"error\": \"\"",
		(long long)op->generation);
	if (!is(w, VARIANT_NO_STATE))
		buf_addf(out, ", \"state\": \"%s\"", operation_state_name(op->state));
	buf_addc(out, '}');
	return 202;
}

static int delete (struct world *w, int who, const struct api_call *c)
{
	struct object *o = &w->object[who];
	if (o->deleting)
		return 409;
	if (!is(w, VARIANT_NO_IF_MATCH) && c->generation && c->generation != o->generation)
		return 412;
	begin_deletion(w, o);
	note_twin(w, who);
	return 204;
}

static int get(struct world *w, int who, struct buf *out)
{
	if (w->now < w->object[who].shows_at)
		return 404;
	write_object(w, who, out);
	note_shown(w, who);
	return 200;
}

int api_act(struct world *w, const struct api_call *c, struct buf *out)
{
	api_tick(w);
	if (c->verb == API_LIST)
		return list(w, c, out);
	if (c->verb == API_CREATE)
		return create(w, c, out);
	int who = who_is(c->identifier);
	if (!w->object[who].exists)
		return 404;
	if (c->verb == API_PATCH)
		return patch(w, who, c, out);
	if (c->verb == API_RECONCILE)
		return reconcile(w, who, c, out);
	if (c->verb == API_DELETE)
		return delete (w, who, c);
	return get(w, who, out);
}

/* ---- mishaps */

static const struct mishap_row {
	int status;
	bool effect;
	const char *body;
} mishap_rows[MISHAP__COUNT] = {
	[MISHAP_NONE] = {0, true, NULL},
	[MISHAP_LOST] = {0, false, NULL},
	[MISHAP_UNANSWERED] = {0, true, NULL},
	[MISHAP_LATE] = {0, false, NULL},
	[MISHAP_500] = {500, false, "{\"detail\": \"oh\"}"},
	[MISHAP_429] = {429, false, "{\"detail\": \"slow down\"}"},
	[MISHAP_401] = {401, false, "{\"detail\": \"who are you\"}"},
	[MISHAP_403] = {403, false, "{\"detail\": \"not you\"}"},
	[MISHAP_404] = {404, false, "{\"detail\": \"not found\"}"},
	[MISHAP_409] = {409, false, "{\"detail\": \"conflict\"}"},
	[MISHAP_422] = {422, false, "{\"detail\": \"no\"}"},
	[MISHAP_REFUSE] = {400, false,
		"{\"topic_whitelist\": [\"names a topic that may not be\"]}"},
	[MISHAP_HTML] = {200, true, "<html>"},
};

/* A server looks at the key before the generation: it says to a known one what it said before. */
static bool is_replay(struct world *w, const struct api_call *c)
{
	return c->verb == API_RECONCILE &&
	       find_key(w, &w->object[who_is(c->identifier)], c->idempotency_key);
}

static enum mishap next_mishap(struct world *w, const struct api_call *c)
{
	enum mishap mishap = w->mishap[c->verb];
	if (w->api[API_SWITCH_DOWN])
		return MISHAP_LOST;
	if (w->mishaps[c->verb] <= 0)
		return MISHAP_NONE;
	bool reads = c->verb == API_GET || c->verb == API_LIST;
	bool refuses = mishap == MISHAP_409 || mishap == MISHAP_422 || mishap == MISHAP_REFUSE;
	if ((reads && refuses) || (mishap == MISHAP_409 && is_replay(w, c)) ||
		(mishap == MISHAP_422 && c->verb == API_RECONCILE))
		return MISHAP_NONE;
	w->mishaps[c->verb]--;
	return mishap;
}

/* Git has to change before it is sent again. */
static void note_refusal(struct world *w, const struct api_call *c, enum mishap mishap)
{
	if (mishap != MISHAP_REFUSE && mishap != MISHAP_422)
		return;
	for (int who = 0; who < WHO__COUNT; who++)
		if (strstr(c->identifier ? c->identifier : c->body ? c->body : "", who_names[who]))
			w->refused[who] = true;
}

static struct api_answer *no_answer(const struct api_call *c)
{
	struct err e = ERR_INIT;
	err_retriable(&e, ERR_UNAVAILABLE, "the connection was lost");
	return api_answer_failed(c->verb, c->token, &e);
}

struct api_answer *api_take(struct world *w, const struct api_call *c, bool *ret_late)
{
	enum mishap mishap = next_mishap(w, c);
	const struct mishap_row *row = &mishap_rows[mishap];
	auto_buf struct buf body = BUF_INIT;
	int status = row->effect ? api_act(w, c, &body) : row->status;
	*ret_late = mishap == MISHAP_LATE;
	note_refusal(w, c, mishap);
	if (mishap == MISHAP_404 && c->verb == API_GET)
		w->lied = w->tick;
	if (mishap == MISHAP_LOST || mishap == MISHAP_UNANSWERED || mishap == MISHAP_LATE)
		return no_answer(c);
	if (row->body) {
		status = row->status;
		buf_clear(&body);
		buf_adds(&body, row->body);
	}
	const struct api_raw_answer raw = {.status = status,
		.content_type = mishap == MISHAP_HTML ? "text/html" : "application/json",
		.body = buf_str(&body),
		.body_len = body.len};
	return api_answer_read(c->verb, c->token, &raw);
}

struct api_answer *api_take_of_twin(struct world *w, const struct api_call *c)
{
	auto_buf struct buf body = BUF_INIT;
	if (w->api[API_SWITCH_DOWN])
		return no_answer(c);
	w->effect_orphan = false;
	const struct api_raw_answer raw = {.status = api_act(w, c, &body),
		.content_type = "application/json",
		.body = buf_str(&body),
		.body_len = body.len};
	return api_answer_read(c->verb, c->token, &raw);
}

/* ---- what others do */

void people_save(struct world *w, int who, enum field_of f, int value)
{
	struct object *o = &w->object[who];
	struct body b = o->live;
	api_tick(w);
	if (!o->exists || o->deleting || field_rows[f].immutable || (field_rows[f].stays && !value))
		return;
	b.v[f] = value;
	if (same_value(f, value, o->live.v[f]) || is_unit_alone(o, &b, 1u << f))
		return;
	change(w, o, &b, 1u << f, false);
	meddled(w, who);
}

void people_launch(struct world *w, int who)
{
	struct object *o = &w->object[who];
	api_tick(w);
	if (!o->exists || o->deleting)
		return;
	start_operation(w, who, false);
	meddled(w, who);
}

void people_delete(struct world *w, int who)
{
	struct object *o = &w->object[who];
	api_tick(w);
	if (!o->exists || o->deleting)
		return;
	begin_deletion(w, o);
	meddled(w, who);
}

void people_make(struct world *w, int who, const struct body *b, bool launch)
{
	api_tick(w);
	if (w->object[who].exists)
		return;
	add_object(w, who, b, false);
	if (!b->v[F_THRESHOLD])
		w->object[who].live.v[F_UNIT] = w->object[who].past.at[0].v[F_UNIT] = 0;
	if (launch)
		start_operation(w, who, false);
	meddled(w, who);
}

void api_release(struct world *w)
{
	for (int who = 0; who < WHO__COUNT; who++)
		vec_release(&w->object[who].past);
	vec_release(&w->ops);
}
