/* Blocks that grow with what is used, so that a small arena wastes little and a large one has few;
 * the newest stands first and is the one that is filled: from its end with texts, so that nothing
 * is lost between them and what has to be aligned. */
#include "base/arena.h"

#include <stdalign.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"

#define ARENA_FIRST_BLOCK ((size_t)512)
#define ARENA_LAST_BLOCK  ((size_t)256 << 10)

struct arena_block {
	struct arena_block *next;
	size_t begin; /* of what is free */
	size_t end;
	alignas(max_align_t) unsigned char data[];
};

static struct arena_block *new_block(size_t size)
{
	struct arena_block *block = xcalloc(1, sizeof(*block) + size);

	block->end = size;
	return block;
}

static size_t next_block_size(const struct arena *a)
{
	size_t size = a->used / 4;

	if (size < ARENA_FIRST_BLOCK)
		return ARENA_FIRST_BLOCK;
	return size < ARENA_LAST_BLOCK ? size : ARENA_LAST_BLOCK;
}

/* Something large gets a block of its own behind the first, which can then still be filled. */
static void *take_large(struct arena *a, size_t size)
{
	struct arena_block *block = new_block(size);

	block->begin = size;
	block->next = a->blocks->next;
	a->blocks->next = block;
	return block->data;
}

static void *take_from(struct arena_block *block, size_t size, size_t align)
{
	size_t begin = (block->begin + align - 1) & ~(align - 1);

	if (begin > block->end || size > block->end - begin)
		return NULL;
	if (align == 1) {
		block->end -= size;
		return block->data + block->end;
	}
	block->begin = begin + size;
	return block->data + begin;
}

static void *take(struct arena *a, size_t size, size_t align)
{
	if (size > PTRDIFF_MAX - ARENA_LAST_BLOCK)
		BUG("%zu bytes asked of an arena", size);
	a->used += size;
	if (!a->blocks)
		a->blocks = new_block(ARENA_FIRST_BLOCK);
	void *taken = take_from(a->blocks, size, align);
	if (taken)
		return taken;
	if (size > ARENA_FIRST_BLOCK / 2)
		return take_large(a, size);
	struct arena_block *block = new_block(next_block_size(a));
	block->next = a->blocks;
	a->blocks = block;
	return take_from(block, size, align);
}

void *arena_alloc(struct arena *a, size_t size)
{
	return take(a, size, alignof(max_align_t));
}

char *arena_strdup(struct arena *a, const char *s)
{
	return arena_memdupz(a, s, strlen(s));
}

char *arena_memdupz(struct arena *a, const void *data, size_t len)
{
	char *copy = take(a, len + 1, 1);

	if (len)
		memcpy(copy, data, len);
	return copy;
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	int len = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (len < 0)
		BUG("a format that does not print: %s", fmt);
	char *s = take(a, (size_t)len + 1, 1);
	va_start(ap, fmt);
	vsnprintf(s, (size_t)len + 1, fmt, ap);
	va_end(ap);
	return s;
}

void arena_release(struct arena *a)
{
	while (a->blocks) {
		struct arena_block *block = a->blocks;

		a->blocks = block->next;
		free(block);
	}
	a->used = 0;
}
