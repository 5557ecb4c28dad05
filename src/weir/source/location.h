/*
 * Where a repository is, from the text that a person wrote.
 */
#ifndef SOURCE_LOCATION_H
#define SOURCE_LOCATION_H

#include "base/err.h"

enum location_kind {
	LOCATION_FOLDER, /* file:///… or an absolute path: served by the git program */
	LOCATION_HTTP, /* http:// or https:// */
	LOCATION_SSH /* ssh://[user@]host[:port]/path or [user@]host:path */
};

struct location {
	enum location_kind kind;
	char *url; /* as written, without slashes at the end; what messages call it */
	char *path; /* LOCATION_FOLDER, LOCATION_SSH: the folder, here or there */
	char *host; /* LOCATION_SSH: [user@]host, as ssh takes it */
	char *port; /* LOCATION_SSH: NULL is what ssh is configured to use */
};

/* ERR_CONFIG, with what to write instead. Never repeats a text that may hold a password. */
int location_parse(const char *url, struct location *ret_location, struct err *e);
void location_release(struct location *l);

#endif
