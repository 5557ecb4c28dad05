/*
 * The one thread that owns a program's state: it waits for descriptors, timers and signals, and
 * calls back. Callbacks run one at a time and must not block. Signals that it handles are blocked
 * in the calling thread and in those that it makes afterwards, so set the loop up before any
 * thread. SIGPIPE is ignored.
 */
#ifndef BASE_LOOP_H
#define BASE_LOOP_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/err.h"

struct loop;

typedef void (*loop_fd_fn)(void *ctx, short revents);
typedef void (*loop_signal_fn)(void *ctx, int signum);
/* Called before each wait. Does what is due and returns the monotonic time it next wants to be
 * called at, INT64_MAX for never. */
typedef int64_t (*loop_due_fn)(void *ctx, int64_t now_mono_ms);

int loop_new(const struct clock *clock, struct loop **ret_loop, struct err *e);
/* Signals that it handles stay blocked if one of them came: what the program does at its end is not
 * cut short by the next. */
void loop_free(struct loop *l);

void loop_add_fd(struct loop *l, int fd, short events, loop_fd_fn fn, void *ctx);
void loop_remove_fd(struct loop *l, int fd);
void loop_add_due(struct loop *l, loop_due_fn fn, void *ctx);
int loop_on_signals(
	struct loop *l, const int *signums, int n, loop_signal_fn fn, void *ctx, struct err *e);

/* Until loop_stop. */
int loop_run(struct loop *l, struct err *e);
void loop_stop(struct loop *l);

/* Tells systemd, where it started us, "READY=1", "STOPPING=1", "STATUS=…"; nobody elsewhere. */
void loop_notify(const char *state);

#endif
