/* The filter in the request for a pack, in Git's protocol version 0: lines that begin with their
 * length in four hexadecimal digits, up to a flush, "0000". */
#include "source/filter.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"

#define LENGTH_DIGITS 4
#define THIN	      " thin-pack"

/* The length of the line at the start of `data`, its digits counted; 0 for a flush or nonsense. */
static size_t line_length(const char *data, size_t len)
{
	char digits[LENGTH_DIGITS + 1] = "";
	char *end;

	if (len < LENGTH_DIGITS)
		return 0;
	memcpy(digits, data, LENGTH_DIGITS);
	unsigned long n = strtoul(digits, &end, 16);
	return *end || n <= LENGTH_DIGITS || n > len ? 0 : n;
}

static void add_line(struct buf *out, const char *line)
{
	buf_addf(out, "%04zx%s", LENGTH_DIGITS + strlen(line), line);
}

/*
 * The first line, which has the capabilities. A thin pack is made against everything that we ought
 * to have, so also against what was left out: we want none.
 */
static void add_first_want(struct buf *out, const char *data, size_t len)
{
	auto_free char *line = xmemdupz(data + LENGTH_DIGITS, len - LENGTH_DIGITS);
	auto_buf struct buf filtered = BUF_INIT;
	char *thin = strstr(line, THIN);

	line[strcspn(line, "\n")] = '\0';
	if (thin)
		memmove(thin, thin + strlen(THIN), strlen(thin + strlen(THIN)) + 1);
	buf_addf(&filtered, "%s filter\n", line);
	add_line(out, buf_str(&filtered));
}

bool filter_wants(const struct wire *w, const char *data, size_t len, struct buf *out)
{
	auto_free char *line = xasprintf("filter blob:limit=%u\n", FILTER_BYTES);
	size_t first = line_length(data, len);
	size_t at = first;

	if (first == 0 || !text_has_prefix(data + LENGTH_DIGITS, "want "))
		return false;
	if (!wire_greeting_has(w, " filter ") && !wire_greeting_has(w, " filter\n"))
		return false;
	for (size_t n; (n = line_length(data + at, len - at)) > 0;)
		at += n;
	add_first_want(out, data, first);
	buf_add(out, data + first, at - first);
	add_line(out, line);
	buf_add(out, data + at, len - at);
	return true;
}
