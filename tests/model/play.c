/* Plays the steps of a history. */
#include <string.h>

#include "checks.h"
#include "world.h"

/* ---- Git */

static void declare(struct world *w, const struct step *s)
{
	struct doc *d = &w->draft.doc[s->who];
	if (d->exists)
		return;
	memset(d, 0, sizeof(*d));
	d->exists = true;
	d->v[F_TOPICS] = d->v[F_SOURCE] = 1;
}

static void write_field(struct world *w, const struct step *s)
{
	struct doc *d = &w->draft.doc[s->who];
	bool null_ok = s->what < F_KEYS && !field_rows[s->what].stays;
	int most = field_rows[s->what].most;
	if (d->exists && (s->n >= 0 || null_ok))
		d->v[s->what] = s->n < 0 ? WRITTEN_NULL : s->n > most ? most : (int)s->n;
}

static void change_setting(struct doc *d, int who, enum setting_of setting, int64_t n)
{
	switch (setting) {
	case SETTING_MODE:
		d->heal = n == 1;
		d->report = n == 2;
		return;
	case SETTING_PROTECT:
		d->protect = n;
		return;
	case SETTING_SUSPEND:
		d->suspend = n;
		return;
	case SETTING_ORPHAN:
		d->orphan = n;
		return;
	case SETTING_REPLACE:
		d->replace = n;
		return;
	case SETTING_IGNORE:
		if (n < 0)
			d->ignore = 0;
		else if (n < F__COUNT && may_be_ignored((enum field_of)n))
			d->ignore |= 1u << n;
		return;
	case SETTING_DEPENDS:
		if (n < 0)
			d->depends = 0;
		else if (n < who)
			d->depends |= 1u << n;
		return;
	case SETTING__COUNT:
		return;
	}
}

static void edit_git(struct world *w, const struct step *s)
{
	struct doc *d = &w->draft.doc[s->who];
	if (s->kind == STEP_DECLARE)
		declare(w, s);
	else if (s->kind == STEP_WRITE)
		write_field(w, s);
	else if (s->kind == STEP_REMOVE)
		memset(d, 0, sizeof(*d));
	else if (s->kind == STEP_BREAK && d->exists)
		d->breakage = (enum breakage)(s->n & 3);
	else if (s->kind == STEP_MOVE)
		d->moved = d->exists && !d->moved;
	else if (s->kind == STEP_SETTING && d->exists)
		change_setting(d, s->who, (enum setting_of)s->what, s->n);
	else if (s->kind == STEP_PATH)
		w->draft.path_gone = s->n;
}

static void change_head(struct world *w, const struct step *s)
{
	if (s->kind == STEP_PUSH)
		git_push(w);
	else if (s->kind == STEP_REWIND)
		git_rewind(w, s->n);
	else
		git_rewrite(w);
	if (w->engine)
		engine_wake(w->engine);
	if (w->twin.engine)
		engine_wake(w->twin.engine);
}

/* ---- people at the API */

static int value_of(enum field_of f, int64_t n)
{
	int most = field_rows[f].most;
	return (int)(n % (most + 1));
}

static void make(struct world *w, const struct step *s)
{
	struct body b = {.v = {[F_TOPICS] = 1, [F_SOURCE] = 1}};
	int64_t n = s->n;
	/* Often as Git says, or it is never adopted. */
	for (enum field_of f = 0; n == 0 && f < F__COUNT; f++)
		b.v[f] = doc_value(&w->draft.doc[s->who], f);
	for (enum field_of f = F_GROUPS; n > 0 && f < F__COUNT; f++, n /= 3)
		b.v[f] = (int)(n % 3);
	if (!b.v[F_TOPICS] || !b.v[F_SOURCE])
		b.v[F_TOPICS] = b.v[F_SOURCE] = 1;
	people_make(w, s->who, &b, s->m);
}

static void meddle(struct world *w, const struct step *s)
{
	if (s->kind == STEP_SAVE || s->kind == STEP_EDIT)
		people_save(
			w, s->who, (enum field_of)s->what, value_of((enum field_of)s->what, s->n));
	if (s->kind == STEP_LAUNCH || s->kind == STEP_EDIT)
		people_launch(w, s->who);
	if (s->kind == STEP_DELETE)
		people_delete(w, s->who);
	if (s->kind == STEP_MAKE)
		make(w, s);
}

/* ---- the world */

static void trouble(struct world *w, const struct step *s)
{
	switch ((unsigned)s->kind) {
	case STEP_FAULT:
		w->mishap[s->what] = (enum mishap)s->m;
		w->mishaps[s->what] = s->n;
		break;
	case STEP_API:
		w->api[s->what] = s->n;
		break;
	case STEP_GIT:
		w->git_down = s->n;
		break;
	case STEP_BRANCH:
		w->branch_gone = s->n;
		break;
	case STEP_FORGE:
		w->forge = s->n;
		break;
	case STEP_DISK:
		world_disk_full = s->n;
		break;
	case STEP_CLOCK:
		w->wall_ahead += s->n;
		w->jumped = w->tick;
		if (s->n > MINUTE || s->n < -MINUTE)
			w->jumped_far = w->tick;
		break;
	case STEP_TWIN:
		if (s->n)
			twin_start(w);
		else if (w->twin.engine)
			twin_kill(w);
		break;
	case STEP_ORDER:
		order_give(w, s->who, (enum order_of)s->what, s->n);
		break;
	}
}

static void live(struct world *w, const struct step *s)
{
	w->delays = (uint64_t)s->m;
	if (s->kind == STEP_RUN)
		world_run(w, s->n);
	else
		world_events(w, s->n);
	w->delays = 0;
}

static void rule(struct world *w, const struct step *s)
{
	switch ((unsigned)s->kind) {
	case STEP_VARIANT:
		if (!w->uids)
			w->variants |= 1u << s->what;
		break;
	case STEP_CONFIG:
		w->configured[s->what] = s->n;
		break;
	case STEP_START:
		world_start(w);
		break;
	case STEP_KILL:
		world_kill(w, s->n);
		break;
	case STEP_STOP:
		world_stop(w);
		break;
	case STEP_LOSE_STORE:
		world_lose_store(w);
		break;
	}
}

static void (*const doers[STEP__COUNT])(struct world *w, const struct step *s) = {
	[STEP_VARIANT] = rule,
	[STEP_CONFIG] = rule,
	[STEP_START] = rule,
	[STEP_KILL] = rule,
	[STEP_STOP] = rule,
	[STEP_LOSE_STORE] = rule,
	[STEP_RUN] = live,
	[STEP_EVENTS] = live,
	[STEP_DECLARE] = edit_git,
	[STEP_WRITE] = edit_git,
	[STEP_REMOVE] = edit_git,
	[STEP_BREAK] = edit_git,
	[STEP_MOVE] = edit_git,
	[STEP_SETTING] = edit_git,
	[STEP_PATH] = edit_git,
	[STEP_PUSH] = change_head,
	[STEP_REWIND] = change_head,
	[STEP_REWRITE] = change_head,
	[STEP_BRANCH] = trouble,
	[STEP_SAVE] = meddle,
	[STEP_LAUNCH] = meddle,
	[STEP_EDIT] = meddle,
	[STEP_DELETE] = meddle,
	[STEP_MAKE] = meddle,
	[STEP_FAULT] = trouble,
	[STEP_API] = trouble,
	[STEP_GIT] = trouble,
	[STEP_FORGE] = trouble,
	[STEP_DISK] = trouble,
	[STEP_CLOCK] = trouble,
	[STEP_TWIN] = trouble,
	[STEP_ORDER] = trouble,
};

static void calm_outside(struct world *w)
{
	if (w->twin.engine) /* somebody saw that there are two */
		twin_kill(w);
	int64_t soon = w->now + 3000;
	vec_each (op, &w->ops)
		op->ends_at = op->ends_at < soon ? op->ends_at : soon;
	for (int who = 0; who < WHO__COUNT; who++)
		if (w->object[who].gone_at > soon)
			w->object[who].gone_at = soon;
	memset(w->mishaps, 0, sizeof(w->mishaps));
	memset(w->api, 0, sizeof(w->api));
	w->api[API_SWITCH_TAKES] = 3000;
	w->git_down = w->branch_gone = false;
	w->forge = 0;
	world_disk_full = false;
}

/* What exists already is held as long as sync.adopt is never. */
static void calm_config(struct world *w)
{
	if (w->configured[CONFIG_ADOPT] % 3 != ADOPT_NEVER)
		return;
	world_stop(w);
	w->configured[CONFIG_ADOPT] = ADOPT_MATCH;
}

/* People take back what they ordered. */
static void calm_orders(struct world *w)
{
	for (int who = 0; who < WHO__COUNT; who++)
		if (w->suspended[who] > world_wall(w) && !order_give(w, who, ORDER_RESUME, 0))
			violate("orders", "%s cannot be resumed", who_names[who]);
}

/* What is held for a person who is to say that it is meant: they do. */
static void calm_approvals(struct world *w)
{
	for (int who = 0; who < WHO__COUNT; who++)
		if (w->configured[CONFIG_MAX_UPDATES] || check_may_be_contested(w, who, 2))
			order_give(w, who, ORDER_APPROVE, 0);
}

/* Git is mended, and says of what cannot be changed what is live. */
static void calm_git(struct world *w)
{
	w->draft.path_gone = false;
	for (int who = 0; who < WHO__COUNT; who++) {
		struct doc *d = &w->draft.doc[who];
		const struct object *o = &w->object[who];
		d->breakage = LOADS;
		d->report = d->suspend = false;
		for (int other = 0; other < WHO__COUNT; other++)
			if (!w->draft.doc[other].exists)
				d->depends &= ~(1u << other);
		d->protect = d->protect && !d->replace;
		if (doc_value(d, F_UNIT) && !doc_value(d, F_THRESHOLD))
			d->v[F_THRESHOLD] = 1;
		if (d->exists && (w->refused[who] || !d->v[F_TOPICS]))
			d->v[F_TOPICS] = field_rows[F_TOPICS].most + 1; /* another than ever */
		if (d->exists)
			d->v[F_SOURCE] = o->exists ? o->live.v[F_SOURCE] : 1;
	}
	/* What is held for a rewind goes on from the commit that was taken. */
	if (w->taken && !w->configured[CONFIG_REWIND])
		w->head = w->taken;
	git_push(w);
	if (w->engine)
		engine_wake(w->engine);
}

/* Without observed_generation weir must see an operation to know that there was one. */
static bool is_to_be_seen(const struct world *w, int who)
{
	return w->variants & 1u << VARIANT_NO_OBSERVED && w->meddled[who];
}

static void make_as_git(struct world *w, int who)
{
	const struct doc *d = &w->draft.doc[who];
	for (enum field_of f = 0; f < F__COUNT; f++)
		if (doc_value(d, f))
			people_save(w, who, f, doc_value(d, f));
}

/* They make as Git says what weir may not touch. */
static void calm_saves(struct world *w)
{
	for (int who = 0; who < WHO__COUNT; who++)
		if (check_may_differ(w, who) && w->draft.doc[who].exists)
			make_as_git(w, who);
}

/* Ended in Error, and weir did not start it. */
static bool failed_for_others(const struct world *w, int who)
{
	const struct object *o = &w->object[who];
	bool theirs = false;
	vec_each (op, &w->ops)
		if (op->uid == o->uid)
			theirs = !op->ours;
	return o->exists && o->failed && theirs;
}

/* They start what they saved, and again what failed for them. */
static void calm_launches(struct world *w)
{
	for (int who = 0; who < WHO__COUNT; who++) {
		const struct object *o = &w->object[who];
		bool theirs = check_may_differ(w, who) || w->meddled[who];
		bool draft =
			theirs && o->exists && !o->op && (o->failed || o->observed < o->generation);
		if (draft || failed_for_others(w, who) || check_has_foreign_draft(o) ||
			is_to_be_seen(w, who))
			people_launch(w, who);
	}
}

/* Where weir does not believe that so much is gone, it starts with an empty state folder. */
static void calm_hidden(struct world *w)
{
	if (!check_may_be_hidden(w))
		return;
	world_kill(w, 0);
	world_lose_store(w);
	world_start(w);
	world_run(w, 10 * MINUTE);
}

void world_calm(struct world *w)
{
	calm_outside(w);
	calm_config(w);
	world_start(w);
	world_run(w, 2 * MINUTE); /* what is late comes */
	calm_orders(w);
	calm_git(w);
	world_run(w, MINUTE);
	calm_approvals(w);
	world_run(w, 10 * MINUTE);
	calm_hidden(w);
	calm_saves(w);
	world_run(w, MINUTE);
	calm_hidden(w);
	calm_approvals(w);
	world_run(w, 12 * MINUTE); /* longer than sync.interval: it is seen at rest, */
	w->api[API_SWITCH_TAKES] = 12 * MINUTE; /* at work, */
	calm_launches(w);
	world_run(w, 30 * MINUTE); /* and at rest again */
	w->api[API_SWITCH_TAKES] = 3000;
	git_push(w);
	engine_wake(w->engine);
}

void world_play(struct world *w, const struct history *h)
{
	vec_each (s, h) {
		w->tick++;
		doers[s->kind](w, s);
	}
	w->tick++;
	world_calm(w);
	world_run(w, 90 * MINUTE); /* more than the longest wait after failures */
	check_end(w);
}
