/* The stores `directory` and `env`: what a path resolves to, and where it must not lead. */
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
#include "secret/secret.h"
#include "temp.h"

#define in_a_folder(test) cmocka_unit_test_setup_teardown(test, temp_setup, temp_teardown)
#define auto_stores	  __attribute__((cleanup(free_stores)))
#define auto_status	  __attribute__((cleanup(secret_status_release)))

static const char *const login[] = {"username", "password"};

static void free_stores(struct secret_stores **s)
{
	secret_stores_free(*s);
}

static struct secret_stores *one_directory(const char *prefix, const char *root)
{
	return secret_stores_new(
		&(struct secret_store_config){
			.type = SECRET_DIRECTORY, .prefix = prefix, .root = root},
		1);
}

static struct secret_stores *one_env(const char *prefix, const char *variable_prefix)
{
	return secret_stores_new(
		&(struct secret_store_config){
			.type = SECRET_ENV, .prefix = prefix, .variable_prefix = variable_prefix},
		1);
}

static void check(const struct secret_stores *s, const char *path, struct secret_status *ret_status)
{
	struct err e = ERR_INIT;

	if (secret_check(s, path, login, ARRAY_SIZE(login), ret_status, &e) < 0)
		fail_msg("%s", e.msg);
}

/* Both keys are there; the caller frees the version. */
static char *version_of(const struct secret_stores *s, const char *path)
{
	auto_status struct secret_status status = {0};

	check(s, path, &status);
	assert_true(status.checked);
	assert_int_equal(status.missing.n, 0);
	assert_int_equal(strlen(status.version), 64);
	return xstrdup(status.version);
}

static bool version_is(const struct secret_stores *s, const char *path, const char *version)
{
	auto_free char *now = version_of(s, path);

	return strcmp(now, version) == 0;
}

static void assert_check_fails(
	const struct secret_stores *s, const char *path, enum err_code code, const char *words)
{
	struct secret_status status = {0};
	struct err e = ERR_INIT;

	assert_int_equal(secret_check(s, path, login, ARRAY_SIZE(login), &status, &e), -(int)code);
	if (!strstr(e.msg, words))
		fail_msg("\"%s\" does not say \"%s\"", e.msg, words);
	assert_null(strstr(e.msg, "s3cr3t"));
	assert_int_equal(e.retriable, code == ERR_IO);
}

static void assert_fetches(
	const struct secret_stores *s, const char *path, const char *key, const char *value)
{
	auto_secret struct secret *secret = NULL;
	struct err e = ERR_INIT;

	if (secret_fetch(s, path, key, &secret, &e) < 0)
		fail_msg("%s", e.msg);
	assert_string_equal(secret_reveal(secret), value);
}

static void assert_fetch_fails(
	const struct secret_stores *s, const char *path, const char *key, enum err_code code)
{
	struct secret *secret = NULL;
	struct err e = ERR_INIT;

	assert_int_equal(secret_fetch(s, path, key, &secret, &e), -(int)code);
	assert_null(secret);
	assert_null(strstr(e.msg, "s3cr3t"));
}

static void write_login(void **state, const char *dir)
{
	auto_free char *username = fs_join(dir, "username");
	auto_free char *password = fs_join(dir, "password");

	temp_puts(state, username, "weir\n");
	temp_puts(state, password, "s3cr3t\n");
}

static void test_a_path_that_no_store_serves_is_not_checked(void **state)
{
	auto_stores struct secret_stores *none = secret_stores_new(NULL, 0);
	auto_stores struct secret_stores *other = one_directory("kafka", "/nonexistent");
	const struct secret_stores *const each[] = {none, other};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(each); i++) {
		auto_status struct secret_status status = {.checked = true};

		check(each[i], "kafkaesque/../prod", &status);
		assert_false(status.checked);
		assert_int_equal(status.missing.n, 0);
		assert_string_equal(status.version, "");
		assert_fetch_fails(each[i], "kafkaesque", "password", ERR_NOT_FOUND);
	}
}

static void test_the_longest_prefix_by_whole_segments_wins(void **state)
{
	auto_free char *outer = xstrdup(temp_path(state, "outer"));
	auto_free char *inner = xstrdup(temp_path(state, "inner"));
	const struct secret_store_config configs[] = {
		{.type = SECRET_DIRECTORY, .prefix = "", .root = outer},
		{.type = SECRET_DIRECTORY, .prefix = "kafka/eu/", .root = inner},
	};
	auto_stores struct secret_stores *s = secret_stores_new(configs, ARRAY_SIZE(configs));

	temp_puts(state, "outer/kafka/eu/prod/password", "outer, hidden");
	temp_puts(state, "outer/kafka/europe/password", "outer");
	temp_puts(state, "inner/prod/password", "inner");
	temp_puts(state, "inner/password", "inner itself");
	assert_fetches(s, "kafka/eu/prod", "password", "inner");
	assert_fetches(s, "kafka/europe", "password", "outer");
	assert_fetches(s, "kafka/eu", "password", "inner itself");
}

static void test_directory_tells_which_keys_are_missing(void **state)
{
	auto_stores struct secret_stores *s = one_directory("", *state);
	auto_status struct secret_status status = {0};

	temp_puts(state, "eu/prod/username", "");
	temp_puts(state, "eu/prod/password/nested", "s3cr3t");
	check(s, "eu/prod", &status);
	assert_true(status.checked);
	assert_int_equal(status.missing.n, 2);
	assert_string_equal(status.missing.at[0], "username");
	assert_string_equal(status.missing.at[1], "password");
	assert_string_equal(status.version, "");
}

static void test_directory_without_the_path_or_the_root_fails(void **state)
{
	auto_free char *no_root = xstrdup(temp_path(state, "unmounted"));
	auto_stores struct secret_stores *s = one_directory("", *state);
	auto_stores struct secret_stores *unmounted = one_directory("", no_root);

	write_login(state, "prod");
	assert_check_fails(
		s, "nothing", ERR_NOT_FOUND, "secret path \"nothing\": there is no folder");
	assert_check_fails(s, "prod/username", ERR_NOT_FOUND, "there is no folder");
	assert_check_fails(unmounted, "prod", ERR_IO, "/unmounted");
	assert_fetch_fails(unmounted, "prod", "password", ERR_IO);
	assert_fetch_fails(s, "prod", "key", ERR_NOT_FOUND);
}

static void test_directory_version_follows_the_files(void **state)
{
	auto_stores struct secret_stores *s = one_directory("kafka", *state);
	auto_free char *before = NULL;

	write_login(state, "prod");
	before = version_of(s, "kafka/prod");
	assert_true(version_is(s, "kafka/prod", before));
	temp_puts(state, "prod/key", "another key is no change of these");
	assert_true(version_is(s, "kafka/prod", before));
	temp_puts(state, "prod/password", "S3CR3T\n");
	assert_false(version_is(s, "kafka/prod", before));
	assert_fetches(s, "kafka/prod", "password", "S3CR3T");
}

static void test_directory_without_needed_keys_is_there_or_not(void **state)
{
	auto_stores struct secret_stores *s = one_directory("", *state);
	auto_status struct secret_status status = {0};
	struct err e = ERR_INIT;

	write_login(state, "prod");
	assert_int_equal(secret_check(s, "prod", NULL, 0, &status, &e), 0);
	assert_true(status.checked);
	assert_string_equal(status.version, "");
	assert_int_equal(secret_check(s, "nothing", NULL, 0, &status, &e), -ERR_NOT_FOUND);
}

/* As Kubernetes mounts a secret and swaps it for a newer one. */
static void test_directory_follows_links_below_the_root(void **state)
{
	auto_stores struct secret_stores *s = one_directory("", *state);
	auto_free char *before = NULL;

	write_login(state, "prod/..2026_11_30");
	temp_link(state, "..2026_11_30", "prod/..data");
	temp_link(state, "..data/username", "prod/username");
	temp_link(state, "..data/password", "prod/password");
	temp_link(state, "prod", "alias");
	temp_link(state, "../prod/username", "other/username");
	temp_link(state, "../prod/..data/password", "other/password");
	before = version_of(s, "prod");
	assert_true(version_is(s, "alias", before));
	assert_true(version_is(s, "other", before));

	write_login(state, "prod/..2026_12_01");
	assert_int_equal(unlink(temp_path(state, "prod/..data")), 0);
	temp_link(state, "..2026_12_01", "prod/..data");
	assert_false(version_is(s, "prod", before));
	assert_fetches(s, "prod", "password", "s3cr3t");
}

static void test_directory_refuses_links_that_leave_the_root(void **state)
{
	auto_free char *root = xstrdup(temp_path(state, "root"));
	auto_free char *outside = xstrdup(temp_path(state, "outside"));
	auto_stores struct secret_stores *s = one_directory("", root);

	write_login(state, "outside");
	temp_puts(state, "root/keys/username", "weir");
	temp_link(state, "../../outside/password", "root/keys/password");
	temp_link(state, outside, "root/absolute");
	temp_link(state, "../outside", "root/relative");
	temp_link(state, "circle", "root/circle");
	temp_link(state, "/proc/self/cwd", "root/magic");
	assert_check_fails(s, "keys", ERR_INVALID, "leaves the store");
	assert_check_fails(s, "absolute", ERR_INVALID, "leaves the store");
	assert_check_fails(s, "relative", ERR_INVALID, "leaves the store");
	assert_check_fails(s, "circle", ERR_INVALID, "circles");
	assert_check_fails(s, "magic", ERR_INVALID, "leaves the store");
	assert_fetch_fails(s, "keys", "password", ERR_INVALID);
	assert_fetch_fails(s, "absolute", "password", ERR_INVALID);
	assert_fetch_fails(s, "relative", "password", ERR_INVALID);
}

static void test_paths_that_are_not_plain_names_are_refused(void **state)
{
	static const char *const bad[] = {"..", "../prod", "prod/..", "prod/../../etc", ".",
		"./prod", "prod/.", "/prod", "/etc", "prod/", "prod//x", "/", "prod/\x1b[2J",
		"prod\n"};
	auto_stores struct secret_stores *directory = one_directory("", *state);
	auto_stores struct secret_stores *env = one_env("", "WEIR_TEST_");

	write_login(state, "prod");
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		assert_check_fails(directory, bad[i], ERR_INVALID, "must be names");
		assert_check_fails(env, bad[i], ERR_INVALID, "must be names");
		assert_fetch_fails(directory, bad[i], "password", ERR_INVALID);
	}
}

static void test_env_spells_path_and_key_in_upper_case(void **state)
{
	auto_stores struct secret_stores *s = one_env("kafka", "WEIR_TEST_");
	auto_status struct secret_status status = {0};

	(void)state;
	setenv("WEIR_TEST_EU_PROD_1_PASSWORD", "s3cr3t\n", 1);
	check(s, "kafka/eu/prod-1", &status);
	assert_int_equal(status.missing.n, 1);
	assert_string_equal(status.missing.at[0], "username");
	assert_string_equal(status.version, "");
	assert_fetches(s, "kafka/eu/prod-1", "password", "s3cr3t\n");
	assert_fetch_fails(s, "kafka/eu/prod-1", "username", ERR_NOT_FOUND);
	assert_check_fails(s, "kafka/us", ERR_NOT_FOUND, "WEIR_TEST_US_");
	unsetenv("WEIR_TEST_EU_PROD_1_PASSWORD");
}

static void test_env_version_follows_the_values(void **state)
{
	auto_stores struct secret_stores *s = one_env("", "WEIR_TEST_");
	auto_free char *before = NULL;

	(void)state;
	setenv("WEIR_TEST_PROD_USERNAME", "weir", 1);
	setenv("WEIR_TEST_PROD_PASSWORD", "s3cr3t", 1);
	before = version_of(s, "prod");
	assert_true(version_is(s, "prod", before));
	assert_null(strstr(before, "s3cr3t"));
	setenv("WEIR_TEST_PROD_PASSWORD", "S3CR3T", 1);
	assert_false(version_is(s, "prod", before));
	/* What moves from one value to the other is a change, too. */
	setenv("WEIR_TEST_PROD_USERNAME", "weirs", 1);
	setenv("WEIR_TEST_PROD_PASSWORD", "3cr3t", 1);
	assert_false(version_is(s, "prod", before));
	setenv("WEIR_TEST_PROD_USERNAME", "weir", 1);
	setenv("WEIR_TEST_PROD_PASSWORD", "s3cr3t", 1);
	assert_true(version_is(s, "prod", before));
	unsetenv("WEIR_TEST_PROD_USERNAME");
	unsetenv("WEIR_TEST_PROD_PASSWORD");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		in_a_folder(test_a_path_that_no_store_serves_is_not_checked),
		in_a_folder(test_the_longest_prefix_by_whole_segments_wins),
		in_a_folder(test_directory_tells_which_keys_are_missing),
		in_a_folder(test_directory_without_the_path_or_the_root_fails),
		in_a_folder(test_directory_version_follows_the_files),
		in_a_folder(test_directory_without_needed_keys_is_there_or_not),
		in_a_folder(test_directory_follows_links_below_the_root),
		in_a_folder(test_directory_refuses_links_that_leave_the_root),
		in_a_folder(test_paths_that_are_not_plain_names_are_refused),
		in_a_folder(test_env_spells_path_and_key_in_upper_case),
		in_a_folder(test_env_version_follows_the_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
