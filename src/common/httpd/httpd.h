/*
 * A small HTTP server over libmicrohttpd that runs inside the program's loop: handlers are called
 * on the loop's thread, one at a time, with the whole body read, and must not block. Connections of
 * slow clients cost memory, not time, and no more of it than LIMIT_HTTP_BODIES_HELD for the bodies
 * of all of them. What is refused before a handler sees it: bodies over the route's limit (413;
 * before they are read where a Content-Length tells), those that there is no memory for at this
 * time (503), more than one Content-Length or Host, Content-Length with Transfer-Encoding and other
 * framing that two readers could understand differently, %00 in a target, targets over
 * LIMIT_HTTP_TARGET, and any request that is not whole after `request_deadline_ms`, however it
 * drips; a connection on which no request begins in that time is closed, and so is one whose answer
 * has not left in a minute. HEAD is served by the route for GET.
 */
#ifndef HTTPD_HTTPD_H
#define HTTPD_HTTPD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/loop.h"

struct httpd;
struct httpd_request;

struct httpd_response {
	int status; /* 200 unless set */
	const char *content_type; /* a literal; "application/json" unless set */
	struct buf body;
};

typedef void (*httpd_handler)(
	void *ctx, struct httpd_request *request, struct httpd_response *response);

/*
 * `pattern` is a path with {names} for one segment each: "/organizations/{org}/fleet/". A path that
 * matches a pattern but with another method gets 405 with Allow; a path that matches none goes to
 * `not_found`.
 */
struct httpd_route {
	const char *method;
	const char *pattern;
	httpd_handler handler;
	size_t max_body; /* 0: no body allowed beyond an empty one; a body is whole in memory */
};

struct httpd_options {
	const char *listen; /* "127.0.0.1:8480", "[::1]:0"; a port of 0 lets the system choose */
	/* Instead of `listen`: the path of a Unix socket, which only this user may open. One that
	 * stands there already goes first, so the caller makes sure that nobody serves it; it is
	 * removed at the end. */
	const char *socket;
	const struct httpd_route *routes; /* ended by a row without a method */
	httpd_handler not_found; /* NULL: an empty 404 */
	/* For 400, 405, 413, 414 and 503 (there is no memory for the body, or the server is being
	 * stopped): writes a body in the program's style; response->status is set already. NULL: no
	 * body. What libmicrohttpd cannot read it answers itself, headers that are too large with
	 * 431. */
	httpd_handler refused;
	void *ctx;
	int64_t request_deadline_ms; /* 0: 15 s */
};

/* ERR_CONFIG if `listen` cannot be one, as far as that shows without asking for the host's name. */
int httpd_check_address(const char *listen, struct err *e);

/* Binds and hooks itself into the loop. The errors say what to do about a port that is taken. */
int httpd_start(struct loop *loop, const struct httpd_options *options, struct httpd **ret_httpd,
	struct err *e);
/* "http://127.0.0.1:8480": with the port it got; of a Unix socket its path. */
const char *httpd_url(const struct httpd *h);
/* Takes no new connections, gives answers under way up to `grace_ms` to leave, frees. */
void httpd_stop(struct httpd *h, int64_t grace_ms);

const char *httpd_method(const struct httpd_request *r);
/* As it was sent, without the query; not decoded. */
const char *httpd_path(const struct httpd_request *r);
/* A {name} of the pattern, decoded. Never NULL for a name of the matched pattern. */
const char *httpd_param(const struct httpd_request *r, const char *name);
/* NULL if there is none. */
const char *httpd_query(const struct httpd_request *r, const char *name);
const char *httpd_header(const struct httpd_request *r, const char *name);
const struct buf *httpd_body(const struct httpd_request *r);
/* Who is at the other end of a Unix socket, as the kernel says; false if it does not. */
bool httpd_peer(const struct httpd_request *r, uid_t *ret_uid);
/* Adds a header to the answer; one whose value has a line end is left out. */
void httpd_set_header(struct httpd_request *r, const char *name, const char *value);

#endif
