/*
 * Memory that never fails: out of memory ends the program, so callers have no such path to get
 * wrong. Whatever is fed from outside must therefore be bounded before it is stored (see
 * base/limits.h).
 */
#ifndef BASE_ALLOC_H
#define BASE_ALLOC_H

#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

void *xmalloc(size_t size) __attribute__((malloc, returns_nonnull));
void *xcalloc(size_t n, size_t size) __attribute__((malloc, returns_nonnull));
void *xreallocarray(void *ptr, size_t n, size_t size) __attribute__((returns_nonnull));
char *xstrdup(const char *s) __attribute__((malloc, returns_nonnull));
/* NULL for NULL. */
char *xstrdup_opt(const char *s);
/* Copies exactly `len` bytes and ends them with a NUL. */
char *xmemdupz(const void *data, size_t len) __attribute__((malloc, returns_nonnull));
char *xasprintf(const char *fmt, ...)
	__attribute__((format(printf, 1, 2), malloc, returns_nonnull));
char *xvasprintf(const char *fmt, va_list ap)
	__attribute__((format(printf, 1, 0), malloc, returns_nonnull));

/* Frees *slot and puts `owned` there. */
void str_replace(char **slot, char *owned);

/* `auto_free char *p = NULL;` is freed at the end of its scope. */
void free_charp(void *p);
#define auto_free __attribute__((cleanup(free_charp)))

/* Hands over what p points to and leaves NULL behind, so that an auto_free p frees nothing. */
#define TAKE(p)                                                                                    \
	__extension__({                                                                            \
		__typeof__(p) take_ = (p);                                                         \
		(p) = NULL;                                                                        \
		take_;                                                                             \
	})

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* Prints where and why, and aborts: for our own mistakes only, never for bad input. */
#define BUG(...) bug_at(__FILE__, __LINE__, __VA_ARGS__)
_Noreturn void bug_at(const char *file, int line, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
