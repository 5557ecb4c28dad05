/* The catalog: parsed files go in, replicators and problems come out. */
#include "model/catalog.h"

#include <stdatomic.h>
#include <string.h>

#include "base/alloc.h"
#include "doc/yaml.h"
#include "model/internal.h"

/* Nothing in it knows the file's name. */
struct parsed_file {
	atomic_uint refs;
	struct arena arena;
	struct problems problems;
	struct {
		VEC_FIELDS(struct replicator *);
	} replicators;
	size_t n_nameless; /* documents that failed so that there is no replicator */
};

struct parsed_files {
	VEC_FIELDS(struct parsed_file *);
};

/* Out of the tree, of which little else is needed later. */
static struct replicator *copy_replicator(struct arena *a, const struct replicator *r)
{
	struct replicator *copy = arena_alloc(a, sizeof(*copy));

	*copy = *r;
	copy->name = arena_strdup(a, r->name);
	copy->spec = spec_copy(a, &r->spec);
	copy->sync = sync_copy(a, &r->sync);
	if (r->labels)
		copy->labels = node_copy(a, r->labels);
	return copy;
}

static void decode_documents(struct parsed_file *f, struct yaml_docs *docs)
{
	const struct field_place place = {.arena = &docs->arena, .path = ""};

	vec_each (it, docs) {
		const struct replicator *r = document_decode(*it, &place, &f->problems);

		if (r)
			vec_push(&f->replicators, copy_replicator(&f->arena, r));
		else
			f->n_nameless++;
	}
}

struct parsed_file *parsed_file_new(const char *text, size_t len)
{
	struct parsed_file *f = xcalloc(1, sizeof(*f));
	struct yaml_docs docs = YAML_DOCS_INIT;

	atomic_init(&f->refs, 1);
	yaml_parse(NULL, text, len, &docs, &f->problems);
	decode_documents(f, &docs);
	yaml_docs_release(&docs);
	return f;
}

struct parsed_file *parsed_file_ref(struct parsed_file *f)
{
	atomic_fetch_add_explicit(&f->refs, 1, memory_order_relaxed);
	return f;
}

void parsed_file_unref(struct parsed_file *f)
{
	if (!f || atomic_fetch_sub_explicit(&f->refs, 1, memory_order_acq_rel) > 1)
		return;
	vec_release(&f->replicators);
	arena_release(&f->arena);
	problems_release(&f->problems);
	free(f);
}

struct catalog *catalog_new(void)
{
	struct catalog *c = xcalloc(1, sizeof(*c));

	c->files = xcalloc(1, sizeof(*c->files));
	return c;
}

void catalog_free(struct catalog *c)
{
	if (!c)
		return;
	vec_each (it, c->files)
		parsed_file_unref(*it);
	vec_release(c->files);
	free(c->files);
	map_release(&c->by_name);
	map_release(&c->declared_twice);
	problems_release(&c->problems);
	arena_release(&c->arena);
	free(c);
}

static void fail(struct catalog *c, struct replicator *r)
{
	c->n_failed += !r->failed;
	r->failed = true;
}

static void complain_of_twin(
	struct catalog *c, const struct replicator *r, const struct replicator *twin)
{
	problems_add(&c->problems, PROBLEM_ERROR, r->file, r->line, r->col, "metadata.name",
		"\"%s\" is declared here and in %s:%u:%u too: rename or remove one of them",
		r->name, twin->file, twin->line, twin->col);
}

/* Neither of two documents with one name is used: nobody can tell which was meant. */
static void add_replicator(struct catalog *c, struct replicator *r)
{
	struct replicator *first = map_get(&c->by_name, r->name);

	c->n_failed += r->failed;
	if (!first) {
		map_put(&c->by_name, r->name, r);
		return;
	}
	if (!map_has(&c->declared_twice, r->name))
		complain_of_twin(c, first, r);
	map_put(&c->declared_twice, r->name, first);
	complain_of_twin(c, r, first);
	fail(c, first);
	fail(c, r);
}

void catalog_add(struct catalog *c, const char *path, struct parsed_file *parsed)
{
	const char *file = arena_strdup(&c->arena, path);

	c->n_files++;
	c->n_failed += parsed->n_nameless;
	vec_push(c->files, parsed_file_ref(parsed));
	vec_each (it, &parsed->problems)
		problems_add(&c->problems, it->level, file, it->line, it->col, it->path, "%s",
			it->message);
	vec_each (it, &parsed->replicators) {
		struct replicator *r = arena_alloc(&c->arena, sizeof(*r));

		*r = **it;
		r->file = file;
		add_replicator(c, r);
	}
}

void catalog_add_unreadable(struct catalog *c, const char *path, const char *why)
{
	c->n_files++;
	problems_add(&c->problems, PROBLEM_ERROR, path, 0, 0, "", "%s", why);
}

void catalog_finish(struct catalog *c)
{
	overlap_warn(c);
	problems_sort(&c->problems);
	c->complete = c->problems.n_errors == 0;
}
