/*
 * sync.ignore: JSON Pointers (RFC 6901) into spec, to what is sent on create only.
 */
#ifndef MODEL_SYNC_IGNORE_H
#define MODEL_SYNC_IGNORE_H

#include "model/catalog.h"

/* Problems with pointers that name nothing which may be ignored, and warnings for those that change
 * nothing. `place` is that of sync; without a spec, none are of what is not in it. */
void sync_check_ignore(const struct sync_settings *sync, const struct spec *spec,
	const struct field_place *place, struct problems *problems);

#endif
