/* The tree of `weir explain`: all that is known of one replicator. */
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "cli/view_parts.h"
#include "doc/json.h"
#include "model/catalog.h"

static const char *const intent_kinds[] = {
	[INTENT_CREATE] = "create",
	[INTENT_UPDATE] = "update",
	[INTENT_RECONCILE] = "reconcile",
	[INTENT_DELETE] = "delete",
	[INTENT_REPLACE] = "replace",
};

static const char *const intent_states[] = {
	[INTENT_OPEN] = "being written",
	[INTENT_SAVED] = "saved, not started",
	[INTENT_SENT] = "being started",
	[INTENT_RUNNING] = "waiting for its end",
};

static struct node *intent_node(struct arena *a, const struct view *v, const char *name)
{
	const struct intent *found = NULL;
	vec_each (i, &v->intents)
		if (!strcmp(i->name, name))
			found = i;
	if (!found)
		return node_null(a);
	const char *state = (size_t)found->state < ARRAY_SIZE(intent_states)
				    ? intent_states[found->state]
				    : "ended";
	struct node *map = node_map(a);
	node_map_set(a, map, "kind", node_string(a, intent_kinds[found->kind]));
	node_map_set(a, map, "state", node_string(a, state));
	node_map_set(a, map, "commit", view_text(a, found->sha));
	node_map_set(a, map, "generation", node_int(a, found->generation));
	node_map_set(a, map, "attempt", node_int(a, found->attempt));
	node_map_set(a, map, "since", view_time(a, found->created_ms));
	node_map_set(a, map, "started", view_time(a, found->started_ms));
	return map;
}

static struct node *suspension_node(struct arena *a, const struct view *v, const char *name)
{
	vec_each (s, &v->suspensions) {
		if (strcmp(s->name, name) != 0)
			continue;
		struct node *map = node_map(a);
		node_map_set(a, map, "reason", node_string(a, s->reason));
		node_map_set(a, map, "until", view_time(a, s->has_until ? s->until_ms : 0));
		node_map_set(a, map, "by", node_string(a, s->by));
		node_map_set(a, map, "at", view_time(a, s->at_ms));
		return map;
	}
	return node_null(a);
}

static struct node *approval_nodes(struct arena *a, const struct view *v, const char *name)
{
	struct node *list = node_seq(a);
	vec_each (given, &v->approvals) {
		if (strcmp(given->name, name) != 0)
			continue;
		struct node *map = node_map(a);
		node_map_set(a, map, "action", node_string(a, given->action));
		node_map_set(a, map, "digest", node_string(a, given->digest));
		node_map_set(a, map, "reason", node_string(a, given->reason));
		node_map_set(a, map, "by", node_string(a, given->by));
		node_map_set(a, map, "at", view_time(a, given->at_ms));
		node_seq_add(a, list, map);
	}
	return list;
}

static const struct store_row *find_row(const struct view *v, const char *name)
{
	vec_each (row, &v->rows)
		if (!strcmp(row->name, name))
			return row;
	return NULL;
}

/* The document that counts: where it is in Git, or was. */
static struct node *document_node(struct arena *a, const char *json, bool gone)
{
	struct replicator document;
	if (!json || replicator_read_json(json, a, &document, NULL) < 0)
		return node_null(a);
	struct node *map = node_map(a);
	node_map_set(a, map, "file", node_string(a, document.file));
	node_map_set(a, map, "line", node_int(a, document.line));
	node_map_set(a, map, "gone", node_bool(a, gone));
	return map;
}

static void add_row(struct arena *a, struct node *answer, const struct store_row *row)
{
	static const struct store_row none = {.name = NULL};
	const struct store_row *r = row ? row : &none;
	node_map_set(a, answer, "owned", node_bool(a, r->owned));
	node_map_set(a, answer, "provisioned_generation", node_int(a, r->provisioned_generation));
	node_map_set(a, answer, "failed_generation", node_int(a, r->failed_generation));
	node_map_set(a, answer, "failures", node_int(a, r->failures));
	node_map_set(
		a, answer, "retry_at", view_time(a, r->failed_generation ? r->retry_at_ms : 0));
	node_map_set(a, answer, "gone_since", view_time(a, r->gone_since_ms));
}

static int fail_unknown(const struct node *all, const char *name, struct err *e)
{
	VEC(const char *) names = VEC_INIT;
	for (size_t i = 0; i < all->u.map.n; i++)
		vec_push(&names, all->u.map.at[i].key->u.string.s);
	const char *near = text_suggest(name, names.at, names.n);
	err_set(e, ERR_NOT_FOUND, "nothing is known of %s; %s%s%s", name,
		near ? "did you mean " : "`weir status --all` lists what is known",
		near ? near : "", near ? "?" : "");
	vec_release(&names);
	return -ERR_NOT_FOUND;
}

int view_explain(const struct view *v, struct store *s, const char *name, size_t n_events,
	struct arena *a, struct node **ret_answer, struct err *e)
{
	struct events events = VEC_INIT;
	auto_free char *accepted = NULL;
	struct node *all = view_replicators(v, a);
	struct node *answer = node_get(all, name);
	int rc = store_load_events(s, name, n_events, &events, e);
	if (rc == 0)
		rc = store_get_accepted(s, name, &accepted, e);
	if (rc == 0 && !answer && !events.n && !accepted)
		rc = fail_unknown(all, name, e);
	if (rc == 0) {
		const struct store_row *row = find_row(v, name);
		if (!answer)
			answer = node_map(a);
		node_map_set(a, answer, "name", node_string(a, name));
		node_map_set(a, answer, "document",
			document_node(a, accepted, row && row->gone_since_ms));
		add_row(a, answer, row);
		node_map_set(a, answer, "suspension", suspension_node(a, v, name));
		node_map_set(a, answer, "approvals", approval_nodes(a, v, name));
		node_map_set(a, answer, "intent", intent_node(a, v, name));
		node_map_set(a, answer, "events", view_events(a, &events));
		*ret_answer = answer;
	}
	events_release(&events);
	return rc;
}
