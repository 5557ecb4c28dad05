/* Problems: how they read, how they are ordered, and how many are kept. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <string.h>
#include <cmocka.h>

#include "base/limits.h"
#include "doc/problem.h"

static void assert_formatted(const struct problems *p, size_t i, const char *expected)
{
	auto_buf struct buf line = BUF_INIT;

	problem_format(&p->at[i], &line);
	assert_string_equal(buf_str(&line), expected);
}

static void test_format_leaves_out_what_is_not_known(void **state)
{
	(void)state;
	struct problems p = PROBLEMS_INIT;

	problems_add(&p, PROBLEM_ERROR, "eu.yaml", 14, 20, "spec.a", "must be %s", "x");
	problems_add(&p, PROBLEM_WARNING, "eu.yaml", 14, 0, "spec.a", "overlaps");
	problems_add(&p, PROBLEM_ERROR, "eu.yaml", 0, 0, "", "too large");
	problems_add(&p, PROBLEM_ERROR, NULL, 3, 4, "topic_whitelist", "is missing");
	assert_formatted(&p, 0, "eu.yaml:14:20: spec.a: must be x");
	assert_formatted(&p, 1, "eu.yaml:14: warning: spec.a: overlaps");
	assert_formatted(&p, 2, "eu.yaml: too large");
	assert_formatted(&p, 3, "topic_whitelist: is missing");
	assert_int_equal(p.n_errors, 3);
	assert_int_equal(p.n_warnings, 1);
	problems_release(&p);
}

static void test_text_from_outside_stays_on_one_line(void **state)
{
	(void)state;
	struct problems p = PROBLEMS_INIT;

	problems_add(&p, PROBLEM_ERROR, "a\nb.yaml", 1, 2, "x\x1b[2J", "%s", "c\rd");
	assert_formatted(&p, 0, "a\\nb.yaml:1:2: x\\x1b[2J: c\\rd");
	problems_release(&p);
}

static void test_sort_is_by_file_line_and_column(void **state)
{
	(void)state;
	struct problems p = PROBLEMS_INIT;

	problems_add(&p, PROBLEM_ERROR, "b.yaml", 1, 1, "", "five");
	problems_add(&p, PROBLEM_ERROR, "a.yaml", 10, 1, "", "four");
	problems_add(&p, PROBLEM_ERROR, "a.yaml", 2, 10, "", "three");
	problems_add(&p, PROBLEM_ERROR, "a.yaml", 2, 9, "", "two");
	problems_add(&p, PROBLEM_ERROR, NULL, 7, 7, "", "one");
	problems_sort(&p);
	assert_string_equal(p.at[0].message, "one");
	assert_string_equal(p.at[1].message, "two");
	assert_string_equal(p.at[2].message, "three");
	assert_string_equal(p.at[3].message, "four");
	assert_string_equal(p.at[4].message, "five");
	problems_release(&p);
}

static void test_past_the_limit_they_are_only_counted(void **state)
{
	(void)state;
	struct problems p = PROBLEMS_INIT;
	char *text = NULL;
	size_t size;

	for (size_t i = 0; i < LIMIT_PROBLEMS + 5; i++)
		problems_add(&p, PROBLEM_ERROR, "a.yaml", 1, 1, "", "again");
	assert_int_equal(p.n, LIMIT_PROBLEMS);
	assert_int_equal(p.n_errors, LIMIT_PROBLEMS + 5);
	FILE *out = open_memstream(&text, &size);
	problems_print(&p, out);
	fclose(out);
	assert_non_null(strstr(text, "a.yaml:1:1: again\n… and 5 more\n"));
	free(text);
	problems_release(&p);
}

static void test_an_error_is_kept_though_the_list_is_full_of_warnings(void **state)
{
	(void)state;
	struct problems p = PROBLEMS_INIT;

	for (size_t i = 0; i < LIMIT_PROBLEMS; i++)
		problems_add(&p, PROBLEM_WARNING, "a.yaml", 1, 1, "", "again");
	for (unsigned i = 1; i <= 2; i++) {
		problems_add(&p, PROBLEM_ERROR, "b.yaml", i, 1, "", "wrong");
		problems_set_origin(&p, i);
	}
	problems_add(&p, PROBLEM_WARNING, "a.yaml", 1, 1, "", "again");
	problems_set_origin(&p, 7);
	assert_int_equal(p.n, LIMIT_PROBLEMS);
	assert_int_equal(p.n_errors, 2);
	assert_int_equal(p.n_warnings, LIMIT_PROBLEMS + 1);
	problems_sort(&p);
	for (unsigned i = 1; i <= 2; i++) {
		const struct problem *it = &p.at[LIMIT_PROBLEMS - 3 + i];
		assert_int_equal(it->level, PROBLEM_ERROR);
		assert_int_equal(it->line, i);
		assert_int_equal(it->origin, i);
	}
	problems_release(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_format_leaves_out_what_is_not_known),
		cmocka_unit_test(test_text_from_outside_stays_on_one_line),
		cmocka_unit_test(test_sort_is_by_file_line_and_column),
		cmocka_unit_test(test_past_the_limit_they_are_only_counted),
		cmocka_unit_test(test_an_error_is_kept_though_the_list_is_full_of_warnings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
