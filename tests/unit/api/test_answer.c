/* What an HTTP answer means: status, verb and body on one side, outcome and message on the other */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "api/answer.h"
#include "base/alloc.h"

#define ORDERS	"{\"identifier\": \"orders\", \"generation\": 3}"
#define RUNNING "{\"id\": \"op-1\", \"generation\": 3, \"state\": \"Running\"}"

static struct api_answer *read_answer(enum api_verb verb, int status, const char *body)
{
	const struct api_raw_answer raw = {
		.status = status,
		.content_type = "application/json",
		.body = body,
		.body_len = strlen(body),
	};
	struct api_answer *a = api_answer_read(verb, 7, &raw);

	assert_int_equal(a->verb, verb);
	assert_int_equal(a->token, 7);
	return a;
}

static const struct row {
	enum api_verb verb;
	int status;
	const char *body;
	enum api_outcome outcome;
	enum err_code code;
	bool retriable;
	const char *says; /* in the message */
} rows[] = {
	/* as it should be */
	{API_LIST, 200, "[]", API_OK, ERR_OK, false, ""},
	{API_GET, 200, ORDERS, API_OK, ERR_OK, false, ""},
	{API_CREATE, 201, ORDERS, API_OK, ERR_OK, false, ""},
	{API_CREATE, 200, ORDERS, API_OK, ERR_OK, false, ""},
	{API_PATCH, 200, ORDERS, API_OK, ERR_OK, false, ""},
	{API_RECONCILE, 202, RUNNING, API_OK, ERR_OK, false, ""},
	{API_RECONCILE, 202, "{}", API_OK, ERR_OK, false, ""},
	{API_DELETE, 204, "", API_OK, ERR_OK, false, ""},
	{API_DELETE, 202, "gone soon", API_OK, ERR_OK, false, ""},

	/* by status alone */
	{API_GET, 401, "", API_AUTH, ERR_AUTH, true, "refused the token; check api.token (401)"},
	{API_PATCH, 403, "", API_FORBIDDEN, ERR_DENIED, true,
		API_FORBIDS "; give the token the right to write (403)"},
	{API_GET, 403, "", API_FORBIDDEN, ERR_DENIED, true, "the right to read (403)"},
	{API_GET, 404, "", API_ABSENT, ERR_NOT_FOUND, false, "(404)"},
	{API_DELETE, 404, "", API_ABSENT, ERR_NOT_FOUND, false, "(404)"},
	{API_LIST, 408, "", API_TRY_AGAIN, ERR_TIMEOUT, true, "gave up waiting (408)"},
	{API_LIST, 425, "", API_TRY_AGAIN, ERR_UNAVAILABLE, true, "(425)"},
	{API_LIST, 429, "", API_TRY_AGAIN, ERR_UNAVAILABLE, true, "asks to slow down (429)"},
	{API_PATCH, 500, "", API_TRY_AGAIN, ERR_UNAVAILABLE, true, "failed (500)"},
	{API_LIST, 503, "", API_TRY_AGAIN, ERR_UNAVAILABLE, true, "failed (503)"},
	{API_LIST, 599, "", API_TRY_AGAIN, ERR_UNAVAILABLE, true, "failed (599)"},
	{API_PATCH, 400, "", API_REFUSED, ERR_INVALID, false, "refused it (400)"},
	{API_PATCH, 405, "", API_REFUSED, ERR_INVALID, false, "refused it (405)"},
	{API_PATCH, 422, "", API_REFUSED, ERR_INVALID, false, "refused it (422)"},
	{API_LIST, 301, "", API_NONSENSE, ERR_REMOTE, false, "set api.url to where the API"},
	{API_PATCH, 307, ORDERS, API_NONSENSE, ERR_REMOTE, false, "answered with a redirect"},
	{API_GET, 102, ORDERS, API_NONSENSE, ERR_REMOTE, true, "answered with status 102"},
	{API_GET, 600, ORDERS, API_NONSENSE, ERR_REMOTE, true, "answered with status 600"},
	{API_GET, 0, ORDERS, API_NONSENSE, ERR_REMOTE, true, "answered with status 0"},

	/* by verb */
	{API_CREATE, 409, "", API_EXISTS, ERR_CONFLICT, true, "(409)"},
	{API_RECONCILE, 409, "", API_STALE, ERR_CONFLICT, true, "has changed meanwhile (409)"},
	{API_PATCH, 409, "", API_STALE, ERR_CONFLICT, true, "has changed meanwhile (409)"},
	{API_PATCH, 412, "", API_STALE, ERR_CONFLICT, true, "has changed meanwhile (412)"},
	{API_RECONCILE, 422, "", API_KEY_REUSED, ERR_INVALID, false, "(422)"},
	{API_CREATE, 422, "", API_REFUSED, ERR_INVALID, false, "(422)"},

	/* a create that was refused because the identifier is taken, and one that was not */
	{API_CREATE, 400, "{\"identifier\": [\"already exists\"]}", API_EXISTS, ERR_INVALID, false,
		"identifier: already exists"},
	{API_CREATE, 400, "{\"identifier\": \"replicator with this identifier exists.\"}",
		API_EXISTS, ERR_INVALID, false, "identifier: replicator with this"},
	{API_CREATE, 400, "{\"identifier\": [\"no such letters\"]}", API_REFUSED, ERR_INVALID,
		false, "identifier: no such letters"},
	{API_CREATE, 400, "{\"identifier\": [\"exists\"], \"provider\": [\"required\"]}",
		API_REFUSED, ERR_INVALID, false, "identifier: exists; provider: required"},
	{API_CREATE, 400, "{\"identifier\": []}", API_REFUSED, ERR_INVALID, false, "(400"},
	{API_CREATE, 400, "{\"identifier\": 5}", API_REFUSED, ERR_INVALID, false, "identifier: 5"},
	{API_PATCH, 400, "{\"identifier\": [\"already exists\"]}", API_REFUSED, ERR_INVALID, false,
		"identifier: already exists"},

	/* what Django REST framework says */
	{API_GET, 404, "{\"detail\": \"Not found.\"}", API_ABSENT, ERR_NOT_FOUND, false,
		"(404 Not found.)"},
	{API_PATCH, 400, "{\"topic_whitelist\": [\"must name something\", \"and more\"]}",
		API_REFUSED, ERR_INVALID, false, "(400 topic_whitelist: must name something)"},
	{API_PATCH, 400, "{\"a\": [\"one\"], \"b\": \"two\", \"c\": {\"d\": [\"three\"]}}",
		API_REFUSED, ERR_INVALID, false, "(400 a: one; b: two; c: {\"d\":[\"three\"]})"},
	{API_PATCH, 400, "[\"a list\"]", API_REFUSED, ERR_INVALID, false, "(400)"},
	{API_PATCH, 400, "\"a string\"", API_REFUSED, ERR_INVALID, false, "(400)"},
	{API_PATCH, 400, "null", API_REFUSED, ERR_INVALID, false, "(400)"},
	{API_PATCH, 400, "{}", API_REFUSED, ERR_INVALID, false, "(400)"},
	{API_PATCH, 400, "{\"detail\": 5}", API_REFUSED, ERR_INVALID, false, "(400 detail: 5)"},
	{API_LIST, 503, "<html>Bad gateway</html>", API_TRY_AGAIN, ERR_UNAVAILABLE, true,
		"failed (503)"},
	{API_LIST, 401, "{\"detail\": \"line\\none\\u001b[31m\"}", API_AUTH, ERR_AUTH, true,
		"(401 line\\none\\x1b[31m)"},

	/* what is not the API's */
	{API_LIST, 200, "", API_NONSENSE, ERR_REMOTE, true, "(200, 0 bytes of application/json)"},
	{API_LIST, 200, "<!DOCTYPE html><title>Sign in</title>", API_NONSENSE, ERR_REMOTE, true,
		"it looks like HTML"},
	{API_LIST, 200, "{\"count\": 1, \"results\": [{\"identi", API_NONSENSE, ERR_REMOTE, true,
		"it ends too early"},
	{API_LIST, 200, "[] []", API_NONSENSE, ERR_REMOTE, true, "something follows its end"},
	{API_LIST, 200, "{}", API_NONSENSE, ERR_REMOTE, true, "neither an array nor a page"},
	{API_LIST, 200, "null", API_NONSENSE, ERR_REMOTE, true, "neither an array nor a page"},
	{API_LIST, 200, "5", API_NONSENSE, ERR_REMOTE, true, "neither an array nor a page"},
	{API_LIST, 200, "{\"results\": {}}", API_NONSENSE, ERR_REMOTE, true,
		"neither an array nor a page"},
	{API_LIST, 200, "[" ORDERS ", 5]", API_NONSENSE, ERR_REMOTE, true,
		"item 2 of the list: a replicator is a whole number"},
	{API_LIST, 200, "[{\"generation\": 1}]", API_NONSENSE, ERR_REMOTE, true,
		"item 1 of the list: a replicator without an identifier"},
	{API_GET, 200, "{\"identifier\": \"orders\"}", API_NONSENSE, ERR_REMOTE, true,
		"replicator \"orders\" has no generation"},
	{API_GET, 200, "[]", API_NONSENSE, ERR_REMOTE, true, "a replicator is a list"},
	{API_CREATE, 201, "", API_NONSENSE, ERR_REMOTE, true, "there is none"},
	{API_PATCH, 200, "\"\"", API_NONSENSE, ERR_REMOTE, true, "a replicator is a string"},
	{API_RECONCILE, 202, "[]", API_NONSENSE, ERR_REMOTE, true, "an operation is a list"},
	{API_RECONCILE, 202, "ok", API_NONSENSE, ERR_REMOTE, true, "not JSON"},
};

static void check_row(const struct row *row)
{
	struct api_answer *a = read_answer(row->verb, row->status, row->body);

	if (a->outcome != row->outcome || a->err.code != row->code ||
		a->err.retriable != row->retriable || !strstr(a->err.msg, row->says))
		fail_msg("%s, %d, %s: is %s, %s, retriable %d: %s", api_verb_name(row->verb),
			row->status, row->body, api_outcome_name(a->outcome), err_name(a->err.code),
			a->err.retriable, a->err.msg);
	assert_true((row->outcome == API_OK) == (a->err.msg[0] == '\0'));
	api_answer_free(a);
}

static void test_answers_mean_what_the_table_says(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		check_row(&rows[i]);
}

/* Whatever it is: it is understood or it is not, and if not somebody is told. */
static void test_every_status_has_a_meaning_for_every_verb(void **state)
{
	(void)state;
	for (enum api_verb verb = 0; verb < API__COUNT; verb++) {
		for (int status = -1; status < 700; status++) {
			struct api_answer *a = read_answer(verb, status, "[{\"odd\": null}]");
			assert_true(a->outcome < API_OUTCOME__COUNT);
			assert_true((a->outcome == API_OK) == (a->err.code == ERR_OK));
			assert_true(a->outcome != API_OK || (status >= 200 && status <= 299));
			api_answer_free(a);
		}
	}
}

static void test_status_and_wait_are_kept_for_whoever_retries(void **state)
{
	(void)state;
	const struct api_raw_answer raw = {.status = 429, .body = "", .retry_after_ms = 30000};
	struct api_answer *a = api_answer_read(API_PATCH, 1, &raw);

	assert_int_equal(a->err.http, 429);
	assert_int_equal(a->err.retry_after_ms, 30000);
	api_answer_free(a);
}

static void test_nonsense_names_its_type_and_size(void **state)
{
	(void)state;
	const struct api_raw_answer raw = {
		.status = 200, .content_type = "text/html\x07", .body = "<p>", .body_len = 3};
	struct api_answer *a = api_answer_read(API_GET, 1, &raw);

	assert_non_null(strstr(a->err.msg, "(200, 3 bytes of text/html\\x07)"));
	assert_non_null(strstr(a->err.msg, "check that api.url is the API"));
	assert_int_equal(a->err.http, 200);
	api_answer_free(a);
}

static void test_long_reason_is_cut_and_not_dropped(void **state)
{
	(void)state;
	auto_buf struct buf body = BUF_INIT;

	buf_adds(&body, "{\"detail\": \"because ");
	for (int i = 0; i < 10000; i++)
		buf_addc(&body, 'x');
	buf_adds(&body, "\"}");
	struct api_answer *a = read_answer(API_PATCH, 400, buf_str(&body));
	assert_non_null(strstr(a->err.msg, "(400 because xxxx"));
	api_answer_free(a);
}

static void test_reasons_of_many_fields_are_cut_and_not_dropped(void **state)
{
	(void)state;
	auto_buf struct buf body = BUF_INIT;

	for (int i = 0; i < 100; i++)
		buf_addf(&body, "%s\"field_%d\": [\"wrong\"]", i ? ", " : "{", i);
	buf_addc(&body, '}');
	struct api_answer *a = read_answer(API_CREATE, 400, buf_str(&body));
	assert_non_null(strstr(a->err.msg, "(400 field_0: wrong; field_1: wrong; field_2: wrong"));
	api_answer_free(a);
}

static void test_one_replicator_is_decoded(void **state)
{
	(void)state;
	static const char body[] =
		"{\"identifier\": \"orders\", \"generation\": 3, \"observed_generation\": 2,"
		" \"status\": \"Updating\", \"uid\": \"u-1\", \"topic_whitelist\": \"b,a\","
		" \"lag_alert_threshold\": null, \"surprise\": {\"deep\": [1, 2]}}";
	struct api_answer *a = read_answer(API_GET, 200, body);
	const struct node *topics = a->live.spec.value[SPEC_TOPIC_WHITELIST];

	assert_string_equal(a->live.identifier, "orders");
	assert_string_equal(a->live.uid, "u-1");
	assert_null(a->live.fleet);
	assert_int_equal(a->live.generation, 3);
	assert_true(a->live.has_observed);
	assert_int_equal(a->live.observed_generation, 2);
	assert_int_equal(a->live.status, LIVE_UPDATING);
	assert_string_equal(a->live.status_message, "");
	assert_int_equal(topics->u.seq.n, 2);
	assert_string_equal(topics->u.seq.at[0]->u.string.s, "a");
	assert_int_equal(a->live.spec.value[SPEC_LAG_ALERT_THRESHOLD]->type, NODE_NULL);
	assert_null(a->live.spec.value[SPEC_PROVIDER]);
	api_answer_free(a);
}

static void test_page_is_decoded(void **state)
{
	(void)state;
	struct api_answer *a = read_answer(API_LIST, 200,
		"{\"count\": 7, \"next\": \"http://api/x/?page=2\", \"previous\": null,"
		" \"results\": [" ORDERS ", {\"identifier\": \"payments\", \"generation\": 1}]}");

	assert_int_equal(a->page->count, 7);
	assert_string_equal(a->page->next, "http://api/x/?page=2");
	assert_int_equal(a->page->n, 2);
	assert_string_equal(a->page->list[0].identifier, "orders");
	assert_string_equal(a->page->list[1].identifier, "payments");
	api_answer_free(a);
}

static void test_bare_array_is_the_whole_list(void **state)
{
	(void)state;
	struct api_answer *a = read_answer(API_LIST, 200, "[" ORDERS "]");

	assert_int_equal(a->page->count, -1);
	assert_null(a->page->next);
	assert_int_equal(a->page->n, 1);
	api_answer_free(a);
}

static void test_odd_count_and_next_are_not_said(void **state)
{
	(void)state;
	struct api_answer *a =
		read_answer(API_LIST, 200, "{\"count\": \"many\", \"next\": 5, \"results\": []}");

	assert_int_equal(a->page->count, -1);
	assert_null(a->page->next);
	api_answer_free(a);

	a = read_answer(API_LIST, 200, "{\"next\": \"\", \"results\": []}");
	assert_null(a->page->next);
	api_answer_free(a);
}

static void test_operation_is_decoded(void **state)
{
	(void)state;
	struct api_answer *a = read_answer(API_RECONCILE, 202,
		"{\"id\": \"op-1\", \"generation\": 3, \"state\": \"Failed\", \"error\": \"no\"}");

	assert_string_equal(a->operation.id, "op-1");
	assert_int_equal(a->operation.generation, 3);
	assert_int_equal(a->operation.state, OPERATION_FAILED);
	assert_string_equal(a->operation.error, "no");
	api_answer_free(a);
}

static void test_operation_without_a_state_is_unknown(void **state)
{
	(void)state;
	struct api_answer *a = read_answer(API_RECONCILE, 200, "{\"state\": \"Dancing\"}");

	assert_int_equal(a->operation.state, OPERATION_UNKNOWN);
	assert_string_equal(a->operation.id, "");
	assert_string_equal(a->operation.error, "");
	api_answer_free(a);
}

static void test_no_answer_may_be_tried_again_or_makes_no_sense(void **state)
{
	(void)state;
	struct err e = ERR_INIT;

	err_retriable(&e, ERR_TIMEOUT, "it took too long");
	struct api_answer *a = api_answer_failed(API_PATCH, 9, &e);
	assert_int_equal(a->outcome, API_TRY_AGAIN);
	assert_int_equal(a->verb, API_PATCH);
	assert_int_equal(a->token, 9);
	assert_string_equal(a->err.msg, "it took too long");
	api_answer_free(a);

	err_clear(&e);
	err_set(&e, ERR_AUTH, "there is no token");
	a = api_answer_failed(API_PATCH, 9, &e);
	assert_int_equal(a->outcome, API_AUTH);
	api_answer_free(a);

	err_clear(&e);
	err_set(&e, ERR_LIMIT, "it is too large");
	a = api_answer_failed(API_LIST, 9, &e);
	assert_int_equal(a->outcome, API_NONSENSE);
	assert_null(a->page);
	api_answer_free(a);
}

static void test_names_are_there_and_different(void **state)
{
	(void)state;
	for (enum api_verb a = 0; a < API__COUNT; a++)
		for (enum api_verb b = 0; b < a; b++)
			assert_string_not_equal(api_verb_name(a), api_verb_name(b));
	for (enum api_outcome a = 0; a < API_OUTCOME__COUNT; a++)
		for (enum api_outcome b = 0; b < a; b++)
			assert_string_not_equal(api_outcome_name(a), api_outcome_name(b));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_answers_mean_what_the_table_says),
		cmocka_unit_test(test_every_status_has_a_meaning_for_every_verb),
		cmocka_unit_test(test_status_and_wait_are_kept_for_whoever_retries),
		cmocka_unit_test(test_nonsense_names_its_type_and_size),
		cmocka_unit_test(test_long_reason_is_cut_and_not_dropped),
		cmocka_unit_test(test_reasons_of_many_fields_are_cut_and_not_dropped),
		cmocka_unit_test(test_one_replicator_is_decoded),
		cmocka_unit_test(test_page_is_decoded),
		cmocka_unit_test(test_bare_array_is_the_whole_list),
		cmocka_unit_test(test_odd_count_and_next_are_not_said),
		cmocka_unit_test(test_operation_is_decoded),
		cmocka_unit_test(test_operation_without_a_state_is_unknown),
		cmocka_unit_test(test_no_answer_may_be_tried_again_or_makes_no_sense),
		cmocka_unit_test(test_names_are_there_and_different),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
