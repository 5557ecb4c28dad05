/* The catalog: parsed files go in, replicators and problems come out. */
#include "model/catalog.h"

#include <stdatomic.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "doc/yaml.h"
#include "model/catalog_parts.h"

/* Nothing in it knows the file's name. */
struct parsed_file {
	atomic_uint refs;
	struct arena arena;
	struct problems problems;
	struct {
		VEC_FIELDS(struct document *);
	} documents;
	size_t n_bytes; /* of the text */
	size_t n_lost; /* documents of which nobody knows what they declare */
	bool broken; /* does not parse */
	bool lost_defaults; /* and they may have been Defaults */
};

static void decode_documents(struct parsed_file *f, struct yaml_docs *docs)
{
	const struct field_place place = {.arena = &docs->arena, .path = ""};

	vec_each (it, docs) {
		struct document *d =
			document_decode(&f->arena, *it, &place, &f->lost_defaults, &f->problems);

		if (d)
			vec_push(&f->documents, d);
		else
			f->n_lost++;
	}
}

struct parsed_file *parsed_file_new(const char *text, size_t len)
{
	struct parsed_file *f = xcalloc(1, sizeof(*f));
	struct yaml_docs docs = YAML_DOCS_INIT;

	atomic_init(&f->refs, 1);
	f->n_bytes = len;
	f->broken = yaml_parse(NULL, text, len, &docs, &f->problems) < 0;
	f->lost_defaults = f->broken && defaults_mentioned(text, len);
	decode_documents(f, &docs);
	yaml_docs_release(&docs);
	return f;
}

struct parsed_file *parsed_file_ref(struct parsed_file *f)
{
	atomic_fetch_add_explicit(&f->refs, 1, memory_order_relaxed);
	return f;
}

size_t parsed_file_bytes(const struct parsed_file *f)
{
	return f->n_bytes;
}

void parsed_file_unref(struct parsed_file *f)
{
	if (!f || atomic_fetch_sub_explicit(&f->refs, 1, memory_order_acq_rel) > 1)
		return;
	vec_each (it, &f->documents)
		document_release(*it);
	vec_release(&f->documents);
	arena_release(&f->arena);
	problems_release(&f->problems);
	free(f);
}

struct catalog *catalog_new(void)
{
	struct catalog *c = xcalloc(1, sizeof(*c));

	c->parts = xcalloc(1, sizeof(*c->parts));
	return c;
}

static void free_parts(struct catalog_parts *parts)
{
	vec_each (it, &parts->files)
		parsed_file_unref(*it);
	vec_release(&parts->files);
	vec_release(&parts->replicators);
	map_release(&parts->clusters);
	map_release(&parts->defaults);
	map_release(&parts->nearest);
	vec_release(&parts->origins);
	vec_release(&parts->origin_files);
	map_release(&parts->shared);
	free(parts);
}

void catalog_free(struct catalog *c)
{
	if (!c)
		return;
	free_parts(c->parts);
	map_release(&c->by_name);
	map_release(&c->declared_twice);
	problems_release(&c->problems);
	arena_release(&c->arena);
	free(c);
}

void replicator_fail(
	struct catalog *c, struct replicator *r, const struct problems *found, size_t from)
{
	auto_buf struct buf text = BUF_INIT;

	c->n_failed += !r->failed;
	r->failed = true;
	while (from < found->n && found->at[from].level != PROBLEM_ERROR)
		from++;
	if (r->failure || from >= found->n)
		return;
	struct problem first = found->at[from];
	if (!first.file)
		first.file = arena_strdup(&c->arena, r->file);
	problem_format(&first, &text);
	r->failure = arena_strdup(&c->arena, buf_str(&text));
}

unsigned origin_add(
	struct catalog *c, enum origin_kind kind, const char *file, const struct document *d)
{
	struct catalog_parts *parts = c->parts;

	if (parts->origins.n == 0) { /* what a document says itself has no number */
		vec_push(&parts->origins, (struct origin){.kind = ORIGIN_DOCUMENT});
		vec_push(&parts->origin_files, NULL);
	}
	vec_push(&parts->origins,
		(struct origin){.kind = kind, .name = d->name, .file = file, .line = d->line});
	vec_push(&parts->origin_files, file);
	return (unsigned)parts->origins.n - 1;
}

void complain_of_twin(struct catalog *c, const char *path, const char *what, const char *file,
	const struct document *d, const char *other_file, const struct document *other)
{
	problems_add(&c->problems, PROBLEM_ERROR, file, d->line, d->col, path,
		"%s here and in %s:%u:%u too: rename or remove one of them", what, other_file,
		other->line, other->col);
}

/* Each missing name would otherwise be compared with each declared one. */
#define COMPARED_MAX 200000

const char *nearest_key(
	struct catalog *c, const char *word, const struct map *names, const char *but)
{
	VEC(const char *) list = VEC_INIT;

	c->parts->n_compared += map_size(names);
	if (c->parts->n_compared > COMPARED_MAX && c->parts->n_compared > map_size(names))
		return NULL;
	for (size_t i = 0; i < map_size(names); i++)
		if (!but || strcmp(map_key(names, i), but) != 0)
			vec_push(&list, map_key(names, i));
	const char *near = text_suggest(word, list.at, list.n);
	vec_release(&list);
	return near;
}

/* Neither of two documents with one name is used: nobody can tell which was meant. */
static void add_twin(struct catalog *c, struct replicator *first, struct replicator *r)
{
	auto_free char *what = xasprintf("\"%s\" is declared", r->name);

	if (!map_has(&c->declared_twice, r->name))
		complain_of_twin(c, "metadata.name", what, first->file, first->document, r->file,
			r->document);
	map_put(&c->declared_twice, r->name, first);
	replicator_fail(c, first, &c->problems, c->problems.last);
	complain_of_twin(
		c, "metadata.name", what, r->file, r->document, first->file, first->document);
	replicator_fail(c, r, &c->problems, c->problems.last);
}

static void add_replicator(struct catalog *c, const char *file, const struct document *d)
{
	const struct parsed_file *f = c->parts->files.at[c->parts->files.n - 1];
	struct replicator *r = arena_alloc(&c->arena, sizeof(*r)), *first;

	*r = (struct replicator){
		.name = d->name,
		.spec = d->layer.spec,
		.sync = d->sync,
		.labels = d->labels,
		.file = file,
		.line = d->line,
		.col = d->col,
		.document = d,
		.layer = &d->layer,
	};
	vec_push(&c->parts->replicators, r);
	if (d->failed)
		replicator_fail(c, r, &f->problems, d->first_problem);
	if (!r->name) {
		c->parts->names_unknown = true;
		return;
	}
	first = map_get(&c->by_name, r->name);
	if (first)
		add_twin(c, first, r);
	else
		map_put(&c->by_name, r->name, r);
}

void catalog_add(struct catalog *c, const char *path, struct parsed_file *parsed)
{
	static void (*const add[])(struct catalog *, const char *, const struct document *) = {
		[DOCUMENT_REPLICATOR] = add_replicator,
		[DOCUMENT_CLUSTER] = cluster_add,
		[DOCUMENT_DEFAULTS] = defaults_add,
	};
	const char *file = arena_strdup(&c->arena, path);

	c->n_files++;
	c->n_failed += parsed->n_lost;
	vec_push(&c->parts->files, parsed_file_ref(parsed));
	if (parsed->broken || parsed->n_lost > 0)
		c->parts->names_unknown = true;
	if (parsed->lost_defaults)
		defaults_add_unreadable(c, file);
	vec_each (it, &parsed->problems)
		problems_add(&c->problems, it->level, file, it->line, it->col, it->path, "%s",
			it->message);
	vec_each (it, &parsed->documents)
		add[(*it)->kind](c, file, *it);
}

void catalog_add_unreadable(struct catalog *c, const char *path, const char *why)
{
	c->n_files++;
	c->parts->names_unknown = true;
	if (defaults_named(path))
		defaults_add_unreadable(c, arena_strdup(&c->arena, path));
	problems_add(&c->problems, PROBLEM_ERROR, path, 0, 0, "", "%s", why);
}

void catalog_finish(struct catalog *c)
{
	defaults_join(c);
	clusters_join(c);
	vec_each (it, &c->parts->replicators)
		replicator_finish(c, *it);
	depends_check(c);
	shared_tell(c);
	overlap_warn(c);
	problems_sort(&c->problems);
	c->complete = c->problems.n_errors == 0;
}
