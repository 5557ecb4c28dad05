/* Blocking calls: whole answers, and answers that are read as they come. */
#include "net/call.h"

#include <string.h>

#include "base/alloc.h"

/* How long to sleep when libcurl has no timer of its own set, which it always has during a call. */
#define POLL_MAX_MS 60000

struct http_client {
	struct net_options options;
	CURLM *multi; /* keeps connections from one call to the next */
	bool busy;
};

struct http_stream {
	struct http_client *client;
	struct call call;
	struct http_response head;
	size_t taken; /* of call.body */
};

struct http_client *http_client_new(const struct http_options *options)
{
	struct http_client *c = xcalloc(1, sizeof(*c));

	net_setup();
	c->options = net_options_dup(options);
	c->multi = curl_multi_init();
	if (!c->multi)
		BUG("out of memory");
	net_check_multi(curl_multi_setopt(
		c->multi, CURLMOPT_MAXCONNECTS, (long)c->options.max_connections));
	return c;
}

void http_client_free(struct http_client *c)
{
	if (!c)
		return;
	if (c->busy)
		BUG("a client was freed under its stream");
	curl_multi_cleanup(c->multi);
	net_options_release(&c->options);
	free(c);
}

static int begin(
	struct http_client *c, struct call *call, const struct http_request *r, struct err *e)
{
	if (c->busy)
		BUG("two calls at once on one client");
	int rc = call_start(call, &c->options, r, e);
	if (rc < 0) {
		call_release(call);
		return rc;
	}
	net_check_multi(curl_multi_add_handle(c->multi, call->easy));
	c->busy = true;
	return 0;
}

static void end(struct http_client *c, struct call *call)
{
	net_check_multi(curl_multi_remove_handle(c->multi, call->easy));
	call_release(call);
	c->busy = false;
}

/* Lets libcurl do what can be done. */
static void work(struct http_client *c)
{
	int n_running;

	net_check_multi(curl_multi_perform(c->multi, &n_running));
	call_collect(c->multi);
}

/* libcurl wakes up by itself at the call's deadline. */
static void wait_for_more(struct http_client *c)
{
	net_check_multi(curl_multi_poll(c->multi, NULL, 0, POLL_MAX_MS, NULL));
	work(c);
}

int http_perform(struct http_client *c, const struct http_request *r,
	struct http_response *ret_response, struct err *e)
{
	struct call call;
	int rc = begin(c, &call, r, e);

	if (rc < 0)
		return rc;
	work(c);
	while (!call.is_done)
		wait_for_more(c);
	rc = call_finish(&call, ret_response, e);
	end(c, &call);
	return rc;
}

int http_stream_open(struct http_client *c, const struct http_request *r,
	struct http_stream **ret_stream, struct err *e)
{
	struct http_stream *s = xcalloc(1, sizeof(*s));
	int rc = begin(c, &s->call, r, e);

	if (rc < 0) {
		free(s);
		return rc;
	}
	s->client = c;
	work(c);
	while (!s->call.has_headers && !s->call.is_done)
		wait_for_more(c);
	if (s->call.is_done && s->call.result != CURLE_OK) {
		rc = call_fail(&s->call, e);
		http_stream_close(s);
		return rc;
	}
	call_take_headers(&s->call, &s->head);
	*ret_stream = s;
	return 0;
}

int http_stream_status(const struct http_stream *s)
{
	return s->head.status;
}

const char *http_stream_content_type(const struct http_stream *s)
{
	return s->head.content_type;
}

const char *http_stream_location(const struct http_stream *s)
{
	return s->head.location;
}

int http_stream_read(struct http_stream *s, void *out, size_t size, size_t *ret_got, struct err *e)
{
	struct buf *body = &s->call.body;

	if (s->taken == body->len) {
		s->taken = 0;
		buf_clear(body);
		/* Only when all was taken: what the reader leaves must wait in the socket, not in
		 * memory. */
		while (body->len == 0 && !s->call.is_done)
			wait_for_more(s->client);
	}
	if (body->len == 0 && s->call.result != CURLE_OK)
		return call_fail(&s->call, e);
	size_t n = body->len - s->taken;
	if (n > size)
		n = size;
	if (n > 0)
		memcpy(out, body->data + s->taken, n);
	s->taken += n;
	*ret_got = n;
	return 0;
}

void http_stream_close(struct http_stream *s)
{
	if (!s)
		return;
	end(s->client, &s->call);
	http_response_release(&s->head);
	free(s);
}
