/*
 * What blocks and is therefore done on a worker: reading Git, resolving secret paths, posting
 * statuses.
 */
#ifndef CLI_JOBS_H
#define CLI_JOBS_H

#include "reconcile/engine.h"
#include "secret/secret.h"

/* One of the two is set. */
struct job_result {
	struct read_result *read;
	struct post_batch *posted;
};

struct read_job {
	struct source *source; /* NULL: `folder` */
	const char *folder;
	const struct secret_stores *stores; /* NULL: no secret is asked for */
	struct read_request *request;
};

struct post_job {
	struct forge *forge;
	struct post_batch *batch;
};

/* worker_fn: each frees its job and returns a struct job_result. */
void *job_read(void *job);
void *job_post(void *job);
/* For jobs that were never started. */
void job_drop(void *(*fn)(void *), void *job);

#endif
