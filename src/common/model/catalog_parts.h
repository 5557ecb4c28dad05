/*
 * What a catalog is made of: all documents of its files, and how they come together. Catalog_finish
 * works in this order:
 *
 *	defaults_join, clusters_join     // once all documents are known
 *	replicator_finish, of each       // merged, resolved, checked
 *	shared_tell                      // problems outside of the documents that have them
 *	depends_check, overlap_warn      // replicators among themselves
 *
 * Parsed files are shared with other catalogs, under other paths. So what Defaults and clusters
 * bring is copied, once for each of them, with their number in node.origin; users share the copy.
 */
#ifndef MODEL_CATALOG_PARTS_H
#define MODEL_CATALOG_PARTS_H

#include "model/internal.h"

struct defaults { /* of one folder */
	const struct document *document; /* NULL: not to be read */
	const char *folder;
	const char *file;
	unsigned line; /* 0: the file as a whole */
	bool failed;
	bool joined;
	struct defaults *up; /* those of the next folder above that has any */
	const struct defaults *bad; /* the nearest that failed, this one included */
	struct layer own; /* with its origin */
	struct layer layer; /* own, over all above */
};

struct cluster {
	const char *name;
	const struct document *document;
	const char *file;
	bool failed;
	struct spec spec; /* of a source, with its origin */
};

struct catalog_parts {
	struct {
		VEC_FIELDS(struct parsed_file *);
	} files;
	struct {
		VEC_FIELDS(struct replicator *);
	} replicators; /* also those that are declared twice, or have no name */
	struct map clusters; /* struct cluster *, by name */
	struct map defaults; /* struct defaults *, by folder */
	struct map nearest; /* struct defaults *, by folder: those that were looked up */
	struct {
		VEC_FIELDS(struct origin);
	} origins; /* by node.origin, from 1 */
	struct {
		VEC_FIELDS(const char *);
	} origin_files; /* the same, for struct field_place */
	bool names_unknown; /* a file or a document does not say what it declares */
	struct map shared; /* by the problem's line */
	size_t n_compared; /* names, for a "did you mean" */
	size_t n_merged; /* keys of maps of Defaults that replicators have got */
};

/* catalog.c */
/* For the first error of `found` from `from` on, if it was kept. */
void replicator_fail(
	struct catalog *c, struct replicator *r, const struct problems *found, size_t from);
/* The next number for node.origin, of what `d` says. */
unsigned origin_add(
	struct catalog *c, enum origin_kind kind, const char *file, const struct document *d);
/* Two documents have one name, or one folder: a problem with the first. */
void complain_of_twin(struct catalog *c, const char *path, const char *what, const char *file,
	const struct document *d, const char *other_file, const struct document *other);
/* The key of a map that was meant by a word; NULL too once so many were looked at in this catalog
 * that nobody would read on. */
const char *nearest_key(
	struct catalog *c, const char *word, const struct map *names, const char *but);

/* defaults.c */
void defaults_add(struct catalog *c, const char *file, const struct document *d);
/* A file that holds some, or may, and cannot be read. */
void defaults_add_unreadable(struct catalog *c, const char *file);
/* Whether a text that does not parse declares some, as far as one can see. */
bool defaults_mentioned(const char *text, size_t len);
/* Whether a file is called after them. */
bool defaults_named(const char *file);
void defaults_join(struct catalog *c);
/* The nearest for a file, NULL if there are none. */
const struct defaults *defaults_find(struct catalog *c, const char *file);

/* cluster.c */
void cluster_add(struct catalog *c, const char *file, const struct document *d);
void clusters_join(struct catalog *c);
/* Puts what clusters say in the place of their names; where that cannot be, a problem, and the end
 * counts as undecoded. */
void clusters_resolve(struct catalog *c, const struct layer *l, const struct field_place *place,
	struct spec *spec, struct problems *problems);

/* merge.c */
void replicator_finish(struct catalog *c, struct replicator *r);
/* Takes the problems of one replicator. One that stands in another document is kept until
 * shared_tell, which tells it once for all that have it. */
void replicator_take_problems(struct catalog *c, struct replicator *r, struct problems *found);
void shared_tell(struct catalog *c);

/* depends.c: names that are not declared, and circles. */
void depends_check(struct catalog *c);
/* overlap.c: warnings for replicators that copy the same topics between the same clusters. */
void overlap_warn(struct catalog *c);

#endif
