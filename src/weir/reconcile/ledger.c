/* The store in memory, and the flush that calls wait for. */
#include "reconcile/ledger.h"

#include <string.h>

#include "base/alloc.h"
#include "base/crash.h"
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
		.provisioned_generation = row->provisioned_generation,
		.has_provisioned = row->provisioned,
		.failed_generation = row->failed_generation,
		.retry_at_ms = row->retry_at_ms,
	};
	if (p->has_last_applied)
		spec_from_json(row->last_applied, &r->plan_arena, &p->last_applied);
	read_spec(row->provisioned, &p->last_applied, &r->plan_arena, &p->provisioned);
	spec_from_json(row->not_kept, &r->plan_arena, &p->not_kept_value);
	for (int f = 0; f < SPEC__COUNT; f++)
		if (p->not_kept_value.value[f])
			p->not_kept |= 1u << f;
	if (!i)
		return;
	p->intent_open = true;
	p->intent_base = i->base_generation;
	p->intent_generation = i->generation;
	p->intent_reconciled = i->state == INTENT_RUNNING;
	/* A further attempt that runs is waited for like the first. */
	if (p->intent_reconciled && i->generation == p->failed_generation)
		p->failed_generation = 0;
	read_spec(i->intended, &p->last_applied, &r->plan_arena, &p->intended);
}

const struct plan_record *ledger_plan(struct record *r)
{
	if (!r->plan_is_made)
		refresh_plan(r);
	r->plan_is_made = true;
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
	free(r->last_error);
	free(r->saved);
	arena_release(&r->desired_arena);
	arena_release(&r->plan_arena);
	free(r->name);
	free(r);
}

const struct replicator *ledger_desired(struct record *r)
{
	struct err e = ERR_INIT;
	if (r->has_desired)
		return &r->desired;
	arena_release(&r->desired_arena);
	if (replicator_read_json(r->accepted, &r->desired_arena, &r->desired, &e) < 0) {
		/* Written by another version, and not to be read by this one: touched no more than
		 * a broken file. */
		r->desired = (struct replicator){.name = r->name, .failed = true};
	}
	r->has_desired = true;
	return &r->desired;
}

void ledger_accept(struct ledger *l, struct record *r, const struct replicator *desired)
{
	auto_buf struct buf json = BUF_INIT;
	replicator_write_json(desired, &json);
	if (r->accepted && !strcmp(r->accepted, buf_str(&json)))
		return;
	mark(l, r);
	str_replace(&r->accepted, buf_take(&json));
	r->accepted_dirty = true;
	r->has_desired = false;
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
	r->work = WORK_NONE;
	r->plan_is_made = false;
}

void ledger_open_intent(struct ledger *l, struct record *r, struct intent *owned_intent)
{
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

void ledger_drop(struct ledger *l, struct record *r)
{
	ledger_close_intent(l, r, INTENT_SUPERSEDED, NULL);
	mark(l, r);
	struct store_row gone = {.name = xstrdup(r->name)};
	store_row_release(&r->row);
	r->row = gone;
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
			     (entry->refused || outbox_row_is_posted(&entry->row));
		if (strcmp(entry->row.sha, head) != 0 && final && !entry->dirty && !entry->posting)
			free_outbox_entry(map_remove(&l->outbox, map_key(&l->outbox, i)));
	}
}

static int load_records(struct ledger *l, struct err *e)
{
	struct store_rows rows = VEC_INIT;
	int rc = store_load_rows(l->store, &rows, e);
	if (rc < 0)
		return rc;
	vec_each (row, &rows) {
		struct record *r = ledger_need(l, row->name);
		store_row_release(&r->row);
		r->row = *row;
	}
	vec_release(&rows);

	struct map accepted = MAP_INIT;
	rc = store_load_accepted(l->store, &accepted, e);
	for (size_t i = 0; i < map_size(&accepted); i++) {
		struct record *r = ledger_need(l, map_key(&accepted, i));
		r->accepted = map_value(&accepted, i);
	}
	map_release(&accepted);
	return rc;
}

static int load_intents(struct ledger *l, struct err *e)
{
	struct intents intents = VEC_INIT;
	int rc = store_last_intent(l->store, &l->next_intent, e);
	if (rc == 0)
		rc = store_load_intents(l->store, &intents, e);
	if (rc < 0)
		return rc;
	l->next_intent++;
	vec_each (i, &intents) {
		struct record *r = ledger_need(l, i->name);
		struct intent *copy = xmalloc(sizeof(*copy));
		*copy = *i;
		ledger_close_intent(l, r, INTENT_SUPERSEDED, NULL); /* the newest counts */
		r->intent = copy;
		r->healed = copy->heals;
	}
	vec_release(&intents);
	return 0;
}

static int load_outbox(struct ledger *l, struct err *e)
{
	struct outbox_rows rows = VEC_INIT;
	int rc = store_load_outbox(l->store, l->head, &rows, e);
	if (rc < 0)
		return rc;
	vec_each (row, &rows) {
		struct outbox_entry *entry = ledger_outbox(l, row->sha, row->context);
		outbox_row_release(&entry->row);
		entry->row = *row;
	}
	vec_release(&rows);
	return 0;
}

static int load_orders(struct ledger *l, struct err *e)
{
	struct suspensions suspensions = VEC_INIT;
	struct approvals approvals = VEC_INIT;
	int rc = store_load_suspensions(l->store, &suspensions, e);
	if (rc == 0)
		rc = store_load_approvals(l->store, &approvals, e);
	vec_each (s, &suspensions) {
		struct suspension *copy = xmalloc(sizeof(*copy));
		*copy = *s;
		map_put(&l->suspensions, s->name, copy);
	}
	vec_each (a, &approvals) {
		struct approval *copy = xmalloc(sizeof(*copy));
		*copy = *a;
		map_put(&l->approvals, a->digest, copy);
	}
	vec_release(&suspensions);
	vec_release(&approvals);
	return rc;
}

int ledger_load(struct ledger *l, struct store *store, struct err *e)
{
	*l = (struct ledger){.store = store};
	int rc = store_get(store, "head", &l->head, e);
	if (rc == 0)
		rc = load_records(l, e);
	if (rc == 0)
		rc = load_intents(l, e);
	if (rc == 0)
		rc = load_orders(l, e);
	if (!l->head)
		l->head = xstrdup("");
	if (rc == 0)
		rc = load_outbox(l, e);
	return rc;
}

void ledger_detach(struct ledger *l)
{
	l->store = NULL;
	if (!l->head)
		l->head = xstrdup("");
}

static void forget_written(struct ledger *l)
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
	for (size_t i = 0; i < map_size(&l->outbox); i++)
		((struct outbox_entry *)map_value(&l->outbox, i))->dirty = false;
}

void ledger_release(struct ledger *l)
{
	forget_written(l);
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
	if (l->dirty.n || l->closed.n || l->events.n || l->ordered.n || l->decided.n ||
		map_size(&l->values))
		return true;
	for (size_t i = 0; i < map_size(&l->outbox); i++)
		if (((const struct outbox_entry *)map_value(&l->outbox, i))->dirty)
			return true;
	return false;
}

static int write_record(struct ledger *l, struct record *r, struct err *e)
{
	int rc = 0;
	bool gone = !r->row.owned && !r->row.failure && !r->row.seen_generation;
	if (r->dirty)
		rc = gone ? store_drop_row(l->store, r->name, e)
			  : store_put_row(l->store, &r->row, e);
	if (rc == 0 && r->accepted_dirty)
		rc = r->accepted ? store_put_accepted(l->store, r->name, r->accepted, e)
				 : store_drop_accepted(l->store, r->name, e);
	if (rc == 0 && r->intent_dirty && r->intent)
		rc = store_put_intent(l->store, r->intent, e);
	return rc;
}

static int write_orders(struct ledger *l, struct err *e)
{
	int rc = 0;
	for (size_t i = 0; rc == 0 && i < l->ordered.n; i++) {
		const struct suspension *s = map_get(&l->suspensions, l->ordered.at[i]);
		rc = s ? store_put_suspension(l->store, s, e)
		       : store_drop_suspension(l->store, l->ordered.at[i], e);
	}
	for (size_t i = 0; rc == 0 && i < l->decided.n; i++) {
		const struct approval *a = map_get(&l->approvals, l->decided.at[i]);
		rc = a ? store_put_approval(l->store, a, e)
		       : store_drop_approval(l->store, l->decided.at[i], e);
	}
	return rc;
}

static int write_all(struct ledger *l, struct err *e)
{
	int rc = 0;
	for (size_t i = 0; rc == 0 && i < l->closed.n; i++)
		rc = store_put_intent(l->store, l->closed.at[i], e);
	for (size_t i = 0; rc == 0 && i < l->dirty.n; i++)
		rc = write_record(l, l->dirty.at[i], e);
	for (size_t i = 0; rc == 0 && i < l->events.n; i++)
		rc = store_add_event(l->store, &l->events.at[i], e);
	if (rc == 0)
		rc = write_orders(l, e);
	for (size_t i = 0; rc == 0 && i < map_size(&l->values); i++)
		rc = store_set(l->store, map_key(&l->values, i), map_value(&l->values, i), e);
	for (size_t i = 0; rc == 0 && i < map_size(&l->outbox); i++) {
		const struct outbox_entry *entry = map_value(&l->outbox, i);
		if (entry->dirty)
			rc = store_put_outbox(l->store, &entry->row, e);
	}
	return rc;
}

int ledger_flush(struct ledger *l, struct err *e)
{
	if (!ledger_is_dirty(l))
		return 0;
	if (!l->store) {
		forget_written(l);
		return 0;
	}
	crash_point("before-flush");
	int rc = store_begin(l->store, e);
	if (rc < 0)
		return rc;
	rc = write_all(l, e);
	if (rc < 0)
		store_rollback(l->store);
	else
		rc = store_commit(l->store, e);
	if (rc < 0)
		return err_prefix(e, "store");
	crash_point("after-flush");
	forget_written(l);
	return 0;
}
