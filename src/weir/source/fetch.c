/* Bringing the branch's newest commit, and telling how it relates to the one known before. */
#include "source/source.h"

#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/crash.h"
#include "base/log.h"
#include "base/text.h"
#include "source/internal.h"
#include "source/remote.h"

#define BRANCHES_SHOWN 5

/* How often a mirror that would be cleaner is not cloned anew after that failed. */
#define CLONES_SPARED 50

int64_t source_deadline(const struct source *s)
{
	return clock_mono_ms(&clock_real) + s->timeout_ms;
}

static int missing_branch(const struct source *s, const struct remote *r, struct err *e)
{
	auto_buf struct buf branches = BUF_INIT;

	if (remote_is_empty(r))
		return err_set(e, ERR_NOT_FOUND,
			"%s: the repository has no commits; push one to branch %s", s->location.url,
			s->branch);
	remote_list_branches(r, BRANCHES_SHOWN, &branches);
	return err_set(e, ERR_NOT_FOUND, "%s: there is no branch %s; %s%s; check source.branch",
		s->location.url, s->branch, branches.len ? "there are: " : "there are none",
		buf_str(&branches));
}

/* libgit2 would leave a reference alone, and succeed, in cases that are failures to us; so it is
 * set here. */
static int set_reference(struct source *s, git_repository *repo, const git_oid *oid, struct err *e)
{
	auto_reference git_reference *ref = NULL;
	git_oid old;

	if (git_reference_name_to_id(&old, repo, s->ref) == 0 && git_oid_equal(&old, oid))
		return 0;
	if (git_reference_create(&ref, repo, s->ref, oid, true, NULL) < 0)
		return mirror_failed(&s->mirror, e, "%s", s->ref);
	return 0;
}

static int fetch_branch(struct source *s, git_repository *repo, int64_t deadline_mono_ms,
	git_oid *ret_oid, bool *ret_new_pack, struct err *e)
{
	auto_remote struct remote *r = NULL;
	int rc = remote_open(s, repo, GIT_DIRECTION_FETCH, deadline_mono_ms, &r, e);

	if (rc < 0)
		return rc;
	if (!remote_find(r, s->ref, ret_oid))
		return missing_branch(s, r, e);
	git_oid_tostr(s->advertised, sizeof(s->advertised), ret_oid);
	rc = remote_download(r, s->ref, ret_oid, ret_new_pack, e);
	crash_point("source-downloaded");
	return rc < 0 ? rc : set_reference(s, repo, ret_oid, e);
}

/* Nothing is lost if it fails: the old mirror stands until the new one is complete. */
static int clone_anew(struct source *s, int64_t deadline_mono_ms, git_oid *ret_oid, struct err *e)
{
	git_repository *repo = NULL;
	bool new_pack;
	int rc = mirror_begin_new(&s->mirror, &repo, e);

	if (rc == 0)
		rc = fetch_branch(s, repo, deadline_mono_ms, ret_oid, &new_pack, e);
	if (rc < 0) {
		git_repository_free(repo);
		return rc;
	}
	return mirror_replace(&s->mirror, repo, e);
}

static bool renewed(const struct source *s)
{
	return *s->advertised && strcmp(s->advertised, s->renewed_for) == 0;
}

bool source_left_out(const struct source *s, int error)
{
	return error == GIT_ENOTFOUND && renewed(s);
}

int source_recover(struct source *s, int rc, int64_t deadline_mono_ms, struct err *e)
{
	struct err again = ERR_INIT;
	git_oid oid;

	if (!s->mirror.broken)
		return rc;
	if (renewed(s))
		return err_prefix(
			e, "broken again after it was cloned anew; check the disk and the server");
	log_debug("the mirror is broken and cloned anew", "why", e ? e->msg : "", NULL);
	rc = clone_anew(s, deadline_mono_ms, &oid, &again);
	if (rc == 0)
		memcpy(s->renewed_for, s->advertised, sizeof(s->renewed_for));
	if (e)
		*e = again;
	return rc;
}

void source_tidy(struct source *s, int64_t deadline_mono_ms, git_oid *head)
{
	struct err e = ERR_INIT;
	git_oid oid;

	if (!mirror_is_cluttered(&s->mirror))
		return;
	if (s->clones_spared > 0) {
		s->clones_spared--;
	} else if (clone_anew(s, deadline_mono_ms, &oid, &e) < 0) {
		log_debug("the mirror stays as it is", "why", e.msg, NULL);
		s->clones_spared = CLONES_SPARED;
	} else {
		*head = oid;
	}
}

int source_find_tree(
	struct source *s, git_commit *commit, const char *path, git_tree **ret_tree, struct err *e)
{
	auto_tree git_tree *tree = NULL;

	if (git_commit_tree(&tree, commit) < 0)
		return mirror_failed(&s->mirror, e, "tree of a commit");
	while (*path) {
		auto_free char *name = xmemdupz(path, strcspn(path, "/"));
		const git_tree_entry *entry = git_tree_entry_byname(tree, name);
		git_tree *below;

		if (!entry || git_tree_entry_type(entry) != GIT_OBJECT_TREE) {
			*ret_tree = NULL;
			return 0;
		}
		if (git_tree_lookup(&below, git_tree_owner(tree), git_tree_entry_id(entry)) < 0)
			return mirror_failed(&s->mirror, e, "tree %s", name);
		git_tree_free(tree);
		tree = below;
		path += strlen(name);
		path += strspn(path, "/");
	}
	*ret_tree = TAKE(tree);
	return 0;
}

/* Fails if a commit that `head` descends from is not there. */
static int check_history(struct source *s, const git_oid *head, struct err *e)
{
	git_revwalk *walk = NULL;
	git_oid oid;
	int error = git_revwalk_new(&walk, s->mirror.repo);

	if (error == 0)
		error = git_revwalk_push(walk, head);
	while (error == 0)
		error = git_revwalk_next(&oid, walk);
	git_revwalk_free(walk);
	if (error != GIT_ITEROVER)
		return mirror_failed(&s->mirror, e, "history of %s", s->branch);
	return 0;
}

/* A mirror has everything that its head descends from. So what is not in it is no ancestor, if it
 * is whole. */
static int relate(struct source *s, const git_oid *head, const char *known,
	enum source_relation *ret_relation, struct err *e)
{
	auto_odb git_odb *odb = NULL;
	git_oid oid;

	if (!known || !*known) {
		*ret_relation = SOURCE_FIRST;
		return 0;
	}
	*ret_relation = SOURCE_REWOUND;
	if (git_oid_fromstr(&oid, known) < 0)
		return 0;
	if (git_oid_equal(&oid, head)) {
		*ret_relation = SOURCE_SAME;
		return 0;
	}
	if (git_repository_odb(&odb, s->mirror.repo) < 0)
		return mirror_failed(&s->mirror, e, "objects");
	if (!git_odb_exists(odb, &oid))
		return check_history(s, head, e);
	int descends = git_graph_descendant_of(s->mirror.repo, head, &oid);
	if (descends < 0)
		return mirror_failed(&s->mirror, e, "history of %s", s->branch);
	if (descends)
		*ret_relation = SOURCE_FORWARD;
	return 0;
}

/* A branch can be made to stand at anything by who writes the server's files. */
static int find_commit(struct source *s, const git_oid *oid, git_commit **ret_commit, struct err *e)
{
	auto_object git_object *found = NULL;

	if (git_object_lookup(&found, s->mirror.repo, oid, GIT_OBJECT_ANY) < 0)
		return mirror_failed(&s->mirror, e, "commit %.40s", git_oid_tostr_s(oid));
	if (git_object_type(found) != GIT_OBJECT_COMMIT)
		return err_set(e, ERR_REMOTE,
			"%s: branch %s stands at a %s, not at a commit; set it to one",
			s->location.url, s->branch, git_object_type2string(git_object_type(found)));
	*ret_commit = (git_commit *)TAKE(found);
	return 0;
}

static int describe(struct source *s, const git_oid *oid, const char *known,
	struct source_head *ret_head, struct err *e)
{
	auto_commit git_commit *commit = NULL;
	auto_tree git_tree *tree = NULL;
	struct source_head head = {.sha = ""};

	git_oid_tostr(head.sha, sizeof(head.sha), oid);
	int rc = find_commit(s, oid, &commit, e);
	if (rc == 0)
		rc = source_find_tree(s, commit, s->path, &tree, e);
	if (rc == 0)
		rc = relate(s, oid, known, &head.relation, e);
	if (rc < 0)
		return rc;
	const char *summary = git_commit_summary(commit);
	text_escape_into(head.summary, sizeof(head.summary), summary ? summary : "");
	if (tree)
		git_oid_tostr(head.tree, sizeof(head.tree), git_tree_id(tree));
	*ret_head = head;
	return 0;
}

static int fetch_once(struct source *s, const char *known, int64_t deadline_mono_ms,
	struct source_head *ret_head, struct err *e)
{
	bool new_pack = false;
	git_oid oid;
	int rc = fetch_branch(s, s->mirror.repo, deadline_mono_ms, &oid, &new_pack, e);

	if (rc < 0)
		return rc;
	if (new_pack) {
		source_tidy(s, deadline_mono_ms, &oid);
		rc = mirror_begin(&s->mirror, e);
	}
	return rc < 0 ? rc : describe(s, &oid, known, ret_head, e);
}

int source_fetch(struct source *s, const char *known, struct source_head *ret_head, struct err *e)
{
	int64_t deadline_mono_ms = source_deadline(s);
	int rc = mirror_begin(&s->mirror, e);

	if (rc < 0)
		return rc;
	rc = fetch_once(s, known, deadline_mono_ms, ret_head, e);
	if (rc < 0) {
		rc = source_recover(s, rc, deadline_mono_ms, e);
		if (rc == 0)
			rc = fetch_once(s, known, deadline_mono_ms, ret_head, e);
	}
	return rc;
}
