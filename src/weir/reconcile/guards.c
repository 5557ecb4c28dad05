/* What stands between a plan and the API beside the plan's own rules: the brake on a commit of
 * which one after the other ends in Error, and what people approved. */
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/log.h"
#include "doc/json.h"
#include "reconcile/internal.h"

#define BRAKE_AFTER 3 /* different replicators of one commit in a row */

/* A digest of what a person approves. */
static char *digest_of(const char *kind, const char *first, const char *second)
{
	struct hash h;
	unsigned char digest[HASH_BYTES];
	char hex[HASH_HEX_MAX];
	hash_begin(&h);
	hash_adds(&h, "weir approval 1");
	hash_adds(&h, kind);
	hash_adds(&h, first);
	hash_adds(&h, second);
	hash_end(&h, digest);
	return xstrdup(hash_hex(digest, hex));
}

static void join_names(const struct strv *names, struct buf *out)
{
	for (size_t i = 0; i < names->n; i++)
		buf_addf(out, "%s%s", !i ? "" : i + 1 == names->n ? " and " : ", ", names->at[i]);
}

static void describe_brake(struct brake *b)
{
	auto_buf struct buf names = BUF_INIT;
	join_names(&b->failed, &names);
	bool is_on = b->failed.n >= BRAKE_AFTER;
	str_replace(&b->reason,
		is_on ? xasprintf("%s ended in Error one after the other", buf_str(&names)) : NULL);
	str_replace(&b->approval, is_on ? digest_of("brake", b->sha, buf_str(&names)) : NULL);
}

static void keep_brake(struct engine *en)
{
	auto_arena struct arena a = ARENA_INIT;
	auto_buf struct buf json = BUF_INIT;
	struct node *map = node_map(&a);
	struct node *failed = node_seq(&a);
	vec_each (name, &en->brake.failed)
		node_seq_add(&a, failed, node_string(&a, *name));
	node_map_set(&a, map, "commit", node_string(&a, en->brake.sha));
	node_map_set(&a, map, "failed", failed);
	json_write(&json, map, JSON_STYLE_CANONICAL);
	ledger_set(&en->ledger, "brake", buf_str(&json));
	describe_brake(&en->brake);
}

void brake_release(struct brake *b)
{
	free(b->sha);
	free(b->reason);
	free(b->approval);
	strv_release(&b->failed);
}

void brake_load(struct engine *en)
{
	auto_arena struct arena a = ARENA_INIT;
	auto_free char *json = NULL;
	struct node *map = NULL;
	struct brake *b = &en->brake;
	str_replace(&b->sha, xstrdup(en->head.sha));
	strv_clear(&b->failed);
	if (en->options.store)
		store_get(en->options.store, "brake", &json, NULL);
	if (json)
		json_read(&a, json, strlen(json), &map, NULL);
	const char *sha = node_get_string(map, "commit");
	const struct node *failed = node_get(map, "failed");
	bool same = sha && failed && failed->type == NODE_SEQ && !strcmp(sha, b->sha);
	for (size_t i = 0; same && i < failed->u.seq.n; i++)
		strv_push(&b->failed, failed->u.seq.at[i]->u.string.s);
	describe_brake(b);
}

static bool is_of_head(const struct engine *en, const struct intent *i)
{
	return i->sha && en->brake.sha && !i->heals && !strcmp(i->sha, en->brake.sha);
}

void brake_note_end(struct engine *en, const struct record *r, bool well)
{
	struct brake *b = &en->brake;
	bool is_on = b->reason != NULL;
	if (!is_of_head(en, r->intent) || is_on)
		return;
	if (well && b->failed.n) {
		strv_clear(&b->failed);
		keep_brake(en);
	} else if (!well && !strv_contains(&b->failed, r->name)) {
		strv_push(&b->failed, r->name);
		keep_brake(en);
	}
	if (!b->reason)
		return;
	log_error("nothing more of the commit is begun", "commit", b->sha, "why", b->reason, NULL);
	ledger_event(&en->ledger, now_wall(en), NULL, b->sha, "braked", b->reason);
	progress(en, "nothing more of commit %.12s is begun: %s", b->sha, b->reason);
	pass_stop_begun(en);
}

void brake_check(struct engine *en)
{
	struct brake *b = &en->brake;
	if (en->options.dry || !b->approval || !ledger_disapprove(&en->ledger, b->approval))
		return;
	strv_clear(&b->failed);
	keep_brake(en);
}

/* Of the head that was taken last and the tree that stands there instead. */
static char *rewind_digest(const struct engine *en, const struct source_head *head)
{
	return digest_of("rewind", en->ledger.head, head->tree);
}

bool rewind_is_held(struct engine *en, const struct source_head *head)
{
	bool held = head->relation == SOURCE_REWOUND && en->config->source.rewind == REWIND_HOLD;
	str_replace(&en->rewind_approval, held ? rewind_digest(en, head) : NULL);
	if (!held || !map_has(&en->ledger.approvals, en->rewind_approval))
		return held;
	if (!en->options.dry) {
		ledger_disapprove(&en->ledger, en->rewind_approval);
		ledger_event(&en->ledger, now_wall(en), NULL, head->sha, "rewound",
			"as it was approved");
	}
	str_replace(&en->rewind_approval, NULL);
	return false;
}

bool engine_binds(const struct engine *en, const char *name, const char *digest)
{
	const struct plan_item *item = en->plan ? plan_find(en->plan, name) : NULL;
	if (item && item->approval && !strcmp(item->approval, digest))
		return true;
	return en->rewind_approval && !strcmp(en->rewind_approval, digest);
}

static bool is_bound(const struct engine *en, const char *digest)
{
	vec_each (item, &en->plan->items)
		if (item->approval && !strcmp(item->approval, digest))
			return true;
	return en->brake.approval && !strcmp(en->brake.approval, digest);
}

void approvals_sweep(struct engine *en)
{
	if (!inputs_complete(en) || en->options.dry)
		return;
	for (size_t i = map_size(&en->ledger.approvals); i-- > 0;) {
		auto_free char *digest = xstrdup(map_key(&en->ledger.approvals, i));
		if (!is_bound(en, digest))
			ledger_disapprove(&en->ledger, digest);
	}
}

void approval_used(struct engine *en, struct record *r)
{
	if (r->approval)
		ledger_disapprove(&en->ledger, r->approval);
	str_replace(&r->approval, NULL);
}

static bool is_in_sync(const struct plan_item *item)
{
	return item->action == PLAN_NONE && item->desired && !item->waiting && !item->from_accepted;
}

static bool is_to_go(const struct plan_item *item)
{
	enum plan_action action = item->action == PLAN_HOLD ? item->held_action : item->action;
	return action == PLAN_DELETE || action == PLAN_REPLACE;
}

void guards_remember(struct engine *en, const struct plan_item *item)
{
	struct record *r = ledger_find(&en->ledger, item->name);
	if (!r || !r->row.owned)
		return;
	struct store_row *row = &r->row;
	bool is_protected = item->desired && item->desired->sync.protect;
	bool over_max = item->hold == PLAN_HOLD_PRUNE_MAX;
	is_protected = is_protected || (row->is_protected && !is_in_sync(item));
	over_max = over_max || (row->over_max && (!item->desired || is_to_go(item)));
	if (is_protected == row->is_protected && over_max == row->over_max)
		return;
	row->is_protected = is_protected;
	row->over_max = over_max;
	ledger_changed(&en->ledger, r);
}
