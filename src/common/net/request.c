/* Requests and answers as values. */
#include "net/call.h"

#include <string.h>
#include <strings.h>

#include "base/alloc.h"
#include "base/text.h"

#define DEFAULT_CONNECTIONS 8

struct http_request *http_request_new(const char *method, const char *url)
{
	struct http_request *r = xcalloc(1, sizeof(*r));

	r->method = method;
	r->url = xstrdup(url);
	return r;
}

void http_request_free(struct http_request *r)
{
	if (!r)
		return;
	free(r->url);
	strv_release(&r->headers);
	secret_free(r->bearer);
	secret_free(r->basic_user);
	secret_free(r->basic_password);
	buf_release(&r->body);
	free(r);
}

static bool has_control(const char *s)
{
	for (; *s; s++) {
		if (((unsigned char)*s < ' ' && *s != '\t') || *s == 0x7f)
			return true;
	}
	return false;
}

int http_request_header(struct http_request *r, const char *name, const char *value, struct err *e)
{
	if (!*name || has_control(name) || strpbrk(name, " \t:;"))
		return err_set(e, ERR_INVALID, "\"%s\" cannot be the name of a header", name);
	if (has_control(value))
		return err_set(
			e, ERR_INVALID, "header %s: control characters are not allowed", name);
	/* A name without a value is written with a semicolon for libcurl; "name:" would leave it
	 * out. */
	if (*value)
		strv_pushf(&r->headers, "%s: %s", name, value);
	else
		strv_pushf(&r->headers, "%s;", name);
	return 0;
}

void http_response_release(struct http_response *r)
{
	free(r->content_type);
	free(r->location);
	strv_release(&r->headers);
	buf_release(&r->body);
	memset(r, 0, sizeof(*r));
}

const char *http_response_header(const struct http_response *r, const char *name)
{
	size_t len = strlen(name);

	vec_each (line, &r->headers)
		if (strncasecmp(*line, name, len) == 0 && text_has_prefix(*line + len, ": "))
			return *line + len + 2;
	return NULL;
}

void http_done_free(struct http_done *d)
{
	if (!d)
		return;
	http_response_release(&d->response);
	free(d);
}

struct net_options net_options_dup(const struct http_options *options)
{
	struct net_options copy = {.max_connections = DEFAULT_CONNECTIONS};

	if (!options)
		return copy;
	copy.ca_file = xstrdup_opt(options->ca_file);
	copy.proxy = xstrdup_opt(options->proxy);
	copy.socket = xstrdup_opt(options->socket);
	if (options->max_connections)
		copy.max_connections = options->max_connections;
	return copy;
}

void net_options_release(struct net_options *options)
{
	free(options->ca_file);
	free(options->proxy);
	free(options->socket);
}
