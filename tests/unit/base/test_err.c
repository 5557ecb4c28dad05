/* Errors: the first wins, words go before it, and text from outside is made safe. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <errno.h>
#include <string.h>
#include <cmocka.h>

#include "base/err.h"

static void test_set_returns_the_negative_code_and_fills(void **state)
{
	(void)state;
	struct err e = ERR_INIT;

	assert_int_equal(err_set(&e, ERR_CONFLICT, "%s: is %d", "orders", 3), -ERR_CONFLICT);
	assert_int_equal(e.code, ERR_CONFLICT);
	assert_string_equal(e.msg, "orders: is 3");
	assert_false(e.retriable);
	assert_int_equal(err_set(NULL, ERR_IO, "nobody listens"), -ERR_IO);
}

static void test_first_error_wins(void **state)
{
	(void)state;
	struct err e = ERR_INIT;

	err_set(&e, ERR_AUTH, "first");
	assert_int_equal(err_retriable(&e, ERR_TIMEOUT, "second"), -ERR_AUTH);
	assert_string_equal(e.msg, "first");
	assert_false(e.retriable);
}

static void test_prefix_puts_words_before(void **state)
{
	(void)state;
	struct err e = ERR_INIT;

	err_retriable(&e, ERR_TIMEOUT, "no answer");
	assert_int_equal(err_prefix(&e, "replicator %s", "orders-dr"), -ERR_TIMEOUT);
	assert_string_equal(e.msg, "replicator orders-dr: no answer");
	assert_true(e.retriable);
}

static void test_message_from_outside_stays_one_safe_line(void **state)
{
	(void)state;
	struct err e = ERR_INIT;

	err_set(&e, ERR_REMOTE, "%s", "a\nb\x1b[31m\xff");
	assert_string_equal(e.msg, "a\\nb\\x1b[31m\\xff");
}

static void test_prefix_does_not_escape_twice(void **state)
{
	(void)state;
	struct err e = ERR_INIT;

	err_set(&e, ERR_REMOTE, "a\nb");
	err_prefix(&e, "x");
	assert_string_equal(e.msg, "x: a\\nb");
}

static void test_long_message_is_cut_at_a_whole_character(void **state)
{
	(void)state;
	struct err e = ERR_INIT;
	char text[2 * ERR_MSG_MAX];

	for (size_t i = 0; i + 2 < sizeof(text); i += 3)
		memcpy(text + i, "…", 3);
	text[sizeof(text) - sizeof(text) % 3 - 3] = '\0';
	err_set(&e, ERR_REMOTE, "%s", text);
	assert_int_equal(strlen(e.msg), (ERR_MSG_MAX - 1) / 3 * 3);
	assert_memory_equal(e.msg + strlen(e.msg) - 3, "…", 3);
}

static void test_errno_picks_code_and_hint(void **state)
{
	(void)state;
	struct err missing = ERR_INIT, full = ERR_INIT;

	assert_int_equal(err_errno(&missing, ENOENT, "%s", "/x"), -ERR_NOT_FOUND);
	assert_string_equal(missing.msg, "/x: no such file or directory");
	assert_int_equal(err_errno(&full, ENOSPC, "store"), -ERR_IO);
	assert_string_equal(
		full.msg, "store: no space left on device; free some space on that disk");
	assert_true(full.retriable);
}

static void test_every_code_has_name_and_statuses(void **state)
{
	(void)state;
	for (int code = ERR_OK; code < ERR__COUNT; code++) {
		assert_non_null(err_name((enum err_code)code));
		for (int other = ERR_OK; other < code; other++)
			assert_string_not_equal(
				err_name((enum err_code)code), err_name((enum err_code)other));
		if (code == ERR_OK)
			continue;
		assert_int_equal(err_exit_status((enum err_code)code), code == ERR_USAGE ? 64 : 1);
		assert_in_range(err_http_status((enum err_code)code), 400, 599);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_set_returns_the_negative_code_and_fills),
		cmocka_unit_test(test_first_error_wins),
		cmocka_unit_test(test_prefix_puts_words_before),
		cmocka_unit_test(test_message_from_outside_stays_one_safe_line),
		cmocka_unit_test(test_prefix_does_not_escape_twice),
		cmocka_unit_test(test_long_message_is_cut_at_a_whole_character),
		cmocka_unit_test(test_errno_picks_code_and_hint),
		cmocka_unit_test(test_every_code_has_name_and_statuses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
