/*
 * A fuzz target: one function, called with whatever there may be; it aborts where something that
 * always holds does not.
 */
#ifndef TEST_FUZZ_H
#define TEST_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A line of UTF-8 that can be printed anywhere. */
static inline bool fuzz_is_printable(const char *s, size_t len)
{
	for (size_t i = 0, n; i < len; i += n) {
		uint32_t c = 0;
		n = text_next(s + i, len - i, &c);
		if (n == 0 || c < ' ' || c == 0x7f)
			return false;
	}
	return len > 0;
}

#endif
