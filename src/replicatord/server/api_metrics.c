/* Metrics of a fleet, as one organization sees it. */
#include <string.h>

#include "doc/json.h"
#include "server/api.h"
#include "server/call.h"
#include "server/fleet_call.h"

struct reading {
	const struct fleet *fleet;
	int64_t by_status[LIVE__COUNT];
};

struct metric {
	const char *name;
	const char *unit;
	const char *description;
	void (*write_samples)(struct buf *out, const struct reading *r);
};

static void write_sample(struct buf *out, const char *status, int64_t value)
{
	if (status)
		buf_addf(out, "{\"labels\":{\"status\":\"%s\"},\"value\":%lld}", status,
			(long long)value);
	else
		buf_addf(out, "{\"labels\":{},\"value\":%lld}", (long long)value);
}

static void write_replicators(struct buf *out, const struct reading *r)
{
	for (int i = 0; i < LIVE_UNKNOWN; i++) {
		buf_adds(out, i ? "," : "");
		write_sample(out, live_status_name((enum live_status)i), r->by_status[i]);
	}
}

static void write_capacity(struct buf *out, const struct reading *r)
{
	write_sample(out, NULL, r->fleet->config->capacity);
}

static void write_room(struct buf *out, const struct reading *r)
{
	write_sample(out, NULL, fleet_room(r->fleet));
}

static const struct metric metrics[] = {
	{"capacity", "replicators", "How many replicators the fleet takes.", write_capacity},
	{"replicators", "replicators", "The organization's replicators on the fleet, by status.",
		write_replicators},
	{"room", "replicators", "How many more replicators the fleet takes.", write_room},
};

static bool read_fleet(struct call *c, struct reading *ret_reading)
{
	struct err e = ERR_INIT;
	const struct fleet *fleet = fleet_requested(c);

	if (!fleet)
		return false;
	ret_reading->fleet = fleet;
	if (store_count_by_status(
		    c->server->store, fleet->config->name, c->org, ret_reading->by_status, &e) == 0)
		return true;
	call_error(c, &e);
	return false;
}

void api_fleet_overview(void *ctx, struct httpd_request *request, struct httpd_response *response)
{
	auto_call struct call c = CALL_INIT(ctx, request, response);
	struct reading r;
	int64_t total = 0;

	if (!call_begin(&c, ACCESS_READ) || !read_fleet(&c, &r))
		return;
	buf_addf(c.out, "{\"fleet\":\"%s\",\"note\":", r.fleet->config->name);
	json_write_string(c.out, r.fleet->runner->type->note);
	buf_addf(c.out, ",\"capacity\":%lld,\"room\":%lld,\"by_status\":{",
		(long long)r.fleet->config->capacity, (long long)fleet_room(r.fleet));
	for (int i = 0; i < LIVE_UNKNOWN; i++) {
		buf_addf(c.out, "%s\"%s\":%lld", i ? "," : "",
			live_status_name((enum live_status)i), (long long)r.by_status[i]);
		total += r.by_status[i];
	}
	buf_addf(c.out, "},\"replicators\":%lld}", (long long)total);
	call_answer(&c, 200);
}

static void write_head(struct buf *out, const struct metric *m)
{
	buf_addf(out, "{\"name\":\"%s\",\"unit\":\"%s\",\"description\":", m->name, m->unit);
	json_write_string(out, m->description);
}

void api_fleet_metrics(void *ctx, struct httpd_request *request, struct httpd_response *response)
{
	auto_call struct call c = CALL_INIT(ctx, request, response);
	struct window window;

	if (!call_begin(&c, ACCESS_READ) || !fleet_requested(&c) ||
		!call_begin_page(&c, ARRAY_SIZE(metrics), &window))
		return;
	size_t end = (size_t)(window.offset + window.limit);
	for (size_t i = (size_t)window.offset; i < ARRAY_SIZE(metrics) && i < end; i++) {
		call_item(&c);
		write_head(c.out, &metrics[i]);
		buf_addc(c.out, '}');
	}
	call_end_page(&c, 0, NULL);
}

static const struct metric *find_metric(struct call *c)
{
	const char *name = httpd_param(c->request, "name");

	for (size_t i = 0; i < ARRAY_SIZE(metrics); i++)
		if (!strcmp(metrics[i].name, name))
			return &metrics[i];
	call_detail(c, 404, "there is no metric %s", name);
	return NULL;
}

void api_fleet_metric(void *ctx, struct httpd_request *request, struct httpd_response *response)
{
	auto_call struct call c = CALL_INIT(ctx, request, response);
	const struct metric *metric;
	struct reading r;

	if (!call_begin(&c, ACCESS_READ) || !read_fleet(&c, &r) || !(metric = find_metric(&c)))
		return;
	write_head(c.out, metric);
	buf_adds(c.out, ",\"samples\":[");
	metric->write_samples(c.out, &r);
	buf_adds(c.out, "]}");
	call_answer(&c, 200);
}
