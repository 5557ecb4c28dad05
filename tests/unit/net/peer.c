/* A TCP server that does as the test says. */
#include "peer.h"

#include <arpa/inet.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/alloc.h"

struct peer_connection {
	struct peer *peer;
	int fd;
	pthread_t thread;
};

static void *serve_connection(void *arg)
{
	struct peer_connection *c = arg;

	c->peer->serve(c->peer, c->fd, c->peer->ctx);
	/* The descriptor is closed after the thread was joined, so that its number stays ours. */
	shutdown(c->fd, SHUT_RDWR);
	return NULL;
}

static void *accept_connections(void *arg)
{
	struct peer *p = arg;
	int fd;

	while ((fd = accept(p->fd, NULL, NULL)) >= 0) {
		struct peer_connection *c = xcalloc(1, sizeof(*c));
		c->peer = p;
		c->fd = fd;
		atomic_fetch_add(&p->n_connections, 1);
		if (pthread_create(&c->thread, NULL, serve_connection, c) != 0)
			BUG("no thread");
		pthread_mutex_lock(&p->mutex);
		vec_push(&p->connections, c);
		pthread_mutex_unlock(&p->mutex);
	}
	return NULL;
}

void peer_start(struct peer *p, peer_fn serve, void *ctx)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof(address);

	memset(p, 0, sizeof(*p));
	pthread_mutex_init(&p->mutex, NULL);
	p->serve = serve;
	p->ctx = ctx;
	p->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (p->fd < 0 || bind(p->fd, (struct sockaddr *)&address, size) < 0 ||
		listen(p->fd, 64) < 0 || getsockname(p->fd, (struct sockaddr *)&address, &size) < 0)
		BUG("no socket");
	p->port = ntohs(address.sin_port);
	snprintf(p->url, sizeof(p->url), "http://127.0.0.1:%d", p->port);
	if (pthread_create(&p->thread, NULL, accept_connections, p) != 0)
		BUG("no thread");
}

void peer_stop(struct peer *p)
{
	shutdown(p->fd, SHUT_RDWR);
	pthread_join(p->thread, NULL);
	close(p->fd);
	vec_each (it, &p->connections) {
		shutdown((*it)->fd, SHUT_RDWR);
		pthread_join((*it)->thread, NULL);
		close((*it)->fd);
		free(*it);
	}
	vec_release(&p->connections);
	pthread_mutex_destroy(&p->mutex);
}

static size_t body_length(const char *request)
{
	const char *field = strcasestr(request, "\r\nContent-Length:");

	return field ? strtoul(field + strlen("\r\nContent-Length:"), NULL, 10) : 0;
}

bool peer_read_request(int fd, struct buf *request)
{
	char byte;

	buf_clear(request);
	while (!strstr(buf_str(request), "\r\n\r\n")) {
		if (recv(fd, &byte, 1, 0) != 1)
			return false;
		buf_addc(request, byte);
	}
	for (size_t left = body_length(buf_str(request)); left > 0; left--) {
		if (recv(fd, &byte, 1, 0) != 1)
			return false;
		buf_addc(request, byte);
	}
	return true;
}

bool peer_send(int fd, const void *data, size_t len)
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

bool peer_say(int fd, const char *text)
{
	return peer_send(fd, text, strlen(text));
}

bool peer_wait_closed(int fd, int timeout_ms)
{
	struct pollfd p = {.fd = fd, .events = POLLRDHUP};

	return poll(&p, 1, timeout_ms) > 0;
}
