/* The types of scalars: YAML 1.2's core schema, and what YAML 1.1 reads otherwise. */
#include "doc/yaml_parts.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"

#define DIGITS "0123456789"

/* The longest is "false". */
#define WORD_MAX 5

static const struct word {
	const char *text;
	enum node_type type;
	bool boolean;
} words[] = {
	{"", NODE_NULL, false},
	{"~", NODE_NULL, false},
	{"null", NODE_NULL, false},
	{"Null", NODE_NULL, false},
	{"NULL", NODE_NULL, false},
	{"true", NODE_BOOL, true},
	{"True", NODE_BOOL, true},
	{"TRUE", NODE_BOOL, true},
	{"false", NODE_BOOL, false},
	{"False", NODE_BOOL, false},
	{"FALSE", NODE_BOOL, false},
};

static const char *const yaml11_booleans[] = {"y", "Y", "yes", "Yes", "YES", "n", "N", "no", "No",
	"NO", "on", "On", "ON", "off", "Off", "OFF"};

static bool resolve_word(struct node *n)
{
	if (strlen(n->u.text) > WORD_MAX)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		if (strcmp(words[i].text, n->u.text) == 0) {
			n->type = words[i].type;
			n->u.boolean = words[i].boolean;
			return true;
		}
	}
	for (size_t i = 0; i < ARRAY_SIZE(yaml11_booleans); i++)
		if (strcmp(yaml11_booleans[i], n->u.text) == 0)
			n->ambiguity = AMBIGUOUS_BOOL;
	return false;
}

static bool is_all(const char *s, const char *set)
{
	return *s && s[strspn(s, set)] == '\0';
}

static const char *skip_sign(const char *s)
{
	return *s == '+' || *s == '-' ? s + 1 : s;
}

/* Whole numbers beyond 64 bits become reals. */
static void set_integer(struct node *n, const char *digits, int base)
{
	errno = 0;
	int64_t value = strtoll(digits, NULL, base);
	if (errno == ERANGE) {
		n->type = NODE_REAL;
		n->u.real = base == 8 ? INFINITY : strtod(n->u.text, NULL);
		return;
	}
	n->type = NODE_INT;
	n->u.integer = value;
}

static bool resolve_integer(struct node *n)
{
	const char *body = skip_sign(n->u.text);

	if (is_all(body, DIGITS)) {
		set_integer(n, n->u.text, 10);
		if (body[0] == '0' && body[1])
			n->ambiguity = AMBIGUOUS_OCTAL;
		return true;
	}
	if (text_has_prefix(n->u.text, "0x") && is_all(n->u.text + 2, DIGITS "abcdefABCDEF")) {
		set_integer(n, n->u.text + 2, 16);
		return true;
	}
	if (text_has_prefix(n->u.text, "0o") && is_all(n->u.text + 2, "01234567")) {
		set_integer(n, n->u.text + 2, 8);
		n->ambiguity = AMBIGUOUS_OCTAL;
		return true;
	}
	return false;
}

/* Infinity and NaN have three spellings each. */
static bool resolve_special(struct node *n)
{
	static const char *const infinities[] = {".inf", ".Inf", ".INF"};
	static const char *const nans[] = {".nan", ".NaN", ".NAN"};
	const char *body = skip_sign(n->u.text);

	for (size_t i = 0; i < ARRAY_SIZE(infinities); i++) {
		if (strcmp(body, infinities[i]) == 0) {
			n->type = NODE_REAL;
			n->u.real = n->u.text[0] == '-' ? -INFINITY : INFINITY;
			return true;
		}
		if (strcmp(n->u.text, nans[i]) == 0) {
			n->type = NODE_REAL;
			n->u.real = NAN;
			return true;
		}
	}
	return false;
}

/* Digits with a point or an exponent; YAML 1.1 wants both the point and the sign of the exponent.
 */
static bool resolve_real(struct node *n)
{
	const char *body = skip_sign(n->u.text);
	size_t whole = strspn(body, DIGITS);
	bool point = body[whole] == '.';
	size_t fraction = point ? strspn(body + whole + 1, DIGITS) : 0;
	const char *rest = body + whole + point + fraction;

	if (whole + fraction == 0)
		return resolve_special(n);
	if (*rest == 'e' || *rest == 'E') {
		const char *exponent = skip_sign(rest + 1);

		if (!is_all(exponent, DIGITS))
			return false;
		if (!point || exponent == rest + 1)
			n->ambiguity = AMBIGUOUS_NUMBER;
	} else if (*rest) {
		return false;
	}
	n->type = NODE_REAL;
	n->u.real = strtod(n->u.text, NULL);
	return true;
}

/* 1:30, -1:30:00.5 */
static bool is_sexagesimal(const char *text)
{
	const char *s = skip_sign(text);
	size_t parts = 0;

	if (!isdigit((unsigned char)*s))
		return false;
	s += strspn(s, DIGITS "_");
	for (; *s == ':'; parts++) {
		size_t digits = strspn(s + 1, DIGITS);

		if (digits == 0 || digits > 2 || (digits == 2 && s[1] > '5'))
			return false;
		s += digits + 1;
	}
	if (*s == '.')
		s += 1 + strspn(s + 1, DIGITS "_");
	return parts > 0 && *s == '\0';
}

/* 2026-11-30, alone or with a time behind it */
static bool is_date(const char *s)
{
	static const size_t least[] = {4, 1, 1}, most[] = {4, 2, 2};

	for (size_t i = 0; i < ARRAY_SIZE(least); i++) {
		size_t digits = strspn(s, DIGITS);

		if (digits < least[i] || digits > most[i] || (i < 2 && s[digits] != '-'))
			return false;
		s += digits + (i < 2);
	}
	return *s == '\0' ||
	       (strchr("Tt \t", *s) && isdigit((unsigned char)s[1 + strspn(s + 1, " \t")]));
}

/* 0b11 and +0x1f; or what is a number once its underscores are gone. */
static bool is_yaml11_number(const char *text)
{
	const char *body = skip_sign(text);
	char plain[64];
	size_t len = 0;

	if (text_has_prefix(body, "0b"))
		return is_all(body + 2, "01_");
	if (text_has_prefix(body, "0x"))
		return is_all(body + 2, DIGITS "abcdefABCDEF_");
	if (!strchr(text, '_') || strlen(text) >= sizeof(plain))
		return false;
	for (; *text; text++)
		if (*text != '_')
			plain[len++] = *text;
	plain[len] = '\0';
	struct node n = {.u.text = plain};
	return resolve_integer(&n) || resolve_real(&n);
}

static enum node_ambiguity find_ambiguity(const char *text)
{
	if (is_sexagesimal(text))
		return AMBIGUOUS_SEXAGESIMAL;
	if (is_date(text))
		return AMBIGUOUS_DATE;
	return is_yaml11_number(text) ? AMBIGUOUS_NUMBER : AMBIGUOUS_NOT;
}

void yaml_set_string(struct node *n)
{
	n->type = NODE_STRING;
	n->u.string.len = strlen(n->u.text);
}

void yaml_resolve_plain(struct node *n)
{
	unsigned char first = (unsigned char)n->u.text[0];

	if (resolve_word(n))
		return;
	if (isdigit(first) || (first && strchr("+-.", first))) {
		if (resolve_integer(n) || resolve_real(n))
			return;
		n->ambiguity = find_ambiguity(n->u.text);
	}
	yaml_set_string(n);
}

enum node_type yaml_tag_type(const char *tag)
{
	static const struct {
		const char *tag;
		enum node_type type;
	} tags[] = {
		{YAML_NULL_TAG, NODE_NULL},
		{YAML_BOOL_TAG, NODE_BOOL},
		{YAML_INT_TAG, NODE_INT},
		{YAML_FLOAT_TAG, NODE_REAL},
		{YAML_STR_TAG, NODE_STRING},
		{YAML_SEQ_TAG, NODE_SEQ},
		{YAML_MAP_TAG, NODE_MAP},
	};

	for (size_t i = 0; i < ARRAY_SIZE(tags); i++)
		if (strcmp(tags[i].tag, tag) == 0)
			return tags[i].type;
	return NODE__COUNT;
}

bool yaml_resolve_as(struct node *n, enum node_type type)
{
	if (type == NODE_STRING) {
		yaml_set_string(n);
		return true;
	}
	yaml_resolve_plain(n);
	n->ambiguity = AMBIGUOUS_NOT;
	if (type == NODE_REAL && n->type == NODE_INT) {
		n->type = NODE_REAL;
		n->u.real = (double)n->u.integer;
	}
	return n->type == type;
}
