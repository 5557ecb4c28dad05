/*
 * What is in the inventory and not in Git any more: deleted, let go, or held. Whatever is not known
 * for sure holds it.
 */
#include "plan/planner.h"

#include <inttypes.h>

#include "base/clock.h"

#define NAMES_SHOWN 5

static void plan_removed_absent(struct planner *p, const struct subject *s, struct plan_item *it)
{
	bool complete = p->in->catalog->complete;
	bool missed = record_was_live(s->record) && !s->record->deleted;

	if (hold_unread(p, it))
		return;
	if (complete && p->hidden && missed &&
		item_hold_unless_approved(p, it, PLAN_HOLD_UNKNOWN, PLAN_NONE,
			"not in Git, and more than half of all is missing at once: the API may be "
			"hiding it",
			plan_text(p, "make it show it, or `weir approve %s` if it is really gone",
				it->name)))
		return;
	it->gone = complete;
	item_note(it, complete ? "neither in Git nor in the API any more"
			       : "not in the API, and in nothing of Git that loads");
}

static void let_go(struct planner *p, struct plan_item *it)
{
	if (it->suspended) {
		item_hold(it, PLAN_HOLD_SUSPEND, PLAN_NONE,
			"not in Git any more; let go once it is not suspended", "");
		return;
	}
	it->gone = true;
	item_note(it, "not in Git any more: let go, as sync.on_remove says; it stays in the API");
	strv_push(&p->plan->unmanaged, it->name);
}

/* All that it has, so that it is seen what goes. */
static void show_values(struct planner *p, struct plan_item *it)
{
	const struct spec *sides[SIDE__COUNT] = {[SIDE_LIVE] = &it->live->spec};

	settings_collect(&p->settings, sides);
	vec_each (s, &p->settings)
		if (!setting_equal(s, s->value[SIDE_LIVE], NULL))
			item_add_diff(it, s, PLAN_RESET, s->value[SIDE_LIVE]);
}

static bool is_protected(const struct plan_item *it)
{
	return it->remembered && it->remembered->sync.protect;
}

static void hold_unpruned(struct planner *p, struct plan_item *it)
{
	item_hold(it, PLAN_HOLD_PRUNE, PLAN_DELETE, "not in Git any more, and pruning is off",
		plan_text(p,
			"put it back into Git, delete it in the API, let go of it with `weir "
			"forget %s`, or set sync.prune.enabled in weir.yaml",
			it->name));
	if (is_protected(it))
		item_note(it, "it is protected: pruning would not delete it either");
}

static void decide_delete(struct planner *p, struct plan_item *it)
{
	if (it->remembered && it->remembered->sync.on_remove == REMOVE_ORPHAN) {
		let_go(p, it);
		return;
	}
	if (!p->in->prune.enabled) {
		hold_unpruned(p, it);
		return;
	}
	show_values(p, it);
	it->action = PLAN_DELETE;
	if (is_protected(it))
		item_hold(it, PLAN_HOLD_PROTECT, PLAN_DELETE,
			"not in Git any more, and protected (sync.protect)",
			plan_text(p,
				"`weir forget %s` lets go of it, or put it back without "
				"sync.protect and remove it in a second commit",
				it->name));
	else if (!it->remembered)
		item_hold_unless_approved(p, it, PLAN_HOLD_UNKNOWN, PLAN_DELETE,
			"not in Git any more, and whether it was protected is not known: the state "
			"folder has no earlier version of its document",
			plan_text(p, "put it back into Git, or `weir approve %s` if it is to go",
				it->name));
	else if (p->hidden)
		item_hold_unless_approved(p, it, PLAN_HOLD_UNKNOWN, PLAN_DELETE,
			"not in Git, and more than half of all is missing at once: nothing is "
			"deleted while the API may be hiding things",
			plan_text(p, "make it show the others, or `weir approve %s` to delete it",
				it->name));
}

void plan_removed(struct planner *p, const struct subject *s, struct plan_item *it)
{
	bool complete = p->in->catalog->complete;

	if (!s->live) {
		plan_removed_absent(p, s, it);
		return;
	}
	it->ours = is_ours(p, s);
	if (!it->ours) {
		it->gone = complete;
		item_note(it,
			"not in Git any more, and what is in the API is not weir's: left as it is");
		strv_push(&p->plan->unmanaged, s->name);
	} else if (s->live->status == LIVE_DELETING) {
		item_note(it, "not in Git any more; the API is deleting it");
	} else if (complete) {
		decide_delete(p, it);
	} else {
		item_hold(it, PLAN_HOLD_INCOMPLETE, PLAN_DELETE,
			"in nothing of Git that loads; nothing is deleted while Git has errors",
			"fix the errors in Git");
	}
}

/* Is or is about to be deleted, for good or to be replaced. One that somebody approved counts like
 * the others: it was approved that it goes, and not that they do. */
static bool is_candidate(const struct plan_item *it)
{
	if (it->live && it->ours && it->live->status == LIVE_DELETING)
		return !it->desired || it->record->deleted;
	return it->action == PLAN_DELETE || it->action == PLAN_REPLACE;
}

struct candidates {
	size_t n;
	int64_t most; /* that may be deleted at once */
	struct buf names;
};

static void find_candidates(struct planner *p, struct candidates *c)
{
	const struct count_or_percent *max = &p->in->prune.max;

	c->most = max->percent ? (int64_t)p->n_inventory * max->value / 100 : max->value;
	vec_each (it, &p->plan->items) {
		if (!is_candidate(it))
			continue;
		if (c->n < NAMES_SHOWN)
			buf_addf(&c->names, "%s%s", c->n ? ", " : "", it->name);
		c->n++;
	}
	if (c->n > NAMES_SHOWN)
		buf_addf(&c->names, " and %zu more", c->n - NAMES_SHOWN);
}

static void hold_above_max(struct planner *p, struct plan_item *it, const struct candidates *c)
{
	const struct count_or_percent *max = &p->in->prune.max;
	auto_buf struct buf limit = BUF_INIT;

	buf_addf(&limit, "%" PRId64, max->value);
	if (max->percent)
		buf_addf(&limit, "%%, here %" PRId64 " of %zu", c->most, p->n_inventory);
	const char *why = plan_text(p, "%zu would be deleted, and sync.prune.max is %s: %s", c->n,
		buf_str(&limit), buf_str(&c->names));
	if ((int64_t)c->n <= c->most)
		why = plan_text(
			p, "was one of more than sync.prune.max at once (%s)", buf_str(&limit));
	bool replaces = it->action == PLAN_REPLACE;
	item_hold_unless_approved(p, it, PLAN_HOLD_PRUNE_MAX, it->action, why,
		plan_text(p, "`weir approve %s`, and so for each that is to %s; or %s", it->name,
			replaces ? "be replaced" : "go",
			replaces ? "take the change back in Git" : "put it back into Git"));
}

static void hold_if_nothing_is_left(struct planner *p, struct plan_item *it)
{
	if (map_size(&p->in->catalog->by_name) > 0)
		return;
	item_hold_unless_approved(p, it, PLAN_HOLD_EMPTY, it->action,
		"Git declares no replicators at all any more, as if source.path had gone",
		plan_text(p, "`weir approve %s` if it is meant; else put it back into Git",
			it->name));
}

/* Its grace is for people to see that it goes: while it was suspended, nobody saw that. A beginning
 * that is not known, or to come, is this moment. */
static void hold_in_grace(struct planner *p, struct plan_item *it)
{
	int64_t now = p->in->now_ms, since = it->record->gone_since_ms;
	char grace[CLOCK_TEXT_MAX];

	if (since < it->suspended_to_ms)
		since = it->suspended_to_ms;
	if (since <= 0 || since > now)
		since = now;
	if (p->in->prune.grace_ms <= now - since)
		return;
	int64_t until = since + p->in->prune.grace_ms;
	item_hold_until(it, PLAN_HOLD_GRACE, PLAN_DELETE,
		plan_text(p, "not in Git any more; deleted at %s (sync.prune.grace is %s)",
			plan_time(p, until), duration_format(p->in->prune.grace_ms, grace)),
		"wait until then, or put it back into Git", until);
}

void guard_deletes(struct planner *p)
{
	struct candidates c = {0};

	find_candidates(p, &c);
	vec_each (it, &p->plan->items) {
		bool deletes = it->action == PLAN_DELETE;

		if (deletes)
			hold_if_nothing_is_left(p, it);
		bool goes = action_does_something(it->action) &&
			    (deletes || it->action == PLAN_REPLACE);

		if (goes && ((int64_t)c.n > c.most || it->record->over_max))
			hold_above_max(p, it, &c);
		if (it->action == PLAN_DELETE)
			hold_in_grace(p, it);
	}
	buf_release(&c.names);
}
