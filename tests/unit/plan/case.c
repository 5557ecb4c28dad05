/* Reads a case folder into what plan_build takes. */
#include "case.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/fs.h"
#include "base/strv.h"
#include "base/text.h"
#include "doc/json.h"

static bool read_file(const char *folder, const char *name, struct buf *out)
{
	auto_free char *path = fs_join(folder, name);
	struct err e = ERR_INIT;

	if (fs_read(path, out, &e) == 0)
		return true;
	if (e.code != ERR_NOT_FOUND)
		fail_msg("%s", e.msg);
	return false;
}

/* NULL if there is no such file. */
static struct node *read_json(struct plan_case *c, const char *folder, const char *name)
{
	auto_buf struct buf text = BUF_INIT;
	struct node *root = NULL;
	struct err e = ERR_INIT;

	if (!read_file(folder, name, &text))
		return NULL;
	if (json_read(&c->arena, buf_str(&text), text.len, &root, &e) < 0)
		fail_msg("%s/%s: %s", folder, name, e.msg);
	return root;
}

static void list_yaml(const char *folder, struct strv *out)
{
	DIR *dir = opendir(folder);

	for (struct dirent *entry; dir && (entry = readdir(dir));)
		if (text_has_suffix(entry->d_name, ".yaml"))
			strv_push(out, entry->d_name);
	if (dir)
		closedir(dir);
	strv_sort(out);
}

static struct catalog *load_catalog(const char *folder)
{
	struct catalog *catalog = catalog_new();
	auto_strv struct strv names = VEC_INIT;

	list_yaml(folder, &names);
	vec_each (name, &names) {
		auto_buf struct buf text = BUF_INIT;

		read_file(folder, *name, &text);
		struct parsed_file *parsed = parsed_file_new(buf_str(&text), text.len);
		catalog_add(catalog, *name, parsed);
		parsed_file_unref(parsed);
	}
	catalog_finish(catalog);
	return catalog;
}

static void load_accepted(struct plan_case *c, const char *folder)
{
	auto_free char *below = fs_join(folder, "accepted");

	c->accepted = load_catalog(below);
	for (size_t i = 0; i < map_size(&c->accepted->by_name); i++)
		vec_push(&c->accepted_list, map_value(&c->accepted->by_name, i));
}

static void load_live(struct plan_case *c, const struct node *list)
{
	for (size_t i = 0; list && i < list->u.seq.n; i++) {
		struct live *live = arena_alloc(&c->arena, sizeof(*live));
		struct err e = ERR_INIT;

		if (live_decode(list->u.seq.at[i], &c->arena, live, &e) < 0)
			fail_msg("live.json: %s", e.msg);
		vec_push(&c->live, live);
	}
}

/* Odd values stay as they are. */
static bool load_spec(struct plan_case *c, const struct node *map, struct spec *ret_spec)
{
	struct field_place place = {.arena = &c->arena, .path = ""};
	struct problems ignored = PROBLEMS_INIT;

	if (!map)
		return false;
	spec_decode(map, &place, false, ret_spec, &ignored);
	problems_release(&ignored);
	return true;
}

static int64_t load_time(const struct node *map, const char *key)
{
	const char *text = node_get_string(map, key);
	int64_t ms = 0;

	if (text && !clock_parse(text, &ms))
		fail_msg("%s: %s is no time", key, text);
	return ms;
}

static void load_intent(struct plan_case *c, const struct node *map, struct plan_record *r)
{
	if (!map)
		return;
	r->intent_open = true;
	load_spec(c, node_get(map, "intended"), &r->intended);
	node_get_int(map, "base", &r->intent_base);
	r->intent_ours_from = r->intent_base;
	node_get_int(map, "ours_from", &r->intent_ours_from);
	node_get_int(map, "generation", &r->intent_generation);
	node_get_bool(map, "reconciled", &r->intent_reconciled);
}

static void load_contested(struct plan_case *c, const struct node *list, struct plan_record *r)
{
	r->n_contested = list ? list->u.seq.n : 0;
	const char **names = arena_alloc(&c->arena, (r->n_contested + 1) * sizeof(char *));
	for (size_t i = 0; i < r->n_contested; i++)
		names[i] = list->u.seq.at[i]->u.string.s;
	r->contested = names;
}

/* {key: whether it was sent as null} */
static void load_leftovers(struct plan_case *c, const struct node *map, struct plan_record *r)
{
	r->n_leftovers = map ? map->u.map.n : 0;
	struct plan_leftover *left = arena_alloc(&c->arena, (r->n_leftovers + 1) * sizeof(*left));
	for (size_t i = 0; i < r->n_leftovers; i++)
		left[i] = (struct plan_leftover){
			map->u.map.at[i].key->u.string.s, map->u.map.at[i].value->u.boolean};
	r->leftovers = left;
}

/* The body as it was sent, and the answer. */
static void load_refusal(struct plan_case *c, const struct node *map, struct plan_record *r)
{
	const char *body = node_get_string(map, "body");
	char digest[HASH_HEX_MAX];

	if (!body)
		return;
	plan_body_digest(body, digest);
	r->refused_body = arena_strdup(&c->arena, digest);
	r->refusal = node_get_string(map, "said");
}

static void load_record(struct plan_case *c, const struct node *map)
{
	struct plan_record *r = arena_alloc(&c->arena, sizeof(*r));

	r->name = node_get_string(map, "name");
	r->uid = node_get_string(map, "uid");
	r->created_at = node_get_string(map, "created_at");
	r->has_last_applied = load_spec(c, node_get(map, "last_applied"), &r->last_applied);
	struct spec *provisioned = arena_alloc(&c->arena, sizeof(*provisioned));
	if (load_spec(c, node_get(map, "provisioned"), provisioned))
		r->provisioned = provisioned;
	node_get_bool(map, "was_protected", &r->was_protected);
	node_get_bool(map, "over_max", &r->over_max);
	r->labels = node_get(map, "labels");
	load_refusal(c, node_get(map, "refused"), r);
	r->seen_generation = r->has_last_applied; /* of an object, if nothing else is said */
	node_get_int(map, "seen_generation", &r->seen_generation);
	node_get_int(map, "seen_observed", &r->seen_observed);
	node_get_int(map, "provisioned_generation", &r->provisioned_generation);
	node_get_int(map, "failed_generation", &r->failed_generation);
	r->retry_at_ms = load_time(map, "retry_at");
	r->gone_since_ms = load_time(map, "gone_since");
	node_get_bool(map, "deleted", &r->deleted);
	r->unread = node_get_string(map, "unread");
	load_contested(c, node_get(map, "contested"), r);
	load_leftovers(c, node_get(map, "leftovers"), r);
	load_intent(c, node_get(map, "intent"), r);
	load_spec(c, node_get(map, "not_kept"), &r->not_kept_value);
	for (enum spec_field f = 0; f < SPEC__COUNT; f++)
		r->not_kept |= r->not_kept_value.value[f] ? 1u << f : 0;
	vec_push(&c->records, r);
}

static void load_secrets(struct plan_case *c, const struct node *list)
{
	for (size_t i = 0; list && i < list->u.seq.n; i++) {
		const struct node *map = list->u.seq.at[i];

		vec_push(&c->secrets,
			(struct plan_secret){
				.name = node_get_string(map, "name"),
				.field = spec_field_find(node_get_string(map, "field")),
				.message = node_get_string(map, "message"),
			});
	}
}

static void load_suspensions(struct plan_case *c, const struct node *list)
{
	for (size_t i = 0; list && i < list->u.seq.n; i++) {
		const struct node *map = list->u.seq.at[i];

		vec_push(&c->suspensions, (struct plan_suspension){
						  .name = node_get_string(map, "name"),
						  .reason = node_get_string(map, "reason"),
						  .by = node_get_string(map, "by"),
						  .has_until = node_get(map, "until"),
						  .until_ms = load_time(map, "until"),
					  });
	}
}

/* The place of the word, 0 if there is none. */
static int load_choice(const struct node *map, const char *key, const char *const *words)
{
	const char *word = node_get_string(map, key);

	for (int i = 0; word && words[i]; i++)
		if (strcmp(word, words[i]) == 0)
			return i;
	if (word)
		fail_msg("%s: %s", key, word);
	return 0;
}

static void load_windows(struct plan_case *c, const struct node *list)
{
	VEC(struct window_rule) rules = VEC_INIT;
	struct err e = ERR_INIT;
	size_t bad = 0;

	for (size_t i = 0; list && i < list->u.seq.n; i++) {
		const struct node *map = list->u.seq.at[i];
		struct window_rule rule = {
			.deny = strcmp(node_get_string(map, "kind"), "deny") == 0,
			.schedule = node_get_string(map, "schedule"),
			.timezone = node_get_string(map, "timezone"),
			.match = node_get(map, "match"),
		};

		duration_parse(node_get_string(map, "duration"), &rule.duration_ms);
		vec_push(&rules, rule);
	}
	if (rules.n && windows_new(rules.at, rules.n, &c->windows, &bad, &e) < 0)
		fail_msg("windows[%zu]: %s", bad, e.msg);
	vec_release(&rules);
	c->input.windows = c->windows;
}

/* As in weir.yaml: 3, or "10%". */
static void load_prune(struct plan_input *in, const struct node *map)
{
	const char *percent = node_get_string(map, "max");

	in->prune.max.value = 1;
	node_get_bool(map, "enabled", &in->prune.enabled);
	node_get_int(map, "max", &in->prune.max.value);
	if (percent) {
		in->prune.max.percent = true;
		in->prune.max.value = strtol(percent, NULL, 10);
	}
	if (node_get(map, "grace") &&
		!duration_parse(node_get_string(map, "grace"), &in->prune.grace_ms))
		fail_msg("prune.grace");
}

static void load_options(struct plan_case *c, const struct node *map)
{
	static const char *const modes[] = {"heal", "report", "plan", NULL};
	static const char *const adopts[] = {"match", "overwrite", "never", NULL};
	static const char *const drafts[] = {"hold", "apply", NULL};
	struct plan_input *in = &c->input;

	in->mode = (enum sync_mode)load_choice(map, "mode", modes);
	in->adopt = (enum sync_adopt)load_choice(map, "adopt", adopts);
	in->foreign_drafts = (enum foreign_drafts)load_choice(map, "foreign_drafts", drafts);
	node_get_bool(map, "store_is_empty", &in->store_is_empty);
	node_get_bool(map, "rewound", &in->rewound);
	in->rewound_approval = node_get_string(map, "rewound_approval");
	in->brake = node_get_string(map, "brake");
	in->brake_approval = node_get_string(map, "brake_approval");
	node_get_int(map, "max_updates", &in->max_updates);
	node_get_int(map, "n_updated", &in->n_updated);
	in->now_ms = load_time(map, "now");
	load_prune(in, node_get(map, "prune"));
	load_secrets(c, node_get(map, "secrets"));
	load_suspensions(c, node_get(map, "suspensions"));
	load_windows(c, node_get(map, "windows"));
	c->header = (struct plan_header){
		.name = "acme",
		.sha = node_get_string(map, "sha"),
		.summary = node_get_string(map, "summary"),
		.api = "https://api.example.com, organization acme",
	};
}

/* The digests, and what the plan asks of the names. */
static void load_approvals(
	struct plan_case *c, const struct node *digests, const struct node *names)
{
	struct plan *p = names ? plan_build(&c->input) : NULL;

	for (size_t i = 0; digests && i < digests->u.seq.n; i++)
		strv_push(&c->approvals, digests->u.seq.at[i]->u.string.s);

	for (size_t i = 0; names && i < names->u.seq.n; i++) {
		const char *name = names->u.seq.at[i]->u.string.s;
		const struct plan_item *it = plan_find(p, name);

		if (!it || !it->approval)
			fail_msg("approve: %s asks for nothing", name);
		strv_push(&c->approvals, it->approval);
	}
	plan_free(p);
	strv_sort(&c->approvals);
	c->input.approvals = (const char *const *)c->approvals.at;
	c->input.n_approvals = c->approvals.n;
}

void plan_case_load(struct plan_case *c, const char *folder)
{
	const struct node *records, *options;

	*c = (struct plan_case){0};
	c->catalog = load_catalog(folder);
	load_accepted(c, folder);
	load_live(c, read_json(c, folder, "live.json"));
	records = read_json(c, folder, "records.json");
	for (size_t i = 0; records && i < records->u.seq.n; i++)
		load_record(c, records->u.seq.at[i]);
	options = read_json(c, folder, "options.json");
	load_options(c, options);
	c->input.catalog = c->catalog;
	c->input.accepted = c->accepted_list.at;
	c->input.n_accepted = c->accepted_list.n;
	c->input.live = c->live.at;
	c->input.n_live = c->live.n;
	c->input.records = c->records.at;
	c->input.n_records = c->records.n;
	c->input.secrets = c->secrets.at;
	c->input.n_secrets = c->secrets.n;
	c->input.suspensions = c->suspensions.at;
	c->input.n_suspensions = c->suspensions.n;
	load_approvals(c, node_get(options, "approved"), node_get(options, "approve"));
}

void plan_case_release(struct plan_case *c)
{
	vec_release(&c->accepted_list);
	vec_release(&c->live);
	vec_release(&c->records);
	vec_release(&c->secrets);
	vec_release(&c->suspensions);
	strv_release(&c->approvals);
	windows_free(c->windows);
	catalog_free(c->catalog);
	catalog_free(c->accepted);
	arena_release(&c->arena);
}
