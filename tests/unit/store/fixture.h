/*
 * A state folder of the test's own, with two stores over it: `ours`, and `other`, which is of
 * another scope. Whatever is put into one must not show in the other.
 */
#ifndef TEST_STORE_FIXTURE_H
#define TEST_STORE_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/fs.h"
#include "store/store.h"

struct fixture {
	char folder[32];
	struct store *ours;
	struct store *other;
	struct err e;
};

static inline void fixture_open(struct fixture *f)
{
	assert_int_equal(store_open(f->folder, "scope", &f->ours, NULL), 0);
	assert_int_equal(store_open_shared(f->folder, "another", &f->other, NULL), 0);
}

static inline void fixture_close(struct fixture *f)
{
	store_close(TAKE(f->ours));
	store_close(TAKE(f->other));
}

/* As a restart of the program does. */
static inline void fixture_reopen(struct fixture *f)
{
	fixture_close(f);
	fixture_open(f);
}

static inline int fixture_set_up(void **state)
{
	struct fixture *f = xcalloc(1, sizeof(*f));

	strncpy(f->folder, "/tmp/test_store_XXXXXX", sizeof(f->folder) - 1);
	assert_non_null(mkdtemp(f->folder));
	fixture_open(f);
	*state = f;
	return 0;
}

static inline int fixture_tear_down(void **state)
{
	struct fixture *f = *state;

	fixture_close(f);
	int rc = fs_remove_tree(f->folder, NULL);
	free(f);
	return rc;
}

static inline void assert_string_or_null(const char *a, const char *b)
{
	assert_true(!a == !b);
	if (a)
		assert_string_equal(a, b);
}

#define test_with_fixture(fn) cmocka_unit_test_setup_teardown(fn, fixture_set_up, fixture_tear_down)

#endif
