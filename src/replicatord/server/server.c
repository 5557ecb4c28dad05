/* Puts the parts together and takes them apart. */
#include "server/server.h"

#include "base/alloc.h"
#include "server/api.h"
#include "server/call.h"
#include "server/tokens.h"

/* For answers under way when the program is asked to end. */
#define STOP_GRACE_MS 5000

static int listen_on(struct server *s, const struct server_options *options, struct err *e)
{
	const struct httpd_options http = {
		.listen = options->config->listen,
		.routes = api_routes,
		.not_found = call_not_found,
		.refused = call_refused,
		.ctx = s,
	};

	return httpd_start(options->loop, &http, &s->httpd, e);
}

int server_open(const struct server_options *options, struct server **ret_server, struct err *e)
{
	struct server *s = xcalloc(1, sizeof(*s));
	int rc;

	s->config = options->config;
	fleets_init(&s->fleets, options->config);
	if ((rc = store_open(options->memory ? NULL : options->config->data, &s->store, e)) < 0)
		goto fail;
	s->lifecycle = (struct lifecycle){
		.config = options->config,
		.store = s->store,
		.fleets = &s->fleets,
		.clock = options->clock,
		.rng = options->rng,
	};
	if ((rc = tokens_load(s->store, options->config, e)) < 0 ||
		(rc = lifecycle_resume(&s->lifecycle, e)) < 0 ||
		(rc = listen_on(s, options, e)) < 0)
		goto fail;
	loop_add_due(options->loop, lifecycle_due, &s->lifecycle);
	*ret_server = s;
	return 0;
fail:
	server_close(s);
	return rc;
}

void server_close(struct server *s)
{
	if (!s)
		return;
	if (s->httpd)
		httpd_stop(s->httpd, STOP_GRACE_MS);
	fleets_release(&s->fleets);
	store_close(s->store);
	free(s);
}
