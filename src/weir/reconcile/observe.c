/* Operations of others, as the status tells them where the API does not say what runs. */
#include "reconcile/internal.h"

/*
 * A status that is seen leaving its rest and coming back is that of an operation on what is there,
 * if that was there before it left, or directly follows what was started and came to rest. An
 * operation that is first seen under way may be of an older generation than the one that shows.
 */
void work_note_others(struct record *r, const struct live *live, int64_t started)
{
	if (live->has_observed)
		return;
	switch (live->status) {
	case LIVE_PROVISIONING:
	case LIVE_UPDATING:
		if (r->rest_generation == live->generation ||
			(live->generation == started + 1 && r->rest_generation == started))
			r->busy_generation = live->generation;
		return;
	case LIVE_PENDING:
	case LIVE_HEALTHY:
	case LIVE_ERROR:
		r->rest_generation = live->generation;
		return;
	case LIVE_DELETING:
	case LIVE_UNKNOWN:
	case LIVE__COUNT:
		return;
	}
}

static void note_others(struct engine *en, struct record *r, const struct live *live)
{
	const struct intent *i = r->intent;
	bool started_by_us =
		i && (i->state == INTENT_RUNNING ||
			     (i->state == INTENT_SENT && i->generation >= live->generation));
	bool at_rest = live->status == LIVE_HEALTHY || live->status == LIVE_ERROR;
	if (started_by_us || live->generation < r->row.seen_generation ||
		!live_is_same(live, r->row.uid, r->row.created_at))
		return;
	work_note_others(r, live, r->row.provisioned_generation);
	if (!at_rest || r->busy_generation != live->generation ||
		r->row.provisioned_generation >= live->generation)
		return;
	work_provisioned(r, live);
	ledger_changed(&en->ledger, r);
}

void work_observe(struct engine *en)
{
	for (size_t i = 0; i < map_size(&en->list.by_name); i++) {
		const struct live *live = map_value(&en->list.by_name, i);
		struct record *r =
			live->has_observed ? NULL : ledger_find(&en->ledger, live->identifier);
		bool outdated = r && r->shown_at >= en->listed_at && r->shown_at;
		if (r && ledger_is_ours(r) && !outdated)
			note_others(en, r, live);
	}
}
