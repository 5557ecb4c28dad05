/* What a plan is made from: Git, the API's list, and what the ledger remembers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "doc/json.h"
#include "reconcile/internal.h"

#define CLOCK_STEP_MS 1000 /* by less the two clocks may be apart because one was read later */

/* The plan's inputs as arrays. */
struct inputs {
	VEC(const struct replicator *) accepted;
	VEC(const struct live *) live;
	VEC(const struct plan_record *) records;
	VEC(struct plan_secret) secrets;
	VEC(const char *) approvals;
};

static void inputs_release(struct inputs *in)
{
	vec_release(&in->accepted);
	vec_release(&in->live);
	vec_release(&in->records);
	vec_release(&in->secrets);
	vec_release(&in->approvals);
}

/* The tree of a rewound branch counts for nothing until that is approved. */
static const struct catalog *catalog_of(const struct engine *en)
{
	bool ignore = en->rewound && !en->options.dry;
	return en->catalog && !ignore ? en->catalog : en->nothing;
}

bool inputs_complete(const struct engine *en)
{
	return catalog_of(en)->complete && !en->source.times;
}

/* Since when it has been gone from Git: what is missing is gone only if all of Git was read. A time
 * to come is of a clock that was set back since, while nobody was there to follow it. */
static void mark_gone(struct engine *en, struct record *r, const struct replicator *declared)
{
	int64_t since = r->row.gone_since_ms, now = now_wall(en);
	if (declared || !ledger_is_ours(r))
		since = 0;
	else if ((!since || since > now) && inputs_complete(en))
		since = now;
	if (since == r->row.gone_since_ms)
		return;
	r->row.gone_since_ms = since;
	ledger_changed(&en->ledger, r);
}

/* A grace is time that passes: setting the clock makes it no shorter and no longer. */
static void follow_clock(struct engine *en)
{
	int64_t ahead = now_wall(en) - now_mono(en), step = ahead - en->wall_ahead;
	if (llabs(step) < CLOCK_STEP_MS)
		return;
	en->wall_ahead = ahead;
	for (size_t i = 0; i < map_size(&en->ledger.records); i++) {
		struct record *r = map_value(&en->ledger.records, i);
		if (!r->row.gone_since_ms)
			continue;
		r->row.gone_since_ms += step;
		ledger_changed(&en->ledger, r);
	}
}

void inputs_mark_gone(struct engine *en)
{
	follow_clock(en);
	const struct catalog *catalog = catalog_of(en);
	for (size_t i = 0; i < map_size(&en->ledger.records); i++) {
		struct record *r = map_value(&en->ledger.records, i);
		mark_gone(en, r, map_get(&catalog->by_name, r->name));
	}
}

static void gather_records(struct engine *en, struct inputs *in)
{
	follow_clock(en);
	const struct catalog *catalog = catalog_of(en);
	for (size_t i = 0; i < map_size(&en->ledger.records); i++) {
		struct record *r = map_value(&en->ledger.records, i);
		const struct replicator *d = map_get(&catalog->by_name, r->name);
		mark_gone(en, r, d); /* what was made since, too */
		contested_age(en, r);
		if (ledger_is_ours(r) || r->row.failed_generation || r->found)
			vec_push(&in->records, ledger_plan(r, map_get(&en->list.by_name, r->name)));
		if (r->accepted && (!d || d->failed))
			vec_push(&in->accepted, ledger_desired(r));
	}
}

static int compare_digests(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Copies, since the plan points there, and a person may end one at any time. */
static void copy_suspensions(struct engine *en)
{
	struct arena *a = &en->suspended_arena;
	size_t n = map_size(&en->ledger.suspensions);
	arena_release(a);
	en->suspended = arena_alloc(a, (n + 1) * sizeof(*en->suspended));
	for (size_t i = 0; i < n; i++) {
		const struct suspension *s = map_value(&en->ledger.suspensions, i);
		en->suspended[i] = (struct plan_suspension){
			.name = arena_strdup(a, s->name),
			.reason = arena_strdup(a, s->reason),
			.by = arena_strdup(a, s->by),
			.has_until = s->has_until,
			.until_ms = s->until_ms,
		};
	}
	en->n_suspended = n;
}

static void gather_orders(struct engine *en, struct inputs *in)
{
	copy_suspensions(en);
	for (size_t i = 0; i < map_size(&en->ledger.approvals); i++)
		vec_push(&in->approvals, map_key(&en->ledger.approvals, i));
	if (in->approvals.n)
		qsort(in->approvals.at, in->approvals.n, sizeof(*in->approvals.at),
			compare_digests);
}

static void gather(struct engine *en, struct inputs *in)
{
	gather_records(en, in);
	gather_orders(en, in);
	for (size_t i = 0; i < map_size(&en->list.by_name); i++)
		vec_push(&in->live, map_value(&en->list.by_name, i));
	vec_each (p, &en->secrets)
		vec_push(&in->secrets, (struct plan_secret){p->name, p->field, p->message});
}

static struct plan_input describe(const struct engine *en, const struct inputs *in)
{
	const struct config *c = en->config;
	return (struct plan_input){
		.catalog = catalog_of(en),
		.accepted = in->accepted.at,
		.n_accepted = in->accepted.n,
		.live = in->live.at,
		.n_live = in->live.n,
		.records = in->records.at,
		.n_records = in->records.n,
		.secrets = in->secrets.at,
		.n_secrets = in->secrets.n,
		.mode = (enum sync_mode)c->sync.mode,
		.adopt = (enum sync_adopt)c->sync.adopt,
		.foreign_drafts = (enum foreign_drafts)c->sync.foreign_drafts,
		.store_is_empty = en->store_is_new,
		.rewound = en->rewound && en->options.dry && !en->options.follows,
		.rewound_approval = en->rewind_approval,
		.prune = {c->sync.prune.enabled, c->sync.prune.max, c->sync.prune.grace_ms},
		.windows = c->sync.windows,
		.suspensions = en->suspended,
		.n_suspensions = en->n_suspended,
		.approvals = in->approvals.at,
		.n_approvals = in->approvals.n,
		.brake = en->brake.reason,
		.brake_approval = en->brake.approval,
		.max_updates = c->sync.max_updates,
		.n_updated = (int64_t)map_size(&en->begun),
		.now_ms = now_wall(en),
	};
}

struct plan *inputs_plan(struct engine *en)
{
	struct inputs in = {.accepted = VEC_INIT};
	gather(en, &in);
	const struct plan_input input = describe(en, &in);
	struct plan *plan = plan_build(&input);
	inputs_release(&in);
	return plan;
}

/* Those that were there, and not as Git says, when the store was new. */
static void found_keep(struct engine *en)
{
	auto_arena struct arena a = ARENA_INIT;
	auto_buf struct buf json = BUF_INIT;
	struct node *names = node_seq(&a);
	for (size_t i = 0; i < map_size(&en->ledger.records); i++) {
		const struct record *r = map_value(&en->ledger.records, i);
		if (r->found)
			node_seq_add(&a, names, node_string(&a, r->name));
	}
	json_write(&json, names, JSON_STYLE_COMPACT);
	ledger_set(&en->ledger, "found", buf_str(&json));
}

void found_forget(struct engine *en, struct record *r)
{
	if (!r->found)
		return;
	r->found = r->plan_is_made = false;
	en->found_changed = true;
}

void found_write(struct engine *en)
{
	if (en->found_changed)
		found_keep(en);
	en->found_changed = false;
}

void found_note(struct engine *en)
{
	vec_each (item, &en->plan->items) {
		if (item->hold != PLAN_HOLD_ADOPT)
			continue;
		struct record *r = ledger_need(&en->ledger, item->name);
		r->found = true;
		r->plan_is_made = false;
	}
	found_keep(en);
}

int found_load(struct engine *en, struct err *e)
{
	auto_arena struct arena a = ARENA_INIT;
	auto_free char *json = NULL;
	auto_free char *is_new = NULL;
	auto_free char *new_at = NULL;
	struct node *names = NULL;
	struct store *store = en->options.store;
	int rc = store ? store_get(store, "found", &json, e) : 0;
	if (rc == 0 && store)
		rc = store_get(store, "new", &is_new, e);
	if (rc == 0 && store)
		rc = store_get(store, "new-at", &new_at, e);
	if (rc == 0 && json)
		rc = json_read(&a, json, strlen(json), &names, e);
	if (rc < 0)
		return err_prefix(e, "what is known of the first start");
	snprintf(en->new_store_at, sizeof(en->new_store_at), "%s", new_at ? new_at : "");
	en->store_is_new = !en->ledger.head[0] || (is_new && is_new[0]);
	if (en->store_is_new)
		ledger_set(&en->ledger, "new", "1");
	for (size_t i = 0; names && names->type == NODE_SEQ && i < names->u.seq.n; i++)
		ledger_need(&en->ledger, names->u.seq.at[i]->u.string.s)->found = true;
	return 0;
}
