/*
 * A live replicator as a document for Git, such that a plan of it finds nothing to do. What is
 * written was read back and compared; what does not come back as the same, and what Git may not
 * say, becomes a comment with its reason, in the words of `weir validate`, which repeat nothing
 * that may be a secret. Pure.
 */
#ifndef CLI_EXPORT_H
#define CLI_EXPORT_H

#include "base/strv.h"
#include "model/live.h"

struct export
{
	struct buf text;
	bool declares; /* else all of it is a comment: it cannot be a document */
	struct strv reasons; /* why not, or what was left out */
};

void export_live(const struct live *live, struct export *ret_export);
void export_release(struct export *x);

#endif
