/*
 * depends_on: what a replicator depends on is there before it, and goes after it. Each looks at its
 * neighbours only, so that a failure reaches those that depend on it and nobody else.
 */
#include "plan/planner.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"

#define WHY_MAX 160 /* code points of what holds another */

static size_t n_dependencies(const struct plan_item *it)
{
	const struct replicator *document = item_document(it);
	const struct node *list = document ? document->sync.depends_on : NULL;

	return list && list->type == NODE_SEQ ? list->u.seq.n : 0;
}

/* "" if it is no name: then no item has it. */
static const char *dependency(const struct plan_item *it, size_t i)
{
	const struct node *name = item_document(it)->sync.depends_on->u.seq.at[i];

	return name->type == NODE_STRING ? name->u.string.s : "";
}

static size_t index_of(const struct planner *p, const struct plan_item *it)
{
	return (size_t)(it - p->plan->items.at);
}

/* How the other one stands, for whoever waits for it; `waits`: it waits for others in turn. */
static const char *standing_of(struct planner *p, const struct plan_item *other, bool waits)
{
	auto_buf struct buf why = BUF_INIT;

	if (waits)
		return "waits for others itself";
	switch (other->action) {
	case PLAN_CREATE:
		return "is to be created first";
	case PLAN_UPDATE:
	case PLAN_REPLACE:
	case PLAN_RECONCILE:
		return "is to be changed first";
	case PLAN_DELETE:
		return "is to be deleted first";
	case PLAN_HOLD:
		buf_adds(&why, other->held);
		text_truncate(&why, WHY_MAX);
		return plan_text(p, "is held (%s)", buf_str(&why));
	case PLAN_ADOPT:
	case PLAN_NONE:
	case PLAN__COUNT:
		break;
	}
	if (other->file && (!other->desired || (other->from_accepted && !other->live)))
		return "has errors in Git";
	if (!other->live)
		return "is not there";
	return plan_text(p, "has the status %s%s", other->live->status_word,
		other->waiting ? ", and its operation is under way" : "");
}

/* For each item, one that depends on it and is still there, or may be; NULL if none is. */
static const struct plan_item **find_dependants(struct planner *p)
{
	const struct plan_item **dependants = xcalloc(p->plan->items.n, sizeof(struct plan_item *));

	vec_each (it, &p->plan->items) {
		bool unread = it->record && it->record->unread;
		bool remains = it->live ? it->ours && !it->gone : unread;

		for (size_t i = 0; remains && i < n_dependencies(it); i++) {
			struct plan_item *other = plan_find(p->plan, dependency(it, i));

			if (other && other != it && !dependants[index_of(p, other)])
				dependants[index_of(p, other)] = it;
		}
	}
	return dependants;
}

static void hold_for_dependant(struct planner *p, struct plan_item *it,
	const struct plan_item *dependant, bool dependant_waits)
{
	const char *standing =
		dependant->desired
			? "Git still declares it"
			: plan_text(p, "it %s", standing_of(p, dependant, dependant_waits));

	item_hold(it, PLAN_HOLD_DEPENDANTS, PLAN_DELETE,
		plan_text(p, "%s depends on it and goes first: %s", dependant->name, standing),
		plan_text(p, "wait until %s is gone; `weir forget %s` lets go of that one",
			dependant->name, dependant->name));
}

static bool deletes_anything(const struct planner *p)
{
	vec_each (it, &p->plan->items)
		if (it->action == PLAN_DELETE)
			return true;
	return false;
}

void guard_dependants(struct planner *p)
{
	if (!deletes_anything(p))
		return;
	const struct plan_item **dependants = find_dependants(p);
	vec_each (it, &p->plan->items) {
		const struct plan_item *other = dependants[index_of(p, it)];

		if (it->action == PLAN_DELETE && other)
			hold_for_dependant(p, it, other, dependants[index_of(p, other)] != NULL);
	}
	free(dependants);
}

/* Left as it is on purpose, or only drifted: who depends on it is kept waiting by its health
 * alone. */
static bool is_settled(const struct plan_item *other)
{
	switch (other->hold) {
	case PLAN_HOLD_NOT:
		return (other->action == PLAN_NONE && !other->waiting) ||
		       other->action == PLAN_ADOPT;
	case PLAN_HOLD_WINDOW: /* what Git changes comes first, and the time for it comes */
		return !has_change_of_git(other);
	case PLAN_HOLD_REPORT:
	case PLAN_HOLD_NOT_KEPT:
	case PLAN_HOLD_SUSPEND:
	case PLAN_HOLD_CONTESTED:
		return true;
	case PLAN_HOLD_ADOPT:
	case PLAN_HOLD_PRUNE:
	case PLAN_HOLD_FOREIGN:
	case PLAN_HOLD_IMMUTABLE:
	case PLAN_HOLD_SECRET:
	case PLAN_HOLD_INCOMPLETE:
	case PLAN_HOLD_REWOUND:
	case PLAN_HOLD_BACKOFF:
	case PLAN_HOLD_DELETING:
	case PLAN_HOLD_BUSY:
	case PLAN_HOLD_UNKNOWN:
	case PLAN_HOLD_PROTECT:
	case PLAN_HOLD_GRACE:
	case PLAN_HOLD_PRUNE_MAX:
	case PLAN_HOLD_EMPTY:
	case PLAN_HOLD_DEPENDANTS:
	case PLAN_HOLD_DEPENDS:
	case PLAN_HOLD_BRAKE:
	case PLAN_HOLD_MAX_UPDATES:
	case PLAN_HOLD__COUNT:
		break;
	}
	return false;
}

static bool is_ready(const struct plan_item *other)
{
	return other && other->desired && other->live && other->healthy && is_settled(other);
}

/* The first of its dependencies that it has to wait for; NULL if there is none. */
static const char *find_obstacle(const struct planner *p, const struct plan_item *it)
{
	if (!action_writes(it->action) || it->action == PLAN_DELETE)
		return NULL;
	for (size_t i = 0; i < n_dependencies(it); i++)
		if (!is_ready(plan_find(p->plan, dependency(it, i))))
			return dependency(it, i);
	return NULL;
}

static void hold_for_dependency(
	struct planner *p, struct plan_item *it, const char *name, const char *standing)
{
	item_hold(it, PLAN_HOLD_DEPENDS, it->action,
		plan_text(p, "waits for %s, which %s (sync.depends_on)", name, standing),
		plan_text(p, "nothing to do once %s is as Git says and Healthy", name));
}

/* Who waits is found for all before anything is held: what an item says must not depend on its
 * place in the alphabet. */
void guard_dependencies(struct planner *p)
{
	size_t n = p->plan->items.n;
	const char **obstacles = n ? xcalloc(n, sizeof(char *)) : NULL;

	vec_each (it, &p->plan->items)
		obstacles[index_of(p, it)] = find_obstacle(p, it);
	vec_each (it, &p->plan->items) {
		const char *name = obstacles[index_of(p, it)];
		const struct plan_item *other = name ? plan_find(p->plan, name) : NULL;

		if (!name)
			continue;
		hold_for_dependency(p, it, name,
			!other ? "is not declared"
			       : standing_of(p, other, obstacles[index_of(p, other)] != NULL));
	}
	free(obstacles);
}
