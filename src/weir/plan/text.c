/* The plan for a terminal or a log, and the parts of it that other ways of showing it use. */
#include "plan/render.h"

#include <stdint.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "doc/problem.h"

#define SHA_SHOWN     12
#define UNMANAGED_MAX 10

static void add_escaped(struct buf *out, const char *text)
{
	text_escape(out, text, strlen(text));
}

void text_header(const struct plan_header *h, struct buf *out)
{
	buf_adds(out, "Plan");
	if (h->name) {
		buf_adds(out, " for ");
		add_escaped(out, h->name);
	}
	if (h->sha) {
		buf_adds(out, " at ");
		text_escape(out, h->sha, strnlen(h->sha, SHA_SHOWN));
	}
	if (h->summary) {
		buf_adds(out, ": ");
		add_escaped(out, h->summary);
	}
	buf_addc(out, '\n');
	if (h->api) {
		buf_adds(out, "API: ");
		add_escaped(out, h->api);
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
		add_escaped(out, buf_str(&line));
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
			"\nErrors in Git; until they are mended, nothing is reset or deleted:\n");
		add_problems_of(problems, PROBLEM_ERROR, problems->n_errors, most, out);
	}
	if (problems->n_warnings) {
		buf_adds(out, "\nWarnings:\n");
		add_problems_of(problems, PROBLEM_WARNING, problems->n_warnings, most, out);
	}
}

void text_unmanaged(const struct plan *p, struct buf *out)
{
	size_t n = p->unmanaged.n;

	if (n == 0)
		return;
	buf_addf(out, "\n%zu in the API and not in Git: ", n);
	for (size_t i = 0; i < n && i < UNMANAGED_MAX; i++) {
		buf_adds(out, i ? ", " : "");
		add_escaped(out, p->unmanaged.at[i]);
	}
	if (n > UNMANAGED_MAX)
		buf_addf(out, " and %zu more", n - UNMANAGED_MAX);
	buf_addc(out, '\n');
}

static const char *const symbols[PLAN__COUNT] = {
	[PLAN_CREATE] = "create",
	[PLAN_UPDATE] = "update",
	[PLAN_RECONCILE] = "provision what is saved",
	[PLAN_ADOPT] = "manage from now on, nothing is written",
	[PLAN_DELETE] = "delete",
	[PLAN_HOLD] = "held until what `release` says",
};

static const char *const words[] = {
	[PLAN_CHANGE] = NULL,
	[PLAN_CONFLICT] = "changed in Git and by somebody else",
	[PLAN_DRIFT] = "changed by somebody else only",
	[PLAN_RESET] = "gone from YAML",
};

static void add_meaning(struct buf *line, const char *term, const char *meaning)
{
	buf_addf(line, "%s%s %s", line->len ? "; " : "", term, meaning);
}

static void add_legend_line(struct buf *out, const char *what, const struct buf *line)
{
	if (line->len)
		buf_addf(out, "%s: %s\n", what, buf_str(line));
}

void text_legend(const struct plan *p, struct buf *out)
{
	auto_buf struct buf symbol_line = BUF_INIT, word_line = BUF_INIT;
	bool used[ARRAY_SIZE(words)] = {false};

	vec_each (it, &p->items)
		for (size_t i = 0; i < it->diffs.n && !plan_creates(it); i++)
			used[it->diffs.at[i].change] = true;
	for (enum plan_action a = PLAN_CREATE; a < PLAN__COUNT; a++)
		if (p->count[a])
			add_meaning(&symbol_line, plan_action_symbol(a), symbols[a]);
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (used[i] && words[i])
			add_meaning(&word_line, plan_change_name((enum plan_change)i), words[i]);
	if (symbol_line.len)
		buf_addc(out, '\n');
	add_legend_line(out, "Symbols", &symbol_line);
	add_legend_line(out, "Words", &word_line);
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
