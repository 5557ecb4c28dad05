/* Log lines, read back from a pipe in the place of standard error. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/log.h"

static char captured[4096];

/* Between begin and end, standard error is a pipe. */
static int saved_stderr, pipe_end;

static void begin_capture(void)
{
	int fds[2];

	assert_int_equal(pipe2(fds, O_CLOEXEC | O_NONBLOCK), 0);
	saved_stderr = dup(STDERR_FILENO);
	dup2(fds[1], STDERR_FILENO);
	close(fds[1]);
	pipe_end = fds[0];
}

/* What came. */
static const char *end_capture(void)
{
	ssize_t n = read(pipe_end, captured, sizeof(captured) - 1);

	dup2(saved_stderr, STDERR_FILENO);
	close(saved_stderr);
	close(pipe_end);
	captured[n > 0 ? n : 0] = '\0';
	return captured;
}

/* "2026-11-30T16:44:23Z " or with milliseconds. */
static const char *after_time(const char *line)
{
	const char *space = strchr(line, ' ');

	return space ? space + 1 : "";
}

static void test_text_quotes_only_what_needs_it(void **state)
{
	(void)state;
	log_setup(LOG_DEBUG, LOG_TEXT);
	begin_capture();
	log_info("replicator is healthy", "name", "orders-dr", "gone", NULL, "why", "two words",
		"empty", "", NULL);
	assert_string_equal(after_time(end_capture()),
		"info  replicator is healthy name=orders-dr why=\"two words\" empty=\"\"\n");
}

static void test_a_line_cannot_be_forged(void **state)
{
	(void)state;
	log_setup(LOG_DEBUG, LOG_TEXT);
	begin_capture();
	log_warn("x", "a", "1\n2026 error forged", "b", "\x1b[2J", NULL);
	assert_string_equal(
		after_time(end_capture()), "warn  x a=\"1\\n2026 error forged\" b=\\x1b[2J\n");
}

static void test_json_is_one_object_a_line(void **state)
{
	(void)state;
	log_setup(LOG_DEBUG, LOG_JSON);
	begin_capture();
	log_error("it \"broke\"", "name", "a\nb", NULL);
	const char *line = end_capture();
	assert_memory_equal(line, "{\"time\":\"20", 11);
	assert_string_equal(strstr(line, ",\"level\""),
		",\"level\":\"error\",\"message\":\"it \\\"broke\\\"\",\"name\":\"a\\nb\"}\n");
}

static void test_below_the_least_level_nothing_is_written(void **state)
{
	(void)state;
	log_setup(LOG_WARN, LOG_TEXT);
	begin_capture();
	log_info("not shown", NULL);
	log_debug("not shown", NULL);
	assert_string_equal(end_capture(), "");
}

static void test_level_parse(void **state)
{
	(void)state;
	enum log_level level = LOG_ERROR;

	assert_true(log_level_parse("debug", &level));
	assert_int_equal(level, LOG_DEBUG);
	assert_false(log_level_parse("verbose", &level));
	assert_false(log_level_parse("", &level));
	assert_int_equal(level, LOG_DEBUG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text_quotes_only_what_needs_it),
		cmocka_unit_test(test_a_line_cannot_be_forged),
		cmocka_unit_test(test_json_is_one_object_a_line),
		cmocka_unit_test(test_below_the_least_level_nothing_is_written),
		cmocka_unit_test(test_level_parse),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
