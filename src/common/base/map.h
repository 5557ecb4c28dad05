/*
 * From strings to pointers, in the order of insertion. Keys are copied, values are the caller's.
 * Hashing is keyed (libsodium's SipHash), so that names from outside cannot make it slow.
 *
 *	struct map m = MAP_INIT;
 *	map_put(&m, name, item);
 *	for (size_t i = 0; i < map_size(&m); i++)
 *		use(map_key(&m, i), map_value(&m, i));
 *	map_release(&m);
 */
#ifndef BASE_MAP_H
#define BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct map_entry {
	char *key;
	void *value;
	uint64_t hash;
};

struct map {
	struct map_entry *entries; /* dense, in order */
	size_t n;
	size_t cap;
	uint32_t *slots; /* index + 1 into entries, 0 empty */
	size_t n_slots; /* a power of two */
};

#define MAP_INIT                                                                                   \
	{                                                                                          \
		NULL, 0, 0, NULL, 0                                                                \
	}

/* The keyed hash of a string, for other tables in this process. */
uint64_t map_hash(const char *key);

/* NULL where there is none. */
void *map_get(const struct map *m, const char *key);
bool map_has(const struct map *m, const char *key);
/* Returns the value that stood there before, or NULL. */
void *map_put(struct map *m, const char *key, void *value);
/* Returns the value it had, or NULL. Keeps the order of the others, so it is linear. */
void *map_remove(struct map *m, const char *key);
size_t map_size(const struct map *m);
const char *map_key(const struct map *m, size_t i);
void *map_value(const struct map *m, size_t i);
/* By key bytes. */
void map_sort(struct map *m);
void map_clear(struct map *m);
void map_release(struct map *m);
/* Releases the map and calls free_value on each value. */
void map_release_with(struct map *m, void (*free_value)(void *));

#endif
