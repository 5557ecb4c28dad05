/* Whether a signature is one of ours. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <string.h>
#include <cmocka.h>

#include "secret/secret.h"

/* RFC 4231, test case 2. */
#define KEY  "Jefe"
#define TEXT "what do ya want for nothing?"
#define HEX  "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"

static bool matches(const char *key, const char *text, const char *hex)
{
	auto_secret struct secret *secret = secret_new(key, strlen(key));
	return secret_hmac_matches(secret, text, strlen(text), hex);
}

static void test_the_hmac_of_the_data_matches(void **state)
{
	(void)state;
	assert_true(matches(KEY, TEXT, HEX));
	assert_true(matches(
		KEY, TEXT, "5BDCC146BF60754E6A042426089575C75A003F089D2739839DEC58B964EC3843"));
}

static void test_another_key_or_text_does_not_match(void **state)
{
	(void)state;
	assert_false(matches("jefe", TEXT, HEX));
	assert_false(matches(KEY, TEXT "?", HEX));
	assert_false(matches(KEY, "", HEX));
}

static void test_what_is_no_digest_does_not_match(void **state)
{
	(void)state;
	assert_false(matches(KEY, TEXT, ""));
	assert_false(matches(KEY, TEXT, "5bdc"));
	assert_false(matches(KEY, TEXT, HEX "00"));
	assert_false(matches(
		KEY, TEXT, "xbdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"));
}

static void test_every_bit_counts(void **state)
{
	(void)state;
	for (size_t i = 0; i < strlen(HEX); i++) {
		char hex[] = HEX;
		hex[i] = hex[i] == '0' ? '1' : '0';
		assert_false(matches(KEY, TEXT, hex));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_hmac_of_the_data_matches),
		cmocka_unit_test(test_another_key_or_text_does_not_match),
		cmocka_unit_test(test_what_is_no_digest_does_not_match),
		cmocka_unit_test(test_every_bit_counts),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
