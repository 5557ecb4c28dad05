/* What a person is told in each case. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cli/view_parts.h"
#include "reconcile/report.h"

static void test_every_standing_has_a_way_out(void **state)
{
	(void)state;
	auto_arena struct arena a = ARENA_INIT;
	for (int i = 0; i < STANDING__COUNT; i++) {
		const char *text = view_way_out(&a, standing_name(i), "orders-dr");
		assert_non_null(text);
		if (strstr(text, "NAME") ||
			(strstr(text, "`weir ") && !strstr(text, " orders-dr`")))
			fail_msg("not to be typed as it is: %s", text);
	}
}

static void test_a_standing_of_another_version_is_no_reason_to_fall(void **state)
{
	(void)state;
	auto_arena struct arena a = ARENA_INIT;
	assert_string_equal(view_way_out(&a, "in two minds", "orders-dr"), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_standing_has_a_way_out),
		cmocka_unit_test(test_a_standing_of_another_version_is_no_reason_to_fall),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
