/* The ordered map: a dense array of entries and an open-addressed table of indexes into it. */
#include "base/map.h"

#include <pthread.h>
#include <string.h>

#include <sodium.h>

#include "base/alloc.h"

#define MAP_FIRST_SLOTS 16

static unsigned char hash_key[crypto_shorthash_KEYBYTES];
static pthread_once_t hash_key_once = PTHREAD_ONCE_INIT;

static void make_hash_key(void)
{
	if (sodium_init() < 0)
		BUG("libsodium does not start");
	crypto_shorthash_keygen(hash_key);
}

uint64_t map_hash(const char *key)
{
	uint64_t hash;

	_Static_assert(sizeof(hash) == crypto_shorthash_BYTES, "SipHash gives 64 bits");
	pthread_once(&hash_key_once, make_hash_key);
	crypto_shorthash((unsigned char *)&hash, (const unsigned char *)key, strlen(key), hash_key);
	return hash;
}

static size_t find_free_slot(const struct map *m, uint64_t hash)
{
	size_t slot = hash & (m->n_slots - 1);

	while (m->slots[slot])
		slot = (slot + 1) & (m->n_slots - 1);
	return slot;
}

static void fill_slots(struct map *m)
{
	memset(m->slots, 0, m->n_slots * sizeof(*m->slots));
	for (size_t i = 0; i < m->n; i++)
		m->slots[find_free_slot(m, m->entries[i].hash)] = (uint32_t)i + 1;
}

static void make_room(struct map *m)
{
	if (m->n == m->cap) {
		m->cap = m->cap ? m->cap * 2 : MAP_FIRST_SLOTS / 2;
		m->entries = xreallocarray(m->entries, m->cap, sizeof(*m->entries));
	}
	if ((m->n + 1) * 4 > m->n_slots * 3) {
		m->n_slots = m->n_slots ? m->n_slots * 2 : MAP_FIRST_SLOTS;
		m->slots = xreallocarray(m->slots, m->n_slots, sizeof(*m->slots));
		fill_slots(m);
	}
}

static struct map_entry *find_entry(const struct map *m, const char *key, uint64_t hash)
{
	if (!m->n_slots)
		return NULL;
	for (size_t slot = hash & (m->n_slots - 1); m->slots[slot];
		slot = (slot + 1) & (m->n_slots - 1)) {
		struct map_entry *entry = &m->entries[m->slots[slot] - 1];

		if (entry->hash == hash && strcmp(entry->key, key) == 0)
			return entry;
	}
	return NULL;
}

void *map_get(const struct map *m, const char *key)
{
	struct map_entry *entry = m->n ? find_entry(m, key, map_hash(key)) : NULL;

	return entry ? entry->value : NULL;
}

bool map_has(const struct map *m, const char *key)
{
	return m->n && find_entry(m, key, map_hash(key));
}

void *map_put(struct map *m, const char *key, void *value)
{
	uint64_t hash = map_hash(key);
	struct map_entry *entry = find_entry(m, key, hash);

	if (entry) {
		void *before = entry->value;

		entry->value = value;
		return before;
	}
	make_room(m);
	m->slots[find_free_slot(m, hash)] = (uint32_t)m->n + 1;
	m->entries[m->n++] = (struct map_entry){xstrdup(key), value, hash};
	return NULL;
}

void *map_remove(struct map *m, const char *key)
{
	struct map_entry *entry = m->n ? find_entry(m, key, map_hash(key)) : NULL;

	if (!entry)
		return NULL;
	void *value = entry->value;
	size_t behind = m->n - (size_t)(entry - m->entries) - 1;
	free(entry->key);
	memmove(entry, entry + 1, behind * sizeof(*entry));
	m->n--;
	fill_slots(m);
	return value;
}

size_t map_size(const struct map *m)
{
	return m->n;
}

const char *map_key(const struct map *m, size_t i)
{
	return m->entries[i].key;
}

void *map_value(const struct map *m, size_t i)
{
	return m->entries[i].value;
}

static int compare_entries(const void *a, const void *b)
{
	return strcmp(((const struct map_entry *)a)->key, ((const struct map_entry *)b)->key);
}

void map_sort(struct map *m)
{
	if (m->n < 2)
		return;
	qsort(m->entries, m->n, sizeof(*m->entries), compare_entries);
	fill_slots(m);
}

void map_clear(struct map *m)
{
	for (size_t i = 0; i < m->n; i++)
		free(m->entries[i].key);
	m->n = 0;
	if (m->slots)
		fill_slots(m);
}

void map_release(struct map *m)
{
	map_clear(m);
	free(m->entries);
	free(m->slots);
	*m = (struct map)MAP_INIT;
}

void map_release_with(struct map *m, void (*free_value)(void *))
{
	for (size_t i = 0; i < m->n; i++)
		free_value(m->entries[i].value);
	map_release(m);
}
