/* What documents say of a replicator: decoded each for itself, laid over one another. */
#include <string.h>

#include "model/internal.h"

const struct field cluster_fields[] = {
	{.name = "kafka_id",
		.type = FIELD_STRING,
		.doc = "The id that the API knows the cluster by. Either this or "
		       "connection_details."},
	{.name = "connection_details",
		.type = FIELD_MAP,
		.sub = details_fields,
		.doc = "How to reach an external cluster. Its credentials stand behind "
		       "secret_path."},
	{.name = "secret_path",
		.type = FIELD_STRING,
		.doc = "Where its credentials are. Only with connection_details."},
	{0},
};

void cluster_mdoc(struct buf *out)
{
	fields_mdoc(cluster_fields, "", out);
}

bool layer_names_cluster(const struct layer *l)
{
	for (enum end end = 0; end < END__COUNT; end++) {
		if (l->cluster[end] && l->cluster[end]->type != NODE_NULL)
			return true;
	}
	return false;
}

static enum end end_of_key(const char *key)
{
	enum end end = 0;

	while (end < END__COUNT && strcmp(key, ends[end].cluster) != 0)
		end++;
	return end;
}

static bool decode_cluster_name(enum end end, struct node *value, const struct field_place *place,
	struct layer *l, struct problems *problems)
{
	const struct field row = {.name = ends[end].cluster, .type = FIELD_STRING};

	if (value->type != NODE_NULL && !decode_one(&row, value, place, NULL, problems))
		return false;
	l->cluster[end] = value;
	return true;
}

void layer_decode(const struct node *map, const struct field_place *place, struct layer *ret_layer,
	struct problems *problems)
{
	struct node *rest = node_map(place->arena);
	unsigned undecoded = 0;

	if (map->type != NODE_MAP || (!node_get(map, ends[END_SOURCE].cluster) &&
					     !node_get(map, ends[END_DESTINATION].cluster))) {
		spec_decode(map, place, true, &ret_layer->spec, problems);
		if (map->type != NODE_MAP)
			ret_layer->spec.undecoded = SPEC_ALL;
		return;
	}
	rest->line = map->line;
	rest->col = map->col;
	for (size_t i = 0; i < map->u.map.n; i++) {
		const struct node_pair *pair = &map->u.map.at[i];
		enum end end = end_of_key(pair->key->u.string.s);

		if (end == END__COUNT)
			node_map_add(place->arena, rest, pair->key, pair->value);
		else if (!decode_cluster_name(end, pair->value, place, ret_layer, problems))
			undecoded |= 1u << ends[end].kafka_id;
	}
	spec_decode(rest, place, true, &ret_layer->spec, problems);
	ret_layer->spec.undecoded |= undecoded;
}

/* The field of a source that a key of a KafkaCluster stands for. */
static enum spec_field field_of_cluster(const char *key)
{
	static const enum spec_field fields[] = {
		SPEC_SOURCE_KAFKA_ID, SPEC_SOURCE_CONNECTION_DETAILS, SPEC_SOURCE_SECRET_PATH};

	for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
		if (strcmp(key, spec_fields[fields[i]].name + CLUSTER_SKIP) == 0)
			return fields[i];
	}
	return SPEC__COUNT;
}

void layer_decode_cluster(const struct node *map, const struct field_place *place,
	struct layer *ret_layer, struct problems *problems)
{
	struct spec *spec = &ret_layer->spec;

	*spec = (struct spec){.line = map->line, .col = map->col};
	if (map->type != NODE_MAP) {
		problem_at(problems, PROBLEM_ERROR, place, "", map,
			"must be a map with kafka_id, or with connection_details and secret_path, "
			"not a %s",
			node_type_name(map->type));
		spec->undecoded = SPEC_ALL;
		return;
	}
	fields_check_unknown(cluster_fields, map, place, problems);
	for (size_t i = 0; i < map->u.map.n; i++) {
		const struct node_pair *pair = &map->u.map.at[i];
		enum spec_field field = field_of_cluster(pair->key->u.string.s);

		if (field != SPEC__COUNT && !spec_decode_value(field, CLUSTER_SKIP, pair->value,
						    place, true, &spec->value[field], problems))
			spec->undecoded |= 1u << field;
	}
	*spec = spec_without_nulls_inside(place->arena, spec);
	spec_check_cluster(spec, place, problems);
	spec_drop_nulls(spec);
}

/* A line that was left empty is not finished, and no null. */
static bool is_explicit_null(const struct node *n)
{
	return n->type == NODE_NULL && !(n->u.text && !*n->u.text);
}

static bool takes_null(const struct node_pair *pair, const struct field *fields)
{
	bool known = !fields;

	for (const struct field *f = fields; f && f->name && !known; f++)
		known = !(f->flags & FIELD_REFUSED) && strcmp(f->name, pair->key->u.string.s) == 0;
	return known && is_explicit_null(pair->value);
}

const struct node *layer_without_nulls(
	struct arena *a, const struct node *map, const struct field *fields)
{
	struct node *rest;
	bool any = false;

	for (size_t i = 0; map && map->type == NODE_MAP && i < map->u.map.n; i++)
		any = any || takes_null(&map->u.map.at[i], fields);
	if (!any)
		return map;
	rest = node_map(a);
	rest->line = map->line;
	rest->col = map->col;
	rest->origin = map->origin;
	for (size_t i = 0; i < map->u.map.n; i++) {
		if (!takes_null(&map->u.map.at[i], fields))
			node_map_add(a, rest, map->u.map.at[i].key, map->u.map.at[i].value);
	}
	return rest;
}

struct layer layer_merge(struct arena *a, const struct layer *base, const struct layer *over)
{
	struct layer merged = {.spec = spec_merge(&base->spec, &over->spec)};

	for (enum spec_field f = 0; f < SPEC__COUNT; f++)
		merged.spec.value[f] = node_merge(a, base->spec.value[f], over->spec.value[f]);
	for (enum end end = 0; end < END__COUNT; end++)
		merged.cluster[end] = over->cluster[end] ? over->cluster[end] : base->cluster[end];
	merged.sync = node_merge(a, base->sync, over->sync);
	merged.labels = node_merge(a, base->labels, over->labels);
	return merged;
}

static const struct node *copy(struct arena *a, const struct node *n, unsigned origin)
{
	if (!n)
		return NULL;
	return origin ? node_copy_from(a, n, origin) : node_copy(a, n);
}

struct layer layer_copy(struct arena *a, const struct layer *l, unsigned origin)
{
	struct layer made = *l;

	for (enum spec_field f = 0; f < SPEC__COUNT; f++)
		made.spec.value[f] = copy(a, l->spec.value[f], origin);
	for (enum end end = 0; end < END__COUNT; end++)
		made.cluster[end] = copy(a, l->cluster[end], origin);
	made.sync = copy(a, l->sync, origin);
	made.labels = copy(a, l->labels, origin);
	return made;
}

struct spec spec_without_nulls_inside(struct arena *a, const struct spec *spec)
{
	struct spec rest = *spec;

	for (enum spec_field f = 0; f < SPEC__COUNT; f++)
		rest.value[f] = node_without_nulls(a, spec->value[f]);
	return rest;
}

void spec_drop_nulls(struct spec *spec)
{
	for (enum spec_field f = 0; f < SPEC__COUNT; f++) {
		if (spec->value[f] && spec->value[f]->type == NODE_NULL)
			spec->value[f] = NULL;
	}
}
