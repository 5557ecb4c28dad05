/* Where the settings of a replicator come from. */
#include "model/catalog.h"

#include <string.h>

#include "model/catalog_parts.h"

struct origin replicator_origin(const struct replicator *r, const struct node *value)
{
	struct origin origin = {.kind = ORIGIN_DOCUMENT, .file = r->file, .line = r->line};

	if (!value)
		return origin;
	if (value->origin && value->origin < r->n_origins)
		origin = r->origins[value->origin];
	if (value->line)
		origin.line = value->line;
	return origin;
}

static bool same_defaults(const struct defaults *a, const struct defaults *b)
{
	for (; a && b; a = a->up, b = b->up) {
		if (a->document != b->document || strcmp(a->file, b->file) != 0)
			return false;
	}
	return !a && !b;
}

/* What the name of a cluster stands for. */
static bool same_end(
	const struct replicator *r, const struct replicator *other, enum spec_field field)
{
	const struct node *a = r->spec.value[field], *b = other->spec.value[field];
	struct origin left = replicator_origin(r, a), right = replicator_origin(other, b);

	return node_equal(a, b) && left.kind == right.kind && left.line == right.line &&
	       strcmp(left.file, right.file) == 0;
}

bool replicator_same(const struct replicator *r, const struct replicator *other)
{
	if (!r->document || r->document != other->document || strcmp(r->file, other->file) != 0 ||
		!same_defaults(r->defaults, other->defaults))
		return false;
	for (enum end end = 0; end < END__COUNT; end++) {
		if (!same_end(r, other, ends[end].kafka_id) ||
			!same_end(r, other, ends[end].details) ||
			!same_end(r, other, ends[end].secret_path))
			return false;
	}
	return true;
}
