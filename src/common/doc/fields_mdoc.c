/* The reference in the man pages, from field tables. */
#include "doc/fields_parts.h"

#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"

static const char *const type_words[FIELD__COUNT] = {
	[FIELD_STRING] = "string",
	[FIELD_BOOL] = "true or false",
	[FIELD_INT] = "whole number",
	[FIELD_DURATION] = "duration",
	[FIELD_TIME] = "time",
	[FIELD_CHOICE] = "choice",
	[FIELD_MAP] = "map",
	[FIELD_LIST] = "list of maps",
	[FIELD_STRINGS] = "list of strings",
	[FIELD_STRING_MAP] = "map of strings",
	[FIELD_COUNT_OR_PERCENT] = "count or percentage",
	[FIELD_NODE] = "any value",
};

/* A line of text: nothing in it may look like a macro or an escape. */
static void add_line(struct buf *out, const char *text)
{
	if (*text == '.' || *text == '\'')
		buf_adds(out, "\\&");
	for (; *text; text++) {
		if (*text == '\\')
			buf_adds(out, "\\e");
		else
			buf_addc(out, *text);
	}
	buf_addc(out, '\n');
}

static void add_range(struct buf *out, const struct field *field)
{
	char least[CLOCK_TEXT_MAX], most[CLOCK_TEXT_MAX];

	if (field->type == FIELD_DURATION) {
		duration_format(field->min, least);
		duration_format(field->max, most);
	} else if (field->type == FIELD_INT || field->type == FIELD_COUNT_OR_PERCENT) {
		snprintf(least, sizeof(least), "%lld", (long long)field->min);
		snprintf(most, sizeof(most), "%lld", (long long)field->max);
	} else {
		return;
	}
	if (field->max)
		buf_addf(out, ", %s to %s", least, most);
	else if (field->min)
		buf_addf(out, ", at least %s", least);
}

/* "Type: choice (heal or report). Default: heal." */
static void add_facts(struct buf *out, const struct field *field)
{
	auto_buf struct buf line = BUF_INIT;

	buf_addf(&line, "Type: %s",
		field->flags & FIELD_SECRET ? "where a secret is" : type_words[field->type]);
	if (field->type == FIELD_CHOICE) {
		buf_adds(&line, ", ");
		field_add_choices(&line, field->choices);
	}
	add_range(&line, field);
	buf_addc(&line, '.');
	if (field->flags & FIELD_REQUIRED)
		buf_adds(&line, " Required.");
	if (field->def)
		buf_addf(&line, " Default: %s.", *field->def ? field->def : "\"\"");
	if (field->flags & FIELD_NOT_BUILT)
		buf_adds(&line, " Not built yet: only the default is accepted.");
	add_line(out, buf_str(&line));
}

static void add_fields(struct buf *out, const struct field *fields, const char *prefix)
{
	for (; fields->name; fields++) {
		auto_free char *name =
			xasprintf("%s%s%s", prefix, *prefix ? "." : "", fields->name);

		if (fields->flags & FIELD_REFUSED)
			continue;
		buf_addf(out, ".It Sy %s\n", name);
		if (fields->doc)
			add_line(out, fields->doc);
		add_facts(out, fields);
		if (!fields->sub)
			continue;
		if (fields->type == FIELD_LIST)
			str_replace(&name, xasprintf("%s[]", name));
		add_fields(out, fields->sub, name);
	}
}

void fields_mdoc(const struct field *fields, const char *prefix, struct buf *out)
{
	buf_adds(out, ".Bl -tag -width Ds\n");
	add_fields(out, fields, prefix);
	buf_adds(out, ".El\n");
}
