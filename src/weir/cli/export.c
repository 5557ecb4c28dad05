/* From a live replicator to YAML, by way of what reads it. */
#include "cli/export.h"

#include <string.h>

#include "base/alloc.h"
#include "base/map.h"
#include "base/text.h"
#include "doc/yaml_write.h"
#include "model/catalog.h"
#include "plan/setting.h"

#define ROUNDS_MOST 100
#define FILE_NAME   "export"
#define NOT_SAME    "what it holds cannot be written so that it is read back as the same"

struct exporting {
	const struct live *live;
	struct map dropped; /* "topic_blacklist" or "advanced_configuration.KEY" to why, char * */
	bool hopeless;
	struct strv reasons; /* why it is */
};

static void drop(struct exporting *x, const char *path, const char *why)
{
	if (!map_has(&x->dropped, path))
		map_put(&x->dropped, path, xstrdup(why));
}

static char *key_path(enum spec_field f, const char *key)
{
	return xasprintf("%s.%s", spec_fields[f].name, key);
}

static bool is_dropped_key(const struct exporting *x, enum spec_field f, const char *key)
{
	auto_free char *path = key_path(f, key);
	return map_has(&x->dropped, path);
}

static bool is_config(enum spec_field f, const struct node *value)
{
	return spec_fields[f].kind == SPEC_KIND_CONFIG && value->type == NODE_MAP;
}

static bool says_something(const struct exporting *x, enum spec_field f)
{
	const struct node *value = x->live->spec.value[f];
	if (f == SPEC_IDENTIFIER || !value || spec_value_empty(value))
		return false;
	enum spec_field with = spec_fields[f].only_with;
	return !with || !spec_value_empty(x->live->spec.value[with]);
}

static bool is_written(const struct exporting *x, enum spec_field f)
{
	return says_something(x, f) && !map_has(&x->dropped, spec_fields[f].name);
}

static void drop_masked(struct exporting *x)
{
	for (enum spec_field f = 0; f < SPEC__COUNT; f++) {
		const struct node *value = x->live->spec.value[f];
		if (!says_something(x, f))
			continue;
		if (value_is_masked(f, value))
			drop(x, spec_fields[f].name, "the API masks it");
		for (size_t i = 0; is_config(f, value) && i < value->u.map.n; i++) {
			const struct node_pair *pair = &value->u.map.at[i];
			auto_free char *path = key_path(f, pair->key->u.string.s);
			if (value_is_masked(f, pair->value))
				drop(x, path, "the API masks it");
		}
	}
}

static void write_list(const struct node *value, struct buf *out)
{
	for (size_t i = 0; i < value->u.seq.n; i++) {
		buf_adds(out, "    - ");
		yaml_write_scalar(out, value->u.seq.at[i]);
		buf_addc(out, '\n');
	}
}

static void write_map(
	const struct exporting *x, enum spec_field f, const struct node *value, struct buf *out)
{
	for (size_t i = 0; i < value->u.map.n; i++) {
		const struct node_pair *pair = &value->u.map.at[i];
		if (is_dropped_key(x, f, pair->key->u.string.s))
			continue;
		buf_adds(out, "    ");
		yaml_write_scalar(out, pair->key);
		buf_adds(out, ": ");
		yaml_write_scalar(out, pair->value);
		buf_addc(out, '\n');
	}
}

static bool has_entries(const struct exporting *x, enum spec_field f, const struct node *value)
{
	for (size_t i = 0; i < value->u.map.n; i++)
		if (!is_dropped_key(x, f, value->u.map.at[i].key->u.string.s))
			return true;
	return false;
}

static void write_field(const struct exporting *x, enum spec_field f, struct buf *out)
{
	const struct node *value = x->live->spec.value[f];
	if (!is_written(x, f) || (value->type == NODE_MAP && !has_entries(x, f, value)))
		return;
	buf_addf(out, "  %s:", spec_fields[f].name);
	if (value->type == NODE_SEQ || value->type == NODE_MAP) {
		buf_addc(out, '\n');
		if (value->type == NODE_SEQ)
			write_list(value, out);
		else
			write_map(x, f, value, out);
		return;
	}
	buf_addc(out, ' ');
	yaml_write_scalar(out, value);
	buf_addc(out, '\n');
}

static void write_document(const struct exporting *x, struct buf *out)
{
	const char *name = x->live->identifier;
	buf_adds(out, "apiVersion: weir/v1\nkind: KafkaReplicator\nmetadata:\n  name: ");
	yaml_write_string(out, name, strlen(name));
	buf_adds(out, "\nspec:\n");
	for (enum spec_field f = 0; f < SPEC__COUNT; f++)
		write_field(x, f, out);
}

static void give_up(struct exporting *x, const char *path, const char *why)
{
	x->hopeless = true;
	strv_pushf(&x->reasons, "%s%s%s", path, path[0] ? ": " : "", why);
}

/* A problem of something that can be left out leaves it out; any other is the end. */
static void take_problem(struct exporting *x, const struct problem *p)
{
	const char *path = text_has_prefix(p->path, "spec.") ? p->path + strlen("spec.") : "";
	for (enum spec_field f = 0; f < SPEC__COUNT; f++) {
		size_t len = strlen(spec_fields[f].name);
		if (strncmp(path, spec_fields[f].name, len) != 0 || !is_written(x, f))
			continue;
		if (!path[len] || path[len] == '[') {
			drop(x, spec_fields[f].name, p->message);
			return;
		}
		if (path[len] != '.')
			continue;
		bool is_key = is_config(f, x->live->spec.value[f]) &&
			      node_get(x->live->spec.value[f], path + len + 1) &&
			      !map_has(&x->dropped, path);
		drop(x, is_key ? path : spec_fields[f].name, p->message);
		return;
	}
	give_up(x, p->path, p->message);
}

static void compare_config(struct exporting *x, enum spec_field f, const struct node *read)
{
	const struct node *value = x->live->spec.value[f];
	for (size_t i = 0; i < value->u.map.n; i++) {
		const struct node_pair *pair = &value->u.map.at[i];
		auto_free char *path = key_path(f, pair->key->u.string.s);
		if (!map_has(&x->dropped, path) &&
			!spec_setting_equal(pair->value, node_get(read, pair->key->u.string.s)))
			drop(x, path, NOT_SAME);
	}
}

static void compare(struct exporting *x, const struct replicator *read)
{
	for (enum spec_field f = 0; f < SPEC__COUNT; f++) {
		const struct node *value = x->live->spec.value[f];
		if (!is_written(x, f))
			continue;
		if (is_config(f, value))
			compare_config(x, f, read->spec.value[f]);
		else if (!spec_value_equal(f, value, read->spec.value[f]))
			drop(x, spec_fields[f].name, NOT_SAME);
	}
}

static void read_back(struct exporting *x, const struct buf *text)
{
	struct catalog *c = catalog_new();
	struct parsed_file *parsed = parsed_file_new(buf_str(text), text->len);
	catalog_add(c, FILE_NAME, parsed);
	catalog_finish(c);
	vec_each (p, &c->problems)
		if (p->level == PROBLEM_ERROR)
			take_problem(x, p);
	const struct replicator *read = map_get(&c->by_name, x->live->identifier);
	if (!c->problems.n_errors && !read)
		give_up(x, "metadata.name", NOT_SAME);
	else if (!c->problems.n_errors)
		compare(x, read);
	catalog_free(c);
	parsed_file_unref(parsed);
}

/* Leaves out more and more until what is left is read back as it is. */
static void settle(struct exporting *x, struct buf *out)
{
	size_t before;
	int rounds = 0;
	do {
		before = map_size(&x->dropped);
		buf_clear(out);
		write_document(x, out);
		read_back(x, out);
		if (++rounds == ROUNDS_MOST)
			give_up(x, "", NOT_SAME);
	} while (!x->hopeless && map_size(&x->dropped) != before);
}

static void add_comment(struct buf *out, const char *text)
{
	buf_adds(out, "# ");
	text_escape(out, text, strlen(text));
	buf_addc(out, '\n');
}

static void add_unknown(const struct live *live, struct buf *out)
{
	auto_buf struct buf names = BUF_INIT;
	for (size_t i = 0; live->unknown && i < live->unknown->u.seq.n; i++)
		buf_addf(&names, "%s%s", names.len ? ", " : "",
			live->unknown->u.seq.at[i]->u.string.s);
	if (!names.len)
		return;
	auto_free char *line =
		xasprintf("left out, since weir does not know it: %s", buf_str(&names));
	add_comment(out, line);
}

/* Also of one that cannot be declared: it may be why. */
static void add_dropped(struct exporting *x)
{
	for (size_t i = 0; i < map_size(&x->dropped); i++)
		strv_pushf(&x->reasons, "%s: %s", map_key(&x->dropped, i),
			(const char *)map_value(&x->dropped, i));
}

static void add_notes(struct exporting *x, struct buf *out)
{
	const struct live *live = x->live;
	add_dropped(x);
	vec_each (reason, &x->reasons) {
		auto_free char *line = xasprintf("left out: %s", *reason);
		add_comment(out, line);
	}
	add_unknown(live, out);
	if (live->has_observed && live->observed_generation < live->generation)
		add_comment(out,
			"its last generation was saved and may not have been provisioned: a plan "
			"may say so");
}

/* As a comment, line by line. */
static void write_hopeless(struct exporting *x, struct buf *out)
{
	auto_free char *line = xasprintf("%s cannot be declared in Git:", x->live->identifier);
	buf_clear(out);
	add_comment(out, line);
	add_dropped(x);
	vec_each (reason, &x->reasons) {
		auto_free char *indented = xasprintf("  %s", *reason);
		add_comment(out, indented);
	}
}

void export_live(const struct live *live, struct export *ret_export)
{
	struct exporting x = {.live = live, .dropped = MAP_INIT};
	*ret_export = (struct export){.text = BUF_INIT};
	drop_masked(&x);
	if (live->status == LIVE_DELETING)
		give_up(&x, "", "the API is deleting it");
	else
		settle(&x, &ret_export->text);
	if (x.hopeless)
		write_hopeless(&x, &ret_export->text);
	else
		add_notes(&x, &ret_export->text);
	ret_export->declares = !x.hopeless;
	ret_export->reasons = x.reasons;
	map_release_with(&x.dropped, free);
}

void export_release(struct export *x)
{
	buf_release(&x->text);
	strv_release(&x->reasons);
}
