/* The growing byte buffer. */
#include "base/buf.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"

#define BUF_FIRST_CAP 64
#define FORMAT_FIRST  128 /* what is shorter is formatted once */

/* Room for `len` more bytes and the NUL. */
static bool make_room(struct buf *b, size_t len)
{
	size_t limit = b->max ? b->max : SIZE_MAX / 2;

	if (b->full || len > limit - b->len) {
		b->full = true;
		return false;
	}
	size_t want = b->len + len + 1;
	if (want <= b->cap)
		return true;
	size_t cap = b->cap ? b->cap : BUF_FIRST_CAP;
	while (cap < want)
		cap *= 2;
	b->data = xreallocarray(b->data, cap, 1);
	b->cap = cap;
	return true;
}

bool buf_add(struct buf *b, const void *data, size_t len)
{
	if (!make_room(b, len))
		return false;
	if (len)
		memcpy(b->data + b->len, data, len);
	b->len += len;
	b->data[b->len] = '\0';
	return true;
}

bool buf_adds(struct buf *b, const char *s)
{
	return buf_add(b, s, strlen(s));
}

bool buf_addc(struct buf *b, char c)
{
	return buf_add(b, &c, 1);
}

bool buf_addf(struct buf *b, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	bool added = buf_vaddf(b, fmt, ap);
	va_end(ap);
	return added;
}

bool buf_vaddf(struct buf *b, const char *fmt, va_list ap)
{
	char first[FORMAT_FIRST];
	va_list again;

	va_copy(again, ap);
	int len = vsnprintf(first, sizeof(first), fmt, again);
	va_end(again);
	if (len < 0)
		BUG("a format that does not print: %s", fmt);
	if ((size_t)len < sizeof(first))
		return buf_add(b, first, (size_t)len);
	if (!make_room(b, (size_t)len))
		return false;
	vsnprintf(b->data + b->len, (size_t)len + 1, fmt, ap);
	b->len += (size_t)len;
	return true;
}

void buf_clear(struct buf *b)
{
	b->full = false;
	if (b->data)
		buf_truncate(b, 0);
}

void buf_release(struct buf *b)
{
	free(b->data);
	*b = (struct buf)BUF_LIMIT(b->max);
}

void buf_truncate(struct buf *b, size_t len)
{
	if (len > b->len)
		BUG("cut to %zu of %zu bytes", len, b->len);
	if (!b->data)
		return;
	b->len = len;
	b->data[len] = '\0';
}

const char *buf_str(const struct buf *b)
{
	return b->data ? b->data : "";
}

char *buf_take(struct buf *b)
{
	char *s = b->data ? TAKE(b->data) : xstrdup("");

	buf_release(b);
	return s;
}
