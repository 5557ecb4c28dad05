/* The engine where two things happen at once, where something never ends, or where others meddle. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/log.h"
#include "documents.h"
#include "reconcile/internal.h"
#include "world.h"

#define NEVER (10000 * MINUTE)

/* The look at the old commit's operation is answered between the plan for the new one and its write.
 */
static void test_a_late_look_does_not_disturb_a_newer_write(void **state)
{
	struct world *w = *state;
	w->operation_ms = NEVER;
	w->holds = "orders";
	world_commit(w, ONE);
	world_start(w);
	world_run(w, 500); /* it is created, and its reconcile hangs */
	w->holds = NULL;
	world_run(w, 500);
	w->holds = "orders";
	world_run(w, 5000); /* the look is under way, and hangs */
	w->holds = NULL;
	w->operation_ms = 3000;
	w->newest_first = true;
	w->burst = 3; /* Git, the list, the look */
	world_commit(w, DOCUMENT("orders", "5000"));
	world_run(w, MINUTE);
	assert_string_equal(world_note(w, "sync"), "success 1 in sync (1 changed)");
	assert_int_equal(world_operations(w), 2);
	assert_int_equal(world_count(w, API_PATCH), 1);
}

/* Of two that the list lacks, one gives an error and one is slow: its answer, which says that there is
 * none, comes when the next pass has asked again. */
static void test_a_late_answer_is_not_taken_for_one_of_the_next_pass(void **state)
{
	struct world *w = *state;
	world_start_with(w, TWO DOCUMENT("sales", "1"));
	world_object(w, "orders")->unlisted = true;
	world_object(w, "payments")->unlisted = true;
	w->holds = "orders";
	world_fail(w, API_GET, MISHAP_500, 1);
	world_run(w, 7 * MINUTE);
	world_fail(w, API_GET, MISHAP_404, 1);
	w->holds = NULL;
	world_run(w, 7 * MINUTE);
	assert_int_equal(world_count(w, API_CREATE), 3);
	assert_string_equal(world_note(w, "drift"), "success no drift");
}

int main(void)
{
	log_setup(LOG__COUNT, LOG_TEXT);
#define TEST(f) cmocka_unit_test_setup_teardown(f, world_test_setup, world_test_teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_a_late_look_does_not_disturb_a_newer_write),
		TEST(test_a_late_answer_is_not_taken_for_one_of_the_next_pass),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
