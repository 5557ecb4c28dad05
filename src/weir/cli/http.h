/*
 * What the daemon serves: /healthz, /readyz, /metrics and the webhooks below /hooks/.
 */
#ifndef CLI_HTTP_H
#define CLI_HTTP_H

#include "base/loop.h"
#include "config/config.h"
#include "hook/hook.h"
#include "reconcile/engine.h"

struct http_pages;

/* Prints `listening on http://…`. */
int http_pages_start(struct loop *loop, const struct config *config, struct engine *engine,
	struct http_pages **ret_pages, struct err *e);
void http_pages_stop(struct http_pages *p);

/* Prometheus' text format. */
void metrics_write(const struct config *config, const struct engine_stats *stats, struct buf *out);
void metrics_write_hooks(const struct config *config, const struct hook *hook, struct buf *out);

#endif
