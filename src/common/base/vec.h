/*
 * Typed growing arrays:
 *
 *	VEC(struct item) items = VEC_INIT;
 *	vec_push(&items, (struct item){.name = "a"});
 *	vec_each (it, &items)
 *		use(it->name);
 *	vec_release(&items);      // what the elements own is the caller's business
 *
 * A named type is made with `struct items { VEC_FIELDS(struct item); };`.
 */
#ifndef BASE_VEC_H
#define BASE_VEC_H

#include <string.h>

#include "base/alloc.h"

#define VEC_FIELDS(type)                                                                           \
	type *at;                                                                                  \
	size_t n;                                                                                  \
	size_t cap

#define VEC(type)                                                                                  \
	struct {                                                                                   \
		VEC_FIELDS(type);                                                                  \
	}

#define VEC_INIT                                                                                   \
	{                                                                                          \
		NULL, 0, 0                                                                         \
	}

#define vec_reserve(v, want)                                                                       \
	do {                                                                                       \
		if ((want) > (v)->cap) {                                                           \
			size_t cap_ = (v)->cap ? (v)->cap * 2 : 8;                                 \
			while (cap_ < (want))                                                      \
				cap_ *= 2;                                                         \
			(v)->at = xreallocarray((v)->at, cap_, sizeof(__typeof__(*(v)->at)));      \
			(v)->cap = cap_;                                                           \
		}                                                                                  \
	} while (0)

#define vec_push(v, ...)                                                                           \
	do {                                                                                       \
		vec_reserve((v), (v)->n + 1);                                                      \
		(v)->at[(v)->n++] = (__VA_ARGS__);                                                 \
	} while (0)

/* Removes element i; the ones behind it move up. */
#define vec_remove(v, i)                                                                           \
	do {                                                                                       \
		size_t i_ = (i);                                                                   \
		memmove(&(v)->at[i_], &(v)->at[i_ + 1],                                            \
			((v)->n - i_ - 1) * sizeof(__typeof__(*(v)->at)));                         \
		(v)->n--;                                                                          \
	} while (0)

/* "+ 0": the element pointer of a const vector must not be const itself. C17 gives no meaning to
 * NULL + 0, which is where an empty vector would end. */
/* clang-format off */
/* NOLINTNEXTLINE(bugprone-macro-parentheses): a name that is declared takes no parentheses. */
#define vec_each(it, v) \
	for (__typeof__((v)->at + 0) it = (v)->at; (v)->n && (it) != (v)->at + (v)->n; (it)++)
/* clang-format on */

#define vec_clear(v) ((void)((v)->n = 0))

#define vec_release(v)                                                                             \
	do {                                                                                       \
		free((v)->at);                                                                     \
		(v)->at = NULL;                                                                    \
		(v)->n = (v)->cap = 0;                                                             \
	} while (0)

#endif
