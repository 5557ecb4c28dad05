/* Memory for the bodies of all requests together: what is beyond is refused. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/limits.h"
#include "serving.h"

#define MIB	    (1u << 20)
#define HELD_MIB    (LIMIT_HTTP_BODIES_HELD / MIB)
#define DEADLINE_MS 120000

static atomic_int n_handled;

static void serve(void *ctx, struct httpd_request *r, struct httpd_response *response)
{
	(void)ctx;
	n_handled++;
	buf_addf(&response->body, "body of %zu", httpd_body(r)->len);
}

static void refused(void *ctx, struct httpd_request *r, struct httpd_response *response)
{
	(void)ctx;
	buf_addf(&response->body, "refused with %d, body of %zu", response->status,
		httpd_body(r)->len);
}

static const struct httpd_route routes[] = {
	{"POST", "/", serve, 2 * LIMIT_HTTP_BODIES_HELD},
	{NULL, NULL, NULL, 0},
};

static int set_up(void **state)
{
	struct serving *s = xcalloc(1, sizeof(*s));

	s->options = (struct httpd_options){.routes = routes,
		.not_found = refused,
		.refused = refused,
		.request_deadline_ms = 2 * DEADLINE_MS};
	serving_start(s);
	n_handled = 0;
	*state = s;
	return 0;
}

static int tear_down(void **state)
{
	serving_stop(*state);
	free(*state);
	return 0;
}

static void assert_has(const struct buf *answer, const char *text)
{
	if (!strstr(buf_str(answer), text))
		fail_msg("no \"%s\" in: %s", text, buf_str(answer));
}

static void assert_no_room(int fd, struct buf *answer)
{
	assert_true(client_read(fd, true, answer));
	assert_has(answer, "HTTP/1.1 503 ");
	assert_has(answer, "\r\nConnection: close\r\n");
	assert_has(answer, "refused with 503");
	assert_false(client_read(fd, true, answer));
	close(fd);
}

/* Begins a request whose body is to have `mib`. */
static int begin(const struct serving *s, size_t mib)
{
	int fd = client_connect(s->port);
	auto_free char *head = xasprintf("POST / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\n"
					 "Content-Length: %zu\r\n\r\n",
		mib * MIB);

	assert_true(client_say(fd, head));
	return fd;
}

/* Without the last byte, so that the server keeps what it has. */
static void send_nearly(int fd, size_t mib)
{
	auto_free char *data = xmalloc(mib * MIB);

	memset(data, 'x', mib * MIB);
	assert_true(client_send(fd, data, mib * MIB - 1));
}

/* Asks until there is room for `mib`, or no more. */
static void wait_for_room(const struct serving *s, size_t mib, bool wanted)
{
	int64_t until_ms = clock_mono_ms(&clock_real) + DEADLINE_MS;
	auto_buf struct buf answer = BUF_INIT;
	bool has_room;

	do {
		int fd = begin(s, mib);
		assert_true(client_read(fd, false, &answer));
		has_room = strstr(buf_str(&answer), "HTTP/1.1 100 ") != NULL;
		close(fd);
	} while (has_room != wanted && clock_mono_ms(&clock_real) < until_ms);
	assert_true(has_room == wanted);
}

static void send_chunks(int fd, size_t mib)
{
	auto_free char *data = xmalloc(MIB);

	memset(data, 'x', MIB);
	assert_true(
		client_say(fd, "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"));
	for (size_t i = 0; i < mib; i++) {
		assert_true(client_say(fd, "100000\r\n"));
		assert_true(client_send(fd, data, MIB));
		assert_true(client_say(fd, "\r\n"));
	}
	assert_true(client_say(fd, "0\r\n\r\n"));
}

static void test_refused_before_it_is_read_when_its_length_tells(void **state)
{
	auto_buf struct buf answer = BUF_INIT;

	assert_no_room(begin(*state, HELD_MIB + 1), &answer);
	assert_int_equal(n_handled, 0);
}

static void test_refused_at_its_end_when_it_comes_in_chunks(void **state)
{
	int fd = client_connect(((struct serving *)*state)->port);
	auto_buf struct buf answer = BUF_INIT;

	send_chunks(fd, HELD_MIB + 2);
	assert_no_room(fd, &answer);
	assert_int_equal(n_handled, 0);
}

/* More than there is room for at once, one after the other: answered, refused and given up. */
static void test_room_is_there_again_when_a_request_is_over(void **state)
{
	for (int i = 0; i < 3; i++) {
		int fd = client_connect(((struct serving *)*state)->port);
		auto_buf struct buf answer = BUF_INIT;

		send_chunks(fd, HELD_MIB / 2);
		assert_true(client_read(fd, true, &answer));
		assert_has(&answer, "body of 8388608");
		send_chunks(fd, HELD_MIB + 1);
		assert_no_room(fd, &answer);
		fd = begin(*state, HELD_MIB / 2);
		send_nearly(fd, HELD_MIB / 2);
		wait_for_room(*state, HELD_MIB, false);
		close(fd);
		wait_for_room(*state, HELD_MIB, true);
	}
	assert_int_equal(n_handled, 3);
}

static void test_bodies_of_all_connections_count(void **state)
{
	int fds[HELD_MIB];

	for (size_t i = 0; i < ARRAY_SIZE(fds); i++) {
		fds[i] = begin(*state, 1);
		send_nearly(fds[i], 1);
	}
	wait_for_room(*state, 1, false);
	assert_int_equal(n_handled, 0);
	for (size_t i = 0; i < ARRAY_SIZE(fds); i++)
		close(fds[i]);
	wait_for_room(*state, HELD_MIB, true);
}

static void test_what_nobody_handles_is_not_kept(void **state)
{
	static const char *const requests[] = {
		"POST /nowhere HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\n\r\nbody",
		"PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\n\r\nbody",
	};

	for (size_t i = 0; i < ARRAY_SIZE(requests); i++) {
		auto_buf struct buf answer = BUF_INIT;
		client_ask(((struct serving *)*state)->port, requests[i], &answer);
		assert_has(&answer,
			i == 0 ? "refused with 404, body of 0" : "refused with 405, body of 0");
	}
}

#define test(fn) cmocka_unit_test_setup_teardown(fn, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(test_refused_before_it_is_read_when_its_length_tells),
		test(test_refused_at_its_end_when_it_comes_in_chunks),
		test(test_room_is_there_again_when_a_request_is_over),
		test(test_bodies_of_all_connections_count),
		test(test_what_nobody_handles_is_not_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
