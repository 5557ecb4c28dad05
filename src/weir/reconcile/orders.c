/* What a person orders, done to the ledger. */
#include "reconcile/orders.h"

#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/text.h"

/* Ours, or in Git. */
static bool is_known(const struct record *r)
{
	return r && (r->row.owned || r->accepted || r->intent);
}

static int fail_unknown(const struct ledger *l, const char *name, struct err *e)
{
	VEC(const char *) names = VEC_INIT;
	for (size_t i = 0; i < map_size(&l->records); i++)
		if (is_known(map_value(&l->records, i)))
			vec_push(&names, map_key(&l->records, i));
	const char *near = text_suggest(name, names.at, names.n);
	if (near)
		err_set(e, ERR_NOT_FOUND,
			"%s is neither in Git nor in the inventory; did you mean %s?", name, near);
	else
		err_set(e, ERR_NOT_FOUND,
			"%s is neither in Git nor in the inventory; `weir status --all` lists what "
			"is",
			name);
	vec_release(&names);
	return -ERR_NOT_FOUND;
}

/* NULL, and the error, if it is not known. */
static struct record *find(const struct ledger *l, const struct order *o, struct err *e)
{
	struct record *r = ledger_find(l, o->name);
	if (is_known(r))
		return r;
	fail_unknown(l, o->name, e);
	return NULL;
}

const struct replicator *orders_remembered(const struct record *r, struct arena *arena)
{
	struct replicator *document = arena_alloc(arena, sizeof(*document));
	struct err e = ERR_INIT;
	if (!r->accepted || replicator_read_json(r->accepted, arena, document, &e) < 0)
		return NULL;
	return document;
}

static bool is_gone(const struct record *r)
{
	return !r->accepted || r->row.gone_since_ms;
}

const struct replicator *orders_document(const struct record *r, struct arena *arena)
{
	return is_gone(r) ? NULL : orders_remembered(r, arena);
}

static const char *or_nothing(const char *reason)
{
	return reason[0] ? reason : NULL;
}

int orders_suspend(
	struct ledger *l, const struct order *o, bool has_until, int64_t until_ms, struct err *e)
{
	if (!find(l, o, e))
		return -ERR_NOT_FOUND;
	if (has_until && until_ms <= o->now_ms)
		return err_set(e, ERR_INVALID,
			"%s: the time until which it is to be suspended has passed", o->name);
	struct suspension *s = xmalloc(sizeof(*s));
	*s = (struct suspension){
		.name = xstrdup(o->name),
		.reason = xstrdup(o->reason),
		.has_until = has_until,
		.until_ms = until_ms,
		.by = xstrdup(o->by),
		.at_ms = o->now_ms,
	};
	char until[CLOCK_TEXT_MAX] = "";
	if (has_until)
		clock_format(until_ms, until);
	auto_free char *detail = xasprintf("%s%s%s", o->reason, has_until ? ", until " : "", until);
	ledger_suspend(l, s);
	ledger_event_by(l, o->now_ms, o->name, "suspended", detail, o->by);
	return 0;
}

/* What is remembered of a document that is gone is that it was suspended no more. */
static bool lift_remembered(struct ledger *l, struct record *r)
{
	auto_arena struct arena arena = ARENA_INIT;
	const struct replicator *document = is_gone(r) ? orders_remembered(r, &arena) : NULL;
	if (!document || !document->sync.suspend.is_set)
		return false;
	struct replicator lifted = *document;
	lifted.sync.suspend = (struct sync_suspend){.is_set = false};
	ledger_accept(l, r, &lifted);
	return true;
}

int orders_resume(struct ledger *l, const struct order *o, bool *ret_still, struct err *e)
{
	auto_arena struct arena arena = ARENA_INIT;
	struct record *r = ledger_find(l, o->name);
	bool ordered = map_has(&l->suspensions, o->name);
	if (!is_known(r) && !ordered)
		return fail_unknown(l, o->name, e);
	const struct replicator *in_git = r ? orders_document(r, &arena) : NULL;
	bool says_so = in_git && in_git->sync.suspend.is_set;
	if (!ordered && says_so)
		return err_set(e, ERR_CONFLICT,
			"%s is suspended in Git (%s:%u: %s); take sync.suspend out there", o->name,
			in_git->file, in_git->line, in_git->sync.suspend.reason);
	bool lifted = r && lift_remembered(l, r);
	if (!ordered && !lifted)
		return err_set(e, ERR_CONFLICT, "%s is not suspended", o->name);
	ledger_resume(l, o->name);
	if (r && r->row.gone_since_ms) {
		r->row.gone_since_ms = o->now_ms; /* its grace is for people to see */
		ledger_changed(l, r);
	}
	ledger_event_by(l, o->now_ms, o->name, "resumed", or_nothing(o->reason), o->by);
	*ret_still = says_so;
	return 0;
}

int orders_forget(struct ledger *l, const struct order *o, struct err *e)
{
	auto_arena struct arena arena = ARENA_INIT;
	struct record *r = find(l, o, e);
	if (!r)
		return -ERR_NOT_FOUND;
	const struct replicator *in_git = orders_document(r, &arena);
	if (in_git)
		return err_set(e, ERR_CONFLICT,
			"%s is in Git (%s:%u); take its document out there first, with "
			"sync.on_remove: orphan if it must not be deleted",
			o->name, in_git->file, in_git->line);
	if (r->intent)
		return err_retriable(e, ERR_CONFLICT,
			"something is under way for %s; forget it once `weir status` shows the end",
			o->name);
	ledger_drop(l, r);
	ledger_unaccept(l, r);
	ledger_resume(l, o->name);
	ledger_event_by(l, o->now_ms, o->name, "forgotten", or_nothing(o->reason), o->by);
	return 0;
}

int orders_approve(struct ledger *l, const struct order *o, const char *digest, const char *action,
	struct err *e)
{
	if (map_has(&l->approvals, digest))
		return err_set(e, ERR_CONFLICT, "%s is approved already: %s", o->name, action);
	struct approval *a = xmalloc(sizeof(*a));
	*a = (struct approval){
		.digest = xstrdup(digest),
		.name = xstrdup(o->name),
		.action = xstrdup(action),
		.by = xstrdup(o->by),
		.reason = xstrdup(o->reason),
		.at_ms = o->now_ms,
	};
	auto_free char *detail = xasprintf("%s%s%s", action, o->reason[0] ? ": " : "", o->reason);
	ledger_approve(l, a);
	ledger_event_by(l, o->now_ms, or_nothing(o->name), "approved", detail, o->by);
	return 0;
}
