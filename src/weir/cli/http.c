/* The daemon's pages. */
#include "cli/http.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/text.h"
#include "hook/hook.h"
#include "httpd/httpd.h"

#define STOP_GRACE_MS 1000

struct http_pages {
	const struct config *config;
	struct engine *engine;
	struct hook *hook; /* NULL: there is no secret, so there are no webhooks */
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
	if (p->hook)
		metrics_write_hooks(p->config, p->hook, &response->body);
}

/* The first of two headers that is there. */
static const char *either(const struct httpd_request *r, const char *first, const char *second)
{
	const char *value = httpd_header(r, first);
	return value ? value : httpd_header(r, second);
}

static void take_hook(
	struct http_pages *p, struct httpd_request *r, struct httpd_response *response)
{
	const struct buf *body = httpd_body(r);
	const struct hook_request q = {
		.content_type = httpd_header(r, "Content-Type"),
		.gitea_event = either(r, "X-Gitea-Event", "X-Forgejo-Event"),
		.gitea_delivery = either(r, "X-Gitea-Delivery", "X-Forgejo-Delivery"),
		.gitea_signature = either(r, "X-Gitea-Signature", "X-Forgejo-Signature"),
		.github_event = httpd_header(r, "X-GitHub-Event"),
		.github_delivery = httpd_header(r, "X-GitHub-Delivery"),
		.github_signature = httpd_header(r, "X-Hub-Signature-256"),
		.body = buf_str(body),
		.len = body->len,
	};
	struct hook_answer answer;
	hook_take(p->hook, &q, &answer);
	log_debug("a webhook", "outcome", hook_outcome_name(answer.outcome), "answer", answer.text,
		NULL);
	if (answer.outcome == HOOK_PUSH)
		engine_wake(p->engine);
	response->status = answer.status;
	buf_addf(&response->body, "%s\n", answer.text);
	if (answer.retry_after_ms) {
		auto_free char *seconds =
			xasprintf("%lld", (long long)(answer.retry_after_ms + 999) / 1000);
		httpd_set_header(r, "Retry-After", seconds);
	}
}

static void serve_hook(void *ctx, struct httpd_request *request, struct httpd_response *response)
{
	struct http_pages *p = ctx;
	response->content_type = "text/plain; charset=utf-8";
	if (strcmp(httpd_param(request, "source"), p->config->name) != 0) {
		response->status = 404;
		buf_addf(&response->body, "webhooks go to /hooks/%s here\n", p->config->name);
	} else {
		take_hook(p, request, response);
	}
}

static void serve_not_found(
	void *ctx, struct httpd_request *request, struct httpd_response *response)
{
	const struct http_pages *p = ctx;
	response->content_type = "text/plain; charset=utf-8";
	buf_adds(&response->body,
		!p->hook && text_has_prefix(httpd_path(request), "/hooks/")
			? "there are no webhooks without http.webhook_secret\n"
			: "there are /healthz, /readyz, /metrics and /hooks/NAME here\n");
}

static void serve_refused(void *ctx, struct httpd_request *request, struct httpd_response *response)
{
	(void)ctx;
	(void)request;
	response->content_type = "text/plain; charset=utf-8";
	if (response->status == 503)
		buf_adds(&response->body, "weir ends, or is sent too much at once: try again\n");
}

/* The webhooks come first: without a secret they are left out, and what is sent is not kept. */
static const struct httpd_route routes[] = {
	{.method = "POST",
		.pattern = "/hooks/{source}",
		.handler = serve_hook,
		.max_body = LIMIT_HOOK_BODY_BYTES},
	{.method = "GET", .pattern = "/healthz", .handler = serve_health},
	{.method = "GET", .pattern = "/readyz", .handler = serve_ready},
	{.method = "GET", .pattern = "/metrics", .handler = serve_metrics},
	{.method = NULL},
};

static struct hook *open_hook(const struct config *config)
{
	const struct hook_options options = {
		.branch = config->source.branch,
		.secret_ref = config->http.webhook_secret,
		.clock = &clock_real,
	};
	return options.secret_ref ? hook_new(&options) : NULL;
}

int http_pages_start(struct loop *loop, const struct config *config, struct engine *engine,
	struct http_pages **ret_pages, struct err *e)
{
	struct http_pages *p = xcalloc(1, sizeof(*p));
	*p = (struct http_pages){.config = config, .engine = engine, .hook = open_hook(config)};
	const struct httpd_options options = {
		.listen = config->http.listen,
		.routes = p->hook ? routes : routes + 1,
		.not_found = serve_not_found,
		.refused = serve_refused,
		.ctx = p,
	};
	int rc = httpd_start(loop, &options, &p->httpd, e);
	if (rc < 0) {
		hook_free(p->hook);
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
	hook_free(p->hook);
	free(p);
}
