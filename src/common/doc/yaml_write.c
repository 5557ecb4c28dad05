/* Writing scalars. */
#include "doc/yaml_write.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <strings.h>

#include "base/alloc.h"
#include "base/text.h"

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* A word that is a word to every reader. */
static bool is_plain(const char *s, size_t len)
{
	static const char *const words[] = {
		"null", "true", "false", "yes", "no", "on", "off", "y", "n", "nan", "inf"};

	if (len == 0 || !is_letter(s[0]))
		return false;
	for (size_t i = 0; i < len; i++)
		if (!is_letter(s[i]) && !(s[i] >= '0' && s[i] <= '9') && !strchr("_-./", s[i]))
			return false;
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (strlen(words[i]) == len && strncasecmp(s, words[i], len) == 0)
			return false;
	return true;
}

/* Stands for itself between quotes; the rest needs an escape: control characters, what ends a line
 * to YAML, byte order marks, and what is no character. */
static bool is_printable(uint32_t c)
{
	return (c >= 0x20 && c < 0x7f) ||
	       (c >= 0xa0 && c != 0x2028 && c != 0x2029 && c != 0xfeff && (c & 0xfffe) != 0xfffe);
}

static bool needs_escapes(const char *s, size_t len)
{
	uint32_t c;

	for (size_t i = 0; i < len;) {
		size_t n = text_next(s + i, len - i, &c);

		if (n == 0 || !is_printable(c))
			return true;
		i += n;
	}
	return false;
}

static void write_escaped(struct buf *out, const char *s, size_t len)
{
	uint32_t c;

	buf_addc(out, '"');
	for (size_t i = 0; i < len;) {
		size_t n = text_next(s + i, len - i, &c);

		if (n == 0)
			buf_adds(out, "\xef\xbf\xbd");
		else if (c == '"' || c == '\\')
			buf_addf(out, "\\%c", (char)c);
		else if (c == '\n')
			buf_adds(out, "\\n");
		else if (is_printable(c))
			buf_add(out, s + i, n);
		else if (c > 0xffff)
			buf_addf(out, "\\U%08" PRIX32, c);
		else
			buf_addf(out, "\\u%04" PRIX32, c);
		i += n ? n : 1;
	}
	buf_addc(out, '"');
}

static void write_quoted(struct buf *out, const char *s, size_t len)
{
	buf_addc(out, '\'');
	for (size_t i = 0; i < len; i++) {
		if (s[i] == '\'')
			buf_addc(out, '\'');
		buf_addc(out, s[i]);
	}
	buf_addc(out, '\'');
}

void yaml_write_string(struct buf *out, const char *s, size_t len)
{
	if (is_plain(s, len))
		buf_add(out, s, len);
	else if (needs_escapes(s, len))
		write_escaped(out, s, len);
	else
		write_quoted(out, s, len);
}

/* With as many digits as it takes, and something that shows it to be no integer. */
static void write_real(struct buf *out, double real)
{
	auto_free char *text = xasprintf("%.17g", real);

	if (isnan(real))
		buf_adds(out, ".nan");
	else if (isinf(real))
		buf_adds(out, real < 0 ? "-.inf" : ".inf");
	else if (strchr(text, '.'))
		buf_adds(out, text);
	else
		buf_addf(out, "%.*s.0%s", (int)strcspn(text, "e"), text, text + strcspn(text, "e"));
}

void yaml_write_scalar(struct buf *out, const struct node *n)
{
	switch (n->type) {
	case NODE_BOOL:
		buf_adds(out, n->u.boolean ? "true" : "false");
		break;
	case NODE_INT:
		buf_addf(out, "%" PRId64, n->u.integer);
		break;
	case NODE_REAL:
		write_real(out, n->u.real);
		break;
	case NODE_STRING:
		yaml_write_string(out, n->u.string.s, n->u.string.len);
		break;
	case NODE_NULL:
	case NODE_SEQ:
	case NODE_MAP:
	case NODE__COUNT:
		buf_adds(out, "null");
		break;
	}
}
