/* What people order, through the desk that takes what comes to the daemon's socket. */
#include <string.h>

#include "checks.h"
#include "cli/desk.h"

static bool give(struct world *w, const char *order, const struct node *body, struct arena *a,
	struct node **ret_answer)
{
	const struct desk desk = {
		.ledger = engine_ledger(w->engine),
		.engine = w->engine,
		.by = "jane",
		.now_ms = world_wall(w),
	};
	struct err e = ERR_INIT;
	return desk_take(&desk, order, body, a, ret_answer, &e) == 0 &&
	       engine_ordered(w->engine, &e) == 0;
}

static bool suspend(struct world *w, int who, int64_t ms, struct arena *a)
{
	struct node *body = node_map(a), *answer;
	char until[CLOCK_TEXT_MAX];
	node_map_set(a, body, "name", node_string(a, who_names[who]));
	node_map_set(a, body, "reason", node_string(a, "rest"));
	if (ms)
		node_map_set(
			a, body, "until", node_string(a, clock_format(world_wall(w) + ms, until)));
	if (!give(w, "suspend", body, a, &answer))
		return false;
	w->suspended[who] = ms ? world_wall(w) + ms : INT64_MAX;
	return true;
}

static bool give_by_name(struct world *w, int who, const char *order, struct arena *a)
{
	struct node *body = node_map(a), *answer;
	node_map_set(a, body, "name", node_string(a, who_names[who]));
	return give(w, order, body, a, &answer);
}

/* What is remembered of a document that is gone is lifted too. */
static bool resume(struct world *w, int who, struct arena *a)
{
	struct memory *m = &w->memory[who];
	if (!give_by_name(w, who, "resume", a))
		return false;
	w->suspended[who] = 0;
	w->resumed[who] = true;
	if (m->gone)
		m->last.suspend = m->stored.suspend = false;
	return true;
}

static bool forget(struct world *w, int who, struct arena *a)
{
	if (!give_by_name(w, who, "forget", a))
		return false;
	check_let_go(w, who);
	return true;
}

static bool approve(struct world *w, const char *name, const char *digest, struct arena *a)
{
	struct node *body = node_map(a), *items = node_seq(a), *item = node_map(a), *answer;
	node_map_set(a, item, "name", node_string(a, name));
	node_map_set(a, item, "digest", node_string(a, digest));
	node_map_set(a, item, "action", node_string(a, "as it is shown"));
	node_seq_add(a, items, item);
	node_map_set(a, body, "items", items);
	return give(w, "approve", body, a, &answer) && node_get(answer, "approved")->u.seq.n == 1;
}

static bool approve_item(struct world *w, int who, struct arena *a)
{
	const struct plan *plan = engine_plan(w->engine);
	const struct plan_item *item = plan ? plan_find(plan, who_names[who]) : NULL;
	if (!item || item->action != PLAN_HOLD || !item->approval)
		return false;
	struct approved is = {.is = true, .braked = item->hold == PLAN_HOLD_BRAKE};
	const struct object *o = &w->object[who];
	if (item->live && o->exists && (size_t)item->live->generation <= o->past.n) {
		is.had = true;
		is.uid = o->uid;
		is.before = o->past.at[item->live->generation - 1];
	}
	if (w->taken)
		is.said = git_commit(w, w->taken)->tree.doc[who];
	if (!approve(w, who_names[who], item->approval, a))
		return false;
	w->approved[who] = is;
	return true;
}

static bool approve_rewind(struct world *w, struct arena *a)
{
	struct engine_rewind rewind;
	if (!engine_rewind(w->engine, &rewind) || !approve(w, "", rewind.approval, a))
		return false;
	w->followed.from = w->taken;
	w->followed.files = git_commit(w, w->read)->files;
	return true;
}

bool order_give(struct world *w, int who, enum order_of what, int64_t ms)
{
	auto_arena struct arena a = ARENA_INIT;
	if (!w->engine || world_disk_full)
		return false;
	switch (what) {
	case ORDER_SUSPEND:
		return suspend(w, who, ms, &a);
	case ORDER_RESUME:
		return resume(w, who, &a);
	case ORDER_FORGET:
		return forget(w, who, &a);
	case ORDER_APPROVE:
		return approve_item(w, who, &a);
	case ORDER_REWIND:
		return approve_rewind(w, &a);
	case ORDER__COUNT:
		break;
	}
	return false;
}
