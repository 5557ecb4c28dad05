/* What stands between a plan and the API beside the plan's own rules: what people approved, and
 * what later plans must know of this one. */
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "doc/json.h"
#include "reconcile/internal.h"

char *approval_of(const char *kind, const char *first, const char *second)
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

/* Of the head that was taken last and the tree that stands there instead. */
static char *rewind_digest(const struct engine *en, const struct source_head *head)
{
	return approval_of("rewind", en->ledger.head, head->tree);
}

bool rewind_is_held(struct engine *en, const struct source_head *head)
{
	bool held = head->relation == SOURCE_REWOUND && en->config->source.rewind == REWIND_HOLD;
	str_replace(&en->rewind_approval, held ? rewind_digest(en, head) : NULL);
	str_replace(&en->rewound_from, held ? xstrdup(en->ledger.head) : NULL);
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
	if (en->brake.approval && !strcmp(en->brake.approval, digest))
		return true;
	return en->rewind_approval && !strcmp(en->rewind_approval, digest);
}

/* What was approved stays so while something else holds it. */
static bool is_of_item(const struct plan_item *item, const char *digest)
{
	vec_each (given, &item->given)
		if (!strcmp(*given, digest))
			return true;
	return item->approval && !strcmp(item->approval, digest);
}

static bool is_bound(const struct engine *en, const char *digest)
{
	vec_each (item, &en->plan->items)
		if (is_of_item(item, digest))
			return true;
	return en->brake.approval && !strcmp(en->brake.approval, digest);
}

/* It is held again, and needs another approval: people wonder why. */
static void tell_lapsed(struct engine *en, const char *digest)
{
	const struct approval *a = map_get(&en->ledger.approvals, digest);
	const struct plan_item *item = plan_find(en->plan, a->name);
	if (!item || item->action != PLAN_HOLD || !item->approval)
		return;
	auto_free char *detail = xasprintf(
		"%s: what was approved has changed since, and it is held again; `weir approve %s` "
		"shows it as it is",
		a->action, a->name);
	ledger_event(&en->ledger, now_wall(en), a->name, commit_of(en), "approval lapsed", detail);
}

void approvals_sweep(struct engine *en)
{
	if (!inputs_complete(en) || en->options.dry)
		return;
	for (size_t i = map_size(&en->ledger.approvals); i-- > 0;) {
		auto_free char *digest = xstrdup(map_key(&en->ledger.approvals, i));
		if (is_bound(en, digest))
			continue;
		tell_lapsed(en, digest);
		ledger_disapprove(&en->ledger, digest);
	}
}

void approval_note(struct record *r, const struct plan_item *item)
{
	strv_clear(&r->approvals);
	vec_each (given, &item->given)
		strv_push(&r->approvals, *given);
}

void approval_used(struct engine *en, struct record *r)
{
	vec_each (digest, &r->approvals)
		ledger_disapprove(&en->ledger, *digest);
	strv_clear(&r->approvals);
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

/* By the labels that it has so far. What the plan was given of it is not made anew: the plan points
 * there. */
static bool may_be_changed(const struct engine *en, struct record *r, const struct plan_item *item)
{
	const struct windows *windows = en->config->sync.windows;
	const struct plan_record *known = item->record ? item->record : ledger_plan(r, item->live);
	return !windows || windows_at(windows, known->labels, now_wall(en)).open;
}

/* The version that is in sync, or the first one, says what its labels are; others may have theirs
 * to get past a window. So may a commit of labels alone: they count once the window of those that
 * it has is open. True if that is news. */
static bool remember_labels(struct engine *en, struct record *r, const struct plan_item *item)
{
	auto_buf struct buf json = BUF_INIT;
	struct store_row *row = &r->row;
	if (!is_in_sync(item) && (row->labels || !item->desired || item->from_accepted))
		return false;
	if (row->labels && !may_be_changed(en, r, item))
		return false;
	if (item->desired->labels)
		json_write(&json, item->desired->labels, JSON_STYLE_CANONICAL);
	else
		buf_adds(&json, "{}");
	if (row->labels && !strcmp(row->labels, buf_str(&json)))
		return false;
	str_replace(&row->labels, buf_take(&json));
	return true;
}

void guards_remember(struct engine *en, const struct plan_item *item)
{
	struct record *r = ledger_find(&en->ledger, item->name);
	if (!r || !ledger_is_ours(r))
		return;
	struct store_row *row = &r->row;
	bool is_protected = item->desired && item->desired->sync.protect;
	bool over_max = item->hold == PLAN_HOLD_PRUNE_MAX;
	is_protected = is_protected || (row->is_protected && !is_in_sync(item));
	over_max = over_max || (row->over_max && (!item->desired || is_to_go(item)));
	bool changed = remember_labels(en, r, item);
	if (!changed && is_protected == row->is_protected && over_max == row->over_max)
		return;
	row->is_protected = is_protected;
	row->over_max = over_max;
	ledger_changed(&en->ledger, r);
}
