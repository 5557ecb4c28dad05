/*
 * What the ways of showing a plan share.
 */
#ifndef PLAN_RENDER_H
#define PLAN_RENDER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "plan/plan.h"

/* Text from outside, escaped. */
void plan_add_text(struct buf *out, const char *s);
/* A setting's value on one line, escaped, secrets masked; `key` of advanced_configuration or NULL.
 */
void plan_value_text(
	struct buf *out, enum spec_field field, const char *key, const struct node *value);
/* "drift", "conflict", "reset", or "" for a plain change. */
const char *plan_change_name(enum plan_change change);
/* "update", "update held", "in sync": what an item is, on its first line. */
const char *plan_item_word(const struct plan_item *it);
/* Live, as Git says, and nothing is under way. */
bool plan_is_in_sync(const struct plan_item *it);
/* There is something to say about the item beyond that it is in sync. */
bool plan_is_shown(const struct plan_item *it);
/* The item makes what is not there, or would. */
bool plan_creates(const struct plan_item *it);
/* The item takes away what is there, or would. */
bool plan_deletes(const struct plan_item *it);
/* "1 to create, 2 held"; nothing for what asks for nothing. */
void plan_counts(const size_t count[PLAN__COUNT], struct buf *out);
/* "Plan: 1 to create. 10 in sync." or "No changes. …": the last line, without its end. */
void plan_closing(const struct plan *p, struct buf *out);

struct text_style {
	bool colour;
	bool diff; /* lines begin with - or + where a value goes or comes */
};
/* One item, as a line and what belongs to it, indented. */
void block_print(const struct text_style *style, const struct plan_item *it, struct buf *out);

/* Parts of the text: whole lines, or nothing. */
void text_header(const struct plan_header *h, struct buf *out);
void text_problems(
	const struct plan *p, size_t most, struct buf *out); /* at most so many of each level */
void text_unmanaged(const struct plan *p, struct buf *out);
/* What the symbols and words in the plan mean, those that stand in it. */
void text_legend(const struct plan *p, struct buf *out);

void render_text(const struct plan *p, const struct plan_header *h, bool colour, struct buf *out);
void render_markdown(const struct plan *p, const struct plan_header *h, struct buf *out);
void render_json(const struct plan *p, const struct plan_header *h, struct buf *out);

#endif
