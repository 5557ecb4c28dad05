/* The server: libmicrohttpd without threads of its own, run by the loop. */
#include "httpd/inside.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/fs.h"
#include "base/limits.h"

#define REQUEST_DEADLINE_MS 15000

static int64_t now_ms(void)
{
	return clock_mono_ms(&clock_real);
}

static void on_connection(void *ctx, struct MHD_Connection *mhd, void **slot,
	enum MHD_ConnectionNotificationCode code)
{
	struct httpd *h = ctx;

	switch (code) {
	case MHD_CONNECTION_NOTIFY_STARTED:
		*slot = connection_add(&h->connections,
			MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd,
			now_ms() + h->request_deadline_ms);
		break;
	case MHD_CONNECTION_NOTIFY_CLOSED:
		connection_remove(&h->connections, *slot);
		break;
	}
}

/* The request line was read. What is returned is `slot` in the calls below. */
static void *on_target(void *ctx, const char *target, struct MHD_Connection *mhd)
{
	return request_new(ctx, mhd, target);
}

static enum MHD_Result on_request(void *ctx, struct MHD_Connection *mhd, const char *decoded_path,
	const char *method, const char *version, const char *data, size_t *len, void **slot)
{
	struct httpd_request *r = *slot;
	size_t n = *len;

	(void)ctx;
	(void)mhd;
	(void)decoded_path;
	(void)version;
	if (!r->method)
		return request_headers(r, method);
	if (n == 0)
		return request_end(r);
	*len = 0;
	return request_body(r, data, n);
}

static void on_completed(
	void *ctx, struct MHD_Connection *mhd, void **slot, enum MHD_RequestTerminationCode code)
{
	struct httpd *h = ctx;
	struct httpd_request *r = *slot;

	(void)mhd;
	(void)code;
	if (!r)
		return;
	if (r->answered)
		h->n_answering--;
	connection_set_deadline(&h->connections, r->connection, now_ms() + h->request_deadline_ms);
	request_free(r);
	*slot = NULL;
}

/* Wakes the loop when libmicrohttpd or the next deadline wants it. */
static void set_timer(struct httpd *h)
{
	MHD_UNSIGNED_LONG_LONG wait_ms;
	int64_t at_ms = h->connections.next_deadline_ms;
	struct itimerspec spec = {0};

	if (MHD_get_timeout(h->daemon, &wait_ms) == MHD_YES && now_ms() + (int64_t)wait_ms < at_ms)
		at_ms = now_ms() + (int64_t)wait_ms;
	if (at_ms < INT64_MAX) {
		spec.it_value.tv_sec = at_ms / 1000;
		/* All zeros would stop it. */
		spec.it_value.tv_nsec = at_ms % 1000 * 1000000 + 1;
	}
	timerfd_settime(h->timer_fd, TFD_TIMER_ABSTIME, &spec, NULL);
}

static void run(void *ctx, short revents)
{
	struct httpd *h = ctx;

	(void)revents;
	connections_sweep(&h->connections, now_ms());
	MHD_run(h->daemon);
	/* Also makes a timer that has fired unreadable. */
	set_timer(h);
}

static struct MHD_Daemon *start_daemon(struct httpd *h, int listen_fd)
{
	return MHD_start_daemon(MHD_USE_EPOLL, 0, NULL, NULL, on_request, h,
		MHD_OPTION_LISTEN_SOCKET, listen_fd, MHD_OPTION_CONNECTION_LIMIT,
		(unsigned)LIMIT_HTTP_CONNECTIONS, MHD_OPTION_STRICT_FOR_CLIENT, 1,
		MHD_OPTION_NOTIFY_CONNECTION, on_connection, h, MHD_OPTION_URI_LOG_CALLBACK,
		on_target, h, MHD_OPTION_NOTIFY_COMPLETED, on_completed, h, MHD_OPTION_END);
}

static int open_sockets(struct httpd *h, struct err *e)
{
	int listen_fd = -1;

	h->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (h->timer_fd < 0)
		return err_errno(e, errno, "timerfd");
	int rc = h->options.socket ? listen_unix(h->options.socket, &listen_fd, &h->url, e)
				   : listen_on(h->options.listen, &listen_fd, &h->url, e);
	if (rc < 0)
		return rc;
	h->daemon = start_daemon(h, listen_fd);
	if (!h->daemon)
		return err_errno(e, errno, "cannot serve %s", h->url);
	return 0;
}

int httpd_start(struct loop *loop, const struct httpd_options *options, struct httpd **ret_httpd,
	struct err *e)
{
	struct httpd *h = xcalloc(1, sizeof(*h));

	h->options = *options;
	h->loop = loop;
	h->connections.next_deadline_ms = INT64_MAX;
	h->request_deadline_ms =
		options->request_deadline_ms ? options->request_deadline_ms : REQUEST_DEADLINE_MS;
	int rc = open_sockets(h, e);
	if (rc < 0) {
		close_fdp(&h->timer_fd);
		free(h->url);
		free(h);
		return rc;
	}
	h->epoll_fd = MHD_get_daemon_info(h->daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
	loop_add_fd(loop, h->epoll_fd, POLLIN, run, h);
	loop_add_fd(loop, h->timer_fd, POLLIN, run, h);
	*ret_httpd = h;
	return 0;
}

const char *httpd_url(const struct httpd *h)
{
	return h->url;
}

static void drain(struct httpd *h, int64_t until_ms)
{
	struct pollfd fds[] = {
		{.fd = h->epoll_fd, .events = POLLIN}, {.fd = h->timer_fd, .events = POLLIN}};
	int64_t left_ms;

	run(h, 0);
	while (h->n_answering > 0 && (left_ms = until_ms - now_ms()) > 0) {
		if (poll(fds, ARRAY_SIZE(fds), (int)left_ms) < 0 && errno != EINTR)
			return;
		run(h, 0);
	}
}

void httpd_stop(struct httpd *h, int64_t grace_ms)
{
	if (!h)
		return;
	loop_remove_fd(h->loop, h->epoll_fd);
	loop_remove_fd(h->loop, h->timer_fd);
	h->stopping = true;
	int listen_fd = MHD_quiesce_daemon(h->daemon);
	close_fdp(&listen_fd);
	if (h->options.socket)
		unlink(h->url);
	drain(h, now_ms() + grace_ms);
	MHD_stop_daemon(h->daemon);
	close(h->timer_fd);
	free(h->url);
	free(h);
}
