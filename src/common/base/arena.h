/*
 * Memory that is freed all at once: a parsed document and everything hung onto it.
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>

struct arena_block;

struct arena {
	struct arena_block *blocks;
	size_t used; /* bytes handed out */
};

#define ARENA_INIT                                                                                 \
	{                                                                                          \
		NULL, 0                                                                            \
	}

/* Zeroed, aligned for any type. */
void *arena_alloc(struct arena *a, size_t size) __attribute__((returns_nonnull));
char *arena_strdup(struct arena *a, const char *s) __attribute__((returns_nonnull));
/* Copies `len` bytes and ends them with a NUL. */
char *arena_memdupz(struct arena *a, const void *data, size_t len) __attribute__((returns_nonnull));
char *arena_printf(struct arena *a, const char *fmt, ...)
	__attribute__((format(printf, 2, 3), returns_nonnull));
void arena_release(struct arena *a);

#define auto_arena __attribute__((cleanup(arena_release)))

#endif
