/* Settings that are not as Git says and stay so: what is said of them, and what they hold. */
#include "plan/planner.h"
#include "plan/render.h"

/* What is held although nothing is written, by verdict, the first that applies. */
static const struct {
	enum verdict verdict;
	enum plan_hold hold;
	const char *why;
	const char *release;
} leftovers[] = {
	{VERDICT_CONTESTED, PLAN_HOLD_CONTESTED, "somebody else keeps changing it back",
		"agree on it and write that in Git"},
	{VERDICT_REPORT, PLAN_HOLD_REPORT, "drift, and sync.mode is report",
		"write in Git what is live, or set sync.mode: heal"},
	{VERDICT_WITHHOLD, PLAN_HOLD_INCOMPLETE,
		"gone from YAML, and nothing is reset while Git has errors",
		"fix the errors in Git"},
	{VERDICT_NOT_KEPT, PLAN_HOLD_NOT_KEPT, "was written, and the API does not keep it",
		"write in Git what the API keeps"},
};

static void hold_leftovers(struct planner *p, struct plan_item *it, size_t row)
{
	item_add_diffs(p, it, leftovers[row].verdict);
	if (leftovers[row].hold == PLAN_HOLD_CONTESTED)
		item_hold_unless_approved(p, it, PLAN_HOLD_CONTESTED, PLAN_UPDATE,
			leftovers[row].why,
			plan_text(p, "%s; `weir approve %s` writes it once more",
				leftovers[row].release, it->name));
	else
		item_hold(it, leftovers[row].hold, PLAN_UPDATE, leftovers[row].why,
			leftovers[row].release);
}

/* Returns what the item's differences show. */
static enum verdict decide_leftovers(
	struct planner *p, struct plan_item *it, const size_t n[VERDICT__COUNT])
{
	for (size_t i = 0; it->action == PLAN_NONE && i < ARRAY_SIZE(leftovers); i++) {
		if (n[leftovers[i].verdict] == 0)
			continue;
		hold_leftovers(p, it, i);
		return leftovers[i].verdict;
	}
	return VERDICT_WRITE;
}

static void note_setting(struct plan_item *it, const struct setting *s)
{
	const char *key = s->key ? s->key->u.string.s : NULL;
	auto_buf struct buf name = BUF_INIT, live = BUF_INIT, desired = BUF_INIT;

	setting_name(s, &name);
	plan_value_text(&live, s->field, key, s->value[SIDE_LIVE]);
	plan_value_text(&desired, s->field, key, s->value[SIDE_DESIRED]);
	switch (s->verdict) {
	case VERDICT_REPORT:
		item_note(it, "drift, only reported: %s is %s, Git says %s", buf_str(&name),
			buf_str(&live), buf_str(&desired));
		break;
	case VERDICT_CONTESTED:
		item_note(it,
			"%s is %s, Git says %s: left so, since somebody else keeps changing it "
			"back",
			buf_str(&name), buf_str(&live), buf_str(&desired));
		break;
	case VERDICT_WITHHOLD:
		item_note(it, "%s is gone from YAML and stays %s until the errors in Git are fixed",
			buf_str(&name), buf_str(&live));
		break;
	case VERDICT_NOT_KEPT:
		item_note(it, "the API does not keep %s: Git says %s, it answers %s",
			buf_str(&name), buf_str(&desired), buf_str(&live));
		break;
	case VERDICT_STAYS:
		item_note(it, "%s is gone from YAML and stays %s: it cannot be taken back",
			buf_str(&name), buf_str(&live));
		break;
	case VERDICT_WRITE:
		if (s->as_null)
			item_note(it, "leaving out %s did not take it away: it is sent as null",
				buf_str(&name));
		break;
	case VERDICT_FREE:
	case VERDICT_SAME:
	case VERDICT__COUNT:
		break;
	}
}

/* What the differences do not show is said. */
void plan_leave(struct planner *p, struct plan_item *it, const size_t n[VERDICT__COUNT])
{
	enum verdict shown = decide_leftovers(p, it, n);

	for (size_t i = 0; i < ARRAY_SIZE(leftovers); i++)
		it->leaves = it->leaves || n[leftovers[i].verdict] > 0;
	vec_each (s, &p->settings) {
		/* Nearly all are as Git says: no texts are made for nothing. */
		bool says_something = s->verdict != VERDICT_FREE && s->verdict != VERDICT_SAME;

		if (says_something && (s->verdict != shown || s->as_null))
			note_setting(it, s);
	}
}
