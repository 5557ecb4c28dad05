/* Request targets: parts, escapes, patterns. */
#include "httpd/target.h"

#include <string.h>

#include "base/limits.h"
#include "base/text.h"

/* NULL if an escape is none, or is that of a NUL, which would cut the string. */
static char *decode(const char *s, size_t len, bool is_query)
{
	auto_free char *out = xmalloc(len + 1);
	size_t n = 0;

	for (size_t i = 0; i < len; i++) {
		char c = s[i] == '+' && is_query ? ' ' : s[i];

		if (c == '%') {
			if (!text_percent(s + i, len - i, &c) || !c)
				return NULL;
			i += 2;
		}
		out[n++] = c;
	}
	out[n] = '\0';
	return TAKE(out);
}

static bool add_decoded(struct strv *v, const char *s, size_t len, bool is_query)
{
	char *decoded = decode(s, len, is_query);

	if (decoded)
		strv_push_take(v, decoded);
	return decoded;
}

static bool parse_path(struct target *t)
{
	const char *at = t->path;

	if (*at != '/')
		return false;
	while (at) {
		const char *end = strchrnul(++at, '/');
		if (!add_decoded(&t->segments, at, (size_t)(end - at), false))
			return false;
		at = *end ? end : NULL;
	}
	return true;
}

static bool parse_query(struct target *t, const char *at)
{
	while (*at) {
		const char *end = strchrnul(at, '&');
		const char *equals = memchr(at, '=', (size_t)(end - at));
		const char *name_end = equals ? equals : end;
		const char *value = equals ? equals + 1 : end;
		if (!add_decoded(&t->names, at, (size_t)(name_end - at), true) ||
			!add_decoded(&t->values, value, (size_t)(end - value), true))
			return false;
		at = *end ? end + 1 : end;
	}
	return true;
}

static bool is_printable(const char *s)
{
	for (; *s; s++) {
		if ((unsigned char)*s <= ' ' || *s == 0x7f)
			return false;
	}
	return true;
}

int target_parse(struct target *t, const char *raw)
{
	const char *path_end = strchrnul(raw, '?');

	if (strlen(raw) > LIMIT_HTTP_TARGET) {
		t->path = xstrdup("");
		return 414;
	}
	t->path = xmemdupz(raw, (size_t)(path_end - raw));
	if (!is_printable(raw) || !parse_path(t) || (*path_end && !parse_query(t, path_end + 1)))
		return 400;
	return 0;
}

void target_release(struct target *t)
{
	free(t->path);
	strv_release(&t->segments);
	strv_release(&t->names);
	strv_release(&t->values);
}

static bool is_name(const char *part, size_t len)
{
	return len > 2 && part[0] == '{' && part[len - 1] == '}';
}

static bool segment_matches(const char *part, size_t len, const char *segment)
{
	if (is_name(part, len))
		return *segment;
	return strlen(segment) == len && memcmp(part, segment, len) == 0;
}

bool target_matches(
	const struct target *t, const char *pattern, struct strv *names, struct strv *values)
{
	const char *at = pattern;

	strv_clear(names);
	strv_clear(values);
	vec_each (segment, &t->segments) {
		if (*at != '/')
			return false;
		const char *end = strchrnul(++at, '/');
		size_t len = (size_t)(end - at);
		if (!segment_matches(at, len, *segment))
			return false;
		if (is_name(at, len)) {
			strv_push_take(names, xmemdupz(at + 1, len - 2));
			strv_push(values, *segment);
		}
		at = end;
	}
	return !*at;
}
