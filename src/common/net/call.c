/* One HTTP call: from our request to libcurl's options, from libcurl's callbacks to our answer. */
#include "net/call.h"

#include <string.h>
#include <strings.h>

#include "base/alloc.h"
#include "base/limits.h"

#define CONNECT_TIMEOUT_MS 10000
#define TIMEOUT_MS	   30000
#define RETRY_AFTER_MAX_S  (366L * 86400)

/* An option that libcurl refuses is our mistake, or it is out of memory. */
#define set_option(c, option, value)                                                               \
	do {                                                                                       \
		CURLcode set_ = curl_easy_setopt((c)->easy, option, value);                        \
		if (set_ != CURLE_OK)                                                              \
			BUG("libcurl: %s: %s", #option, curl_easy_strerror(set_));                 \
	} while (0)

static size_t take_header(char *line, size_t size, size_t n, void *ctx)
{
	struct call *c = ctx;
	long status = 0;

	(void)size;
	c->header_bytes += n;
	if (c->header_bytes > LIMIT_HTTP_HEADER_BYTES) {
		c->over_limit = LIMIT_HTTP_HEADER_BYTES;
		return 0;
	}
	curl_easy_getinfo(c->easy, CURLINFO_RESPONSE_CODE, &status);
	if (status >= 200 && (line[0] == '\r' || line[0] == '\n'))
		c->has_headers = true;
	return n;
}

static size_t take_body(char *data, size_t size, size_t n, void *ctx)
{
	struct call *c = ctx;

	(void)size;
	if (n > c->max_body_bytes - c->body_bytes) {
		c->over_limit = c->max_body_bytes;
		return 0;
	}
	c->body_bytes += n;
	buf_add(&c->body, data, n);
	return n;
}

/* libcurl times the connection and its TLS as one; this is called in between. */
static CURLcode note_tls(CURL *easy, void *ssl_ctx, void *ctx)
{
	struct call *c = ctx;

	(void)easy;
	(void)ssl_ctx;
	c->tls_began = true;
	return CURLE_OK;
}

static void set_fixed_options(struct call *c, const struct net_options *options)
{
	set_option(c, CURLOPT_PRIVATE, c);
	set_option(c, CURLOPT_ERRORBUFFER, c->detail);
	set_option(c, CURLOPT_WRITEFUNCTION, take_body);
	set_option(c, CURLOPT_WRITEDATA, c);
	set_option(c, CURLOPT_HEADERFUNCTION, take_header);
	set_option(c, CURLOPT_HEADERDATA, c);
	set_option(c, CURLOPT_SSL_CTX_FUNCTION, note_tls);
	set_option(c, CURLOPT_SSL_CTX_DATA, c);
	set_option(c, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
	set_option(c, CURLOPT_NOSIGNAL, 1L);
	/* Otherwise libcurl waits for a name server that does not answer, past every deadline. */
	set_option(c, CURLOPT_QUICK_EXIT, 1L);
	set_option(c, CURLOPT_PROTOCOLS_STR, "http,https");
	set_option(c, CURLOPT_FOLLOWLOCATION, 0L);
	set_option(c, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
	set_option(c, CURLOPT_ACCEPT_ENCODING, "");
	set_option(c, CURLOPT_USERAGENT, "weir/" WEIR_VERSION);
	if (options->ca_file)
		set_option(c, CURLOPT_CAINFO, options->ca_file);
	if (options->socket) {
		set_option(c, CURLOPT_UNIX_SOCKET_PATH, options->socket);
		set_option(c, CURLOPT_PROXY, "");
	} else if (options->proxy) {
		set_option(c, CURLOPT_PROXY, options->proxy);
	}
}

static void set_method(struct call *c, const struct http_request *r)
{
	if (strcmp(r->method, "HEAD") == 0) {
		set_option(c, CURLOPT_NOBODY, 1L);
		return;
	}
	bool has_body = r->body.len > 0 || strcmp(r->method, "POST") == 0 ||
			strcmp(r->method, "PUT") == 0 || strcmp(r->method, "PATCH") == 0;
	if (has_body) {
		set_option(c, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)r->body.len);
		set_option(c, CURLOPT_POSTFIELDS, buf_str(&r->body));
	}
	set_option(c, CURLOPT_CUSTOMREQUEST, r->method);
}

static void add_header(struct call *c, const char *line)
{
	struct curl_slist *longer = curl_slist_append(c->headers, line);

	if (!longer)
		BUG("out of memory");
	c->headers = longer;
}

static void set_headers(struct call *c, const struct http_request *r)
{
	bool has_type = false;

	vec_each (line, &r->headers) {
		has_type |= strncasecmp(*line, "content-type:", 13) == 0;
		add_header(c, *line);
	}
	/* Left alone, libcurl calls every body a form and waits a second before it sends a long
	 * one. */
	if (!has_type)
		add_header(c, "Content-Type:");
	add_header(c, "Expect:");
	set_option(c, CURLOPT_HTTPHEADER, c->headers);
}

static int check_credential(
	const struct secret *s, const char *what, const char *refused, struct err *e)
{
	const char *text = secret_reveal(s);

	for (size_t i = 0; i < secret_len(s); i++) {
		unsigned char byte = (unsigned char)text[i];
		if (byte < ' ' || byte == 0x7f || strchr(refused, byte))
			return err_set(e, ERR_INVALID,
				"the %s has a character that it cannot have, such as a line end",
				what);
	}
	return 0;
}

static int set_bearer(struct call *c, const struct secret *token, struct err *e)
{
	int rc = check_credential(token, "token", " ", e);

	if (rc < 0)
		return rc;
	if (secret_len(token) == 0)
		return err_set(e, ERR_INVALID, "the token is empty");
	set_option(c, CURLOPT_HTTPAUTH, CURLAUTH_BEARER);
	set_option(c, CURLOPT_XOAUTH2_BEARER, secret_reveal(token));
	return 0;
}

static int set_basic(
	struct call *c, const struct secret *user, const struct secret *password, struct err *e)
{
	int rc = check_credential(user, "user name", ":", e);

	if (rc == 0)
		rc = check_credential(password, "password", "", e);
	if (rc < 0)
		return rc;
	set_option(c, CURLOPT_HTTPAUTH, CURLAUTH_BASIC);
	set_option(c, CURLOPT_USERNAME, secret_reveal(user));
	set_option(c, CURLOPT_PASSWORD, secret_reveal(password));
	return 0;
}

/* libcurl copies them, into memory that it wipes (net_setup). */
static int set_credentials(struct call *c, const struct http_request *r, struct err *e)
{
	if (r->bearer)
		return set_bearer(c, r->bearer, e);
	if (r->basic_user && r->basic_password)
		return set_basic(c, r->basic_user, r->basic_password, e);
	return 0;
}

int call_start(struct call *c, const struct net_options *options, const struct http_request *r,
	struct err *e)
{
	CURLU *parsed = NULL;
	int rc = url_parse_http(r->url, &parsed, e);

	memset(c, 0, sizeof(*c));
	if (rc < 0)
		return rc;
	c->peer = options->socket ? xstrdup(options->socket) : url_peer(parsed);
	curl_url_cleanup(parsed);
	c->wanted = r->wanted;
	c->max_body_bytes = r->max_answer_bytes ? r->max_answer_bytes : LIMIT_API_ANSWER_BYTES;
	c->easy = curl_easy_init();
	if (!c->easy)
		BUG("out of memory");
	set_fixed_options(c, options);
	set_option(c, CURLOPT_URL, r->url);
	set_method(c, r);
	set_headers(c, r);
	set_option(c, CURLOPT_CONNECTTIMEOUT_MS,
		(long)(r->connect_timeout_ms ? r->connect_timeout_ms : CONNECT_TIMEOUT_MS));
	set_option(c, CURLOPT_TIMEOUT_MS, (long)(r->timeout_ms ? r->timeout_ms : TIMEOUT_MS));
	return set_credentials(c, r, e);
}

void call_collect(CURLM *multi)
{
	CURLMsg *message;
	int n_left;

	while ((message = curl_multi_info_read(multi, &n_left))) {
		struct call *c = NULL;
		curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &c);
		c->is_done = true;
		c->result = message->data.result;
	}
}

static char *get_header(const struct call *c, const char *name)
{
	struct curl_header *header;

	if (curl_easy_header(c->easy, name, 0, CURLH_HEADER, -1, &header) != CURLHE_OK)
		return NULL;
	return xstrdup(header->value);
}

static void keep_wanted(const struct call *c, struct strv *headers)
{
	for (const char *const *name = c->wanted; name && *name; name++) {
		auto_free char *value = get_header(c, *name);
		if (value)
			strv_pushf(headers, "%s: %s", *name, value);
	}
}

void call_take_headers(struct call *c, struct http_response *ret_response)
{
	long status = 0;
	curl_off_t retry_after_s = 0;
	char *content_type = get_header(c, "Content-Type");

	curl_easy_getinfo(c->easy, CURLINFO_RESPONSE_CODE, &status);
	curl_easy_getinfo(c->easy, CURLINFO_RETRY_AFTER, &retry_after_s);
	if (retry_after_s < 0)
		retry_after_s = 0;
	if (retry_after_s > RETRY_AFTER_MAX_S)
		retry_after_s = RETRY_AFTER_MAX_S;
	*ret_response = (struct http_response){
		.status = (int)status,
		.content_type = content_type ? content_type : xstrdup(""),
		.location = get_header(c, "Location"),
		.retry_after_ms = retry_after_s * 1000,
		.body = BUF_INIT,
	};
	keep_wanted(c, &ret_response->headers);
}

int call_finish(struct call *c, struct http_response *ret_response, struct err *e)
{
	if (c->result != CURLE_OK)
		return call_fail(c, e);
	call_take_headers(c, ret_response);
	ret_response->body = c->body;
	c->body = (struct buf)BUF_INIT;
	return 0;
}

void call_release(struct call *c)
{
	curl_easy_cleanup(c->easy);
	curl_slist_free_all(c->headers);
	free(c->peer);
	buf_release(&c->body);
	memset(c, 0, sizeof(*c));
}
