/*
 * replicatord.yaml. One table per map; the checks and the reference in replicatord.yaml(5) come
 * from the same rows.
 */
#ifndef SERVER_CONFIG_H
#define SERVER_CONFIG_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/log.h"
#include "doc/fields.h"
#include "doc/problem.h"
#include "runner/runner.h"
#include "server/compat.h"

enum token_access { ACCESS_READ, ACCESS_WRITE };

struct token_config {
	const char *name;
	const char *token; /* a reference to the secret */
	int access; /* enum token_access */
};

struct organization_config {
	const char *name;
	struct field_list tokens; /* struct token_config */
};

struct fleet_config {
	const char *name;
	int runner; /* index into runner_types */
	int64_t capacity; /* replicators */
	const struct node *providers; /* a list of names, or NULL: all that the runner serves */
	struct simulate_config simulate;
	const struct node *not_built;
};

struct cluster_config {
	const char *id;
	const char *bootstrap_servers;
	const struct node *not_built;
};

struct config {
	const char *listen;
	const char *data; /* the folder of the database */
	struct {
		int level; /* enum log_level */
		int format; /* enum log_format */
	} log;
	struct field_list organizations; /* struct organization_config */
	struct field_list fleets; /* struct fleet_config, in the order of choice */
	struct field_list clusters; /* struct cluster_config; none: any kafka id is taken */
	const struct node *compat_words;
	unsigned compat; /* bits of enum compat */
	const struct node *not_built;
	struct arena arena;
};

/* What --memory serves without a file: organization demo, one simulating fleet, any kafka id. */
extern const char config_demo[];

/* Everything that is wrong goes to `problems`; NULL then. Warnings alone do not fail it. */
struct config *config_load(const char *file, struct problems *problems);
/* As above, from text; `file` is for messages. */
struct config *config_parse(
	const char *file, const char *text, size_t len, struct problems *problems);
void config_free(struct config *c);
/* The mdoc reference of all keys. */
void config_mdoc(struct buf *out);

/* NULL if there is none. */
const struct cluster_config *config_cluster(const struct config *c, const char *id);

#endif
