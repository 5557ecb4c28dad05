/* Where settings come from: the layers of a replicator, side by side. */
#include "model/explain.h"

#include <string.h>

#include "base/alloc.h"
#include "model/catalog_parts.h"

/* What each layer has in one place, the nearest first; NULL where it has nothing. */
struct column {
	VEC_FIELDS(const struct node *);
};

struct explaining {
	const struct replicator *replicator;
	struct explanation *out;
	struct {
		VEC_FIELDS(const struct layer *);
	} layers;
};

static struct explained *add_setting(
	struct explaining *x, const char *name, enum spec_field field, const char *key)
{
	struct explanation *out = x->out;

	vec_push(out, (struct explained){.name = arena_strdup(&out->arena, name),
			      .field = field,
			      .key = key ? arena_strdup(&out->arena, key) : NULL});
	return &out->at[out->n - 1];
}

static void add_leaf(struct explaining *x, const struct column *column, const char *name,
	enum spec_field field, const char *key)
{
	struct explained *s;
	bool any = false;

	vec_each (it, column)
		any = any || (*it && (*it)->type != NODE_NULL);
	if (!any)
		return;
	s = add_setting(x, name, field, key);
	vec_each (it, column) {
		if (*it)
			vec_push(s, (struct explained_value){
					    *it, replicator_origin(x->replicator, *it)});
	}
}

static void add(struct explaining *x, const struct column *column, const char *name,
	enum spec_field field, const char *key);

/* A null instead of a map takes away each of its keys. */
static const struct node *below(const struct node *n, const char *key)
{
	return n && n->type == NODE_NULL ? n : node_get(n, key);
}

static void add_key(struct explaining *x, const struct column *column, const char *name,
	enum spec_field field, const char *key)
{
	auto_free char *full = xasprintf("%s.%s", name, key);
	struct column inside = VEC_INIT;

	vec_each (it, column)
		vec_push(&inside, below(*it, key));
	add(x, &inside, full, field, key);
	vec_release(&inside);
}

static void add_keys(
	struct explaining *x, const struct column *column, const char *name, enum spec_field field)
{
	struct map seen = MAP_INIT;

	vec_each (it, column) {
		for (size_t i = 0; *it && (*it)->type == NODE_MAP && i < (*it)->u.map.n; i++) {
			const char *key = (*it)->u.map.at[i].key->u.string.s;

			if (map_has(&seen, key))
				continue;
			map_put(&seen, key, NULL);
			add_key(x, column, name, field, key);
		}
	}
	map_release(&seen);
}

/* Maps go on key by key, since they merge so. */
static void add(struct explaining *x, const struct column *column, const char *name,
	enum spec_field field, const char *key)
{
	bool any_map = false;

	vec_each (it, column)
		any_map = any_map || (*it && (*it)->type == NODE_MAP && (*it)->u.map.n > 0);
	if (any_map)
		add_keys(x, column, name, field);
	else
		add_leaf(x, column, name, field, key);
}

static void explain_field(struct explaining *x, enum spec_field field)
{
	auto_free char *name = xasprintf("spec.%s", spec_fields[field].name);
	const struct node *value = x->replicator->spec.value[field];
	struct column column = VEC_INIT;

	if (value && replicator_origin(x->replicator, value).kind == ORIGIN_CLUSTER)
		vec_push(&column, value);
	vec_each (it, &x->layers)
		vec_push(&column, (*it)->spec.value[field]);
	add(x, &column, name, field, NULL);
	vec_release(&column);
}

static void explain_cluster(struct explaining *x, enum end end)
{
	auto_free char *name = xasprintf("spec.%s", ends[end].cluster);
	struct column column = VEC_INIT;

	vec_each (it, &x->layers)
		vec_push(&column, (*it)->cluster[end]);
	add(x, &column, name, SPEC__COUNT, NULL);
	vec_release(&column);
}

static void explain_tree(struct explaining *x, const char *name, size_t offset)
{
	struct column column = VEC_INIT;

	vec_each (it, &x->layers)
		vec_push(&column, *(const struct node *const *)((const char *)*it + offset));
	add(x, &column, name, SPEC__COUNT, NULL);
	vec_release(&column);
}

void replicator_explain(const struct replicator *r, struct explanation *ret_explanation)
{
	struct explaining x = {.replicator = r, .out = ret_explanation};

	*ret_explanation = (struct explanation){0};
	vec_push(&x.layers, &r->document->layer);
	for (const struct defaults *d = r->defaults; d; d = d->up)
		vec_push(&x.layers, &d->own);
	explain_tree(&x, "metadata.labels", offsetof(struct layer, labels));
	for (enum end end = 0; end < END__COUNT; end++)
		explain_cluster(&x, end);
	for (enum spec_field f = SPEC_IDENTIFIER + 1; f < SPEC__COUNT; f++)
		explain_field(&x, f);
	explain_tree(&x, "sync", offsetof(struct layer, sync));
	vec_release(&x.layers);
}

void explanation_release(struct explanation *x)
{
	vec_each (it, x)
		vec_release(it);
	vec_release(x);
	arena_release(&x->arena);
}
