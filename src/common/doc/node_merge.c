/* Trees on top of each other. */
#include <string.h>

#include "doc/node.h"

static void set_origin(struct node *n, unsigned origin)
{
	n->origin = origin;
	if (n->type == NODE_SEQ) {
		for (size_t i = 0; i < n->u.seq.n; i++)
			set_origin(n->u.seq.at[i], origin);
	} else if (n->type == NODE_MAP) {
		for (size_t i = 0; i < n->u.map.n; i++) {
			set_origin(n->u.map.at[i].key, origin);
			set_origin(n->u.map.at[i].value, origin);
		}
	}
}

struct node *node_copy_from(struct arena *a, const struct node *n, unsigned origin)
{
	struct node *copy = node_copy(a, n);

	set_origin(copy, origin);
	return copy;
}

/* An empty map in the place of another. */
static struct node *map_in_place_of(struct arena *a, const struct node *map)
{
	struct node *empty = node_map(a);

	empty->line = map->line;
	empty->col = map->col;
	empty->origin = map->origin;
	empty->flow = map->flow;
	return empty;
}

static bool are_maps(const struct node *a, const struct node *b)
{
	return a->type == NODE_MAP && b->type == NODE_MAP;
}

static struct node *merge_maps(struct arena *a, const struct node *base, const struct node *over)
{
	struct node *merged = map_in_place_of(a, over);

	for (size_t i = 0; i < base->u.map.n; i++) {
		struct node_pair pair = base->u.map.at[i];
		const struct node_pair *mine = node_pair(over, pair.key->u.string.s);

		if (mine && are_maps(pair.value, mine->value))
			pair.value = merge_maps(a, pair.value, mine->value);
		else if (mine)
			pair.value = mine->value;
		node_map_add(a, merged, mine ? mine->key : pair.key, pair.value);
	}
	for (size_t i = 0; i < over->u.map.n; i++) {
		const struct node_pair *pair = &over->u.map.at[i];

		if (!node_get(base, pair->key->u.string.s))
			node_map_add(a, merged, pair->key, pair->value);
	}
	return merged;
}

const struct node *node_merge(struct arena *a, const struct node *base, const struct node *over)
{
	if (!base || !over)
		return over ? over : base;
	return are_maps(base, over) ? merge_maps(a, base, over) : over;
}

static bool has_nulls(const struct node *n)
{
	for (size_t i = 0; n->type == NODE_MAP && i < n->u.map.n; i++) {
		const struct node *value = n->u.map.at[i].value;

		if (value->type == NODE_NULL || has_nulls(value))
			return true;
	}
	return false;
}

static struct node *drop_nulls(struct arena *a, const struct node *map)
{
	struct node *rest = map_in_place_of(a, map);

	for (size_t i = 0; i < map->u.map.n; i++) {
		const struct node_pair *pair = &map->u.map.at[i];

		if (pair->value->type != NODE_NULL)
			node_map_add(a, rest, pair->key,
				has_nulls(pair->value) ? drop_nulls(a, pair->value) : pair->value);
	}
	return rest;
}

const struct node *node_without_nulls(struct arena *a, const struct node *n)
{
	return n && has_nulls(n) ? drop_nulls(a, n) : n;
}
