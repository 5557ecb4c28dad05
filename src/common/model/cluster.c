/* KafkaClusters: one name for an end of replicators, which becomes ordinary fields. */
#include <string.h>

#include "base/alloc.h"
#include "model/catalog_parts.h"

void cluster_add(struct catalog *c, const char *file, const struct document *d)
{
	struct cluster *made = arena_alloc(&c->arena, sizeof(*made)), *first;

	c->n_failed += d->failed;
	if (!d->name) {
		c->parts->names_unknown = true;
		return;
	}
	*made = (struct cluster){.name = d->name, .document = d, .file = file, .failed = d->failed};
	first = map_get(&c->parts->clusters, d->name);
	if (!first) {
		map_put(&c->parts->clusters, d->name, made);
		return;
	}
	auto_free char *what = xasprintf("KafkaCluster \"%s\" is declared", d->name);
	complain_of_twin(c, "metadata.name", what, first->file, first->document, file, d);
	complain_of_twin(c, "metadata.name", what, file, d, first->file, first->document);
	c->n_failed += (size_t)!first->failed + (size_t)!made->failed;
	first->failed = true;
}

void clusters_join(struct catalog *c)
{
	for (size_t i = 0; i < map_size(&c->parts->clusters); i++) {
		struct cluster *it = map_value(&c->parts->clusters, i);

		if (!it->failed)
			it->spec = layer_copy(&c->arena, &it->document->layer,
				origin_add(c, ORIGIN_CLUSTER, it->file, it->document))
					   .spec;
	}
}

struct resolving {
	struct catalog *catalog;
	const struct layer *layer;
	const struct field_place *place;
	struct spec *spec;
	struct problems *problems;
};

#define complain(r, end, ...)                                                                      \
	problem_at((r)->problems, PROBLEM_ERROR, (r)->place, ends[end].cluster,                    \
		(r)->layer->cluster[end], __VA_ARGS__)

/* The end stands there as its fields too. */
static bool stands_beside(const struct resolving *r, enum end end)
{
	const enum spec_field fields[] = {
		ends[end].kafka_id, ends[end].details, ends[end].secret_path};

	for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
		const struct node *value = r->spec->value[fields[i]];
		bool path = fields[i] == ends[end].secret_path;

		if (spec_value_empty(value))
			continue;
		problem_of_two(r->problems, r->place, ends[end].cluster, r->layer->cluster[end],
			spec_fields[fields[i]].name, value,
			path ? "a KafkaCluster brings its own" : "a cluster has either");
		return true;
	}
	return false;
}

static void complain_undeclared(const struct resolving *r, enum end end, const char *name)
{
	const struct map *clusters = &r->catalog->parts->clusters;
	const char *near = nearest_key(r->catalog, name, clusters, NULL);
	const struct cluster *meant = near ? map_get(clusters, near) : NULL;
	auto_buf struct buf shown = BUF_INIT;

	if (meant)
		complain(r, end, "no KafkaCluster is called \"%s\"; did you mean %s (%s:%u)?",
			shorten(name, &shown), near, meant->file, meant->document->line);
	else
		complain(r, end,
			"no KafkaCluster is called \"%s\": declare one, or write %s instead",
			shorten(name, &shown), spec_fields[ends[end].kafka_id].name);
}

/* NULL after a problem. */
static const struct cluster *find(const struct resolving *r, enum end end)
{
	const char *name = r->layer->cluster[end]->u.string.s;
	const struct cluster *cluster = map_get(&r->catalog->parts->clusters, name);

	if (!cluster)
		complain_undeclared(r, end, name);
	else if (cluster->failed)
		complain(r, end, "uses KafkaCluster \"%s\" in %s:%u, which has errors", name,
			cluster->file, cluster->document->line);
	return cluster && !cluster->failed ? cluster : NULL;
}

static void put(struct spec *spec, enum end end, const struct spec *from)
{
	const struct end_fields *source = &ends[END_SOURCE];

	spec->value[ends[end].kafka_id] = from->value[source->kafka_id];
	spec->value[ends[end].details] = from->value[source->details];
	spec->value[ends[end].secret_path] = from->value[source->secret_path];
}

/* Nobody needs to be told more about this end. */
static void give_up(struct spec *spec, enum end end)
{
	static const struct spec nothing;

	put(spec, end, &nothing);
	spec->undecoded |= 1u << ends[end].kafka_id;
}

static bool is_named(const struct layer *l, enum end end)
{
	return l->cluster[end] && l->cluster[end]->type == NODE_STRING;
}

static void resolve(const struct resolving *r, enum end end)
{
	const struct cluster *cluster = NULL;

	if (!is_named(r->layer, end))
		return;
	if (!stands_beside(r, end))
		cluster = find(r, end);
	if (cluster)
		put(r->spec, end, &cluster->spec);
	else
		give_up(r->spec, end);
}

void clusters_resolve(struct catalog *c, const struct layer *l, const struct field_place *place,
	struct spec *spec, struct problems *problems)
{
	const struct resolving r = {c, l, place, spec, problems};

	for (enum end end = 0; end < END__COUNT; end++)
		resolve(&r, end);
	if (is_named(l, END_SOURCE) && is_named(l, END_DESTINATION) &&
		node_equal(l->cluster[END_SOURCE], l->cluster[END_DESTINATION])) {
		complain(&r, END_DESTINATION,
			"\"%s\" is the source too: a replicator copies between two clusters",
			l->cluster[END_DESTINATION]->u.string.s);
		give_up(spec, END_DESTINATION);
	}
}
