/* The queue between threads: a list under a mutex, with an eventfd that is readable while it is not
 * empty. */
#include "base/queue.h"

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/alloc.h"

struct item {
	struct item *next;
	void *message;
};

struct queue {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct item *first;
	struct item **end;
	bool closed;
	int fd;
};

struct queue *queue_new(void)
{
	struct queue *q = xcalloc(1, sizeof(*q));

	q->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (q->fd < 0)
		BUG("eventfd: %s", strerrordesc_np(errno));
	pthread_mutex_init(&q->lock, NULL);
	pthread_cond_init(&q->changed, NULL);
	q->end = &q->first;
	return q;
}

void queue_free(struct queue *q)
{
	if (!q)
		return;
	while (q->first) {
		struct item *item = q->first;

		q->first = item->next;
		free(item);
	}
	close(q->fd);
	pthread_cond_destroy(&q->changed);
	pthread_mutex_destroy(&q->lock);
	free(q);
}

int queue_fd(const struct queue *q)
{
	return q->fd;
}

void queue_push(struct queue *q, void *message)
{
	struct item *item = xmalloc(sizeof(*item));

	*item = (struct item){NULL, message};
	pthread_mutex_lock(&q->lock);
	bool was_empty = !q->first;
	*q->end = item;
	q->end = &item->next;
	if (was_empty)
		eventfd_write(q->fd, 1);
	pthread_cond_signal(&q->changed);
	pthread_mutex_unlock(&q->lock);
}

static void *pop_locked(struct queue *q)
{
	struct item *item = q->first;
	eventfd_t count;

	if (!item)
		return NULL;
	q->first = item->next;
	if (!q->first) {
		q->end = &q->first;
		eventfd_read(q->fd, &count);
	}
	void *message = item->message;
	free(item);
	return message;
}

void *queue_pop(struct queue *q)
{
	pthread_mutex_lock(&q->lock);
	void *message = pop_locked(q);
	pthread_mutex_unlock(&q->lock);
	return message;
}

void *queue_wait(struct queue *q)
{
	pthread_mutex_lock(&q->lock);
	while (!q->first && !q->closed)
		pthread_cond_wait(&q->changed, &q->lock);
	void *message = pop_locked(q);
	pthread_mutex_unlock(&q->lock);
	return message;
}

void queue_close(struct queue *q)
{
	pthread_mutex_lock(&q->lock);
	q->closed = true;
	pthread_cond_broadcast(&q->changed);
	pthread_mutex_unlock(&q->lock);
}
