/*
 * A growing byte buffer with an upper limit. It always ends with a NUL that does not count.
 * Once an addition would pass `max`, nothing more is stored and `full` stays set: check it once, at
 * the end, or look at the result of each call. Buffers that only hold what we make ourselves use
 * BUF_INIT.
 */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

struct buf {
	char *data; /* never NULL once something was added; buf_str() for a string in any case */
	size_t len;
	size_t cap;
	size_t max; /* bytes; 0: no limit */
	bool full;
};

#define BUF_INIT                                                                                   \
	{                                                                                          \
		NULL, 0, 0, 0, false                                                               \
	}
#define BUF_LIMIT(bytes_)                                                                          \
	{                                                                                          \
		NULL, 0, 0, (bytes_), false                                                        \
	}

bool buf_add(struct buf *b, const void *data, size_t len);
bool buf_adds(struct buf *b, const char *s);
bool buf_addc(struct buf *b, char c);
bool buf_addf(struct buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
bool buf_vaddf(struct buf *b, const char *fmt, va_list ap) __attribute__((format(printf, 2, 0)));

/* Keeps the memory and the limit. */
void buf_clear(struct buf *b);
void buf_release(struct buf *b);
/* Cuts to `len` bytes, which must not be more than there are. */
void buf_truncate(struct buf *b, size_t len);
/* The content as a string, "" when empty; valid until the next change. */
const char *buf_str(const struct buf *b);
/* Hands the content over as a string that the caller frees; the buffer is empty afterwards. */
char *buf_take(struct buf *b);

#define auto_buf __attribute__((cleanup(buf_release)))

#endif
