/*
 * HTTP client over libcurl: for the API, for forges and for Git's smart protocol. Redirects are
 * never followed (a 3xx is an answer like any other); only http and https; every call has a
 * deadline that holds; answers are capped. A POST may reach the server twice when a kept-alive
 * connection dies (libcurl repeats it): whoever sends one must be able to bear that.
 */
#ifndef NET_HTTP_H
#define NET_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/queue.h"
#include "base/strv.h"
#include "secret/secret.h"

struct http_options {
	const char *ca_file; /* NULL: the system's */
	const char *proxy; /* NULL: from the environment, as curl does */
	unsigned max_connections; /* per client; 0: 8 */
	const char *socket; /* a Unix socket that all calls go through, whatever their host; NULL:
			       none. No proxy then */
};

/* Owns what it points to, the secrets too. */
struct http_request {
	const char *method; /* a literal */
	char *url;
	struct strv headers; /* "Name: value"; no line ends inside */
	struct secret *bearer; /* sent as Authorization: Bearer …; NULL: none */
	struct secret *basic_user; /* with basic_password: Authorization: Basic …; NULL: none */
	struct secret *basic_password;
	struct buf body;
	int64_t connect_timeout_ms; /* 0: 10 s */
	int64_t timeout_ms; /* the whole call; 0: 30 s */
	size_t max_answer_bytes; /* after decoding; 0: LIMIT_API_ANSWER_BYTES */
	const char *const
		*wanted; /* other headers of the answer to keep, ended by NULL; a literal */
};

struct http_response {
	int status;
	char *content_type; /* "" if none */
	char *location; /* NULL if none */
	int64_t retry_after_ms; /* from seconds or a date; 0 if none */
	struct strv headers; /* those that were wanted and came: "Name: value" */
	struct buf body;
};

struct http_request *http_request_new(const char *method, const char *url);
void http_request_free(struct http_request *r);
/* ERR_INVALID if the text has a control character (header injection). */
int http_request_header(struct http_request *r, const char *name, const char *value, struct err *e);
void http_response_release(struct http_response *r);
/* The value of a header that was wanted, NULL if it did not come. */
const char *http_response_header(const struct http_response *r, const char *name);

/*
 * Appends "/" (unless it ends with one) and one path segment, escaped. ERR_INVALID for "", "." and
 * "..".
 */
int url_add_segment(struct buf *url, const char *segment, struct err *e);
/* Checks scheme (http or https), host, and that there are no credentials in it. */
int url_check_http(const char *url, struct err *e);
/* From an absolute or relative `next` link: path and query only, behind the origin of `base`. */
int url_on_origin(const char *base, const char *next, char **ret_url, struct err *e);

/*
 * What went wrong on the way is an error: ERR_UNAVAILABLE or ERR_TIMEOUT (retriable; the message
 * says whom, which step and how long), ERR_LIMIT for a body over the cap, ERR_AUTH for a
 * certificate that is refused (with what to do). Any HTTP status at all is success here.
 */
struct http_client;
/* `options` may be NULL. */
struct http_client *http_client_new(const struct http_options *options);
void http_client_free(struct http_client *c);
/* Blocking; for workers. One call or stream at a time per client; connections are kept. */
int http_perform(struct http_client *c, const struct http_request *r,
	struct http_response *ret_response, struct err *e);

/*
 * Reading an answer as it comes, for packs that should not stand in memory: the body is pulled.
 * Opening sends the request and waits for the answer's headers.
 */
struct http_stream;
int http_stream_open(struct http_client *c, const struct http_request *r,
	struct http_stream **ret_stream, struct err *e);
int http_stream_status(const struct http_stream *s);
const char *http_stream_content_type(const struct http_stream *s);
/* Location of a redirect, NULL if none. */
const char *http_stream_location(const struct http_stream *s);
/* At least one byte; 0 in ret_got at the end. */
int http_stream_read(struct http_stream *s, void *out, size_t size, size_t *ret_got, struct err *e);
void http_stream_close(struct http_stream *s);

/*
 * Many calls at once from a loop: one thread, one multi handle, keep-alive connections. At most
 * max_connections are under way, the others wait their turn, and their time does not run before it.
 * Answers come through the queue, in the order they finish.
 */
struct http_pool;
struct http_done {
	void *token; /* as given */
	int rc; /* 0, or what err says */
	struct err err;
	struct http_response response;
	int64_t elapsed_ms; /* without the wait for its turn */
};

/* `options` may be NULL. */
struct http_pool *http_pool_new(const struct http_options *options, struct queue *done);
/* Takes the request. */
void http_pool_submit(struct http_pool *p, struct http_request *owned_request, void *token);
/* Calls that wait or are under way are given up; their tokens go to `drop`, which may be NULL. */
void http_pool_free(struct http_pool *p, void (*drop)(void *token));
void http_done_free(struct http_done *d);

#endif
