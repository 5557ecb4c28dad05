/*
 * APIs that tell much or little: what may be missing, and how a world's has only that.
 */
#ifndef TEST_APIS_H
#define TEST_APIS_H

#include "world.h"

static const struct api {
	const char *name;
	bool no_observed, no_uid, no_created, no_state, no_if_match;
} apis[] = {
	{.name = "full"},
	{.name = "no observed_generation", .no_observed = true},
	{.name = "no uid", .no_uid = true},
	{.name = "no created_at", .no_created = true},
	{.name = "no uid and no created_at", .no_uid = true, .no_created = true},
	{.name = "no state", .no_state = true},
	{.name = "no state, no observed_generation", .no_observed = true, .no_state = true},
	{.name = "no If-Match", .no_if_match = true},
	{.name = "minimal", true, true, true, true, true},
};

static inline void set_api(struct world *w, const struct api *api)
{
	w->no_observed = api->no_observed;
	w->no_uid = api->no_uid;
	w->no_created = api->no_created;
	w->no_state = api->no_state;
	w->no_if_match = api->no_if_match;
}

#endif
