/* The calls that change one replicator: how they leave, and what their answers mean. The journal
 * always comes first (ledger.h). */
#include <string.h>

#include "base/alloc.h"
#include "base/crash.h"
#include "base/log.h"
#include "base/text.h"
#include "doc/json.h"
#include "reconcile/internal.h"

#define PARK_FIRST_MS 1000
#define KEYS_MOST     3 /* that are tried when the API says that each was used before */

#define OPERATION_SHOWN 80 /* bytes of what the API calls one */

void calls_write(struct engine *en, struct record *r)
{
	turns_add(en, r, WORK_WRITE);
}

/*
 * Chooses the key. One that was journalled as sent stays: asking again with it starts nothing new.
 * So does that of an earlier intent for this generation that others took over; only after one that
 * failed there is a further attempt.
 */
static int choose_key(struct engine *en, struct record *r, bool next_attempt, struct err *e)
{
	struct intent *i = r->intent;
	if (i->key && !next_attempt)
		return 0;
	int64_t next = i->key ? i->attempt + 1 : 0;
	if (!next && store_next_attempt(en->ledger.store, i, &next, e) < 0)
		return -(int)e->code;
	i->attempt = next;
	char key[UUID_MAX];
	idempotency_key(en->config->api.organization, r->name, i->uid, i->created_at, i->generation,
		i->attempt, key);
	str_replace(&i->key, xstrdup(key));
	r->fresh_key = true;
	return 0;
}

/* An operation that may have ended since: asking by its key starts nothing, and tells. */
bool calls_cut_short(struct engine *en, const struct record *r, const struct live *live)
{
	const struct intent *i = r->intent;
	bool never_left = i && i->kind == INTENT_UPDATE && i->state == INTENT_OPEN &&
			  i->base_generation == live->generation;
	bool is_known = live->has_observed && live->status == LIVE_HEALTHY &&
			live->observed_generation >= live->generation;
	int64_t whether = 0;
	if (!never_left || is_known || live->status == LIVE_PENDING ||
		!live_is_same(live, r->row.uid, r->row.created_at))
		return false;
	const struct intent of = {
		.name = r->name,
		.uid = r->row.uid,
		.created_at = r->row.created_at,
		.generation = live->generation,
	};
	return store_was_cut_short(en->ledger.store, &of, &whether, NULL) == 0 && whether;
}

void calls_reconcile(struct engine *en, struct record *r, bool next_attempt)
{
	struct err e = ERR_INIT;
	r->fresh_key = false;
	if (choose_key(en, r, next_attempt, &e) < 0) {
		trouble_starts(en, &en->store, &e, "the store cannot be read");
		r->work = WORK_NONE;
		pass_soon(en, 0);
		return;
	}
	r->intent->state = INTENT_SENT;
	ledger_intent_changed(&en->ledger, r);
	turns_add(en, r, WORK_RECONCILE);
}

void calls_send(struct engine *en, struct record *r)
{
	const struct intent *i = r->intent;
	if (removal_is(i)) {
		removal_send(en, r);
		return;
	}
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

static void digest_body(const char *body, int64_t base_generation, unsigned char out[HASH_BYTES])
{
	struct hash h;
	hash_begin(&h);
	hash_adds(&h, body);
	hash_add(&h, &base_generation, sizeof(base_generation));
	hash_end(&h, out);
}

bool calls_refused(const struct record *r, const char *body, const struct live *live)
{
	unsigned char digest[HASH_BYTES];
	if (!r->is_refused || (live && !live_is_same(live, r->refused_uid, r->refused_created_at)))
		return false;
	digest_body(body, live ? live->generation : 0, digest);
	return !memcmp(digest, r->refused, sizeof(digest));
}

void calls_forget_failure(struct engine *en, struct record *r, const struct plan_item *item)
{
	bool writes = item->action == PLAN_CREATE || item->action == PLAN_UPDATE;
	bool removes = item->action == PLAN_DELETE || item->action == PLAN_REPLACE;
	bool is_parked = r->intent && r->intent->state == INTENT_OPEN && r->tries;
	if (!r->row.failure || is_parked || !(writes || (removes && !r->undeleted)))
		return;
	auto_arena struct arena a = ARENA_INIT;
	auto_buf struct buf body = BUF_INIT;
	if (writes)
		json_write(&body, plan_body(&a, item), JSON_STYLE_COMPACT);
	if (calls_refused(r, writes ? buf_str(&body) : REMOVAL_BODY, item->live))
		return;
	str_replace(&r->row.failure, NULL);
	ledger_changed(&en->ledger, r);
}

/* Of the new one of what was replaced, that says what became of the old one. */
static char *describe_refusal(const struct record *r, const char *said)
{
	return r->row.replaced ? xasprintf("was deleted to be replaced, and the new one is not "
					   "accepted; revert the commit to have it back: %s",
					 said)
			       : xstrdup(said);
}

/* What is known of a body that cannot be created, so that nothing is deleted for it. */
static void note_refused_body(struct record *r, const char *said)
{
	char digest[HASH_HEX_MAX];
	plan_body_digest(r->intent->body, digest);
	bool is_same = r->row.refused_body && !strcmp(r->row.refused_body, digest);
	if (!said && !is_same) /* another one was accepted */
		return;
	str_replace(&r->row.refused_body, said ? xstrdup(digest) : NULL);
	str_replace(&r->row.refusal, xstrdup_opt(said));
}

static void refuse(struct engine *en, struct record *r, const struct api_answer *a)
{
	struct intent *i = r->intent;
	bool reconciles = a->verb == API_RECONCILE;
	const char *body = reconciles ? "" : removal_is(i) ? REMOVAL_BODY : i->body;
	int64_t generation = reconciles ? i->generation : i->base_generation;
	digest_body(body, generation, r->refused);
	str_replace(&r->refused_uid, xstrdup_opt(i->uid));
	str_replace(&r->refused_created_at, xstrdup_opt(i->created_at));
	if (a->verb == API_CREATE)
		note_refused_body(r, a->err.msg);
	auto_free char *text = describe_refusal(r, a->err.msg);
	r->is_refused = true;
	str_replace(&r->row.failure, xstrdup(text));
	ledger_event(&en->ledger, now_wall(en), r->name, i->sha, "refused", text);
	log_error("the API refused it", "replicator", r->name, "error", text, NULL);
	progress(en, "%s: %s", r->name, text);
	if (reconciles) { /* what was saved stays a draft of ours */
		i->state = INTENT_SAVED;
		r->work = WORK_NONE;
		ledger_intent_changed(&en->ledger, r);
	} else {
		ledger_close_intent(&en->ledger, r, INTENT_FAILED, a->err.msg);
	}
	ledger_changed(&en->ledger, r);
}

static void park(struct engine *en, struct record *r, const struct api_answer *a)
{
	r->tries++;
	int64_t wait = backoff(en, r->tries, PARK_FIRST_MS, BACKOFF_MOST_MS);
	if (a->err.retry_after_ms > wait)
		wait = a->err.retry_after_ms < BACKOFF_MOST_MS ? a->err.retry_after_ms
							       : BACKOFF_MOST_MS;
	if (a->outcome == API_FORBIDDEN)
		wait = BACKOFF_MOST_MS;
	r->blocked_until = now_mono(en) + wait;
	r->work = WORK_NONE;
	str_replace(&r->last_error, xstrdup(a->err.msg));
	str_replace(&r->row.failure,
		a->outcome == API_FORBIDDEN ? describe_refusal(r, a->err.msg) : NULL);
	ledger_changed(&en->ledger, r);
	log_warn("will be tried again", "replicator", r->name, "call", api_verb_name(a->verb),
		"error", a->err.msg, NULL);
	pass_soon(en, wait);
}

void calls_overtaken(struct engine *en, struct record *r, const char *why)
{
	ledger_close_intent(&en->ledger, r, INTENT_SUPERSEDED, why);
	ledger_changed(&en->ledger, r);
	look_again(en, r, why);
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

/* Keys that were taken away, and that the answer still shows. */
static void note_leftovers(struct record *r, const struct live *answered)
{
	auto_arena struct arena a = ARENA_INIT;
	auto_buf struct buf json = BUF_INIT;
	struct node *map = node_map(&a);
	size_t n;
	const struct plan_leftover *left =
		plan_leftovers(&a, r->taken, r->n_taken, &answered->spec, &n);
	for (size_t i = 0; i < n; i++)
		node_map_set(&a, map, left[i].key, node_bool(&a, left[i].sent_as_null));
	json_write(&json, map, JSON_STYLE_CANONICAL);
	str_replace(&r->row.leftovers, n ? xstrdup(buf_str(&json)) : NULL);
}

/* It counts for sync.max_updates, also if its operation never starts. */
void calls_changed(struct engine *en, const struct record *r)
{
	const struct intent *i = r->intent;
	if (i->sha && !strcmp(i->sha, en->head.sha) && !i->heals)
		map_put(&en->begun, r->name, en);
}

static void saved(struct engine *en, struct record *r, const struct live *live)
{
	struct intent *i = r->intent;
	bool foreign = live->generation > i->base_generation + 1;
	bool is_same = live_is_same(live, i->uid, i->created_at);
	i->state = INTENT_SAVED;
	i->generation = live->generation;
	r->unobserved = live->has_observed;
	r->was_observed = false;
	calls_changed(en, r);
	ledger_intent_changed(&en->ledger, r);
	if (!is_same) { /* and that one's draft is ours: the rules of adoption decide */
		look_again(en, r, "somebody else made it anew meanwhile");
		return;
	}
	/* A PATCH that found nothing to change leaves the generation: it may still be a draft, and
	 * is ours to start. */
	if (live->generation <= i->base_generation)
		i->base_generation = live->generation - 1;
	str_replace(&i->uid, xstrdup_opt(live->uid));
	str_replace(&i->created_at, xstrdup_opt(live->created_at));
	str_replace(&r->saved, spec_to_json(&live->spec));
	if (r->approvals.n) /* what others had saved goes along, whenever it is started */
		i->ours_from = 0;
	note_not_kept(en, r, live);
	note_leftovers(r, live);
	work_applied(en, r, live);
	if (i->kind == INTENT_CREATE)
		note_refused_body(r, NULL);
	tell_written(en, r, i->generation, true);
	if (foreign)
		look_again(en, r, "somebody else saved something meanwhile");
	else if (live->has_observed && live->observed_generation >= live->generation)
		calls_overtaken(en, r, "the API changed nothing");
	else
		calls_reconcile(en, r, false);
}

void calls_failed(struct engine *en, struct record *r, const struct api_answer *a)
{
	switch (a->outcome) {
	case API_REFUSED:
		refuse(en, r, a);
		return;
	case API_ABSENT:
	case API_EXISTS:
	case API_STALE:
	case API_KEY_REUSED:
		calls_overtaken(en, r, a->err.msg);
		return;
	case API_AUTH:
	case API_FORBIDDEN:
	case API_TRY_AGAIN:
	case API_NONSENSE:
		park(en, r, a);
		return;
	case API_OK:
	case API_OUTCOME__COUNT:
		return;
	}
}

void calls_wrote(struct engine *en, struct record *r, struct api_answer *a)
{
	crash_point("write-answered");
	r->work = WORK_NONE;
	if (a->verb == API_CREATE) /* something may come of it whatever the answer */
		r->seen_at = now_mono(en);
	if (a->outcome == API_OK) {
		r->tries = 0;
		saved(en, r, &a->live);
	} else if (a->outcome == API_EXISTS) {
		/* Perhaps our own earlier call did: the next list shows what stands there. */
		look_again(en, r, a->err.msg);
	} else {
		calls_failed(en, r, a);
	}
}

static bool has_ended(enum operation_state state)
{
	return state == OPERATION_SUCCEEDED || state == OPERATION_FAILED ||
	       state == OPERATION_SUPERSEDED;
}

void calls_started(struct engine *en, struct record *r)
{
	struct intent *i = r->intent;
	i->state = INTENT_RUNNING;
	i->started_ms = now_wall(en);
	calls_changed(en, r);
	ledger_intent_changed(&en->ledger, r);
}

static void accepted(struct engine *en, struct record *r, const struct operation *op)
{
	struct intent *i = r->intent;
	r->old_operation = r->fresh_key && has_ended(op->state);
	if (r->saved) { /* what is set going is what later drafts are measured by, also after a
			   restart */
		r->row.provisioned_generation = i->generation;
		str_replace(&r->row.provisioned, xstrdup(r->saved));
		ledger_changed(&en->ledger, r);
	}
	r->rest_generation = 0;
	calls_started(en, r);
	char id[OPERATION_SHOWN];
	text_escape_into(id, sizeof(id), op->id);
	auto_free char *detail = xasprintf(
		"generation %lld%s%s", (long long)i->generation, id[0] ? ", operation " : "", id);
	ledger_event(&en->ledger, now_wall(en), r->name, i->sha, "reconciling", detail);
	progress(en, "%s: reconciling %s", r->name, detail);
	watch_begin(en, r);
}

void calls_reconciled(struct engine *en, struct record *r, struct api_answer *a)
{
	crash_point("reconcile-answered");
	r->work = WORK_NONE;
	if (a->outcome == API_OK) {
		r->tries = r->reused = 0;
		accepted(en, r, &a->operation);
	} else if (a->outcome == API_KEY_REUSED && ++r->reused < KEYS_MOST) {
		calls_reconcile(en, r, true);
	} else if (a->outcome == API_KEY_REUSED) {
		r->reused = 0;
		refuse(en, r, a);
	} else if (a->outcome == API_STALE || a->outcome == API_ABSENT) {
		/* Retried only if it is still wanted; what was saved stays ours to start. */
		r->intent->state = INTENT_SAVED;
		ledger_intent_changed(&en->ledger, r);
		look_again(en, r, a->err.msg);
	} else {
		calls_failed(en, r, a);
	}
}
