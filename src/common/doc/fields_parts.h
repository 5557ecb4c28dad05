/*
 * What the files that work from field tables share.
 */
#ifndef DOC_FIELDS_PARTS_H
#define DOC_FIELDS_PARTS_H

#include <stdbool.h>
#include <stddef.h>

#include "doc/fields.h"

/* Where decoding has got to: a chain up to the map at place->path, from which the path in a problem
 * is made. */
struct field_context {
	const struct field_place *place;
	struct problems *problems;
	const struct field_context *up;
	const char *name; /* NULL: item `index` of a list, or the map at the top */
	size_t index;
	bool not_built; /* inside a map that is not built yet */
};

struct field_context field_context_below(
	const struct field_context *up, const char *name, size_t index);
/* A problem at `at`, whose place is unknown if it is NULL. Returns false. */
bool field_problem(const struct field_context *c, const struct node *at, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Says what was expected and what there is. Returns false. */
bool field_wrong_type(
	const struct field_context *c, const struct node *value, const char *expected);

/* Decodes a value that is there into its slot; false if a problem was added. One for each type. */
typedef bool (*field_decode_fn)(const struct field_context *c, const struct field *field,
	const struct node *value, void *slot);

bool field_decode_string(const struct field_context *c, const struct field *field,
	const struct node *value, void *slot);
bool field_decode_bool(const struct field_context *c, const struct field *field,
	const struct node *value, void *slot);
bool field_decode_int(const struct field_context *c, const struct field *field,
	const struct node *value, void *slot);
bool field_decode_duration(const struct field_context *c, const struct field *field,
	const struct node *value, void *slot);
bool field_decode_time(const struct field_context *c, const struct field *field,
	const struct node *value, void *slot);
bool field_decode_choice(const struct field_context *c, const struct field *field,
	const struct node *value, void *slot);
bool field_decode_strings(const struct field_context *c, const struct field *field,
	const struct node *value, void *slot);
bool field_decode_string_map(const struct field_context *c, const struct field *field,
	const struct node *value, void *slot);
bool field_decode_count_or_percent(const struct field_context *c, const struct field *field,
	const struct node *value, void *slot);

/* The default as a tree, typed as the field wants it; NULL if there is none. */
struct node *field_default_node(struct arena *a, const struct field *field);
/* "a, b or c" */
void field_add_choices(struct buf *out, const char *const *choices);

#endif
