/* One document of a file: apiVersion, kind, metadata, spec and sync. */
#include <ctype.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/text.h"
#include "model/internal.h"

#define API_VERSION "weir/v1"
#define KIND	    "KafkaReplicator"

struct metadata {
	const char *name;
	const struct node *labels;
};

struct document {
	int api_version;
	int kind;
	struct metadata metadata;
	const struct node *spec;
	struct sync_settings sync;
};

static const char *const api_versions[] = {API_VERSION, NULL};
static const char *const kinds[] = {KIND, NULL};

static const struct field metadata_fields[] = {
	{.name = "name",
		.type = FIELD_STRING,
		.flags = FIELD_REQUIRED,
		.offset = offsetof(struct metadata, name),
		.doc = "The replicator's identifier in the API: 1 to 63 lower-case letters, digits "
		       "and hyphens."},
	{.name = "labels",
		.type = FIELD_STRING_MAP,
		.flags = FIELD_NULL_OK,
		.offset = offsetof(struct metadata, labels),
		.doc = "Words of your own to choose replicators by."},
	{0},
};

const struct field document_fields[] = {
	{.name = "apiVersion",
		.type = FIELD_CHOICE,
		.flags = FIELD_REQUIRED,
		.offset = offsetof(struct document, api_version),
		.choices = api_versions,
		.doc = "Always " API_VERSION "."},
	{.name = "kind",
		.type = FIELD_CHOICE,
		.flags = FIELD_REQUIRED,
		.offset = offsetof(struct document, kind),
		.choices = kinds,
		.doc = "Always " KIND "."},
	{.name = "metadata",
		.type = FIELD_MAP,
		.flags = FIELD_REQUIRED,
		.offset = offsetof(struct document, metadata),
		.sub = metadata_fields,
		.doc = "What it is called."},
	{.name = "spec",
		.type = FIELD_NODE,
		.flags = FIELD_REQUIRED | FIELD_NULL_OK,
		.offset = offsetof(struct document, spec),
		.doc = "The replicator, by the fields of the API."},
	{.name = "sync",
		.type = FIELD_MAP,
		.flags = FIELD_NULL_OK,
		.offset = offsetof(struct document, sync),
		.sub = sync_fields,
		.doc = "How weir treats it."},
	{0},
};

/* Kinds of the design that are not there yet, and what to do without them. */
static const struct {
	const char *kind;
	const char *remedy;
} later_kinds[] = {
	{"Defaults", "write the settings in each replicator"},
	{"KafkaCluster", "write its id, or connection details and secret path, in each replicator"},
};

static bool complain_of_kind(
	const struct node *kind, const struct field_place *place, struct problems *problems)
{
	static const char *const known[] = {KIND};
	const char *word = kind->u.string.s, *near;

	for (size_t i = 0; i < ARRAY_SIZE(later_kinds); i++) {
		if (strcmp(later_kinds[i].kind, word) == 0) {
			problem_at(problems, PROBLEM_ERROR, place, "kind", kind,
				"%s is not built yet: %s", word, later_kinds[i].remedy);
			return false;
		}
	}
	near = suggest(problems, word, known, ARRAY_SIZE(known));
	if (near)
		problem_at(problems, PROBLEM_ERROR, place, "kind", kind,
			"unknown kind \"%s\"; did you mean %s?", word, near);
	else
		problem_at(problems, PROBLEM_ERROR, place, "kind", kind,
			"unknown kind \"%s\": weir knows " KIND
			"; what is not weir's belongs in another folder",
			word);
	return false;
}

/* Whether it is worth looking into the document. */
static bool check_kind(
	const struct node *doc, const struct field_place *place, struct problems *problems)
{
	const struct node *kind = node_get(doc, "kind");

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
			" and kind: " KIND "; what is not weir's belongs in another folder");
		return false;
	}
	if (kind && kind->type == NODE_STRING && strcmp(kind->u.string.s, KIND) != 0)
		return complain_of_kind(kind, place, problems);
	return true;
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

/* An explicit null is as if the line were absent. */
static void drop_nulls(struct spec *spec)
{
	for (enum spec_field f = 0; f < SPEC__COUNT; f++) {
		if (spec->value[f] && spec->value[f]->type == NODE_NULL)
			spec->value[f] = NULL;
	}
}

/* `name` is the identifier; NULL, which has been said, is not to be said again. */
static struct spec decode_spec(const struct node *map, const struct node *name,
	const struct field_place *place, struct problems *problems)
{
	struct field_place below = {.arena = place->arena, .file = place->file, .path = "spec"};
	struct spec spec = {0};

	if (!spec_decode(map, &below, true, &spec, problems) && map->type != NODE_MAP)
		return spec;
	spec.value[SPEC_IDENTIFIER] = name;
	if (!name)
		spec.undecoded |= 1u << SPEC_IDENTIFIER;
	spec_check(&spec, &below, problems);
	drop_nulls(&spec);
	return spec;
}

struct replicator *document_decode(
	const struct node *doc, const struct field_place *place, struct problems *problems)
{
	size_t n_before = problems->n_errors;
	struct document d = {0};
	const struct node *name;
	struct replicator *r;

	if (!check_kind(doc, place, problems))
		return NULL;
	fields_decode(document_fields, doc, place, &d, problems);
	name = d.metadata.name ? node_get(node_get(doc, "metadata"), "name") : NULL;
	if (name)
		check_name(name, place, problems);
	r = arena_alloc(place->arena, sizeof(*r));
	if (d.spec)
		r->spec = decode_spec(d.spec, name, place, problems);
	sync_check(&d.sync, node_get(doc, "sync"), name ? name->u.string.s : NULL,
		d.spec ? &r->spec : NULL, place, problems);
	if (!name)
		return NULL;
	r->name = name->u.string.s;
	r->sync = d.sync;
	r->labels = d.metadata.labels;
	r->file = place->file;
	r->line = name->line;
	r->col = name->col;
	r->failed = problems->n_errors > n_before;
	return r;
}
