/* The plan for a terminal or a log, and the parts of it that other ways of showing it use. */
#include "plan/render.h"

#include <stdint.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "doc/problem.h"

#define SHA_SHOWN     12
#define UNMANAGED_MAX 10
#define NAME_SHOWN    63
#define VALUE_SHOWN   80 /* where the whole plan is not shown */
#define DIFFS_SHOWN   6 /* on one line */

void text_header(const struct plan_header *h, struct buf *out)
{
	buf_adds(out, "Plan");
	if (h->name) {
		buf_adds(out, " for ");
		plan_add_text(out, h->name);
	}
	if (h->sha) {
		buf_adds(out, " at ");
		text_escape(out, h->sha, strnlen(h->sha, SHA_SHOWN));
	}
	if (h->summary) {
		buf_adds(out, ": ");
		plan_add_text(out, h->summary);
	}
	buf_addc(out, '\n');
	if (h->api) {
		buf_adds(out, "API: ");
		plan_add_text(out, h->api);
		buf_addc(out, '\n');
	}
}

static void add_problems_of(const struct problems *problems, enum problem_level level, size_t total,
	size_t most, struct buf *out)
{
	size_t n = 0;

	vec_each (problem, problems) {
		auto_buf struct buf line = BUF_INIT;

		if (problem->level != level || n == most)
			continue;
		problem_format(problem, &line);
		buf_adds(out, "    ");
		plan_add_text(out, buf_str(&line));
		buf_addc(out, '\n');
		n++;
	}
	if (total > n)
		buf_addf(out, "    … and %zu more\n", total - n);
}

void text_problems(const struct plan *p, size_t most, struct buf *out)
{
	const struct problems *problems = p->problems;

	if (problems->n_errors) {
		buf_adds(out,
			"\nErrors in Git; until they are fixed, nothing is reset or deleted:\n");
		add_problems_of(problems, PROBLEM_ERROR, problems->n_errors, most, out);
	}
	if (problems->n_warnings) {
		buf_adds(out, "\nWarnings:\n");
		add_problems_of(problems, PROBLEM_WARNING, problems->n_warnings, most, out);
	}
}

/* Nobody checked these: they may be empty, or pages long. */
static void add_live_name(struct buf *out, const char *name)
{
	auto_buf struct buf text = BUF_INIT;

	plan_add_text(&text, *name ? name : "\"\"");
	text_truncate(&text, NAME_SHOWN);
	buf_adds(out, buf_str(&text));
}

void text_unmanaged(const struct plan *p, struct buf *out)
{
	size_t n = p->unmanaged.n;

	if (n == 0)
		return;
	buf_addf(out, "\n%zu in the API and not in Git: ", n);
	for (size_t i = 0; i < n && i < UNMANAGED_MAX; i++) {
		buf_adds(out, i ? ", " : "");
		add_live_name(out, p->unmanaged.at[i]);
	}
	if (n > UNMANAGED_MAX)
		buf_addf(out, " and %zu more", n - UNMANAGED_MAX);
	buf_addc(out, '\n');
}

/* What does not explain itself. */
static const char *const actions[PLAN__COUNT] = {
	[PLAN_REPLACE] = "delete and create anew",
	[PLAN_RECONCILE] = "provision what is saved already",
	[PLAN_ADOPT] = "manage from now on, nothing is written",
};

static const char *const changes[] = {
	[PLAN_CHANGE] = NULL,
	[PLAN_CONFLICT] = "changed in Git, and by somebody else too",
	[PLAN_DRIFT] = "changed by somebody else",
	[PLAN_RESET] = "gone from YAML",
};

static void add_meaning(struct buf *out, const char *term, const char *meaning)
{
	if (meaning)
		buf_addf(out, "%s%s: %s", out->len ? "; " : "", term, meaning);
}

static bool shows_changes(const struct plan_item *it)
{
	return !plan_creates(it) && !plan_deletes(it);
}

void text_legend(const struct plan *p, struct buf *out)
{
	bool used[ARRAY_SIZE(changes)] = {false};
	auto_buf struct buf line = BUF_INIT;

	vec_each (it, &p->items)
		for (size_t i = 0; i < it->diffs.n && shows_changes(it); i++)
			used[it->diffs.at[i].change] = true;
	for (enum plan_action a = 0; a < PLAN__COUNT; a++)
		if (p->count[a])
			add_meaning(&line, plan_action_name(a), actions[a]);
	for (size_t i = 0; i < ARRAY_SIZE(changes); i++)
		if (used[i])
			add_meaning(&line, plan_change_name((enum plan_change)i), changes[i]);
	if (line.len)
		buf_addf(out, "\n(%s)\n", buf_str(&line));
}

static void add_side(struct buf *out, const struct plan_diff *d, const struct node *value)
{
	auto_buf struct buf text = BUF_INIT;

	plan_value_text(&text, d->field, d->key, value);
	text_truncate(&text, VALUE_SHOWN);
	buf_adds(out, buf_str(&text));
}

static void add_setting(struct buf *out, const struct plan_diff *d)
{
	buf_adds(out, spec_fields[d->field].name);
	if (d->key) {
		buf_addc(out, '.');
		plan_add_text(out, d->key);
	}
	buf_adds(out, ": ");
}

static void add_side_or_nothing(
	struct buf *out, const struct plan_diff *d, const struct node *value)
{
	if (value)
		add_side(out, d, value);
	else
		buf_adds(out, "nothing");
}

void plan_diff_text(const struct plan_diff *d, struct buf *out)
{
	add_setting(out, d);
	add_side_or_nothing(out, d, d->after);
	buf_adds(out, " in Git, ");
	add_side_or_nothing(out, d, d->before);
	buf_adds(out, " live");
}

void plan_diffs_text(const struct plan_item *item, struct buf *out)
{
	size_t n = 0;

	vec_each (d, &item->diffs) {
		const char *word = plan_change_name(d->change);

		if (n++ >= DIFFS_SHOWN)
			continue;
		buf_adds(out, n > 1 ? ", " : "");
		add_setting(out, d);
		add_side(out, d, d->before);
		buf_adds(out, " -> ");
		add_side(out, d, d->after);
		if (*word)
			buf_addf(out, " (%s)", word);
	}
	if (n > DIFFS_SHOWN)
		buf_addf(out, " and %zu more", n - DIFFS_SHOWN);
}

void render_text(const struct plan *p, const struct plan_header *h, bool colour, struct buf *out)
{
	const struct text_style style = {.colour = colour};

	text_header(h, out);
	text_problems(p, SIZE_MAX, out);
	vec_each (it, &p->items) {
		if (!plan_is_shown(it))
			continue;
		buf_addc(out, '\n');
		block_print(&style, it, out);
	}
	text_unmanaged(p, out);
	text_legend(p, out);
	buf_addc(out, '\n');
	plan_closing(p, out);
	buf_addc(out, '\n');
}
