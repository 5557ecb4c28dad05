/* Nodes: making, comparing and copying them. Maps have their own file. */
#include "doc/node.h"

#include <string.h>

static const char *const type_names[NODE__COUNT] = {
	[NODE_NULL] = "null",
	[NODE_BOOL] = "boolean",
	[NODE_INT] = "whole number",
	[NODE_REAL] = "number",
	[NODE_STRING] = "string",
	[NODE_SEQ] = "list",
	[NODE_MAP] = "map",
};

const char *node_type_name(enum node_type type)
{
	return type_names[type];
}

static bool is_scalar(const struct node *n)
{
	return n->type < NODE_SEQ;
}

const char *node_text(const struct node *n)
{
	return is_scalar(n) ? n->u.text : NULL;
}

static struct node *new_node(struct arena *a, enum node_type type)
{
	struct node *n = arena_alloc(a, sizeof(*n));

	n->type = type;
	return n;
}

struct node *node_null(struct arena *a)
{
	return new_node(a, NODE_NULL);
}

struct node *node_bool(struct arena *a, bool value)
{
	struct node *n = new_node(a, NODE_BOOL);

	n->u.boolean = value;
	return n;
}

struct node *node_int(struct arena *a, int64_t value)
{
	struct node *n = new_node(a, NODE_INT);

	n->u.integer = value;
	return n;
}

struct node *node_real(struct arena *a, double value)
{
	struct node *n = new_node(a, NODE_REAL);

	n->u.real = value;
	return n;
}

struct node *node_string(struct arena *a, const char *value)
{
	return node_stringn(a, value, strlen(value));
}

struct node *node_stringn(struct arena *a, const char *value, size_t len)
{
	struct node *n = new_node(a, NODE_STRING);

	n->u.string.s = arena_memdupz(a, value, len);
	n->u.string.len = len;
	return n;
}

struct node *node_seq(struct arena *a)
{
	return new_node(a, NODE_SEQ);
}

struct node *node_map(struct arena *a)
{
	return new_node(a, NODE_MAP);
}

void node_seq_add(struct arena *a, struct node *seq, struct node *value)
{
	if (seq->u.seq.n == seq->u.seq.cap) {
		uint32_t cap = seq->u.seq.cap ? seq->u.seq.cap * 2 : 4;
		struct node **grown = arena_alloc(a, cap * sizeof(struct node *));

		if (seq->u.seq.n)
			memcpy(grown, seq->u.seq.at, seq->u.seq.n * sizeof(struct node *));
		seq->u.seq.at = grown;
		seq->u.seq.cap = cap;
	}
	seq->u.seq.at[seq->u.seq.n++] = value;
}

static bool equal_seqs(const struct node *a, const struct node *b)
{
	if (a->u.seq.n != b->u.seq.n)
		return false;
	for (size_t i = 0; i < a->u.seq.n; i++)
		if (!node_equal(a->u.seq.at[i], b->u.seq.at[i]))
			return false;
	return true;
}

static bool equal_maps(const struct node *a, const struct node *b)
{
	if (a->u.map.n != b->u.map.n)
		return false;
	for (size_t i = 0; i < a->u.map.n; i++) {
		const struct node_pair *pair = &a->u.map.at[i];

		if (!node_equal(pair->value, node_get(b, pair->key->u.string.s)))
			return false;
	}
	return true;
}

bool node_real_as_int(double real, int64_t *ret_value)
{
	if (!(real >= -0x1p63 && real < 0x1p63) || (double)(int64_t)real != real)
		return false;
	*ret_value = (int64_t)real;
	return true;
}

static bool equals_real(int64_t integer, double real)
{
	int64_t whole;

	return node_real_as_int(real, &whole) && whole == integer;
}

bool node_equal(const struct node *a, const struct node *b)
{
	if (!a || !b || a == b)
		return a == b;
	if (a->type == NODE_INT && b->type == NODE_REAL)
		return equals_real(a->u.integer, b->u.real);
	if (a->type == NODE_REAL && b->type == NODE_INT)
		return equals_real(b->u.integer, a->u.real);
	if (a->type != b->type)
		return false;
	switch (a->type) {
	case NODE_NULL:
		return true;
	case NODE_BOOL:
		return a->u.boolean == b->u.boolean;
	case NODE_INT:
		return a->u.integer == b->u.integer;
	case NODE_REAL:
		return a->u.real == b->u.real;
	case NODE_STRING:
		return a->u.string.len == b->u.string.len &&
		       strcmp(a->u.string.s, b->u.string.s) == 0;
	case NODE_SEQ:
		return equal_seqs(a, b);
	case NODE_MAP:
		return equal_maps(a, b);
	case NODE__COUNT:
		break;
	}
	return false;
}

/* With room for what there is and no more. */
static void copy_children(struct arena *a, struct node *copy, const struct node *n)
{
	if (n->type == NODE_SEQ) {
		memset(&copy->u.seq, 0, sizeof(copy->u.seq));
		copy->u.seq.cap = n->u.seq.n;
		copy->u.seq.at = arena_alloc(a, n->u.seq.n * sizeof(struct node *));
		for (size_t i = 0; i < n->u.seq.n; i++)
			node_seq_add(a, copy, node_copy(a, n->u.seq.at[i]));
	} else if (n->type == NODE_MAP) {
		memset(&copy->u.map, 0, sizeof(copy->u.map));
		node_map_reserve(a, copy, n->u.map.n);
		for (size_t i = 0; i < n->u.map.n; i++)
			node_map_add(a, copy, node_copy(a, n->u.map.at[i].key),
				node_copy(a, n->u.map.at[i].value));
	}
}

struct node *node_copy(struct arena *a, const struct node *n)
{
	struct node *copy = new_node(a, n->type);

	*copy = *n;
	if (node_text(n))
		copy->u.text = arena_strdup(a, n->u.text);
	copy_children(a, copy, n);
	return copy;
}
