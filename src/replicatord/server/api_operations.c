/* Reconcile: the operation that a key stands for, or a new one. */
#include <ctype.h>
#include <string.h>

#include "doc/json.h"
#include "server/api.h"
#include "server/call.h"
#include "server/replicator.h"

#define KEY_HEADER "Idempotency-Key"
#define KEY_MAX	   255

struct reconcile_request {
	const char *key;
	int64_t generation;
};

static const struct field request_fields[] = {
	{.name = "generation",
		.type = FIELD_INT,
		.flags = FIELD_REQUIRED,
		.min = 1,
		.offset = offsetof(struct reconcile_request, generation)},
	{.name = NULL},
};

static bool is_key(const char *key)
{
	size_t len = strlen(key);

	for (size_t i = 0; i < len; i++)
		if (!isprint((unsigned char)key[i]))
			return false;
	return len >= 1 && len <= KEY_MAX;
}

static bool read_request(struct call *c, struct reconcile_request *ret_request)
{
	const struct field_place place = {.arena = &c->arena, .path = ""};
	const char *key = httpd_header(c->request, KEY_HEADER);
	struct problems problems = PROBLEMS_INIT;
	const struct node *body;

	if (!call_body(c, &body))
		return false;
	bool good = fields_decode(request_fields, body, &place, ret_request, &problems);
	if (!key)
		problems_add(&problems, PROBLEM_ERROR, NULL, 0, 0, KEY_HEADER,
			"this header is required: a name of your choice for the operation, so that "
			"asking "
			"twice starts one");
	else if (!is_key(key))
		problems_add(&problems, PROBLEM_ERROR, NULL, 0, 0, KEY_HEADER,
			"must be 1 to %d printable ASCII characters", KEY_MAX);
	good = good && problems.n_errors == 0;
	if (!good)
		call_problems(c, &problems);
	problems_release(&problems);
	ret_request->key = key;
	return good;
}

static void answer_operation(struct call *c, const struct operation_row *op)
{
	unsigned compat = c->server->config->compat;
	char when[CLOCK_TEXT_MAX];

	buf_adds(c->out, "{\"id\":");
	json_write_string(c->out, op->id);
	buf_addf(c->out, ",\"generation\":%lld", (long long)op->generation);
	if (!(compat & COMPAT_NO_OPERATION_STATE)) {
		buf_addf(c->out, ",\"state\":\"%s\",\"error\":", operation_state_name(op->state));
		if (*op->error)
			json_write_string(c->out, op->error);
		else
			buf_adds(c->out, "null");
	}
	if (!(compat & COMPAT_NO_CREATED_AT))
		buf_addf(c->out, ",\"created_at\":\"%s\"", clock_format(op->created_at_ms, when));
	buf_addc(c->out, '}');
	call_answer(c, 202);
}

static void start(
	struct call *c, struct replicator_row *row, const struct reconcile_request *request)
{
	struct operation_row op;
	struct err e = ERR_INIT;

	if (!replicator_not_deleting(c, row))
		return;
	if (request->generation != row->generation)
		call_detail(c, 409, "generation %lld is out of date: %s is at generation %lld",
			(long long)request->generation, row->identifier,
			(long long)row->generation);
	else if (lifecycle_reconcile(&c->server->lifecycle, &c->arena, row, request->key, &op, &e) <
		 0)
		call_error(c, &e);
	else
		answer_operation(c, &op);
}

/* The design's order: token, resource, key, generation. */
void api_replicator_reconcile(
	void *ctx, struct httpd_request *request, struct httpd_response *response)
{
	auto_call struct call c = CALL_INIT(ctx, request, response);
	struct reconcile_request wanted;
	struct replicator_row row;
	struct operation_row op;
	struct err e = ERR_INIT;

	if (!call_begin(&c, ACCESS_WRITE) || !replicator_find(&c, &row) ||
		!read_request(&c, &wanted))
		return;
	int rc = store_find_operation(c.server->store, &c.arena, row.id, wanted.key, &op, &e);
	if (rc < 0)
		call_error(&c, &e);
	else if (rc == 0)
		start(&c, &row, &wanted);
	else if (op.generation != wanted.generation)
		call_detail(&c, 422,
			"this key was sent for generation %lld; a new request needs a new key",
			(long long)op.generation);
	else
		answer_operation(&c, &op);
}
