/* Statuses as Git notes: fetch, edit, commit, push, and look again, until our lines stand there. */
#include "source/source.h"

#include <string.h>

#include "base/alloc.h"
#include "base/limits.h"
#include "base/strv.h"
#include "base/text.h"
#include "source/internal.h"
#include "source/note_text.h"
#include "source/remote.h"

#define RETRIES_MOST 5

/* Where our commit stands while it is pushed: outside of what is fetched. */
#define PENDING_REF "refs/weir/notes"

#define AUTHOR_NAME  "weir"
#define AUTHOR_EMAIL "weir@localhost"

struct notes_job {
	struct source *source;
	const char *ref;
	const struct source_note *notes;
	size_t n;
	int64_t deadline_mono_ms;
};

static int failed(const struct notes_job *j, struct err *e)
{
	return mirror_failed(&j->source->mirror, e, "%s", j->ref);
}

static int set_reference(
	const struct notes_job *j, const char *name, const git_oid *oid, struct err *e)
{
	auto_reference git_reference *ref = NULL;

	if (git_reference_create(&ref, j->source->mirror.repo, name, oid, true, NULL) < 0)
		return failed(j, e);
	return 0;
}

/* The commit that the notes are at, NULL if the server has none yet. */
static int fetch_notes(const struct notes_job *j, git_commit **ret_commit, struct err *e)
{
	git_repository *repo = j->source->mirror.repo;
	auto_remote struct remote *r = NULL;
	git_oid oid;
	bool new_pack;
	int rc = remote_open(j->source, repo, GIT_DIRECTION_FETCH, j->deadline_mono_ms, &r, e);

	if (rc < 0)
		return rc;
	if (!remote_find(r, j->ref, &oid))
		return 0;
	rc = remote_download(r, j->ref, &oid, &new_pack, e);
	if (rc == 0)
		rc = set_reference(j, j->ref, &oid, e);
	if (rc == 0 && git_commit_lookup(ret_commit, repo, &oid) < 0)
		rc = failed(j, e);
	return rc;
}

static int too_large(const struct notes_job *j, const char *sha, struct err *e)
{
	return err_set(e, ERR_LIMIT, "the note of %s under %s is larger than %u bytes", sha, j->ref,
		LIMIT_NOTE_BYTES);
}

static int look_up_note(const struct notes_job *j, const char *sha, const git_tree_entry *entry,
	git_blob **ret_blob, struct err *e)
{
	int error = git_blob_lookup(ret_blob, j->source->mirror.repo, git_tree_entry_id(entry));

	if (source_left_out(j->source, error))
		return too_large(j, sha, e);
	return error < 0 ? failed(j, e) : 0;
}

/*
 * The note of a commit in a notes tree, which may have it as a file of its own or below folders of
 * two digits each (ab/cd/ef…). Gives the path it has, else the one it will have, and the blob or
 * NULL.
 */
static int find_note(const struct notes_job *j, const git_tree *notes, const char *sha,
	struct buf *ret_path, git_blob **ret_blob, struct err *e)
{
	auto_tree git_tree *below = NULL;
	const git_tree *tree = notes;
	const char *rest = sha;

	while (tree) {
		char digits[] = {rest[0], rest[0] ? rest[1] : '\0', '\0'};
		const git_tree_entry *entry = git_tree_entry_byname(tree, rest);
		git_tree *next;

		if (entry && git_tree_entry_type(entry) == GIT_OBJECT_BLOB) {
			buf_adds(ret_path, rest);
			return look_up_note(j, sha, entry, ret_blob, e);
		}
		entry = git_tree_entry_byname(tree, digits);
		if (!entry || git_tree_entry_type(entry) != GIT_OBJECT_TREE)
			break;
		if (git_tree_lookup(&next, git_tree_owner(tree), git_tree_entry_id(entry)) < 0)
			return failed(j, e);
		git_tree_free(below);
		tree = below = next;
		buf_addf(ret_path, "%s/", digits);
		rest += 2;
	}
	buf_clear(ret_path);
	buf_adds(ret_path, sha);
	return 0;
}

struct edits {
	VEC_FIELDS(git_tree_update);
	struct strv paths;
};

static void edits_release(struct edits *edits)
{
	strv_release(&edits->paths);
	vec_release(edits);
}

/* Adds a change of the tree, if the note of `sha` has to change. */
static int edit_note(const struct notes_job *j, const git_tree *tree, const char *sha,
	struct edits *edits, struct err *e)
{
	auto_buf struct buf path = BUF_INIT;
	auto_buf struct buf text = BUF_INIT;
	auto_free char *old = NULL;
	auto_blob git_blob *blob = NULL;
	git_tree_update update = {.action = GIT_TREE_UPDATE_UPSERT, .filemode = GIT_FILEMODE_BLOB};
	int rc = find_note(j, tree, sha, &path, &blob, e);

	if (rc < 0)
		return rc;
	size_t size = blob ? (size_t)git_blob_rawsize(blob) : 0;
	if (size > LIMIT_NOTE_BYTES)
		return too_large(j, sha, e);
	old = xmemdupz(blob ? git_blob_rawcontent(blob) : "", size);
	if (!note_text_edit(old, sha, j->notes, j->n, &text))
		return 0;
	if (git_blob_create_from_buffer(
		    &update.id, j->source->mirror.repo, buf_str(&text), text.len) < 0)
		return failed(j, e);
	strv_push_take(&edits->paths, buf_take(&path));
	update.path = edits->paths.at[edits->paths.n - 1];
	vec_push(edits, update);
	return 0;
}

static bool is_first_of_sha(const struct notes_job *j, size_t i)
{
	for (size_t before = 0; before < i; before++)
		if (strcmp(j->notes[before].sha, j->notes[i].sha) == 0)
			return false;
	return true;
}

static int collect_edits(
	const struct notes_job *j, const git_commit *base, struct edits *edits, struct err *e)
{
	auto_tree git_tree *tree = NULL;
	int rc = 0;

	if (base && git_commit_tree(&tree, base) < 0)
		return failed(j, e);
	for (size_t i = 0; i < j->n && rc == 0; i++)
		if (is_first_of_sha(j, i))
			rc = edit_note(j, tree, j->notes[i].sha, edits, e);
	return rc;
}

/* One commit of all edits, on top of `base`. */
static int commit_edits(
	const struct notes_job *j, const git_commit *base, const struct edits *edits, struct err *e)
{
	git_repository *repo = j->source->mirror.repo;
	auto_tree git_tree *before = NULL;
	auto_tree git_tree *after = NULL;
	auto_signature git_signature *author = NULL;
	git_oid oid;

	if ((base && git_commit_tree(&before, base) < 0) ||
		git_tree_create_updated(&oid, repo, before, edits->n, edits->at) < 0 ||
		git_tree_lookup(&after, repo, &oid) < 0 ||
		git_signature_now(&author, AUTHOR_NAME, AUTHOR_EMAIL) < 0 ||
		git_commit_create(&oid, repo, NULL, author, author, NULL, "weir: statuses\n", after,
			base ? 1 : 0, &base) < 0)
		return failed(j, e);
	return set_reference(j, PENDING_REF, &oid, e);
}

static int push_notes(const struct notes_job *j, struct err *e)
{
	auto_remote struct remote *r = NULL;
	int rc = remote_open(
		j->source, j->source->mirror.repo, GIT_DIRECTION_PUSH, j->deadline_mono_ms, &r, e);

	return rc < 0 ? rc : remote_push(r, PENDING_REF, j->ref, e);
}

/* Fetches and pushes what is missing; `ret_done` if nothing was, as the last round always finds. */
static int push_round(const struct notes_job *j, bool *ret_done, struct err *e)
{
	__attribute__((cleanup(edits_release))) struct edits edits = {.n = 0};
	auto_commit git_commit *base = NULL;
	int rc = fetch_notes(j, &base, e);

	if (rc == 0)
		rc = collect_edits(j, base, &edits, e);
	if (rc < 0)
		return rc;
	*ret_done = edits.n == 0;
	if (*ret_done)
		return 0;
	rc = commit_edits(j, base, &edits, e);
	return rc < 0 ? rc : push_notes(j, e);
}

static int push_until_there(const struct notes_job *j, struct err *e)
{
	for (int retries = 0; retries <= RETRIES_MOST; retries++) {
		bool done;
		int rc = push_round(j, &done, e);

		if (rc < 0 || done)
			return rc;
	}
	return err_retriable(e, ERR_CONFLICT,
		"%s: pushed to %s %d times, and something else stands there each time",
		j->source->location.url, j->ref, RETRIES_MOST + 1);
}

static int check_notes(const struct notes_job *j, struct err *e)
{
	int valid = 0;

	if (!text_has_prefix(j->ref, "refs/notes/") ||
		git_reference_name_is_valid(&valid, j->ref) < 0 || !valid)
		return err_set(e, ERR_CONFIG, "'%s': a name below refs/notes/ is needed", j->ref);
	for (size_t i = 0; i < j->n; i++)
		if (strlen(j->notes[i].sha) != GIT_OID_HEXSZ || strchr(j->notes[i].line, '\n'))
			BUG("a note of '%s': '%s'", j->notes[i].sha, j->notes[i].line);
	return 0;
}

int source_push_notes(
	struct source *s, const char *ref, const struct source_note *notes, size_t n, struct err *e)
{
	const struct notes_job j = {s, ref, notes, n, source_deadline(s)};
	int rc = check_notes(&j, e);
	git_oid head;

	if (rc == 0)
		rc = mirror_begin(&s->mirror, e);
	if (rc < 0)
		return rc;
	rc = push_until_there(&j, e);
	if (rc < 0) {
		rc = source_recover(s, rc, j.deadline_mono_ms, e);
		if (rc == 0)
			rc = push_until_there(&j, e);
	}
	if (rc == 0)
		source_tidy(s, j.deadline_mono_ms, &head);
	return rc;
}
