/* Many calls at once: one thread that drives a multi handle. */
#include "net/call.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "base/alloc.h"
#include "base/queue.h"
#include "base/vec.h"

#define POLL_MAX_MS 60000

struct pool_call {
	struct call call;
	struct http_request *request;
	void *token;
};

struct http_pool {
	struct net_options options;
	struct queue *inbox; /* of struct pool_call, not started */
	struct queue *done;
	CURLM *multi;
	VEC(struct pool_call *) running; /* the thread's own until it ended */
	atomic_bool stopping;
	pthread_t thread;
};

static void free_pool_call(struct pool_call *pc)
{
	call_release(&pc->call);
	http_request_free(pc->request);
	free(pc);
}

static void report(struct http_pool *p, struct pool_call *pc, struct http_done *owned_done)
{
	owned_done->token = pc->token;
	queue_push(p->done, owned_done);
	free_pool_call(pc);
}

static void start_call(struct http_pool *p, struct pool_call *pc)
{
	struct err e = ERR_INIT;
	int rc = call_start(&pc->call, &p->options, pc->request, &e);

	if (rc < 0) {
		struct http_done *done = xcalloc(1, sizeof(*done));
		done->rc = rc;
		done->err = e;
		report(p, pc, done);
		return;
	}
	net_check_multi(curl_multi_add_handle(p->multi, pc->call.easy));
	vec_push(&p->running, pc);
}

static void finish_call(struct http_pool *p, struct pool_call *pc)
{
	struct http_done *done = xcalloc(1, sizeof(*done));
	curl_off_t time_us = 0;

	curl_easy_getinfo(pc->call.easy, CURLINFO_TOTAL_TIME_T, &time_us);
	done->elapsed_ms = time_us / 1000;
	done->rc = call_finish(&pc->call, &done->response, &done->err);
	net_check_multi(curl_multi_remove_handle(p->multi, pc->call.easy));
	report(p, pc, done);
}

static void start_waiting(struct http_pool *p)
{
	struct pool_call *pc;

	while (p->running.n < p->options.max_connections && (pc = queue_pop(p->inbox)))
		start_call(p, pc);
}

static void finish_done(struct http_pool *p)
{
	call_collect(p->multi);
	for (size_t i = p->running.n; i-- > 0;) {
		struct pool_call *pc = p->running.at[i];
		if (!pc->call.is_done)
			continue;
		vec_remove(&p->running, i);
		finish_call(p, pc);
	}
}

static void *run(void *ctx)
{
	struct http_pool *p = ctx;
	int n_running;

	while (!atomic_load(&p->stopping)) {
		start_waiting(p);
		net_check_multi(curl_multi_perform(p->multi, &n_running));
		size_t n_before = p->running.n;
		finish_done(p);
		/* Whoever waits may take the places that came free before we sleep. */
		if (p->running.n == n_before)
			net_check_multi(curl_multi_poll(p->multi, NULL, 0, POLL_MAX_MS, NULL));
	}
	return NULL;
}

struct http_pool *http_pool_new(const struct http_options *options, struct queue *done)
{
	struct http_pool *p = xcalloc(1, sizeof(*p));

	net_setup();
	p->options = net_options_dup(options);
	p->inbox = queue_new();
	p->done = done;
	p->multi = curl_multi_init();
	if (!p->multi)
		BUG("out of memory");
	net_check_multi(curl_multi_setopt(
		p->multi, CURLMOPT_MAXCONNECTS, (long)p->options.max_connections));
	int rc = pthread_create(&p->thread, NULL, run, p);
	if (rc != 0)
		BUG("cannot start a thread: %s", strerror(rc));
	return p;
}

void http_pool_submit(struct http_pool *p, struct http_request *owned_request, void *token)
{
	struct pool_call *pc = xcalloc(1, sizeof(*pc));

	pc->request = owned_request;
	pc->token = token;
	queue_push(p->inbox, pc);
	net_check_multi(curl_multi_wakeup(p->multi));
}

static void drop_call(struct pool_call *pc, void (*drop)(void *token))
{
	if (drop)
		drop(pc->token);
	free_pool_call(pc);
}

void http_pool_free(struct http_pool *p, void (*drop)(void *token))
{
	struct pool_call *pc;

	if (!p)
		return;
	atomic_store(&p->stopping, true);
	net_check_multi(curl_multi_wakeup(p->multi));
	pthread_join(p->thread, NULL);
	vec_each (it, &p->running) {
		net_check_multi(curl_multi_remove_handle(p->multi, (*it)->call.easy));
		drop_call(*it, drop);
	}
	while ((pc = queue_pop(p->inbox)))
		drop_call(pc, drop);
	vec_release(&p->running);
	curl_multi_cleanup(p->multi);
	queue_free(p->inbox);
	net_options_release(&p->options);
	free(p);
}
