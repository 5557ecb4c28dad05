/* Who calls next: what completes something goes before what begins something, so that nothing stays
 * half done for longer than it must. */
#include "reconcile/internal.h"

void turns_add(struct engine *en, struct record *r, enum work_state work)
{
	bool completes = work == WORK_RECONCILE || work == WORK_DELETE;
	struct turns *t = completes ? &en->completing : &en->beginning;
	r->work = work;
	vec_push(t, r);
}

static struct record *take(struct turns *t)
{
	if (t->at_turn == t->n)
		return NULL;
	struct record *r = t->at[t->at_turn++];
	if (t->at_turn == t->n)
		t->at_turn = t->n = 0;
	return r;
}

struct record *turns_next(struct engine *en)
{
	struct record *r = take(&en->completing);
	return r ? r : take(&en->beginning);
}

bool turns_any(const struct engine *en)
{
	return en->completing.at_turn < en->completing.n || en->beginning.at_turn < en->beginning.n;
}

/* Those that stay move to the front. */
static void drop(struct turns *t, bool reconciles_too)
{
	size_t kept = 0;
	for (size_t i = t->at_turn; i < t->n; i++) {
		struct record *r = t->at[i];
		if (r->work == WORK_RECONCILE && !reconciles_too)
			t->at[kept++] = r;
		else
			r->work = WORK_NONE;
	}
	t->n = kept;
	t->at_turn = 0;
}

void turns_drop(struct engine *en, bool reconciles_too)
{
	en->dropped = en->plans;
	drop(&en->completing, reconciles_too);
	drop(&en->beginning, reconciles_too);
}

void turns_release(struct engine *en)
{
	vec_release(&en->completing);
	vec_release(&en->beginning);
}
