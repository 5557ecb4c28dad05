/* `sync:` of a document: how weir treats a replicator, and what of it contradicts itself. */
#include <string.h>

#include "base/alloc.h"
#include "base/limits.h"
#include "base/map.h"
#include "base/text.h"
#include "model/internal.h"
#include "model/sync_ignore.h"

static const char *const modes[] = {[SYNC_HEAL] = "heal", [SYNC_REPORT] = "report", NULL};
static const char *const adoptions[] = {
	[ADOPT_MATCH] = "match", [ADOPT_OVERWRITE] = "overwrite", [ADOPT_NEVER] = "never", NULL};
static const char *const draft_rules[] = {[DRAFTS_HOLD] = "hold", [DRAFTS_APPLY] = "apply", NULL};
static const char *const removals[] = {
	[REMOVE_DELETE] = "delete", [REMOVE_ORPHAN] = "orphan", NULL};

static const struct field suspend_fields[] = {
	{.name = "reason",
		.type = FIELD_STRING,
		.flags = FIELD_REQUIRED,
		.offset = offsetof(struct sync_suspend, reason),
		.doc = "Why; it stands in plans and statuses."},
	{.name = "until",
		.type = FIELD_TIME,
		.flags = FIELD_NULL_OK,
		.offset = offsetof(struct sync_suspend, until_ms),
		.has_offset = offsetof(struct sync_suspend, has_until) + 1,
		.doc = "When it ends by itself, such as 2026-12-24T06:00:00Z. Default: it does "
		       "not."},
	{0},
};

const struct field sync_fields[] = {
	{.name = "mode",
		.type = FIELD_CHOICE,
		.offset = offsetof(struct sync_settings, mode),
		.has_offset = offsetof(struct sync_settings, has_mode) + 1,
		.choices = modes,
		.doc = "heal repairs drift. report applies what changes in Git and only tells "
		       "drift. Default: as sync.mode of weir.yaml says."},
	{.name = "timeout",
		.type = FIELD_DURATION,
		.offset = offsetof(struct sync_settings, timeout_ms),
		.has_offset = offsetof(struct sync_settings, has_timeout) + 1,
		.min = 1000,
		.max = (int64_t)24 * 60 * 60 * 1000,
		.doc = "How long a change may take to become Healthy until the status of the "
		       "commit is an error. Default: as sync.timeout of weir.yaml says."},
	{.name = "adopt",
		.type = FIELD_CHOICE,
		.offset = offsetof(struct sync_settings, adopt),
		.has_offset = offsetof(struct sync_settings, has_adopt) + 1,
		.choices = adoptions,
		.doc = "What happens if it exists already and weir did not create it. match takes "
		       "it over if nothing written in Git differs, and holds it otherwise. "
		       "overwrite takes it over and makes it as Git says, unless it was there "
		       "before "
		       "weir's state folder was: then as match, until Git changes it. never holds "
		       "it. "
		       "Default: as sync.adopt of weir.yaml says."},
	{.name = "foreign_drafts",
		.type = FIELD_CHOICE,
		.offset = offsetof(struct sync_settings, foreign_drafts),
		.has_offset = offsetof(struct sync_settings, has_foreign_drafts) + 1,
		.choices = draft_rules,
		.doc = "What happens when a reconcile would also provision what somebody else "
		       "saved and did not start: hold waits for a person, apply provisions it too. "
		       "Default: as sync.foreign_drafts of weir.yaml says."},
	{.name = "protect",
		.type = FIELD_BOOL,
		.offset = offsetof(struct sync_settings, protect),
		.def = "false",
		.doc = "Never delete it, even once its document is gone: that takes a commit which "
		       "removes this line, and another that removes the document."},
	{.name = "replace",
		.type = FIELD_BOOL,
		.offset = offsetof(struct sync_settings, replace),
		.def = "false",
		.doc = "When an immutable field changes, delete it and create it anew. Without it, "
		       "such a change is held."},
	{.name = "on_remove",
		.type = FIELD_CHOICE,
		.offset = offsetof(struct sync_settings, on_remove),
		.choices = removals,
		.def = "delete",
		.doc = "What happens once its document is gone: delete, if sync.prune of weir.yaml "
		       "is on, or orphan, which lets it go and leaves it running."},
	{.name = "suspend",
		.type = FIELD_MAP,
		.flags = FIELD_NULL_OK,
		.offset = offsetof(struct sync_settings, suspend),
		.has_offset = offsetof(struct sync_settings, suspend.is_set) + 1,
		.sub = suspend_fields,
		.doc = "Leave it alone: nothing of it is created, changed or deleted."},
	{.name = "depends_on",
		.type = FIELD_STRINGS,
		.flags = FIELD_NULL_OK,
		.offset = offsetof(struct sync_settings, depends_on),
		.doc = "Names of replicators that must be as Git says, and Healthy, before "
		       "anything is done about this one; it is deleted before they are."},
	{.name = "ignore",
		.type = FIELD_STRINGS,
		.flags = FIELD_NULL_OK,
		.offset = offsetof(struct sync_settings, ignore),
		.doc = "JSON Pointers into spec, such as /topic_blacklist or "
		       "/advanced_configuration/producer.linger.ms: what they name is sent when "
		       "the replicator is created, and then left to others. Neither immutable nor "
		       "required fields can be ignored."},
	{.name = "windows",
		.flags = FIELD_REFUSED,
		.doc = "belongs in weir.yaml, as sync.windows, where `match` chooses replicators "
		       "by their labels: remove it here"},
	{.name = "max_updates",
		.flags = FIELD_REFUSED,
		.doc = "belongs in weir.yaml, as sync.max_updates, for all replicators together: "
		       "remove it here"},
	{0},
};

static bool replaces_what_is_protected(const struct sync_settings *s)
{
	return s->replace && s->protect;
}

static bool replaces_in_report(const struct sync_settings *s)
{
	return s->replace && s->has_mode && s->mode == SYNC_REPORT;
}

static bool protects_what_is_let_go(const struct sync_settings *s)
{
	return s->protect && s->on_remove == REMOVE_ORPHAN;
}

static const struct {
	bool (*holds)(const struct sync_settings *s);
	const char *key;
	enum problem_level level;
	const char *message;
} contradictions[] = {
	{replaces_what_is_protected, "replace", PROBLEM_ERROR,
		"contradicts protect: to replace is to delete, and what is protected is never "
		"deleted; remove one of them"},
	{protects_what_is_let_go, "protect", PROBLEM_WARNING,
		"has no effect beside on_remove: orphan, by which it is let go and never deleted: "
		"once its document is gone, nobody is asked; remove one of them"},
	{replaces_in_report, "replace", PROBLEM_WARNING,
		"holds in mode report too, which applies what changes in Git: a change to an "
		"immutable field deletes the replicator and creates it anew"},
};

struct check {
	const struct sync_settings *sync;
	const struct node *written;
	struct field_place place;
	struct problems *problems;
};

static void check_contradictions(const struct check *c)
{
	for (size_t i = 0; i < ARRAY_SIZE(contradictions); i++) {
		if (contradictions[i].holds(c->sync))
			problem_at(c->problems, contradictions[i].level, &c->place,
				contradictions[i].key, node_get(c->written, contradictions[i].key),
				"%s", contradictions[i].message);
	}
}

/* An explicit null takes back what stands elsewhere; a line that was left empty is not finished. */
static void check_suspend(const struct check *c)
{
	const struct node *at = node_get(c->written, "suspend");

	if (at && at->type == NODE_NULL && at->u.text && !*at->u.text)
		problem_at(c->problems, PROBLEM_ERROR, &c->place, "suspend", at,
			"has no value: write {reason: \"...\"}, or take the line out");
}

static void check_reason(const struct check *c)
{
	const char *reason = c->sync->suspend.reason;
	const struct node *at = node_get(node_get(c->written, "suspend"), "reason");

	if (!reason)
		return;
	if (!reason[strspn(reason, " \t\r\n")])
		problem_at(c->problems, PROBLEM_ERROR, &c->place, "suspend.reason", at,
			"must say something: whoever sees that it is suspended wants to know why");
	if (text_length(reason) > LIMIT_REASON_LENGTH)
		problem_at(c->problems, PROBLEM_ERROR, &c->place, "suspend.reason", at,
			"must have at most %d characters: it stands in statuses",
			LIMIT_REASON_LENGTH);
}

static void check_dependence(
	const struct check *c, size_t i, const char *name, struct map *ret_seen)
{
	const struct node *item = c->sync->depends_on->u.seq.at[i];
	const char *other = item->u.string.s;
	auto_free char *path = xasprintf("depends_on[%zu]", i);
	auto_buf struct buf shown = BUF_INIT;

	if (!identifier_valid(other))
		problem_at(c->problems, PROBLEM_ERROR, &c->place, path, item,
			"\"%s\" is no name of a replicator: write its metadata.name",
			shorten(other, &shown));
	else if (name && strcmp(other, name) == 0)
		problem_at(c->problems, PROBLEM_ERROR, &c->place, path, item,
			"\"%s\" is the replicator itself, and would wait for ever: remove it",
			other);
	else if (map_has(ret_seen, other))
		problem_at(c->problems, PROBLEM_ERROR, &c->place, path, item,
			"\"%s\" stands in the list already: remove one of them", other);
	map_put(ret_seen, other, NULL);
}

static void check_dependences(const struct check *c, const char *name)
{
	struct map seen = MAP_INIT;

	for (size_t i = 0; c->sync->depends_on && i < c->sync->depends_on->u.seq.n; i++)
		check_dependence(c, i, name, &seen);
	map_release(&seen);
}

void sync_check(const struct sync_settings *sync, const struct node *written, const char *name,
	const struct spec *spec, const struct field_place *place, struct problems *problems)
{
	auto_free char *path = path_below(place, "sync");
	struct check c = {
		.sync = sync,
		.written = written,
		.place = *place,
		.problems = problems,
	};

	c.place.path = path;
	check_contradictions(&c);
	check_suspend(&c);
	check_reason(&c);
	check_dependences(&c, name);
	sync_check_ignore(sync, spec, &c.place, problems);
}

struct sync_settings sync_copy(struct arena *a, const struct sync_settings *sync)
{
	struct sync_settings copy = *sync;

	if (sync->suspend.reason)
		copy.suspend.reason = arena_strdup(a, sync->suspend.reason);
	if (sync->depends_on)
		copy.depends_on = node_copy(a, sync->depends_on);
	if (sync->ignore)
		copy.ignore = node_copy(a, sync->ignore);
	return copy;
}

void sync_mdoc(struct buf *out)
{
	fields_mdoc(sync_fields, "", out);
}
