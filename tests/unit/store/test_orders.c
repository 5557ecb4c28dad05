/* What people ordered comes back as it was put, and each scope has its own. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "fixture.h"

static void test_suspensions_come_back_by_name(void **state)
{
	struct fixture *f = *state;
	struct suspensions all = VEC_INIT;
	char a[] = "a", b[] = "b", reason[] = "broker upgrade", by[] = "jane";
	const struct suspension timed = {.name = b,
		.reason = reason,
		.by = by,
		.has_until = true,
		.until_ms = 5,
		.at_ms = 3};
	const struct suspension endless = {.name = a, .reason = reason, .by = by, .at_ms = 4};

	assert_int_equal(store_put_suspension(f->ours, &timed, NULL), 0);
	assert_int_equal(store_put_suspension(f->ours, &endless, NULL), 0);
	assert_int_equal(store_put_suspension(f->other, &timed, NULL), 0);
	assert_int_equal(store_drop_suspension(f->other, "b", NULL), 0);
	fixture_reopen(f);
	assert_int_equal(store_load_suspensions(f->ours, &all, NULL), 0);
	assert_int_equal(all.n, 2);
	assert_string_equal(all.at[0].name, "a");
	assert_false(all.at[0].has_until);
	assert_true(all.at[1].has_until);
	assert_int_equal(all.at[1].until_ms, 5);
	assert_int_equal(all.at[1].at_ms, 3);
	assert_string_equal(all.at[1].reason, "broker upgrade");
	assert_string_equal(all.at[1].by, "jane");
	suspensions_release(&all);
}

static void test_the_last_suspension_of_a_name_counts(void **state)
{
	struct fixture *f = *state;
	struct suspensions all = VEC_INIT;
	char name[] = "a", first[] = "first", second[] = "second", by[] = "jane";
	struct suspension s = {
		.name = name, .reason = first, .by = by, .has_until = true, .until_ms = 9};

	assert_int_equal(store_put_suspension(f->ours, &s, NULL), 0);
	s.reason = second;
	s.has_until = false;
	assert_int_equal(store_put_suspension(f->ours, &s, NULL), 0);
	assert_int_equal(store_load_suspensions(f->ours, &all, NULL), 0);
	assert_int_equal(all.n, 1);
	assert_string_equal(all.at[0].reason, "second");
	assert_false(all.at[0].has_until);
	suspensions_release(&all);
}

static void test_approvals_come_back_by_digest(void **state)
{
	struct fixture *f = *state;
	struct approvals all = VEC_INIT;
	char one[] = "1f", two[] = "2e", name[] = "a", action[] = "delete", by[] = "jane";
	char reason[] = "moved";
	struct approval approval = {.digest = two,
		.name = name,
		.action = action,
		.by = by,
		.reason = reason,
		.at_ms = 7};

	assert_int_equal(store_put_approval(f->ours, &approval, NULL), 0);
	approval.digest = one;
	assert_int_equal(store_put_approval(f->ours, &approval, NULL), 0);
	assert_int_equal(store_drop_approval(f->other, "1f", NULL), 0);
	fixture_reopen(f);
	assert_int_equal(store_load_approvals(f->ours, &all, NULL), 0);
	assert_int_equal(all.n, 2);
	assert_string_equal(all.at[0].digest, "1f");
	assert_string_equal(all.at[1].digest, "2e");
	assert_string_equal(all.at[1].name, "a");
	assert_string_equal(all.at[1].action, "delete");
	assert_string_equal(all.at[1].by, "jane");
	assert_string_equal(all.at[1].reason, "moved");
	assert_int_equal(all.at[1].at_ms, 7);
	approvals_release(&all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_with_fixture(test_suspensions_come_back_by_name),
		test_with_fixture(test_the_last_suspension_of_a_name_counts),
		test_with_fixture(test_approvals_come_back_by_digest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
