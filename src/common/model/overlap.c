/*
 * Replicators that copy the same topics between the same clusters. Names and prefixes are found
 * through hash tables, so the work grows with the number of patterns; other expressions, and all of
 * a blacklist, are held against what was found up to a budget. At most one warning for each
 * replicator.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/strv.h"
#include "model/catalog_parts.h"
#include "model/patterns.h"

/* For all of a catalog: warnings are not worth more. */
#define BUDGET	       1000000
#define LOOK_COST      1 /* of a pattern that is compared as it stands */
#define MATCH_COST     20 /* of an expression that is compiled, and matched against a name */
#define BYTES_FOR_LOOK 4 /* that long ones cost as much */

/* One pattern of one replicator. */
struct entry {
	const struct replicator *replicator;
	const struct node *item;
	enum pattern_shape shape;
	char *text; /* the name, the prefix, or the expression */
};

/* All that goes from one cluster to another. */
struct route {
	VEC_FIELDS(struct entry);
	struct map
		first[PATTERN_REGEX + 1]; /* by shape: text to the first struct entry that has it */
};

struct overlaps {
	struct catalog *catalog;
	struct map routes;
	struct map warned; /* names of replicators */
	size_t budget;
};

/* False if there is not so much left. */
static bool spend(struct overlaps *o, size_t cost, const char *pattern)
{
	cost += strlen(pattern) / BYTES_FOR_LOOK;
	o->budget = o->budget > cost ? o->budget - cost : 0;
	return o->budget > 0;
}

static const char *string_in(const struct spec *spec, enum spec_field field)
{
	const struct node *n = spec->value[field];

	return n && n->type == NODE_STRING ? n->u.string.s : NULL;
}

/* One key for one cluster, however its brokers are listed. */
static char *cluster_key(const struct spec *spec, enum spec_field kafka_id, enum spec_field details)
{
	const char *id = string_in(spec, kafka_id);
	const char *servers = node_get_string(spec->value[details], "bootstrap_servers");
	auto_free char *copy = xstrdup(servers ? servers : "");
	auto_strv struct strv list = VEC_INIT;
	auto_buf struct buf key = BUF_INIT;
	char *rest = copy;

	if (id)
		return xasprintf("id %s", id);
	for (char *one = strsep(&rest, ","); one; one = strsep(&rest, ","))
		strv_push(&list, one);
	strv_sort(&list);
	buf_adds(&key, "at");
	vec_each (it, &list)
		buf_addf(&key, " %s", *it);
	return buf_take(&key);
}

static void add_to_route(
	struct overlaps *o, const char *from, const char *to, const struct replicator *r)
{
	auto_free char *key = xasprintf("%s > %s", from, to);
	const struct node *list = r->spec.value[SPEC_TOPIC_WHITELIST];
	struct route *route = map_get(&o->routes, key);

	if (!route) {
		route = xcalloc(1, sizeof(*route));
		map_put(&o->routes, key, route);
	}
	for (size_t i = 0; i < list->u.seq.n; i++) {
		const char *pattern = list->u.seq.at[i]->u.string.s;
		auto_buf struct buf text = BUF_INIT;
		enum pattern_shape shape = pattern_shape(pattern, &text);

		vec_push(route, (struct entry){r, list->u.seq.at[i], shape,
					shape == PATTERN_REGEX ? xstrdup(pattern)
							       : xstrdup(buf_str(&text))});
	}
}

static void add_replicator(struct overlaps *o, const struct replicator *r)
{
	auto_free char *source =
		cluster_key(&r->spec, SPEC_SOURCE_KAFKA_ID, SPEC_SOURCE_CONNECTION_DETAILS);
	auto_free char *destination = cluster_key(
		&r->spec, SPEC_DESTINATION_KAFKA_ID, SPEC_DESTINATION_CONNECTION_DETAILS);
	const char *mode = string_in(&r->spec, SPEC_REPLICATION_MODE);

	add_to_route(o, source, destination, r);
	if (strcmp(mode, "active-active") == 0)
		add_to_route(o, destination, source, r);
}

static bool matches(const char *pattern, const char *name)
{
	struct pattern *p = pattern_compile(pattern);
	bool found = p && pattern_matches(p, name);

	pattern_free(p);
	return found;
}

static bool is_taken_out(struct overlaps *o, const struct entry *e, const char *pattern)
{
	auto_buf struct buf text = BUF_INIT;
	enum pattern_shape shape = pattern_shape(pattern, &text);

	if (shape == PATTERN_PREFIX && e->shape != PATTERN_REGEX)
		return strncmp(e->text, buf_str(&text), text.len) == 0;
	if (shape == PATTERN_REGEX && e->shape == PATTERN_NAME)
		return !spend(o, MATCH_COST, pattern) || matches(pattern, e->text);
	return strcmp(pattern, e->item->u.string.s) == 0;
}

/* A blacklist takes out the whole of an entry; so it is assumed once the budget is spent. */
static bool excludes(struct overlaps *o, const struct replicator *r, const struct entry *e)
{
	const struct node *list = r->spec.value[SPEC_TOPIC_BLACKLIST];

	for (size_t i = 0; list && i < list->u.seq.n; i++) {
		const char *pattern = list->u.seq.at[i]->u.string.s;

		if (!spend(o, LOOK_COST, pattern) || is_taken_out(o, e, pattern))
			return true;
	}
	return false;
}

static bool collide(struct overlaps *o, const struct entry *a, const struct entry *b)
{
	return b && a->replicator != b->replicator && !excludes(o, a->replicator, a) &&
	       !excludes(o, b->replicator, a) && !excludes(o, a->replicator, b);
}

/* An entry of somebody else whose prefix this one begins with. */
static const struct entry *find_by_prefix(
	struct overlaps *o, const struct route *route, const struct entry *e)
{
	auto_free char *prefix = xstrdup(e->text);

	for (size_t len = strlen(prefix);; len--) {
		prefix[len] = '\0';
		const struct entry *other = map_get(&route->first[PATTERN_PREFIX], prefix);
		if (collide(o, e, other))
			return other;
		if (len == 0)
			return NULL;
	}
}

static const struct entry *find_by_match(
	struct overlaps *o, const struct route *route, const struct entry *e)
{
	const struct map *expressions = &route->first[PATTERN_REGEX];

	for (size_t i = 0; i < map_size(expressions); i++) {
		const struct entry *other = map_value(expressions, i);

		if (!spend(o, MATCH_COST, other->text))
			return NULL;
		if (matches(other->text, e->text) && collide(o, e, other))
			return other;
	}
	return NULL;
}

static const struct entry *find_other(
	struct overlaps *o, const struct route *route, const struct entry *e)
{
	const struct entry *other = map_get(&route->first[e->shape], e->text);

	if (collide(o, e, other))
		return other;
	other = e->shape == PATTERN_REGEX ? NULL : find_by_prefix(o, route, e);
	if (!other && e->shape == PATTERN_NAME)
		other = find_by_match(o, route, e);
	return other;
}

static void warn(struct overlaps *o, const struct entry *e, const struct entry *other)
{
	const struct replicator *r = e->replicator, *twin = other->replicator;
	struct origin here = replicator_origin(r, e->item);
	struct origin there = replicator_origin(twin, other->item);
	bool elsewhere = here.kind != ORIGIN_DOCUMENT;

	problems_add(&o->catalog->problems, PROBLEM_WARNING, here.file, here.line, e->item->col,
		"spec.topic_whitelist",
		"\"%s\" is copied by %s too (\"%s\", %s:%u:%u), from and to the same clusters: its "
		"records may arrive twice%s%s%s",
		e->item->u.string.s, twin->name, other->item->u.string.s, there.file, there.line,
		other->item->col, elsewhere ? " (in " : "", elsewhere ? r->name : "",
		elsewhere ? ")" : "");
	map_put(&o->warned, r->name, o);
}

static void check_route(struct overlaps *o, struct route *route)
{
	vec_each (it, route) {
		if (!map_has(&route->first[it->shape], it->text))
			map_put(&route->first[it->shape], it->text, it);
	}
	vec_each (it, route) {
		const struct entry *other =
			map_has(&o->warned, it->replicator->name) ? NULL : find_other(o, route, it);
		if (other)
			warn(o, it, other);
	}
}

static void free_route(void *route)
{
	struct route *r = route;

	vec_each (it, r)
		free(it->text);
	vec_release(r);
	for (size_t i = 0; i <= PATTERN_REGEX; i++)
		map_release(&r->first[i]);
	free(r);
}

void overlap_warn(struct catalog *c)
{
	struct overlaps o = {.catalog = c, .budget = BUDGET};

	for (size_t i = 0; i < map_size(&c->by_name); i++) {
		const struct replicator *r = map_value(&c->by_name, i);

		if (!r->failed)
			add_replicator(&o, r);
	}
	for (size_t i = 0; i < map_size(&o.routes); i++)
		check_route(&o, map_value(&o.routes, i));
	map_release(&o.warned);
	map_release_with(&o.routes, free_route);
}
