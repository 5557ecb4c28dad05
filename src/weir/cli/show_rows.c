/* The replicators of `weir status`: what needs a person first, what is on its way only counted, and
 * a reason that many have given once. */
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/text.h"
#include "cli/show_parts.h"
#include "reconcile/report.h"

#define NAME_SHOWN   23
#define SINCE_SHOWN  20 /* 2026-11-30T16:44:23Z */
#define WHY_INDENT   4
#define LABEL_WIDTH  7
#define GROUPS_SHOWN 8 /* on one screen */
#define NAMES_SHOWN  8 /* of those that stand as the first does */

/* From what needs a person, over what is not well, to what time or the API will bring. */
static const enum standing order[] = {
	STANDING_BRAKED,
	STANDING_HELD,
	STANDING_UNKNOWN,
	STANDING_LEFT,
	STANDING_FAILED,
	STANDING_STUCK,
	STANDING_UNHEALTHY,
	STANDING_DRIFTED,
	STANDING_PLANNED,
	STANDING_ABSENT_OK,
	STANDING_BLOCKED,
	STANDING_WINDOW,
	STANDING_GRACE,
	STANDING_SUSPENDED,
	STANDING_APPLYING,
	STANDING_WAITING,
	STANDING_DELETING,
	STANDING_HEALTHY,
};

struct shown {
	const char *name;
	const struct node *row;
	const char *standing;
	size_t rank; /* the least goes first; a standing of another version is 0 */
	size_t group; /* of those for which the same is to be said */
};

struct rows {
	VEC_FIELDS(struct shown);
	size_t n_groups;
	size_t n_healthy;
	size_t n_moving[ARRAY_SIZE(order)]; /* by rank; those that are only counted */
};

static size_t rank_of(const char *standing)
{
	for (size_t i = 0; i < ARRAY_SIZE(order); i++)
		if (!strcmp(standing, standing_name(order[i])))
			return i + 1;
	return 0;
}

static bool stands(const struct shown *s, enum standing standing)
{
	return !strcmp(s->standing, standing_name(standing));
}

/* Nothing stands in its way. */
static bool is_on_its_way(const struct shown *s)
{
	const char *why = show_get(s->row, "why");
	if (stands(s, STANDING_APPLYING))
		return !why[0] || text_has_prefix(why, WAITS_FOR_ITS_TURN);
	return stands(s, STANDING_WAITING) || (stands(s, STANDING_DELETING) && !why[0]);
}

static int compare_shown(const void *left, const void *right)
{
	const struct shown *a = left, *b = right;
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	return strverscmp(a->name, b->name);
}

static bool is_in_name(char c)
{
	return c == '-' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z');
}

/* Its own name does not make a reason another one. */
static void add_without_name(struct buf *out, const char *text, const char *name)
{
	size_t len = strlen(name);
	for (const char *at = text; *at;) {
		bool begins = at == text || !is_in_name(at[-1]);
		bool is_name = begins && !strncmp(at, name, len) && !is_in_name(at[len]);
		buf_addc(out, is_name ? '\n' : *at);
		at += is_name ? len : 1;
	}
}

static char *said_of(const struct shown *s)
{
	struct buf key = BUF_INIT;
	buf_addf(&key, "%s\t%s\t%s\t", s->standing, show_get(s->row, "hold"),
		show_get(s->row, "until"));
	add_without_name(&key, show_get(s->row, "why"), s->name);
	buf_addc(&key, '\t');
	add_without_name(&key, show_get(s->row, "release"), s->name);
	return buf_take(&key);
}

static void form_groups(struct rows *rows)
{
	struct map known = MAP_INIT; /* to the first that says so */
	vec_each (s, rows) {
		auto_free char *key = said_of(s);
		const struct shown *first = map_get(&known, key);
		s->group = first ? first->group : rows->n_groups++;
		if (!first)
			map_put(&known, key, s);
	}
	map_release(&known);
}

static void gather(const struct node *status, bool all, struct rows *rows)
{
	const struct node *found = node_get(status, "replicators");
	for (size_t i = 0; found && found->type == NODE_MAP && i < found->u.map.n; i++) {
		struct shown s = {.name = found->u.map.at[i].key->u.string.s,
			.row = found->u.map.at[i].value};
		s.standing = show_get(s.row, "standing");
		s.rank = rank_of(s.standing);
		bool is_healthy = stands(&s, STANDING_HEALTHY);
		rows->n_healthy += is_healthy;
		if (!all && !is_healthy && is_on_its_way(&s))
			rows->n_moving[s.rank - 1]++;
		else if (all || !is_healthy)
			vec_push(rows, s);
	}
	if (rows->n)
		qsort(rows->at, rows->n, sizeof(*rows->at), compare_shown);
	form_groups(rows);
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

struct widths {
	size_t name;
	size_t standing;
};

/* Of what has a line for itself. */
static struct widths widths_of(const struct rows *rows, bool all)
{
	struct widths w = {strlen("NAME"), strlen("STANDING")};
	vec_each (s, rows) {
		size_t name = text_length(s->name), standing = text_length(s->standing);
		if (!all && s->group >= GROUPS_SHOWN)
			continue;
		if (name > w.name && name <= NAME_SHOWN)
			w.name = name;
		w.standing = standing > w.standing ? standing : w.standing;
	}
	return w;
}

static void trim(struct buf *out)
{
	while (out->len && out->data[out->len - 1] == ' ')
		buf_truncate(out, out->len - 1);
}

static void show_line(const struct shown *s, struct widths w, struct screen screen, struct buf *out)
{
	auto_buf struct buf name = BUF_INIT;
	show_text(&name, s->name);
	show_padded(out, w.name, buf_str(&name), screen, SHOW_PLAIN);
	if (text_length(buf_str(&name)) > w.name) /* it has a line for itself */
		buf_addf(out, "\n%*s", (int)w.name, "");
	buf_adds(out, "  ");
	show_padded(out, w.standing, s->standing, screen, show_colour_of(s->standing));
	buf_addf(out, "  %-*s  ", SINCE_SHOWN, show_get(s->row, "since"));
	show_text(out, show_get(s->row, "hold"));
	trim(out);
	buf_addc(out, '\n');
}

static void show_reasons(
	const struct shown *s, size_t others, struct screen screen, struct buf *out)
{
	const char *release = show_get(s->row, "release");
	auto_buf struct buf own = BUF_INIT, advice = BUF_INIT;
	add_without_name(&own, release, s->name);
	buf_adds(&advice, release);
	if (others && strcmp(buf_str(&own), release) != 0)
		buf_adds(&advice, " (each by its own name)");
	show_reason("why", show_get(s->row, "why"), screen, out);
	show_reason("do", buf_str(&advice), screen, out);
	show_reason(stands(s, STANDING_FAILED) ? "again" : "until", show_get(s->row, "until"),
		screen, out);
}

/* What is said of `first` is said of these. */
static size_t name_others(const struct rows *rows, const struct shown *first, struct buf *ret_names)
{
	size_t n = 0;
	for (const struct shown *s = first + 1; s < rows->at + rows->n; s++)
		if (s->group == first->group && ++n <= NAMES_SHOWN)
			buf_addf(ret_names, "%s%s", n > 1 ? ", " : "", s->name);
	if (n > NAMES_SHOWN)
		buf_addf(ret_names, " +%zu more", n - NAMES_SHOWN);
	return n;
}

static void show_group(const struct rows *rows, const struct shown *first, bool all,
	struct widths w, struct screen screen, struct buf *out)
{
	auto_buf struct buf names = BUF_INIT;
	size_t others = name_others(rows, first, &names);
	show_line(first, w, screen, out);
	for (const struct shown *s = first + 1; all && s < rows->at + rows->n; s++)
		if (s->group == first->group)
			show_line(s, w, screen, out);
	if (!all)
		show_reason("and", buf_str(&names), screen, out);
	show_reasons(first, others, screen, out);
}

/* "12 failed, 3 held", by rank. */
static size_t add_counts(const size_t *n_of, struct buf *out)
{
	size_t n = 0;
	for (size_t i = 0; i < ARRAY_SIZE(order); n += n_of[i++])
		if (n_of[i])
			buf_addf(out, "%s%zu %s", n ? ", " : "", n_of[i], standing_name(order[i]));
	return n;
}

static void count_rest(const struct rows *rows, struct screen screen, struct buf *out)
{
	size_t n_of[ARRAY_SIZE(order)] = {0}, n;
	auto_buf struct buf counts = BUF_INIT, text = BUF_INIT;
	vec_each (s, rows)
		if (s->group >= GROUPS_SHOWN && s->rank)
			n_of[s->rank - 1]++;
	n = add_counts(n_of, &counts);
	if (!n)
		return;
	buf_addf(&text, "%zu more: %s (--all lists them)", n, buf_str(&counts));
	show_wrapped(out, screen, 0, 0, buf_str(&text));
}

static void show_counts(const struct node *status, const struct rows *rows, bool all,
	struct screen screen, struct buf *out)
{
	const char *held = node_get_string(node_get(status, "rewound"), "from");
	auto_buf struct buf counts = BUF_INIT, text = BUF_INIT;
	size_t n = add_counts(rows->n_moving, &counts);
	buf_addc(out, '\n');
	if (n) {
		buf_addf(&text, "%zu on their way: %s", n, buf_str(&counts));
		show_wrapped(out, screen, 0, 0, buf_str(&text));
	}
	buf_addf(out, "%zu healthy and as %s%.*s%s%s\n", rows->n_healthy,
		held ? "commit " : "Git says", SHA_SHOWN, held ? held : "", held ? " said" : "",
		rows->n_healthy && !all ? " (--all lists them)" : "");
}

void show_replicators(const struct node *status, bool all, struct screen screen, struct buf *out)
{
	struct rows rows = {0};
	gather(status, all, &rows);
	struct widths w = widths_of(&rows, all);
	size_t n = 0; /* groups that were begun */
	if (rows.n)
		buf_addf(out, "\n%-*s  %-*s  %-*s  %s\n", (int)w.name, "NAME", (int)w.standing,
			"STANDING", SINCE_SHOWN, "SINCE", "HELD FOR");
	vec_each (s, &rows)
		if (s->group == n && (all || n < GROUPS_SHOWN)) {
			show_group(&rows, s, all, w, screen, out);
			n++;
		}
	if (!all)
		count_rest(&rows, screen, out);
	show_counts(status, &rows, all, screen, out);
	vec_release(&rows);
}
