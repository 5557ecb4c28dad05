/* The rules of ownership and difference, applied to one setting at a time. */
#include "plan/setting.h"

#include <stdlib.h>
#include <string.h>

/* A masked value can only be what we wrote last; where nothing was written there is nothing to
 * compare with. */
static const struct node *seen_live(const struct setting *s)
{
	if (!value_is_masked(s->field, s->value[SIDE_LIVE]))
		return s->value[SIDE_LIVE];
	return s->value[SIDE_APPLIED] ? s->value[SIDE_APPLIED] : s->value[SIDE_DESIRED];
}

static int compare_leftover(const void *key, const void *leftover)
{
	return strcmp(key, ((const struct plan_leftover *)leftover)->key);
}

/* A key that was taken away in vain; NULL if the setting is none. */
static const struct plan_leftover *find_leftover(const struct setting *s, const struct rules *rules)
{
	if (!s->key || s->value[SIDE_DESIRED] || rules->n_leftovers == 0)
		return NULL;
	return bsearch(s->key->u.string.s, rules->leftovers, rules->n_leftovers,
		sizeof(*rules->leftovers), compare_leftover);
}

/* The same was written before, and did not stay. */
static bool is_not_kept(const struct setting *s, const struct rules *rules)
{
	const struct plan_leftover *leftover = find_leftover(s, rules);

	if (leftover)
		return leftover->sent_as_null;
	/* Of a map that was written with something in it, what it has besides was not tried. */
	if (s->key && !s->value[SIDE_DESIRED] && !rules->emptied)
		return false;
	return (rules->not_kept & 1u << s->field) &&
	       setting_equal(s, s->value[SIDE_DESIRED], s->value[SIDE_NOT_KEPT]);
}

static int compare_text(const void *text, const void *at)
{
	return strcmp(text, *(const char *const *)at);
}

static bool is_contested(const struct setting *s, const struct rules *rules)
{
	auto_buf struct buf name = BUF_INIT;

	if (rules->n_contested == 0)
		return false;
	setting_name(s, &name);
	return bsearch(buf_str(&name), rules->contested, rules->n_contested,
		sizeof(*rules->contested), compare_text);
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
	if (s->change == PLAN_DRIFT && is_contested(s, rules))
		return VERDICT_CONTESTED;
	return VERDICT_WRITE;
}

bool setting_is_ignored(const struct setting *s, const struct sync_settings *sync)
{
	return sync->ignore && sync_ignores(sync, s->field, s->key ? s->key->u.string.s : NULL);
}

static bool is_free(const struct setting *s, const struct rules *rules)
{
	if (setting_is_ignored(s, rules->sync))
		return true;
	return !s->value[SIDE_DESIRED] && !s->value[SIDE_APPLIED] && !s->value[SIDE_INTENDED] &&
	       !find_leftover(s, rules);
}

static void judge_alone(struct setting *s, const struct rules *rules)
{
	if (is_free(s, rules)) {
		s->verdict = VERDICT_FREE;
	} else if (setting_equal(s, s->value[SIDE_DESIRED], seen_live(s))) {
		s->verdict = VERDICT_SAME;
	} else {
		s->change = classify(s, rules);
		s->verdict = judge(s, rules);
		s->as_null = s->verdict == VERDICT_WRITE && find_leftover(s, rules);
	}
}

static struct setting *find_field(struct settings *settings, enum spec_field field)
{
	vec_each (s, settings)
		if (s->field == field)
			return s;
	return NULL;
}

/* An API refuses `s` where `with` has no value. Its default counts too: an API that shows it holds
 * it, and it is not ours to keep. */
static void judge_beside(struct setting *s, const struct setting *with)
{
	bool writes = with && with->verdict == VERDICT_WRITE;

	if (with && with->value[writes ? SIDE_DESIRED : SIDE_LIVE])
		return;
	if (writes && s->value[SIDE_LIVE] && !s->value[SIDE_DESIRED]) {
		s->change = PLAN_RESET;
		s->verdict = VERDICT_WRITE;
	} else if (with && s->verdict == VERDICT_WRITE && s->value[SIDE_DESIRED]) {
		s->verdict = with->verdict;
	}
}

void settings_judge(struct settings *settings, const struct rules *rules)
{
	vec_each (s, settings)
		judge_alone(s, rules);
	vec_each (s, settings)
		if (spec_fields[s->field].only_with)
			judge_beside(s, find_field(settings, spec_fields[s->field].only_with));
}
