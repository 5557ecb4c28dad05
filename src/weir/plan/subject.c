/* What is to be done about one name: who declares it, whose the live one is, and what holds it. */
#include "plan/planner.h"

#include <string.h>

#include "base/clock.h"
#include "base/text.h"

#define STATUS_MESSAGE_MAX 200

/* What Git wants; NULL if nothing, or nothing that can be used. */
static const struct replicator *choose_desired(const struct planner *p, const struct subject *s)
{
	if (s->declared && !s->declared->failed)
		return s->declared;
	/* All of Git loaded, then or once before, and the name is not in it: what was accepted once
	 * does not matter. */
	bool gone = p->in->catalog->complete || (s->record && s->record->gone_since_ms);
	if (!s->declared && gone)
		return NULL;
	return s->accepted && !s->accepted->failed ? s->accepted : NULL;
}

/* Of a name that is not in Git any more, what was accepted last. */
static const struct replicator *remembered_of(const struct subject *s)
{
	return !s->declared && s->accepted && !s->accepted->failed ? s->accepted : NULL;
}

static struct plan_item *add_item(
	struct planner *p, const struct subject *s, const struct replicator *desired)
{
	/* An older version stands in for a document, but people look for it where it is. */
	const struct replicator *document = s->declared ? s->declared : desired;

	vec_push(&p->plan->items, (struct plan_item){
					  .name = s->name,
					  .held = "",
					  .release = "",
					  .desired = desired,
					  .remembered = desired ? NULL : remembered_of(s),
					  .live = s->live,
					  .record = s->record,
					  .from_accepted = desired && desired != s->declared,
					  .file = document ? document->file : NULL,
					  .line = document ? document->line : 0,
				  });
	return &p->plan->items.at[p->plan->items.n - 1];
}

static bool hold_hidden(struct planner *p, struct plan_item *it)
{
	return item_hold_unless_approved(p, it, PLAN_HOLD_UNKNOWN, PLAN_CREATE,
		"more than half of all is missing at once: the API may be hiding it",
		plan_text(p, "make it show it, or `weir approve %s` to create it anew", it->name));
}

static void plan_absent(struct planner *p, struct plan_item *it)
{
	const struct spec *sides[SIDE__COUNT] = {[SIDE_DESIRED] = &it->desired->spec};
	bool replaced = it->record && it->record->deleted;
	bool vanished = it->record && record_was_live(it->record) && !replaced;

	if (it->from_accepted && !vanished && !replaced) {
		item_note(it, "not created as long as it has errors");
		return;
	}
	if (hold_unread(p, it))
		return;
	if (vanished && p->hidden && hold_hidden(p, it))
		return;
	settings_collect(&p->settings, sides);
	vec_each (s, &p->settings) {
		s->verdict = VERDICT_WRITE;
		s->change = vanished ? PLAN_DRIFT : PLAN_CHANGE;
	}
	item_add_diffs(p, it, VERDICT_WRITE);
	it->action = PLAN_CREATE;
	if (replaced)
		item_note(it, "the one that it replaces is gone");
	if (vanished)
		item_note(it, "was deleted behind Git's back");
	if (vanished && reports_drift(p, it->desired))
		item_hold(it, PLAN_HOLD_REPORT, PLAN_CREATE, "drift, and sync.mode is report",
			"take it out of Git, or set sync.mode: heal");
}

static void plan_present(struct planner *p, const struct subject *s, struct plan_item *it)
{
	it->ours = is_ours(p, s);
	if (s->live->status == LIVE_DELETING) {
		item_hold(it, PLAN_HOLD_DELETING, PLAN_CREATE,
			it->ours && s->record->deleted ? "it is being deleted, to be replaced"
						       : "the API is deleting it",
			"nothing to do: it is created again once it is gone");
		return;
	}
	if (it->ours) {
		plan_owned(p, s, it);
	} else {
		if (s->record && record_was_live(s->record))
			item_note(it, "re-created by somebody else since weir saw it last");
		plan_adoption(p, s, it);
	}
}

/* A secret that is missing is an error at the place of its path, also where all else is in sync. */
static void hold_for_secrets(struct planner *p, const struct subject *s, struct plan_item *it)
{
	for (size_t i = 0; i < s->n_secrets; i++) {
		const struct plan_secret *secret = s->secrets[i];
		const struct node *path = it->desired->spec.value[secret->field];

		item_hold(it, PLAN_HOLD_SECRET, it->action,
			plan_text(p, "%s:%u: %s: %s", it->desired->file ? it->desired->file : "?",
				path && path->line ? path->line : it->desired->line,
				spec_fields[secret->field].name, secret->message),
			"put it where the path says, or change the path in Git");
	}
}

static void note_status(struct plan_item *it)
{
	auto_buf struct buf message = BUF_INIT;
	const struct live *live = it->live;

	if (live->status == LIVE_ERROR) {
		buf_addf(&message, "%s%s", *live->status_message ? ": " : "", live->status_message);
		text_truncate(&message, STATUS_MESSAGE_MAX);
		item_note(it, "its status is Error%s", buf_str(&message));
	} else if (live->status == LIVE_UNKNOWN) {
		item_note(it, "its status is \"%s\", a word weir does not know", live->status_word);
	}
}

static void plan_declared(struct planner *p, const struct subject *s, struct plan_item *it)
{
	if (it->from_accepted)
		item_note(it,
			s->declared
				? "has errors: the last version that loaded counts"
				: "in nothing of Git that loads: the last version that did counts");
	if (s->live)
		plan_present(p, s, it);
	else
		plan_absent(p, it);
	hold_for_secrets(p, s, it);
	if (s->live)
		note_status(it);
}

void plan_subject(struct planner *p, const struct subject *s)
{
	const struct replicator *desired = choose_desired(p, s);
	bool fails = s->declared && s->declared->failed;

	if (!desired && !fails && !s->record) {
		if (s->live)
			strv_push(&p->plan->unmanaged, s->name);
		return;
	}
	struct plan_item *it = add_item(p, s, desired);
	item_note_suspended(p, s, it);
	if (desired)
		plan_declared(p, s, it);
	else if (fails)
		item_note(it, "has errors, and no earlier version loaded: %s",
			s->live ? "left as it is" : "not created before they are mended");
	else
		plan_removed(p, s, it);
	item_suspend(p, it);
}
