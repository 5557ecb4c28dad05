/* What sync.ignore covers. */
#include "tree.h"

#include "model/catalog.h"

static void test_nothing_is_ignored_without_a_list(void **state)
{
	auto_arena struct arena a = ARENA_INIT;
	struct sync_settings sync = {0};

	(void)state;
	assert_false(sync_ignores(&sync, SPEC_TOPIC_BLACKLIST, NULL));
	sync.ignore = tree(&a, "[]");
	assert_false(sync_ignores(&sync, SPEC_ADVANCED_CONFIGURATION, "tasks.max"));
}

static void test_a_field_is_ignored_as_a_whole(void **state)
{
	auto_arena struct arena a = ARENA_INIT;
	const struct sync_settings sync = {.ignore = tree(&a, "[/lag_alert_threshold]")};

	(void)state;
	assert_true(sync_ignores(&sync, SPEC_LAG_ALERT_THRESHOLD, NULL));
	assert_false(sync_ignores(&sync, SPEC_LAG_ALERT_THRESHOLD_UNIT, NULL));
}

static void test_a_setting_is_ignored_by_itself_or_with_all_of_them(void **state)
{
	auto_arena struct arena a = ARENA_INIT;
	const struct sync_settings one = {
		.ignore = tree(&a, "[/advanced_configuration/tasks.max]")};
	const struct sync_settings all = {.ignore = tree(&a, "[/advanced_configuration]")};

	(void)state;
	assert_true(sync_ignores(&one, SPEC_ADVANCED_CONFIGURATION, "tasks.max"));
	assert_false(sync_ignores(&one, SPEC_ADVANCED_CONFIGURATION, "tasks.maximum"));
	assert_false(sync_ignores(&one, SPEC_ADVANCED_CONFIGURATION, "tasks"));
	assert_false(sync_ignores(&one, SPEC_ADVANCED_CONFIGURATION, NULL));
	assert_true(sync_ignores(&all, SPEC_ADVANCED_CONFIGURATION, "tasks.max"));
	assert_true(sync_ignores(&all, SPEC_ADVANCED_CONFIGURATION, NULL));
}

static void test_slashes_and_tildes_of_a_name_are_escaped(void **state)
{
	auto_arena struct arena a = ARENA_INIT;
	const struct sync_settings sync = {
		.ignore = tree(&a, "[/advanced_configuration/a~1b, /advanced_configuration/c~01]")};

	(void)state;
	assert_true(sync_ignores(&sync, SPEC_ADVANCED_CONFIGURATION, "a/b"));
	assert_false(sync_ignores(&sync, SPEC_ADVANCED_CONFIGURATION, "a~1b"));
	assert_true(sync_ignores(&sync, SPEC_ADVANCED_CONFIGURATION, "c~1"));
	assert_false(sync_ignores(&sync, SPEC_ADVANCED_CONFIGURATION, "c/"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing_is_ignored_without_a_list),
		cmocka_unit_test(test_a_field_is_ignored_as_a_whole),
		cmocka_unit_test(test_a_setting_is_ignored_by_itself_or_with_all_of_them),
		cmocka_unit_test(test_slashes_and_tildes_of_a_name_are_escaped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
