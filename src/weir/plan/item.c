/* Putting an item of the plan together: its texts, its differences, and why it is held. */
#include "plan/planner.h"

#include <stdarg.h>

#include "base/clock.h"
#include "base/text.h"

static char *format_escaped(const char *fmt, va_list ap) __attribute__((format(printf, 1, 0)));

static char *format_escaped(const char *fmt, va_list ap)
{
	auto_buf struct buf raw = BUF_INIT;
	struct buf escaped = BUF_INIT;

	buf_vaddf(&raw, fmt, ap);
	text_escape(&escaped, buf_str(&raw), raw.len);
	return buf_take(&escaped);
}

const char *plan_text(struct planner *p, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	auto_free char *text = format_escaped(fmt, ap);
	va_end(ap);
	return arena_strdup(&p->plan->arena, text);
}

void item_note(struct plan_item *it, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	strv_push_take(&it->notes, format_escaped(fmt, ap));
	va_end(ap);
}

void item_hold(struct plan_item *it, enum plan_hold hold, enum plan_action action, const char *why,
	const char *release)
{
	item_hold_until(it, hold, action, why, release, 0);
}

void item_hold_until(struct plan_item *it, enum plan_hold hold, enum plan_action action,
	const char *why, const char *release, int64_t until_ms)
{
	if (it->action == PLAN_HOLD) {
		item_note(it, "also held: %s", why);
		return;
	}
	it->action = PLAN_HOLD;
	it->held_action = action;
	it->hold = hold;
	it->held = why;
	it->release = release;
	it->until_ms = until_ms;
}

void item_approved(struct plan_item *it, const char *digest)
{
	it->approval = digest;
	it->approved = true;
	vec_push(&it->given, digest);
}

static bool hold_unless_given(struct planner *p, struct plan_item *it, enum plan_hold hold,
	enum plan_action action, const char *why, const char *release, const char *digest)
{
	bool is_first = it->action != PLAN_HOLD;

	if (approval_given(p->in, digest)) {
		if (!it->approved)
			item_note(it, "approved: %s", why);
		item_approved(it, digest);
		return false;
	}
	item_hold(it, hold, action, why, release);
	if (is_first)
		it->approval = digest;
	return true;
}

bool item_hold_unless_approved(struct planner *p, struct plan_item *it, enum plan_hold hold,
	enum plan_action action, const char *why, const char *release)
{
	return hold_unless_given(
		p, it, hold, action, why, release, approval_digest(p, it, action, NULL));
}

bool item_hold_by_guard(struct planner *p, struct plan_item *it, enum plan_hold hold,
	const char *why, const char *release, const char *guard)
{
	return hold_unless_given(
		p, it, hold, it->action, why, release, approval_digest(p, it, it->action, guard));
}

const char *plan_time(struct planner *p, int64_t wall_ms)
{
	char text[CLOCK_TEXT_MAX];

	return arena_strdup(&p->plan->arena, clock_format_second(wall_ms, text));
}

const struct replicator *item_document(const struct plan_item *it)
{
	return it->desired ? it->desired : it->remembered;
}

bool action_does_something(enum plan_action action)
{
	return action != PLAN_NONE && action != PLAN_HOLD;
}

bool action_writes(enum plan_action action)
{
	return action_does_something(action) && action != PLAN_ADOPT;
}

bool has_change_of_git(const struct plan_item *it)
{
	vec_each (d, &it->diffs)
		if (d->change != PLAN_DRIFT)
			return true;
	return false;
}

void item_add_diff(struct plan_item *it, const struct setting *s, enum plan_change change,
	const struct node *before)
{
	const struct node *after = s->value[SIDE_DESIRED];
	struct origin origin = {0};

	if (after)
		origin = replicator_origin(it->desired, after);
	vec_push(&it->diffs, (struct plan_diff){
				     .field = s->field,
				     .change = change,
				     .key = s->key ? s->key->u.string.s : NULL,
				     .before = before,
				     .after = after,
				     .as_null = s->as_null,
				     .file = origin.file,
				     .line = origin.line,
			     });
}

void item_add_diffs(struct planner *p, struct plan_item *it, enum verdict verdict)
{
	vec_each (s, &p->settings)
		if (s->verdict == verdict)
			item_add_diff(it, s, s->change, s->value[SIDE_LIVE]);
}
