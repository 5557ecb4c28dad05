/* Connections and the deadlines at which they are cut. */
#include "httpd/inside.h"

#include <stdint.h>
#include <sys/socket.h>

#include "base/alloc.h"

struct connection *connection_add(struct connections *all, int fd, int64_t deadline_ms)
{
	struct connection *c = xcalloc(1, sizeof(*c));

	c->fd = fd;
	c->next = all->first;
	if (c->next)
		c->next->previous = c;
	all->first = c;
	connection_set_deadline(all, c, deadline_ms);
	return c;
}

void connection_remove(struct connections *all, struct connection *c)
{
	if (c->previous)
		c->previous->next = c->next;
	else
		all->first = c->next;
	if (c->next)
		c->next->previous = c->previous;
	free(c);
}

void connection_set_deadline(struct connections *all, struct connection *c, int64_t deadline_ms)
{
	c->deadline_ms = deadline_ms;
	if (deadline_ms < all->next_deadline_ms)
		all->next_deadline_ms = deadline_ms;
}

void connections_sweep(struct connections *all, int64_t now_ms)
{
	if (now_ms < all->next_deadline_ms)
		return;
	all->next_deadline_ms = INT64_MAX;
	for (struct connection *c = all->first; c; c = c->next) {
		if (c->deadline_ms <= now_ms) {
			/* libmicrohttpd sees the end of the connection and cleans up. */
			shutdown(c->fd, SHUT_RDWR);
			c->deadline_ms = INT64_MAX;
		}
		if (c->deadline_ms < all->next_deadline_ms)
			all->next_deadline_ms = c->deadline_ms;
	}
}
