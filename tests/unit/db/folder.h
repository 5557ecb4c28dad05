/*
 * A folder of its own for each test, and a database in it.
 */
#ifndef TEST_DB_FOLDER_H
#define TEST_DB_FOLDER_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/alloc.h"
#include "base/fs.h"

static inline int folder_make(void **state)
{
	char name[] = "/tmp/test_db_XXXXXX";

	*state = xstrdup(mkdtemp(name));
	return 0;
}

static inline int folder_remove(void **state)
{
	int rc = fs_remove_tree(*state, NULL);

	free(*state);
	return rc;
}

#define test_in_folder(fn) cmocka_unit_test_setup_teardown(fn, folder_make, folder_remove)

#endif
