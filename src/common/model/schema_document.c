/* The JSON Schema of any document, for editors: one for each kind. */
#include <string.h>

#include "base/limits.h"
#include "model/schema_parts.h"

#define NAME_EXPRESSION "^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$"

/* The fields that may be ignored, as alternatives of an expression. */
static const char *ignorable_expression(struct arena *a)
{
	auto_buf struct buf b = BUF_INIT;

	buf_adds(&b, "^/(");
	for (enum spec_field f = 0; f < SPEC__COUNT; f++) {
		if (sync_may_ignore(f))
			buf_addf(&b, "%s%s%s", b.len > strlen("^/(") ? "|" : "",
				spec_fields[f].name,
				spec_fields[f].kind == SPEC_KIND_CONFIG ? "(/([^/~]|~[01])+)?"
									: "");
	}
	buf_adds(&b, ")$");
	return arena_strdup(a, buf_str(&b));
}

/* What Defaults say can be taken away. */
static void allow_null(struct arena *a, struct node *schema)
{
	struct node *choices = node_get(schema, "enum"), *type = node_get(schema, "type");
	struct node *types = node_seq(a);

	if (choices && choices->u.seq.at[choices->u.seq.n - 1]->type != NODE_NULL)
		node_seq_add(a, choices, node_null(a));
	if (!type || type->type != NODE_STRING)
		return;
	node_seq_add(a, types, type);
	node_seq_add(a, types, node_string(a, "null"));
	node_map_set(a, schema, "type", types);
}

static void refine_sync(struct arena *a, const struct node *sync)
{
	struct node *properties = node_get(sync, "properties");
	struct node *names = node_get(properties, "depends_on");
	struct node *pointers = node_get(properties, "ignore");
	struct node *reason =
		node_get(node_get(node_get(properties, "suspend"), "properties"), "reason");

	schema_set(a, node_get(names, "items"), "pattern", NAME_EXPRESSION);
	node_map_set(a, names, "uniqueItems", node_bool(a, true));
	schema_set(a, node_get(pointers, "items"), "pattern", ignorable_expression(a));
	node_map_set(a, pointers, "uniqueItems", node_bool(a, true));
	schema_set(a, reason, "pattern", "[^ \t\r\n]");
	node_map_set(a, reason, "maxLength", node_int(a, LIMIT_REASON_LENGTH));
	for (size_t i = 0; i < properties->u.map.n; i++)
		allow_null(a, properties->u.map.at[i].value);
}

/* A label can be taken away. */
static void refine_labels(struct arena *a, const struct node *labels)
{
	node_map_set(a, node_get(labels, "additionalProperties"), "type",
		schema_part(a, "[string, 'null']"));
}

static void refine_metadata(struct arena *a, const struct node *metadata)
{
	struct node *properties = node_get(metadata, "properties");
	struct node *name = node_get(properties, "name");

	if (name)
		schema_set(a, name, "pattern", NAME_EXPRESSION);
	refine_labels(a, node_get(properties, "labels"));
}

static struct node *kind_schema(struct arena *a, enum document_kind kind)
{
	struct node *schema = fields_schema(a, document_fields[kind]);
	struct node *properties = node_get(schema, "properties");
	struct node *sync = node_get(properties, "sync");
	struct node *spec = kind == DOCUMENT_CLUSTER ? cluster_spec_schema(a) : spec_schema(a);

	refine_metadata(a, node_get(properties, "metadata"));
	if (sync)
		refine_sync(a, sync);
	if (kind == DOCUMENT_DEFAULTS)
		node_map_set(a, spec, "type", schema_part(a, "[object, 'null']"));
	node_map_set(a, properties, "spec", spec);
	return schema;
}

static struct node *choice_of_kind(struct arena *a, enum document_kind kind)
{
	struct node *rule =
		schema_part(a, "{if: {required: [kind], properties: {kind: {}}}, then: {}}");
	struct node *is = node_get(node_get(node_get(rule, "if"), "properties"), "kind");

	schema_set(a, is, "const", document_kinds[kind]);
	schema_set(a, node_get(rule, "then"), "$ref",
		arena_printf(a, "#/$defs/%s", document_kinds[kind]));
	return rule;
}

struct node *document_schema(struct arena *a)
{
	struct node *schema = schema_part(a, "{$schema: "
					     "'https://json-schema.org/draft/2020-12/schema', "
					     "title: 'weir/v1', type: object, "
					     "required: [apiVersion, kind]}");
	const struct node *head =
		node_get(fields_schema(a, document_fields[DOCUMENT_REPLICATOR]), "properties");
	struct node *properties = node_map(a), *rules = node_seq(a), *defs = node_map(a);

	node_map_set(a, properties, "apiVersion", node_get(head, "apiVersion"));
	node_map_set(a, properties, "kind", node_get(head, "kind"));
	for (enum document_kind kind = 0; kind < DOCUMENT__COUNT; kind++) {
		node_seq_add(a, rules, choice_of_kind(a, kind));
		node_map_set(a, defs, document_kinds[kind], kind_schema(a, kind));
	}
	node_map_set(a, schema, "properties", properties);
	node_map_set(a, schema, "allOf", rules);
	node_map_set(a, schema, "$defs", defs);
	return schema;
}
