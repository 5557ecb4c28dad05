/* How each replicator of the plan stands, and why. */
#include <string.h>

#include "base/alloc.h"
#include "reconcile/internal.h"

static const enum standing standings_of_holds[PLAN_HOLD__COUNT] = {
	[PLAN_HOLD_NOT] = STANDING_HELD,
	[PLAN_HOLD_ADOPT] = STANDING_HELD,
	[PLAN_HOLD_PRUNE] = STANDING_ABSENT_OK,
	[PLAN_HOLD_FOREIGN] = STANDING_HELD,
	[PLAN_HOLD_BUSY] = STANDING_UNHEALTHY,
	[PLAN_HOLD_IMMUTABLE] = STANDING_HELD,
	[PLAN_HOLD_SECRET] = STANDING_HELD,
	[PLAN_HOLD_REPORT] = STANDING_DRIFTED,
	[PLAN_HOLD_INCOMPLETE] = STANDING_HELD,
	[PLAN_HOLD_NOT_KEPT] = STANDING_HELD,
	[PLAN_HOLD_REWOUND] = STANDING_HELD,
	[PLAN_HOLD_BACKOFF] = STANDING_FAILED,
	[PLAN_HOLD_DELETING] = STANDING_UNHEALTHY,
	[PLAN_HOLD_UNKNOWN] = STANDING_UNKNOWN,
	[PLAN_HOLD_PROTECT] = STANDING_HELD,
	[PLAN_HOLD_GRACE] = STANDING_GRACE,
	[PLAN_HOLD_PRUNE_MAX] = STANDING_HELD,
	[PLAN_HOLD_EMPTY] = STANDING_HELD,
	[PLAN_HOLD_DEPENDANTS] = STANDING_BLOCKED,
	[PLAN_HOLD_SUSPEND] = STANDING_SUSPENDED,
	[PLAN_HOLD_WINDOW] = STANDING_WINDOW,
	[PLAN_HOLD_DEPENDS] = STANDING_BLOCKED,
	[PLAN_HOLD_CONTESTED] = STANDING_HELD,
	[PLAN_HOLD_BRAKE] = STANDING_BRAKED,
	[PLAN_HOLD_MAX_UPDATES] = STANDING_HELD,
};

/* The names of the fields that differ, for a status. */
static void name_fields(const struct plan_item *item, struct buf *out)
{
	vec_each (d, &item->diffs)
		if (d == item->diffs.at || d->field != d[-1].field)
			buf_addf(out, "%s%s", out->len ? ", " : "", spec_fields[d->field].name);
}

/* The call was not accepted, for good or until it is made again. */
static void judge_refused(const struct engine *en, const struct record *r, struct report_item *out)
{
	int64_t left = r->blocked_until - now_mono(en);
	bool forbidden = strstr(r->row.failure, API_FORBIDS);
	out->standing = STANDING_FAILED;
	out->why = r->row.failure;
	out->brief = "";
	if (r->is_refused) {
		out->release = "change it in Git: the same is not sent again";
		return;
	}
	out->release = forbidden ? "give the token that right in the API" : "see to what it says";
	out->next_ms = left > 0 ? now_wall(en) + left : 0;
}

static bool has_lasted(const struct engine *en, const struct plan_item *item, int64_t since)
{
	return since && now_wall(en) - since >= timeout_of(en, item);
}

static void judge_waiting(const struct engine *en, const struct plan_item *item,
	const struct record *r, struct arena *a, struct report_item *out)
{
	char since[CLOCK_TEXT_MAX];
	out->standing = STANDING_WAITING;
	if (!r || !r->intent || !has_lasted(en, item, r->intent->started_ms))
		return;
	out->standing = STANDING_STUCK;
	out->why = arena_printf(a, "not Healthy since %s (%s); look at it in the API",
		clock_format_second(r->intent->started_ms, since),
		live_status_name(r->last_status));
}

/* On its way out, by our own doing. */
static void judge_removal(const struct engine *en, const struct plan_item *item,
	const struct record *r, struct arena *a, struct report_item *out)
{
	const struct intent *i = r && removal_is(r->intent) ? r->intent : NULL;
	int64_t begun = i ? i->created_ms : r ? r->leaving_ms : 0;
	char since[CLOCK_TEXT_MAX];
	out->standing = STANDING_DELETING;
	if (r && r->last_error)
		out->why = r->last_error;
	if (r && r->row.failure && !item->waiting) {
		judge_refused(en, r, out);
	} else if (has_lasted(en, item, begun)) {
		out->standing = STANDING_STUCK;
		out->why = arena_printf(a, "to be deleted since %s and still there (%s%s%s)",
			clock_format_second(begun, since),
			item->live ? item->live->status_word : "unknown",
			r && r->last_error ? "; " : "", r && r->last_error ? r->last_error : "");
	}
}

/* On its way out, by somebody else's doing. */
static void judge_leaving(const struct engine *en, const struct plan_item *item,
	const struct record *r, struct arena *a, struct report_item *out)
{
	char since[CLOCK_TEXT_MAX];
	out->standing = STANDING_DELETING;
	if (!r || !has_lasted(en, item, r->leaving_ms))
		return;
	out->standing = STANDING_STUCK;
	out->why =
		arena_printf(a, "is being deleted since %s and still there; look at it in the API",
			clock_format_second(r->leaving_ms, since));
}

/* What is wrong with its document, or with the file that it was in. */
static const char *describe_errors(
	const struct engine *en, const struct plan_item *item, struct arena *a)
{
	if (!en->catalog)
		return en->load_err.msg;
	const struct replicator *declared = map_get(&en->catalog->by_name, item->name);
	if (declared && declared->failure)
		return declared->failure;
	vec_each (it, &en->catalog->problems) {
		auto_buf struct buf text = BUF_INIT;
		if (it->level != PROBLEM_ERROR || !it->file || !item->file ||
			strcmp(it->file, item->file) != 0)
			continue;
		problem_format(it, &text);
		return arena_strdup(a, buf_str(&text));
	}
	return item->notes.n ? item->notes.at[0] : "has errors";
}

static void judge_absent(const struct engine *en, const struct plan_item *item,
	const struct record *r, struct arena *a, struct report_item *out)
{
	if (item->gone)
		out->standing = STANDING_GONE;
	else if (item->live && item->live->status == LIVE_DELETING)
		judge_leaving(en, item, r, a, out);
	else
		out->standing = STANDING_LEFT;
	if (out->standing != STANDING_LEFT)
		return;
	out->why = item->file ? describe_errors(en, item, a) : "left as it is";
	if (!item->file)
		return;
	out->release = item->live ? "mend its document in Git: it is left as it is until then"
				  : "mend its document in Git: it is not created before";
}

/* As Git said once: what it says now, nobody knows, or nobody wants before that is decided. */
static void judge_accepted(const struct engine *en, const struct plan_item *item, struct arena *a,
	struct report_item *out)
{
	out->standing = STANDING_LEFT;
	if (!en->rewound) {
		out->why = describe_errors(en, item, a);
		out->release = item->live ? "mend its document in Git: its last version that "
					    "loaded counts until then"
					  : "mend its document in Git: it is not created before";
		return;
	}
	out->why = arena_printf(a, "the branch was rewound: as commit %.7s said", en->ledger.head);
	out->release = arena_printf(
		a, "push what follows %.7s, or `weir approve --rewind`", en->ledger.head);
}

static void judge_unhealthy(const struct engine *en, const struct plan_item *item, struct arena *a,
	struct report_item *out)
{
	const struct live *live = item->live;
	out->standing = STANDING_UNHEALTHY;
	out->why = !live ? "the API does not show it"
			 : arena_printf(a, "the API says %s%s%s", live->status_word,
				   live->status_message[0] ? ": " : "", live->status_message);
	if (item->from_accepted && !en->rewound)
		out->release =
			arena_printf(a, "look at it in the API; mend its document in Git: %s",
				describe_errors(en, item, a));
}

static void judge_quiet(const struct engine *en, const struct record *r,
	const struct plan_item *item, struct arena *a, struct report_item *out)
{
	const struct live *live = item->live;
	if (r && r->row.failure) {
		judge_refused(en, r, out);
	} else if (!item->desired) {
		judge_absent(en, item, r, a, out);
	} else if (item->from_accepted && (item->healthy || !live)) {
		judge_accepted(en, item, a, out);
	} else if (item->healthy) {
		out->standing = STANDING_HEALTHY;
	} else {
		judge_unhealthy(en, item, a, out);
	}
}

static void judge_backoff(
	const struct record *r, const struct plan_item *item, struct report_item *out)
{
	out->why = r && r->row.failure ? r->row.failure : item->held;
	out->release = "change it in Git";
}

static bool has_drift(const struct plan_item *item)
{
	vec_each (d, &item->diffs)
		if (d->change == PLAN_DRIFT)
			return true;
	return false;
}

/* With the fields that differ, where that they do is the reason. */
static void judge_held(const struct record *r, const struct plan_item *item, struct arena *a,
	struct report_item *out)
{
	auto_buf struct buf fields = BUF_INIT;
	out->standing = standings_of_holds[item->hold];
	out->until_ms = item->until_ms;
	if (item->hold == PLAN_HOLD_BRAKE && item->approval)
		out->brief = "`weir approve --brake` for all of them";
	else if (item->approval)
		out->brief = arena_printf(a, "`weir approve %s`", item->name);
	if (item->hold == PLAN_HOLD_BACKOFF) {
		judge_backoff(r, item, out);
		return;
	}
	if (item->hold == PLAN_HOLD_ADOPT || item->hold == PLAN_HOLD_REPORT ||
		item->hold == PLAN_HOLD_NOT_KEPT || item->hold == PLAN_HOLD_CONTESTED)
		name_fields(item, &fields);
	bool adds = fields.len && !strstr(item->held, buf_str(&fields));
	out->why = !adds ? item->held : arena_printf(a, "%s (%s)", item->held, buf_str(&fields));
	out->release = item->release;
	out->drift = has_drift(item);
}

/* Also where all is in sync: nothing is done whatever comes. */
static void judge_suspended(const struct plan_item *item, struct arena *a, struct report_item *out)
{
	const struct plan_suspension *s = item->suspended;
	out->standing = STANDING_SUSPENDED;
	out->until_ms = s->has_until ? s->until_ms : 0;
	out->reason = s->by && s->by[0] ? arena_printf(a, "by %s%s%s", s->by,
						  s->reason[0] ? ": " : "", s->reason)
					: s->reason;
	out->in_git = item->desired && !s->by;
	out->why = item->hold == PLAN_HOLD_SUSPEND ? item->held : s->text;
	out->release = item->release;
	out->drift = has_drift(item);
}

static char *describe_planned(const struct plan_item *item, struct arena *a)
{
	auto_buf struct buf fields = BUF_INIT;
	if (item->action != PLAN_CREATE && item->action != PLAN_DELETE)
		name_fields(item, &fields);
	return arena_printf(a, "%s (sync.mode is plan)",
		fields.len ? buf_str(&fields) : plan_action_name(item->action));
}

/* What repairs drift and nothing else is told as such until it is done. */
static void tell_healing(const struct plan_item *item, const struct record *r, struct arena *a,
	struct report_item *out)
{
	bool writes = item->action == PLAN_CREATE || item->action == PLAN_UPDATE;
	if (out->standing != STANDING_APPLYING && out->standing != STANDING_WAITING)
		return;
	out->drift = r && r->healed && (writes || (item->waiting && r->intent));
	if (!out->drift)
		return;
	auto_buf struct buf fields = BUF_INIT;
	name_fields(item, &fields);
	if (item->action == PLAN_CREATE)
		out->why = "it was deleted behind Git's back";
	else if (fields.len)
		out->why = arena_strdup(a, buf_str(&fields));
	else if (!out->why[0]) /* it was sent, and nothing differs any more */
		out->why = "waiting for Healthy";
}

static void judge_applying(const struct engine *en, const struct plan_item *item,
	const struct record *r, struct report_item *out)
{
	int64_t moved = item->queued ? en->brake.well_ms : r ? r->wanted_ms : 0;
	int64_t since = moved > en->head_since ? moved : en->head_since;
	out->standing = STANDING_APPLYING;
	out->why = item->queued ? WAITS_FOR_ITS_TURN ", until more of its commit are Healthy"
		   : r && r->last_error ? r->last_error
					: WAITS_FOR_ITS_TURN;
	out->late = has_lasted(en, item, since);
}

static bool is_leaving(const struct plan_item *item, const struct record *r)
{
	bool removes = item->action == PLAN_DELETE || item->action == PLAN_REPLACE;
	return (removes && !item->queued) || (item->waiting && r && removal_is(r->intent));
}

void judge_item(const struct engine *en, const struct plan_item *item, struct arena *a,
	struct report_item *out)
{
	const struct record *r = ledger_find(&en->ledger, item->name);
	bool plans_only = en->config->sync.mode == SYNC_PLAN;
	*out = (struct report_item){.name = item->name, .why = "", .release = ""};
	if (item->suspended && !item->waiting) {
		judge_suspended(item, a, out);
		return;
	}
	if (is_leaving(item, r) && (item->live || !item->desired) && !plans_only) {
		judge_removal(en, item, r, a, out);
	} else if (item->waiting) {
		judge_waiting(en, item, r, a, out);
	} else if (item->action == PLAN_NONE) {
		judge_quiet(en, r, item, a, out);
	} else if (item->action == PLAN_HOLD) {
		judge_held(r, item, a, out);
	} else if (plans_only) {
		out->standing = STANDING_PLANNED;
		out->why = describe_planned(item, a);
	} else if (r && r->row.failure) {
		judge_refused(en, r, out);
	} else {
		judge_applying(en, item, r, out);
	}
	if (item->action != PLAN_NONE || item->waiting)
		tell_healing(item, r, a, out);
}
