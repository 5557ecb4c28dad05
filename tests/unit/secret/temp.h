/*
 * A temporary folder of a test, with files in it.
 */
#ifndef TESTS_SECRET_TEMP_H
#define TESTS_SECRET_TEMP_H

#include <stddef.h>

/* cmocka's group set-up and tear-down: *state is the folder's name. */
int temp_setup(void **state);
int temp_teardown(void **state);

/* The full name of a file in the folder; valid until the next call. */
const char *temp_path(void **state, const char *name);
/* Writes a file, making the folders above it. */
void temp_write(void **state, const char *name, const void *data, size_t len);
void temp_puts(void **state, const char *name, const char *text);
void temp_link(void **state, const char *target, const char *name);

#endif
