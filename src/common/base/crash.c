/* kill -9 at a named point, for tests; built only with WEIR_CRASHPOINTS. */
#include "base/crash.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* Whether `wanted` is the name, alone or with ":N"; then N, else 1. */
static bool match_point(const char *wanted, const char *name, uint64_t *ret_nth)
{
	size_t len = strlen(name);

	if (strncmp(wanted, name, len) != 0)
		return false;
	if (wanted[len] == '\0') {
		*ret_nth = 1;
		return true;
	}
	return wanted[len] == ':' && text_parse_u64(wanted + len + 1, ret_nth);
}

void crash_point(const char *name)
{
	static atomic_uint_fast64_t passed;
	const char *wanted = getenv("WEIR_CRASH_AT");
	uint64_t nth;

	if (wanted && match_point(wanted, name, &nth) && atomic_fetch_add(&passed, 1) + 1 == nth)
		raise(SIGKILL);
}
