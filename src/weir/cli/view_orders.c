/* What people ordered since weir ran last, on top of how things stood then: nobody has acted on it
 * yet. */
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/text.h"
#include "cli/view_parts.h"

#define ONCE_IT_RUNS "once weir runs"

static void say(struct arena *a, struct node *row, enum standing standing, const char *why,
	const char *release)
{
	node_map_set(a, row, "standing", node_string(a, standing_name(standing)));
	node_map_set(a, row, "why", node_string(a, why));
	node_map_set(a, row, "release", node_string(a, release));
	node_map_set(a, row, "until", node_null(a));
	node_map_set(a, row, "approvable", node_bool(a, false));
}

static bool is_suspended(const struct node *row)
{
	const char *standing = node_get_string(row, "standing");
	return standing && !strcmp(standing, standing_name(STANDING_SUSPENDED));
}

static const struct suspension *find_suspension(const struct view *v, const char *name)
{
	vec_each (s, &v->suspensions)
		if (!strcmp(s->name, name) &&
			(!s->has_until || s->until_ms > clock_wall_ms(&clock_real)))
			return s;
	return NULL;
}

static void suspend(struct arena *a, struct node *row, const struct suspension *s)
{
	say(a, row, STANDING_SUSPENDED,
		arena_printf(a, "suspended by %s%s%s", s->by, s->reason[0] ? ": " : "", s->reason),
		arena_printf(a, "`weir resume %s`", s->name));
	node_map_set(a, row, "hold", node_string(a, plan_hold_name(PLAN_HOLD_SUSPEND)));
	node_map_set(a, row, "since", view_time(a, s->at_ms));
	node_map_set(a, row, "until", view_time(a, s->has_until ? s->until_ms : 0));
}

static void take_suspensions(
	const struct view *v, struct arena *a, const char *name, struct node *row)
{
	const struct suspension *s = find_suspension(v, name);
	const char *release = node_get_string(row, "release");
	bool was_ordered =
		is_suspended(row) && release && text_has_prefix(release, "`weir resume ");
	if (s && !is_suspended(row))
		suspend(a, row, s);
	if (s || !was_ordered)
		return;
	say(a, row, STANDING_APPLYING, "suspended no more: it is looked at " ONCE_IT_RUNS,
		"`weir run`, or `weir apply`");
	node_map_set(a, row, "hold", node_null(a));
}

static const struct approval *find_approval(const struct view *v, const char *digest)
{
	vec_each (given, &v->approvals)
		if (digest && !strcmp(given->digest, digest))
			return given;
	return NULL;
}

static void take_approval(
	const struct view *v, struct arena *a, const struct node *said, struct node *row)
{
	const struct approval *given = find_approval(v, node_get_string(said, "approval"));
	if (given && !is_suspended(row))
		say(a, row, STANDING_APPLYING,
			arena_printf(a, "%s: approved by %s, and done " ONCE_IT_RUNS,
				node_get_string(said, "why"), given->by),
			"`weir run`, or `weir apply`");
}

/* What is held is in Git, or is ours. */
static bool is_forgotten(const struct view *v, const struct node *said, const char *name)
{
	if (!node_get(said, "hold") || map_has(&v->accepted, name))
		return false;
	vec_each (r, &v->rows)
		if (!strcmp(r->name, name))
			return false;
	return true;
}

bool view_orders_forget(const struct view *v, const struct node *said, const char *name)
{
	return !v->daemon && is_forgotten(v, said, name);
}

void view_orders_take(const struct view *v, struct arena *a, const struct node *standings,
	struct node *replicators)
{
	if (v->daemon)
		return;
	for (size_t i = 0; i < replicators->u.map.n; i++)
		take_suspensions(v, a, replicators->u.map.at[i].key->u.string.s,
			replicators->u.map.at[i].value);
	for (size_t i = 0; standings && i < standings->u.seq.n; i++) {
		const struct node *said = standings->u.seq.at[i];
		const char *name = node_get_string(said, "name");
		struct node *row = name ? node_get(replicators, name) : NULL;
		if (row)
			take_approval(v, a, said, row);
	}
}

struct node *view_rewind_from_store(const struct view *v, struct arena *a)
{
	if (!v->head || !v->seen || !v->head[0] || !strcmp(v->head, v->seen))
		return node_null(a);
	const char *approval = v->rewind && v->rewind[0] ? v->rewind : NULL;
	struct node *map = node_map(a);
	node_map_set(a, map, "from", node_string(a, v->head));
	node_map_set(a, map, "to", node_string(a, v->seen));
	node_map_set(a, map, "approval", view_text(a, approval));
	node_map_set(a, map, "approved", node_bool(a, find_approval(v, approval)));
	return map;
}
