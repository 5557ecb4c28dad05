/*
 * The trees of cli/view.h as text for a terminal.
 */
#ifndef CLI_SHOW_H
#define CLI_SHOW_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "doc/node.h"

struct screen {
	size_t width; /* columns */
	bool colour;
};

void show_status(const struct node *status, bool all, struct screen screen, struct buf *out);
void show_explained(const struct node *explained, struct screen screen, struct buf *out);

/* An item of the plan that a person may release. */
void show_approvable(const struct node *item, struct screen screen, struct buf *out);

/* What a plan does, what is lost first; what it holds last; and its summary. */
void show_following(const struct node *plan, struct screen screen, struct buf *out);

/* Of a tree that another version may have made: "" and an empty list for what is not there. */
const char *show_get(const struct node *map, const char *key);
const struct node *show_list(const struct node *map, const char *key);

enum show_colour { SHOW_PLAIN, SHOW_GOOD, SHOW_BAD, SHOW_WORD, SHOW_DIM, SHOW__COUNT };
/* Text from outside, escaped. */
void show_text(struct buf *out, const char *s);
void show_painted(struct buf *out, struct screen screen, enum show_colour colour, const char *s);
/* The colour of a replicator's standing or of a status's state. */
enum show_colour show_colour_of(const char *word);
/* Wrapped at blanks, each further line indented so far; the first begins at column `at`. A word
 * that does not fit is not cut. */
void show_wrapped(
	struct buf *out, struct screen screen, size_t at, size_t indent, const char *text);
void show_event(struct buf *out, struct screen screen, const struct node *event, bool with_name);

#endif
