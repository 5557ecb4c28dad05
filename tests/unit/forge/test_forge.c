/* Forges: what a status becomes in Git's notes, in a real repository, and where else it is kept. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../source/scratch.h"
#include "base/alloc.h"
#include "forge/forge.h"

#define REF "refs/notes/weir/acme"

static struct forge_status status_of(
	const char *sha, const char *context, enum status_state state, const char *text)
{
	return (struct forge_status){.sha = sha, .context = context, .state = state, .text = text};
}

/* Posts them all and expects that all arrive. */
static void expect_posted(struct forge *f, const struct forge_status *statuses, size_t n)
{
	enum post_end ends[8] = {POST_NOT};
	struct err e = ERR_INIT;

	assert_true(n <= ARRAY_SIZE(ends));
	if (f->ops->post(f, statuses, n, ends, &e) < 0)
		fail_msg("%s", e.msg);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(ends[i], POST_ARRIVED);
}

/* All lines of the note, each ended by |. */
static void assert_note(struct scratch *s, const char *sha, const char *lines)
{
	auto_free char *got = scratch_ask(
		s, "git -C origin.git notes --ref=weir/acme show %s | tr '\n' '|'", sha);

	assert_string_equal(got, lines);
}

static struct source_head open_and_fetch(struct scratch *s)
{
	scratch_open(s);
	return scratch_fetch(s, NULL);
}

static void test_note_has_a_sorted_line_for_each_context(void **state)
{
	struct scratch *s = *state;
	struct source_head head = open_and_fetch(s);
	struct forge *f = forge_notes_new(s->source, REF);
	const struct forge_status statuses[] = {
		status_of(head.sha, "weir/acme/sync", STATUS_SUCCESS, "13 in sync (2 changed)"),
		status_of(head.sha, "weir/acme/drift", STATUS_FAILURE, "orders: a -> b"),
	};

	expect_posted(f, statuses, 2);
	assert_note(s, head.sha,
		"failure weir/acme/drift orders: a -> b|"
		"success weir/acme/sync 13 in sync (2 changed)|");
	forge_free(f);
}

static void test_every_state_has_its_word(void **state)
{
	struct scratch *s = *state;
	struct source_head head = open_and_fetch(s);
	struct forge *f = forge_notes_new(s->source, REF);
	const struct forge_status statuses[] = {
		status_of(head.sha, "c/1", STATUS_PENDING, "a"),
		status_of(head.sha, "c/2", STATUS_SUCCESS, "b"),
		status_of(head.sha, "c/3", STATUS_FAILURE, "c"),
		status_of(head.sha, "c/4", STATUS_ERROR, "d"),
	};

	expect_posted(f, statuses, 4);
	assert_note(s, head.sha, "pending c/1 a|success c/2 b|failure c/3 c|error c/4 d|");
	forge_free(f);
}

static void test_later_status_takes_the_place_of_the_earlier(void **state)
{
	struct scratch *s = *state;
	struct source_head head = open_and_fetch(s);
	struct forge *f = forge_notes_new(s->source, REF);
	struct forge_status status =
		status_of(head.sha, "weir/acme/sync", STATUS_PENDING, "applying 3/13");

	expect_posted(f, &status, 1);
	status.state = STATUS_ERROR;
	status.text = "superseded by abc1234 at 9/13";
	expect_posted(f, &status, 1);
	assert_note(s, head.sha, "error weir/acme/sync superseded by abc1234 at 9/13|");
	forge_free(f);
}

static void test_statuses_of_several_commits_go_to_each(void **state)
{
	struct scratch *s = *state;
	struct source_head first = open_and_fetch(s);
	struct forge *f = forge_notes_new(s->source, REF);
	scratch_put_replicator(s, "replicators/b.yaml", "b");
	auto_free char *pushed = scratch_push(s, "main");
	struct source_head second = scratch_fetch(s, first.sha);
	const struct forge_status statuses[] = {
		status_of(first.sha, "c", STATUS_ERROR, "superseded"),
		status_of(second.sha, "c", STATUS_PENDING, "applying 0/2"),
	};

	assert_string_equal(second.sha, pushed);
	expect_posted(f, statuses, 2);
	assert_note(s, first.sha, "error c superseded|");
	assert_note(s, second.sha, "pending c applying 0/2|");
	forge_free(f);
}

static void test_refused_statuses_have_not_arrived(void **state)
{
	struct scratch *s = *state;
	struct source_head head = open_and_fetch(s);
	struct forge *f = forge_notes_new(s->source, REF);
	const struct forge_status statuses[] = {
		status_of(head.sha, "c/1", STATUS_SUCCESS, "a"),
		status_of(head.sha, "c/2", STATUS_SUCCESS, "b"),
	};
	enum post_end ends[] = {POST_ARRIVED, POST_ARRIVED};
	struct err e = ERR_INIT;

	scratch_run(s, "printf '#!/bin/sh\necho no notes here >&2\nexit 1\n' "
		       ">origin.git/hooks/pre-receive && chmod +x origin.git/hooks/pre-receive");
	assert_int_equal(f->ops->post(f, statuses, 2, ends, &e), -ERR_DENIED);
	assert_int_equal(ends[0], POST_NOT);
	assert_int_equal(ends[1], POST_NOT);
	assert_non_null(strstr(e.msg, "no notes here"));

	scratch_run(s, "rm origin.git/hooks/pre-receive");
	expect_posted(f, statuses, 2);
	forge_free(f);
}

static void test_ref_that_is_no_notes_ref_is_an_error(void **state)
{
	struct scratch *s = *state;
	struct source_head head = open_and_fetch(s);
	struct forge *f = forge_notes_new(s->source, "refs/heads/main");
	const struct forge_status status = status_of(head.sha, "c", STATUS_SUCCESS, "a");
	enum post_end end = POST_ARRIVED;
	struct err e = ERR_INIT;

	assert_int_equal(f->ops->post(f, &status, 1, &end, &e), -ERR_CONFIG);
	assert_int_equal(end, POST_NOT);
	forge_free(f);
}

static void test_no_forge_takes_everything_and_tells_nobody(void **state)
{
	struct forge *f = forge_none_new();
	const struct forge_status statuses[] = {
		status_of("abc", "c/1", STATUS_SUCCESS, "a"),
		status_of("def", "c/2", STATUS_ERROR, "b"),
	};

	(void)state;
	expect_posted(f, statuses, 2);
	expect_posted(f, statuses, 0);
	assert_string_equal(f->ops->name, "none");
	forge_free(f);
	forge_free(NULL);
}

int main(void)
{
#define test(fn) cmocka_unit_test_setup_teardown(fn, scratch_setup, scratch_teardown)
	const struct CMUnitTest tests[] = {
		test(test_note_has_a_sorted_line_for_each_context),
		test(test_every_state_has_its_word),
		test(test_later_status_takes_the_place_of_the_earlier),
		test(test_statuses_of_several_commits_go_to_each),
		test(test_refused_statuses_have_not_arrived),
		test(test_ref_that_is_no_notes_ref_is_an_error),
		cmocka_unit_test(test_no_forge_takes_everything_and_tells_nobody),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
