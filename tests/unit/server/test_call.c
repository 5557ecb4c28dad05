/* What clients are told of requests that no handler sees. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "server/call.h"

static void test_what_is_refused_says_what_to_do(void **state)
{
	static const struct {
		int status;
		const char *words;
	} rows[] = {
		{400, "not well formed"},
		{405, "that method"},
		{413, "body is too large"},
		{414, "address is too long"},
		{503, "try again"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct httpd_response response = {.status = rows[i].status, .body = BUF_INIT};
		call_refused(NULL, NULL, &response);
		assert_int_equal(response.status, rows[i].status);
		assert_ptr_equal(
			strstr(buf_str(&response.body), "{\"detail\":\""), buf_str(&response.body));
		assert_non_null(strstr(buf_str(&response.body), rows[i].words));
		buf_release(&response.body);
	}
}

/* Though it does not happen: a client that reads JSON must be able to. */
static void test_no_problem_at_all_is_an_object(void **state)
{
	const struct problems problems = PROBLEMS_INIT;
	struct httpd_response response = {.body = BUF_INIT};
	struct call c = {.response = &response, .out = &response.body};

	(void)state;
	call_problems(&c, &problems);
	assert_int_equal(response.status, 400);
	assert_string_equal(buf_str(&response.body), "{}");
	buf_release(&response.body);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_is_refused_says_what_to_do),
		cmocka_unit_test(test_no_problem_at_all_is_an_object),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
