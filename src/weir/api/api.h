/*
 * The Kafka Replicator API, as calls and their answers. The design's table of calls is the source;
 * nothing here decides anything, it asks and understands answers. Transport is an argument: in the
 * programs it is net/http.h (api_http), in tests whatever they like, as long as each call gets
 * exactly one answer, later, on the loop's thread.
 */
#ifndef API_API_H
#define API_API_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/loop.h"
#include "base/map.h"
#include "base/vec.h"
#include "model/live.h"

#define API_FORBIDS_IT "forbids this"
#define API_FORBIDS    "the API " API_FORBIDS_IT /* how the error of a 403 begins */

enum api_verb {
	API_LIST, /* one page; `page` is "" for the first */
	API_GET,
	API_CREATE,
	API_PATCH,
	API_RECONCILE,
	API_DELETE,
	API__COUNT
};

struct api_call {
	enum api_verb verb;
	char *identifier; /* all but list and create */
	char *body; /* JSON for create and patch */
	int64_t generation; /* reconcile; If-Match of a patch or delete, 0: none */
	char *idempotency_key; /* reconcile */
	char *page; /* list: path and query of the next page, "" for the first */
	uint64_t token; /* the caller's, comes back in the answer */
};

/* What an answer means to whoever sent the call; the retry classes of the design. */
enum api_outcome {
	API_OK,
	API_ABSENT, /* 404 */
	API_EXISTS, /* a create: 409, or 400 that names only the identifier */
	API_STALE, /* 409 of a reconcile, 412 of a patch: read again */
	API_KEY_REUSED, /* 422 of a reconcile: the key went with another body */
	API_REFUSED, /* 400, 422: not until Git or the live object changes */
	API_AUTH, /* 401, or there is no token to be read: stop calling, probe slowly */
	API_FORBIDDEN, /* 403: this object is blocked */
	API_TRY_AGAIN, /* network, timeout, 408, 425, 429, 5xx: the effect is not known */
	API_NONSENSE, /* an answer that is not the API's: HTML, truncated, too large, a redirect */
	API_OUTCOME__COUNT
};

/* A page of the list; answers that say the same share it. */
struct api_page {
	unsigned refs;
	struct arena arena; /* owns what the list points to */
	struct live *list;
	size_t n;
	int64_t count; /* of the whole list, -1 if not said */
	char *next; /* link to the next page, NULL at the end */
};

struct api_answer {
	enum api_verb verb;
	uint64_t token;
	enum api_outcome outcome;
	struct err err; /* for people, where outcome is not API_OK; retry_after_ms is in it */
	struct arena arena; /* owns `live` and `operation` */
	struct live live; /* get, create, patch */
	struct api_page *page; /* list */
	struct operation operation; /* reconcile */
	int64_t elapsed_ms;
};

void api_call_free(struct api_call *c);
void api_answer_free(struct api_answer *a);
struct api_page *api_page_ref(struct api_page *page);
void api_page_unref(struct api_page *page);

typedef void (*api_answer_fn)(void *ctx, struct api_answer *owned_answer);

struct api_transport {
	/* Takes the call. The answer comes through the function that was given when the transport
	 * was made. */
	void (*send)(void *ctx, struct api_call *owned_call);
	void *ctx;
};

struct api_http_options {
	const char *url;
	const char *organization;
	const char *token_ref;
	const char *ca_file;
	int64_t timeout_ms;
	unsigned concurrency;
};

struct api_http;
int api_http_new(struct loop *loop, const struct api_http_options *options, api_answer_fn fn,
	void *ctx, struct api_http **ret_http, struct err *e);
struct api_transport api_http_transport(struct api_http *h);
void api_http_free(struct api_http *h);

const char *api_verb_name(enum api_verb verb);
const char *api_outcome_name(enum api_outcome outcome);

/*
 * A complete list, page by page: absent means absent only in one of these. Errors: a page that
 * repeats, more items than LIMIT_API_OBJECTS, unique items that are not as many as `count` says.
 */
struct api_list {
	VEC(struct api_answer *) pages;
	struct map by_name; /* struct live *, in the order of the pages */
	struct map seen; /* the links that were followed */
	int64_t count; /* what the API says there are, -1 if it does not */
};
void api_list_init(struct api_list *l);
void api_list_release(struct api_list *l);
/* Takes a page. 1: `ret_next` is the page to ask for; 0: complete; negative: an error. */
int api_list_add(
	struct api_list *l, struct api_answer *owned_page, const char **ret_next, struct err *e);

#endif
