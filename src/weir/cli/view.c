/* Gathering how things stand, and the tree of `weir status`. */
#include "cli/view.h"

#include <string.h>

#include "base/alloc.h"
#include "cli/host.h"
#include "cli/view_parts.h"
#include "doc/json.h"

#define EVENTS_SHOWN 5

int view_load(struct store *s, const struct config *c, struct view *ret_view, struct err *e)
{
	struct view *v = ret_view;
	v->config = c;
	int rc = store_get(s, "head", &v->head, e);
	if (rc == 0)
		rc = store_get(s, "seen-head", &v->seen, e);
	if (rc == 0)
		rc = store_get(s, "rewind", &v->rewind, e);
	if (rc == 0)
		rc = store_get(s, "standings", &v->standings, e);
	if (rc == 0)
		rc = store_load_accepted(s, &v->accepted, e);
	if (rc == 0)
		rc = store_load_rows(s, &v->rows, e);
	if (rc == 0)
		rc = store_load_outbox(s, v->seen ? v->seen : "", &v->outbox, e);
	if (rc == 0)
		rc = store_load_events(s, NULL, EVENTS_SHOWN, &v->events, e);
	if (rc == 0)
		rc = store_load_suspensions(s, &v->suspensions, e);
	if (rc == 0)
		rc = store_load_approvals(s, &v->approvals, e);
	if (rc == 0)
		rc = store_load_intents(s, &v->intents, e);
	return rc;
}

int view_open(
	const struct config *c, struct store **ret_store, struct view *ret_view, struct err *e)
{
	int rc = host_open_shared(c, ret_store, e);
	return rc < 0 ? rc : view_load(*ret_store, c, ret_view, e);
}

void view_take_engine(struct view *v, const struct engine *engine)
{
	v->daemon = true;
	engine_stats(engine, &v->stats);
	v->is_rewound = engine_rewind(engine, &v->rewound);
	v->is_braked = engine_brake(engine, &v->brake);
	if (engine_standings(engine))
		str_replace(&v->standings, xstrdup(engine_standings(engine)));
}

void view_release(struct view *v)
{
	free(v->head);
	free(v->seen);
	free(v->rewind);
	free(v->standings);
	map_release_with(&v->accepted, free);
	store_rows_release(&v->rows);
	outbox_rows_release(&v->outbox);
	events_release(&v->events);
	suspensions_release(&v->suspensions);
	approvals_release(&v->approvals);
	intents_release(&v->intents);
}

struct node *view_text(struct arena *a, const char *s)
{
	return s ? node_string(a, s) : node_null(a);
}

struct node *view_time(struct arena *a, int64_t wall_ms)
{
	char text[CLOCK_TEXT_MAX];
	return wall_ms ? node_string(a, clock_format_second(wall_ms, text)) : node_null(a);
}

/* What would change how it stands, where the plan does not say it. NAME is its own. */
static const char *const ways_out[STANDING__COUNT] = {
	[STANDING_HEALTHY] = "",
	[STANDING_APPLYING] = "nothing is to be done: it waits for its turn",
	[STANDING_WAITING] = "nothing is to be done: the API is at it",
	[STANDING_STUCK] = "look at it in the API; weir goes on waiting",
	[STANDING_UNKNOWN] = "nothing is done until the API is sure of it",
	[STANDING_FAILED] = "change it in Git; the next attempt also comes by itself",
	[STANDING_UNHEALTHY] = "look at it in the API: its settings are as Git says",
	[STANDING_HELD] = "",
	[STANDING_BRAKED] = "push what mends those that ended in Error, or `weir approve NAME`",
	[STANDING_SUSPENDED] = "see `weir explain NAME` for who suspended it",
	[STANDING_WINDOW] = "nothing is to be done: it waits for its time",
	[STANDING_GRACE] = "put it back into Git if it is to stay",
	[STANDING_BLOCKED] = "see how those it waits for stand",
	[STANDING_DELETING] = "nothing is to be done: the API is at it",
	[STANDING_GONE] = "",
	[STANDING_DRIFTED] = "make Git and the API agree, or set sync.mode: heal",
	[STANDING_PLANNED] = "set sync.mode: heal, or report",
	[STANDING_ABSENT_OK] = "`weir forget NAME` lets go of it; sync.prune.enabled deletes it",
	[STANDING_LEFT] = "mend its document in Git",
};

const char *view_way_out(struct arena *a, const char *standing, const char *name)
{
	const char *text = "";
	for (int i = 0; i < STANDING__COUNT; i++)
		if (!strcmp(standing, standing_name(i)))
			text = ways_out[i];
	const char *at = strstr(text, "NAME");
	if (!at)
		return text;
	return arena_printf(a, "%.*s%s%s", (int)(at - text), text, name, at + strlen("NAME"));
}

static struct node *new_row(struct arena *a, int64_t generation)
{
	struct node *row = node_map(a);
	node_map_set(a, row, "generation", node_int(a, generation));
	node_map_set(a, row, "standing", node_string(a, "healthy"));
	node_map_set(a, row, "hold", node_null(a));
	node_map_set(a, row, "since", node_null(a));
	node_map_set(a, row, "why", node_string(a, ""));
	node_map_set(a, row, "release", node_string(a, ""));
	node_map_set(a, row, "until", node_null(a));
	node_map_set(a, row, "approvable", node_bool(a, false));
	node_map_set(a, row, "live_generation", node_null(a));
	node_map_set(a, row, "differs", node_seq(a));
	return row;
}

static void take_time(
	struct arena *a, struct node *row, const char *key, const struct node *said, const char *of)
{
	int64_t at_ms;
	if (node_get_int(said, of, &at_ms))
		node_map_set(a, row, key, view_time(a, at_ms));
}

static void take_said(struct arena *a, struct node *row, const struct node *said)
{
	static const char *const texts[] = {"standing", "hold", "why", "release"};
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		if (node_get_string(said, texts[i]))
			node_map_set(a, row, texts[i], node_get(said, texts[i]));
	if (!node_get(said, "release"))
		node_map_set(a, row, "release",
			node_string(a, view_way_out(a, node_get_string(row, "standing"),
					       node_get_string(said, "name"))));
	static const char *const others[] = {"live_generation", "differs"};
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (node_get(said, others[i]))
			node_map_set(a, row, others[i], node_get(said, others[i]));
	take_time(a, row, "since", said, "since_ms");
	take_time(a, row, "until", said, "until_ms");
	node_map_set(a, row, "approvable", node_bool(a, node_get(said, "approval")));
}

struct node *view_replicators(const struct view *v, struct arena *a)
{
	struct node *all = node_map(a), *standings = NULL;
	for (size_t i = 0; i < v->rows.n; i++)
		if (v->rows.at[i].owned)
			node_map_set(a, all, v->rows.at[i].name,
				new_row(a, v->rows.at[i].seen_generation));
	if (v->standings)
		json_read(a, v->standings, strlen(v->standings), &standings, NULL);
	for (size_t i = 0; standings && standings->type == NODE_SEQ && i < standings->u.seq.n;
		i++) {
		const struct node *said = standings->u.seq.at[i];
		const char *name = node_get_string(said, "name");
		if (!name || view_orders_forget(v, said, name))
			continue;
		if (!node_get(all, name))
			node_map_set(a, all, name, new_row(a, 0));
		take_said(a, node_get(all, name), said);
	}
	view_orders_take(v, a, standings, all);
	return all;
}

static struct node *statuses(struct arena *a, const struct view *v)
{
	struct node *list = node_seq(a);
	vec_each (o, &v->outbox) {
		if (!o->updated_ms) /* nothing is said of it yet */
			continue;
		struct node *row = node_map(a);
		node_map_set(a, row, "commit", node_string(a, o->sha));
		node_map_set(a, row, "context", node_string(a, o->context));
		node_map_set(a, row, "state", node_string(a, status_state_name(o->state)));
		node_map_set(a, row, "text", node_string(a, o->text));
		node_map_set(a, row, "posted", node_bool(a, outbox_row_is_posted(o)));
		node_seq_add(a, list, row);
	}
	return list;
}

struct node *view_events(struct arena *a, const struct events *events)
{
	struct node *list = node_seq(a);
	for (size_t i = events->n; i-- > 0;) {
		const struct event *ev = &events->at[i];
		struct node *row = node_map(a);
		node_map_set(a, row, "at", view_time(a, ev->at_ms));
		node_map_set(a, row, "name", view_text(a, ev->name));
		node_map_set(a, row, "commit", view_text(a, ev->sha));
		node_map_set(a, row, "what", node_string(a, ev->what));
		node_map_set(a, row, "detail", view_text(a, ev->detail));
		node_map_set(a, row, "by", view_text(a, ev->by));
		node_seq_add(a, list, row);
	}
	return list;
}

static struct node *troubles(struct arena *a, const struct engine_stats *stats)
{
	struct node *list = node_seq(a);
	for (size_t i = 0; i < stats->n_troubles; i++) {
		const struct engine_trouble *t = &stats->troubles[i];
		struct node *row = node_map(a);
		node_map_set(a, row, "what", node_string(a, t->what));
		node_map_set(a, row, "since", view_time(a, t->since_ms));
		node_map_set(a, row, "next", view_time(a, t->next_ms));
		node_map_set(a, row, "message", node_string(a, t->message));
		node_seq_add(a, list, row);
	}
	return list;
}

struct node *view_rewind(struct arena *a, const struct engine_rewind *r)
{
	struct node *map = node_map(a);
	node_map_set(a, map, "from", node_string(a, r->from));
	node_map_set(a, map, "to", node_string(a, r->to));
	node_map_set(a, map, "approval", node_string(a, r->approval));
	node_map_set(a, map, "approved", node_bool(a, false)); /* then it would be held no more */
	return map;
}

struct node *view_brake(struct arena *a, const struct engine_brake *b)
{
	struct node *map = node_map(a);
	node_map_set(a, map, "commit", node_string(a, b->commit));
	node_map_set(a, map, "why", node_string(a, b->why));
	node_map_set(a, map, "approval", node_string(a, b->approval));
	return map;
}

/* What the engine counts, and how it is with it. */
static void add_stats(struct node *top, const struct engine_stats *stats, struct arena *a)
{
	node_map_set(a, top, "settled", node_bool(a, stats->settled));
	node_map_set(a, top, "ready", node_bool(a, stats->ready));
	node_map_set(a, top, "passes", node_int(a, (int64_t)stats->passes));
	node_map_set(a, top, "reads", node_int(a, (int64_t)stats->reads));
	node_map_set(a, top, "last_pass", view_time(a, stats->last_pass_ms));
	node_map_set(a, top, "troubles", troubles(a, stats));
}

struct node *view_progress(const struct engine_stats *stats, struct arena *a)
{
	struct node *top = node_map(a);
	node_map_set(a, top, "seen_head", view_text(a, stats->head[0] ? stats->head : NULL));
	node_map_set(a, top, "state", node_string(a, status_state_name(stats->state)));
	node_map_set(a, top, "text", node_string(a, stats->text));
	add_stats(top, stats, a);
	return top;
}

struct node *view_status(const struct view *v, struct arena *a)
{
	const struct engine_stats *stats = &v->stats;
	const char *state = v->daemon ? status_state_name(stats->state) : NULL;
	struct node *top = node_map(a);
	node_map_set(a, top, "name", node_string(a, v->config->name));
	node_map_set(a, top, "daemon", node_bool(a, v->daemon));
	node_map_set(a, top, "head", view_text(a, v->head));
	node_map_set(a, top, "seen_head", view_text(a, v->seen));
	node_map_set(a, top, "state", view_text(a, state));
	node_map_set(a, top, "text", view_text(a, v->daemon ? stats->text : NULL));
	add_stats(top, stats, a);
	node_map_set(a, top, "rewound",
		v->is_rewound ? view_rewind(a, &v->rewound)
		: v->daemon   ? node_null(a)
			      : view_rewind_from_store(v, a));
	node_map_set(a, top, "brake", v->is_braked ? view_brake(a, &v->brake) : node_null(a));
	node_map_set(a, top, "statuses", statuses(a, v));
	node_map_set(a, top, "replicators", view_replicators(v, a));
	node_map_set(a, top, "events", view_events(a, &v->events));
	return top;
}
