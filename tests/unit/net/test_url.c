/* URLs: segments, checks, origins. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <string.h>
#include <cmocka.h>

#include "base/alloc.h"
#include "net/http.h"

static void test_segment_is_escaped(void **state)
{
	static const struct {
		const char *segment, *url;
	} cases[] = {
		{"orders-dr", "http://h/v1/orders-dr"},
		{"a/b?c#d", "http://h/v1/a%2Fb%3Fc%23d"},
		{"100%", "http://h/v1/100%25"},
		{"%2e%2e", "http://h/v1/%252e%252e"},
		{"a b\r\n", "http://h/v1/a%20b%0D%0A"},
		{"...", "http://h/v1/..."},
		{"é", "http://h/v1/%C3%A9"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		auto_buf struct buf url = BUF_INIT;
		buf_adds(&url, "http://h/v1");
		assert_int_equal(url_add_segment(&url, cases[i].segment, NULL), 0);
		assert_string_equal(buf_str(&url), cases[i].url);
	}
}

static void test_segment_follows_one_slash(void **state)
{
	auto_buf struct buf url = BUF_INIT;

	(void)state;
	buf_adds(&url, "http://h/");
	assert_int_equal(url_add_segment(&url, "a", NULL), 0);
	assert_int_equal(url_add_segment(&url, "b", NULL), 0);
	assert_string_equal(buf_str(&url), "http://h/a/b");
}

static void test_segment_refused_when_it_would_climb(void **state)
{
	static const char *const refused[] = {"", ".", ".."};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
		auto_buf struct buf url = BUF_INIT;
		struct err e = ERR_INIT;
		assert_int_equal(url_add_segment(&url, refused[i], &e), -ERR_INVALID);
		assert_int_equal(url.len, 0);
	}
}

static void test_check_takes_http_only(void **state)
{
	static const struct {
		const char *url, *words; /* NULL: fine */
	} cases[] = {
		{"http://example.com", NULL},
		{"https://example.com:8443/base/path?x=1", NULL},
		{"http://[::1]:80/", NULL},
		{"http://127.0.0.1:1", NULL},
		{"", "the URL: must begin with https://"},
		{"example.com", "must begin with https://"},
		{"//example.com/", "must begin with https://"},
		{"/path", "must begin with https://"},
		{"file:///etc/passwd", "must begin with https://"},
		{"ftp://example.com/", "must begin with https://"},
		{"ssh://example.com/", "must begin with https://"},
		{"http://", "is not a URL"},
		{"http://exa mple.com/", "is not a URL"},
		{"http://example.com:99999/", "is not a URL"},
		{"http://example.com/\r\nHost: evil", "is not a URL"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct err e = ERR_INIT;
		int rc = url_check_http(cases[i].url, &e);
		if (cases[i].words) {
			assert_int_equal(rc, -ERR_INVALID);
			if (!strstr(e.msg, cases[i].words))
				fail_msg("%s: %s", cases[i].url, e.msg);
		} else {
			assert_int_equal(rc, 0);
		}
	}
}

static void test_check_never_repeats_a_password(void **state)
{
	static const char *const urls[] = {
		"https://user:hunter2@example.com/",
		"https://hunter2@example.com/",
		"https://user:hunter2@exa mple.com/",
		"ftp://user:hunter2@example.com/",
		"user:hunter2@example.com",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(urls); i++) {
		struct err e = ERR_INIT;
		assert_int_equal(url_check_http(urls[i], &e), -ERR_INVALID);
		assert_null(strstr(e.msg, "hunter2"));
	}
}

static void test_link_stays_on_origin(void **state)
{
	static const char base[] =
		"https://api.example.com:8443/organizations/acme/kafka-replicator/?page=1";
	static const struct {
		const char *next, *url;
	} cases[] = {
		{"/organizations/acme/kafka-replicator/?page=2",
			"https://api.example.com:8443/organizations/acme/kafka-replicator/?page=2"},
		{"?page=2",
			"https://api.example.com:8443/organizations/acme/kafka-replicator/?page=2"},
		{"http://internal:8000/a/?page=2&x=%2F",
			"https://api.example.com:8443/a/?page=2&x=%2F"},
		{"//evil.example/a?b", "https://api.example.com:8443/a?b"},
		{"https://user:pw@evil.example/a", "https://api.example.com:8443/a"},
		{"/a", "https://api.example.com:8443/a"},
		{"/a#fragment", "https://api.example.com:8443/a"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		auto_free char *url = NULL;
		assert_int_equal(url_on_origin(base, cases[i].next, &url, NULL), 0);
		assert_string_equal(url, cases[i].url);
	}
}

static void test_link_has_a_port_only_where_base_has(void **state)
{
	auto_free char *plain = NULL, *default_port = NULL;

	(void)state;
	assert_int_equal(url_on_origin("http://h/a/", "https://other:9/b", &plain, NULL), 0);
	assert_string_equal(plain, "http://h/b");
	assert_int_equal(url_on_origin("http://h:80/a/", "b", &default_port, NULL), 0);
	assert_string_equal(default_port, "http://h/a/b");
}

static void test_link_refused_when_senseless(void **state)
{
	static const char *const links[] = {
		"file:///etc/passwd", "javascript:alert(1)", "http://", "/a\r\nb", "ftp://h/a"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(links); i++) {
		struct err e = ERR_INIT;
		char *url = NULL;
		if (url_on_origin("https://h/", links[i], &url, &e) == 0) {
			fail_msg("%s became %s", links[i], url);
		}
		assert_int_equal(e.code, ERR_REMOTE);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_segment_is_escaped),
		cmocka_unit_test(test_segment_follows_one_slash),
		cmocka_unit_test(test_segment_refused_when_it_would_climb),
		cmocka_unit_test(test_check_takes_http_only),
		cmocka_unit_test(test_check_never_repeats_a_password),
		cmocka_unit_test(test_link_stays_on_origin),
		cmocka_unit_test(test_link_has_a_port_only_where_base_has),
		cmocka_unit_test(test_link_refused_when_senseless),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
