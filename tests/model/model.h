/*
 * What a history is about: a few replicators with a handful of fields, whose values are small
 * numbers. Git, the reference API and what the engine sends are all read into these numbers, so
 * that what should be can be said in a line of C, and owes nothing to how weir says it.
 */
#ifndef TEST_MODEL_H
#define TEST_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "doc/node.h"

enum { WHO__COUNT = 4 };
extern const char *const who_names[WHO__COUNT + 1]; /* NULL at the end */

enum field_of { /* fields of the body, and single keys of its advanced_configuration */
	F_TOPICS,
	F_SOURCE,
	F_GROUPS,
	F_SKIPS,
	F_THRESHOLD,
	F_UNIT,
	F_LINGER,
	F_TASKS,
	F_POLL,
	F__COUNT
};

#define F_KEYS F_LINGER /* from here on they are keys */

struct field_row {
	const char *name; /* in a history */
	const char *wire; /* the API's field, or the key */
	enum { VALUE_PATTERNS, VALUE_NUMBER, VALUE_UNIT, VALUE_CLUSTER } kind;
	bool immutable;
	bool stays; /* cannot be reset */
	int most; /* values are 1 … most; 0 is absent */
};
extern const struct field_row field_rows[F__COUNT];
extern const char *const field_names[F__COUNT + 1];

struct body {
	int v[F__COUNT];
};

/* To the API, two values may mean the same. */
bool same_value(enum field_of f, int a, int b);
/* One value, as JSON, which is YAML too. */
void write_value(struct buf *out, enum field_of f, int who, int value);
/* "spec" of a body: JSON without the braces. */
void write_body(struct buf *out, int who, const struct body *b);
/* 0 for null and empty. */
int read_value(enum field_of f, const struct node *value);
/* Fields that a map has: bit per field. Keys of the map: all of them, if the map is there. */
unsigned read_body(const struct node *map, struct body *b);

enum breakage { LOADS, BREAKS_DOCUMENT, BREAKS_FILE, BREAKS_TWICE };

#define WRITTEN_NULL (-1)

/* A document in Git. */
struct doc {
	bool exists;
	bool moved; /* stands in another file */
	enum breakage breakage;
	int v[F__COUNT]; /* as written: 0 is not, WRITTEN_NULL is an explicit null */
	/* sync */
	bool report, heal; /* mode */
	bool protect;
	bool suspend;
	bool orphan; /* on_remove */
	bool replace;
	unsigned ignore; /* bit per field */
	unsigned depends; /* bit per replicator: earlier ones only */
};

struct tree {
	struct doc doc[WHO__COUNT];
	bool path_gone;
};

/* Neither required nor immutable. */
bool may_be_ignored(enum field_of f);
/* What a document says of a field; 0: nothing. */
int doc_value(const struct doc *d, enum field_of f);
/* By the model's own judgement; two documents of one name fail both. */
bool doc_loads(const struct doc *d);
bool tree_loads(const struct tree *t);
/* ... and what it depends on is declared. */
bool doc_counts(const struct tree *t, int who);

#endif
