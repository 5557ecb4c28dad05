/* Single fields: checked by a row of their own, and problems with them. */
#include <stdarg.h>
#include <string.h>

#include "base/alloc.h"
#include "base/limits.h"
#include "base/text.h"
#include "model/internal.h"

/* Of a value that is repeated in a message. */
#define SHOWN_MAX 80

char *path_below(const struct field_place *place, const char *name)
{
	return xasprintf("%s%s%s", place->path, *place->path && *name ? "." : "", name);
}

void problem_at(struct problems *problems, enum problem_level level,
	const struct field_place *place, const char *name, const struct node *at, const char *fmt,
	...)
{
	auto_free char *path = path_below(place, name);
	auto_free char *message = NULL;
	va_list ap;

	va_start(ap, fmt);
	message = xvasprintf(fmt, ap);
	va_end(ap);
	problems_add(problems, level, field_place_file(place, at), at->line, at->col, path, "%s",
		message);
	problems_set_origin(problems, at->origin);
}

/* " (orders.yaml:9)", " (line 9)" where the file is not known, nothing where the line is not. */
static void add_place(struct buf *out, const struct field_place *place, const struct node *n)
{
	const char *file = field_place_file(place, n);

	if (n->line && file)
		buf_addf(out, " (%s:%u)", file, n->line);
	else if (n->line)
		buf_addf(out, " (line %u)", n->line);
}

void problem_of_two(struct problems *problems, const struct field_place *place, const char *name,
	const struct node *at, const char *other, const struct node *beside, const char *why)
{
	auto_buf struct buf where = BUF_INIT;

	if (at->origin && !beside->origin) {
		problem_of_two(problems, place, other, beside, name, at, why);
		return;
	}
	add_place(&where, place, beside);
	if (at->origin == beside->origin)
		problem_at(problems, PROBLEM_ERROR, place, name, at,
			"cannot stand beside %s%s: %s; remove one of them", other, buf_str(&where),
			why);
	else
		problem_at(problems, PROBLEM_ERROR, place, name, at,
			"cannot stand beside %s%s: %s; remove one of them, or write %s: null here",
			other, buf_str(&where), why, other);
}

const char *suggest(
	const struct problems *problems, const char *word, const char *const *names, size_t n)
{
	return problems->n < LIMIT_PROBLEMS ? text_suggest(word, names, n) : NULL;
}

const char *shorten(const char *value, struct buf *scratch)
{
	buf_clear(scratch);
	buf_adds(scratch, value);
	text_truncate(scratch, SHOWN_MAX);
	return buf_str(scratch);
}

/* Room for whatever a row of any type but FIELD_MAP decodes to. */
union slot {
	const void *pointer;
	int64_t integer;
	int choice;
	bool boolean;
	struct field_list list;
	struct count_or_percent count_or_percent;
};

bool decode_one(const struct field *row, struct node *value, const struct field_place *place,
	int64_t *ret_integer, struct problems *problems)
{
	const struct field table[] = {*row, {0}};
	struct node key = {.type = NODE_STRING, .line = value->line, .col = value->col};
	struct node_pair pair = {.key = &key, .value = value};
	struct node map = {.type = NODE_MAP, .line = value->line, .col = value->col};
	union slot slot;

	key.u.string.s = row->name;
	key.u.string.len = strlen(row->name);
	map.u.map.at = &pair;
	map.u.map.n = map.u.map.cap = 1;
	if (!fields_decode(table, &map, place, &slot, problems))
		return false;
	if (ret_integer)
		*ret_integer = slot.integer;
	return true;
}
