/* One item of the plan as a block of aligned lines. */
#include "plan/render.h"

#include <string.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "base/text.h"

#define VALUE_INLINE_MAX                                                                           \
	72 /* code points of "old -> new"; past that each gets a line of its own                   \
	    */
#define VALUE_MAX   400 /* code points of a value on a line of its own */
#define ENTRIES_MAX 20 /* of a list that are shown one by one */

#define COLOUR_DIM   "\033[2m"
#define COLOUR_GOES  "\033[31m"
#define COLOUR_COMES "\033[32m"
#define COLOUR_WORD  "\033[33m"
#define COLOUR_END   "\033[0m"

enum cell {
	CELL_LABEL,
	CELL_VALUE,
	CELL_PLACE, /* file:line */
	CELL_WORD, /* "drift", … */
	CELL__COUNT
};

/* A column is as wide as the widest of its cells that is not past `most`. */
static const struct {
	size_t most;
	const char *colour;
} columns[CELL__COUNT] = {
	[CELL_LABEL] = {48, ""},
	[CELL_VALUE] = {VALUE_INLINE_MAX, ""},
	[CELL_PLACE] = {48, COLOUR_DIM},
	[CELL_WORD] = {0, COLOUR_WORD},
};

struct line {
	char mark; /* - what goes, + what comes, a blank for the rest */
	bool nested; /* belongs to the line above, and has a value only */
	const char *cell[CELL__COUNT];
};

struct block {
	const struct text_style *style;
	bool creates; /* there is no before */
	bool deletes; /* there is no after */
	struct arena arena; /* the cells */
	struct {
		VEC_FIELDS(struct line);
	} lines;
};

static const char *const action_colours[PLAN__COUNT] = {
	[PLAN_NONE] = "",
	[PLAN_CREATE] = "\033[32m",
	[PLAN_UPDATE] = "\033[33m",
	[PLAN_REPLACE] = "\033[31m",
	[PLAN_RECONCILE] = "\033[36m",
	[PLAN_ADOPT] = "\033[36m",
	[PLAN_DELETE] = "\033[31m",
	[PLAN_HOLD] = "\033[35m",
};

static void add_painted(
	struct buf *out, const struct text_style *style, const char *colour, const char *text)
{
	bool paints = style->colour && *colour && *text;

	buf_addf(out, "%s%s%s", paints ? colour : "", text, paints ? COLOUR_END : "");
}

static const char *keep(struct block *b, const struct buf *text)
{
	return arena_memdupz(&b->arena, buf_str(text), text->len);
}

static const char *label_of(struct block *b, const struct plan_diff *d)
{
	auto_buf struct buf text = BUF_INIT;

	buf_adds(&text, spec_fields[d->field].name);
	if (d->key) {
		buf_addc(&text, '.');
		plan_add_text(&text, d->key);
	}
	return keep(b, &text);
}

static const char *value_of(struct block *b, const struct plan_diff *d, const struct node *value)
{
	auto_buf struct buf text = BUF_INIT;

	plan_value_text(&text, d->field, d->key, value);
	return keep(b, &text);
}

static const char *place_of(struct block *b, const char *file, unsigned line)
{
	auto_buf struct buf text = BUF_INIT;

	if (file) {
		plan_add_text(&text, file);
		buf_addf(&text, ":%u", line);
	}
	return keep(b, &text);
}

static void add_nested(struct block *b, char mark, const char *value)
{
	auto_buf struct buf text = BUF_INIT;

	buf_adds(&text, value);
	text_truncate(&text, VALUE_MAX);
	vec_push(&b->lines,
		(struct line){
			.mark = mark, .nested = true, .cell = {[CELL_VALUE] = keep(b, &text)}});
}

/* As an API or Git has lists in their canonical form: strings, sorted, each once. */
static bool is_sorted_list(const struct node *n)
{
	if (!n)
		return true;
	if (n->type != NODE_SEQ)
		return false;
	for (size_t i = 0; i < n->u.seq.n; i++) {
		if (n->u.seq.at[i]->type != NODE_STRING)
			return false;
		if (i && strcmp(n->u.seq.at[i - 1]->u.string.s, n->u.seq.at[i]->u.string.s) >= 0)
			return false;
	}
	return true;
}

static size_t length_of(const struct node *list)
{
	return list ? list->u.seq.n : 0;
}

static void add_entry(struct block *b, char mark, const struct node *entry, size_t n_before)
{
	auto_buf struct buf text = BUF_INIT;

	if (n_before >= ENTRIES_MAX)
		return;
	plan_add_text(&text, entry->u.string.s);
	add_nested(b, mark, buf_str(&text));
}

/* Two sorted lists: what is in one of them only. */
static void add_entries(struct block *b, const struct node *before, const struct node *after)
{
	size_t n = 0, n_before = length_of(before), n_after = length_of(after);

	for (size_t i = 0, j = 0; i < n_before || j < n_after;) {
		const struct node *goes = i < n_before ? before->u.seq.at[i] : NULL;
		const struct node *comes = j < n_after ? after->u.seq.at[j] : NULL;
		int order = !goes ? 1 : !comes ? -1 : strcmp(goes->u.string.s, comes->u.string.s);

		if (order < 0)
			add_entry(b, '-', goes, n++);
		else if (order > 0)
			add_entry(b, '+', comes, n++);
		i += order <= 0;
		j += order >= 0;
	}
	if (n > ENTRIES_MAX)
		add_nested(b, ' ', arena_printf(&b->arena, "… and %zu more", n - ENTRIES_MAX));
}

/* The values do not fit beside each other. */
static void add_long(struct block *b, struct line line, const struct plan_diff *d,
	const char *before, const char *after)
{
	bool lists = spec_fields[d->field].kind == SPEC_KIND_PATTERNS &&
		     is_sorted_list(d->before) && is_sorted_list(d->after);
	size_t n = lists ? length_of(d->after) : 0;

	line.cell[CELL_VALUE] = "";
	if (lists && (b->creates || b->deletes))
		line.cell[CELL_VALUE] = arena_printf(
			&b->arena, "%zu entries", b->deletes ? length_of(d->before) : n);
	else if (lists)
		line.cell[CELL_VALUE] =
			arena_printf(&b->arena, "%zu -> %zu entries", length_of(d->before), n);
	vec_push(&b->lines, line);
	if (lists) {
		add_entries(b, d->before, d->after);
		return;
	}
	if (!b->creates)
		add_nested(b, '-', before);
	if (!b->deletes)
		add_nested(b, '+', after);
}

/* One line that goes and one that comes. */
static void add_pair(struct block *b, struct line line, const char *before, const char *after)
{
	struct line goes = {
		.mark = '-', .cell = {[CELL_LABEL] = line.cell[CELL_LABEL], [CELL_VALUE] = before}};

	if (!b->creates)
		vec_push(&b->lines, goes);
	if (b->deletes)
		return;
	line.mark = '+';
	line.cell[CELL_VALUE] = after;
	vec_push(&b->lines, line);
}

static void add_diff(struct block *b, const struct plan_diff *d)
{
	const char *before = value_of(b, d, d->before), *after = value_of(b, d, d->after);
	const char *both = b->creates	? after
			   : b->deletes ? before
					: arena_printf(&b->arena, "%s -> %s", before, after);
	bool is_one = b->creates || b->deletes;
	struct line line = {
		.mark = ' ',
		.cell = {[CELL_LABEL] = label_of(b, d),
			[CELL_VALUE] = both,
			[CELL_PLACE] = place_of(b, d->file, d->line),
			[CELL_WORD] = is_one ? "" : plan_change_name(d->change)},
	};

	if (text_length(both) > VALUE_INLINE_MAX)
		add_long(b, line, d, before, after);
	else if (b->style->diff)
		add_pair(b, line, before, after);
	else
		vec_push(&b->lines, line);
}

static size_t cell_length(const struct line *line, enum cell cell)
{
	return line->cell[cell] ? text_length(line->cell[cell]) : 0;
}

static void measure(const struct block *b, size_t widths[CELL__COUNT])
{
	vec_each (line, &b->lines) {
		for (enum cell c = 0; c < CELL__COUNT && !line->nested; c++) {
			size_t n = cell_length(line, c);

			if (n <= columns[c].most && n > widths[c])
				widths[c] = n;
		}
	}
}

/* In a diff the mark stands in front of the line, else in front of the value. */
static void print_nested(const struct block *b, const struct line *line, struct buf *out)
{
	const char *colour = line->mark == '-'	 ? COLOUR_GOES
			     : line->mark == '+' ? COLOUR_COMES
						 : "";
	auto_buf struct buf text = BUF_INIT;

	buf_addf(out, "%c       ", b->style->diff ? line->mark : ' ');
	if (!b->style->diff)
		buf_addf(&text, "%c ", line->mark);
	buf_adds(&text, line->cell[CELL_VALUE]);
	add_painted(out, b->style, colour, buf_str(&text));
}

static void print_line(const struct block *b, const struct line *line,
	const size_t widths[CELL__COUNT], struct buf *out)
{
	size_t owed = 0; /* blanks, once something comes behind them */

	buf_addf(out, "%c   ", b->style->diff ? line->mark : ' ');
	for (enum cell c = 0; c < CELL__COUNT; c++) {
		size_t n = cell_length(line, c);

		if (n > 0) {
			buf_addf(out, "%*s", (int)owed, "");
			add_painted(out, b->style, columns[c].colour, line->cell[c]);
			owed = 0;
		}
		owed += n < widths[c] ? widths[c] - n : 0;
		owed += widths[c] ? 2 : 0;
	}
}

static void print_lines(const struct block *b, struct buf *out)
{
	size_t widths[CELL__COUNT] = {0};

	measure(b, widths);
	vec_each (line, &b->lines) {
		if (line->nested)
			print_nested(b, line, out);
		else
			print_line(b, line, widths, out);
		buf_addc(out, '\n');
	}
}

static void print_head(const struct text_style *style, const struct plan_item *it, struct buf *out)
{
	auto_buf struct buf name = BUF_INIT, place = BUF_INIT;

	buf_addf(&name, "%s ", plan_action_symbol(it->action));
	plan_add_text(&name, it->name);
	add_painted(out, style, action_colours[it->action], buf_str(&name));
	buf_addf(out, "  %s", plan_item_word(it));
	if (it->file) {
		plan_add_text(&place, it->file);
		buf_addf(&place, ":%u", it->line);
		buf_adds(out, "  ");
		add_painted(out, style, COLOUR_DIM, buf_str(&place));
	}
	buf_addc(out, '\n');
}

static void print_sentence(
	const struct text_style *style, const char *what, const char *text, struct buf *out)
{
	buf_adds(out, "    ");
	add_painted(out, style, COLOUR_WORD, what);
	buf_adds(out, ": ");
	plan_add_text(out, text);
	buf_addc(out, '\n');
}

void block_print(const struct text_style *style, const struct plan_item *it, struct buf *out)
{
	struct block b = {.style = style, .creates = plan_creates(it), .deletes = plan_deletes(it)};

	print_head(style, it, out);
	if (it->action == PLAN_HOLD)
		print_sentence(style, "held", it->held, out);
	vec_each (d, &it->diffs)
		add_diff(&b, d);
	print_lines(&b, out);
	vec_each (note, &it->notes)
		print_sentence(style, "note", *note, out);
	if (it->action == PLAN_HOLD)
		print_sentence(style, "release", it->release, out);
	vec_release(&b.lines);
	arena_release(&b.arena);
}
