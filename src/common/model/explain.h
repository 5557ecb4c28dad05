/*
 * Where each setting of a replicator comes from, and what lies below it: for a person who wants to
 * know why a value is what it is, and where to change it.
 */
#ifndef MODEL_EXPLAIN_H
#define MODEL_EXPLAIN_H

#include "model/catalog.h"

struct explained_value {
	const struct node *value; /* NODE_NULL: what lies below is taken away */
	struct origin origin;
};

/* One setting, with what is said of it: the first holds, each takes the place of the next. */
struct explained {
	const char
		*name; /* "spec.provider", "spec.advanced_configuration.tasks.max", "sync.mode" */
	enum spec_field field; /* SPEC__COUNT: not of spec, or the name of a KafkaCluster */
	const char *key; /* of a field that is a map, else NULL */
	VEC_FIELDS(struct explained_value);
};

struct explanation {
	VEC_FIELDS(struct explained);
	struct arena arena;
};

/* Of a replicator of a catalog, failed or not. Labels, spec, sync, in the order of their tables;
 * nodes are the catalog's. */
void replicator_explain(const struct replicator *r, struct explanation *ret_explanation);
void explanation_release(struct explanation *x);

#endif
