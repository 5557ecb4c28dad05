/* Webhooks, signed and not, as JSON and in forms. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/alloc.h"
#include "base/log.h"
#include "hook/hook.h"

/* Signatures under the key "It's a Secret to Everybody", made with openssl dgst -sha256 -hmac. */
#define PUSH		 "{\"ref\":\"refs/heads/main\"}"
#define PUSH_SIGNATURE	 "6a42699496d8c4fb346af1c930df527931a321e28ada69dbc5ee82f438517fd2"
#define OTHER		 "{\"ref\":\"refs/heads/mainly\"}"
#define OTHER_SIGNATURE	 "5adce5505c7c684690fdc7440cbf4d67aa19f612ca616edaaa288eaf1b1079a1"
#define NOTES		 "{\"ref\":\"refs/notes/weir/acme\"}"
#define NOTES_SIGNATURE	 "4bf91185790fc634e9fc75ed0e3d66ae37e1cdae6392caaf1dc287eefb243f47"
#define FORM		 "a=b&payload=%7B%22ref%22%3A+%22refs%2Fheads%2Fmain%22%7D&c"
#define FORM_SIGNATURE	 "63e20d9f7a5d39293403e3d1a6faf6c77063a35840bd0f0b869a7074d65a3626"
#define BROKEN		 "{\"ref\":"
#define BROKEN_SIGNATURE "57af1acbf2318bf213f379b3edeefe6a054e77bb1fc63e2bf8885f3770b3955a"

struct bench {
	struct hook *hook;
	struct clock clock;
	int64_t now;
	struct hook_answer answer;
};

static int64_t read_now(void *ctx)
{
	return ((struct bench *)ctx)->now;
}

static int open_bench(void **state)
{
	struct bench *b = xcalloc(1, sizeof(*b));
	setenv("HOOK_SECRET", "It's a Secret to Everybody", 1);
	b->now = 1000;
	b->clock = (struct clock){read_now, read_now, b};
	const struct hook_options options = {
		.branch = "main", .secret_ref = "env:HOOK_SECRET", .clock = &b->clock};
	b->hook = hook_new(&options);
	*state = b;
	return 0;
}

static int close_bench(void **state)
{
	struct bench *b = *state;
	hook_free(b->hook);
	free(b);
	return 0;
}

static struct hook_request github(const char *event, const char *body, const char *signature)
{
	return (struct hook_request){
		.content_type = "application/json",
		.github_event = event,
		.github_signature = signature,
		.body = body,
		.len = strlen(body),
	};
}

static void expect(
	struct bench *b, const struct hook_request *q, enum hook_outcome outcome, int status)
{
	hook_take(b->hook, q, &b->answer);
	if (b->answer.outcome != outcome)
		fail_msg("%s: %s", hook_outcome_name(b->answer.outcome), b->answer.text);
	assert_int_equal(b->answer.status, status);
}

static void test_a_signed_push_to_our_branch_wakes(void **state)
{
	struct hook_request q = github("push", PUSH, "sha256=" PUSH_SIGNATURE);
	expect(*state, &q, HOOK_PUSH, 202);
}

static void test_giteas_headers_come_first(void **state)
{
	struct hook_request q = github("push", PUSH, "sha256=" OTHER_SIGNATURE);
	q.gitea_event = "push";
	q.gitea_signature = PUSH_SIGNATURE;
	expect(*state, &q, HOOK_PUSH, 202);
	q.gitea_event = "create";
	expect(*state, &q, HOOK_IGNORED, 202);
}

static void test_another_ref_is_ignored(void **state)
{
	struct hook_request q = github("push", OTHER, "sha256=" OTHER_SIGNATURE);
	expect(*state, &q, HOOK_IGNORED, 202);
	q = github("push", NOTES, "sha256=" NOTES_SIGNATURE);
	expect(*state, &q, HOOK_IGNORED, 202);
	assert_string_equal(((struct bench *)*state)->answer.text,
		"ignored: refs/notes/weir/acme is not the branch main");
}

static void test_what_is_not_signed_is_refused(void **state)
{
	static const char *const signatures[] = {NULL, "", "sha256=", "sha256=00", PUSH_SIGNATURE,
		"sha1=" PUSH_SIGNATURE, "sha256=" OTHER_SIGNATURE, "sha256=" PUSH_SIGNATURE "0",
		"SHA256=" PUSH_SIGNATURE};
	for (size_t i = 0; i < ARRAY_SIZE(signatures); i++) {
		struct hook_request q = github("push", PUSH, signatures[i]);
		expect(*state, &q, HOOK_REFUSED, 401);
	}
	struct hook_request q = github("ping", PUSH, NULL);
	expect(*state, &q, HOOK_REFUSED, 401);
	q = github("push", PUSH " ", "sha256=" PUSH_SIGNATURE);
	expect(*state, &q, HOOK_REFUSED, 401);
	q = github("push", PUSH, "sha256=");
	q.gitea_event = "push";
	q.gitea_signature = "";
	expect(*state, &q, HOOK_REFUSED, 401);
}

static void test_a_form_is_signed_as_it_is_sent(void **state)
{
	struct hook_request q = github("push", FORM, "sha256=" FORM_SIGNATURE);
	q.content_type = "application/x-www-form-urlencoded; charset=utf-8";
	expect(*state, &q, HOOK_PUSH, 202);
}

static void test_giteas_forms_are_refused_with_what_to_set(void **state)
{
	struct hook_request q = github("push", FORM, "sha256=" FORM_SIGNATURE);
	q.content_type = "application/x-www-form-urlencoded";
	q.gitea_event = "push";
	q.gitea_signature = FORM_SIGNATURE;
	expect(*state, &q, HOOK_REFUSED, 415);
	assert_non_null(strstr(
		((struct bench *)*state)->answer.text, "set the webhook's to application/json"));
}

static void test_what_cannot_be_read_is_refused(void **state)
{
	struct hook_request q = github("push", BROKEN, "sha256=" BROKEN_SIGNATURE);
	expect(*state, &q, HOOK_REFUSED, 400);
	q = github("push", PUSH, "sha256=" PUSH_SIGNATURE);
	q.content_type = NULL;
	expect(*state, &q, HOOK_REFUSED, 415);
	q.content_type = "application/json5";
	expect(*state, &q, HOOK_REFUSED, 415);
	q.content_type = "application/x-www-form-urlencoded";
	expect(*state, &q, HOOK_REFUSED, 400);
	q = github(NULL, PUSH, "sha256=" PUSH_SIGNATURE);
	expect(*state, &q, HOOK_REFUSED, 400);
}

static void test_a_ping_is_answered(void **state)
{
	struct hook_request q = github("ping", PUSH, "sha256=" PUSH_SIGNATURE);
	expect(*state, &q, HOOK_PING, 200);
}

static void test_a_delivery_counts_once_in_an_hour(void **state)
{
	struct bench *b = *state;
	struct hook_request q = github("push", PUSH, "sha256=" PUSH_SIGNATURE);
	q.github_delivery = "one";
	expect(b, &q, HOOK_PUSH, 202);
	expect(b, &q, HOOK_REPEATED, 202);
	q.github_delivery = "two";
	expect(b, &q, HOOK_PUSH, 202);
	b->now += 3600 * 1000;
	q.github_delivery = "one";
	expect(b, &q, HOOK_PUSH, 202);
}

static void test_a_delivery_that_was_refused_may_come_again(void **state)
{
	struct hook_request q = github("push", PUSH, "sha256=" OTHER_SIGNATURE);
	q.github_delivery = "one";
	expect(*state, &q, HOOK_REFUSED, 401);
	q.github_signature = "sha256=" PUSH_SIGNATURE;
	expect(*state, &q, HOOK_PUSH, 202);
}

static void test_a_flood_is_limited_and_passes(void **state)
{
	struct bench *b = *state;
	struct hook_request q = github("push", PUSH, NULL);
	for (int i = 0; i < 60; i++)
		expect(b, &q, HOOK_REFUSED, 401);
	expect(b, &q, HOOK_LIMITED, 429);
	assert_int_equal(b->answer.retry_after_ms, 1000);
	b->now += 1000;
	q.github_signature = "sha256=" PUSH_SIGNATURE;
	for (int i = 0; i < 10; i++)
		expect(b, &q, HOOK_PUSH, 202);
	expect(b, &q, HOOK_LIMITED, 429);
	assert_int_equal(hook_counts(b->hook)[HOOK_PUSH], 10);
	assert_int_equal(hook_counts(b->hook)[HOOK_LIMITED], 2);
}

static void test_without_its_secret_nothing_is_believed(void **state)
{
	struct hook_request q = github("push", PUSH, "sha256=" PUSH_SIGNATURE);
	unsetenv("HOOK_SECRET");
	expect(*state, &q, HOOK_UNREADY, 503);
}

static void test_texts_from_outside_are_escaped(void **state)
{
	struct bench *b = *state;
	struct hook_request q = github("push", PUSH, "sha256=" PUSH_SIGNATURE);
	q.content_type = "text/\033[31mred";
	expect(b, &q, HOOK_REFUSED, 415);
	assert_null(strchr(b->answer.text, '\033'));
}

int main(void)
{
	log_setup(LOG__COUNT, LOG_TEXT);
#define TEST(f) cmocka_unit_test_setup_teardown(f, open_bench, close_bench)
	const struct CMUnitTest tests[] = {
		TEST(test_a_signed_push_to_our_branch_wakes),
		TEST(test_giteas_headers_come_first),
		TEST(test_another_ref_is_ignored),
		TEST(test_what_is_not_signed_is_refused),
		TEST(test_a_form_is_signed_as_it_is_sent),
		TEST(test_giteas_forms_are_refused_with_what_to_set),
		TEST(test_what_cannot_be_read_is_refused),
		TEST(test_a_ping_is_answered),
		TEST(test_a_delivery_counts_once_in_an_hour),
		TEST(test_a_delivery_that_was_refused_may_come_again),
		TEST(test_a_flood_is_limited_and_passes),
		TEST(test_without_its_secret_nothing_is_believed),
		TEST(test_texts_from_outside_are_escaped),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
