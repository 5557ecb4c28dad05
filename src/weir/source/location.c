/* Telling apart the ways to write where a repository is. */
#include "source/location.h"

#include <stdbool.h>
#include <stdint.h>
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
	{"git+ssh://", "git+ssh:// is not supported; write ssh://"},
	{"ssh+git://", "ssh+git:// is not supported; write ssh://"},
	{"git://", "git:// proves neither side; use https://"},
	{"ftp://", "ftp is not supported; use https://"},
};

#define LETTERS_AND_DIGITS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

/* The colon of [user@]host:path, as scp takes it; NULL if this is none. */
static const char *find_scp_colon(const char *url)
{
	const char *slash = strchr(url, '/');
	const char *bracket = strchr(url, '[');
	const char *end = bracket ? strchr(bracket, ']') : NULL;
	const char *colon = strchr(end ? end : url, ':');

	return colon && (!slash || colon < slash) ? colon : NULL;
}

static char *without_end_slashes(const char *s)
{
	size_t len = strlen(s);

	while (len > 1 && s[len - 1] == '/')
		len--;
	return xmemdupz(s, len);
}

/* The path of a file:// URL, its %XX decoded as git does. NULL if that gives no path. */
static char *decode_path(const char *s)
{
	auto_buf struct buf out = BUF_INIT;

	for (const char *end = s + strlen(s); s < end; s++) {
		char c = *s;

		if (text_percent(s, (size_t)(end - s), &c))
			s += 2;
		if (!c)
			return NULL;
		buf_addc(&out, c);
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
	*ret_location = (struct location){LOCATION_HTTP, .url = without_end_slashes(url)};
	return 0;
}

static int parse_file(const char *url, struct location *ret_location, struct err *e)
{
	const char *written = url + strlen("file://");
	char *path = *written == '/' ? decode_path(written) : NULL;

	if (!path)
		return err_set(e, ERR_CONFIG, "%s: write file:// and an absolute path", url);
	*ret_location =
		(struct location){LOCATION_FOLDER, .url = without_end_slashes(url), .path = path};
	return 0;
}

/* Neither an option of ssh's nor anything that a shell would take for more than a word. */
static bool is_word(const char *s, const char *letters)
{
	return *s && *s != '-' && !s[strspn(s, letters)];
}

static int refuse_password(struct err *e)
{
	return err_set(e, ERR_CONFIG,
		"there is a password in the URL; over ssh, keys are used (source.ssh_key)");
}

/* [user@]host or [user@][IPv6 address], without the brackets as ssh takes it. */
static int parse_host(const char *written, size_t len, struct location *l, struct err *e)
{
	const char *at = memrchr(written, '@', len);
	const char *name = at ? at + 1 : written;
	auto_free char *user = at ? xmemdupz(written, (size_t)(at - written)) : NULL;
	auto_free char *host = xmemdupz(name, len - (size_t)(name - written));
	size_t n = strlen(host);

	if (user && strchr(user, ':'))
		return refuse_password(e);
	if (n > 2 && *host == '[' && host[n - 1] == ']') {
		memmove(host, host + 1, n - 2);
		host[n - 2] = '\0';
	}
	if ((user && !is_word(user, LETTERS_AND_DIGITS "._-+~=@")) ||
		!is_word(host, LETTERS_AND_DIGITS "._-:%"))
		return err_set(e, ERR_CONFIG,
			"ssh cannot use this user or host; write ssh://user@host/path");
	l->host = xasprintf("%s%s%s", user ? user : "", user ? "@" : "", host);
	return 0;
}

static int parse_port(const char *written, struct location *l, struct err *e)
{
	uint64_t port;

	if (!text_parse_u64(written, &port) || port == 0 || port > UINT16_MAX)
		return err_set(e, ERR_CONFIG,
			"behind the colon is no port; write ssh://user@host:port/path");
	l->port = xstrdup(written);
	return 0;
}

static int check_ssh_path(const struct location *l, struct err *e)
{
	if (!l->path || !*l->path || strcmp(l->path, "/") == 0 || *l->path == '-')
		return err_set(e, ERR_CONFIG,
			"there is no path to the repository; write ssh://user@host/path");
	return 0;
}

/* A path below a home, /~user/x, is one that begins with the tilde, as git has it. */
static int parse_ssh_url(const char *url, struct location *l, struct err *e)
{
	const char *authority = url + strlen("ssh://");
	size_t len = strcspn(authority, "/");
	const char *path = authority + len;
	const char *at = memrchr(authority, '@', len);
	const char *host = at ? at + 1 : authority;
	const char *bracket = memchr(host, ']', (size_t)(path - host));
	const char *from = bracket ? bracket : host;
	const char *colon = memchr(from, ':', (size_t)(path - from));
	int rc = 0;

	l->path = decode_path(text_has_prefix(path, "/~") ? path + 1 : path);
	if (colon) {
		auto_free char *port = xmemdupz(colon + 1, (size_t)(path - colon - 1));

		rc = parse_port(port, l, e);
		len = (size_t)(colon - authority);
	}
	if (rc == 0)
		rc = parse_host(authority, len, l, e);
	return rc < 0 ? rc : check_ssh_path(l, e);
}

static int parse_scp_form(const char *url, const char *colon, struct location *l, struct err *e)
{
	const char *path = colon + 1;

	if (!memchr(url, '@', (size_t)(colon - url)) && memchr(path, '@', strcspn(path, "/")))
		return refuse_password(e);
	int rc = parse_host(url, (size_t)(colon - url), l, e);

	l->path = without_end_slashes(path);
	return rc < 0 ? rc : check_ssh_path(l, e);
}

static int parse_ssh(const char *url, struct location *ret_location, struct err *e)
{
	const char *colon = find_scp_colon(url);
	struct location l = {LOCATION_SSH, .url = without_end_slashes(url)};
	int rc = text_has_prefix(url, "ssh://") ? parse_ssh_url(url, &l, e)
						: parse_scp_form(url, colon, &l, e);

	if (rc < 0)
		location_release(&l);
	else
		*ret_location = l;
	return rc;
}

int location_parse(const char *url, struct location *ret_location, struct err *e)
{
	if (text_has_prefix(url, "http://") || text_has_prefix(url, "https://"))
		return parse_http(url, ret_location, e);
	if (text_has_prefix(url, "file://"))
		return parse_file(url, ret_location, e);
	if (text_has_prefix(url, "ssh://"))
		return parse_ssh(url, ret_location, e);
	if (*url == '/') {
		*ret_location = (struct location){LOCATION_FOLDER, .url = without_end_slashes(url),
			.path = without_end_slashes(url)};
		return 0;
	}
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++)
		if (text_has_prefix(url, refused[i].scheme))
			return err_set(e, ERR_CONFIG, "%s", refused[i].why);
	if (strstr(url, "://"))
		return err_set(e, ERR_CONFIG,
			"%.*s:// is not supported; use https://, ssh://, file:// or an absolute "
			"path",
			(int)strcspn(url, ":"), url);
	if (find_scp_colon(url))
		return parse_ssh(url, ret_location, e);
	return err_set(
		e, ERR_CONFIG, "%s: write https://…, ssh://…, file:///… or an absolute path", url);
}

void location_release(struct location *l)
{
	free(l->url);
	free(l->path);
	free(l->host);
	free(l->port);
}
