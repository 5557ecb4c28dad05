/*
 * Tables that say what a map may hold. From one table come checking, decoding into a struct,
 * defaults, "did you mean", JSON Schema and the reference in the man pages:
 *
 *	static const struct field prune_fields[] = {
 *		{.name = "enabled", .type = FIELD_BOOL, .def = "false",
 *			.offset = offsetof(struct prune, enabled),
 *			.doc = "Delete replicators whose file is gone from Git."},
 *		…
 *		{.name = NULL},
 *	};
 *
 *	fields_decode(prune_fields, node, &where, &prune, problems);
 *
 * Strings and lists in the decoded struct point into the tree: the arena must outlive the struct.
 */
#ifndef DOC_FIELDS_H
#define DOC_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "doc/node.h"
#include "doc/problem.h"

enum field_type {
	FIELD_STRING, /* const char * */
	FIELD_BOOL, /* bool */
	FIELD_INT, /* int64_t, within min…max */
	FIELD_DURATION, /* int64_t milliseconds, from "30s"; min…max in milliseconds */
	FIELD_TIME, /* int64_t wall milliseconds, from RFC 3339 */
	FIELD_CHOICE, /* int: index into choices */
	FIELD_MAP, /* the struct at offset, by the table `sub` */
	FIELD_LIST, /* struct field_list of structs of `sub_size`, each by `sub` */
	FIELD_STRINGS, /* const struct node *, a list of strings; or one string if FIELD_ONE_OK */
	FIELD_STRING_MAP, /* const struct node *, a map whose values are strings */
	FIELD_COUNT_OR_PERCENT, /* struct count_or_percent, from 3 or "10%" */
	FIELD_NODE, /* const struct node *, anything */
	FIELD__COUNT
};

enum field_flags {
	FIELD_REQUIRED = 1 << 0,
	FIELD_NULL_OK = 1 << 1, /* null reads as absent */
	FIELD_ONE_OK = 1 << 2,
	FIELD_SECRET = 1 << 3, /* env:NAME, file:PATH or systemd:NAME; never the secret itself */
	FIELD_NOT_BUILT =
		1 << 4, /* documented: accepted at its default, an error at any other value */
	FIELD_REFUSED = 1 << 5 /* belongs elsewhere: always an error, which is `doc`; takes no
				  room, and stands in no schema and no reference */
};

struct count_or_percent {
	int64_t value;
	bool percent;
};

struct field_list {
	void *at; /* array of structs, in the arena */
	size_t n;
};

struct field {
	const char *name;
	enum field_type type;
	unsigned flags;
	size_t offset;
	size_t has_offset; /* + 1 of a bool that is set when the field was written; 0: none */
	int64_t min;
	int64_t max; /* 0: no upper limit */
	const char *const *choices; /* ended by NULL */
	const char *def; /* as it would be written in YAML; NULL: zero, absent */
	const struct field *sub;
	size_t sub_size;
	const char *doc; /* a sentence or two for the reference */
};

/* Where in which document the map stands. */
struct field_place {
	struct arena *arena;
	const char *file; /* for problems; may be NULL */
	const char *path; /* of the map, "" at the top */
	const char *const *files; /* of a tree made of several: by node.origin, where that is not 0
				   */
};

/* The file that a node of the document came from. */
const char *field_place_file(const struct field_place *place, const struct node *node);

/*
 * Sets every field to its default, then checks and decodes what is written; what is not in the
 * table is a problem (fields_check_unknown is for maps that are decoded in another way). Adds
 * problems and goes on, so all of them are found. `node` NULL: defaults only (required fields are
 * problems at `place`). True if nothing was added.
 */
bool fields_decode(const struct field *fields, const struct node *node,
	const struct field_place *place, void *ret_struct, struct problems *problems);
/* Problems for keys of `node` that are not in the table, with a "did you mean". */
bool fields_check_unknown(const struct field *fields, const struct node *node,
	const struct field_place *place, struct problems *problems);
/* A string, or a problem that says what it is instead, with the hint to quote where that helps. */
bool field_expect_string(const struct node *value, const struct field_place *place,
	const char *name, struct problems *problems, const char **ret_string);

/* The JSON Schema (2020-12) of a map with these fields. */
struct node *fields_schema(struct arena *a, const struct field *fields);
/* A mdoc list of the fields, for the man pages. */
void fields_mdoc(const struct field *fields, const char *prefix, struct buf *out);

#endif
