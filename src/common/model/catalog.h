/*
 * The replicators that a set of YAML files declares, with everything that is wrong with them:
 *
 *	struct catalog *c = catalog_new();
 *	for each file: catalog_add(c, path, parsed);
 *	catalog_finish(c);          // looks across files; before it no replicator may be used
 *
 * Across files, replicators get what the Defaults of their folder and of those above it say, and
 * the KafkaClusters they name become ordinary fields: of neither anybody else needs to know. What
 * they depend on has to be declared, and must not go round in a circle.
 *
 * Failures are contained: a syntax error fails its file, a bad document fails itself, bad Defaults
 * and a bad KafkaCluster fail those that use them, and a name that is declared twice fails both.
 * Defaults that cannot be read fail those they would be for: without them they would mean something
 * else. Pure: reads no file.
 */
#ifndef MODEL_CATALOG_H
#define MODEL_CATALOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/map.h"
#include "model/spec.h"

enum sync_mode {
	SYNC_HEAL, /* repair drift */
	SYNC_REPORT, /* apply changes, only tell drift */
	SYNC_PLAN /* write nothing */
};

enum sync_adopt { /* what happens to a replicator that exists already */
	ADOPT_MATCH, /* taken over if nothing written in Git differs, else held */
	ADOPT_OVERWRITE, /* taken over, and made as Git says; on an empty store as match */
	ADOPT_NEVER /* held */
};

enum foreign_drafts { /* what somebody else saved and a reconcile of ours would provision too */
	DRAFTS_HOLD,
	DRAFTS_APPLY
};

enum on_remove { /* what happens once the document is gone */
	REMOVE_DELETE, /* deleted, as sync.prune of weir.yaml allows */
	REMOVE_ORPHAN /* let go: it stays in the API and is weir's no more */
};

struct sync_suspend { /* left alone, for a reason and perhaps until a time */
	bool is_set;
	const char *reason;
	bool has_until;
	int64_t until_ms; /* wall */
};

/* `sync:` of a document: how weir treats it. What is not written there is as weir.yaml says. */
struct sync_settings {
	bool has_mode;
	int mode; /* enum sync_mode; heal or report */
	bool has_timeout;
	int64_t timeout_ms;
	bool has_adopt;
	int adopt; /* enum sync_adopt */
	bool has_foreign_drafts;
	int foreign_drafts; /* enum foreign_drafts */
	bool protect; /* never deleted, even once its document is gone */
	bool replace; /* an immutable field that changes deletes it and creates it anew */
	int on_remove; /* enum on_remove */
	struct sync_suspend suspend;
	const struct node *depends_on; /* a list of names, NULL if none */
	const struct node *ignore; /* a list of JSON Pointers into spec, NULL if none */
};

/* Whether sync.ignore names the field; with a `key`, that setting of advanced_configuration or all
 * of it. */
bool sync_ignores(const struct sync_settings *sync, enum spec_field field, const char *key);
/* The mdoc references of sync, and of a KafkaCluster's spec. */
void sync_mdoc(struct buf *out);
void cluster_mdoc(struct buf *out);

/* What a document says that is not the replicator's own. */
enum origin_kind { ORIGIN_DOCUMENT, ORIGIN_DEFAULTS, ORIGIN_CLUSTER };

/* Where a setting stands. */
struct origin {
	enum origin_kind kind;
	const char *name; /* of the KafkaCluster, else NULL */
	const char *file;
	unsigned line; /* of the setting; of the document where it is not known */
};

struct document;
struct defaults;
struct layer;

struct replicator {
	const char *name;
	struct spec spec; /* with the identifier, without nulls; each node may come from another
			     document: replicator_origin */
	struct sync_settings sync;
	const struct node *labels; /* a map of strings, or NULL */
	const char *file;
	unsigned line; /* of the document's metadata.name */
	unsigned col;
	bool failed; /* has errors, or is declared twice: spec must not be used */
	const char
		*failure; /* the first of them, with its place; NULL: too many others were told */
	const struct origin *origins; /* by node.origin, from 1 */
	size_t n_origins;
	/* For model/explain.h; NULL where it came from the store. */
	const struct document *document;
	const struct defaults *defaults; /* the nearest, NULL if there are none */
	const struct layer *layer; /* all that is said of it, with clusters by name, and nulls */
};

/* Where a value of its spec, sync or labels comes from. */
struct origin replicator_origin(const struct replicator *r, const struct node *value);
/* Nothing that is said of it is said otherwise, or elsewhere, in the other: two of catalogs that
 * share their parsed files. Quick, and may be false where they are the same. */
bool replicator_same(const struct replicator *r, const struct replicator *other);

/*
 * A file's parsed form: its documents, decoded and checked each on its own. It does not know its
 * path, so it can be kept by blob id. Reference counted; the loader's thread and the loop may each
 * hold one (the count is atomic, the content is read only).
 */
struct parsed_file;
struct parsed_file *parsed_file_new(const char *text, size_t len);
struct parsed_file *parsed_file_ref(struct parsed_file *f);
size_t parsed_file_bytes(const struct parsed_file *f); /* of its text */
void parsed_file_unref(struct parsed_file *f);

struct catalog_parts;

struct catalog {
	struct map by_name; /* struct replicator *, in the order found */
	struct map declared_twice; /* names of documents that failed for it */
	struct problems problems;
	size_t n_files;
	size_t n_failed; /* documents that failed */
	bool complete; /* no error anywhere: only then may absence mean anything */
	struct arena arena;
	struct catalog_parts *parts; /* all documents; nodes point into them */
};

struct catalog *catalog_new(void);
void catalog_free(struct catalog *c);
/* Keeps a reference to the parsed file. */
void catalog_add(struct catalog *c, const char *path, struct parsed_file *parsed);
/* An entry that cannot be a YAML file (symbolic link, submodule, LFS pointer, too large): a problem
 * that says so. */
void catalog_add_unreadable(struct catalog *c, const char *path, const char *why);
void catalog_finish(struct catalog *c);

/* What the store keeps of a document that loaded, and back: JSON with spec, sync, labels, file and
 * lines. */
void replicator_write_json(const struct replicator *r, struct buf *out);
int replicator_read_json(
	const char *json, struct arena *arena, struct replicator *ret_replicator, struct err *e);

/* The JSON Schema of a document of any kind (schema/replicator.schema.json). */
struct node *document_schema(struct arena *a);

#endif
