/*
 * The server as a whole: the store, the fleets, the life of replicators and the API over them, all
 * on the loop's thread.
 *
 *	server_open(&options, &server, e);
 *	loop_run(loop, e);
 *	server_close(server);
 */
#ifndef SERVER_SERVER_H
#define SERVER_SERVER_H

#include <stdbool.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/loop.h"
#include "base/rng.h"
#include "httpd/httpd.h"
#include "server/config.h"
#include "server/fleets.h"
#include "server/lifecycle.h"
#include "server/store.h"

struct server {
	const struct config *config;
	struct store *store;
	struct fleets fleets;
	struct lifecycle lifecycle;
	struct httpd *httpd;
};

struct server_options {
	const struct config *config; /* must outlive the server */
	bool memory; /* the store is thrown away at the end */
	struct loop *loop;
	const struct clock *clock;
	const struct rng *rng;
};

/* Opens the store, takes up what was under way, and listens. */
int server_open(const struct server_options *options, struct server **ret_server, struct err *e);
/* Gives answers under way a moment to leave. NULL is fine. */
void server_close(struct server *s);

#endif
