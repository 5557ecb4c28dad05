/* Maps into structs, by a table: defaults, unknown keys, nesting. */
#include "doc/fields.h"

#include <stdarg.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "doc/fields_parts.h"
#include "doc/yaml.h"
#include "doc/yaml_parts.h"

/* With no more than these, an unknown key is answered with the list of those that are known. */
#define KEYS_LISTED_MAX 12

/* Room for a value of any type but FIELD_MAP. */
union any_value {
	const char *string;
	bool boolean;
	int64_t integer;
	int choice;
	const struct node *node;
	struct count_or_percent count_or_percent;
	struct field_list list;
};

static bool decode_map(const struct field_context *c, const struct field *field,
	const struct node *value, void *slot);
static bool decode_list(const struct field_context *c, const struct field *field,
	const struct node *value, void *slot);
static bool decode_node(const struct field_context *c, const struct field *field,
	const struct node *value, void *slot);

static const struct {
	field_decode_fn decode;
	size_t size; /* 0: as large as its table says */
} types[FIELD__COUNT] = {
	[FIELD_STRING] = {field_decode_string, sizeof(const char *)},
	[FIELD_BOOL] = {field_decode_bool, sizeof(bool)},
	[FIELD_INT] = {field_decode_int, sizeof(int64_t)},
	[FIELD_DURATION] = {field_decode_duration, sizeof(int64_t)},
	[FIELD_TIME] = {field_decode_time, sizeof(int64_t)},
	[FIELD_CHOICE] = {field_decode_choice, sizeof(int)},
	[FIELD_MAP] = {decode_map, 0},
	[FIELD_LIST] = {decode_list, sizeof(struct field_list)},
	[FIELD_STRINGS] = {field_decode_strings, sizeof(const struct node *)},
	[FIELD_STRING_MAP] = {field_decode_string_map, sizeof(const struct node *)},
	[FIELD_COUNT_OR_PERCENT] = {field_decode_count_or_percent, sizeof(struct count_or_percent)},
	[FIELD_NODE] = {decode_node, sizeof(const struct node *)},
};

struct field_context field_context_below(
	const struct field_context *up, const char *name, size_t index)
{
	return (struct field_context){up->place, up->problems, up, name, index, up->not_built};
}

static void add_path(struct buf *out, const struct field_context *c)
{
	if (!c->up) {
		buf_adds(out, c->place->path);
		return;
	}
	add_path(out, c->up);
	if (!c->name)
		buf_addf(out, "[%zu]", c->index);
	else
		buf_addf(out, "%s%s", out->len ? "." : "", c->name);
}

const char *field_place_file(const struct field_place *place, const struct node *node)
{
	return node->origin && place->files ? place->files[node->origin] : place->file;
}

bool field_problem(const struct field_context *c, const struct node *at, const char *fmt, ...)
{
	auto_buf struct buf path = BUF_INIT;
	va_list ap;

	va_start(ap, fmt);
	auto_free char *message = xvasprintf(fmt, ap);
	va_end(ap);
	add_path(&path, c);
	problems_add(c->problems, PROBLEM_ERROR,
		at ? field_place_file(c->place, at) : c->place->file, at ? at->line : 0,
		at ? at->col : 0, buf_str(&path), "%s", message);
	problems_set_origin(c->problems, at ? at->origin : 0);
	return false;
}

/* A list or a map that stands in a table is written as YAML. */
static struct node *parse_default(struct arena *a, const char *text)
{
	struct yaml_docs docs = YAML_DOCS_INIT;
	struct problems problems = PROBLEMS_INIT;

	if (yaml_parse(NULL, text, strlen(text), &docs, &problems) < 0 || docs.n != 1)
		BUG("the default %s does not parse", text);
	struct node *n = node_copy(a, docs.at[0]);
	yaml_docs_release(&docs);
	problems_release(&problems);
	return n;
}

struct node *field_default_node(struct arena *a, const struct field *field)
{
	if (!field->def)
		return NULL;
	if (field->type == FIELD_STRING || field->type == FIELD_CHOICE)
		return node_string(a, field->def);
	return parse_default(a, field->def);
}

static bool holds_tree(enum field_type type)
{
	return type == FIELD_LIST || type == FIELD_STRINGS || type == FIELD_STRING_MAP ||
	       type == FIELD_NODE;
}

static void set_sub_defaults(const struct field_context *c, const struct field *fields, void *base);

static void set_default(const struct field_context *c, const struct field *field, void *slot)
{
	struct node scalar = {.u.text = field->def};
	const struct node *value = &scalar;

	if (field->type == FIELD_MAP) {
		set_sub_defaults(c, field->sub, slot);
		return;
	}
	memset(slot, 0, types[field->type].size);
	if (!field->def)
		return;
	if (field->type == FIELD_STRING) {
		*(const char **)slot = field->def;
		return;
	}
	if (holds_tree(field->type))
		value = parse_default(c->place->arena, field->def);
	else
		yaml_resolve_plain(&scalar);
	if (!types[field->type].decode(c, field, value, slot))
		BUG("%s: the default %s is not valid", field->name, field->def);
}

static void *slot_of(void *base, size_t offset)
{
	return (unsigned char *)base + offset;
}

static void set_written(const struct field *field, void *base, bool written)
{
	if (field->has_offset)
		*(bool *)slot_of(base, field->has_offset - 1) = written;
}

static void set_sub_defaults(const struct field_context *c, const struct field *fields, void *base)
{
	for (; fields->name; fields++) {
		if (fields->flags & FIELD_REFUSED)
			continue;
		set_written(fields, base, false);
		set_default(c, fields, slot_of(base, fields->offset));
	}
}

static bool is_empty(const struct node *n)
{
	return !n || n->type == NODE_NULL || (n->type == NODE_SEQ && n->u.seq.n == 0) ||
	       (n->type == NODE_MAP && n->u.map.n == 0);
}

static bool equal_values(enum field_type type, const union any_value *a, const union any_value *b)
{
	switch (type) {
	case FIELD_STRING:
		return a->string == b->string ||
		       (a->string && b->string && strcmp(a->string, b->string) == 0);
	case FIELD_BOOL:
		return a->boolean == b->boolean;
	case FIELD_INT:
	case FIELD_DURATION:
	case FIELD_TIME:
		return a->integer == b->integer;
	case FIELD_CHOICE:
		return a->choice == b->choice;
	case FIELD_STRINGS:
	case FIELD_STRING_MAP:
	case FIELD_NODE:
		return node_equal(a->node, b->node) || (is_empty(a->node) && is_empty(b->node));
	case FIELD_COUNT_OR_PERCENT:
		return a->count_or_percent.value == b->count_or_percent.value &&
		       a->count_or_percent.percent == b->count_or_percent.percent;
	case FIELD_LIST:
		return a->list.n == 0 && b->list.n == 0;
	case FIELD_MAP:
	case FIELD__COUNT:
		break;
	}
	return true;
}

static void check_not_built(const struct field_context *c, const struct field *field,
	const struct node *value, const void *slot)
{
	union any_value written = {0}, def = {0};

	if (field->type == FIELD_MAP)
		return;
	memcpy(&written, slot, types[field->type].size);
	set_default(c, field, &def);
	if (equal_values(field->type, &written, &def))
		return;
	if (field->def)
		field_problem(c, value, "is not built yet; only its default, %s, is accepted",
			field->def);
	else
		field_problem(c, value, "is not built yet; take it out");
}

static void report_missing(
	const struct field_context *c, const struct field *field, const struct node *map)
{
	auto_buf struct buf choices = BUF_INIT;

	if (field->type == FIELD_CHOICE)
		field_add_choices(&choices, field->choices);
	if (choices.len)
		field_problem(c, map, "is missing; it must be %s", buf_str(&choices));
	else
		field_problem(c, map, "is missing");
}

/* `value` is NULL where the map does not have the key. */
static void decode_field(const struct field_context *up, const struct field *field,
	const struct node *map, const struct node *value, void *base)
{
	struct field_context c = field_context_below(up, field->name, 0);
	void *slot = slot_of(base, field->offset);
	bool written = value && !(value->type == NODE_NULL && (field->flags & FIELD_NULL_OK));

	if (field->flags & FIELD_REFUSED) {
		if (value)
			field_problem(&c, node_pair(map, field->name)->key, "%s", field->doc);
		return;
	}
	c.not_built = up->not_built || (field->flags & FIELD_NOT_BUILT);
	set_written(field, base, written);
	if (!written) {
		set_default(&c, field, slot);
		if ((field->flags & FIELD_REQUIRED) && !c.not_built)
			report_missing(&c, field, map);
		return;
	}
	if (field->type != FIELD_MAP)
		set_default(&c, field, slot);
	if (types[field->type].decode(&c, field, value, slot) && c.not_built)
		check_not_built(&c, field, value, slot);
}

static void report_unknown(
	const struct field_context *up, const struct field *fields, const struct node *key)
{
	struct field_context c = field_context_below(up, key->u.string.s, 0);
	VEC(const char *) names = VEC_INIT;
	auto_buf struct buf hint = BUF_INIT;

	for (const struct field *field = fields; field->name; field++)
		if (!(field->flags & FIELD_REFUSED))
			vec_push(&names, field->name);
	const char *near = text_suggest(key->u.string.s, names.at, names.n);
	if (near)
		buf_addf(&hint, "; did you mean %s?", near);
	for (size_t i = 0; !near && i < names.n && names.n <= KEYS_LISTED_MAX; i++)
		buf_addf(&hint, "%s%s", i ? ", " : "; known here: ", names.at[i]);
	vec_release(&names);
	field_problem(&c, key, "unknown key%s", buf_str(&hint));
}

static bool has_field(const struct field *fields, const char *name)
{
	for (; fields->name; fields++)
		if (strcmp(fields->name, name) == 0)
			return true;
	return false;
}

static void check_unknown(
	const struct field_context *c, const struct field *fields, const struct node *map)
{
	for (size_t i = 0; i < map->u.map.n; i++)
		if (!has_field(fields, map->u.map.at[i].key->u.string.s))
			report_unknown(c, fields, map->u.map.at[i].key);
}

static void decode_struct(const struct field_context *c, const struct field *fields,
	const struct node *map, void *base)
{
	size_t n_known = 0;

	if (map && map->type != NODE_MAP) {
		set_sub_defaults(c, fields, base);
		field_problem(c, map, "must be a map, is %s%s", map->type == NODE_NULL ? "" : "a ",
			node_type_name(map->type));
		return;
	}
	for (const struct field *field = fields; field->name; field++) {
		const struct node *value = node_get(map, field->name);

		n_known += value != NULL;
		decode_field(c, field, map, value, base);
	}
	if (map && n_known < map->u.map.n)
		check_unknown(c, fields, map);
}

static size_t count_problems(const struct problems *problems)
{
	return problems->n_errors + problems->n_warnings;
}

static bool decode_map(const struct field_context *c, const struct field *field,
	const struct node *value, void *slot)
{
	size_t before = count_problems(c->problems);

	decode_struct(c, field->sub, value, slot);
	return count_problems(c->problems) == before;
}

static bool decode_list(const struct field_context *c, const struct field *field,
	const struct node *value, void *slot)
{
	size_t before = count_problems(c->problems);
	struct field_list *list = slot;

	if (value->type != NODE_SEQ)
		return field_problem(c, value, "must be a list of maps, is %s%s",
			value->type == NODE_NULL ? "" : "a ", node_type_name(value->type));
	list->n = value->u.seq.n;
	list->at = arena_alloc(c->place->arena, list->n * field->sub_size);
	for (size_t i = 0; i < list->n; i++) {
		struct field_context item = field_context_below(c, NULL, i);

		decode_struct(&item, field->sub, value->u.seq.at[i],
			slot_of(list->at, i * field->sub_size));
	}
	return count_problems(c->problems) == before;
}

static bool decode_node(const struct field_context *c, const struct field *field,
	const struct node *value, void *slot)
{
	(void)c;
	(void)field;
	*(const struct node **)slot = value;
	return true;
}

bool fields_decode(const struct field *fields, const struct node *node,
	const struct field_place *place, void *ret_struct, struct problems *problems)
{
	const struct field_context top = {.place = place, .problems = problems};
	size_t before = count_problems(problems);

	decode_struct(&top, fields, node, ret_struct);
	return count_problems(problems) == before;
}

bool fields_check_unknown(const struct field *fields, const struct node *node,
	const struct field_place *place, struct problems *problems)
{
	const struct field_context top = {.place = place, .problems = problems};
	size_t before = count_problems(problems);

	check_unknown(&top, fields, node);
	return count_problems(problems) == before;
}

bool field_expect_string(const struct node *value, const struct field_place *place,
	const char *name, struct problems *problems, const char **ret_string)
{
	const struct field_context top = {.place = place, .problems = problems};
	const struct field_context c = field_context_below(&top, name, 0);
	const struct field string = {.name = name, .type = FIELD_STRING};

	return field_decode_string(&c, &string, value, ret_string);
}
