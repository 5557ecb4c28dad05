/*
 * Settings that others take back, again and again. Kept per replicator as JSON: when drift of a
 * setting was healed lately, and since when one that is contested has been as Git says. It is
 * contested once PLAN_CONTESTED_TIMES reverts came within PLAN_CONTESTED_WITHIN_MS: the last of
 * them is not healed any more. It stays so until a person approves, Git says something else, or it
 * has been as Git says for as long.
 */
#include <string.h>

#include "base/alloc.h"
#include "doc/json.h"
#include "plan/setting.h"
#include "reconcile/internal.h"

struct entry {
	char *setting;
	int64_t healed[PLAN_CONTESTED_TIMES]; /* wall; the newest first, 0 for none */
	bool latched;
	int64_t calm_since; /* wall; latched: since when it has been as Git says, 0 if it is not */
};

struct entries {
	VEC_FIELDS(struct entry);
};

static void entries_release(struct entries *all)
{
	vec_each (entry, all)
		free(entry->setting);
	vec_release(all);
}
#define auto_entries __attribute__((cleanup(entries_release)))

static struct entry read_entry(const struct node_pair *pair)
{
	struct entry entry = {.setting = xstrdup(pair->key->u.string.s)};
	const struct node *healed = node_get(pair->value, "healed");
	for (size_t i = 0; healed && i < healed->u.seq.n && i < PLAN_CONTESTED_TIMES; i++)
		entry.healed[i] = healed->u.seq.at[i]->u.integer;
	node_get_bool(pair->value, "latched", &entry.latched);
	node_get_int(pair->value, "calm_since", &entry.calm_since);
	return entry;
}

static struct entries read_entries(const char *json)
{
	auto_arena struct arena a = ARENA_INIT;
	struct entries all = VEC_INIT;
	struct node *map;
	if (!json || json_read(&a, json, strlen(json), &map, NULL) < 0)
		return all;
	for (size_t i = 0; i < map->u.map.n; i++)
		vec_push(&all, read_entry(&map->u.map.at[i]));
	return all;
}

static struct node *write_entry(struct arena *a, const struct entry *entry)
{
	struct node *map = node_map(a);
	struct node *healed = node_seq(a);
	for (size_t i = 0; i < PLAN_CONTESTED_TIMES && entry->healed[i]; i++)
		node_seq_add(a, healed, node_int(a, entry->healed[i]));
	node_map_set(a, map, "healed", healed);
	if (entry->latched)
		node_map_set(a, map, "latched", node_bool(a, true));
	if (entry->calm_since)
		node_map_set(a, map, "calm_since", node_int(a, entry->calm_since));
	return map;
}

static void write_entries(struct engine *en, struct record *r, const struct entries *all)
{
	auto_arena struct arena a = ARENA_INIT;
	auto_buf struct buf json = BUF_INIT;
	struct node *map = node_map(&a);
	vec_each (entry, all)
		if (entry->latched || entry->healed[0])
			node_map_set(&a, map, entry->setting, write_entry(&a, entry));
	json_write(&json, map, JSON_STYLE_CANONICAL);
	const char *now = map->u.map.n ? buf_str(&json) : NULL;
	const char *before = r->row.contested;
	if (now && before ? !strcmp(now, before) : !now && !before)
		return;
	str_replace(&r->row.contested, xstrdup_opt(now));
	ledger_changed(&en->ledger, r);
}

static struct entry *find(struct entries *all, const char *setting)
{
	vec_each (entry, all)
		if (!strcmp(entry->setting, setting))
			return entry;
	return NULL;
}

/* Also what lies ahead, since the clock was set back. */
static bool is_lately(int64_t at, int64_t now)
{
	return at > now - PLAN_CONTESTED_WITHIN_MS && at <= now;
}

static bool is_contested(const struct entry *entry)
{
	return entry->latched || entry->healed[PLAN_CONTESTED_TIMES - 2];
}

static void forget_old(struct entry *entry, int64_t now)
{
	for (size_t i = 0; i < PLAN_CONTESTED_TIMES; i++)
		if (!is_lately(entry->healed[i], now))
			entry->healed[i] = 0;
}

void contested_healed(struct engine *en, struct record *r)
{
	if (!r->heals.n)
		return;
	auto_entries struct entries all = read_entries(r->row.contested);
	vec_each (setting, &r->heals) {
		struct entry *entry = find(&all, *setting);
		if (!entry) {
			vec_push(&all, (struct entry){.setting = xstrdup(*setting)});
			entry = &all.at[all.n - 1];
		}
		memmove(&entry->healed[1], &entry->healed[0],
			sizeof(entry->healed) - sizeof(entry->healed[0]));
		entry->healed[0] = now_wall(en);
		forget_old(entry, now_wall(en));
	}
	write_entries(en, r, &all);
	strv_clear(&r->heals);
}

void contested_note(struct record *r, const struct plan_item *item)
{
	strv_clear(&r->heals);
	vec_each (d, &item->diffs)
		if (d->change == PLAN_DRIFT && item->action == PLAN_UPDATE)
			strv_pushf(&r->heals, "%s%s%s", spec_fields[d->field].name,
				d->key ? "." : "", d->key ? d->key : "");
}

static void watch_calm(struct entry *entry, bool same, int64_t now)
{
	if (!same) {
		entry->latched = true;
		entry->calm_since = 0;
	} else if (!entry->latched) {
		return;
	} else if (!entry->calm_since || entry->calm_since > now) {
		entry->calm_since = now;
	} else if (now - entry->calm_since >= PLAN_CONTESTED_WITHIN_MS) {
		*entry = (struct entry){.setting = entry->setting};
	}
}

void contested_seen(struct engine *en, struct record *r, const struct plan_item *item)
{
	if (!r->row.contested || !item->desired || !item->live || !item->ours)
		return;
	if (item->approved && item->action == PLAN_UPDATE) {
		str_replace(&r->row.contested, NULL);
		ledger_changed(&en->ledger, r);
		return;
	}
	auto_entries struct entries all = read_entries(r->row.contested);
	struct settings settings = VEC_INIT;
	const struct spec *sides[SIDE__COUNT] = {
		[SIDE_DESIRED] = &item->desired->spec, [SIDE_LIVE] = &item->live->spec};
	settings_collect(&settings, sides);
	vec_each (s, &settings) {
		auto_buf struct buf name = BUF_INIT;
		setting_name(s, &name);
		struct entry *entry = find(&all, buf_str(&name));
		bool same = setting_equal(s, s->value[SIDE_DESIRED], s->value[SIDE_LIVE]);
		if (entry && is_contested(entry))
			watch_calm(entry, same, now_wall(en));
	}
	vec_release(&settings);
	write_entries(en, r, &all);
}

void contested_age(struct engine *en, struct record *r)
{
	if (!r->row.contested)
		return;
	auto_entries struct entries all = read_entries(r->row.contested);
	vec_each (entry, &all)
		forget_old(entry, now_wall(en));
	write_entries(en, r, &all);
}

void contested_changed(struct engine *en, struct record *r, const struct replicator *desired)
{
	if (!r->row.contested || !r->accepted)
		return;
	auto_entries struct entries all = read_entries(r->row.contested);
	struct settings settings = VEC_INIT;
	const struct spec *sides[SIDE__COUNT] = {
		[SIDE_DESIRED] = &desired->spec, [SIDE_APPLIED] = &ledger_desired(r)->spec};
	settings_collect(&settings, sides);
	vec_each (s, &settings) {
		auto_buf struct buf name = BUF_INIT;
		setting_name(s, &name);
		struct entry *entry = find(&all, buf_str(&name));
		if (entry && !setting_equal(s, s->value[SIDE_DESIRED], s->value[SIDE_APPLIED]))
			*entry = (struct entry){.setting = entry->setting};
	}
	vec_release(&settings);
	write_entries(en, r, &all);
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

const char *const *contested_names(const char *json, struct arena *arena, size_t *ret_n)
{
	auto_entries struct entries all = read_entries(json);
	const char **names = arena_alloc(arena, (all.n + 1) * sizeof(*names));
	size_t n = 0;
	vec_each (entry, &all)
		if (is_contested(entry))
			names[n++] = arena_strdup(arena, entry->setting);
	qsort(names, n, sizeof(*names), compare_names);
	*ret_n = n;
	return names;
}
