/* The state machine of replicators and their operations. */
#include "server/lifecycle.h"

#include "base/alloc.h"
#include "base/crash.h"
#include "server/settings.h"

/* Reports taken in at once: more wait a round, so that requests get their turn. */
#define REPORTS_PER_ROUND 500
#define RETRY_MS	  1000

struct line {
	enum log_level level;
	const char *organization, *identifier, *event;
};

struct lifecycle_lines {
	struct arena arena; /* what they say */
	VEC_FIELDS(struct line);
};

static void tell(const struct line *line)
{
	log_line(line->level, "replicator", "organization", line->organization, "identifier",
		line->identifier, "event", line->event, NULL);
}

static void tell_or_keep(struct lifecycle *l, const struct line *line)
{
	struct lifecycle_lines *kept = l->lines;

	if (!kept) {
		tell(line);
		return;
	}
	vec_push(kept, (struct line){
			       line->level,
			       arena_strdup(&kept->arena, line->organization),
			       arena_strdup(&kept->arena, line->identifier),
			       arena_strdup(&kept->arena, line->event),
		       });
}

static void end_keeping(struct lifecycle *l, bool saved)
{
	struct lifecycle_lines *kept = TAKE(l->lines);

	vec_each (line, kept)
		if (saved)
			tell(line);
	vec_release(kept);
	arena_release(&kept->arena);
}

static void set_status(struct lifecycle *l, struct replicator_row *row, enum live_status status,
	const char *message)
{
	if (row->status != status)
		row->status_at_ms = clock_wall_ms(l->clock);
	row->status = status;
	row->status_message = message;
}

/*
 * Ends the transaction of a step: with a line in the fleet's log, which its users read, and then
 * one in ours. `rc` says whether the step went well so far.
 */
static int end_step(struct lifecycle *l, const struct replicator_row *row, enum log_level level,
	const char *message, int rc, struct err *e)
{
	if (rc == 0)
		rc = store_log(l->store, row, clock_wall_ms(l->clock), level, message, e);
	rc = store_end(l->store, rc, e);
	if (rc == 0)
		tell_or_keep(l, &(struct line){level, row->org, row->identifier, message});
	return rc;
}

static struct runner *runner_of(struct lifecycle *l, const struct replicator_row *row)
{
	return fleets_find(l->fleets, row->fleet)->runner;
}

static const char *working_message(
	struct lifecycle *l, struct arena *a, const struct replicator_row *row, const char *verb)
{
	const char *text_note = runner_of(l, row)->type->note;

	return arena_printf(a, "%s generation %lld on fleet %s%s%s", verb,
		(long long)row->generation, row->fleet, *text_note ? "; " : "", text_note);
}

static int check_free(struct lifecycle *l, struct arena *a, const char *org, const char *identifier,
	struct err *e)
{
	struct replicator_row row;
	int rc = store_find_replicator(l->store, a, org, identifier, &row, e);

	if (rc > 0)
		return err_set(e, ERR_CONFLICT, "a replicator named %s exists%s", identifier,
			row.status == LIVE_DELETING ? " and is being deleted; wait until it is gone"
						    : "");
	return rc;
}

int lifecycle_create(struct lifecycle *l, struct arena *a, const char *org, const struct spec *spec,
	struct fleet *fleet, struct replicator_row *ret_row, struct err *e)
{
	int64_t now_ms = clock_wall_ms(l->clock);
	char uid[UUID_MAX];
	struct replicator_row row = {
		.org = org,
		.identifier = spec->value[SPEC_IDENTIFIER]->u.string.s,
		.uid = arena_strdup(a, uuid_random(l->rng, uid)),
		.fleet = fleet->config->name,
		.spec = settings_write(a, spec),
		.endpoints = settings_endpoints(a, l->config, spec),
		.generation = 1,
		.status = LIVE_PENDING,
		.status_message = "saved; reconcile generation 1 to provision it",
		.status_at_ms = now_ms,
		.created_at_ms = now_ms,
	};

	int rc = check_free(l, a, org, row.identifier, e);
	if (rc < 0 || (rc = store_begin(l->store, e)) < 0)
		return rc;
	rc = store_insert_replicator(l->store, &row, e);
	if ((rc = end_step(l, &row, LOG_INFO, "created", rc, e)) < 0)
		return rc;
	fleet->n_used++;
	*ret_row = row;
	return 0;
}

int lifecycle_save(struct lifecycle *l, struct arena *a, struct replicator_row *row,
	const struct spec *spec, struct err *e)
{
	struct replicator_row next = *row;

	next.generation++;
	next.spec = settings_write(a, spec);
	if (row->status == LIVE_PENDING)
		next.status_message =
			arena_printf(a, "saved; reconcile generation %lld to provision it",
				(long long)next.generation);
	const char *event = arena_printf(a, "generation %lld saved", (long long)next.generation);
	int rc = store_begin(l->store, e);
	if (rc < 0)
		return rc;
	rc = store_update_replicator(l->store, &next, e);
	if ((rc = end_step(l, &next, LOG_INFO, event, rc, e)) < 0)
		return rc;
	*row = next;
	return 0;
}

static void run_operation(struct lifecycle *l, const struct replicator_row *row,
	const struct operation_row *op, const struct spec *spec)
{
	struct runner *runner = runner_of(l, row);
	const struct workload w = {row->uid, row->identifier, op->generation, spec, op->ticket};
	int64_t now_ms = clock_mono_ms(l->clock);

	if (row->status == LIVE_PROVISIONING)
		runner->type->start(runner, &w, now_ms);
	else
		runner->type->update(runner, &w, now_ms);
}

static void run_deletion(struct lifecycle *l, const struct replicator_row *row)
{
	struct runner *runner = runner_of(l, row);
	const struct workload w = {row->uid, row->identifier, row->generation, NULL, row->id};

	runner->type->stop(runner, &w, clock_mono_ms(l->clock));
}

static int save_operation(struct lifecycle *l, const struct replicator_row *row,
	struct operation_row *op, struct err *e)
{
	int rc = store_begin(l->store, e);

	if (rc < 0)
		return rc;
	rc = store_supersede_operation(l->store, row->id, "a newer reconcile took its place", e);
	if (rc == 0 && (rc = store_insert_operation(l->store, op, e)) == 0)
		rc = store_update_replicator(l->store, row, e);
	return end_step(l, row, LOG_INFO, row->status_message, rc, e);
}

int lifecycle_reconcile(struct lifecycle *l, struct arena *a, struct replicator_row *row,
	const char *key, struct operation_row *ret_op, struct err *e)
{
	struct replicator_row next = *row;
	bool first = row->observed_generation == 0;
	char id[UUID_MAX];
	struct spec spec;
	struct operation_row op = {
		.replicator = row->id,
		.id = arena_strdup(a, uuid_random(l->rng, id)),
		.key = key,
		.spec = row->spec,
		.generation = row->generation,
		.state = OPERATION_RUNNING,
		.error = "",
		.created_at_ms = clock_wall_ms(l->clock),
	};

	int rc = settings_read(a, row->spec, &spec, e);
	if (rc < 0)
		return rc;
	next.endpoints = settings_endpoints(a, l->config, &spec);
	set_status(l, &next, first ? LIVE_PROVISIONING : LIVE_UPDATING,
		working_message(l, a, row, first ? "provisioning" : "updating to"));
	if ((rc = save_operation(l, &next, &op, e)) < 0)
		return rc;
	crash_point("replicatord-reconcile");
	run_operation(l, &next, &op, &spec);
	*row = next;
	*ret_op = op;
	return 0;
}

/* Also of what the runner has taken down. */
static int delete_row(struct lifecycle *l, const struct replicator_row *row, struct err *e)
{
	int rc = store_begin(l->store, e);

	if (rc < 0)
		return rc;
	rc = store_delete_replicator(l->store, row->id, e);
	if ((rc = end_step(l, row, LOG_INFO, "deleted", rc, e)) == 0)
		fleets_find(l->fleets, row->fleet)->n_used--;
	return rc;
}

int lifecycle_delete(struct lifecycle *l, struct arena *a, struct replicator_row *row,
	bool *ret_gone, struct err *e)
{
	struct replicator_row next = *row;
	int rc;

	*ret_gone = row->status == LIVE_PENDING;
	if (*ret_gone)
		return delete_row(l, row, e);
	set_status(l, &next, LIVE_DELETING,
		arena_printf(a, "being removed from fleet %s", row->fleet));
	if ((rc = store_begin(l->store, e)) < 0)
		return rc;
	rc = store_supersede_operation(l->store, row->id, "the replicator is being deleted", e);
	if (rc == 0)
		rc = store_update_replicator(l->store, &next, e);
	if ((rc = end_step(l, &next, LOG_INFO, next.status_message, rc, e)) < 0)
		return rc;
	crash_point("replicatord-delete");
	run_deletion(l, &next);
	*row = next;
	return 0;
}

static int save_end(struct lifecycle *l, struct arena *a, const struct replicator_row *row,
	const struct operation_row *op, struct err *e)
{
	bool failed = op->state == OPERATION_FAILED;
	const char *event = arena_printf(a, "generation %lld is %s; %s", (long long)op->generation,
		live_status_name(row->status), row->status_message);
	int rc = store_begin(l->store, e);

	if (rc < 0)
		return rc;
	rc = store_finish_operation(l->store, op->ticket, op->state, op->error, e);
	if (rc == 0)
		rc = store_update_replicator(l->store, row, e);
	return end_step(l, row, failed ? LOG_ERROR : LOG_INFO, event, rc, e);
}

/* The operation may be superseded by now: then its end changes nothing. */
static int take_operation_end(
	struct lifecycle *l, const struct runner_report *report, struct err *e)
{
	auto_arena struct arena a = ARENA_INIT;
	bool failed = report->outcome == RUNNER_FAILED;
	struct replicator_row row;
	struct operation_row op;
	int rc = store_get_running(l->store, &a, report->ticket, &op, e);

	if (rc <= 0 || (rc = store_get_replicator(l->store, &a, op.replicator, &row, e)) <= 0)
		return rc;
	op.state = failed ? OPERATION_FAILED : OPERATION_SUCCEEDED;
	op.error = failed ? report->message : "";
	row.observed_generation = op.generation;
	set_status(l, &row, failed ? LIVE_ERROR : LIVE_HEALTHY, report->message);
	return save_end(l, &a, &row, &op, e);
}

static int take_removal(struct lifecycle *l, const struct runner_report *report, struct err *e)
{
	auto_arena struct arena a = ARENA_INIT;
	struct replicator_row row;
	int rc = store_get_replicator(l->store, &a, report->ticket, &row, e);

	return rc <= 0 ? rc : delete_row(l, &row, e);
}

static int take_report(struct lifecycle *l, const struct runner_report *report, struct err *e)
{
	switch (report->outcome) {
	case RUNNER_RUNNING:
	case RUNNER_FAILED:
		return take_operation_end(l, report, e);
	case RUNNER_GONE:
		return take_removal(l, report, e);
	}
	BUG("a report with outcome %d", report->outcome);
}

static bool next_report(struct lifecycle *l, int64_t now_ms, struct runner_report *ret_report)
{
	for (size_t i = 0; i < l->fleets->n; i++) {
		struct runner *runner = l->fleets->at[i].runner;

		if (runner->type->observe(runner, now_ms, ret_report))
			return true;
	}
	return false;
}

static int take_reports(struct lifecycle *l, int64_t now_ms, struct err *e)
{
	struct lifecycle_lines lines = {.arena = ARENA_INIT};
	struct runner_report report;
	int n = 1;

	if (!next_report(l, now_ms, &report))
		return 0;
	int rc = store_begin(l->store, e);
	if (rc < 0)
		return rc;
	l->lines = &lines;
	do {
		rc = take_report(l, &report, e);
	} while (rc == 0 && n++ < REPORTS_PER_ROUND && next_report(l, now_ms, &report));
	crash_point("replicatord-report");
	rc = store_end(l->store, rc, e);
	crash_point("replicatord-reported");
	end_keeping(l, rc == 0);
	return rc;
}

static int64_t next_due(const struct lifecycle *l)
{
	int64_t next = INT64_MAX;

	for (size_t i = 0; i < l->fleets->n; i++) {
		const struct runner *runner = l->fleets->at[i].runner;
		int64_t at = runner->type->next_due(runner);

		if (at < next)
			next = at;
	}
	return next;
}

int64_t lifecycle_due(void *ctx, int64_t now_mono_ms)
{
	struct lifecycle *l = ctx;
	struct err e = ERR_INIT;
	int rc = 0;

	if (l->retry_at_ms > now_mono_ms)
		return l->retry_at_ms;
	if (l->retry_at_ms)
		rc = lifecycle_resume(l, &e);
	if (rc == 0)
		rc = take_reports(l, now_mono_ms, &e);
	if (rc < 0)
		log_error("cannot save what the fleets report; trying again", "error", e.msg, NULL);
	l->retry_at_ms = rc < 0 ? now_mono_ms + RETRY_MS : 0;
	return rc < 0 ? l->retry_at_ms : next_due(l);
}

struct resuming {
	struct lifecycle *lifecycle;
	struct err err;
};

static void resume_operation(
	void *ctx, const struct replicator_row *row, const struct operation_row *op)
{
	auto_arena struct arena a = ARENA_INIT;
	struct resuming *r = ctx;
	struct spec spec;

	if (r->err.code != ERR_OK)
		return;
	if (settings_read(&a, op->spec, &spec, &r->err) < 0)
		err_prefix(&r->err, "replicator %s of organization %s", row->identifier, row->org);
	else
		run_operation(r->lifecycle, row, op, &spec);
}

static void resume_deletion(void *ctx, const struct replicator_row *row)
{
	struct resuming *r = ctx;

	run_deletion(r->lifecycle, row);
}

int lifecycle_resume(struct lifecycle *l, struct err *e)
{
	struct resuming r = {l, ERR_INIT};

	for (size_t i = 0; i < l->fleets->n; i++) {
		struct runner *runner = l->fleets->at[i].runner;

		runner->type->forget(runner);
	}
	int rc = fleets_count(l->fleets, l->store, e);
	if (rc < 0 || (rc = store_list_running(l->store, resume_operation, &r, e)) < 0 ||
		(rc = store_list_deleting(l->store, resume_deletion, &r, e)) < 0)
		return rc;
	return r.err.code == ERR_OK ? 0 : err_set(e, r.err.code, "%s", r.err.msg);
}
