/* How each replicator stands that is not Healthy, since when, why, and what releases it: for
 * `weir status`, in memory and, as JSON, in the store. */
#include <string.h>

#include "base/alloc.h"
#include "doc/json.h"
#include "reconcile/internal.h"

#define DIFFS_KEPT   10
#define REASONS_KEPT 200 /* of those on their way, and of all others */

/* What is remembered from one report to the next, by name. */
struct since {
	char *how; /* the standing and the kind of hold */
	int64_t at_ms; /* wall */
};

static void since_free(void *p)
{
	struct since *s = p;
	if (s)
		free(s->how);
	free(s);
}

static void remember(struct map *all, const char *name, const char *how, int64_t at_ms)
{
	struct since *s = xmalloc(sizeof(*s));
	*s = (struct since){.how = xstrdup(how), .at_ms = at_ms};
	since_free(map_put(all, name, s));
}

static char *how_of(const char *standing, const char *hold)
{
	return xasprintf("%s %s", standing, hold ? hold : "");
}

void standings_load(struct engine *en, const char *json)
{
	auto_arena struct arena a = ARENA_INIT;
	struct node *list = NULL;
	if (!json || json_read(&a, json, strlen(json), &list, NULL) < 0 || list->type != NODE_SEQ)
		return;
	for (size_t i = 0; i < list->u.seq.n; i++) {
		const struct node *row = list->u.seq.at[i];
		const char *name = node_get_string(row, "name");
		const char *standing = node_get_string(row, "standing");
		int64_t at_ms;
		if (!name || !standing || !node_get_int(row, "since_ms", &at_ms))
			continue;
		auto_free char *how = how_of(standing, node_get_string(row, "hold"));
		remember(&en->since, name, how, at_ms);
	}
	str_replace(&en->standings, xstrdup(json));
}

void standings_release(struct engine *en)
{
	map_release_with(&en->since, since_free);
	free(en->standings);
}

static int64_t since_of(const struct engine *en, const char *name, const char *how)
{
	const struct since *before = map_get(&en->since, name);
	return before && !strcmp(before->how, how) ? before->at_ms : now_wall(en);
}

/* One that is suspended is held also where nothing is to be done. */
static const char *hold_of(const struct report_item *said, const struct plan_item *item)
{
	if (said->standing == STANDING_SUSPENDED)
		return plan_hold_name(PLAN_HOLD_SUSPEND);
	return item->action == PLAN_HOLD ? plan_hold_name(item->hold) : NULL;
}

/* What the API has, where that is not what Git says. */
static void add_differences(struct arena *a, struct node *row, const struct plan_item *item)
{
	struct node *list = node_seq(a);
	if (item->live)
		node_map_set(a, row, "live_generation", node_int(a, item->live->generation));
	for (size_t i = 0; i < item->diffs.n && item->live; i++) {
		auto_buf struct buf text = BUF_INIT;
		if (i < DIFFS_KEPT)
			plan_diff_text(&item->diffs.at[i], &text);
		else
			buf_addf(&text, "and %zu more", item->diffs.n - i);
		node_seq_add(a, list, node_string(a, buf_str(&text)));
		if (i == DIFFS_KEPT)
			break;
	}
	if (list->u.seq.n)
		node_map_set(a, row, "differs", list);
}

static void add_reasons(struct arena *a, struct node *row, const struct report_item *said,
	const struct plan_item *item)
{
	node_map_set(a, row, "why", node_string(a, said->why));
	if (said->release[0])
		node_map_set(a, row, "release", node_string(a, said->release));
	if (said->until_ms || said->next_ms)
		node_map_set(a, row, "until_ms",
			node_int(a, said->until_ms ? said->until_ms : said->next_ms));
	if (item->action == PLAN_HOLD && item->approval)
		node_map_set(a, row, "approval", node_string(a, item->approval));
	add_differences(a, row, item);
}

void standings_keep(struct engine *en, const struct report_item *items, size_t n)
{
	auto_arena struct arena a = ARENA_INIT;
	struct map since = MAP_INIT;
	struct node *list = node_seq(&a);
	size_t n_reasons[2] = {0};
	for (size_t i = 0; i < n; i++) {
		if (items[i].standing == STANDING_HEALTHY || items[i].standing == STANDING_GONE)
			continue;
		const struct plan_item *item = &en->plan->items.at[i];
		const char *standing = standing_name(items[i].standing);
		const char *hold = hold_of(&items[i], item);
		auto_free char *how = how_of(standing, hold);
		int64_t at_ms = since_of(en, items[i].name, how);
		struct node *row = node_map(&a);
		node_map_set(&a, row, "name", node_string(&a, items[i].name));
		node_map_set(&a, row, "standing", node_string(&a, standing));
		if (hold)
			node_map_set(&a, row, "hold", node_string(&a, hold));
		node_map_set(&a, row, "since_ms", node_int(&a, at_ms));
		bool moves = items[i].standing == STANDING_APPLYING ||
			     items[i].standing == STANDING_WAITING;
		if (n_reasons[moves]++ < REASONS_KEPT)
			add_reasons(&a, row, &items[i], item);
		node_seq_add(&a, list, row);
		remember(&since, items[i].name, how, at_ms);
	}
	map_release_with(&en->since, since_free);
	en->since = since;
	auto_buf struct buf json = BUF_INIT;
	json_write(&json, list, JSON_STYLE_COMPACT);
	if (en->standings && !strcmp(en->standings, buf_str(&json)))
		return;
	str_replace(&en->standings, buf_take(&json));
	ledger_set(&en->ledger, "standings", en->standings);
}
