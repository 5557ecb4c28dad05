/*
 * Time as an argument. Whatever decides by time takes a struct clock, so that a test can be the
 * clock. Wall time is milliseconds since 1970 UTC; monotonic time has no epoch and never goes back.
 */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct clock {
	int64_t (*wall_ms)(void *ctx);
	int64_t (*mono_ms)(void *ctx);
	void *ctx;
};

extern const struct clock clock_real;

int64_t clock_wall_ms(const struct clock *c);
int64_t clock_mono_ms(const struct clock *c);

#define CLOCK_TEXT_MAX 40

/* "2026-11-30T16:44:23Z", with milliseconds when they are not zero. Returns `out`. */
const char *clock_format(int64_t wall_ms, char out[CLOCK_TEXT_MAX]);
/* ... to the second. */
const char *clock_format_second(int64_t wall_ms, char out[CLOCK_TEXT_MAX]);
/* "16:44Z": for texts that people read the same day. */
const char *clock_format_short(int64_t wall_ms, char out[CLOCK_TEXT_MAX]);
/* RFC 3339 with any offset and fraction. False if it is not that. */
bool clock_parse(const char *s, int64_t *ret_wall_ms);
/* "200ms", "30s", "5m", "1h30m", "0"; whole numbers, each unit once, largest first. */
bool duration_parse(const char *s, int64_t *ret_ms);
/* As duration_parse reads it, without the units that are zero: "1m30s". Negative times are "0". */
const char *duration_format(int64_t ms, char out[CLOCK_TEXT_MAX]);

#endif
