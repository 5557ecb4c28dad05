/* `weir status` on one screen. */
#include <string.h>

#include "base/text.h"
#include "cli/show_parts.h"

#define TEXT_SHOWN  28 /* of a status, beside it */
#define STATE_SHOWN 7
#define TEXT_INDENT 4

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
		const char *next = node_get_string(t, "next");
		buf_addf(&text, "%s since %s: %s; %s%s", what, show_get(t, "since"),
			show_get(t, "message"), next ? "tried again at " : "it is being tried",
			next ? next : "");
		show_painted(out, screen, SHOW_BAD, "trouble");
		buf_adds(out, "  ");
		show_wrapped(out, screen, 9, 9, buf_str(&text));
	}
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
	bool is_tight = indent + TEXT_SHOWN > screen.width;
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
			buf_addf(out, "\n%*s", TEXT_INDENT, "");
		show_wrapped(out, screen, is_tight ? TEXT_INDENT : indent,
			is_tight ? TEXT_INDENT : indent, buf_str(&text));
	}
	if (!list->u.seq.n)
		buf_adds(out, "no commit was taken yet\n");
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
