/*
 * Leaving out what is never read: of a server that can filter, every fetch asks for no file of
 * FILTER_BYTES or more. History and trees come whole. libgit2 knows nothing of it, so the request
 * that it writes is rewritten.
 */
#ifndef SOURCE_FILTER_H
#define SOURCE_FILTER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/limits.h"
#include "source/wire.h"

#define FILTER_BYTES (LIMIT_YAML_FILE_BYTES + 1) /* the smallest that is left out */

/*
 * If `data` is the beginning of a request for a pack, and the server has said that it can filter,
 * adds the request with the filter to `out`. False: it is to be sent as it stands.
 */
bool filter_wants(const struct wire *w, const char *data, size_t len, struct buf *out);

#endif
