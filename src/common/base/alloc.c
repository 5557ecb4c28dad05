/* Allocation that ends the program where others would return NULL. */
#include "base/alloc.h"

#include <stdio.h>
#include <string.h>

static void *check_memory(void *p)
{
	if (!p) {
		fputs("weir: out of memory\n", stderr);
		abort();
	}
	return p;
}

void *xmalloc(size_t size)
{
	return check_memory(malloc(size ? size : 1));
}

void *xcalloc(size_t n, size_t size)
{
	return check_memory(n && size ? calloc(n, size) : calloc(1, 1));
}

void *xreallocarray(void *ptr, size_t n, size_t size)
{
	return check_memory(n && size ? reallocarray(ptr, n, size) : realloc(ptr, 1));
}

char *xstrdup(const char *s)
{
	return xmemdupz(s, strlen(s));
}

char *xstrdup_opt(const char *s)
{
	return s ? xstrdup(s) : NULL;
}

char *xmemdupz(const void *data, size_t len)
{
	char *copy = xmalloc(len + 1);

	if (len)
		memcpy(copy, data, len);
	copy[len] = '\0';
	return copy;
}

char *xasprintf(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	char *s = xvasprintf(fmt, ap);
	va_end(ap);
	return s;
}

char *xvasprintf(const char *fmt, va_list ap)
{
	char *s = NULL;

	if (vasprintf(&s, fmt, ap) < 0)
		s = NULL;
	return check_memory(s);
}

void str_replace(char **slot, char *owned)
{
	free(*slot);
	*slot = owned;
}

void free_charp(void *p)
{
	free(*(char **)p);
}

void bug_at(const char *file, int line, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fprintf(stderr, "weir: bug at %s:%d: ", file, line);
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
	va_end(ap);
	abort();
}
