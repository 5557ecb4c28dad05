/* Calls to a server that behaves: what is sent, what comes back. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

#include "base/alloc.h"
#include "net/http.h"
#include "peer.h"

/* Answers every request with one text and keeps the last request. */
struct script {
	pthread_mutex_t mutex;
	char *answer;
	struct buf request;
	int n_requests;
};

static char *note_request(struct script *s, const struct buf *request)
{
	pthread_mutex_lock(&s->mutex);
	s->n_requests++;
	buf_clear(&s->request);
	buf_add(&s->request, request->data, request->len);
	char *answer = xstrdup(s->answer);
	pthread_mutex_unlock(&s->mutex);
	return answer;
}

static void serve_script(struct peer *p, int fd, void *ctx)
{
	auto_buf struct buf request = BUF_INIT;

	(void)p;
	while (peer_read_request(fd, &request)) {
		auto_free char *answer = note_request(ctx, &request);
		if (!peer_say(fd, answer))
			return;
	}
}

static void script_answer(struct script *s, const char *answer)
{
	pthread_mutex_lock(&s->mutex);
	str_replace(&s->answer, xstrdup(answer));
	pthread_mutex_unlock(&s->mutex);
}

static bool script_was_asked(struct script *s, const char *line)
{
	pthread_mutex_lock(&s->mutex);
	bool asked = strncmp(buf_str(&s->request), line, strlen(line)) == 0;
	pthread_mutex_unlock(&s->mutex);
	return asked;
}

static void script_init(struct script *s, const char *answer)
{
	pthread_mutex_init(&s->mutex, NULL);
	script_answer(s, answer);
}

static void script_release(struct script *s)
{
	free(s->answer);
	buf_release(&s->request);
	pthread_mutex_destroy(&s->mutex);
}

static const char ok[] = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi";

struct fixture {
	struct script script;
	struct peer peer;
	struct http_client *client;
	struct http_request *request;
	struct http_response response;
	struct err e;
};

static int set_up(void **state)
{
	struct fixture *f = xcalloc(1, sizeof(*f));

	script_init(&f->script, ok);
	peer_start(&f->peer, serve_script, &f->script);
	/* "": whatever proxy this machine is told to use is none of the test's business. */
	f->client = http_client_new(&(struct http_options){.proxy = ""});
	*state = f;
	return 0;
}

static void stop(struct fixture *f)
{
	http_client_free(TAKE(f->client));
	peer_stop(&f->peer);
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	if (f->client)
		stop(f);
	http_request_free(f->request);
	http_response_release(&f->response);
	script_release(&f->script);
	free(f);
	return 0;
}

static struct http_request *new_request(struct fixture *f, const char *method, const char *path)
{
	auto_free char *url = xasprintf("%s%s", f->peer.url, path);

	http_request_free(f->request);
	f->request = http_request_new(method, url);
	return f->request;
}

static int perform(struct fixture *f)
{
	http_response_release(&f->response);
	err_clear(&f->e);
	return http_perform(f->client, f->request, &f->response, &f->e);
}

static void call(struct fixture *f)
{
	int rc = perform(f);

	assert_string_equal(f->e.msg, "");
	assert_int_equal(rc, 0);
}

/* Stops the peer first, so that its thread is done with the request. */
static void assert_sent(struct fixture *f, const char *line)
{
	if (f->client)
		stop(f);
	if (!strstr(buf_str(&f->script.request), line))
		fail_msg("no \"%s\" in: %s", line, buf_str(&f->script.request));
}

static void assert_not_sent(struct fixture *f, const char *text)
{
	if (f->client)
		stop(f);
	if (strcasestr(buf_str(&f->script.request), text))
		fail_msg("\"%s\" in: %s", text, buf_str(&f->script.request));
}

static void test_get_sends_what_was_asked(void **state)
{
	struct fixture *f = *state;
	struct http_request *r = new_request(f, "GET", "/organizations/acme/?page=2");

	assert_int_equal(http_request_header(r, "X-Kind", "a b", NULL), 0);
	assert_int_equal(http_request_header(r, "X-Empty", "", NULL), 0);
	call(f);
	assert_int_equal(f->response.status, 200);
	assert_string_equal(buf_str(&f->response.body), "hi");
	assert_string_equal(f->response.content_type, "");
	assert_null(f->response.location);
	assert_sent(f, "GET /organizations/acme/?page=2 HTTP/1.1\r\n");
	assert_sent(f, "\r\nX-Kind: a b\r\n");
	assert_sent(f, "\r\nX-Empty:\r\n");
	assert_sent(f, "\r\nUser-Agent: weir/");
	assert_not_sent(f, "Authorization");
	assert_not_sent(f, "Content-");
}

static void test_body_is_sent_as_given(void **state)
{
	static const char *const methods[] = {"POST", "PATCH", "PUT", "DELETE"};
	struct fixture *f = *state;

	for (size_t i = 0; i < ARRAY_SIZE(methods); i++) {
		struct http_request *r = new_request(f, methods[i], "/x/");
		assert_int_equal(
			http_request_header(r, "Content-Type", "application/json", NULL), 0);
		buf_adds(&r->body, "{\"a\":1}");
		call(f);
		auto_free char *line = xasprintf("%s /x/ HTTP/1.1\r\n", methods[i]);
		assert_true(script_was_asked(&f->script, line));
	}
	assert_sent(f, "\r\nContent-Type: application/json\r\n");
	assert_sent(f, "\r\nContent-Length: 7\r\n");
	assert_sent(f, "\r\n\r\n{\"a\":1}");
}

static void test_post_without_body_says_so(void **state)
{
	struct fixture *f = *state;

	new_request(f, "POST", "/");
	call(f);
	assert_sent(f, "\r\nContent-Length: 0\r\n");
	assert_not_sent(f, "Content-Type");
}

static void test_large_body_is_sent_at_once(void **state)
{
	struct fixture *f = *state;
	struct http_request *r = new_request(f, "POST", "/");

	for (int i = 0; i < 1 << 15; i++)
		buf_adds(&r->body, "0123456789abcdef0123456789abcdef0123456789");
	call(f);
	assert_not_sent(f, "Expect");
	assert_sent(f, "\r\nContent-Length: 1376256\r\n");
}

static void test_head_has_no_body(void **state)
{
	struct fixture *f = *state;

	script_answer(&f->script, "HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n");
	new_request(f, "HEAD", "/");
	call(f);
	assert_int_equal(f->response.body.len, 0);
	assert_sent(f, "HEAD / HTTP/1.1\r\n");
}

static void test_bearer_is_sent(void **state)
{
	struct fixture *f = *state;

	new_request(f, "GET", "/")->bearer = secret_new("s3cret", 6);
	call(f);
	assert_sent(f, "\r\nAuthorization: Bearer s3cret\r\n");
}

static void test_basic_is_sent(void **state)
{
	struct fixture *f = *state;
	struct http_request *r = new_request(f, "POST", "/");

	r->basic_user = secret_new("Aladdin", 7);
	r->basic_password = secret_new("open sesame", 11);
	call(f);
	assert_sent(f, "\r\nAuthorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==\r\n");
}

static void test_refused_credentials_are_an_answer(void **state)
{
	struct fixture *f = *state;

	script_answer(&f->script, "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Bearer\r\n"
				  "Content-Length: 0\r\n\r\n");
	new_request(f, "GET", "/")->bearer = secret_new("s3cret", 6);
	call(f);
	assert_int_equal(f->response.status, 401);
	stop(f);
	assert_int_equal(f->script.n_requests, 1);
}

static void test_credential_refused_when_it_could_end_the_header(void **state)
{
	struct fixture *f = *state;
	struct http_request *r = new_request(f, "GET", "/");

	r->bearer = secret_new("s3cret\r\nX: y", 12);
	assert_int_equal(perform(f), -ERR_INVALID);
	assert_null(strstr(f->e.msg, "s3cret"));
	r = new_request(f, "GET", "/");
	r->basic_user = secret_new("a:b", 3);
	r->basic_password = secret_new("s3cret", 6);
	assert_int_equal(perform(f), -ERR_INVALID);
	assert_null(strstr(f->e.msg, "s3cret"));
	r = new_request(f, "GET", "/");
	r->basic_user = secret_new("a", 1);
	r->basic_password = secret_new("s3cret\n", 7);
	assert_int_equal(perform(f), -ERR_INVALID);
	r = new_request(f, "GET", "/");
	r->bearer = secret_new("", 0);
	assert_int_equal(perform(f), -ERR_INVALID);
	stop(f);
	assert_int_equal(f->script.n_requests, 0);
}

static void test_header_refused_when_it_could_end_itself(void **state)
{
	struct fixture *f = *state;
	struct http_request *r = new_request(f, "GET", "/");

	assert_int_equal(http_request_header(r, "X", "a\r\nY: b", NULL), -ERR_INVALID);
	assert_int_equal(http_request_header(r, "X", "a\nb", NULL), -ERR_INVALID);
	assert_int_equal(http_request_header(r, "X\n", "a", NULL), -ERR_INVALID);
	assert_int_equal(http_request_header(r, "X: a\r\nY", "a", NULL), -ERR_INVALID);
	assert_int_equal(http_request_header(r, "", "a", NULL), -ERR_INVALID);
	assert_int_equal(r->headers.n, 0);
}

static void test_answer_has_its_headers(void **state)
{
	struct fixture *f = *state;

	script_answer(&f->script, "HTTP/1.1 503 Busy\r\nContent-Type: text/html; charset=utf-8\r\n"
				  "Retry-After: 120\r\nLocation: /elsewhere\r\n"
				  "Content-Length: 5\r\n\r\n<br>\n");
	new_request(f, "GET", "/");
	call(f);
	assert_int_equal(f->response.status, 503);
	assert_string_equal(f->response.content_type, "text/html; charset=utf-8");
	assert_string_equal(f->response.location, "/elsewhere");
	assert_int_equal(f->response.retry_after_ms, 120000);
	assert_string_equal(buf_str(&f->response.body), "<br>\n");
}

static void call_with_retry_after(struct fixture *f, const char *value)
{
	auto_free char *answer = xasprintf(
		"HTTP/1.1 429 Slow\r\nRetry-After: %s\r\nContent-Length: 0\r\n\r\n", value);

	script_answer(&f->script, answer);
	new_request(f, "GET", "/");
	call(f);
	assert_int_equal(f->response.status, 429);
}

static void test_retry_after_is_read_in_all_its_forms(void **state)
{
	struct fixture *f = *state;
	time_t in_a_minute = time(NULL) + 60;
	struct tm tm;
	char date[64];

	strftime(date, sizeof(date), "%a, %d %b %Y %H:%M:%S GMT", gmtime_r(&in_a_minute, &tm));
	call_with_retry_after(f, date);
	assert_in_range(f->response.retry_after_ms, 50000, 60000);
	call_with_retry_after(f, "Thu, 01 Jan 2015 00:00:00 GMT");
	assert_int_equal(f->response.retry_after_ms, 0);
	call_with_retry_after(f, "-5");
	assert_int_equal(f->response.retry_after_ms, 0);
	call_with_retry_after(f, "soon");
	assert_int_equal(f->response.retry_after_ms, 0);
	call_with_retry_after(f, "99999999999999999999");
	assert_in_range(f->response.retry_after_ms, 0, 366LL * 86400 * 1000);
}

static void test_redirect_is_an_answer(void **state)
{
	struct fixture *f = *state;
	struct script elsewhere = {0};
	struct peer other;

	script_init(&elsewhere, ok);
	peer_start(&other, serve_script, &elsewhere);
	auto_free char *answer = xasprintf(
		"HTTP/1.1 302 Found\r\nLocation: %s/\r\nContent-Length: 0\r\n\r\n", other.url);
	script_answer(&f->script, answer);
	new_request(f, "GET", "/")->bearer = secret_new("s3cret", 6);
	call(f);
	assert_int_equal(f->response.status, 302);
	assert_non_null(strstr(f->response.location, other.url));
	peer_stop(&other);
	assert_int_equal(elsewhere.n_requests, 0);
	script_release(&elsewhere);
}

static void test_interim_answer_is_passed_over(void **state)
{
	struct fixture *f = *state;

	script_answer(&f->script, "HTTP/1.1 103 Early Hints\r\nLocation: /early\r\n\r\n"
				  "HTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\nhi");
	new_request(f, "POST", "/");
	call(f);
	assert_int_equal(f->response.status, 201);
	assert_null(f->response.location);
	assert_string_equal(buf_str(&f->response.body), "hi");
}

static void test_connection_is_kept_for_the_next_call(void **state)
{
	struct fixture *f = *state;

	for (int i = 0; i < 5; i++) {
		new_request(f, "GET", "/");
		call(f);
	}
	stop(f);
	assert_int_equal(f->script.n_requests, 5);
	assert_int_equal(f->peer.n_connections, 1);
}

static void test_proxy_is_asked_when_set(void **state)
{
	struct fixture *f = *state;
	struct http_options options = {.proxy = f->peer.url};

	http_client_free(f->client);
	f->client = http_client_new(&options);
	f->request = http_request_new("GET", "http://name.invalid/x");
	call(f);
	assert_sent(f, "GET http://name.invalid/x HTTP/1.1\r\n");
}

static void test_only_http_is_called(void **state)
{
	struct fixture *f = *state;

	f->request = http_request_new("GET", "file:///etc/passwd");
	assert_int_equal(perform(f), -ERR_INVALID);
}

#define test(fn) cmocka_unit_test_setup_teardown(fn, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(test_get_sends_what_was_asked),
		test(test_body_is_sent_as_given),
		test(test_post_without_body_says_so),
		test(test_large_body_is_sent_at_once),
		test(test_head_has_no_body),
		test(test_bearer_is_sent),
		test(test_basic_is_sent),
		test(test_refused_credentials_are_an_answer),
		test(test_credential_refused_when_it_could_end_the_header),
		test(test_header_refused_when_it_could_end_itself),
		test(test_answer_has_its_headers),
		test(test_retry_after_is_read_in_all_its_forms),
		test(test_redirect_is_an_answer),
		test(test_interim_answer_is_passed_over),
		test(test_connection_is_kept_for_the_next_call),
		test(test_proxy_is_asked_when_set),
		test(test_only_http_is_called),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
