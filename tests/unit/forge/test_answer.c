/* What is sent, and what a forge's answers mean. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <string.h>
#include <cmocka.h>

#include "base/alloc.h"
#include "base/text.h"
#include "forge/rest.h"

#define NOW_MS 1700000000000

static const struct forge_status status = {
	.sha = "0123456789012345678901234567890123456789",
	.context = "weir/acme/sync",
	.state = STATUS_SUCCESS,
	.text = "13 in sync",
};

static const struct row {
	const char *what;
	int status;
	int64_t retry_after_ms;
	const char *header; /* or NULL */
	const char *body;
	enum post_end end;
	bool all, full, limited;
	enum err_code code;
	bool retriable;
	int64_t wait_ms;
	const char *words;
} rows[] = {
	{"no token", 401, 0, NULL, "{\"message\":\"Bad credentials\"}", POST_NOT, true, false,
		false, ERR_AUTH, false, 0,
		"Bad credentials; put a valid one where forge.token says"},
	{"no right", 403, 0, "X-Accepted-GitHub-Permissions: statuses=write",
		"{\"message\":\"Resource not accessible by personal access token\"}", POST_NOT,
		true, false, false, ERR_DENIED, false, 0, "in the forge's words: statuses=write"},
	{"not found", 404, 0, NULL, "{\"message\":\"Not Found\"}", POST_NOT, false, false, false,
		ERR_NOT_FOUND, false, 0, "there is no commit 0123456 in acme/flows, or the token"},
	{"no such commit", 422, 0, NULL, "{\"message\":\"No commit found for SHA: 0123\"}",
		POST_REFUSED, false, false, false, ERR_INVALID, false, 0,
		"No commit found for SHA: 0123; it is not sent again until it changes"},
	{"too many", 422, 0, NULL,
		"{\"message\":\"Validation Failed\",\"errors\":[{\"message\":\"This SHA and "
		"context has "
		"reached the maximum number of statuses.\"}]}",
		POST_REFUSED, false, true, false, ERR_INVALID, false, 0, "keeps its last status"},
	{"errors as texts", 422, 0, NULL, "{\"message\":\"Bad\",\"errors\":[\"one\",\"two\"]}",
		POST_REFUSED, false, false, false, ERR_INVALID, false, 0, "Bad: one: two"},
	{"secondary limit", 403, 17000, NULL,
		"{\"message\":\"You have exceeded a secondary limit\"}", POST_NOT, true, false,
		true, ERR_UNAVAILABLE, true, 17000, "statuses wait until"},
	{"secondary limit that gives no time", 403, 0, NULL,
		"{\"message\":\"You have exceeded a secondary rate limit.\"}", POST_NOT, true,
		false, true, ERR_UNAVAILABLE, true, 0, "wait for a minute or more"},
	{"429 alone", 429, 0, NULL, "", POST_NOT, true, false, true, ERR_UNAVAILABLE, true, 0,
		"it gave no reason"},
	{"limit of a day", 429, 86400000, NULL, "", POST_NOT, true, false, true, ERR_UNAVAILABLE,
		true, 3600000, "statuses wait until"},
	{"server", 502, 0, NULL, "<html>Bad gateway</html>", POST_NOT, true, false, false,
		ERR_UNAVAILABLE, true, 0, "502"},
	{"busy server", 503, 5000, NULL, "{}", POST_NOT, true, false, false, ERR_UNAVAILABLE, true,
		5000, "503"},
	{"locked", 409, 0, NULL, "{}", POST_NOT, true, false, false, ERR_UNAVAILABLE, true, 0,
		"409"},
	{"moved", 301, 0, NULL, "{}", POST_NOT, true, false, false, ERR_REMOTE, false, 0,
		"acme/flows has moved"},
	{"sign-in page", 200, 0, NULL, "<html>", POST_NOT, true, false, false, ERR_REMOTE, false, 0,
		"check forge.url"},
};

static struct http_response make_answer(const struct row *row)
{
	struct http_response r = {.status = row->status, .retry_after_ms = row->retry_after_ms};
	r.content_type = xstrdup(row->body[0] == '<' ? "text/html" : "application/json");
	if (row->header)
		strv_push(&r.headers, row->header);
	buf_adds(&r.body, row->body);
	return r;
}

static void test_each_answer_says_what_to_do(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct row *row = &rows[i];
		struct http_response r = make_answer(row);
		struct err e = ERR_INIT;
		assert_false(rest_arrived(&r));
		struct rest_verdict v = rest_judge(
			&rest_kinds[FORGE_KIND_GITHUB], "acme/flows", &status, &r, NOW_MS, &e);
		if (!strstr(e.msg, row->words))
			fail_msg("%s: %s", row->what, e.msg);
		assert_int_equal(v.end, row->end);
		assert_int_equal(v.all, row->all);
		assert_int_equal(v.full, row->full);
		assert_int_equal(v.limited, row->limited);
		assert_int_equal(e.code, row->code);
		assert_int_equal(e.retriable, row->retriable);
		assert_int_equal(e.retry_after_ms, row->wait_ms);
		http_response_release(&r);
	}
}

static int64_t wait_for_reset(const char *header)
{
	struct http_response r = {.status = 403, .content_type = xstrdup("application/json")};
	struct err e = ERR_INIT;
	strv_push(&r.headers, "X-RateLimit-Remaining: 0");
	strv_push(&r.headers, header);
	buf_adds(&r.body, "{\"message\":\"API rate limit exceeded\"}");
	struct rest_verdict v =
		rest_judge(&rest_kinds[FORGE_KIND_GITHUB], "acme/flows", &status, &r, NOW_MS, &e);
	assert_true(v.limited);
	http_response_release(&r);
	return e.retry_after_ms;
}

static void test_a_spent_limit_waits_for_its_reset(void **state)
{
	(void)state;
	assert_int_equal(wait_for_reset("X-RateLimit-Reset: 1700000900"), 900000);
	assert_int_equal(wait_for_reset("X-RateLimit-Reset: 1600000000"), 1000);
}

/* Whose clock is wrong must not keep statuses from being posted for a year. */
static void test_a_reset_is_waited_for_an_hour_at_most(void **state)
{
	(void)state;
	assert_int_equal(wait_for_reset("X-RateLimit-Reset: 1731536000"), 3600000);
	assert_int_equal(wait_for_reset("X-RateLimit-Reset: 9000000000000000"), 3600000);
}

static void test_what_remains_of_a_limit_makes_no_403_one(void **state)
{
	(void)state;
	struct http_response r = {.status = 403, .content_type = xstrdup("application/json")};
	struct err e = ERR_INIT;
	strv_push(&r.headers, "X-RateLimit-Remaining: 4711");
	strv_push(&r.headers, "X-RateLimit-Reset: 1700000900");
	buf_adds(&r.body, "{\"message\":\"Forbidden\"}");
	rest_judge(&rest_kinds[FORGE_KIND_GITHUB], "acme/flows", &status, &r, NOW_MS, &e);
	assert_int_equal(e.code, ERR_DENIED);
	http_response_release(&r);
}

static void check_body(enum forge_kind kind, const char *text, const char *url, const char *wanted)
{
	struct forge_status s = status;
	auto_buf struct buf out = BUF_INIT;
	s.text = text;
	s.target_url = url;
	rest_write_status(&rest_kinds[kind], &s, &out);
	assert_string_equal(buf_str(&out), wanted);
}

static void test_a_body_has_what_the_forge_takes(void **state)
{
	(void)state;
	check_body(FORGE_KIND_GITHUB, "13 \"in\" sync", NULL,
		"{\"state\":\"success\",\"context\":\"weir/acme/sync\","
		"\"description\":\"13 \\\"in\\\" sync\"}");
	check_body(FORGE_KIND_GITHUB, "grün \xf0\x9f\x98\x80", "https://weir.example.com/",
		"{\"state\":\"success\",\"context\":\"weir/acme/sync\",\"description\":\"grün ?\","
		"\"target_url\":\"https://weir.example.com/\"}");
	check_body(FORGE_KIND_GITEA, "grün \xf0\x9f\x98\x80", NULL,
		"{\"state\":\"success\",\"context\":\"weir/acme/sync\","
		"\"description\":\"grün \xf0\x9f\x98\x80\"}");
}

static void test_a_text_is_cut_at_140_code_points(void **state)
{
	(void)state;
	auto_buf struct buf text = BUF_INIT;
	auto_buf struct buf out = BUF_INIT;
	struct forge_status s = status;
	for (int i = 0; i < 300; i++)
		buf_adds(&text, "ü");
	s.text = buf_str(&text);
	rest_write_status(&rest_kinds[FORGE_KIND_GITHUB], &s, &out);
	const char *shown = strstr(buf_str(&out), "description\":\"") + strlen("description\":\"");
	assert_int_equal(text_length(shown), 140 + strlen("\"}"));
	assert_true(text_has_suffix(shown, "…\"}"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_answer_says_what_to_do),
		cmocka_unit_test(test_a_spent_limit_waits_for_its_reset),
		cmocka_unit_test(test_a_reset_is_waited_for_an_hour_at_most),
		cmocka_unit_test(test_what_remains_of_a_limit_makes_no_403_one),
		cmocka_unit_test(test_a_body_has_what_the_forge_takes),
		cmocka_unit_test(test_a_text_is_cut_at_140_code_points),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
