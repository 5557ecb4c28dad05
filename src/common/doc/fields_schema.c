/* JSON Schema (2020-12) from field tables, for editors. */
#include "doc/fields_parts.h"

#include <string.h>

#include "base/alloc.h"

#define NOT_BUILT_NOTE "Not built yet: only the default is accepted. "

static const struct {
	const char *type; /* NULL: anything, or said otherwise */
	const char *pattern;
	const char *format;
} type_rows[FIELD__COUNT] = {
	[FIELD_STRING] = {.type = "string"},
	[FIELD_BOOL] = {.type = "boolean"},
	[FIELD_INT] = {.type = "integer"},
	[FIELD_DURATION] = {.type = "string",
		.pattern = "^(0|(?=[0-9])([0-9]+h)?([0-9]+m)?([0-9]+s)?([0-9]+ms)?)$"},
	[FIELD_TIME] = {.type = "string", .format = "date-time"},
	[FIELD_CHOICE] = {.type = NULL},
	[FIELD_MAP] = {.type = "object"},
	[FIELD_LIST] = {.type = "array"},
	[FIELD_STRINGS] = {.type = "array"},
	[FIELD_STRING_MAP] = {.type = "object"},
	[FIELD_COUNT_OR_PERCENT] = {.type = "integer", .pattern = "^[0-9]+%$"},
	[FIELD_NODE] = {.type = NULL},
};

static void set_string(struct arena *a, struct node *map, const char *key, const char *value)
{
	if (value)
		node_map_set(a, map, key, node_string(a, value));
}

/* A duration of 0 may be a number: it needs no unit. */
static bool takes_zero(const struct field *field)
{
	return field->type == FIELD_DURATION && field->min == 0;
}

/* One name, or a list of them where there are several. */
static void set_types(struct arena *a, struct node *schema, const struct field *field)
{
	const char *type = type_rows[field->type].type;
	bool or_string = field->type == FIELD_COUNT_OR_PERCENT ||
			 (field->type == FIELD_STRINGS && (field->flags & FIELD_ONE_OK));
	bool or_zero = takes_zero(field);
	bool or_null = field->flags & FIELD_NULL_OK;

	if (!type)
		return;
	if (!or_string && !or_zero && !or_null) {
		set_string(a, schema, "type", type);
		return;
	}
	struct node *types = node_seq(a);
	node_seq_add(a, types, node_string(a, type));
	if (or_string)
		node_seq_add(a, types, node_string(a, "string"));
	if (or_zero)
		node_seq_add(a, types, node_string(a, "integer"));
	if (or_null)
		node_seq_add(a, types, node_string(a, "null"));
	node_map_set(a, schema, "type", types);
}

static void set_choices(struct arena *a, struct node *schema, const struct field *field)
{
	struct node *choices = node_seq(a);

	for (size_t i = 0; field->choices[i]; i++)
		node_seq_add(a, choices, node_string(a, field->choices[i]));
	if (field->flags & FIELD_NULL_OK)
		node_seq_add(a, choices, node_null(a));
	node_map_set(a, schema, "enum", choices);
}

static void set_range(struct arena *a, struct node *schema, const struct field *field)
{
	node_map_set(a, schema, "minimum", node_int(a, field->min));
	if (field->max)
		node_map_set(a, schema, "maximum", node_int(a, field->max));
}

static struct node *string_schema(struct arena *a)
{
	struct node *schema = node_map(a);

	set_string(a, schema, "type", "string");
	return schema;
}

static void move_pairs(struct arena *a, struct node *to, const struct node *from)
{
	for (size_t i = 0; i < from->u.map.n; i++)
		if (!node_get(to, from->u.map.at[i].key->u.string.s))
			node_map_add(a, to, from->u.map.at[i].key, from->u.map.at[i].value);
}

static void set_details(struct arena *a, struct node *schema, const struct field *field)
{
	switch (field->type) {
	case FIELD_STRING:
		if (field->flags & FIELD_SECRET)
			set_string(a, schema, "pattern", "^(env|file|systemd):.");
		return;
	case FIELD_INT:
	case FIELD_COUNT_OR_PERCENT:
		set_range(a, schema, field);
		return;
	case FIELD_CHOICE:
		set_choices(a, schema, field);
		return;
	case FIELD_MAP:
		move_pairs(a, schema, fields_schema(a, field->sub));
		return;
	case FIELD_LIST:
		node_map_set(a, schema, "items", fields_schema(a, field->sub));
		return;
	case FIELD_STRINGS:
		node_map_set(a, schema, "items", string_schema(a));
		return;
	case FIELD_STRING_MAP:
		node_map_set(a, schema, "additionalProperties", string_schema(a));
		return;
	case FIELD_DURATION:
		if (takes_zero(field)) {
			node_map_set(a, schema, "minimum", node_int(a, 0));
			node_map_set(a, schema, "maximum", node_int(a, 0));
		}
		return;
	case FIELD_BOOL:
	case FIELD_TIME:
	case FIELD_NODE:
	case FIELD__COUNT:
		return;
	}
}

static struct node *field_schema(struct arena *a, const struct field *field)
{
	struct node *schema = node_map(a);
	struct node *def = field_default_node(a, field);

	if (field->doc)
		node_map_set(a, schema, "description",
			node_string(a, arena_printf(a, "%s%s",
					       field->flags & FIELD_NOT_BUILT ? NOT_BUILT_NOTE : "",
					       field->doc)));
	set_types(a, schema, field);
	set_string(a, schema, "pattern", type_rows[field->type].pattern);
	set_string(a, schema, "format", type_rows[field->type].format);
	set_details(a, schema, field);
	if (def)
		node_map_set(a, schema, "default", def);
	return schema;
}

struct node *fields_schema(struct arena *a, const struct field *fields)
{
	struct node *schema = node_map(a), *properties = node_map(a), *required = node_seq(a);

	set_string(a, schema, "type", "object");
	node_map_set(a, schema, "additionalProperties", node_bool(a, false));
	node_map_set(a, schema, "properties", properties);
	for (; fields->name; fields++) {
		if (fields->flags & FIELD_REFUSED)
			continue;
		node_map_set(a, properties, fields->name, field_schema(a, fields));
		if (fields->flags & FIELD_REQUIRED)
			node_seq_add(a, required, node_string(a, fields->name));
	}
	if (required->u.seq.n)
		node_map_set(a, schema, "required", required);
	return schema;
}
