/* Where the current plan comes from. */
#include "cli/current.h"

#include <poll.h>

#include "base/clock.h"
#include "cli/daemon.h"
#include "cli/host.h"
#include "cli/view.h"
#include "doc/json.h"

#define WAIT_MS	 15000
#define AGAIN_MS 100

static int ask_plan(const struct config *c, struct arena *a, struct node **ret_plan, struct err *e)
{
	int64_t until = clock_mono_ms(&clock_real) + WAIT_MS;
	for (;;) {
		struct err now = ERR_INIT;
		int rc = daemon_ask(c, "/v1/plan", NULL, a, ret_plan, &now);
		bool again = rc < 0 && now.http == 503;
		if (!again || clock_mono_ms(&clock_real) >= until) {
			if (rc < 0)
				*e = now;
			return rc;
		}
		poll(NULL, 0, AGAIN_MS);
	}
}

static const struct node *map_or_null(const struct node *status, const char *key)
{
	const struct node *map = node_get(status, key);
	return map && map->type == NODE_MAP ? map : NULL;
}

static int ask_daemon(
	const struct config *c, struct arena *a, struct current *ret_current, struct err *e)
{
	struct node *plan = NULL, *status = NULL;
	int rc = ask_plan(c, a, &plan, e);
	if (rc == 0)
		rc = daemon_ask(c, "/v1/status", NULL, a, &status, e);
	if (rc < 0)
		return rc;
	ret_current->plan = plan;
	ret_current->rewound = map_or_null(status, "rewound");
	ret_current->brake = map_or_null(status, "brake");
	return 0;
}

static void keep_plan(void *ctx, const struct plan *plan, const struct plan_header *header)
{
	buf_clear(ctx);
	plan_render(plan, header, PLAN_JSON, ctx);
}

static int read_made(const struct engine *engine, const struct buf *json, struct arena *a,
	struct current *ret_current, struct err *e)
{
	struct engine_stats stats;
	struct engine_rewind rewind;
	struct engine_brake brake;
	struct node *plan = NULL;
	engine_stats(engine, &stats);
	if (!json->len)
		return err_set(e, ERR_UNAVAILABLE, "there is no plan: %s",
			stats.load_error[0] ? stats.load_error
			: stats.trouble[0]  ? stats.trouble
					    : "it was interrupted");
	int rc = json_read(a, buf_str(json), json->len, &plan, e);
	if (rc < 0)
		return rc;
	ret_current->plan = plan;
	ret_current->rewound = engine_rewind(engine, &rewind) ? view_rewind(a, &rewind) : NULL;
	ret_current->brake = engine_brake(engine, &brake) ? view_brake(a, &brake) : NULL;
	return 0;
}

static int make(const struct config *c, bool follows, struct arena *a, struct current *ret_current,
	struct err *e)
{
	auto_buf struct buf json = BUF_INIT;
	const struct host_options options = {
		.config = c,
		.dry = true,
		.follows = follows,
		.once = true,
		.on_plan = keep_plan,
		.ctx = &json,
	};
	struct host *h = NULL;
	int rc = host_new(&options, &h, e);
	if (rc == 0)
		rc = host_run(h, e);
	if (rc == 0)
		rc = read_made(host_engine(h), &json, a, ret_current, e);
	host_free(h);
	return rc;
}

int current_get(const struct config *c, struct arena *a, struct current *ret_current, struct err *e)
{
	bool runs;
	int rc = daemon_runs(c, &runs, e);
	if (rc < 0)
		return rc;
	return runs ? ask_daemon(c, a, ret_current, e) : make(c, false, a, ret_current, e);
}

int current_get_rewound(
	const struct config *c, struct arena *a, struct current *ret_current, struct err *e)
{
	return make(c, true, a, ret_current, e);
}
