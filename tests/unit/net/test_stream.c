/* Answers that are read as they come. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <semaphore.h>
#include <string.h>
#include <cmocka.h>

#include "base/alloc.h"
#include "net/http.h"
#include "peer.h"

#define DEADLINE_MS 300

struct fixture {
	struct peer peer;
	sem_t go_on; /* the peer waits for it where a test says so */
	const char *first, *second;
	struct http_client *client;
	struct http_request *request;
	struct http_stream *stream;
	struct err e;
};

/* Says the first part, and the second once it may; keeps the connection for one more request. */
static void serve_parts(struct peer *p, int fd, void *ctx)
{
	struct fixture *f = ctx;
	auto_buf struct buf request = BUF_INIT;

	(void)p;
	while (peer_read_request(fd, &request)) {
		peer_say(fd, f->first);
		if (!f->second)
			continue;
		sem_wait(&f->go_on);
		peer_say(fd, f->second);
		if (!*f->second)
			return;
	}
}

static int set_up(void **state)
{
	struct fixture *f = xcalloc(1, sizeof(*f));

	sem_init(&f->go_on, 0, 0);
	peer_start(&f->peer, serve_parts, f);
	f->client = http_client_new(&(struct http_options){.proxy = ""});
	f->request = http_request_new("GET", f->peer.url);
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	http_stream_close(f->stream);
	http_client_free(f->client);
	http_request_free(f->request);
	sem_post(&f->go_on);
	peer_stop(&f->peer);
	sem_destroy(&f->go_on);
	free(f);
	return 0;
}

static void open_stream(struct fixture *f)
{
	int rc = http_stream_open(f->client, f->request, &f->stream, &f->e);

	assert_string_equal(f->e.msg, "");
	assert_int_equal(rc, 0);
}

static void assert_reads(struct fixture *f, const char *text)
{
	char out[100];
	size_t left = strlen(text), n;

	while (left > 0) {
		assert_int_equal(http_stream_read(f->stream, out, left, &n, &f->e), 0);
		assert_true(n > 0);
		assert_memory_equal(out, text, n);
		text += n;
		left -= n;
	}
}

static void assert_ends(struct fixture *f)
{
	char byte;
	size_t n = 99;

	assert_int_equal(http_stream_read(f->stream, &byte, 1, &n, &f->e), 0);
	assert_int_equal(n, 0);
}

static void test_open_returns_with_the_headers_alone(void **state)
{
	struct fixture *f = *state;

	f->first = "HTTP/1.1 200 OK\r\nContent-Type: application/x-git-upload-pack-result\r\n"
		   "Content-Length: 4\r\n\r\n";
	f->second = "PACK";
	open_stream(f);
	assert_int_equal(http_stream_status(f->stream), 200);
	assert_string_equal(
		http_stream_content_type(f->stream), "application/x-git-upload-pack-result");
	assert_null(http_stream_location(f->stream));
	sem_post(&f->go_on);
	assert_reads(f, "PACK");
	assert_ends(f);
	assert_ends(f);
}

static void test_read_returns_what_has_come(void **state)
{
	struct fixture *f = *state;

	f->first = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nfirst\r\n";
	f->second = "6\r\nsecond\r\n0\r\n\r\n";
	open_stream(f);
	assert_reads(f, "fi");
	assert_reads(f, "rst");
	sem_post(&f->go_on);
	assert_reads(f, "second");
	assert_ends(f);
}

static void test_interim_headers_are_not_the_answer(void **state)
{
	struct fixture *f = *state;

	f->first = "HTTP/1.1 103 Early Hints\r\nX: y\r\n\r\n";
	f->second = "HTTP/1.1 302 Found\r\nLocation: /there\r\nContent-Length: 0\r\n\r\n";
	sem_post(&f->go_on);
	open_stream(f);
	assert_int_equal(http_stream_status(f->stream), 302);
	assert_string_equal(http_stream_location(f->stream), "/there");
	assert_ends(f);
}

static void test_error_when_cut_short(void **state)
{
	struct fixture *f = *state;
	char out[100];
	size_t n;

	f->first = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\npart";
	f->second = "";
	open_stream(f);
	assert_reads(f, "part");
	sem_post(&f->go_on);
	assert_int_equal(http_stream_read(f->stream, out, 1, &n, &f->e), -ERR_UNAVAILABLE);
	assert_true(f->e.retriable);
	assert_non_null(strstr(f->e.msg, "before it was complete"));
}

static void test_deadline_holds_between_parts(void **state)
{
	struct fixture *f = *state;
	char out[100];
	size_t n;

	f->first = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\npart";
	f->second = "";
	f->request->timeout_ms = DEADLINE_MS;
	open_stream(f);
	assert_reads(f, "part");
	assert_int_equal(http_stream_read(f->stream, out, 1, &n, &f->e), -ERR_TIMEOUT);
	assert_non_null(strstr(f->e.msg, "reading the answer"));
}

static void test_deadline_holds_before_the_headers(void **state)
{
	struct fixture *f = *state;

	f->first = "HTTP/1.1 200 OK\r\n";
	f->second = "";
	f->request->timeout_ms = DEADLINE_MS;
	assert_int_equal(http_stream_open(f->client, f->request, &f->stream, &f->e), -ERR_TIMEOUT);
	assert_null(f->stream);
}

static void test_limit_counts_the_whole_answer(void **state)
{
	struct fixture *f = *state;
	char out[100];
	size_t n;

	f->first = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nfirst\r\n";
	f->second = "6\r\nsecond\r\n0\r\n\r\n";
	f->request->max_answer_bytes = 10;
	open_stream(f);
	assert_reads(f, "first");
	sem_post(&f->go_on);
	assert_int_equal(http_stream_read(f->stream, out, 1, &n, &f->e), -ERR_LIMIT);
}

static void test_client_serves_again_when_closed_early(void **state)
{
	struct fixture *f = *state;
	struct http_response response;

	f->first = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n";
	f->second = "body";
	open_stream(f);
	http_stream_close(TAKE(f->stream));
	sem_post(&f->go_on);
	sem_post(&f->go_on);
	assert_int_equal(http_perform(f->client, f->request, &response, &f->e), 0);
	assert_string_equal(buf_str(&response.body), "body");
	http_response_release(&response);
}

static void test_connection_is_kept_when_read_to_the_end(void **state)
{
	struct fixture *f = *state;

	f->first = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbody";
	for (int i = 0; i < 3; i++) {
		open_stream(f);
		assert_reads(f, "body");
		assert_ends(f);
		http_stream_close(TAKE(f->stream));
	}
	assert_int_equal(f->peer.n_connections, 1);
}

static void test_error_when_refused(void **state)
{
	struct fixture *f = *state;
	struct peer gone;

	peer_start(&gone, NULL, NULL);
	peer_stop(&gone);
	http_request_free(f->request);
	f->request = http_request_new("GET", gone.url);
	assert_int_equal(
		http_stream_open(f->client, f->request, &f->stream, &f->e), -ERR_UNAVAILABLE);
	http_request_free(f->request);
	f->request = http_request_new("GET", "nonsense");
	err_clear(&f->e);
	assert_int_equal(http_stream_open(f->client, f->request, &f->stream, &f->e), -ERR_INVALID);
}

#define test(fn) cmocka_unit_test_setup_teardown(fn, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(test_open_returns_with_the_headers_alone),
		test(test_read_returns_what_has_come),
		test(test_interim_headers_are_not_the_answer),
		test(test_error_when_cut_short),
		test(test_deadline_holds_between_parts),
		test(test_deadline_holds_before_the_headers),
		test(test_limit_counts_the_whole_answer),
		test(test_client_serves_again_when_closed_early),
		test(test_connection_is_kept_when_read_to_the_end),
		test(test_error_when_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
