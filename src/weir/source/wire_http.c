/* Git's smart protocol over HTTP: one request and its answer at a time, each within what is left of
 * the deadline. */
#include "source/wire.h"

#include <string.h>

#include "base/alloc.h"
#include "base/limits.h"
#include "base/text.h"
#include "source/filter.h"

#define DEFAULT_USER "x-access-token"
#define INFO_REFS    "/info/refs?service="

struct exchange {
	git_smart_subtransport_stream base;
	struct wire *wire;
	git_smart_service_t service;
	struct http_request *request;
	struct http_stream *answer; /* NULL until the request was sent */
};

static const struct {
	const char *method;
	const char *resource;
	const char *sends; /* content types; NULL: no body */
	const char *gets;
} services[] = {
	[GIT_SERVICE_UPLOADPACK_LS] = {"GET", INFO_REFS "git-upload-pack", NULL,
		"application/x-git-upload-pack-advertisement"},
	[GIT_SERVICE_UPLOADPACK] = {"POST", "/git-upload-pack",
		"application/x-git-upload-pack-request", "application/x-git-upload-pack-result"},
	[GIT_SERVICE_RECEIVEPACK_LS] = {"GET", INFO_REFS "git-receive-pack", NULL,
		"application/x-git-receive-pack-advertisement"},
	[GIT_SERVICE_RECEIVEPACK] = {"POST", "/git-receive-pack",
		"application/x-git-receive-pack-request", "application/x-git-receive-pack-result"},
};

static int add_token(struct http_request *r, const struct source *s, struct err *e)
{
	if (!s->token_ref)
		return 0;
	const char *user = s->user ? s->user : DEFAULT_USER;
	r->basic_user = secret_new(user, strlen(user));
	int rc = secret_ref_read(s->token_ref, &r->basic_password, e);
	return rc < 0 ? err_prefix(e, "source.token") : rc;
}

static int make_request(struct exchange *x, struct err *e)
{
	const struct source *s = x->wire->source;
	auto_free char *url = xasprintf("%s%s", s->location.url, services[x->service].resource);

	x->request = http_request_new(services[x->service].method, url);
	x->request->max_answer_bytes = LIMIT_PACK_BYTES;
	int rc = http_request_header(x->request, "Accept", services[x->service].gets, e);
	if (rc == 0 && services[x->service].sends)
		rc = http_request_header(x->request, "Content-Type", services[x->service].sends, e);
	return rc < 0 ? rc : add_token(x->request, s, e);
}

/* A redirect shows where the repository is now, less what this request was for. */
static int explain_redirect(const struct http_stream *answer, struct err *e)
{
	const char *location = http_stream_location(answer);

	if (!location)
		return err_set(e, ERR_REMOTE, "redirects, without saying where to");
	const char *tail = strstr(location, "/info/refs");
	int len = (int)(tail ? (size_t)(tail - location) : strlen(location));
	return err_set(e, ERR_REMOTE,
		"redirects to %.*s, which is not followed: set source.url to where it should go",
		len, location);
}

/* To somebody who only has no right to write, a server may also say that there is nothing. */
static int explain_refused_push(int status, struct err *e)
{
	return err_set(e, ERR_DENIED, "does not let us push (HTTP %d)", status);
}

static int explain_status(const struct exchange *x, int status, struct err *e)
{
	bool token = x->wire->source->token_ref;

	if (status >= 300 && status <= 399)
		return explain_redirect(x->answer, e);
	if (x->wire->pushing && (status == 401 || status == 403 || status == 404))
		return explain_refused_push(status, e);
	if (status == 401)
		return err_set(e, ERR_AUTH,
			token ? "refuses the token; check source.token and its rights"
			      : "wants a token; set source.token");
	if (status == 403)
		return err_set(e, ERR_DENIED, "forbids reading this repository (HTTP 403)%s",
			token ? "; check what the token may do" : "; set source.token");
	if (status == 404 || status == 410)
		return err_set(e, ERR_NOT_FOUND, "has no such repository (HTTP %d)%s", status,
			token ? ", or hides it from this token"
			      : ", or hides it: set source.token");
	if (status == 408 || status == 425 || status == 429 || status >= 500)
		return err_retriable(e, ERR_UNAVAILABLE, "answers HTTP %d", status);
	return err_set(e, ERR_REMOTE, "answers HTTP %d, which Git does not use", status);
}

static int explain_type(const char *type, struct err *e)
{
	if (text_has_prefix(type, "text/html"))
		return err_set(
			e, ERR_REMOTE, "answers with a web page, not with Git: check source.url");
	return err_set(e, ERR_REMOTE,
		"does not speak Git's smart protocol (it answers with %s); a 'dumb' server will "
		"not do",
		*type ? type : "no content type");
}

static int check_answer(const struct exchange *x, struct err *e)
{
	int status = http_stream_status(x->answer);
	const char *type = http_stream_content_type(x->answer);
	const char *wanted = services[x->service].gets;
	int rc = 0;

	if (status != 200)
		rc = explain_status(x, status, e);
	else if (!text_has_prefix(type, wanted))
		rc = explain_type(type, e);
	if (rc < 0 && e->http == 0)
		e->http = status;
	return rc;
}

static int send_request(struct exchange *x, struct err *e)
{
	x->request->timeout_ms = wire_ms_left(x->wire);
	x->request->connect_timeout_ms = x->request->timeout_ms;
	int rc = http_stream_open(x->wire->source->http, x->request, &x->answer, e);
	return rc < 0 ? rc : check_answer(x, e);
}

static int exchange_read(
	git_smart_subtransport_stream *stream, char *out, size_t size, size_t *ret_got)
{
	struct exchange *x = (struct exchange *)stream;
	struct err e = ERR_INIT;

	*ret_got = 0;
	if (wire_check_deadline(x->wire) < 0)
		return -1;
	if (!x->answer && send_request(x, &e) < 0)
		return wire_fail(x->wire, &e);
	if (size > 0 && http_stream_read(x->answer, out, size, ret_got, &e) < 0)
		return wire_fail(x->wire, &e);
	return wire_received(x->wire, out, *ret_got);
}

static int exchange_write(git_smart_subtransport_stream *stream, const char *data, size_t len)
{
	struct exchange *x = (struct exchange *)stream;

	if (!filter_wants(x->wire, data, len, &x->request->body))
		buf_add(&x->request->body, data, len);
	return 0;
}

static void exchange_free(git_smart_subtransport_stream *stream)
{
	struct exchange *x = (struct exchange *)stream;

	if (x->answer)
		wire_drain(x->wire, stream);
	http_stream_close(x->answer);
	http_request_free(x->request);
	free(x);
}

struct web {
	git_smart_subtransport base;
	struct wire *wire;
};

static int web_action(git_smart_subtransport_stream **ret, git_smart_subtransport *base,
	const char *url, git_smart_service_t service)
{
	struct web *web = (struct web *)base;
	struct exchange *x = xcalloc(1, sizeof(*x));
	struct err e = ERR_INIT;

	(void)url;
	*x = (struct exchange){
		.base = {base, exchange_read, exchange_write, exchange_free},
		.wire = web->wire,
		.service = service,
	};
	if (make_request(x, &e) < 0) {
		exchange_free(&x->base);
		return wire_fail(web->wire, &e);
	}
	if (service == GIT_SERVICE_UPLOADPACK)
		web->wire->max_received = LIMIT_PACK_BYTES;
	*ret = &x->base;
	return 0;
}

static int web_close(git_smart_subtransport *base)
{
	(void)base;
	return 0;
}

static void web_free(git_smart_subtransport *base)
{
	free(base);
}

int wire_over_http(git_smart_subtransport **ret, git_transport *owner, void *wire)
{
	struct web *web = xcalloc(1, sizeof(*web));

	(void)owner;
	*web = (struct web){.base = {web_action, web_close, web_free}, .wire = wire};
	*ret = &web->base;
	return 0;
}
