/*
 * Webhooks: what a forge sends when somebody pushes. A hint and no more: one that is signed with
 * our secret and about our branch makes weir look at once, and polling alone gives the same result.
 * Of what it says nothing is used but the event and the ref.
 *
 * In this order: too many requests (before anything costs time), the signature over the raw body in
 * constant time, a delivery that was dealt with before, the event. No I/O but for reading the
 * secret.
 */
#ifndef HOOK_HOOK_H
#define HOOK_HOOK_H

#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/err.h"

/* As it came; a header that did not is NULL. */
struct hook_request {
	const char *content_type;
	const char *gitea_event; /* X-Gitea-Event or X-Forgejo-Event */
	const char *gitea_delivery;
	const char *gitea_signature;
	const char *github_event; /* Gitea sends GitHub's too */
	const char *github_delivery;
	const char *github_signature; /* X-Hub-Signature-256 */
	const char *body;
	size_t len;
};

enum hook_outcome {
	HOOK_PUSH, /* to our branch: look at once */
	HOOK_PING,
	HOOK_IGNORED, /* another event, another ref */
	HOOK_REPEATED, /* a delivery that was dealt with */
	HOOK_REFUSED, /* not signed, or not what we read */
	HOOK_LIMITED, /* too many */
	HOOK_UNREADY, /* our own secret cannot be read */
	HOOK__COUNT
};
const char *hook_outcome_name(enum hook_outcome outcome);

struct hook_answer {
	enum hook_outcome outcome;
	int status;
	int64_t retry_after_ms; /* 0: none */
	char text[ERR_MSG_MAX]; /* a line for the forge's list of deliveries, without our secrets */
};

struct hook_options {
	const char *branch;
	const char *secret_ref;
	const struct clock *clock;
};

struct hook;
struct hook *hook_new(const struct hook_options *options);
void hook_free(struct hook *h);
void hook_take(struct hook *h, const struct hook_request *q, struct hook_answer *ret_answer);
/* How many of each outcome there were; HOOK__COUNT figures. */
const uint64_t *hook_counts(const struct hook *h);

#endif
