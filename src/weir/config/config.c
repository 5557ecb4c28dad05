/* Reads weir.yaml and checks what a table cannot say. */
#include "config/config.h"

#include <string.h>

#include "base/fs.h"
#include "base/limits.h"
#include "base/text.h"
#include "config/tables.h"
#include "doc/yaml.h"
#include "httpd/httpd.h"
#include "net/http.h"
#include "source/location.h"

static void add(struct problems *problems, const struct config *c, const struct node *section,
	const char *key, const char *path, const char *message)
{
	const struct node_pair *pair = node_pair(section, key);
	unsigned line = pair ? pair->value->line : 0;
	unsigned col = pair ? pair->value->col : 0;
	problems_add(problems, PROBLEM_ERROR, c->file, line, col, path, "%s", message);
}

static bool name_valid(const char *name)
{
	size_t n = strlen(name);
	return n >= 1 && n <= 63 && strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == n;
}

static void check_ssh_file(struct config *c, const struct node *section, const char *key,
	const char *file, struct problems *problems)
{
	auto_free char *path = xasprintf("source.%s", key);
	if (file && (file[0] != '/' || strpbrk(file, "%$\"\\")))
		add(problems, c, section, key, path,
			"must be an absolute path without any of % $ \" \\, which ssh would "
			"expand");
}

static void check_source(struct config *c, const struct node *root, struct problems *problems)
{
	const struct node *section = node_get(root, "source");
	struct location location;
	struct err e = ERR_INIT;
	if (location_parse(c->source.url, &location, &e) < 0)
		add(problems, c, section, "url", "source.url", e.msg);
	else
		location_release(&location);
	check_ssh_file(c, section, "ssh_key", c->source.ssh_key, problems);
	check_ssh_file(c, section, "known_hosts", c->source.known_hosts, problems);
	if (c->source.path[0] == '/' || text_has_suffix(c->source.path, "/") ||
		strstr(c->source.path, ".."))
		add(problems, c, section, "path", "source.path",
			"must be a folder inside the repository, without a slash at either end and "
			"without \"..\"");
	if (!c->source.branch[0] || strspn(c->source.branch, "-") ||
		strpbrk(c->source.branch, " ~^:?*[\\\t\n"))
		add(problems, c, section, "branch", "source.branch",
			"is no branch name that Git would take");
}

/* As it is copied from the documentation of a call. */
static bool has_organizations(const char *url)
{
	static const char segment[] = "/organizations";
	const char *path = strchr(strstr(url, "://") + strlen("://"), '/');
	for (const char *at = path; at && (at = strstr(at, segment)); at++)
		if (at[strlen(segment)] == '/' || !at[strlen(segment)])
			return true;
	return false;
}

static void check_api(struct config *c, const struct node *root, struct problems *problems)
{
	const struct node *section = node_get(root, "api");
	struct err e = ERR_INIT;
	if (url_check_http(c->api.url, &e) < 0)
		add(problems, c, section, "url", "api.url", e.msg);
	else if (strpbrk(c->api.url, "?#"))
		add(problems, c, section, "url", "api.url",
			"must end with its path: calls add to it, so take out what begins with ? "
			"or #");
	else if (has_organizations(c->api.url))
		add(problems, c, section, "url", "api.url",
			"must end before /organizations: calls add that, with api.organization");
	auto_buf struct buf path = BUF_INIT;
	err_clear(&e);
	if (url_add_segment(&path, c->api.organization, &e) < 0)
		add(problems, c, section, "organization", "api.organization", e.msg);
}

static void check_stores(struct config *c, const struct node *root, struct problems *problems)
{
	const struct secret_store_config *stores = c->secrets.stores.at;
	const struct node *list = node_get(node_get(root, "secrets"), "stores");
	for (size_t i = 0; i < c->secrets.stores.n; i++) {
		const struct node *at = list->u.seq.at[i];
		auto_free char *place = xasprintf("secrets.stores[%zu]", i);
		if (stores[i].type == SECRET_DIRECTORY &&
			(!stores[i].root || stores[i].root[0] != '/'))
			problems_add(problems, PROBLEM_ERROR, c->file, at->line, at->col, place,
				"a directory store needs `root`, an absolute folder such as "
				"/etc/weir/secrets");
		for (size_t k = 0; k < i; k++)
			if (secret_prefix_same(stores[i].prefix, stores[k].prefix))
				problems_add(problems, PROBLEM_ERROR, c->file, at->line, at->col,
					place,
					"two stores have the prefix \"%s\"; give each its own",
					stores[i].prefix);
	}
}

static void check_forge(struct config *c, const struct node *root, struct problems *problems)
{
	const struct node *section = node_get(root, "forge");
	const char *key = NULL;
	struct err e = ERR_INIT;
	if (c->forge.ref && !text_has_prefix(c->forge.ref, "refs/notes/"))
		add(problems, c, section, "ref", "forge.ref", "must begin with refs/notes/");
	if (config_find_forge(c, &key, &e) < 0) {
		auto_free char *path = xasprintf("forge.%s", key);
		add(problems, c, section, key, path, e.msg);
	}
}

static void check_http(struct config *c, const struct node *root, struct problems *problems)
{
	struct err e = ERR_INIT;
	if (c->http.listen[0] && httpd_check_address(c->http.listen, &e) < 0)
		add(problems, c, node_get(root, "http"), "listen", "http.listen", e.msg);
	err_clear(&e);
	if (c->http.public_url && url_check_http(c->http.public_url, &e) < 0)
		add(problems, c, node_get(root, "http"), "public_url", "http.public_url", e.msg);
}

static void check(struct config *c, const struct node *root, struct problems *problems)
{
	if (!name_valid(c->name))
		add(problems, c, root, "name", "name",
			"must be 1 to 63 lower-case letters, digits and dashes: it stands in every "
			"status");
	if (c->state[0] != '/')
		add(problems, c, root, "state", "state",
			"must be an absolute folder, such as /var/lib/weir");
	check_source(c, root, problems);
	check_api(c, root, problems);
	check_stores(c, root, problems);
	check_http(c, root, problems);
	check_forge(c, root, problems);
	config_check_sync(c, root, problems);
	config_check_use(c, root, problems);
	if (!c->forge.ref)
		c->forge.ref = arena_printf(&c->arena, "refs/notes/weir/%s", c->name);
}

/* The one document of the file, copied into the configuration's arena, or NULL. */
static struct node *read_document(struct config *c, const char *file, struct problems *problems)
{
	auto_buf struct buf text = BUF_LIMIT(LIMIT_CONFIG_BYTES);
	struct err e = ERR_INIT;
	if (fs_read(file, &text, &e) < 0) {
		problems_add(problems, PROBLEM_ERROR, NULL, 0, 0, "", "%s; name %s", e.msg,
			e.code == ERR_NOT_FOUND ? "it with -c FILE, or make one with `weir init`"
						: "another with -c FILE");
		return NULL;
	}
	struct yaml_docs docs = YAML_DOCS_INIT;
	struct node *root = NULL;
	if (yaml_parse(file, buf_str(&text), text.len, &docs, problems) == 0) {
		if (docs.n == 1)
			root = node_copy(&c->arena, docs.at[0]);
		else
			problems_add(problems, PROBLEM_ERROR, file, 0, 0, "",
				docs.n ? "holds more than one document; give each configuration a "
					 "file"
				       : "is empty; `weir init` writes one to start from");
	}
	yaml_docs_release(&docs);
	return root;
}

struct config *config_load(const char *file, struct problems *problems)
{
	struct config *c = xcalloc(1, sizeof(*c));
	c->file = arena_strdup(&c->arena, file);
	size_t errors = problems->n_errors;
	const struct node *root = read_document(c, file, problems);
	if (root) {
		const struct field_place place = {.arena = &c->arena, .file = c->file, .path = ""};
		if (fields_decode(config_fields, root, &place, c, problems))
			check(c, root, problems);
	}
	problems_sort(problems);
	if (problems->n_errors == errors)
		return c;
	config_free(c);
	return NULL;
}

void config_free(struct config *c)
{
	if (!c)
		return;
	windows_free(c->sync.windows);
	arena_release(&c->arena);
	free(c);
}

struct secret_stores *config_secret_stores(const struct config *c)
{
	return secret_stores_new(c->secrets.stores.at, c->secrets.stores.n);
}

void config_mdoc(struct buf *out)
{
	fields_mdoc(config_fields, "", out);
}

struct node *config_schema(struct arena *a)
{
	struct node *schema = fields_schema(a, config_fields);

	node_map_set(a, schema, "$schema",
		node_string(a, "https://json-schema.org/draft/2020-12/schema"));
	node_map_set(a, schema, "title", node_string(a, "weir.yaml"));
	return schema;
}
