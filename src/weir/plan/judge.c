/* The rules of ownership and difference, applied to one setting at a time. */
#include "plan/setting.h"

/* A masked value can only be what we wrote last; where nothing was written there is nothing to
 * compare with. */
static const struct node *seen_live(const struct setting *s)
{
	if (!value_is_masked(s->field, s->value[SIDE_LIVE]))
		return s->value[SIDE_LIVE];
	return s->value[SIDE_APPLIED] ? s->value[SIDE_APPLIED] : s->value[SIDE_DESIRED];
}

/* The same was written before, and did not stay. */
static bool is_not_kept(const struct setting *s, const struct rules *rules)
{
	return (rules->not_kept & 1u << s->field) &&
	       setting_equal(s, s->value[SIDE_DESIRED], s->value[SIDE_NOT_KEPT]);
}

/* Of a setting that is not as Git says. */
static enum plan_change classify(const struct setting *s, const struct rules *rules)
{
	const struct node *live = seen_live(s);
	const struct node *applied = s->value[SIDE_APPLIED];

	if (!s->value[SIDE_DESIRED])
		return PLAN_RESET;
	/* What our open intent wrote, or the API made of what we wrote, is nobody else's doing. */
	if (!applied || is_not_kept(s, rules) ||
		(rules->intent_open && setting_equal(s, live, s->value[SIDE_INTENDED])))
		return PLAN_CHANGE;
	if (setting_equal(s, s->value[SIDE_DESIRED], applied))
		return PLAN_DRIFT;
	return setting_equal(s, live, applied) ? PLAN_CHANGE : PLAN_CONFLICT;
}

static enum verdict judge(const struct setting *s, const struct rules *rules)
{
	if (is_not_kept(s, rules))
		return VERDICT_NOT_KEPT;
	if (s->change == PLAN_RESET && spec_fields[s->field].reset == SPEC_RESET_NOT)
		return VERDICT_STAYS;
	if (s->change == PLAN_RESET && !rules->complete)
		return VERDICT_WITHHOLD;
	if (s->change == PLAN_DRIFT && rules->report)
		return VERDICT_REPORT;
	return VERDICT_WRITE;
}

void settings_judge(struct settings *settings, const struct rules *rules)
{
	vec_each (s, settings) {
		if (!s->value[SIDE_DESIRED] && !s->value[SIDE_APPLIED] &&
			!s->value[SIDE_INTENDED]) {
			s->verdict = VERDICT_FREE;
		} else if (setting_equal(s, s->value[SIDE_DESIRED], seen_live(s))) {
			s->verdict = VERDICT_SAME;
		} else {
			s->change = classify(s, rules);
			s->verdict = judge(s, rules);
		}
	}
}
