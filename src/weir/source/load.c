/* From a commit to a catalog: the tree is walked, blobs that were not parsed before are. */
#include "source/source.h"

#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/limits.h"
#include "source/files.h"
#include "source/filter.h"
#include "source/internal.h"

struct walk {
	struct source *source;
	git_repository *repo;
	git_odb *odb;
	struct files files;
	struct map parsed; /* replaces the source's when everything was read */
};

static void free_walk(struct walk *w)
{
	git_odb_free(w->odb);
	files_release(&w->files);
	source_drop_parsed(&w->parsed);
}

static void free_parsed(void *parsed)
{
	parsed_file_unref(parsed);
}

void source_drop_parsed(struct map *parsed)
{
	map_release_with(parsed, free_parsed);
	*parsed = (struct map)MAP_INIT;
}

static const char *why_unreadable(const git_tree_entry *entry)
{
	switch (git_tree_entry_filemode(entry)) {
	case GIT_FILEMODE_LINK:
		return "is a symbolic link; put the file itself there";
	case GIT_FILEMODE_COMMIT:
		return "is a submodule; put the file itself there";
	case GIT_FILEMODE_BLOB:
	case GIT_FILEMODE_BLOB_EXECUTABLE:
		return NULL;
	case GIT_FILEMODE_TREE:
	case GIT_FILEMODE_UNREADABLE:
		break;
	}
	return "is not a file";
}

/* NULL if it was not parsed before. */
static struct parsed_file *find_parsed(const struct walk *w, const git_oid *id)
{
	char hex[GIT_OID_HEXSZ + 1];

	return map_get(&w->source->parsed, git_oid_tostr(hex, sizeof(hex), id));
}

static int read_size(struct walk *w, struct file *file, const char *path, struct err *e)
{
	git_object_t type;
	int error = git_odb_read_header(&file->bytes, &type, w->odb, &file->id);

	if (source_left_out(w->source, error))
		file->bytes = FILTER_BYTES;
	else if (error < 0)
		return mirror_failed(&w->source->mirror, e, "%s", path);
	return 0;
}

/* What was parsed before is not looked for in the mirror. */
static int add_entry(struct walk *w, const git_tree_entry *entry, const char *path, struct err *e)
{
	struct file file = {.id = *git_tree_entry_id(entry), .unreadable = why_unreadable(entry)};
	struct parsed_file *parsed = file.unreadable ? NULL : find_parsed(w, &file.id);
	int rc = 0;

	if (parsed) {
		file.parsed = parsed_file_ref(parsed);
		file.bytes = parsed_file_bytes(parsed);
	} else if (!file.unreadable) {
		rc = read_size(w, &file, path, e);
	}
	if (rc < 0)
		return rc;
	file.path = xstrdup(path);
	return files_add(&w->files, file, e);
}

static int list_tree(
	struct walk *w, const git_tree *tree, struct buf *path, unsigned depth, struct err *e);

static int list_below(struct walk *w, const git_tree_entry *entry, struct buf *path, unsigned depth,
	struct err *e)
{
	auto_tree git_tree *tree = NULL;

	if (git_tree_lookup(&tree, w->repo, git_tree_entry_id(entry)) < 0)
		return mirror_failed(&w->source->mirror, e, "%s", buf_str(path));
	return list_tree(w, tree, path, depth + 1, e);
}

static int list_tree(
	struct walk *w, const git_tree *tree, struct buf *path, unsigned depth, struct err *e)
{
	size_t n = git_tree_entrycount(tree);
	size_t len = path->len;
	int rc = 0;

	for (size_t i = 0; i < n && rc == 0; i++) {
		const git_tree_entry *entry = git_tree_entry_byindex(tree, i);
		const char *name = git_tree_entry_name(entry);

		buf_addf(path, "%s%s", len ? "/" : "", name);
		rc = files_count_entry(&w->files, depth, buf_str(path), e);
		if (rc < 0 || files_is_hidden(name))
			;
		else if (git_tree_entry_type(entry) == GIT_OBJECT_TREE)
			rc = list_below(w, entry, path, depth, e);
		else if (files_is_yaml(name))
			rc = add_entry(w, entry, buf_str(path), e);
		buf_truncate(path, len);
	}
	return rc;
}

static int read_blob(struct walk *w, struct file *file, struct err *e)
{
	git_odb_object *object;

	if (git_odb_read(&object, w->odb, &file->id) < 0)
		return mirror_failed(&w->source->mirror, e, "%s", file->path);
	files_set_text(file, xmemdupz(git_odb_object_data(object), git_odb_object_size(object)));
	git_odb_object_free(object);
	return 0;
}

static int read_blobs(struct walk *w, struct err *e)
{
	int rc = 0;

	vec_each (it, &w->files) {
		if (!it->unreadable && !it->parsed)
			rc = read_blob(w, it, e);
		if (rc < 0)
			return rc;
	}
	return 0;
}

/* What this load did not use is dropped, so that the cache is never larger than the tree. */
static void keep_parsed(struct walk *w)
{
	vec_each (it, &w->files) {
		char hex[GIT_OID_HEXSZ + 1];

		if (it->parsed)
			parsed_file_unref(
				map_put(&w->parsed, git_oid_tostr(hex, sizeof(hex), &it->id),
					parsed_file_ref(it->parsed)));
	}
	source_drop_parsed(&w->source->parsed);
	w->source->parsed = w->parsed;
	w->parsed = (struct map)MAP_INIT;
}

static int open_tree(struct walk *w, const char *sha, git_tree **ret_tree, struct err *e)
{
	struct source *s = w->source;
	auto_commit git_commit *commit = NULL;
	git_oid oid;

	if (git_oid_fromstr(&oid, sha) < 0)
		return err_set(e, ERR_INVALID, "'%s' is no commit", sha);
	if (git_repository_odb(&w->odb, w->repo) < 0 ||
		git_commit_lookup(&commit, w->repo, &oid) < 0)
		return mirror_failed(&s->mirror, e, "commit %s", sha);
	int rc = source_find_tree(s, commit, s->path, ret_tree, e);
	if (rc == 0 && !*ret_tree)
		return err_set(e, ERR_NOT_FOUND,
			"there is no folder %s in commit %.7s of branch %s; check source.path",
			s->path, sha, s->branch);
	return rc;
}

static int load_once(struct source *s, const char *sha, struct catalog **ret_catalog, struct err *e)
{
	__attribute__((cleanup(free_walk))) struct walk w = {.source = s, .repo = s->mirror.repo};
	auto_buf struct buf path = BUF_INIT;
	auto_tree git_tree *tree = NULL;

	buf_adds(&path, s->path);
	int rc = open_tree(&w, sha, &tree, e);
	if (rc == 0)
		rc = list_tree(&w, tree, &path, 0, e);
	if (rc == 0)
		rc = read_blobs(&w, e);
	if (rc < 0)
		return rc;
	files_parse(&w.files);
	keep_parsed(&w);
	*ret_catalog = files_to_catalog(&w.files);
	return 0;
}

int source_load(struct source *s, const char *sha, struct catalog **ret_catalog, struct err *e)
{
	int64_t deadline_mono_ms = source_deadline(s);
	int rc = mirror_begin(&s->mirror, e);

	if (rc < 0)
		return rc;
	rc = load_once(s, sha, ret_catalog, e);
	if (rc < 0) {
		rc = source_recover(s, rc, deadline_mono_ms, e);
		if (rc == 0)
			rc = load_once(s, sha, ret_catalog, e);
	}
	return rc;
}
