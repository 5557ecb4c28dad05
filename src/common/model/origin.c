/* Where the settings of a replicator come from. */
#include "model/catalog.h"

#include "model/internal.h"

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

const char *replicator_cluster(const struct replicator *r, bool source_end)
{
	const struct end_fields *end = &ends[source_end ? END_SOURCE : END_DESTINATION];
	const struct node *id = r->spec.value[end->kafka_id];

	return replicator_origin(r, id ? id : r->spec.value[end->details]).name;
}
