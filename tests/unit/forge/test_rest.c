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
	enum post_end ends[2]; /* of the last post */
	struct err e;
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

static int open_site(void **state, enum forge_kind kind)
{
	struct site *s = xcalloc(1, sizeof(*s));
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
	*state = s;
	return forge_rest_new(&options, &s->forge, &s->e);
}

static int open_github(void **state)
{
	return open_site(state, FORGE_KIND_GITHUB);
}

static int open_gitea(void **state)
{
	return open_site(state, FORGE_KIND_GITEA);
}

static int close_site(void **state)
{
	struct site *s = *state;
	forge_free(s->forge);
	peer_stop(&s->peer);
	vec_each (answer, &s->answers)
		free(*answer);
	vec_release(&s->answers);
	buf_release(&s->last);
	pthread_mutex_destroy(&s->mutex);
	free(s);
	return 0;
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

static int post(struct site *s)
{
	err_clear(&s->e);
	return s->forge->ops->post(s->forge, two, ARRAY_SIZE(two), s->ends, &s->e);
}

static int post_one(struct site *s, const struct forge_status *one)
{
	err_clear(&s->e);
	return s->forge->ops->post(s->forge, one, 1, s->ends, &s->e);
}

static void test_github_gets_one_status_in_each_call(void **state)
{
	struct site *s = *state;
	will_answer(s, CREATED);
	assert_int_equal(post(s), 0);
	assert_int_equal(s->ends[0], POST_ARRIVED);
	assert_int_equal(s->ends[1], POST_NOT);
	assert_int_equal(s->n_requests, 1);
	const char *request = buf_str(&s->last);
	static const char line[] = "POST /api/repos/acme/flows/statuses/"
				   "1111111111111111111111111111111111111111 HTTP/1.1\r\n";
	assert_memory_equal(request, line, strlen(line));
	assert_non_null(strstr(request, "\r\nAuthorization: Bearer a-token\r\n"));
	assert_non_null(strstr(request, "\r\nAccept: application/vnd.github+json\r\n"));
	assert_non_null(strstr(request, "\r\nX-GitHub-Api-Version: 2022-11-28\r\n"));
	assert_non_null(strstr(request, "\r\nUser-Agent: weir/"));
}

static void test_gitea_gets_them_all_one_after_the_other(void **state)
{
	struct site *s = *state;
	will_answer(s, CREATED);
	assert_int_equal(post(s), 0);
	assert_int_equal(s->ends[0], POST_ARRIVED);
	assert_int_equal(s->ends[1], POST_ARRIVED);
	assert_int_equal(s->n_requests, 2);
	assert_int_equal(s->peer.n_connections, 1);
	assert_non_null(strstr(buf_str(&s->last), "\"context\":\"weir/acme/drift\""));
}

static void test_a_rate_limit_is_waited_for_without_asking(void **state)
{
	struct site *s = *state;
	will_answer(s, "403 Forbidden", "{\"message\":\"API rate limit exceeded\"}",
		"X-RateLimit-Remaining: 0\r\nX-RateLimit-Reset: 1700001800\r\n");
	will_answer(s, CREATED);
	assert_int_equal(post(s), -ERR_UNAVAILABLE);
	assert_int_equal(s->e.retry_after_ms, 1800000);
	s->now += 1799000;
	assert_int_equal(post(s), -ERR_UNAVAILABLE);
	assert_int_equal(s->e.retry_after_ms, 1000);
	assert_true(s->e.retriable);
	assert_int_equal(s->ends[0], POST_NOT);
	assert_int_equal(s->n_requests, 1);
	s->now += 1000;
	assert_int_equal(post(s), 0);
	assert_int_equal(s->n_requests, 2);
}

static void test_a_limit_without_a_time_is_waited_for_longer_each_time(void **state)
{
	struct site *s = *state;
	static const int64_t waits[] = {60000, 120000, 240000, 480000, 960000, 960000};
	will_answer(s, "429 Too Many Requests", "", "");
	for (size_t i = 0; i < ARRAY_SIZE(waits); i++) {
		assert_int_equal(post(s), -ERR_UNAVAILABLE);
		assert_int_equal(s->n_requests, i + 1);
		s->now += waits[i] - 1;
		assert_int_equal(post(s), -ERR_UNAVAILABLE);
		assert_int_equal(s->n_requests, i + 1);
		s->now += 1;
	}
}

static void test_a_context_that_is_full_is_not_asked_about_again(void **state)
{
	struct site *s = *state;
	will_answer(s, "422 Unprocessable Entity",
		"{\"message\":\"This SHA and context has reached the maximum number of "
		"statuses.\"}",
		"");
	assert_int_equal(post(s), -ERR_INVALID);
	assert_int_equal(s->ends[0], POST_REFUSED);
	assert_int_equal(post(s), 0);
	assert_int_equal(s->ends[0], POST_REFUSED);
	assert_int_equal(s->n_requests, 1);
}

static void test_the_last_statuses_that_a_commit_takes_are_for_other_states(void **state)
{
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
	struct site *s = *state;
	size_t sent = 0;
	will_answer(s, CREATED);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct forge_status one = two[0];
		one.posts = rows[i].posts;
		one.same_state = rows[i].same_state;
		int rc = post_one(s, &one);
		sent += !rows[i].told;
		assert_int_equal(s->n_requests, sent);
		assert_int_equal(s->ends[0], rows[i].told ? POST_REFUSED : POST_ARRIVED);
		assert_int_equal(rc, rows[i].told && rows[i].told[0] ? -ERR_INVALID : 0);
		assert_non_null(strstr(s->e.msg, rows[i].told ? rows[i].told : ""));
	}
}

static void test_gitea_takes_any_number_of_statuses(void **state)
{
	struct site *s = *state;
	struct forge_status one = two[0];
	will_answer(s, CREATED);
	one.posts = 5000;
	one.same_state = true;
	assert_int_equal(post_one(s, &one), 0);
	assert_int_equal(s->ends[0], POST_ARRIVED);
}

static void test_one_that_is_refused_does_not_hold_up_the_others(void **state)
{
	struct site *s = *state;
	will_answer(s, "422 Unprocessable Entity", "{\"message\":\"no\"}", "");
	will_answer(s, CREATED);
	assert_int_equal(post(s), -ERR_INVALID);
	assert_int_equal(s->ends[0], POST_REFUSED);
	assert_int_equal(s->ends[1], POST_ARRIVED);
}

static void test_a_refusal_is_told_once_nothing_else_is_wrong(void **state)
{
	struct site *s = *state;
	will_answer(s, "422 Unprocessable Entity", "{\"message\":\"no\"}", "");
	will_answer(s, "500 Internal Server Error", "{}", "");
	assert_int_equal(post(s), -ERR_UNAVAILABLE);
	assert_int_equal(s->ends[0], POST_NOT);
	assert_int_equal(s->ends[1], POST_NOT);
}

static void test_a_refused_token_ends_the_batch(void **state)
{
	struct site *s = *state;
	will_answer(s, "401 Unauthorized", "{\"message\":\"user does not exist\"}", "");
	assert_int_equal(post(s), -ERR_AUTH);
	assert_int_equal(s->n_requests, 1);
	assert_null(strstr(s->e.msg, "a-token"));
}

static void test_a_token_that_is_not_there_is_said_and_nobody_called(void **state)
{
	struct site *s = *state;
	unsetenv("FORGE_TOKEN");
	assert_true(post(s) < 0);
	assert_non_null(strstr(s->e.msg, "forge.token: "));
	assert_int_equal(s->n_requests, 0);
}

static void test_a_forge_that_is_away_is_tried_again(void **state)
{
	struct site *s = *state;
	peer_stop(&s->peer);
	assert_int_equal(post(s), -ERR_UNAVAILABLE);
	assert_true(s->e.retriable);
	assert_int_equal(s->ends[0], POST_NOT);
	peer_start(&s->peer, serve, s);
}

int main(void)
{
#define GITHUB(fn) cmocka_unit_test_setup_teardown(fn, open_github, close_site)
#define GITEA(fn)  cmocka_unit_test_setup_teardown(fn, open_gitea, close_site)
	const struct CMUnitTest tests[] = {
		GITHUB(test_github_gets_one_status_in_each_call),
		GITEA(test_gitea_gets_them_all_one_after_the_other),
		GITHUB(test_a_rate_limit_is_waited_for_without_asking),
		GITHUB(test_a_limit_without_a_time_is_waited_for_longer_each_time),
		GITHUB(test_a_context_that_is_full_is_not_asked_about_again),
		GITHUB(test_the_last_statuses_that_a_commit_takes_are_for_other_states),
		GITEA(test_gitea_takes_any_number_of_statuses),
		GITEA(test_one_that_is_refused_does_not_hold_up_the_others),
		GITEA(test_a_refusal_is_told_once_nothing_else_is_wrong),
		GITEA(test_a_refused_token_ends_the_batch),
		GITEA(test_a_token_that_is_not_there_is_said_and_nobody_called),
		GITEA(test_a_forge_that_is_away_is_tried_again),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
