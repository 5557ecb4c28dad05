/*
 * The Git repository: a bare mirror that is a cache, fetched through transports of our own, read without a checkout.
 * Only this folder sees libgit2. All calls block up to their deadline and are made on a worker, one at a time per source.
 *
 *	source_open(&options, &s, e);
 *	source_fetch(s, deadline, &head, e);      // what the branch points at now
 *	source_read(s, head.sha, &tree, e);       // the YAML files below `path` in that commit
 *
 * Libgit2 has no time limits, follows redirects with credentials and knows no TLS 1.3; so http(s) goes
 * through net/http.h and file:// through `git upload-pack` and `git receive-pack`, run as programs that are killed
 * at the deadline. A mirror that gives object or reference errors is thrown away and cloned again, once per remote head.
 */
#ifndef SOURCE_SOURCE_H
#define SOURCE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/vec.h"
#include "model/catalog.h"

#define SHA_MAX 65 /* hex, SHA-1 or SHA-256, with its NUL */

struct source_options {
	const char *url;      /* file:///…, an absolute path, http://… or https://… */
	const char *branch;
	const char *path;     /* folder in the tree, "" for the whole of it; no leading or trailing slash */
	const char *mirror;   /* folder of the mirror; made if need be */
	const char *token_ref; /* a secret reference for http(s), or NULL */
	const char *user;      /* sent with the token as the password; NULL: "x-access-token" */
	const char *ca_file;
	int64_t timeout_ms;    /* of each network step */
};

struct source;

/* Sweeps what a killed predecessor left (locks, temporary packs). */
int source_open(const struct source_options *options, struct source **ret_source, struct err *e);
void source_free(struct source *s);

enum source_relation {
	SOURCE_FIRST,   /* no head was known */
	SOURCE_SAME,
	SOURCE_FORWARD, /* the known head is an ancestor */
	SOURCE_REWOUND  /* it is not: rewritten or rewound history */
};

struct source_head {
	char sha[SHA_MAX];
	char tree[SHA_MAX]; /* of `path`; "" if the path is not in the commit */
	enum source_relation relation;
	char summary[160];  /* first line of the message, escaped */
	int64_t committed_ms;
};

/*
 * Brings the branch's newest commit. `known` is the head that the caller accepted last ("" or NULL if none).
 * ERR_NOT_FOUND: the repository, the branch (the message lists those there are), or a repository without commits;
 * ERR_AUTH: token missing or refused; ERR_UNAVAILABLE, ERR_TIMEOUT (retriable): the server; ERR_REMOTE: an answer that is not Git's.
 */
int source_fetch(struct source *s, const char *known, struct source_head *ret_head, struct err *e);

/*
 * The catalog of what is declared below `path` in a commit that was fetched. Files that stand in `cache` by their blob id
 * are not read again. ERR_NOT_FOUND if the path is not in the commit.
 */
struct source_cache; /* parsed files by blob id; belongs to the source, used by one call at a time */
int source_load(struct source *s, const char *sha, struct catalog **ret_catalog, struct err *e);

/* The same from a folder on disk: for `weir validate DIR` and `--path DIR`. Skips .git; one file is fine too. */
int source_load_folder(const char *dir, struct catalog **ret_catalog, struct err *e);

/*
 * Statuses as Git notes. For each edit, the note of `sha` under `ref` gets `lines` for our contexts: existing lines
 * whose context begins with `prefix` and stands in no new line are kept, lines of others are never touched.
 * Fetches the ref, makes one commit, pushes without force, reads back; when somebody was faster it starts over, a few
 * times. ERR_DENIED if the server refuses notes.
 */
struct source_note {
	const char *sha;
	const char *context; /* "weir/acme/sync" */
	const char *line;    /* "success weir/acme/sync 13 in sync (2 changed)": state, context, text; one line */
};
int source_push_notes(struct source *s, const char *ref, const struct source_note *notes, size_t n, struct err *e);

#endif
