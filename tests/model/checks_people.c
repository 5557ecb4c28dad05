/* Promises to people: what they ordered, approved, and when they want changes. */
#include <string.h>

#include "checks.h"

bool check_suspended(const struct world *w, int who)
{
	int64_t until = w->suspended[who];
	/* By a clock that jumped it may be over, for a moment. */
	bool sure = until == INT64_MAX || w->jumped < w->started;
	return sure && until > world_wall(w);
}

/* ---- approvals */

static bool says_the_same(const struct world *w, int who, const struct doc *said)
{
	const struct doc *d = check_doc(w, who);
	bool same = !d || d->exists == said->exists;
	for (enum field_of f = 0; d && f < F__COUNT; f++) /* an explicit null is as no line */
		same = same && doc_value(d, f) == doc_value(said, f);
	return same;
}

bool check_approved_before(const struct world *w, int who, int64_t generation)
{
	const struct approved *is = &w->approved[who];
	const struct object *o = &w->object[who];
	bool tells = !(w->variants & 1u << VARIANT_NO_UID);
	if (!is->is || !is->had || !o->exists || generation < 1 || (size_t)generation > o->past.n ||
		(tells && is->uid != o->uid))
		return false;
	const struct body *before = &o->past.at[generation - 1];
	return !memcmp(before, &is->before, sizeof(*before));
}

bool check_approved(const struct world *w, int who, int64_t generation)
{
	return check_approved_before(w, who, generation) &&
	       says_the_same(w, who, &w->approved[who].said);
}

/* ---- windows */

bool check_has_windows(const struct world *w, int who)
{
	return w->config.sync.windows && (!w->configured[CONFIG_WINDOW_MATCH] || who % 2 == 0);
}

bool check_window_open(const struct world *w, int who)
{
	int64_t each = WINDOW_EACH * MINUTE, at = world_wall(w) % each;
	int64_t n = w->configured[CONFIG_WINDOW] * MINUTE;
	return !check_has_windows(w, who) || (n > 0 ? at >= n : at < each + n);
}

/* Nothing is begun while the windows are closed; only a replacement is not left half done. */
void check_window(struct world *w, int who, enum api_verb verb)
{
	bool completes = verb == API_CREATE && w->half_done[who];
	if (!check_window_open(w, who) && !completes)
		violate("window_is_kept", "%s: a %s leaves while its window is closed",
			who_names[who], api_verb_name(verb));
	if (verb == API_CREATE)
		w->half_done[who] = false;
}

/* ---- sync.max_updates */

/* Something that Git changed, and not what others did. */
static bool is_change(
	const struct world *w, int who, int64_t generation, const struct body *b, unsigned has)
{
	const struct object *o = &w->object[who];
	unsigned names = 1u << VARIANT_NO_UID | 1u << VARIANT_NO_CREATED_AT;
	if (!generation)
		return !w->was[who];
	if ((w->variants & names) == names && !o->by_us)
		return false; /* made anew by others, and the same as before to weir: it heals */
	const struct body *base = check_base(w, who, generation);
	for (enum field_of f = 0; f < F__COUNT; f++)
		if (has >> f & 1 && b->v[f] && b->v[f] != o->applied.v[f] &&
			(!base || b->v[f] != base->v[f]))
			return true;
	return false;
}

static unsigned count_bits(unsigned bits)
{
	return bits ? (bits & 1) + count_bits(bits >> 1) : 0;
}

/* One commit changes so many replicators, or a person says of each that it is meant. */
void check_updates(struct world *w, int who, int64_t generation, const struct body *b, unsigned has)
{
	int64_t most = w->config.sync.max_updates;
	bool approved = w->approved[who].is; /* of what is not there yet nothing else is known */
	if (!check_doc(w, who) || w->late[who] || w->lied || !is_change(w, who, generation, b, has))
		return;
	w->changed[who] = w->tick;
	if (!most || approved)
		return;
	w->updated |= 1u << who;
	if (count_bits(w->updated) > most)
		violate("updates_are_limited", "%s is one more than %lld that a commit changes",
			who_names[who], (long long)most);
}

/* ---- the brake */

enum fate { FATE_NONE, FATE_DOUBT, FATE_WELL };

/* As far as weir remembers; it may have been head before. */
static bool is_of_commit(const struct world *w, const struct op *op, int who)
{
	return op->who == who && op->changes && op->commit == w->taken &&
	       op->stores == w->stores_lost;
}

/* Of what the commit began with the replicator. */
static enum fate fate_of(const struct world *w, int who)
{
	uint64_t head_tick = w->taken ? git_commit(w, w->taken)->head_tick : 0;
	const struct op *last = NULL;
	vec_each (op, &w->ops)
		if (is_of_commit(w, op, who))
			last = op;
	/* What takes longer than sync.timeout, by that clock, holds up nobody. */
	bool in_time = last && w->jumped_far < last->changed &&
		       world_wall(w) - last->at_wall < w->config.sync.timeout_ms - 2 * MINUTE;
	if (!last || w->meddled[who] >= head_tick)
		return FATE_NONE;
	if (last->state == OPERATION_SUCCEEDED)
		return FATE_WELL;
	return last->state == OPERATION_FAILED || (last->state == OPERATION_RUNNING && in_time)
		       ? FATE_DOUBT
		       : FATE_NONE;
}

void check_unsure(struct world *w, const struct api_call *c)
{
	const char *about = c->identifier ? c->identifier : c->body;
	for (int who = 0; about && who < WHO__COUNT; who++)
		if (strstr(about, who_names[who]))
			w->unsure[who] = w->tick;
}

static bool was_begun_before(const struct world *w, int who)
{
	int n = 0;
	vec_each (op, &w->ops)
		n += is_of_commit(w, op, who);
	return n > 1;
}

/* While nothing of a commit ended well, at most three are begun that run or ended in Error; for
 * each that did, one more. What got no answer makes room: it may be that it never gets one, and
 * holds up nobody; if it was begun all the same, it is one more. */
void check_brake(const struct world *w, int who)
{
	uint64_t head_tick = w->taken ? git_commit(w, w->taken)->head_tick : 0;
	int doubtful = 0, well = 0;
	if (w->approved[who].braked || was_begun_before(w, who))
		return; /* a person said to go on with it, or it is a further attempt */
	for (int other = 0; other < WHO__COUNT; other++) {
		enum fate fate = fate_of(w, other);
		doubtful += fate == FATE_DOUBT && w->unsure[other] < head_tick;
		well += fate == FATE_WELL;
	}
	if (doubtful > 3 + well)
		violate("brake_bites",
			"%s is begun after %d of the commit of which none ended well",
			who_names[who], doubtful - 1);
}

/* ---- a second daemon */

/* Whoever of the two is first starts it; the other's key is the same. Only after an operation that
 * failed, or that others ended, there is another. */
void check_twin_starts(const struct world *w, int who)
{
	const struct object *o = &w->object[who];
	bool again = false;
	if (o->made > w->effect_left)
		return; /* it was meant for the one before */
	vec_each (op, &w->ops) {
		if (!check_op_is_of(op, o))
			continue;
		if (op->state == OPERATION_FAILED) /* whoever started it */
			again = false;
		else if (op->key[0])
			again = op->state != OPERATION_SUPERSEDED;
	}
	if (again)
		violate("once", "%s: generation %lld is reconciled by a second daemon too",
			who_names[who], (long long)o->generation);
}

void check_twin_deletes(const struct world *w, int who)
{
	const struct tree *t = w->twin.read ? &git_commit(w, w->twin.read)->tree : NULL;
	const char *why = NULL;
	if (!t || !tree_loads(t))
		why = "Git is not known whole";
	else if (t->doc[who].exists && !t->doc[who].replace)
		why = "it is in Git";
	else if (!t->doc[who].exists && !w->twin.config.sync.prune.enabled)
		why = "pruning is off";
	if (why)
		violate("deletes", "a second daemon deletes %s, and %s", who_names[who], why);
}
