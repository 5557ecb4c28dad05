/*
 * The inside of the server, shared by the files of this folder.
 */
#ifndef HTTPD_INSIDE_H
#define HTTPD_INSIDE_H

#include <microhttpd.h>

#include "base/strv.h"
#include "httpd/httpd.h"
#include "httpd/target.h"

/*
 * A connection is cut at its deadline: the time by which its next request must have begun, or have
 * come as a whole, or its answer have left. libmicrohttpd only knows how long nothing at all has
 * come.
 */
struct connection {
	int fd;
	int64_t deadline_ms; /* INT64_MAX once it was cut */
	struct connection *previous, *next;
};

struct connections {
	struct connection *first;
	int64_t next_deadline_ms; /* not later than that of any connection */
};

struct connection *connection_add(struct connections *all, int fd, int64_t deadline_ms);
void connection_remove(struct connections *all, struct connection *c);
void connection_set_deadline(struct connections *all, struct connection *c, int64_t deadline_ms);
/* Cuts those whose deadline has passed. */
void connections_sweep(struct connections *all, int64_t now_ms);

struct httpd {
	struct httpd_options options;
	struct loop *loop;
	struct MHD_Daemon *daemon;
	char *url;
	int epoll_fd;
	int timer_fd;
	struct connections connections;
	int64_t request_deadline_ms;
	size_t n_answering; /* answers that have not left yet */
	size_t held_bytes; /* of the bodies that are being read */
	bool stopping;
};

struct httpd_request {
	struct httpd *server;
	struct connection *connection;
	struct MHD_Connection *mhd;
	const char *method; /* NULL until the headers are there */
	struct target target;
	const struct httpd_route *route; /* NULL: none, see `refusal` */
	int refusal; /* the status of an answer that is ours and no handler's, or 0 */
	struct strv names, values; /* the {names} of the route's pattern */
	struct buf body;
	size_t discarded_bytes;
	struct strv header_names, header_values; /* of the answer */
	bool answered;
};

struct httpd_request *request_new(struct httpd *h, struct MHD_Connection *mhd, const char *target);
void request_free(struct httpd_request *r);
/* What libmicrohttpd calls for a request: once for its headers, for each part of its body, and at
 * its end. */
enum MHD_Result request_headers(struct httpd_request *r, const char *method);
enum MHD_Result request_body(struct httpd_request *r, const char *data, size_t len);
enum MHD_Result request_end(struct httpd_request *r);

/* Binds "HOST:PORT" and listens; the URL has the port it got. */
int listen_on(const char *address, int *ret_fd, char **ret_url, struct err *e);
/* The same for a Unix socket; the URL is its path. */
int listen_unix(const char *path, int *ret_fd, char **ret_url, struct err *e);

#endif
