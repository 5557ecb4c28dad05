/* The brake on a commit of which one replicator after the other ends in Error, and the slow start
 * that gives it the time to bite. */
#include <string.h>

#include "base/alloc.h"
#include "base/log.h"
#include "doc/json.h"
#include "reconcile/internal.h"

#define BRAKE_AFTER 3 /* different replicators of one commit in a row */

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
	str_replace(&b->approval, is_on ? approval_of("brake", b->sha, buf_str(&names)) : NULL);
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

int brake_load(struct engine *en, const char *sha, struct err *e)
{
	auto_arena struct arena a = ARENA_INIT;
	auto_free char *json = NULL;
	struct node *map = NULL;
	struct brake *b = &en->brake;
	int rc = en->options.store ? store_get(en->options.store, "brake", &json, e) : 0;
	if (rc == 0 && json)
		rc = json_read(&a, json, strlen(json), &map, e);
	if (rc < 0)
		return err_prefix(e, "what is known of the brake");
	const char *commit = node_get_string(map, "commit");
	const struct node *failed = node_get(map, "failed");
	bool same = commit && failed && failed->type == NODE_SEQ && !strcmp(commit, sha);
	str_replace(&b->sha, xstrdup(sha));
	strv_clear(&b->failed);
	for (size_t i = 0; same && i < failed->u.seq.n; i++)
		strv_push(&b->failed, failed->u.seq.at[i]->u.string.s);
	describe_brake(b);
	return 0;
}

static bool is_of_head(const struct engine *en, const struct intent *i)
{
	return i->sha && en->brake.sha && !i->heals && !strcmp(i->sha, en->brake.sha);
}

void brake_note_end(struct engine *en, const struct record *r, bool well)
{
	struct brake *b = &en->brake;
	bool is_on = b->reason != NULL;
	if (well)
		b->well_ms = now_wall(en);
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
	if (!en->options.dry && b->approval && ledger_disapprove(&en->ledger, b->approval)) {
		strv_clear(&b->failed);
		keep_brake(en);
	}
	b->was_on = b->reason != NULL;
}

bool brake_counts(const struct plan_item *item)
{
	return item->action != PLAN_DELETE && plan_begins_change(item);
}

/* An operation of the commit that has not ended; one that was replaced is under way until the new
 * one is Healthy. What was written down and did not leave is not, nor what is known to fail. */
static bool is_under_way(const struct engine *en, const struct record *r)
{
	const struct intent *i = r->intent;
	if (!i || i->kind == INTENT_DELETE || !is_of_head(en, i))
		return false;
	return r->work != WORK_NONE || (i->state != INTENT_OPEN && !r->row.failure);
}

/* What is stuck holds up nobody else; nor does what is from a time that does not come soon, since
 * the clock was set back. */
static int64_t holds_until(const struct engine *en, const struct record *r)
{
	const struct intent *i = r->intent;
	int64_t since = i->started_ms ? i->started_ms : i->created_ms;
	int64_t now = now_wall(en);
	int64_t timeout = timeout_of(en, item_of(en, r));
	return since - now <= timeout && since + timeout > now ? since + timeout : 0;
}

/* Those that are under way or ended in Error are in doubt, and of these there are at most as many
 * more than ended well as make the brake bite. */
void brake_open(struct engine *en)
{
	struct brake *b = &en->brake;
	size_t in_doubt = b->failed.n;
	size_t most = BRAKE_AFTER + map_size(&en->changed);
	b->queue = 0;
	b->frees_ms = 0;
	for (size_t i = 0; i < map_size(&en->ledger.records); i++) {
		const struct record *r = map_value(&en->ledger.records, i);
		if (!is_under_way(en, r) || strv_contains(&b->failed, r->name))
			continue;
		int64_t until = holds_until(en, r);
		in_doubt += until != 0;
		if (until && (!b->frees_ms || until < b->frees_ms))
			b->frees_ms = until;
	}
	b->room = in_doubt < most ? most - in_doubt : 0;
	if (!en->head.sha[0] || b->was_on) /* what the plan lets go all the same is approved */
		b->room = SIZE_MAX;
	else if (b->reason)
		b->room = 0;
}

bool brake_queues(struct engine *en, struct plan_item *item)
{
	struct brake *b = &en->brake;
	item->queued = brake_counts(item) && !b->room;
	if (item->queued && !b->queue++)
		b->next = (size_t)(item - en->plan->items.at);
	return item->queued;
}

void brake_began(struct engine *en, const struct plan_item *item)
{
	struct brake *b = &en->brake;
	if (b->room && b->room != SIZE_MAX && brake_counts(item))
		b->room--;
}

void brake_close(struct engine *en)
{
	struct brake *b = &en->brake;
	if (b->queue && b->frees_ms)
		pass_soon(en, b->frees_ms - now_wall(en));
}

/* Of what came to nothing at once, as a refusal, there may be many: the next one need not wait for
 * another pass. */
void brake_freed(struct engine *en, const struct record *r)
{
	struct brake *b = &en->brake;
	if (!b->queue || !r || is_under_way(en, r) || strv_contains(&b->failed, r->name))
		return;
	const struct plan_item *item = item_of(en, r);
	bool is_fresh = en->pass == PASS_WRITING && en->dropped != en->plans && !en->stopping;
	if (!is_fresh || !item || !brake_counts(item) || r->begun_by != en->plans) {
		pass_soon(en, 0);
		return;
	}
	b->room++;
	for (; b->queue && b->room; b->next++) {
		struct plan_item *next = &en->plan->items.at[b->next];
		b->queue -= next->queued;
		if (next->queued)
			work_begin(en, next);
	}
}
