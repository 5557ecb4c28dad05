/*
 * Generations: which were provisioned or set going, and whose a draft above them is. A reconcile
 * provisions the whole object: what others saved and did not start goes along with what we saved.
 */
#include "plan/planner.h"

static int64_t highest(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* Saved by us and not set going yet: live is at its generation, or above. */
static bool intent_is_saved(const struct live *live, const struct plan_record *record)
{
	int64_t least =
		record->intent_generation ? record->intent_generation : record->intent_base + 1;

	return record->intent_open && !record->intent_reconciled && live->generation >= least;
}

int64_t draft_started(const struct live *live, const struct plan_record *record)
{
	int64_t started = live->has_observed ? live->observed_generation : 0;

	if (record) {
		started = highest(started, record->provisioned_generation);
		started = highest(started, record->failed_generation);
		if (record->intent_open && record->intent_reconciled)
			started = highest(started, record->intent_generation);
	}
	/* Where the API does not say: past Pending, and no draft of ours, somebody started it. */
	if (started == 0 && !live->has_observed && live->status != LIVE_PENDING &&
		!(record && intent_is_saved(live, record)))
		started = live->generation;
	return started;
}

const struct spec *draft_baseline(const struct live *live, const struct plan_record *record)
{
	static const struct spec nothing;
	int64_t started = draft_started(live, record);

	if (record->provisioned && record->provisioned_generation == started)
		return record->provisioned;
	return started == 0 ? &nothing : NULL;
}

/* An intent that only repairs what was applied shows once nothing of it differs any more. */
bool intent_shows(const struct settings *settings)
{
	bool changes = false, differs = false;

	vec_each (s, settings) {
		const struct node *intended = s->value[SIDE_INTENDED];
		bool is_new = !setting_equal(s, intended, s->value[SIDE_APPLIED]);
		bool is_there = setting_equal(s, intended, s->value[SIDE_LIVE]);

		if (is_new && !is_there)
			return false;
		changes = changes || is_new;
		differs = differs || (intended && !is_there);
	}
	return changes || !differs;
}

bool plan_intent_shows(const struct plan_record *record, const struct live *live)
{
	const struct spec *sides[SIDE__COUNT] = {
		[SIDE_APPLIED] = &record->last_applied,
		[SIDE_INTENDED] = &record->intended,
		[SIDE_LIVE] = &live->spec,
	};
	struct settings settings = VEC_INIT;

	settings_collect(&settings, sides);
	bool shows = intent_shows(&settings);
	vec_release(&settings);
	return shows;
}

enum trace { /* of our open intent in the draft */
	TRACE_NONE,
	TRACE_SHOWS, /* what we sent is there; perhaps there is more */
	TRACE_NEXT, /* ... and it is the generation that ours makes; but no answer said so */
	TRACE_EXACT /* nobody else can have come in between what was started last and it */
};

static enum trace trace_of(const struct draft *d, const struct live *live,
	const struct plan_record *record, bool known)
{
	bool next = live->generation == d->started + 1;
	bool chain = live->generation == record->intent_base + 1 &&
		     record->intent_ours_from <= d->started;

	if (record->intent_generation)
		return record->intent_generation == live->generation && (next || chain)
			       ? TRACE_EXACT
			       : TRACE_SHOWS;
	/* That it shows has to do, where there is nothing better to go by. */
	if (next && record->intent_base == d->started && !known)
		return TRACE_EXACT;
	return chain ? TRACE_NEXT : TRACE_SHOWS;
}

/* What we are about to write stands on drafts of ours alone, and did not leave or show yet. */
static bool rests_on_ours(
	const struct draft *d, const struct live *live, const struct plan_record *record)
{
	return record->intent_open && !record->intent_generation &&
	       record->intent_base == live->generation && record->intent_ours_from <= d->started;
}

/* We sent it, or took it away. */
static bool is_sent(const struct setting *s, enum trace trace)
{
	const struct node *intended = s->value[SIDE_INTENDED];

	return trace >= (intended ? TRACE_SHOWS : TRACE_NEXT) &&
	       setting_equal(s, intended, s->value[SIDE_LIVE]);
}

/* What is not as it runs is ours if it is as Git says or as we sent it, and foreign if it is not
 * about to be. */
static enum draft_part part_of(const struct setting *s, enum trace trace)
{
	const struct node *live = s->value[SIDE_LIVE], *desired = s->value[SIDE_DESIRED];

	if (setting_equal(s, live, s->value[SIDE_PROVISIONED]))
		return DRAFT_NOT;
	switch (s->verdict) {
	case VERDICT_SAME:
		return DRAFT_OURS;
	case VERDICT_FREE:
		if (desired && setting_equal(s, desired, live))
			return DRAFT_NOT; /* ignored, and all the same as Git says */
		if (is_sent(s, trace))
			return live ? DRAFT_NOT : DRAFT_OURS;
		/* What is set besides an API fills in by itself. */
		return trace == TRACE_EXACT ? DRAFT_NOT : DRAFT_FOREIGN;
	case VERDICT_REPORT:
	case VERDICT_WITHHOLD:
	case VERDICT_STAYS:
	case VERDICT_CONTESTED:
		return trace == TRACE_EXACT || is_sent(s, trace) ? DRAFT_NOT : DRAFT_FOREIGN;
	case VERDICT_WRITE:
	case VERDICT_NOT_KEPT:
	case VERDICT__COUNT:
		break;
	}
	return DRAFT_NOT;
}

struct draft draft_examine(
	struct settings *settings, const struct live *live, const struct plan_record *record)
{
	struct draft d = {.started = draft_started(live, record)};
	bool known = draft_baseline(live, record) != NULL;

	d.exists = live->generation > d.started;
	if (!d.exists)
		return d;
	d.ours = intent_is_saved(live, record) && intent_shows(settings);
	enum trace trace = rests_on_ours(&d, live, record) ? TRACE_EXACT
			   : d.ours			   ? trace_of(&d, live, record, known)
							   : TRACE_NONE;
	d.unknown = !known && trace != TRACE_EXACT;
	for (size_t i = 0; known && i < settings->n; i++) {
		struct setting *s = &settings->at[i];

		s->draft = part_of(s, trace);
		d.ours = d.ours || s->draft == DRAFT_OURS;
		d.n_foreign += s->draft == DRAFT_FOREIGN;
	}
	return d;
}
