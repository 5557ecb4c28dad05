/* One document of a file: apiVersion, kind, metadata, spec and sync. */
#include <ctype.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/text.h"
#include "model/internal.h"

#define API_VERSION "weir/v1"

struct metadata {
	const char *name;
	const struct node *labels;
};

/* Of all kinds; each has a table of those that it may have. */
struct head {
	int api_version;
	int kind;
	struct metadata metadata;
	const struct node *spec;
	struct sync_settings sync;
};

const char *const document_kinds[] = {
	[DOCUMENT_REPLICATOR] = "KafkaReplicator",
	[DOCUMENT_CLUSTER] = "KafkaCluster",
	[DOCUMENT_DEFAULTS] = "Defaults",
	NULL,
};

static const char *const api_versions[] = {API_VERSION, NULL};
#define LABELS_ROW                                                                                 \
	{                                                                                          \
		.name = "labels", .type = FIELD_STRING_MAP, .flags = FIELD_NULL_OK,                \
		.offset = offsetof(struct metadata, labels),                                       \
		.doc = "Words of your own to choose replicators by."                               \
	}

static const struct field replicator_metadata[] = {
	{.name = "name",
		.type = FIELD_STRING,
		.flags = FIELD_REQUIRED,
		.offset = offsetof(struct metadata, name),
		.doc = "The replicator's identifier in the API: 1 to 63 lower-case letters, digits "
		       "and hyphens."},
	LABELS_ROW,
	{0},
};

static const struct field cluster_metadata[] = {
	{.name = "name",
		.type = FIELD_STRING,
		.flags = FIELD_REQUIRED,
		.offset = offsetof(struct metadata, name),
		.doc = "What source_cluster and destination_cluster call it: 1 to 63 lower-case "
		       "letters, digits and hyphens."},
	LABELS_ROW,
	{0},
};

static const struct field defaults_metadata[] = {
	{.name = "name",
		.flags = FIELD_REFUSED,
		.doc = "is not for Defaults, which are those of the folder they stand in: remove "
		       "it"},
	LABELS_ROW,
	{0},
};

#define HEAD_ROWS                                                                                  \
	{.name = "apiVersion",                                                                     \
		.type = FIELD_CHOICE,                                                              \
		.flags = FIELD_REQUIRED,                                                           \
		.offset = offsetof(struct head, api_version),                                      \
		.choices = api_versions,                                                           \
		.doc = "Always " API_VERSION "."},                                                 \
	{                                                                                          \
		.name = "kind", .type = FIELD_CHOICE, .flags = FIELD_REQUIRED,                     \
		.offset = offsetof(struct head, kind), .choices = document_kinds,                  \
		.doc = "What the document declares."                                               \
	}
#define SYNC_ROW                                                                                   \
	{                                                                                          \
		.name = "sync", .type = FIELD_MAP, .flags = FIELD_NULL_OK,                         \
		.offset = offsetof(struct head, sync), .sub = sync_fields,                         \
		.doc = "How weir treats it."                                                       \
	}

static const struct field replicator_document[] = {
	HEAD_ROWS,
	{.name = "metadata",
		.type = FIELD_MAP,
		.flags = FIELD_REQUIRED,
		.offset = offsetof(struct head, metadata),
		.sub = replicator_metadata,
		.doc = "What it is called."},
	{.name = "spec",
		.type = FIELD_NODE,
		.flags = FIELD_REQUIRED | FIELD_NULL_OK,
		.offset = offsetof(struct head, spec),
		.doc = "The replicator, by the fields of the API."},
	SYNC_ROW,
	{0},
};

static const struct field cluster_document[] = {
	HEAD_ROWS,
	{.name = "metadata",
		.type = FIELD_MAP,
		.flags = FIELD_REQUIRED,
		.offset = offsetof(struct head, metadata),
		.sub = cluster_metadata,
		.doc = "What it is called."},
	{.name = "spec",
		.type = FIELD_NODE,
		.flags = FIELD_REQUIRED | FIELD_NULL_OK,
		.offset = offsetof(struct head, spec),
		.doc = "How it is reached: kafka_id, or connection_details and secret_path."},
	{0},
};

static const struct field defaults_document[] = {
	HEAD_ROWS,
	{.name = "metadata",
		.type = FIELD_MAP,
		.flags = FIELD_NULL_OK,
		.offset = offsetof(struct head, metadata),
		.sub = defaults_metadata,
		.doc = "Labels; Defaults have no name."},
	{.name = "spec",
		.type = FIELD_NODE,
		.flags = FIELD_NULL_OK,
		.offset = offsetof(struct head, spec),
		.doc = "Fields of replicators, for those that do not have them."},
	SYNC_ROW,
	{0},
};

const struct field *const document_fields[DOCUMENT__COUNT] = {
	[DOCUMENT_REPLICATOR] = replicator_document,
	[DOCUMENT_CLUSTER] = cluster_document,
	[DOCUMENT_DEFAULTS] = defaults_document,
};

/* One kind's word, or how many there are. */
static enum document_kind find_kind(const char *word)
{
	enum document_kind kind = 0;

	while (kind < DOCUMENT__COUNT && strcmp(word, document_kinds[kind]) != 0)
		kind++;
	return kind;
}

#define ELSEWHERE "what is not weir's belongs in another folder"

/* Returns the kind that was meant, as far as one can tell. */
static enum document_kind complain_of_kind(
	const struct node *kind, const struct field_place *place, struct problems *problems)
{
	const char *word = kind->u.string.s;
	const char *near = text_suggest(word, document_kinds, DOCUMENT__COUNT);

	if (near)
		problem_at(problems, PROBLEM_ERROR, place, "kind", kind,
			"unknown kind \"%s\"; did you mean %s?", word, near);
	else
		problem_at(problems, PROBLEM_ERROR, place, "kind", kind,
			"unknown kind \"%s\": weir knows KafkaReplicator, KafkaCluster and "
			"Defaults; " ELSEWHERE,
			word);
	return near ? find_kind(near) : DOCUMENT__COUNT;
}

/* Which kind it is; if it is none, false, and the one that was meant. */
static bool check_kind(const struct node *doc, const struct field_place *place,
	enum document_kind *ret_kind, struct problems *problems)
{
	const struct node *kind = node_get(doc, "kind");

	*ret_kind = DOCUMENT__COUNT;
	if (doc->type != NODE_MAP) {
		problem_at(problems, PROBLEM_ERROR, place, "", doc,
			"a document must be a map with apiVersion, kind, metadata and spec, not a "
			"%s",
			node_type_name(doc->type));
		return false;
	}
	if (!kind && !node_get(doc, "apiVersion")) {
		problem_at(problems, PROBLEM_ERROR, place, "", doc,
			"not a document of weir's: it needs apiVersion: " API_VERSION
			" and kind: KafkaReplicator, KafkaCluster or Defaults; " ELSEWHERE);
		return false;
	}
	if (!kind || kind->type != NODE_STRING) {
		*ret_kind = DOCUMENT_REPLICATOR;
		return true;
	}
	*ret_kind = find_kind(kind->u.string.s);
	if (*ret_kind < DOCUMENT__COUNT)
		return true;
	*ret_kind = complain_of_kind(kind, place, problems);
	return false;
}

/* The nearest identifier, if there is one: "Orders_DR" to "orders-dr". */
static char *identifier_from(const char *name)
{
	char *identifier = xstrdup(name);

	for (char *p = identifier; *p; p++)
		*p = isalnum((unsigned char)*p) ? (char)tolower((unsigned char)*p) : '-';
	return identifier;
}

static void check_name(
	const struct node *name, const struct field_place *place, struct problems *problems)
{
	auto_free char *near = identifier_from(name->u.string.s);
	bool found = identifier_valid(near);

	if (identifier_valid(name->u.string.s))
		return;
	problem_at(problems, PROBLEM_ERROR, place, "metadata.name", name,
		"\"%s\" is no name: use 1 to 63 lower-case letters, digits and hyphens, with a "
		"letter or digit at both ends%s%s",
		name->u.string.s, found ? "; for example " : "", found ? near : "");
}

static struct node *with_value(
	struct arena *a, const struct node *map, const char *key, const struct node *value)
{
	struct node *changed = node_map(a);

	changed->line = map->line;
	changed->col = map->col;
	for (size_t i = 0; i < map->u.map.n; i++) {
		const struct node_pair *pair = &map->u.map.at[i];
		bool is_it = strcmp(pair->key->u.string.s, key) == 0;

		node_map_add(a, changed, pair->key, is_it ? node_copy(a, value) : pair->value);
	}
	return changed;
}

/* In sync and labels a null is as if the line were absent, and takes away what lies below. */
static const struct node *without_nulls(struct arena *a, const struct node *doc)
{
	const struct node *sync = node_get(doc, "sync"), *metadata = node_get(doc, "metadata");
	const struct node *labels = node_get(metadata, "labels");
	const struct node *some = layer_without_nulls(a, sync, sync_fields);

	if (some != sync)
		doc = with_value(a, doc, "sync", some);
	some = layer_without_nulls(a, labels, NULL);
	if (some != labels)
		doc = with_value(a, doc, "metadata", with_value(a, metadata, "labels", some));
	return doc;
}

/* What can be merged: a map, or a null. */
static const struct node *mergeable(const struct node *n)
{
	return n && (n->type == NODE_MAP || n->type == NODE_NULL) ? n : NULL;
}

/* What its own text comes to, if that is all there is. */
static void check_alone(struct document *d, const struct field_place *place)
{
	struct field_place below = *place;
	struct spec spec = spec_without_nulls_inside(place->arena, &d->layer.spec);

	below.path = "spec";
	spec_check(&spec, &below, &d->alone);
	spec_drop_nulls(&spec);
	sync_check(&d->sync, d->layer.sync, d->name, &spec, place, &d->alone);
}

/* From the text's arena to the document's. */
static void keep(struct arena *a, struct document *d)
{
	bool labels_are_written = d->labels == d->layer.labels;

	d->layer = layer_copy(a, &d->layer, 0);
	d->sync = sync_copy(a, &d->sync);
	if (d->name)
		d->name = arena_strdup(a, d->name);
	if (d->labels)
		d->labels = labels_are_written ? d->layer.labels : node_copy(a, d->labels);
}

static bool has_nulls(const struct spec *spec)
{
	for (enum spec_field f = 0; f < SPEC__COUNT; f++) {
		const struct node *value = spec->value[f];

		if (value && value->type == NODE_NULL)
			return true;
		for (size_t i = 0; value && value->type == NODE_MAP && i < value->u.map.n; i++) {
			if (value->u.map.at[i].value->type == NODE_NULL)
				return true;
		}
	}
	return false;
}

/* `name` is the identifier; NULL, which has been said, is not to be said again. */
static void take_name(struct document *d, const struct node *name)
{
	if (!name) {
		d->layer.spec.undecoded |= 1u << SPEC_IDENTIFIER;
		return;
	}
	d->name = name->u.string.s;
	d->line = name->line;
	d->col = name->col;
	if (d->kind == DOCUMENT_REPLICATOR)
		d->layer.spec.value[SPEC_IDENTIFIER] = name;
}

static void decode_spec(struct document *d, const struct node *spec,
	const struct field_place *place, struct problems *problems)
{
	struct field_place below = *place;

	below.path = "spec";
	if (!spec)
		d->layer.spec.undecoded = d->kind == DOCUMENT_DEFAULTS ? 0 : SPEC_ALL;
	else if (d->kind == DOCUMENT_CLUSTER)
		layer_decode_cluster(spec, &below, &d->layer, problems);
	else
		layer_decode(spec, &below, &d->layer, problems);
}

struct document *document_decode(struct arena *a, const struct node *doc,
	const struct field_place *place, bool *ret_meant_defaults, struct problems *problems)
{
	size_t n_before = problems->n_errors;
	struct document d = {.line = doc->line, .col = doc->col, .first_problem = problems->n};
	struct head head = {0};
	const struct node *name = NULL, *labels = node_get(node_get(doc, "metadata"), "labels");

	if (!check_kind(doc, place, &d.kind, problems)) {
		*ret_meant_defaults = d.kind == DOCUMENT_DEFAULTS;
		return NULL;
	}
	fields_decode(
		document_fields[d.kind], without_nulls(place->arena, doc), place, &head, problems);
	if (head.metadata.name)
		name = node_get(node_get(doc, "metadata"), "name");
	if (name)
		check_name(name, place, problems);
	decode_spec(&d, head.spec, place, problems);
	take_name(&d, name);
	d.layer.sync = mergeable(node_get(doc, "sync"));
	d.layer.labels = mergeable(labels);
	d.sync = head.sync;
	d.labels = head.metadata.labels;
	d.has_nulls = has_nulls(&d.layer.spec);
	if (d.kind == DOCUMENT_DEFAULTS)
		sync_check(&d.sync, d.layer.sync, NULL, NULL, place, problems);
	d.failed = problems->n_errors > n_before;
	if (d.kind == DOCUMENT_REPLICATOR && !layer_names_cluster(&d.layer))
		check_alone(&d, place);
	keep(a, &d);

	struct document *kept = arena_alloc(a, sizeof(*kept));
	*kept = d;
	return kept;
}

void document_release(struct document *d)
{
	problems_release(&d->alone);
}
