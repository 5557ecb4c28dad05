/* The plan for programs: schema/plan.schema.json. What is not known is null; every key is always
 * there. */
#include "plan/render.h"

#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "doc/json.h"
#include "doc/problem.h"

#define FORMAT_VERSION                                                                             \
	"1.1" /* the minor number grows with new keys, the major one when a reader may break */

static struct node *string_or_null(struct arena *a, const char *s)
{
	return s ? node_string(a, s) : node_null(a);
}

static struct node *line_or_null(struct arena *a, unsigned line)
{
	return line ? node_int(a, line) : node_null(a);
}

static struct node *time_or_null(struct arena *a, int64_t wall_ms)
{
	char text[CLOCK_TEXT_MAX];

	return wall_ms ? node_string(a, clock_format(wall_ms, text)) : node_null(a);
}

static struct node *strings_node(struct arena *a, const struct strv *v)
{
	struct node *seq = node_seq(a);

	vec_each (s, v)
		node_seq_add(a, seq, node_string(a, *s));
	return seq;
}

static bool is_scalar(const struct node *n)
{
	return n->type != NODE_SEQ && n->type != NODE_MAP;
}

/* As a field of that kind is meant to be: no maps, which may hold anything. */
static bool is_plain(const struct node *n)
{
	for (size_t i = 0; n->type == NODE_SEQ && i < n->u.seq.n; i++)
		if (!is_scalar(n->u.seq.at[i]))
			return false;
	return n->type != NODE_MAP;
}

/* What may hold a secret is shown by the same text as everywhere, and a number keeps its type where
 * that shows it. */
static struct node *value_node(struct arena *a, const struct plan_diff *d, const struct node *value)
{
	auto_buf struct buf text = BUF_INIT;

	if (!value)
		return node_null(a);
	plan_value_text(&text, d->field, d->key, value);
	bool is_shown = spec_fields[d->field].secret
				? d->key && is_scalar(value) && strcmp(buf_str(&text), "***") != 0
				: is_plain(value);
	return is_shown ? node_copy(a, value) : node_string(a, buf_str(&text));
}

static struct node *keys_node(struct arena *a, enum spec_field field, const struct node *map)
{
	struct node *keys = node_map(a);

	for (size_t i = 0; i < map->u.map.n; i++) {
		const struct node_pair *pair = &map->u.map.at[i];
		const struct plan_diff one = {.field = field, .key = pair->key->u.string.s};

		node_map_add(a, keys, pair->key, value_node(a, &one, pair->value));
	}
	return keys;
}

void plan_live_json(const struct live *live, struct buf *out)
{
	auto_arena struct arena a = ARENA_INIT;
	struct node *map = node_map(&a);

	for (enum spec_field f = 0; f < SPEC__COUNT; f++) {
		const struct node *value = live->spec.value[f];
		const struct plan_diff whole = {.field = f};

		if (value)
			node_map_set(&a, map, spec_fields[f].name,
				value->type == NODE_MAP ? keys_node(&a, f, value)
							: value_node(&a, &whole, value));
	}
	json_write(out, map, JSON_STYLE_CANONICAL);
}

static const char *const change_names[] = {
	[PLAN_CHANGE] = "change",
	[PLAN_CONFLICT] = "conflict",
	[PLAN_DRIFT] = "drift",
	[PLAN_RESET] = "reset",
};

static struct node *diff_node(struct arena *a, const struct plan_diff *d)
{
	struct node *map = node_map(a);

	node_map_set(a, map, "field", node_string(a, spec_fields[d->field].name));
	node_map_set(a, map, "key", string_or_null(a, d->key));
	node_map_set(a, map, "change", node_string(a, change_names[d->change]));
	node_map_set(a, map, "before", value_node(a, d, d->before));
	node_map_set(a, map, "after", value_node(a, d, d->after));
	node_map_set(a, map, "file", string_or_null(a, d->file));
	node_map_set(a, map, "line", line_or_null(a, d->line));
	return map;
}

static struct node *hold_node(struct arena *a, const struct plan_item *it)
{
	struct node *map = node_map(a);

	if (it->action != PLAN_HOLD)
		return node_null(a);
	node_map_set(a, map, "kind", node_string(a, plan_hold_name(it->hold)));
	node_map_set(a, map, "action", node_string(a, plan_action_name(it->held_action)));
	node_map_set(a, map, "reason", node_string(a, it->held));
	node_map_set(a, map, "release", node_string(a, it->release));
	node_map_set(a, map, "until", time_or_null(a, it->until_ms));
	node_map_set(a, map, "approval", string_or_null(a, it->approval));
	return map;
}

static struct node *escaped_or_null(struct arena *a, const char *s)
{
	auto_buf struct buf text = BUF_INIT;

	if (!s)
		return node_null(a);
	plan_add_text(&text, s);
	return node_string(a, buf_str(&text));
}

static struct node *suspended_node(struct arena *a, const struct plan_suspension *s)
{
	struct node *map = node_map(a);

	if (!s)
		return node_null(a);
	node_map_set(a, map, "reason", escaped_or_null(a, s->reason));
	node_map_set(a, map, "by", escaped_or_null(a, s->by));
	node_map_set(a, map, "until", time_or_null(a, s->has_until ? s->until_ms : 0));
	return map;
}

static struct node *live_node(struct arena *a, const struct live *live)
{
	struct node *map = node_map(a);

	if (!live)
		return node_null(a);
	node_map_set(a, map, "uid", string_or_null(a, live->uid));
	node_map_set(a, map, "generation", node_int(a, live->generation));
	node_map_set(a, map, "observed_generation",
		live->has_observed ? node_int(a, live->observed_generation) : node_null(a));
	node_map_set(a, map, "status", node_string(a, live->status_word));
	return map;
}

static struct node *item_node(struct arena *a, const struct plan_item *it)
{
	struct node *map = node_map(a), *diffs = node_seq(a);

	vec_each (d, &it->diffs)
		node_seq_add(a, diffs, diff_node(a, d));
	node_map_set(a, map, "name", node_string(a, it->name));
	node_map_set(a, map, "action", node_string(a, plan_action_name(it->action)));
	node_map_set(a, map, "hold", hold_node(a, it));
	node_map_set(a, map, "approved", node_bool(a, it->approved));
	node_map_set(a, map, "suspended", suspended_node(a, it->suspended));
	node_map_set(a, map, "file", string_or_null(a, it->file));
	node_map_set(a, map, "line", line_or_null(a, it->line));
	node_map_set(a, map, "live", live_node(a, it->live));
	node_map_set(a, map, "healthy", node_bool(a, it->healthy));
	node_map_set(a, map, "in_sync", node_bool(a, plan_is_in_sync(it)));
	node_map_set(a, map, "waiting", node_bool(a, it->waiting));
	node_map_set(a, map, "from_accepted", node_bool(a, it->from_accepted));
	node_map_set(a, map, "changes", diffs);
	node_map_set(a, map, "notes", strings_node(a, &it->notes));
	return map;
}

static struct node *problem_node(struct arena *a, const struct problem *problem)
{
	struct node *map = node_map(a);

	node_map_set(a, map, "level",
		node_string(a, problem->level == PROBLEM_ERROR ? "error" : "warning"));
	node_map_set(a, map, "file", string_or_null(a, problem->file));
	node_map_set(a, map, "line", line_or_null(a, problem->line));
	node_map_set(a, map, "column", line_or_null(a, problem->col));
	node_map_set(a, map, "path", node_string(a, problem->path ? problem->path : ""));
	node_map_set(a, map, "message", node_string(a, problem->message));
	return map;
}

static struct node *source_node(struct arena *a, const struct plan_header *h)
{
	struct node *map = node_map(a);

	node_map_set(a, map, "name", string_or_null(a, h->name));
	node_map_set(a, map, "sha", string_or_null(a, h->sha));
	node_map_set(a, map, "summary", string_or_null(a, h->summary));
	node_map_set(a, map, "api", string_or_null(a, h->api));
	return map;
}

static struct node *summary_node(struct arena *a, const struct plan *p)
{
	struct node *map = node_map(a);
	auto_buf struct buf text = BUF_INIT;

	for (enum plan_action action = 0; action < PLAN__COUNT; action++)
		node_map_set(
			a, map, plan_action_name(action), node_int(a, (int64_t)p->count[action]));
	node_map_set(a, map, "errors", node_int(a, (int64_t)p->problems->n_errors));
	node_map_set(a, map, "warnings", node_int(a, (int64_t)p->problems->n_warnings));
	plan_closing(p, &text);
	node_map_set(a, map, "text", node_string(a, buf_str(&text)));
	return map;
}

void render_json(const struct plan *p, const struct plan_header *h, struct buf *out)
{
	auto_arena struct arena a = ARENA_INIT;
	struct node *root = node_map(&a), *items = node_seq(&a), *problems = node_seq(&a);

	vec_each (it, &p->items)
		node_seq_add(&a, items, item_node(&a, it));
	vec_each (problem, p->problems)
		node_seq_add(&a, problems, problem_node(&a, problem));
	node_map_set(&a, root, "format_version", node_string(&a, FORMAT_VERSION));
	node_map_set(&a, root, "source", source_node(&a, h));
	node_map_set(&a, root, "summary", summary_node(&a, p));
	node_map_set(&a, root, "problems", problems);
	node_map_set(&a, root, "items", items);
	node_map_set(&a, root, "unmanaged", strings_node(&a, &p->unmanaged));
	json_write_text(out, root);
}
