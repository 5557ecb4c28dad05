/*
 * Every folder of tests/data/plan is a test: what it holds is planned, and the plan must come out
 * as plan.txt says, what is sent for it as actions.txt, and, where they are there, as plan.md and
 * plan.json. UPDATE=1 in the environment rewrites them.
 */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/fs.h"
#include "base/strv.h"
#include "case.h"
#include "doc/json.h"
#include "plan/plan.h"

#define CASES TEST_DATA "/plan"

static void check_file(const char *folder, const char *name, const struct buf *got)
{
	auto_free char *path = fs_join(folder, name);
	auto_buf struct buf expected = BUF_INIT;
	struct err e = ERR_INIT;

	if (getenv("UPDATE")) {
		if (fs_write(path, buf_str(got), got->len, 0644, &e) < 0)
			fail_msg("%s", e.msg);
		return;
	}
	if (fs_read(path, &expected, &e) < 0)
		fail_msg("%s", e.msg);
	assert_string_equal(buf_str(got), buf_str(&expected));
}

static bool has_file(const char *folder, const char *name)
{
	auto_free char *path = fs_join(folder, name);
	auto_buf struct buf content = BUF_INIT;

	return fs_read(path, &content, NULL) == 0;
}

static void check_rendering(const struct plan *p, const struct plan_case *c, const char *folder,
	const char *name, enum plan_format format)
{
	auto_buf struct buf out = BUF_INIT;

	plan_render(p, &c->header, format, &out);
	check_file(folder, name, &out);
}

static void add_flag(struct buf *out, bool is_set, const char *name)
{
	if (is_set)
		buf_addf(out, " %s", name);
}

static void add_spec(struct buf *out, const char *what, const struct node *body)
{
	buf_addf(out, "    %s ", what);
	json_write(out, body, JSON_STYLE_CANONICAL);
	buf_addc(out, '\n');
}

/* What the caller gets besides what people see: flags, what is sent, and what will have been
 * applied. */
static void add_actions(struct buf *out, struct arena *a, const struct plan_item *it)
{
	buf_addf(out, "%s: %s", it->name, plan_action_name(it->action));
	if (it->action == PLAN_HOLD)
		buf_addf(out, " %s (%s)", plan_action_name(it->held_action),
			plan_hold_name(it->hold));
	add_flag(out, it->ours, "ours");
	add_flag(out, it->healthy, "healthy");
	add_flag(out, it->waiting, "waiting");
	add_flag(out, it->draft, "draft");
	add_flag(out, it->gone, "gone");
	add_flag(out, it->from_accepted, "from-accepted");
	add_flag(out, it->suspended, "suspended");
	add_flag(out, it->approved, "approved");
	buf_addc(out, '\n');
	if (it->action == PLAN_CREATE || it->action == PLAN_UPDATE || it->action == PLAN_REPLACE)
		add_spec(out, it->action == PLAN_UPDATE ? "PATCH" : "POST", plan_body(a, it));
	if (it->desired && it->action != PLAN_HOLD) {
		struct spec intended = plan_intended(a, it);

		add_spec(out, "then", spec_to_wire(a, &intended));
	}
}

static void check_counts(const struct plan *p)
{
	size_t count[PLAN__COUNT] = {0};

	vec_each (it, &p->items) {
		assert_true((it->action == PLAN_HOLD) == (it->hold != PLAN_HOLD_NOT));
		assert_true((it->action == PLAN_HOLD) ==
			    (it->held[0] != '\0' && it->release[0] != '\0'));
		assert_true(it == p->items.at || strcmp((it - 1)->name, it->name) < 0);
		assert_ptr_equal(plan_find(p, it->name), it);
		count[it->action]++;
	}
	assert_null(plan_find(p, "no-such-name"));
	assert_memory_equal(count, p->count, sizeof(count));
	assert_int_equal(p->n_changes, p->items.n - count[PLAN_NONE] - count[PLAN_HOLD]);
}

static void check_no_control_characters(const struct buf *out)
{
	for (size_t i = 0; i < out->len; i++)
		assert_true((unsigned char)out->data[i] >= 0x20 || out->data[i] == '\n');
}

/* Without its colours it is the plain text. */
static void check_colours(const struct buf *coloured, const struct buf *plain)
{
	auto_buf struct buf stripped = BUF_INIT;

	for (size_t i = 0; i < coloured->len; i++) {
		if (coloured->data[i] == '\033')
			i += strcspn(&coloured->data[i], "m");
		else
			buf_addc(&stripped, coloured->data[i]);
	}
	assert_string_equal(buf_str(&stripped), buf_str(plain));
}

static size_t run_of_backticks(const char *s)
{
	return strspn(s, "`");
}

/* The first line of backticks opens the fence, the last one closes it, and nothing between is as
 * long. */
static void check_fence(const struct buf *markdown)
{
	const char *open = strstr(buf_str(markdown), "\n```"),
		   *end = buf_str(markdown) + markdown->len;
	size_t n = open ? run_of_backticks(open + 1) : 0;

	assert_true(markdown->len <= 60000);
	if (!open)
		return;
	const char *close = open + 1 + n;
	while (run_of_backticks(close) < n) {
		close += run_of_backticks(close);
		assert_true(close < end);
		close++;
	}
	assert_int_equal(close[-1], '\n');
	assert_string_equal(close + n, "\n\n</details>\n");
}

static void check_renderings(const struct plan *p, const struct plan_case *c)
{
	auto_buf struct buf text = BUF_INIT, coloured = BUF_INIT, markdown = BUF_INIT,
			    json = BUF_INIT;

	plan_render(p, &c->header, PLAN_TEXT, &text);
	plan_render(p, &c->header, PLAN_TEXT_COLOUR, &coloured);
	plan_render(p, &c->header, PLAN_MARKDOWN, &markdown);
	plan_render(p, &c->header, PLAN_JSON, &json);
	check_no_control_characters(&text);
	check_no_control_characters(&markdown);
	check_no_control_characters(&json);
	check_colours(&coloured, &text);
	check_fence(&markdown);
}

static void test_case(void **state)
{
	const char *folder = *state;
	struct plan_case c;
	auto_buf struct buf actions = BUF_INIT;

	plan_case_load(&c, folder);
	struct plan *p = plan_build(&c.input);
	check_counts(p);
	check_renderings(p, &c);
	check_rendering(p, &c, folder, "plan.txt", PLAN_TEXT);
	if (has_file(folder, "plan.md"))
		check_rendering(p, &c, folder, "plan.md", PLAN_MARKDOWN);
	if (has_file(folder, "plan.json"))
		check_rendering(p, &c, folder, "plan.json", PLAN_JSON);
	vec_each (it, &p->items)
		add_actions(&actions, &c.arena, it);
	check_file(folder, "actions.txt", &actions);
	plan_free(p);
	plan_case_release(&c);
}

static void list_cases(struct strv *out)
{
	DIR *dir = opendir(CASES);

	for (struct dirent *entry; dir && (entry = readdir(dir));)
		if (entry->d_name[0] != '.')
			strv_push(out, entry->d_name);
	if (dir)
		closedir(dir);
	strv_sort(out);
}

int main(void)
{
	auto_strv struct strv names = VEC_INIT, folders = VEC_INIT;
	VEC(struct CMUnitTest) tests = VEC_INIT;

	list_cases(&names);
	vec_each (name, &names)
		strv_push_take(&folders, fs_join(CASES, *name));
	for (size_t i = 0; i < names.n; i++)
		vec_push(&tests, (struct CMUnitTest){.name = names.at[i],
					 .test_func = test_case,
					 .initial_state = folders.at[i]});
	int failed = _cmocka_run_group_tests("plan", tests.at, tests.n, NULL, NULL);
	vec_release(&tests);
	return failed;
}
