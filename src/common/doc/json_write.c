/* JSON out. */
#include "doc/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"

#define REAL_TEXT_MAX 32

struct writer {
	struct buf *out;
	enum json_style style;
	int depth;
};

static void write_node(struct writer *w, const struct node *n);

static void break_line(const struct writer *w)
{
	if (w->style == JSON_STYLE_PRETTY)
		buf_addf(w->out, "\n%*s", w->depth * 2, "");
}

static void begin_item(const struct writer *w, bool first)
{
	if (!first)
		buf_addc(w->out, ',');
	break_line(w);
}

static void write_seq(struct writer *w, const struct node *n)
{
	buf_addc(w->out, '[');
	w->depth++;
	for (size_t i = 0; i < n->u.seq.n; i++) {
		begin_item(w, i == 0);
		write_node(w, n->u.seq.at[i]);
	}
	w->depth--;
	if (n->u.seq.n)
		break_line(w);
	buf_addc(w->out, ']');
}

static int compare_keys(const void *a, const void *b)
{
	const struct node_pair *left = a, *right = b;

	return strcmp(left->key->u.string.s, right->key->u.string.s);
}

/* The pairs in the order of the style; `ret_owned` is what the caller has to free. */
static const struct node_pair *order_pairs(
	const struct writer *w, const struct node *n, void **ret_owned)
{
	size_t size = n->u.map.n * sizeof(*n->u.map.at);

	*ret_owned = NULL;
	if (w->style != JSON_STYLE_CANONICAL || n->u.map.n < 2)
		return n->u.map.at;
	struct node_pair *sorted = *ret_owned = xmalloc(size);
	memcpy(sorted, n->u.map.at, size);
	qsort(sorted, n->u.map.n, sizeof(*sorted), compare_keys);
	return sorted;
}

static void write_map(struct writer *w, const struct node *n)
{
	auto_free void *owned;
	const struct node_pair *pairs = order_pairs(w, n, &owned);

	buf_addc(w->out, '{');
	w->depth++;
	for (size_t i = 0; i < n->u.map.n; i++) {
		begin_item(w, i == 0);
		json_write_string(w->out, pairs[i].key->u.string.s);
		buf_adds(w->out, w->style == JSON_STYLE_PRETTY ? ": " : ":");
		write_node(w, pairs[i].value);
	}
	w->depth--;
	if (n->u.map.n)
		break_line(w);
	buf_addc(w->out, '}');
}

/* The shortest digits that read back as the same number; with a point or an exponent, so that it
 * stays a real. */
static void write_real(struct writer *w, double real)
{
	char text[REAL_TEXT_MAX];
	int64_t whole;

	if (!isfinite(real)) {
		buf_adds(w->out, "null");
		return;
	}
	if (w->style == JSON_STYLE_CANONICAL && node_real_as_int(real, &whole)) {
		buf_addf(w->out, "%" PRId64, whole);
		return;
	}
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, real);
		if (strtod(text, NULL) == real)
			break;
	}
	buf_adds(w->out, text);
	if (!strpbrk(text, ".e"))
		buf_adds(w->out, ".0");
}

static void write_node(struct writer *w, const struct node *n)
{
	switch (n->type) {
	case NODE_NULL:
		buf_adds(w->out, "null");
		return;
	case NODE_BOOL:
		buf_adds(w->out, n->u.boolean ? "true" : "false");
		return;
	case NODE_INT:
		buf_addf(w->out, "%" PRId64, n->u.integer);
		return;
	case NODE_REAL:
		write_real(w, n->u.real);
		return;
	case NODE_STRING:
		text_quote_json(w->out, n->u.string.s, n->u.string.len);
		return;
	case NODE_SEQ:
		write_seq(w, n);
		return;
	case NODE_MAP:
		write_map(w, n);
		return;
	case NODE__COUNT:
		break;
	}
	BUG("a node of type %d", (int)n->type);
}

void json_write(struct buf *out, const struct node *n, enum json_style style)
{
	struct writer w = {out, style, 0};

	write_node(&w, n);
}

void json_write_text(struct buf *out, const struct node *n)
{
	json_write(out, n, JSON_STYLE_PRETTY);
	buf_addc(out, '\n');
}

void json_write_string(struct buf *out, const char *s)
{
	text_quote_json(out, s, strlen(s));
}
