/* The list of strings. */
#include "base/strv.h"

#include <stdarg.h>

void strv_push(struct strv *v, const char *s)
{
	strv_push_take(v, xstrdup(s));
}

void strv_push_take(struct strv *v, char *owned)
{
	vec_push(v, owned);
}

void strv_pushf(struct strv *v, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	strv_push_take(v, xvasprintf(fmt, ap));
	va_end(ap);
}

bool strv_contains(const struct strv *v, const char *s)
{
	vec_each (it, v)
		if (strcmp(*it, s) == 0)
			return true;
	return false;
}

static int compare_strings(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void strv_sort(struct strv *v)
{
	if (v->n > 1)
		qsort(v->at, v->n, sizeof(*v->at), compare_strings);
}

char **strv_argv(struct strv *v)
{
	vec_reserve(v, v->n + 1);
	v->at[v->n] = NULL;
	return v->at;
}

void strv_clear(struct strv *v)
{
	vec_each (it, v)
		free(*it);
	vec_clear(v);
}

void strv_release(struct strv *v)
{
	strv_clear(v);
	vec_release(v);
}
