/* Replicators: create, list, retrieve, update, destroy. */
#include <string.h>

#include "base/text.h"
#include "server/api.h"
#include "server/call.h"
#include "server/replicator.h"
#include "server/settings.h"

static void write_row(void *ctx, const struct replicator_row *row)
{
	struct call *c = ctx;

	call_item(c);
	replicator_write(c->out, row, c->server->config->compat);
}

static void answer_row(struct call *c, int status, const struct replicator_row *row)
{
	buf_clear(c->out);
	replicator_write(c->out, row, c->server->config->compat);
	call_answer(c, status);
}

void api_replicator_list(void *ctx, struct httpd_request *request, struct httpd_response *response)
{
	auto_call struct call c = CALL_INIT(ctx, request, response);
	struct err e = ERR_INIT;
	struct window window;
	int64_t count;

	if (!call_begin(&c, ACCESS_READ))
		return;
	if (store_count_replicators(c.server->store, c.org, &count, &e) < 0) {
		call_error(&c, &e);
		return;
	}
	if (!call_begin_page(&c, count, &window))
		return;
	int rc = store_list_replicators(c.server->store, c.org, window, write_row, &c, &e);
	call_end_page(&c, rc, &e);
}

void api_replicator_retrieve(
	void *ctx, struct httpd_request *request, struct httpd_response *response)
{
	auto_call struct call c = CALL_INIT(ctx, request, response);
	struct replicator_row row;

	if (call_begin(&c, ACCESS_READ) && replicator_find(&c, &row))
		answer_row(&c, 200, &row);
}

static struct fleet *place(struct call *c, const struct spec *spec)
{
	auto_buf struct buf why = BUF_INIT;
	const char *provider = spec->value[SPEC_PROVIDER]->u.string.s;
	struct fleet *fleet = fleets_place(&c->server->fleets, provider, &why);

	if (!fleet)
		call_field(c, spec_fields[SPEC_PROVIDER].name, "%s", buf_str(&why));
	return fleet;
}

static void create(struct call *c, const struct node *body)
{
	struct problems problems = PROBLEMS_INIT;
	struct replicator_row row;
	struct err e = ERR_INIT;
	struct fleet *fleet;
	struct spec spec;

	if (!settings_create(c->server->config, &c->arena, body, &spec, &problems)) {
		call_problems(c, &problems);
	} else if ((fleet = place(c, &spec))) {
		if (lifecycle_create(
			    &c->server->lifecycle, &c->arena, c->org, &spec, fleet, &row, &e) < 0)
			call_error(c, &e);
		else
			answer_row(c, 201, &row);
	}
	problems_release(&problems);
}

void api_replicator_create(
	void *ctx, struct httpd_request *request, struct httpd_response *response)
{
	auto_call struct call c = CALL_INIT(ctx, request, response);
	const struct node *body;

	if (call_begin(&c, ACCESS_WRITE) && call_body(&c, &body))
		create(&c, body);
}

static void update(struct call *c, struct replicator_row *row, const struct node *body)
{
	struct problems problems = PROBLEMS_INIT;
	struct err e = ERR_INIT;
	struct spec current, next;
	bool changed, good = false;

	int rc = settings_read(&c->arena, row->spec, &current, &e);
	if (rc == 0)
		good = settings_change(
			c->server->config, &c->arena, &current, body, &next, &changed, &problems);
	if (good && changed)
		rc = lifecycle_save(&c->server->lifecycle, &c->arena, row, &next, &e);
	if (rc < 0)
		call_error(c, &e);
	else if (!good)
		call_problems(c, &problems);
	else
		answer_row(c, 200, row);
	problems_release(&problems);
}

void api_replicator_update(
	void *ctx, struct httpd_request *request, struct httpd_response *response)
{
	auto_call struct call c = CALL_INIT(ctx, request, response);
	struct replicator_row row;
	const struct node *body;

	if (call_begin(&c, ACCESS_WRITE) && replicator_find(&c, &row) &&
		replicator_not_deleting(&c, &row) && replicator_match(&c, &row) &&
		call_body(&c, &body))
		update(&c, &row, body);
}

void api_replicator_destroy(
	void *ctx, struct httpd_request *request, struct httpd_response *response)
{
	auto_call struct call c = CALL_INIT(ctx, request, response);
	struct replicator_row row;
	struct err e = ERR_INIT;
	bool gone = false;

	if (!call_begin(&c, ACCESS_WRITE) || !replicator_find(&c, &row) ||
		!replicator_match(&c, &row))
		return;
	if (row.status != LIVE_DELETING &&
		lifecycle_delete(&c.server->lifecycle, &c.arena, &row, &gone, &e) < 0)
		call_error(&c, &e);
	else if (gone)
		call_answer(&c, 204);
	else
		answer_row(&c, 202, &row);
}
