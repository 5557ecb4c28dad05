/*
 * What the files of this folder share.
 */
#ifndef SOURCE_INTERNAL_H
#define SOURCE_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "net/http.h"
#include "source/location.h"
#include "source/mirror.h"
#include "source/source.h"

struct source {
	struct location location;
	char *branch;
	char *ref; /* refs/heads/<branch> */
	char *path;
	char *token_ref; /* NULL: none */
	char *user;
	char *ssh_key; /* a file, or NULL; known_hosts too */
	char *known_hosts;
	int64_t timeout_ms;
	struct http_client *http; /* NULL unless LOCATION_HTTP */
	struct mirror mirror;
	/* Where the server last said that the branch is ("" before it did), and the same when the
	 * mirror was last cloned anew because it was broken. */
	char advertised[SHA_MAX];
	char renewed_for[SHA_MAX];
	unsigned clones_spared; /* see source_tidy */
	struct map parsed; /* struct parsed_file by blob id: what the last load used */
};

/* The monotonic time at which an operation that begins now must be over. */
int64_t source_deadline(const struct source *s);

/*
 * After an operation failed with `rc`: if it was the mirror, and it was not yet cloned anew for
 * this head, does that. 0: try the operation again. Else the error stands.
 */
int source_recover(struct source *s, int rc, int64_t deadline_mono_ms, struct err *e);

/*
 * Clones a mirror anew that consists of more pieces than it has to. The head that it brings is as
 * good as the one fetched before, and takes its place. If it fails, all is as it was, and is left
 * so for a while.
 */
void source_tidy(struct source *s, int64_t deadline_mono_ms, git_oid *head);

/*
 * Whether a blob that libgit2 does not find (its `error`) is one that the server left out as larger
 * than a YAML file may be. False while it may as well be lost: then the mirror is cloned anew, and
 * what is not there afterwards was left out.
 */
bool source_left_out(const struct source *s, int error);

/*
 * The tree of a folder in a commit, NULL if it is not there (or is no folder). "" is the whole
 * tree.
 */
int source_find_tree(
	struct source *s, git_commit *commit, const char *path, git_tree **ret_tree, struct err *e);

/* Forgets parsed files. */
void source_drop_parsed(struct map *parsed);

#endif
