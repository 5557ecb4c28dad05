/*
 * Programs we run (git, ssh): pipes on their standard input and output, a deadline that holds, no
 * zombies.
 *
 *	struct proc *p;
 *	proc_start(argv, NULL, &p, e);
 *	proc_write(p, data, len, deadline_mono_ms, e);
 *	proc_read(p, into, size, &got, deadline_mono_ms, e);  // got 0: end of output
 *	proc_finish(p, deadline_mono_ms, &status, e);         // frees p, kills it past the deadline
 *
 * What it prints on standard error is kept (the last PROC_STDERR_MAX bytes) for the message. The
 * child gets a session of its own: no terminal to ask on, and killing it takes its children along.
 * Killing is SIGTERM first, for Git to remove its locks, and SIGKILL to the whole group half a
 * second later at most.
 */
#ifndef BASE_PROC_H
#define BASE_PROC_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define PROC_STDERR_MAX 4096

struct proc;

/* `env`: NULL-ended NAME=value strings that are added to our environment, or NULL. */
int proc_start(char *const argv[], char *const env[], struct proc **ret_proc, struct err *e);
int proc_write(
	struct proc *p, const void *data, size_t len, int64_t deadline_mono_ms, struct err *e);
/* Waits for at least one byte. */
int proc_read(struct proc *p, void *out, size_t size, size_t *ret_got, int64_t deadline_mono_ms,
	struct err *e);
/* Its standard error so far, escaped to one line; valid until the next call. */
const char *proc_stderr(struct proc *p);
/* The same when its output has ended: waits a moment for it to end, so that nothing is missed. */
const char *proc_last_words(struct proc *p);
/* Exit status 0…255, 128 + signal; the caller decides whether it is an error. Always frees p. */
int proc_finish(struct proc *p, int64_t deadline_mono_ms, int *ret_status, struct err *e);
/* Kills it and frees p. NULL is fine. */
void proc_kill(struct proc *p);

#endif
