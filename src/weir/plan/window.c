/* Windows of weir.yaml: there are times at which nothing is written. */
#include "plan/planner.h"

/* A replacement whose first half is done is not left there. */
static bool is_half_done(const struct plan_item *it)
{
	return it->action == PLAN_CREATE && it->record && it->record->deleted;
}

static void hold_outside_windows(struct planner *p, struct plan_item *it)
{
	const struct replicator *document = item_document(it);
	auto_buf struct buf why = BUF_INIT;

	if (!action_writes(it->action) || is_half_done(it))
		return;
	struct window_state state =
		windows_at(p->in->windows, document ? document->labels : NULL, p->in->now_ms);
	if (state.open)
		return;
	bool ends = state.until_ms != INT64_MAX;
	windows_text(p->in->windows, &state, &why);
	item_hold_until(it, PLAN_HOLD_WINDOW, it->action, plan_text(p, "%s", buf_str(&why)),
		ends ? "wait until then, or change sync.windows in weir.yaml"
		     : "change sync.windows in weir.yaml",
		ends ? state.until_ms : 0);
}

void guard_windows(struct planner *p)
{
	if (!p->in->windows)
		return;
	vec_each (it, &p->plan->items)
		hold_outside_windows(p, it);
}
