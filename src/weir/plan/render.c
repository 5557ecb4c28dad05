/* What every way of showing a plan needs: values as text, and the line that sums it up. */
#include "plan/render.h"

#include <string.h>

#include "base/text.h"

void plan_add_text(struct buf *out, const char *s)
{
	text_escape(out, s, strlen(s));
}

void plan_value_text(
	struct buf *out, enum spec_field field, const char *key, const struct node *value)
{
	auto_arena struct arena arena = ARENA_INIT;
	auto_buf struct buf escaped = BUF_INIT, text = BUF_INIT;

	if (!key || !value) {
		spec_value_text(out, field, value);
		return;
	}
	/* A map of this one key is shown as {key: value}; what may be seen of the value is the
	 * model's to say. */
	struct node *map = node_map(&arena);
	node_map_set(&arena, map, key, node_copy(&arena, value));
	spec_value_text(&text, field, map);
	plan_add_text(&escaped, key);
	size_t before = strlen("{") + escaped.len + strlen(": "), after = strlen("}");
	if (text.len > before + after)
		buf_add(out, text.data + before, text.len - before - after);
	else
		buf_adds(out, "\"\"");
}

static const char *const change_names[] = {
	[PLAN_CHANGE] = "",
	[PLAN_CONFLICT] = "conflict",
	[PLAN_DRIFT] = "drift",
	[PLAN_RESET] = "reset",
};

const char *plan_change_name(enum plan_change change)
{
	return change_names[change];
}

/* Of items whose action is NONE. */
enum rest { REST_SYNC, REST_WAITING, REST_LEFT, REST_LET_GO, REST_GONE, REST__COUNT };

static const char *const rest_names[REST__COUNT] = {
	[REST_SYNC] = "in sync",
	[REST_WAITING] = "under way",
	[REST_LEFT] = "left alone",
	[REST_LET_GO] = "let go",
	[REST_GONE] = "gone",
};

static enum rest rest_of(const struct plan_item *it)
{
	if (it->gone)
		return it->live ? REST_LET_GO : REST_GONE;
	if (!it->desired || !it->live)
		return REST_LEFT;
	return it->waiting ? REST_WAITING : REST_SYNC;
}

const char *plan_item_word(const struct plan_item *it)
{
	static const char *const held_names[PLAN__COUNT] = {
		[PLAN_NONE] = "held",
		[PLAN_CREATE] = "create held",
		[PLAN_UPDATE] = "update held",
		[PLAN_REPLACE] = "replace held",
		[PLAN_RECONCILE] = "reconcile held",
		[PLAN_ADOPT] = "adopt held",
		[PLAN_DELETE] = "delete held",
	};

	if (it->action == PLAN_NONE)
		return rest_names[rest_of(it)];
	return it->action == PLAN_HOLD ? held_names[it->held_action] : plan_action_name(it->action);
}

static bool does_or_would(const struct plan_item *it, enum plan_action action)
{
	return it->action == action || (it->action == PLAN_HOLD && it->held_action == action);
}

bool plan_creates(const struct plan_item *it)
{
	return does_or_would(it, PLAN_CREATE);
}

bool plan_deletes(const struct plan_item *it)
{
	return does_or_would(it, PLAN_DELETE);
}

bool plan_is_in_sync(const struct plan_item *it)
{
	return it->action == PLAN_NONE && rest_of(it) == REST_SYNC;
}

bool plan_is_shown(const struct plan_item *it)
{
	return !plan_is_in_sync(it) || it->notes.n > 0;
}

static void add_count(struct buf *out, size_t n, const char *what)
{
	if (n)
		buf_addf(out, "%s%zu %s", out->len ? ", " : "", n, what);
}

void plan_counts(const size_t count[PLAN__COUNT], struct buf *out)
{
	static const char *const words[PLAN__COUNT] = {
		[PLAN_CREATE] = "to create",
		[PLAN_UPDATE] = "to update",
		[PLAN_REPLACE] = "to replace",
		[PLAN_RECONCILE] = "to reconcile",
		[PLAN_ADOPT] = "to adopt",
		[PLAN_DELETE] = "to delete",
		[PLAN_HOLD] = "held",
	};
	auto_buf struct buf text = BUF_INIT;

	for (enum plan_action a = PLAN_CREATE; a < PLAN__COUNT; a++)
		add_count(&text, count[a], words[a]);
	buf_add(out, buf_str(&text), text.len);
}

void plan_summary(const struct plan *p, struct buf *out)
{
	auto_buf struct buf text = BUF_INIT;

	plan_counts(p->count, &text);
	buf_adds(out, text.len ? buf_str(&text) : "no changes");
}

static void add_rest(const struct plan *p, struct buf *out)
{
	size_t n[REST__COUNT] = {0};
	auto_buf struct buf text = BUF_INIT;

	vec_each (it, &p->items)
		if (it->action == PLAN_NONE)
			n[rest_of(it)]++;
	for (enum rest r = 0; r < REST__COUNT; r++)
		add_count(&text, n[r], rest_names[r]);
	if (text.len)
		buf_addf(out, " %s.", buf_str(&text));
}

static bool is_quiet(const struct plan *p)
{
	vec_each (it, &p->items)
		if (!plan_is_in_sync(it))
			return false;
	return p->problems->n_errors == 0;
}

void plan_closing(const struct plan *p, struct buf *out)
{
	size_t errors = p->problems->n_errors;

	if (is_quiet(p)) {
		if (p->items.n == 0)
			buf_adds(out, "No changes. Git declares no replicators.");
		else
			buf_addf(out, "No changes. %zu replicator%s as Git says.", p->items.n,
				p->items.n == 1 ? " is" : "s are");
		return;
	}
	buf_adds(out, "Plan: ");
	plan_summary(p, out);
	buf_addc(out, '.');
	add_rest(p, out);
	if (errors)
		buf_addf(out, " %zu error%s in Git.", errors, errors == 1 ? "" : "s");
}

void plan_render(const struct plan *p, const struct plan_header *header, enum plan_format format,
	struct buf *out)
{
	switch (format) {
	case PLAN_TEXT:
	case PLAN_TEXT_COLOUR:
		render_text(p, header, format == PLAN_TEXT_COLOUR, out);
		break;
	case PLAN_MARKDOWN:
		render_markdown(p, header, out);
		break;
	case PLAN_JSON:
		render_json(p, header, out);
		break;
	}
}
