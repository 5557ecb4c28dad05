/* Fleets, their alerts and their logs. */
#include <string.h>

#include "base/text.h"
#include "doc/json.h"
#include "server/api.h"
#include "server/call.h"
#include "server/fleet_call.h"

#define MINUTE_MS     ((int64_t)60000)
#define SINCE_DEFAULT 60

struct fleet *fleet_requested(struct call *c)
{
	const char *name = httpd_param(c->request, "fleet_id");
	struct fleet *fleet = fleets_find(&c->server->fleets, name);

	if (!fleet)
		call_detail(c, 404, "there is no fleet %s", name);
	return fleet;
}

static void write_fleet(struct buf *out, const struct fleet *fleet)
{
	auto_strv struct strv providers = VEC_INIT;

	fleet_providers(fleet, &providers);
	buf_addf(out,
		"{\"identifier\":\"%s\",\"status\":\"Healthy\",\"runner\":\"%s\",\"providers\":[",
		fleet->config->name, fleet->runner->type->name);
	for (size_t i = 0; i < providers.n; i++) {
		buf_adds(out, i ? "," : "");
		json_write_string(out, providers.at[i]);
	}
	buf_addf(out, "],\"capacity\":%lld,\"room\":%lld}", (long long)fleet->config->capacity,
		(long long)fleet_room(fleet));
}

void api_fleet_list(void *ctx, struct httpd_request *request, struct httpd_response *response)
{
	auto_call struct call c = CALL_INIT(ctx, request, response);
	const struct fleets *fleets = &c.server->fleets;
	struct window window;

	if (!call_begin(&c, ACCESS_READ) || !call_begin_page(&c, (int64_t)fleets->n, &window))
		return;
	size_t end = (size_t)(window.offset + window.limit);
	for (size_t i = (size_t)window.offset; i < fleets->n && i < end; i++) {
		call_item(&c);
		write_fleet(c.out, &fleets->at[i]);
	}
	call_end_page(&c, 0, NULL);
}

static void write_alert(void *ctx, const struct replicator_row *row)
{
	struct call *c = ctx;
	char when[CLOCK_TEXT_MAX];

	call_item(c);
	buf_addf(c->out,
		"{\"name\":\"ReplicatorError\",\"severity\":\"critical\",\"replicator\":\"%s\",",
		row->identifier);
	buf_addf(c->out, "\"since\":\"%s\",\"message\":", clock_format(row->status_at_ms, when));
	json_write_string(c->out, row->status_message);
	buf_addc(c->out, '}');
}

/* A replicator in Error fires. Lag would too, but no runner that is built measures it. */
void api_fleet_alerts(void *ctx, struct httpd_request *request, struct httpd_response *response)
{
	auto_call struct call c = CALL_INIT(ctx, request, response);
	int64_t counts[LIVE__COUNT];
	struct err e = ERR_INIT;
	struct window window;
	struct fleet *fleet;

	if (!call_begin(&c, ACCESS_READ) || !(fleet = fleet_requested(&c)))
		return;
	const char *name = fleet->config->name;
	struct store *store = c.server->store;
	if (store_count_by_status(store, name, c.org, counts, &e) < 0) {
		call_error(&c, &e);
		return;
	}
	if (!call_begin_page(&c, counts[LIVE_ERROR], &window))
		return;
	int rc = store_list_by_status(store, name, c.org, LIVE_ERROR, window, write_alert, &c, &e);
	call_end_page(&c, rc, &e);
}

static void write_log(void *ctx, const struct log_row *row)
{
	struct call *c = ctx;
	char when[CLOCK_TEXT_MAX];

	call_item(c);
	buf_addf(c->out, "{\"time\":\"%s\",\"level\":\"%s\",\"replicator\":\"%s\",\"message\":",
		clock_format(row->at_ms, when), row->level, row->identifier);
	json_write_string(c->out, row->message);
	buf_addc(c->out, '}');
}

static bool read_since(struct call *c, int64_t *ret_since_ms)
{
	const char *text = httpd_query(c->request, "since");
	uint64_t minutes = SINCE_DEFAULT;

	if (text && (!text_parse_u64(text, &minutes) || minutes == 0 || minutes > INT32_MAX)) {
		call_field(c, "since", "must be a number of minutes, at least 1");
		return false;
	}
	*ret_since_ms = clock_wall_ms(c->server->lifecycle.clock) - (int64_t)minutes * MINUTE_MS;
	return true;
}

void api_fleet_logs(void *ctx, struct httpd_request *request, struct httpd_response *response)
{
	auto_call struct call c = CALL_INIT(ctx, request, response);
	struct err e = ERR_INIT;
	struct window window;
	struct fleet *fleet;
	int64_t since_ms, count;

	if (!call_begin(&c, ACCESS_READ) || !(fleet = fleet_requested(&c)) ||
		!read_since(&c, &since_ms))
		return;
	const char *name = fleet->config->name;
	struct store *store = c.server->store;
	if (store_count_log(store, name, c.org, since_ms, &count, &e) < 0) {
		call_error(&c, &e);
		return;
	}
	if (!call_begin_page(&c, count, &window))
		return;
	int rc = store_list_log(store, name, c.org, since_ms, window, write_log, &c, &e);
	call_end_page(&c, rc, &e);
}
