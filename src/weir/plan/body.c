/* What is sent to the API for an item, what it leads to, and what of it the API did not keep. */
#include "plan/planner.h"

#include <stdlib.h>
#include <string.h>

/* A mask that stands for a value of ours must not take its place. */
static struct node *unmasked(
	const struct plan_item *it, enum spec_field field, const struct node_pair *pair)
{
	struct node *ours = node_get(it->desired->spec.value[field], pair->key->u.string.s);

	return ours && value_is_masked(field, pair->value) ? ours : pair->value;
}

/* The live map with the item's differences laid over it: keys that are not ours go back as they
 * came. */
static struct node *merged_config(
	struct arena *a, const struct plan_item *it, enum spec_field field)
{
	const struct node *live = it->live->spec.value[field];
	struct node *changes = node_map(a), *merged = node_map(a);

	vec_each (d, &it->diffs)
		if (d->field == field)
			node_map_set(a, changes, d->key,
				d->after ? node_copy(a, d->after) : node_null(a));
	for (size_t i = 0; live && i < live->u.map.n; i++) {
		const struct node_pair *pair = &live->u.map.at[i];

		if (pair->value->type != NODE_NULL && !node_get(changes, pair->key->u.string.s))
			node_map_add(a, merged, pair->key, unmasked(it, field, pair));
	}
	for (size_t i = 0; i < changes->u.map.n; i++) {
		const struct node_pair *pair = &changes->u.map.at[i];

		if (pair->value->type != NODE_NULL)
			node_map_add(a, merged, pair->key, pair->value);
	}
	vec_each (d, &it->diffs)
		if (d->field == field && d->as_null)
			node_map_set(a, merged, d->key, node_null(a));
	return merged->u.map.n ? merged : node_null(a);
}

static const struct node *written_value(
	struct arena *a, const struct plan_item *it, const struct plan_diff *d)
{
	if (d->key)
		return merged_config(a, it, d->field);
	if (d->after)
		return d->after;
	return spec_fields[d->field].reset == SPEC_RESET_EMPTY ? node_string(a, "") : node_null(a);
}

static const struct node *wanted(const struct plan_item *it, enum spec_field field)
{
	const struct node *value = it->desired->spec.value[field];

	return value && value->type != NODE_NULL ? value : NULL;
}

struct spec plan_sent(struct arena *a, const struct plan_item *item)
{
	struct spec sent = {0};

	if (item->action == PLAN_CREATE || item->action == PLAN_REPLACE) {
		for (enum spec_field f = 0; f < SPEC__COUNT; f++)
			sent.value[f] = wanted(item, f);
		sent.value[SPEC_IDENTIFIER] = node_string(a, item->name);
	} else if (item->action == PLAN_UPDATE) {
		vec_each (d, &item->diffs)
			if (!sent.value[d->field])
				sent.value[d->field] = written_value(a, item, d);
	}
	return sent;
}

struct node *plan_body(struct arena *a, const struct plan_item *item)
{
	struct spec sent = plan_sent(a, item);

	return spec_to_wire(a, &sent);
}

void plan_body_digest(const char *body, char ret_digest[HASH_HEX_MAX])
{
	unsigned char digest[HASH_BYTES];
	struct hash h;

	hash_begin(&h);
	hash_adds(&h, body);
	hash_end(&h, digest);
	hash_hex(digest, ret_digest);
}

static bool is_about(const struct plan_diff *d, const struct setting *s)
{
	return d->field == s->field &&
	       (s->key ? d->key && strcmp(d->key, s->key->u.string.s) == 0 : !d->key);
}

/* Once ours, or written by us without an answer, and still to be reset: it stays among what was
 * applied, or the reset would be forgotten. NULL if it is not. */
static const struct node *owed(const struct setting *s)
{
	const struct node *live = s->value[SIDE_LIVE], *intended = s->value[SIDE_INTENDED];

	if (spec_fields[s->field].reset == SPEC_RESET_NOT || setting_equal(s, live, NULL))
		return NULL;
	if (s->value[SIDE_APPLIED])
		return s->value[SIDE_APPLIED];
	return intended && setting_equal(s, intended, live) ? intended : NULL;
}

static void put(struct arena *a, struct spec *spec, struct node *maps[SPEC__COUNT],
	const struct setting *s, const struct node *value)
{
	if (!s->key) {
		spec->value[s->field] = value;
		return;
	}
	if (!maps[s->field])
		spec->value[s->field] = maps[s->field] = node_map(a);
	node_map_add(a, maps[s->field], s->key, node_copy(a, value));
}

struct spec plan_intended(struct arena *a, const struct plan_item *item)
{
	/* Of a new one nothing is owed. */
	bool stays = item->live && item->action != PLAN_REPLACE;
	const struct spec *sides[SIDE__COUNT] = {
		[SIDE_DESIRED] = &item->desired->spec,
		[SIDE_APPLIED] = stays && item->ours ? record_applied(item->record) : NULL,
		[SIDE_INTENDED] = stays && item->ours && item->record->intent_open
					  ? &item->record->intended
					  : NULL,
		[SIDE_LIVE] = stays ? &item->live->spec : NULL,
	};
	struct spec intended = {0};
	struct node *maps[SPEC__COUNT] = {0};
	struct settings settings = VEC_INIT;
	const struct plan_diff *next = item->diffs.at, *end = next + item->diffs.n;

	settings_collect(&settings, sides);
	vec_each (s, &settings) {
		/* The differences stand in the order of the settings. */
		bool is_written = next != end && is_about(next, s);

		next += is_written;
		if (setting_is_ignored(s, &item->desired->sync))
			continue; /* not ours any more once it was created */
		if (s->value[SIDE_DESIRED])
			put(a, &intended, maps, s, s->value[SIDE_DESIRED]);
		else if (!is_written && owed(s))
			put(a, &intended, maps, s, owed(s));
	}
	vec_release(&settings);
	return intended;
}

static int compare_taken(const void *a, const void *b)
{
	const struct plan_taken *left = a, *right = b;

	return strcmp(left->key, right->key);
}

/* What stays of before: not in Git again, and not among what is sent. */
static size_t add_leftovers(
	struct arena *a, struct plan_taken *taken, size_t n, const struct plan_item *item)
{
	const struct node *desired = item->desired->spec.value[SPEC_ADVANCED_CONFIGURATION];
	const struct plan_record *record = item->record;
	const struct plan_diff *d = item->diffs.at, *end = d + item->diffs.n;

	/* Both are sorted by key. */
	for (size_t i = 0; record && i < record->n_leftovers; i++) {
		const struct plan_leftover *before = &record->leftovers[i];

		while (d != end && (!d->key || strcmp(d->key, before->key) < 0))
			d++;
		bool is_sent = d != end && strcmp(d->key, before->key) == 0;
		if (!is_sent && !node_get(desired, before->key))
			taken[n++] = (struct plan_taken){
				arena_strdup(a, before->key), NULL, before->sent_as_null};
	}
	return n;
}

const struct plan_taken *plan_taken(struct arena *a, const struct plan_item *item, size_t *ret_n)
{
	size_t most = item->diffs.n + (item->record ? item->record->n_leftovers : 0), n = 0;
	struct plan_taken *taken = arena_alloc(a, (most + 1) * sizeof(*taken));

	if (item->action == PLAN_UPDATE) {
		vec_each (d, &item->diffs)
			if (d->key && d->change == PLAN_RESET && d->before)
				taken[n++] = (struct plan_taken){arena_strdup(a, d->key),
					node_copy(a, d->before), d->as_null};
		n = add_leftovers(a, taken, n, item);
	}
	if (n)
		qsort(taken, n, sizeof(*taken), compare_taken);
	*ret_n = n;
	return taken;
}

const struct plan_leftover *plan_leftovers(struct arena *a, const struct plan_taken *taken,
	size_t n, const struct spec *answered, size_t *ret_n)
{
	const struct node *map = answered->value[SPEC_ADVANCED_CONFIGURATION];
	struct plan_leftover *left = arena_alloc(a, (n + 1) * sizeof(*left));
	size_t n_left = 0;

	for (size_t i = 0; i < n; i++) {
		const struct plan_taken *t = &taken[i];
		const struct node *shown = node_get(map, t->key);

		if (shown && (!t->before || spec_setting_equal(t->before, shown)))
			left[n_left++] = (struct plan_leftover){t->key, t->as_null};
	}
	*ret_n = n_left;
	return left;
}

unsigned plan_not_kept(const struct spec *sent, const struct spec *answered)
{
	const struct spec *sides[SIDE__COUNT] = {[SIDE_DESIRED] = sent, [SIDE_LIVE] = answered};
	struct settings settings = VEC_INIT;
	unsigned bits = 0;

	settings_collect(&settings, sides);
	vec_each (s, &settings) {
		const struct node *field = sent->value[s->field];
		/* Of a map that was sent with something in it, further keys are not its business.
		 */
		bool was_sent =
			field && (s->value[SIDE_DESIRED] || !s->key || spec_value_empty(field));

		if (was_sent && !value_is_masked(s->field, s->value[SIDE_LIVE]) &&
			!setting_equal(s, s->value[SIDE_DESIRED], s->value[SIDE_LIVE]))
			bits |= 1u << s->field;
	}
	vec_release(&settings);
	return bits;
}
