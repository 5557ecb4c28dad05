/*
 * One request on its way through a handler: who asks, what it says, and the answers in the style of
 * Django REST framework ({"detail": "…"}, {"field": ["…"]}).
 *
 *	void api_thing(void *ctx, struct httpd_request *request, struct httpd_response *response)
 *	{
 *		auto_call struct call c = CALL_INIT(ctx, request, response);
 *
 *		if (call_begin(&c, ACCESS_READ) && …)
 *			call_answer(&c, 200);
 *	}
 *
 * What returns bool has written the whole answer when it returns false.
 */
#ifndef SERVER_CALL_H
#define SERVER_CALL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "doc/node.h"
#include "doc/problem.h"
#include "httpd/httpd.h"
#include "server/config.h"
#include "server/server.h"
#include "server/store.h"

struct call {
	struct server *server;
	struct httpd_request *request;
	struct httpd_response *response;
	struct buf *out; /* the answer's body */
	const char *org; /* whose token it is, and which the path names */
	struct arena arena;
};

#define CALL_INIT(ctx_, request_, response_)                                                       \
	{                                                                                          \
		(ctx_), (request_), (response_), &(response_)->body, NULL, ARENA_INIT              \
	}

void call_release(struct call *c);
#define auto_call __attribute__((cleanup(call_release)))

/* Checks the token: 401 unless it is known, 404 for another organization, 403 if it may only read.
 */
bool call_begin(struct call *c, enum token_access need);
/* The body as a JSON object, else 400. */
bool call_body(struct call *c, const struct node **ret_body);

/* What is in `out` goes with this status. */
void call_answer(struct call *c, int status);
/* {"detail": "…"} */
void call_detail(struct call *c, int status, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* {"field": ["…"]} with 400 */
void call_field(struct call *c, const char *field, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* The errors among them by field, with 400. */
void call_problems(struct call *c, const struct problems *problems);
/* By the error's code. What is our own trouble is logged, and not told in detail. */
void call_error(struct call *c, const struct err *e);

/* Handlers of requests that reach no other: an unknown path, and what the HTTP server refuses. */
void call_not_found(void *ctx, struct httpd_request *request, struct httpd_response *response);
void call_refused(void *ctx, struct httpd_request *request, struct httpd_response *response);

/*
 * A page of a list, {"count", "next", "previous", "results"}: begin, write each item after
 * call_item, end. page and page_size come from the query: 400 if they are no numbers, 404 for a
 * page that is not there.
 */
bool call_begin_page(struct call *c, int64_t count, struct window *ret_window);
void call_item(struct call *c);
/* With rc negative, the error is the answer instead of what was begun. */
void call_end_page(struct call *c, int rc, const struct err *e);

#endif
