/*
 * What holds items that were each decided on their own: a rewound branch, a limit on deletes, a
 * brake, a window, an order. Those that a person has to release come first, then those that time or
 * others release.
 */
#include "plan/planner.h"

#include <inttypes.h>

static void hold_rewound(struct planner *p, struct plan_item *it)
{
	if (!p->in->rewound || approval_given(p->in, p->in->rewound_approval))
		return;
	const char *approve = p->in->rewound_approval ? "`weir approve --rewind`, " : "";
	item_hold(it, PLAN_HOLD_REWOUND, it->action, "the branch was rewound or rewritten",
		plan_text(p,
			"%spush a commit on top of the old head, or set source.rewind: follow in "
			"weir.yaml",
			approve));
	if (p->in->rewound_approval)
		it->approval = arena_strdup(&p->plan->arena, p->in->rewound_approval);
}

bool plan_begins_change(const struct plan_item *it)
{
	switch (it->action) {
	case PLAN_CREATE:
		return !(it->record && it->record->deleted) && has_change_of_git(it);
	case PLAN_UPDATE:
		return has_change_of_git(it);
	case PLAN_RECONCILE:
		return !it->ours;
	case PLAN_REPLACE:
	case PLAN_DELETE:
		return true;
	case PLAN_NONE:
	case PLAN_ADOPT:
	case PLAN_HOLD:
	case PLAN__COUNT:
		break;
	}
	return false;
}

static void hold_braked(struct planner *p, struct plan_item *it)
{
	const struct plan_input *in = p->in;
	if (!in->brake || approval_given(in, in->brake_approval) || !plan_begins_change(it))
		return;
	const char *why = plan_text(p, "nothing more of this commit is begun: %s", in->brake);
	if (!in->brake_approval) {
		item_hold(it, PLAN_HOLD_BRAKE, it->action, why, "push a commit that mends it");
		return;
	}
	item_hold_by_guard(p, it, PLAN_HOLD_BRAKE, why,
		plan_text(p,
			"mend it in Git, or `weir approve %s` for it alone, `weir approve --brake` "
			"for all",
			it->name),
		in->brake_approval);
}

static int64_t count_changes(const struct planner *p)
{
	int64_t n = p->in->n_updated;

	vec_each (it, &p->plan->items)
		n += plan_begins_change(it);
	return n;
}

static void hold_above_max_updates(struct planner *p, struct plan_item *it, int64_t n_changes)
{
	if (p->in->max_updates <= 0 || n_changes <= p->in->max_updates || !plan_begins_change(it))
		return;
	item_hold_unless_approved(p, it, PLAN_HOLD_MAX_UPDATES, it->action,
		plan_text(p,
			"the commit changes %" PRId64 " replicators, and sync.max_updates is "
			"%" PRId64,
			n_changes, p->in->max_updates),
		plan_text(p,
			"`weir approve %s` if it is meant, and so for each; or change fewer in one "
			"commit",
			it->name));
}

void guard_items(struct planner *p)
{
	vec_each (it, &p->plan->items)
		if (action_does_something(it->action))
			hold_rewound(p, it);
	guard_deletes(p);
	guard_dependants(p);
	vec_each (it, &p->plan->items)
		hold_braked(p, it);
	int64_t n_changes = count_changes(p);
	vec_each (it, &p->plan->items)
		hold_above_max_updates(p, it, n_changes);
	guard_windows(p);
	guard_dependencies(p);
}
