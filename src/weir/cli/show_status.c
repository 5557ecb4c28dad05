/* `weir status` on one screen. */
#include <string.h>

#include "base/text.h"
#include "cli/show.h"

#define SHA_SHOWN      12
#define NAME_SHOWN     28
#define STANDING_SHOWN 10
#define SINCE_SHOWN    17 /* 2026-11-30 16:44Z */
#define STATE_SHOWN    7
#define WHY_INDENT     4
#define LABEL_WIDTH    7

static void show_head(const struct node *status, struct screen screen, struct buf *out)
{
	const char *head = node_get_string(status, "head");
	const char *pass = node_get_string(status, "last_pass");
	bool runs = false;
	node_get_bool(status, "daemon", &runs);
	show_text(out, show_get(status, "name"));
	if (head)
		buf_addf(out, " at %.*s", SHA_SHOWN, head);
	if (!runs)
		show_painted(out, screen, SHOW_WORD,
			", and no daemon runs: this is how things stood last");
	else if (pass)
		buf_addf(out, ", last pass %s", pass);
	else
		buf_adds(out, ", no pass was completed yet");
	buf_addc(out, '\n');
}

static void show_troubles(const struct node *status, struct screen screen, struct buf *out)
{
	static const struct {
		const char *what;
		const char *means;
	} all[] = {
		{"store", "the store cannot be used, so nothing new is started"},
		{"repository", "the repository cannot be read"},
		{"api", "the API cannot be used"},
		{"statuses", "statuses cannot be posted"},
	};
	const struct node *list = show_list(status, "troubles");
	for (size_t i = 0; i < list->u.seq.n; i++) {
		const struct node *t = list->u.seq.at[i];
		auto_buf struct buf text = BUF_INIT;
		const char *what = show_get(t, "what");
		for (size_t k = 0; k < sizeof(all) / sizeof(all[0]); k++)
			if (!strcmp(all[k].what, what))
				what = all[k].means;
		buf_addf(&text, "%s since %s: %s", what, show_get(t, "since"),
			show_get(t, "message"));
		show_painted(out, screen, SHOW_BAD, "trouble");
		buf_adds(out, "  ");
		show_wrapped(out, screen, 9, 9, buf_str(&text));
	}
}

static void show_padded(struct buf *out, size_t width, const char *text, struct screen screen,
	enum show_colour colour)
{
	size_t len = text_length(text);
	show_painted(out, screen, colour, text);
	buf_addf(out, "%*s", (int)(len < width ? width - len : 0), "");
}

static void show_rewind(const struct node *status, struct screen screen, struct buf *out)
{
	const struct node *rewound = node_get(status, "rewound");
	auto_buf struct buf text = BUF_INIT;
	bool approved = false;
	if (!rewound || rewound->type != NODE_MAP)
		return;
	node_get_bool(rewound, "approved", &approved);
	buf_addf(&text,
		"the branch was rewound from %.12s to %.12s, and nothing of it is applied; %s",
		show_get(rewound, "from"), show_get(rewound, "to"),
		approved ? "that is approved, and followed once weir runs"
			 : "push a commit that follows, or `weir approve --rewind` if it is meant");
	show_painted(out, screen, SHOW_WORD, "rewound");
	buf_adds(out, "  ");
	show_wrapped(out, screen, 9, 9, buf_str(&text));
}

static size_t widest_context(const struct node *list)
{
	size_t width = 0;
	for (size_t i = 0; i < list->u.seq.n; i++) {
		size_t len = strlen(show_get(list->u.seq.at[i], "context"));
		width = len > width ? len : width;
	}
	return width;
}

static void show_statuses(const struct node *status, struct screen screen, struct buf *out)
{
	const struct node *list = show_list(status, "statuses");
	size_t width = widest_context(list), indent = SHA_SHOWN + STATE_SHOWN + width + 6;
	bool is_tight = indent + NAME_SHOWN > screen.width;
	for (size_t i = 0; i < list->u.seq.n; i++) {
		const struct node *row = list->u.seq.at[i];
		const char *state = show_get(row, "state");
		bool posted = false;
		node_get_bool(row, "posted", &posted);
		auto_buf struct buf text = BUF_INIT;
		buf_addf(&text, "%s%s", show_get(row, "text"), posted ? "" : " (not posted yet)");
		buf_addf(out, "%.*s  ", SHA_SHOWN, show_get(row, "commit"));
		show_padded(out, STATE_SHOWN, state, screen, show_colour_of(state));
		buf_addf(out, "  %-*s", (int)(is_tight ? 0 : width + 2), show_get(row, "context"));
		if (is_tight)
			buf_addf(out, "\n%*s", WHY_INDENT, "");
		show_wrapped(out, screen, is_tight ? WHY_INDENT : indent,
			is_tight ? WHY_INDENT : indent, buf_str(&text));
	}
	if (!list->u.seq.n)
		buf_adds(out, "no commit was taken yet\n");
}

static size_t widest_name(const struct node *rows, bool with_healthy)
{
	size_t width = strlen("NAME");
	for (size_t i = 0; i < rows->u.map.n; i++) {
		const struct node *row = rows->u.map.at[i].value;
		size_t len = text_length(rows->u.map.at[i].key->u.string.s);
		bool healthy = !strcmp(show_get(row, "standing"), "healthy");
		if ((with_healthy || !healthy) && len > width && len <= NAME_SHOWN)
			width = len;
	}
	return width;
}

/* "2026-11-30 16:44Z": to the minute, so that it is read in a glance. */
static void add_since(struct buf *out, const char *at)
{
	if (at && strlen(at) >= strlen("2026-11-30T16:44:23Z"))
		buf_addf(out, "%.10s %.5sZ", at, at + 11);
}

static void show_reason(const char *label, const char *text, struct screen screen, struct buf *out)
{
	if (!text || !text[0])
		return;
	buf_addf(out, "%*s", WHY_INDENT, "");
	show_painted(out, screen, SHOW_DIM, label);
	buf_addf(out, "%*s", (int)(LABEL_WIDTH - strlen(label)), "");
	show_wrapped(out, screen, WHY_INDENT + LABEL_WIDTH, WHY_INDENT + LABEL_WIDTH, text);
}

static void show_row(
	const struct node_pair *pair, size_t width, struct screen screen, struct buf *out)
{
	const struct node *row = pair->value;
	const char *standing = show_get(row, "standing");
	const char *hold = node_get_string(row, "hold");
	auto_buf struct buf since = BUF_INIT, name = BUF_INIT;
	show_text(&name, pair->key->u.string.s);
	add_since(&since, show_get(row, "since"));
	show_padded(out, width, buf_str(&name), screen, SHOW_PLAIN);
	if (text_length(buf_str(&name)) > width) /* it has a line for itself */
		buf_addf(out, "\n%*s", (int)width, "");
	buf_adds(out, "  ");
	show_padded(out, STANDING_SHOWN, standing, screen, show_colour_of(standing));
	buf_addf(out, "  %-*s", SINCE_SHOWN, buf_str(&since));
	if (hold)
		buf_addf(out, "  %s", hold);
	while (out->len && out->data[out->len - 1] == ' ')
		buf_truncate(out, out->len - 1);
	buf_addc(out, '\n');
	show_reason("why", show_get(row, "why"), screen, out);
	show_reason("do", show_get(row, "release"), screen, out);
	show_reason("until", show_get(row, "until"), screen, out);
}

static void show_replicators(
	const struct node *status, bool all, struct screen screen, struct buf *out)
{
	static const struct node nothing = {.type = NODE_MAP};
	const struct node *found = node_get(status, "replicators");
	const struct node *rows = found && found->type == NODE_MAP ? found : &nothing;
	size_t width = widest_name(rows, all), n_healthy = 0, n_shown = 0;
	for (size_t i = 0; i < rows->u.map.n; i++) {
		const char *standing = show_get(rows->u.map.at[i].value, "standing");
		bool healthy = !strcmp(standing, "healthy");
		n_healthy += healthy;
		if (healthy && !all)
			continue;
		if (!n_shown++)
			buf_addf(out, "\n%-*s  %-*s  %-*s  %s\n", (int)width, "NAME",
				STANDING_SHOWN, "STANDING", SINCE_SHOWN, "SINCE", "HELD FOR");
		show_row(&rows->u.map.at[i], width, screen, out);
	}
	const char *held = node_get_string(node_get(status, "rewound"), "from");
	buf_addf(out, "\n%zu healthy and as %s%.*s%s\n", n_healthy, held ? "commit " : "Git says",
		SHA_SHOWN, held ? held : "", held ? " said" : "");
	if (n_healthy && !all) {
		buf_truncate(out, out->len - 1);
		buf_adds(out, " (--all lists them)\n");
	}
}

void show_status(const struct node *status, bool all, struct screen screen, struct buf *out)
{
	show_head(status, screen, out);
	show_troubles(status, screen, out);
	show_rewind(status, screen, out);
	show_statuses(status, screen, out);
	show_replicators(status, all, screen, out);
	const struct node *events = show_list(status, "events");
	if (events->u.seq.n)
		buf_addc(out, '\n');
	for (size_t i = 0; i < events->u.seq.n; i++)
		show_event(out, screen, events->u.seq.at[i], true);
}
