/* `weir explain` as text: a line for each thing that is known. */
#include <string.h>

#include "cli/show.h"
#include "reconcile/report.h"

#define LABEL_WIDTH 12

static void show_line(const char *label, const char *text, struct screen screen, struct buf *out)
{
	if (!text || !text[0])
		return;
	show_painted(out, screen, SHOW_DIM, label);
	buf_addf(out, "%*s", (int)(LABEL_WIDTH - strlen(label)), "");
	show_wrapped(out, screen, LABEL_WIDTH, LABEL_WIDTH, text);
}

static void show_standing(const struct node *x, struct screen screen, struct buf *out)
{
	const char *standing = node_get_string(x, "standing");
	const char *since = node_get_string(x, "since");
	const char *hold = node_get_string(x, "hold");
	show_text(out, show_get(x, "name"));
	buf_adds(out, ": ");
	if (standing)
		show_painted(out, screen, show_colour_of(standing), standing);
	else
		show_painted(out, screen, SHOW_DIM, "not of this source any more");
	if (hold)
		buf_addf(out, " (%s)", hold);
	if (since)
		buf_addf(out, " since %s", since);
	buf_addc(out, '\n');
}

static void show_document(const struct node *x, struct screen screen, struct buf *out)
{
	const struct node *document = node_get(x, "document");
	auto_buf struct buf text = BUF_INIT;
	const char *file = node_get_string(document, "file");
	int64_t line = 0;
	bool gone = false;
	if (!file)
		return;
	node_get_int(document, "line", &line);
	node_get_bool(document, "gone", &gone);
	buf_addf(&text, "%s:%lld%s", file, (long long)line, gone ? ", which is gone from Git" : "");
	show_line("document", buf_str(&text), screen, out);
}

static void show_generations(const struct node *x, struct screen screen, struct buf *out)
{
	auto_buf struct buf text = BUF_INIT;
	const char *retry = node_get_string(x, "retry_at");
	int64_t seen = 0, live = 0, provisioned = 0, failed = 0, failures = 0;
	node_get_int(x, "generation", &seen);
	node_get_int(x, "live_generation", &live);
	node_get_int(x, "provisioned_generation", &provisioned);
	node_get_int(x, "failed_generation", &failed);
	node_get_int(x, "failures", &failures);
	if (!seen)
		return;
	buf_addf(&text, "%lld, seen through %lld", (long long)seen, (long long)provisioned);
	if (live && live != seen)
		buf_addf(&text, "; %lld is live", (long long)live);
	if (failed)
		buf_addf(&text, "; %lld failed %lld time%s", (long long)failed, (long long)failures,
			failures == 1 ? "" : "s");
	if (retry)
		buf_addf(&text, ", again at %s", retry);
	show_line("generation", buf_str(&text), screen, out);
}

static void show_intent(const struct node *x, struct screen screen, struct buf *out)
{
	const struct node *intent = node_get(x, "intent");
	auto_buf struct buf text = BUF_INIT;
	const char *commit = node_get_string(intent, "commit");
	int64_t generation = 0;
	if (!intent || intent->type != NODE_MAP)
		return;
	node_get_int(intent, "generation", &generation);
	buf_addf(&text, "%s, %s", show_get(intent, "kind"), show_get(intent, "state"));
	if (generation)
		buf_addf(&text, ", generation %lld", (long long)generation);
	if (commit)
		buf_addf(&text, ", for commit %.12s", commit);
	if (node_get_string(intent, "since"))
		buf_addf(&text, ", since %s", node_get_string(intent, "since"));
	show_line("under way", buf_str(&text), screen, out);
}

static void show_orders(const struct node *x, struct screen screen, struct buf *out)
{
	const struct node *suspension = node_get(x, "suspension");
	const struct node *approvals = show_list(x, "approvals");
	if (suspension && suspension->type == NODE_MAP) {
		auto_buf struct buf text = BUF_INIT;
		const char *until = node_get_string(suspension, "until");
		buf_addf(&text, "by %s at %s: %s%s%s", show_get(suspension, "by"),
			show_get(suspension, "at"), show_get(suspension, "reason"),
			until ? "; until " : "; until it is resumed", until ? until : "");
		show_line("suspended", buf_str(&text), screen, out);
	}
	for (size_t i = 0; i < approvals->u.seq.n; i++) {
		const struct node *given = approvals->u.seq.at[i];
		const char *reason = node_get_string(given, "reason");
		auto_buf struct buf text = BUF_INIT;
		buf_addf(&text, "%s, by %s at %s%s%s", show_get(given, "action"),
			show_get(given, "by"), show_get(given, "at"),
			reason && reason[0] ? ": " : "", reason ? reason : "");
		show_line("approved", buf_str(&text), screen, out);
	}
}

void show_explained(const struct node *x, struct screen screen, struct buf *out)
{
	show_standing(x, screen, out);
	show_line("why", node_get_string(x, "why"), screen, out);
	show_line("do", node_get_string(x, "release"), screen, out);
	bool fails = !strcmp(show_get(x, "standing"), standing_name(STANDING_FAILED));
	show_line(fails ? "again" : "until", node_get_string(x, "until"), screen, out);
	const struct node *differs = show_list(x, "differs");
	for (size_t i = 0; i < differs->u.seq.n; i++)
		if (differs->u.seq.at[i]->type == NODE_STRING)
			show_line("differs", differs->u.seq.at[i]->u.string.s, screen, out);
	show_document(x, screen, out);
	show_generations(x, screen, out);
	show_intent(x, screen, out);
	show_orders(x, screen, out);
	const struct node *events = show_list(x, "events");
	if (events->u.seq.n)
		buf_addc(out, '\n');
	for (size_t i = 0; i < events->u.seq.n; i++)
		show_event(out, screen, events->u.seq.at[i], false);
}
