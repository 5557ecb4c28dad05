/*
 * The target of a request ("/organizations/acme/?page=2"): taken apart first, decoded afterwards,
 * so that an escaped slash or question mark stays what it is.
 */
#ifndef HTTPD_TARGET_H
#define HTTPD_TARGET_H

#include <stdbool.h>

#include "base/strv.h"

struct target {
	char *path; /* as it was sent, without the query */
	struct strv
		segments; /* decoded; a path that ends with a slash has an empty one at its end */
	struct strv names; /* of the query */
	struct strv values;
};

/* 0, or the HTTP status of what is wrong with it: 400 or 414. May be called once, on a zeroed
 * struct. */
int target_parse(struct target *t, const char *raw);
void target_release(struct target *t);

/* The {names} of a pattern that fits are added to `names`, what stood there to `values`. */
bool target_matches(
	const struct target *t, const char *pattern, struct strv *names, struct strv *values);

#endif
