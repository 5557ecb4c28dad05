/*
 * The other side of a test: a TCP server on a port of its own that does to each connection what the
 * test tells it, well-behaved or not.
 */
#ifndef TEST_NET_PEER_H
#define TEST_NET_PEER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "base/buf.h"
#include "base/vec.h"

struct peer;

/* Called on a thread of its own for each connection, which is closed when it returns. */
typedef void (*peer_fn)(struct peer *p, int fd, void *ctx);

struct peer {
	int fd;
	char url[64]; /* "http://127.0.0.1:PORT" */
	int port;
	peer_fn serve;
	void *ctx;
	pthread_t thread;
	pthread_mutex_t mutex;
	VEC(struct peer_connection *) connections;
	atomic_int n_connections; /* that were ever made */
};

void peer_start(struct peer *p, peer_fn serve, void *ctx);
/* Breaks the connections that are left. */
void peer_stop(struct peer *p);

/* One request with its body (Content-Length); false at the end of the connection. */
bool peer_read_request(int fd, struct buf *request);
/* False once the other side has gone. */
bool peer_send(int fd, const void *data, size_t len);
bool peer_say(int fd, const char *text);
/* Waits until the other side closes, or this long; true if it closed. */
bool peer_wait_closed(int fd, int timeout_ms);

#endif
