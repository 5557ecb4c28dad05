/*
 * The Git repository: a bare mirror that is a cache, fetched through transports of our own, read
 * without a checkout. Only this folder sees libgit2. All calls block, up to their deadline, and are
 * made on a worker, one at a time per source.
 *
 *	source_open(&options, &s, e);
 *	source_fetch(s, known, &head, e);         // what the branch points at now
 *	source_load(s, head.sha, &catalog, e);    // what is declared below `path` in that commit
 *	source_push_notes(s, ref, notes, n, e);   // what became of it
 *
 * Libgit2 has no time limits, follows redirects with credentials and knows no TLS 1.3; so http(s)
 * goes through net/http.h, folders through `git upload-pack` and `git receive-pack`, and ssh
 * through OpenSSH's `ssh`, run as programs that are killed at the deadline. Servers that can are
 * asked to leave out what is larger than a YAML file may be. A mirror that gives object or
 * reference errors is thrown away and cloned again, once per remote head.
 *
 * What is read: all files below `path` that are called *.yaml or *.yml. Files and folders whose
 * names begin with a dot are left out. A symbolic link, a submodule or a Git LFS pointer with such
 * a name, or a file larger than LIMIT_YAML_FILE_BYTES, is a problem in the catalog; more than
 * LIMIT_TREE_FILES, LIMIT_TREE_BYTES or LIMIT_TREE_ENTRIES fail the load (ERR_LIMIT).
 */
#ifndef SOURCE_SOURCE_H
#define SOURCE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "model/catalog.h"

#define SHA_MAX 65 /* hex, SHA-1 or SHA-256, with its NUL */

struct source_options {
	/* https://…, http://…, ssh://…, [user@]host:path, file:///… or an absolute path */
	const char *url;
	const char *branch;
	const char *path; /* folder in the tree, "" for the whole of it */
	const char *mirror; /* folder of the mirror; made if need be */
	const char *token_ref; /* a secret reference for http(s), or NULL */
	const char *user; /* sent with the token as the password; NULL: "x-access-token" */
	const char *ca_file;
	/* Files, absolute and without any of % $ " \: a private key, NULL for those that ssh finds;
	 * host keys, the only ones that are trusted then, NULL for those that ssh knows. */
	const char *ssh_key;
	const char *known_hosts;
	int64_t timeout_ms; /* of each call as a whole, however much the server goes on sending */
};

struct source;

/*
 * Talks to nobody yet. Sweeps what a killed predecessor left (locks, temporary packs). ERR_CONFIG
 * for a URL or a branch that cannot be; ERR_CONFLICT if another process has the mirror open.
 */
int source_open(const struct source_options *options, struct source **ret_source, struct err *e);
void source_free(struct source *s);

enum source_relation {
	SOURCE_FIRST, /* no head was known */
	SOURCE_SAME,
	SOURCE_FORWARD, /* the known head is an ancestor */
	SOURCE_REWOUND /* it is not: rewritten or rewound history */
};

struct source_head {
	char sha[SHA_MAX];
	char tree[SHA_MAX]; /* of `path`; "" if there is no such folder in the commit */
	enum source_relation relation;
	char summary[160]; /* first line of the message, escaped */
};

/*
 * Brings the branch's newest commit. `known` is the head that the caller accepted last ("" or NULL
 * if none). ERR_NOT_FOUND: the repository, the branch (the message lists those there are), or a
 * repository without commits; ERR_AUTH: token or key missing or refused, or a server that is not
 * known to be the right one; ERR_DENIED: no right to read; ERR_UNAVAILABLE, ERR_TIMEOUT
 * (retriable): the server; ERR_REMOTE: an answer that is not Git's, or a redirect; ERR_LIMIT: more
 * than we take; ERR_CONFIG: what ssh is configured to do; ERR_IO: the mirror.
 */
int source_fetch(struct source *s, const char *known, struct source_head *ret_head, struct err *e);

/*
 * The catalog of what is declared below `path` in a commit that was fetched; file names are those
 * of the whole tree. Files that the last load had too (the same content, wherever they stand) are
 * not read and parsed again. ERR_NOT_FOUND if the path is not in the commit.
 */
int source_load(struct source *s, const char *sha, struct catalog **ret_catalog, struct err *e);

/*
 * The same from folders and files on disk, as one catalog: for `weir validate PATH…` and `--path
 * DIR`. File names begin with the path (unless that is "."). Folders below it that are repositories
 * of their own are left out, as a submodule's files are.
 */
int source_load_paths(
	const char *const *paths, size_t n, struct catalog **ret_catalog, struct err *e);

/*
 * Statuses as Git notes. The note of each `sha` under `ref` gets the line of each context, in the
 * place of the lines that it had for that context; lines of other contexts and of other people
 * stay. Fetches the ref, makes one commit, pushes without force, reads back; when somebody was
 * faster it starts over, a few times (then ERR_CONFLICT, retriable). Pushes nothing if all lines
 * stand there. ERR_DENIED, in the server's words, if it refuses.
 */
struct source_note {
	const char *sha;
	const char *context; /* "weir/acme/sync" */
	const char *line; /* "success weir/acme/sync 13 in sync": state, context, text */
};
int source_push_notes(struct source *s, const char *ref, const struct source_note *notes, size_t n,
	struct err *e);

#endif
