/* How things stand, for those who wait for the end and those who look on. */
#include <string.h>

#include "base/alloc.h"
#include "reconcile/internal.h"

#define READ_TRIES 5 /* of a repository that never could be read */
#define POST_TRIES 3 /* of who waits for the end; the outbox keeps what is not out by then */

/* Trouble that does not end by itself, or has lasted as long as anybody waits. */
static bool is_hopeless(const struct engine *en, const struct trouble *t)
{
	return t->times && (en->options.dry || !t->err.retriable ||
				   now_wall(en) - t->since_wall >= en->config->sync.timeout_ms);
}

/* A flow in which nothing is under way yet is not held up as long as one in which something is. */
static bool is_unreadable(const struct engine *en)
{
	return is_hopeless(en, &en->source) || (!en->head.sha[0] && en->source.times >= READ_TRIES);
}

static bool is_out(const struct engine *en)
{
	const struct trouble *forge = &en->forge;
	if (en->options.dry)
		return true;
	if (en->posting || (ledger_is_dirty(&en->ledger) && !is_hopeless(en, &en->store)))
		return false;
	return !statuses_owed(en) || forge->times >= POST_TRIES ||
	       (forge->times && !forge->err.retriable);
}

/* Something is still on its way to Healthy, and may be in time. */
static bool is_under_way(const struct engine *en)
{
	const size_t *count = en->report.count;
	return en->report.sync.state == STATUS_PENDING || count[STANDING_WAITING] ||
	       count[STANDING_DELETING] || count[STANDING_APPLYING] > en->report.late ||
	       (en->report.in_time && count[STANDING_UNHEALTHY]);
}

bool engine_settled(const struct engine *en)
{
	if (en->reading || en->pass != PASS_IDLE || en->report_due)
		return false;
	if (en->auth_refused || is_unreadable(en) || is_hopeless(en, &en->api) ||
		is_hopeless(en, &en->store))
		return is_out(en);
	if (en->source.times || en->api.times || en->store.times)
		return false;
	if (!en->plan)
		return en->load_err.code != ERR_OK && is_out(en);
	return en->options.dry || (!is_under_way(en) && is_out(en));
}

static int64_t next_try(const struct engine *en, const struct trouble *t)
{
	int64_t left = t->until_mono - now_mono(en);
	return left > 0 ? now_wall(en) + left : 0;
}

static void gather_troubles(const struct engine *en, struct engine_stats *stats)
{
	const struct {
		const char *what;
		const struct trouble *trouble;
	} all[] = {
		{"store", &en->store},
		{"repository", &en->source},
		{"api", &en->api},
		{"statuses", &en->forge},
	};
	stats->n_troubles = 0;
	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		if (all[i].trouble->times)
			stats->troubles[stats->n_troubles++] =
				(struct engine_trouble){all[i].what, all[i].trouble->err.msg,
					all[i].trouble->since_wall, next_try(en, all[i].trouble)};
}

void engine_stats(const struct engine *en, struct engine_stats *ret_stats)
{
	*ret_stats = en->stats;
	ret_stats->head = en->head.sha;
	ret_stats->summary = en->head.summary;
	ret_stats->settled = en->plan && en->compared && en->pass == PASS_IDLE && !en->reading &&
			     !en->report_due && !is_under_way(en) && is_out(en);
	ret_stats->busy = en->reading || en->pass != PASS_IDLE;
	gather_troubles(en, ret_stats);
	ret_stats->trouble = ret_stats->n_troubles ? ret_stats->troubles[0].message : "";
	ret_stats->ready =
		en->stats.passes && !en->store.times && !en->source.times && !en->api.times;
	ret_stats->state = en->report.sync.state;
	ret_stats->text = en->report.sync.text;
	memcpy(ret_stats->standing, en->report.count, sizeof(ret_stats->standing));
	ret_stats->load_error = en->load_err.code != ERR_OK ? en->load_err.msg : "";
	ret_stats->load_problems = en->catalog ? en->catalog->problems.n_errors : 0;
}

const struct plan *engine_plan(const struct engine *en)
{
	return en->plan;
}

struct ledger *engine_ledger(struct engine *en)
{
	return &en->ledger;
}

int engine_ordered(struct engine *en, struct err *e)
{
	found_write(en);
	int rc = ledger_flush(&en->ledger, e);
	engine_wake(en);
	pass_stop_begun(en); /* what waits for its turn may be what must not be done any more */
	return rc < 0 ? err_prefix(e, "the order counts once it can be written") : 0;
}

const char *engine_standings(const struct engine *en)
{
	return en->standings;
}

bool engine_rewind(const struct engine *en, struct engine_rewind *ret_rewind)
{
	if (!en->rewound || !en->rewind_approval)
		return false;
	*ret_rewind = (struct engine_rewind){en->rewound_from, en->head.sha, en->rewind_approval};
	return true;
}

bool engine_brake(const struct engine *en, struct engine_brake *ret_brake)
{
	const struct brake *b = &en->brake;
	if (!b->reason)
		return false;
	*ret_brake = (struct engine_brake){b->sha, b->reason, b->approval};
	return true;
}
