/*
 * A replicator in Git that is live and not ours: not in the inventory, or re-created by somebody
 * since. What is as Git says is taken over; what differs is overwritten only where sync.adopt or a
 * person says so. Nobody's draft is started that Git does not say the whole of.
 */
#include "plan/planner.h"

#include <inttypes.h>

#include "plan/render.h"

static void collect(struct planner *p, const struct subject *s, const struct plan_item *it)
{
	const struct rules rules = {.complete = true, .sync = &it->desired->sync};
	const struct spec *sides[SIDE__COUNT] = {
		[SIDE_DESIRED] = &it->desired->spec,
		[SIDE_LIVE] = &s->live->spec,
	};

	settings_collect(&p->settings, sides);
	settings_judge(&p->settings, &rules);
}

/* A PATCH of ours was for the one before, and came upon this one; or it was to overwrite this one,
 * nobody answered it, and it shows. */
static bool is_saved_by_us(const struct live *live, const struct plan_record *record)
{
	if (!record || !record->intent_open || record->intent_reconciled)
		return false;
	if (record->intent_generation)
		return record->intent_generation == live->generation;
	return record->intent_base > 0 && live->generation == record->intent_base + 1 &&
	       plan_intent_shows(record, live);
}

/* Saved and never provisioned, and nobody is at it. */
static bool is_draft(const struct live *live, const struct plan_record *record)
{
	bool started = live->generation <= draft_started(live, NULL);

	if (started && (live->has_observed || !is_saved_by_us(live, record)))
		return false;
	return live->status != LIVE_PROVISIONING && live->status != LIVE_UPDATING;
}

/* It is set there and not by Git. */
static bool is_of_others(const struct setting *s)
{
	return s->verdict == VERDICT_FREE &&
	       !setting_equal(s, s->value[SIDE_LIVE], s->value[SIDE_DESIRED]);
}

/* Empty if there are none. */
static void name_others(struct planner *p, struct buf *names)
{
	vec_each (s, &p->settings) {
		if (!is_of_others(s))
			continue;
		buf_adds(names, names->len ? ", " : "");
		setting_name(s, names);
	}
}

static void note_others(struct planner *p, struct plan_item *it, bool held)
{
	const char *verb = held ? "would also provision" : "also provisions";
	size_t n = 0;

	vec_each (s, &p->settings) {
		auto_buf struct buf name = BUF_INIT, live = BUF_INIT;

		if (!is_of_others(s) || n++ >= FOREIGN_SHOWN)
			continue;
		setting_name(s, &name);
		plan_value_text(
			&live, s->field, s->key ? s->key->u.string.s : NULL, s->value[SIDE_LIVE]);
		item_note(it, "%s %s: %s", verb, buf_str(&name), buf_str(&live));
	}
	if (n > FOREIGN_SHOWN)
		item_note(it, "%s %zu more", verb, n - FOREIGN_SHOWN);
}

/* True if the action, which starts the draft, is held for what the draft has besides. */
static bool hold_draft(struct planner *p, struct plan_item *it, enum plan_action action)
{
	auto_buf struct buf names = BUF_INIT;
	int64_t generation = it->live->generation;

	name_others(p, &names);
	if (names.len == 0)
		return false;
	bool held = !applies_drafts(p, it->desired) &&
		    item_hold_unless_approved(p, it, PLAN_HOLD_FOREIGN, action,
			    plan_text(p,
				    "exists already as a draft (generation %" PRId64
				    ") that also sets what Git does not: %s",
				    generation, buf_str(&names)),
			    plan_text(p,
				    "write these in Git, start the draft in the API, or `weir "
				    "approve %s`",
				    it->name));
	note_others(p, it, held);
	return held;
}

static void decide_draft(struct planner *p, struct plan_item *it)
{
	if (hold_draft(p, it, PLAN_RECONCILE))
		return;
	it->action = PLAN_RECONCILE;
	item_note(it, "exists already, as Git says; generation %" PRId64 " was never provisioned",
		it->live->generation);
}

/* A store in which nothing was ever done may be one that was lost, and an older version of a
 * document is not what somebody wants now. */
static bool hold_difference(struct planner *p, struct plan_item *it, enum sync_adopt adopt)
{
	bool is_new = p->in->store_is_empty || (it->record && it->record->found);
	bool is_lost = adopt == ADOPT_OVERWRITE && is_new;

	if (adopt == ADOPT_OVERWRITE && !is_lost && !it->from_accepted)
		return false;
	return item_hold_unless_approved(p, it, PLAN_HOLD_ADOPT, PLAN_ADOPT,
		is_lost ? "exists already and is not as Git says; it was there before the state "
			  "folder was, so sync.adopt: overwrite does not count"
			: "exists already and is not as Git says",
		plan_text(p, "write in Git what is live, or `weir approve %s` to overwrite it",
			it->name));
}

/* True if somebody is at it: of which generation, only its end shows. */
static bool hold_unfinished(struct planner *p, struct plan_item *it, enum plan_action action)
{
	if (!is_busy(it) || it->live->generation <= draft_started(it->live, NULL))
		return false;
	hold_busy(p, it, action);
	return true;
}

static void decide_overwrite(struct planner *p, struct plan_item *it, enum sync_adopt adopt)
{
	const char *fixed = plan_fixed_names(p, NULL);

	if (fixed) {
		item_hold(it, PLAN_HOLD_ADOPT, PLAN_ADOPT,
			plan_text(p,
				"exists already, is not as Git says, and cannot be changed: %s",
				fixed),
			"write in Git what is live, or declare it under another name");
		return;
	}
	bool draft = is_draft(it->live, it->record);

	if (hold_difference(p, it, adopt)) {
		/* Who approves that it is overwritten approves that it is started too. */
		if (draft)
			note_others(p, it, true);
		return;
	}
	if (hold_unfinished(p, it, PLAN_UPDATE) || (draft && hold_draft(p, it, PLAN_UPDATE)))
		return;
	it->action = PLAN_UPDATE;
	item_note(it, "exists already: taken over and overwritten");
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
	const struct sync_settings *sync = &it->desired->sync;
	enum sync_adopt adopt = sync->has_adopt ? (enum sync_adopt)sync->adopt : p->in->adopt;

	collect(p, s, it);
	item_add_diffs(p, it, VERDICT_WRITE);
	note_masked(p, it);
	if (adopt == ADOPT_NEVER)
		item_hold(it, PLAN_HOLD_ADOPT, PLAN_ADOPT,
			"exists already, and sync.adopt is never",
			it->diffs.n ? "write in Git what is live and set sync.adopt: match, or "
				      "take it out of Git"
				    : "set sync.adopt: match, or take it out of Git");
	else if (it->diffs.n)
		decide_overwrite(p, it, adopt);
	else if (is_draft(s->live, s->record))
		decide_draft(p, it);
	else if (!hold_unfinished(p, it, PLAN_ADOPT))
		it->action = PLAN_ADOPT;
	it->healthy = s->live->status == LIVE_HEALTHY && it->action != PLAN_RECONCILE;
}
