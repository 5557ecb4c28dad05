/* A replicator that is ours, in Git, and live. */
#include "plan/planner.h"

#include <inttypes.h>
#include <string.h>

#include "base/clock.h"
#include "plan/render.h"

static void collect(struct planner *p, const struct subject *s, const struct plan_item *it)
{
	const struct plan_record *r = s->record;
	const struct spec *sides[SIDE__COUNT] = {
		[SIDE_DESIRED] = &it->desired->spec,
		[SIDE_APPLIED] = record_applied(r),
		[SIDE_INTENDED] = r->intent_open ? &r->intended : NULL,
		[SIDE_LIVE] = &s->live->spec,
		[SIDE_PROVISIONED] = draft_baseline(s->live, r),
		[SIDE_NOT_KEPT] = r->not_kept ? &r->not_kept_value : NULL,
	};

	settings_collect(&p->settings, sides);
}

static void judge(struct planner *p, const struct subject *s, const struct plan_item *it,
	size_t n[VERDICT__COUNT])
{
	struct rules rules = {
		.intent_open = s->record->intent_open,
		.report = reports_drift(p, it->desired),
		.complete = p->in->catalog->complete,
		.not_kept = s->record->not_kept,
	};

	settings_judge(&p->settings, &rules);
	vec_each (setting, &p->settings)
		n[setting->verdict]++;
}

static void hold_foreign(
	struct planner *p, struct plan_item *it, const struct draft *d, enum plan_action action)
{
	const char *what = d->unknown ? "what it changes is not known" : d->foreign;

	item_hold(it, PLAN_HOLD_FOREIGN, action,
		plan_text(p,
			"would also provision what somebody else saved and did not start "
			"(generation %" PRId64 "): %s",
			it->live->generation, what),
		"start or undo that change in the API, or write it in Git");
}

static bool is_foreign(const struct draft *d)
{
	return d->exists && (d->unknown || d->n_foreign > 0);
}

static bool hold_if_immutable(struct planner *p, struct plan_item *it)
{
	auto_buf struct buf names = BUF_INIT;

	vec_each (s, &p->settings) {
		if (s->verdict != VERDICT_WRITE || !spec_fields[s->field].immutable)
			continue;
		buf_adds(&names, names.len ? ", " : "");
		setting_name(s, &names);
	}
	if (names.len == 0)
		return false;
	item_hold(it, PLAN_HOLD_IMMUTABLE, PLAN_UPDATE,
		plan_text(p, "cannot be changed once it is there: %s", buf_str(&names)),
		"put the old value back in Git, or declare the new one under another name");
	return true;
}

static void decide_write(struct planner *p, struct plan_item *it, const struct draft *d)
{
	item_add_diffs(p, it, VERDICT_WRITE);
	if (hold_if_immutable(p, it))
		return;
	if (is_foreign(d))
		hold_foreign(p, it, d, PLAN_UPDATE);
	else
		it->action = PLAN_UPDATE;
}

static void decide_retry(struct planner *p, struct plan_item *it)
{
	char when[CLOCK_TEXT_MAX];

	if (p->in->now_ms < it->record->retry_at_ms) {
		item_hold(it, PLAN_HOLD_BACKOFF, PLAN_RECONCILE,
			plan_text(p,
				"generation %" PRId64 " ended in Error; the next attempt is at %s",
				it->live->generation, clock_format(it->record->retry_at_ms, when)),
			"wait, or change it in Git: a new generation is tried at once");
		return;
	}
	it->action = PLAN_RECONCILE;
	item_note(it, "generation %" PRId64 " ended in Error; this is a further attempt",
		it->live->generation);
}

static void note_foreign(struct plan_item *it, const struct draft *d)
{
	item_note(it, "generation %" PRId64 " was saved by somebody else and not started%s%s",
		it->live->generation, d->n_foreign ? ": " : "", d->foreign);
}

/* Nothing is to be written: is what was saved also provisioned? */
static void decide_generation(struct planner *p, struct plan_item *it, const struct draft *d)
{
	const struct plan_record *r = it->record;

	if (r->failed_generation > 0 && r->failed_generation == it->live->generation) {
		decide_retry(p, it);
	} else if (it->waiting || !d->ours) {
		if (d->exists)
			note_foreign(it, d);
	} else if (is_foreign(d)) {
		hold_foreign(p, it, d, PLAN_RECONCILE);
	} else {
		it->action = PLAN_RECONCILE;
		item_note(it, "generation %" PRId64 " is saved and was never provisioned",
			it->live->generation);
	}
}

/* What is held although nothing is written, by verdict, the first that applies. */
static const struct {
	enum verdict verdict;
	enum plan_hold hold;
	const char *why;
	const char *release;
} leftovers[] = {
	{VERDICT_REPORT, PLAN_HOLD_REPORT, "drift, and sync.mode is report",
		"write in Git what is live, or set sync.mode: heal"},
	{VERDICT_WITHHOLD, PLAN_HOLD_INCOMPLETE,
		"gone from YAML, and nothing is reset while Git has errors",
		"mend the errors in Git"},
	{VERDICT_NOT_KEPT, PLAN_HOLD_NOT_KEPT, "was written, and the API does not keep it",
		"write in Git what the API keeps"},
};

static void decide_leftovers(
	struct planner *p, struct plan_item *it, const size_t n[VERDICT__COUNT])
{
	for (size_t i = 0; i < ARRAY_SIZE(leftovers); i++) {
		if (n[leftovers[i].verdict] == 0)
			continue;
		item_add_diffs(p, it, leftovers[i].verdict);
		item_hold(
			it, leftovers[i].hold, PLAN_UPDATE, leftovers[i].why, leftovers[i].release);
		return;
	}
}

static void note_setting(struct plan_item *it, const struct setting *s)
{
	auto_buf struct buf name = BUF_INIT, live = BUF_INIT, desired = BUF_INIT;
	const char *key = s->key ? s->key->u.string.s : NULL;

	setting_name(s, &name);
	plan_value_text(&live, s->field, key, s->value[SIDE_LIVE]);
	plan_value_text(&desired, s->field, key, s->value[SIDE_DESIRED]);
	switch (s->verdict) {
	case VERDICT_REPORT:
		item_note(it, "drift, only reported: %s is %s, Git says %s", buf_str(&name),
			buf_str(&live), buf_str(&desired));
		break;
	case VERDICT_WITHHOLD:
		item_note(it,
			"%s is gone from YAML and stays %s until the errors in Git are mended",
			buf_str(&name), buf_str(&live));
		break;
	case VERDICT_NOT_KEPT:
		item_note(it, "the API does not keep %s: Git says %s, it answers %s",
			buf_str(&name), buf_str(&desired), buf_str(&live));
		break;
	case VERDICT_STAYS:
		item_note(it, "%s is gone from YAML and stays %s: it cannot be taken back",
			buf_str(&name), buf_str(&live));
		break;
	case VERDICT_FREE:
	case VERDICT_SAME:
	case VERDICT_WRITE:
	case VERDICT__COUNT:
		break;
	}
}

/* What is neither written nor among the diffs is said. */
static void note_rest(struct planner *p, struct plan_item *it)
{
	enum verdict shown = VERDICT_WRITE;

	for (size_t i = 0; i < ARRAY_SIZE(leftovers); i++)
		if (it->hold == leftovers[i].hold)
			shown = leftovers[i].verdict;
	vec_each (s, &p->settings)
		if (s->verdict != shown)
			note_setting(it, s);
}

static bool is_waiting(const struct subject *s)
{
	const struct plan_record *r = s->record;

	return r->intent_open && r->intent_reconciled &&
	       r->failed_generation != r->intent_generation &&
	       s->live->generation >= r->intent_generation;
}

/* Somebody else's draft on top takes nothing from what runs. */
static bool is_healthy(const struct plan_item *it, const struct draft *d)
{
	const struct live *live = it->live;

	if (live->status != LIVE_HEALTHY || it->record->failed_generation == live->generation)
		return false;
	if (live->has_observed && live->observed_generation >= live->generation)
		return true;
	return !it->waiting && (d->exists ? !d->ours : !live->has_observed);
}

void plan_owned(struct planner *p, const struct subject *s, struct plan_item *it)
{
	size_t n[VERDICT__COUNT] = {0};

	collect(p, s, it);
	judge(p, s, it, n);
	struct draft d = draft_examine(p, s->live, s->record);
	it->waiting = is_waiting(s);
	it->healthy = is_healthy(it, &d);
	if (n[VERDICT_WRITE])
		decide_write(p, it, &d);
	else
		decide_generation(p, it, &d);
	if (it->action == PLAN_NONE)
		decide_leftovers(p, it, n);
	note_rest(p, it);
}
