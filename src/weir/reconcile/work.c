/* What a plan wants done about one replicator becomes rows of the journal and calls that wait for
 * their turn. */
#include <string.h>

#include "base/alloc.h"
#include "doc/json.h"
#include "reconcile/internal.h"

#define LAG_LOOK_MS 1000 /* between two looks for what the API does not show yet */

static bool set_text(char **at, const char *value)
{
	if (*at && value ? !strcmp(*at, value) : !*at && !value)
		return false;
	str_replace(at, xstrdup_opt(value));
	return true;
}

/* What was seen of another object says nothing of this one. */
static void forget_generations(struct record *r)
{
	struct store_row *row = &r->row;
	str_replace(&row->provisioned, NULL);
	row->seen_generation = row->provisioned_generation = row->seen_observed = 0;
	row->failed_generation = row->failures = row->retry_at_ms = 0;
	ledger_forget_seen(r);
}

bool work_note_seen(const struct engine *en, struct record *r, const struct live *live)
{
	struct store_row *row = &r->row;
	bool went_on = plan_observed(live) > row->seen_observed;
	if (!went_on && live->generation <= row->seen_generation)
		return false;
	if (went_on)
		row->seen_observed = plan_observed(live);
	if (live->generation > row->seen_generation)
		row->seen_generation = live->generation;
	r->seen_at = now_mono(en);
	return true;
}

/* Whether anything is new. Another object begins its generations anew. */
static bool set_identity(const struct engine *en, struct record *r, const struct live *live)
{
	if (!live_is_same(live, r->row.uid, r->row.created_at))
		forget_generations(r);
	bool changed = set_text(&r->row.uid, live->uid);
	changed = set_text(&r->row.created_at, live->created_at) || changed;
	return work_note_seen(en, r, live) || changed;
}

/* What runs, or was set going, is what drafts are measured by. */
void work_provisioned(struct record *r, const struct live *live)
{
	r->row.provisioned_generation = live->generation;
	str_replace(&r->row.provisioned, spec_to_json(&live->spec));
}

/* Of what is not in Git, or is being deleted, a plan does not say whether it is a draft. */
static bool is_running(const struct plan_item *item)
{
	const struct live *live = item->live;
	bool is_planned = item->desired && live->status != LIVE_DELETING;
	if (live->has_observed && live->observed_generation >= live->generation)
		return true;
	return is_planned && !item->draft;
}

/* True if that is news. */
static bool note_provisioned(struct record *r, const struct plan_item *item)
{
	const struct live *live = item->live;
	if (!live || !item->ours || !is_running(item) ||
		r->row.provisioned_generation >= live->generation)
		return false;
	work_provisioned(r, live);
	return true;
}

bool work_waits(struct engine *en, const struct record *r)
{
	int64_t now = now_mono(en);
	if (now >= r->blocked_until)
		return false;
	pass_soon(en, r->blocked_until - now);
	return true;
}

/* What was asked for, and may still come, would not be known for ours any more: let go of, or asked
 * for with another body. The same may be asked for at any time. */
static bool may_be_lost(const struct intent *asked, const struct plan_item *item)
{
	auto_arena struct arena a = ARENA_INIT;
	auto_buf struct buf body = BUF_INIT;
	if (item->action != PLAN_CREATE)
		return item->gone;
	json_write(&body, plan_body(&a, item), JSON_STYLE_COMPACT);
	return strcmp(buf_str(&body), asked->body) != 0;
}

/*
 * The API may show what it answered to us only after a while: something that was created and is not
 * to be seen, or a generation below the one we know, or that runs. For a minute that is no reason
 * to do anything.
 */
static bool is_lagging(
	const struct engine *en, const struct record *r, const struct plan_item *item)
{
	const struct live *live = item->live;
	const struct intent *i = r->intent;
	if (now_mono(en) - r->seen_at >= LAG_GRACE_MS)
		return false;
	if (!live && i && i->kind == INTENT_CREATE && !i->generation)
		return may_be_lost(i, item); /* it may come of a call that was never answered */
	if (!r->row.owned)
		return false;
	if (!live)
		return i && i->kind == INTENT_CREATE;
	return live_is_same(live, r->row.uid, r->row.created_at) &&
	       (live->generation < r->row.seen_generation ||
		       plan_went_back(live, r->row.seen_observed));
}

void work_forget_object(struct record *r)
{
	struct store_row *row = &r->row;
	char **const texts[] = {&row->uid, &row->created_at, &row->failure, &row->not_kept,
		&row->leftovers, &row->contested};
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		str_replace(texts[i], NULL);
	forget_generations(r);
}

void work_let_go(struct engine *en, struct record *r)
{
	bool declared = en->catalog && map_has(&en->catalog->by_name, r->name);
	ledger_drop(&en->ledger, r);
	if (!declared)
		ledger_unaccept(&en->ledger, r);
}

static bool depends_on(const struct plan_item *item, const char *name)
{
	const struct node *list = item->desired ? item->desired->sync.depends_on : NULL;
	for (size_t i = 0; list && i < list->u.seq.n; i++)
		if (!strcmp(list->u.seq.at[i]->u.string.s, name))
			return true;
	return false;
}

void work_wake_others(struct engine *en, const char *name)
{
	if (!en->plan || !en->held_for_others)
		return;
	vec_each (item, &en->plan->items)
		if (item->hold == PLAN_HOLD_DEPENDANTS ||
			(item->hold == PLAN_HOLD_DEPENDS && depends_on(item, name))) {
			pass_soon(en, 0);
			return;
		}
}

static bool heals_only(const struct plan_item *item)
{
	vec_each (d, &item->diffs)
		if (d->change != PLAN_DRIFT)
			return false;
	return item->diffs.n > 0;
}

/* What was never answered and shows was applied: it is ours, also if what follows fails. */
static void own_what_shows(struct engine *en, struct record *r, const struct plan_item *item)
{
	struct intent *i = r->intent;
	const struct live *live = item->live;
	if (item->action != PLAN_UPDATE || !live || !item->ours || !i)
		return;
	bool wrote = i->kind == INTENT_UPDATE || i->kind == INTENT_CREATE;
	bool unanswered = wrote && i->state == INTENT_OPEN && live->generation > i->base_generation;
	bool shows = unanswered && plan_intent_shows(item->record, live);
	if (shows) {
		tell_written(en, r, live->generation, false);
		work_applied(en, r, live);
	}
	if (!shows || live->generation != i->base_generation + 1)
		return;
	i->state = INTENT_SAVED; /* what goes on top rests on a draft of ours */
	i->generation = live->generation;
}

static void note_taken(struct record *r, const struct plan_item *item)
{
	arena_release(&r->taken_arena);
	r->taken = plan_taken(&r->taken_arena, item, &r->n_taken);
}

static void begin_write(struct engine *en, struct plan_item *item)
{
	struct record *r = ledger_need(&en->ledger, item->name);
	if (work_waits(en, r))
		return;
	auto_arena struct arena a = ARENA_INIT;
	auto_buf struct buf body = BUF_INIT;
	json_write(&body, plan_body(&a, item), JSON_STYLE_COMPACT);
	int64_t base = item->live ? item->live->generation : 0;
	if (calls_refused(r, buf_str(&body), item->live))
		return;
	own_what_shows(en, r, item); /* with what is noted of that write, before this one's is */
	struct spec intended = plan_intended(&a, item);
	struct intent *i = xcalloc(1, sizeof(*i));
	*i = (struct intent){
		.name = xstrdup(r->name),
		.kind = item->action == PLAN_CREATE ? INTENT_CREATE : INTENT_UPDATE,
		.state = INTENT_OPEN,
		.uid = item->live ? xstrdup_opt(item->live->uid) : NULL,
		.created_at = item->live ? xstrdup_opt(item->live->created_at) : NULL,
		.sha = xstrdup_opt(commit_of(en)),
		.intended = spec_to_json(&intended),
		.body = buf_take(&body),
		.base_generation = base,
		.created_ms = now_wall(en),
	};
	r->healed = i->heals = heals_only(item);
	tell_writing(en, r, item);
	contested_note(r, item);
	approval_note(r, item);
	note_taken(r, item);
	if (i->kind == INTENT_CREATE && r->row.owned) {
		work_forget_object(r);
		ledger_changed(&en->ledger, r);
	} else if (item->live && !item->ours && r->row.owned) {
		forget_generations(r); /* of the one before */
		ledger_changed(&en->ledger, r);
	} else if (i->kind == INTENT_UPDATE && note_provisioned(r, item)) {
		ledger_changed(&en->ledger, r);
	}
	ledger_open_intent(&en->ledger, r, i);
	r->begun_by = en->plans;
	calls_write(en, r);
}

void work_applied(struct engine *en, struct record *r, const struct live *live)
{
	str_replace(&r->row.last_applied, xstrdup_opt(r->intent->intended));
	r->row.owned = true;
	r->row.replaced = false;
	r->is_refused = false;
	str_replace(&r->last_error, NULL);
	str_replace(&r->row.failure, NULL);
	contested_healed(en, r);
	approval_used(en, r);
	found_forget(en, r);
	set_identity(en, r, live);
	ledger_changed(&en->ledger, r);
}

/* What the open intent wrote is what is to be set going. */
static bool is_of_intent(const struct record *r, const struct plan_item *item)
{
	const struct intent *i = r->intent;
	const struct live *live = item->live;
	if (!i || i->generation)
		return i && i->generation == live->generation;
	return live->generation > i->base_generation && plan_intent_shows(item->record, live);
}

static void begin_reconcile(struct engine *en, struct plan_item *item)
{
	struct record *r = ledger_need(&en->ledger, item->name);
	if (work_waits(en, r))
		return;
	const struct live *live = item->live;
	if (calls_refused(r, "", live))
		return;
	if (!item->ours && r->row.owned)
		forget_generations(r);
	struct intent *i = r->intent;
	if (!is_of_intent(r, item)) {
		auto_arena struct arena a = ARENA_INIT;
		struct spec intended = plan_intended(&a, item);
		i = xcalloc(1, sizeof(*i));
		*i = (struct intent){
			.name = xstrdup(r->name),
			.kind = INTENT_RECONCILE,
			.state = INTENT_SAVED,
			.sha = xstrdup_opt(commit_of(en)),
			.intended = spec_to_json(&intended),
			.base_generation = live->generation - 1,
			.generation = live->generation,
			.created_ms = now_wall(en),
			.heals = r->healed,
		};
		ledger_open_intent(&en->ledger, r, i);
	}
	bool was_lost = !i->generation;
	i->generation = live->generation;
	str_replace(&i->uid, xstrdup_opt(live->uid));
	str_replace(&i->created_at, xstrdup_opt(live->created_at));
	r->begun_by = en->plans;
	str_replace(&r->saved, spec_to_json(&live->spec));
	r->unobserved = live->has_observed && live->observed_generation < live->generation;
	r->was_observed = live->has_observed && !r->unobserved;
	if (i->kind != INTENT_RECONCILE)
		calls_changed(en, r); /* its answer may have been lost */
	if (was_lost)
		tell_written(en, r, live->generation, false);
	work_applied(en, r, live);
	calls_reconcile(en, r, false);
}

static void adopt(struct engine *en, struct plan_item *item)
{
	struct record *r = ledger_need(&en->ledger, item->name);
	auto_arena struct arena a = ARENA_INIT;
	struct spec intended = plan_intended(&a, item);
	work_forget_object(r); /* if there was another one */
	str_replace(&r->row.last_applied, spec_to_json(&intended));
	r->row.owned = true;
	found_forget(en, r);
	set_identity(en, r, item->live);
	work_provisioned(r, item->live); /* a draft is not adopted so */
	ledger_close_intent(&en->ledger, r, INTENT_SUPERSEDED, NULL);
	ledger_changed(&en->ledger, r);
	ledger_event(
		&en->ledger, now_wall(en), r->name, commit_of(en), "adopted", "it is as Git says");
	progress(en, "%s: adopted, it is as Git says", r->name);
	item->action = PLAN_NONE;
}

/* The reconcile was sent, its answer was lost, and meanwhile its operation, or one that somebody
 * else started for the same generation, ended well. */
static bool has_ended_well(const struct record *r, const struct live *live)
{
	const struct intent *i = r->intent;
	return i && i->state == INTENT_SENT && i->attempt <= 1 && live->has_observed &&
	       live->generation == i->generation && live->observed_generation >= i->generation &&
	       live->status == LIVE_HEALTHY;
}

/* Nothing is to be written: what is known is brought up to what was seen. */
static void follow(struct engine *en, struct plan_item *item)
{
	struct record *r = ledger_find(&en->ledger, item->name);
	const struct live *live = item->live;
	if (!r || item->waiting)
		return;
	if (item->gone) {
		ledger_event(&en->ledger, now_wall(en), r->name, commit_of(en),
			live ? "let go" : "gone", item->notes.n ? item->notes.at[0] : NULL);
		work_let_go(en, r);
		return;
	}
	if (!live || !r->row.owned || !item->ours)
		return;
	if (has_ended_well(r, live)) {
		calls_started(en, r);
		watch_note(en, r, live);
		watch_succeed(en, r);
		return;
	}
	if (calls_cut_short(en, r, live)) {
		item->action = PLAN_RECONCILE;
		begin_reconcile(en, item);
		return;
	}
	bool changed = false;
	if (item->desired && (r->intent || en->catalog_new)) {
		auto_arena struct arena a = ARENA_INIT;
		struct spec intended = plan_intended(&a, item);
		auto_free char *json = spec_to_json(&intended);
		changed = set_text(&r->row.last_applied, json);
	}
	if (r->intent) {
		contested_healed(en, r);
		approval_used(en, r);
	}
	ledger_close_intent(&en->ledger, r, INTENT_SUPERSEDED, NULL);
	changed = set_identity(en, r, live) || changed;
	changed = note_provisioned(r, item) || changed;
	if (r->row.failure && item->healthy) {
		str_replace(&r->row.failure, NULL);
		r->row.failed_generation = 0;
		r->row.failures = 0;
		changed = true;
	}
	str_replace(&r->last_error, NULL); /* it is of something that is not to be done any more */
	if (changed)
		ledger_changed(&en->ledger, r);
}

/* The object that we were about to create is somebody else's: nothing of it is ours. */
static bool was_forestalled(const struct record *r)
{
	return r->intent && r->intent->kind == INTENT_CREATE && !r->intent->generation;
}

/* What others did to it goes on while nothing is written: which generation there is, and, where the
 * API says so, that it runs. Whose a draft is was not asked of all that is held. */
static void follow_held(struct engine *en, struct record *r, const struct plan_item *item)
{
	const struct live *live = item->live;
	if (!live || !item->ours || !r->row.owned || r->intent ||
		!live_is_same(live, r->row.uid, r->row.created_at))
		return;
	bool changed = set_identity(en, r, live);
	if (note_provisioned(r, item) || changed)
		ledger_changed(&en->ledger, r);
}

static void begin_hold(struct engine *en, struct plan_item *item)
{
	struct record *r = ledger_find(&en->ledger, item->name);
	if (item->hold == PLAN_HOLD_DEPENDS || item->hold == PLAN_HOLD_DEPENDANTS)
		en->held_for_others = true;
	if (!r)
		return;
	follow_held(en, r, item);
	tell_held(en, r, item);
	if (item->hold == PLAN_HOLD_BACKOFF)
		pass_soon(en, r->row.retry_at_ms - now_wall(en));
	if (item->hold == PLAN_HOLD_BUSY)
		look_again(en, r, item->held);
	if (item->hold != PLAN_HOLD_ADOPT)
		return;
	bool forestalled = was_forestalled(r);
	ledger_close_intent(&en->ledger, r, INTENT_SUPERSEDED, "somebody else made it");
	if (forestalled)
		ledger_drop(&en->ledger, r);
}

/* What waits for a time wakes the pass when it comes. */
static void wake_in_time(struct engine *en, const struct plan_item *item)
{
	const struct plan_suspension *s = item->suspended;
	int64_t until_ms = s && s->has_until ? s->until_ms : item->until_ms;
	if (until_ms)
		pass_soon(en, until_ms - now_wall(en));
}

static void note_wanted(struct engine *en, struct record *r, const struct plan_item *item)
{
	bool wanted = item->action != PLAN_NONE && item->action != PLAN_HOLD;
	if (!r && !wanted)
		return;
	r = ledger_need(&en->ledger, item->name);
	if (!wanted)
		r->wanted_ms = 0;
	else if (!r->wanted_ms)
		r->wanted_ms = now_wall(en);
}

static void act(struct engine *en, struct plan_item *item)
{
	switch (item->action) {
	case PLAN_CREATE:
	case PLAN_UPDATE:
		begin_write(en, item);
		return;
	case PLAN_RECONCILE:
		begin_reconcile(en, item);
		return;
	case PLAN_ADOPT:
		adopt(en, item);
		return;
	case PLAN_DELETE:
	case PLAN_REPLACE:
		removal_begin(en, item);
		return;
	case PLAN_NONE:
		follow(en, item);
		return;
	case PLAN_HOLD:
		begin_hold(en, item);
		return;
	case PLAN__COUNT:
		return;
	}
}

static void note_leaving(const struct engine *en, struct record *r, const struct plan_item *item)
{
	bool is_leaving = item->action == PLAN_DELETE || item->action == PLAN_REPLACE ||
			  (item->live && item->live->status == LIVE_DELETING);
	if (!is_leaving)
		r->leaving_ms = 0;
	else if (!r->leaving_ms)
		r->leaving_ms = removal_is(r->intent) ? r->intent->created_ms : now_wall(en);
}

/* In the commit's turn, if it is one that has to wait for that. */
static void act_in_turn(struct engine *en, struct plan_item *item)
{
	if (brake_queues(en, item)) {
		struct record *queued = ledger_need(&en->ledger, item->name);
		queued->wanted_ms = queued->leaving_ms = 0; /* it waits for its turn only */
		return;
	}
	bool counts = brake_counts(item);
	act(en, item);
	const struct record *r = ledger_find(&en->ledger, item->name);
	if (counts && r && r->work != WORK_NONE)
		brake_began(en, item);
}

/* Whatever becomes of it: held, deleted, or changed by others. */
static void own_what_was_made(struct engine *en, struct record *r, const struct plan_item *item)
{
	bool makes = r->intent && r->intent->kind == INTENT_CREATE;
	if (makes && !r->row.owned && item->live && item->ours)
		work_applied(en, r, item->live); /* it was never answered */
}

static void begin(struct engine *en, struct plan_item *item)
{
	struct record *r = ledger_find(&en->ledger, item->name);
	wake_in_time(en, item);
	if (r)
		note_leaving(en, r, item);
	bool under_way = r && r->work != WORK_NONE && r->work < WORK_WATCH;
	bool may_act = en->config->sync.mode != SYNC_PLAN || item->action == PLAN_NONE ||
		       item->action == PLAN_HOLD;
	if (under_way || removal_goes_on(en, item) || !may_act)
		return;
	if (r && is_lagging(en, r, item)) {
		int64_t half = (now_mono(en) - r->seen_at) / 2; /* less and less often */
		item->waiting = true;
		pass_soon(en, half > LAG_LOOK_MS ? half : LAG_LOOK_MS);
		return;
	}
	note_wanted(en, r, item);
	if (r) {
		own_what_was_made(en, r, item);
		contested_seen(en, r, item);
		calls_forget_failure(en, r, item);
	}
	act_in_turn(en, item);
}

void work_begin(struct engine *en, struct plan_item *item)
{
	begin(en, item);
	guards_remember(en, item); /* of what is new, too: it may change before the next pass */
}

void work_resume(struct engine *en, struct record *r)
{
	r->seen_at = now_mono(en);
	if (r->intent && r->intent->state == INTENT_RUNNING)
		watch_begin(en, r);
}
