/* The daemon's pages. */
#include "cli/http.h"

#include <stdio.h>

#include "base/alloc.h"
#include "httpd/httpd.h"

#define STOP_GRACE_MS 1000

struct http_pages {
	const struct config *config;
	const struct engine *engine;
	struct httpd *httpd;
};

static void serve_health(void *ctx, struct httpd_request *request, struct httpd_response *response)
{
	(void)ctx;
	(void)request;
	response->content_type = "text/plain; charset=utf-8";
	buf_adds(&response->body, "ok\n");
}

static void serve_ready(void *ctx, struct httpd_request *request, struct httpd_response *response)
{
	(void)request;
	const struct http_pages *p = ctx;
	struct engine_stats stats;
	engine_stats(p->engine, &stats);
	response->content_type = "text/plain; charset=utf-8";
	response->status = stats.ready ? 200 : 503;
	if (stats.ready)
		buf_addf(&response->body, "ready: %s\n", stats.text);
	else
		buf_addf(&response->body, "not ready: %s\n",
			stats.trouble[0] ? stats.trouble : "the first pass is not complete");
}

static void serve_metrics(void *ctx, struct httpd_request *request, struct httpd_response *response)
{
	(void)request;
	const struct http_pages *p = ctx;
	struct engine_stats stats;
	engine_stats(p->engine, &stats);
	response->content_type = "text/plain; version=0.0.4; charset=utf-8";
	metrics_write(p->config, &stats, &response->body);
}

static void serve_not_found(
	void *ctx, struct httpd_request *request, struct httpd_response *response)
{
	(void)ctx;
	(void)request;
	response->status = 404;
	response->content_type = "text/plain; charset=utf-8";
	buf_adds(&response->body, "there are /healthz, /readyz and /metrics here\n");
}

static const struct httpd_route routes[] = {
	{.method = "GET", .pattern = "/healthz", .handler = serve_health},
	{.method = "GET", .pattern = "/readyz", .handler = serve_ready},
	{.method = "GET", .pattern = "/metrics", .handler = serve_metrics},
	{.method = NULL},
};

int http_pages_start(struct loop *loop, const struct config *config, const struct engine *engine,
	struct http_pages **ret_pages, struct err *e)
{
	struct http_pages *p = xcalloc(1, sizeof(*p));
	*p = (struct http_pages){.config = config, .engine = engine};
	const struct httpd_options options = {
		.listen = config->http.listen,
		.routes = routes,
		.not_found = serve_not_found,
		.ctx = p,
	};
	int rc = httpd_start(loop, &options, &p->httpd, e);
	if (rc < 0) {
		free(p);
		return err_prefix(e, "http.listen");
	}
	printf("listening on %s\n", httpd_url(p->httpd));
	fflush(stdout);
	*ret_pages = p;
	return 0;
}

void http_pages_stop(struct http_pages *p)
{
	if (!p)
		return;
	httpd_stop(p->httpd, STOP_GRACE_MS);
	free(p);
}
