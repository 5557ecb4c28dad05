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

static void test_ssh_in_both_forms(void **state)
{
	static const struct {
		const char *url;
		const char *host;
		const char *port;
		const char *path;
	} cases[] = {
		{"ssh://git@example.com/a/b.git", "git@example.com", NULL, "/a/b.git"},
		{"ssh://example.com:7999/a/b.git/", "example.com", "7999", "/a/b.git"},
		{"ssh://git@[::1]:22/a", "git@::1", "22", "/a"},
		{"ssh://[fe80::1%eth0]/a", "fe80::1%eth0", NULL, "/a"},
		{"ssh://git@example.com/~me/a", "git@example.com", NULL, "~me/a"},
		{"ssh://git@example.com/My%20Project", "git@example.com", NULL, "/My Project"},
		{"ssh://team@corp@example.com/a", "team@corp@example.com", NULL, "/a"},
		{"ssh://git@example.com/a:b@c", "git@example.com", NULL, "/a:b@c"},
		{"git@example.com:team/b.git", "git@example.com", NULL, "team/b.git"},
		{"example.com:7999/b.git/", "example.com", NULL, "7999/b.git"},
		{"forge:/srv/b.git", "forge", NULL, "/srv/b.git"},
		{"git@[::1]:b", "git@::1", NULL, "b"},
		{"a@b:c:d", "a@b", NULL, "c:d"},
		{"git@ssh.dev.azure.com:v3/o/p/r", "git@ssh.dev.azure.com", NULL, "v3/o/p/r"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct err e = ERR_INIT;
		struct location l;

		if (location_parse(cases[i].url, &l, &e) < 0)
			fail_msg("%s: %s", cases[i].url, e.msg);
		assert_int_equal(l.kind, LOCATION_SSH);
		assert_string_equal(l.host, cases[i].host);
		assert_string_equal(l.port ? l.port : "", cases[i].port ? cases[i].port : "");
		assert_string_equal(l.path, cases[i].path);
		location_release(&l);
	}
}

static void test_refusals_say_what_to_write(void **state)
{
	static const struct {
		const char *url;
		const char *says;
	} cases[] = {
		{"git+ssh://git@example.com/x.git", "write ssh://"},
		{"ssh://git@example.com", "no path"},
		{"ssh://git@example.com/", "no path"},
		{"ssh://git@example.com:/x", "no port"},
		{"ssh://git@example.com:0/x", "no port"},
		{"ssh://git@example.com:65536/x", "no port"},
		{"ssh://git@example.com:team/x", "no port"},
		{"ssh:///x", "this user or host"},
		{"ssh://@example.com/x", "this user or host"},
		{"ssh://-oProxyCommand=reboot/x", "this user or host"},
		{"ssh://git@-oProxyCommand=reboot/x", "this user or host"},
		{"ssh://git@a b/x", "this user or host"},
		{"ssh://git@$(reboot)/x", "this user or host"},
		{"ssh://example.com/x%00y", "no path"},
		{"-oProxyCommand=reboot:x", "this user or host"},
		{"git@example.com:", "no path"},
		{"git@example.com:-x", "no path"},
		{":x", "this user or host"},
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
	static const char *const urls[] = {
		"https://me:s3cr3t@example.com/x.git",
		"ssh://me:s3cr3t@example.com/x.git",
		"ssh://me:s3cr3t@example.com:22/x.git",
		"me:s3cr3t@example.com:x.git",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(urls); i++) {
		struct err e = ERR_INIT;
		struct location l;

		assert_int_equal(location_parse(urls[i], &l, &e), -ERR_CONFIG);
		if (strstr(e.msg, "s3cr3t"))
			fail_msg("%s", e.msg);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_folders_when_written_as_url_or_path),
		cmocka_unit_test(test_http_when_the_url_ends_in_slashes),
		cmocka_unit_test(test_ssh_in_both_forms),
		cmocka_unit_test(test_refusals_say_what_to_write),
		cmocka_unit_test(test_a_password_when_it_stands_in_the_url_is_not_repeated),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
