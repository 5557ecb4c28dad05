/* Patterns: what they come down to, what PCRE2 makes of them, and where Java would see it
 * otherwise. */
#define PCRE2_CODE_UNIT_WIDTH 8

#include "model/patterns.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

#include <pcre2.h>

#include "base/alloc.h"
#include "base/text.h"
#include "model/internal.h"

#define TOPIC_NAME_MAX 249
/* Backtracking steps after which a match counts as none: patterns come from outside. */
#define MATCH_STEPS 20000
/* Letters behind a backslash that mean the same to PCRE2 and to Java. */
#define SHARED_ESCAPES "dDwWsShHvVbBAzxtnrQ"

struct pattern {
	pcre2_code *code;
	pcre2_match_data *match;
	pcre2_match_context *context;
};

static bool is_topic_char(char c)
{
	return isalnum((unsigned char)c) || c == '.' || c == '_' || c == '-';
}

/* One literal character at `p`, escaped or not: its length in the pattern, or 0. */
static size_t literal_at(const char *p, char *ret_char)
{
	if (p[0] == '\\' && p[1] && !isalnum((unsigned char)p[1])) {
		*ret_char = p[1];
		return 2;
	}
	if (text_has_prefix(p, "[.]")) {
		*ret_char = '.';
		return 3;
	}
	if (!p[0] || strchr("\\^$|?*+()[]{}", p[0]))
		return 0;
	*ret_char = p[0];
	return 1;
}

enum pattern_shape pattern_shape(const char *pattern, struct buf *ret_text)
{
	size_t n;
	char c;

	buf_clear(ret_text);
	for (const char *p = pattern; *p; p += n) {
		if (strcmp(p, ".*") == 0)
			return PATTERN_PREFIX;
		n = literal_at(p, &c);
		if (n == 0)
			return PATTERN_REGEX;
		buf_addc(ret_text, c);
	}
	return PATTERN_NAME;
}

bool pattern_is_internal_topic(const char *name)
{
	return name[0] == '.' || text_has_prefix(name, "__") ||
	       text_has_suffix(name, ".internal") || text_has_suffix(name, "-internal");
}

bool pattern_is_cut(const char *pattern)
{
	int depth = 0;

	for (const char *p = pattern; *p; p++) {
		if (*p == '\\' && p[1])
			p++;
		else if (strchr("([{", *p))
			depth++;
		else if (strchr(")]}", *p))
			depth--;
	}
	return depth > 0;
}

/* `orders*`: nothing but a name with stars that no dot, bracket or escape goes before. */
static bool is_shell_pattern(const char *pattern)
{
	bool star = false;

	for (const char *p = pattern; *p; p++) {
		if (*p == '*' && (p == pattern || p[-1] != '.'))
			star = true;
		else if (*p != '*' && !is_topic_char(*p))
			return false;
	}
	return star;
}

static void add_star_hint(const char *pattern, struct buf *why)
{
	auto_buf struct buf shown = BUF_INIT, meant = BUF_INIT;

	for (const char *p = pattern; *p; p++) {
		if (*p == '*' && (p == pattern || p[-1] != '.'))
			buf_addc(&meant, '.');
		buf_addc(&meant, *p);
	}
	buf_addf(why,
		"\"%s\" looks like a shell pattern, but patterns are regular expressions: write ",
		shorten(pattern, &shown));
	buf_adds(why, shorten(buf_str(&meant), &shown));
}

/* Characters that no topic has: a pattern that is spelled with them matches nothing. */
static bool check_topic_name(const char *pattern, const char *name, struct buf *why)
{
	auto_buf struct buf shown = BUF_INIT;

	for (const char *p = name; *p; p++) {
		if (!is_topic_char(*p)) {
			buf_addf(why,
				"\"%s\" matches no topic: names hold only letters, digits, '.', "
				"'_' and '-'",
				shorten(pattern, &shown));
			return false;
		}
	}
	if (strlen(name) > TOPIC_NAME_MAX)
		buf_addf(why, "\"%s\" matches no topic: names have at most %d characters",
			shorten(pattern, &shown), TOPIC_NAME_MAX);
	return why->len == 0;
}

static bool check_spaces(const char *pattern, struct buf *why)
{
	auto_buf struct buf shown = BUF_INIT;

	if (pattern[strcspn(pattern, " \t\r\n")] == '\0')
		return true;
	buf_addf(why,
		"\"%s\" has white space in it, which no topic has: put a comma between two "
		"patterns",
		shorten(pattern, &shown));
	return false;
}

/* What Java reads otherwise than PCRE2, or the join by `|` would change, at one place. */
struct difference {
	const char *construct; /* as the user knows it */
	const char *remedy;
};

static const struct difference
	diff_backreference = {"a back-reference",
		"it would count the groups of the whole list: write it out"},
	diff_property = {"\\p, whose names differ", "write a class such as [a-z0-9]"},
	diff_escape = {"an escape that Java does not know or reads otherwise",
		"write the characters themselves"},
	diff_open_quote = {"\\Q without \\E", "it would swallow the patterns behind it: add \\E"},
	diff_nested_class = {"a '[' inside a class",
		"Java takes it for a class of its own: write \\["},
	diff_intersection = {"'&&' inside a class", "only Java knows it: write a class without it"},
	diff_flags = {"flags such as (?i) for the rest of the pattern",
		"they would count for the patterns behind it too: write (?i:…)"},
	diff_group = {"a kind of group that Java does not know",
		"use (?:…), (?=…), (?!…), (?<=…), (?<!…) or (?>…)"},
	diff_brace = {
		"a '{' that is no count", "Java refuses it: write \\{ for the character, or {3}"};

static const struct difference *check_escape(const char **at)
{
	const char *p = *at + 1;
	const char *end;

	*at = *p ? p : *at;
	if (!isalnum((unsigned char)*p))
		return NULL;
	if (strchr("123456789kg", *p))
		return &diff_backreference;
	if (*p == 'p' || *p == 'P')
		return &diff_property;
	if (!strchr(SHARED_ESCAPES, *p))
		return &diff_escape;
	if (*p == 'x' && p[1] == '{' && (end = strchr(p, '}')))
		*at = end;
	if (*p != 'Q')
		return NULL;
	end = strstr(p, "\\E");
	if (!end)
		return &diff_open_quote;
	*at = end + 1;
	return NULL;
}

/* From the '[' to the ']' that ends the class. */
static const struct difference *check_class(const char **at)
{
	const struct difference *found = NULL;
	const char *p = *at + 1;

	if (*p == '^')
		p++;
	if (*p == ']')
		p++;
	for (; *p && *p != ']' && !found; p++) {
		if (*p == '[')
			found = &diff_nested_class;
		else if (p[0] == '&' && p[1] == '&')
			found = &diff_intersection;
		else if (p[0] == '\\' && p[1] && strchr("bBAz", p[1]))
			found = &diff_escape;
		else if (*p == '\\')
			found = check_escape(&p);
	}
	*at = *p ? p : p - 1;
	return found;
}

static const struct difference *check_group(const char **at)
{
	const char *p = *at + 1;

	if (*p == '*')
		return &diff_group;
	if (*p != '?')
		return NULL;
	p++;
	if (strchr(":=!>", *p) && *p)
		return NULL;
	if (*p == '<')
		return p[1] == '=' || p[1] == '!' || isalpha((unsigned char)p[1]) ? NULL
										  : &diff_group;
	p += strspn(p, "imsx-");
	if (p[-1] == '?')
		return &diff_group;
	return *p == ':' ? NULL : *p == ')' ? &diff_flags : &diff_group;
}

static const struct difference *check_brace(const char *pattern, const char **at)
{
	const char *p = *at;
	size_t digits = strspn(p + 1, "0123456789");

	if (p == pattern || digits == 0 || p[1 + digits] != '}')
		return &diff_brace;
	*at += 1 + digits;
	return NULL;
}

static const struct difference *find_difference(const char *pattern)
{
	const struct difference *found = NULL;

	for (const char *p = pattern; *p && !found; p++) {
		if (*p == '\\')
			found = check_escape(&p);
		else if (*p == '[')
			found = check_class(&p);
		else if (*p == '(')
			found = check_group(&p);
		else if (*p == '{')
			found = check_brace(pattern, &p);
	}
	return found;
}

static pcre2_code *compile(const char *pattern, int *ret_error, size_t *ret_offset)
{
	return pcre2_compile((PCRE2_SPTR)pattern, PCRE2_ZERO_TERMINATED,
		PCRE2_ANCHORED | PCRE2_ENDANCHORED | PCRE2_UTF, ret_error, ret_offset, NULL);
}

static bool check_compiles(const char *pattern, struct buf *why)
{
	auto_buf struct buf shown = BUF_INIT;
	int error;
	size_t offset;
	PCRE2_UCHAR text[160];
	pcre2_code *code = compile(pattern, &error, &offset);

	pcre2_code_free(code);
	if (code)
		return true;
	pcre2_get_error_message(error, text, sizeof(text));
	buf_addf(why, "\"%s\" is no regular expression: %s (at character %zu)",
		shorten(pattern, &shown), (char *)text, offset + 1);
	return false;
}

static bool check_expression(const char *pattern, struct buf *why)
{
	const struct difference *found = find_difference(pattern);
	auto_buf struct buf shown = BUF_INIT;

	if (!found)
		return check_compiles(pattern, why);
	buf_addf(why, "\"%s\" uses %s; %s", shorten(pattern, &shown), found->construct,
		found->remedy);
	return false;
}

static bool check_link(const char *pattern, struct buf *why)
{
	auto_buf struct buf shown = BUF_INIT;

	buf_addf(why,
		"\"%s\" is more than a cluster link can do, which copies by name or by prefix: "
		"write names, and prefixes as orders.*",
		shorten(pattern, &shown));
	return false;
}

/* What is the same for both providers, `rest` being what is not. */
static bool check_pattern(const char *pattern, enum pattern_subject subject,
	bool (*rest)(const char *pattern, struct buf *why), struct buf *why)
{
	auto_buf struct buf text = BUF_INIT;

	if (subject == PATTERN_TOPICS && !check_spaces(pattern, why))
		return false;
	if (pattern_shape(pattern, &text) != PATTERN_REGEX)
		return subject != PATTERN_TOPICS || check_topic_name(pattern, buf_str(&text), why);
	if (!is_shell_pattern(pattern))
		return rest(pattern, why);
	add_star_hint(pattern, why);
	return false;
}

bool pattern_check_regex(const char *pattern, enum pattern_subject subject, struct buf *why)
{
	return check_pattern(pattern, subject, check_expression, why);
}

bool pattern_check_link(const char *pattern, enum pattern_subject subject, struct buf *why)
{
	return check_pattern(pattern, subject, check_link, why);
}

struct pattern *pattern_compile(const char *pattern)
{
	int error;
	size_t offset;
	pcre2_code *code = compile(pattern, &error, &offset);
	struct pattern *p;

	if (!code)
		return NULL;
	p = xcalloc(1, sizeof(*p));
	p->code = code;
	p->match = pcre2_match_data_create_from_pattern(code, NULL);
	p->context = pcre2_match_context_create(NULL);
	if (!p->match || !p->context)
		BUG("out of memory in PCRE2");
	pcre2_set_match_limit(p->context, MATCH_STEPS);
	return p;
}

bool pattern_matches(const struct pattern *p, const char *name)
{
	return pcre2_match(p->code, (PCRE2_SPTR)name, PCRE2_ZERO_TERMINATED, 0, 0, p->match,
		       p->context) >= 0;
}

void pattern_free(struct pattern *p)
{
	if (!p)
		return;
	pcre2_match_context_free(p->context);
	pcre2_match_data_free(p->match);
	pcre2_code_free(p->code);
	free(p);
}
