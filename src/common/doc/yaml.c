/* YAML into trees: libyaml's events, read by functions that call each other as the nodes nest. */
#include "doc/yaml.h"

#include <string.h>

#include "base/alloc.h"
#include "base/err.h"
#include "base/limits.h"
#include "base/map.h"
#include "base/text.h"
#include "doc/yaml_parts.h"

#define auto_event __attribute__((cleanup(yaml_event_delete)))

struct reader {
	yaml_parser_t parser;
	struct yaml_text text;
	struct arena *arena;
	struct problems *problems;
	struct map anchors; /* struct anchor; of one document */
	size_t n_nodes; /* with those that aliases stand for */
	unsigned deepest; /* since the innermost open anchor */
};

struct anchor {
	struct node *node; /* NULL while it is being read */
	size_t n_nodes;
	unsigned height;
};

/* Where a node stands: the way up to the root, for the path in problems. */
struct spot {
	const struct spot *up;
	const char *key; /* NULL: item `index` of a list */
	size_t index;
	unsigned depth;
	bool flow; /* what holds it is a [list] or {map} */
};

static int read_node(struct reader *r, const yaml_event_t *event, const struct spot *spot,
	struct node **ret_node);

static void add_path(struct buf *out, const struct spot *spot)
{
	if (!spot->up)
		return;
	add_path(out, spot->up);
	if (!spot->key)
		buf_addf(out, "[%zu]", spot->index);
	else
		buf_addf(out, "%s%s", out->len ? "." : "", spot->key);
}

static void __attribute__((format(printf, 5, 6))) complain(struct reader *r,
	const struct spot *spot, unsigned line, unsigned col, const char *fmt, ...)
{
	auto_buf struct buf path = BUF_INIT;
	va_list ap;

	va_start(ap, fmt);
	auto_free char *message = xvasprintf(fmt, ap);
	va_end(ap);
	add_path(&path, spot);
	problems_add(
		r->problems, PROBLEM_ERROR, r->text.file, line, col, buf_str(&path), "%s", message);
}

static unsigned line_of(const yaml_event_t *event)
{
	return (unsigned)event->start_mark.line + 1;
}

static unsigned col_of(const yaml_event_t *event)
{
	return (unsigned)event->start_mark.column + 1;
}

static int next_event(struct reader *r, yaml_event_t *event)
{
	if (yaml_parser_parse(&r->parser, event))
		return 0;
	if (r->parser.error == YAML_MEMORY_ERROR)
		BUG("libyaml is out of memory");
	yaml_explain(&r->parser, &r->text, r->problems);
	return -ERR_CONFIG;
}

static struct node *new_node(struct reader *r, const yaml_event_t *event, const struct spot *spot)
{
	struct node *n = arena_alloc(r->arena, sizeof(*n));

	n->line = line_of(event);
	n->col = col_of(event);
	n->flow = spot->flow;
	return n;
}

/* Line ends and tabs are text; all else below space is an accident or an attack. */
static bool has_control(const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)s[i];

		if ((c < 0x20 && c != '\n' && c != '\t') || c == 0x7f)
			return true;
		if (c == 0xc2 && i + 1 < len && (unsigned char)s[i + 1] < 0xa0)
			return true;
	}
	return false;
}

/* A node of the scalar's text, without a type yet; a NUL inside is reported and left out with what
 * follows. */
static struct node *new_scalar(struct reader *r, const yaml_event_t *event, const struct spot *spot)
{
	struct node *n = new_node(r, event, spot);
	const char *value = (const char *)event->data.scalar.value;
	size_t len = event->data.scalar.length;

	n->u.text = arena_memdupz(r->arena, value, len);
	n->quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
	if (has_control(value, len))
		complain(r, spot, n->line, n->col, "a control character in this text; take it out");
	return n;
}

/* A tag as people write it: "!!int". */
static void complain_of_tag(
	struct reader *r, const struct spot *spot, const struct node *n, const char *tag)
{
	static const char prefix[] = "tag:yaml.org,2002:";
	bool standard = text_has_prefix(tag, prefix);
	const char *mark = standard ? "!!" : "";
	const char *name = standard ? tag + strlen(prefix) : tag;

	if (yaml_tag_type(tag) == NODE__COUNT)
		complain(r, spot, n->line, n->col,
			"the tag %s%s is not supported; take it out, or put a value that begins "
			"with ! in quotes",
			mark, name);
	else
		complain(r, spot, n->line, n->col,
			"the value is not what its tag %s%s says; take the tag out", mark, name);
}

static struct node *read_scalar(
	struct reader *r, const yaml_event_t *event, const struct spot *spot)
{
	struct node *n = new_scalar(r, event, spot);
	const char *tag = (const char *)event->data.scalar.tag;

	if (tag) {
		if (!yaml_resolve_as(n, yaml_tag_type(tag)))
			complain_of_tag(r, spot, n, tag);
	} else if (n->quoted) {
		yaml_set_string(n);
	} else {
		yaml_resolve_plain(n);
	}
	return n;
}

static void check_collection_tag(
	struct reader *r, const struct spot *spot, const struct node *n, const yaml_char_t *tag)
{
	if (tag && yaml_tag_type((const char *)tag) != n->type)
		complain_of_tag(r, spot, n, (const char *)tag);
}

/* Counts a node, or all that an alias stands for, at the depth it reaches. */
static int count_nodes(struct reader *r, const yaml_event_t *event, size_t n_nodes, unsigned depth)
{
	const char *what = NULL;

	r->n_nodes += n_nodes;
	if (depth > r->deepest)
		r->deepest = depth;
	if (depth > LIMIT_YAML_DEPTH)
		what = "nested too deep";
	else if (r->n_nodes > LIMIT_YAML_NODES)
		what = "too many values in one file, counting what aliases stand for; split it";
	if (!what)
		return 0;
	problems_add(r->problems, PROBLEM_ERROR, r->text.file, line_of(event), col_of(event), "",
		"%s", what);
	return -ERR_LIMIT;
}

static int read_alias(struct reader *r, const yaml_event_t *event, const struct spot *spot,
	struct node **ret_node)
{
	const char *name = (const char *)event->data.alias.anchor;
	const struct anchor *anchor = map_get(&r->anchors, name);

	if (!anchor || !anchor->node) {
		complain(r, spot, line_of(event), col_of(event),
			anchor ? "*%s stands inside what &%s names"
			       : "there is no &%s above that *%s could mean; put a pattern in "
				 "quotes",
			name, name);
		*ret_node = new_node(r, event, spot);
		return 0;
	}
	*ret_node = anchor->node;
	return count_nodes(r, event, anchor->n_nodes, spot->depth + anchor->height);
}

static int read_seq(struct reader *r, const yaml_event_t *start, const struct spot *spot,
	struct node **ret_node)
{
	struct node *seq = *ret_node = new_node(r, start, spot);

	seq->type = NODE_SEQ;
	seq->flow = start->data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE;
	check_collection_tag(r, spot, seq, start->data.sequence_start.tag);
	for (;;) {
		const struct spot item_spot = {
			spot, NULL, seq->u.seq.n, spot->depth + 1, seq->flow};
		auto_event yaml_event_t event;
		struct node *item;
		int rc = next_event(r, &event);

		if (rc < 0 || event.type == YAML_SEQUENCE_END_EVENT)
			return rc;
		rc = read_node(r, &event, &item_spot, &item);
		if (rc < 0)
			return rc;
		node_seq_add(r->arena, seq, item);
	}
}

/* The key as a string, whatever its type would be as a value. NULL, with a problem, if it is none.
 */
static int read_key(
	struct reader *r, const yaml_event_t *event, const struct spot *spot, struct node **ret_key)
{
	struct node *key;
	int rc = read_node(r, event, spot, &key);

	*ret_key = NULL;
	if (rc < 0)
		return rc;
	if (!node_text(key) || (!key->quoted && !*key->u.text)) {
		complain(r, spot->up, line_of(event), col_of(event),
			"a key must be a string; put it in quotes");
		return 0;
	}
	struct node *string = arena_alloc(r->arena, sizeof(*string));
	*string = *key;
	string->line = line_of(event);
	string->col = col_of(event);
	string->ambiguity = AMBIGUOUS_NOT;
	yaml_set_string(string);
	*ret_key = string;
	return 0;
}

static bool is_merge_key(const struct node *key)
{
	return !key->quoted && strcmp(key->u.text, "<<") == 0;
}

static void merge_map(
	struct reader *r, const struct spot *spot, struct node *map, const struct node *from)
{
	if (from->type != NODE_MAP) {
		complain(r, spot, from->line, from->col,
			"<< takes a map or a list of maps, not a %s", node_type_name(from->type));
		return;
	}
	for (size_t i = 0; i < from->u.map.n; i++) {
		const struct node_pair *pair = &from->u.map.at[i];

		if (!node_get(map, pair->key->u.string.s))
			node_map_add(r->arena, map, pair->key, pair->value);
	}
}

/* What is written wins over what is merged, and of several maps the first. */
static void merge(
	struct reader *r, const struct spot *spot, struct node *map, const struct node *from)
{
	if (from->type != NODE_SEQ) {
		merge_map(r, spot, map, from);
		return;
	}
	for (size_t i = 0; i < from->u.seq.n; i++)
		merge_map(r, spot, map, from->u.seq.at[i]);
}

static void add_pair(struct reader *r, const struct spot *spot, struct node *map, struct node *key,
	struct node *value)
{
	const struct node_pair *before = node_pair(map, key->u.string.s);

	if (before)
		complain(r, spot, key->line, key->col,
			"the same key stands at line %u, column %u; take one of them out",
			before->key->line, before->key->col);
	else
		node_map_add(r->arena, map, key, value);
}

/* `map` is what was read so far; sets ret_merged to the value of a merge key. */
static int read_pair(struct reader *r, const yaml_event_t *key_event, const struct spot *spot,
	struct node *map, const struct node **ret_merged)
{
	struct spot pair_spot = {spot, "?", 0, spot->depth + 1, map->flow};
	auto_event yaml_event_t event = {.type = YAML_NO_EVENT};
	struct node *key, *value = NULL;
	int rc = read_key(r, key_event, &pair_spot, &key);

	if (rc < 0)
		return rc;
	if (key)
		pair_spot.key = key->u.string.s;
	rc = next_event(r, &event);
	if (rc == 0)
		rc = read_node(r, &event, &pair_spot, &value);
	if (rc < 0 || !key)
		return rc;
	if (!is_merge_key(key))
		add_pair(r, &pair_spot, map, key, value);
	else if (*ret_merged)
		complain(r, &pair_spot, key->line, key->col,
			"<< stands twice in one map; give it a list");
	else
		*ret_merged = value;
	return 0;
}

static int read_map(struct reader *r, const yaml_event_t *start, const struct spot *spot,
	struct node **ret_node)
{
	struct node *map = *ret_node = new_node(r, start, spot);
	const struct node *merged = NULL;

	map->type = NODE_MAP;
	map->flow = start->data.mapping_start.style == YAML_FLOW_MAPPING_STYLE;
	check_collection_tag(r, spot, map, start->data.mapping_start.tag);
	for (;;) {
		auto_event yaml_event_t event;
		int rc = next_event(r, &event);

		if (rc < 0)
			return rc;
		if (event.type == YAML_MAPPING_END_EVENT)
			break;
		rc = read_pair(r, &event, spot, map, &merged);
		if (rc < 0)
			return rc;
	}
	if (merged)
		merge(r, spot, map, merged);
	return 0;
}

static const char *anchor_of(const yaml_event_t *event)
{
	const yaml_char_t *name = NULL;

	if (event->type == YAML_SCALAR_EVENT)
		name = event->data.scalar.anchor;
	else if (event->type == YAML_SEQUENCE_START_EVENT)
		name = event->data.sequence_start.anchor;
	else if (event->type == YAML_MAPPING_START_EVENT)
		name = event->data.mapping_start.anchor;
	return (const char *)name;
}

static int read_content(struct reader *r, const yaml_event_t *event, const struct spot *spot,
	struct node **ret_node)
{
	int rc = count_nodes(r, event, 1, spot->depth);

	if (rc < 0)
		return rc;
	if (event->type == YAML_SEQUENCE_START_EVENT)
		return read_seq(r, event, spot, ret_node);
	if (event->type == YAML_MAPPING_START_EVENT)
		return read_map(r, event, spot, ret_node);
	*ret_node = read_scalar(r, event, spot);
	return 0;
}

/* An anchor remembers how much its node holds, so that aliases of aliases are counted without
 * following them. */
static int read_anchored(struct reader *r, const yaml_event_t *event, const struct spot *spot,
	const char *name, struct node **ret_node)
{
	struct anchor *anchor = arena_alloc(r->arena, sizeof(*anchor));
	size_t nodes_before = r->n_nodes;
	unsigned deepest_before = r->deepest;

	map_put(&r->anchors, name, anchor);
	r->deepest = spot->depth;
	int rc = read_content(r, event, spot, ret_node);
	if (rc == 0)
		*anchor = (struct anchor){
			*ret_node, r->n_nodes - nodes_before, r->deepest - spot->depth};
	if (r->deepest < deepest_before)
		r->deepest = deepest_before;
	return rc;
}

static int read_node(struct reader *r, const yaml_event_t *event, const struct spot *spot,
	struct node **ret_node)
{
	const char *name = anchor_of(event);

	if (event->type == YAML_ALIAS_EVENT)
		return read_alias(r, event, spot, ret_node);
	return name ? read_anchored(r, event, spot, name, ret_node)
		    : read_content(r, event, spot, ret_node);
}

/* Nothing but comments between two document marks. */
static bool is_empty_document(const struct node *root)
{
	return root->type == NODE_NULL && !root->quoted && root->u.text && !*root->u.text;
}

static int read_document(struct reader *r, struct yaml_docs *docs)
{
	const struct spot root_spot = {.depth = 1};
	auto_event yaml_event_t event = {.type = YAML_NO_EVENT};
	auto_event yaml_event_t end = {.type = YAML_NO_EVENT};
	struct node *root = NULL;

	map_clear(&r->anchors);
	int rc = next_event(r, &event);
	if (rc == 0)
		rc = read_node(r, &event, &root_spot, &root);
	if (rc == 0)
		rc = next_event(r, &end);
	if (rc == 0 && !is_empty_document(root))
		vec_push(docs, root);
	return rc;
}

static int read_stream(struct reader *r, struct yaml_docs *docs)
{
	for (;;) {
		auto_event yaml_event_t event;
		int rc = next_event(r, &event);

		if (rc < 0 || event.type == YAML_STREAM_END_EVENT)
			return rc;
		if (event.type == YAML_DOCUMENT_START_EVENT)
			rc = read_document(r, docs);
		if (rc < 0)
			return rc;
	}
}

int yaml_parse(const char *file, const char *text, size_t len, struct yaml_docs *ret_docs,
	struct problems *problems)
{
	struct reader r = {
		.text = {file, text, len}, .arena = &ret_docs->arena, .problems = problems};
	size_t errors_before = problems->n_errors;
	size_t docs_before = ret_docs->n;
	int rc = yaml_check_text(&r.text, problems);

	if (rc < 0)
		return rc;
	if (!yaml_parser_initialize(&r.parser))
		BUG("libyaml is out of memory");
	yaml_parser_set_encoding(&r.parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&r.parser, (const unsigned char *)r.text.at, r.text.len);
	rc = read_stream(&r, ret_docs);
	yaml_parser_delete(&r.parser);
	map_release(&r.anchors);
	if (rc == 0 && problems->n_errors > errors_before)
		rc = -ERR_CONFIG;
	if (rc < 0)
		ret_docs->n = docs_before;
	return rc;
}

void yaml_docs_release(struct yaml_docs *docs)
{
	vec_release(docs);
	arena_release(&docs->arena);
}
