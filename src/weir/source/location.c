/* Telling apart the ways to write where a repository is. */
#include "source/location.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/text.h"
#include "net/http.h"

static const struct {
	const char *scheme;
	const char *why;
} refused[] = {
	{"ssh://", "ssh is not supported yet; use https:// with source.token"},
	{"git+ssh://", "ssh is not supported yet; use https:// with source.token"},
	{"git://", "git:// proves neither side; use https://"},
	{"ftp://", "ftp is not supported; use https://"},
};

/* user@host:path, as ssh and scp take it. */
static bool is_scp_form(const char *url)
{
	const char *colon = strchr(url, ':');
	const char *slash = strchr(url, '/');

	return colon && (!slash || colon < slash);
}

static char *without_end_slashes(const char *s)
{
	size_t len = strlen(s);

	while (len > 1 && s[len - 1] == '/')
		len--;
	return xmemdupz(s, len);
}

static int hex_digit(char c)
{
	static const char digits[] = "0123456789abcdef";
	const char *at = c ? strchr(digits, c | 0x20) : NULL;

	return at ? (int)(at - digits) : -1;
}

/* The path of a file:// URL, its %XX decoded as git does. NULL if that gives no path. */
static char *decode_path(const char *s)
{
	auto_buf struct buf out = BUF_INIT;

	for (; *s; s++) {
		int high = *s == '%' ? hex_digit(s[1]) : -1;
		int low = high >= 0 ? hex_digit(s[2]) : -1;

		if (low < 0) {
			buf_addc(&out, *s);
			continue;
		}
		if (high == 0 && low == 0)
			return NULL;
		buf_addc(&out, (char)(high << 4 | low));
		s += 2;
	}
	return without_end_slashes(buf_str(&out));
}

static int parse_http(const char *url, struct location *ret_location, struct err *e)
{
	struct err low = ERR_INIT;

	if (url_check_http(url, &low) < 0)
		return err_set(e, ERR_CONFIG, "%s", low.msg);
	if (strpbrk(url, "?#"))
		return err_set(e, ERR_CONFIG, "a repository's URL has no '?' and no '#'");
	*ret_location = (struct location){LOCATION_HTTP, without_end_slashes(url), NULL};
	return 0;
}

static int parse_file(const char *url, struct location *ret_location, struct err *e)
{
	const char *written = url + strlen("file://");
	char *path = *written == '/' ? decode_path(written) : NULL;

	if (!path)
		return err_set(e, ERR_CONFIG, "%s: write file:// and an absolute path", url);
	*ret_location = (struct location){LOCATION_FOLDER, without_end_slashes(url), path};
	return 0;
}

int location_parse(const char *url, struct location *ret_location, struct err *e)
{
	if (text_has_prefix(url, "http://") || text_has_prefix(url, "https://"))
		return parse_http(url, ret_location, e);
	if (text_has_prefix(url, "file://"))
		return parse_file(url, ret_location, e);
	if (*url == '/') {
		*ret_location = (struct location){
			LOCATION_FOLDER, without_end_slashes(url), without_end_slashes(url)};
		return 0;
	}
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++)
		if (text_has_prefix(url, refused[i].scheme))
			return err_set(e, ERR_CONFIG, "%s", refused[i].why);
	if (strstr(url, "://"))
		return err_set(e, ERR_CONFIG,
			"%.*s:// is not supported; use https://, file:// or an absolute path",
			(int)strcspn(url, ":"), url);
	if (is_scp_form(url))
		return err_set(e, ERR_CONFIG, "%s", refused[0].why);
	return err_set(e, ERR_CONFIG, "%s: write https://…, file:///… or an absolute path", url);
}

void location_release(struct location *l)
{
	free(l->url);
	free(l->path);
}
