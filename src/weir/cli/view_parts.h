/*
 * What the trees of `weir status` and `weir explain` are made of.
 */
#ifndef CLI_VIEW_PARTS_H
#define CLI_VIEW_PARTS_H

#include "cli/view.h"

/* null for NULL, and for the time 0. */
struct node *view_text(struct arena *a, const char *s);
struct node *view_time(struct arena *a, int64_t wall_ms);
/* What would change how a replicator stands, by the name of the standing; "" if nothing has to. */
const char *view_way_out(struct arena *a, const char *standing, const char *name);
/* By name: ours, and those that do not stand well. */
struct node *view_replicators(const struct view *v, struct arena *a);
/* view_orders.c: what people ordered while nobody was there to act on it. Of what is forgotten,
 * nothing is said; the rest is put on top of the rows. */
bool view_orders_forget(const struct view *v, const struct node *said, const char *name);
void view_orders_take(const struct view *v, struct arena *a, const struct node *standings,
	struct node *replicators);
/* A rewound branch that is held, or null. */
struct node *view_rewind_from_store(const struct view *v, struct arena *a);
/* The oldest first. */
struct node *view_events(struct arena *a, const struct events *events);

#endif
