/* Problems: collected, sorted, printed. */
#include "doc/problem.h"

#include <stdarg.h>

#include "base/limits.h"
#include "base/text.h"

static char *escaped_message(const char *fmt, va_list ap)
{
	auto_free char *text = xvasprintf(fmt, ap);
	struct buf message = BUF_INIT;

	text_escape(&message, text, strlen(text));
	return buf_take(&message);
}

static void release_problem(struct problem *p)
{
	free(p->file);
	free(p->path);
	free(p->message);
}

/* Where the next one goes: a list that is full of warnings still has room for an error. It is n if
 * there is none. */
static size_t make_room(struct problems *p, enum problem_level level)
{
	size_t i = p->n;

	if (i < LIMIT_PROBLEMS) {
		vec_push(p, (struct problem){.level = level});
		return i;
	}
	while (level == PROBLEM_ERROR && i > 0)
		if (p->at[--i].level == PROBLEM_WARNING) {
			release_problem(&p->at[i]);
			return i;
		}
	return p->n;
}

void problems_add(struct problems *p, enum problem_level level, const char *file, unsigned line,
	unsigned col, const char *path, const char *fmt, ...)
{
	va_list ap;

	++*(level == PROBLEM_ERROR ? &p->n_errors : &p->n_warnings);
	p->last = make_room(p, level);
	if (p->last == p->n)
		return;
	va_start(ap, fmt);
	p->at[p->last] = (struct problem){
		.level = level,
		.file = xstrdup_opt(file),
		.line = line,
		.col = col,
		.path = xstrdup(path),
		.message = escaped_message(fmt, ap),
	};
	va_end(ap);
}

void problems_set_origin(struct problems *p, unsigned origin)
{
	if (p->last < p->n)
		p->at[p->last].origin = origin;
}

static int compare_numbers(unsigned a, unsigned b)
{
	return (a > b) - (a < b);
}

/* Path and message only make the order the same in each run. */
static int compare_problems(const void *left, const void *right)
{
	const struct problem *a = left, *b = right;
	int order = strcmp(a->file ? a->file : "", b->file ? b->file : "");

	if (order == 0)
		order = compare_numbers(a->line, b->line);
	if (order == 0)
		order = compare_numbers(a->col, b->col);
	if (order == 0)
		order = strcmp(a->path, b->path);
	return order ? order : strcmp(a->message, b->message);
}

void problems_sort(struct problems *p)
{
	if (p->n > 1)
		qsort(p->at, p->n, sizeof(*p->at), compare_problems);
}

static void add_place(struct buf *out, const struct problem *p)
{
	if (!p->file)
		return;
	text_escape(out, p->file, strlen(p->file));
	if (p->line)
		buf_addf(out, ":%u", p->line);
	if (p->line && p->col)
		buf_addf(out, ":%u", p->col);
	buf_adds(out, ": ");
}

void problem_format(const struct problem *p, struct buf *out)
{
	add_place(out, p);
	if (p->level == PROBLEM_WARNING)
		buf_adds(out, "warning: ");
	if (*p->path) {
		text_escape(out, p->path, strlen(p->path));
		buf_adds(out, ": ");
	}
	buf_adds(out, p->message);
}

void problems_print(const struct problems *p, FILE *out)
{
	size_t n_all = p->n_errors + p->n_warnings;

	vec_each (it, p) {
		auto_buf struct buf line = BUF_INIT;

		problem_format(it, &line);
		fprintf(out, "%s\n", buf_str(&line));
	}
	if (n_all > p->n)
		fprintf(out, "… and %zu more\n", n_all - p->n);
}

void problems_release(struct problems *p)
{
	vec_each (it, p)
		release_problem(it);
	vec_release(p);
	*p = (struct problems)PROBLEMS_INIT;
}
