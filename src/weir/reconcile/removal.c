/* Deleting, for good or so that a replacement can be made: look, DELETE, wait until it is gone. A
 * crash anywhere is made good by the next plan, or, once the DELETE was accepted, by waiting on. */
#include <string.h>

#include "base/alloc.h"
#include "base/crash.h"
#include "base/log.h"
#include "reconcile/internal.h"

bool removal_is(const struct intent *i)
{
	return i && (i->kind == INTENT_DELETE || i->kind == INTENT_REPLACE);
}

/* The very object that was planned to be deleted, whatever became of it since. */
static bool is_same_object(const struct intent *i, const struct live *live)
{
	return live_is_same(live, i->uid, i->created_at) && live->generation >= i->base_generation;
}

static struct intent *new_intent(
	const struct engine *en, const struct record *r, const struct plan_item *item)
{
	struct intent *i = xcalloc(1, sizeof(*i));
	*i = (struct intent){
		.name = xstrdup(item->name),
		.kind = item->action == PLAN_REPLACE ? INTENT_REPLACE : INTENT_DELETE,
		.state = INTENT_OPEN,
		.uid = xstrdup_opt(item->live->uid),
		.created_at = xstrdup_opt(item->live->created_at),
		.sha = xstrdup_opt(commit_of(en)),
		.base_generation = item->live->generation,
		.created_ms = r->leaving_ms, /* an attempt begins no new wait */
	};
	return i;
}

void removal_begin(struct engine *en, struct plan_item *item)
{
	struct record *r = ledger_need(&en->ledger, item->name);
	if (en->source.times) {
		/* It may be back in Git, and that cannot be seen. */
		str_replace(&r->last_error, xstrdup("nothing is deleted while the repository "
						    "cannot be read"));
		return;
	}
	if (work_waits(en, r) || calls_refused(r, REMOVAL_BODY, item->live))
		return;
	r->healed = false;
	approval_note(r, item);
	ledger_open_intent(&en->ledger, r, new_intent(en, r, item));
	r->begun_by = en->plans;
	turns_add(en, r, WORK_CHECK);
}

void removal_send(struct engine *en, struct record *r)
{
	bool checks = r->work == WORK_CHECK;
	struct api_call *c = xcalloc(1, sizeof(*c));
	*c = (struct api_call){
		.verb = checks ? API_GET : API_DELETE,
		.identifier = xstrdup(r->name),
		.generation = r->intent->base_generation,
	};
	r->work = checks ? WORK_CHECKING : WORK_DELETING;
	if (!checks)
		crash_point("before-delete");
	send_call(en, c, checks ? FLIGHT_CHECK : FLIGHT_DELETE, r);
}

static void watch(struct engine *en, struct record *r)
{
	r->intent->state = INTENT_RUNNING;
	r->intent->started_ms = now_wall(en);
	ledger_intent_changed(&en->ledger, r);
	watch_begin(en, r);
	watch_soon(en, r);
}

static void tell(struct engine *en, const struct record *r, bool replaces)
{
	const char *detail = replaces ? "to be replaced" : "not in Git any more";
	ledger_event(&en->ledger, now_wall(en), r->name, r->intent->sha, "deleted", detail);
	log_info("replicator is deleted", "replicator", r->name, "why", detail, NULL);
	progress(en, "%s: deleted, %s", r->name, detail);
}

/* What is left of it in the plan at hand: nothing, until the next one. */
static void clear_item(struct engine *en, struct record *r)
{
	struct plan_item *item = item_of(en, r);
	if (!item)
		return;
	item->waiting = false;
	item->live = NULL;
	if (item->desired)
		return;
	item->action = PLAN_NONE;
	item->gone = true;
}

/* The object is gone, whoever saw it off. */
static void finish(struct engine *en, struct record *r)
{
	bool replaces = r->intent->kind == INTENT_REPLACE;
	crash_point("deleted");
	tell(en, r, replaces);
	clear_item(en, r);
	work_wake_others(en, r->name);
	approval_used(en, r);
	r->tries = r->undeleted = 0;
	r->kept_generation = 0;
	ledger_close_intent(&en->ledger, r, INTENT_DONE, NULL);
	pass_soon(en, 0); /* the next plan creates what Git says by then, if anything */
	if (!replaces) {
		work_let_go(en, r);
		return;
	}
	work_forget_object(r);
	str_replace(&r->row.last_applied, NULL);
	r->row.replaced = true;
	ledger_changed(&en->ledger, r);
}

/* Nothing of what stands there now is ours. */
static void finish_for_another(struct engine *en, struct record *r)
{
	static const char why[] = "somebody else made it anew";
	ledger_event(&en->ledger, now_wall(en), r->name, r->intent->sha, "gone", why);
	ledger_close_intent(&en->ledger, r, INTENT_SUPERSEDED, why);
	work_let_go(en, r);
	look_again(en, r, why);
}

/* Git may never have known some of it. */
static void keep_body(struct engine *en, struct record *r, const struct live *live)
{
	auto_buf struct buf json = BUF_INIT;
	if (r->kept_generation == live->generation)
		return;
	plan_live_json(live, &json);
	ledger_event(&en->ledger, now_wall(en), r->name, r->intent->sha, "to be deleted",
		buf_str(&json));
	r->kept_generation = live->generation;
}

void removal_checked(struct engine *en, struct record *r, struct api_answer *a)
{
	const struct live *live = &a->live;
	r->work = WORK_NONE;
	if (a->outcome == API_ABSENT) {
		finish(en, r);
	} else if (a->outcome != API_OK) {
		calls_failed(en, r, a);
	} else if (!is_same_object(r->intent, live)) {
		calls_overtaken(en, r, "it was made anew since it was planned to be deleted");
	} else if (live->status == LIVE_DELETING) {
		watch(en, r);
	} else if (live->generation != r->intent->base_generation) {
		calls_overtaken(en, r, "it was changed since it was planned to be deleted");
	} else if (r->begun_by == en->dropped) { /* a newer commit, or an order, came meanwhile */
		calls_overtaken(en, r, "the plan to delete it is out of date");
	} else {
		keep_body(en, r, live);
		turns_add(en, r, WORK_DELETE);
	}
}

void removal_answered(struct engine *en, struct record *r, struct api_answer *a)
{
	crash_point("delete-answered");
	r->work = WORK_NONE;
	if (a->outcome == API_OK) {
		r->tries = 0;
		watch(en, r);
	} else if (a->outcome == API_ABSENT) { /* a moment ago it was there */
		finish(en, r);
	} else {
		calls_failed(en, r, a);
	}
}

static void fail(struct engine *en, struct record *r, const char *why)
{
	int64_t wait = retry_wait(++r->undeleted);
	auto_free char *text = xasprintf(
		"could not be deleted: %s", why && why[0] ? why : "the API does not say why");
	struct plan_item *item = item_of(en, r);
	if (item)
		item->waiting = false;
	str_replace(&r->row.failure, xstrdup(text));
	r->blocked_until = now_mono(en) + wait;
	ledger_event(&en->ledger, now_wall(en), r->name, r->intent->sha, "failed", text);
	log_error("replicator cannot be deleted", "replicator", r->name, "error", text, NULL);
	progress(en, "%s: %s", r->name, text);
	ledger_close_intent(&en->ledger, r, INTENT_FAILED, text);
	ledger_changed(&en->ledger, r);
	pass_soon(en, wait);
}

/* What is being deleted does not come back to life: where nothing tells one object from the next,
 * that one is another. */
static bool came_back(const struct record *r, const struct live *live)
{
	bool nameless = !live->uid && !live->created_at;
	return nameless && r->last_status == LIVE_DELETING && live->status != LIVE_DELETING &&
	       live->status != LIVE_ERROR;
}

void removal_looked(struct engine *en, struct record *r, const struct api_answer *a)
{
	const struct live *live = &a->live;
	int64_t begun = r->steady_since;
	if (a->outcome == API_ABSENT) {
		r->work = WORK_NONE;
		finish(en, r);
		return;
	}
	if (a->outcome != API_OK) {
		watch_later(en, r);
		return;
	}
	bool another = !is_same_object(r->intent, live) || came_back(r, live);
	r->last_status = live->status;
	if (another)
		finish_for_another(en, r);
	else if (live->status == LIVE_DELETING || now_mono(en) - begun < LAG_GRACE_MS)
		watch_later(en, r);
	else
		fail(en, r,
			live->status == LIVE_ERROR ? live->status_message
						   : "it was accepted, and nothing came of it");
}

/* The complete list is at hand: what is not in it is gone, also where the answer that said so was
 * lost. */
void removal_settle(struct engine *en)
{
	for (size_t i = map_size(&en->ledger.records); i-- > 0;) {
		struct record *r = map_value(&en->ledger.records, i);
		bool absent = !r->unread && !map_has(&en->list.by_name, r->name);
		if (removal_is(r->intent) && absent)
			finish(en, r);
	}
}

/* True: what was begun earlier goes on, whatever the plan says. */
bool removal_goes_on(struct engine *en, struct plan_item *item)
{
	struct record *r = ledger_find(&en->ledger, item->name);
	const struct live *live = item->live;
	if (!r || !removal_is(r->intent) || !live)
		return false;
	if (r->work >= WORK_WATCH) {
		item->waiting = true;
		return true;
	}
	if (is_same_object(r->intent, live) && live->status == LIVE_DELETING) {
		watch(en, r); /* its answer was lost */
		return true;
	}
	if (item->action != PLAN_DELETE && item->action != PLAN_REPLACE)
		ledger_close_intent(
			&en->ledger, r, INTENT_SUPERSEDED, "it is not to be deleted any more");
	return false;
}
