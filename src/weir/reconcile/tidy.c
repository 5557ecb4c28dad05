/* Letting go of what is not needed any more. */
#include "reconcile/internal.h"

#define TRIM_EVERY_MS ((int64_t)3600000)
#define TRIM_AGAIN_MS 60000

void tidy_store(struct engine *en)
{
	bool more = false;
	if (!en->ledger.store || en->options.dry || now_mono(en) < en->trim_at)
		return;
	/* If it fails, what is in the way is told of by the next flush. */
	store_trim(en->ledger.store, en->head.sha, now_wall(en), &more, NULL);
	en->trim_at = now_mono(en) + (more ? TRIM_AGAIN_MS : TRIM_EVERY_MS);
}

/* Something may still point there. */
static bool is_in_use(const struct engine *en, const struct record *r)
{
	if (r->work != WORK_NONE)
		return true;
	vec_each (f, &en->flights)
		if (f->record == r)
			return true;
	vec_each (rp, &en->watching)
		if (*rp == r)
			return true;
	return false;
}

void tidy_records(struct engine *en)
{
	for (size_t i = map_size(&en->ledger.records); i-- > 0;) {
		struct record *r = map_value(&en->ledger.records, i);
		if (ledger_is_idle(r) && !is_in_use(en, r))
			ledger_remove(&en->ledger, r);
	}
}
