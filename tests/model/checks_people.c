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
	return !d || (d->exists == said->exists && !memcmp(d->v, said->v, sizeof(d->v)));
}

bool check_approved(const struct world *w, int who, int64_t generation)
{
	const struct approved *is = &w->approved[who];
	const struct object *o = &w->object[who];
	bool tells = !(w->variants & 1u << VARIANT_NO_UID);
	if (!is->is || !is->had || !o->exists || generation < 1 || (size_t)generation > o->past.n ||
		(tells && is->uid != o->uid))
		return false;
	const struct body *before = &o->past.at[generation - 1];
	return !memcmp(before, &is->before, sizeof(*before)) && says_the_same(w, who, &is->said);
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
	if (!generation)
		return !w->was[who];
	for (enum field_of f = 0; f < F__COUNT; f++)
		if (has >> f & 1 && b->v[f] && b->v[f] != o->applied.v[f])
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
	if (!most || !check_doc(w, who) || w->late[who] || w->lied || approved ||
		!is_change(w, who, generation, b, has))
		return;
	w->updated |= 1u << who;
	if (count_bits(w->updated) > most)
		violate("updates_are_limited", "%s is one more than %lld that a commit changes",
			who_names[who], (long long)most);
}
