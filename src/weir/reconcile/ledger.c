/* The store in memory: what is marked, and what is let go. */
#include "reconcile/ledger.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "doc/json.h"

char *spec_to_json(const struct spec *spec)
{
	auto_arena struct arena a = ARENA_INIT;
	struct buf out = BUF_INIT;
	json_write(&out, spec_to_wire(&a, spec), JSON_STYLE_CANONICAL);
	return buf_take(&out);
}

/* A value that is the same in `like`, which lives as long, is kept once. */
static void read_spec(
	const char *json, const struct spec *like, struct arena *arena, struct spec *ret_spec)
{
	auto_arena struct arena tree = ARENA_INIT; /* several times what is kept of it */
	struct node *map;
	*ret_spec = (struct spec){.value = {NULL}};
	if (!json || json_read(&tree, json, strlen(json), &map, NULL) < 0)
		return;
	/* What an older version wrote and this one does not know is left out, not an error. */
	struct problems ignored = PROBLEMS_INIT;
	const struct field_place place = {.arena = &tree, .path = ""};
	struct spec spec;
	spec_decode(map, &place, false, &spec, &ignored);
	problems_release(&ignored);
	for (enum spec_field f = 0; f < SPEC__COUNT; f++)
		if (node_equal(spec.value[f], like->value[f]))
			ret_spec->value[f] = like->value[f];
		else if (spec.value[f])
			ret_spec->value[f] = node_copy(arena, spec.value[f]);
}

void spec_from_json(const char *json, struct arena *arena, struct spec *ret_spec)
{
	read_spec(json, &(struct spec){.value = {NULL}}, arena, ret_spec);
}

static char *copy_opt(struct arena *a, const char *s)
{
	return s ? arena_strdup(a, s) : NULL;
}

/* The API took our DELETE. */
static bool is_being_removed(const struct intent *i)
{
	return i && (i->kind == INTENT_DELETE || i->kind == INTENT_REPLACE) &&
	       i->state == INTENT_RUNNING;
}

static int compare_leftovers(const void *a, const void *b)
{
	const struct plan_leftover *left = a;
	const struct plan_leftover *right = b;
	return strcmp(left->key, right->key);
}

static void read_leftovers(const char *json, struct arena *arena, struct plan_record *p)
{
	struct node *map;
	if (!json || json_read(arena, json, strlen(json), &map, NULL) < 0)
		return;
	struct plan_leftover *left = arena_alloc(arena, (map->u.map.n + 1) * sizeof(*left));
	for (size_t i = 0; i < map->u.map.n; i++) {
		const struct node_pair *pair = &map->u.map.at[i];
		left[i] = (struct plan_leftover){pair->key->u.string.s, pair->value->u.boolean};
	}
	p->n_leftovers = map->u.map.n;
	qsort(left, p->n_leftovers, sizeof(*left), compare_leftovers);
	p->leftovers = left;
}

/* A map, if it is one. */
static const struct node *read_labels(const char *json, struct arena *arena)
{
	auto_arena struct arena tree = ARENA_INIT;
	struct node *map;
	if (!json || json_read(&tree, json, strlen(json), &map, NULL) < 0)
		return NULL;
	return map->type == NODE_MAP ? node_copy(arena, map) : NULL;
}

static void refresh_plan(struct record *r)
{
	const struct store_row *row = &r->row;
	const struct intent *i = r->intent;
	arena_release(&r->plan_arena);
	struct plan_record *p = &r->plan;
	*p = (struct plan_record){
		.name = r->name,
		.uid = copy_opt(&r->plan_arena, row->uid),
		.created_at = copy_opt(&r->plan_arena, row->created_at),
		.has_last_applied = row->owned && row->last_applied,
		.seen_generation = row->seen_generation,
		.seen_observed = row->seen_observed,
		.provisioned_generation = row->provisioned_generation,
		.failed_generation = row->failed_generation,
		.retry_at_ms = row->retry_at_ms,
		.gone_since_ms = row->gone_since_ms,
		.was_protected = row->is_protected,
		.over_max = row->over_max,
		.deleted = row->replaced || is_being_removed(i),
		.found = r->found,
		.unread = copy_opt(&r->plan_arena, r->unread),
	};
	if (p->has_last_applied)
		spec_from_json(row->last_applied, &r->plan_arena, &p->last_applied);
	p->refused_body = copy_opt(&r->plan_arena, row->refused_body);
	p->refusal = copy_opt(&r->plan_arena, row->refusal);
	p->labels = read_labels(row->labels, &r->plan_arena);
	read_leftovers(row->leftovers, &r->plan_arena, p);
	p->contested = contested_names(row->contested, &r->plan_arena, &p->n_contested);
	spec_from_json(row->not_kept, &r->plan_arena, &p->not_kept_value);
	for (int f = 0; f < SPEC__COUNT; f++)
		if (p->not_kept_value.value[f])
			p->not_kept |= 1u << f;
	if (!i || i->kind == INTENT_DELETE || i->kind == INTENT_REPLACE)
		return;
	p->intent_open = true;
	p->intent_base = i->base_generation;
	p->intent_ours_from = i->ours_from;
	p->intent_generation = i->generation;
	p->intent_reconciled = i->state == INTENT_RUNNING;
	/* A further attempt that runs is waited for like the first. */
	if (p->intent_reconciled && i->generation == p->failed_generation)
		p->failed_generation = 0;
	read_spec(i->intended, &p->last_applied, &r->plan_arena, &p->intended);
}

static void read_provisioned(struct record *r)
{
	struct spec *spec = arena_alloc(&r->plan_arena, sizeof(*spec));
	read_spec(r->row.provisioned, &r->plan.last_applied, &r->plan_arena, spec);
	r->plan.provisioned = spec;
}

const struct plan_record *ledger_plan(struct record *r, const struct live *live)
{
	if (!r->plan_is_made)
		refresh_plan(r);
	r->plan_is_made = true;
	bool is_draft = live && live->generation > r->row.provisioned_generation;
	if (is_draft && r->row.provisioned && !r->plan.provisioned)
		read_provisioned(r);
	return &r->plan;
}

static void mark(struct ledger *l, struct record *r)
{
	if (!r->dirty && !r->intent_dirty && !r->accepted_dirty)
		vec_push(&l->dirty, r);
}

void ledger_changed(struct ledger *l, struct record *r)
{
	mark(l, r);
	r->dirty = true;
	r->plan_is_made = false;
}

struct record *ledger_find(const struct ledger *l, const char *name)
{
	return map_get(&l->records, name);
}

struct record *ledger_need(struct ledger *l, const char *name)
{
	struct record *r = map_get(&l->records, name);
	if (r)
		return r;
	r = xcalloc(1, sizeof(*r));
	r->name = xstrdup(name);
	r->row.name = xstrdup(name);
	map_put(&l->records, name, r);
	return r;
}

static void record_free(void *p)
{
	struct record *r = p;
	store_row_release(&r->row);
	if (r->intent)
		intent_release(r->intent);
	free(r->intent);
	free(r->accepted);
	free(r->unread);
	free(r->last_error);
	free(r->differs);
	free(r->drift);
	free(r->saved);
	free(r->refused_uid);
	free(r->refused_created_at);
	strv_release(&r->approvals);
	strv_release(&r->heals);
	arena_release(&r->desired_arena);
	arena_release(&r->plan_arena);
	arena_release(&r->taken_arena);
	free(r->name);
	free(r);
}

bool ledger_is_ours(const struct record *r)
{
	return r->row.owned || r->intent;
}

bool ledger_is_idle(const struct record *r)
{
	const struct store_row *row = &r->row;
	bool is_marked = r->dirty || r->intent_dirty || r->accepted_dirty;
	return !row->owned && !row->failure && !row->seen_generation && !r->intent &&
	       !r->accepted && !r->found && !is_marked;
}

void ledger_remove(struct ledger *l, struct record *r)
{
	record_free(map_remove(&l->records, r->name));
}

const struct replicator *ledger_desired(struct record *r)
{
	struct err e = ERR_INIT;
	if (r->desired)
		return r->desired;
	arena_release(&r->desired_arena);
	r->desired = arena_alloc(&r->desired_arena, sizeof(*r->desired));
	if (replicator_read_json(r->accepted, &r->desired_arena, r->desired, &e) < 0) {
		/* Written by another version, and not to be read by this one: touched no more than
		 * a broken file. */
		*r->desired = (struct replicator){.name = r->name, .failed = true};
	}
	return r->desired;
}

bool ledger_accept(struct ledger *l, struct record *r, const struct replicator *desired)
{
	auto_buf struct buf json = BUF_INIT;
	replicator_write_json(desired, &json);
	if (r->accepted && !strcmp(r->accepted, buf_str(&json)))
		return false;
	mark(l, r);
	str_replace(&r->accepted, buf_take(&json));
	r->accepted_dirty = true;
	r->desired = NULL;
	return true;
}

void ledger_unaccept(struct ledger *l, struct record *r)
{
	if (!r->accepted)
		return;
	mark(l, r);
	str_replace(&r->accepted, NULL);
	r->accepted_dirty = true;
}

void ledger_close_intent(
	struct ledger *l, struct record *r, enum intent_state state, const char *error)
{
	if (!r->intent)
		return;
	r->intent->state = state;
	str_replace(&r->intent->error, xstrdup_opt(error));
	vec_push(&l->closed, r->intent);
	r->intent = NULL;
	str_replace(&r->saved, NULL);
	r->unobserved = false;
	r->work = WORK_NONE;
	r->plan_is_made = false;
}

/* It goes on top of a draft of our own: nobody else's is between what was started and it. */
static bool extends(const struct intent *draft, const struct intent *i)
{
	if (!draft)
		return false;
	if (draft->state == INTENT_OPEN) /* it did not leave, or nothing came of it */
		return draft->base_generation && (draft->base_generation == i->base_generation ||
							 draft->base_generation == i->generation);
	return (draft->state == INTENT_SAVED || draft->state == INTENT_SENT) &&
	       draft->generation == draft->base_generation + 1 &&
	       draft->generation == i->base_generation;
}

void ledger_open_intent(struct ledger *l, struct record *r, struct intent *owned_intent)
{
	owned_intent->ours_from = extends(r->intent, owned_intent) ? r->intent->ours_from
								   : owned_intent->base_generation;
	ledger_close_intent(l, r, INTENT_SUPERSEDED, NULL);
	r->intent = owned_intent;
	owned_intent->id = l->next_intent++;
	ledger_intent_changed(l, r);
}

void ledger_intent_changed(struct ledger *l, struct record *r)
{
	mark(l, r);
	r->intent_dirty = true;
	r->plan_is_made = false;
}

void ledger_forget_seen(struct record *r)
{
	r->rest_generation = r->busy_generation = 0;
}

void ledger_drop(struct ledger *l, struct record *r)
{
	ledger_close_intent(l, r, INTENT_SUPERSEDED, NULL);
	mark(l, r);
	struct store_row gone = {.name = xstrdup(r->name)};
	store_row_release(&r->row);
	r->row = gone;
	ledger_forget_seen(r);
	r->dirty = true;
	r->plan_is_made = false;
}

void ledger_set(struct ledger *l, const char *key, const char *value)
{
	free(map_put(&l->values, key, xstrdup(value)));
}

void ledger_event(struct ledger *l, int64_t now_ms, const char *name, const char *sha,
	const char *what, const char *detail)
{
	vec_push(&l->events, (struct event){
				     .at_ms = now_ms,
				     .name = xstrdup_opt(name),
				     .sha = xstrdup_opt(sha),
				     .what = xstrdup(what),
				     .detail = xstrdup_opt(detail),
			     });
}

void ledger_event_by(struct ledger *l, int64_t now_ms, const char *name, const char *what,
	const char *detail, const char *by)
{
	ledger_event(l, now_ms, name, NULL, what, detail);
	l->events.at[l->events.n - 1].by = xstrdup(by);
}

static void free_suspension(void *p)
{
	if (p)
		suspension_release(p);
	free(p);
}

static void free_approval(void *p)
{
	if (p)
		approval_release(p);
	free(p);
}

void ledger_suspend(struct ledger *l, struct suspension *owned)
{
	strv_push(&l->ordered, owned->name);
	free_suspension(map_put(&l->suspensions, owned->name, owned));
}

void ledger_approve(struct ledger *l, struct approval *owned)
{
	strv_push(&l->decided, owned->digest);
	free_approval(map_put(&l->approvals, owned->digest, owned));
}

bool ledger_resume(struct ledger *l, const char *name)
{
	struct suspension *s = map_remove(&l->suspensions, name);
	if (!s)
		return false;
	strv_push(&l->ordered, name);
	free_suspension(s);
	return true;
}

bool ledger_disapprove(struct ledger *l, const char *digest)
{
	struct approval *a = map_remove(&l->approvals, digest);
	if (!a)
		return false;
	strv_push(&l->decided, digest);
	free_approval(a);
	return true;
}

struct outbox_entry *ledger_outbox(struct ledger *l, const char *sha, const char *context)
{
	auto_free char *key = xasprintf("%s %s", sha, context);
	struct outbox_entry *entry = map_get(&l->outbox, key);
	if (entry)
		return entry;
	entry = xcalloc(1, sizeof(*entry));
	entry->row.sha = xstrdup(sha);
	entry->row.context = xstrdup(context);
	entry->row.text = xstrdup("");
	map_put(&l->outbox, key, entry);
	return entry;
}

static void free_outbox_entry(void *p)
{
	struct outbox_entry *entry = p;
	outbox_row_release(&entry->row);
	free(entry);
}

void ledger_tidy_outbox(struct ledger *l, const char *head)
{
	for (size_t i = map_size(&l->outbox); i-- > 0;) {
		struct outbox_entry *entry = map_value(&l->outbox, i);
		bool final = entry->row.state != STATUS_PENDING &&
			     (entry->row.refused || outbox_row_is_posted(&entry->row));
		if (strcmp(entry->row.sha, head) != 0 && final && !entry->dirty && !entry->posting)
			free_outbox_entry(map_remove(&l->outbox, map_key(&l->outbox, i)));
	}
}

void ledger_written(struct ledger *l)
{
	vec_each (rp, &l->dirty)
		(*rp)->dirty = (*rp)->intent_dirty = (*rp)->accepted_dirty = false;
	vec_clear(&l->dirty);
	vec_each (ip, &l->closed) {
		intent_release(*ip);
		free(*ip);
	}
	vec_clear(&l->closed);
	events_release(&l->events);
	map_release_with(&l->values, free);
	strv_release(&l->ordered);
	strv_release(&l->decided);
	str_replace(&l->claim, NULL);
	for (size_t i = 0; i < map_size(&l->outbox); i++) {
		struct outbox_entry *entry = map_value(&l->outbox, i);
		entry->dirty = entry->latching = false;
	}
}

void ledger_release(struct ledger *l)
{
	ledger_written(l);
	vec_release(&l->dirty);
	vec_release(&l->closed);
	map_release_with(&l->records, record_free);
	map_release_with(&l->outbox, free_outbox_entry);
	map_release_with(&l->suspensions, free_suspension);
	map_release_with(&l->approvals, free_approval);
	free(l->head);
}

bool ledger_is_dirty(const struct ledger *l)
{
	if (l->dirty.n || l->closed.n || l->events.n || l->ordered.n || l->decided.n || l->claim ||
		map_size(&l->values))
		return true;
	for (size_t i = 0; i < map_size(&l->outbox); i++)
		if (((const struct outbox_entry *)map_value(&l->outbox, i))->dirty)
			return true;
	return false;
}
