/* URLs: built segment by segment, checked, and kept on one origin. */
#include "net/call.h"

#include <string.h>
#include <strings.h>

#include "base/alloc.h"

static void free_curl(char **p)
{
	curl_free(*p);
}
#define auto_curl __attribute__((cleanup(free_curl)))

static void free_url(CURLU **p)
{
	curl_url_cleanup(*p);
}
#define auto_url __attribute__((cleanup(free_url)))

int url_add_segment(struct buf *url, const char *segment, struct err *e)
{
	if (!*segment || strcmp(segment, ".") == 0 || strcmp(segment, "..") == 0)
		return err_set(e, ERR_INVALID, "\"%s\" cannot be a part of a URL's path", segment);
	net_setup();
	auto_curl char *escaped = curl_easy_escape(NULL, segment, 0);
	if (!escaped)
		return err_set(e, ERR_LIMIT, "a part of a URL's path is too long");
	if (url->len == 0 || url->data[url->len - 1] != '/')
		buf_addc(url, '/');
	buf_adds(url, escaped);
	return 0;
}

/* NULL if there is none. */
static char *get_part(CURLU *parsed, CURLUPart part)
{
	char *text = NULL;

	curl_url_get(parsed, part, &text, CURLU_NO_DEFAULT_PORT);
	return text;
}

static bool is_http(CURLU *parsed)
{
	auto_curl char *scheme = get_part(parsed, CURLUPART_SCHEME);

	return scheme && (strcmp(scheme, "http") == 0 || strcmp(scheme, "https") == 0);
}

static bool has_credentials(CURLU *parsed)
{
	auto_curl char *user = get_part(parsed, CURLUPART_USER);
	auto_curl char *password = get_part(parsed, CURLUPART_PASSWORD);

	return user || password;
}

int url_parse_http(const char *url, CURLU **ret_parsed, struct err *e)
{
	net_setup();
	auto_url CURLU *parsed = curl_url();
	CURLUcode rc = curl_url_set(parsed, CURLUPART_URL, url, 0);
	/* What is before an @ may be a password, wherever it stands. */
	const char *shown = !*url || strchr(url, '@') ? "the URL" : url;

	if (rc != CURLUE_OK && rc != CURLUE_BAD_SCHEME && rc != CURLUE_UNSUPPORTED_SCHEME)
		return err_set(
			e, ERR_INVALID, "%s: is not a URL: %s", shown, curl_url_strerror(rc));
	if (rc != CURLUE_OK || !is_http(parsed))
		return err_set(e, ERR_INVALID, "%s: must begin with https:// or http:// and a host",
			shown);
	if (has_credentials(parsed))
		return err_set(e, ERR_INVALID,
			"the URL has a user name or password in it: take them out, a token has a "
			"key of its own beside it");
	*ret_parsed = TAKE(parsed);
	return 0;
}

int url_check_http(const char *url, struct err *e)
{
	auto_url CURLU *parsed = NULL;

	return url_parse_http(url, &parsed, e);
}

char *url_peer(CURLU *parsed)
{
	auto_curl char *host = get_part(parsed, CURLUPART_HOST);
	auto_curl char *port = NULL;

	curl_url_get(parsed, CURLUPART_PORT, &port, CURLU_DEFAULT_PORT);
	return xasprintf("%s:%s", host, port);
}

/* "https://host:8443", without a port that goes without saying. */
static char *get_origin(CURLU *parsed)
{
	auto_curl char *scheme = get_part(parsed, CURLUPART_SCHEME);
	auto_curl char *host = get_part(parsed, CURLUPART_HOST);
	auto_curl char *port = get_part(parsed, CURLUPART_PORT);

	return xasprintf("%s://%s%s%s", scheme, host, port ? ":" : "", port ? port : "");
}

int url_on_origin(const char *base, const char *next, char **ret_url, struct err *e)
{
	auto_url CURLU *link = NULL;
	int rc = url_parse_http(base, &link, e);

	if (rc < 0)
		return rc;
	auto_free char *origin = get_origin(link);
	if (curl_url_set(link, CURLUPART_URL, next, 0) != CURLUE_OK || !is_http(link))
		return err_set(e, ERR_REMOTE, "the link \"%s\" in the answer makes no sense", next);
	auto_curl char *path = get_part(link, CURLUPART_PATH);
	auto_curl char *query = get_part(link, CURLUPART_QUERY);
	*ret_url = xasprintf("%s%s%s%s", origin, path, query ? "?" : "", query ? query : "");
	return 0;
}
