/*
 * What the texts of `weir status` are made of.
 */
#ifndef CLI_SHOW_PARTS_H
#define CLI_SHOW_PARTS_H

#include "cli/show.h"

#define SHA_SHOWN 12

/* Painted, and blanks up to the width. */
void show_padded(struct buf *out, size_t width, const char *text, struct screen screen,
	enum show_colour colour);
/* show_rows.c: those that are not as Git says, or all; and how many the others are. */
void show_replicators(const struct node *status, bool all, struct screen screen, struct buf *out);

#endif
