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
	entry->row.refused = false;
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

/* A commit that is head no more, and did not come to its end, says by which one it was overtaken;
 * the head, under a name that weir had before, by which name. */
static void supersede_others(struct engine *en)
{
	auto_free char *sync = context(en, "sync");
	for (size_t i = 0; i < map_size(&en->ledger.outbox); i++) {
		struct outbox_entry *entry = map_value(&en->ledger.outbox, i);
		bool of_head = !strcmp(entry->row.sha, en->head.sha);
		bool is_current = of_head && !strcmp(entry->row.context, sync);
		if (is_current || entry->row.state != STATUS_PENDING)
			continue;
		auto_free char *text =
			of_head ? xasprintf("superseded by %s", sync)
				: xasprintf("superseded by %.7s%s%s", en->head.sha,
					  en->report.total ? " at " : "",
					  en->report.total ? en->report.progress : "");
		set_wanted(en, entry, STATUS_ERROR, text);
	}
}

/* Nothing is wanted of it until it is said anew. */
static void doubt_head(struct engine *en)
{
	for (size_t i = 0; i < map_size(&en->ledger.outbox); i++) {
		struct outbox_entry *entry = map_value(&en->ledger.outbox, i);
		if (strcmp(entry->row.sha, en->ledger.head) != 0)
			continue;
		entry->row.posted = entry->row.latched = entry->row.refused = false;
		entry->row.updated_ms = 0;
		entry->dirty = true;
	}
}

int statuses_claim(struct engine *en, struct err *e)
{
	const struct config *c = en->config;
	const char *parts[] = {c->forge.url, c->forge.repository, c->forge.ref};
	auto_buf struct buf claim = BUF_INIT;
	auto_free char *before = NULL;
	buf_addf(&claim, "%s %d", store_scope(en->options.store), c->forge.type);
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		buf_addf(&claim, " %s", parts[i] ? parts[i] : "");
	int rc = store_get_claim(en->options.store, &before, e);
	if (rc < 0 || (before && !strcmp(before, buf_str(&claim))))
		return rc;
	if (before)
		doubt_head(en);
	en->ledger.claim = buf_take(&claim);
	return 0;
}

#define POSTING "posting" /* "1" in the store while an engine runs that may post */

/* One that was killed may have posted what the store could not take any more. */
int statuses_resume(struct engine *en, struct err *e)
{
	auto_free char *posting = NULL;
	int rc = store_get(en->options.store, POSTING, &posting, e);
	if (rc < 0)
		return rc;
	for (size_t i = 0; posting && posting[0] && i < map_size(&en->ledger.outbox); i++) {
		struct outbox_entry *entry = map_value(&en->ledger.outbox, i);
		entry->dirty = entry->dirty || entry->row.posted;
		entry->row.posted = false;
	}
	ledger_set(&en->ledger, POSTING, "1");
	return 0;
}

void statuses_stop(struct engine *en)
{
	if (!en->options.dry && en->options.store)
		ledger_set(&en->ledger, POSTING, "");
}

void statuses_head(struct engine *en)
{
	ledger_tidy_outbox(&en->ledger, en->head.sha);
	supersede_others(en);
	auto_free char *name = context(en, "sync");
	struct outbox_entry *entry = ledger_outbox(&en->ledger, en->head.sha, name);
	if (entry->row.updated_ms && strcmp(en->ledger.head, en->head.sha) != 0) {
		entry->row.latched = false; /* head once more: what was true then is not said now */
		set_wanted(en, entry, STATUS_PENDING, REPORT_COMPARING);
	}
	en->report_due = true;
	en->report_at = 0;
}

static char *describe_rewind(const struct engine *en, struct arena *a)
{
	return arena_printf(
		a, "the branch was rewound from %.7s: nothing of it is applied", en->ledger.head);
}

/* Why a tree cannot be read: that is in Git, or it is this machine. */
static bool is_of_commit(enum err_code code)
{
	return code == ERR_NOT_FOUND || code == ERR_LIMIT || code == ERR_CONFIG ||
	       code == ERR_INVALID;
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
		.load_is_ours = !is_of_commit(en->load_err.code),
		.rewound = en->rewound ? describe_rewind(en, &a) : NULL,
		.rewound_release = arena_printf(&a,
			"; push what follows %.7s, or `weir approve --rewind`", en->ledger.head),
		.api_error = en->api.times ? en->api.err.msg : NULL,
		.api_hopeless = en->auth_refused || (en->options.once && !en->api.err.retriable),
		.api_since_ms = en->api.since_wall,
		.store_error = en->store.times ? en->store.err.msg : NULL,
		.compared = en->plan && en->compared,
		.latched = is_latched(en, en->head.sha),
		.changed = (int64_t)map_size(&en->changed),
		.new_store = en->head.sha[0] && !strcmp(en->new_store_at, en->head.sha),
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

/* After a crash nobody would know that it was final. Once the store can be written, it is said. */
static void unlatch_unwritten(struct engine *en)
{
	for (size_t i = 0; en->store.times && i < map_size(&en->ledger.outbox); i++) {
		struct outbox_entry *entry = map_value(&en->ledger.outbox, i);
		if (entry->latching)
			entry->row.latched = entry->latching = false;
	}
}

void statuses_update(struct engine *en)
{
	unlatch_unwritten(en);
	make_report(en);
	if (!en->head.sha[0] || en->options.dry)
		return;
	if (en->report.drift_known)
		want(en, en->head.sha, "drift", &en->report.drift);
	if (is_latched(en, en->head.sha))
		return;
	want(en, en->head.sha, "sync", &en->report.sync);
	if (!en->report.whole)
		return;
	auto_free char *name = context(en, "sync");
	struct outbox_entry *entry = ledger_outbox(&en->ledger, en->head.sha, name);
	entry->row.latched = entry->latching = true;
	entry->dirty = true;
	log_info("the commit is in sync", "commit", en->head.sha, "status", entry->row.text, NULL);
}

static bool is_to_post(const struct outbox_entry *entry)
{
	return entry->row.updated_ms && !entry->row.refused && !entry->latching &&
	       !outbox_row_is_posted(&entry->row);
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
				.posts = entry->row.posts,
				.same_state = entry->row.posted &&
					      entry->row.posted_state == entry->row.state,
			});
	}
	b->ends = xcalloc(b->statuses.n + 1, sizeof(*b->ends));
	return b;
}

static void doubt_posted(struct engine *en)
{
	for (size_t i = 0; i < map_size(&en->ledger.outbox); i++) {
		struct outbox_entry *entry = map_value(&en->ledger.outbox, i);
		if (!is_to_post(entry) || !entry->row.posted)
			continue;
		entry->row.posted = false;
		entry->dirty = true;
	}
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
	/* That it leaves is in the outbox first: after a crash nobody knows what the forge has, and
	 * it is posted again. */
	doubt_posted(en);
	if (ledger_is_dirty(&en->ledger) && !en->store.times)
		return now;
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
		entry->row.posts++;
		str_replace(&entry->row.posted_text, xstrdup(s->text));
		entry->dirty = true;
		return;
	case POST_REFUSED:
		entry->row.refused =
			s->state == entry->row.state && !strcmp(s->text, entry->row.text);
		entry->dirty = true;
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
	if (n[POST_REFUSED] && e->code != ERR_OK) /* else it was told before */
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
