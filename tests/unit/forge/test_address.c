/* From the URL that Git fetches to the forge's API. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/alloc.h"
#include "forge/forge.h"

static const struct row {
	enum forge_kind kind;
	const char *url;
	const char *api; /* NULL: refused */
	const char *repository;
} rows[] = {
	{FORGE_KIND_GITHUB, "https://github.com/acme/flows", "https://api.github.com",
		"acme/flows"},
	{FORGE_KIND_GITHUB, "https://github.com/acme/flows.git", "https://api.github.com",
		"acme/flows"},
	{FORGE_KIND_GITHUB, "https://GitHub.com/Acme/Flows.git/", "https://api.github.com",
		"Acme/Flows"},
	{FORGE_KIND_GITHUB, "https://www.github.com/acme/flows", "https://api.github.com",
		"acme/flows"},
	{FORGE_KIND_GITHUB, "git@github.com:acme/flows.git", "https://api.github.com",
		"acme/flows"},
	{FORGE_KIND_GITHUB, "github.com:acme/flows", "https://api.github.com", "acme/flows"},
	{FORGE_KIND_GITHUB, "ssh://git@ssh.github.com:443/acme/flows.git", "https://api.github.com",
		"acme/flows"},
	{FORGE_KIND_GITHUB, "git://github.com/acme/flows.git", "https://api.github.com",
		"acme/flows"},
	{FORGE_KIND_GITHUB, "https://acme.ghe.com/team/flows", "https://api.acme.ghe.com",
		"team/flows"},
	{FORGE_KIND_GITHUB, "https://git.example.com:8443/acme/flows.git",
		"https://git.example.com:8443/api/v3", "acme/flows"},
	{FORGE_KIND_GITHUB, "http://git.example.com/acme/flows", "http://git.example.com/api/v3",
		"acme/flows"},
	{FORGE_KIND_GITHUB, "ssh://git@git.example.com:2222/acme/flows.git",
		"https://git.example.com/api/v3", "acme/flows"},
	{FORGE_KIND_GITHUB, "https://user:hidden@github.com/acme/flows", "https://api.github.com",
		"acme/flows"},
	{FORGE_KIND_GITHUB, "https://github.com/acme", NULL, NULL},
	{FORGE_KIND_GITHUB, "https://github.com/acme/team/flows", NULL, NULL},
	{FORGE_KIND_GITHUB, "https://github.com", NULL, NULL},
	{FORGE_KIND_GITHUB, "https:///acme/flows", NULL, NULL},
	{FORGE_KIND_GITHUB, "/srv/git/acme/flows.git", NULL, NULL},
	{FORGE_KIND_GITHUB, "file:///srv/git/acme/flows.git", NULL, NULL},
	{FORGE_KIND_GITHUB, "", NULL, NULL},
	{FORGE_KIND_GITEA, "http://127.0.0.1:3000/acme/flows.git", "http://127.0.0.1:3000/api/v1",
		"acme/flows"},
	{FORGE_KIND_GITEA, "https://example.com/git/acme/flows.git",
		"https://example.com/git/api/v1", "acme/flows"},
	{FORGE_KIND_GITEA, "https://example.com//git//acme/flows.git",
		"https://example.com/git/api/v1", "acme/flows"},
	{FORGE_KIND_GITEA, "git@example.com:acme/flows.git", "https://example.com/api/v1",
		"acme/flows"},
	{FORGE_KIND_GITEA, "git@example.com:7999/flows", "https://example.com/api/v1",
		"7999/flows"},
	{FORGE_KIND_GITEA, "https://[::1]:3000/acme/flows", "https://[::1]:3000/api/v1",
		"acme/flows"},
	{FORGE_KIND_GITEA, "ssh://git@[2001:db8::1]:22/acme/flows", "https://[2001:db8::1]/api/v1",
		"acme/flows"},
};

static void test_each_form_gives_its_api_and_repository(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct row *row = &rows[i];
		struct forge_address a = {0};
		struct err e = ERR_INIT;
		int rc = forge_address_find(row->kind, row->url, &a, &e);
		if (!row->api) {
			assert_int_equal(rc, -ERR_CONFIG);
			assert_non_null(strstr(e.msg, "set forge.url"));
			continue;
		}
		if (rc < 0)
			fail_msg("%s: %s", row->url, e.msg);
		assert_string_equal(a.api, row->api);
		assert_string_equal(a.repository, row->repository);
		forge_address_release(&a);
	}
}

static void test_credentials_in_a_url_are_in_no_message(void **state)
{
	(void)state;
	struct forge_address a = {0};
	struct err e = ERR_INIT;
	assert_int_equal(
		forge_address_find(FORGE_KIND_GITHUB, "https://u:hidden@github.com/x", &a, &e),
		-ERR_CONFIG);
	assert_null(strstr(e.msg, "hidden"));
}

static void test_only_githubs_own_hosts_are_known_by_name(void **state)
{
	(void)state;
	assert_true(forge_is_github("https://github.com/a/b"));
	assert_true(forge_is_github("git@github.com:a/b"));
	assert_true(forge_is_github("https://acme.ghe.com/a/b"));
	assert_false(forge_is_github("https://github.com.example.org/a/b"));
	assert_false(forge_is_github("https://example.org/github.com/b"));
	assert_false(forge_is_github("https://notgithub.com/a/b"));
	assert_false(forge_is_github("https://github.com@example.org/a/b"));
	assert_false(forge_is_github("/github.com/a/b"));
}

static void test_a_repository_is_two_names(void **state)
{
	(void)state;
	static const char *const bad[] = {
		"", "/", "a", "a/", "/b", "a/b/c", "a/b?x", "a/b c", "a/b#", "a%2fb/c"};
	struct err e = ERR_INIT;
	assert_int_equal(forge_check_repository("acme/flows.v2", &e), 0);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(forge_check_repository(bad[i], &e), -ERR_CONFIG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_form_gives_its_api_and_repository),
		cmocka_unit_test(test_credentials_in_a_url_are_in_no_message),
		cmocka_unit_test(test_only_githubs_own_hosts_are_known_by_name),
		cmocka_unit_test(test_a_repository_is_two_names),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
