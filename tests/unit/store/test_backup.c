/* Copies of the store, and what is kept of the one that a copy takes the place of. */
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fixture.h"

/* A daemon that is killed leaves what it did last in the log beside the store. */
static void set_and_be_killed(const struct fixture *f, const char *value)
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		struct store *s = NULL;
		bool done = store_open(f->folder, "scope", &s, NULL) == 0 &&
			    store_set(s, "head", value, NULL) == 0;
		_exit(done ? 0 : 1);
	}
	int status = 0;
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void test_what_is_kept_is_whole_in_one_file(void **state)
{
	struct fixture *f = *state;
	auto_free char *copy = fs_join(f->folder, "copy");
	auto_free char *kept = NULL;
	auto_free char *value = NULL;

	assert_int_equal(store_set(f->ours, "head", "copied", NULL), 0);
	assert_int_equal(store_backup(f->folder, copy, NULL), 0);
	fixture_close(f);
	set_and_be_killed(f, "last");
	assert_int_equal(store_restore(f->folder, copy, 1790000000000, &kept, &f->e), 0);
	assert_non_null(kept);
	auto_free char *log = xasprintf("%s-wal", kept);
	assert_int_equal(access(log, F_OK), -1);

	fixture_open(f);
	assert_int_equal(store_get(f->ours, "head", &value, NULL), 0);
	assert_string_equal(value, "copied");
	fixture_close(f);
	str_replace(&value, NULL);
	auto_free char *path = fs_join(f->folder, "weir.db");
	assert_int_equal(rename(kept, path), 0);
	fixture_open(f);
	assert_int_equal(store_get(f->ours, "head", &value, NULL), 0);
	assert_string_equal(value, "last");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_with_fixture(test_what_is_kept_is_whole_in_one_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
