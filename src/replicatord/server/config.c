/* Reads replicatord.yaml and checks what a table cannot say. */
#include "server/config.h"

#include <string.h>

#include "base/fs.h"
#include "base/limits.h"
#include "base/map.h"
#include "doc/yaml.h"
#include "httpd/httpd.h"
#include "model/spec.h"

#define SECOND ((int64_t)1000)
#define HOUR   (3600 * SECOND)

static const char *const access_words[] = {"read", "write", NULL};
static const char *const level_words[] = {"debug", "info", "warn", "error", NULL};
static const char *const format_words[] = {"text", "json", NULL};

static const struct field token_fields[] = {
	{.name = "name",
		.type = FIELD_STRING,
		.flags = FIELD_REQUIRED,
		.offset = offsetof(struct token_config, name),
		.doc = "Who uses it; appears in the log."},
	{.name = "token",
		.type = FIELD_STRING,
		.flags = FIELD_REQUIRED | FIELD_SECRET,
		.offset = offsetof(struct token_config, token),
		.doc = "Where the token is: env:NAME, file:PATH or systemd:NAME. Read at start and "
		       "on "
		       "SIGHUP; only its hash is stored."},
	{.name = "access",
		.type = FIELD_CHOICE,
		.choices = access_words,
		.def = "read",
		.offset = offsetof(struct token_config, access),
		.doc = "read or write. A read token gets 403 for anything that changes something."},
	{.name = NULL},
};

static const struct field organization_fields[] = {
	{.name = "name",
		.type = FIELD_STRING,
		.flags = FIELD_REQUIRED,
		.offset = offsetof(struct organization_config, name),
		.doc = "The organization's identifier, as it stands in URLs."},
	{.name = "tokens",
		.type = FIELD_LIST,
		.flags = FIELD_REQUIRED,
		.sub = token_fields,
		.sub_size = sizeof(struct token_config),
		.offset = offsetof(struct organization_config, tokens),
		.doc = "Who may use the API for this organization."},
	{.name = NULL},
};

static const struct field simulate_fields[] = {
	{.name = "delay",
		.type = FIELD_DURATION,
		.def = "2s",
		.max = HOUR,
		.offset = offsetof(struct simulate_config, delay_ms),
		.doc = "How long provisioning, updating and deleting take."},
	{.name = "fail",
		.type = FIELD_STRINGS,
		.flags = FIELD_ONE_OK,
		.offset = offsetof(struct simulate_config, fail),
		.doc = "Shell patterns over identifiers: what matches ends in Error."},
	{.name = NULL},
};

static const struct field fleet_fields[] = {
	{.name = "name",
		.type = FIELD_STRING,
		.flags = FIELD_REQUIRED,
		.offset = offsetof(struct fleet_config, name),
		.doc = "The fleet's identifier, as it stands in URLs."},
	{.name = "runner",
		.type = FIELD_CHOICE,
		.flags = FIELD_REQUIRED,
		.choices = runner_names,
		.offset = offsetof(struct fleet_config, runner),
		.doc = "What carries out the replication. simulate moves no data."},
	{.name = "capacity",
		.type = FIELD_INT,
		.def = "100",
		.min = 1,
		.max = 1000000,
		.offset = offsetof(struct fleet_config, capacity),
		.doc = "How many replicators it takes, drafts included."},
	{.name = "providers",
		.type = FIELD_STRINGS,
		.flags = FIELD_ONE_OK,
		.offset = offsetof(struct fleet_config, providers),
		.doc = "Which providers it serves. Default: all that its runner can serve."},
	{.name = "simulate",
		.type = FIELD_MAP,
		.sub = simulate_fields,
		.offset = offsetof(struct fleet_config, simulate),
		.doc = "Settings of the runner simulate."},
	{.name = "connect",
		.type = FIELD_NODE,
		.flags = FIELD_NOT_BUILT,
		.offset = offsetof(struct fleet_config, not_built),
		.doc = "Settings of the runner connect."},
	{.name = NULL},
};

static const struct field cluster_fields[] = {
	{.name = "id",
		.type = FIELD_STRING,
		.flags = FIELD_REQUIRED,
		.offset = offsetof(struct cluster_config, id),
		.doc = "What source_kafka_id and destination_kafka_id name."},
	{.name = "bootstrap_servers",
		.type = FIELD_STRING,
		.flags = FIELD_REQUIRED,
		.offset = offsetof(struct cluster_config, bootstrap_servers),
		.doc = "Where it is, as host:port,host:port."},
	{.name = "security_protocol",
		.type = FIELD_NODE,
		.flags = FIELD_NOT_BUILT,
		.offset = offsetof(struct cluster_config, not_built),
		.doc = "How to connect to it."},
	{.name = "sasl_mechanism",
		.type = FIELD_NODE,
		.flags = FIELD_NOT_BUILT,
		.offset = offsetof(struct cluster_config, not_built),
		.doc = "How to log in to it."},
	{.name = "secret_path",
		.type = FIELD_NODE,
		.flags = FIELD_NOT_BUILT,
		.offset = offsetof(struct cluster_config, not_built),
		.doc = "Where its credentials are."},
	{.name = NULL},
};

static const struct field log_fields[] = {
	{.name = "level",
		.type = FIELD_CHOICE,
		.choices = level_words,
		.def = "info",
		.offset = offsetof(struct config, log.level),
		.doc = "The least that is logged: debug, info, warn or error."},
	{.name = "format",
		.type = FIELD_CHOICE,
		.choices = format_words,
		.def = "text",
		.offset = offsetof(struct config, log.format),
		.doc = "text for people, json for machines."},
	{.name = NULL},
};

static const struct field config_fields[] = {
	{.name = "listen",
		.type = FIELD_STRING,
		.def = "127.0.0.1:8480",
		.offset = offsetof(struct config, listen),
		.doc = "Address and port. Port 0: the system chooses one, and it is printed."},
	{.name = "data",
		.type = FIELD_STRING,
		.def = "/var/lib/replicatord",
		.offset = offsetof(struct config, data),
		.doc = "The folder of the database; made if it is not there."},
	{.name = "log",
		.type = FIELD_MAP,
		.sub = log_fields,
		.doc = "What goes to standard error."},
	{.name = "organizations",
		.type = FIELD_LIST,
		.flags = FIELD_REQUIRED,
		.sub = organization_fields,
		.sub_size = sizeof(struct organization_config),
		.offset = offsetof(struct config, organizations),
		.doc = "Who has replicators here; none sees another's."},
	{.name = "fleets",
		.type = FIELD_LIST,
		.flags = FIELD_REQUIRED,
		.sub = fleet_fields,
		.sub_size = sizeof(struct fleet_config),
		.offset = offsetof(struct config, fleets),
		.doc = "What runs them. A replicator goes to the first fleet that serves its "
		       "provider "
		       "and has room."},
	{.name = "clusters",
		.type = FIELD_LIST,
		.sub = cluster_fields,
		.sub_size = sizeof(struct cluster_config),
		.offset = offsetof(struct config, clusters),
		.doc = "The Kafka clusters that have an id. Without any, every id is taken as it "
		       "is."},
	{.name = "compat",
		.type = FIELD_STRINGS,
		.flags = FIELD_ONE_OK,
		.offset = offsetof(struct config, compat_words),
		.doc = "What to leave out, to try clients against an API that has less: "
		       "no-observed-generation, no-uid, no-created-at, no-operation-state, "
		       "no-if-match "
		       "(the header is not looked at), or minimal, which is all of these."},
	{.name = "secrets",
		.type = FIELD_NODE,
		.flags = FIELD_NOT_BUILT,
		.offset = offsetof(struct config, not_built),
		.doc = "Secret stores."},
	{.name = NULL},
};

const char config_demo[] = "organizations: [{name: demo, tokens: [{name: demo, token: "
			   "\"env:STREAMTIME_TOKEN\", access: write}]}]\n"
			   "fleets: [{name: dev, runner: simulate, capacity: 1000}]\n";

/* A list of maps that each have a name, for checks across them. */
struct named_list {
	const char *path;
	const char *key;
	const struct node *list;
	bool in_url; /* the name stands in URLs */
};

static size_t length(const struct node *list)
{
	return list && list->type == NODE_SEQ ? list->u.seq.n : 0;
}

static void check_names(const struct named_list *named, const char *file, struct problems *problems)
{
	struct map seen = MAP_INIT;

	for (size_t i = 0; i < length(named->list); i++) {
		const struct node *name = node_get(named->list->u.seq.at[i], named->key);
		const char *text = name->u.string.s;
		auto_free char *path = xasprintf("%s[%zu].%s", named->path, i, named->key);

		if (map_has(&seen, text))
			problems_add(problems, PROBLEM_ERROR, file, name->line, name->col, path,
				"%s is there twice; give each its own", text);
		else if (!text[0])
			problems_add(problems, PROBLEM_ERROR, file, name->line, name->col, path,
				"must not be empty");
		else if (named->in_url && !identifier_valid(text))
			problems_add(problems, PROBLEM_ERROR, file, name->line, name->col, path,
				"\"%s\" must be 1 to 63 lower-case letters, digits and dashes, "
				"beginning and "
				"ending with a letter or digit",
				text);
		map_put(&seen, text, NULL);
	}
	map_release(&seen);
}

static bool serves(const struct runner_type *type, const char *provider)
{
	for (const char *const *p = type->providers; *p; p++)
		if (!strcmp(*p, provider))
			return true;
	return false;
}

static void check_providers(
	const struct fleet_config *fleet, size_t i, const char *file, struct problems *problems)
{
	const struct runner_type *type = runner_types[fleet->runner];

	for (size_t k = 0; fleet->providers && k < fleet->providers->u.seq.n; k++) {
		const struct node *provider = fleet->providers->u.seq.at[k];
		auto_free char *path = xasprintf("fleets[%zu].providers", i);

		if (!serves(type, provider->u.string.s))
			problems_add(problems, PROBLEM_ERROR, file, provider->line, provider->col,
				path, "the runner %s does not serve \"%s\"", type->name,
				provider->u.string.s);
	}
}

static void take_compat(struct config *c, const char *file, struct problems *problems)
{
	const struct node *words = c->compat_words;

	for (size_t i = 0; words && i < words->u.seq.n; i++) {
		const struct node *word = words->u.seq.at[i];
		struct err e = ERR_INIT;

		if (compat_add(&c->compat, word->u.string.s, &e) < 0)
			problems_add(problems, PROBLEM_ERROR, file, word->line, word->col, "compat",
				"%s", e.msg);
	}
}

static void check_listen(const struct config *c, const char *file, const struct node *root,
	struct problems *problems)
{
	const struct node *at = node_get(root, "listen");
	struct err e = ERR_INIT;

	if (at && httpd_check_address(c->listen, &e) < 0)
		problems_add(
			problems, PROBLEM_ERROR, file, at->line, at->col, "listen", "%s", e.msg);
}

/* Only once every map decoded, so each list is one and each name a string. */
static void check(const struct config *c, const char *file, const struct node *root,
	struct problems *problems)
{
	const struct fleet_config *fleets = c->fleets.at;
	const struct node *organizations = node_get(root, "organizations");
	const struct named_list top[] = {
		{"organizations", "name", organizations, true},
		{"fleets", "name", node_get(root, "fleets"), true},
		{"clusters", "id", node_get(root, "clusters"), false},
	};

	for (size_t i = 0; i < ARRAY_SIZE(top); i++) {
		check_names(&top[i], file, problems);
		if (top[i].in_url && length(top[i].list) == 0)
			problems_add(problems, PROBLEM_ERROR, file, top[i].list->line,
				top[i].list->col, top[i].path, "must not be empty");
	}
	for (size_t i = 0; i < length(organizations); i++) {
		auto_free char *path = xasprintf("organizations[%zu].tokens", i);
		const struct node *tokens = node_get(organizations->u.seq.at[i], "tokens");

		check_names(&(struct named_list){path, "name", tokens, false}, file, problems);
	}
	for (size_t i = 0; i < c->fleets.n; i++)
		check_providers(&fleets[i], i, file, problems);
	check_listen(c, file, root, problems);
}

struct config *config_parse(
	const char *file, const char *text, size_t len, struct problems *problems)
{
	struct config *c = xcalloc(1, sizeof(*c));
	struct yaml_docs docs = YAML_DOCS_INIT;
	size_t errors = problems->n_errors;

	if (yaml_parse(file, text, len, &docs, problems) == 0 && docs.n != 1)
		problems_add(problems, PROBLEM_ERROR, file, 0, 0, "",
			"must hold one document, and holds %zu", docs.n);
	if (problems->n_errors == errors) {
		const struct field_place place = {.arena = &c->arena, .file = file, .path = ""};
		const struct node *root = node_copy(&c->arena, docs.at[0]);

		if (fields_decode(config_fields, root, &place, c, problems)) {
			check(c, file, root, problems);
			take_compat(c, file, problems);
		}
	}
	yaml_docs_release(&docs);
	if (problems->n_errors == errors)
		return c;
	config_free(c);
	return NULL;
}

struct config *config_load(const char *file, struct problems *problems)
{
	auto_buf struct buf text = BUF_LIMIT(LIMIT_CONFIG_BYTES);
	struct err e = ERR_INIT;

	if (fs_read(file, &text, &e) == 0)
		return config_parse(file, buf_str(&text), text.len, problems);
	problems_add(problems, PROBLEM_ERROR, NULL, 0, 0, "", "%s%s", e.msg,
		e.code == ERR_NOT_FOUND ? "; name a configuration with -c FILE, or try --memory"
					: "");
	return NULL;
}

void config_free(struct config *c)
{
	if (!c)
		return;
	arena_release(&c->arena);
	free(c);
}

void config_mdoc(struct buf *out)
{
	fields_mdoc(config_fields, "", out);
}

const struct cluster_config *config_cluster(const struct config *c, const char *id)
{
	const struct cluster_config *clusters = c->clusters.at;

	for (size_t i = 0; i < c->clusters.n; i++)
		if (!strcmp(clusters[i].id, id))
			return &clusters[i];
	return NULL;
}
