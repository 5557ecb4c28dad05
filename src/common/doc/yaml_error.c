/* What is wrong with a YAML text, in words that help the person who wrote it. */
#include "doc/yaml_parts.h"

#include <string.h>

#include "base/alloc.h"
#include "base/err.h"
#include "base/limits.h"
#include "base/text.h"

#define BYTE_ORDER_MARK "\xef\xbb\xbf"

/* Bytes of the line break at the start of `s`, as libyaml sees it; 0 if there is none. */
static size_t break_length(const char *s, size_t len)
{
	if (len >= 2 && memcmp(s, "\r\n", 2) == 0)
		return 2;
	if (len >= 1 && (*s == '\n' || *s == '\r'))
		return 1;
	if (len >= 2 && memcmp(s, "\xc2\x85", 2) == 0)
		return 2;
	return len >= 3 && (memcmp(s, "\xe2\x80\xa8", 3) == 0 || memcmp(s, "\xe2\x80\xa9", 3) == 0)
		       ? 3
		       : 0;
}

static void find_place(
	const struct yaml_text *text, size_t offset, unsigned *ret_line, unsigned *ret_col)
{
	*ret_line = *ret_col = 1;
	for (size_t i = 0; i < offset && i < text->len;) {
		size_t n = break_length(text->at + i, text->len - i);
		uint32_t c;

		if (n > 0) {
			++*ret_line;
			*ret_col = 1;
			i += n;
			continue;
		}
		n = text_next(text->at + i, text->len - i, &c);
		i += n ? n : 1;
		++*ret_col;
	}
}

static void add_at_offset(
	const struct yaml_text *text, size_t offset, struct problems *problems, const char *message)
{
	unsigned line, col;

	find_place(text, offset, &line, &col);
	problems_add(problems, PROBLEM_ERROR, text->file, line, col, "", "%s", message);
}

static bool begins_line(const struct yaml_text *text, size_t offset)
{
	for (size_t back = 1; back <= 3 && back <= offset; back++)
		if (break_length(text->at + offset - back, back) == back)
			return true;
	return offset == 0;
}

/* "%YAML 1.1" or "%YAML 1.2", perhaps with a comment. */
static bool is_known_directive(const char *s, size_t len)
{
	auto_free char *line = xmemdupz(s, len);

	line[strcspn(line, "\r\n")] = '\0';
	if (!text_has_prefix(line, "%YAML "))
		return false;
	const char *version = line + 5 + strspn(line + 5, " ");
	if (!text_has_prefix(version, "1.1") && !text_has_prefix(version, "1.2"))
		return false;
	const char *rest = version + 3;
	const char *behind = rest + strspn(rest, " \t");
	return *behind == '\0' || (*behind == '#' && behind > rest);
}

/* libyaml's time on %TAG lines is quadratic, inside a single event: they must not reach it. */
static int check_directives(const struct yaml_text *text, struct problems *problems)
{
	const char *at = text->at, *end = text->at + text->len;

	while ((at = memchr(at, '%', (size_t)(end - at)))) {
		size_t line_len = (size_t)(end - at) < 80 ? (size_t)(end - at) : 80;

		if (begins_line(text, (size_t)(at - text->at)) &&
			!is_known_directive(at, line_len)) {
			add_at_offset(text, (size_t)(at - text->at), problems,
				"a line that begins with % is a directive, and only %YAML 1.2 is "
				"supported; "
				"take it out, or put the value in quotes");
			return -ERR_CONFIG;
		}
		at++;
	}
	return 0;
}

static bool is_utf16(const struct yaml_text *text)
{
	const unsigned char *b = (const unsigned char *)text->at;

	return text->len >= 2 && ((b[0] == 0xff && b[1] == 0xfe) ||
					 (b[0] == 0xfe && b[1] == 0xff) || b[0] == 0 || b[1] == 0);
}

int yaml_check_text(struct yaml_text *text, struct problems *problems)
{
	if (text->len > LIMIT_YAML_FILE_BYTES) {
		problems_add(problems, PROBLEM_ERROR, text->file, 0, 0, "",
			"larger than %u KiB; split it into several files",
			LIMIT_YAML_FILE_BYTES >> 10);
		return -ERR_LIMIT;
	}
	if (is_utf16(text)) {
		problems_add(problems, PROBLEM_ERROR, text->file, 1, 1, "",
			"not UTF-8: it looks like UTF-16; save it as UTF-8");
		return -ERR_CONFIG;
	}
	if (text->len >= 3 && memcmp(text->at, BYTE_ORDER_MARK, 3) == 0) {
		text->at += 3;
		text->len -= 3;
	}
	return check_directives(text, problems);
}

/* libyaml's offset lies somewhere inside the sequence that is wrong. */
static size_t first_invalid(const struct yaml_text *text)
{
	size_t i = 0, n = 1;
	uint32_t c;

	while (i < text->len && (n = text_next(text->at + i, text->len - i, &c)) > 0)
		i += n;
	return i;
}

static void explain_bytes(
	const yaml_parser_t *parser, const struct yaml_text *text, struct problems *problems)
{
	size_t offset = parser->problem_offset;

	if (strcmp(parser->problem, "control characters are not allowed") != 0)
		add_at_offset(text, first_invalid(text), problems,
			"a byte that is not UTF-8; save the file as UTF-8");
	else if (parser->problem_value == 0)
		add_at_offset(text, offset, problems,
			"a NUL byte; YAML is text: is this the right file, saved as UTF-8?");
	else
		add_at_offset(text, offset, problems, "a control character; take it out");
}

/* The character that a mark stands on, "" at the end. Marks count characters, not bytes. */
static const char *character_at(const struct yaml_text *text, yaml_mark_t mark, char out[8])
{
	size_t i = 0;
	uint32_t c;

	for (size_t n = 0; n < mark.index && i < text->len; n++) {
		size_t width = text_next(text->at + i, text->len - i, &c);

		i += width ? width : 1;
	}
	size_t width = text_next(text->at + i, text->len - i, &c);
	memcpy(out, text->at + i, width);
	out[width] = '\0';
	return out;
}

/* What libyaml says, and what to tell; %s is the character at the mark, %u the line where the whole
 * began. */
enum explain_flags {
	AT_BEGINNING = 1 << 0, /* show where the whole began, not where libyaml noticed */
	NAME_BEGINNING = 1 << 1,
};

static const struct explanation {
	const char *problem;
	const char *context; /* NULL: any */
	unsigned flags;
	const char *message;
} explanations[] = {
	{"did not find expected alphabetic or numeric character", "while scanning an alias",
		AT_BEGINNING, "* begins an alias; put a pattern in quotes, such as \"*.internal\""},
	{"did not find expected alphabetic or numeric character", "while scanning an anchor",
		AT_BEGINNING, "& begins an anchor; put the value in quotes"},
	{"mapping values are not allowed in this context", NULL, 0,
		"a colon and a space make a key, which cannot stand here; put the value in quotes, "
		"or check the indentation and the line above"},
	{"mapping keys are not allowed in this context", NULL, 0,
		"a key cannot stand here; check the indentation"},
	{"block sequence entries are not allowed in this context", NULL, 0,
		"a list item cannot stand here; begin it on a line of its own"},
	{"could not find expected ':'", NULL, AT_BEGINNING,
		"a colon and a space are missing behind this; check also what stands above it"},
	{"did not find expected key", NULL, NAME_BEGINNING,
		"a key was expected here; check the indentation"},
	{"did not find expected '-' indicator", NULL, NAME_BEGINNING,
		"a list item was expected here; check the indentation"},
	{"did not find expected ',' or ']'", NULL, NAME_BEGINNING,
		"a comma or ] was expected here; put values with [ ] { } or a colon in quotes"},
	{"did not find expected ',' or '}'", NULL, NAME_BEGINNING,
		"a comma or } was expected here; put values with [ ] { } or a colon in quotes"},
	{"found unexpected end of stream", NULL, AT_BEGINNING, "this quote is never closed"},
	{"found unexpected document indicator", NULL, AT_BEGINNING, "this quote is never closed"},
	{"found unknown escape character", NULL, 0,
		"double quotes have no such escape; put patterns in single quotes"},
	{"did not find expected hexdecimal number", NULL, 0,
		"hexadecimal digits are missing behind \\x, \\u or \\U; put patterns in single "
		"quotes"},
	{"found invalid Unicode character escape code", NULL, 0,
		"no such character; write it as it is, without \\u"},
	{"found a tab character where an indentation space is expected", NULL, 0,
		"a tab cannot indent; use spaces"},
	{"found a tab character that violates indentation", NULL, 0,
		"a tab cannot indent; use spaces"},
	{"found unexpected ':'", NULL, 0, "a colon cannot stand here; put the value in quotes"},
	{"did not find expected node content", NULL, 0, "a value was expected here"},
	{"did not find expected <document start>", NULL, 0,
		"something follows the end of the document; check the indentation, or begin the "
		"next one with ---"},
	{"found undefined tag handle", NULL, 0,
		"! begins a tag, and this one is not known; put the value in quotes"},
};

static const struct explanation *find_explanation(const yaml_parser_t *parser)
{
	for (size_t i = 0; i < ARRAY_SIZE(explanations); i++) {
		const struct explanation *it = &explanations[i];

		if (strcmp(it->problem, parser->problem) == 0 &&
			(!it->context ||
				(parser->context && strcmp(it->context, parser->context) == 0)))
			return it;
	}
	return NULL;
}

static void add_at_mark(const struct yaml_text *text, yaml_mark_t mark, struct problems *problems,
	const char *message)
{
	problems_add(problems, PROBLEM_ERROR, text->file, (unsigned)mark.line + 1,
		(unsigned)mark.column + 1, "", "%s", message);
}

static void explain_character(
	const yaml_parser_t *parser, const struct yaml_text *text, struct problems *problems)
{
	char character[8];

	character_at(text, parser->problem_mark, character);
	auto_free char *message =
		strcmp(character, "\t") == 0
			? xstrdup("a tab cannot indent; use spaces")
			: xasprintf("a value cannot begin with %s; put it in quotes", character);
	add_at_mark(text, parser->problem_mark, problems, message);
}

void yaml_explain(
	const yaml_parser_t *parser, const struct yaml_text *text, struct problems *problems)
{
	if (parser->error == YAML_READER_ERROR) {
		explain_bytes(parser, text, problems);
		return;
	}
	if (strcmp(parser->problem, "found character that cannot start any token") == 0) {
		explain_character(parser, text, problems);
		return;
	}
	const struct explanation *it = find_explanation(parser);
	if (!it) {
		add_at_mark(text, parser->problem_mark, problems, parser->problem);
		return;
	}
	yaml_mark_t mark = it->flags & AT_BEGINNING ? parser->context_mark : parser->problem_mark;
	auto_free char *message = it->flags & NAME_BEGINNING
					  ? xasprintf("%s (what it belongs to begins at line %zu)",
						    it->message, parser->context_mark.line + 1)
					  : xstrdup(it->message);
	add_at_mark(text, mark, problems, message);
}
