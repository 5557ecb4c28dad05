#include "server/tokens.h"

#include "fixture.h"

#define SECRET "0123456789abcdef0123456789abcdef"

static struct config *config_with(const char *organizations)
{
	auto_free char *text = xasprintf(
		"organizations: %s\nfleets: [{name: dev, runner: simulate}]\n", organizations);
	struct problems problems = PROBLEMS_INIT;
	struct config *c = config_parse("test", text, strlen(text), &problems);

	assert_non_null(c);
	return c;
}

static int load(struct fixture *f, const char *organizations, struct err *e)
{
	struct config *c = config_with(organizations);
	int rc = tokens_load(f->store, c, e);

	config_free(c);
	return rc;
}

/* 'w' may write, 'r' may read, '-' belongs to others, 0 is not known. */
static char access_of(struct fixture *f, const char *token, const char *org)
{
	unsigned char hash[HASH_BYTES];
	bool may_write = false;

	token_hash(token, hash);
	if (store_find_token(f->store, hash, org, &may_write, NULL) == 1)
		return may_write ? 'w' : 'r';
	return store_knows_token(f->store, hash, NULL) == 1 ? '-' : '\0';
}

static void test_load_gives_each_token_its_access(void **state)
{
	struct fixture *f = *state;

	setenv("TEST_READER", SECRET "r", 1);
	setenv("TEST_WRITER", SECRET "w", 1);
	assert_int_equal(load(f,
				 "[{name: acme, tokens: [{name: a, token: \"env:TEST_READER\"},"
				 " {name: b, token: \"env:TEST_WRITER\", access: write}]},"
				 " {name: other, tokens: [{name: a, token: \"env:TEST_READER\", "
				 "access: write}]}]",
				 NULL),
		0);
	assert_int_equal(access_of(f, SECRET "r", "acme"), 'r');
	assert_int_equal(access_of(f, SECRET "w", "acme"), 'w');
	assert_int_equal(access_of(f, SECRET "r", "other"), 'w');
	assert_int_equal(access_of(f, SECRET "w", "other"), '-');
	assert_int_equal(access_of(f, SECRET "w", "nobody"), '-');
	assert_int_equal(access_of(f, SECRET, "acme"), '\0');
	assert_int_equal(access_of(f, "", "acme"), '\0');
}

static void test_load_forgets_what_is_gone(void **state)
{
	struct fixture *f = *state;

	setenv("TEST_READER", SECRET "old", 1);
	assert_int_equal(
		load(f, "[{name: acme, tokens: [{name: a, token: \"env:TEST_READER\"}]}]", NULL),
		0);
	setenv("TEST_READER", SECRET "new", 1);
	assert_int_equal(
		load(f, "[{name: acme, tokens: [{name: a, token: \"env:TEST_READER\"}]}]", NULL),
		0);
	assert_int_equal(access_of(f, SECRET "old", "acme"), '\0');
	assert_int_equal(access_of(f, SECRET "new", "acme"), 'r');
	assert_int_equal(load(f, "[{name: acme, tokens: []}]", NULL), 0);
	assert_int_equal(access_of(f, SECRET "new", "acme"), '\0');
}

static void test_load_leaves_the_store_when_a_token_cannot_be_read(void **state)
{
	struct fixture *f = *state;
	struct err e = ERR_INIT;

	setenv("TEST_READER", SECRET, 1);
	setenv("TEST_EMPTY", "", 1);
	unsetenv("TEST_MISSING");
	assert_int_equal(
		load(f, "[{name: acme, tokens: [{name: a, token: \"env:TEST_READER\"}]}]", NULL),
		0);
	assert_int_not_equal(load(f,
				     "[{name: acme, tokens: [{name: a, token: \"env:TEST_READER\"},"
				     " {name: b, token: \"env:TEST_MISSING\"}]}]",
				     &e),
		0);
	assert_non_null(strstr(e.msg, "token b of organization acme"));
	err_clear(&e);
	assert_int_not_equal(
		load(f, "[{name: acme, tokens: [{name: c, token: \"env:TEST_EMPTY\"}]}]", &e), 0);
	assert_int_equal(access_of(f, SECRET, "acme"), 'r');
}

static void test_store_holds_no_token(void **state)
{
	struct fixture *f = *state;
	auto_free char *path = fs_join(f->folder, "replicatord.db-wal");
	auto_buf struct buf file = BUF_INIT;

	setenv("TEST_READER", SECRET, 1);
	assert_int_equal(
		load(f, "[{name: acme, tokens: [{name: a, token: \"env:TEST_READER\"}]}]", NULL),
		0);
	assert_int_equal(fs_read(path, &file, NULL), 0);
	assert_true(file.len > 0);
	assert_null(memmem(file.data, file.len, SECRET, strlen(SECRET)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_with_fixture(test_load_gives_each_token_its_access),
		test_with_fixture(test_load_forgets_what_is_gone),
		test_with_fixture(test_load_leaves_the_store_when_a_token_cannot_be_read),
		test_with_fixture(test_store_holds_no_token),
	};

	log_setup(LOG__COUNT, LOG_TEXT);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
