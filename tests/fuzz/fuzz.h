/*
 * A fuzz target: one function, called with whatever there may be; it aborts where something that
 * always holds does not.
 */
#ifndef TEST_FUZZ_H
#define TEST_FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
