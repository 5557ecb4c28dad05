/*
 * OpenSSH's `ssh`, as git runs it: the user's configuration, known hosts, agent and keys are those
 * of any other ssh of his, and nothing is ever asked.
 */
#ifndef SOURCE_SSH_H
#define SOURCE_SSH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/proc.h"
#include "source/internal.h"

/* Starts it with git-upload-pack, or git-receive-pack, at its other end. ERR_AUTH: a file that
 * source.ssh_key or source.known_hosts names cannot be read. */
int ssh_start(const struct source *s, bool pushing, int64_t ms_left, struct proc **ret_proc,
	struct err *e);

#endif
