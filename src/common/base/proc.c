/* Child programs: spawned into a session of their own, talked to with poll, ended for certain. */
#include "base/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/fs.h"
#include "base/strv.h"
#include "base/text.h"

/* The time between SIGTERM and SIGKILL, in which git removes its lock files. */
#define PROC_GRACE_MS 500

/* What a pipe holds: all that a program has said by the time it is gone. */
#define PIPE_BYTES (64u << 10)

struct proc {
	char *name;
	pid_t pid; /* 0 until it runs */
	int pid_fd;
	int in; /* ours of a socket pair: writing to a child that is gone is then an error, not
		   SIGPIPE */
	int out;
	int err;
	char errors[PROC_STDERR_MAX];
	size_t n_errors;
	struct buf shown;
};

static void close_slot(int *fd)
{
	close_fdp(fd);
	*fd = -1;
}

static void free_proc(struct proc *p)
{
	close_slot(&p->pid_fd);
	close_slot(&p->in);
	close_slot(&p->out);
	close_slot(&p->err);
	buf_release(&p->shown);
	free(p->name);
	free(p);
}

/* Our environment, with what `extra` names replaced. */
static void merge_environment(struct strv *merged, char *const extra[])
{
	for (char **own = environ; *own; own++) {
		size_t len = strcspn(*own, "=") + 1;
		bool replaced = false;

		for (char *const *it = extra; it && *it; it++)
			replaced |= strncmp(*it, *own, len) == 0;
		if (!replaced)
			strv_push(merged, *own);
	}
	for (char *const *it = extra; it && *it; it++)
		strv_push(merged, *it);
}

/* Returns an errno value. A session of its own is a process group of its own, and no terminal to
 * ask on. */
static int spawn_child(struct proc *p, char *const argv[], char *const env[], const int ends[3])
{
	auto_strv struct strv merged = VEC_INIT;
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t none, all;

	merge_environment(&merged, env);
	sigemptyset(&none);
	sigfillset(&all);
	posix_spawn_file_actions_init(&actions);
	for (int fd = 0; fd < 3; fd++)
		posix_spawn_file_actions_adddup2(&actions, ends[fd], fd);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setsigdefault(&attributes, &all);
	posix_spawnattr_setflags(&attributes,
		(short)(POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF));
	int errnum =
		posix_spawnp(&p->pid, argv[0], &actions, &attributes, argv, strv_argv(&merged));
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	return errnum;
}

static int set_nonblocking(int fd)
{
	return fcntl(fd, F_SETFL, O_NONBLOCK);
}

/* Ours into p, the child's into ret_ends. */
static int open_pipes(struct proc *p, int ret_ends[3])
{
	int in[2], out[2], err[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, in) < 0)
		return -1;
	ret_ends[0] = in[0];
	p->in = in[1];
	if (pipe2(out, O_CLOEXEC) < 0)
		return -1;
	p->out = out[0];
	ret_ends[1] = out[1];
	if (pipe2(err, O_CLOEXEC) < 0)
		return -1;
	p->err = err[0];
	ret_ends[2] = err[1];
	if (set_nonblocking(p->in) < 0 || set_nonblocking(p->out) < 0)
		return -1;
	return set_nonblocking(p->err);
}

/* Returns an errno value. */
static int start_child(struct proc *p, char *const argv[], char *const env[])
{
	int ends[3] = {-1, -1, -1};
	int errnum = open_pipes(p, ends) < 0 ? errno : spawn_child(p, argv, env, ends);

	for (int fd = 0; fd < 3; fd++)
		close_fdp(&ends[fd]);
	if (errnum)
		return errnum;
	p->pid_fd = pidfd_open(p->pid, 0);
	return p->pid_fd < 0 ? errno : 0;
}

int proc_start(char *const argv[], char *const env[], struct proc **ret_proc, struct err *e)
{
	struct proc *p = xcalloc(1, sizeof(*p));

	*p = (struct proc){.name = xstrdup(argv[0]), .pid_fd = -1, .in = -1, .out = -1, .err = -1};
	int errnum = start_child(p, argv, env);
	if (errnum) {
		int rc = err_errno(e, errnum, "cannot run %s", p->name);

		proc_kill(p);
		return rc;
	}
	*ret_proc = p;
	return 0;
}

static void keep_errors(struct proc *p, const char *data, size_t len)
{
	size_t room = sizeof(p->errors) - p->n_errors;

	if (len > room) {
		size_t drop = len - room;

		memmove(p->errors, p->errors + drop, p->n_errors - drop);
		p->n_errors -= drop;
	}
	memcpy(p->errors + p->n_errors, data, len);
	p->n_errors += len;
}

/* No more than a pipe holds: a program may go on for ever, and write as fast as we read. */
static void drain_errors(struct proc *p)
{
	char chunk[PROC_STDERR_MAX / 2];

	for (size_t i = 0; p->err >= 0 && i < PIPE_BYTES / sizeof(chunk); i++) {
		ssize_t n = read(p->err, chunk, sizeof(chunk));

		if (n > 0)
			keep_errors(p, chunk, (size_t)n);
		else if (n == 0 || (errno != EAGAIN && errno != EINTR))
			close_slot(&p->err);
		else if (errno == EAGAIN)
			return;
	}
}

/* Until `fd` is ready (1) or the deadline is there (0); standard error is read meanwhile, so that
 * it never blocks. */
static int wait_ready(struct proc *p, int fd, short events, int64_t deadline_mono_ms)
{
	for (;;) {
		struct pollfd fds[] = {{fd, events, 0}, {p->err, POLLIN, 0}};
		int64_t left = deadline_mono_ms - clock_mono_ms(&clock_real);
		int timeout = left < 0 ? 0 : left > INT32_MAX ? INT32_MAX : (int)left;
		int n = poll(fds, ARRAY_SIZE(fds), timeout);

		if (n < 0 && errno != EINTR)
			BUG("poll: %s", strerrordesc_np(errno));
		if (n > 0 && fds[1].revents)
			drain_errors(p);
		if (n > 0 && fds[0].revents)
			return 1;
		if (left <= 0)
			return 0;
	}
}

static int timed_out(const struct proc *p, struct err *e)
{
	return err_retriable(e, ERR_TIMEOUT, "%s: did not answer in time", p->name);
}

/* What it said last on standard error is the best explanation there is. */
static int ended_early(struct proc *p, struct err *e)
{
	const char *said = proc_last_words(p);

	return err_retriable(
		e, ERR_UNAVAILABLE, "%s: ended early%s%s", p->name, *said ? ": " : "", said);
}

int proc_write(
	struct proc *p, const void *data, size_t len, int64_t deadline_mono_ms, struct err *e)
{
	const char *at = data;

	while (len > 0) {
		ssize_t n = send(p->in, at, len, MSG_NOSIGNAL);

		if (n >= 0) {
			at += n;
			len -= (size_t)n;
		} else if (errno == EAGAIN) {
			if (!wait_ready(p, p->in, POLLOUT, deadline_mono_ms))
				return timed_out(p, e);
		} else if (errno != EINTR) {
			return ended_early(p, e);
		}
	}
	return 0;
}

int proc_read(struct proc *p, void *out, size_t size, size_t *ret_got, int64_t deadline_mono_ms,
	struct err *e)
{
	for (;;) {
		ssize_t n = read(p->out, out, size);

		if (n >= 0) {
			*ret_got = (size_t)n;
			return 0;
		}
		if (errno == EAGAIN) {
			if (!wait_ready(p, p->out, POLLIN, deadline_mono_ms))
				return timed_out(p, e);
		} else if (errno != EINTR) {
			return err_errno(e, errno, "reading from %s", p->name);
		}
	}
}

const char *proc_stderr(struct proc *p)
{
	drain_errors(p);
	size_t len = p->n_errors;
	while (len > 0 && strchr("\r\n ", p->errors[len - 1]))
		len--;
	buf_clear(&p->shown);
	text_escape(&p->shown, p->errors, len);
	return buf_str(&p->shown);
}

const char *proc_last_words(struct proc *p)
{
	wait_ready(p, p->pid_fd, POLLIN, clock_mono_ms(&clock_real) + PROC_GRACE_MS);
	return proc_stderr(p);
}

/* The leader stays a zombie until the last signal is sent, so that its group's number cannot be
 * anybody else's. */
static void end_group(struct proc *p)
{
	kill(-p->pid, SIGTERM);
	if (p->pid_fd >= 0)
		wait_ready(p, p->pid_fd, POLLIN, clock_mono_ms(&clock_real) + PROC_GRACE_MS);
	kill(-p->pid, SIGKILL);
}

static int reap(struct proc *p)
{
	int status = 0;

	while (waitpid(p->pid, &status, 0) < 0 && errno == EINTR)
		;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int proc_finish(struct proc *p, int64_t deadline_mono_ms, int *ret_status, struct err *e)
{
	int rc = 0;

	close_slot(&p->in);
	close_slot(&p->out);
	if (!wait_ready(p, p->pid_fd, POLLIN, deadline_mono_ms)) {
		rc = timed_out(p, e);
		end_group(p);
	}
	int status = reap(p);
	if (rc == 0)
		*ret_status = status;
	free_proc(p);
	return rc;
}

void proc_kill(struct proc *p)
{
	if (!p)
		return;
	if (p->pid > 0) {
		end_group(p);
		reap(p);
	}
	free_proc(p);
}
