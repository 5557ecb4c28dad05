/*
 * The replicator's fields: one table that decoding, validation, difference, plan text, redaction,
 * JSON Schema and reference all come from. Source: the product's API page; what it leaves open and
 * we inferred is marked so in the table.
 *
 * A spec holds one canonical node per field, so that equal settings are equal nodes:
 * - patterns: a list of strings, sorted, each once, whether it was written as a list or as the
 *   API's comma-separated string;
 * - connection details and advanced_configuration: a map, whose scalars the provider's table types;
 * - the rest: a string or an integer.
 *
 * NULL: not there. NODE_NULL: written as null. Nodes belong to an arena of whoever decoded them and
 * keep their place in the file they came from.
 */
#ifndef MODEL_SPEC_H
#define MODEL_SPEC_H

#include <stdbool.h>

#include "base/buf.h"
#include "doc/fields.h"
#include "doc/node.h"
#include "doc/problem.h"

enum spec_field {
	SPEC_IDENTIFIER, /* in YAML it is metadata.name, and may not stand in spec */
	SPEC_PROVIDER,
	SPEC_SOURCE_KAFKA_ID,
	SPEC_SOURCE_CONNECTION_DETAILS,
	SPEC_SOURCE_SECRET_PATH,
	SPEC_DESTINATION_KAFKA_ID,
	SPEC_DESTINATION_CONNECTION_DETAILS,
	SPEC_DESTINATION_SECRET_PATH,
	SPEC_REPLICATION_MODE,
	SPEC_TOPIC_WHITELIST,
	SPEC_TOPIC_BLACKLIST,
	SPEC_GROUPS_WHITELIST,
	SPEC_GROUPS_BLACKLIST,
	SPEC_LAG_ALERT_THRESHOLD,
	SPEC_LAG_ALERT_THRESHOLD_UNIT,
	SPEC_ADVANCED_CONFIGURATION,
	SPEC__COUNT
};

enum spec_kind {
	SPEC_KIND_STRING,
	SPEC_KIND_CHOICE,
	SPEC_KIND_PATTERNS,
	SPEC_KIND_INTEGER,
	SPEC_KIND_DETAILS, /* {bootstrap_servers, security_protocol, sasl_mechanism} */
	SPEC_KIND_CONFIG /* a flat map of dotted keys */
};

enum spec_reset {
	SPEC_RESET_NOT, /* required or immutable: gone from YAML, it cannot be taken back */
	SPEC_RESET_NULL,
	SPEC_RESET_EMPTY /* "" */
};

struct spec_field_info {
	const char *name;
	enum spec_kind kind;
	const char *const *choices;
	enum spec_field only_with; /* says nothing without that one, and an API refuses it alone; 0:
				      with any */
	bool immutable;
	bool inferred; /* not on the product's page; ours to change cheaply */
	bool secret; /* its value names credentials, or may hold what others put there */
	bool required;
	enum spec_reset reset;
	const char *def; /* what an API means where it says nothing; NULL: nothing */
	const char *doc;
};

extern const struct spec_field_info spec_fields[SPEC__COUNT];

struct spec {
	const struct node *value[SPEC__COUNT];
	unsigned undecoded; /* bit per field: wrong, `value` holds what could be read of it */
	unsigned line; /* where the map begins, for what is missing in it; 0: from no text */
	unsigned col;
};

/* Exclusive: below it every reader of JSON holds whole numbers exactly. */
#define SPEC_THRESHOLD_MAX ((int64_t)1 << 53)

/* SPEC__COUNT if there is none. */
enum spec_field spec_field_find(const char *name);
bool identifier_valid(const char *name);

/*
 * Reads the fields of a map, each on its own. `from_yaml`: an identifier is refused, and what YAML
 * reads otherwise than meant gets a hint. Unknown keys are problems. True if no problem was added.
 */
bool spec_decode(const struct node *map, const struct field_place *place, bool from_yaml,
	struct spec *ret_spec, struct problems *problems);
/*
 * What fields say together: required ones, one kind of each end, ends that differ, units with
 * thresholds, keys of advanced_configuration that the provider does not know or that belong
 * elsewhere, regular expressions (PCRE2) that do not compile, patterns that a ClusterLink cannot
 * express. Paths are field names below place->path; those of single settings go on behind a dot.
 * Also adds warnings; true if nothing is an error.
 */
bool spec_check(
	const struct spec *spec, const struct field_place *place, struct problems *problems);

/* Nothing, null, "", [] or {}: the field says nothing. */
bool spec_value_empty(const struct node *value);
/* Two values of one field mean the same: absent, null, and empty are one; so are server defaults.
 * NULL is absent. */
bool spec_value_equal(enum spec_field field, const struct node *a, const struct node *b);
/* The same for one value in advanced_configuration: to Kafka, 5 and "5" are one. */
bool spec_setting_equal(const struct node *a, const struct node *b);
/* `over` on top of `base`, field by field; a null in `over` stays as NODE_NULL. The place is that
 * of `over`. */
struct spec spec_merge(const struct spec *base, const struct spec *over);
/* Deep copies into an arena. */
struct spec spec_copy(struct arena *a, const struct spec *spec);

/* The value as the API wants it (patterns as one comma-separated string, null for NODE_NULL and for
 * NULL). */
struct node *spec_value_wire(struct arena *a, enum spec_field field, const struct node *value);
/* A JSON object of the fields that are not NULL, as the API wants them. */
struct node *spec_to_wire(struct arena *a, const struct spec *spec);
/* The value on one line for plans and messages: [a, b], 10000, {k: v}; "(none)" when absent or
 * empty; secrets masked. */
void spec_value_text(struct buf *out, enum spec_field field, const struct node *value);

/* The keys that a secret path needs for an end, from its connection details: username and password
 * for SASL PLAIN and SCRAM, certificate, key and ca for SSL without SASL, none for PLAINTEXT.
 * Returns a NULL-ended literal list. */
const char *const *spec_secret_keys(const struct spec *spec, bool source_end);

/* The mdoc reference. */
void spec_mdoc(struct buf *out);

#endif
