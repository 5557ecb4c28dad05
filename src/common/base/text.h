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
 * The character at the start of `len` bytes and how many bytes it takes; 0 if they do not begin
 * with one. Overlong forms, surrogates and what lies beyond U+10FFFF are not UTF-8.
 */
size_t text_next(const char *s, size_t len, uint32_t *ret_char);

/*
 * Adds `len` bytes with control characters, DEL, C1, line separators, bidirectional overrides and
 * bytes that are not UTF-8 written as \n, \t or \xNN / \u{NNNN}. Backslashes stay as they are: this
 * is for reading, not for parsing back.
 */
void text_escape(struct buf *out, const char *s, size_t len);
/* Adds a JSON string with its quotes; bytes that are not UTF-8 become U+FFFD. */
void text_quote_json(struct buf *out, const char *s, size_t len);
/* As text_escape, in place of a string, into a fixed array that is always ended; cut at a whole
 * character. */
void text_escape_into(char *out, size_t size, const char *s);

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
/* Whether `len` bytes begin with %XX, as in URLs, and the byte that it stands for. */
bool text_percent(const char *s, size_t len, char *ret_byte);
/* Matches a shell pattern of literal characters, * and ?. */
bool text_glob(const char *pattern, const char *s);

#endif
