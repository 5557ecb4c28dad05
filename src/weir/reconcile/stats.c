/* How things stand, for those who wait for the end and those who look on. */
#include "base/alloc.h"
#include "reconcile/internal.h"

static bool is_out(const struct engine *en)
{
	return en->options.dry ||
	       (!en->posting && !statuses_owed(en) && !ledger_is_dirty(&en->ledger));
}

static bool is_watching(const struct engine *en)
{
	vec_each (r, &en->watching)
		if ((*r)->work >= WORK_WATCH)
			return true;
	return false;
}

bool engine_settled(const struct engine *en)
{
	if (en->reading || en->pass != PASS_IDLE || en->report_due)
		return false;
	int64_t wall = now_wall(en);
	bool patient = !en->options.dry && !en->auth_refused;
	if (en->source.times && (!patient || !en->source.err.retriable))
		return is_out(en);
	if (en->api.times && (!patient || wall - en->api.since_wall >= en->config->sync.timeout_ms))
		return is_out(en);
	if (en->source.times || en->api.times || en->store.times)
		return false;
	if (!en->plan)
		return en->load_err.code != ERR_OK && is_out(en);
	return en->options.dry ||
	       (en->report.sync.state != STATUS_PENDING && !is_watching(en) && is_out(en));
}

static const char *first_trouble(const struct engine *en)
{
	const struct trouble *all[] = {&en->store, &en->source, &en->api, &en->forge};
	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		if (all[i]->times)
			return all[i]->err.msg;
	return "";
}

void engine_stats(const struct engine *en, struct engine_stats *ret_stats)
{
	*ret_stats = en->stats;
	ret_stats->head = en->head.sha;
	ret_stats->trouble = first_trouble(en);
	ret_stats->ready =
		en->stats.passes && !en->store.times && !en->source.times && !en->api.times;
	ret_stats->state = en->report.sync.state;
	ret_stats->text = en->report.sync.text;
	ret_stats->in_sync = en->report.count[STANDING_HEALTHY];
	ret_stats->applying = en->report.count[STANDING_APPLYING];
	ret_stats->waiting = en->report.count[STANDING_WAITING] + en->report.count[STANDING_STUCK] +
			     en->report.count[STANDING_UNKNOWN];
	ret_stats->failed = en->report.count[STANDING_FAILED];
	ret_stats->held = en->report.count[STANDING_HELD];
	ret_stats->drifted = en->report.count[STANDING_DRIFTED];
	ret_stats->load_error = en->load_err.code != ERR_OK ? en->load_err.msg : "";
	ret_stats->load_problems = en->catalog ? en->catalog->problems.n_errors : 0;
}
