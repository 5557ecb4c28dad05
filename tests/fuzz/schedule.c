/* A window of weir.yaml: schedule and time zone, a line each; then how many minutes it lasts. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "calendar/calendar.h"
#include "fuzz.h"

/* On a day on which clocks are changed in Europe: 2026-10-24T22:00:00Z. */
#define BEGIN_MS INT64_C(1792879200000)
#define HOUR_MS	 3600000

/* What is refused says which key is wrong, in a line that can be printed anywhere. */
static void check_refusal(int rc, const char *key, const struct err *e)
{
	if (rc != -ERR_INVALID || !key || !fuzz_is_printable(e->msg, strlen(e->msg)))
		abort();
}

/* From each state the next is found, and is another one. */
static void follow(const struct windows *w)
{
	int64_t now = BEGIN_MS;
	struct window_state s = windows_at(w, NULL, now);

	for (int i = 0; i < 8 && s.until_ms != INT64_MAX; i++) {
		struct window_state before = windows_at(w, NULL, s.until_ms - 1);
		struct window_state after = windows_at(w, NULL, s.until_ms);

		if (s.until_ms <= now || before.open != s.open || after.open == s.open)
			abort();
		now = s.until_ms;
		s = after;
	}
}

static void try_rule(const struct window_rule *rule)
{
	struct windows *w = NULL;
	struct err e = ERR_INIT;
	const char *key = NULL;
	size_t bad = 0;
	int rc = window_check(rule, &key, &e);

	if ((rc == 0) != (windows_new(rule, 1, &w, &bad, NULL) == 0))
		abort();
	if (rc < 0) {
		check_refusal(rc, key, &e);
		return;
	}
	follow(w);
	windows_free(w);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	auto_free char *text = xmemdupz(data, size);
	char *zone = strchr(text, '\n');
	char *minutes = zone ? strchr(zone + 1, '\n') : NULL;
	struct window_rule rule = {.schedule = text, .timezone = "UTC", .duration_ms = HOUR_MS};

	if (zone) {
		*zone = '\0';
		rule.timezone = zone + 1;
	}
	if (minutes) {
		*minutes = '\0';
		rule.duration_ms = (strtol(minutes + 1, NULL, 10) & 0xffff) * 60000;
	}
	for (int deny = 0; deny < 2; deny++) {
		rule.deny = deny;
		try_rule(&rule);
	}
	return 0;
}
