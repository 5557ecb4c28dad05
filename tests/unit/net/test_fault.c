/* Calls to servers that are not there, say nothing, say it slowly, or say too much. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <netdb.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/limits.h"
#include "net/http.h"
#include "peer.h"

#define DEADLINE_MS 300
/* How much later than its deadline a call may end on a machine that is busy. */
#define LATE_MS 5000

/* What a test looked at goes here; released at its end. */
struct fixture {
	struct peer peer;
	struct http_client *client;
	struct http_response response;
	struct err e;
	int64_t elapsed_ms;
};

static int set_up(void **state)
{
	struct fixture *f = xcalloc(1, sizeof(*f));

	f->client = http_client_new(&(struct http_options){.proxy = ""});
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	http_client_free(f->client);
	http_response_release(&f->response);
	free(f);
	return 0;
}

static int perform(struct fixture *f, struct http_request *owned_request)
{
	int64_t begin_ms = clock_mono_ms(&clock_real);

	http_response_release(&f->response);
	err_clear(&f->e);
	int rc = http_perform(f->client, owned_request, &f->response, &f->e);
	http_request_free(owned_request);
	f->elapsed_ms = clock_mono_ms(&clock_real) - begin_ms;
	return rc;
}

/* One GET to a peer that does as `serve` says. */
static int get_from(struct fixture *f, peer_fn serve, const void *ctx, int64_t timeout_ms)
{
	peer_start(&f->peer, serve, (void *)(uintptr_t)ctx);
	struct http_request *r = http_request_new("GET", f->peer.url);
	r->timeout_ms = timeout_ms;
	r->max_answer_bytes = 1000;
	int rc = perform(f, r);
	peer_stop(&f->peer);
	return rc;
}

static void assert_error(
	const struct fixture *f, enum err_code code, bool retriable, const char *words)
{
	auto_free char *peer = xasprintf("127.0.0.1:%d: ", f->peer.port);

	assert_int_equal(f->e.code, code);
	assert_int_equal(f->e.retriable, retriable);
	if (f->peer.port && strncmp(f->e.msg, peer, strlen(peer)) != 0)
		fail_msg("does not begin with %s: %s", peer, f->e.msg);
	if (!strstr(f->e.msg, words))
		fail_msg("no \"%s\" in: %s", words, f->e.msg);
}

static void assert_timed_out(const struct fixture *f, const char *step)
{
	assert_error(f, ERR_TIMEOUT, true, step);
	assert_non_null(strstr(f->e.msg, "after "));
	assert_in_range(f->elapsed_ms, DEADLINE_MS - 10, DEADLINE_MS + LATE_MS);
}

static void test_refused_when_nothing_listens(void **state)
{
	struct fixture *f = *state;
	struct peer gone;

	peer_start(&gone, NULL, NULL);
	peer_stop(&gone);
	f->peer.port = gone.port;
	assert_int_equal(perform(f, http_request_new("GET", gone.url)), -ERR_UNAVAILABLE);
	assert_error(f, ERR_UNAVAILABLE, true, "Connection refused (connecting, after ");
	assert_non_null(strstr(f->e.msg, "check the address"));
}

static void serve_silence(struct peer *p, int fd, void *ctx)
{
	(void)p, (void)ctx;
	peer_wait_closed(fd, -1);
}

static void test_deadline_holds_when_nothing_is_said(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(get_from(f, serve_silence, NULL, DEADLINE_MS), -ERR_TIMEOUT);
	assert_timed_out(f, "waiting for the answer");
}

/* Says the beginning at once, then byte for byte, for ever. */
static void serve_drip(struct peer *p, int fd, void *ctx)
{
	auto_buf struct buf request = BUF_INIT;

	(void)p;
	peer_read_request(fd, &request);
	peer_say(fd, ctx);
	while (!peer_wait_closed(fd, 20) && peer_say(fd, "x"))
		;
}

static void test_deadline_holds_when_body_drips(void **state)
{
	struct fixture *f = *state;

	get_from(f, serve_drip, "HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n", DEADLINE_MS);
	assert_timed_out(f, "reading the answer");
}

static void test_deadline_holds_when_headers_drip(void **state)
{
	struct fixture *f = *state;

	get_from(f, serve_drip, "HTTP/1.1 200 OK\r\nX-Endless: ", DEADLINE_MS);
	assert_timed_out(f, "reading the answer");
}

static void test_deadline_holds_when_the_status_line_drips(void **state)
{
	struct fixture *f = *state;

	get_from(f, serve_drip, "HTTP/1.1 200 ", DEADLINE_MS);
	assert_error(f, ERR_TIMEOUT, true, "answer");
}

static void test_deadline_holds_when_tls_is_not_answered(void **state)
{
	struct fixture *f = *state;

	peer_start(&f->peer, serve_silence, NULL);
	auto_free char *url = xasprintf("https://127.0.0.1:%d/", f->peer.port);
	struct http_request *r = http_request_new("GET", url);
	r->timeout_ms = DEADLINE_MS;
	perform(f, r);
	peer_stop(&f->peer);
	assert_timed_out(f, "setting up TLS");
}

/* A name server that answers nothing: stands in for the C library's resolver. */
static pthread_mutex_t resolver = PTHREAD_MUTEX_INITIALIZER;

int getaddrinfo(
	const char *node, const char *service, const struct addrinfo *hints, struct addrinfo **res)
{
	(void)node, (void)service, (void)hints, (void)res;
	pthread_mutex_lock(&resolver);
	pthread_mutex_unlock(&resolver);
	return EAI_AGAIN;
}

static void test_deadline_holds_when_the_name_server_hangs(void **state)
{
	struct fixture *f = *state;
	struct http_request *r = http_request_new("GET", "http://name.invalid/");

	r->timeout_ms = DEADLINE_MS;
	pthread_mutex_lock(&resolver);
	perform(f, r);
	/* Must not wait for it either. */
	http_client_free(TAKE(f->client));
	pthread_mutex_unlock(&resolver);
	assert_timed_out(f, "looking up the name");
	assert_non_null(strstr(f->e.msg, "name.invalid:80: "));
}

static void test_unknown_name_is_named(void **state)
{
	struct fixture *f = *state;

	assert_true(perform(f, http_request_new("GET", "https://name.invalid/")) < 0);
	assert_error(f, ERR_UNAVAILABLE, true, "cannot be resolved (looking up the name, after ");
	assert_non_null(strstr(f->e.msg, "name.invalid:443: "));
}

/* Says one text and closes. */
static void serve_text(struct peer *p, int fd, void *ctx)
{
	auto_buf struct buf request = BUF_INIT;

	(void)p;
	if (peer_read_request(fd, &request))
		peer_say(fd, ctx);
}

static void test_closed_without_an_answer(void **state)
{
	struct fixture *f = *state;

	get_from(f, serve_text, "", 0);
	assert_error(f, ERR_UNAVAILABLE, true, "without an answer");
}

static void test_answer_cut_short(void **state)
{
	struct fixture *f = *state;

	get_from(f, serve_text, "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nshort", 0);
	assert_error(f, ERR_UNAVAILABLE, true, "ended before it was complete");
	get_from(f, serve_text,
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nshort\r\n", 0);
	assert_error(f, ERR_UNAVAILABLE, true, "");
}

static void test_not_http(void **state)
{
	struct fixture *f = *state;

	get_from(f, serve_text, "SSH-2.0-OpenSSH_9.2\r\n", 0);
	assert_error(f, ERR_REMOTE, false, "not HTTP");
}

static void test_tls_to_a_port_without(void **state)
{
	struct fixture *f = *state;

	peer_start(&f->peer, serve_text, (void *)(uintptr_t) "HTTP/1.1 400 Bad\r\n\r\n");
	auto_free char *url = xasprintf("https://127.0.0.1:%d/", f->peer.port);
	struct http_request *r = http_request_new("GET", url);
	r->timeout_ms = DEADLINE_MS;
	perform(f, r);
	peer_stop(&f->peer);
	assert_true(f->e.retriable);
	assert_non_null(strstr(f->e.msg, "setting up TLS"));
}

static void test_body_of_the_largest_size_is_taken(void **state)
{
	struct fixture *f = *state;
	auto_free char *answer =
		xasprintf("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n%01000d", 0);

	assert_int_equal(get_from(f, serve_text, answer, 0), 0);
	assert_int_equal(f->response.body.len, 1000);
}

static void test_limit_holds_for_a_length(void **state)
{
	struct fixture *f = *state;
	auto_free char *answer =
		xasprintf("HTTP/1.1 200 OK\r\nContent-Length: 1001\r\n\r\n%01001d", 0);

	get_from(f, serve_text, answer, 0);
	assert_error(f, ERR_LIMIT, false, "larger than the 1000 bytes");
}

static void test_limit_holds_for_chunks(void **state)
{
	struct fixture *f = *state;
	auto_buf struct buf answer = BUF_INIT;

	buf_adds(&answer, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
	for (int i = 0; i < 101; i++)
		buf_adds(&answer, "a\r\n0123456789\r\n");
	buf_adds(&answer, "0\r\n\r\n");
	get_from(f, serve_text, buf_str(&answer), 0);
	assert_error(f, ERR_LIMIT, false, "larger than the 1000 bytes");
}

static void test_limit_holds_without_any_length(void **state)
{
	struct fixture *f = *state;
	auto_free char *answer = xasprintf("HTTP/1.1 200 OK\r\n\r\n%05000d", 0);

	get_from(f, serve_text, answer, 0);
	assert_error(f, ERR_LIMIT, false, "larger than the 1000 bytes");
}

/* 100,000 times "0" in 133 bytes of gzip. */
static const unsigned char bomb[] = {
	0x1f,
	0x8b,
	0x08,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x02,
	0x03,
	0xed,
	0xc1,
	0x31,
	0x01,
	0x00,
	0x00,
	0x00,
	0xc2,
	0xa0,
	0x4a,
	0xeb,
	0x9f,
	0xce,
	0x1a,
	0x1e,
	0x40,
	0x01,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0xaf,
	0x06,
	0x85,
	0xc2,
	0x4d,
	0xc5,
	0xa0,
	0x86,
	0x01,
	0x00,
};

static void serve_bomb(struct peer *p, int fd, void *ctx)
{
	auto_buf struct buf request = BUF_INIT;

	(void)p, (void)ctx;
	if (!peer_read_request(fd, &request))
		return;
	peer_say(fd, "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nConnection: close\r\n\r\n");
	peer_send(fd, bomb, sizeof(bomb));
}

static void test_limit_holds_after_decompression(void **state)
{
	struct fixture *f = *state;

	get_from(f, serve_bomb, NULL, 0);
	assert_error(f, ERR_LIMIT, false, "larger than the 1000 bytes");
}

static void test_undecodable_answer_is_an_error(void **state)
{
	struct fixture *f = *state;

	get_from(f, serve_text,
		"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 6\r\n\r\nnogzip", 0);
	assert_error(f, ERR_REMOTE, false, "cannot be decompressed");
}

static void serve_headers(struct peer *p, int fd, void *ctx)
{
	auto_buf struct buf request = BUF_INIT;

	(void)p, (void)ctx;
	peer_read_request(fd, &request);
	peer_say(fd, "HTTP/1.1 200 OK\r\n");
	while (peer_say(fd, "X-Endless: 0123456789012345678901234567890123456789\r\n"))
		;
}

static void test_limit_holds_for_headers(void **state)
{
	struct fixture *f = *state;

	get_from(f, serve_headers, NULL, 0);
	assert_error(f, ERR_LIMIT, false, "larger than the 262144 bytes");
}

static void serve_line(struct peer *p, int fd, void *ctx)
{
	auto_buf struct buf request = BUF_INIT;

	(void)p, (void)ctx;
	peer_read_request(fd, &request);
	peer_say(fd, "HTTP/1.1 200 OK\r\nX-Endless: ");
	while (peer_say(fd, "0123456789012345678901234567890123456789"))
		;
}

static void test_limit_holds_for_one_header(void **state)
{
	struct fixture *f = *state;

	assert_true(get_from(f, serve_line, NULL, 0) < 0);
	assert_error(f, ERR_LIMIT, false, "too long");
}

#define test(fn) cmocka_unit_test_setup_teardown(fn, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(test_refused_when_nothing_listens),
		test(test_deadline_holds_when_nothing_is_said),
		test(test_deadline_holds_when_body_drips),
		test(test_deadline_holds_when_headers_drip),
		test(test_deadline_holds_when_the_status_line_drips),
		test(test_deadline_holds_when_tls_is_not_answered),
		test(test_deadline_holds_when_the_name_server_hangs),
		test(test_unknown_name_is_named),
		test(test_closed_without_an_answer),
		test(test_answer_cut_short),
		test(test_not_http),
		test(test_tls_to_a_port_without),
		test(test_body_of_the_largest_size_is_taken),
		test(test_limit_holds_for_a_length),
		test(test_limit_holds_for_chunks),
		test(test_limit_holds_without_any_length),
		test(test_limit_holds_after_decompression),
		test(test_undecodable_answer_is_an_error),
		test(test_limit_holds_for_headers),
		test(test_limit_holds_for_one_header),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
