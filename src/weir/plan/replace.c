/* What cannot be changed where it is: it is replaced, if the YAML allows that, or held. */
#include "plan/planner.h"

#include <string.h>

#include "doc/json.h"
#include "plan/render.h"

static bool is_fixed(const struct setting *s)
{
	return s->verdict == VERDICT_WRITE && spec_fields[s->field].immutable;
}

const char *plan_fixed_names(struct planner *p, bool *ret_in_git)
{
	auto_buf struct buf names = BUF_INIT;
	bool in_git = false;

	vec_each (s, &p->settings) {
		if (!is_fixed(s))
			continue;
		buf_adds(&names, names.len ? ", " : "");
		setting_name(s, &names);
		in_git = in_git || s->change != PLAN_DRIFT;
	}
	if (ret_in_git)
		*ret_in_git = in_git;
	return names.len ? plan_text(p, "%s", buf_str(&names)) : NULL;
}

/* What others set goes with the old one and does not come with the new one. */
static void note_lost(struct planner *p, struct plan_item *it)
{
	vec_each (s, &p->settings) {
		auto_buf struct buf name = BUF_INIT, live = BUF_INIT;

		if (s->verdict != VERDICT_FREE || s->value[SIDE_DESIRED] ||
			setting_equal(s, s->value[SIDE_LIVE], NULL))
			continue;
		setting_name(s, &name);
		plan_value_text(
			&live, s->field, s->key ? s->key->u.string.s : NULL, s->value[SIDE_LIVE]);
		item_note(it, "loses %s, which is not in Git: %s", buf_str(&name), buf_str(&live));
	}
}

/* It would be deleted for a new one that the API does not take. */
static void hold_refused(struct planner *p, struct plan_item *it, const char *names)
{
	auto_arena struct arena a = ARENA_INIT;
	auto_buf struct buf body = BUF_INIT;
	const struct plan_record *r = it->record;
	char digest[HASH_HEX_MAX];

	if (it->action != PLAN_REPLACE || !r->refused_body)
		return;
	json_write(&body, plan_body(&a, it), JSON_STYLE_COMPACT);
	plan_body_digest(buf_str(&body), digest);
	if (strcmp(digest, r->refused_body) != 0)
		return;
	item_hold_by_guard(p, it, PLAN_HOLD_IMMUTABLE,
		plan_text(p,
			"to change %s is to delete it, and the API refused to create it so: %s",
			names, r->refusal ? r->refusal : "it did not say why"),
		plan_text(p, "change it in Git, or `weir approve %s` to try once more", it->name),
		r->refused_body);
}

/* To replace is to delete: whatever forbids the one forbids the other. */
static void decide_replace(struct planner *p, struct plan_item *it, const char *names, bool in_git)
{
	it->action = PLAN_REPLACE;
	if (it->desired->sync.protect)
		item_hold(it, PLAN_HOLD_PROTECT, PLAN_REPLACE,
			plan_text(p, "protected (sync.protect), and to change %s is to delete it",
				names),
			"write in Git what is live; or take the change back, take sync.protect out "
			"in a commit of its own, and make the change again in a later one");
	else if (it->record->was_protected)
		item_hold(it, PLAN_HOLD_PROTECT, PLAN_REPLACE,
			plan_text(p,
				"was protected (sync.protect) until this commit, and to change %s "
				"is to delete it",
				names),
			"take the change back in one commit, and make it again in a later one");
	else if (!p->in->catalog->complete)
		item_hold(it, PLAN_HOLD_INCOMPLETE, PLAN_REPLACE,
			plan_text(p,
				"to change %s is to delete it; nothing is deleted while Git has "
				"errors",
				names),
			"fix the errors in Git");
	else if (p->hidden)
		item_hold_unless_approved(p, it, PLAN_HOLD_UNKNOWN, PLAN_REPLACE,
			"more than half of all is missing at once: nothing is deleted while the "
			"API may be hiding things",
			plan_text(p, "make it show the others, or `weir approve %s` to replace it",
				it->name));
	else if (!in_git)
		item_hold_unless_approved(p, it, PLAN_HOLD_IMMUTABLE, PLAN_REPLACE,
			plan_text(p,
				"Git did not change %s: nothing is replaced for what others did",
				names),
			plan_text(p, "write in Git what is live, or `weir approve %s`", it->name));
	hold_refused(p, it, names);
	note_lost(p, it);
}

bool plan_fixed(struct planner *p, struct plan_item *it)
{
	bool in_git;
	const char *names = plan_fixed_names(p, &in_git);

	if (!names)
		return false;
	if (it->desired->sync.replace)
		decide_replace(p, it, names, in_git);
	else
		item_hold(it, PLAN_HOLD_IMMUTABLE, PLAN_UPDATE,
			plan_text(p, "cannot be changed after it was created: %s", names),
			"set sync.replace: true to have it deleted and made anew, or write in Git "
			"what is live, or declare the new one under another name");
	return true;
}
