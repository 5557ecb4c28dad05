/*
 * A replicator in Git that is live and not ours: not in the inventory, or re-created by somebody
 * since. Nothing is written unless it is a draft that is wholly as Git says.
 */
#include "plan/planner.h"

#include <inttypes.h>

static void collect(struct planner *p, const struct subject *s, const struct plan_item *it)
{
	static const struct rules rules = {.complete = true};
	const struct spec *sides[SIDE__COUNT] = {
		[SIDE_DESIRED] = &it->desired->spec,
		[SIDE_LIVE] = &s->live->spec,
	};

	settings_collect(&p->settings, sides);
	settings_judge(&p->settings, &rules);
}

/* A PATCH of ours was for the one before, and came upon this one. */
static bool is_saved_by_us(const struct live *live, const struct plan_record *record)
{
	return record && record->intent_open && !record->intent_reconciled &&
	       record->intent_generation == live->generation;
}

/* Saved and never provisioned, and nobody is at it. */
static bool is_draft(const struct live *live, const struct plan_record *record)
{
	bool started = live->generation <= draft_started(live, NULL);

	if (started && (live->has_observed || !is_saved_by_us(live, record)))
		return false;
	return live->status != LIVE_PROVISIONING && live->status != LIVE_UPDATING;
}

static void decide_draft(struct planner *p, struct plan_item *it)
{
	auto_buf struct buf names = BUF_INIT;

	vec_each (s, &p->settings) {
		if (s->verdict != VERDICT_FREE || setting_equal(s, s->value[SIDE_LIVE], NULL))
			continue;
		buf_adds(&names, names.len ? ", " : "");
		setting_name(s, &names);
	}
	if (names.len == 0) {
		it->action = PLAN_RECONCILE;
		item_note(it,
			"exists already, as Git says; generation %" PRId64 " was never provisioned",
			it->live->generation);
		return;
	}
	item_hold(it, PLAN_HOLD_FOREIGN, PLAN_RECONCILE,
		plan_text(p,
			"exists already as a draft (generation %" PRId64
			") that also sets what Git does not: %s",
			it->live->generation, buf_str(&names)),
		"write these in Git, or start the draft in the API");
}

static void note_masked(struct planner *p, struct plan_item *it)
{
	vec_each (s, &p->settings) {
		auto_buf struct buf name = BUF_INIT;

		if (!s->value[SIDE_DESIRED] || !value_is_masked(s->field, s->value[SIDE_LIVE]))
			continue;
		setting_name(s, &name);
		item_note(it, "the API masks %s: it was not compared", buf_str(&name));
	}
}

void plan_adoption(struct planner *p, const struct subject *s, struct plan_item *it)
{
	collect(p, s, it);
	item_add_diffs(p, it, VERDICT_WRITE);
	note_masked(p, it);
	if (p->in->adopt == ADOPT_NEVER) {
		item_hold(it, PLAN_HOLD_ADOPT, PLAN_ADOPT,
			"exists already, and sync.adopt is never",
			"set sync.adopt: match in weir.yaml, or take it out of Git");
	} else if (it->diffs.n) {
		item_hold(it, PLAN_HOLD_ADOPT, PLAN_ADOPT, "exists already and is not as Git says",
			"write in Git what is live, or make the live one as Git says");
	} else if (is_draft(s->live, s->record)) {
		decide_draft(p, it);
	} else {
		it->action = PLAN_ADOPT;
	}
	it->healthy = s->live->status == LIVE_HEALTHY && it->action != PLAN_RECONCILE;
}
