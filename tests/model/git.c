/* Git: a row of commits, each with a whole tree; files are parsed once. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checks.h"

void git_sha(size_t commit, char ret_sha[SHA_MAX])
{
	snprintf(ret_sha, SHA_MAX, "%040zx", commit);
}

size_t git_find(const struct world *w, const char *sha)
{
	size_t n = strtoul(sha, NULL, 16);
	return n <= w->commits.n ? n : 0;
}

static void add_commit(struct world *w, size_t parent)
{
	size_t self = w->commits.n + 1;
	struct commit c = {.tree = w->draft, .parent = parent, .files = self};
	if (parent && !memcmp(&w->commits.at[parent - 1].tree, &c.tree, sizeof(c.tree)))
		c.files = w->commits.at[parent - 1].files;
	vec_push(&w->commits, c);
	w->head = self;
}

void git_push(struct world *w)
{
	add_commit(w, w->head);
}

void git_rewrite(struct world *w)
{
	add_commit(w, w->head ? git_commit(w, w->head)->parent : 0);
}

void git_rewind(struct world *w, int64_t n)
{
	for (; n > 0 && w->head && git_commit(w, w->head)->parent; n--)
		w->head = git_commit(w, w->head)->parent;
	if (w->head)
		w->draft = git_commit(w, w->head)->tree;
}

static enum source_relation relation_to(const struct world *w, const char *known)
{
	size_t old = known[0] ? git_find(w, known) : 0;
	if (!old)
		return SOURCE_FIRST;
	if (old == w->head)
		return SOURCE_SAME;
	for (size_t c = w->head; c; c = git_commit(w, c)->parent)
		if (c == old)
			return SOURCE_FORWARD;
	return SOURCE_REWOUND;
}

static void write_spec(struct buf *out, int who, const struct doc *d)
{
	struct body b;
	for (enum field_of f = 0; f < F__COUNT; f++)
		b.v[f] = doc_value(d, f);
	buf_adds(out, "spec: {");
	write_body(out, who, &b);
	for (enum field_of f = 0; f < F_KEYS; f++)
		if (d->v[f] == WRITTEN_NULL)
			buf_addf(out, ", \"%s\": null", field_rows[f].wire);
	buf_adds(out, "}\n");
}

static void write_list(struct buf *out, const char *key, unsigned bits, const char *const *words)
{
	const char *comma = "";
	if (!bits)
		return;
	buf_addf(out, "  %s: [", key);
	for (int i = 0; words[i]; i++) {
		if (!(bits >> i & 1))
			continue;
		buf_addf(out, "%s%s", comma, words[i]);
		comma = ", ";
	}
	buf_adds(out, "]\n");
}

static void write_sync(struct buf *out, const struct doc *d)
{
	const char *pointers[F__COUNT + 1] = {NULL};
	char text[F__COUNT][80];
	for (enum field_of f = 0; f < F__COUNT; f++) {
		snprintf(text[f], sizeof(text[f]), "/%s%s",
			f < F_KEYS ? "" : "advanced_configuration/", field_rows[f].wire);
		pointers[f] = text[f];
	}
	buf_adds(out, "sync:\n");
	buf_addf(out, "  protect: %s\n", d->protect ? "true" : "false");
	if (d->report || d->heal)
		buf_addf(out, "  mode: %s\n", d->report ? "report" : "heal");
	if (d->suspend)
		buf_adds(out, "  suspend: {reason: rest}\n");
	if (d->orphan)
		buf_adds(out, "  on_remove: orphan\n");
	if (d->replace)
		buf_adds(out, "  replace: true\n");
	write_list(out, "ignore", d->ignore, pointers);
	write_list(out, "depends_on", d->depends, who_names);
}

static void write_doc(struct buf *out, int who, const struct doc *d)
{
	buf_addf(out,
		"---\napiVersion: weir/v1\nkind: %s\nmetadata: {name: %s, labels: {team: %s}}\n",
		d->breakage == BREAKS_DOCUMENT ? "Replicator" : "KafkaReplicator", who_names[who],
		who % 2 ? "odd" : "even");
	write_spec(out, who, d);
	write_sync(out, d);
	if (d->breakage == BREAKS_FILE)
		buf_adds(out, "oh: [\n");
}

static void add_file(struct world *w, struct catalog *c, const char *path, const char *text)
{
	struct parsed_file *f = map_get(&w->parsed, text);
	if (!f) {
		f = parsed_file_new(text, strlen(text));
		map_put(&w->parsed, text, f);
	}
	catalog_add(c, path, f);
}

static struct catalog *read_tree(struct world *w, const struct tree *t)
{
	struct catalog *c = catalog_new();
	for (int who = 0; who < WHO__COUNT; who++) {
		const struct doc *d = &t->doc[who];
		if (!d->exists)
			continue;
		auto_buf struct buf text = BUF_INIT;
		write_doc(&text, who, d);
		auto_free char *path =
			xasprintf("%s%s.yaml", d->moved ? "moved/" : "", who_names[who]);
		add_file(w, c, path, buf_str(&text));
		if (d->breakage == BREAKS_TWICE)
			add_file(w, c, "twin.yaml", buf_str(&text));
	}
	catalog_finish(c);
	return c;
}

/* What weir is to make of it. */
static void note_read(struct world *w, const struct read_result *r)
{
	struct commit *c = &w->commits.at[w->head - 1];
	if (w->fresh && w->fresh == w->taken && !w->held)
		check_written(w, &git_commit(w, w->taken)->tree); /* it had the time */
	c->read = true;
	c->seen = c->seen && c->stores == w->stores_lost;
	c->stores = w->stores_lost;
	w->fresh = w->head;
	w->fresh_steps = 0;
	w->read = w->head;
	bool approved =
		w->followed.files && w->followed.from == w->taken && w->followed.files == c->files;
	w->held = r->head.relation == SOURCE_REWOUND && w->config.source.rewind == REWIND_HOLD &&
		  !approved;
	if (w->held)
		return;
	if (approved)
		w->followed.files = 0;
	c->taken = true;
	if (w->taken != w->head)
		c->head_tick = w->tick, w->updated = 0;
	w->taken = w->head;
	w->taken_here = true;
	check_taken(w, &c->tree);
	if (world_disk_full)
		check_written(w, &c->tree); /* it is known all the same, for now */
}

static struct read_result *read_head(struct world *w, const struct read_request *q)
{
	struct read_result *r = xcalloc(1, sizeof(*r));
	if (w->git_down) {
		err_retriable(&r->err, ERR_UNAVAILABLE, "the server is down");
		return r;
	}
	if (!w->head || w->branch_gone) {
		err_set(&r->err, ERR_NOT_FOUND, "there is no branch main");
		return r;
	}
	const struct commit *c = git_commit(w, w->head);
	git_sha(w->head, r->head.sha);
	snprintf(r->head.tree, sizeof(r->head.tree), "%040zx", c->files);
	snprintf(r->head.summary, sizeof(r->head.summary), "commit %zu", w->head);
	r->head.relation = relation_to(w, q->known);
	if (c->tree.path_gone) {
		r->head.tree[0] = '\0';
		err_set(&r->load_err, ERR_NOT_FOUND, "there is no folder replicators");
	} else if (!q->catalog || strcmp(q->tree, r->head.tree) != 0) {
		r->catalog = read_tree(w, &c->tree);
	}
	return r;
}

struct read_result *git_read(struct world *w, const struct read_request *q)
{
	struct read_result *r = read_head(w, q);
	if (r->err.code == ERR_OK)
		note_read(w, r);
	return r;
}

struct read_result *git_read_by_twin(struct world *w, const struct read_request *q)
{
	struct read_result *r = read_head(w, q);
	if (r->err.code == ERR_OK)
		w->twin.read = w->head;
	return r;
}

static void unref_file(void *file)
{
	parsed_file_unref(file);
}

void git_release(struct world *w)
{
	map_release_with(&w->parsed, unref_file);
	vec_release(&w->commits);
}
