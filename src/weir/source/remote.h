/*
 * One connection to the repository: what it has, what we want of it, what we give it.
 *
 *	remote_open(s, repo, GIT_DIRECTION_FETCH, deadline, &r, e);
 *	if (remote_find(r, "refs/heads/main", &oid))
 *		remote_download(r, "refs/heads/main", &oid, &new_pack, e);
 *	remote_close(r);
 *
 * Errors are those of source_fetch. No reference of `repo` is touched.
 */
#ifndef SOURCE_REMOTE_H
#define SOURCE_REMOTE_H

#include <stdbool.h>
#include <stdint.h>

#include "source/internal.h"

struct remote;

int remote_open(struct source *s, git_repository *repo, git_direction direction,
	int64_t deadline_mono_ms, struct remote **ret_remote, struct err *e);
void remote_close(struct remote *r);

/* False if the server has no such reference. */
bool remote_find(const struct remote *r, const char *ref, git_oid *ret_oid);
bool remote_is_empty(const struct remote *r);
/* Adds the names of up to `max` branches, and how many more there are. */
void remote_list_branches(const struct remote *r, size_t max, struct buf *out);

/* Brings all that `oid`, where `ref` is, is made of. `ret_new_pack`: something had to be sent. */
int remote_download(
	struct remote *r, const char *ref, const git_oid *oid, bool *ret_new_pack, struct err *e);

/*
 * Sets the server's `ref` to our `local_ref`, if that adds to it. ERR_DENIED, in the server's
 * words, if it refuses. 0 means neither that it did nor that somebody else was not faster: look
 * again.
 */
int remote_push(struct remote *r, const char *local_ref, const char *ref, struct err *e);

void remote_closep(struct remote **r);
#define auto_remote __attribute__((cleanup(remote_closep)))

#endif
