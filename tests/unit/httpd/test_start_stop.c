/* Where it listens, what it says when it cannot, and how it ends. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/loop.h"
#include "serving.h"

#define LARGE (8u << 20)

static void serve(void *ctx, struct httpd_request *r, struct httpd_response *response)
{
	(void)ctx;
	(void)r;
	buf_adds(&response->body, "here");
}

static void serve_large(void *ctx, struct httpd_request *r, struct httpd_response *response)
{
	(void)r;
	while (response->body.len < LARGE)
		buf_adds(&response->body, "0123456789abcdef0123456789abcdef");
	if (ctx)
		sem_post(ctx);
}

static const struct httpd_route routes[] = {
	{"GET", "/", serve, 0},
	{"GET", "/large", serve_large, 0},
	{NULL, NULL, NULL, 0},
};

static void test_port_zero_takes_one_that_is_free(void **state)
{
	struct serving a = {.options.routes = routes}, b = {.options.routes = routes};
	auto_buf struct buf answer = BUF_INIT;

	(void)state;
	serving_start(&a);
	serving_start(&b);
	auto_free char *url = xasprintf("http://127.0.0.1:%d", a.port);
	assert_string_equal(a.url, url);
	assert_int_not_equal(a.port, 0);
	assert_int_not_equal(a.port, b.port);
	client_ask(a.port, "GET / HTTP/1.1\r\nHost: h\r\n\r\n", &answer);
	assert_non_null(strstr(buf_str(&answer), "here"));
	serving_stop(&b);
	serving_stop(&a);
}

static int connect_ipv6(int port)
{
	const struct sockaddr_in6 address = {.sin6_family = AF_INET6,
		.sin6_addr = IN6ADDR_LOOPBACK_INIT,
		.sin6_port = htons((uint16_t)port)};
	int fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_true(fd >= 0);
	assert_int_equal(connect(fd, (const struct sockaddr *)&address, sizeof(address)), 0);
	return fd;
}

static void test_ipv6_has_its_brackets(void **state)
{
	struct serving s = {.options = {.listen = "[::1]:0", .routes = routes}};
	auto_buf struct buf answer = BUF_INIT;
	int fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
	const struct sockaddr_in6 address = {
		.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};

	(void)state;
	bool possible =
		fd >= 0 && bind(fd, (const struct sockaddr *)&address, sizeof(address)) == 0;
	close(fd);
	if (!possible)
		skip(); /* this machine has no IPv6 */
	serving_start(&s);
	auto_free char *url = xasprintf("http://[::1]:%d", s.port);
	assert_string_equal(s.url, url);
	fd = connect_ipv6(s.port);
	client_say(fd, "GET / HTTP/1.1\r\nHost: h\r\n\r\n");
	assert_true(client_read(fd, true, &answer));
	close(fd);
	serving_stop(&s);
}

static void assert_cannot_listen(const char *listen, enum err_code code, const char *words)
{
	const struct httpd_options options = {.listen = listen, .routes = routes};
	struct err e = ERR_INIT;
	struct loop *loop;
	struct httpd *h = NULL;

	assert_int_equal(loop_new(&clock_real, &loop, NULL), 0);
	assert_int_equal(httpd_start(loop, &options, &h, &e), -(int)code);
	assert_null(h);
	if (!strstr(e.msg, words))
		fail_msg("no \"%s\" in: %s", words, e.msg);
	loop_free(loop);
}

static void test_error_says_what_to_do_when_the_port_is_in_use(void **state)
{
	struct serving s = {.options.routes = routes};

	(void)state;
	serving_start(&s);
	auto_free char *listen = xasprintf("127.0.0.1:%d", s.port);
	auto_free char *words = xasprintf("port %d of 127.0.0.1 is in use", s.port);
	assert_cannot_listen(listen, ERR_CONFLICT, words);
	assert_cannot_listen(listen, ERR_CONFLICT, "choose another port");
	serving_stop(&s);
}

static void test_error_when_the_address_is_not_ours(void **state)
{
	(void)state;
	assert_cannot_listen("192.0.2.1:0", ERR_CONFIG, "192.0.2.1 is no address of this machine");
}

static void test_error_when_it_is_no_address(void **state)
{
	static const char *const cases[] = {"", ":", ":80", "8480", "127.0.0.1",
		"127.0.0.1:", "127.0.0.1:x", "127.0.0.1:65536", "127.0.0.1:-1", "::1:8480", "[]:80",
		"[::1]", "http://127.0.0.1:80", "127.0.0.256:80", "127.1:80", "[127.0.0.1]:80",
		"host/path:80", "me@host:80"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_cannot_listen(cases[i], ERR_CONFIG, "HOST:PORT");
}

static void test_port_is_free_at_once_after_the_stop(void **state)
{
	struct serving s = {.options.routes = routes};
	auto_buf struct buf answer = BUF_INIT;

	(void)state;
	serving_start(&s);
	/* The server closes first here, which leaves a TIME_WAIT on its side. */
	int fd = client_connect(s.port);
	client_say(fd, "GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
	assert_true(client_read(fd, true, &answer));
	assert_false(client_read(fd, true, &answer));
	close(fd);
	auto_free char *listen = xasprintf("127.0.0.1:%d", s.port);
	serving_stop(&s);
	s = (struct serving){.options = {.listen = listen, .routes = routes}};
	serving_start(&s);
	serving_stop(&s);
}

/* Asks for a large answer and waits until it is under way. */
static int ask_large(struct serving *s, sem_t *handled)
{
	int fd = client_connect(s->port);

	assert_true(client_say(fd, "GET /large HTTP/1.1\r\nHost: h\r\n\r\n"));
	while (sem_wait(handled) < 0)
		;
	return fd;
}

static void test_answer_under_way_leaves_whole_when_stopped(void **state)
{
	sem_t handled;
	struct serving s = {.grace_ms = 30000, .options = {.routes = routes, .ctx = &handled}};
	auto_buf struct buf answer = BUF_INIT;

	(void)state;
	sem_init(&handled, 0, 0);
	serving_start(&s);
	int fd = ask_large(&s, &handled);
	serving_ask_stop(&s);
	while (client_read_some(fd, &answer))
		;
	close(fd);
	serving_join(&s);
	const char *body = strstr(buf_str(&answer), "\r\n\r\n");
	assert_non_null(body);
	assert_int_equal(answer.len - (size_t)(body + 4 - answer.data), LARGE);
	assert_true(s.stop_took_ms < 20000);
	sem_destroy(&handled);
}

static void test_stop_waits_no_longer_than_the_grace(void **state)
{
	sem_t handled;
	struct serving s = {.grace_ms = 200, .options = {.routes = routes, .ctx = &handled}};

	(void)state;
	sem_init(&handled, 0, 0);
	serving_start(&s);
	int fd = ask_large(&s, &handled);
	serving_stop(&s);
	close(fd);
	assert_in_range(s.stop_took_ms, 190, 10000);
	sem_destroy(&handled);
}

static void test_stop_does_not_wait_for_silent_clients(void **state)
{
	struct serving s = {.grace_ms = 30000, .options = {.routes = routes}};

	(void)state;
	serving_start(&s);
	int silent = client_connect(s.port), half = client_connect(s.port);
	assert_true(client_say(half, "GET / HTTP/1.1\r\nHost:"));
	serving_stop(&s);
	assert_true(s.stop_took_ms < 10000);
	close(silent);
	close(half);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_port_zero_takes_one_that_is_free),
		cmocka_unit_test(test_ipv6_has_its_brackets),
		cmocka_unit_test(test_error_says_what_to_do_when_the_port_is_in_use),
		cmocka_unit_test(test_error_when_the_address_is_not_ours),
		cmocka_unit_test(test_error_when_it_is_no_address),
		cmocka_unit_test(test_port_is_free_at_once_after_the_stop),
		cmocka_unit_test(test_answer_under_way_leaves_whole_when_stopped),
		cmocka_unit_test(test_stop_waits_no_longer_than_the_grace),
		cmocka_unit_test(test_stop_does_not_wait_for_silent_clients),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
