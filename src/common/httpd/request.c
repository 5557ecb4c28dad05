/* One request: what is checked before a handler sees it, and how its answer is put together. */
#include "httpd/inside.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

#include "base/alloc.h"
#include "base/limits.h"
#include "base/text.h"

#define ANSWER_DEADLINE_MS 60000

struct httpd_request *request_new(struct httpd *h, struct MHD_Connection *mhd, const char *target)
{
	struct httpd_request *r = xcalloc(1, sizeof(*r));

	r->server = h;
	r->mhd = mhd;
	r->connection =
		MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context;
	connection_set_deadline(&h->connections, r->connection,
		clock_mono_ms(&clock_real) + h->request_deadline_ms);
	r->refusal = target_parse(&r->target, target);
	return r;
}

static void drop_body(struct httpd_request *r)
{
	r->server->held_bytes -= r->body.len;
	buf_release(&r->body);
}

void request_free(struct httpd_request *r)
{
	target_release(&r->target);
	strv_release(&r->names);
	strv_release(&r->values);
	drop_body(r);
	strv_release(&r->header_names);
	strv_release(&r->header_values);
	free(r);
}

/* What decides where a request ends. Two programs on the way must not be able to see it
 * differently. */
struct framing {
	size_t n_hosts, n_lengths, n_encodings;
	bool is_chunked;
	bool is_malformed;
	uint64_t length;
};

static bool is_token(const char *s)
{
	static const char others[] = "!#$%&'*+-.^_`|~";

	for (const char *at = s; *at; at++) {
		if (!isalnum((unsigned char)*at) && !strchr(others, *at))
			return false;
	}
	return *s;
}

static bool has_control(const char *s)
{
	for (; *s; s++) {
		if (iscntrl((unsigned char)*s) && *s != '\t')
			return true;
	}
	return false;
}

/* libmicrohttpd hangs a folded line onto the name: "Content-Length:\r\n 2" is "Content-Length2". */
static bool is_folded(const char *name)
{
	return (strncasecmp(name, "Content-Length", 14) == 0 && name[14]) ||
	       (strncasecmp(name, "Transfer-Encoding", 17) == 0 && name[17]);
}

static enum MHD_Result note_framing(
	void *ctx, enum MHD_ValueKind kind, const char *name, const char *value)
{
	struct framing *f = ctx;

	(void)kind;
	if (!is_token(name) || has_control(value) || is_folded(name)) {
		f->is_malformed = true;
	} else if (strcasecmp(name, "Host") == 0) {
		f->n_hosts++;
	} else if (strcasecmp(name, "Content-Length") == 0) {
		f->n_lengths++;
		f->is_malformed |= !text_parse_u64(value, &f->length);
	} else if (strcasecmp(name, "Transfer-Encoding") == 0) {
		f->n_encodings++;
		f->is_chunked = strcasecmp(value, "chunked") == 0;
	}
	return MHD_YES;
}

static size_t max_body(const struct httpd_request *r)
{
	/* What nobody handles is read and thrown away, so that the answer arrives. */
	return r->route ? r->route->max_body : LIMIT_HTTP_BODY_BYTES;
}

static bool has_room(const struct httpd *h, uint64_t len)
{
	return h->held_bytes <= LIMIT_HTTP_BODIES_HELD &&
	       len <= LIMIT_HTTP_BODIES_HELD - h->held_bytes;
}

/* 0, or the status of the refusal. */
static int check_framing(const struct httpd_request *r)
{
	struct framing f = {0};

	MHD_get_connection_values(r->mhd, MHD_HEADER_KIND, note_framing, &f);
	if (f.is_malformed || f.n_hosts > 1 || f.n_lengths + f.n_encodings > 1 ||
		(f.n_encodings && !f.is_chunked))
		return 400;
	if (f.length > max_body(r))
		return 413;
	return r->route && !has_room(r->server, f.length) ? 503 : 0;
}

static bool method_fits(const char *route_method, const char *method)
{
	return strcmp(route_method, method) == 0 ||
	       (strcmp(route_method, "GET") == 0 && strcmp(method, "HEAD") == 0);
}

static void add_allowed(struct buf *allow, const char *method)
{
	if (allow->len > 0)
		buf_adds(allow, ", ");
	buf_adds(allow, method);
	if (strcmp(method, "GET") == 0)
		buf_adds(allow, ", HEAD");
}

/* 0, or 404 or 405 (with Allow). */
static int find_route(struct httpd_request *r)
{
	auto_buf struct buf allow = BUF_INIT;

	for (const struct httpd_route *route = r->server->options.routes; route->method; route++) {
		if (!target_matches(&r->target, route->pattern, &r->names, &r->values))
			continue;
		if (method_fits(route->method, r->method)) {
			r->route = route;
			return 0;
		}
		add_allowed(&allow, route->method);
	}
	if (allow.len == 0)
		return 404;
	httpd_set_header(r, "Allow", buf_str(&allow));
	return 405;
}

static void add_headers(struct httpd_request *r, struct MHD_Response *mhd_response)
{
	for (size_t i = 0; i < r->header_names.n; i++)
		MHD_add_response_header(
			mhd_response, r->header_names.at[i], r->header_values.at[i]);
}

static enum MHD_Result send_response(struct httpd_request *r, struct httpd_response *response)
{
	size_t len = response->body.len;

	if (len > 0)
		httpd_set_header(r, "Content-Type", response->content_type);
	struct MHD_Response *mhd_response = MHD_create_response_from_buffer(
		len, buf_take(&response->body), MHD_RESPMEM_MUST_FREE);
	if (!mhd_response)
		BUG("out of memory");
	add_headers(r, mhd_response);
	enum MHD_Result sent = MHD_queue_response(r->mhd, (unsigned)response->status, mhd_response);
	MHD_destroy_response(mhd_response);
	r->answered = true;
	r->server->n_answering++;
	connection_set_deadline(&r->server->connections, r->connection,
		clock_mono_ms(&clock_real) + ANSWER_DEADLINE_MS);
	return sent;
}

static enum MHD_Result answer(struct httpd_request *r)
{
	const struct httpd_options *o = &r->server->options;
	struct httpd_response response = {
		.status = r->refusal ? r->refusal : 200,
		.content_type = "application/json",
		.body = BUF_INIT,
	};
	httpd_handler handler = r->refusal == 404 ? o->not_found
				: r->refusal	  ? o->refused
						  : r->route->handler;
	if (handler)
		handler(o->ctx, r, &response);
	drop_body(r);
	return send_response(r, &response);
}

/* After these the rest of the request cannot be read, or is not worth reading. */
static enum MHD_Result refuse_and_close(struct httpd_request *r, int status)
{
	r->refusal = status;
	httpd_set_header(r, "Connection", "close");
	return answer(r);
}

enum MHD_Result request_headers(struct httpd_request *r, const char *method)
{
	r->method = method;
	if (r->refusal)
		return refuse_and_close(r, r->refusal);
	r->refusal = find_route(r);
	int status = check_framing(r);
	return status ? refuse_and_close(r, status) : MHD_YES;
}

/* An answer can only follow the end, which may never come. */
static enum MHD_Result discard(struct httpd_request *r, size_t len)
{
	size_t most = max_body(r) > LIMIT_HTTP_BODY_BYTES ? max_body(r) : LIMIT_HTTP_BODY_BYTES;

	drop_body(r);
	r->discarded_bytes += len;
	return r->discarded_bytes <= most ? MHD_YES : MHD_NO;
}

enum MHD_Result request_body(struct httpd_request *r, const char *data, size_t len)
{
	if (!r->refusal && len > max_body(r) - r->body.len)
		r->refusal = 413;
	else if (!r->refusal && !has_room(r->server, len))
		r->refusal = 503;
	if (r->refusal)
		return discard(r, len);
	buf_add(&r->body, data, len);
	r->server->held_bytes += len;
	return MHD_YES;
}

enum MHD_Result request_end(struct httpd_request *r)
{
	if (r->server->stopping || r->refusal == 503)
		return refuse_and_close(r, 503);
	return answer(r);
}

const char *httpd_method(const struct httpd_request *r)
{
	return r->method;
}

const char *httpd_path(const struct httpd_request *r)
{
	return r->target.path;
}

static const char *find_value(const struct strv *names, const struct strv *values, const char *name)
{
	for (size_t i = 0; i < names->n; i++) {
		if (strcmp(names->at[i], name) == 0)
			return values->at[i];
	}
	return NULL;
}

const char *httpd_param(const struct httpd_request *r, const char *name)
{
	const char *value = find_value(&r->names, &r->values, name);

	if (!value)
		BUG("no {%s} in the pattern of %s", name, r->target.path);
	return value;
}

const char *httpd_query(const struct httpd_request *r, const char *name)
{
	return find_value(&r->target.names, &r->target.values, name);
}

const char *httpd_header(const struct httpd_request *r, const char *name)
{
	return MHD_lookup_connection_value(r->mhd, MHD_HEADER_KIND, name);
}

const struct buf *httpd_body(const struct httpd_request *r)
{
	return &r->body;
}

bool httpd_peer(const struct httpd_request *r, uid_t *ret_uid)
{
	struct ucred peer;
	socklen_t size = sizeof(peer);

	if (!r->server->options.socket ||
		getsockopt(r->connection->fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0)
		return false;
	*ret_uid = peer.uid;
	return true;
}

void httpd_set_header(struct httpd_request *r, const char *name, const char *value)
{
	strv_push(&r->header_names, name);
	strv_push(&r->header_values, value);
}
