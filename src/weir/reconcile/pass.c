/* A pass: read Git, observe, plan, and hand what is to be done to work.c. */
#include <string.h>

#include "base/alloc.h"
#include "base/crash.h"
#include "base/log.h"
#include "reconcile/internal.h"

#define AWAY_AFTER 3 /* replicators in a row that got no answer: then it is the API as a whole */

static void end_pass(struct engine *en)
{
	en->pass = PASS_IDLE;
	en->report_due = true;
}

/* Up to a tenth sooner or later, so that many daemons do not ask at the same moment. */
static int64_t with_jitter(const struct engine *en, int64_t ms)
{
	return ms - ms / 10 + (int64_t)rng_below(en->options.rng, (uint64_t)(ms / 5 + 1));
}

static void ask_page(struct engine *en, const char *page)
{
	struct api_call *c = xcalloc(1, sizeof(*c));
	*c = (struct api_call){.verb = API_LIST, .page = xstrdup(page)};
	send_call(en, c, FLIGHT_LIST, NULL);
}

static bool knows_anything(const struct engine *en)
{
	if (en->catalog)
		return true;
	for (size_t i = 0; i < map_size(&en->ledger.records); i++)
		if (((const struct record *)map_value(&en->ledger.records, i))->accepted)
			return true;
	return false;
}

static void start_listing(struct engine *en)
{
	en->pass_at = INT64_MAX;
	en->listed_at = now_mono(en);
	en->pass = PASS_LISTING;
	api_list_release(&en->incoming);
	api_list_init(&en->incoming);
	ask_page(en, "");
}

static void start_reading(struct engine *en)
{
	struct read_request *request = xcalloc(1, sizeof(*request));
	snprintf(request->known, sizeof(request->known), "%s", en->ledger.head);
	if (en->catalog) {
		snprintf(request->tree, sizeof(request->tree), "%s", en->tree);
		request->catalog = en->catalog;
	}
	if (en->pass == PASS_IDLE)
		en->pass = PASS_READING;
	en->reading = true;
	en->options.ports.read(en->options.ports.ctx, request);
}

void pass_start(struct engine *en)
{
	int64_t now = now_mono(en);
	bool was_read = en->head.sha[0] || en->catalog;
	bool read = now >= en->source.until_mono && !(en->options.once && was_read);
	en->pass_full = en->pass == PASS_IDLE && now >= en->pass_at && now >= en->api.until_mono &&
			now >= en->store.until_mono;
	if (read)
		start_reading(en);
	else if (en->pass_full)
		start_listing(en);
	else
		en->read_at = INT64_MAX;
}

void pass_forget_plan(struct engine *en)
{
	plan_free(en->plan);
	en->plan = NULL;
}

void pass_compare_now(struct engine *en)
{
	en->pass_full = true;
	en->pass_at = now_mono(en);
}

/* Git was looked at; whether there is anything new, pass_full says. */
static void go_on(struct engine *en)
{
	if (en->pass == PASS_WRITING) {
		if (en->pass_full) /* a newer commit goes before what did not leave yet */
			turns_drop(en, false);
		return;
	}
	int64_t now = now_mono(en);
	bool compares = en->pass_full && !en->stopping && now >= en->api.until_mono &&
			now >= en->store.until_mono;
	if (compares && knows_anything(en)) {
		start_listing(en);
		return;
	}
	if (compares && !en->source.times)
		en->pass_at = INT64_MAX; /* until there is something to compare */
	end_pass(en);
}

void pass_read_done(struct engine *en, struct read_result *result)
{
	en->stats.reads++;
	en->read_at = now_mono(en);
	if (!en->read_again)
		en->read_at += with_jitter(en, en->config->source.interval_ms);
	en->read_again = false;
	en->report_due = true;
	if (result->err.code != ERR_OK) {
		trouble_starts(en, &en->source, &result->err, "the repository cannot be read");
	} else {
		if (en->source.times)
			pass_compare_now(en); /* for what waited for it */
		trouble_ends(en, &en->source, "the repository can be read again");
		head_take(en, result);
	}
	if (!en->rewound)
		head_take_secrets(en, result);
	read_result_free(result);
	go_on(en);
}

static void fail_observing(struct engine *en, const struct err *e)
{
	if (e->code != ERR_AUTH) /* that trouble started when the answer came */
		trouble_starts(en, &en->api, e, "the API cannot be read");
	en->pass_at = en->api.until_mono;
	end_pass(en);
}

static void begin_writing(struct engine *en);

/* Why it could not be asked for, NULL if it could. */
static void note_unread(struct record *r, const char *why)
{
	if (r->unread && why ? !strcmp(r->unread, why) : !r->unread && !why)
		return;
	if (why)
		log_warn("whether it is there is not known", "replicator", r->name, "error", why,
			NULL);
	str_replace(&r->unread, xstrdup_opt(why));
	r->plan_is_made = false;
}

/* It was seen on its way out, or not to be what it was, after the list was begun or it was asked
 * for by itself: what shows it here may be older. */
static bool was_seen_otherwise(const struct engine *en, const struct record *r)
{
	bool leaving = r->last_status == LIVE_DELETING && r->shown_at > r->lost_at;
	int64_t seen_at = leaving ? r->shown_at : r->lost_at;
	return r->work == WORK_NONE && seen_at && seen_at >= en->listed_at &&
	       seen_at > r->confirmed_at;
}

/* ... and it is ours to ask for: then it is not to be seen. */
static bool doubt(struct engine *en, const struct record *r)
{
	return ledger_is_ours(r) && was_seen_otherwise(en, r) &&
	       map_remove(&en->incoming.by_name, r->name);
}

/* What is ours, or was about to be, and is not to be seen: absent only once it says so itself. */
static void start_confirming(struct engine *en)
{
	for (size_t i = 0; i < map_size(&en->ledger.records); i++) {
		struct record *r = map_value(&en->ledger.records, i);
		doubt(en, r);
		if (ledger_is_ours(r) && !map_has(&en->incoming.by_name, r->name))
			vec_push(&en->confirms, r);
		else
			note_unread(r, NULL);
	}
	en->unanswered = 0;
	en->list_took_ms = now_mono(en) - en->listed_at;
	en->confirming = en->confirms.n;
	err_clear(&en->confirm_err);
	en->pass = PASS_CONFIRMING;
	if (!en->confirming)
		begin_writing(en);
}

void pass_page(struct engine *en, struct api_answer *owned_answer)
{
	if (owned_answer->outcome != API_OK) {
		struct err e = owned_answer->err;
		if (owned_answer->outcome == API_ABSENT)
			err_prefix(&e, "organization %s: check api.url and api.organization",
				en->config->api.organization);
		api_answer_free(owned_answer);
		fail_observing(en, &e);
		return;
	}
	struct err e = ERR_INIT;
	const char *next = NULL;
	int rc = api_list_add(&en->incoming, owned_answer, &next, &e);
	if (rc < 0)
		fail_observing(en, &e);
	else if (en->stopping)
		end_pass(en);
	else if (rc > 0)
		ask_page(en, next);
	else
		start_confirming(en);
}

/* Whether it is not this one replicator that cannot be read, but the API. */
static bool is_away(struct engine *en, enum api_outcome outcome)
{
	en->unanswered = outcome == API_TRY_AGAIN ? en->unanswered + 1 : 0;
	return outcome == API_AUTH || en->unanswered >= AWAY_AFTER;
}

static void take_confirmed(struct engine *en, struct record *r, struct api_answer *owned_answer)
{
	const struct api_answer *a = owned_answer;
	if (is_away(en, a->outcome) && en->confirm_err.code == ERR_OK) {
		en->confirm_err = a->err;
		en->confirming -= en->confirms.n;
		vec_clear(&en->confirms);
	} else if (a->outcome == API_OK) {
		note_unread(r, NULL);
		map_put(&en->incoming.by_name, r->name, &owned_answer->live);
		vec_push(&en->incoming.pages, TAKE(owned_answer));
	} else if (a->outcome == API_ABSENT) {
		note_unread(r, NULL);
	} else {
		note_unread(r, a->err.msg);
		look_again(en, r, a->err.msg);
	}
	api_answer_free(owned_answer);
}

/* Others may have been seen otherwise while these were asked for. */
static bool confirm_once_more(struct engine *en)
{
	for (size_t i = 0; i < map_size(&en->ledger.records); i++) {
		struct record *r = map_value(&en->ledger.records, i);
		if (doubt(en, r))
			vec_push(&en->confirms, r);
	}
	en->confirming = en->confirms.n;
	return en->confirming > 0;
}

void pass_confirmed(struct engine *en, const struct flight *f, struct api_answer *owned_answer)
{
	struct record *r = f->record;
	bool outdated = owned_answer->outcome == API_ABSENT && r->shown_at > f->left_at;
	if (outdated && en->confirm_err.code == ERR_OK) { /* shown since: it is asked for again */
		vec_push(&en->confirms, r);
		api_answer_free(owned_answer);
		return;
	}
	en->confirming--;
	r->confirmed_at = now_mono(en);
	take_confirmed(en, r, owned_answer);
	/* Those under way are waited for: a later pass must not take their answers for its own. */
	if (en->confirming)
		return;
	if (en->confirm_err.code != ERR_OK)
		fail_observing(en, &en->confirm_err);
	else if (!confirm_once_more(en))
		begin_writing(en);
}

static void show_plan(struct engine *en)
{
	if (!en->options.on_plan || !en->catalog) /* without a tree it is no plan */
		return;
	auto_free char *api =
		xasprintf("%s, organization %s", en->config->api.url, en->config->api.organization);
	const struct plan_header header = {
		.name = en->config->name,
		.sha = commit_of(en),
		.summary = commit_of(en) ? en->head.summary : NULL,
		.api = api,
	};
	en->options.on_plan(en->options.ctx, en->plan, &header);
}

/* Something of Git is there already, as if it had been from an earlier store. */
static bool finds_anything(const struct engine *en)
{
	vec_each (item, &en->plan->items)
		if (item->live)
			return true;
	return false;
}

/* What is written when the store is empty is as if nothing had ever been known. */
static void tell_new_store(struct engine *en)
{
	size_t n = map_size(&en->list.by_name);
	if (!en->store_is_new || !inputs_complete(en) || en->options.dry)
		return;
	if (n) {
		auto_free char *detail = xasprintf(
			"the API has %zu replicator%s of which nothing is known: what differs is "
			"not written over, fields that were removed from Git before cannot be "
			"reset, and protections, suspensions and the rewind mark are forgotten",
			n, n == 1 ? "" : "s");
		log_warn("the store is new", "detail", detail, NULL);
		ledger_event(&en->ledger, now_wall(en), NULL, commit_of(en), "new store", detail);
	}
	if (finds_anything(en)) {
		memcpy(en->new_store_at, en->head.sha, sizeof(en->new_store_at));
		ledger_set(&en->ledger, "new-at", en->new_store_at);
	}
	found_note(en);
	en->store_is_new = false;
	ledger_set(&en->ledger, "new", "");
}

/* What goes on takes its place before anything that begins. */
static void begin_all(struct engine *en)
{
	vec_each (item, &en->plan->items)
		if (!brake_counts(item))
			work_begin(en, item);
	brake_open(en);
	vec_each (item, &en->plan->items)
		if (brake_counts(item))
			work_begin(en, item);
	brake_close(en);
}

static void begin_writing(struct engine *en)
{
	pass_forget_plan(en);
	vec_clear(&en->awaited);
	api_list_release(&en->list);
	en->list = en->incoming;
	api_list_init(&en->incoming);
	tidy_records(en);
	removal_settle(en);
	brake_check(en);
	if (!en->options.dry)
		work_observe(en);
	en->plan = inputs_plan(en);
	en->plans++;
	en->held_for_others = false;
	trouble_ends(en, &en->api, "the API answers again");
	en->compared = true;
	en->pass = PASS_WRITING;
	pass_soon(en, with_jitter(en, en->config->sync.interval_ms));
	en->report_due = true;
	en->report_at = 0;
	show_plan(en);
	approvals_sweep(en);
	tell_new_store(en);
	if (!en->options.dry && !en->stopping)
		begin_all(en);
	if (!en->options.dry)
		await_gather(en);
	en->catalog_new = false;
}

void pass_stop_begun(struct engine *en)
{
	turns_drop(en, false);
	pass_soon(en, 0);
}

void pass_written(struct engine *en)
{
	if (en->pass != PASS_WRITING || turns_any(en))
		return;
	vec_each (f, &en->flights)
		if (f->purpose >= FLIGHT_WRITE && f->purpose <= FLIGHT_DELETE)
			return;
	tidy_store(en);
	en->stats.passes++;
	en->stats.last_pass_ms = now_wall(en);
	end_pass(en);
}

void pass_abandon(struct engine *en)
{
	if (turns_any(en))
		pass_soon(en, 0);
	turns_drop(en, true);
}
