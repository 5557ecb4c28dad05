/* The loop: poll over a list of descriptors, a signalfd among them. */
#include "base/loop.h"

#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/vec.h"

struct watch {
	int fd;
	short events;
	loop_fd_fn fn; /* NULL: removed, taken out after the round */
	void *ctx;
};

struct due {
	loop_due_fn fn;
	void *ctx;
};

struct signal_handler {
	int signum;
	loop_signal_fn fn;
	void *ctx;
};

struct loop {
	const struct clock *clock;
	VEC(struct watch) watches;
	VEC(struct due) dues;
	VEC(struct signal_handler) handlers;
	VEC(struct pollfd) polled;
	sigset_t handled;
	sigset_t mask_before;
	int signal_fd;
	bool stopped;
	bool signalled;
};

static void read_signals(void *ctx, short revents)
{
	struct loop *l = ctx;
	struct signalfd_siginfo info;

	(void)revents;
	while (read(l->signal_fd, &info, sizeof(info)) == sizeof(info)) {
		l->signalled = true;
		for (size_t i = 0; i < l->handlers.n; i++) {
			struct signal_handler h = l->handlers.at[i];

			if (h.signum == (int)info.ssi_signo)
				h.fn(h.ctx, h.signum);
		}
	}
}

int loop_new(const struct clock *clock, struct loop **ret_loop, struct err *e)
{
	struct loop *l = xcalloc(1, sizeof(*l));

	l->clock = clock;
	sigemptyset(&l->handled);
	pthread_sigmask(SIG_SETMASK, NULL, &l->mask_before);
	l->signal_fd = signalfd(-1, &l->handled, SFD_CLOEXEC | SFD_NONBLOCK);
	if (l->signal_fd < 0) {
		int rc = err_errno(e, errno, "signalfd");

		free(l);
		return rc;
	}
	signal(SIGPIPE, SIG_IGN);
	loop_add_fd(l, l->signal_fd, POLLIN, read_signals, l);
	*ret_loop = l;
	return 0;
}

void loop_free(struct loop *l)
{
	if (!l)
		return;
	close(l->signal_fd);
	if (!l->signalled)
		pthread_sigmask(SIG_SETMASK, &l->mask_before, NULL);
	vec_release(&l->watches);
	vec_release(&l->dues);
	vec_release(&l->handlers);
	vec_release(&l->polled);
	free(l);
}

void loop_add_fd(struct loop *l, int fd, short events, loop_fd_fn fn, void *ctx)
{
	vec_push(&l->watches, (struct watch){fd, events, fn, ctx});
}

void loop_remove_fd(struct loop *l, int fd)
{
	vec_each (it, &l->watches)
		if (it->fd == fd)
			it->fn = NULL;
}

void loop_add_due(struct loop *l, loop_due_fn fn, void *ctx)
{
	vec_push(&l->dues, (struct due){fn, ctx});
}

int loop_on_signals(
	struct loop *l, const int *signums, int n, loop_signal_fn fn, void *ctx, struct err *e)
{
	for (int i = 0; i < n; i++) {
		sigaddset(&l->handled, signums[i]);
		vec_push(&l->handlers, (struct signal_handler){signums[i], fn, ctx});
	}
	pthread_sigmask(SIG_BLOCK, &l->handled, NULL);
	if (signalfd(l->signal_fd, &l->handled, 0) < 0)
		return err_errno(e, errno, "signalfd");
	return 0;
}

/* The time that poll may wait. */
static int run_dues(struct loop *l)
{
	int64_t next = INT64_MAX;

	for (size_t i = 0; i < l->dues.n; i++) {
		struct due d = l->dues.at[i];
		int64_t at = d.fn(d.ctx, clock_mono_ms(l->clock));

		if (at < next)
			next = at;
	}
	if (next == INT64_MAX)
		return -1;
	int64_t left = next - clock_mono_ms(l->clock);
	return left < 0 ? 0 : left > INT32_MAX ? INT32_MAX : (int)left;
}

static void drop_removed(struct loop *l)
{
	size_t kept = 0;

	for (size_t i = 0; i < l->watches.n; i++)
		if (l->watches.at[i].fn)
			l->watches.at[kept++] = l->watches.at[i];
	l->watches.n = kept;
}

static int wait_for_events(struct loop *l, int timeout_ms, struct err *e)
{
	vec_clear(&l->polled);
	vec_each (it, &l->watches)
		vec_push(&l->polled, (struct pollfd){it->fd, it->events, 0});
	if (poll(l->polled.at, l->polled.n, timeout_ms) < 0 && errno != EINTR)
		return err_errno(e, errno, "poll");
	return 0;
}

/* A callback may add and remove: what it adds stands behind what was polled, what it removes has no
 * fn. */
static void dispatch(struct loop *l)
{
	for (size_t i = 0; i < l->polled.n && !l->stopped; i++) {
		struct watch w = l->watches.at[i];

		if (l->polled.at[i].revents && w.fn)
			w.fn(w.ctx, l->polled.at[i].revents);
	}
}

int loop_run(struct loop *l, struct err *e)
{
	int rc = 0;

	while (rc == 0 && !l->stopped) {
		int timeout_ms = run_dues(l);

		drop_removed(l);
		if (l->stopped)
			break;
		rc = wait_for_events(l, timeout_ms, e);
		if (rc == 0)
			dispatch(l);
	}
	l->stopped = false;
	return rc;
}

void loop_stop(struct loop *l)
{
	l->stopped = true;
}

void loop_notify(const char *state)
{
	const char *path = getenv("NOTIFY_SOCKET");
	struct sockaddr_un address = {.sun_family = AF_UNIX};

	if (!path || (path[0] != '/' && path[0] != '@') || strlen(path) >= sizeof(address.sun_path))
		return;
	memcpy(address.sun_path, path, strlen(path));
	if (path[0] == '@')
		address.sun_path[0] = '\0';
	auto_close int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return;
	/* Nobody listening there is not our trouble. */
	(void)!sendto(fd, state, strlen(state), MSG_NOSIGNAL, (const struct sockaddr *)&address,
		(socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(path)));
}
