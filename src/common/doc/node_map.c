/* Maps: pairs in the order written, searched one by one while they are few, through a hash table
 * when they are many. */
#include "doc/node.h"

#include <string.h>

#include "base/map.h"

#define LINEAR_MAX 16

static void add_slot(struct node *map, size_t i)
{
	size_t mask = map->u.map.n_slots - 1;
	size_t slot = map_hash(map->u.map.at[i].key->u.string.s) & mask;

	while (map->u.map.slots[slot])
		slot = (slot + 1) & mask;
	map->u.map.slots[slot] = (uint32_t)i + 1;
}

/* At most half of the slots are taken. */
static void index_last(struct arena *a, struct node *map)
{
	if (map->u.map.n * 2 <= map->u.map.n_slots) {
		add_slot(map, map->u.map.n - 1);
		return;
	}
	map->u.map.n_slots = map->u.map.n_slots ? map->u.map.n_slots * 2 : (size_t)LINEAR_MAX * 4;
	map->u.map.slots = arena_alloc(a, map->u.map.n_slots * sizeof(*map->u.map.slots));
	for (size_t i = 0; i < map->u.map.n; i++)
		add_slot(map, i);
}

void node_map_add(struct arena *a, struct node *map, struct node *key, struct node *value)
{
	if (map->u.map.n == map->u.map.cap) {
		size_t cap = map->u.map.cap ? map->u.map.cap * 2 : 8;
		struct node_pair *grown = arena_alloc(a, cap * sizeof(*grown));

		if (map->u.map.n)
			memcpy(grown, map->u.map.at, map->u.map.n * sizeof(*grown));
		map->u.map.at = grown;
		map->u.map.cap = cap;
	}
	map->u.map.at[map->u.map.n++] = (struct node_pair){key, value};
	if (map->u.map.n > LINEAR_MAX)
		index_last(a, map);
}

static bool has_key(const struct node_pair *pair, const char *key)
{
	return strcmp(pair->key->u.string.s, key) == 0;
}

static struct node_pair *find_pair(const struct node *map, const char *key)
{
	if (map->u.map.n <= LINEAR_MAX) {
		for (size_t i = 0; i < map->u.map.n; i++)
			if (has_key(&map->u.map.at[i], key))
				return &map->u.map.at[i];
		return NULL;
	}
	size_t mask = map->u.map.n_slots - 1;
	for (size_t slot = map_hash(key) & mask; map->u.map.slots[slot]; slot = (slot + 1) & mask) {
		struct node_pair *pair = &map->u.map.at[map->u.map.slots[slot] - 1];

		if (has_key(pair, key))
			return pair;
	}
	return NULL;
}

void node_map_set(struct arena *a, struct node *map, const char *key, struct node *value)
{
	struct node_pair *pair = find_pair(map, key);

	if (pair)
		pair->value = value;
	else
		node_map_add(a, map, node_string(a, key), value);
}

const struct node_pair *node_pair(const struct node *map, const char *key)
{
	return map && map->type == NODE_MAP ? find_pair(map, key) : NULL;
}

struct node *node_get(const struct node *map, const char *key)
{
	const struct node_pair *pair = node_pair(map, key);

	return pair ? pair->value : NULL;
}

const char *node_get_string(const struct node *map, const char *key)
{
	const struct node *n = node_get(map, key);

	return n && n->type == NODE_STRING ? n->u.string.s : NULL;
}

bool node_get_int(const struct node *map, const char *key, int64_t *ret_value)
{
	const struct node *n = node_get(map, key);

	if (!n || n->type != NODE_INT)
		return false;
	*ret_value = n->u.integer;
	return true;
}

bool node_get_bool(const struct node *map, const char *key, bool *ret_value)
{
	const struct node *n = node_get(map, key);

	if (!n || n->type != NODE_BOOL)
		return false;
	*ret_value = n->u.boolean;
	return true;
}
