/* Replicators that somebody wants to be left alone: YAML says so, or a person did. */
#include "base/clock.h"
#include "plan/planner.h"

static bool is_over(const struct planner *p, bool has_until, int64_t until_ms)
{
	return has_until && until_ms <= p->in->now_ms;
}

static const char *describe(struct planner *p, const struct plan_suspension *s)
{
	bool has_reason = s->reason && *s->reason;

	return plan_text(p, "suspended%s%s%s%s%s%s", s->by && *s->by ? " by " : "",
		s->by ? s->by : "", s->has_until ? " until " : "",
		s->has_until ? plan_time(p, s->until_ms) : "", has_reason ? ": " : "",
		has_reason ? s->reason : "");
}

static const struct plan_suspension *from_yaml(
	struct planner *p, const char *name, const struct sync_suspend *yaml)
{
	struct plan_suspension *s = arena_alloc(&p->plan->arena, sizeof(*s));

	*s = (struct plan_suspension){
		.name = name,
		.reason = yaml->reason,
		.has_until = yaml->has_until,
		.until_ms = yaml->until_ms,
	};
	s->text = describe(p, s);
	return s;
}

/* What a person said is the caller's, and may change while the plan is looked at. */
static const struct plan_suspension *from_person(
	struct planner *p, const char *name, const struct plan_suspension *outside)
{
	struct plan_suspension *s = arena_alloc(&p->plan->arena, sizeof(*s));
	const char *reason = outside->reason ? outside->reason : "";
	const char *by = outside->by ? outside->by : "";

	*s = *outside;
	s->name = name;
	s->reason = arena_strdup(&p->plan->arena, reason);
	s->by = arena_strdup(&p->plan->arena, by);
	s->text = describe(p, s);
	return s;
}

static void note_end(struct plan_item *it, int64_t until_ms)
{
	if (until_ms > it->suspended_to_ms)
		it->suspended_to_ms = until_ms;
}

/* What Git says goes before what a person said, and is released in Git only. */
static const struct plan_suspension *find_suspension(
	struct planner *p, const struct subject *s, struct plan_item *it)
{
	const struct replicator *document = item_document(it);
	const struct plan_suspension *outside = s->suspension;

	if (document && document->sync.suspend.is_set) {
		const struct sync_suspend *inside = &document->sync.suspend;

		if (!is_over(p, inside->has_until, inside->until_ms))
			return from_yaml(p, it->name, inside);
		note_end(it, inside->until_ms);
	}
	if (!outside)
		return NULL;
	if (!is_over(p, outside->has_until, outside->until_ms))
		return from_person(p, it->name, outside);
	note_end(it, outside->until_ms);
	return NULL;
}

void item_note_suspended(struct planner *p, const struct subject *s, struct plan_item *it)
{
	it->suspended = find_suspension(p, s, it);
}

static const char *release_of(struct planner *p, const struct plan_item *it)
{
	const char *wait = it->suspended->has_until ? ", or wait until then" : "";

	if (it->desired && !it->suspended->by)
		return plan_text(p, "take sync.suspend out of its YAML%s", wait);
	return plan_text(p, "`weir resume %s`%s", it->name, wait);
}

/* What comes once it is over, where that cannot be taken back. */
static const char *describe_end(struct planner *p, enum plan_action action)
{
	char grace[CLOCK_TEXT_MAX];

	if (action != PLAN_DELETE)
		return "";
	return plan_text(p, "; deleted %s that, since it is not in Git any more",
		p->in->prune.grace_ms
			? plan_text(p, "%s after", duration_format(p->in->prune.grace_ms, grace))
			: "right after");
}

void item_suspend(struct planner *p, struct plan_item *it)
{
	const struct plan_suspension *s = it->suspended;

	if (!s || it->gone)
		return;
	if (it->action == PLAN_NONE) {
		item_note(it, "%s", s->text);
		it->release = release_of(p, it);
		return;
	}
	bool was_held = it->action == PLAN_HOLD;
	enum plan_action action = was_held ? it->held_action : it->action;
	const char *before = it->held;
	it->action = PLAN_NONE;
	it->approval = NULL;
	item_hold_until(it, PLAN_HOLD_SUSPEND, action,
		plan_text(p, "%s%s", s->text, was_held ? "" : describe_end(p, action)),
		release_of(p, it), s->has_until ? s->until_ms : 0);
	if (was_held)
		item_note(it, "also held: %s", before);
}
