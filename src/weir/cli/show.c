/* What the texts of `weir status` and `weir explain` have in common. */
#include "cli/show_parts.h"

#include <string.h>

#include "base/text.h"

static const char *const colours[SHOW__COUNT] = {
	[SHOW_PLAIN] = "",
	[SHOW_GOOD] = "\033[32m",
	[SHOW_BAD] = "\033[31m",
	[SHOW_WORD] = "\033[33m",
	[SHOW_DIM] = "\033[2m",
};

const char *show_get(const struct node *map, const char *key)
{
	const char *text = node_get_string(map, key);
	return text ? text : "";
}

const struct node *show_list(const struct node *map, const char *key)
{
	static const struct node nothing = {.type = NODE_SEQ};
	const struct node *list = node_get(map, key);
	return list && list->type == NODE_SEQ ? list : &nothing;
}

void show_text(struct buf *out, const char *s)
{
	text_escape(out, s, strlen(s));
}

void show_painted(struct buf *out, struct screen screen, enum show_colour colour, const char *s)
{
	bool paints = screen.colour && colours[colour][0] && *s;
	buf_adds(out, paints ? colours[colour] : "");
	show_text(out, s);
	buf_adds(out, paints ? "\033[0m" : "");
}

void show_padded(struct buf *out, size_t width, const char *text, struct screen screen,
	enum show_colour colour)
{
	size_t len = text_length(text);
	show_painted(out, screen, colour, text);
	buf_addf(out, "%*s", (int)(len < width ? width - len : 0), "");
}

enum show_colour show_colour_of(const char *word)
{
	static const struct {
		const char *word;
		enum show_colour colour;
	} words[] = {
		{"healthy", SHOW_GOOD},
		{"success", SHOW_GOOD},
		{"failed", SHOW_BAD},
		{"failure", SHOW_BAD},
		{"error", SHOW_BAD},
		{"stuck", SHOW_BAD},
		{"unhealthy", SHOW_BAD},
	};
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(words[i].word, word))
			return words[i].colour;
	return SHOW_WORD;
}

void show_wrapped(struct buf *out, struct screen screen, size_t at, size_t indent, const char *text)
{
	auto_buf struct buf clean = BUF_INIT;
	size_t column = at;
	bool begins = true;
	show_text(&clean, text);
	for (const char *word = buf_str(&clean); *word;) {
		size_t bytes = strcspn(word, " ");
		auto_buf struct buf one = BUF_INIT;
		buf_add(&one, word, bytes);
		size_t len = text_length(buf_str(&one));
		if (!begins && column + 1 + len > screen.width) {
			buf_addf(out, "\n%*s", (int)indent, "");
			column = indent;
		} else if (!begins) {
			buf_addc(out, ' ');
			column++;
		}
		buf_add(out, word, bytes);
		column += len;
		begins = false;
		word += bytes + strspn(word + bytes, " ");
	}
	buf_addc(out, '\n');
}

#define EVENT_MAX 400 /* code points; the body of what was deleted has no limit */

void show_event(struct buf *out, struct screen screen, const struct node *event, bool with_name)
{
	const char *name = node_get_string(event, "name");
	const char *detail = node_get_string(event, "detail");
	const char *by = node_get_string(event, "by");
	auto_buf struct buf text = BUF_INIT;
	if (with_name)
		buf_addf(&text, "%s: ", name ? name : "commit");
	buf_adds(&text, show_get(event, "what"));
	if (by)
		buf_addf(&text, " by %s", by);
	if (detail && detail[0] == '{' &&
		with_name) /* what it was like, for one who wants it back */
		buf_addf(&text, " (`weir explain %s` has its settings)", name ? name : "");
	else if (detail && detail[0])
		buf_addf(&text, ": %s", detail);
	text_truncate(&text, EVENT_MAX);
	show_painted(out, screen, SHOW_DIM, show_get(event, "at"));
	buf_adds(out, "  ");
	show_wrapped(out, screen, 22, 22, buf_str(&text));
}
