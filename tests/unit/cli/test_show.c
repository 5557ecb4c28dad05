/* `weir status` as people read it: one screen, whatever there is to be said. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "cli/show.h"
#include "doc/json.h"

#define AT "2026-12-01T03:20:00Z"

static const struct screen narrow = {.width = 80};

static void add(struct buf *json, const char *name, const char *standing, const char *more)
{
	buf_addf(json, "%s\"%s\": {\"standing\": \"%s\", \"since\": \"" AT "\"%s%s}",
		json->len ? ", " : "", name, standing, *more ? ", " : "", more);
}

static void show(const char *replicators, bool all, struct buf *out)
{
	auto_arena struct arena a = ARENA_INIT;
	auto_buf struct buf json = BUF_INIT;
	struct node *status = NULL;
	struct err e = ERR_INIT;
	buf_addf(&json, "{\"name\": \"acme\", \"daemon\": true, \"replicators\": {%s}}",
		replicators);
	if (json_read(&a, buf_str(&json), json.len, &status, &e) < 0)
		fail_msg("%s", e.msg);
	show_status(status, all, narrow, out);
}

static size_t count_lines(const struct buf *text)
{
	size_t n = 0;
	for (size_t i = 0; i < text->len; i++)
		n += text->data[i] == '\n';
	return n;
}

static void assert_fits(const struct buf *text)
{
	auto_buf struct buf line = BUF_INIT;
	for (size_t i = 0; i < text->len; i++) {
		if (text->data[i] != '\n') {
			buf_addc(&line, text->data[i]);
			continue;
		}
		if (text_length(buf_str(&line)) > narrow.width)
			fail_msg("too long: %s", buf_str(&line));
		buf_clear(&line);
	}
}

static void assert_shows(const struct buf *text, const char *wanted)
{
	if (!strstr(buf_str(text), wanted))
		fail_msg("\"%s\" is not in:\n%s", wanted, buf_str(text));
}

#define TURN "\"why\": \"waits for its turn, until more of its commit are Healthy\""

static void test_what_is_on_its_way_is_one_line(void **state)
{
	(void)state;
	auto_buf struct buf rows = BUF_INIT, out = BUF_INIT;
	for (int i = 0; i < 60; i++) {
		char name[16];
		snprintf(name, sizeof(name), "r%d", i);
		add(&rows, name, i < 3 ? "waiting" : "applying", i < 3 ? "" : TURN);
	}
	add(&rows, "z", "held", "\"hold\": \"adopt\", \"why\": \"it is there\"");
	show(buf_str(&rows), false, &out);
	assert_shows(&out, "\n60 on their way: 57 applying, 3 waiting\n");
	assert_shows(&out, "\nz     held      " AT "  adopt\n    why    it is there\n");
	assert_true(count_lines(&out) < 12);
	buf_clear(&out);
	show(buf_str(&rows), true, &out);
	assert_shows(&out, "\nr59   applying  ");
}

static void test_what_stands_in_its_way_is_told(void **state)
{
	(void)state;
	auto_buf struct buf rows = BUF_INIT, out = BUF_INIT;
	add(&rows, "a", "applying", "\"why\": \"the API failed (500)\"");
	show(buf_str(&rows), false, &out);
	assert_shows(&out, "\na     applying  " AT "\n    why    the API failed (500)\n");
}

static void test_the_order_is_by_urgency_and_then_by_name(void **state)
{
	(void)state;
	static const char *const names[] = {"h", "r2", "r10", "f", "s"};
	auto_buf struct buf rows = BUF_INIT, out = BUF_INIT;
	add(&rows, "r10", "left alone", "\"why\": \"b.yaml:3:1: x\"");
	add(&rows, "r2", "left alone", "\"why\": \"a.yaml:3:1: x\"");
	add(&rows, "s", "suspended", "\"why\": \"suspended\"");
	add(&rows, "f", "failed", "\"why\": \"no\", \"until\": \"" AT "\"");
	add(&rows, "h", "held", "\"why\": \"protected\"");
	show(buf_str(&rows), false, &out);
	const char *last = buf_str(&out);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		auto_buf struct buf line = BUF_INIT;
		buf_addf(&line, "\n%s ", names[i]);
		const char *at = strstr(last, buf_str(&line));
		if (!at) {
			fail_msg("%s is not where it is to be:\n%s", names[i], buf_str(&out));
			return;
		}
		last = at;
	}
	assert_shows(&out, "    again  " AT "\n");
}

static void add_braked(struct buf *rows, const char *name, const char *release)
{
	auto_buf struct buf more = BUF_INIT;
	buf_addf(&more, "\"hold\": \"brake\", \"why\": \"three failed\", \"release\": \"%s\"",
		release);
	add(rows, name, "not begun", buf_str(&more));
}

static void test_what_is_to_be_said_of_many_is_said_once(void **state)
{
	(void)state;
	auto_buf struct buf rows = BUF_INIT, out = BUF_INIT;
	for (int i = 1; i <= 40; i++) {
		char name[16], release[40];
		snprintf(name, sizeof(name), "r%d", i);
		snprintf(release, sizeof(release), "`weir approve r%d`", i);
		add_braked(&rows, name, release);
	}
	add_braked(&rows, "other", "wait");
	show(buf_str(&rows), false, &out);
	assert_shows(&out, "    and    r2, r3, r4, r5, r6, r7, r8, r9 +31 more\n");
	assert_shows(&out, "    do     `weir approve r1` (each by its own name)\n");
	assert_shows(&out, "\nr1     not begun  " AT "  brake\n");
	assert_shows(&out, "    do     wait\n");
	assert_true(count_lines(&out) < 15);
	buf_clear(&out);
	show(buf_str(&rows), true, &out);
	assert_shows(&out, "\nr39    not begun  " AT "  brake\nr40    not begun  ");
}

static void test_many_reasons_are_one_screen_too(void **state)
{
	(void)state;
	auto_buf struct buf rows = BUF_INIT, out = BUF_INIT;
	for (int i = 1; i <= 60; i++) {
		char name[16], why[64];
		snprintf(name, sizeof(name), "r%d", i);
		snprintf(why, sizeof(why), "\"why\": \"f%d.yaml:1:1: wrong\", \"release\": \"x\"",
			i);
		add(&rows, name, i > 50 ? "failed" : "left alone", why);
	}
	show(buf_str(&rows), false, &out);
	assert_shows(&out, "\n52 more: 42 left alone, 10 failed (--all lists them)\n");
	assert_true(count_lines(&out) < 35);
	buf_clear(&out);
	show(buf_str(&rows), true, &out);
	assert_shows(&out, "f60.yaml:1:1");
}

static void test_columns_stand_below_each_other_whatever_the_words(void **state)
{
	(void)state;
	auto_buf struct buf rows = BUF_INIT, out = BUF_INIT;
	add(&rows, "a-replicator-whose-name-is-long-enough-for-a-line-of-its-own", "held",
		"\"hold\": \"foreign-draft\", \"why\": \"x\"");
	add(&rows, "twenty-three-characters", "waits for a window", "\"hold\": \"window\"");
	add(&rows, "b", "waits for others", "\"hold\": \"depends-on\"");
	show(buf_str(&rows), false, &out);
	assert_shows(&out,
		"\nNAME                     STANDING            SINCE                 HELD FOR\n");
	assert_shows(
		&out, "\n                         held                " AT "  foreign-draft\n");
	assert_shows(&out, "\ntwenty-three-characters  waits for a window  " AT "  window\n");
	assert_shows(&out, "\nb                        waits for others    " AT "  depends-on\n");
	assert_fits(&out);
}

static void test_what_is_live_is_explained_beside_what_git_says(void **state)
{
	(void)state;
	static const char json[] =
		"{\"name\": \"a\", \"standing\": \"held\", \"hold\": \"contested\", "
		"\"generation\": 5, \"provisioned_generation\": 5, \"live_generation\": 7, "
		"\"differs\": [\"lag_alert_threshold: 100 in Git, 78 live\"]}";
	auto_arena struct arena a = ARENA_INIT;
	auto_buf struct buf out = BUF_INIT;
	struct node *row = NULL;
	assert_int_equal(json_read(&a, json, strlen(json), &row, NULL), 0);
	show_explained(row, narrow, &out);
	assert_shows(&out, "\ndiffers     lag_alert_threshold: 100 in Git, 78 live\n");
	assert_shows(&out, "\ngeneration  5, seen through 5; 7 is live\n");
}

static void test_what_was_deleted_is_not_shown_as_json(void **state)
{
	(void)state;
	static const char json[] =
		"{\"name\": \"acme\", \"daemon\": true, \"replicators\": {}, \"events\": "
		"[{\"at\": \"" AT "\", \"name\": \"a\", \"what\": \"to be deleted\", "
		"\"detail\": \"{\\\"provider\\\": null}\"}]}";
	auto_arena struct arena a = ARENA_INIT;
	auto_buf struct buf out = BUF_INIT;
	struct node *status = NULL;
	assert_int_equal(json_read(&a, json, strlen(json), &status, NULL), 0);
	show_status(status, false, narrow, &out);
	assert_shows(&out, AT "  a: to be deleted (`weir explain a` has its settings)\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_is_on_its_way_is_one_line),
		cmocka_unit_test(test_what_stands_in_its_way_is_told),
		cmocka_unit_test(test_the_order_is_by_urgency_and_then_by_name),
		cmocka_unit_test(test_what_is_to_be_said_of_many_is_said_once),
		cmocka_unit_test(test_many_reasons_are_one_screen_too),
		cmocka_unit_test(test_columns_stand_below_each_other_whatever_the_words),
		cmocka_unit_test(test_what_is_live_is_explained_beside_what_git_says),
		cmocka_unit_test(test_what_was_deleted_is_not_shown_as_json),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
