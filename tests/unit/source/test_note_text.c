/* What an edit does to a note, line by line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "source/note_text.h"

#define SHA   "1111111111111111111111111111111111111111"
#define OTHER "2222222222222222222222222222222222222222"

static const struct source_note notes[] = {
	{SHA, "weir/acme/sync", "success weir/acme/sync 13 in sync"},
	{SHA, "weir/acme/drift", "success weir/acme/drift none"},
	{OTHER, "weir/acme/plan", "pending weir/acme/plan"},
};

static void check(const char *old, const char *want)
{
	auto_buf struct buf out = BUF_INIT;
	bool changed = note_text_edit(old, SHA, notes, ARRAY_SIZE(notes), &out);

	assert_int_equal(changed, want != NULL);
	assert_string_equal(buf_str(&out), want ? want : "");
}

static void test_lines_are_sorted_when_there_was_no_note(void **state)
{
	(void)state;
	check("", "success weir/acme/drift none\n"
		  "success weir/acme/sync 13 in sync\n");
}

static void test_nothing_changes_when_all_lines_stand(void **state)
{
	(void)state;
	check("success weir/acme/drift none\nsuccess weir/acme/sync 13 in sync\n", NULL);
	check("success weir/acme/sync 13 in sync\n\nby hand\nsuccess weir/acme/drift none", NULL);
}

static void test_only_our_contexts_when_others_stand_there(void **state)
{
	(void)state;
	check("Reviewed-by: somebody\n"
	      "pending weir/acme/sync applying 3/13\n"
	      "failure weir/acme/syncopation is another\n"
	      "success weir/other/sync 2 in sync\n"
	      "\n"
	      "  a remark about weir/acme/sync\n",
		"Reviewed-by: somebody\n"
		"\n"
		"  a remark about weir/acme/sync\n"
		"success weir/acme/drift none\n"
		"success weir/acme/sync 13 in sync\n"
		"failure weir/acme/syncopation is another\n"
		"success weir/other/sync 2 in sync\n");
}

static void test_one_line_is_left_when_a_context_stood_twice(void **state)
{
	(void)state;
	check("success weir/acme/drift none\n"
	      "success weir/acme/sync 13 in sync\n"
	      "failure weir/acme/sync old\n",
		"success weir/acme/drift none\n"
		"success weir/acme/sync 13 in sync\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines_are_sorted_when_there_was_no_note),
		cmocka_unit_test(test_nothing_changes_when_all_lines_stand),
		cmocka_unit_test(test_only_our_contexts_when_others_stand_there),
		cmocka_unit_test(test_one_line_is_left_when_a_context_stood_twice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
