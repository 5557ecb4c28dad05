/* Whole numbers, durations and shares: what is wrong with one says what may stand there, with an
 * example. */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/text.h"
#include "doc/fields_parts.h"

/* Examples where the table has no default, or one that says nothing: the first that is allowed. */
static const int64_t numbers[] = {3, 1000};
static const int64_t durations_ms[] = {30000, 600000, 3600000};

static bool in_range(const struct field *field, int64_t number)
{
	return number >= field->min && (field->max == 0 || number <= field->max);
}

static int64_t example_of(const struct field *field, const int64_t *examples, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (in_range(field, examples[i]))
			return examples[i];
	return field->min;
}

/* "between 1 and 256", "of at least 0" */
static void add_range(
	struct buf *out, const struct field *field, const char *least, const char *most)
{
	if (field->max)
		buf_addf(out, "between %s and %s", least, most);
	else
		buf_addf(out, "of at least %s", least);
}

static bool has_default(const struct field *field)
{
	return field->def && strcmp(field->def, "0") != 0;
}

/* "between 1 and 256, such as 8" */
static void add_numbers(struct buf *out, const struct field *field)
{
	auto_free char *least = xasprintf("%" PRId64, field->min);
	auto_free char *most = xasprintf("%" PRId64, field->max);

	add_range(out, field, least, most);
	if (has_default(field))
		buf_addf(out, ", such as %s", field->def);
	else
		buf_addf(
			out, ", such as %" PRId64, example_of(field, numbers, ARRAY_SIZE(numbers)));
}

/* "between 1s and 24h, such as 30s" */
static void add_durations(struct buf *out, const struct field *field)
{
	char least[CLOCK_TEXT_MAX], most[CLOCK_TEXT_MAX], example[CLOCK_TEXT_MAX];

	duration_format(field->min, least);
	duration_format(field->max, most);
	duration_format(example_of(field, durations_ms, ARRAY_SIZE(durations_ms)), example);
	add_range(out, field, least, most);
	buf_addf(out, ", such as %s", has_default(field) ? field->def : example);
}

/* 1.0 is a whole number to JSON; 012 and 1e3 are not written the same everywhere. */
static bool take_integer(const struct node *value, int64_t *ret_value)
{
	if (value->ambiguity != AMBIGUOUS_NOT)
		return false;
	if (value->type == NODE_REAL)
		return node_real_as_int(value->u.real, ret_value);
	*ret_value = value->u.integer;
	return value->type == NODE_INT;
}

static bool no_number(
	const struct field_context *c, const struct field *field, const struct node *value)
{
	bool is_written_otherwise = value->type == NODE_STRING || value->ambiguity != AMBIGUOUS_NOT;
	auto_buf struct buf allowed = BUF_INIT;

	buf_adds(&allowed, "a whole number ");
	add_numbers(&allowed, field);
	if (value->type == NODE_REAL && !is_written_otherwise)
		return field_problem(c, value,
			"must be %s; this one is too large or has a fraction", buf_str(&allowed));
	if (!is_written_otherwise)
		return field_wrong_type(c, value, buf_str(&allowed));
	return field_problem(
		c, value, "must be %s, in plain digits and without quotes", buf_str(&allowed));
}

bool field_decode_int(const struct field_context *c, const struct field *field,
	const struct node *value, void *slot)
{
	int64_t number;
	auto_buf struct buf allowed = BUF_INIT;

	if (!take_integer(value, &number))
		return no_number(c, field, value);
	if (!in_range(field, number)) {
		add_numbers(&allowed, field);
		return field_problem(c, value, "must be a number %s", buf_str(&allowed));
	}
	*(int64_t *)slot = number;
	return true;
}

static bool no_duration(
	const struct field_context *c, const struct field *field, const struct node *value)
{
	auto_buf struct buf allowed = BUF_INIT;

	buf_adds(&allowed, "a duration ");
	add_durations(&allowed, field);
	if (value->type == NODE_INT)
		return field_problem(
			c, value, "needs a unit, ms, s, m or h: it must be %s", buf_str(&allowed));
	if (value->type != NODE_STRING)
		return field_wrong_type(c, value, buf_str(&allowed));
	return field_problem(c, value,
		"must be %s; it is written as whole numbers with ms, s, m or h, the largest first",
		buf_str(&allowed));
}

bool field_decode_duration(const struct field_context *c, const struct field *field,
	const struct node *value, void *slot)
{
	bool zero = value->type == NODE_INT && value->u.integer == 0 &&
		    value->ambiguity == AMBIGUOUS_NOT;
	auto_buf struct buf allowed = BUF_INIT;
	int64_t ms = 0;

	if (!zero && (value->type != NODE_STRING || !duration_parse(value->u.string.s, &ms)))
		return no_duration(c, field, value);
	if (!in_range(field, ms)) {
		add_durations(&allowed, field);
		return field_problem(c, value, "must be a duration %s", buf_str(&allowed));
	}
	*(int64_t *)slot = ms;
	return true;
}

/* "10%" */
static bool parse_percent(const char *s, int64_t *ret_value)
{
	auto_free char *digits = xstrdup(s);
	size_t len = strlen(digits);
	uint64_t value;

	if (len < 2 || digits[len - 1] != '%')
		return false;
	digits[len - 1] = '\0';
	if (!text_parse_u64(digits, &value) || value > 100)
		return false;
	*ret_value = (int64_t)value;
	return true;
}

static bool no_count(
	const struct field_context *c, const struct field *field, const struct node *value)
{
	auto_free char *least = xasprintf("%" PRId64, field->min);
	auto_free char *most = xasprintf("%" PRId64, field->max);
	auto_buf struct buf allowed = BUF_INIT;

	add_range(&allowed, field, least, most);
	return field_problem(c, value,
		"must be a count %s, such as 3, or a share between 0%% and 100%%, such as 10%%",
		buf_str(&allowed));
}

bool field_decode_count_or_percent(const struct field_context *c, const struct field *field,
	const struct node *value, void *slot)
{
	struct count_or_percent result = {0, false};

	if (value->type == NODE_STRING && parse_percent(value->u.string.s, &result.value))
		result.percent = true;
	else if (!take_integer(value, &result.value) || !in_range(field, result.value))
		return no_count(c, field, value);
	*(struct count_or_percent *)slot = result;
	return true;
}
