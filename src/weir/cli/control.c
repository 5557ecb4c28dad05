/* The daemon's socket. */
#include "cli/control.h"

#include <unistd.h>

#include "base/alloc.h"
#include "base/fs.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/text.h"
#include "cli/desk.h"
#include "cli/view.h"
#include "doc/json.h"
#include "httpd/httpd.h"

#define STOP_GRACE_MS 1000

struct control {
	const struct config *config;
	struct host *host;
	struct engine *engine;
	struct httpd *httpd;
	char *me; /* who this runs as, by name */
	char *root;
};

static void answer_error(struct httpd_response *response, const struct err *e)
{
	auto_arena struct arena a = ARENA_INIT;
	struct node *map = node_map(&a);
	node_map_set(&a, map, "error", node_string(&a, e->msg));
	node_map_set(&a, map, "code", node_string(&a, err_name(e->code)));
	response->status = err_http_status(e->code);
	buf_clear(&response->body);
	json_write_text(&response->body, map);
}

static void answer_node(struct httpd_response *response, const struct node *answer)
{
	json_write_text(&response->body, answer);
}

static int load_view(const struct control *c, struct view *ret_view, struct err *e)
{
	int rc = view_load(host_store(c->host), c->config, ret_view, e);
	if (rc == 0)
		view_take_engine(ret_view, c->engine);
	return rc;
}

static void serve_status(void *ctx, struct httpd_request *r, struct httpd_response *response)
{
	(void)r;
	auto_arena struct arena a = ARENA_INIT;
	struct view v = {0};
	struct err e = ERR_INIT;
	if (load_view(ctx, &v, &e) < 0)
		answer_error(response, &e);
	else
		answer_node(response, view_status(&v, &a));
	view_release(&v);
}

static void serve_progress(void *ctx, struct httpd_request *r, struct httpd_response *response)
{
	(void)r;
	const struct control *c = ctx;
	auto_arena struct arena a = ARENA_INIT;
	struct engine_stats stats;
	engine_stats(c->engine, &stats);
	answer_node(response, view_progress(&stats, &a));
}

static void serve_explain(void *ctx, struct httpd_request *r, struct httpd_response *response)
{
	const struct control *c = ctx;
	auto_arena struct arena a = ARENA_INIT;
	struct view v = {0};
	struct err e = ERR_INIT;
	const char *limit = httpd_query(r, "limit");
	uint64_t most = VIEW_EVENTS_EXPLAINED;
	struct node *answer = NULL;
	if (limit && (!text_parse_u64(limit, &most) || most > LIMIT_EVENTS_SHOWN))
		err_set(&e, ERR_INVALID, "limit must be a number up to %d, such as 50",
			LIMIT_EVENTS_SHOWN);
	else if (load_view(c, &v, &e) == 0)
		view_explain(&v, host_store(c->host), httpd_param(r, "name"), (size_t)most, &a,
			&answer, &e);
	if (answer)
		answer_node(response, answer);
	else
		answer_error(response, &e);
	view_release(&v);
}

static void serve_plan(void *ctx, struct httpd_request *r, struct httpd_response *response)
{
	(void)r;
	const struct control *c = ctx;
	const struct plan *plan = engine_plan(c->engine);
	struct engine_stats stats;
	struct err e = ERR_INIT;
	engine_stats(c->engine, &stats);
	if (!plan) {
		err_retriable(&e, ERR_UNAVAILABLE, "there is no plan at this time: %s",
			stats.load_error[0] ? stats.load_error
			: stats.trouble[0]  ? stats.trouble
					    : "the pass is not complete");
		answer_error(response, &e);
		return;
	}
	auto_free char *api =
		xasprintf("%s, organization %s", c->config->api.url, c->config->api.organization);
	const struct plan_header header = {
		.name = c->config->name,
		.sha = stats.head[0] ? stats.head : NULL,
		.summary = stats.summary[0] ? stats.summary : NULL,
		.api = api,
	};
	plan_render(plan, &header, PLAN_JSON, &response->body);
}

/* Only they get past the mode of the socket. A directory of users may take its time: it is asked
 * before anybody waits, and never for an order. */
static char *name_of(const struct control *c, uid_t uid)
{
	if (uid == geteuid())
		return xstrdup(c->me);
	return uid == 0 ? xstrdup(c->root) : xasprintf("uid %u", uid);
}

/* Written before it is answered: what was acknowledged survives a crash. */
static int take_order(const struct control *c, const struct httpd_request *r, struct arena *a,
	struct node **ret_answer, struct err *e)
{
	uid_t uid;
	if (!httpd_peer(r, &uid))
		return err_set(e, ERR_DENIED, "the system does not say who you are");
	auto_free char *by = name_of(c, uid);
	const struct buf *text = httpd_body(r);
	struct node *body;
	const struct desk desk = {
		.ledger = engine_ledger(c->engine),
		.engine = c->engine,
		.by = by,
		.now_ms = clock_wall_ms(&clock_real),
	};
	const char *order = httpd_param(r, "order");
	if (json_read(a, buf_str(text), text->len, &body, e) < 0)
		return err_prefix(e, "the body of the order");
	int rc = desk_take(&desk, order, body, a, ret_answer, e);
	if (rc == 0)
		rc = engine_ordered(c->engine, e);
	if (rc == 0)
		log_info("ordered", "order", order, "by", by, NULL);
	return rc;
}

static void serve_order(void *ctx, struct httpd_request *r, struct httpd_response *response)
{
	auto_arena struct arena a = ARENA_INIT;
	struct node *answer = NULL;
	struct err e = ERR_INIT;
	if (take_order(ctx, r, &a, &answer, &e) < 0)
		answer_error(response, &e);
	else
		answer_node(response, answer);
}

/* What is under way now may be of an older commit: then it is the one after it. */
static void serve_sync(void *ctx, struct httpd_request *r, struct httpd_response *response)
{
	(void)r;
	const struct control *c = ctx;
	auto_arena struct arena a = ARENA_INIT;
	struct node *answer = node_map(&a);
	struct engine_stats stats;
	engine_stats(c->engine, &stats);
	engine_wake(c->engine);
	int64_t more = stats.busy ? 2 : 1;
	node_map_set(&a, answer, "passes", node_int(&a, (int64_t)stats.passes + more));
	node_map_set(&a, answer, "reads", node_int(&a, (int64_t)stats.reads + more));
	answer_node(response, answer);
}

static void serve_not_found(void *ctx, struct httpd_request *r, struct httpd_response *response)
{
	(void)ctx;
	struct err e = ERR_INIT;
	err_set(&e, ERR_NOT_FOUND,
		"there is no %s here; there are /v1/status, /v1/progress, /v1/explain/NAME, "
		"/v1/plan, /v1/orders/ORDER and /v1/sync",
		httpd_path(r));
	answer_error(response, &e);
}

static void serve_refused(void *ctx, struct httpd_request *r, struct httpd_response *response)
{
	static const struct {
		int status;
		enum err_code code;
		const char *text;
	} rows[] = {
		{405, ERR_INVALID, "this path does not take that method"},
		{413, ERR_LIMIT, "the body is too large"},
		{503, ERR_UNAVAILABLE, "weir ends, or is sent too much at once: try again"},
		{0, ERR_INVALID, "the request is not well formed"},
	};
	(void)ctx;
	(void)r;
	int status = response->status;
	struct err e = ERR_INIT;
	size_t i = 0;
	while (rows[i].status && rows[i].status != status)
		i++;
	err_set(&e, rows[i].code, "%s", rows[i].text);
	answer_error(response, &e);
	response->status = status;
}

static const struct httpd_route routes[] = {
	{.method = "GET", .pattern = "/v1/status", .handler = serve_status},
	{.method = "GET", .pattern = "/v1/progress", .handler = serve_progress},
	{.method = "GET", .pattern = "/v1/explain/{name}", .handler = serve_explain},
	{.method = "GET", .pattern = "/v1/plan", .handler = serve_plan},
	{.method = "POST",
		.pattern = "/v1/orders/{order}",
		.handler = serve_order,
		.max_body = LIMIT_HTTP_BODY_BYTES},
	{.method = "POST", .pattern = "/v1/sync", .handler = serve_sync, .max_body = 64}, /* {} */
	{.method = NULL},
};

static void control_free(struct control *c)
{
	free(c->me);
	free(c->root);
	free(c);
}

int control_start(
	struct host *host, const struct config *config, struct control **ret_control, struct err *e)
{
	struct control *c = xcalloc(1, sizeof(*c));
	*c = (struct control){
		.config = config,
		.host = host,
		.engine = host_engine(host),
		.me = desk_user_name(geteuid()),
		.root = desk_user_name(0),
	};
	auto_free char *path = fs_join(config->state, CONTROL_SOCKET);
	const struct httpd_options options = {
		.socket = path,
		.routes = routes,
		.not_found = serve_not_found,
		.refused = serve_refused,
		.ctx = c,
	};
	int rc = httpd_start(host_loop(host), &options, &c->httpd, e);
	if (rc < 0) {
		control_free(c);
		return err_prefix(e, "state");
	}
	*ret_control = c;
	return 0;
}

void control_stop(struct control *c)
{
	if (!c)
		return;
	httpd_stop(c->httpd, STOP_GRACE_MS);
	control_free(c);
}
