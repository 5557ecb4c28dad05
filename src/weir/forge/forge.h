/*
 * Where commit statuses go. A forge is a vtable; posting blocks and is done on a worker, one batch
 * at a time.
 */
#ifndef FORGE_FORGE_H
#define FORGE_FORGE_H

#include <stddef.h>

#include "base/clock.h"
#include "base/err.h"
#include "source/source.h"
#include "store/store.h"

struct forge_status {
	const char *sha;
	const char *context; /* "weir/acme/sync" */
	enum status_state state;
	const char *text; /* at most FORGE_TEXT_MAX code points, no control characters */
	const char *target_url; /* or NULL */
	int64_t posts; /* how many of this context on this commit arrived before */
	bool same_state; /* as the last of them: only the text is another */
};

#define FORGE_TEXT_MAX 140

enum post_end {
	POST_NOT, /* it is to be tried again */
	POST_ARRIVED,
	POST_REFUSED /* the forge will never take it: not tried again until the status changes */
};

struct forge;

struct forge_ops {
	const char *name;
	/* Its calls go through the source, which takes one at a time: they share a thread. */
	bool uses_source;
	/*
	 * Posts them all, or as many as it may at once: `ret_ends[i]` says what became of each. An
	 * error is about those that did not arrive; that there is none does not mean that all did,
	 * as what a commit takes no more of is told once.
	 */
	int (*post)(struct forge *f, const struct forge_status *statuses, size_t n,
		enum post_end *ret_ends, struct err *e);
	void (*free)(struct forge *f);
};

struct forge {
	const struct forge_ops *ops;
};

/* Statuses as Git notes in the same repository; works with any Git server that takes a push.
 * Borrows the source. */
struct forge *forge_notes_new(struct source *source, const char *ref);
/* Keeps statuses to ourselves: for repositories that we may only read. */
struct forge *forge_none_new(void);

enum forge_kind { FORGE_KIND_GITHUB, FORGE_KIND_GITEA };

/* A forge's API and the repository on it. */
struct forge_address {
	char *api; /* "https://api.github.com" */
	char *repository; /* "owner/name" */
};
/*
 * From where Git fetches: https://, ssh://, git:// or user@host:path. ERR_CONFIG, with what to set,
 * if it cannot be told from that.
 */
int forge_address_find(enum forge_kind kind, const char *git_url, struct forge_address *ret_address,
	struct err *e);
/* ERR_CONFIG if it is not two names with a slash between. */
int forge_check_repository(const char *repository, struct err *e);
void forge_address_release(struct forge_address *a);
/* True for github.com and ghe.com, whose names say what they are. */
bool forge_is_github(const char *git_url);

struct forge_rest_options {
	enum forge_kind kind;
	const char *api; /* https://api.github.com, https://gitea.example.com/api/v1 */
	const char *repository; /* owner/name */
	const char *token_ref;
	const char *ca_file; /* NULL: the system's */
	int64_t timeout_ms; /* of one call */
	const struct clock *clock;
};
/*
 * Statuses through the REST API of GitHub or Gitea (Forgejo too). One call at a time, since Gitea
 * fails parallel ones; to GitHub one in each `post`, since it wants a second between two. A rate
 * limit is waited for without asking again. ERR_CONFIG for an address that cannot be.
 */
int forge_rest_new(
	const struct forge_rest_options *options, struct forge **ret_forge, struct err *e);
void forge_free(struct forge *f);

#endif
