/* Fetching from a folder: heads and their relation, what is missing, servers that do not end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/fs.h"
#include "scratch.h"

static void assert_says(const struct err *e, const char *words)
{
	if (!strstr(e->msg, words))
		fail_msg("'%s' is not in: %s", words, e->msg);
}

static void test_first_then_same_then_forward_then_rewound(void **state)
{
	struct scratch *s = *state;
	struct source_head first, head;

	scratch_open(s);
	first = scratch_fetch(s, NULL);
	assert_int_equal(first.relation, SOURCE_FIRST);
	assert_string_equal(first.summary, "a change");

	head = scratch_fetch(s, first.sha);
	assert_int_equal(head.relation, SOURCE_SAME);
	assert_string_equal(head.tree, first.tree);

	scratch_put_replicator(s, "replicators/b.yaml", "b");
	auto_free char *second = scratch_push(s, "main");
	head = scratch_fetch(s, first.sha);
	assert_int_equal(head.relation, SOURCE_FORWARD);
	assert_string_equal(head.sha, second);
	assert_string_not_equal(head.tree, first.tree);

	scratch_run(s, "git -C work push -q -f origin HEAD~1:main");
	head = scratch_fetch(s, second);
	assert_int_equal(head.relation, SOURCE_REWOUND);
	assert_string_equal(head.sha, first.sha);
}

static void test_rewound_when_history_is_another_one(void **state)
{
	struct scratch *s = *state;
	struct source_head head;

	scratch_open(s);
	head = scratch_fetch(s, NULL);
	scratch_run(s, "cd work && git checkout -q --orphan other && git commit -q -m other && "
		       "git push -q -f origin other:main");
	assert_int_equal(scratch_fetch(s, head.sha).relation, SOURCE_REWOUND);
	assert_int_equal(scratch_fetch(s, "0123456789012345678901234567890123456789").relation,
		SOURCE_REWOUND);
}

static void test_the_tree_is_the_paths_when_other_folders_change(void **state)
{
	struct scratch *s = *state;
	struct source_head head;

	scratch_open(s);
	head = scratch_fetch(s, NULL);
	scratch_put(s, "elsewhere/x.yaml", "x: 1\n");
	free(scratch_push(s, "main"));
	assert_string_equal(scratch_fetch(s, NULL).tree, head.tree);
}

static void test_no_tree_when_the_path_is_missing_or_a_file(void **state)
{
	static const char *const paths[] = {"nowhere", "replicators/nowhere", "replicators/a.yaml"};
	struct scratch *s = *state;

	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		s->options.path = paths[i];
		scratch_open(s);
		assert_string_equal(scratch_fetch(s, NULL).tree, "");
	}
}

static void test_the_message_is_escaped_when_it_has_control_characters(void **state)
{
	struct scratch *s = *state;

	scratch_run(s,
		"cd work && printf 'red \\033[31m\\n\\nbody' | git commit -q --allow-empty -F - "
		"--cleanup=verbatim && git push -q origin HEAD:main");
	scratch_open(s);
	assert_string_equal(scratch_fetch(s, NULL).summary, "red \\x1b[31m");
}

static void test_branches_are_listed_when_ours_is_missing(void **state)
{
	struct scratch *s = *state;
	struct err e;

	s->options.branch = "production";
	for (char c = 'b'; c <= 'g'; c++)
		scratch_run(s, "git -C work push -q origin HEAD:refs/heads/%c", c);
	scratch_open(s);
	e = scratch_fetch_error(s, ERR_NOT_FOUND);
	assert_says(&e, "no branch production");
	assert_says(&e, "b, c, d, e, f and 2 more");
	assert_false(e.retriable);
}

static void test_not_found_when_the_branch_is_deleted(void **state)
{
	struct scratch *s = *state;

	scratch_open(s);
	scratch_fetch(s, NULL);
	scratch_run(s, "git -C work push -q origin HEAD:refs/heads/other && "
		       "git -C origin.git update-ref -d refs/heads/main");
	struct err e = scratch_fetch_error(s, ERR_NOT_FOUND);
	assert_says(&e, "no branch main; there are: other");
}

static void test_not_found_when_the_repository_has_no_commits(void **state)
{
	struct scratch *s = *state;

	scratch_run(s, "rm -rf origin.git && git init -q --bare origin.git");
	scratch_open(s);
	struct err e = scratch_fetch_error(s, ERR_NOT_FOUND);
	assert_says(&e, "no commits; push one to branch main");
}

static void test_not_found_when_there_is_no_repository(void **state)
{
	struct scratch *s = *state;

	scratch_run(s, "rm -rf origin.git");
	scratch_open(s);
	struct err e = scratch_fetch_error(s, ERR_NOT_FOUND);
	assert_says(&e, "there is no such folder");
	scratch_run(s, "mkdir origin.git");
	e = scratch_fetch_error(s, ERR_NOT_FOUND);
	assert_says(&e, "not appear to be a git repository; check source.url");
}

static void test_a_working_copy_is_a_repository_too(void **state)
{
	struct scratch *s = *state;
	auto_free char *url = xasprintf("file://%s", s->work);

	scratch_run(s, "git -C work branch -q -M main");
	s->options.url = url;
	scratch_open(s);
	scratch_fetch(s, NULL);
}

static void test_sha256_repositories_are_refused_by_name(void **state)
{
	struct scratch *s = *state;

	scratch_run(s,
		"rm -rf origin.git work && git init -q --bare --object-format=sha256 origin.git "
		"&& git init -q -b main --object-format=sha256 work && cd work && "
		"git commit -q --allow-empty -m x && git push -q ../origin.git main");
	scratch_open(s);
	struct err e = scratch_fetch_error(s, ERR_REMOTE);
	assert_says(&e, "SHA-256");
}

/* The program that is found as `git` from now on. */
static void replace_git(struct scratch *s, const char *script)
{
	auto_free char *path = fs_join(s->dir, "bin/git");
	auto_free char *dir = fs_join(s->dir, "bin");
	auto_free char *search = xasprintf("%s:%s", dir, getenv("PATH"));
	struct err e = ERR_INIT;

	assert_int_equal(fs_mkdirs(dir, 0700, &e), 0);
	assert_int_equal(fs_write(path, script, strlen(script), 0700, &e), 0);
	setenv("PATH", search, 1);
}

static struct err expect_timeout(struct scratch *s, const char *script)
{
	auto_free char *path = xstrdup(getenv("PATH"));
	int64_t begin;
	struct err e;

	s->options.timeout_ms = 1000;
	scratch_open(s);
	replace_git(s, script);
	begin = scratch_now_ms();
	e = scratch_fetch_error(s, ERR_TIMEOUT);
	setenv("PATH", path, 1);
	assert_in_range(scratch_now_ms() - begin, 900, 20000);
	assert_true(e.retriable);
	return e;
}

static void test_timeout_when_the_server_says_nothing(void **state)
{
	struct err e = expect_timeout(*state, "#!/bin/sh\nexec tail -f /dev/null\n");

	assert_says(&e, "gave up after 1s with 0 bytes received");
}

static void test_timeout_when_the_server_stops_after_its_greeting(void **state)
{
	struct err e = expect_timeout(*state, "#!/bin/sh\nprintf 00\nexec tail -f /dev/null\n");

	assert_says(&e, "with 2 bytes received");
}

/* Each read succeeds at once; only the deadline of the whole call can end this. */
static void test_timeout_when_references_come_for_ever(void **state)
{
	struct err e = expect_timeout(*state, "#!/bin/sh\n"
					      "i=0\n"
					      "while :; do\n"
					      "	i=$((i + 1))\n"
					      "	printf '0043%040d refs/heads/b-%08d\\n' $i $i\n"
					      "done\n");

	assert_says(&e, "gave up after 1s");
}

static void test_an_early_end_is_retriable_and_repeats_the_last_words(void **state)
{
	struct scratch *s = *state;
	auto_free char *path = xstrdup(getenv("PATH"));
	struct err e;

	scratch_open(s);
	replace_git(s, "#!/bin/sh\necho 'fatal: the disk is on fire' >&2\nexit 128\n");
	e = scratch_fetch_error(s, ERR_UNAVAILABLE);
	assert_says(&e, "the disk is on fire");
	assert_true(e.retriable);
	replace_git(s, "#!/bin/sh\nprintf '003d'\n");
	e = scratch_fetch_error(s, ERR_UNAVAILABLE);
	assert_says(&e, "breaks off after 4 bytes; see the server's log");
	assert_true(e.retriable);
	replace_git(s, "#!/bin/sh\nprintf '0015ERR no entry, sir'\n");
	e = scratch_fetch_error(s, ERR_REMOTE);
	assert_says(&e, "remote error: no entry, sir");
	replace_git(s, "#!/bin/sh\necho '<html>'\n");
	e = scratch_fetch_error(s, ERR_REMOTE);
	assert_says(&e, "not an answer of Git's");
	setenv("PATH", path, 1);
}

static void test_config_errors_when_opened_with_nonsense(void **state)
{
	struct scratch *s = *state;
	struct source *source = NULL;
	struct err e = ERR_INIT;

	s->options.branch = "a..b";
	assert_int_equal(source_open(&s->options, &source, &e), -ERR_CONFIG);
	assert_says(&e, "'a..b' is no name of a branch");
	err_clear(&e);
	s->options.branch = "main";
	s->options.url = "git://example.com/x.git";
	assert_int_equal(source_open(&s->options, &source, &e), -ERR_CONFIG);
	assert_null(source);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, scratch_setup, scratch_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_first_then_same_then_forward_then_rewound),
		TEST(test_rewound_when_history_is_another_one),
		TEST(test_the_tree_is_the_paths_when_other_folders_change),
		TEST(test_no_tree_when_the_path_is_missing_or_a_file),
		TEST(test_the_message_is_escaped_when_it_has_control_characters),
		TEST(test_branches_are_listed_when_ours_is_missing),
		TEST(test_not_found_when_the_branch_is_deleted),
		TEST(test_not_found_when_the_repository_has_no_commits),
		TEST(test_not_found_when_there_is_no_repository),
		TEST(test_a_working_copy_is_a_repository_too),
		TEST(test_sha256_repositories_are_refused_by_name),
		TEST(test_timeout_when_the_server_says_nothing),
		TEST(test_timeout_when_the_server_stops_after_its_greeting),
		TEST(test_timeout_when_references_come_for_ever),
		TEST(test_an_early_end_is_retriable_and_repeats_the_last_words),
		TEST(test_config_errors_when_opened_with_nonsense),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
