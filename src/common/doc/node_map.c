/* Maps: pairs in the order written, searched one by one while they are few, through a hash table
 * when they are many. */
#include "doc/node.h"

#include <string.h>

#include "base/map.h"

#define LINEAR_MAX 16

/*
 * Where there is room for many, slots stand behind the pairs, two for each: the position of a pair
 * in the map + 1, or 0.
 */
static bool is_indexed(const struct node *map)
{
	return map->u.map.cap > LINEAR_MAX;
}

static size_t count_slots(const struct node *map)
{
	return (size_t)map->u.map.cap * 2;
}

static uint32_t *slots_of(const struct node *map)
{
	return (uint32_t *)(map->u.map.at + map->u.map.cap);
}

static size_t first_slot(const struct node *map, const char *key)
{
	return map_hash(key) % count_slots(map);
}

static size_t next_slot(const struct node *map, size_t slot)
{
	return slot + 1 < count_slots(map) ? slot + 1 : 0;
}

static void add_slot(struct node *map, uint32_t i)
{
	uint32_t *slots = slots_of(map);
	size_t slot = first_slot(map, map->u.map.at[i].key->u.string.s);

	while (slots[slot])
		slot = next_slot(map, slot);
	slots[slot] = i + 1;
}

void node_map_reserve(struct arena *a, struct node *map, uint32_t cap)
{
	const struct node_pair *before = map->u.map.at;
	size_t size = cap * sizeof(struct node_pair);

	map->u.map.cap = cap;
	if (is_indexed(map))
		size += count_slots(map) * sizeof(uint32_t);
	map->u.map.at = arena_alloc(a, size);
	if (map->u.map.n)
		memcpy(map->u.map.at, before, map->u.map.n * sizeof(*before));
	for (uint32_t i = 0; is_indexed(map) && i < map->u.map.n; i++)
		add_slot(map, i);
}

void node_map_add(struct arena *a, struct node *map, struct node *key, struct node *value)
{
	uint32_t i = map->u.map.n;

	if (i == map->u.map.cap)
		node_map_reserve(a, map, i ? i * 2 : 8);
	map->u.map.at[i] = (struct node_pair){key, value};
	map->u.map.n++;
	if (is_indexed(map))
		add_slot(map, i);
}

static bool has_key(const struct node_pair *pair, const char *key)
{
	return strcmp(pair->key->u.string.s, key) == 0;
}

static struct node_pair *find_pair(const struct node *map, const char *key)
{
	if (!is_indexed(map)) {
		for (size_t i = 0; i < map->u.map.n; i++)
			if (has_key(&map->u.map.at[i], key))
				return &map->u.map.at[i];
		return NULL;
	}
	const uint32_t *slots = slots_of(map);
	for (size_t slot = first_slot(map, key); slots[slot]; slot = next_slot(map, slot)) {
		struct node_pair *pair = &map->u.map.at[slots[slot] - 1];

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
