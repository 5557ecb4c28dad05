/*
 * A list of strings that it owns.
 */
#ifndef BASE_STRV_H
#define BASE_STRV_H

#include <stdbool.h>

#include "base/vec.h"

struct strv {
	VEC_FIELDS(char *);
};

void strv_push(struct strv *v, const char *s);
void strv_push_take(struct strv *v, char *owned);
void strv_pushf(struct strv *v, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
bool strv_contains(const struct strv *v, const char *s);
/* By bytes. */
void strv_sort(struct strv *v);
/* NULL behind the last string, for execvp; not counted. */
char **strv_argv(struct strv *v);
void strv_clear(struct strv *v);
void strv_release(struct strv *v);

#define auto_strv __attribute__((cleanup(strv_release)))

#endif
