/* From a repository's URL to its forge's API. */
#include <string.h>
#include <strings.h>

#include "base/alloc.h"
#include "base/strv.h"
#include "base/text.h"
#include "forge/forge.h"

/* A Git URL in its parts. The port is kept for http and https only: that of ssh says nothing about
 * where the API is. */
struct git_url {
	bool is_plain; /* http:// */
	char *host; /* lower case, "host:port" where there is one */
	struct strv path; /* its names, the last without .git */
};

static void release_url(struct git_url *u)
{
	free(u->host);
	strv_release(&u->path);
}
#define auto_url __attribute__((cleanup(release_url)))

static void split_path(const char *path, struct strv *names)
{
	while (*path) {
		size_t len = strcspn(path, "/");
		if (len)
			strv_push_take(names, xmemdupz(path, len));
		path += len + (path[len] == '/');
	}
	if (names->n && text_has_suffix(names->at[names->n - 1], ".git")) {
		char *last = names->at[names->n - 1];
		last[strlen(last) - strlen(".git")] = '\0';
	}
}

static char *lower(const char *s, size_t len)
{
	char *copy = xmemdupz(s, len);
	for (char *c = copy; *c; c++)
		if (*c >= 'A' && *c <= 'Z')
			*c = (char)(*c | 0x20);
	return copy;
}

/* The colon before it, NULL if there is none; those of an address in brackets are not it. */
static const char *find_port(const char *host, size_t len)
{
	const char *bracket = memchr(host, ']', len);
	const char *from = bracket ? bracket : host;
	return memchr(from, ':', len - (size_t)(from - host));
}

/* False if the text is no URL with a host, such as a folder. */
static bool parse_url(const char *url, struct git_url *out)
{
	const char *scheme_end = strstr(url, "://");
	bool is_web = text_has_prefix(url, "https://") || text_has_prefix(url, "http://");
	const char *rest = scheme_end ? scheme_end + strlen("://") : url;
	size_t len = strcspn(rest, scheme_end ? "/" : ":/");
	if (!len || (scheme_end ? text_has_prefix(url, "file://") : rest[len] != ':'))
		return false;
	const char *at = memrchr(rest, '@', len); /* what is before it is never shown */
	const char *host = at ? at + 1 : rest;
	size_t host_len = len - (size_t)(host - rest);
	const char *port = is_web ? NULL : find_port(host, host_len);
	if (port)
		host_len = (size_t)(port - host);
	*out = (struct git_url){
		.is_plain = text_has_prefix(url, "http://"), .host = lower(host, host_len)};
	split_path(rest + len + (scheme_end ? 0 : 1), &out->path);
	return host_len > 0;
}

static bool is_cloud(const char *host)
{
	static const char *const names[] = {"github.com", "www.github.com", "ssh.github.com"};
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(host, names[i]))
			return true;
	return false;
}

bool forge_is_github(const char *git_url)
{
	auto_url struct git_url u = {0};
	return parse_url(git_url, &u) && (is_cloud(u.host) || text_has_suffix(u.host, ".ghe.com"));
}

static char *github_api(const struct git_url *u)
{
	if (is_cloud(u->host))
		return xstrdup("https://api.github.com");
	if (text_has_suffix(u->host, ".ghe.com"))
		return xasprintf("https://api.%s", u->host);
	return xasprintf("%s://%s/api/v3", u->is_plain ? "http" : "https", u->host);
}

/* Gitea may live below a path of its own. */
static char *gitea_api(const struct git_url *u)
{
	auto_buf struct buf api = BUF_INIT;
	buf_addf(&api, "%s://%s", u->is_plain ? "http" : "https", u->host);
	for (size_t i = 0; i + 2 < u->path.n; i++)
		buf_addf(&api, "/%s", u->path.at[i]);
	buf_adds(&api, "/api/v1");
	return buf_take(&api);
}

static const struct {
	const char *name;
	char *(*api)(const struct git_url *u);
	bool below_a_path;
} kinds[] = {
	[FORGE_KIND_GITHUB] = {"GitHub", github_api, false},
	[FORGE_KIND_GITEA] = {"Gitea", gitea_api, true},
};

int forge_address_find(
	enum forge_kind kind, const char *git_url, struct forge_address *ret_address, struct err *e)
{
	auto_url struct git_url u = {0};
	if (!parse_url(git_url, &u))
		return err_set(e, ERR_CONFIG,
			"source.url is not on a server; set forge.url, the address of the API of "
			"%s, and forge.repository",
			kinds[kind].name);
	if (u.path.n < 2 || (u.path.n > 2 && !kinds[kind].below_a_path))
		return err_set(e, ERR_CONFIG,
			"source.url does not end with owner/name, as on %s; set forge.url and "
			"forge.repository",
			kinds[kind].name);
	*ret_address = (struct forge_address){
		.api = kinds[kind].api(&u),
		.repository = xasprintf("%s/%s", u.path.at[u.path.n - 2], u.path.at[u.path.n - 1]),
	};
	return 0;
}

int forge_check_repository(const char *repository, struct err *e)
{
	const char *slash = strchr(repository, '/');
	if (!slash || slash == repository || !slash[1] || strchr(slash + 1, '/') ||
		strpbrk(repository, " \t\r\n?#%"))
		return err_set(e, ERR_CONFIG, "must be owner/name");
	return 0;
}

void forge_address_release(struct forge_address *a)
{
	free(a->api);
	free(a->repository);
}
