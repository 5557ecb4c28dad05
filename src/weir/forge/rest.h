/*
 * What the REST forges share. For this folder only.
 */
#ifndef FORGE_REST_H
#define FORGE_REST_H

#include "forge/forge.h"
#include "net/http.h"

/* How forges differ that are otherwise alike; one row each. */
struct rest_kind {
	const char *name;
	const char *accept;
	const char *version; /* of the API, as a header; NULL: none */
	size_t at_once; /* statuses in one `post` */
	int64_t most; /* statuses of one context on one commit, for ever; 0: no limit */
	bool no_4_byte_text; /* code points above U+FFFF are refused */
	const char *right; /* what the token has to be allowed */
};
extern const struct rest_kind rest_kinds[];

/* What an answer that is no success means for the one who posted. */
struct rest_verdict {
	enum post_end end; /* POST_NOT, POST_REFUSED */
	bool all; /* the others would fare no better */
	bool full; /* no status of this context on this commit will ever be taken again */
	bool limited; /* a rate limit; how long is in the error, 0 if the server did not say */
};

/* Headers of an answer that rest_judge reads; ended by NULL. */
extern const char *const rest_wanted[];

/* Success: an answer that shows that the status is there. `now_ms` is wall time. */
bool rest_arrived(const struct http_response *r);
struct rest_verdict rest_judge(const struct rest_kind *kind, const char *repository,
	const struct forge_status *s, const struct http_response *r, int64_t now_ms, struct err *e);

/* The request's body. */
void rest_write_status(const struct rest_kind *kind, const struct forge_status *s, struct buf *out);

#endif
