/* Settings as JSON, and what requests may do to them. */
#include "server/settings.h"

#include <string.h>

#include "base/text.h"
#include "doc/json.h"

const char *settings_write(struct arena *a, const struct spec *spec)
{
	auto_buf struct buf json = BUF_INIT;
	struct node *map = node_map(a);

	for (enum spec_field f = 0; f < SPEC__COUNT; f++)
		node_map_set(a, map, spec_fields[f].name, spec_value_wire(a, f, spec->value[f]));
	json_write(&json, map, JSON_STYLE_COMPACT);
	return arena_memdupz(a, buf_str(&json), json.len);
}

int settings_read(struct arena *a, const char *json, struct spec *ret_spec, struct err *e)
{
	const struct field_place place = {.arena = a, .path = ""};
	struct problems problems = PROBLEMS_INIT;
	struct node *root;
	int rc = json_read(a, json, strlen(json), &root, e);

	if (rc == 0 && !spec_decode(root, &place, false, ret_spec, &problems))
		rc = err_set(e, ERR_INTERNAL, "stored settings do not read: %s: %s",
			problems.at[0].path, problems.at[0].message);
	problems_release(&problems);
	return rc;
}

static const char *find_servers(
	const struct config *config, const struct node *kafka_id, const struct node *details)
{
	const struct cluster_config *cluster = NULL;

	if (kafka_id && kafka_id->type == NODE_STRING)
		cluster = config_cluster(config, kafka_id->u.string.s);
	return cluster ? cluster->bootstrap_servers : node_get_string(details, "bootstrap_servers");
}

static void write_end(struct buf *out, const char *name, const char *servers)
{
	buf_addf(out, "\"%s\":", name);
	if (servers)
		json_write_string(out, servers);
	else
		buf_adds(out, "null");
}

const char *settings_endpoints(
	struct arena *a, const struct config *config, const struct spec *spec)
{
	auto_buf struct buf json = BUF_INIT;
	const struct node *const *v = spec->value;

	buf_addc(&json, '{');
	write_end(&json, "source",
		find_servers(config, v[SPEC_SOURCE_KAFKA_ID], v[SPEC_SOURCE_CONNECTION_DETAILS]));
	buf_addc(&json, ',');
	write_end(&json, "destination",
		find_servers(config, v[SPEC_DESTINATION_KAFKA_ID],
			v[SPEC_DESTINATION_CONNECTION_DETAILS]));
	buf_addc(&json, '}');
	return arena_memdupz(a, buf_str(&json), json.len);
}

static void check_cluster(const struct config *config, const struct spec *spec,
	enum spec_field field, struct problems *problems)
{
	const struct cluster_config *clusters = config->clusters.at;
	const struct node *id = spec->value[field];
	VEC(const char *) known = VEC_INIT;

	if (config->clusters.n == 0 || spec_value_empty(id) || id->type != NODE_STRING ||
		config_cluster(config, id->u.string.s))
		return;
	for (size_t i = 0; i < config->clusters.n; i++)
		vec_push(&known, clusters[i].id);
	const char *near = text_suggest(id->u.string.s, known.at, known.n);
	problems_add(problems, PROBLEM_ERROR, NULL, 0, 0, spec_fields[field].name,
		"no Kafka cluster has the id \"%s\"; %s%s", id->u.string.s,
		near ? "did you mean " : "the server's configuration lists those there are",
		near ? near : "");
	vec_release(&known);
}

static bool check_all(const struct config *config, struct arena *a, const struct spec *spec,
	struct problems *problems)
{
	const struct field_place place = {.arena = a, .path = ""};

	spec_check(spec, &place, problems);
	check_cluster(config, spec, SPEC_SOURCE_KAFKA_ID, problems);
	check_cluster(config, spec, SPEC_DESTINATION_KAFKA_ID, problems);
	return problems->n_errors == 0;
}

bool settings_create(const struct config *config, struct arena *a, const struct node *body,
	struct spec *ret_spec, struct problems *problems)
{
	const struct field_place place = {.arena = a, .path = ""};

	return spec_decode(body, &place, false, ret_spec, problems) &&
	       check_all(config, a, ret_spec, problems);
}

/* Takes one field of a PATCH; true if it means something else than before. */
static bool take_field(const struct spec *current, enum spec_field field, struct spec *change,
	struct problems *problems)
{
	const struct spec_field_info *info = &spec_fields[field];
	const struct node *value = change->value[field];

	if (!value || spec_value_equal(field, current->value[field], value))
		return false;
	if (info->immutable)
		problems_add(problems, PROBLEM_ERROR, NULL, 0, 0, info->name,
			"cannot be changed; delete the replicator and create it anew");
	else if (value->type == NODE_NULL && info->reset == SPEC_RESET_NOT)
		problems_add(problems, PROBLEM_ERROR, NULL, 0, 0, info->name, "must not be null");
	return true;
}

bool settings_change(const struct config *config, struct arena *a, const struct spec *current,
	const struct node *body, struct spec *ret_spec, bool *ret_changed,
	struct problems *problems)
{
	const struct field_place place = {.arena = a, .path = ""};
	struct spec change;
	bool changed = false;

	if (!spec_decode(body, &place, false, &change, problems))
		return false;
	for (enum spec_field f = 0; f < SPEC__COUNT; f++)
		changed |= take_field(current, f, &change, problems);
	if (problems->n_errors)
		return false;
	*ret_changed = changed;
	*ret_spec = changed ? spec_merge(current, &change) : *current;
	return !changed || check_all(config, a, ret_spec, problems);
}
