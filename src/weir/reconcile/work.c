/* What is done about one replicator: journal, write, reconcile. The journal always comes first
 * (ledger.h). */
#include <string.h>

#include "base/alloc.h"
#include "base/crash.h"
#include "base/log.h"
#include "doc/json.h"
#include "reconcile/internal.h"

#define PARK_FIRST_MS 1000
#define PARK_MOST_MS  60000

static void enqueue(struct engine *en, struct record *r, enum work_state work)
{
	r->work = work;
	vec_push(&en->ready, r);
}

static void digest_body(const char *body, int64_t base_generation, unsigned char out[HASH_BYTES])
{
	struct hash h;
	hash_begin(&h);
	hash_adds(&h, body);
	hash_add(&h, &base_generation, sizeof(base_generation));
	hash_end(&h, out);
}

/* What the API refused is not sent again until Git or the live object changes. A reconcile has no
 * body. */
static bool was_refused(const struct record *r, const char *body, int64_t base_generation)
{
	unsigned char digest[HASH_BYTES];
	digest_body(body, base_generation, digest);
	return r->is_refused && !memcmp(digest, r->refused, sizeof(digest));
}

static bool set_text(char **at, const char *value)
{
	if (*at && value ? !strcmp(*at, value) : !*at && !value)
		return false;
	str_replace(at, xstrdup_opt(value));
	return true;
}

/* Whether anything is new; then record->plan, which points to these texts, has to follow
 * (ledger_changed). */
static bool set_identity(const struct engine *en, struct record *r, const struct live *live)
{
	bool changed = set_text(&r->row.uid, live->uid);
	changed = set_text(&r->row.created_at, live->created_at) || changed;
	if (live->generation <= r->row.seen_generation)
		return changed;
	r->row.seen_generation = live->generation;
	r->seen_at = now_mono(en);
	return true;
}

/* What runs, or was set going, is what drafts are measured by. True if that is news. */
static bool note_provisioned(struct record *r, const struct plan_item *item)
{
	const struct live *live = item->live;
	if (!item->ours || item->draft || r->row.provisioned_generation >= live->generation)
		return false;
	r->row.provisioned_generation = live->generation;
	str_replace(&r->row.provisioned, spec_to_json(&live->spec));
	return true;
}

static bool waits_for_its_time(struct engine *en, const struct record *r)
{
	int64_t now = now_mono(en);
	if (now >= r->blocked_until)
		return false;
	pass_soon(en, r->blocked_until - now);
	return true;
}

/*
 * The API may show what it answered to us only after a while: something that was created and is not
 * to be seen, or a generation below the one we know. For a minute that is no reason to do anything.
 */
static bool is_lagging(
	const struct engine *en, const struct record *r, const struct plan_item *item)
{
	const struct live *live = item->live;
	if (!r->row.owned || now_mono(en) - r->seen_at >= LAG_GRACE_MS)
		return false;
	if (!live)
		return r->intent && r->intent->kind == INTENT_CREATE && r->intent->generation;
	bool same = !live->uid || !r->row.uid || !strcmp(live->uid, r->row.uid);
	return same && live->generation < r->row.seen_generation;
}

/* The object is gone. What was applied to it stays: a new one is to be the same. */
static void forget_object(struct store_row *row)
{
	char **const texts[] = {
		&row->uid, &row->created_at, &row->provisioned, &row->failure, &row->not_kept};
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		str_replace(texts[i], NULL);
	row->seen_generation = row->provisioned_generation = 0;
	row->failed_generation = row->failures = row->retry_at_ms = 0;
}

static void begin_write(struct engine *en, struct plan_item *item)
{
	struct record *r = ledger_need(&en->ledger, item->name);
	if (waits_for_its_time(en, r))
		return;
	auto_arena struct arena a = ARENA_INIT;
	auto_buf struct buf body = BUF_INIT;
	json_write(&body, plan_body(&a, item), JSON_STYLE_COMPACT);
	int64_t base = item->live ? item->live->generation : 0;
	if (was_refused(r, buf_str(&body), base))
		return;
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
	r->healed = item->diffs.n > 0;
	vec_each (d, &item->diffs)
		r->healed = r->healed && d->change == PLAN_DRIFT;
	if (i->kind == INTENT_CREATE && r->row.owned) {
		forget_object(&r->row);
		ledger_changed(&en->ledger, r);
	} else if (i->kind == INTENT_UPDATE && note_provisioned(r, item)) {
		ledger_changed(&en->ledger, r);
	}
	ledger_open_intent(&en->ledger, r, i);
	r->begun_by = en->plans;
	enqueue(en, r, WORK_WRITE);
}

/*
 * Chooses the key. One that was journalled as sent stays: asking again with it starts nothing new.
 * Otherwise the attempt is one above all that were ever sent for this generation.
 */
static int choose_key(struct engine *en, struct record *r, bool next_attempt, struct err *e)
{
	struct intent *i = r->intent;
	if (i->key && !next_attempt)
		return 0;
	int64_t last = i->key ? i->attempt : 0;
	if (!last &&
		store_last_attempt(en->ledger.store, r->name, i->uid, i->generation, &last, e) < 0)
		return -(int)e->code;
	i->attempt = last + 1;
	char key[UUID_MAX];
	idempotency_key(en->config->api.organization, r->name, i->uid, i->created_at, i->generation,
		i->attempt, key);
	str_replace(&i->key, xstrdup(key));
	r->fresh_key = true;
	return 0;
}

static void start_reconcile(struct engine *en, struct record *r, bool next_attempt)
{
	struct err e = ERR_INIT;
	r->fresh_key = false;
	if (choose_key(en, r, next_attempt, &e) < 0) {
		trouble_starts(en, &en->store, &e, "the store cannot be read");
		r->work = WORK_NONE;
		return;
	}
	r->intent->state = INTENT_SENT;
	ledger_intent_changed(&en->ledger, r);
	enqueue(en, r, WORK_RECONCILE);
}

/* The fields that were sent show in the live object: they are what was last applied. */
static void apply_intended(struct engine *en, struct record *r, const struct live *live)
{
	str_replace(&r->row.last_applied, xstrdup_opt(r->intent->intended));
	r->row.owned = true;
	r->is_refused = false;
	str_replace(&r->last_error, NULL);
	str_replace(&r->row.failure, NULL);
	set_identity(en, r, live);
	ledger_changed(&en->ledger, r);
}

void work_next_attempt(struct engine *en, struct record *r)
{
	start_reconcile(en, r, true);
}

static void begin_reconcile(struct engine *en, struct plan_item *item)
{
	struct record *r = ledger_need(&en->ledger, item->name);
	if (waits_for_its_time(en, r))
		return;
	const struct live *live = item->live;
	if (was_refused(r, "", live->generation))
		return;
	struct intent *i = r->intent;
	if (!i || (i->generation && i->generation != live->generation)) {
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
			.created_ms = now_wall(en),
		};
		ledger_open_intent(&en->ledger, r, i);
	}
	i->generation = live->generation;
	str_replace(&i->uid, xstrdup_opt(live->uid));
	str_replace(&i->created_at, xstrdup_opt(live->created_at));
	r->begun_by = en->plans;
	apply_intended(en, r, live);
	start_reconcile(en, r, false);
}

static void adopt(struct engine *en, struct plan_item *item)
{
	struct record *r = ledger_need(&en->ledger, item->name);
	auto_arena struct arena a = ARENA_INIT;
	struct spec intended = plan_intended(&a, item);
	forget_object(&r->row); /* if there was another one */
	str_replace(&r->row.last_applied, spec_to_json(&intended));
	r->row.owned = true;
	set_identity(en, r, item->live);
	ledger_close_intent(&en->ledger, r, INTENT_SUPERSEDED, NULL);
	ledger_changed(&en->ledger, r);
	ledger_event(
		&en->ledger, now_wall(en), r->name, commit_of(en), "adopted", "it is as Git says");
	progress(en, "%s: adopted, it is as Git says", r->name);
	item->action = PLAN_NONE;
}

/* The reconcile was sent, its answer was lost, and its operation ended meanwhile. */
static bool has_come_to_its_end(const struct record *r, const struct live *live)
{
	const struct intent *i = r->intent;
	return i && i->state == INTENT_SENT && i->attempt <= 1 && live->has_observed &&
	       live->generation == i->generation && live->observed_generation >= i->generation &&
	       (live->status == LIVE_HEALTHY || live->status == LIVE_ERROR);
}

/* Nothing is to be written: what is known is brought up to what was seen. */
static void follow(struct engine *en, struct plan_item *item)
{
	struct record *r = ledger_find(&en->ledger, item->name);
	const struct live *live = item->live;
	if (!r || item->waiting)
		return;
	if (item->gone) {
		ledger_event(&en->ledger, now_wall(en), r->name, commit_of(en), "gone",
			"neither in Git nor in the API");
		ledger_drop(&en->ledger, r);
		return;
	}
	if (!live || !r->row.owned)
		return;
	if (has_come_to_its_end(r, live)) {
		watch_note(en, r, live);
		if (live->status == LIVE_HEALTHY)
			watch_succeed(en, r);
		else
			watch_fail(en, r, live->status_message);
		return;
	}
	bool changed = false;
	if (item->desired && (r->intent || en->catalog_new)) {
		auto_arena struct arena a = ARENA_INIT;
		struct spec intended = plan_intended(&a, item);
		auto_free char *json = spec_to_json(&intended);
		changed = set_text(&r->row.last_applied, json);
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
	if (changed)
		ledger_changed(&en->ledger, r);
}

/* The object that we were about to create is somebody else's: nothing of it is ours. */
static bool was_forestalled(const struct record *r)
{
	return r->intent && r->intent->kind == INTENT_CREATE && !r->intent->generation;
}

static void begin_hold(struct engine *en, struct plan_item *item)
{
	struct record *r = ledger_find(&en->ledger, item->name);
	if (!r)
		return;
	if (item->hold == PLAN_HOLD_BACKOFF)
		pass_soon(en, r->row.retry_at_ms - now_wall(en));
	if (item->hold != PLAN_HOLD_ADOPT)
		return;
	bool forestalled = was_forestalled(r);
	ledger_close_intent(&en->ledger, r, INTENT_SUPERSEDED, "somebody else made it");
	if (forestalled)
		ledger_drop(&en->ledger, r);
}

void work_begin(struct engine *en, struct plan_item *item)
{
	struct record *r = ledger_find(&en->ledger, item->name);
	bool writes = item->action == PLAN_CREATE || item->action == PLAN_UPDATE ||
		      item->action == PLAN_RECONCILE;
	if ((writes && en->config->sync.mode == SYNC_PLAN) ||
		(r && r->work != WORK_NONE && r->work < WORK_WATCH))
		return;
	if (r && is_lagging(en, r, item)) {
		item->waiting = true;
		pass_soon(en, PARK_FIRST_MS);
		return;
	}
	switch (item->action) {
	case PLAN_CREATE:
	case PLAN_UPDATE:
		begin_write(en, item);
		return;
	case PLAN_RECONCILE:
		begin_reconcile(en, item);
		return;
	case PLAN_ADOPT:
		if (en->config->sync.mode != SYNC_PLAN)
			adopt(en, item);
		return;
	case PLAN_NONE:
		follow(en, item);
		return;
	case PLAN_HOLD:
		begin_hold(en, item);
		return;
	case PLAN_DELETE: /* not built: the plan holds deletes */
	case PLAN__COUNT:
		return;
	}
}

void work_resume(struct engine *en, struct record *r)
{
	r->seen_at = now_mono(en);
	if (r->intent && r->intent->state == INTENT_RUNNING)
		watch_begin(en, r);
}

void work_send(struct engine *en, struct record *r)
{
	const struct intent *i = r->intent;
	struct api_call *c = xcalloc(1, sizeof(*c));
	if (r->work == WORK_WRITE) {
		*c = (struct api_call){
			.verb = i->kind == INTENT_CREATE ? API_CREATE : API_PATCH,
			.identifier = i->kind == INTENT_CREATE ? NULL : xstrdup(r->name),
			.body = xstrdup(i->body),
			.generation = i->base_generation,
		};
		r->work = WORK_WRITING;
		crash_point("before-write");
		send_call(en, c, FLIGHT_WRITE, r);
	} else {
		*c = (struct api_call){
			.verb = API_RECONCILE,
			.identifier = xstrdup(r->name),
			.generation = i->generation,
			.idempotency_key = xstrdup(i->key),
		};
		r->work = WORK_RECONCILING;
		crash_point("before-reconcile");
		send_call(en, c, FLIGHT_RECONCILE, r);
	}
}

void work_park(struct engine *en, struct record *r, const struct api_answer *a)
{
	r->tries++;
	int64_t wait = backoff(en, r->tries, PARK_FIRST_MS, PARK_MOST_MS);
	if (a->err.retry_after_ms > wait)
		wait = a->err.retry_after_ms < PARK_MOST_MS ? a->err.retry_after_ms : PARK_MOST_MS;
	if (a->outcome == API_FORBIDDEN)
		wait = PARK_MOST_MS;
	r->blocked_until = now_mono(en) + wait;
	r->work = WORK_NONE;
	str_replace(&r->last_error, xstrdup(a->err.msg));
	str_replace(&r->row.failure, a->outcome == API_FORBIDDEN ? xstrdup(a->err.msg) : NULL);
	log_warn("will be tried again", "replicator", r->name, "call", api_verb_name(a->verb),
		"error", a->err.msg, NULL);
	pass_soon(en, wait);
}

static void refuse(struct engine *en, struct record *r, const struct api_answer *a)
{
	const struct intent *i = r->intent;
	if (a->verb == API_RECONCILE)
		digest_body("", i->generation, r->refused);
	else
		digest_body(i->body, i->base_generation, r->refused);
	r->is_refused = true;
	str_replace(&r->row.failure, xstrdup(a->err.msg));
	ledger_event(&en->ledger, now_wall(en), r->name, i->sha, "refused", a->err.msg);
	log_error("the API refused it", "replicator", r->name, "error", a->err.msg, NULL);
	progress(en, "%s: %s", r->name, a->err.msg);
	ledger_close_intent(&en->ledger, r, INTENT_FAILED, a->err.msg);
	ledger_changed(&en->ledger, r);
}

/* Read again, at once the first time, then less and less often: somebody else may be writing as
 * fast as we are. */
static void read_again(struct engine *en, struct record *r)
{
	r->work = WORK_NONE;
	int64_t wait = r->tries ? backoff(en, r->tries, PARK_FIRST_MS, PARK_MOST_MS) : 0;
	r->tries++;
	r->blocked_until = now_mono(en) + wait;
	pass_soon(en, wait);
}

static void note_not_kept(struct engine *en, struct record *r, const struct live *answered)
{
	auto_arena struct arena a = ARENA_INIT;
	struct spec sent;
	struct spec lost; /* with what was lost earlier and is not sent any more */
	spec_from_json(r->row.not_kept, &a, &lost);
	spec_from_json(r->intent->body, &a, &sent);
	unsigned bits = plan_not_kept(&sent, &answered->spec);
	bool any = false;
	for (unsigned f = 0; f < SPEC__COUNT; f++) {
		if (sent.value[f])
			lost.value[f] = NULL;
		any = any || lost.value[f] || bits & 1u << f;
		if (!(bits & 1u << f))
			continue;
		lost.value[f] = sent.value[f];
		log_warn("the API does not keep a field", "replicator", r->name, "field",
			spec_fields[f].name, NULL);
		ledger_event(&en->ledger, now_wall(en), r->name, r->intent->sha, "not kept",
			spec_fields[f].name);
	}
	str_replace(&r->row.not_kept, any ? spec_to_json(&lost) : NULL);
}

static void saved(struct engine *en, struct record *r, const struct live *live)
{
	struct intent *i = r->intent;
	bool foreign = live->generation > i->base_generation + 1;
	i->state = INTENT_SAVED;
	i->generation = live->generation;
	/* A PATCH that found nothing to change leaves the generation: it may still be a draft, and
	 * is ours to start. */
	if (live->generation <= i->base_generation)
		i->base_generation = live->generation - 1;
	str_replace(&i->uid, xstrdup_opt(live->uid));
	str_replace(&i->created_at, xstrdup_opt(live->created_at));
	note_not_kept(en, r, live);
	apply_intended(en, r, live);
	ledger_intent_changed(&en->ledger, r);
	const char *what = i->kind == INTENT_CREATE ? "created" : "changed";
	auto_free char *detail = xasprintf("generation %lld", (long long)i->generation);
	ledger_event(&en->ledger, now_wall(en), r->name, i->sha, what, detail);
	progress(en, "%s: %s, %s", r->name, what, detail);
	/* Somebody saved in between: what a reconcile would start is looked at first. */
	if (foreign)
		read_again(en, r);
	else
		start_reconcile(en, r, false);
}

void work_wrote(struct engine *en, struct record *r, struct api_answer *a)
{
	crash_point("write-answered");
	r->work = WORK_NONE;
	switch (a->outcome) {
	case API_OK:
		r->tries = 0;
		saved(en, r, &a->live);
		return;
	case API_REFUSED:
		refuse(en, r, a);
		return;
	case API_EXISTS: /* perhaps by our own earlier call: the next list shows whether it is what
			    we sent */
		read_again(en, r);
		return;
	case API_ABSENT:
	case API_STALE:
	case API_KEY_REUSED:
		ledger_close_intent(&en->ledger, r, INTENT_SUPERSEDED, a->err.msg);
		ledger_changed(&en->ledger, r);
		read_again(en, r);
		return;
	case API_AUTH:
	case API_FORBIDDEN:
	case API_TRY_AGAIN:
	case API_NONSENSE:
		work_park(en, r, a);
		return;
	case API_OUTCOME__COUNT:
		return;
	}
}

static bool has_ended(enum operation_state state)
{
	return state == OPERATION_SUCCEEDED || state == OPERATION_FAILED ||
	       state == OPERATION_SUPERSEDED;
}

static void accepted(struct engine *en, struct record *r, const struct operation *op)
{
	struct intent *i = r->intent;
	r->old_operation = r->fresh_key && has_ended(op->state);
	i->state = INTENT_RUNNING;
	i->started_ms = now_wall(en);
	str_replace(&i->operation, xstrdup_opt(op->id));
	ledger_intent_changed(&en->ledger, r);
	auto_free char *detail = xasprintf("generation %lld", (long long)i->generation);
	ledger_event(&en->ledger, now_wall(en), r->name, i->sha, "reconciling", detail);
	progress(en, "%s: reconciling %s", r->name, detail);
	watch_begin(en, r);
}

void work_reconciled(struct engine *en, struct record *r, struct api_answer *a)
{
	crash_point("reconcile-answered");
	r->work = WORK_NONE;
	switch (a->outcome) {
	case API_OK:
		r->tries = 0;
		accepted(en, r, &a->operation);
		return;
	case API_KEY_REUSED:
		start_reconcile(en, r, true);
		return;
	case API_STALE: /* retried only if it is still wanted */
		r->intent->state = INTENT_SAVED;
		ledger_intent_changed(&en->ledger, r);
		read_again(en, r);
		return;
	case API_REFUSED:
		refuse(en, r, a);
		return;
	case API_ABSENT:
	case API_EXISTS:
		ledger_close_intent(&en->ledger, r, INTENT_SUPERSEDED, a->err.msg);
		ledger_changed(&en->ledger, r);
		read_again(en, r);
		return;
	case API_AUTH:
	case API_FORBIDDEN:
	case API_TRY_AGAIN:
	case API_NONSENSE:
		work_park(en, r, a);
		return;
	case API_OUTCOME__COUNT:
		return;
	}
}
