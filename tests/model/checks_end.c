/* Promises that are kept once the faults have stopped. */
#include <string.h>

#include "checks.h"

/* Where drafts of others cannot be told from what they started, weir may ask a person. */
static bool asks(const struct world *w, int who)
{
	bool unsure = (w->variants & 1u << VARIANT_NO_OBSERVED && w->meddled[who]) || w->lied;
	return unsure && strstr(world_note(w, w->head, "sync"), "failure ");
}

/* All that Git says is live, runs, and is Healthy. */
static void converged(const struct world *w)
{
	const struct tree *t = &git_commit(w, w->head)->tree;
	for (int who = 0; who < WHO__COUNT; who++)
		if (t->doc[who].exists && !check_as_git(w, who, &t->doc[who]) && !asks(w, who))
			violate("converged", "%s is not as Git says: %s", who_names[who],
				world_note(w, w->head, "sync"));
}

/* What is gone from Git and may be deleted is. */
static void pruned(const struct world *w)
{
	const struct tree *t = &git_commit(w, w->head)->tree;
	for (int who = 0; who < WHO__COUNT; who++)
		if (!t->doc[who].exists && check_is_pruned(w, who, t))
			violate("pruned", "%s is not in Git, and still there", who_names[who]);
}

static bool was_ignored(const struct world *w, int who, enum field_of f)
{
	vec_each (c, &w->commits)
		if (c->taken && c->tree.doc[who].ignore >> f & 1)
			return true;
	return false;
}

/* What we wrote, and is gone from Git, is taken back. */
static void resets(const struct world *w)
{
	const struct tree *t = &git_commit(w, w->head)->tree;
	for (int who = 0; who < WHO__COUNT; who++) {
		const struct object *o = &w->object[who];
		if (!t->doc[who].exists || check_may_differ(w, who))
			continue;
		for (enum field_of f = 0; f < F__COUNT; f++)
			if (!same_value(f, o->live.v[f], 0) && !o->theirs[f] &&
				!doc_value(&t->doc[who], f) && !field_rows[f].stays &&
				!was_ignored(w, who, f) && o->wrote[f] == w->stores_lost &&
				check_ever_written(w, who, f)) /* what else comes with a map is
								  not ours */
				violate("resets", "%s: %s is gone from Git and stays %d",
					who_names[who], field_rows[f].name, o->live.v[f]);
	}
}

/* Each head that weir saw has a status that is final; what it knew only in a store that was lost
 * does not count. */
static void statuses_are_final(const struct world *w)
{
	for (size_t i = 1; i <= w->commits.n; i++) {
		const struct commit *c = git_commit(w, i);
		const char *note = world_note(w, i, "sync");
		if (c->seen && !c->refused && c->stores == w->stores_lost &&
			(!note[0] || !strncmp(note, "pending ", 8)))
			violate("statuses_are_final", "commit %zu has the status \"%s\"", i, note);
	}
}

/* The head's status says that all is well. */
static void success_in_the_end(const struct world *w)
{
	const struct tree *t = &git_commit(w, w->head)->tree;
	for (int who = 0; who < WHO__COUNT; who++)
		if (asks(w, who))
			return;
	for (int who = 0; who < WHO__COUNT; who++)
		if (!t->doc[who].exists && w->object[who].exists &&
			(check_stays(w, who, t) ||
				(w->configured[CONFIG_PRUNE] && !check_is_pruned(w, who, t))))
			return; /* a person is asked */
	const char *sync = world_note(w, w->head, "sync"), *drift = world_note(w, w->head, "drift");
	if (strncmp(sync, "success ", 8) != 0)
		violate("success_in_the_end", "the head's status is \"%s\"", sync);
	if (strcmp(drift, "success no drift") != 0)
		violate("success_in_the_end", "the head's drift is \"%s\"", drift);
}

/* No call when nothing changed, but for looking whether it did; no status either. */
static void quiet(struct world *w)
{
	uint64_t writes = 0, posts = w->posts, gets = w->calls[API_GET];
	for (enum api_verb v = API_CREATE; v < API__COUNT; v++)
		writes += w->calls[v];
	uint64_t lists = w->calls[API_LIST];
	world_run(w, 20 * MINUTE);
	for (enum api_verb v = API_CREATE; v < API__COUNT; v++)
		writes -= w->calls[v];
	if (writes || gets != w->calls[API_GET])
		violate("quiet", "calls although nothing changed");
	if (posts != w->posts)
		violate("quiet", "statuses although nothing changed");
	if (lists == w->calls[API_LIST])
		violate("quiet", "it does not look any more");
}

void check_end(struct world *w)
{
	converged(w);
	pruned(w);
	resets(w);
	success_in_the_end(w);
	statuses_are_final(w);
	quiet(w);
}
