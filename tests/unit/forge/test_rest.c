/* Posting to a forge that answers as the test says. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/alloc.h"
#include "forge/forge.h"
#include "peer.h"

#define CREATED "201 Created", "{\"state\":\"success\"}", ""

/* Answers come in the order given; the last one stays. */
struct site {
	struct peer peer;
	pthread_mutex_t mutex;
	VEC(char *) answers;
	size_t n_requests;
	struct buf last;
	struct forge *forge;
	struct clock clock;
	int64_t now;
};

static int64_t read_now(void *ctx)
{
	return ((struct site *)ctx)->now;
}

static char *next_answer(struct site *s, const struct buf *request)
{
	pthread_mutex_lock(&s->mutex);
	size_t i = s->n_requests < s->answers.n ? s->n_requests : s->answers.n - 1;
	s->n_requests++;
	buf_clear(&s->last);
	buf_add(&s->last, request->data, request->len);
	char *answer = xstrdup(s->answers.at[i]);
	pthread_mutex_unlock(&s->mutex);
	return answer;
}

static void serve(struct peer *p, int fd, void *ctx)
{
	(void)p;
	auto_buf struct buf request = BUF_INIT;
	while (peer_read_request(fd, &request)) {
		auto_free char *answer = next_answer(ctx, &request);
		if (!peer_say(fd, answer))
			return;
	}
}

static void will_answer(struct site *s, const char *status, const char *body, const char *headers)
{
	vec_push(&s->answers,
		xasprintf("HTTP/1.1 %s\r\nContent-Type: application/json\r\nContent-Length: "
			  "%zu\r\n%s\r\n%s",
			status, strlen(body), headers, body));
}

static void open_site(struct site *s, enum forge_kind kind)
{
	memset(s, 0, sizeof(*s));
	pthread_mutex_init(&s->mutex, NULL);
	s->now = 1700000000000;
	s->clock = (struct clock){read_now, read_now, s};
	peer_start(&s->peer, serve, s);
	setenv("FORGE_TOKEN", "a-token", 1);
	auto_free char *api = xasprintf("%s/api/", s->peer.url);
	const struct forge_rest_options options = {
		.kind = kind,
		.api = api,
		.repository = "acme/flows",
		.token_ref = "env:FORGE_TOKEN",
		.timeout_ms = 10000,
		.clock = &s->clock,
	};
	struct err e = ERR_INIT;
	assert_int_equal(forge_rest_new(&options, &s->forge, &e), 0);
}

static void close_site(struct site *s)
{
	forge_free(s->forge);
	peer_stop(&s->peer);
	vec_each (answer, &s->answers)
		free(*answer);
	vec_release(&s->answers);
	buf_release(&s->last);
	pthread_mutex_destroy(&s->mutex);
}

static const struct forge_status two[] = {
	{.sha = "1111111111111111111111111111111111111111",
		.context = "weir/acme/sync",
		.state = STATUS_SUCCESS,
		.text = "13 in sync"},
	{.sha = "1111111111111111111111111111111111111111",
		.context = "weir/acme/drift",
		.state = STATUS_FAILURE,
		.text = "1 drifted"},
};

static int post(struct site *s, enum post_end *ends, struct err *e)
{
	err_clear(e);
	return s->forge->ops->post(s->forge, two, ARRAY_SIZE(two), ends, e);
}

static void test_github_gets_one_status_in_each_call(void **state)
{
	(void)state;
	struct site s;
	enum post_end ends[2];
	struct err e = ERR_INIT;
	open_site(&s, FORGE_KIND_GITHUB);
	will_answer(&s, CREATED);
	assert_int_equal(post(&s, ends, &e), 0);
	assert_int_equal(ends[0], POST_ARRIVED);
	assert_int_equal(ends[1], POST_NOT);
	assert_int_equal(s.n_requests, 1);
	const char *request = buf_str(&s.last);
	static const char line[] = "POST /api/repos/acme/flows/statuses/"
				   "1111111111111111111111111111111111111111 HTTP/1.1\r\n";
	assert_memory_equal(request, line, strlen(line));
	assert_non_null(strstr(request, "\r\nAuthorization: Bearer a-token\r\n"));
	assert_non_null(strstr(request, "\r\nAccept: application/vnd.github+json\r\n"));
	assert_non_null(strstr(request, "\r\nX-GitHub-Api-Version: 2022-11-28\r\n"));
	assert_non_null(strstr(request, "\r\nUser-Agent: weir/"));
	close_site(&s);
}

static void test_gitea_gets_them_all_one_after_the_other(void **state)
{
	(void)state;
	struct site s;
	enum post_end ends[2];
	struct err e = ERR_INIT;
	open_site(&s, FORGE_KIND_GITEA);
	will_answer(&s, CREATED);
	assert_int_equal(post(&s, ends, &e), 0);
	assert_int_equal(ends[0], POST_ARRIVED);
	assert_int_equal(ends[1], POST_ARRIVED);
	assert_int_equal(s.n_requests, 2);
	assert_int_equal(s.peer.n_connections, 1);
	assert_non_null(strstr(buf_str(&s.last), "\"context\":\"weir/acme/drift\""));
	close_site(&s);
}

static void test_a_rate_limit_is_waited_for_without_asking(void **state)
{
	(void)state;
	struct site s;
	enum post_end ends[2];
	struct err e = ERR_INIT;
	open_site(&s, FORGE_KIND_GITHUB);
	will_answer(&s, "403 Forbidden", "{\"message\":\"API rate limit exceeded\"}",
		"X-RateLimit-Remaining: 0\r\nX-RateLimit-Reset: 1700001800\r\n");
	will_answer(&s, CREATED);
	assert_int_equal(post(&s, ends, &e), -ERR_UNAVAILABLE);
	assert_int_equal(e.retry_after_ms, 1800000);
	s.now += 1799000;
	assert_int_equal(post(&s, ends, &e), -ERR_UNAVAILABLE);
	assert_int_equal(e.retry_after_ms, 1000);
	assert_true(e.retriable);
	assert_int_equal(ends[0], POST_NOT);
	assert_int_equal(s.n_requests, 1);
	s.now += 1000;
	assert_int_equal(post(&s, ends, &e), 0);
	assert_int_equal(s.n_requests, 2);
	close_site(&s);
}

static void test_a_limit_without_a_time_is_waited_for_longer_each_time(void **state)
{
	(void)state;
	struct site s;
	enum post_end ends[2];
	struct err e = ERR_INIT;
	static const int64_t waits[] = {60000, 120000, 240000, 480000, 960000, 960000};
	open_site(&s, FORGE_KIND_GITHUB);
	will_answer(&s, "429 Too Many Requests", "", "");
	for (size_t i = 0; i < ARRAY_SIZE(waits); i++) {
		assert_int_equal(post(&s, ends, &e), -ERR_UNAVAILABLE);
		assert_int_equal(s.n_requests, i + 1);
		s.now += waits[i] - 1;
		assert_int_equal(post(&s, ends, &e), -ERR_UNAVAILABLE);
		assert_int_equal(s.n_requests, i + 1);
		s.now += 1;
	}
	close_site(&s);
}

static void test_a_context_that_is_full_is_not_asked_about_again(void **state)
{
	(void)state;
	struct site s;
	enum post_end ends[2];
	struct err e = ERR_INIT;
	open_site(&s, FORGE_KIND_GITHUB);
	will_answer(&s, "422 Unprocessable Entity",
		"{\"message\":\"This SHA and context has reached the maximum number of "
		"statuses.\"}",
		"");
	assert_int_equal(post(&s, ends, &e), -ERR_INVALID);
	assert_int_equal(ends[0], POST_REFUSED);
	assert_int_equal(post(&s, ends, &e), 0);
	assert_int_equal(ends[0], POST_REFUSED);
	assert_int_equal(s.n_requests, 1);
	close_site(&s);
}

static void test_the_last_statuses_that_a_commit_takes_are_for_other_states(void **state)
{
	(void)state;
	static const struct {
		int64_t posts;
		bool same_state;
		const char *told; /* NULL: it is sent */
	} rows[] = {
		{899, true, NULL},
		{900, false, NULL},
		{900, true, "has had 900 statuses, and a commit takes 1000: it gets one only when"},
		{901, true, ""},
		{989, false, NULL},
		{990, false, "has had 990 statuses, and a commit takes 1000: it gets no more"},
		{990, false, ""},
		{990, true, ""},
	};
	struct site s;
	size_t sent = 0;
	open_site(&s, FORGE_KIND_GITHUB);
	will_answer(&s, CREATED);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct forge_status one = two[0];
		enum post_end end;
		struct err e = ERR_INIT;
		one.posts = rows[i].posts;
		one.same_state = rows[i].same_state;
		int rc = s.forge->ops->post(s.forge, &one, 1, &end, &e);
		sent += !rows[i].told;
		assert_int_equal(s.n_requests, sent);
		assert_int_equal(end, rows[i].told ? POST_REFUSED : POST_ARRIVED);
		assert_int_equal(rc, rows[i].told && rows[i].told[0] ? -ERR_INVALID : 0);
		assert_non_null(strstr(e.msg, rows[i].told ? rows[i].told : ""));
	}
	close_site(&s);
}

static void test_gitea_takes_any_number_of_statuses(void **state)
{
	(void)state;
	struct site s;
	struct forge_status one = two[0];
	enum post_end end;
	open_site(&s, FORGE_KIND_GITEA);
	will_answer(&s, CREATED);
	one.posts = 5000;
	one.same_state = true;
	assert_int_equal(s.forge->ops->post(s.forge, &one, 1, &end, NULL), 0);
	assert_int_equal(end, POST_ARRIVED);
	close_site(&s);
}

static void test_one_that_is_refused_does_not_hold_up_the_others(void **state)
{
	(void)state;
	struct site s;
	enum post_end ends[2];
	struct err e = ERR_INIT;
	open_site(&s, FORGE_KIND_GITEA);
	will_answer(&s, "422 Unprocessable Entity", "{\"message\":\"no\"}", "");
	will_answer(&s, CREATED);
	assert_int_equal(post(&s, ends, &e), -ERR_INVALID);
	assert_int_equal(ends[0], POST_REFUSED);
	assert_int_equal(ends[1], POST_ARRIVED);
	close_site(&s);
}

static void test_a_refusal_is_told_once_nothing_else_is_wrong(void **state)
{
	(void)state;
	struct site s;
	enum post_end ends[2];
	struct err e = ERR_INIT;
	open_site(&s, FORGE_KIND_GITEA);
	will_answer(&s, "422 Unprocessable Entity", "{\"message\":\"no\"}", "");
	will_answer(&s, "500 Internal Server Error", "{}", "");
	assert_int_equal(post(&s, ends, &e), -ERR_UNAVAILABLE);
	assert_int_equal(ends[0], POST_NOT);
	assert_int_equal(ends[1], POST_NOT);
	close_site(&s);
}

static void test_a_refused_token_ends_the_batch(void **state)
{
	(void)state;
	struct site s;
	enum post_end ends[2];
	struct err e = ERR_INIT;
	open_site(&s, FORGE_KIND_GITEA);
	will_answer(&s, "401 Unauthorized", "{\"message\":\"user does not exist\"}", "");
	assert_int_equal(post(&s, ends, &e), -ERR_AUTH);
	assert_int_equal(s.n_requests, 1);
	assert_null(strstr(e.msg, "a-token"));
	close_site(&s);
}

static void test_a_token_that_is_not_there_is_said_and_nobody_called(void **state)
{
	(void)state;
	struct site s;
	enum post_end ends[2];
	struct err e = ERR_INIT;
	open_site(&s, FORGE_KIND_GITEA);
	unsetenv("FORGE_TOKEN");
	assert_true(post(&s, ends, &e) < 0);
	assert_non_null(strstr(e.msg, "forge.token: "));
	assert_int_equal(s.n_requests, 0);
	close_site(&s);
}

static void test_a_forge_that_is_away_is_tried_again(void **state)
{
	(void)state;
	struct site s;
	enum post_end ends[2];
	struct err e = ERR_INIT;
	open_site(&s, FORGE_KIND_GITEA);
	peer_stop(&s.peer);
	assert_int_equal(post(&s, ends, &e), -ERR_UNAVAILABLE);
	assert_true(e.retriable);
	assert_int_equal(ends[0], POST_NOT);
	peer_start(&s.peer, serve, &s);
	close_site(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_github_gets_one_status_in_each_call),
		cmocka_unit_test(test_gitea_gets_them_all_one_after_the_other),
		cmocka_unit_test(test_a_rate_limit_is_waited_for_without_asking),
		cmocka_unit_test(test_a_limit_without_a_time_is_waited_for_longer_each_time),
		cmocka_unit_test(test_a_context_that_is_full_is_not_asked_about_again),
		cmocka_unit_test(test_the_last_statuses_that_a_commit_takes_are_for_other_states),
		cmocka_unit_test(test_gitea_takes_any_number_of_statuses),
		cmocka_unit_test(test_one_that_is_refused_does_not_hold_up_the_others),
		cmocka_unit_test(test_a_refusal_is_told_once_nothing_else_is_wrong),
		cmocka_unit_test(test_a_refused_token_ends_the_batch),
		cmocka_unit_test(test_a_token_that_is_not_there_is_said_and_nobody_called),
		cmocka_unit_test(test_a_forge_that_is_away_is_tried_again),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
