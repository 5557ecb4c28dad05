/*
 * advanced_configuration: what the keys of each provider are, as tables. Kafka's tools pass over
 * keys that they do not know and accept values that fail later; here a key is known or an error
 * that names what was meant. Sources: the configuration classes of MirrorMaker 2 and of Kafka's
 * clients (4.0), and Confluent's page of link settings.
 */
#ifndef MODEL_ADVANCED_H
#define MODEL_ADVANCED_H

#include <stdbool.h>
#include <stdint.h>

#include "doc/fields.h"
#include "doc/node.h"
#include "doc/problem.h"

#define ADVANCED_TOPIC_CHARACTERS                                                                  \
	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-"

enum advanced_type {
	ADVANCED_STRING,
	ADVANCED_BOOL,
	ADVANCED_INT,
	ADVANCED_REPLICAS, /* -1 (the broker's default) or at least 1 */
	ADVANCED_REAL,
	ADVANCED_CHOICE,
	ADVANCED_LIST, /* comma-separated; a YAML list is joined */
	ADVANCED_PATTERNS, /* a list of regular expressions */
	ADVANCED_CLASS, /* a Java class */
	ADVANCED_JSON /* a string that holds a JSON object */
};

enum advanced_rule {
	ADVANCED_SET, /* may be set */
	ADVANCED_ELSEWHERE, /* what it says is said in another place */
	ADVANCED_INTERNAL, /* the provider sets it itself */
	ADVANCED_REMOVED /* gone since Kafka 4.0 */
};

struct advanced_key {
	const char *name;
	enum advanced_type type;
	enum advanced_rule rule;
	int64_t min;
	int64_t max; /* 0: no upper limit */
	const char *const *choices; /* ended by NULL */
	const char *characters; /* of which a string may consist; NULL: any */
	size_t max_length; /* 0: any */
	const char *doc; /* what it does; where it may not be set, why not and what to do */
};

/* Kafka's clients, as bits: what a key behind a prefix such as `producer.` may be. */
enum advanced_client {
	CLIENT_CONNECTION = 1 << 0, /* only how to talk TLS and SASL */
	CLIENT_ADMIN = 1 << 1,
	CLIENT_CONSUMER = 1 << 2,
	CLIENT_PRODUCER = 1 << 3,
	CLIENT_ANY = 15
};

struct advanced_client_key {
	unsigned clients;
	struct advanced_key key;
};

struct advanced_prefix {
	const char *name; /* ends in a dot */
	unsigned clients; /* what may come behind it; 0: anything, as `doc` says */
	bool whole; /* the client's key begins with the prefix itself: ssl. */
	enum advanced_rule rule;
	const char *doc;
};

struct advanced_provider {
	const char *name; /* as in `provider` */
	const struct advanced_key *keys; /* by name; ended by a row without one */
	const struct advanced_prefix *prefixes; /* likewise, in any order */
};

extern const struct advanced_provider advanced_mirrormaker;
extern const struct advanced_provider advanced_link;
extern const struct advanced_provider *const advanced_providers[]; /* ended by NULL */
/* By name; ended by a row without one. */
extern const struct advanced_client_key advanced_client_keys[];

/* NULL if there is none. */
const struct advanced_provider *advanced_provider_find(const char *name);

/*
 * What a key is to a provider: its row in the table, the row of the client's key, or only the
 * prefix that it begins with. All NULL: not known.
 */
struct advanced_match {
	const struct advanced_key *key;
	const struct advanced_prefix *prefix;
	const char *client_key; /* what stands behind the prefix */
};
struct advanced_match advanced_find(const struct advanced_provider *provider, const char *key);

/* What names of passwords, keys and the like have in them; ended by NULL. */
extern const char *const advanced_credential_parts[];
bool advanced_is_credential(const char *key);
/* Any provider knows the key and what its values are, and they are no credentials. */
bool advanced_is_public(const char *key);

/*
 * The map in its canonical form: null values left out (unless they are to be kept), scalars of
 * known keys typed, lists joined by commas. A problem for each value that is neither a scalar nor a
 * list of scalars, which is then left out.
 */
bool advanced_decode(struct node *map, const struct field_place *place, bool keep_nulls,
	struct node **ret_map, struct problems *problems);
/* What a provider makes of the keys and values of a decoded map. True if nothing is an error. */
bool advanced_check(const struct node *map, const struct advanced_provider *provider,
	const struct field_place *place, struct problems *problems);

/* What a Kafka configuration would hold: 10000, true, all. NULL for null, a list or a map. */
const char *advanced_value_text(const struct node *value, struct buf *scratch);

#endif
