/* Collects the settings of all sides, and compares them one by one. */
#include "plan/setting.h"

#include <stdlib.h>
#include <string.h>

static const struct node *value_of(const struct spec *spec, enum spec_field field)
{
	const struct node *value = spec ? spec->value[field] : NULL;

	return value && value->type != NODE_NULL ? value : NULL;
}

static void collect_whole(
	struct settings *out, const struct spec *const sides[SIDE__COUNT], enum spec_field field)
{
	struct setting s = {.field = field};
	bool any = false;

	for (enum side side = 0; side < SIDE__COUNT; side++) {
		s.value[side] = value_of(sides[side], field);
		any = any || s.value[side];
	}
	if (any)
		vec_push(out, s);
}

/* A value that an API made up need not be a map; then there are no keys to tell apart. */
static bool has_keys(const struct spec *const sides[SIDE__COUNT], enum spec_field field)
{
	bool any = false;

	for (enum side side = 0; side < SIDE__COUNT; side++) {
		const struct node *value = value_of(sides[side], field);

		if (value && value->type != NODE_MAP)
			return false;
		any = any || value;
	}
	return any;
}

static int compare_keys(const void *a, const void *b)
{
	const struct setting *left = a, *right = b;

	return strcmp(left->key->u.string.s, right->key->u.string.s);
}

static void add_keys(
	struct settings *out, const struct node *map, enum spec_field field, enum side side)
{
	for (size_t i = 0; map && i < map->u.map.n; i++) {
		const struct node_pair *pair = &map->u.map.at[i];
		struct setting s = {.field = field, .key = pair->key};

		if (pair->value->type == NODE_NULL)
			continue;
		s.value[side] = pair->value;
		vec_push(out, s);
	}
}

/* Neighbours from `first` on with one key become one setting. */
static void merge_neighbours(struct settings *out, size_t first)
{
	size_t n = first;

	for (size_t i = first; i < out->n; i++) {
		struct setting *s = &out->at[i];

		if (n == first || compare_keys(&out->at[n - 1], s) != 0) {
			out->at[n++] = *s;
			continue;
		}
		for (enum side side = 0; side < SIDE__COUNT; side++)
			if (s->value[side])
				out->at[n - 1].value[side] = s->value[side];
	}
	out->n = n;
}

static void collect_keys(
	struct settings *out, const struct spec *const sides[SIDE__COUNT], enum spec_field field)
{
	size_t first = out->n;

	for (enum side side = 0; side < SIDE__COUNT; side++)
		add_keys(out, value_of(sides[side], field), field, side);
	if (out->n > first)
		qsort(&out->at[first], out->n - first, sizeof(*out->at), compare_keys);
	merge_neighbours(out, first);
}

void settings_collect(struct settings *out, const struct spec *const sides[SIDE__COUNT])
{
	vec_clear(out);
	for (enum spec_field field = 0; field < SPEC__COUNT; field++) {
		if (field == SPEC_IDENTIFIER)
			continue;
		if (spec_fields[field].kind == SPEC_KIND_CONFIG && has_keys(sides, field))
			collect_keys(out, sides, field);
		else
			collect_whole(out, sides, field);
	}
}

bool setting_equal(const struct setting *s, const struct node *a, const struct node *b)
{
	return s->key ? spec_setting_equal(a, b) : spec_value_equal(s->field, a, b);
}

/* Whatever its length: a few stars or bullets and nothing else. */
static bool is_mask(const char *text)
{
	static const char bullet[] = "\xe2\x80\xa2";
	size_t n = 0;

	while (*text) {
		if (*text == '*')
			text++;
		else if (strncmp(text, bullet, strlen(bullet)) == 0)
			text += strlen(bullet);
		else
			return false;
		n++;
	}
	return n >= 3;
}

bool value_is_masked(enum spec_field field, const struct node *value)
{
	return value && value->type == NODE_STRING && spec_fields[field].secret &&
	       is_mask(value->u.string.s);
}

void setting_name(const struct setting *s, struct buf *out)
{
	buf_adds(out, spec_fields[s->field].name);
	if (s->key)
		buf_addf(out, ".%s", s->key->u.string.s);
}
