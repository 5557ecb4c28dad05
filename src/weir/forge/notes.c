/* Statuses as Git notes, in the repository itself. */

#include "base/alloc.h"
#include "base/strv.h"
#include "forge/forge.h"

struct notes_forge {
	struct forge forge;
	struct source *source;
	char *ref;
};

static int post(struct forge *f, const struct forge_status *statuses, size_t n,
	enum post_end *ret_ends, struct err *e)
{
	struct notes_forge *notes = (struct notes_forge *)f;
	auto_strv struct strv lines = VEC_INIT;
	VEC(struct source_note) edits = VEC_INIT;
	for (size_t i = 0; i < n; i++) {
		strv_pushf(&lines, "%s %s %s", status_state_name(statuses[i].state),
			statuses[i].context, statuses[i].text);
		vec_push(&edits,
			(struct source_note){statuses[i].sha, statuses[i].context, lines.at[i]});
	}
	int rc = source_push_notes(notes->source, notes->ref, edits.at, edits.n, e);
	for (size_t i = 0; i < n; i++)
		ret_ends[i] = rc == 0 ? POST_ARRIVED : POST_NOT;
	vec_release(&edits);
	return rc;
}

static void notes_free(struct forge *f)
{
	struct notes_forge *notes = (struct notes_forge *)f;
	free(notes->ref);
	free(notes);
}

static const struct forge_ops notes_ops = {
	.name = "notes",
	.uses_source = true,
	.post = post,
	.free = notes_free,
};

struct forge *forge_notes_new(struct source *source, const char *ref)
{
	struct notes_forge *notes = xcalloc(1, sizeof(*notes));
	*notes = (struct notes_forge){
		.forge.ops = &notes_ops, .source = source, .ref = xstrdup(ref)};
	return &notes->forge;
}
