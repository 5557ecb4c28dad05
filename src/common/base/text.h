/*
 * Text from outside: how it is escaped, cut and compared before a person sees it.
 */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/*
 * Adds `len` bytes with control characters, DEL, C1, bidirectional overrides and bytes that are not UTF-8
 * written as \n, \t or \xNN / \u{NNNN}. Backslashes stay as they are: this is for reading, not for parsing back.
 */
void text_escape(struct buf *out, const char *s, size_t len);
/* As above, in place of a string, into a fixed array that is always ended; cut at a whole character. */
void text_escape_into(char *out, size_t size, const char *s);

bool text_is_utf8(const char *s, size_t len);
/* Code points; bytes that are not UTF-8 count one each. */
size_t text_length(const char *s);
/* Cuts a string to at most `max` code points, the last one being "…" if something was cut. */
void text_truncate(struct buf *b, size_t max);

/* The candidate that is near enough to `word` to be what was meant, or NULL. */
const char *text_suggest(const char *word, const char *const *candidates, size_t n);

/* Digits only, no sign, no overflow. */
bool text_parse_u64(const char *s, uint64_t *ret_value);
bool text_has_prefix(const char *s, const char *prefix);
bool text_has_suffix(const char *s, const char *suffix);
/* Matches a shell pattern of literal characters, * and ?. */
bool text_glob(const char *pattern, const char *s);

#endif
