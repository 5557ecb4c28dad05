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
const char *view_way_out(const char *standing);
/* By name: ours, and those that do not stand well. */
struct node *view_replicators(const struct view *v, struct arena *a);
/* The oldest first. */
struct node *view_events(struct arena *a, const struct events *events);

#endif
