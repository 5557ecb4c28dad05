/* The engine as a whole: its life, its clock, and who gets which answer. */
#include "reconcile/engine.h"

#include <string.h>

#include "base/alloc.h"
#include "base/crash.h"
#include "base/log.h"
#include "reconcile/internal.h"

static bool land(struct engine *en, uint64_t token, struct flight *ret_flight)
{
	for (size_t i = 0; i < en->flights.n; i++) {
		if (en->flights.at[i].token == token) {
			*ret_flight = en->flights.at[i];
			vec_remove(&en->flights, i);
			return true;
		}
	}
	return false;
}

/* An answer about another replicator than the one that was asked for is none. */
static void check_subject(const struct engine *en, const struct flight *f, struct api_answer *a)
{
	bool shows = a->verb == API_GET || a->verb == API_CREATE || a->verb == API_PATCH;
	if (!shows || a->outcome != API_OK)
		return;
	if (!strcmp(a->live.identifier, f->record->name)) {
		f->record->shown_at = now_mono(en);
		return;
	}
	a->outcome = API_NONSENSE;
	err_retriable(&a->err, ERR_REMOTE, "asked about %s, the API answered about %s",
		f->record->name, a->live.identifier);
}

static void note_outcome(struct engine *en, const struct api_answer *a)
{
	en->stats.outcomes[a->outcome]++;
	if (a->outcome == API_AUTH) {
		en->auth_refused = true;
		trouble_starts(en, &en->api, &a->err, "there is no token that the API takes");
		en->api.until_mono = now_mono(en) + BACKOFF_MOST_MS;
		pass_soon(en, BACKOFF_MOST_MS);
	} else if (a->outcome == API_OK) {
		en->auth_refused = false;
	}
}

/* A newer intent may have taken over since the look left: then its answer is of no interest. */
static bool is_awaited(const struct flight *f)
{
	const struct record *r = f->record;
	return (r->work == WORK_WATCHING || r->work == WORK_ASKING) && r->intent &&
	       r->intent->id == f->intent;
}

void engine_answer(struct engine *en, struct api_answer *owned_answer)
{
	struct flight f;
	if (!land(en, owned_answer->token, &f))
		BUG("an answer to a call that was never made");
	watch_landed(en);
	check_subject(en, &f, owned_answer);
	note_outcome(en, owned_answer);
	en->report_due = true;
	switch (f.purpose) {
	case FLIGHT_LIST:
		pass_page(en, owned_answer);
		return;
	case FLIGHT_CONFIRM:
		pass_confirmed(en, &f, owned_answer);
		return;
	case FLIGHT_WRITE:
		calls_wrote(en, f.record, owned_answer);
		break;
	case FLIGHT_RECONCILE:
		calls_reconciled(en, f.record, owned_answer);
		break;
	case FLIGHT_CHECK:
		removal_checked(en, f.record, owned_answer);
		break;
	case FLIGHT_DELETE:
		removal_answered(en, f.record, owned_answer);
		break;
	case FLIGHT_WATCH:
		if (is_awaited(&f))
			watch_looked(en, f.record, owned_answer);
		break;
	case FLIGHT_ASK:
		if (is_awaited(&f))
			watch_asked(en, f.record, owned_answer);
		break;
	case FLIGHT_AWAIT:
		await_looked(en, f.record, owned_answer);
		break;
	}
	api_answer_free(owned_answer);
	brake_freed(en, f.record);
}

void engine_read_done(struct engine *en, struct read_result *owned_result)
{
	en->reading = false;
	pass_read_done(en, owned_result);
}

void engine_wake(struct engine *en)
{
	en->read_at = en->pass_at = now_mono(en);
	en->read_again = en->reading;
	en->source.until_mono = en->api.until_mono = en->store.until_mono = 0;
	for (size_t i = 0; i < map_size(&en->ledger.records); i++) {
		struct record *r = map_value(&en->ledger.records, i);
		if (r->row.failure) /* forbidden, or could not be deleted: perhaps mended */
			r->blocked_until = 0;
	}
}

void engine_stop(struct engine *en)
{
	en->stopping = true;
	statuses_stop(en);
}

bool engine_idle(const struct engine *en)
{
	return !en->reading && !en->posting && !en->flights.n;
}

bool engine_only_reads(const struct engine *en)
{
	return en->reading && !en->posting && !en->flights.n;
}

/* Everything that changes something waits until the ledger that covers it is on disk. */
static bool flush(struct engine *en, int64_t now)
{
	if (en->store.times && now < en->store.until_mono)
		return false;
	struct err e = ERR_INIT;
	found_write(en);
	if (ledger_flush(&en->ledger, &e) < 0) {
		trouble_starts(en, &en->store, &e,
			"the store cannot be written; nothing is started until it can");
		return false;
	}
	if (!en->head_unread)
		trouble_ends(en, &en->store, "the store can be used again");
	return true;
}

static bool has_room(const struct engine *en)
{
	return en->flights.n < (size_t)en->config->sync.concurrency;
}

/* Its window has closed while it waited for its turn. */
static bool is_shut_out(const struct engine *en, const struct record *r)
{
	const struct plan_item *item = item_of(en, r);
	return item && r->work != WORK_RECONCILE &&
	       !plan_window_is_open(en->config->sync.windows, item, now_wall(en));
}

static void send_ready(struct engine *en)
{
	while (turns_any(en) && has_room(en) && !en->auth_refused) {
		struct record *r = turns_next(en);
		if (!is_shut_out(en, r)) {
			calls_send(en, r);
			continue;
		}
		r->work = WORK_NONE;
		pass_soon(en, 0);
	}
}

/* These only read, so they go also while the store cannot be written: a pass goes on. */
static void send_confirms(struct engine *en)
{
	while (en->confirms.n && has_room(en)) {
		struct record *r = en->confirms.at[--en->confirms.n];
		struct api_call *c = xcalloc(1, sizeof(*c));
		*c = (struct api_call){.verb = API_GET, .identifier = xstrdup(r->name)};
		send_call(en, c, FLIGHT_CONFIRM, r);
	}
}

static int64_t later(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static int64_t sooner(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static int64_t next_pass_at(const struct engine *en)
{
	if (en->stopping || en->reading)
		return INT64_MAX;
	int64_t read_at = later(en->read_at, en->source.until_mono);
	int64_t compare_at = later(later(en->pass_at, en->api.until_mono), en->store.until_mono);
	if (en->pass == PASS_WRITING)
		return en->options.once ? INT64_MAX : read_at;
	return en->pass == PASS_IDLE ? sooner(read_at, compare_at) : INT64_MAX;
}

int64_t engine_step(struct engine *en, int64_t now)
{
	if (now >= next_pass_at(en))
		pass_start(en);
	int64_t due = INT64_MAX;
	if (!en->stopping)
		due = sooner(watch_step(en, now), await_step(en, now));
	if (!flush(en, now)) {
		pass_abandon(en);
		due = sooner(due, en->store.until_mono);
	} else if (!en->stopping) {
		send_ready(en);
	}
	if (!en->stopping)
		send_confirms(en);
	if (en->auth_refused || en->stopping)
		pass_abandon(en);
	pass_written(en);
	due = sooner(due, statuses_step(en, now));
	if (ledger_is_dirty(&en->ledger) && !en->store.times)
		return now;
	return sooner(due, next_pass_at(en));
}

static int load_standings(struct engine *en, struct err *e)
{
	auto_free char *json = NULL;
	int rc = store_get(en->options.store, "standings", &json, e);
	if (rc == 0)
		standings_load(en, json);
	return rc;
}

int engine_new(const struct engine_options *options, struct engine **ret_engine, struct err *e)
{
	struct engine *en = xcalloc(1, sizeof(*en));
	en->options = *options;
	en->config = options->config;
	api_list_init(&en->list);
	api_list_init(&en->incoming);
	en->nothing = catalog_new();
	en->watch_at = INT64_MAX;
	int rc = 0;
	if (options->store)
		rc = ledger_load(&en->ledger, options->store, e);
	if (rc == 0 && options->store && !options->dry)
		rc = statuses_claim(en, e);
	if (rc == 0 && options->store && !options->dry)
		rc = statuses_resume(en, e);
	if (!en->ledger.head)
		en->ledger.head = xstrdup("");
	if (rc == 0)
		rc = found_load(en, e);
	if (rc == 0 && options->store)
		rc = load_standings(en, e);
	if (rc == 0) /* what was begun before a start may end before Git was read */
		rc = brake_load(en, en->ledger.head, e);
	if (rc < 0) {
		engine_free(en);
		return rc;
	}
	if (options->dry || !options->store)
		ledger_detach(&en->ledger);
	en->read_at = en->pass_at = now_mono(en);
	en->head_since = now_wall(en);
	en->wall_ahead = now_wall(en) - now_mono(en);
	for (size_t i = 0; !options->dry && i < map_size(&en->ledger.records); i++)
		work_resume(en, map_value(&en->ledger.records, i));
	*ret_engine = en;
	return 0;
}

void secret_problems_release(struct secret_problems *problems)
{
	vec_each (p, problems) {
		free(p->name);
		free(p->message);
	}
	vec_release(problems);
}

void engine_free(struct engine *en)
{
	if (!en)
		return;
	plan_free(en->plan);
	api_list_release(&en->list);
	api_list_release(&en->incoming);
	vec_release(&en->confirms);
	turns_release(en);
	vec_release(&en->flights);
	vec_release(&en->watching);
	vec_release(&en->awaited);
	secret_problems_release(&en->secrets);
	catalog_free(en->catalog);
	catalog_free(en->nothing);
	ledger_release(&en->ledger);
	map_release(&en->begun);
	brake_release(&en->brake);
	arena_release(&en->suspended_arena);
	free(en->rewind_approval);
	free(en->rewound_from);
	free(en->rewind_kept);
	map_release(&en->changed);
	standings_release(en);
	free(en);
}

void read_result_free(struct read_result *r)
{
	if (!r)
		return;
	catalog_free(r->catalog);
	secret_problems_release(&r->secrets);
	free(r);
}
