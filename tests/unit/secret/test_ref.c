/* References to secrets: which texts are one, what they read, and what the errors do not say. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/limits.h"
#include "secret/secret.h"
#include "temp.h"

static void test_well_formed_references_are_valid(void **state)
{
	static const char *const good[] = {"env:TOKEN", "env:_t0ken", "file:/run/token",
		"file:token", "file:/a b/ü", "systemd:weir.token", "systemd:..token"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(good); i++)
		assert_true(secret_ref_valid(good[i]));
}

static void test_other_texts_are_refused_without_repeating_them(void **state)
{
	static const char *const bad[] = {"", "s3cr3t", "env:", "env:s3cr3t-1", "env:3s3cr3t",
		"ENV:s3cr3t!", "env:s3cr3t=x", " env:s3cr3t", "file:", "file:/s3cr3t\n",
		"systemd:", "systemd:a/s3cr3t", "systemd:.", "systemd:..", "vault:s3cr3t",
		"https://user:s3cr3t@host"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct secret *s = NULL;
		struct err e = ERR_INIT;

		assert_false(secret_ref_valid(bad[i]));
		assert_int_equal(secret_ref_read(bad[i], &s, &e), -ERR_CONFIG);
		assert_non_null(strstr(e.msg, "env:NAME, file:PATH or systemd:NAME"));
		assert_null(strstr(e.msg, "s3cr3t"));
		assert_null(s);
	}
}

static void assert_reads(const char *ref, const char *value)
{
	auto_secret struct secret *s = NULL;
	struct err e = ERR_INIT;

	assert_int_equal(secret_ref_read(ref, &s, &e), 0);
	assert_int_equal(secret_len(s), strlen(value));
	assert_string_equal(secret_reveal(s), value);
}

static void assert_refuses(const char *ref, enum err_code code, const char *words)
{
	struct secret *s = NULL;
	struct err e = ERR_INIT;

	assert_int_equal(secret_ref_read(ref, &s, &e), -(int)code);
	assert_int_equal(e.code, code);
	if (!strstr(e.msg, words))
		fail_msg("\"%s\" does not say \"%s\"", e.msg, words);
	assert_null(strstr(e.msg, "s3cr3t"));
	assert_null(s);
}

static const char *file_ref(void **state, const char *name)
{
	static char ref[4096];

	snprintf(ref, sizeof(ref), "file:%s", temp_path(state, name));
	return ref;
}

static void test_env_is_read_anew_each_time(void **state)
{
	(void)state;
	setenv("WEIR_TEST_TOKEN", "s3cr3t", 1);
	assert_reads("env:WEIR_TEST_TOKEN", "s3cr3t");
	setenv("WEIR_TEST_TOKEN", "s3cr3t, changed\n", 1);
	assert_reads("env:WEIR_TEST_TOKEN", "s3cr3t, changed\n");
	setenv("WEIR_TEST_TOKEN", "", 1);
	assert_refuses("env:WEIR_TEST_TOKEN", ERR_INVALID, "WEIR_TEST_TOKEN is empty");
	unsetenv("WEIR_TEST_TOKEN");
	assert_refuses("env:WEIR_TEST_TOKEN", ERR_NOT_FOUND, "WEIR_TEST_TOKEN is not set");
}

static void test_env_that_is_too_long_is_refused(void **state)
{
	auto_free char *value = xcalloc(1, LIMIT_SECRET_BYTES + 2);

	(void)state;
	memset(value, 'x', LIMIT_SECRET_BYTES + 1);
	setenv("WEIR_TEST_TOKEN", value, 1);
	assert_refuses("env:WEIR_TEST_TOKEN", ERR_LIMIT, "WEIR_TEST_TOKEN");
	value[LIMIT_SECRET_BYTES] = '\0';
	setenv("WEIR_TEST_TOKEN", value, 1);
	assert_reads("env:WEIR_TEST_TOKEN", value);
	unsetenv("WEIR_TEST_TOKEN");
}

static void test_file_loses_one_line_end(void **state)
{
	static const char *const cases[][2] = {{"s3cr3t", "s3cr3t"}, {"s3cr3t\n", "s3cr3t"},
		{"s3cr3t\r\n", "s3cr3t"}, {"s3cr3t\n\n", "s3cr3t\n"}, {"s3cr3t\r", "s3cr3t\r"},
		{"\ns3cr3t \n", "\ns3cr3t "}};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		temp_puts(state, "token", cases[i][0]);
		assert_reads(file_ref(state, "token"), cases[i][1]);
	}
}

static void test_file_without_a_value_is_refused(void **state)
{
	static const char *const blank[] = {"", "\n", "\r\n"};

	for (size_t i = 0; i < ARRAY_SIZE(blank); i++) {
		temp_puts(state, "token", blank[i]);
		assert_refuses(file_ref(state, "token"), ERR_INVALID, "token is empty");
	}
	temp_write(state, "token", "s3cr3t\0s3cr3t", 13);
	assert_refuses(file_ref(state, "token"), ERR_INVALID, "NUL");
	assert_refuses(file_ref(state, "nothing"), ERR_NOT_FOUND, "/nothing");
}

static void test_file_that_is_too_long_is_refused(void **state)
{
	auto_free char *data = xmalloc(LIMIT_SECRET_BYTES + 1);

	memset(data, 'x', LIMIT_SECRET_BYTES + 1);
	temp_write(state, "long", data, LIMIT_SECRET_BYTES + 1);
	assert_refuses(file_ref(state, "long"), ERR_LIMIT, "65536 bytes");
}

/* A FIFO without a writer must not be waited for. */
static void test_what_is_no_file_is_refused(void **state)
{
	assert_int_equal(mkfifo(temp_path(state, "fifo"), 0600), 0);
	assert_refuses(file_ref(state, "fifo"), ERR_INVALID, "not a regular file");
	assert_refuses(file_ref(state, "."), ERR_INVALID, "not a regular file");
	assert_refuses("file:/dev/zero", ERR_INVALID, "not a regular file");
}

static void test_systemd_reads_below_the_credentials_directory(void **state)
{
	unsetenv("CREDENTIALS_DIRECTORY");
	assert_refuses("systemd:weir.token", ERR_NOT_FOUND, "LoadCredential=");
	temp_puts(state, "credentials/weir.token", "s3cr3t\n");
	setenv("CREDENTIALS_DIRECTORY", temp_path(state, "credentials"), 1);
	assert_reads("systemd:weir.token", "s3cr3t");
	assert_refuses("systemd:other", ERR_NOT_FOUND, "credentials/other");
	unsetenv("CREDENTIALS_DIRECTORY");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_well_formed_references_are_valid),
		cmocka_unit_test(test_other_texts_are_refused_without_repeating_them),
		cmocka_unit_test(test_env_is_read_anew_each_time),
		cmocka_unit_test(test_env_that_is_too_long_is_refused),
		cmocka_unit_test_setup_teardown(
			test_file_loses_one_line_end, temp_setup, temp_teardown),
		cmocka_unit_test_setup_teardown(
			test_file_without_a_value_is_refused, temp_setup, temp_teardown),
		cmocka_unit_test_setup_teardown(
			test_file_that_is_too_long_is_refused, temp_setup, temp_teardown),
		cmocka_unit_test_setup_teardown(
			test_what_is_no_file_is_refused, temp_setup, temp_teardown),
		cmocka_unit_test_setup_teardown(test_systemd_reads_below_the_credentials_directory,
			temp_setup, temp_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
