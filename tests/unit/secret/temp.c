/* Temporary folders for tests. */
#include "temp.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/fs.h"

int temp_setup(void **state)
{
	*state = mkdtemp(xstrdup("/tmp/weir-secret-XXXXXX"));
	return *state ? 0 : -1;
}

int temp_teardown(void **state)
{
	struct err e = ERR_INIT;
	int rc = fs_remove_tree(*state, &e);

	free(*state);
	return rc;
}

const char *temp_path(void **state, const char *name)
{
	static char path[4096];

	snprintf(path, sizeof(path), "%s/%s", (const char *)*state, name);
	return path;
}

static void make_folders_above(const char *path)
{
	auto_free char *dir = xstrdup(path);
	struct err e = ERR_INIT;

	*strrchr(dir, '/') = '\0';
	assert_int_equal(fs_mkdirs(dir, 0700, &e), 0);
}

void temp_write(void **state, const char *name, const void *data, size_t len)
{
	const char *path = temp_path(state, name);
	struct err e = ERR_INIT;

	make_folders_above(path);
	assert_int_equal(fs_write(path, data, len, 0600, &e), 0);
}

void temp_puts(void **state, const char *name, const char *text)
{
	temp_write(state, name, text, strlen(text));
}

void temp_link(void **state, const char *target, const char *name)
{
	const char *path = temp_path(state, name);

	make_folders_above(path);
	assert_int_equal(symlink(target, path), 0);
}
