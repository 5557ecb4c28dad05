/* Keys that are of no use because of what others say: whoever wrote one expects something of it. */
#include <string.h>
#include <strings.h>

#include "base/alloc.h"
#include "config/tables.h"
#include "source/location.h"

static bool is_https(const char *url)
{
	return url && strncasecmp(url, "https://", strlen("https://")) == 0;
}

/* What cannot be read is told elsewhere, and of use for all that is known. */
static bool source_is_no(const struct config *c, enum location_kind kind)
{
	struct location location;
	struct err e = ERR_INIT;

	if (location_parse(c->source.url, &location, &e) < 0)
		return false;
	bool other = location.kind != kind;
	location_release(&location);
	return other;
}

static bool source_is_not_http(const struct config *c)
{
	return source_is_no(c, LOCATION_HTTP);
}

static bool source_is_not_ssh(const struct config *c)
{
	return source_is_no(c, LOCATION_SSH);
}

static bool source_is_not_https(const struct config *c)
{
	return !is_https(c->source.url);
}

static bool source_has_no_token(const struct config *c)
{
	return !c->source.token;
}

static bool api_is_not_https(const struct config *c)
{
	return !is_https(c->api.url);
}

static bool has_rest_forge(const struct config *c)
{
	return c->forge.type == FORGE_GITHUB || c->forge.type == FORGE_GITEA;
}

static bool forge_is_not_rest(const struct config *c)
{
	return !has_rest_forge(c);
}

static bool forge_is_not_https(const struct config *c)
{
	return has_rest_forge(c) && !is_https(c->forge.url);
}

static bool forge_is_not_notes(const struct config *c)
{
	return c->forge.type != FORGE_NOTES;
}

static bool nothing_listens(const struct config *c)
{
	return !c->http.listen[0];
}

static bool is_not_pruned(const struct config *c)
{
	return !c->sync.prune.enabled;
}

#define TAKE_OUT	 "or take this out"
#define FOR_HTTPS(url)	 "is for https, and " url " is not: write https:// there, " TAKE_OUT
#define FOR_SSH		 "is for ssh, and source.url is not: write ssh:// there, " TAKE_OUT
#define FOR_A_REST_FORGE "is of no use with this forge.type; set that to github or gitea, " TAKE_OUT
#define FOR_A_LISTENER	 "is of no use where nothing listens: set http.listen, " TAKE_OUT

static const struct {
	const char *section;
	const char *key;
	bool (*is_useless)(const struct config *c);
	enum problem_level level;
	const char *message;
} rows[] = {
	{"source", "token", source_is_not_http, PROBLEM_ERROR,
		"is sent over http(s), and source.url is for something else: write https:// "
		"there, " TAKE_OUT},
	{"source", "user", source_has_no_token, PROBLEM_ERROR,
		"is sent with source.token, and there is none: add it, " TAKE_OUT},
	{"source", "ca_file", source_is_not_https, PROBLEM_ERROR, FOR_HTTPS("source.url")},
	{"source", "ssh_key", source_is_not_ssh, PROBLEM_ERROR, FOR_SSH},
	{"source", "known_hosts", source_is_not_ssh, PROBLEM_ERROR, FOR_SSH},
	{"api", "ca_file", api_is_not_https, PROBLEM_ERROR, FOR_HTTPS("api.url")},
	{"forge", "ca_file", forge_is_not_rest, PROBLEM_ERROR, FOR_A_REST_FORGE},
	{"forge", "ca_file", forge_is_not_https, PROBLEM_ERROR, FOR_HTTPS("forge.url")},
	{"forge", "timeout", forge_is_not_rest, PROBLEM_ERROR, FOR_A_REST_FORGE},
	{"forge", "ref", forge_is_not_notes, PROBLEM_ERROR,
		"is of no use with this forge.type; set that to notes, " TAKE_OUT},
	{"http", "public_url", nothing_listens, PROBLEM_ERROR, FOR_A_LISTENER},
	{"http", "public_url", forge_is_not_rest, PROBLEM_WARNING,
		"has no effect with this forge.type: neither notes nor the store keep a link"},
	{"http", "webhook_secret", nothing_listens, PROBLEM_ERROR, FOR_A_LISTENER},
};

static void tell(const struct config *c, struct problems *problems, enum problem_level level,
	const struct node *at, const char *path, const char *message)
{
	problems_add(problems, level, c->file, at->line, at->col, path, "%s", message);
}

/* With `enabled: false` beside it, it is there for the day on which that changes. */
static void check_grace(const struct config *c, const struct node *root, struct problems *problems)
{
	const struct node *prune = node_get(node_get(root, "sync"), "prune");
	const struct node *grace = node_get(prune, "grace");

	if (grace && !node_get(prune, "enabled") && is_not_pruned(c))
		tell(c, problems, PROBLEM_WARNING, grace, "sync.prune.grace",
			"has no effect, since nothing is deleted: prune.enabled is false unless it "
			"is set");
}

static const struct node *unused_of_store(const struct node *store, enum secret_store_type type)
{
	return node_get(store, type == SECRET_DIRECTORY ? "variable_prefix" : "root");
}

static void check_stores(const struct config *c, const struct node *root, struct problems *problems)
{
	const struct secret_store_config *stores = c->secrets.stores.at;
	const struct node *list = node_get(node_get(root, "secrets"), "stores");

	for (size_t i = 0; i < c->secrets.stores.n; i++) {
		const struct node *at = unused_of_store(list->u.seq.at[i], stores[i].type);
		bool is_directory = stores[i].type == SECRET_DIRECTORY;
		auto_free char *path = xasprintf(
			"secrets.stores[%zu].%s", i, is_directory ? "variable_prefix" : "root");

		if (at)
			tell(c, problems, PROBLEM_ERROR, at, path,
				is_directory ? "is for a store of type env: take it out"
					     : "is for a store of type directory: take it out");
	}
}

void config_check_use(const struct config *c, const struct node *root, struct problems *problems)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct node *at = node_get(node_get(root, rows[i].section), rows[i].key);

		if (!at || !rows[i].is_useless(c))
			continue;
		auto_free char *path = xasprintf("%s.%s", rows[i].section, rows[i].key);
		tell(c, problems, rows[i].level, at, path, rows[i].message);
	}
	check_grace(c, root, problems);
	check_stores(c, root, problems);
}
