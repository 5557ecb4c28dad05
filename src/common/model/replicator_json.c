/* Replicators as the store keeps them. */
#include <string.h>

#include "base/alloc.h"
#include "doc/json.h"
#include "model/internal.h"

static struct node *place_node(struct arena *a, unsigned line, unsigned col)
{
	struct node *place = node_seq(a);

	node_seq_add(a, place, node_int(a, line));
	node_seq_add(a, place, node_int(a, col));
	return place;
}

/* A spec on its way out. Origins are counted anew, those that are used. */
struct writing {
	struct arena *arena;
	const struct replicator *replicator;
	struct node *places; /* by field */
	struct node *inside; /* by field.key of a map: of use only if not all is of one document */
	struct node *origins;
	unsigned *numbers; /* by node.origin; 0: not used yet */
};

static const char *const origin_kinds[] = {
	[ORIGIN_DOCUMENT] = "", [ORIGIN_DEFAULTS] = "Defaults", [ORIGIN_CLUSTER] = "KafkaCluster"};

static unsigned number_of(struct writing *w, unsigned origin)
{
	const struct origin *o = &w->replicator->origins[origin];
	struct arena *a = w->arena;

	if (w->numbers[origin])
		return w->numbers[origin];

	struct node *map = node_map(a);
	node_map_set(a, map, "kind", node_string(a, origin_kinds[o->kind]));
	if (o->name)
		node_map_set(a, map, "name", node_string(a, o->name));
	node_map_set(a, map, "file", node_string(a, o->file));
	node_map_set(a, map, "line", node_int(a, o->line));
	node_seq_add(a, w->origins, map);
	return w->numbers[origin] = w->origins->u.seq.n;
}

static void add_place(
	struct writing *w, struct node *places, const char *name, const struct node *value)
{
	struct node *place = place_node(w->arena, value->line, value->col);

	if (value->origin && value->origin < w->replicator->n_origins)
		node_seq_add(w->arena, place, node_int(w->arena, number_of(w, value->origin)));
	node_map_set(w->arena, places, name, place);
}

static void add_places_inside(struct writing *w, const char *name, const struct node *map)
{
	for (size_t i = 0; i < map->u.map.n; i++) {
		const struct node_pair *pair = &map->u.map.at[i];

		add_place(w, w->inside,
			arena_printf(w->arena, "%s.%s", name, pair->key->u.string.s), pair->value);
	}
}

static void add_spec(struct arena *a, struct node *map, const struct replicator *r)
{
	struct node *values = node_map(a);
	struct writing w = {.arena = a,
		.replicator = r,
		.places = node_map(a),
		.inside = node_map(a),
		.origins = node_seq(a),
		.numbers = arena_alloc(a, (r->n_origins + 1) * sizeof(unsigned))};

	for (enum spec_field f = 0; f < SPEC__COUNT; f++) {
		const struct node *value = r->spec.value[f];

		if (!value)
			continue;
		node_map_set(a, values, spec_fields[f].name, node_copy(a, value));
		add_place(&w, w.places, spec_fields[f].name, value);
		if (value->type == NODE_MAP && r->n_origins)
			add_places_inside(&w, spec_fields[f].name, value);
	}
	node_map_set(a, map, "spec", values);
	node_map_set(a, map, "places", w.places);
	if (w.origins->u.seq.n == 0)
		return;
	node_map_set(a, map, "origins", w.origins);
	node_map_set(a, map, "inside", w.inside);
}

static struct node *suspend_node(struct arena *a, const struct sync_suspend *suspend)
{
	struct node *values = node_map(a);

	node_map_set(a, values, "reason", node_string(a, suspend->reason));
	if (suspend->has_until)
		node_map_set(a, values, "until_ms", node_int(a, suspend->until_ms));
	return values;
}

static void add_sync(struct arena *a, struct node *map, const struct sync_settings *sync)
{
	struct node *values = node_map(a);

	if (sync->has_mode)
		node_map_set(a, values, "mode", node_int(a, sync->mode));
	if (sync->has_timeout)
		node_map_set(a, values, "timeout_ms", node_int(a, sync->timeout_ms));
	if (sync->has_adopt)
		node_map_set(a, values, "adopt", node_int(a, sync->adopt));
	if (sync->has_foreign_drafts)
		node_map_set(a, values, "foreign_drafts", node_int(a, sync->foreign_drafts));
	if (sync->protect)
		node_map_set(a, values, "protect", node_bool(a, true));
	if (sync->replace)
		node_map_set(a, values, "replace", node_bool(a, true));
	if (sync->on_remove != REMOVE_DELETE)
		node_map_set(a, values, "on_remove", node_int(a, sync->on_remove));
	if (sync->suspend.is_set)
		node_map_set(a, values, "suspend", suspend_node(a, &sync->suspend));
	if (sync->depends_on)
		node_map_set(a, values, "depends_on", node_copy(a, sync->depends_on));
	if (sync->ignore)
		node_map_set(a, values, "ignore", node_copy(a, sync->ignore));
	node_map_set(a, map, "sync", values);
}

void replicator_write_json(const struct replicator *r, struct buf *out)
{
	auto_arena struct arena a = ARENA_INIT;
	struct node *map = node_map(&a);

	node_map_set(&a, map, "name", node_string(&a, r->name));
	node_map_set(&a, map, "file", node_string(&a, r->file));
	node_map_set(&a, map, "place", place_node(&a, r->line, r->col));
	if (r->labels)
		node_map_set(&a, map, "labels", node_copy(&a, r->labels));
	add_sync(&a, map, &r->sync);
	add_spec(&a, map, r);
	json_write(out, map, JSON_STYLE_CANONICAL);
}

static unsigned read_number(const struct node *list, size_t i)
{
	if (!list || list->type != NODE_SEQ || list->u.seq.n < 2 || i >= list->u.seq.n ||
		list->u.seq.at[i]->type != NODE_INT)
		return 0;
	return (unsigned)list->u.seq.at[i]->u.integer;
}

static void read_place(const struct node *places, const char *name, struct node *value)
{
	const struct node *place = node_get(places, name);

	value->line = read_number(place, 0);
	value->col = read_number(place, 1);
	value->origin = read_number(place, 2);
}

static void read_places_inside(
	struct arena *a, const struct node *places, const char *name, const struct node *map)
{
	for (size_t i = 0; i < map->u.map.n; i++) {
		const struct node_pair *pair = &map->u.map.at[i];

		read_place(
			places, arena_printf(a, "%s.%s", name, pair->key->u.string.s), pair->value);
	}
}

static void read_spec(struct arena *a, const struct node *map, struct spec *ret_spec)
{
	const struct node *places = node_get(map, "places"), *inside = node_get(map, "inside");

	for (enum spec_field f = 0; f < SPEC__COUNT; f++) {
		struct node *value = node_get(node_get(map, "spec"), spec_fields[f].name);

		if (!value)
			continue;
		read_place(places, spec_fields[f].name, value);
		if (value->type == NODE_MAP && inside)
			read_places_inside(a, inside, spec_fields[f].name, value);
		ret_spec->value[f] = value;
	}
}

static enum origin_kind read_kind(const struct node *origin)
{
	const char *word = node_get_string(origin, "kind");
	enum origin_kind kind = ORIGIN_CLUSTER;

	while (kind > ORIGIN_DOCUMENT && !(word && strcmp(word, origin_kinds[kind]) == 0))
		kind--;
	return kind;
}

static void read_origins(struct arena *a, const struct node *list, struct replicator *r)
{
	size_t n = list && list->type == NODE_SEQ ? list->u.seq.n : 0;

	if (n == 0)
		return;
	struct origin *origins = arena_alloc(a, (n + 1) * sizeof(*origins));
	for (size_t i = 0; i < n; i++) {
		const struct node *one = list->u.seq.at[i];
		const char *file = node_get_string(one, "file");
		int64_t line = 0;

		node_get_int(one, "line", &line);
		origins[i + 1] = (struct origin){.kind = read_kind(one),
			.name = node_get_string(one, "name"),
			.file = file ? file : r->file,
			.line = (unsigned)line};
	}
	r->origins = origins;
	r->n_origins = n + 1;
}

/* A word of 0 to `last`. */
static bool read_word(const struct node *values, const char *key, int last, int *ret_word)
{
	int64_t word;

	if (!node_get_int(values, key, &word) || word < 0 || word > last)
		return false;
	*ret_word = (int)word;
	return true;
}

static const struct node *read_strings(const struct node *values, const char *key)
{
	const struct node *list = node_get(values, key);

	if (!list || list->type != NODE_SEQ)
		return NULL;
	for (size_t i = 0; i < list->u.seq.n; i++) {
		if (list->u.seq.at[i]->type != NODE_STRING)
			return NULL;
	}
	return list;
}

/* Suspended without a reason is suspended still. */
static void read_suspend(const struct node *values, struct sync_suspend *ret_suspend)
{
	const char *reason = node_get_string(values, "reason");

	ret_suspend->is_set = values != NULL;
	ret_suspend->reason = values && !reason ? "" : reason;
	ret_suspend->has_until = node_get_int(values, "until_ms", &ret_suspend->until_ms);
}

static void read_sync(const struct node *values, struct sync_settings *ret_sync)
{
	ret_sync->has_mode = read_word(values, "mode", SYNC_REPORT, &ret_sync->mode);
	ret_sync->has_timeout = node_get_int(values, "timeout_ms", &ret_sync->timeout_ms);
	ret_sync->has_adopt = read_word(values, "adopt", ADOPT_NEVER, &ret_sync->adopt);
	ret_sync->has_foreign_drafts =
		read_word(values, "foreign_drafts", DRAFTS_APPLY, &ret_sync->foreign_drafts);
	node_get_bool(values, "protect", &ret_sync->protect);
	node_get_bool(values, "replace", &ret_sync->replace);
	read_word(values, "on_remove", REMOVE_ORPHAN, &ret_sync->on_remove);
	read_suspend(node_get(values, "suspend"), &ret_sync->suspend);
	ret_sync->depends_on = read_strings(values, "depends_on");
	ret_sync->ignore = read_strings(values, "ignore");
}

int replicator_read_json(
	const char *json, struct arena *arena, struct replicator *ret_replicator, struct err *e)
{
	struct node *map;
	struct replicator r = {0};

	if (json_read(arena, json, strlen(json), &map, e) < 0)
		return err_prefix(e, "a stored replicator");
	r.name = node_get_string(map, "name");
	r.file = node_get_string(map, "file");
	if (!r.name || !r.file)
		return err_set(e, ERR_INTERNAL, "a stored replicator has no name or no file");
	r.line = read_number(node_get(map, "place"), 0);
	r.col = read_number(node_get(map, "place"), 1);
	r.labels = node_get(map, "labels");
	read_sync(node_get(map, "sync"), &r.sync);
	read_origins(arena, node_get(map, "origins"), &r);
	read_spec(arena, map, &r.spec);
	*ret_replicator = r;
	return 0;
}
