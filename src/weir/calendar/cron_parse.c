/* Reads cron schedules, and says what is wrong with one. */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/alloc.h"
#include "base/limits.h"
#include "base/strv.h"
#include "base/text.h"
#include "calendar/cron.h"

#define NAME_LENGTH 3

static const char *const month_names[] = {
	"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec", NULL};
static const char *const weekday_names[] = {"sun", "mon", "tue", "wed", "thu", "fri", "sat", NULL};

static const struct part {
	const char *name;
	int min;
	int max;
	const char *const *names; /* of the values from `min` */
	const char *example;
} parts[CRON__COUNT] = {
	[CRON_MINUTE] = {"minute", 0, 59, NULL, "*/15"},
	[CRON_HOUR] = {"hour", 0, 23, NULL, "8-17"},
	[CRON_DAY] = {"day of the month", 1, 31, NULL, "1,15"},
	[CRON_MONTH] = {"month", 1, 12, month_names, "jan-mar"},
	[CRON_WEEKDAY] = {"day of the week", 0, 7, weekday_names, "mon-fri"},
};

/* What other crons call schedules, and how to write them. */
static const struct {
	const char *name;
	const char *fields;
} nicknames[] = {
	{"@yearly", "0 0 1 1 *"},
	{"@annually", "0 0 1 1 *"},
	{"@monthly", "0 0 1 * *"},
	{"@weekly", "0 0 * * 0"},
	{"@daily", "0 0 * * *"},
	{"@midnight", "0 0 * * *"},
	{"@hourly", "0 * * * *"},
};

/* One item of a list: what is read, and for what is said about it. */
struct item {
	const struct part *part;
	const char *text; /* of the item */
	const char *rest; /* not yet read */
	int first;
	int last;
	int step;
};

static void push_part(struct strv *out, const char *text, size_t len)
{
	strv_push_take(out, xmemdupz(text, len));
}

static void split_words(struct strv *out, const char *text)
{
	for (text += strspn(text, " \t"); *text; text += strspn(text, " \t")) {
		size_t len = strcspn(text, " \t");

		push_part(out, text, len);
		text += len;
	}
}

static void split_list(struct strv *out, const char *text)
{
	for (size_t len; (len = strcspn(text, ",")), text[len]; text += len + 1)
		push_part(out, text, len);
	strv_push(out, text);
}

static int complain(const struct item *it, struct err *e, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static int complain(const struct item *it, struct err *e, const char *fmt, ...)
{
	auto_buf struct buf shown = BUF_INIT;
	va_list ap;

	va_start(ap, fmt);
	auto_free char *what = xvasprintf(fmt, ap);
	va_end(ap);
	buf_adds(&shown, it->text);
	text_truncate(&shown, 40);
	return err_set(e, ERR_INVALID, "%s: \"%s\" %s", it->part->name, buf_str(&shown), what);
}

/* "0 to 23, such as 8-17", "1 to 12 or jan to dec, such as jan-mar" */
static const char *values_of(const struct part *part, struct buf *out)
{
	buf_clear(out);
	buf_addf(out, "%d to %d", part->min, part->max);
	if (part->names) {
		size_t n = 0;

		while (part->names[n])
			n++;
		buf_addf(out, " or %s to %s", part->names[0], part->names[n - 1]);
	}
	buf_addf(out, ", such as %s", part->example);
	return buf_str(out);
}

static int no_value(const struct item *it, struct err *e)
{
	auto_buf struct buf values = BUF_INIT;

	if (!*it->text)
		return err_set(e, ERR_INVALID,
			"%s: a comma stands with nothing before or behind it", it->part->name);
	if (strchr("?LW#", toupper((unsigned char)*it->rest)) && *it->rest)
		return complain(it, e, "is not known here: %s",
			*it->rest == '?' ? "write *" : "write the days themselves");
	return complain(it, e, "is no value: write %s", values_of(it->part, &values));
}

static bool take_number(struct item *it, int *ret_value)
{
	int value = 0;

	if (!isdigit((unsigned char)*it->rest))
		return false;
	for (; isdigit((unsigned char)*it->rest); it->rest++)
		value = value < 10000 ? value * 10 + (*it->rest - '0') : value;
	*ret_value = value;
	return true;
}

static bool take_name(struct item *it, int *ret_value)
{
	size_t len = strspn(it->rest, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");

	for (int i = 0; len == NAME_LENGTH && it->part->names && it->part->names[i]; i++) {
		if (strncasecmp(it->part->names[i], it->rest, NAME_LENGTH) == 0) {
			*ret_value = it->part->min + i;
			it->rest += NAME_LENGTH;
			return true;
		}
	}
	return false;
}

static int take_value(struct item *it, int *ret_value, struct err *e)
{
	auto_buf struct buf values = BUF_INIT;

	if (!take_name(it, ret_value) && !take_number(it, ret_value))
		return no_value(it, e);
	if (*ret_value < it->part->min || *ret_value > it->part->max)
		return complain(it, e, "is out of range: write %s", values_of(it->part, &values));
	return 0;
}

static int take_range(struct item *it, struct err *e)
{
	bool weekday = it->part == &parts[CRON_WEEKDAY];

	if (*it->rest == '*') {
		it->rest++;
		it->first = it->part->min;
		it->last = weekday ? it->part->max - 1 : it->part->max;
		return 0;
	}
	if (take_value(it, &it->first, e) < 0)
		return -ERR_INVALID;
	it->last = it->first;
	if (*it->rest != '-')
		return 0;
	it->rest++;
	if (take_value(it, &it->last, e) < 0)
		return -ERR_INVALID;
	if (weekday && it->last == 0 && it->first > 0)
		it->last = 7; /* fri-sun */
	if (it->last < it->first)
		return complain(it, e, "ends before it begins: write two ranges with a comma");
	return 0;
}

static int take_step(struct item *it, struct err *e)
{
	it->step = 1;
	if (*it->rest != '/')
		return 0;
	it->rest++;
	if (!take_number(it, &it->step))
		return complain(it, e, "has no number behind the slash: write one, such as */2");
	if (it->step == 0)
		return complain(it, e, "never gets on: the step must be at least 1");
	if (it->first == it->last)
		return complain(it, e, "is a step without a range: write %d-%d/%d", it->first,
			it->part->max, it->step);
	if (it->step > it->last - it->first)
		return complain(it, e,
			"takes a step beyond the last value, so only the first is meant: write %d",
			it->first);
	return 0;
}

static int add_item(const struct part *part, const char *text, uint64_t *set, struct err *e)
{
	struct item it = {.part = part, .text = text, .rest = text};

	if (take_range(&it, e) < 0 || take_step(&it, e) < 0)
		return -ERR_INVALID;
	if (*it.rest)
		return complain(&it, e,
			"goes on with \"%c\": write a value, a range such as 1-5, or "
			"a list of them with commas",
			isprint((unsigned char)*it.rest) ? *it.rest : '?');
	for (int value = it.first; value <= it.last; value += it.step)
		*set |= (uint64_t)1 << (part == &parts[CRON_WEEKDAY] ? value % 7 : value);
	return 0;
}

static int parse_part(enum cron_part which, const char *text, struct cron *c, struct err *e)
{
	auto_strv struct strv items = VEC_INIT;

	split_list(&items, text);
	c->starred[which] = *text == '*';
	vec_each (it, &items) {
		if (add_item(&parts[which], *it, &c->set[which], e) < 0)
			return -ERR_INVALID;
	}
	return 0;
}

/* 30 and 31 February, and so on: there is no such day. */
static int check_days(const struct cron *c, struct err *e)
{
	static const int days_of[] = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};

	if (c->starred[CRON_DAY] || !c->starred[CRON_WEEKDAY])
		return 0;
	for (int month = 1; month <= 12; month++) {
		uint64_t days = ((uint64_t)2 << days_of[month - 1]) - 1;

		if (c->set[CRON_MONTH] & (uint64_t)1 << month && c->set[CRON_DAY] & days)
			return 0;
	}
	return err_set(e, ERR_INVALID, "day of the month: no month that it names has such a day");
}

static int check_form(const char *text, const struct strv *fields, struct err *e)
{
	for (size_t i = 0; i < ARRAY_SIZE(nicknames); i++) {
		if (strcasecmp(nicknames[i].name, text) == 0)
			return err_set(e, ERR_INVALID, "%s: write \"%s\"", nicknames[i].name,
				nicknames[i].fields);
	}
	if (fields->n != CRON__COUNT)
		return err_set(e, ERR_INVALID,
			"has %zu field%s, and needs five without blanks in them: minute, hour, day "
			"of the month, month and day of the week, such as \"0 8 * * 1-5\"",
			fields->n, fields->n == 1 ? "" : "s");
	return 0;
}

int cron_parse(const char *text, struct cron *ret_cron, struct err *e)
{
	auto_strv struct strv fields = VEC_INIT;
	struct cron c = {0};

	if (strlen(text) > LIMIT_SCHEDULE_BYTES)
		return err_set(e, ERR_INVALID, "is longer than %d bytes", LIMIT_SCHEDULE_BYTES);
	split_words(&fields, text);
	if (check_form(text, &fields, e) < 0)
		return -ERR_INVALID;
	for (enum cron_part part = 0; part < CRON__COUNT; part++) {
		if (parse_part(part, fields.at[part], &c, e) < 0)
			return -ERR_INVALID;
	}
	if (check_days(&c, e) < 0)
		return -ERR_INVALID;
	*ret_cron = c;
	return 0;
}
