/* The settings of a replicator and where they come from, for people and for programs. */
#include "cli/provenance.h"

#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "doc/json.h"
#include "model/explain.h"
#include "plan/render.h"

#define FORMAT_VERSION "1.0"
#define NAME_WIDTH_MAX 48 /* longer ones push the rest of their line aside */

static const char *const kind_names[] = {
	[ORIGIN_DOCUMENT] = "KafkaReplicator",
	[ORIGIN_DEFAULTS] = "Defaults",
	[ORIGIN_CLUSTER] = "KafkaCluster",
};

/* As plans show it; what is not of the API is shown as it is written. */
static void add_value(struct buf *out, const struct explained *s, const struct node *value)
{
	auto_buf struct buf json = BUF_INIT;

	if (value->type == NODE_NULL) {
		buf_adds(out, "null");
	} else if (s->field != SPEC__COUNT) {
		plan_value_text(out, s->field, s->key, value);
	} else if (node_text(value)) {
		plan_add_text(out, node_text(value));
	} else {
		json_write(&json, value, JSON_STYLE_COMPACT);
		plan_add_text(out, buf_str(&json));
	}
}

static void add_place(struct buf *out, const struct origin *origin)
{
	plan_add_text(out, origin->file);
	buf_addf(out, ":%u", origin->line);
	if (origin->kind == ORIGIN_DOCUMENT)
		return;
	buf_addf(out, " (%s%s", kind_names[origin->kind], origin->name ? " " : "");
	if (origin->name)
		plan_add_text(out, origin->name);
	buf_addc(out, ')');
}

struct widths {
	size_t name;
	size_t value;
};

static struct widths measure(const struct explanation *x)
{
	struct widths w = {0};

	vec_each (s, x) {
		auto_buf struct buf value = BUF_INIT;
		size_t name = text_length(s->name);

		add_value(&value, s, s->at[0].value);
		size_t length = text_length(buf_str(&value));
		if (name > w.name && name <= NAME_WIDTH_MAX)
			w.name = name;
		if (length > w.value && length <= NAME_WIDTH_MAX)
			w.value = length;
	}
	return w;
}

static void add_padded(struct buf *out, const char *text, size_t width)
{
	buf_adds(out, text);
	for (size_t n = text_length(text); n < width; n++)
		buf_addc(out, ' ');
}

static void add_setting(struct buf *out, const struct explained *s, const struct widths *w)
{
	auto_buf struct buf name = BUF_INIT;

	plan_add_text(&name, s->name);
	for (size_t i = 0; i < s->n; i++) {
		auto_buf struct buf value = BUF_INIT;

		if (i > 0)
			buf_adds(&value, "not ");
		add_value(&value, s, s->at[i].value);
		add_padded(out, i == 0 ? buf_str(&name) : "", w->name);
		buf_adds(out, "  ");
		add_padded(out, buf_str(&value), w->value);
		buf_adds(out, "  ");
		add_place(out, &s->at[i].origin);
		buf_addc(out, '\n');
	}
}

void provenance_text(const struct replicator *r, struct buf *out)
{
	struct explanation x;

	replicator_explain(r, &x);
	plan_add_text(out, r->name);
	buf_adds(out, " (");
	plan_add_text(out, r->file);
	buf_addf(out, ":%u)\n", r->line);
	const struct widths w = measure(&x);
	vec_each (s, &x)
		add_setting(out, s, &w);
	explanation_release(&x);
}

/* What may hold a secret is text, in which it is masked. */
static struct node *value_node(struct arena *a, const struct explained *s, const struct node *value)
{
	auto_buf struct buf text = BUF_INIT;

	if (s->field == SPEC__COUNT || !spec_fields[s->field].secret || value->type == NODE_NULL)
		return node_copy(a, value);
	add_value(&text, s, value);
	return node_string(a, buf_str(&text));
}

static void set_said(struct arena *a, struct node *map, const struct explained *s, size_t i)
{
	const struct origin *origin = &s->at[i].origin;

	node_map_set(a, map, "value", value_node(a, s, s->at[i].value));
	node_map_set(a, map, "kind", node_string(a, kind_names[origin->kind]));
	node_map_set(a, map, "name", origin->name ? node_string(a, origin->name) : node_null(a));
	node_map_set(a, map, "file", node_string(a, origin->file));
	node_map_set(a, map, "line", node_int(a, origin->line));
}

static struct node *setting_node(struct arena *a, const struct explained *s)
{
	struct node *map = node_map(a), *instead = node_seq(a);

	for (size_t i = 1; i < s->n; i++) {
		struct node *below = node_map(a);

		set_said(a, below, s, i);
		node_seq_add(a, instead, below);
	}
	node_map_set(a, map, "setting", node_string(a, s->name));
	set_said(a, map, s, 0);
	node_map_set(a, map, "instead_of", instead);
	return map;
}

void provenance_json(const struct replicator *r, struct buf *out)
{
	auto_arena struct arena a = ARENA_INIT;
	struct node *root = node_map(&a), *settings = node_seq(&a);
	struct explanation x;

	replicator_explain(r, &x);
	vec_each (s, &x)
		node_seq_add(&a, settings, setting_node(&a, s));
	node_map_set(&a, root, "format_version", node_string(&a, FORMAT_VERSION));
	node_map_set(&a, root, "name", node_string(&a, r->name));
	node_map_set(&a, root, "file", node_string(&a, r->file));
	node_map_set(&a, root, "line", node_int(&a, r->line));
	node_map_set(&a, root, "errors", node_bool(&a, r->failed));
	node_map_set(&a, root, "settings", settings);
	json_write_text(out, root);
	explanation_release(&x);
}
