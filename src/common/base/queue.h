/*
 * Messages between threads: any thread pushes, one thread pops. The descriptor becomes readable
 * when there is something to pop, so that a loop can wait for it. Ownership of a message goes with
 * it.
 */
#ifndef BASE_QUEUE_H
#define BASE_QUEUE_H

#include <stdbool.h>

struct queue;

struct queue *queue_new(void);
/* The queue must be empty or its messages be forgotten by the caller. */
void queue_free(struct queue *q);
int queue_fd(const struct queue *q);
void queue_push(struct queue *q, void *message);
/* NULL if there is nothing; does not wait. */
void *queue_pop(struct queue *q);
/* Waits; NULL once the queue was closed and is empty. */
void *queue_wait(struct queue *q);
void queue_close(struct queue *q);

/*
 * A few threads that run jobs in the order they were given; what a job returns is pushed into
 * `results` (NULL is not). A job gets all it needs by value and touches nothing else.
 */
struct workers;
typedef void *(*worker_fn)(void *job);

struct workers *workers_new(unsigned n_threads, struct queue *results);
void workers_submit(struct workers *w, worker_fn fn, void *owned_job);
/* Waits for running jobs; jobs not yet started are handed to `drop` (which may be NULL if there are
 * none). */
void workers_free(struct workers *w, void (*drop)(worker_fn fn, void *job));

#endif
