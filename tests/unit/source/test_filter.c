/* The request for a pack with the filter in it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "source/filter.h"

#define OID "1111111111111111111111111111111111111111"

static void set_greeting(struct wire *w, const char *capabilities)
{
	struct source s = {.timeout_ms = 1};

	wire_init(w, &s, false, 0);
	wire_received(w, capabilities, strlen(capabilities));
}

static void check(const char *capabilities, const char *sent, const char *expected)
{
	struct buf out = BUF_INIT;
	struct wire w;

	set_greeting(&w, capabilities);
	assert_int_equal(filter_wants(&w, sent, strlen(sent), &out), expected != NULL);
	assert_string_equal(buf_str(&out), expected ? expected : "");
	buf_release(&out);
	wire_release(&w);
}

static void test_filter_when_the_server_can(void **state)
{
	(void)state;
	check(" side-band-64k filter object-format=sha1\n",
		"0055want " OID "  side-band-64k thin-pack ofs-delta\n"
		"0032want " OID "\n"
		"0000"
		"0032have " OID "\n"
		"0009done\n",
		"0052want " OID "  side-band-64k ofs-delta filter\n"
		"0032want " OID "\n"
		"001efilter blob:limit=1048577\n"
		"0000"
		"0032have " OID "\n"
		"0009done\n");
	check(" side-band-64k filter\n", "0032want " OID "\n0000",
		"0039want " OID " filter\n001efilter blob:limit=1048577\n0000");
}

static void test_nothing_when_the_server_cannot(void **state)
{
	(void)state;
	check(" side-band-64k filters\n", "0032want " OID "\n0000", NULL);
	check("", "0032want " OID "\n0000", NULL);
}

static void test_nothing_when_it_is_no_request_for_a_pack(void **state)
{
	(void)state;
	check(" filter\n", "0032have " OID "\n0009done\n", NULL);
	check(" filter\n", "0000", NULL);
	check(" filter\n", "", NULL);
	check(" filter\n", "PACK", NULL);
	check(" filter\n", "ffffwant " OID "\n", NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_filter_when_the_server_can),
		cmocka_unit_test(test_nothing_when_the_server_cannot),
		cmocka_unit_test(test_nothing_when_it_is_no_request_for_a_pack),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
