/*
 * The text of one note: a line a context, "<state> <context> <text>", sorted by context, behind
 * whatever else people wrote into it. Pure.
 */
#ifndef SOURCE_NOTE_TEXT_H
#define SOURCE_NOTE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "source/source.h"

/*
 * Puts the lines of those `notes` that are about `sha` into `old`: each takes the place of the
 * lines of its context, all others stay. Returns false, and adds nothing to `out`, if they all
 * stand there already.
 */
bool note_text_edit(const char *old, const char *sha, const struct source_note *notes, size_t n,
	struct buf *out);

#endif
