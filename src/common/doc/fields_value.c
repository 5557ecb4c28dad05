/* The values of fields: what each type takes, and what is said about anything else. */
#include "doc/fields_parts.h"

#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/text.h"
#include "doc/json.h"
#include "secret/secret.h"

/* Of a value that is repeated in a message. */
#define SHOWN_MAX 60

static const char *const ambiguity_names[] = {
	[AMBIGUOUS_NOT] = "something else",
	[AMBIGUOUS_BOOL] = "a boolean",
	[AMBIGUOUS_OCTAL] = "an octal number",
	[AMBIGUOUS_SEXAGESIMAL] = "a number to the base 60",
	[AMBIGUOUS_NUMBER] = "a number",
	[AMBIGUOUS_DATE] = "a date",
};

static const char *article_for(const struct node *value)
{
	return value->type == NODE_NULL ? "" : "a ";
}

bool field_wrong_type(const struct field_context *c, const struct node *value, const char *expected)
{
	if (value->type == NODE_NULL && value->u.text)
		return field_problem(c, value,
			"must be %s, and has no value; give it one or take the line out", expected);
	return field_problem(c, value, "must be %s, is %s%s", expected, article_for(value),
		node_type_name(value->type));
}

static void shorten(struct buf *b)
{
	text_truncate(b, SHOWN_MAX);
}

static bool wants_quotes(const struct field_context *c, const struct node *value)
{
	auto_buf struct buf shown = BUF_INIT, quoted = BUF_INIT;

	buf_adds(&shown, value->u.text);
	shorten(&shown);
	json_write_string(&quoted, value->u.text);
	if (value->ambiguity != AMBIGUOUS_NOT)
		return field_problem(c, value,
			"must be a string, but %s is %s to some readers of YAML; write %s",
			buf_str(&shown), ambiguity_names[value->ambiguity], buf_str(&quoted));
	return field_problem(c, value, "must be a string, but %s %s%s; write %s", buf_str(&shown),
		value->type == NODE_NULL ? "stands for no value" : "is a ",
		value->type == NODE_NULL ? "" : node_type_name(value->type), buf_str(&quoted));
}

static bool check_string(const struct field_context *c, const struct node *value)
{
	if (value->type == NODE_STRING && value->ambiguity == AMBIGUOUS_NOT)
		return true;
	const char *text = node_text(value);
	if (text && *text && (value->type != NODE_NULL || strcmp(text, "~") != 0))
		return wants_quotes(c, value);
	if ((value->type == NODE_MAP || value->type == NODE_SEQ) && value->flow)
		return field_problem(c, value,
			"must be a string, but YAML reads a %s here; put the value in quotes",
			node_type_name(value->type));
	return field_wrong_type(c, value, "a string");
}

/* The value may be the secret itself: it is never repeated. */
static bool check_secret(const struct field_context *c, const struct node *value)
{
	if (value->type == NODE_STRING && secret_ref_valid(value->u.string.s))
		return true;
	return field_problem(c, value,
		"must say where the secret is: env:NAME, file:PATH or systemd:NAME; never the "
		"secret itself");
}

bool field_decode_string(const struct field_context *c, const struct field *field,
	const struct node *value, void *slot)
{
	if (field->flags & FIELD_SECRET ? !check_secret(c, value) : !check_string(c, value))
		return false;
	*(const char **)slot = value->u.string.s;
	return true;
}

bool field_decode_bool(const struct field_context *c, const struct field *field,
	const struct node *value, void *slot)
{
	(void)field;
	if (value->type != NODE_BOOL)
		return value->type == NODE_STRING
			       ? field_problem(c, value, "must be true or false, without quotes")
			       : field_wrong_type(c, value, "true or false");
	*(bool *)slot = value->u.boolean;
	return true;
}

bool field_decode_time(const struct field_context *c, const struct field *field,
	const struct node *value, void *slot)
{
	(void)field;
	if (value->type != NODE_STRING)
		return field_wrong_type(c, value, "a time such as 2026-12-24T06:00:00Z");
	if (!clock_parse(value->u.string.s, slot))
		return field_problem(c, value,
			"must be a time with its offset, such as 2026-12-24T06:00:00Z or "
			"2026-12-24T07:00:00+01:00");
	return true;
}

void field_add_choices(struct buf *out, const char *const *choices)
{
	for (size_t i = 0; choices[i]; i++)
		buf_addf(out, "%s%s", i == 0 ? "" : choices[i + 1] ? ", " : " or ", choices[i]);
}

static bool no_such_choice(const struct field_context *c, const struct field *field,
	const struct node *value, const char *text)
{
	auto_buf struct buf choices = BUF_INIT, shown = BUF_INIT;
	size_t n = 0;

	while (field->choices[n])
		n++;
	field_add_choices(&choices, field->choices);
	buf_adds(&shown, text);
	shorten(&shown);
	const char *near = text_suggest(text, field->choices, n);
	return field_problem(c, value, "must be %s, is %s%s%s%s", buf_str(&choices),
		buf_str(&shown), near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
}

/* By its text: `off` is a choice where the table has it, whatever else it could be. */
bool field_decode_choice(const struct field_context *c, const struct field *field,
	const struct node *value, void *slot)
{
	const char *text = node_text(value);

	if (!text || !*text) {
		auto_buf struct buf choices = BUF_INIT;

		field_add_choices(&choices, field->choices);
		return field_wrong_type(c, value, buf_str(&choices));
	}
	for (int i = 0; field->choices[i]; i++) {
		if (strcmp(field->choices[i], text) == 0) {
			*(int *)slot = i;
			return true;
		}
	}
	return no_such_choice(c, field, value, text);
}

bool field_decode_strings(const struct field_context *c, const struct field *field,
	const struct node *value, void *slot)
{
	const struct node *list = value;
	bool all_good = true;

	if (value->type != NODE_SEQ && (field->flags & FIELD_ONE_OK)) {
		if (!check_string(c, value))
			return false;
		struct node *one = node_seq(c->place->arena);
		one->line = value->line;
		one->col = value->col;
		node_seq_add(c->place->arena, one, node_copy(c->place->arena, value));
		list = one;
	} else if (value->type != NODE_SEQ) {
		return value->type == NODE_STRING
			       ? field_problem(c, value, "must be a list; write it as [ ]")
			       : field_wrong_type(c, value, "a list of strings");
	}
	for (size_t i = 0; i < list->u.seq.n; i++) {
		struct field_context item = field_context_below(c, NULL, i);

		all_good &= check_string(&item, list->u.seq.at[i]);
	}
	if (all_good)
		*(const struct node **)slot = list;
	return all_good;
}

bool field_decode_string_map(const struct field_context *c, const struct field *field,
	const struct node *value, void *slot)
{
	bool all_good = true;

	(void)field;
	if (value->type != NODE_MAP)
		return field_wrong_type(c, value, "a map of strings");
	for (size_t i = 0; i < value->u.map.n; i++) {
		const struct node_pair *pair = &value->u.map.at[i];
		struct field_context item = field_context_below(c, pair->key->u.string.s, 0);

		all_good &= check_string(&item, pair->value);
	}
	if (all_good)
		*(const struct node **)slot = value;
	return all_good;
}
