/* What a person is told in each case. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli/view_parts.h"
#include "reconcile/report.h"

static void test_every_standing_has_a_way_out(void **state)
{
	(void)state;
	for (int i = 0; i < STANDING__COUNT; i++)
		if (!view_way_out(standing_name(i)))
			fail_msg("\"%s\" has no way out", standing_name(i));
}

static void test_a_standing_of_another_version_is_no_reason_to_fall(void **state)
{
	(void)state;
	assert_string_equal(view_way_out("in two minds"), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_standing_has_a_way_out),
		cmocka_unit_test(test_a_standing_of_another_version_is_no_reason_to_fall),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
