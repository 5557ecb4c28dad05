/* Windows of weir.yaml: there are times at which nothing is written. */
#include "plan/planner.h"

/* A replacement whose first half is done is not left there. */
static bool is_half_done(const struct plan_item *it)
{
	return it->action == PLAN_CREATE && it->record && it->record->deleted;
}

/* Labels that are changed get it past no window: those that it had while it could be changed last
 * count as well as those that it is to have. */
static struct window_state judge(
	const struct windows *windows, const struct plan_item *it, int64_t now_ms, bool *ret_by_old)
{
	const struct replicator *document = item_document(it);
	const struct node *before = it->record ? it->record->labels : NULL;
	const struct node *labels = document ? document->labels : NULL;
	struct window_state state = windows_at(windows, labels, now_ms);

	*ret_by_old = false;
	if (!before)
		return state;
	struct window_state old = windows_at(windows, before, now_ms);
	if (old.open || (!state.open && state.until_ms >= old.until_ms))
		return state;
	*ret_by_old = true;
	return old;
}

bool plan_window_is_open(
	const struct windows *windows, const struct plan_item *item, int64_t now_ms)
{
	bool by_old;

	return !windows || is_half_done(item) || judge(windows, item, now_ms, &by_old).open;
}

static void hold_outside_windows(struct planner *p, struct plan_item *it)
{
	auto_buf struct buf why = BUF_INIT;
	bool by_old;

	if (!action_writes(it->action) || is_half_done(it))
		return;
	struct window_state state = judge(p->in->windows, it, p->in->now_ms, &by_old);
	if (state.open)
		return;
	bool ends = state.until_ms != INT64_MAX;
	windows_text(p->in->windows, &state, &why);
	item_hold_until(it, PLAN_HOLD_WINDOW, it->action,
		plan_text(p, "%s%s", buf_str(&why),
			!by_old ? ""
			: ends	? ", by the labels that it had before, which count until then"
				: ", by the labels that it had before"),
		plan_text(p, "%schange sync.windows in weir.yaml",
			ends ? "wait until then, or " : ""),
		ends ? state.until_ms : 0);
}

void guard_windows(struct planner *p)
{
	if (!p->in->windows)
		return;
	vec_each (it, &p->plan->items)
		hold_outside_windows(p, it);
}
