/* What an approval is about: what would be done, to what, and what is lost. */
#include <inttypes.h>
#include <string.h>

#include "cli/show.h"
#include "doc/json.h"
#include "plan/plan.h"

#define LABEL_WIDTH 8
#define INDENT	    4

static void show_line(const char *label, const char *text, struct screen screen, struct buf *out)
{
	size_t at = INDENT + LABEL_WIDTH;
	buf_addf(out, "%*s", INDENT, "");
	show_painted(out, screen, SHOW_DIM, label);
	buf_addf(out, "%*s", (int)(LABEL_WIDTH - strlen(label)), "");
	show_wrapped(out, screen, at, at, text);
}

static void add_value(struct buf *out, const struct node *value)
{
	if (!value || value->type == NODE_NULL)
		buf_adds(out, "(none)");
	else if (value->type == NODE_STRING)
		buf_adds(out, value->u.string.s);
	else
		json_write(out, value, JSON_STYLE_COMPACT);
}

static void show_change(const struct node *change, struct screen screen, struct buf *out)
{
	const char *key = node_get_string(change, "key");
	auto_buf struct buf text = BUF_INIT;
	buf_addf(&text, "%s%s%s: ", show_get(change, "field"), key ? "." : "", key ? key : "");
	add_value(&text, node_get(change, "before"));
	buf_adds(&text, " -> ");
	add_value(&text, node_get(change, "after"));
	show_line("change", buf_str(&text), screen, out);
}

static bool is_lost(const char *action)
{
	return !strcmp(action, "delete") || !strcmp(action, "replace");
}

static void show_object(
	const struct node *item, const char *action, struct screen screen, struct buf *out)
{
	const struct node *live = node_get(item, "live");
	auto_buf struct buf text = BUF_INIT;
	int64_t generation = 0;
	if (!live || live->type != NODE_MAP)
		return;
	node_get_int(live, "generation", &generation);
	buf_addf(&text, "generation %" PRId64 ", %s", generation, show_get(live, "status"));
	if (node_get_string(live, "uid"))
		buf_addf(&text, ", uid %s", show_get(live, "uid"));
	if (is_lost(action))
		buf_adds(&text, ": it stops copying, and its offsets are gone");
	show_line(is_lost(action) ? "loses" : "object", buf_str(&text), screen, out);
}

void show_approvable(const struct node *item, struct screen screen, struct buf *out)
{
	const struct node *hold = node_get(item, "hold");
	const struct node *changes = show_list(item, "changes");
	const struct node *notes = show_list(item, "notes");
	const char *action = show_get(hold, "action");
	auto_buf struct buf name = BUF_INIT, binds = BUF_INIT;
	buf_addf(&name, "! %s", show_get(item, "name"));
	show_painted(out, screen, SHOW_WORD, buf_str(&name));
	buf_addf(out, "  %s\n", action);
	show_line("held", show_get(hold, "reason"), screen, out);
	show_object(item, action, screen, out);
	for (size_t i = 0; i < changes->u.seq.n; i++)
		show_change(changes->u.seq.at[i], screen, out);
	for (size_t i = 0; i < notes->u.seq.n; i++)
		if (notes->u.seq.at[i]->type == NODE_STRING)
			show_line("note", notes->u.seq.at[i]->u.string.s, screen, out);
	buf_addf(&binds, "this %s of this object with the values it has now (%.12s)", action,
		show_get(hold, "approval"));
	show_line("binds", buf_str(&binds), screen, out);
	buf_addc(out, '\n');
}

/* All of an action, or, with PLAN_HOLD, what is held and why. */
static void show_acted(
	const struct node *items, enum plan_action action, struct screen screen, struct buf *out)
{
	for (size_t i = 0; i < items->u.seq.n; i++) {
		const struct node *item = items->u.seq.at[i];
		const struct node *hold = node_get(item, "hold");
		auto_buf struct buf what = BUF_INIT;
		if (strcmp(show_get(item, "action"), plan_action_name(action)) != 0)
			continue;
		buf_addf(&what, "%*s%s %s  ", INDENT, "", plan_action_symbol(action),
			show_get(item, "name"));
		buf_adds(out, buf_str(&what));
		if (action == PLAN_HOLD) {
			buf_addf(out, "%s held: ", show_get(hold, "action"));
			show_wrapped(out, screen, what.len, INDENT + 4, show_get(hold, "reason"));
		} else {
			buf_addf(out, "%s\n", plan_action_name(action));
		}
	}
}

void show_following(const struct node *plan, struct screen screen, struct buf *out)
{
	static const enum plan_action order[] = {PLAN_DELETE, PLAN_REPLACE, PLAN_UPDATE,
		PLAN_RECONCILE, PLAN_CREATE, PLAN_ADOPT, PLAN_HOLD};
	const struct node *items = show_list(plan, "items");
	for (size_t i = 0; i < ARRAY_SIZE(order); i++)
		show_acted(items, order[i], screen, out);
	buf_addf(out, "%*s%s\n", INDENT, "", show_get(node_get(plan, "summary"), "text"));
}
