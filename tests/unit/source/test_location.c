/* What may stand in source.url, and what the others are told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "source/location.h"

static void test_folders_when_written_as_url_or_path(void **state)
{
	static const struct {
		const char *url;
		const char *path;
	} cases[] = {
		{"/srv/git/x.git", "/srv/git/x.git"},
		{"/srv/git/x.git//", "/srv/git/x.git"},
		{"file:///srv/git/x.git/", "/srv/git/x.git"},
		{"file:///srv/a%20b%2fc", "/srv/a b/c"},
		{"file:///srv/100%", "/srv/100%"},
		{"/", "/"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct err e = ERR_INIT;
		struct location l;

		assert_int_equal(location_parse(cases[i].url, &l, &e), 0);
		assert_int_equal(l.kind, LOCATION_FOLDER);
		assert_string_equal(l.path, cases[i].path);
		location_release(&l);
	}
}

static void test_http_when_the_url_ends_in_slashes(void **state)
{
	struct err e = ERR_INIT;
	struct location l;

	(void)state;
	assert_int_equal(location_parse("https://git.example.com/a/b.git/", &l, &e), 0);
	assert_int_equal(l.kind, LOCATION_HTTP);
	assert_string_equal(l.url, "https://git.example.com/a/b.git");
	location_release(&l);
}

static void test_refusals_say_what_to_write(void **state)
{
	static const struct {
		const char *url;
		const char *says;
	} cases[] = {
		{"ssh://git@example.com/x.git", "ssh is not supported yet"},
		{"git@example.com:team/x.git", "ssh is not supported yet"},
		{"git://example.com/x.git", "use https://"},
		{"gopher://example.com/x", "gopher:// is not supported"},
		{"file://x.git", "an absolute path"},
		{"file:///a%00b", "an absolute path"},
		{"x.git", "https://…"},
		{"./x.git", "https://…"},
		{"", "https://…"},
		{"https://example.com/x?y=1", "no '?'"},
		{"https://example.com/x#y", "no '?'"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct err e = ERR_INIT;
		struct location l;

		assert_int_equal(location_parse(cases[i].url, &l, &e), -ERR_CONFIG);
		if (!strstr(e.msg, cases[i].says))
			fail_msg("%s: %s", cases[i].url, e.msg);
	}
}

static void test_a_password_when_it_stands_in_the_url_is_not_repeated(void **state)
{
	struct err e = ERR_INIT;
	struct location l;

	(void)state;
	assert_int_equal(
		location_parse("https://me:s3cr3t@example.com/x.git", &l, &e), -ERR_CONFIG);
	assert_null(strstr(e.msg, "s3cr3t"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_folders_when_written_as_url_or_path),
		cmocka_unit_test(test_http_when_the_url_ends_in_slashes),
		cmocka_unit_test(test_refusals_say_what_to_write),
		cmocka_unit_test(test_a_password_when_it_stands_in_the_url_is_not_repeated),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
