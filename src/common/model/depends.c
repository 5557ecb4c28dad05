/*
 * What replicators depend on: names that nobody declares, and circles. Circles are found as the
 * strongly connected components of the graph (Tarjan 1972), without recursion, in linear time.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/limits.h"
#include "model/catalog_parts.h"

/* Of a circle that a message repeats; of a longer one, its beginning. */
#define SHOWN_MAX 12

/* A replicator that depends on others. */
struct vertex {
	struct replicator *replicator;
	const struct node *list;
	struct vertex **targets; /* by item of the list; NULL: one that depends on nothing */
	unsigned number; /* in the order visited; 0: not yet */
	unsigned low; /* the lowest number that is reached from here */
	unsigned component; /* 0: still open */
	size_t n_component; /* how many are in it, once it is known */
	uint32_t next; /* of the list: to be followed next */
	struct vertex *caller; /* the way back to where the walk began */
	/* Of the search for the way round. */
	const struct vertex *seen_for;
	struct vertex *came_from;
	uint32_t came_by; /* which item of came_from's list */
};

struct graph {
	struct catalog *catalog;
	struct vertex *vertices;
	size_t n;
	struct map by_name; /* struct vertex * */
	struct {
		VEC_FIELDS(struct vertex *);
	} open; /* of no component yet */
	unsigned n_visited;
	unsigned n_components;
};

static void complain_undeclared(
	struct catalog *c, struct replicator *r, size_t i, const struct node *item)
{
	const struct field_place place = {
		.file = r->file, .path = "sync", .files = c->parts->origin_files.at};
	const char *near = nearest_key(c, item->u.string.s, &c->by_name, r->name);
	const struct replicator *meant = near ? map_get(&c->by_name, near) : NULL;
	auto_free char *path = xasprintf("depends_on[%zu]", i);
	struct problems found = PROBLEMS_INIT;

	if (meant)
		problem_at(&found, PROBLEM_ERROR, &place, path, item,
			"no replicator is called \"%s\"; did you mean %s (%s:%u)?",
			item->u.string.s, near, meant->file, meant->line);
	else
		problem_at(&found, PROBLEM_ERROR, &place, path, item,
			"no replicator is called \"%s\": declare it, or remove it here",
			item->u.string.s);
	replicator_take_problems(c, r, &found);
}

/* A file that does not parse may declare what is missing: it is waited for. */
static void check_declared(struct catalog *c, struct replicator *r)
{
	const struct node *list = r->sync.depends_on;
	struct map said = MAP_INIT;

	for (size_t i = 0; list && i < list->u.seq.n; i++) {
		const char *name = list->u.seq.at[i]->u.string.s;

		if (!identifier_valid(name) || map_has(&c->by_name, name) ||
			c->parts->names_unknown || map_has(&said, name))
			continue;
		complain_undeclared(c, r, i, list->u.seq.at[i]);
		map_put(&said, name, r);
	}
	map_release(&said);
}

/* To depend on oneself is no circle, but an error that was told before. */
static void find_targets(struct graph *g, struct vertex *v)
{
	size_t n = v->list->u.seq.n;

	v->targets = arena_alloc(&g->catalog->arena, n * sizeof(struct vertex *));
	for (size_t i = 0; i < n; i++) {
		struct vertex *other = map_get(&g->by_name, v->list->u.seq.at[i]->u.string.s);

		v->targets[i] = other == v ? NULL : other;
	}
}

static void collect(struct graph *g)
{
	const struct map *all = &g->catalog->by_name;

	g->vertices = xcalloc(map_size(all) + 1, sizeof(*g->vertices));
	for (size_t i = 0; i < map_size(all); i++) {
		struct replicator *r = map_value(all, i);
		const struct node *list = r->sync.depends_on;

		if (!list || list->u.seq.n == 0)
			continue;
		g->vertices[g->n] = (struct vertex){.replicator = r, .list = list};
		map_put(&g->by_name, r->name, &g->vertices[g->n++]);
	}
	for (size_t i = 0; i < g->n; i++)
		find_targets(g, &g->vertices[i]);
}

static void enter(struct graph *g, struct vertex *v, struct vertex *caller)
{
	v->number = v->low = ++g->n_visited;
	v->caller = caller;
	vec_push(&g->open, v);
}

/* `v` is the first of its component that was visited; the others lie above it. */
static void close_component(struct graph *g, struct vertex *v)
{
	size_t first = g->open.n;

	while (g->open.at[--first] != v)
		;
	g->n_components++;
	for (size_t i = first; i < g->open.n; i++) {
		g->open.at[i]->component = g->n_components;
		g->open.at[i]->n_component = g->open.n - first;
	}
	g->open.n = first;
}

/* One step of the walk; returns where it goes on, NULL at the end. */
static struct vertex *step(struct graph *g, struct vertex *v)
{
	struct vertex *back = v->caller, *other;

	if (v->next < v->list->u.seq.n) {
		other = v->targets[v->next++];
		if (other && !other->number) {
			enter(g, other, v);
			return other;
		}
		if (other && !other->component && other->number < v->low)
			v->low = other->number;
		return v;
	}
	if (v->low == v->number)
		close_component(g, v);
	if (back && v->low < back->low)
		back->low = v->low;
	return back;
}

static void find_components(struct graph *g)
{
	for (size_t i = 0; i < g->n; i++) {
		struct vertex *v = &g->vertices[i];

		if (v->number)
			continue;
		enter(g, v, NULL);
		while (v)
			v = step(g, v);
	}
}

/* The shortest way from `from` back to it, breadth first: came_from leads along it backwards. */
static void find_way_round(struct vertex *from)
{
	VEC(struct vertex *) queue = VEC_INIT;

	vec_push(&queue, from);
	for (size_t head = 0; head < queue.n && from->seen_for != from; head++) {
		struct vertex *v = queue.at[head];

		for (uint32_t i = 0; i < v->list->u.seq.n; i++) {
			struct vertex *other = v->targets[i];

			if (!other || other->component != from->component ||
				other->seen_for == from)
				continue;
			other->seen_for = from;
			other->came_from = v;
			other->came_by = i;
			vec_push(&queue, other);
		}
	}
	vec_release(&queue);
}

/* Returns the item by which `from` leads into the circle. */
static const struct node *describe_circle(struct vertex *from, struct buf *out)
{
	VEC(struct vertex *) way = VEC_INIT;
	struct vertex *v = from;

	do {
		vec_push(&way, v);
		v = v->came_from;
	} while (v != from);
	/* Backwards: from, last, …, first. */
	const struct node *item = from->list->u.seq.at[way.at[way.n - 1]->came_by];
	buf_adds(out, from->replicator->name);
	for (size_t i = way.n; i-- > 1;) {
		if (way.n > SHOWN_MAX && way.n - i >= SHOWN_MAX) {
			buf_addf(out, " -> … (%zu in all)", way.n);
			break;
		}
		buf_addf(out, " -> %s", way.at[i]->replicator->name);
	}
	buf_addf(out, " -> %s", from->replicator->name);
	vec_release(&way);
	return item;
}

static void complain_of_circle(const struct graph *g, struct vertex *v)
{
	struct catalog *c = g->catalog;
	const struct field_place place = {
		.file = v->replicator->file, .path = "sync", .files = c->parts->origin_files.at};
	auto_buf struct buf circle = BUF_INIT;
	struct problems found = PROBLEMS_INIT;

	find_way_round(v);
	const struct node *item = describe_circle(v, &circle);
	problem_at(&found, PROBLEM_ERROR, &place, "depends_on", item,
		"goes round in a circle, and each would wait for ever: %s; remove one of them",
		buf_str(&circle));
	replicator_take_problems(c, v->replicator, &found);
}

/* Each of them fails. Once there are so many problems that no more are kept, the way is not looked
 * for. */
static void tell_circles(struct graph *g)
{
	for (size_t i = 0; i < g->n; i++) {
		struct vertex *v = &g->vertices[i];

		if (v->n_component < 2)
			continue;
		if (g->catalog->problems.n < LIMIT_PROBLEMS) {
			complain_of_circle(g, v);
			continue;
		}
		g->catalog->problems.n_errors++;
		replicator_fail(
			g->catalog, v->replicator, &g->catalog->problems, g->catalog->problems.n);
	}
}

void depends_check(struct catalog *c)
{
	struct graph g = {.catalog = c};

	for (size_t i = 0; i < map_size(&c->by_name); i++)
		check_declared(c, map_value(&c->by_name, i));
	collect(&g);
	if (g.n > 1) {
		find_components(&g);
		tell_circles(&g);
	}
	vec_release(&g.open);
	map_release(&g.by_name);
	free(g.vertices);
}
