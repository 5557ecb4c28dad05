/* Messages and jobs between threads. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <poll.h>
#include <pthread.h>
#include <cmocka.h>

#include "base/alloc.h"
#include "base/queue.h"

enum { PRODUCERS = 4, EACH = 5000, WAIT_MS = 30000 };

static bool is_readable(const struct queue *q, int timeout_ms)
{
	struct pollfd fd = {.fd = queue_fd(q), .events = POLLIN};

	return poll(&fd, 1, timeout_ms) == 1;
}

static void test_descriptor_is_readable_while_something_is_there(void **state)
{
	(void)state;
	struct queue *q = queue_new();
	int a = 1, b = 2;

	assert_false(is_readable(q, 0));
	assert_null(queue_pop(q));
	queue_push(q, &a);
	queue_push(q, &b);
	assert_true(is_readable(q, 0));
	assert_ptr_equal(queue_pop(q), &a);
	assert_true(is_readable(q, 0));
	assert_ptr_equal(queue_pop(q), &b);
	assert_false(is_readable(q, 0));
	queue_free(q);
}

static void test_wait_gives_null_once_closed_and_empty(void **state)
{
	(void)state;
	struct queue *q = queue_new();
	int a = 1;

	queue_push(q, &a);
	queue_close(q);
	assert_ptr_equal(queue_wait(q), &a);
	assert_null(queue_wait(q));
	queue_free(q);
}

struct message {
	int producer;
	int number;
};

struct producer {
	struct queue *q;
	int id;
};

static void *produce(void *arg)
{
	const struct producer *p = arg;

	for (int i = 0; i < EACH; i++) {
		struct message *m = xmalloc(sizeof(*m));

		*m = (struct message){p->id, i};
		queue_push(p->q, m);
	}
	return NULL;
}

static void test_nothing_is_lost_or_out_of_order_across_threads(void **state)
{
	(void)state;
	struct queue *q = queue_new();
	struct producer producers[PRODUCERS];
	pthread_t threads[PRODUCERS];
	int next[PRODUCERS] = {0};

	for (int i = 0; i < PRODUCERS; i++) {
		producers[i] = (struct producer){q, i};
		assert_int_equal(pthread_create(&threads[i], NULL, produce, &producers[i]), 0);
	}
	for (int n = 0; n < PRODUCERS * EACH;) {
		struct message *m;

		assert_true(is_readable(q, WAIT_MS));
		while ((m = queue_pop(q))) {
			assert_int_equal(m->number, next[m->producer]++);
			free(m);
			n++;
		}
	}
	for (int i = 0; i < PRODUCERS; i++)
		pthread_join(threads[i], NULL);
	assert_false(is_readable(q, 0));
	queue_free(q);
}

static void *add_one(void *job)
{
	++*(int *)job;
	return job;
}

static void *give_nothing(void *job)
{
	free(job);
	return NULL;
}

static int *new_number(int n)
{
	int *number = xmalloc(sizeof(*number));

	*number = n;
	return number;
}

static void test_workers_give_back_what_jobs_return(void **state)
{
	(void)state;
	struct queue *results = queue_new();
	struct workers *w = workers_new(3, results);
	int sum = 0;

	for (int i = 0; i < 100; i++) {
		workers_submit(w, add_one, new_number(i));
		workers_submit(w, give_nothing, new_number(i));
	}
	for (int n = 0; n < 100; n++) {
		auto_free int *result = queue_wait(results);

		sum += *result;
	}
	assert_int_equal(sum, 5050);
	workers_free(w, NULL);
	assert_null(queue_pop(results));
	queue_free(results);
}

static struct queue *started, *gate;
static int n_dropped;

static void *wait_at_gate(void *job)
{
	queue_push(started, job);
	return queue_wait(gate);
}

/* The gate opens once all that had not begun is dropped. */
static void count_dropped(worker_fn fn, void *job)
{
	assert_ptr_equal(fn, add_one);
	free(job);
	if (++n_dropped == 2)
		queue_push(gate, gate);
}

static void test_free_finishes_what_runs_and_drops_the_rest(void **state)
{
	(void)state;
	struct queue *results = queue_new();
	struct workers *w = workers_new(1, results);

	started = queue_new();
	gate = queue_new();
	workers_submit(w, wait_at_gate, started);
	workers_submit(w, add_one, new_number(1));
	workers_submit(w, add_one, new_number(2));
	assert_non_null(queue_wait(started));
	workers_free(w, count_dropped);
	assert_int_equal(n_dropped, 2);
	assert_ptr_equal(queue_pop(results), gate);
	assert_null(queue_pop(results));
	queue_free(started);
	queue_free(gate);
	queue_free(results);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_descriptor_is_readable_while_something_is_there),
		cmocka_unit_test(test_wait_gives_null_once_closed_and_empty),
		cmocka_unit_test(test_nothing_is_lost_or_out_of_order_across_threads),
		cmocka_unit_test(test_workers_give_back_what_jobs_return),
		cmocka_unit_test(test_free_finishes_what_runs_and_drops_the_rest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
