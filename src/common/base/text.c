/* Escaping, cutting and comparing text from outside. */
#include "base/text.h"

#include <ctype.h>
#include <string.h>

#include "base/alloc.h"

#define SUGGEST_MAX_LEN 64

size_t text_next(const char *s, size_t len, uint32_t *ret_char)
{
	/* By the upper half of the first byte; 0: no character begins like that. */
	static const unsigned char lengths[16] = {1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 2, 2, 3, 4};
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	unsigned char first = len ? (unsigned char)s[0] : 0x80;
	size_t n = lengths[first >> 4];

	if (n == 0 || n > len)
		return 0;
	uint32_t c = n == 1 ? first : first & (0xffu >> n);
	for (size_t i = 1; i < n; i++) {
		if (((unsigned char)s[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | ((unsigned char)s[i] & 0x3f);
	}
	if (c < least[n] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
		return 0;
	*ret_char = c;
	return n;
}

/* What would break a line, forge one, or change the order in which it is read. */
static bool is_unsafe(uint32_t c)
{
	return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x061c || c == 0x200e || c == 0x200f ||
	       (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

static void add_escaped(struct buf *out, uint32_t c)
{
	if (c == '\n')
		buf_adds(out, "\\n");
	else if (c == '\t')
		buf_adds(out, "\\t");
	else if (c == '\r')
		buf_adds(out, "\\r");
	else if (c < 0x80)
		buf_addf(out, "\\x%02x", c);
	else
		buf_addf(out, "\\u{%04x}", c);
}

/* Adds what comes first and is plain in every reading, at one go: most text is nothing else.
 * Returns how much that was. */
static size_t add_plain(struct buf *out, const char *s, size_t len)
{
	size_t n = 0;

	while (n < len && s[n] >= 0x20 && s[n] < 0x7f && s[n] != '"' && s[n] != '\\')
		n++;
	buf_add(out, s, n);
	return n;
}

void text_escape(struct buf *out, const char *s, size_t len)
{
	for (size_t i = add_plain(out, s, len); i < len; i += add_plain(out, s + i, len - i)) {
		uint32_t c;
		size_t n = text_next(s + i, len - i, &c);

		if (n == 0)
			buf_addf(out, "\\x%02x", (unsigned)(unsigned char)s[i]);
		else if (is_unsafe(c))
			add_escaped(out, c);
		else
			buf_add(out, s + i, n);
		i += n ? n : 1;
	}
}

void text_escape_into(char *out, size_t size, const char *s)
{
	auto_buf struct buf b = BUF_INIT;

	text_escape(&b, s, strlen(s));
	size_t len = b.len < size ? b.len : size - 1;
	/* Not in the middle of a character. */
	while (len < b.len && len > 0 && ((unsigned char)b.data[len] & 0xc0) == 0x80)
		len--;
	memcpy(out, buf_str(&b), len);
	out[len] = '\0';
}

/* The letter behind the backslash of JSON's short escapes, or 0. */
static char json_short_escape(uint32_t c)
{
	switch (c) {
	case '"':
	case '\\':
		return (char)c;
	case '\b':
		return 'b';
	case '\f':
		return 'f';
	case '\n':
		return 'n';
	case '\r':
		return 'r';
	case '\t':
		return 't';
	default:
		return 0;
	}
}

void text_quote_json(struct buf *out, const char *s, size_t len)
{
	buf_addc(out, '"');
	for (size_t i = add_plain(out, s, len); i < len; i += add_plain(out, s + i, len - i)) {
		uint32_t c = 0xfffd;
		size_t n = text_next(s + i, len - i, &c);
		char letter = json_short_escape(c);

		if (letter)
			buf_addf(out, "\\%c", letter);
		else if (n == 0 || is_unsafe(c))
			buf_addf(out, "\\u%04x", c);
		else
			buf_add(out, s + i, n);
		i += n ? n : 1;
	}
	buf_addc(out, '"');
}

/* Bytes up to the character number `max`, or all of them. Counts into ret_chars. */
static size_t measure(const char *s, size_t len, size_t max, size_t *ret_chars)
{
	size_t i = 0;

	*ret_chars = 0;
	while (i < len && *ret_chars < max) {
		uint32_t c;
		size_t n = text_next(s + i, len - i, &c);

		i += n ? n : 1;
		++*ret_chars;
	}
	return i;
}

size_t text_length(const char *s)
{
	size_t n_chars;

	measure(s, strlen(s), SIZE_MAX, &n_chars);
	return n_chars;
}

void text_truncate(struct buf *b, size_t max)
{
	size_t n_chars;

	if (measure(buf_str(b), b->len, max, &n_chars) == b->len)
		return;
	if (max == 0) {
		buf_truncate(b, 0);
		return;
	}
	buf_truncate(b, measure(b->data, b->len, max - 1, &n_chars));
	buf_adds(b, "…");
}

/* Case, dashes and underscores are what people mix up most: they count for nothing. */
static size_t fold_word(const char *word, char out[SUGGEST_MAX_LEN])
{
	size_t n = 0;

	for (; *word && n < SUGGEST_MAX_LEN; word++)
		if (*word != '-' && *word != '_')
			out[n++] = (char)tolower((unsigned char)*word);
	return n;
}

static size_t min_size(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Insertions, deletions, replacements and swaps of neighbours that turn a into b. */
static size_t edit_distance(const char *a, size_t na, const char *b, size_t nb)
{
	size_t rows[3][SUGGEST_MAX_LEN + 1];
	size_t *before = rows[0], *above = rows[1], *row = rows[2];

	for (size_t j = 0; j <= nb; j++)
		above[j] = before[j] = j;
	for (size_t i = 1; i <= na; i++) {
		row[0] = i;
		for (size_t j = 1; j <= nb; j++) {
			size_t replaced = above[j - 1] + (a[i - 1] != b[j - 1]);

			row[j] = min_size(min_size(above[j], row[j - 1]) + 1, replaced);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				row[j] = min_size(row[j], before[j - 2] + 1);
		}
		size_t *oldest = before;
		before = above;
		above = row;
		row = oldest;
	}
	return above[nb];
}

const char *text_suggest(const char *word, const char *const *candidates, size_t n)
{
	char folded[SUGGEST_MAX_LEN], candidate[SUGGEST_MAX_LEN];
	size_t len = fold_word(word, folded);
	size_t near = min_size(len < 3 ? len / 2 : len / 3, 3);
	const char *best = NULL;

	if (strlen(word) >= SUGGEST_MAX_LEN || len == 0)
		return NULL;
	for (size_t i = 0; i < n; i++) {
		size_t distance =
			edit_distance(folded, len, candidate, fold_word(candidates[i], candidate));

		if (distance < near || (distance == near && !best)) {
			best = candidates[i];
			near = distance;
		}
	}
	return best;
}

bool text_parse_u64(const char *s, uint64_t *ret_value)
{
	uint64_t value = 0;

	if (!*s)
		return false;
	for (; *s; s++) {
		if (*s < '0' || *s > '9' || __builtin_mul_overflow(value, 10, &value) ||
			__builtin_add_overflow(value, (uint64_t)(*s - '0'), &value))
			return false;
	}
	*ret_value = value;
	return true;
}

bool text_has_prefix(const char *s, const char *prefix)
{
	return strncmp(s, prefix, strlen(prefix)) == 0;
}

bool text_has_suffix(const char *s, const char *suffix)
{
	size_t len = strlen(s), n = strlen(suffix);

	return n <= len && memcmp(s + len - n, suffix, n) == 0;
}

static const char *skip_char(const char *s)
{
	uint32_t c;
	size_t n = text_next(s, strlen(s), &c);

	return s + (n ? n : 1);
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

bool text_percent(const char *s, size_t len, char *ret_byte)
{
	int high = len >= 3 && s[0] == '%' ? hex_digit(s[1]) : -1;
	int low = high >= 0 ? hex_digit(s[2]) : -1;

	if (low < 0)
		return false;
	*ret_byte = (char)(high << 4 | low);
	return true;
}

/* The last * is the only one worth going back to: linear in practice, never worse than |pattern| ×
 * |s|. */
bool text_glob(const char *pattern, const char *s)
{
	const char *star = NULL, *resume = NULL;

	while (*s) {
		if (*pattern == '*') {
			star = ++pattern;
			resume = s;
		} else if (*pattern == '?') {
			pattern++;
			s = skip_char(s);
		} else if (*pattern == *s) {
			pattern++;
			s++;
		} else if (star) {
			pattern = star;
			s = ++resume;
		} else {
			return false;
		}
	}
	while (*pattern == '*')
		pattern++;
	return *pattern == '\0';
}
