/* Requests: what reaches a handler, and what is refused before. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/alloc.h"
#include "serving.h"

#define MAX_BODY 1000

/* Counted by the server's thread, looked at once it has answered. */
static atomic_int n_handled, n_refused;

static void or_dash(struct buf *out, const char *name, const char *value)
{
	buf_addf(out, "%s=%s\n", name, value ? value : "-");
}

/* Tells what it was asked. */
static void echo(void *ctx, struct httpd_request *r, struct httpd_response *response)
{
	(void)ctx;
	n_handled++;
	response->content_type = "text/plain";
	or_dash(&response->body, "method", httpd_method(r));
	or_dash(&response->body, "path", httpd_path(r));
	or_dash(&response->body, "org", httpd_param(r, "org"));
	or_dash(&response->body, "page", httpd_query(r, "page"));
	or_dash(&response->body, "token", httpd_header(r, "authorization"));
	buf_addf(&response->body, "body=%zu:%s\n", httpd_body(r)->len, buf_str(httpd_body(r)));
}

static void empty(void *ctx, struct httpd_request *r, struct httpd_response *response)
{
	(void)ctx;
	n_handled++;
	response->status = 204;
	httpd_set_header(r, "X-One", "1");
	httpd_set_header(r, "X-Two", "2");
}

static void not_found(void *ctx, struct httpd_request *r, struct httpd_response *response)
{
	(void)ctx;
	assert_int_equal(response->status, 404);
	buf_addf(&response->body, "{\"detail\": \"no %s\"}", httpd_path(r));
}

static void refused(void *ctx, struct httpd_request *r, struct httpd_response *response)
{
	(void)ctx;
	n_refused++;
	buf_addf(&response->body, "refused %s with %d", httpd_method(r), response->status);
}

static const struct httpd_route routes[] = {
	{"GET", "/o/{org}/", echo, 0},
	{"POST", "/o/{org}/", echo, MAX_BODY},
	{"DELETE", "/empty", empty, 0},
	{NULL, NULL, NULL, 0},
};

static int set_up(void **state)
{
	struct serving *s = xcalloc(1, sizeof(*s));

	s->options = (struct httpd_options){
		.routes = routes, .not_found = not_found, .refused = refused};
	serving_start(s);
	n_handled = n_refused = 0;
	*state = s;
	return 0;
}

static int tear_down(void **state)
{
	serving_stop(*state);
	free(*state);
	return 0;
}

static void ask(struct serving *s, const char *request, struct buf *answer)
{
	client_ask(s->port, request, answer);
}

static void assert_has(const struct buf *answer, const char *text)
{
	if (!strstr(buf_str(answer), text))
		fail_msg("no \"%s\" in: %s", text, buf_str(answer));
}

static void assert_answers(struct serving *s, const char *request, const char *text)
{
	auto_buf struct buf answer = BUF_INIT;

	ask(s, request, &answer);
	assert_has(&answer, text);
}

static void test_handler_sees_the_request(void **state)
{
	auto_buf struct buf answer = BUF_INIT;

	ask(*state,
		"GET /o/a%2Fb%20c/?page=2%263&x HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer "
		"t\r\n\r\n",
		&answer);
	assert_has(&answer, "HTTP/1.1 200 OK\r\n");
	assert_has(&answer, "\r\nContent-Type: text/plain\r\n");
	assert_has(&answer, "method=GET\npath=/o/a%2Fb%20c/\norg=a/b c\npage=2&3\ntoken=Bearer t\n"
			    "body=0:\n");
	ask(*state, "GET /o/a/ HTTP/1.1\r\nHost: h\r\n\r\n", &answer);
	assert_has(&answer, "page=-\ntoken=-\n");
}

static void test_handler_sees_the_whole_body(void **state)
{
	int fd = client_connect(((struct serving *)*state)->port);
	auto_buf struct buf answer = BUF_INIT;

	assert_true(client_say(
		fd, "POST /o/a/ HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\n01234"));
	assert_false(client_wait_closed(fd, 20));
	assert_int_equal(n_handled, 0);
	assert_true(client_say(fd, "56789"));
	assert_true(client_read(fd, true, &answer));
	assert_has(&answer, "body=10:0123456789\n");
	close(fd);
}

static void test_handler_sees_chunks_as_one_body(void **state)
{
	assert_answers(*state,
		"POST /o/a/ HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
		"5\r\n01234\r\n5\r\n56789\r\n0\r\n\r\n",
		"body=10:0123456789\n");
}

static void test_continue_is_sent_when_expected(void **state)
{
	int fd = client_connect(((struct serving *)*state)->port);
	auto_buf struct buf answer = BUF_INIT;

	assert_true(client_say(fd, "POST /o/a/ HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n"
				   "Expect: 100-continue\r\n\r\n"));
	assert_true(client_read(fd, true, &answer));
	assert_has(&answer, "HTTP/1.1 100 Continue\r\n");
	assert_true(client_say(fd, "hi"));
	assert_true(client_read(fd, true, &answer));
	assert_has(&answer, "body=2:hi\n");
	close(fd);
}

static void test_head_is_get_without_a_body(void **state)
{
	int fd = client_connect(((struct serving *)*state)->port);
	auto_buf struct buf answer = BUF_INIT;

	for (int i = 0; i < 2; i++) {
		assert_true(client_say(fd, "HEAD /o/a/ HTTP/1.1\r\nHost: h\r\n\r\n"));
		assert_true(client_read(fd, false, &answer));
		assert_has(&answer, "HTTP/1.1 200 OK\r\n");
		assert_has(&answer, "\r\nContent-Type: text/plain\r\n");
		assert_null(strstr(buf_str(&answer), "Content-Length: 0"));
	}
	close(fd);
	assert_int_equal(n_handled, 2);
}

static void test_answer_without_a_body_has_no_type(void **state)
{
	auto_buf struct buf answer = BUF_INIT;

	ask(*state, "DELETE /empty HTTP/1.1\r\nHost: h\r\n\r\n", &answer);
	assert_has(&answer, "HTTP/1.1 204 No Content\r\n");
	assert_has(&answer, "\r\nX-One: 1\r\n");
	assert_has(&answer, "\r\nX-Two: 2\r\n");
	assert_null(strstr(buf_str(&answer), "Content-Type"));
}

static void test_not_found_when_no_pattern_fits(void **state)
{
	auto_buf struct buf answer = BUF_INIT;

	ask(*state, "GET /elsewhere?x=1 HTTP/1.1\r\nHost: h\r\n\r\n", &answer);
	assert_has(&answer, "HTTP/1.1 404 Not Found\r\n");
	assert_has(&answer, "\r\nContent-Type: application/json\r\n");
	assert_has(&answer, "{\"detail\": \"no /elsewhere\"}");
	ask(*state, "POST /o/ HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nhi", &answer);
	assert_has(&answer, "HTTP/1.1 404 Not Found\r\n");
}

static void test_other_method_is_told_what_is_allowed(void **state)
{
	auto_buf struct buf answer = BUF_INIT;

	ask(*state, "PATCH /o/a/ HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nhi", &answer);
	assert_has(&answer, "HTTP/1.1 405 Method Not Allowed\r\n");
	assert_has(&answer, "\r\nAllow: GET, HEAD, POST\r\n");
	assert_has(&answer, "refused PATCH with 405");
	ask(*state, "GET /empty HTTP/1.1\r\nHost: h\r\n\r\n", &answer);
	assert_has(&answer, "\r\nAllow: DELETE\r\n");
	assert_int_equal(n_handled, 0);
}

static void test_connection_serves_one_request_after_the_other(void **state)
{
	int fd = client_connect(((struct serving *)*state)->port);
	auto_buf struct buf answer = BUF_INIT;

	for (int i = 0; i < 5; i++) {
		assert_true(client_say(fd,
			"PUT /o/a/ HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nhi"
			"GET /no HTTP/1.1\r\nHost: h\r\n\r\n"
			"POST /o/a/ HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nho"));
		assert_true(client_read(fd, true, &answer));
		assert_has(&answer, "HTTP/1.1 405 ");
		assert_true(client_read(fd, true, &answer));
		assert_has(&answer, "HTTP/1.1 404 ");
		assert_true(client_read(fd, true, &answer));
		assert_has(&answer, "body=2:ho\n");
	}
	close(fd);
}

/* The answer comes before the body was sent, and the connection ends. */
static void test_too_large_is_told_before_the_body(void **state)
{
	int fd = client_connect(((struct serving *)*state)->port);
	auto_buf struct buf answer = BUF_INIT;

	assert_true(
		client_say(fd, "POST /o/a/ HTTP/1.1\r\nHost: h\r\nContent-Length: 1001\r\n\r\n"));
	assert_true(client_read(fd, true, &answer));
	assert_has(&answer, "HTTP/1.1 413 ");
	assert_has(&answer, "refused POST with 413");
	assert_has(&answer, "\r\nConnection: close\r\n");
	assert_false(client_read(fd, true, &answer));
	close(fd);
	assert_int_equal(n_handled, 0);
}

static void test_largest_body_is_taken(void **state)
{
	auto_free char *request = xasprintf(
		"POST /o/a/ HTTP/1.1\r\nHost: h\r\nContent-Length: 1000\r\n\r\n%01000d", 7);

	assert_answers(*state, request, "body=1000:0000");
}

static void test_too_large_in_chunks_is_told_at_the_end(void **state)
{
	auto_free char *over = xasprintf("POST /o/a/ HTTP/1.1\r\nHost: h\r\n"
					 "Transfer-Encoding: chunked\r\n\r\n"
					 "3e8\r\n%01000d\r\n1\r\n7\r\n0\r\n\r\n",
		7);
	auto_free char *just = xasprintf("POST /o/a/ HTTP/1.1\r\nHost: h\r\n"
					 "Transfer-Encoding: chunked\r\n\r\n"
					 "3e7\r\n%0999d\r\n1\r\n7\r\n0\r\n\r\n",
		7);

	assert_answers(*state, over, "HTTP/1.1 413 ");
	assert_int_equal(n_handled, 0);
	assert_answers(*state, just, "body=1000:0000");
}

static void test_endless_chunks_are_cut_off(void **state)
{
	int fd = client_connect(((struct serving *)*state)->port);
	auto_free char *chunk = xasprintf("2710\r\n%010000d\r\n", 7);
	size_t n = 0;

	assert_true(client_say(
		fd, "POST /o/a/ HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"));
	while (client_say(fd, chunk))
		assert_in_range(n++, 0, 100000);
	close(fd);
	assert_int_equal(n_handled, 0);
}

static void test_body_refused_where_none_belongs(void **state)
{
	assert_answers(*state, "GET /o/a/ HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\n\r\nx",
		"HTTP/1.1 413 ");
	assert_answers(*state, "GET /o/a/ HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n",
		"HTTP/1.1 200 ");
}

/* What this server and another one before it could read as different requests. */
static void test_refused_when_ambiguous(void **state)
{
	static const char *const headers[] = {
		"Host: h\r\nHost: h",
		"Host: h\r\nhost: i",
		"Host: h\r\nContent-Length: 2\r\nContent-Length: 2",
		"Host: h\r\nContent-Length: 2\r\ncontent-length: 3",
		"Host: h\r\nContent-Length: 2\r\nTransfer-Encoding: chunked",
		"Host: h\r\nTransfer-Encoding: chunked\r\nContent-Length: 2",
		"Host: h\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
		"Host: h\r\nTransfer-Encoding: chunked, identity",
		"Host: h\r\nTransfer-Encoding: identity",
		"Host: h\r\nTransfer-Encoding: xchunked",
		"Host: h\r\nContent-Length: +2",
		"Host: h\r\nContent-Length: -2",
		"Host: h\r\nContent-Length: 0x2",
		"Host: h\r\nContent-Length: 2, 2",
		"Host: h\r\nContent-Length: 99999999999999999999999",
		"Host: h\r\nContent-Length:",
		"Host : h",
		"X: y",
		"Host: h\r\nContent-Length: 1\r\n 2",
		"Host: h\r\nContent-Length:\r\n 2\r\nContent-Length: 3",
		"Host: h\r\nTransfer-Encoding:\r\n chunked",
		"Host: h\r\nTransfer-Encoding:\r\n\tchunked\r\nContent-Length: 2",
		"Host: h\r\n Content-Length: 2",
		"Host: h\r\nX: y\r\n Transfer-Encoding: chunked",
		"Host: h\r\nTransfer-Encoding: chunked ",
		"Host: h\r\nX Y: z",
		"Host: h\r\nX\001: z",
		"Host: h\r\nX: y\rContent-Length: 2",
	};

	for (size_t i = 0; i < ARRAY_SIZE(headers); i++) {
		auto_buf struct buf answer = BUF_INIT;
		auto_free char *request =
			xasprintf("POST /o/a/ HTTP/1.1\r\n%s\r\n\r\n"
				  "0\r\n\r\nGET /o/smuggled/ HTTP/1.1\r\nHost: h\r\n\r\n",
				headers[i]);
		int fd = client_connect(((struct serving *)*state)->port);
		client_say(fd, request);
		while (client_read_some(fd, &answer))
			;
		close(fd);
		if (answer.len > 0 && !strstr(buf_str(&answer), "HTTP/1.1 400 ") &&
			!strstr(buf_str(&answer), "HTTP/1.1 413 "))
			fail_msg("%s: %s", headers[i], buf_str(&answer));
		assert_int_equal(n_handled, 0);
	}
}

static void test_refused_when_the_target_is_malformed(void **state)
{
	static const char *const targets[] = {
		"/o/a%00b/", "/o/a/?x=%00", "/o/%zz/", "/o/%2", "o/a/", "*", "http://h/o/a/"};

	for (size_t i = 0; i < ARRAY_SIZE(targets); i++) {
		auto_free char *request =
			xasprintf("GET %s HTTP/1.1\r\nHost: h\r\n\r\n", targets[i]);
		assert_answers(*state, request, "HTTP/1.1 400 Bad Request\r\n");
	}
	assert_int_equal(n_refused, ARRAY_SIZE(targets));
	assert_int_equal(n_handled, 0);
}

static void test_refused_when_the_target_is_too_long(void **state)
{
	auto_free char *request = xasprintf("GET /o/a/?x=%05000d HTTP/1.1\r\nHost: h\r\n\r\n", 7);

	assert_answers(*state, request, "HTTP/1.1 414 ");
}

static void test_refused_when_the_headers_are_too_long(void **state)
{
	auto_free char *request =
		xasprintf("GET /o/a/ HTTP/1.1\r\nHost: h\r\nX: %0100000d\r\n\r\n", 7);

	assert_answers(*state, request, "HTTP/1.1 431 ");
	assert_int_equal(n_handled, 0);
}

static void test_survives_what_is_not_http(void **state)
{
	static const char *const noise[] = {"\r\n\r\n", "\x16\x03\x01\x02", "GET\r\n\r\n",
		"GET / HTTP/9.9\r\n\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
		"\xff\xfe\xfd\r\n\r\n", "GET /o/a/ HTTP/1.1\r\nHost"};

	for (size_t i = 0; i < ARRAY_SIZE(noise); i++) {
		int fd = client_connect(((struct serving *)*state)->port);
		client_say(fd, noise[i]);
		close(fd);
	}
	assert_answers(*state, "GET /o/a/ HTTP/1.1\r\nHost: h\r\n\r\n", "HTTP/1.1 200 OK");
	assert_int_equal(n_handled, 1);
}

#define test(fn) cmocka_unit_test_setup_teardown(fn, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(test_handler_sees_the_request),
		test(test_handler_sees_the_whole_body),
		test(test_handler_sees_chunks_as_one_body),
		test(test_continue_is_sent_when_expected),
		test(test_head_is_get_without_a_body),
		test(test_answer_without_a_body_has_no_type),
		test(test_not_found_when_no_pattern_fits),
		test(test_other_method_is_told_what_is_allowed),
		test(test_connection_serves_one_request_after_the_other),
		test(test_too_large_is_told_before_the_body),
		test(test_largest_body_is_taken),
		test(test_too_large_in_chunks_is_told_at_the_end),
		test(test_endless_chunks_are_cut_off),
		test(test_body_refused_where_none_belongs),
		test(test_refused_when_ambiguous),
		test(test_refused_when_the_target_is_malformed),
		test(test_refused_when_the_target_is_too_long),
		test(test_refused_when_the_headers_are_too_long),
		test(test_survives_what_is_not_http),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
