/* What is known of a name from before, and what that makes of the one that is live. */
#include "plan/planner.h"

bool record_was_live(const struct plan_record *record)
{
	return record->has_last_applied || record->seen_generation > 0;
}

const struct spec *record_applied(const struct plan_record *record)
{
	return record->has_last_applied ? &record->last_applied : &record->intended;
}

int64_t plan_observed(const struct live *live)
{
	if (live->has_observed)
		return live->observed_generation;
	return live->status == LIVE_HEALTHY || live->status == LIVE_ERROR;
}

bool plan_went_back(const struct live *live, int64_t seen_observed)
{
	if (live->uid || live->created_at)
		return false;
	if (live->has_observed)
		return live->observed_generation < seen_observed;
	return live->status == LIVE_PENDING && seen_observed > 0;
}

static bool is_same_object(const struct plan_record *record, const struct live *live)
{
	return live->generation >= record->seen_generation &&
	       !plan_went_back(live, record->seen_observed) &&
	       live_is_same(live, record->uid, record->created_at);
}

/* A create of ours that was never answered: what is there is ours if all that was sent is there. */
static bool shows_our_create(struct planner *p, const struct subject *s)
{
	const struct spec *sides[SIDE__COUNT] = {
		[SIDE_INTENDED] = &s->record->intended,
		[SIDE_LIVE] = &s->live->spec,
	};

	settings_collect(&p->settings, sides);
	vec_each (setting, &p->settings) {
		const struct node *sent = setting->value[SIDE_INTENDED];

		if (sent && !setting_equal(setting, sent, setting->value[SIDE_LIVE]))
			return false;
	}
	return true;
}

bool is_ours(struct planner *p, const struct subject *s)
{
	const struct plan_record *r = s->record;

	if (!r || !is_same_object(r, s->live))
		return false;
	/* Of one that is gone stays what was applied, and nothing that tells it from another. */
	bool known = r->uid || r->created_at || r->seen_generation > 0;
	if (r->has_last_applied && known)
		return true;
	if (r->intent_open && r->intent_base == 0 && r->intent_generation == 0)
		return shows_our_create(p, s);
	return r->intent_open && r->intent_generation > 0;
}

bool reports_drift(const struct planner *p, const struct replicator *r)
{
	return (r->sync.has_mode ? (enum sync_mode)r->sync.mode : p->in->mode) == SYNC_REPORT;
}

bool applies_drafts(const struct planner *p, const struct replicator *r)
{
	return (r->sync.has_foreign_drafts ? (enum foreign_drafts)r->sync.foreign_drafts
					   : p->in->foreign_drafts) == DRAFTS_APPLY;
}

bool hold_unread(struct planner *p, struct plan_item *it)
{
	if (!it->record || !it->record->unread)
		return false;
	item_hold(it, PLAN_HOLD_UNKNOWN, PLAN_NONE,
		plan_text(p, "the API does not list it, and whether it is there is not known: %s",
			it->record->unread),
		"make the API answer when it is asked for; it is asked again within minutes");
	return true;
}
