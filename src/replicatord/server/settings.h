/*
 * The settings of a replicator: how they are stored and shown, and what a request may ask for.
 * Paths of problems are the API's field names.
 */
#ifndef SERVER_SETTINGS_H
#define SERVER_SETTINGS_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/err.h"
#include "doc/problem.h"
#include "model/spec.h"
#include "server/config.h"

/* All fields as the API shows them, null where there is nothing: a JSON object that settings_read
 * takes back. */
const char *settings_write(struct arena *a, const struct spec *spec);
int settings_read(struct arena *a, const char *json, struct spec *ret_spec, struct err *e);
/* {"source": "broker-1:9092", "destination": null}: the bootstrap servers of both ends, where they
 * are known. */
const char *settings_endpoints(
	struct arena *a, const struct config *config, const struct spec *spec);

/* The body of a POST. True if it holds together. */
bool settings_create(const struct config *config, struct arena *a, const struct node *body,
	struct spec *ret_spec, struct problems *problems);
/*
 * The body of a PATCH over what there is: a field that is there takes its place, a map as a whole;
 * null takes it back where its `reset` allows. `ret_changed` is false if everything means what it
 * meant before.
 */
bool settings_change(const struct config *config, struct arena *a, const struct spec *current,
	const struct node *body, struct spec *ret_spec, bool *ret_changed,
	struct problems *problems);

#endif
