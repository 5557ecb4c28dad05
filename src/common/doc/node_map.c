/* Maps: pairs in the order written, searched one by one while they are few, through a hash table
 * when they are many. */
#include "doc/node.h"

#include <string.h>

#include "base/map.h"

#define LINEAR_MAX 16

struct node_index {
	size_t n; /* of slots, a power of two */
	uint32_t slots[]; /* position in the map + 1; 0: empty */
};

static void add_slot(struct node *map, uint32_t i)
{
	struct node_index *index = map->u.map.index;
	size_t mask = index->n - 1;
	size_t slot = map_hash(map->u.map.at[i].key->u.string.s) & mask;

	while (index->slots[slot])
		slot = (slot + 1) & mask;
	index->slots[slot] = i + 1;
}

/* At most half of the slots are taken. */
static void index_last(struct arena *a, struct node *map)
{
	struct node_index *index = map->u.map.index;

	if (index && (size_t)map->u.map.n * 2 <= index->n) {
		add_slot(map, map->u.map.n - 1);
		return;
	}
	size_t n = index ? index->n * 2 : (size_t)LINEAR_MAX * 4;
	map->u.map.index = arena_alloc(a, sizeof(*index) + n * sizeof(index->slots[0]));
	map->u.map.index->n = n;
	for (uint32_t i = 0; i < map->u.map.n; i++)
		add_slot(map, i);
}

void node_map_add(struct arena *a, struct node *map, struct node *key, struct node *value)
{
	if (map->u.map.n == map->u.map.cap) {
		uint32_t cap = map->u.map.cap ? map->u.map.cap * 2 : 8;
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
	const struct node_index *index = map->u.map.index;
	size_t mask = index->n - 1;
	for (size_t slot = map_hash(key) & mask; index->slots[slot]; slot = (slot + 1) & mask) {
		struct node_pair *pair = &map->u.map.at[index->slots[slot] - 1];

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
