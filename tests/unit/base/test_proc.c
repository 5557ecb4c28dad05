/* Programs: pipes, deadlines that hold, and nothing left running. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/proc.h"

/* While there is a flood, standard error always has more, as it may have for real. */
#define FLOOD_MOST 1000
static bool flood;
static int n_flooded;

ssize_t __real_read(int fd, void *data, size_t size);
ssize_t __wrap_read(int fd, void *data, size_t size);

ssize_t __wrap_read(int fd, void *data, size_t size)
{
	if (!flood || n_flooded == FLOOD_MOST)
		return __real_read(fd, data, size);
	n_flooded++;
	memset(data, 'x', size);
	return (ssize_t)size;
}

/* Far away: only a test that fails waits for it. */
static int64_t later(void)
{
	return clock_mono_ms(&clock_real) + 30000;
}

static struct proc *run_shell(const char *script)
{
	auto_free char *copy = xstrdup(script);
	char sh[] = "sh", c[] = "-c";
	char *const argv[] = {sh, c, copy, NULL};
	struct proc *p = NULL;

	assert_int_equal(proc_start(argv, NULL, &p, NULL), 0);
	return p;
}

/* Until the end of its output, or the array is full. */
static size_t read_output(struct proc *p, char *out, size_t size)
{
	size_t n = 0, got = 1;

	while (got > 0 && n < size - 1) {
		assert_int_equal(proc_read(p, out + n, size - 1 - n, &got, later(), NULL), 0);
		n += got;
	}
	out[n] = '\0';
	return n;
}

static void test_what_is_written_comes_back(void **state)
{
	(void)state;
	struct proc *p = run_shell("head -c 6; echo done");
	char out[64];
	int status = -1;

	assert_int_equal(proc_write(p, "hello ", 6, later(), NULL), 0);
	read_output(p, out, sizeof(out));
	assert_string_equal(out, "hello done\n");
	assert_int_equal(proc_finish(p, later(), &status, NULL), 0);
	assert_int_equal(status, 0);
}

static void test_status_is_the_exit_code_or_128_and_the_signal(void **state)
{
	(void)state;
	int status = -1;

	assert_int_equal(proc_finish(run_shell("exit 7"), later(), &status, NULL), 0);
	assert_int_equal(status, 7);
	assert_int_equal(proc_finish(run_shell("kill -USR1 $$"), later(), &status, NULL), 0);
	assert_int_equal(status, 128 + SIGUSR1);
}

static void test_a_missing_program_is_named(void **state)
{
	(void)state;
	char name[] = "no-such-program";
	char *const argv[] = {name, NULL};
	struct proc *p = NULL;
	struct err e = ERR_INIT;

	assert_int_equal(proc_start(argv, NULL, &p, &e), -ERR_NOT_FOUND);
	assert_string_equal(e.msg, "cannot run no-such-program: no such file or directory");
	assert_null(p);
}

static void test_environment_is_added_to_ours(void **state)
{
	(void)state;
	char sh[] = "sh", c[] = "-c", script[] = "echo $OURS-$ADDED", added[] = "ADDED=2",
	     ours[] = "OURS=3";
	char *const argv[] = {sh, c, script, NULL}, *const env[] = {added, NULL},
		    *const replaced[] = {added, ours, NULL};
	struct proc *p = NULL;
	char out[16];

	setenv("OURS", "1", 1);
	assert_int_equal(proc_start(argv, env, &p, NULL), 0);
	read_output(p, out, sizeof(out));
	assert_string_equal(out, "1-2\n");
	proc_kill(p);
	assert_int_equal(proc_start(argv, replaced, &p, NULL), 0);
	read_output(p, out, sizeof(out));
	assert_string_equal(out, "3-2\n");
	proc_kill(p);
}

static void test_standard_error_keeps_its_end_on_one_line(void **state)
{
	(void)state;
	struct proc *p = run_shell(
		"i=0; while [ $i -lt 3000 ]; do echo line $i >&2; i=$((i+1)); done; echo x");
	char out[8];

	read_output(p, out, sizeof(out));
	const char *text = proc_stderr(p);
	assert_int_equal(strlen(text) < 2 * PROC_STDERR_MAX, 1);
	assert_null(strchr(text, '\n'));
	assert_non_null(strstr(text, "line 2998\\nline 2999"));
	assert_null(strstr(text, "line 10\\n"));
	proc_kill(p);
}

static void test_read_gives_up_at_the_deadline(void **state)
{
	(void)state;
	struct proc *p = run_shell("sleep 300");
	struct err e = ERR_INIT;
	char out[8];
	size_t got;

	assert_int_equal(proc_read(p, out, sizeof(out), &got, clock_mono_ms(&clock_real) + 20, &e),
		-ERR_TIMEOUT);
	assert_true(e.retriable);
	proc_kill(p);
}

/* As ssh does for a server that says more than we can read. */
static void test_standard_error_without_an_end_is_left_for_later(void **state)
{
	(void)state;
	struct proc *p = run_shell("exec sleep 300");

	n_flooded = 0;
	flood = true;
	proc_stderr(p);
	flood = false;
	assert_in_range(n_flooded, 1, FLOOD_MOST - 1);
	proc_kill(p);
}

static void test_writing_to_a_program_that_ended_says_why(void **state)
{
	(void)state;
	struct proc *p = run_shell("exec <&-; echo cannot do this >&2; exit 1");
	struct err e = ERR_INIT;
	static const char data[1 << 16];
	int rc = 0;

	while (rc == 0)
		rc = proc_write(p, data, sizeof(data), later(), &e);
	assert_int_equal(rc, -ERR_UNAVAILABLE);
	assert_string_equal(e.msg, "sh: ended early: cannot do this");
	proc_kill(p);
}

/* Whoever holds the other end of this pipe is alive; the end of file says that all of them are
 * gone. */
static void assert_all_gone(int read_end)
{
	struct pollfd fd = {.fd = read_end, .events = POLLIN};
	char byte;

	assert_int_equal(poll(&fd, 1, 10000), 1);
	assert_int_equal(read(read_end, &byte, 1), 0);
	close(read_end);
}

/* A child and a grandchild that both ignore SIGTERM, and hold the pipe. */
static struct proc *run_stubborn(int *ret_read_end)
{
	int ends[2];
	char out[16];
	size_t got;

	assert_int_equal(pipe(ends), 0);
	fcntl(ends[0], F_SETFD, FD_CLOEXEC);
	struct proc *p = run_shell("trap '' TERM; sleep 300 & echo ready; sleep 300");
	close(ends[1]);
	assert_int_equal(proc_read(p, out, sizeof(out), &got, later(), NULL), 0);
	*ret_read_end = ends[0];
	return p;
}

static void test_deadline_kills_a_child_that_ignores_sigterm_and_its_children(void **state)
{
	(void)state;
	int read_end, status = 5;
	struct err e = ERR_INIT;
	struct proc *p = run_stubborn(&read_end);

	assert_int_equal(
		proc_finish(p, clock_mono_ms(&clock_real) + 20, &status, &e), -ERR_TIMEOUT);
	assert_int_equal(status, 5);
	assert_all_gone(read_end);
}

static void test_kill_takes_the_whole_group(void **state)
{
	(void)state;
	int read_end;

	proc_kill(run_stubborn(&read_end));
	assert_all_gone(read_end);
	proc_kill(NULL);
}

static void test_a_grandchild_that_stays_does_not_hold_up_the_end(void **state)
{
	(void)state;
	struct proc *p = run_shell("sleep 300 & echo $!");
	int status = -1;
	char pid[16];
	size_t got;

	assert_int_equal(proc_read(p, pid, sizeof(pid) - 1, &got, later(), NULL), 0);
	pid[got] = '\0';
	assert_int_equal(proc_finish(p, later(), &status, NULL), 0);
	assert_int_equal(status, 0);
	assert_int_equal(kill((pid_t)strtol(pid, NULL, 10), SIGKILL), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_is_written_comes_back),
		cmocka_unit_test(test_status_is_the_exit_code_or_128_and_the_signal),
		cmocka_unit_test(test_a_missing_program_is_named),
		cmocka_unit_test(test_environment_is_added_to_ours),
		cmocka_unit_test(test_standard_error_keeps_its_end_on_one_line),
		cmocka_unit_test(test_read_gives_up_at_the_deadline),
		cmocka_unit_test(test_standard_error_without_an_end_is_left_for_later),
		cmocka_unit_test(test_writing_to_a_program_that_ended_says_why),
		cmocka_unit_test(test_deadline_kills_a_child_that_ignores_sigterm_and_its_children),
		cmocka_unit_test(test_kill_takes_the_whole_group),
		cmocka_unit_test(test_a_grandchild_that_stays_does_not_hold_up_the_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
