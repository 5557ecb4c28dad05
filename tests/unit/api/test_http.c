/* What is sent for each call, byte for byte where it matters, and what is never sent. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../net/peer.h"
#include "api/api.h"
#include "base/alloc.h"
#include "base/limits.h"
#include "base/strv.h"

#define DEADLINE_MS 30000
#define ORDERS	    "{\"identifier\": \"orders\", \"generation\": 3}"

struct fixture {
	struct peer peer;
	pthread_mutex_t mutex;
	struct strv requests; /* that came */
	char *reply; /* the whole of what each is answered with; NULL: nothing ever */
	struct loop *loop;
	int64_t give_up_at;
	struct api_http *http;
	struct api_answer *answer; /* the last one */
};

static void serve(struct peer *p, int fd, void *ctx)
{
	struct fixture *f = ctx;
	auto_buf struct buf request = BUF_INIT;

	(void)p;
	while (peer_read_request(fd, &request)) {
		pthread_mutex_lock(&f->mutex);
		strv_push(&f->requests, buf_str(&request));
		auto_free char *reply = xstrdup_opt(f->reply);
		pthread_mutex_unlock(&f->mutex);
		if (!reply)
			peer_wait_closed(fd, DEADLINE_MS);
		else if (!peer_say(fd, reply))
			return;
	}
}

static void set_reply(struct fixture *f, const char *head, const char *body)
{
	pthread_mutex_lock(&f->mutex);
	str_replace(&f->reply, xasprintf("HTTP/1.1 %s\r\nContent-Type: application/json\r\n"
					 "Content-Length: %zu\r\n\r\n%s",
				       head, strlen(body), body));
	pthread_mutex_unlock(&f->mutex);
}

static void take_answer(void *ctx, struct api_answer *owned_answer)
{
	struct fixture *f = ctx;

	api_answer_free(f->answer);
	f->answer = owned_answer;
	loop_stop(f->loop);
}

static int64_t watch_deadline(void *ctx, int64_t now)
{
	struct fixture *f = ctx;

	if (now >= f->give_up_at)
		loop_stop(f->loop);
	return f->give_up_at;
}

static int open_http(struct fixture *f, const char *url, const char *organization, struct err *e)
{
	const struct api_http_options options = {
		.url = url,
		.organization = organization,
		.token_ref = "env:API_TEST_TOKEN",
		.timeout_ms = 1000,
		.concurrency = 2,
	};

	return api_http_new(f->loop, &options, take_answer, f, &f->http, e);
}

static int set_up(void **state)
{
	struct fixture *f = xcalloc(1, sizeof(*f));

	setenv("API_TEST_TOKEN", "s3cret", 1);
	setenv("no_proxy", "127.0.0.1", 1);
	pthread_mutex_init(&f->mutex, NULL);
	peer_start(&f->peer, serve, f);
	set_reply(f, "200 OK", ORDERS);
	f->give_up_at = clock_mono_ms(&clock_real) + DEADLINE_MS;
	assert_int_equal(loop_new(&clock_real, &f->loop, NULL), 0);
	loop_add_due(f->loop, watch_deadline, f);
	auto_free char *url = xasprintf("%s/api//", f->peer.url);
	assert_int_equal(open_http(f, url, "acme", NULL), 0);
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	api_http_free(f->http);
	loop_free(f->loop);
	peer_stop(&f->peer);
	api_answer_free(f->answer);
	strv_release(&f->requests);
	free(f->reply);
	pthread_mutex_destroy(&f->mutex);
	free(f);
	return 0;
}

/* As struct api_call, made of literals. */
struct request {
	enum api_verb verb;
	const char *identifier, *body, *idempotency_key, *page;
	int64_t generation;
};

/* Sends the call and waits for its answer. */
static struct api_answer *ask(struct fixture *f, struct request r)
{
	struct api_call *c = xcalloc(1, sizeof(*c));
	struct api_transport t = api_http_transport(f->http);

	*c = (struct api_call){
		.verb = r.verb,
		.identifier = xstrdup_opt(r.identifier),
		.body = xstrdup_opt(r.body),
		.idempotency_key = xstrdup_opt(r.idempotency_key),
		.page = xstrdup_opt(r.page),
		.generation = r.generation,
		.token = 42,
	};
	api_answer_free(TAKE(f->answer));
	t.send(t.ctx, c);
	assert_null(f->answer); /* later, never at once */
	assert_int_equal(loop_run(f->loop, NULL), 0);
	assert_non_null(f->answer);
	assert_int_equal(f->answer->verb, r.verb);
	assert_int_equal(f->answer->token, 42);
	return f->answer;
}

static size_t count_requests(struct fixture *f)
{
	pthread_mutex_lock(&f->mutex);
	size_t n = f->requests.n;
	pthread_mutex_unlock(&f->mutex);
	return n;
}

/* The last request. */
static const char *sent(struct fixture *f)
{
	assert_true(count_requests(f) > 0);
	return f->requests.at[f->requests.n - 1];
}

static void assert_sent(struct fixture *f, const char *line)
{
	if (strncmp(sent(f), line, strlen(line)) != 0)
		fail_msg("not %s, but %.200s", line, sent(f));
}

static void assert_header(struct fixture *f, const char *line)
{
	auto_free char *whole = xasprintf("\r\n%s\r\n", line);

	if (!strstr(sent(f), whole))
		fail_msg("no %s in %s", line, sent(f));
}

static void assert_no_header(struct fixture *f, const char *name)
{
	auto_free char *start = xasprintf("\r\n%s:", name);

	if (strcasestr(sent(f), start))
		fail_msg("%s in %s", name, sent(f));
}

static void assert_body(struct fixture *f, const char *body)
{
	assert_string_equal(strstr(sent(f), "\r\n\r\n") + 4, body);
}

static void test_list_asks_for_the_first_page(void **state)
{
	struct fixture *f = *state;

	set_reply(f, "200 OK", "[" ORDERS "]");
	assert_int_equal(ask(f, (struct request){.verb = API_LIST, .page = ""})->outcome, API_OK);
	assert_int_equal(f->answer->page->n, 1);
	assert_sent(f, "GET /api/organizations/acme/kafka-replicator/?page_size=500 HTTP/1.1\r\n");
	assert_header(f, "Authorization: Bearer s3cret");
	assert_header(f, "Accept: application/json");
	assert_no_header(f, "Content-Type");
	assert_no_header(f, "Idempotency-Key");
	assert_no_header(f, "If-Match");
	assert_body(f, "");
}

/* 500, then 126, 32, 9, 3 and 1 at a time; a single one that is too large is too large. */
static void test_a_page_that_is_too_large_is_asked_for_in_smaller_ones(void **state)
{
	struct fixture *f = *state;
	auto_buf struct buf body = BUF_INIT;
	size_t n = 0;

	while (body.len <= LIMIT_API_ANSWER_BYTES)
		buf_adds(&body, "                                                                ");
	set_reply(f, "200 OK", buf_str(&body));
	do {
		ask(f, (struct request){.verb = API_LIST, .page = ""});
	} while (f->answer->outcome == API_TRY_AGAIN && ++n < 10);
	assert_int_equal(n, 5);
	assert_int_equal(f->answer->outcome, API_NONSENSE);
	assert_sent(f, "GET /api/organizations/acme/kafka-replicator/?page_size=1 HTTP/1.1\r\n");
}

static void test_next_page_is_asked_on_our_own_origin(void **state)
{
	struct fixture *f = *state;
	static const char *const links[] = {
		"http://elsewhere.example.com:81/api/organizations/acme/kafka-replicator/?page=2",
		"//elsewhere.example.com/api/organizations/acme/kafka-replicator/?page=2",
		"/api/organizations/acme/kafka-replicator/?page=2",
		"https://user:pw@elsewhere.example.com/api/organizations/acme/kafka-replicator/"
		"?page=2#x",
		"?page=2",
		"../kafka-replicator/?page=2",
	};

	set_reply(f, "200 OK", "[]");
	for (size_t i = 0; i < ARRAY_SIZE(links); i++) {
		struct request call = {.verb = API_LIST, .page = links[i]};
		assert_int_equal(ask(f, call)->outcome, API_OK);
		assert_int_equal(count_requests(f), i + 1);
		assert_sent(f, "GET /api/organizations/acme/kafka-replicator/?page=2 HTTP/1.1\r\n");
		assert_header(f, "Authorization: Bearer s3cret");
	}
}

static void test_list_that_says_the_same_again_is_shared(void **state)
{
	struct fixture *f = *state;

	set_reply(f, "200 OK", "[" ORDERS "]");
	ask(f, (struct request){.verb = API_LIST, .page = ""});
	struct api_page *page = api_page_ref(f->answer->page);
	ask(f, (struct request){.verb = API_LIST, .page = ""});
	assert_ptr_equal(f->answer->page, page);
	assert_int_equal(count_requests(f), 2);
	set_reply(f, "200 OK", "[]");
	ask(f, (struct request){.verb = API_LIST, .page = ""});
	assert_int_equal(f->answer->page->n, 0);
	api_page_unref(page);
}

static void test_get_names_the_replicator(void **state)
{
	struct fixture *f = *state;
	struct request call = {.verb = API_GET, .identifier = "orders"};

	assert_int_equal(ask(f, call)->outcome, API_OK);
	assert_sent(f, "GET /api/organizations/acme/kafka-replicator/orders/ HTTP/1.1\r\n");
	assert_int_equal(f->answer->live.generation, 3);
	assert_in_range(f->answer->elapsed_ms, 0, DEADLINE_MS);
}

static void test_create_sends_the_body(void **state)
{
	struct fixture *f = *state;
	struct request call = {.verb = API_CREATE, .body = "{\"identifier\":\"orders\"}"};

	set_reply(f, "201 Created", ORDERS);
	assert_int_equal(ask(f, call)->outcome, API_OK);
	assert_sent(f, "POST /api/organizations/acme/kafka-replicator/ HTTP/1.1\r\n");
	assert_header(f, "Content-Type: application/json");
	assert_header(f, "Content-Length: 23");
	assert_no_header(f, "If-Match");
	assert_no_header(f, "Expect");
	assert_body(f, "{\"identifier\":\"orders\"}");
}

static void test_patch_names_the_generation_it_is_about(void **state)
{
	struct fixture *f = *state;
	struct request call = {
		.verb = API_PATCH, .identifier = "orders", .body = "{}", .generation = 3};

	assert_int_equal(ask(f, call)->outcome, API_OK);
	assert_sent(f, "PATCH /api/organizations/acme/kafka-replicator/orders/ HTTP/1.1\r\n");
	assert_header(f, "If-Match: \"3\"");
	assert_header(f, "Content-Type: application/json");
	assert_body(f, "{}");

	call.generation = 0;
	assert_int_equal(ask(f, call)->outcome, API_OK);
	assert_no_header(f, "If-Match");
}

static void test_reconcile_sends_generation_and_key(void **state)
{
	struct fixture *f = *state;
	struct request call = {.verb = API_RECONCILE,
		.identifier = "orders",
		.generation = 12345678901,
		.idempotency_key = "00000000-0000-8000-8000-000000000001"};

	set_reply(f, "202 Accepted", "{\"id\": \"op-1\", \"state\": \"Running\"}");
	assert_int_equal(ask(f, call)->outcome, API_OK);
	assert_sent(
		f, "POST /api/organizations/acme/kafka-replicator/orders/reconcile/ HTTP/1.1\r\n");
	assert_header(f, "Idempotency-Key: 00000000-0000-8000-8000-000000000001");
	assert_header(f, "Content-Type: application/json");
	assert_no_header(f, "If-Match");
	assert_body(f, "{\"generation\": 12345678901}");
	assert_string_equal(f->answer->operation.id, "op-1");
}

static void test_delete_sends_no_body(void **state)
{
	struct fixture *f = *state;
	struct request call = {.verb = API_DELETE, .identifier = "orders"};

	set_reply(f, "204 No Content", "");
	assert_int_equal(ask(f, call)->outcome, API_OK);
	assert_sent(f, "DELETE /api/organizations/acme/kafka-replicator/orders/ HTTP/1.1\r\n");
	assert_no_header(f, "Content-Type");
	assert_body(f, "");
}

static void test_odd_identifier_stays_one_segment(void **state)
{
	struct fixture *f = *state;
	struct request call = {.verb = API_GET, .identifier = "a/../b?c#d e%"};

	ask(f, call);
	assert_sent(f, "GET /api/organizations/acme/kafka-replicator/"
		       "a%2F..%2Fb%3Fc%23d%20e%25/ HTTP/1.1\r\n");
}

static void test_identifier_that_climbs_is_not_sent(void **state)
{
	struct fixture *f = *state;
	struct request call = {.verb = API_DELETE, .identifier = ".."};

	assert_int_not_equal(ask(f, call)->outcome, API_OK);
	assert_int_equal(f->answer->err.code, ERR_INVALID);
	assert_int_equal(count_requests(f), 0);
}

static void test_token_is_read_anew_at_each_call(void **state)
{
	struct fixture *f = *state;
	struct request call = {.verb = API_GET, .identifier = "orders"};

	ask(f, call);
	setenv("API_TEST_TOKEN", "another", 1);
	ask(f, call);
	assert_header(f, "Authorization: Bearer another");
}

static void test_missing_token_is_told_and_may_come_back(void **state)
{
	struct fixture *f = *state;
	struct request call = {.verb = API_LIST, .page = ""};

	unsetenv("API_TEST_TOKEN");
	assert_int_equal(ask(f, call)->outcome, API_AUTH);
	assert_true(f->answer->err.retriable);
	assert_non_null(strstr(f->answer->err.msg, "API_TEST_TOKEN"));
	assert_int_equal(count_requests(f), 0);
	setenv("API_TEST_TOKEN", "s3cret", 1);
	set_reply(f, "200 OK", "[]");
	assert_int_equal(ask(f, call)->outcome, API_OK);
}

static void test_redirect_is_not_followed(void **state)
{
	struct fixture *f = *state;
	auto_free char *head = xasprintf("302 Found\r\nLocation: %s/elsewhere/", f->peer.url);

	set_reply(f, head, "");
	assert_int_equal(ask(f, (struct request){.verb = API_GET, .identifier = "orders"})->outcome,
		API_NONSENSE);
	assert_int_equal(f->answer->err.http, 302);
	assert_int_equal(count_requests(f), 1);
}

static void test_wait_that_the_api_asks_for_is_kept(void **state)
{
	struct fixture *f = *state;

	set_reply(f, "503 Busy\r\nRetry-After: 7", "{\"detail\": \"later\"}");
	assert_int_equal(
		ask(f, (struct request){.verb = API_LIST, .page = ""})->outcome, API_TRY_AGAIN);
	assert_int_equal(f->answer->err.retry_after_ms, 7000);
	assert_non_null(strstr(f->answer->err.msg, "(503 later)"));
}

static void test_silence_ends_at_the_timeout(void **state)
{
	struct fixture *f = *state;

	pthread_mutex_lock(&f->mutex);
	str_replace(&f->reply, NULL);
	pthread_mutex_unlock(&f->mutex);
	assert_int_equal(
		ask(f, (struct request){.verb = API_LIST, .page = ""})->outcome, API_TRY_AGAIN);
	assert_int_equal(f->answer->err.code, ERR_TIMEOUT);
	assert_in_range(f->answer->elapsed_ms, 900, DEADLINE_MS);
}

static void test_nobody_there_may_be_tried_again(void **state)
{
	struct fixture *f = *state;

	api_http_free(TAKE(f->http));
	assert_int_equal(open_http(f, "http://127.0.0.1:1", "acme", NULL), 0);
	assert_int_equal(
		ask(f, (struct request){.verb = API_LIST, .page = ""})->outcome, API_TRY_AGAIN);
	assert_int_equal(f->answer->err.code, ERR_UNAVAILABLE);
}

static void test_calls_under_way_may_be_left_behind(void **state)
{
	struct fixture *f = *state;
	struct api_transport t = api_http_transport(f->http);

	pthread_mutex_lock(&f->mutex);
	str_replace(&f->reply, NULL);
	pthread_mutex_unlock(&f->mutex);
	for (int i = 0; i < 5; i++) {
		struct api_call *c = xcalloc(1, sizeof(*c));
		c->verb = API_LIST;
		t.send(t.ctx, c);
	}
	api_http_free(TAKE(f->http));
	assert_null(f->answer);
}

static void test_organization_that_climbs_is_refused(void **state)
{
	struct fixture *f = *state;
	struct err e = ERR_INIT;

	api_http_free(TAKE(f->http));
	assert_int_equal(open_http(f, f->peer.url, "..", &e), -ERR_INVALID);
	assert_non_null(strstr(e.msg, "api.organization: "));
}

int main(void)
{
#define test(fn) cmocka_unit_test_setup_teardown(fn, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		test(test_list_asks_for_the_first_page),
		test(test_a_page_that_is_too_large_is_asked_for_in_smaller_ones),
		test(test_next_page_is_asked_on_our_own_origin),
		test(test_list_that_says_the_same_again_is_shared),
		test(test_get_names_the_replicator),
		test(test_create_sends_the_body),
		test(test_patch_names_the_generation_it_is_about),
		test(test_reconcile_sends_generation_and_key),
		test(test_delete_sends_no_body),
		test(test_odd_identifier_stays_one_segment),
		test(test_identifier_that_climbs_is_not_sent),
		test(test_token_is_read_anew_at_each_call),
		test(test_missing_token_is_told_and_may_come_back),
		test(test_redirect_is_not_followed),
		test(test_wait_that_the_api_asks_for_is_kept),
		test(test_silence_ends_at_the_timeout),
		test(test_nobody_there_may_be_tried_again),
		test(test_calls_under_way_may_be_left_behind),
		test(test_organization_that_climbs_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
