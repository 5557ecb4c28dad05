/* Statuses as Git notes: what stands there afterwards, rivals, and servers that refuse. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/fs.h"
#include "scratch.h"

#define REF	"refs/notes/weir/acme"
#define CONTEXT "weir/acme/sync"

static int push_line(struct scratch *s, const char *sha, const char *line, struct err *e)
{
	return source_push_notes(s->source, REF, &(struct source_note){sha, CONTEXT, line}, 1, e);
}

static void expect_pushed(struct scratch *s, const char *sha, const char *line)
{
	struct err e = ERR_INIT;

	if (push_line(s, sha, line, &e) < 0)
		fail_msg("%s: %s", err_name(e.code), e.msg);
}

static struct source_head open_and_fetch(struct scratch *s)
{
	scratch_open(s);
	return scratch_fetch(s, NULL);
}

static void assert_asked(struct scratch *s, const char *command, const char *want)
{
	auto_free char *got = scratch_ask(s, "%s", command);

	assert_string_equal(got, want);
}

static void assert_note(struct scratch *s, const char *sha, const char *want)
{
	auto_free char *got = scratch_ask(
		s, "git -C origin.git notes --ref=weir/acme show %s | tr '\n' '|'", sha);

	assert_string_equal(got, want);
}

static void test_git_shows_them_when_they_are_the_first(void **state)
{
	struct scratch *s = *state;
	struct source_head head = open_and_fetch(s);

	expect_pushed(s, head.sha, "pending " CONTEXT " applying 1/2");
	assert_note(s, head.sha, "pending " CONTEXT " applying 1/2|");
	expect_pushed(s, head.sha, "success " CONTEXT " 2 in sync");
	assert_note(s, head.sha, "success " CONTEXT " 2 in sync|");
	assert_asked(s, "git -C origin.git log -1 --format=%an " REF, "weir");
	assert_asked(s, "git -C origin.git rev-list --count " REF, "2");
	assert_asked(s, "git -C origin.git fsck --strict 2>&1 | grep -vc dangling || true", "0");
}

static void test_nothing_is_pushed_when_nothing_changes(void **state)
{
	struct scratch *s = *state;
	struct source_head head = open_and_fetch(s);

	expect_pushed(s, head.sha, "success " CONTEXT " 2 in sync");
	scratch_run(s, "chmod -R a-w origin.git/objects; printf '#!/bin/sh\nexit 1\n' "
		       ">origin.git/hooks/pre-receive && chmod +x origin.git/hooks/pre-receive");
	expect_pushed(s, head.sha, "success " CONTEXT " 2 in sync");
	assert_asked(s, "git -C origin.git rev-list --count " REF, "1");
}

static void test_one_commit_when_several_commits_get_notes(void **state)
{
	struct scratch *s = *state;
	struct source_head first = open_and_fetch(s);
	auto_free char *second = scratch_push(s, "main");
	const struct source_note notes[] = {
		{first.sha, CONTEXT, "error " CONTEXT " superseded"},
		{second, CONTEXT, "pending " CONTEXT " applying"},
		{first.sha, "weir/acme/drift", "success weir/acme/drift none"},
	};
	struct err e = ERR_INIT;

	assert_int_equal(source_push_notes(s->source, REF, notes, 3, &e), 0);
	assert_note(s, first.sha, "success weir/acme/drift none|error " CONTEXT " superseded|");
	assert_note(s, second, "pending " CONTEXT " applying|");
	assert_asked(s, "git -C origin.git rev-list --count " REF, "1");
}

static void test_other_peoples_lines_stay(void **state)
{
	struct scratch *s = *state;
	struct source_head head = open_and_fetch(s);

	scratch_run(s,
		"cd work && git notes --ref=weir/acme add -m 'seen by me' %s && "
		"git push -q origin " REF,
		head.sha);
	expect_pushed(s, head.sha, "success " CONTEXT " 2 in sync");
	assert_note(s, head.sha, "seen by me|success " CONTEXT " 2 in sync|");
}

/* Git spreads notes over folders when there are many; ours stay where it put them. */
static void test_notes_in_folders_are_edited_in_place(void **state)
{
	struct scratch *s = *state;
	struct source_head head = open_and_fetch(s);

	scratch_run(s,
		"cd work && b=$(echo 'seen by me' | git hash-object -w --stdin) && "
		"x=%s && "
		"t=$(printf '100644 blob %%s\\t%%s\\n' $b ${x#????} | git mktree) && "
		"t=$(printf '040000 tree %%s\\t%%s\\n' $t $(echo $x | cut -c3-4) | git mktree) && "
		"t=$(printf '040000 tree %%s\\t%%s\\n' $t $(echo $x | cut -c1-2) | git mktree) && "
		"git push -q origin $(git commit-tree -m notes $t):" REF,
		head.sha);
	assert_note(s, head.sha, "seen by me|");
	expect_pushed(s, head.sha, "success " CONTEXT " 2 in sync");
	assert_note(s, head.sha, "seen by me|success " CONTEXT " 2 in sync|");
	assert_asked(s, "git -C origin.git ls-tree -r " REF " | wc -l", "1");
	assert_asked(s, "git -C origin.git ls-tree -r --name-only " REF " | tr -dc / | wc -c", "2");
	/* One without a note yet is put flat beside them. */
	auto_free char *second = scratch_push(s, "main");
	expect_pushed(s, second, "success " CONTEXT " 2 in sync");
	assert_note(s, second, "success " CONTEXT " 2 in sync|");
	assert_note(s, head.sha, "seen by me|success " CONTEXT " 2 in sync|");
}

static void install_hook(struct scratch *s, const char *name, const char *script)
{
	auto_free char *path = xasprintf("%s/hooks/%s", s->origin, name);
	struct err e = ERR_INIT;

	assert_int_equal(fs_write(path, script, strlen(script), 0700, &e), 0);
}

/* A rival that pushes a note of its own while ours is being checked, `times` times. */
static void install_rival(struct scratch *s, int times)
{
	auto_free char *script = xasprintf(
		"#!/bin/sh\n"
		"unset GIT_QUARANTINE_PATH GIT_OBJECT_DIRECTORY GIT_ALTERNATE_OBJECT_DIRECTORIES\n"
		"n=$(cat rivals 2>/dev/null || echo 0)\n"
		"[ $n -lt %d ] || exit 0\n"
		"echo $((n + 1)) >rivals\n"
		"git -c user.name=r -c user.email=r notes --ref=weir/acme append -m \"rival $n\" "
		"main\n",
		times);

	install_hook(s, "pre-receive", script);
}

static void test_it_starts_over_when_somebody_was_faster(void **state)
{
	struct scratch *s = *state;
	struct source_head head = open_and_fetch(s);

	install_rival(s, 3);
	expect_pushed(s, head.sha, "success " CONTEXT " 2 in sync");
	assert_note(s, head.sha, "rival 0||rival 1||rival 2|success " CONTEXT " 2 in sync|");
}

static void test_conflict_when_somebody_always_is(void **state)
{
	struct scratch *s = *state;
	struct source_head head = open_and_fetch(s);
	struct err e = ERR_INIT;

	install_rival(s, 1000);
	assert_int_equal(
		push_line(s, head.sha, "success " CONTEXT " 2 in sync", &e), -ERR_CONFLICT);
	assert_true(e.retriable);
	assert_asked(s, "cat origin.git/rivals", "6");
}

static void test_denied_in_its_words_when_a_hook_declines(void **state)
{
	struct scratch *s = *state;
	struct source_head head = open_and_fetch(s);
	struct err e = ERR_INIT;

	install_hook(s, "pre-receive", "#!/bin/sh\nprintf 'no notes\\033 here\\n' >&2\nexit 1\n");
	assert_int_equal(push_line(s, head.sha, "success " CONTEXT " 2 in sync", &e), -ERR_DENIED);
	assert_non_null(strstr(e.msg, "hook declined"));
	assert_non_null(strstr(e.msg, "no notes\\x1b here"));
	assert_false(e.retriable);
	err_clear(&e);
	scratch_run(s, "mv origin.git/hooks/pre-receive origin.git/hooks/update");
	assert_int_equal(push_line(s, head.sha, "success " CONTEXT " 2 in sync", &e), -ERR_DENIED);
	assert_non_null(strstr(e.msg, "hook declined"));
	/* Reading goes on. */
	scratch_fetch(s, head.sha);
}

static void test_denied_when_the_server_hides_or_forbids_the_ref(void **state)
{
	struct scratch *s = *state;
	struct source_head head = open_and_fetch(s);
	struct err e = ERR_INIT;

	scratch_run(s, "git -C origin.git config receive.hideRefs refs/notes");
	assert_int_equal(push_line(s, head.sha, "success " CONTEXT " 2 in sync", &e), -ERR_DENIED);
	assert_non_null(strstr(e.msg, "hidden ref"));
}

static void test_hooks_that_run_afterwards_are_heard_out(void **state)
{
	struct scratch *s = *state;
	struct source_head head = open_and_fetch(s);

	install_hook(s, "post-receive",
		"#!/bin/sh\nfor i in $(seq 200); do echo $i; done && echo done >../heard\n");
	expect_pushed(s, head.sha, "success " CONTEXT " 2 in sync");
	assert_asked(s, "cat heard", "done");
}

static void test_timeout_when_a_hook_hangs(void **state)
{
	struct scratch *s = *state;
	struct err e = ERR_INIT;

	s->options.timeout_ms = 2000;
	struct source_head head = open_and_fetch(s);
	install_hook(s, "pre-receive", "#!/bin/sh\nexec tail -f /dev/null\n");
	int64_t begin = scratch_now_ms();
	assert_int_equal(push_line(s, head.sha, "success " CONTEXT " 2 in sync", &e), -ERR_TIMEOUT);
	assert_in_range(scratch_now_ms() - begin, 1800, 20000);
}

static void test_config_error_when_the_ref_is_no_notes_ref(void **state)
{
	struct scratch *s = *state;
	struct err e = ERR_INIT;

	scratch_open(s);
	assert_int_equal(source_push_notes(s->source, "refs/heads/main", NULL, 0, &e), -ERR_CONFIG);
}

static void test_they_survive_when_the_mirror_is_lost(void **state)
{
	struct scratch *s = *state;
	struct source_head head = open_and_fetch(s);

	expect_pushed(s, head.sha, "pending " CONTEXT " applying");
	source_free(TAKE(s->source));
	scratch_run(s, "rm -rf mirror");
	scratch_open(s);
	expect_pushed(s, head.sha, "success " CONTEXT " 2 in sync");
	assert_note(s, head.sha, "success " CONTEXT " 2 in sync|");
	assert_asked(s, "git -C origin.git rev-list --count " REF, "2");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, scratch_setup, scratch_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_git_shows_them_when_they_are_the_first),
		TEST(test_nothing_is_pushed_when_nothing_changes),
		TEST(test_one_commit_when_several_commits_get_notes),
		TEST(test_other_peoples_lines_stay),
		TEST(test_notes_in_folders_are_edited_in_place),
		TEST(test_it_starts_over_when_somebody_was_faster),
		TEST(test_conflict_when_somebody_always_is),
		TEST(test_denied_in_its_words_when_a_hook_declines),
		TEST(test_denied_when_the_server_hides_or_forbids_the_ref),
		TEST(test_hooks_that_run_afterwards_are_heard_out),
		TEST(test_timeout_when_a_hook_hangs),
		TEST(test_config_error_when_the_ref_is_no_notes_ref),
		TEST(test_they_survive_when_the_mirror_is_lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
