/* What others are at, and something of ours waits for: looked at like operations of ours, though
 * not for longer than they may take. Then the next pass tells. */
#include <string.h>

#include "base/alloc.h"
#include "reconcile/internal.h"

#define AWAITED_MOST 32 /* the others are seen by the next pass */

/* It may become what is waited for without our doing. */
static bool is_up_to_others(const struct plan_item *other, const struct record *r)
{
	bool does_nothing = other->action == PLAN_NONE || other->action == PLAN_HOLD;
	return r->work == WORK_NONE && !other->waiting && !other->healthy && does_nothing;
}

static void add(struct engine *en, const char *name)
{
	const struct plan_item *other = plan_find(en->plan, name);
	struct record *r = ledger_find(&en->ledger, name);
	if (!other || !r || r->awaited_by == en->plans || !is_up_to_others(other, r) ||
		en->awaited.n == AWAITED_MOST)
		return;
	bool was_awaited = r->awaited_by && r->awaited_by + 1 == en->plans;
	r->awaited_by = en->plans;
	if (!was_awaited) {
		r->awaited_since = now_mono(en);
		r->poll_every = LOOK_FIRST_MS;
		r->poll_at = r->awaited_since + LOOK_FIRST_MS;
	}
	vec_push(&en->awaited, r);
}

void await_gather(struct engine *en)
{
	vec_each (item, &en->plan->items) {
		const struct node *list = item->desired ? item->desired->sync.depends_on : NULL;
		if (item->hold == PLAN_HOLD_DELETING)
			add(en, item->name);
		for (size_t i = 0; item->hold == PLAN_HOLD_DEPENDS && list && i < list->u.seq.n;
			i++)
			add(en, list->u.seq.at[i]->u.string.s);
	}
}

static void look(struct engine *en, struct record *r)
{
	struct api_call *c = xcalloc(1, sizeof(*c));
	*c = (struct api_call){.verb = API_GET, .identifier = xstrdup(r->name)};
	r->is_looked_at = true;
	send_call(en, c, FLIGHT_AWAIT, r);
}

/* When it is due; INT64_MAX if it is not looked at any more. */
static int64_t due_of(const struct engine *en, const struct record *r, int64_t now)
{
	bool in_time = now - r->awaited_since < en->config->sync.timeout_ms;
	return in_time && r->work == WORK_NONE && !r->is_looked_at ? r->poll_at : INT64_MAX;
}

int64_t await_step(struct engine *en, int64_t now)
{
	int64_t next = INT64_MAX;
	if (!en->plan || en->auth_refused || !en->awaited.n)
		return next;
	if (now < en->api.until_mono)
		return en->api.until_mono;
	vec_each (rp, &en->awaited) {
		int64_t due = due_of(en, *rp, now);
		if (due <= now && en->flights.n < (size_t)en->config->sync.concurrency) {
			look(en, *rp);
			continue;
		}
		if (due <= now)
			(*rp)->poll_at = due = now + LOOK_FIRST_MS;
		next = due < next ? due : next;
	}
	return next;
}

/* Of what the plan went by. */
static bool is_news(const struct plan_item *item, const struct api_answer *a)
{
	if (a->outcome == API_ABSENT)
		return item->live != NULL;
	if (a->outcome != API_OK)
		return false;
	const struct live *seen = item->live;
	return !seen || seen->status != a->live.status || seen->generation != a->live.generation ||
	       seen->observed_generation != a->live.observed_generation;
}

void await_looked(struct engine *en, struct record *r, const struct api_answer *a)
{
	const struct plan_item *item = item_of(en, r);
	r->is_looked_at = false;
	r->poll_at = next_look(en, r);
	if (item && r->work == WORK_NONE && is_news(item, a))
		pass_soon(en, 0);
}
