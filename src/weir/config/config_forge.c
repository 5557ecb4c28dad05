/* Which forge it is, and where, as far as nobody wrote it down. */
#include "config/tables.h"
#include "forge/forge.h"
#include "net/http.h"

static enum forge_type guess_type(const struct config *c)
{
	return c->forge.token && forge_is_github(c->source.url) ? FORGE_GITHUB : FORGE_NOTES;
}

/* A key that says something about a REST forge; NULL if there is none. */
static const char *find_rest_key(const struct config *c)
{
	if (c->forge.token)
		return "token";
	if (c->forge.url)
		return "url";
	return c->forge.repository ? "repository" : NULL;
}

/* `key` is what the problem is about. */
static int fill_address(struct config *c, const char **key, struct err *e)
{
	*key = "type";
	if (!c->forge.url || !c->forge.repository) {
		struct forge_address found = {0};
		enum forge_kind kind =
			c->forge.type == FORGE_GITHUB ? FORGE_KIND_GITHUB : FORGE_KIND_GITEA;
		int rc = forge_address_find(kind, c->source.url, &found, e);
		if (rc < 0)
			return rc;
		if (!c->forge.url)
			c->forge.url = arena_strdup(&c->arena, found.api);
		if (!c->forge.repository)
			c->forge.repository = arena_strdup(&c->arena, found.repository);
		forge_address_release(&found);
	}
	*key = "repository";
	int rc = forge_check_repository(c->forge.repository, e);
	if (rc < 0)
		return rc;
	*key = "url";
	return url_check_http(c->forge.url, e);
}

int config_find_forge(struct config *c, const char **ret_key, struct err *e)
{
	bool is_guess = c->forge.type == FORGE_AUTO;
	if (is_guess)
		c->forge.type = (int)guess_type(c);
	*ret_key = "type";
	if (c->forge.type == FORGE_GITHUB || c->forge.type == FORGE_GITEA) {
		if (c->forge.token)
			return fill_address(c, ret_key, e);
		return err_set(e, ERR_CONFIG, "needs forge.token, which may set commit statuses");
	}
	/* What nobody would look at is a mistake. */
	*ret_key = find_rest_key(c);
	if (!*ret_key)
		return 0;
	return err_set(e, ERR_CONFIG, "%s; set forge.type to github or gitea",
		is_guess ? "which forge it is for cannot be told from source.url"
			 : "is of no use with this forge.type");
}
