/* A replicator that is ours, in Git, and live. */
#include "plan/planner.h"

#include <inttypes.h>
#include <string.h>

#include "base/clock.h"
#include "plan/render.h"

static void setting_text(const struct setting *s, enum side side, struct buf *out)
{
	plan_value_text(out, s->field, s->key ? s->key->u.string.s : NULL, s->value[side]);
}

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
	const struct plan_record *r = s->record;
	struct rules rules = {
		.intent_open = r->intent_open,
		.report = reports_drift(p, it->desired),
		.complete = p->in->catalog->complete,
		.not_kept = r->not_kept,
		.emptied = spec_value_empty(r->not_kept_value.value[SPEC_ADVANCED_CONFIGURATION]),
		.sync = &it->desired->sync,
		.contested = r->contested,
		.n_contested = r->n_contested,
		.leftovers = r->leftovers,
		.n_leftovers = r->n_leftovers,
	};

	settings_judge(&p->settings, &rules);
	vec_each (setting, &p->settings)
		n[setting->verdict]++;
}

/* Healed once more, since somebody says so. */
static void heal_contested(struct planner *p, struct plan_item *it, size_t n[VERDICT__COUNT])
{
	if (n[VERDICT_CONTESTED] == 0)
		return;
	const char *digest = approval_digest(p, it, PLAN_UPDATE, NULL);
	if (!approval_given(p->in, digest))
		return;
	item_approved(it, digest);
	item_note(it, "approved: what somebody else keeps changing back is written once more");
	vec_each (setting, &p->settings)
		if (setting->verdict == VERDICT_CONTESTED)
			setting->verdict = VERDICT_WRITE;
	n[VERDICT_WRITE] += n[VERDICT_CONTESTED];
	n[VERDICT_CONTESTED] = 0;
}

static bool is_foreign(const struct draft *d)
{
	return d->exists && (d->unknown || d->n_foreign > 0);
}

/* What somebody else saved and did not start: from what runs to what is live. */
static void note_foreign(
	struct planner *p, struct plan_item *it, const struct draft *d, const char *verb)
{
	size_t n = 0;

	vec_each (s, &p->settings) {
		auto_buf struct buf name = BUF_INIT, before = BUF_INIT, after = BUF_INIT;

		if (s->draft != DRAFT_FOREIGN || n++ >= FOREIGN_SHOWN)
			continue;
		setting_name(s, &name);
		setting_text(s, SIDE_PROVISIONED, &before);
		setting_text(s, SIDE_LIVE, &after);
		item_note(it, "%s %s: %s -> %s", verb, buf_str(&name), buf_str(&before),
			buf_str(&after));
	}
	if (n > FOREIGN_SHOWN)
		item_note(it, "%s %zu more", verb, n - FOREIGN_SHOWN);
	if (d->unknown)
		item_note(it, "what the draft of somebody else changes is not known");
}

/* An operation is under way, and it is not ours. */
bool is_busy(const struct plan_item *it)
{
	return !it->waiting &&
	       (it->live->status == LIVE_PROVISIONING || it->live->status == LIVE_UPDATING);
}

void hold_busy(struct planner *p, struct plan_item *it, enum plan_action action)
{
	item_hold(it, PLAN_HOLD_BUSY, action,
		plan_text(p, "somebody else's operation is under way, up to generation %" PRId64,
			it->live->generation),
		"nothing to do: it goes on once that has ended");
}

/* True if the action is held for what somebody else saved. */
static bool hold_foreign(struct planner *p, struct plan_item *it, enum plan_action action)
{
	bool says = it->live->has_observed;

	if (applies_drafts(p, it->desired))
		return false;
	bool held = item_hold_unless_approved(p, it, PLAN_HOLD_FOREIGN, action,
		plan_text(p,
			"a draft of somebody else (generation %" PRId64
			") would be provisioned too",
			it->live->generation),
		plan_text(p, "%s, or `weir approve %s`",
			says ? "start or undo it in the API, write it in Git"
			     : "write it in Git, undo it in the API",
			it->name));
	if (held && !says)
		item_note(it,
			"the API does not say what runs: that somebody started it counts once "
			"its status was seen leaving Healthy and coming back");
	return held;
}

/* The action would provision somebody else's draft too. */
static void decide_foreign(
	struct planner *p, struct plan_item *it, const struct draft *d, enum plan_action action)
{
	bool held = true;

	if (is_busy(it))
		hold_busy(p, it, action);
	else
		held = hold_foreign(p, it, action);
	if (!held)
		it->action = action;
	note_foreign(p, it, d, held ? "would also provision" : "also provisions");
}

static void tell_foreign(struct planner *p, struct plan_item *it, const struct draft *d)
{
	item_note(it, "generation %" PRId64 " was saved by somebody else%s", it->live->generation,
		is_busy(it) ? ", whose operation is under way" : " and not started");
	note_foreign(p, it, d, "it changes");
}

static void decide_write(struct planner *p, struct plan_item *it, const struct draft *d)
{
	item_add_diffs(p, it, VERDICT_WRITE);
	if (plan_fixed(p, it))
		return;
	if (is_foreign(d))
		decide_foreign(p, it, d, PLAN_UPDATE);
	else
		it->action = PLAN_UPDATE;
}

/* The operation of the live generation ended in Error: no status outvotes that. */
static bool has_failed(const struct plan_item *it)
{
	return it->record->failed_generation > 0 &&
	       it->record->failed_generation == it->live->generation;
}

/* The generation that was started last did, and what was saved since changes nothing. */
static bool has_failed_below(const struct plan_item *it, const struct draft *d)
{
	return d->exists && !d->ours && !is_foreign(d) && d->started > 0 &&
	       it->record->failed_generation == d->started;
}

/* Ours is still to be started, or was and nobody said so: what ended in Error may be an operation
 * that somebody else started. Asking by its key starts nothing twice, and tells. */
static bool is_unanswered(const struct plan_item *it)
{
	const struct plan_record *r = it->record;
	const struct live *live = it->live;

	return r->intent_open && !r->intent_reconciled &&
	       r->intent_generation == live->generation && live->status == LIVE_ERROR &&
	       live->has_observed && live->observed_generation >= live->generation;
}

static void decide_retry(struct planner *p, struct plan_item *it)
{
	char when[CLOCK_TEXT_MAX];
	int64_t failed = it->record->failed_generation;
	int64_t ahead = it->record->retry_at_ms - p->in->now_ms;

	if (ahead > 0 && ahead <= PLAN_RETRY_MOST_MS) {
		item_hold_until(it, PLAN_HOLD_BACKOFF, PLAN_RECONCILE,
			plan_text(p,
				"generation %" PRId64 " ended in Error; the next attempt is at %s",
				failed, clock_format(it->record->retry_at_ms, when)),
			"wait, or change it in Git: a new generation is tried at once",
			it->record->retry_at_ms);
		return;
	}
	it->action = PLAN_RECONCILE;
	item_note(it, "generation %" PRId64 " ended in Error; this is a further attempt", failed);
}

/* What is to be provisioned: from what runs to what Git says. */
static void add_provisioned_diffs(struct planner *p, struct plan_item *it)
{
	vec_each (s, &p->settings)
		if (s->draft == DRAFT_OURS)
			item_add_diff(it, s, s->value[SIDE_DESIRED] ? PLAN_CHANGE : PLAN_RESET,
				s->value[SIDE_PROVISIONED]);
}

/* Nothing is to be written: is what was saved also provisioned? */
static void decide_generation(struct planner *p, struct plan_item *it, const struct draft *d)
{
	const struct plan_record *r = it->record;

	if (has_failed(it) || has_failed_below(it, d)) {
		decide_retry(p, it);
	} else if (is_unanswered(it)) {
		it->action = PLAN_RECONCILE;
		item_note(it,
			"ended in Error, and whether that is what was started here is not known: "
			"generation %" PRId64 " is asked for again",
			it->live->generation);
	} else if (it->waiting || !d->ours) {
		if (it->waiting)
			item_note(it,
				"waits for generation %" PRId64 " to be Healthy; its status is %s",
				r->intent_generation, it->live->status_word);
		/* What runs below it is not known: that it is as Git says, nobody can tell. */
		if (d->exists && d->unknown && !it->waiting)
			decide_foreign(p, it, d, PLAN_RECONCILE);
		else if (d->exists)
			tell_foreign(p, it, d);
	} else {
		add_provisioned_diffs(p, it);
		if (is_foreign(d)) {
			decide_foreign(p, it, d, PLAN_RECONCILE);
			return;
		}
		it->action = PLAN_RECONCILE;
		item_note(it, "generation %" PRId64 " is saved and was never provisioned",
			it->live->generation);
	}
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

	if (live->status != LIVE_HEALTHY || has_failed(it))
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
	heal_contested(p, it, n);
	struct draft d = draft_examine(&p->settings, s->live, s->record);
	it->draft = d.exists;
	it->waiting = is_waiting(s);
	it->healthy = is_healthy(it, &d);
	if (n[VERDICT_WRITE])
		decide_write(p, it, &d);
	else
		decide_generation(p, it, &d);
	plan_leave(p, it, n);
}
