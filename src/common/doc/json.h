/*
 * JSON into trees and back, through jansson. Duplicate keys, NUL characters and depth beyond
 * LIMIT_JSON_DEPTH are errors; integers beyond 64 bits become reals.
 */
#ifndef DOC_JSON_H
#define DOC_JSON_H

#include <stddef.h>

#include "base/err.h"
#include "doc/node.h"

/* The tree lives in `arena`. ERR_REMOTE, with line and column, if it is not JSON. */
int json_read(
	struct arena *arena, const char *text, size_t len, struct node **ret_node, struct err *e);

/*
 * For what others made and we do not: a string may hold escapes that stand for no character, NUL or
 * half of a surrogate pair. They become U+FFFD, so that one odd value among thousands is only that,
 * and not the end of the whole list.
 */
int json_read_loose(
	struct arena *arena, const char *text, size_t len, struct node **ret_node, struct err *e);

/* Infinities and NaN, which JSON does not have, are written as null. */
enum json_style {
	JSON_STYLE_COMPACT,
	JSON_STYLE_CANONICAL, /* compact, keys sorted: equal values give equal bytes */
	JSON_STYLE_PRETTY /* two spaces */
};

void json_write(struct buf *out, const struct node *n, enum json_style style);
/* The same as a text of its own: pretty, with a line end. */
void json_write_text(struct buf *out, const struct node *n);
/* A string alone, with its quotes. */
void json_write_string(struct buf *out, const char *s);

#endif
