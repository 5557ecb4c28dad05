/* What a replicator comes to: its document, over Defaults, with clusters in the place of names. */
#include <string.h>

#include "base/alloc.h"
#include "base/limits.h"
#include "model/catalog_parts.h"

struct shared { /* a problem outside of the documents that have it */
	struct problem problem;
	const struct replicator *first;
	size_t n;
};

static void add_shared(struct catalog *c, const struct replicator *r, const struct problem *p)
{
	auto_buf struct buf line = BUF_INIT;
	struct shared *s;

	problem_format(p, &line);
	s = map_get(&c->parts->shared, buf_str(&line));
	if (!s) {
		s = arena_alloc(&c->arena, sizeof(*s));
		s->problem = *p;
		s->problem.file = arena_strdup(&c->arena, p->file);
		s->problem.path = arena_strdup(&c->arena, p->path);
		s->problem.message = arena_strdup(&c->arena, p->message);
		s->first = r;
		map_put(&c->parts->shared, buf_str(&line), s);
	}
	s->n++;
}

void replicator_take_problems(struct catalog *c, struct replicator *r, struct problems *found)
{
	vec_each (it, found) {
		if (it->origin)
			add_shared(c, r, it);
		else
			problems_add(&c->problems, it->level, r->file, it->line, it->col, it->path,
				"%s", it->message);
	}
	if (found->n_errors > 0)
		replicator_fail(c, r, found, 0);
	problems_release(found);
}

void shared_tell(struct catalog *c)
{
	for (size_t i = 0; i < map_size(&c->parts->shared); i++) {
		const struct shared *s = map_value(&c->parts->shared, i);
		const struct problem *p = &s->problem;
		auto_buf struct buf more = BUF_INIT;

		if (s->n > 1)
			buf_addf(&more, ", and %zu more", s->n - 1);
		problems_add(&c->problems, p->level, p->file, p->line, p->col, p->path,
			"%s (in %s, %s:%u%s)", p->message,
			s->first->name ? s->first->name : "a replicator", s->first->file,
			s->first->line, buf_str(&more));
	}
}

/* Nothing lies below it, and it names no cluster: all was said when it was parsed. */
static void finish_alone(struct catalog *c, struct replicator *r)
{
	const struct problems *alone = &r->document->alone;

	vec_each (it, alone)
		problems_add(&c->problems, it->level, r->file, it->line, it->col, it->path, "%s",
			it->message);
	if (alone->n_errors > 0)
		replicator_fail(c, r, alone, 0);
	if (!r->document->has_nulls)
		return;
	r->spec = spec_without_nulls_inside(&c->arena, &r->spec);
	spec_drop_nulls(&r->spec);
}

static const struct node *map_without_nulls(
	struct arena *a, const struct node *n, const struct field *fields)
{
	return n && n->type == NODE_MAP ? layer_without_nulls(a, n, fields) : NULL;
}

static void merge_sync(struct catalog *c, struct replicator *r, const struct field_place *place,
	struct problems *found)
{
	const struct node *written = r->layer->sync;

	if (r->defaults && r->defaults->layer.sync) {
		struct field_place below = *place;

		below.path = "sync";
		fields_decode(sync_fields, map_without_nulls(&c->arena, written, sync_fields),
			&below, &r->sync, found);
	}
	/* Defaults may ignore what only some have. */
	bool ignores_for_all = r->sync.ignore && r->sync.ignore->origin;
	sync_check(&r->sync, written, r->name, ignores_for_all ? NULL : &r->spec, place, found);
}

static void merge(struct catalog *c, struct replicator *r)
{
	const struct layer *written = &r->document->layer;
	const struct field_place place = {.arena = &c->arena,
		.file = r->file,
		.path = "",
		.files = c->parts->origin_files.at};
	struct field_place below = place;
	struct layer *layer = arena_alloc(&c->arena, sizeof(*layer));
	struct problems found = PROBLEMS_INIT;

	below.path = "spec";
	*layer = r->defaults ? layer_merge(&c->arena, &r->defaults->layer, written) : *written;
	r->layer = layer;
	r->spec = spec_without_nulls_inside(&c->arena, &layer->spec);
	clusters_resolve(c, layer, &below, &r->spec, &found);
	spec_check(&r->spec, &below, &found);
	spec_drop_nulls(&r->spec);
	r->labels = map_without_nulls(&c->arena, layer->labels, NULL);
	if (!r->document->failed) /* else it was said what is wrong with it */
		merge_sync(c, r, &place, &found);
	replicator_take_problems(c, r, &found);
}

static size_t count_keys(const struct node *n)
{
	return n && n->type == NODE_MAP ? n->u.map.n : 0;
}

/* How much each user gets of them; maps within maps are small. */
static size_t size_of(const struct layer *l)
{
	size_t n = count_keys(l->sync) + count_keys(l->labels);

	for (enum spec_field f = 0; f < SPEC__COUNT; f++)
		n += count_keys(l->spec.value[f]);
	return n;
}

/* A large map in Defaults times many users is more than any memory holds. */
static bool is_too_much(struct catalog *c, struct replicator *r)
{
	if (!r->defaults)
		return false;
	c->parts->n_merged += size_of(&r->defaults->layer);
	if (c->parts->n_merged <= LIMIT_MERGED_KEYS)
		return false;
	problems_add(&c->problems, PROBLEM_ERROR, r->file, r->line, r->col, "",
		"gets more keys from Defaults than there is room for, with all others: take some "
		"of those in %s:%u out",
		r->defaults->file, r->defaults->line);
	replicator_fail(c, r, &c->problems, c->problems.last);
	return true;
}

static void fail_for_defaults(struct catalog *c, struct replicator *r, const struct defaults *bad)
{
	auto_buf struct buf where = BUF_INIT;

	buf_adds(&where, bad->file);
	if (bad->line)
		buf_addf(&where, ":%u", bad->line);
	problems_add(&c->problems, PROBLEM_ERROR, r->file, r->line, r->col, "",
		bad->document ? "uses Defaults in %s, which has errors"
			      : "uses Defaults that cannot be read: %s has errors",
		buf_str(&where));
	replicator_fail(c, r, &c->problems, c->problems.last);
}

void replicator_finish(struct catalog *c, struct replicator *r)
{
	r->defaults = defaults_find(c, r->file);
	if (!r->defaults && !layer_names_cluster(&r->document->layer)) {
		finish_alone(c, r);
		return;
	}
	r->origins = c->parts->origins.at;
	r->n_origins = c->parts->origins.n;
	if (r->defaults && r->defaults->bad)
		fail_for_defaults(c, r, r->defaults->bad);
	else if (!is_too_much(c, r))
		merge(c, r);
}
