/*
 * The plan for a comment: the sum of it, and the rest folded away. All that came from outside
 * stands in one fence, which is longer than any run of backticks in it.
 */
#include "plan/render.h"

#include <string.h>

/* Bytes. With what else there is they stay below 60,000: forges take 65,535 characters at most. */
#define HEAD_MAX  8000
#define ITEMS_MAX 44000
#define TAIL_MAX  6000

#define PROBLEMS_SHOWN 50 /* errors, and as many warnings */
#define BACKTICKS_MAX  20 /* in a row; of more, the rest is left out */

/* Adds whole lines of `text` while they fit into `most` bytes. */
static void add_lines(struct buf *out, const struct buf *text, size_t most)
{
	size_t len = text->len;

	while (len > most || (len > 0 && text->data[len - 1] != '\n'))
		len--;
	buf_add(out, buf_str(text), len);
	if (len < text->len)
		buf_adds(out, "… cut here; `weir plan` shows all of it\n");
}

static void add_items(const struct plan *p, struct buf *out)
{
	static const struct text_style style = {.diff = true};
	auto_buf struct buf counts = BUF_INIT;
	size_t hidden[PLAN__COUNT] = {0}, n_hidden = 0;

	vec_each (it, &p->items) {
		auto_buf struct buf block = BUF_INIT;

		if (!plan_is_shown(it))
			continue;
		buf_addc(&block, '\n');
		block_print(&style, it, &block);
		if (out->len + block.len <= ITEMS_MAX) {
			buf_add(out, block.data, block.len);
		} else {
			hidden[it->action]++;
			n_hidden++;
		}
	}
	if (n_hidden == 0)
		return;
	buf_addf(out, "\n… and %zu more, too much for a comment", n_hidden);
	plan_counts(hidden, &counts);
	buf_addf(out, "%s%s\n", counts.len ? ": " : "", buf_str(&counts));
}

static size_t longest_run(const struct buf *text)
{
	size_t longest = 0, run = 0;

	for (size_t i = 0; i < text->len; i++) {
		run = text->data[i] == '`' ? run + 1 : 0;
		longest = run > longest ? run : longest;
	}
	return longest;
}

static void cut_runs(struct buf *out, const struct buf *text)
{
	size_t run = 0;

	for (size_t i = 0; i < text->len; i++) {
		run = text->data[i] == '`' ? run + 1 : 0;
		if (run <= BACKTICKS_MAX)
			buf_addc(out, text->data[i]);
		else if (run == BACKTICKS_MAX + 1)
			buf_adds(out, "…");
	}
}

static void add_fence(struct buf *out, size_t longest, const char *language)
{
	size_t n = longest < 3 ? 3 : longest + 1;

	for (size_t i = 0; i < n; i++)
		buf_addc(out, '`');
	buf_addf(out, "%s\n", language);
}

static void add_details(struct buf *out, const struct buf *text)
{
	auto_buf struct buf safe = BUF_INIT;

	cut_runs(&safe, text);
	buf_adds(out, "\n<details><summary>What and why</summary>\n\n");
	add_fence(out, longest_run(&safe), "diff");
	buf_add(out, buf_str(&safe), safe.len);
	add_fence(out, longest_run(&safe), "");
	buf_adds(out, "\n</details>\n");
}

void render_markdown(const struct plan *p, const struct plan_header *h, struct buf *out)
{
	auto_buf struct buf head = BUF_INIT, items = BUF_INIT, tail = BUF_INIT, text = BUF_INIT;

	buf_adds(out, "**");
	plan_closing(p, out);
	buf_adds(out, "**\n");
	add_items(p, &items);
	if (items.len == 0 && p->problems->n == 0)
		return;
	text_header(h, &head);
	text_problems(p, PROBLEMS_SHOWN, &head);
	text_unmanaged(p, &tail);
	text_legend(p, &tail);
	add_lines(&text, &head, HEAD_MAX);
	buf_add(&text, buf_str(&items), items.len);
	add_lines(&text, &tail, TAIL_MAX);
	add_details(out, &text);
}
