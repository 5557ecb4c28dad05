/* Reading the API's list in a loop of its own. */
#include "cli/live_list.h"

#include "base/alloc.h"
#include "base/loop.h"

struct reading {
	struct loop *loop;
	struct api_http *api;
	struct api_list *list;
	struct err err;
};

static void ask(struct reading *r, const char *page)
{
	struct api_transport transport = api_http_transport(r->api);
	struct api_call *call = xcalloc(1, sizeof(*call));
	*call = (struct api_call){.verb = API_LIST, .page = xstrdup(page)};
	transport.send(transport.ctx, call);
}

static void take(void *ctx, struct api_answer *owned_answer)
{
	struct reading *r = ctx;
	const char *next = NULL;
	if (owned_answer->outcome != API_OK) {
		r->err = owned_answer->err;
		api_answer_free(owned_answer);
		loop_stop(r->loop);
		return;
	}
	if (api_list_add(r->list, owned_answer, &next, &r->err) > 0)
		ask(r, next);
	else
		loop_stop(r->loop);
}

static int read_all(const struct config *c, struct reading *r, struct err *e)
{
	const struct api_http_options options = {
		.url = c->api.url,
		.organization = c->api.organization,
		.token_ref = c->api.token,
		.ca_file = c->api.ca_file,
		.timeout_ms = c->api.timeout_ms,
		.concurrency = 1,
	};
	int rc = loop_new(&clock_real, &r->loop, e);
	if (rc == 0)
		rc = api_http_new(r->loop, &options, take, r, &r->api, e);
	if (rc < 0)
		return rc;
	ask(r, "");
	rc = loop_run(r->loop, e);
	if (rc == 0 && r->err.code != ERR_OK) {
		*e = r->err;
		rc = -(int)e->code;
	}
	return rc;
}

int live_list_read(const struct config *c, struct api_list *ret_list, struct err *e)
{
	struct reading r = {.list = ret_list, .err = ERR_INIT};
	api_list_init(ret_list);
	int rc = read_all(c, &r, e);
	api_http_free(r.api);
	loop_free(r.loop);
	return rc;
}
