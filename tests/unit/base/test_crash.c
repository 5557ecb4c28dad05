/* Points at which a test may kill the process. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/crash.h"

/* The signal that ended a child that passed "here" three times, each time behind "elsewhere"; 0 if
 * it got through. */
static int signal_with(const char *crash_at)
{
	int status = 0;
	pid_t child = fork();

	if (child == 0) {
		setenv("WEIR_CRASH_AT", crash_at, 1);
		for (int i = 0; i < 3; i++) {
			crash_point("elsewhere");
			crash_point("here");
		}
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static void test_process_is_killed_at_the_named_point(void **state)
{
	(void)state;
	assert_int_equal(signal_with("here"), SIGKILL);
	assert_int_equal(signal_with("here:3"), SIGKILL);
}

static void test_other_names_and_later_counts_get_through(void **state)
{
	(void)state;
	assert_int_equal(signal_with("here:4"), 0);
	assert_int_equal(signal_with("her"), 0);
	assert_int_equal(signal_with("heres"), 0);
	assert_int_equal(signal_with("here:x"), 0);
	assert_int_equal(signal_with(""), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_process_is_killed_at_the_named_point),
		cmocka_unit_test(test_other_names_and_later_counts_get_through),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
