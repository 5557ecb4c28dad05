/* Tokens, bodies and answers of requests. */
#include "server/call.h"

#include <stdarg.h>
#include <string.h>
#include <strings.h>

#include "base/log.h"
#include "doc/json.h"
#include "server/tokens.h"

#define SCHEME "Bearer "

void call_release(struct call *c)
{
	arena_release(&c->arena);
}

void call_answer(struct call *c, int status)
{
	c->response->status = status;
}

static void write_detail(struct httpd_response *response, int status, const char *text)
{
	buf_clear(&response->body);
	buf_adds(&response->body, "{\"detail\":");
	json_write_string(&response->body, text);
	buf_addc(&response->body, '}');
	response->status = status;
}

void call_detail(struct call *c, int status, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	auto_free char *text = xvasprintf(fmt, ap);
	va_end(ap);
	write_detail(c->response, status, text);
}

void call_field(struct call *c, const char *field, const char *fmt, ...)
{
	struct problems problems = PROBLEMS_INIT;
	va_list ap;

	va_start(ap, fmt);
	auto_free char *text = xvasprintf(fmt, ap);
	va_end(ap);
	problems_add(&problems, PROBLEM_ERROR, NULL, 0, 0, field, "%s", text);
	call_problems(c, &problems);
	problems_release(&problems);
}

/* The API's field is the first part of a path: topic_whitelist[2],
 * source_connection_details.bootstrap_servers */
static size_t field_length(const struct problem *p)
{
	return strcspn(p->path, ".[");
}

static bool same_field(const struct problem *a, const struct problem *b)
{
	size_t len = field_length(a);

	return field_length(b) == len && !strncmp(a->path, b->path, len);
}

static void write_message(struct buf *out, const struct problem *p)
{
	const char *rest = p->path + field_length(p);
	auto_free char *text =
		xasprintf("%s%s%s", rest + (*rest == '.'), *rest ? ": " : "", p->message);

	json_write_string(out, text);
}

static bool is_first(const struct problems *problems, const struct problem *p)
{
	for (const struct problem *q = problems->at; q != p; q++)
		if (q->level == PROBLEM_ERROR && same_field(p, q))
			return false;
	return p->level == PROBLEM_ERROR;
}

static void write_field(
	struct buf *out, const struct problems *problems, const struct problem *first)
{
	size_t len = field_length(first);
	auto_free char *field = len ? xmemdupz(first->path, len) : xstrdup("non_field_errors");
	const char *separator = ":[";

	json_write_string(out, field);
	for (const struct problem *p = first; p != problems->at + problems->n; p++) {
		if (p->level != PROBLEM_ERROR || !same_field(first, p))
			continue;
		buf_adds(out, separator);
		write_message(out, p);
		separator = ",";
	}
	buf_addc(out, ']');
}

void call_problems(struct call *c, const struct problems *problems)
{
	const char *separator = "";

	buf_clear(c->out);
	buf_addc(c->out, '{');
	vec_each (p, problems) {
		if (!is_first(problems, p))
			continue;
		buf_adds(c->out, separator);
		write_field(c->out, problems, p);
		separator = ",";
	}
	buf_addc(c->out, '}');
	call_answer(c, 400);
}

void call_error(struct call *c, const struct err *e)
{
	int status = err_http_status(e->code);

	if (status < 500) {
		call_detail(c, status, "%s", e->msg);
		return;
	}
	log_error("request failed", "method", httpd_method(c->request), "path",
		httpd_path(c->request), "error", e->msg, NULL);
	call_detail(c, status, "the server could not do this; its log says why");
}

static bool refuse_token(struct call *c, const char *why)
{
	httpd_set_header(c->request, "WWW-Authenticate", "Bearer realm=\"replicatord\"");
	call_detail(c, 401, "%s", why);
	return false;
}

static bool refuse_error(struct call *c, const struct err *e)
{
	call_error(c, e);
	return false;
}

static bool refuse_organization(
	struct call *c, const unsigned char hash[HASH_BYTES], const char *org)
{
	struct err e = ERR_INIT;
	int rc = store_knows_token(c->server->store, hash, &e);

	if (rc < 0)
		return refuse_error(c, &e);
	if (rc == 0)
		return refuse_token(c, "the token is not known");
	call_detail(c, 404, "no organization %s for this token", org);
	return false;
}

bool call_begin(struct call *c, enum token_access need)
{
	const char *org = httpd_param(c->request, "org_identifier");
	const char *header = httpd_header(c->request, "Authorization");
	unsigned char hash[HASH_BYTES];
	struct err e = ERR_INIT;
	bool may_write = false;

	if (!header || strncasecmp(header, SCHEME, strlen(SCHEME)) != 0)
		return refuse_token(c, "send a token: Authorization: Bearer …");
	token_hash(header + strlen(SCHEME), hash);
	int rc = store_find_token(c->server->store, hash, org, &may_write, &e);
	if (rc < 0)
		return refuse_error(c, &e);
	if (rc == 0)
		return refuse_organization(c, hash, org);
	if (need == ACCESS_WRITE && !may_write) {
		call_detail(c, 403, "this token may only read");
		return false;
	}
	c->org = org;
	return true;
}

bool call_body(struct call *c, const struct node **ret_body)
{
	const struct buf *body = httpd_body(c->request);
	struct err e = ERR_INIT;
	struct node *root;

	if (json_read(&c->arena, buf_str(body), body->len, &root, &e) < 0) {
		call_detail(c, 400, "body: %s", e.msg);
		return false;
	}
	if (root->type != NODE_MAP) {
		call_detail(c, 400, "body: must be a JSON object, and is a %s",
			node_type_name(root->type));
		return false;
	}
	*ret_body = root;
	return true;
}

void call_not_found(void *ctx, struct httpd_request *request, struct httpd_response *response)
{
	const char *path = httpd_path(request);
	size_t len = strlen(path);

	(void)ctx;
	write_detail(response, 404,
		len && path[len - 1] == '/'
			? "there is nothing at this path"
			: "there is nothing at this path; those of the API end in a slash");
}

void call_refused(void *ctx, struct httpd_request *request, struct httpd_response *response)
{
	static const struct {
		int status;
		const char *text;
	} texts[] = {
		{405, "this path does not take that method"},
		{413, "the body is too large"},
		{414, "the address is too long"},
		{503, "the server ends, or is sent too much at once: try again"},
	};
	const char *text = "the request is not well formed";

	(void)ctx;
	(void)request;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		if (texts[i].status == response->status)
			text = texts[i].text;
	write_detail(response, response->status, text);
}
