/* A few threads that take jobs from one queue and put what comes of them into another. */
#include "base/queue.h"

#include <pthread.h>
#include <string.h>

#include "base/alloc.h"

struct job {
	worker_fn fn;
	void *owned;
};

struct workers {
	struct queue *jobs;
	struct queue *results;
	unsigned n_threads;
	pthread_t threads[];
};

static void *run_jobs(void *arg)
{
	struct workers *w = arg;
	struct job *job;

	while ((job = queue_wait(w->jobs))) {
		void *result = job->fn(job->owned);

		free(job);
		if (result)
			queue_push(w->results, result);
	}
	return NULL;
}

struct workers *workers_new(unsigned n_threads, struct queue *results)
{
	struct workers *w = xcalloc(1, sizeof(*w) + n_threads * sizeof(w->threads[0]));

	w->jobs = queue_new();
	w->results = results;
	w->n_threads = n_threads;
	for (unsigned i = 0; i < n_threads; i++) {
		int errnum = pthread_create(&w->threads[i], NULL, run_jobs, w);

		if (errnum)
			BUG("cannot start a thread: %s", strerrordesc_np(errnum));
	}
	return w;
}

void workers_submit(struct workers *w, worker_fn fn, void *owned_job)
{
	struct job *job = xmalloc(sizeof(*job));

	*job = (struct job){fn, owned_job};
	queue_push(w->jobs, job);
}

void workers_free(struct workers *w, void (*drop)(worker_fn fn, void *job))
{
	struct job *job;

	if (!w)
		return;
	while ((job = queue_pop(w->jobs))) {
		if (drop)
			drop(job->fn, job->owned);
		free(job);
	}
	queue_close(w->jobs);
	for (unsigned i = 0; i < w->n_threads; i++)
		pthread_join(w->threads[i], NULL);
	queue_free(w->jobs);
	free(w);
}
