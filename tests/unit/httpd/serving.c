/* A server on a thread, and the other end of its connections. */
#include "serving.h"

#include <arpa/inet.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/loop.h"

static void on_stop(void *ctx, short revents)
{
	(void)revents;
	loop_stop(ctx);
}

static void *serve(void *arg)
{
	struct serving *s = arg;
	struct err e = ERR_INIT;
	struct loop *loop;
	struct httpd *h;

	if (loop_new(&clock_real, &loop, &e) < 0 || httpd_start(loop, &s->options, &h, &e) < 0)
		BUG("%s", e.msg);
	snprintf(s->url, sizeof(s->url), "%s", httpd_url(h));
	s->port = s->options.socket ? 0 : atoi(strrchr(s->url, ':') + 1);
	loop_add_fd(loop, s->stop_fd, POLLIN, on_stop, loop);
	sem_post(&s->ready);
	if (loop_run(loop, &e) < 0)
		BUG("%s", e.msg);
	int64_t begin_ms = clock_mono_ms(&clock_real);
	httpd_stop(h, s->grace_ms);
	s->stop_took_ms = clock_mono_ms(&clock_real) - begin_ms;
	loop_free(loop);
	return NULL;
}

void serving_start(struct serving *s)
{
	if (!s->options.listen)
		s->options.listen = "127.0.0.1:0";
	s->stop_fd = eventfd(0, EFD_CLOEXEC);
	sem_init(&s->ready, 0, 0);
	if (pthread_create(&s->thread, NULL, serve, s) != 0)
		BUG("no thread");
	while (sem_wait(&s->ready) < 0)
		;
}

void serving_ask_stop(struct serving *s)
{
	if (eventfd_write(s->stop_fd, 1) < 0)
		BUG("no eventfd");
}

void serving_join(struct serving *s)
{
	pthread_join(s->thread, NULL);
	close(s->stop_fd);
	sem_destroy(&s->ready);
}

void serving_stop(struct serving *s)
{
	serving_ask_stop(s);
	serving_join(s);
}

int client_connect(int port)
{
	const struct sockaddr_in address = {.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
		.sin_port = htons((uint16_t)port)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || connect(fd, (const struct sockaddr *)&address, sizeof(address)) < 0)
		BUG("no connection to port %d", port);
	return fd;
}

bool client_send(int fd, const void *data, size_t len)
{
	const char *at = data;

	while (len > 0) {
		ssize_t n = send(fd, at, len, MSG_NOSIGNAL);
		if (n <= 0)
			return false;
		at += n;
		len -= (size_t)n;
	}
	return true;
}

bool client_say(int fd, const char *text)
{
	return client_send(fd, text, strlen(text));
}

bool client_read_some(int fd, struct buf *answer)
{
	char part[65536];
	ssize_t n = recv(fd, part, sizeof(part), 0);

	if (n <= 0)
		return false;
	buf_add(answer, part, (size_t)n);
	return true;
}

/* Byte for byte, so that nothing of the next answer is taken. */
static bool read_byte(int fd, struct buf *answer)
{
	char byte;

	return recv(fd, &byte, 1, 0) == 1 && buf_addc(answer, byte);
}

bool client_read(int fd, bool has_body, struct buf *answer)
{
	buf_clear(answer);
	while (!strstr(buf_str(answer), "\r\n\r\n")) {
		if (!read_byte(fd, answer))
			return false;
	}
	const char *field = strcasestr(buf_str(answer), "\r\nContent-Length:");
	size_t len = field && has_body ? strtoul(field + 17, NULL, 10) : 0;
	for (; len > 0; len--) {
		if (!read_byte(fd, answer))
			return false;
	}
	return true;
}

bool client_wait_closed(int fd, int timeout_ms)
{
	struct pollfd p = {.fd = fd, .events = POLLRDHUP};

	return poll(&p, 1, timeout_ms) > 0;
}

void client_ask(int port, const char *request, struct buf *answer)
{
	int fd = client_connect(port);

	client_say(fd, request);
	client_read(fd, strncmp(request, "HEAD ", 5) != 0, answer);
	close(fd);
}
