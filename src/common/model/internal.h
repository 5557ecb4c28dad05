/*
 * What the files of this folder know of each other and others need not.
 */
#ifndef MODEL_INTERNAL_H
#define MODEL_INTERNAL_H

#include "model/catalog.h"
#include "model/spec.h"

/* Adds a problem with the field `name` of the map at `place`; it stands where `at` does. */
void problem_at(struct problems *problems, enum problem_level level,
	const struct field_place *place, const char *name, const struct node *at, const char *fmt,
	...) __attribute__((format(printf, 6, 7)));
/*
 * The field `name` and the field `other` of the map at `place` exclude each other: a problem at one
 * of them, that of the document rather than of its Defaults, which names both places.
 */
void problem_of_two(struct problems *problems, const struct field_place *place, const char *name,
	const struct node *at, const char *other, const struct node *beside, const char *why);
/* text_suggest, unless there are so many problems that nobody would see it. */
const char *suggest(
	const struct problems *problems, const char *word, const char *const *names, size_t n);
/* A value as a message repeats it: cut where it would be longer than a line. */
const char *shorten(const char *value, struct buf *scratch);
/*
 * Checks one value by a row of a table of its own, so that it is told off as in any table.
 * `ret_integer` may be NULL, and gets what an integer row decoded.
 */
bool decode_one(const struct field *row, struct node *value, const struct field_place *place,
	int64_t *ret_integer, struct problems *problems);
/* "spec.topic_whitelist"; the caller frees. */
char *path_below(const struct field_place *place, const char *name);

/* What the keys of *_connection_details decode to. */
struct details {
	const char *bootstrap_servers;
	int security_protocol;
	int sasl_mechanism;
};
extern const struct field details_fields[];

enum security_protocol {
	PROTOCOL_PLAINTEXT,
	PROTOCOL_SSL,
	PROTOCOL_SASL_PLAINTEXT,
	PROTOCOL_SASL_SSL,
	PROTOCOL__COUNT /* none of these words */
};
/* PLAINTEXT where nothing is written. */
enum security_protocol details_protocol(const struct node *details);
/* Two bootstrap_servers in canonical form name the same brokers, in any order. */
bool servers_equal(const struct node *a, const struct node *b);

enum end { END_SOURCE, END_DESTINATION, END__COUNT };
struct end_fields {
	const char *cluster; /* the key that names a KafkaCluster instead of the others */
	enum spec_field kafka_id;
	enum spec_field details;
	enum spec_field secret_path;
};
extern const struct end_fields ends[END__COUNT];

/* A KafkaCluster has the fields of a source, without that word in their names. */
#define CLUSTER_SKIP strlen("source_")

/*
 * One field, from its canonical or any other form; `skip` characters of its name are not written
 * there. False if it does not decode: what could be read of it comes back. From YAML nulls within
 * maps stay.
 */
bool spec_decode_value(enum spec_field field, size_t skip, struct node *value,
	const struct field_place *place, bool from_yaml, const struct node **ret_value,
	struct problems *problems);
/* spec_check, of a KafkaCluster. */
bool spec_check_cluster(
	const struct spec *spec, const struct field_place *place, struct problems *problems);

/* Adds a problem with a key that is no field. Returns the field that was meant, or SPEC__COUNT. */
enum spec_field spec_unknown_key(const struct node *key, const struct field_place *place,
	bool from_yaml, struct problems *problems);

enum document_kind { DOCUMENT_REPLICATOR, DOCUMENT_CLUSTER, DOCUMENT_DEFAULTS, DOCUMENT__COUNT };

/* In spec.undecoded: nothing is to be said of what is missing. */
#define SPEC_ALL ((1u << SPEC__COUNT) - 1)

/* What one text says of a replicator. Nulls stay, to take away what lies below. */
struct layer {
	struct spec spec; /* decoded, and not checked */
	const struct node *cluster[END__COUNT]; /* names */
	const struct node *sync; /* as written */
	const struct node *labels; /* as written */
};

/* A document by itself: neither its path nor what other documents say of it is known. */
struct document {
	enum document_kind kind;
	const char *name; /* NULL: Defaults, or a replicator that has none and so failed */
	unsigned line; /* of the name, else of the document */
	unsigned col;
	struct layer layer; /* of a KafkaCluster: its spec, as the source of one */
	/* What the layer comes to with nothing below it; unless it names a KafkaCluster. */
	struct sync_settings sync;
	const struct node *labels;
	struct problems alone; /* ... and what is then wrong with it */
	bool has_nulls; /* in its spec */
	bool failed; /* wrong, whatever lies below it */
	size_t first_problem; /* of its file's: where its own begin */
};

/* The keys of a whole document, by kind. */
extern const struct field *const document_fields[DOCUMENT__COUNT];
extern const char *const document_kinds[DOCUMENT__COUNT + 1];
/* The keys of a KafkaCluster's spec. */
extern const struct field cluster_fields[];

/* The keys of sync. */
extern const struct field sync_fields[];
/*
 * What the keys of sync say together, and of the spec they stand beside. `written` is the map that
 * `sync` was decoded from, `place` that of the document. Without a spec, or without a name, what
 * would need it is not looked at.
 */
void sync_check(const struct sync_settings *sync, const struct node *written, const char *name,
	const struct spec *spec, const struct field_place *place, struct problems *problems);
/* Deep copies into an arena. */
struct sync_settings sync_copy(struct arena *a, const struct sync_settings *sync);
/* Whether a change to the field may be left to others once it was created. */
bool sync_may_ignore(enum spec_field field);
/*
 * Nothing in the result points into `doc`. NULL for what is none of the kinds, which is an error
 * too; `ret_meant` says whether it may have been meant as Defaults. What the problem `alone` is not
 * said to `problems`.
 */
struct document *document_decode(struct arena *a, const struct node *doc,
	const struct field_place *place, bool *ret_meant_defaults, struct problems *problems);
void document_release(struct document *d);

/* Decodes the spec of a replicator or of Defaults; of a KafkaCluster, which is checked too. */
void layer_decode(const struct node *map, const struct field_place *place, struct layer *ret_layer,
	struct problems *problems);
void layer_decode_cluster(const struct node *map, const struct field_place *place,
	struct layer *ret_layer, struct problems *problems);
bool layer_names_cluster(const struct layer *l);
/* A map of sync, by its table, or of labels (NULL) without the keys that are taken away by a null.
 */
const struct node *layer_without_nulls(
	struct arena *a, const struct node *map, const struct field *fields);
/* `over` on top of `base`; shares nodes with both. */
struct layer layer_merge(struct arena *a, const struct layer *base, const struct layer *over);
/* A deep copy, all of it with that origin (see node.h). */
struct layer layer_copy(struct arena *a, const struct layer *l, unsigned origin);
/* Takes nulls out of maps, so that spec_check can look at it. */
struct spec spec_without_nulls_inside(struct arena *a, const struct spec *spec);
/* What is written as null is as if absent. */
void spec_drop_nulls(struct spec *spec);

#endif
