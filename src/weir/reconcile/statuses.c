/* The outbox: wanted statuses are derived from how things stand, posted when they change, and never
 * lost. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/crash.h"
#include "base/log.h"
#include "reconcile/internal.h"

/* A report looks at every replicator: a thousand answers are not a thousand reports, and of many
 * replicators there are fewer. */
#define REPORT_EVERY_MS	    200
#define REPORT_ITEMS_PER_MS 10
#define POST_EVERY_MS	    1000 /* so that progress is not a storm */

static char *context(const struct engine *en, const char *kind)
{
	return xasprintf("weir/%s/%s", en->config->name, kind);
}

static void set_wanted(
	struct engine *en, struct outbox_entry *entry, enum status_state state, const char *text)
{
	entry->row.state = state;
	str_replace(&entry->row.text, xstrdup(text));
	entry->row.updated_ms = now_wall(en);
	entry->refused = false;
	entry->dirty = true;
}

static void want(
	struct engine *en, const char *sha, const char *kind, const struct status_text *status)
{
	auto_free char *name = context(en, kind);
	struct outbox_entry *entry = ledger_outbox(&en->ledger, sha, name);
	if (entry->row.updated_ms && entry->row.state == status->state &&
		!strcmp(entry->row.text, status->text))
		return;
	set_wanted(en, entry, status->state, status->text);
}

static bool is_latched(const struct engine *en, const char *sha)
{
	auto_free char *name = context(en, "sync");
	auto_free char *key = xasprintf("%s %s", sha, name);
	const struct outbox_entry *entry = map_get(&en->ledger.outbox, key);
	return entry && entry->row.latched;
}

/* A commit that is head no more, and did not come to its end, says by which one it was overtaken.
 */
static void supersede_others(struct engine *en)
{
	for (size_t i = 0; i < map_size(&en->ledger.outbox); i++) {
		struct outbox_entry *entry = map_value(&en->ledger.outbox, i);
		if (!strcmp(entry->row.sha, en->head.sha) || entry->row.state != STATUS_PENDING)
			continue;
		auto_free char *text = xasprintf("superseded by %.7s%s%s", en->head.sha,
			en->report.total ? " at " : "",
			en->report.total ? en->report.progress : "");
		set_wanted(en, entry, STATUS_ERROR, text);
	}
}

void statuses_head(struct engine *en)
{
	ledger_tidy_outbox(&en->ledger, en->head.sha);
	supersede_others(en);
	auto_free char *name = context(en, "sync");
	struct outbox_entry *entry = ledger_outbox(&en->ledger, en->head.sha, name);
	if (entry->row.latched && strcmp(en->ledger.head, en->head.sha) != 0) {
		entry->row.latched = false; /* head once more: it starts anew */
		entry->dirty = true;
	}
	en->report_due = true;
	en->report_at = 0;
}

/* The names of the fields that differ, for a status. */
static void name_fields(const struct plan_item *item, struct buf *out)
{
	vec_each (d, &item->diffs)
		if (d == item->diffs.at || d->field != d[-1].field)
			buf_addf(out, "%s%s", out->len ? ", " : "", spec_fields[d->field].name);
}

static enum standing standing_of_hold(enum plan_hold hold)
{
	switch (hold) {
	case PLAN_HOLD_PRUNE:
		return STANDING_ABSENT_OK;
	case PLAN_HOLD_REPORT:
		return STANDING_DRIFTED;
	case PLAN_HOLD_BACKOFF:
		return STANDING_FAILED;
	case PLAN_HOLD_DELETING:
	case PLAN_HOLD_BUSY:
		return STANDING_UNHEALTHY;
	case PLAN_HOLD_UNKNOWN:
		return STANDING_UNKNOWN;
	case PLAN_HOLD_NOT:
	case PLAN_HOLD_ADOPT:
	case PLAN_HOLD_FOREIGN:
	case PLAN_HOLD_IMMUTABLE:
	case PLAN_HOLD_SECRET:
	case PLAN_HOLD_INCOMPLETE:
	case PLAN_HOLD_NOT_KEPT:
	case PLAN_HOLD_REWOUND:
	case PLAN_HOLD_PROTECT:
	case PLAN_HOLD_GRACE:
	case PLAN_HOLD_PRUNE_MAX:
	case PLAN_HOLD_EMPTY:
	case PLAN_HOLD_DEPENDANTS:
	case PLAN_HOLD_SUSPEND:
	case PLAN_HOLD_WINDOW:
	case PLAN_HOLD_DEPENDS:
	case PLAN_HOLD_CONTESTED:
	case PLAN_HOLD_BRAKE:
	case PLAN_HOLD_MAX_UPDATES:
	case PLAN_HOLD__COUNT:
		return STANDING_HELD;
	}
	return STANDING_HELD;
}

static bool is_stuck(const struct engine *en, const struct plan_item *item, const struct record *r)
{
	const struct replicator *d = item->desired;
	int64_t timeout =
		d && d->sync.has_timeout ? d->sync.timeout_ms : en->config->sync.timeout_ms;
	return r->intent->started_ms && now_wall(en) - r->intent->started_ms >= timeout;
}

static void judge_waiting(const struct engine *en, const struct plan_item *item,
	const struct record *r, struct arena *a, struct report_item *out)
{
	char since[CLOCK_TEXT_MAX];
	out->standing = STANDING_WAITING;
	if (!r || !r->intent || !is_stuck(en, item, r))
		return;
	out->standing = STANDING_STUCK;
	out->why = arena_printf(a, "not Healthy since %s (%s); look at it in the API",
		clock_format_short(r->intent->started_ms, since), live_status_name(r->last_status));
}

static void judge_quiet(const struct record *r, const struct plan_item *item, struct arena *a,
	struct report_item *out)
{
	if (r && r->row.failure) {
		out->standing = STANDING_FAILED;
		out->why = r->row.failure;
	} else if (!item->desired) {
		out->standing = item->live ? STANDING_LEFT : STANDING_ABSENT_OK;
		out->why = "left as it is";
	} else if (item->healthy) {
		out->standing = STANDING_HEALTHY;
	} else {
		const struct live *live = item->live;
		out->standing = STANDING_UNHEALTHY;
		out->why =
			arena_printf(a, "the API says %s%s%s", live ? live->status_word : "nothing",
				live && live->status_message[0] ? ": " : "",
				live ? live->status_message : "");
	}
}

/* With the fields that differ, where that they do is the reason. */
static char *describe_hold(const struct plan_item *item, struct arena *a)
{
	auto_buf struct buf fields = BUF_INIT;
	if (item->hold == PLAN_HOLD_ADOPT || item->hold == PLAN_HOLD_REPORT ||
		item->hold == PLAN_HOLD_NOT_KEPT)
		name_fields(item, &fields);
	return arena_printf(a, "%s%s%s%s%s%s", item->held, fields.len ? " (" : "", buf_str(&fields),
		fields.len ? ")" : "", item->release[0] ? "; " : "", item->release);
}

static char *describe_planned(const struct plan_item *item, struct arena *a)
{
	auto_buf struct buf fields = BUF_INIT;
	if (item->action != PLAN_CREATE)
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

static void judge_item(const struct engine *en, const struct plan_item *item, struct arena *a,
	struct report_item *out)
{
	const struct record *r = ledger_find(&en->ledger, item->name);
	*out = (struct report_item){.name = item->name, .why = ""};
	if (item->waiting) {
		judge_waiting(en, item, r, a, out);
	} else if (item->action == PLAN_NONE) {
		judge_quiet(r, item, a, out);
		return;
	} else if (item->action == PLAN_HOLD) {
		out->standing = standing_of_hold(item->hold);
		out->why = r && r->row.failure && item->hold == PLAN_HOLD_BACKOFF
				   ? r->row.failure
				   : describe_hold(item, a);
	} else if (en->config->sync.mode == SYNC_PLAN) {
		out->standing = STANDING_PLANNED;
		out->why = describe_planned(item, a);
	} else if (r && r->row.failure) {
		out->standing = STANDING_FAILED;
		out->why = r->row.failure;
	} else {
		out->standing = STANDING_APPLYING;
		out->why = r && r->last_error ? r->last_error : "waits for its turn";
	}
	tell_healing(item, r, a, out);
}

static char *describe_rewind(const struct engine *en, struct arena *a)
{
	return arena_printf(a,
		"the branch was rewound from %.7s: nothing of it is applied; push a commit that "
		"follows %.7s, or set "
		"source.rewind: follow",
		en->ledger.head, en->ledger.head);
}

static void make_report(struct engine *en)
{
	struct arena a = ARENA_INIT;
	size_t n = en->plan ? en->plan->items.n : 0;
	struct report_item *items = arena_alloc(&a, (n + 1) * sizeof(*items));
	for (size_t i = 0; i < n; i++)
		judge_item(en, &en->plan->items.at[i], &a, &items[i]);
	const struct report_input in = {
		.items = items,
		.n_items = n,
		.problems = en->catalog && !en->rewound ? &en->catalog->problems : NULL,
		.load_error = en->load_err.code != ERR_OK && !en->rewound ? en->load_err.msg : NULL,
		.rewound = en->rewound ? describe_rewind(en, &a) : NULL,
		.api_error = en->api.times ? en->api.err.msg : NULL,
		.api_hopeless = en->auth_refused || (en->options.once && !en->api.err.retriable),
		.api_since_ms = en->api.since_wall,
		.store_error = en->store.times ? en->store.err.msg : NULL,
		.compared = en->plan && en->compared,
		.changed = (int64_t)map_size(&en->changed),
		.now_ms = now_wall(en),
		.head_since_ms = en->head_since,
		.timeout_ms = en->config->sync.timeout_ms,
	};
	report_make(&in, &en->report);
	int64_t left = en->head_since + en->config->sync.timeout_ms - now_wall(en);
	en->report_by = left > 0 ? now_mono(en) + left : INT64_MAX;
	if (en->plan && !en->options.dry)
		standings_keep(en, items, n);
	arena_release(&a);
}

void statuses_update(struct engine *en)
{
	make_report(en);
	if (!en->head.sha[0] || en->options.dry)
		return;
	if (is_latched(en, en->head.sha)) {
		if (en->report.drift_known)
			want(en, en->head.sha, "drift", &en->report.drift);
		return;
	}
	want(en, en->head.sha, "sync", &en->report.sync);
	if (en->report.whole || en->report.count[STANDING_DRIFTED])
		want(en, en->head.sha, "drift", &en->report.drift);
	if (!en->report.whole)
		return;
	auto_free char *name = context(en, "sync");
	struct outbox_entry *entry = ledger_outbox(&en->ledger, en->head.sha, name);
	entry->row.latched = true;
	entry->dirty = true;
	log_info("the commit is in sync", "commit", en->head.sha, "status", entry->row.text, NULL);
}

static bool is_to_post(const struct outbox_entry *entry)
{
	return entry->row.updated_ms && !entry->refused && !outbox_row_is_posted(&entry->row);
}

static struct post_batch *gather_batch(struct engine *en)
{
	struct post_batch *b = xcalloc(1, sizeof(*b));
	for (size_t i = 0; i < map_size(&en->ledger.outbox); i++) {
		struct outbox_entry *entry = map_value(&en->ledger.outbox, i);
		if (!is_to_post(entry))
			continue;
		entry->posting = true;
		vec_push(&b->statuses,
			(struct forge_status){
				.sha = xstrdup(entry->row.sha),
				.context = xstrdup(entry->row.context),
				.state = entry->row.state,
				.text = xstrdup(entry->row.text),
				.target_url = xstrdup_opt(en->config->http.public_url),
			});
	}
	b->ends = xcalloc(b->statuses.n + 1, sizeof(*b->ends));
	return b;
}

bool statuses_owed(const struct engine *en)
{
	for (size_t i = 0; i < map_size(&en->ledger.outbox); i++)
		if (is_to_post(map_value(&en->ledger.outbox, i)))
			return true;
	return false;
}

int64_t statuses_step(struct engine *en, int64_t now)
{
	if (now >= en->report_by)
		en->report_due = true;
	if (en->report_due && now >= en->report_at) {
		statuses_update(en);
		en->report_due = false;
		en->report_at =
			now + REPORT_EVERY_MS + (int64_t)en->report.total / REPORT_ITEMS_PER_MS;
	}
	int64_t due = en->report_due ? en->report_at : en->report_by;
	if (en->posting || en->options.dry || !statuses_owed(en))
		return due;
	int64_t at = en->posted_at + POST_EVERY_MS;
	if (at < en->forge.until_mono)
		at = en->forge.until_mono;
	if (now < at)
		return at < due ? at : due;
	en->posting = true;
	en->posted_at = now;
	en->stats.posts++;
	crash_point("before-post");
	en->options.ports.post(en->options.ports.ctx, gather_batch(en));
	return due;
}

static void take_end(struct engine *en, const struct forge_status *s, enum post_end end)
{
	struct outbox_entry *entry = ledger_outbox(&en->ledger, s->sha, s->context);
	entry->posting = false;
	switch (end) {
	case POST_NOT:
		return;
	case POST_ARRIVED:
		entry->row.posted = true;
		entry->row.posted_state = s->state;
		str_replace(&entry->row.posted_text, xstrdup(s->text));
		entry->dirty = true;
		return;
	case POST_REFUSED:
		entry->refused = s->state == entry->row.state && !strcmp(s->text, entry->row.text);
		return;
	}
}

void engine_posted(struct engine *en, struct post_batch *owned_batch)
{
	crash_point("posted");
	const struct err *e = &owned_batch->err;
	size_t n[] = {[POST_NOT] = 0, [POST_ARRIVED] = 0, [POST_REFUSED] = 0};
	en->posting = false;
	for (size_t i = 0; i < owned_batch->statuses.n; i++) {
		take_end(en, &owned_batch->statuses.at[i], owned_batch->ends[i]);
		n[owned_batch->ends[i]]++;
	}
	en->stats.post_failures += e->code != ERR_OK;
	if (n[POST_REFUSED])
		log_warn("a status is refused", "error", e->msg, NULL);
	if (n[POST_NOT] && e->code != ERR_OK)
		trouble_starts(en, &en->forge, e, "statuses cannot be posted");
	else
		trouble_ends(en, &en->forge, "statuses can be posted again");
	post_batch_free(owned_batch);
}

void post_batch_free(struct post_batch *b)
{
	if (!b)
		return;
	vec_each (s, &b->statuses) {
		free_charp(&s->sha);
		free_charp(&s->context);
		free_charp(&s->text);
		free_charp(&s->target_url);
	}
	vec_release(&b->statuses);
	free(b->ends);
	free(b);
}
