/* The mirror as a cache: who has it, what is swept, and what happens when it is damaged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/fs.h"
#include "scratch.h"

static bool exists(const struct scratch *s, const char *path)
{
	auto_free char *full = fs_join(s->dir, path);
	struct stat st;

	return lstat(full, &st) == 0;
}

/* Where the repository inside stands: another number is another repository. */
static ino_t mirror_identity(const struct scratch *s)
{
	auto_free char *path = fs_join(s->mirror, "git");
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	return st.st_ino;
}

static size_t count_replicators(struct scratch *s, const char *sha)
{
	struct catalog *c = NULL;
	struct err e = ERR_INIT;

	if (source_load(s->source, sha, &c, &e) < 0)
		fail_msg("%s: %s", err_name(e.code), e.msg);
	size_t n = map_size(&c->by_name);
	catalog_free(c);
	return n;
}

static void test_conflict_when_a_second_one_opens_it(void **state)
{
	struct scratch *s = *state;
	struct source *second = NULL;
	struct err e = ERR_INIT;

	scratch_open(s);
	assert_int_equal(source_open(&s->options, &second, &e), -ERR_CONFLICT);
	assert_non_null(strstr(e.msg, "held by another process"));
	assert_null(second);
	source_free(TAKE(s->source));
	scratch_open(s);
}

static void test_leftovers_are_swept_when_it_is_opened(void **state)
{
	static const char *const left[] = {"mirror/git/refs/heads/main.lock",
		"mirror/git/packed-refs.lock", "mirror/git/objects/pack/pack_git2_a1B2c3",
		"mirror/git/objects/tmp_object_git2_a1B2c3", "mirror/git.new/HEAD"};
	struct scratch *s = *state;

	scratch_open(s);
	scratch_fetch(s, NULL);
	source_free(TAKE(s->source));
	scratch_run(s, "mkdir mirror/git.new");
	for (size_t i = 0; i < ARRAY_SIZE(left); i++)
		scratch_run(s, "touch %s", left[i]);
	free(scratch_push(s, "main"));
	scratch_open(s);
	for (size_t i = 0; i < ARRAY_SIZE(left); i++)
		assert_false(exists(s, left[i]));
	scratch_fetch(s, NULL);
}

static void test_it_is_made_again_when_it_is_no_repository(void **state)
{
	struct scratch *s = *state;

	scratch_run(s, "mkdir -p mirror/git && echo rubbish >mirror/git/HEAD");
	scratch_open(s);
	assert_int_equal(count_replicators(s, scratch_fetch(s, NULL).sha), 1);
}

/* Killed at the point named, by its own hand. */
static void fetch_and_die(struct scratch *s, const char *crash_point)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		struct source_head head;

		setenv("WEIR_CRASH_AT", crash_point, 1);
		if (source_open(&s->options, &s->source, NULL) == 0)
			source_fetch(s->source, NULL, &head, NULL);
		_exit(1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
}

static void test_nothing_is_lost_when_a_fetch_is_killed(void **state)
{
#ifdef WEIR_CRASHPOINTS
	struct scratch *s = *state;

	fetch_and_die(s, "source-downloaded");
	scratch_open(s);
	assert_int_equal(count_replicators(s, scratch_fetch(s, NULL).sha), 1);
	source_free(TAKE(s->source));
	free(scratch_push(s, "main"));
	fetch_and_die(s, "source-downloaded");
	scratch_open(s);
	assert_int_equal(count_replicators(s, scratch_fetch(s, NULL).sha), 1);
#else
	(void)state;
	(void)fetch_and_die;
	skip();
#endif
}

static void damage_packs(struct scratch *s)
{
	scratch_run(s,
		"chmod -R u+w mirror/git/objects && for p in mirror/git/objects/pack/*.pack; do "
		"head -c 40 \"$p\" >cut && head -c 4000 /dev/zero >>cut && cat cut >\"$p\"; done");
}

static void cut_indexes(struct scratch *s)
{
	scratch_run(s, "chmod -R u+w mirror/git/objects && "
		       "for p in mirror/git/objects/pack/*.idx; do : >\"$p\"; done");
}

static void test_cloned_anew_when_blobs_cannot_be_read(void **state)
{
	struct scratch *s = *state;
	struct source_head head;
	ino_t before;

	scratch_open(s);
	head = scratch_fetch(s, NULL);
	before = mirror_identity(s);
	damage_packs(s);
	scratch_open(s);
	assert_int_equal(count_replicators(s, head.sha), 1);
	assert_int_not_equal(mirror_identity(s), before);
}

static void test_cloned_anew_when_packs_are_lost(void **state)
{
	struct scratch *s = *state;
	struct source_head head;

	scratch_open(s);
	head = scratch_fetch(s, NULL);
	cut_indexes(s);
	auto_free char *second = scratch_push(s, "main");
	scratch_open(s);
	struct source_head next = scratch_fetch(s, head.sha);
	assert_string_equal(next.sha, second);
	assert_int_equal(next.relation, SOURCE_FORWARD);
	assert_int_equal(count_replicators(s, next.sha), 1);
}

/* The head came in a pack of its own, what it descends from is gone: that is no rewind. */
static void test_not_taken_for_a_rewind_when_old_history_is_lost(void **state)
{
	struct scratch *s = *state;
	struct source_head head;

	scratch_open(s);
	head = scratch_fetch(s, NULL);
	scratch_run(s, "ls mirror/git/objects/pack >old");
	free(scratch_push(s, "main"));
	scratch_fetch(s, head.sha);
	source_free(TAKE(s->source));
	scratch_run(s, "cd mirror/git/objects/pack && rm -f $(cat ../../../../old)");
	scratch_open(s);
	assert_int_equal(scratch_fetch(s, head.sha).relation, SOURCE_FORWARD);
}

static void test_cloned_anew_when_a_reference_is_empty(void **state)
{
	struct scratch *s = *state;

	scratch_open(s);
	scratch_fetch(s, NULL);
	free(scratch_push(s, "main"));
	scratch_run(s, ": >mirror/git/refs/heads/main");
	scratch_fetch(s, NULL);
}

static void test_an_error_when_it_breaks_twice_at_one_head(void **state)
{
	static const char *const damage = "cd mirror/git/refs/heads && rm main && mkdir main && "
					  "echo 0123456789012345678901234567890123456789 >main/x";
	struct scratch *s = *state;
	struct err e;

	scratch_open(s);
	scratch_fetch(s, NULL);
	scratch_run(s, "%s", damage);
	scratch_fetch(s, NULL);
	scratch_run(s, "%s", damage);
	e = scratch_fetch_error(s, ERR_IO);
	assert_non_null(strstr(e.msg, "broken again after it was cloned anew"));
	/* A new head is a new chance. */
	free(scratch_push(s, "main"));
	struct source_head head = scratch_fetch(s, NULL);
	assert_int_equal(count_replicators(s, head.sha), 1);
}

static size_t count_packs(struct scratch *s)
{
	auto_free char *n = scratch_ask(s, "ls mirror/git/objects/pack/*.pack | wc -l");

	return strtoul(n, NULL, 10);
}

static void test_packs_are_put_together_when_there_are_fifty(void **state)
{
	struct scratch *s = *state;
	struct source_head head = {.sha = ""};
	ino_t before;

	scratch_open(s);
	before = mirror_identity(s);
	for (int i = 1; i < 50; i++) {
		head = scratch_fetch(s, head.sha);
		free(scratch_push(s, "main"));
	}
	assert_int_equal(count_packs(s), 49);
	assert_int_equal(mirror_identity(s), before);
	head = scratch_fetch(s, head.sha);
	assert_int_equal(head.relation, SOURCE_FORWARD);
	assert_int_equal(count_packs(s), 1);
	assert_int_not_equal(mirror_identity(s), before);
	assert_int_equal(count_replicators(s, head.sha), 1);
}

/* The server serves the fetch, and breaks off in the clone that follows, having said that the
 * branch went on. */
static void test_what_was_fetched_counts_when_it_cannot_be_cloned_anew(void **state)
{
	struct scratch *s = *state;
	auto_free char *search = xstrdup(getenv("PATH"));
	auto_free char *git = scratch_ask(s, "command -v git");
	auto_free char *path = xasprintf("%s/bin:%s", s->dir, search);
	auto_free char *program = fs_join(s->dir, "bin/git");
	auto_free char *script = xasprintf("#!/bin/sh\n"
					   "mkdir %s/served 2>/dev/null && exec %s \"$@\"\n"
					   "%s -C %s update-ref refs/heads/main refs/heads/next\n"
					   "exec %s upload-pack --advertise-refs %s\n",
		s->dir, git, git, s->origin, git, s->origin);

	scratch_open(s);
	struct source_head head = scratch_fetch(s, NULL);
	scratch_run(s, "for i in $(seq 48); do touch mirror/git/objects/pack/$i.pack; done");
	auto_free char *pushed = scratch_push(s, "main");
	free(scratch_push(s, "next"));
	scratch_run(s, "mkdir bin");
	assert_int_equal(fs_write(program, script, strlen(script), 0700, NULL), 0);
	setenv("PATH", path, 1);
	head = scratch_fetch(s, head.sha);
	setenv("PATH", search, 1);
	assert_string_equal(head.sha, pushed);
	assert_int_equal(head.relation, SOURCE_FORWARD);
	assert_int_equal(count_packs(s), 50);
}

static void test_loose_objects_are_put_together_when_there_are_many(void **state)
{
	struct scratch *s = *state;
	struct err e = ERR_INIT;
	struct source_note note = {NULL, "weir/acme/sync", "success weir/acme/sync 1 in sync"};

	scratch_open(s);
	struct source_head head = scratch_fetch(s, NULL);
	ino_t before = mirror_identity(s);
	note.sha = head.sha;
	assert_int_equal(source_push_notes(s->source, "refs/notes/weir/acme", &note, 1, &e), 0);
	assert_int_equal(mirror_identity(s), before);
	scratch_run(s, "mkdir -p mirror/git/objects/17 && for i in $(seq 25); do "
		       "touch mirror/git/objects/17/$(printf %%038d $i); done");
	note.line = "failure weir/acme/sync 1 failed";
	assert_int_equal(source_push_notes(s->source, "refs/notes/weir/acme", &note, 1, &e), 0);
	assert_int_not_equal(mirror_identity(s), before);
	assert_int_equal(scratch_fetch(s, head.sha).relation, SOURCE_SAME);
	assert_int_equal(count_replicators(s, head.sha), 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, scratch_setup, scratch_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_conflict_when_a_second_one_opens_it),
		TEST(test_leftovers_are_swept_when_it_is_opened),
		TEST(test_it_is_made_again_when_it_is_no_repository),
		TEST(test_nothing_is_lost_when_a_fetch_is_killed),
		TEST(test_cloned_anew_when_blobs_cannot_be_read),
		TEST(test_cloned_anew_when_packs_are_lost),
		TEST(test_not_taken_for_a_rewind_when_old_history_is_lost),
		TEST(test_cloned_anew_when_a_reference_is_empty),
		TEST(test_an_error_when_it_breaks_twice_at_one_head),
		TEST(test_packs_are_put_together_when_there_are_fifty),
		TEST(test_what_was_fetched_counts_when_it_cannot_be_cloned_anew),
		TEST(test_loose_objects_are_put_together_when_there_are_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
