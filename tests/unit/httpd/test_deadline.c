/* Clients that take their time: they cost a connection for a while, and nobody else's time. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/limits.h"
#include "serving.h"

#define DEADLINE_MS 400
/* How much later a connection may be cut on a machine that is busy. */
#define LATE_MS	 5000
#define PAUSE_MS 20

static void serve(void *ctx, struct httpd_request *r, struct httpd_response *response)
{
	(void)ctx;
	buf_addf(&response->body, "body of %zu", httpd_body(r)->len);
}

static const struct httpd_route routes[] = {
	{"GET", "/", serve, 0},
	{"POST", "/", serve, 100000},
	{NULL, NULL, NULL, 0},
};

static int set_up(void **state)
{
	struct serving *s = xcalloc(1, sizeof(*s));

	s->options = (struct httpd_options){.routes = routes, .request_deadline_ms = DEADLINE_MS};
	serving_start(s);
	*state = s;
	return 0;
}

static int tear_down(void **state)
{
	serving_stop(*state);
	free(*state);
	return 0;
}

static int64_t now_ms(void)
{
	return clock_mono_ms(&clock_real);
}

/* Says the beginning at once and then a byte at a time; fails unless it is cut off in time. */
static void assert_drip_is_cut_off(struct serving *s, const char *beginning)
{
	int fd = client_connect(s->port);
	int64_t begin_ms = now_ms();

	assert_true(client_say(fd, beginning));
	while (!client_wait_closed(fd, PAUSE_MS) && client_say(fd, "x"))
		assert_in_range(now_ms() - begin_ms, 0, 2 * DEADLINE_MS + LATE_MS);
	assert_in_range(now_ms() - begin_ms, DEADLINE_MS - PAUSE_MS, 2 * DEADLINE_MS + LATE_MS);
	close(fd);
}

static void test_cut_off_when_the_request_line_drips(void **state)
{
	assert_drip_is_cut_off(*state, "GET /");
}

static void test_cut_off_when_the_headers_drip(void **state)
{
	assert_drip_is_cut_off(*state, "GET / HTTP/1.1\r\nHost: h\r\nX: ");
}

static void test_cut_off_when_the_body_drips(void **state)
{
	assert_drip_is_cut_off(
		*state, "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 90000\r\n\r\n");
}

static void test_cut_off_when_nothing_comes(void **state)
{
	int fd = client_connect(((struct serving *)*state)->port);
	int64_t begin_ms = now_ms();

	assert_true(client_wait_closed(fd, DEADLINE_MS + LATE_MS));
	assert_true(now_ms() - begin_ms >= DEADLINE_MS - PAUSE_MS);
	close(fd);
}

static void test_cut_off_when_idle_after_an_answer(void **state)
{
	int fd = client_connect(((struct serving *)*state)->port);
	auto_buf struct buf answer = BUF_INIT;

	assert_true(client_say(fd, "GET / HTTP/1.1\r\nHost: h\r\n\r\n"));
	assert_true(client_read(fd, true, &answer));
	int64_t begin_ms = now_ms();
	assert_true(client_wait_closed(fd, DEADLINE_MS + LATE_MS));
	assert_true(now_ms() - begin_ms >= DEADLINE_MS - PAUSE_MS);
	close(fd);
}

/* Each request is in time, though together they take longer than one may. */
static void test_kept_when_each_request_is_in_time(void **state)
{
	int fd = client_connect(((struct serving *)*state)->port);
	auto_buf struct buf answer = BUF_INIT;
	int64_t begin_ms = now_ms();

	while (now_ms() - begin_ms < 3 * DEADLINE_MS) {
		assert_true(client_say(fd, "GET / HTTP/1.1\r\nHost: h\r\n\r\n"));
		assert_true(client_read(fd, true, &answer));
		assert_false(client_wait_closed(fd, PAUSE_MS));
	}
	close(fd);
}

/* The time of a request runs from its first line, not from when the connection was made. */
static void test_kept_when_a_request_begins_late(void **state)
{
	enum { LONG_DEADLINE_MS = 2000, PART_MS = 1200 };
	struct serving s = {.options = {.routes = routes, .request_deadline_ms = LONG_DEADLINE_MS}};
	auto_buf struct buf answer = BUF_INIT;

	(void)state;
	serving_start(&s);
	int fd = client_connect(s.port);
	assert_false(client_wait_closed(fd, PART_MS));
	assert_true(client_say(fd, "GET / HTTP/1.1\r\nHost:"));
	assert_false(client_wait_closed(fd, PART_MS));
	assert_true(client_say(fd, " h\r\n\r\n"));
	assert_true(client_read(fd, true, &answer));
	close(fd);
	serving_stop(&s);
}

static void test_others_are_served_while_many_drip(void **state)
{
	struct serving *s = *state;
	auto_buf struct buf answer = BUF_INIT;
	int fds[100];

	for (size_t i = 0; i < ARRAY_SIZE(fds); i++) {
		fds[i] = client_connect(s->port);
		assert_true(client_say(fds[i], "GET / HTTP/1.1\r\nX: "));
	}
	int64_t begin_ms = now_ms();
	client_ask(s->port, "GET / HTTP/1.1\r\nHost: h\r\n\r\n", &answer);
	assert_non_null(strstr(buf_str(&answer), "body of 0"));
	assert_true(now_ms() - begin_ms < LATE_MS);
	for (size_t i = 0; i < ARRAY_SIZE(fds); i++) {
		assert_true(client_wait_closed(fds[i], DEADLINE_MS + LATE_MS));
		close(fds[i]);
	}
}

/* The places are all taken by clients that say nothing: the next one waits, but not for ever. */
static void test_served_after_the_silent_ones_when_full(void **state)
{
	struct serving *s = *state;
	auto_buf struct buf answer = BUF_INIT;
	int fds[LIMIT_HTTP_CONNECTIONS];

	for (size_t i = 0; i < ARRAY_SIZE(fds); i++)
		fds[i] = client_connect(s->port);
	client_ask(s->port, "GET / HTTP/1.1\r\nHost: h\r\n\r\n", &answer);
	assert_non_null(strstr(buf_str(&answer), "body of 0"));
	for (size_t i = 0; i < ARRAY_SIZE(fds); i++)
		close(fds[i]);
}

#define test(fn) cmocka_unit_test_setup_teardown(fn, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(test_cut_off_when_the_request_line_drips),
		test(test_cut_off_when_the_headers_drip),
		test(test_cut_off_when_the_body_drips),
		test(test_cut_off_when_nothing_comes),
		test(test_cut_off_when_idle_after_an_answer),
		test(test_kept_when_each_request_is_in_time),
		cmocka_unit_test(test_kept_when_a_request_begins_late),
		test(test_others_are_served_while_many_drip),
		test(test_served_after_the_silent_ones_when_full),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
