/*
 * What the events say beside what was done: what differed, and what became held. Neither may fill
 * the store: what goes back and forth is told as often as it is written, and held once an hour.
 */
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "reconcile/internal.h"

#define DETAIL_LENGTH 400 /* characters */
#define TOLD_AGAIN_MS 3600000

/* What is about one replicator, and for people to end. The others come and go with a commit, a
 * window or a call, by the hundred, and have events of their own. */
static const bool told_holds[PLAN_HOLD__COUNT] = {
	[PLAN_HOLD_ADOPT] = true,
	[PLAN_HOLD_PRUNE] = true,
	[PLAN_HOLD_FOREIGN] = true,
	[PLAN_HOLD_IMMUTABLE] = true,
	[PLAN_HOLD_SECRET] = true,
	[PLAN_HOLD_REPORT] = true,
	[PLAN_HOLD_NOT_KEPT] = true,
	[PLAN_HOLD_UNKNOWN] = true,
	[PLAN_HOLD_PROTECT] = true,
	[PLAN_HOLD_GRACE] = true,
	[PLAN_HOLD_PRUNE_MAX] = true,
	[PLAN_HOLD_EMPTY] = true,
	[PLAN_HOLD_CONTESTED] = true,
};

static void tell(struct engine *en, const struct record *r, const char *what, struct buf *detail)
{
	text_truncate(detail, DETAIL_LENGTH);
	ledger_event(&en->ledger, now_wall(en), r->name, commit_of(en), what, buf_str(detail));
}

/* What was found that nobody wanted, unless it is what was found last. */
static void tell_drift(struct engine *en, struct record *r, const struct plan_item *item)
{
	auto_buf struct buf found = BUF_INIT;
	vec_each (d, &item->diffs) {
		if (d->change != PLAN_DRIFT && d->change != PLAN_CONFLICT)
			continue;
		buf_adds(&found, found.len ? "; " : "");
		plan_diff_text(d, &found);
	}
	if (item->action == PLAN_CREATE && found.len) {
		buf_clear(&found);
		buf_adds(&found, "it was deleted behind Git's back");
	}
	if (found.len && !(r->drift && !strcmp(r->drift, buf_str(&found))))
		tell(en, r, "drift", &found);
	str_replace(&r->drift, found.len ? xstrdup(buf_str(&found)) : NULL);
}

void tell_writing(struct engine *en, struct record *r, const struct plan_item *item)
{
	auto_buf struct buf differs = BUF_INIT;
	if (item->action == PLAN_UPDATE)
		plan_diffs_text(item, &differs);
	text_truncate(&differs, DETAIL_LENGTH);
	str_replace(&r->differs, differs.len ? xstrdup(buf_str(&differs)) : NULL);
	tell_drift(en, r, item);
}

void tell_written(struct engine *en, const struct record *r, int64_t generation, bool was_answered)
{
	const struct intent *i = r->intent;
	const char *what = i->kind == INTENT_CREATE ? "created" : "changed";
	auto_free char *detail = xasprintf("generation %lld%s%s%s", (long long)generation,
		r->differs ? ": " : "", r->differs ? r->differs : "",
		was_answered ? "" : "; its answer was lost, and it shows");
	ledger_event(&en->ledger, now_wall(en), r->name, i->sha, what, detail);
	progress(en, "%s: %s, %s", r->name, what, detail);
}

/* After a restart, the last event tells. */
static bool was_told(struct engine *en, const struct record *r, const char *hold)
{
	struct events events = VEC_INIT;
	size_t n = strlen(hold);
	if (r->held_told_at || !en->ledger.store ||
		store_load_events(en->ledger.store, r->name, 1, &events, NULL) < 0)
		return false;
	const struct event *last = events.n ? &events.at[0] : NULL;
	bool told = last && !strcmp(last->what, "held") && last->detail &&
		    !strncmp(last->detail, hold, n) && last->detail[n] == ':';
	events_release(&events);
	return told;
}

void tell_held(struct engine *en, struct record *r, const struct plan_item *item)
{
	const char *hold = plan_hold_name(item->hold);
	unsigned bit = 1u << item->hold;
	auto_buf struct buf detail = BUF_INIT;
	if (!told_holds[item->hold])
		return;
	if (r->held_told_at && now_mono(en) - r->held_told_at >= TOLD_AGAIN_MS)
		r->held_told = 0;
	if (r->held_told & bit)
		return;
	bool told = was_told(en, r, hold);
	if (!r->held_told)
		r->held_told_at = now_mono(en);
	r->held_told |= bit;
	if (told)
		return;
	buf_addf(&detail, "%s: %s", hold, item->held);
	if (item->diffs.n && item->held_action == PLAN_UPDATE)
		buf_adds(&detail, "; ");
	if (item->held_action == PLAN_UPDATE)
		plan_diffs_text(item, &detail);
	for (size_t i = 0; item->hold == PLAN_HOLD_FOREIGN && i < item->notes.n; i++)
		buf_addf(&detail, "; %s", item->notes.at[i]);
	tell(en, r, "held", &detail);
}
