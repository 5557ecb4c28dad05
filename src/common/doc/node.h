/*
 * One tree for YAML, JSON and what we make ourselves. Nodes live in an arena and are never freed
 * one by one; a node that is part of two trees (a YAML alias) is shared, so a tree that came from a
 * parser is read only. Each node from YAML knows its line and column.
 */
#ifndef DOC_NODE_H
#define DOC_NODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"

enum node_type {
	NODE_NULL,
	NODE_BOOL,
	NODE_INT,
	NODE_REAL,
	NODE_STRING,
	NODE_SEQ,
	NODE_MAP,
	NODE__COUNT
} __attribute__((packed)); /* a node has room for a byte */

/* Plain YAML scalars that YAML 1.1 and 1.2 read differently: refused, with a hint to quote, where a
 * string is wanted. Their `type` is what YAML 1.2's core schema says. */
enum node_ambiguity {
	AMBIGUOUS_NOT,
	AMBIGUOUS_BOOL, /* yes no on off y n */
	AMBIGUOUS_OCTAL, /* 012, 0o14 */
	AMBIGUOUS_SEXAGESIMAL, /* 1:30 */
	AMBIGUOUS_NUMBER, /* 1_000, 0b11, 1e3 */
	AMBIGUOUS_DATE /* 2026-11-30 */
} __attribute__((packed));

struct node_pair {
	struct node *key; /* always NODE_STRING */
	struct node *value;
};

/* Kept small: most of the memory of both programs is these. */
struct node {
	enum node_type type;
	enum node_ambiguity ambiguity;
	bool quoted; /* a scalar that was not plain */
	bool flow; /* a [list] or {map}, or a scalar directly in one */
	unsigned line; /* from 1; 0 where it came from no text */
	unsigned col;
	unsigned origin; /* in a tree made of several: which it came from, as who made it counts
			    them; else 0 */
	union {
		struct { /* a scalar; see node_text */
			const char *text;
			union {
				bool boolean;
				int64_t integer;
				double real;
			};
		};
		struct {
			const char *s; /* its text; ended by a NUL, and without one inside */
			size_t len;
		} string;
		struct {
			struct node **at;
			uint32_t n;
			uint32_t cap;
		} seq;
		struct {
			struct node_pair *at; /* keys are unique, in the order written */
			uint32_t n;
			uint32_t cap;
		} map;
	} u;
};

_Static_assert(sizeof(struct node) <= 32, "a node is small");

/* "string", "list", "map", …: for messages. */
const char *node_type_name(enum node_type type);
/* A string; another scalar as it was written in YAML, after unquoting; else NULL. */
const char *node_text(const struct node *n);

struct node *node_null(struct arena *a);
struct node *node_bool(struct arena *a, bool value);
struct node *node_int(struct arena *a, int64_t value);
struct node *node_real(struct arena *a, double value);
struct node *node_string(struct arena *a, const char *value);
struct node *node_stringn(struct arena *a, const char *value, size_t len);
struct node *node_seq(struct arena *a);
struct node *node_map(struct arena *a);
void node_seq_add(struct arena *a, struct node *seq, struct node *value);
/* Replaces the value if the key is there. */
void node_map_set(struct arena *a, struct node *map, const char *key, struct node *value);

/* For parsers: adds a pair whose key is not there yet; the key's node keeps its place. */
void node_map_add(struct arena *a, struct node *map, struct node *key, struct node *value);
/* Room for that many pairs, of which it has fewer. */
void node_map_reserve(struct arena *a, struct node *map, uint32_t cap);

/* NULL if there is none, or if `map` is NULL or no map. Quick also where there are many keys. */
struct node *node_get(const struct node *map, const char *key);
/* As above, the pair: for the place of the key. */
const struct node_pair *node_pair(const struct node *map, const char *key);
/* The string of a NODE_STRING below `map`, else NULL. */
const char *node_get_string(const struct node *map, const char *key);
bool node_get_int(const struct node *map, const char *key, int64_t *ret_value);
bool node_get_bool(const struct node *map, const char *key, bool *ret_value);

/* By value: 1 equals 1.0; maps without regard to order; places, styles and `text` do not count.
 * NULL equals NULL only. */
bool node_equal(const struct node *a, const struct node *b);
/* Whether a real is a whole number that 64 bits hold, and which. */
bool node_real_as_int(double real, int64_t *ret_value);
/* A deep copy into another arena, places included. */
struct node *node_copy(struct arena *a, const struct node *n);
/* The same, all of it with that origin. */
struct node *node_copy_from(struct arena *a, const struct node *n, unsigned origin);

/*
 * `over` on top of `base`: maps merge, key by key; of all else, lists too, `over` stands as it is,
 * a null included. NULL is absent. Shares nodes with both.
 */
const struct node *node_merge(struct arena *a, const struct node *base, const struct node *over);
/* Without the keys whose value is null, in maps within maps too; the very node if there are none.
 */
const struct node *node_without_nulls(struct arena *a, const struct node *n);

#endif
