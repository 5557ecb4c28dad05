/* Promises about what weir may not do: each guard by the model's own judgement. */
#include <string.h>

#include "checks.h"

/* ---- what weir is to remember */

/* It is weir's no more, and what was written to it nobody's. */
static void let_go(struct object *o)
{
	o->by_us = false;
	o->own_store = o->met_in = 0;
	for (enum field_of f = 0; f < F__COUNT; f++)
		o->theirs[f] = true;
}

void check_let_go(struct world *w, int who)
{
	struct object *o = &w->object[who];
	let_go(o);
	w->suspended[who] = 0;
	w->memory[who].has_last = w->memory[who].has_stored = false;
	memset(&w->memory[who].last, 0, sizeof(w->memory[who].last));
	memset(&w->memory[who].stored, 0, sizeof(w->memory[who].stored));
}

/* A document that went is remembered as it was last. */
void check_written(struct world *w, const struct tree *t)
{
	for (int who = 0; who < WHO__COUNT; who++) {
		struct memory *m = &w->memory[who];
		const struct doc *d = &t->doc[who];
		if (!t->path_gone && doc_counts(t, who)) {
			m->last = *d;
			m->has_last = true;
		}
		if (!world_disk_full) {
			m->stored = m->last;
			m->has_stored = m->has_last;
		}
	}
}

void check_stopped(struct world *w)
{
	for (int who = 0; who < WHO__COUNT; who++) {
		w->memory[who].stored = w->memory[who].last;
		w->memory[who].has_stored = w->memory[who].has_last;
	}
}

void check_restarted(struct world *w)
{
	for (int who = 0; who < WHO__COUNT; who++) {
		struct object *o = &w->object[who];
		o->known = o->known && o->known_at <= w->written;
		o->pure = o->known ? o->pure : 0;
		w->memory[who].last = w->memory[who].stored;
		w->memory[who].has_last = w->memory[who].has_stored;
	}
}

/* Since when it is gone counts. */
void check_taken(struct world *w, const struct tree *t)
{
	for (int who = 0; who < WHO__COUNT; who++) {
		struct memory *m = &w->memory[who];
		const struct doc *d = &t->doc[who];
		if (!t->path_gone && doc_counts(t, who))
			m->gone = false;
		if (!d->exists && tree_loads(t) && !m->gone) {
			m->gone = true;
			m->gone_now = w->now;
			m->gone_wall = world_wall(w);
		}
		if (!d->exists && m->last.orphan && tree_loads(t))
			let_go(&w->object[who]);
	}
}

static bool says_all(const struct object *o, const struct doc *d)
{
	for (enum field_of f = 0; f < F__COUNT; f++)
		if (!check_leaves_alone(d, o, f) && doc_value(d, f) &&
			!same_value(f, doc_value(d, f), o->live.v[f]))
			return false;
	return true;
}

/* What is as Git says when weir sees it is weir's from then on, and what it says was applied. */
void check_shown(struct world *w, int who)
{
	struct object *o = &w->object[who];
	w->shows |= 1u << who;
	if (!w->taken_here || w->held)
		return;
	const struct doc *d = &git_commit(w, w->taken)->tree.doc[who];
	if (!d->exists || !doc_loads(d))
		return;
	if (w->meddled[who] < o->made)
		o->pure = w->tick;
	bool draft_of_others = !o->by_us && o->observed < o->generation;
	if (!says_all(o, d))
		return;
	if (w->config.sync.adopt != ADOPT_NEVER && !draft_of_others)
		o->own_store = w->stores_lost + 1;
	for (enum field_of f = 0; f < F__COUNT; f++)
		o->applied.v[f] = doc_value(d, f);
}

static bool is_ours(const struct world *w, int who)
{
	const struct object *o = &w->object[who];
	return o->exists && o->own_store == w->stores_lost + 1;
}

/* Until it is weir's, weir keeps no record of what runs. */
void check_met(struct world *w, int who)
{
	struct object *o = &w->object[who];
	if (o->exists && !o->known && o->pure && o->pure <= w->shown[who] && !world_disk_full) {
		o->known = true;
		o->known_at = w->tick;
	}
	if (!o->exists || o->met_in == w->stores_lost + 1 || w->shown[who] < o->made)
		return;
	bool in_git = w->taken && git_commit(w, w->taken)->tree.doc[who].suspend;
	bool suspended = in_git || w->suspended[who] > world_wall(w); /* not adopted so */
	o->met = w->shown[who];
	o->met_in = is_ours(w, who) && !suspended ? w->stores_lost + 1 : 0;
}

/* At some time it was as Git said, so that it may have been taken over. */
static bool was_as_git(const struct world *w, int who)
{
	struct object o = w->object[who];
	vec_each (b, &w->object[who].past) {
		o.live = *b;
		vec_each (c, &w->commits)
			if (c->taken && c->tree.doc[who].exists && says_all(&o, &c->tree.doc[who]))
				return true;
	}
	return false;
}

/* ---- deletes */

/* Beyond doubt. */
static bool is_surely_ours(const struct world *w, int who)
{
	const struct object *o = &w->object[who];
	return is_ours(w, who) && o->by_us && o->known && o->stores == w->stores_lost &&
	       w->lied < o->made;
}

static bool is_candidate(const struct world *w, int who, const struct tree *t)
{
	const struct doc *last = &w->memory[who].last;
	bool stays = last->protect || last->orphan || last->suspend || w->suspended[who];
	return is_surely_ours(w, who) && !t->doc[who].exists && !stays;
}

static int count_candidates(const struct world *w, const struct tree *t)
{
	int n = 0;
	for (int who = 0; who < WHO__COUNT; who++)
		n += is_candidate(w, who, t);
	return n;
}

/* With those that may be weir's. */
static int count_doubtful(const struct world *w, const struct tree *t)
{
	int n = 0;
	for (int who = 0; who < WHO__COUNT; who++)
		n += w->object[who].exists && !t->doc[who].exists;
	return n;
}

/* Whoever was one of too many stays so until it is back in Git. */
void check_listed(struct world *w)
{
	const struct tree *t = w->taken ? &git_commit(w, w->taken)->tree : NULL;
	int replaces = 0;
	if (!t || t->path_gone)
		return; /* nothing is known to be back */
	for (int who = 0; who < WHO__COUNT; who++)
		replaces += t->doc[who].exists && t->doc[who].replace;
	for (int who = 0; who < WHO__COUNT; who++)
		if (t->doc[who].exists)
			w->memory[who].over_max = false;
		else if (count_doubtful(w, t) + replaces > w->config.sync.prune.max.value)
			w->memory[who].over_max = true;
}

static bool is_empty(const struct tree *t)
{
	for (int who = 0; who < WHO__COUNT; who++)
		if (t->doc[who].exists)
			return false;
	return true;
}

/* Somebody who is still there needs it. */
static bool is_needed(const struct world *w, int who)
{
	for (int other = 0; other < WHO__COUNT; other++)
		if (w->memory[other].last.depends >> who & 1 && w->object[other].exists &&
			is_ours(w, other) && w->memory[other].gone)
			return true;
	return false;
}

static bool is_in_grace(const struct world *w, int who)
{
	const struct memory *m = &w->memory[who];
	int64_t grace = w->config.sync.prune.grace_ms, is_gone_for = w->now - m->gone_now;
	bool restarted = w->started_now > m->gone_now || w->twin.acts;
	if (!restarted) /* steps of less than a second are not reckoned with */
		return is_gone_for < grace - 1000;
	return is_gone_for < grace && world_wall(w) - m->gone_wall < grace;
}

static void may_replace(const struct world *w, int who, const struct doc *d)
{
	const struct object *o = &w->object[who];
	if (!d->replace || d->protect)
		violate("deletes", "%s is deleted, and is in Git", who_names[who]);
	if (same_value(F_SOURCE, doc_value(d, F_SOURCE), o->live.v[F_SOURCE]))
		violate("deletes", "%s is replaced for nothing", who_names[who]);
}

/* Nothing is deleted that a guard forbids. */
void check_deletes(struct world *w, int who, int64_t generation)
{
	const struct memory *m = &w->memory[who];
	const struct tree *t = w->taken ? &git_commit(w, w->taken)->tree : NULL;
	const char *why = NULL;
	const struct doc *d = check_doc(w, who);
	if (!d)
		violate("deletes", "%s is deleted while Git is not known whole", who_names[who]);
	bool approved = check_approved(w, who, generation);
	bool seen = w->shown[who] >= w->object[who].made; /* not made anew since weir looked */
	if (seen && !is_ours(w, who) && !was_as_git(w, who))
		why = "was never ours";
	else if (m->last.suspend || check_suspended(w, who))
		why = "is suspended";
	else if (!approved && count_candidates(w, t) > w->config.sync.prune.max.value)
		why = "is one of too many";
	if (why)
		violate("deletes", "%s is deleted, and %s", who_names[who], why);
	if (d->exists) {
		may_replace(w, who, d);
		w->half_done[who] = true;
		return;
	}
	if (!w->config.sync.prune.enabled)
		why = "pruning is off";
	else if (!m->has_last)
		why = "it was never in Git";
	else if (m->last.protect)
		why = "is protected";
	else if (m->last.orphan)
		why = "is an orphan";
	else if (!approved && is_empty(t))
		why = "Git says nothing at all";
	else if (is_in_grace(w, who))
		why = "is in its grace";
	else if (is_needed(w, who))
		why = "another depends on it";
	if (why)
		violate("deletes", "%s is deleted, and %s", who_names[who], why);
}

/* So it stays until a person decides. */
bool check_stays(const struct world *w, int who, const struct tree *t)
{
	const struct doc *last = &w->memory[who].last;
	return last->protect || last->orphan || last->suspend || w->suspended[who] || is_empty(t) ||
	       count_doubtful(w, t) > w->configured[CONFIG_PRUNE_MAX];
}

bool check_is_pruned(const struct world *w, int who, const struct tree *t)
{
	return w->configured[CONFIG_PRUNE] && is_surely_ours(w, who) && w->memory[who].has_last &&
	       !w->memory[who].over_max && !check_stays(w, who, t);
}

/* ---- writes */

/* Nothing of what is suspended is created, changed or deleted. */
static void suspended_is_left_alone(const struct world *w, int who, const struct doc *d)
{
	if (check_suspended(w, who) || (d && d->suspend))
		violate("suspended_is_left_alone", "%s is suspended, and touched", who_names[who]);
}

bool check_may_be_contested(const struct world *w, int who, int times)
{
	for (enum field_of f = 0; f < F__COUNT; f++)
		if (w->undone[who][f] >= times)
			return true;
	return false;
}

/* What others changed of it, and nothing else, is why it is not as Git says. */
static bool is_only_drifted(const struct object *o, const struct doc *d)
{
	for (enum field_of f = 0; o->exists && f < F__COUNT; f++) {
		int wanted = doc_value(d, f);
		bool drifted = wanted == o->applied.v[f] && !same_value(f, wanted, o->live.v[f]);
		if (wanted && !drifted && !same_value(f, wanted, o->runs.v[f]))
			return false;
	}
	return o->exists;
}

/* Whoever depends on it does not wait for that: drift that is contested, or waits for a window. */
static bool is_left_drifted(const struct world *w, int who, const struct doc *d)
{
	bool contested = check_may_be_contested(w, who, PLAN_CONTESTED_TIMES);
	return contested || (!check_window_open(w, who) && is_only_drifted(&w->object[who], d));
}

/* Before those that it depends on are as Git says, nothing of it is done. */
static void order_is_kept(const struct world *w, int who, const struct doc *d)
{
	for (int other = 0; d && other < WHO__COUNT; other++) {
		const struct doc *first = &git_commit(w, w->taken)->tree.doc[other];
		bool waits = d->depends >> other & 1 && w->meddled[other] < w->shown[other];
		if (waits && !first->suspend && !w->suspended[other] &&
			!check_as_git(w, other, first) && !is_left_drifted(w, other, first))
			violate("order_is_kept", "%s goes before %s, which it depends on",
				who_names[who], who_names[other]);
	}
}

/* What somebody else made and is not as Git says is not written over. */
void check_adoption(const struct world *w, int who, int64_t generation)
{
	const struct object *o = &w->object[who];
	if (w->variants & 1u << VARIANT_NO_UID)
		return; /* what others made anew is the same to weir */
	if (o->exists && !o->by_us && w->shown[who] >= o->made &&
		!check_approved(w, who, generation) && w->config.sync.adopt != ADOPT_OVERWRITE &&
		!was_as_git(w, who))
		violate("adoption_is_held", "%s is not ours, and written over", who_names[who]);
}

void check_guards(struct world *w, int who)
{
	const struct doc *d = check_doc(w, who);
	suspended_is_left_alone(w, who, d);
	order_is_kept(w, who, d);
}

/* In mode report a PATCH carries what Git changed, and not what others did. */
void check_report(const struct world *w, int who, const struct doc *d, enum field_of f, int value)
{
	const struct object *o = &w->object[who];
	if (d && d->report && value && is_ours(w, who) && o->wrote[f] == w->stores_lost &&
		value == o->applied.v[f])
		violate("drift_is_only_told", "%s: %s is healed to %d", who_names[who],
			field_rows[f].name, value);
}
