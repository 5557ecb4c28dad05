/* The transport of the programs: calls become HTTP requests on a pool, answers come back on the
 * loop's thread. */
#include <poll.h>
#include <string.h>

#include "api/api.h"
#include "api/pages.h"
#include "base/alloc.h"
#include "base/limits.h"
#include "net/http.h"

struct api_http {
	struct loop *loop;
	char *list; /* …/organizations/<org>/kafka-replicator/: all calls go below it */
	char *token_ref;
	int64_t timeout_ms;
	int page_size; /* of the next list */
	struct http_pool *pool;
	struct queue *done;
	struct api_pages pages;
	api_answer_fn fn;
	void *ctx;
};

/* What the pool carries for us while a request is under way. */
struct ticket {
	enum api_verb verb;
	uint64_t token;
};

static const char *const methods[API__COUNT] = {
	[API_LIST] = "GET",
	[API_GET] = "GET",
	[API_CREATE] = "POST",
	[API_PATCH] = "PATCH",
	[API_RECONCILE] = "POST",
	[API_DELETE] = "DELETE",
};

static int build_url(
	const struct api_http *h, const struct api_call *c, char **ret_url, struct err *e)
{
	if (c->verb == API_LIST && c->page && c->page[0])
		return url_on_origin(h->list, c->page, ret_url, e);
	auto_buf struct buf url = BUF_INIT;
	buf_adds(&url, h->list);
	if (c->identifier) {
		if (url_add_segment(&url, c->identifier, e) < 0)
			return -(int)e->code;
		buf_adds(&url, c->verb == API_RECONCILE ? "/reconcile/" : "/");
	}
	if (c->verb == API_LIST)
		buf_addf(&url, "?page_size=%d", h->page_size);
	*ret_url = buf_take(&url);
	return 0;
}

static int add_headers(struct http_request *r, const struct api_call *c, struct err *e)
{
	int rc = http_request_header(r, "Accept", "application/json", e);
	if (rc == 0 && r->body.len)
		rc = http_request_header(r, "Content-Type", "application/json", e);
	if (rc == 0 && c->idempotency_key)
		rc = http_request_header(r, "Idempotency-Key", c->idempotency_key, e);
	bool guarded = c->verb == API_PATCH || c->verb == API_DELETE;
	if (rc == 0 && guarded && c->generation) {
		auto_free char *tag = xasprintf("\"%lld\"", (long long)c->generation);
		rc = http_request_header(r, "If-Match", tag, e);
	}
	return rc;
}

static int build_request(const struct api_http *h, const struct api_call *c,
	struct http_request **ret_request, struct err *e)
{
	auto_free char *url = NULL;
	int rc = build_url(h, c, &url, e);
	if (rc < 0)
		return rc;
	struct http_request *r = http_request_new(methods[c->verb], url);
	r->timeout_ms = h->timeout_ms;
	if (c->verb == API_RECONCILE)
		buf_addf(&r->body, "{\"generation\": %lld}", (long long)c->generation);
	else if (c->body)
		buf_adds(&r->body, c->body);
	rc = add_headers(r, c, e);
	if (rc == 0 && secret_ref_read(h->token_ref, &r->bearer, e) < 0) {
		e->code = ERR_AUTH; /* as if the API had refused it: waiting does not help */
		rc = err_prefix(e, "api.token");
	}
	if (rc < 0) {
		http_request_free(r);
		return rc;
	}
	*ret_request = r;
	return 0;
}

/* A call that could not even be made still gets its answer later, through the same queue as all
 * others. */
static void fail_later(struct api_http *h, struct ticket *ticket, const struct err *e)
{
	struct http_done *d = xcalloc(1, sizeof(*d));
	d->token = ticket;
	d->err = *e;
	d->rc = -(int)e->code;
	queue_push(h->done, d);
}

static void send_call(void *ctx, struct api_call *owned_call)
{
	struct api_http *h = ctx;
	struct ticket *ticket = xmalloc(sizeof(*ticket));
	*ticket = (struct ticket){owned_call->verb, owned_call->token};
	struct http_request *request = NULL;
	struct err e = ERR_INIT;
	if (owned_call->verb == API_LIST && !(owned_call->page && owned_call->page[0]))
		api_pages_begin(&h->pages);
	if (build_request(h, owned_call, &request, &e) < 0) {
		e.retriable = true; /* the token may come back */
		fail_later(h, ticket, &e);
	} else {
		http_pool_submit(h->pool, request, ticket);
	}
	api_call_free(owned_call);
}

/* Large replicators: fewer of them in one answer, from the next list on. */
static void take_smaller_pages(struct api_http *h, struct err *e)
{
	if (h->page_size == 1)
		return;
	h->page_size = h->page_size / 4 + 1;
	e->retriable = true;
	err_prefix(e, "the list is asked for again, %d at a time", h->page_size);
}

static struct api_answer *to_answer(struct api_http *h, struct http_done *d, const struct ticket *t)
{
	if (d->rc < 0 && t->verb == API_LIST && d->err.code == ERR_LIMIT)
		take_smaller_pages(h, &d->err);
	if (d->rc < 0)
		return api_answer_failed(t->verb, t->token, &d->err);
	const struct api_raw_answer raw = {
		.status = d->response.status,
		.content_type = d->response.content_type,
		.body = buf_str(&d->response.body),
		.body_len = d->response.body.len,
		.retry_after_ms = d->response.retry_after_ms,
	};
	return t->verb == API_LIST ? api_pages_read(&h->pages, t->token, &raw)
				   : api_answer_read(t->verb, t->token, &raw);
}

static void take_answers(void *ctx, short revents)
{
	(void)revents;
	struct api_http *h = ctx;
	struct http_done *d;
	while ((d = queue_pop(h->done))) {
		struct ticket *t = d->token;
		struct api_answer *a = to_answer(h, d, t);
		a->elapsed_ms = d->elapsed_ms;
		free(t);
		http_done_free(d);
		h->fn(h->ctx, a);
	}
}

int api_http_new(struct loop *loop, const struct api_http_options *options, api_answer_fn fn,
	void *ctx, struct api_http **ret_http, struct err *e)
{
	auto_buf struct buf list = BUF_INIT;
	size_t len = strlen(options->url);
	while (len && options->url[len - 1] == '/')
		len--;
	buf_add(&list, options->url, len);
	buf_adds(&list, "/organizations");
	if (url_add_segment(&list, options->organization, e) < 0)
		return err_prefix(e, "api.organization");
	buf_adds(&list, "/kafka-replicator/");

	struct api_http *h = xcalloc(1, sizeof(*h));
	*h = (struct api_http){
		.loop = loop,
		.list = buf_take(&list),
		.token_ref = xstrdup(options->token_ref),
		.timeout_ms = options->timeout_ms,
		.page_size = LIMIT_API_PAGE_SIZE,
		.done = queue_new(),
		.fn = fn,
		.ctx = ctx,
	};
	const struct http_options pool = {
		.ca_file = options->ca_file, .max_connections = options->concurrency};
	h->pool = http_pool_new(&pool, h->done);
	loop_add_fd(loop, queue_fd(h->done), POLLIN, take_answers, h);
	*ret_http = h;
	return 0;
}

struct api_transport api_http_transport(struct api_http *h)
{
	return (struct api_transport){.send = send_call, .ctx = h};
}

void api_http_free(struct api_http *h)
{
	if (!h)
		return;
	loop_remove_fd(h->loop, queue_fd(h->done));
	http_pool_free(h->pool, free);
	struct http_done *d;
	while ((d = queue_pop(h->done))) {
		free(d->token);
		http_done_free(d);
	}
	queue_free(h->done);
	api_pages_release(&h->pages);
	free(h->list);
	free(h->token_ref);
	free(h);
}
