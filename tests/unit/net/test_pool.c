/* Many calls at once. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/alloc.h"
#include "base/queue.h"
#include "net/http.h"
#include "peer.h"

#define N_AT_ONCE 4

struct fixture {
	struct peer peer;
	struct queue *done;
	struct http_pool *pool;
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	int n_waiting, n_most, n_wanted; /* the peer answers once so many wait at once */
};

/* Answers with the path, once n_wanted requests are there. */
static void serve_together(struct peer *p, int fd, void *ctx)
{
	struct fixture *f = ctx;
	auto_buf struct buf request = BUF_INIT;

	(void)p;
	while (peer_read_request(fd, &request)) {
		pthread_mutex_lock(&f->mutex);
		f->n_waiting++;
		if (f->n_waiting > f->n_most)
			f->n_most = f->n_waiting;
		pthread_cond_broadcast(&f->changed);
		while (f->n_most < f->n_wanted)
			pthread_cond_wait(&f->changed, &f->mutex);
		f->n_waiting--;
		pthread_mutex_unlock(&f->mutex);
		char path[64] = "", answer[256];
		sscanf(buf_str(&request), "GET %63s", path);
		snprintf(answer, sizeof(answer), "HTTP/1.1 200 OK\r\nContent-Length: %zu\r\n\r\n%s",
			strlen(path), path);
		if (!peer_say(fd, answer))
			return;
	}
}

static int set_up(void **state)
{
	struct fixture *f = xcalloc(1, sizeof(*f));

	pthread_mutex_init(&f->mutex, NULL);
	pthread_cond_init(&f->changed, NULL);
	peer_start(&f->peer, serve_together, f);
	f->done = queue_new();
	f->pool = http_pool_new(
		&(struct http_options){.proxy = "", .max_connections = N_AT_ONCE}, f->done);
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	http_pool_free(f->pool, NULL);
	peer_stop(&f->peer);
	queue_free(f->done);
	pthread_cond_destroy(&f->changed);
	pthread_mutex_destroy(&f->mutex);
	free(f);
	return 0;
}

static void submit(struct fixture *f, int number)
{
	auto_free char *url = xasprintf("%s/%d", f->peer.url, number);

	http_pool_submit(f->pool, http_request_new("GET", url), (void *)(intptr_t)number);
}

/* Waits for one answer; returns its number. */
static int take_answer(struct fixture *f)
{
	struct http_done *d = queue_wait(f->done);
	int number = (int)(intptr_t)d->token;
	auto_free char *path = xasprintf("/%d", number);

	assert_string_equal(d->err.msg, "");
	assert_int_equal(d->rc, 0);
	assert_int_equal(d->response.status, 200);
	assert_string_equal(buf_str(&d->response.body), path);
	assert_in_range(d->elapsed_ms, 0, 30000);
	http_done_free(d);
	return number;
}

static void test_every_call_is_answered_once(void **state)
{
	struct fixture *f = *state;
	bool seen[200] = {false};

	for (int i = 0; i < 200; i++)
		submit(f, i);
	for (int i = 0; i < 200; i++) {
		int number = take_answer(f);
		assert_false(seen[number]);
		seen[number] = true;
	}
	assert_null(queue_pop(f->done));
}

static void test_calls_run_at_once_up_to_the_limit(void **state)
{
	struct fixture *f = *state;

	f->n_wanted = N_AT_ONCE;
	for (int i = 0; i < 3 * N_AT_ONCE; i++)
		submit(f, i);
	for (int i = 0; i < 3 * N_AT_ONCE; i++)
		take_answer(f);
	assert_int_equal(f->n_most, N_AT_ONCE);
	assert_int_equal(f->peer.n_connections, N_AT_ONCE);
}

static void test_idle_pool_wakes_up(void **state)
{
	struct fixture *f = *state;

	for (int i = 0; i < 5; i++) {
		submit(f, i);
		assert_int_equal(take_answer(f), i);
	}
	assert_int_equal(f->peer.n_connections, 1);
}

static void test_failure_comes_as_an_answer(void **state)
{
	struct fixture *f = *state;
	struct peer gone;

	peer_start(&gone, NULL, NULL);
	peer_stop(&gone);
	http_pool_submit(f->pool, http_request_new("GET", gone.url), f);
	struct http_done *d = queue_wait(f->done);
	assert_ptr_equal(d->token, f);
	assert_int_equal(d->rc, -ERR_UNAVAILABLE);
	assert_int_equal(d->err.code, ERR_UNAVAILABLE);
	assert_non_null(strstr(d->err.msg, "Connection refused"));
	http_done_free(d);

	http_pool_submit(f->pool, http_request_new("GET", "nonsense"), f);
	d = queue_wait(f->done);
	assert_ptr_equal(d->token, f);
	assert_int_equal(d->rc, -ERR_INVALID);
	http_done_free(d);
}

static void test_time_runs_only_when_it_is_ones_turn(void **state)
{
	struct fixture *f = *state;

	/* Nothing is answered, so the first ones hold all places until their time is over. */
	f->n_wanted = N_AT_ONCE + 1;
	for (int i = 0; i < 2 * N_AT_ONCE; i++) {
		struct http_request *r = http_request_new("GET", f->peer.url);
		r->timeout_ms = 200;
		http_pool_submit(f->pool, r, NULL);
	}
	for (int i = 0; i < 2 * N_AT_ONCE; i++) {
		struct http_done *d = queue_wait(f->done);
		/* The peer lets go of those that come when more than it can see at once have come.
		 */
		assert_true(d->rc == 0 || d->elapsed_ms >= 190);
		assert_true(d->rc == 0 || strstr(d->err.msg, "waiting for the answer"));
		http_done_free(d);
	}
}

static atomic_int n_dropped;

static void count_dropped(void *token)
{
	atomic_fetch_add((atomic_int *)token, 1);
}

static void test_free_gives_up_what_is_left(void **state)
{
	struct fixture *f = *state;

	f->n_wanted = N_AT_ONCE + 1;
	for (int i = 0; i < 3 * N_AT_ONCE; i++)
		http_pool_submit(f->pool, http_request_new("GET", f->peer.url), &n_dropped);
	pthread_mutex_lock(&f->mutex);
	while (f->n_waiting < N_AT_ONCE)
		pthread_cond_wait(&f->changed, &f->mutex);
	pthread_mutex_unlock(&f->mutex);
	http_pool_free(TAKE(f->pool), count_dropped);
	assert_int_equal(n_dropped, 3 * N_AT_ONCE);
	assert_null(queue_pop(f->done));

	pthread_mutex_lock(&f->mutex);
	f->n_wanted = 0;
	pthread_cond_broadcast(&f->changed);
	pthread_mutex_unlock(&f->mutex);
}

#define test(fn) cmocka_unit_test_setup_teardown(fn, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(test_every_call_is_answered_once),
		test(test_calls_run_at_once_up_to_the_limit),
		test(test_idle_pool_wakes_up),
		test(test_failure_comes_as_an_answer),
		test(test_time_runs_only_when_it_is_ones_turn),
		test(test_free_gives_up_what_is_left),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
