/* Waiting for Healthy: rows in the journal that are looked at from time to time, never a sleep. */
#include <string.h>

#include "base/alloc.h"
#include "base/crash.h"
#include "base/log.h"
#include "reconcile/internal.h"

#define ASK_EVERY_MS 5000
#define STEADY_MS    30000

static void look_at(struct engine *en, struct record *r, int64_t at)
{
	r->poll_at = at;
	if (at < en->watch_at)
		en->watch_at = at;
}

void watch_begin(struct engine *en, struct record *r)
{
	int64_t now = now_mono(en);
	struct plan_item *item = item_of(en, r);
	if (item)
		item->waiting = true;
	r->work = WORK_WATCH;
	r->poll_every = LOOK_FIRST_MS;
	r->asked_at = now;
	r->status_left = r->superseded = false;
	r->steady_since = now;
	r->last_status = LIVE_UNKNOWN;
	r->looked_generation = 0;
	vec_push(&en->watching, r);
	look_at(en, r, now + LOOK_FIRST_MS);
}

void watch_soon(struct engine *en, struct record *r)
{
	look_at(en, r, now_mono(en));
}

void watch_later(struct engine *en, struct record *r)
{
	r->work = WORK_WATCH;
	look_at(en, r, next_look(en, r));
}

static void look(struct engine *en, struct record *r)
{
	struct api_call *c = xcalloc(1, sizeof(*c));
	*c = (struct api_call){.verb = API_GET, .identifier = xstrdup(r->name)};
	r->work = WORK_WATCHING;
	send_call(en, c, FLIGHT_WATCH, r);
}

/* The same key starts nothing: it only tells how the operation stands. */
static void ask(struct engine *en, struct record *r)
{
	struct api_call *c = xcalloc(1, sizeof(*c));
	*c = (struct api_call){
		.verb = API_RECONCILE,
		.identifier = xstrdup(r->name),
		.generation = r->intent->generation,
		.idempotency_key = xstrdup(r->intent->key),
	};
	r->asked_at = now_mono(en);
	r->work = WORK_ASKING;
	send_call(en, c, FLIGHT_ASK, r);
}

int64_t watch_step(struct engine *en, int64_t now)
{
	if (!en->watching.n)
		return INT64_MAX;
	if (now < en->api.until_mono)
		return en->api.until_mono;
	if (now < en->watch_at)
		return en->watch_at;
	en->watch_at = INT64_MAX;
	size_t kept = 0;
	for (size_t i = 0; i < en->watching.n; i++) {
		struct record *r = en->watching.at[i];
		if (r->work < WORK_WATCH)
			continue; /* its operation ended, or a newer one took over */
		en->watching.at[kept++] = r;
		if (r->work != WORK_WATCH)
			continue;
		if (now < r->poll_at)
			look_at(en, r, r->poll_at);
		else if (en->flights.n < (size_t)en->config->sync.concurrency)
			look(en, r);
		else
			en->watch_waits = true; /* see watch_landed */
	}
	en->watching.n = kept;
	return en->watch_at;
}

/* Writes that wait must not keep those from being looked at that were written: every other place
 * that comes free is theirs. */
void watch_landed(struct engine *en)
{
	if (!en->watch_waits)
		return;
	en->watch_turn = !en->watch_turn;
	if (!en->watch_turn && turns_any(en))
		return;
	en->watch_waits = false;
	en->watch_at = now_mono(en);
}

/*
 * What ended is what the plan waited for or began. It may be of an older commit: then the newer one
 * is still to be applied, and the next plan tells. So it does of what others saved on top, which
 * may have undone ours, and of what is not as Git says and was left so, or not kept.
 */
static void finish_item(struct engine *en, struct record *r, bool disturbed)
{
	struct plan_item *item = item_of(en, r);
	if (disturbed)
		look_again(en, r, "somebody else saved something meanwhile");
	if (!item || disturbed)
		return;
	item->waiting = false;
	bool all = r->begun_by == en->plans && !item->leaves && !r->row.not_kept;
	if (item->action != PLAN_NONE && !all) {
		pass_soon(en, 0);
		return;
	}
	item->action = PLAN_NONE;
	item->healthy = true;
}

/* Somebody else saved something on top: a look saw it, or the plan did, which may be newer. */
static bool is_disturbed(const struct engine *en, const struct record *r)
{
	const struct plan_item *item = item_of(en, r);
	int64_t planned = item && item->live ? item->live->generation : 0;
	return r->looked_generation > r->intent->generation || planned > r->intent->generation;
}

void watch_succeed(struct engine *en, struct record *r)
{
	struct intent *i = r->intent;
	r->rest_generation = i->generation;
	finish_item(en, r, is_disturbed(en, r));
	if (i->sha && !strcmp(i->sha, en->head.sha) && !i->heals)
		map_put(&en->changed, r->name, en);
	brake_note_end(en, r, true);
	if (r->saved || r->row.provisioned_generation != i->generation)
		str_replace(&r->row.provisioned, TAKE(r->saved));
	r->row.provisioned_generation = i->generation;
	r->row.failed_generation = 0;
	r->row.failures = 0;
	str_replace(&r->row.failure, NULL);
	ledger_event(&en->ledger, now_wall(en), r->name, i->sha, i->heals ? "healed" : "healthy",
		i->heals ? r->differs : NULL);
	log_info(i->heals ? "drift is healed" : "replicator is Healthy", "replicator", r->name,
		NULL);
	progress(en, "%s: Healthy at generation %lld", r->name, (long long)i->generation);
	work_wake_others(en, r->name);
	ledger_close_intent(&en->ledger, r, INTENT_DONE, NULL);
	ledger_changed(&en->ledger, r);
}

void watch_fail(struct engine *en, struct record *r, const char *why)
{
	struct intent *i = r->intent;
	auto_free char *text = xasprintf("ended in Error at generation %lld: %s",
		(long long)i->generation, why && why[0] ? why : "the API says no more");
	struct plan_item *item = item_of(en, r);
	r->rest_generation = i->generation;
	if (item)
		item->waiting = item->healthy = false;
	r->row.failures = r->row.failed_generation == i->generation ? r->row.failures + 1 : 1;
	r->row.failed_generation = i->generation;
	int64_t wait = retry_wait(r->row.failures);
	r->row.retry_at_ms = now_wall(en) + wait;
	str_replace(&r->row.failure, xstrdup(text));
	ledger_event(&en->ledger, now_wall(en), r->name, i->sha, "failed", text);
	brake_note_end(en, r, false);
	log_error("replicator ended in Error", "replicator", r->name, "error", text, NULL);
	progress(en, "%s: %s", r->name, text);
	ledger_close_intent(&en->ledger, r, INTENT_FAILED, text);
	ledger_changed(&en->ledger, r);
	pass_soon(en, wait);
}

static void note_overtaken(struct engine *en, const struct record *r, const char *why)
{
	log_info("the operation was overtaken", "replicator", r->name, "by", why, NULL);
	ledger_event(&en->ledger, now_wall(en), r->name, r->intent->sha, "superseded", why);
}

static void give_way(struct engine *en, struct record *r, const char *why)
{
	note_overtaken(en, r, why);
	ledger_close_intent(&en->ledger, r, INTENT_SUPERSEDED, why);
	ledger_changed(&en->ledger, r);
	look_again(en, r, why);
}

/*
 * An operation covers the whole object, so what others started later provisions what is ours too:
 * it is waited for as ours was. To start another one would take its place, and so on for ever.
 */
static void follow_newer(struct engine *en, struct record *r)
{
	note_overtaken(en, r, "a newer operation");
	r->superseded = true;
	r->steady_since = now_mono(en);
	watch_later(en, r);
}

void watch_note(const struct engine *en, struct record *r, const struct live *live)
{
	if (live->generation == r->intent->generation)
		str_replace(&r->saved, spec_to_json(&live->spec));
	if (r->superseded)
		work_note_others(r, live, r->intent->generation);
	r->looked_generation = live->generation;
	if (live->status != r->last_status) {
		r->last_status = live->status;
		r->steady_since = now_mono(en);
	}
	if (live->status != LIVE_HEALTHY && live->status != LIVE_ERROR)
		r->status_left = true;
}

/* A list that is under way may be from before this look: then it is too old to go by. */
static void note_generation(struct engine *en, struct record *r, const struct live *live)
{
	if (work_note_seen(en, r, live))
		ledger_changed(&en->ledger, r);
}

/* `observed_generation` tells on its own, unless it stood there before the operation began (another
 * attempt). */
static bool tells_by_itself(const struct record *r, const struct live *live)
{
	bool first =
		r->intent->attempt <= 1 && r->intent->kind != INTENT_RECONCILE && !r->was_observed;
	return live->has_observed && (r->unobserved || first);
}

/* The status has to do: it changed and came back, or stayed as it is for long enough. */
static void judge_by_status(struct engine *en, struct record *r, const char *message)
{
	bool steady = r->status_left || now_mono(en) - r->steady_since >= STEADY_MS;
	if (steady && r->last_status == LIVE_HEALTHY)
		watch_succeed(en, r);
	else if (steady && r->last_status == LIVE_ERROR)
		watch_fail(en, r, message);
	else
		watch_later(en, r);
}

/* Where nothing tells one object from the next, a draft may be somebody else's, made anew: there
 * the same key would start something. */
static bool may_be_another(const struct live *live)
{
	return !live->uid && !live->created_at && live->status == LIVE_PENDING;
}

static void judge(struct engine *en, struct record *r, const struct live *live)
{
	bool observed = live->observed_generation >= r->intent->generation;
	if (r->old_operation && live->has_observed && !observed) {
		calls_reconcile(en, r, true);
	} else if (!tells_by_itself(r, live) && r->superseded) {
		judge_by_status(en, r, live->status_message);
	} else if (!tells_by_itself(r, live)) {
		if (now_mono(en) - r->asked_at >= ASK_EVERY_MS && !may_be_another(live))
			ask(en, r);
		else
			watch_later(en, r);
	} else if (observed && live->status == LIVE_HEALTHY) {
		watch_succeed(en, r);
	} else if (observed && live->status == LIVE_ERROR) {
		watch_fail(en, r, live->status_message);
	} else {
		watch_later(en, r);
	}
}

void watch_looked(struct engine *en, struct record *r, struct api_answer *a)
{
	r->work = WORK_WATCH;
	if (removal_is(r->intent)) {
		removal_looked(en, r, a);
		return;
	}
	bool lagging = now_mono(en) - r->seen_at < LAG_GRACE_MS;
	if (a->outcome == API_ABSENT && !lagging) {
		give_way(en, r, "it is gone");
		return;
	}
	if (a->outcome != API_OK) {
		watch_later(en, r);
		return;
	}
	const struct live *live = &a->live;
	bool is_older = live->generation < r->intent->generation ||
			plan_went_back(live, r->row.seen_observed);
	watch_note(en, r, live);
	if (live->status == LIVE_DELETING) {
		give_way(en, r, "it is being deleted");
	} else if (!live_is_same(live, r->intent->uid, r->intent->created_at) ||
		   (is_older && !lagging)) {
		give_way(en, r, "it was made anew by somebody else");
	} else if (is_older) {
		watch_later(en, r); /* an answer from before our write */
	} else {
		note_generation(en, r, live);
		judge(en, r, live);
	}
}

void watch_asked(struct engine *en, struct record *r, struct api_answer *a)
{
	r->work = WORK_WATCH;
	if (a->outcome == API_STALE || a->outcome == API_KEY_REUSED) {
		give_way(en, r, a->err.msg);
		return;
	}
	if (a->outcome != API_OK) {
		watch_later(en, r); /* and whether it is gone, the next look tells */
		return;
	}
	switch (a->operation.state) {
	case OPERATION_RUNNING:
		watch_later(en, r);
		return;
	case OPERATION_SUCCEEDED:
		if (r->last_status != LIVE_HEALTHY) {
			watch_later(en, r);
			return;
		}
		watch_succeed(en, r);
		return;
	case OPERATION_FAILED:
		watch_fail(en, r, a->operation.error);
		return;
	case OPERATION_SUPERSEDED:
		follow_newer(en, r);
		return;
	case OPERATION_UNKNOWN:
		judge_by_status(en, r, NULL);
		return;
	}
}
