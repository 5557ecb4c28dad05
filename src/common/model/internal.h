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

/*
 * One field, from its canonical or any other form. False if it does not decode: what could be read
 * of it comes back.
 */
bool spec_decode_value(enum spec_field field, struct node *value, const struct field_place *place,
	bool from_yaml, const struct node **ret_value, struct problems *problems);

/* Adds a problem with a key that is no field. Returns the field that was meant, or SPEC__COUNT. */
enum spec_field spec_unknown_key(
	const struct node *key, const struct field_place *place, struct problems *problems);

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

/* The keys of a whole document. */
extern const struct field document_fields[];
/*
 * A replicator, failed if anything is wrong with it; NULL for what is no replicator or has no name,
 * which is an error too.
 */
struct replicator *document_decode(
	const struct node *doc, const struct field_place *place, struct problems *problems);

/* Warnings for replicators that copy the same topics between the same clusters. */
void overlap_warn(struct catalog *c);

#endif
