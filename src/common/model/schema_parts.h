/*
 * What the files that make JSON Schemas share.
 */
#ifndef MODEL_SCHEMA_PARTS_H
#define MODEL_SCHEMA_PARTS_H

#include "model/internal.h"

/* A part of the schema that no table holds, written as YAML. */
struct node *schema_part(struct arena *a, const char *yaml);
void schema_set(struct arena *a, struct node *map, const char *key, const char *value);

/* Of a replicator's or Defaults' spec, and of a KafkaCluster's. */
struct node *spec_schema(struct arena *a);
struct node *cluster_spec_schema(struct arena *a);

#endif
