/* The loop: descriptors, signals, times, and what callbacks may change. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <signal.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/alloc.h"
#include "base/loop.h"
#include "base/queue.h"

static struct loop *loop;

static int make_loop(void **state)
{
	(void)state;
	return loop_new(&clock_real, &loop, NULL);
}

static int free_loop(void **state)
{
	(void)state;
	loop_free(loop);
	return 0;
}

static void stop_on_signal(void *ctx, int signum)
{
	*(int *)ctx = signum;
	loop_stop(loop);
}

static void test_signals_arrive_as_callbacks(void **state)
{
	(void)state;
	int got = 0;

	assert_int_equal(loop_on_signals(loop, (const int[]){SIGTERM, SIGUSR1}, 2, stop_on_signal,
				 &got, NULL),
		0);
	raise(SIGUSR1);
	assert_int_equal(loop_run(loop, NULL), 0);
	assert_int_equal(got, SIGUSR1);
	kill(getpid(), SIGTERM);
	assert_int_equal(loop_run(loop, NULL), 0);
	assert_int_equal(got, SIGTERM);
}

/* As a supervisor and a terminal may send one each. */
static void test_a_second_signal_does_not_cut_the_end_short(void **state)
{
	(void)state;
	int got = 0;
	sigset_t term;
	const struct timespec now = {0};

	assert_int_equal(
		loop_on_signals(loop, (const int[]){SIGTERM}, 1, stop_on_signal, &got, NULL), 0);
	raise(SIGTERM);
	assert_int_equal(loop_run(loop, NULL), 0);
	loop_free(loop);
	loop = NULL;
	raise(SIGTERM);
	sigemptyset(&term);
	sigaddset(&term, SIGTERM);
	assert_int_equal(sigtimedwait(&term, NULL, &now), SIGTERM);
	pthread_sigmask(SIG_UNBLOCK, &term, NULL);
}

static void test_signals_are_as_before_if_none_came(void **state)
{
	(void)state;
	int got = 0;
	sigset_t mask;

	assert_int_equal(
		loop_on_signals(loop, (const int[]){SIGUSR2}, 1, stop_on_signal, &got, NULL), 0);
	loop_free(loop);
	loop = NULL;
	pthread_sigmask(SIG_SETMASK, NULL, &mask);
	assert_false(sigismember(&mask, SIGUSR2));
}

/* Due three times, ten milliseconds apart; then it stops the loop. */
struct ticker {
	int64_t at[3];
	int n;
	int64_t next;
};

static int64_t tick(void *ctx, int64_t now_mono_ms)
{
	struct ticker *t = ctx;

	if (now_mono_ms >= t->next) {
		t->at[t->n++] = now_mono_ms;
		t->next = now_mono_ms + 10;
	}
	if (t->n == 3)
		loop_stop(loop);
	return t->next;
}

static int64_t never(void *ctx, int64_t now_mono_ms)
{
	(void)ctx;
	(void)now_mono_ms;
	return INT64_MAX;
}

static void test_due_is_called_again_at_the_time_it_asked_for(void **state)
{
	(void)state;
	struct ticker t = {.n = 0};

	loop_add_due(loop, never, NULL);
	loop_add_due(loop, tick, &t);
	assert_int_equal(loop_run(loop, NULL), 0);
	assert_true(t.at[1] >= t.at[0] + 10);
	assert_true(t.at[2] >= t.at[1] + 10);
}

struct reader {
	struct queue *q;
	struct queue *other;
	int n;
};

static void read_one(void *ctx, short revents)
{
	struct reader *r = ctx;

	assert_true(revents & POLLIN);
	assert_non_null(queue_pop(r->q));
	r->n++;
	if (r->other)
		loop_remove_fd(loop, queue_fd(r->other));
	loop_stop(loop);
}

static void test_a_readable_descriptor_calls_back(void **state)
{
	(void)state;
	struct reader r = {.q = queue_new()};

	loop_add_fd(loop, queue_fd(r.q), POLLIN, read_one, &r);
	queue_push(r.q, &r);
	assert_int_equal(loop_run(loop, NULL), 0);
	assert_int_equal(r.n, 1);
	loop_remove_fd(loop, queue_fd(r.q));
	queue_free(r.q);
}

static void fail_if_called(void *ctx, short revents)
{
	(void)ctx;
	fail_msg("called with %d after it was removed", revents);
}

static void test_what_a_callback_removes_is_not_called_in_the_same_round(void **state)
{
	(void)state;
	struct reader r = {.q = queue_new(), .other = queue_new()};

	loop_add_fd(loop, queue_fd(r.q), POLLIN, read_one, &r);
	loop_add_fd(loop, queue_fd(r.other), POLLIN, fail_if_called, NULL);
	queue_push(r.q, &r);
	queue_push(r.other, &r);
	assert_int_equal(loop_run(loop, NULL), 0);
	queue_push(r.q, &r);
	assert_int_equal(loop_run(loop, NULL), 0);
	assert_int_equal(r.n, 2);
	queue_free(r.q);
	queue_free(r.other);
}

static void test_writing_to_a_closed_pipe_does_not_kill(void **state)
{
	(void)state;
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	close(ends[0]);
	assert_int_equal(write(ends[1], "x", 1), -1);
	close(ends[1]);
}

static void test_notify_reaches_the_socket_systemd_names(void **state)
{
	(void)state;
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	char got[32] = "";
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	int len = snprintf(address.sun_path + 1, sizeof(address.sun_path) - 1, "test-notify-%ld",
		(long)getpid());
	auto_free char *name = xasprintf("@%s", address.sun_path + 1);
	assert_int_equal(
		bind(fd, (struct sockaddr *)&address,
			(socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)len)),
		0);
	unsetenv("NOTIFY_SOCKET");
	loop_notify("READY=0");
	setenv("NOTIFY_SOCKET", name, 1);
	loop_notify("READY=1");
	assert_int_equal(recv(fd, got, sizeof(got) - 1, MSG_DONTWAIT), 7);
	assert_string_equal(got, "READY=1");
	close(fd);
}

#define LOOP_TEST(test) cmocka_unit_test_setup_teardown(test, make_loop, free_loop)

int main(void)
{
	const struct CMUnitTest tests[] = {
		LOOP_TEST(test_signals_arrive_as_callbacks),
		LOOP_TEST(test_a_second_signal_does_not_cut_the_end_short),
		LOOP_TEST(test_signals_are_as_before_if_none_came),
		LOOP_TEST(test_due_is_called_again_at_the_time_it_asked_for),
		LOOP_TEST(test_a_readable_descriptor_calls_back),
		LOOP_TEST(test_what_a_callback_removes_is_not_called_in_the_same_round),
		LOOP_TEST(test_writing_to_a_closed_pipe_does_not_kill),
		LOOP_TEST(test_notify_reaches_the_socket_systemd_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
