/* What the API's answers mean. */
#include "api/answer.h"

#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "doc/json.h"

#define REASON_MAX 300 /* code points of what the API says itself */

/* How a status is understood, unless the verb's own rules below come first. */
static const struct status_rule {
	int from, to;
	enum api_outcome outcome;
	enum err_code code;
	bool retriable;
	const char *say;
} status_rules[] = {
	{200, 299, API_OK, ERR_OK, false, ""},
	{300, 399, API_NONSENSE, ERR_REMOTE, false,
		"answered with a redirect; set api.url to where the API really is"},
	{401, 401, API_AUTH, ERR_AUTH, true, "refused the token; check api.token"},
	{403, 403, API_FORBIDDEN, ERR_DENIED, true,
		API_FORBIDS_IT "; give the token the right to "},
	{404, 404, API_ABSENT, ERR_NOT_FOUND, false, "does not have it"},
	{408, 408, API_TRY_AGAIN, ERR_TIMEOUT, true, "gave up waiting"},
	{409, 409, API_STALE, ERR_CONFLICT, true, "says that it has changed meanwhile"},
	{412, 412, API_STALE, ERR_CONFLICT, true, "says that it has changed meanwhile"},
	{425, 425, API_TRY_AGAIN, ERR_UNAVAILABLE, true, "is not ready"},
	{429, 429, API_TRY_AGAIN, ERR_UNAVAILABLE, true, "asks to slow down"},
	{400, 499, API_REFUSED, ERR_INVALID, false, "refused it"},
	{500, 599, API_TRY_AGAIN, ERR_UNAVAILABLE, true, "failed"},
};

static const struct status_rule *find_rule(int status)
{
	for (size_t i = 0; i < ARRAY_SIZE(status_rules); i++)
		if (status >= status_rules[i].from && status <= status_rules[i].to)
			return &status_rules[i];
	return NULL;
}

/* {"detail": "…"} and {"field": ["…"]}, Django REST framework's two forms, on one line. */
static void describe_problem(const struct node *body, struct buf *out)
{
	const char *detail = node_get_string(body, "detail");
	if (detail) {
		buf_adds(out, detail);
		return;
	}
	for (size_t i = 0; body->type == NODE_MAP && i < body->u.map.n; i++) {
		const struct node *value = body->u.map.at[i].value;
		const struct node *first =
			value->type == NODE_SEQ && value->u.seq.n ? value->u.seq.at[0] : value;
		buf_addf(out, "%s%s: ", out->len ? "; " : "", body->u.map.at[i].key->u.string.s);
		if (first->type == NODE_STRING)
			buf_adds(out, first->u.string.s);
		else
			json_write(out, first, JSON_STYLE_COMPACT);
	}
}

static bool names_only_identifier(const struct node *body)
{
	return body && body->type == NODE_MAP && body->u.map.n == 1 && node_get(body, "identifier");
}

static bool says_exists(const struct node *body)
{
	const struct node *value = node_get(body, "identifier");
	const struct node *first =
		value && value->type == NODE_SEQ && value->u.seq.n ? value->u.seq.at[0] : value;
	return first && first->type == NODE_STRING && strstr(first->u.string.s, "exist");
}

static enum api_outcome outcome_of(
	enum api_verb verb, int status, const struct node *body, const struct status_rule *rule)
{
	if (verb == API_CREATE && status == 409)
		return API_EXISTS;
	if (verb == API_CREATE && status == 400 && names_only_identifier(body) && says_exists(body))
		return API_EXISTS;
	if (verb == API_RECONCILE && status == 422)
		return API_KEY_REUSED;
	return rule->outcome;
}

static bool reads(enum api_verb verb)
{
	return verb == API_LIST || verb == API_GET;
}

static void set_outcome(
	struct api_answer *a, const struct api_raw_answer *raw, const struct node *body)
{
	const struct status_rule *rule = find_rule(raw->status);
	if (!rule) {
		a->outcome = API_NONSENSE;
		err_retriable(&a->err, ERR_REMOTE,
			"the API answered with status %d, which means nothing here", raw->status);
		return;
	}
	a->outcome = outcome_of(a->verb, raw->status, body, rule);
	if (a->outcome == API_OK)
		return;
	bool forbidden = rule->outcome == API_FORBIDDEN;
	auto_buf struct buf why = BUF_INIT;
	if (body)
		describe_problem(body, &why);
	text_truncate(&why, REASON_MAX);
	err_set(&a->err, rule->code, "the API %s%s (%d%s%s)", rule->say,
		!forbidden	 ? ""
		: reads(a->verb) ? "read"
				 : "write",
		raw->status, why.len ? " " : "", buf_str(&why));
	a->err.retriable = rule->retriable;
	a->err.http = raw->status;
	a->err.retry_after_ms = raw->retry_after_ms;
}

static int read_live(struct arena *kept, const struct node *object, struct arena *tree,
	struct live *ret_live, struct err *e)
{
	struct live live;
	int rc = live_decode(object, tree, &live, e);
	if (rc == 0)
		*ret_live = live_copy(kept, &live);
	return rc;
}

static int read_list(
	struct api_answer *a, const struct node *body, struct arena *tree, struct err *e)
{
	const struct node *items = body->type == NODE_SEQ ? body : node_get(body, "results");
	if (!items || items->type != NODE_SEQ)
		return err_set(
			e, ERR_REMOTE, "the list is neither an array nor a page with `results`");
	struct api_page *page = a->page = xcalloc(1, sizeof(*page));
	page->refs = 1;
	page->count = -1;
	node_get_int(body, "count", &page->count);
	const char *next = node_get_string(body, "next");
	page->next = next && *next ? xstrdup(next) : NULL;
	page->n = items->u.seq.n;
	page->list = xcalloc(page->n ? page->n : 1, sizeof(*page->list));
	for (size_t i = 0; i < page->n; i++)
		if (read_live(&page->arena, items->u.seq.at[i], tree, &page->list[i], e) < 0)
			return err_prefix(e, "item %zu of the list", i + 1);
	return 0;
}

static int read_operation(struct api_answer *a, const struct node *object, struct err *e)
{
	struct operation *op = &a->operation;
	int rc = operation_decode(object, &a->arena, op, e);
	if (rc == 0)
		op->id = arena_strdup(&a->arena, op->id);
	return rc;
}

static int read_body(
	struct api_answer *a, const struct node *body, struct arena *tree, struct err *e)
{
	switch (a->verb) {
	case API_LIST:
		return read_list(a, body, tree, e);
	case API_GET:
	case API_CREATE:
	case API_PATCH:
		return read_live(&a->arena, body, tree, &a->live, e);
	case API_RECONCILE:
		return read_operation(a, body, e);
	case API_DELETE:
	case API__COUNT:
		return 0;
	}
	return 0;
}

static void become_nonsense(
	struct api_answer *a, const struct err *why, const struct api_raw_answer *raw)
{
	a->outcome = API_NONSENSE;
	err_clear(&a->err);
	err_retriable(&a->err, ERR_REMOTE,
		"the API's answer (%d, %zu bytes of %s) makes no sense: %s; check that api.url is "
		"the API and that "
		"nothing answers in its place",
		raw->status, raw->body_len,
		raw->content_type && raw->content_type[0] ? raw->content_type : "no type",
		why->msg);
	a->err.http = raw->status;
}

struct api_answer *api_answer_read(
	enum api_verb verb, uint64_t token, const struct api_raw_answer *raw)
{
	struct api_answer *a = xcalloc(1, sizeof(*a));
	a->verb = verb;
	a->token = token;
	auto_arena struct arena tree =
		ARENA_INIT; /* of which the answer keeps copies of a little */
	struct node *body = NULL;
	struct err why = ERR_INIT;
	bool is_json =
		raw->body_len && json_read_loose(&tree, raw->body, raw->body_len, &body, &why) == 0;
	set_outcome(a, raw, is_json ? body : NULL);
	if (a->outcome != API_OK || verb == API_DELETE)
		return a;
	if (!raw->body_len)
		err_set(&why, ERR_REMOTE, "there is none");
	if (!is_json || read_body(a, body, &tree, &why) < 0)
		become_nonsense(a, &why, raw);
	return a;
}

struct api_answer *api_answer_again(uint64_t token, struct api_page *page)
{
	struct api_answer *a = xcalloc(1, sizeof(*a));
	a->verb = API_LIST;
	a->token = token;
	a->page = api_page_ref(page);
	return a;
}

struct api_answer *api_answer_failed(enum api_verb verb, uint64_t token, const struct err *err)
{
	struct api_answer *a = xcalloc(1, sizeof(*a));
	a->verb = verb;
	a->token = token;
	a->err = *err;
	a->outcome = err->code == ERR_AUTH ? API_AUTH
		     : err->retriable	   ? API_TRY_AGAIN
					   : API_NONSENSE;
	return a;
}
