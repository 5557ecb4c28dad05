/*
 * What the calls on one replicator share: finding it, what may stand in the way, and how it is
 * shown.
 */
#ifndef SERVER_REPLICATOR_H
#define SERVER_REPLICATOR_H

#include <stdbool.h>

#include "server/call.h"

/* The one that the path names, else 404. */
bool replicator_find(struct call *c, struct replicator_row *ret_row);
/* 409 while it is being deleted. */
bool replicator_not_deleting(struct call *c, const struct replicator_row *row);
/* 412 if there is an If-Match that does not name its generation. */
bool replicator_match(struct call *c, const struct replicator_row *row);

/* `compat`: what is left out, see server/compat.h. */
void replicator_write(struct buf *out, const struct replicator_row *row, unsigned compat);

#endif
