/*
 * `weir plan --explain`: each setting of a replicator, with the place it comes from and what it
 * takes the place of.
 */
#ifndef CLI_PROVENANCE_H
#define CLI_PROVENANCE_H

#include <stdbool.h>

#include "base/buf.h"
#include "model/catalog.h"

void provenance_text(const struct replicator *r, struct buf *out);
/* schema/settings.schema.json */
void provenance_json(const struct replicator *r, struct buf *out);

#endif
