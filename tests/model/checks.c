/* Promises that are kept at every moment. */
#include "checks.h"

#include <string.h>

#include "base/alloc.h"
#include "doc/json.h"

#define STORM_CALLS ARRAY_SIZE(((struct world *)NULL)->left_at)
#define STORM_MS    60000

/* ---- judgement */

bool check_ever_says(const struct world *w, int who, enum field_of f, int value)
{
	vec_each (c, &w->commits)
		if (c->taken && doc_loads(&c->tree.doc[who]) &&
			same_value(f, doc_value(&c->tree.doc[who], f), value))
			return true;
	return false;
}

bool check_ever_written(const struct world *w, int who, enum field_of f)
{
	vec_each (c, &w->commits)
		if (c->taken && doc_value(&c->tree.doc[who], f))
			return true;
	return false;
}

bool check_leaves_alone(const struct doc *d, const struct object *o, enum field_of f)
{
	bool threshold_too = d->ignore >> F_THRESHOLD & 1;
	return d->ignore >> f & 1 || (f == F_UNIT && threshold_too && !o->live.v[F_THRESHOLD]);
}

/* Where the API does not tell which generation runs, a status that leaves its rest and comes back
 * has to. What was there before weir had a record of it, and what was saved while somebody's
 * operation ran, looks there as if it had been started, and nothing that is shown says else. */
static bool looks_started(const struct world *w, const struct object *o, enum field_of f)
{
	bool tells = !(w->variants & 1u << VARIANT_NO_OBSERVED);
	bool is_known = o->met_in == w->stores_lost + 1 && o->theirs_at[f] > o->met;
	return !tells && (!is_known || o->at_work[f]);
}

bool check_as_git(const struct world *w, int who, const struct doc *d)
{
	const struct object *o = &w->object[who];
	bool our_op = o->op && w->ops.at[o->op - 1].ours; /* what others start again is theirs */
	if (!o->exists || o->deleting || our_op || o->failed)
		return false;
	for (enum field_of f = 0; f < F__COUNT; f++) {
		int wanted = doc_value(d, f);
		if (!wanted || check_leaves_alone(d, o, f))
			continue;
		if (!same_value(f, wanted, o->live.v[f]) ||
			(!looks_started(w, o, f) && !same_value(f, wanted, o->runs.v[f])))
			return false;
	}
	return true;
}

bool check_may_differ(const struct world *w, int who)
{
	const struct object *o = &w->object[who];
	return o->exists && (!o->by_us || w->lied >= o->made || !o->known || o->doubtful ||
				    o->stores != w->stores_lost);
}

bool check_has_foreign_draft(const struct object *o)
{
	if (!o->exists || o->deleting || o->op)
		return false;
	for (enum field_of f = 0; f < F__COUNT; f++)
		if (o->theirs[f] && o->live.v[f] != o->runs.v[f])
			return true;
	return false;
}

bool check_may_be_hidden(const struct world *w)
{
	int missing = 0;
	for (int who = 0; who < WHO__COUNT; who++)
		missing += (w->draft.doc[who].exists || w->memory[who].has_last) &&
			   !w->object[who].exists;
	return missing > 2;
}

const struct doc *check_doc(const struct world *w, int who)
{
	if (!w->taken_here || w->held || !w->taken)
		return NULL;
	const struct tree *t = &git_commit(w, w->taken)->tree;
	return tree_loads(t) ? &t->doc[who] : NULL;
}

bool check_op_is_of(const struct op *op, const struct object *o)
{
	return op->uid == o->uid && op->generation == o->generation && op->left >= o->made;
}

/* ---- what leaves */

/* There is never more than so much in so short a time: no loop, no storm. */
static void no_storm(struct world *w)
{
	size_t slot = w->left++ % STORM_CALLS;
	if (w->left > STORM_CALLS && w->now - w->left_at[slot] < STORM_MS)
		violate("no_storm", "%zu calls in %lld ms", STORM_CALLS,
			(long long)(w->now - w->left_at[slot]));
	w->left_at[slot] = w->now;
}

/* No call that changes anything leaves before it is journalled: a crash finds it again. */
static void journal_comes_first(struct world *w, const struct api_call *c)
{
	struct intents intents = VEC_INIT;
	struct err e = ERR_INIT;
	bool found = false;
	if (store_load_intents(w->store, &intents, &e) < 0)
		BUG("%s", e.msg);
	vec_each (i, &intents) {
		bool key = c->idempotency_key && i->key && !strcmp(i->key, c->idempotency_key);
		found = found || (c->verb == API_DELETE && !strcmp(i->name, c->identifier));
		found = found || key || (c->body && i->body && !strcmp(i->body, c->body));
	}
	intents_release(&intents);
	if (!found)
		violate("journal_comes_first", "a %s left that is not in the journal",
			api_verb_name(c->verb));
}

/* What is reset was written by us once, and goes only when all of Git loads. */
static void is_reset(struct world *w, int who, enum field_of f, const struct doc *d)
{
	if (!check_ever_written(w, who, f))
		violate("owned_only", "%s: %s is reset, and was never in Git", who_names[who],
			field_rows[f].name);
	if (!d && w->taken_here && !w->held)
		violate("no_reset_while_broken", "%s: %s is reset while Git does not load",
			who_names[who], field_rows[f].name);
}

/* A field is sent only if Git says so, or once said so. */
static void value_is_of_git(
	struct world *w, int who, enum field_of f, int value, const struct doc *d)
{
	int wanted = d ? doc_value(d, f) : value;
	if (!value)
		is_reset(w, who, f, d);
	if (!value && !wanted)
		return;
	if (!same_value(f, wanted, value))
		violate("owned_only", "%s: %s is sent as %d, Git says %d", who_names[who],
			field_rows[f].name, value, wanted);
	check_report(w, who, d, f, value);
	if (d && d->ignore >> f & 1)
		violate("ignored_is_left_alone", "%s: %s is ignored, and sent", who_names[who],
			field_rows[f].name);
	if (value && !check_ever_says(w, who, f, value))
		violate("owned_only", "%s: %s is sent as %d, and Git never said so", who_names[who],
			field_rows[f].name, value);
}

const struct body *check_base(const struct world *w, int who, int64_t generation)
{
	const struct object *o = &w->object[who];
	if (!o->exists || generation < 1 || (size_t)generation > o->past.n ||
		w->shown[who] < o->made)
		return NULL;
	return &o->past.at[generation - 1];
}

/* PATCH bodies carry what changes and nothing else; keys that are not ours go back as they came. */
static void patch_is_needed(
	const struct world *w, int who, const struct body *b, unsigned has, const struct body *base)
{
	bool map = has >> F_KEYS, changed = !map;
	for (enum field_of f = 0; f < F_KEYS; f++)
		if (has & 1u << f && b->v[f] == base->v[f])
			violate("patch_is_needed", "%s: %s is sent, and is %d already",
				who_names[who], field_rows[f].name, b->v[f]);
	for (enum field_of f = F_KEYS; map && f < F__COUNT; f++) {
		changed = changed || b->v[f] != base->v[f];
		if (b->v[f] != base->v[f] && !check_ever_written(w, who, f))
			violate("keys_are_kept", "%s: %s is not ours, was %d, and is sent as %d",
				who_names[who], field_rows[f].name, base->v[f], b->v[f]);
	}
	if (!changed)
		violate("patch_is_needed", "%s: the map is sent as it is", who_names[who]);
}

static void patch_leaves(struct world *w, const struct api_call *c, const struct node *n)
{
	struct body b;
	int who = who_is(c->identifier);
	unsigned has = read_body(n, &b);
	const struct doc *d = check_doc(w, who);
	const struct body *base = check_base(w, who, c->generation);
	check_guards(w, who);
	check_adoption(w, who, c->generation);
	w->approved[who].used = w->approved[who].used || check_approved(w, who, c->generation);
	check_updates(w, who, c->generation, &b, has);
	for (enum field_of f = 0; f < F__COUNT; f++) {
		bool changes = !base || b.v[f] != base->v[f];
		bool goes_along =
			f == F_UNIT && has >> F_THRESHOLD & 1 && !b.v[F_THRESHOLD] && !b.v[F_UNIT];
		if (has & 1u << f && !goes_along && (f < F_KEYS || (base && changes)))
			value_is_of_git(w, who, f, b.v[f], d);
		if (has & 1u << f && field_rows[f].immutable)
			violate("immutable", "%s: %s is sent", who_names[who], field_rows[f].name);
	}
	if (base)
		patch_is_needed(w, who, &b, has, base);
}

/* What is weir's is gone only once the API, asked for it alone, says so. */
static void absence_is_asked(const struct world *w, int who)
{
	const struct object *o = &w->object[who];
	bool ours = o->exists && o->own_store == w->stores_lost + 1;
	if (ours && !o->deleting && w->now >= o->shows_at && w->shown[who] >= o->made &&
		w->now >= o->shows_at + MINUTE && w->lied < o->made && w->started < o->made)
		violate("absence_is_asked", "%s is made, and is there", who_names[who]);
}

/* What is made is what Git says, whole, and nothing else. */
static void create_leaves(struct world *w, const struct node *n)
{
	struct body b;
	int who = who_is(node_get_string(n, "identifier"));
	const struct doc *d = check_doc(w, who);
	read_body(n, &b);
	absence_is_asked(w, who);
	if (d && !d->exists)
		violate("create_is_wanted", "%s is made, and is not in Git", who_names[who]);
	check_guards(w, who);
	check_updates(w, who, 0, &b, 0);
	for (enum field_of f = 0; f < F__COUNT; f++) {
		if (d && !same_value(f, b.v[f], doc_value(d, f)))
			violate("create_is_whole", "%s is made with %s %d, Git says %d",
				who_names[who], field_rows[f].name, b.v[f], doc_value(d, f));
		if (b.v[f] && !check_ever_says(w, who, f, b.v[f]))
			violate("owned_only", "%s is made with %s %d, which Git never said",
				who_names[who], field_rows[f].name, b.v[f]);
	}
}

void check_leaves(struct world *w, const struct api_call *c)
{
	no_storm(w);
	if (c->verb == API_LIST || c->verb == API_GET)
		return;
	journal_comes_first(w, c);
	if (c->verb == API_DELETE) {
		check_window(w, who_is(c->identifier), c->verb);
		check_deletes(w, who_is(c->identifier), c->generation);
	}
	if (!c->body)
		return;
	auto_arena struct arena a = ARENA_INIT;
	struct node *n;
	if (json_read(&a, c->body, strlen(c->body), &n, NULL) < 0)
		BUG("weir sent %s", c->body);
	check_window(w, who_is(c->identifier ? c->identifier : node_get_string(n, "identifier")),
		c->verb);
	if (c->verb == API_PATCH)
		patch_leaves(w, c, n);
	else if (c->verb == API_CREATE)
		create_leaves(w, n);
}

/* ---- what has its effect */

/* No key of a map is lost that a stranger wrote, where the API honours If-Match. That has the
 * generation alone: of one that was made anew since weir looked, it may be the same by chance. */
void check_keys_before(struct world *w, int who, const struct body *b, unsigned has)
{
	const struct object *o = &w->object[who];
	if (w->variants & 1u << VARIANT_NO_IF_MATCH || o->made > w->effect_knew)
		return;
	for (enum field_of f = F_KEYS; f < F__COUNT; f++)
		if (has & 1u << f && o->theirs[f] && o->live.v[f] && b->v[f] != o->live.v[f] &&
			!check_ever_written(w, who, f))
			violate("keys_are_kept", "%s: a stranger's %s %d becomes %d",
				who_names[who], field_rows[f].name, o->live.v[f], b->v[f]);
}

/* A unit cannot stay without its threshold. */
static bool went_along(const struct object *o, enum field_of f)
{
	return f == F_UNIT && !o->live.v[F_UNIT] && !o->live.v[F_THRESHOLD];
}

/* A field that was never in Git is never changed, whatever the API honours. */
void check_patched(struct world *w, int who, const struct body *before)
{
	const struct object *o = &w->object[who];
	for (enum field_of f = 0; f < F_KEYS; f++)
		if (o->live.v[f] != before->v[f] && !went_along(o, f) &&
			!check_ever_written(w, who, f))
			violate("owned_only", "%s: %s was never in Git and became %d",
				who_names[who], field_rows[f].name, o->live.v[f]);
}

/* Each operation is started once per intended change: again only after one that failed, or that
 * others ended. */
static void once(struct world *w, int who)
{
	const struct object *o = &w->object[who];
	bool again = false;
	vec_each (op, &w->ops) {
		if (!check_op_is_of(op, o))
			continue;
		if (op->state == OPERATION_FAILED)
			again = false;
		else if (op->ours && op->state != OPERATION_SUPERSEDED)
			again = true;
	}
	if (again)
		violate("once", "%s: generation %lld is reconciled again", who_names[who],
			(long long)o->generation);
}

/* A key stands for one generation. */
static void keys_are_unique(struct world *w, int who, const char *key)
{
	vec_each (op, &w->ops)
		if (!strcmp(op->key, key) && op->generation != w->object[who].generation)
			violate("keys_are_unique", "%s: a key is used for two generations",
				who_names[who]);
}

/* It was to be started with what was written then, which may have been refused at first. */
static bool was_approved(const struct world *w, int who, enum field_of f)
{
	const struct approved *is = &w->approved[who];
	return is->used && is->uid == w->object[who].uid &&
	       is->before.v[f] == w->object[who].live.v[f];
}

/* What somebody else saved and did not start is not provisioned, unless it is as Git says. */
static void no_stranger_provisioned(struct world *w, int who)
{
	const struct object *o = &w->object[who];
	bool approved = check_approved_before(w, who, o->generation) ||
			check_approved_before(w, who, o->generation - 1); /* and our PATCH */
	if (approved)
		return;
	for (enum field_of f = 0; f < F__COUNT; f++)
		if (o->theirs[f] && o->live.v[f] != o->runs.v[f] && !looks_started(w, o, f) &&
			!check_ever_says(w, who, f, o->live.v[f]) && !was_approved(w, who, f))
			violate("no_stranger_provisioned",
				"%s: a stranger's draft of %s (%d -> %d) is provisioned",
				who_names[who], field_rows[f].name, o->runs.v[f], o->live.v[f]);
}

void check_starts(struct world *w, int who, const struct api_call *c)
{
	const struct object *o = &w->object[who];
	bool tells = !(w->variants & 1u << VARIANT_NO_UID);
	if (o->made > w->effect_left || (!o->by_us && (w->shown[who] < o->made || !tells)))
		return; /* made anew since weir looked, or without a trace: nobody could know */
	once(w, who);
	keys_are_unique(w, who, c->idempotency_key);
	no_stranger_provisioned(w, who);
}

/* ---- what is said */

#define POST_EVERY_MS                                                                              \
	1000 /* weir says something new no sooner, nor before an answer to the last, */
#define REPORT_MS 200 /* ... and does not look at all of it more often than this */

/* It said so before it saw what others did: a status that is decided waits until the one before it
 * has arrived. */
static bool may_be_kept_back(const struct world *w, int who)
{
	int64_t at = w->post_left_at + POST_EVERY_MS;
	at = w->post_answered_at > at ? w->post_answered_at : at;
	at = w->saw_at[who] > at ? w->saw_at[who] : at;
	return w->saw[who] >= w->post_left && w->now <= at + REPORT_MS;
}

/* What others did after weir looked, or while nothing could be told, is no lie. */
static bool may_not_know(const struct world *w, int who, uint64_t since)
{
	uint64_t when = world_disturbed(w, who);
	if (when >= w->shown[who] || (when && may_be_kept_back(w, who)))
		return true;
	return when >= since && (w->forge_failed >= since || w->started >= since);
}

/* A success is true at the moment when it is first said of the head. */
static void success_is_true(const struct world *w, size_t commit, const char *text)
{
	const struct commit *c = git_commit(w, commit);
	if (!tree_loads(&c->tree))
		violate("success_is_true", "commit %zu does not load", commit);
	if (!c->taken)
		violate("success_is_true", "commit %zu is held", commit);
	for (int who = 0; who < WHO__COUNT; who++) {
		const struct doc *d = &c->tree.doc[who];
		bool waits =
			(d->depends || w->config.sync.windows) && strstr(text, " waiting for ");
		bool lately = w->resumed[who] && strstr(text, " suspended");
		if (lately)
			continue;
		if (d->exists && !waits && !d->report && !d->suspend && !w->suspended[who] &&
			!check_as_git(w, who, d) && !may_not_know(w, who, c->head_tick))
			violate("success_is_true", "commit %zu: %s is not as Git says, and yet: %s",
				commit, who_names[who], text);
	}
}

static bool is_whole(const char *text)
{
	return !strchr(text, ',') && strstr(text, " in sync");
}

/* Once all of it was in sync, a commit stays a success as long as it is head. */
static void final_stays(const struct world *w, struct commit *c, const struct forge_status *s)
{
	bool same = c->whole >= c->head_tick && c->stores == w->stores_lost;
	if (s->state != STATUS_SUCCESS && c->whole && same && !c->refused)
		violate("final_stays", "%s was a success, and is: %s", s->sha, s->text);
	if (s->state == STATUS_SUCCESS && is_whole(s->text))
		c->whole = w->tick;
}

void check_posts(struct world *w, const struct forge_status *s)
{
	size_t commit = git_find(w, s->sha);
	if (!commit || !git_commit(w, commit)->read)
		violate("statuses_of_heads", "a status for %s, which was never read", s->sha);
	struct commit *c = &w->commits.at[commit - 1];
	if (commit != w->taken || strcmp(s->context, "weir/acme/sync") != 0)
		return;
	final_stays(w, c, s);
	if (s->state == STATUS_SUCCESS && !c->claimed)
		success_is_true(w, commit, s->text);
	c->claimed = c->claimed || s->state == STATUS_SUCCESS;
}
