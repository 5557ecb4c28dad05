/*
 * A server in a loop on a thread of its own, and a client that sends it bytes, whole or in pieces,
 * and reads its answers.
 */
#ifndef TEST_HTTPD_SERVING_H
#define TEST_HTTPD_SERVING_H

#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>

#include "base/buf.h"
#include "httpd/httpd.h"

struct serving {
	struct httpd_options options;
	int64_t grace_ms;
	char url[64];
	int port;
	int64_t stop_took_ms;
	int stop_fd;
	sem_t ready;
	pthread_t thread;
};

/* Begins to serve on 127.0.0.1 and a port of its own unless the options say otherwise. */
void serving_start(struct serving *s);
/* Tells it to stop; returns at once. */
void serving_ask_stop(struct serving *s);
/* Waits until it has stopped. */
void serving_join(struct serving *s);
void serving_stop(struct serving *s);

int client_connect(int port);
/* False once the other side has gone. */
bool client_send(int fd, const void *data, size_t len);
bool client_say(int fd, const char *text);
/* One whole answer with the body that its length tells; false if the connection ends before. */
bool client_read(int fd, bool has_body, struct buf *answer);
/* The next part of whatever comes; false at the end. */
bool client_read_some(int fd, struct buf *answer);
/* Waits until the other side closes, or this long; true if it closed. Reads nothing. */
bool client_wait_closed(int fd, int timeout_ms);
/* A connection of its own, one request, one answer. */
void client_ask(int port, const char *request, struct buf *answer);

#endif
