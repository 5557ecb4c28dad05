/* Whether somebody who sends us something knows a secret that we share. */
#include <string.h>

#include <sodium.h>

#include "secret/memory.h"
#include "secret/secret.h"

bool secret_hmac_matches(const struct secret *key, const void *data, size_t len, const char *hex)
{
	unsigned char theirs[crypto_auth_hmacsha256_BYTES];
	unsigned char ours[crypto_auth_hmacsha256_BYTES];
	crypto_auth_hmacsha256_state state;
	size_t n = 0;

	if (strlen(hex) != 2 * sizeof(theirs) ||
		sodium_hex2bin(theirs, sizeof(theirs), hex, 2 * sizeof(theirs), NULL, &n, NULL) <
			0 ||
		n != sizeof(theirs))
		return false;
	crypto_auth_hmacsha256_init(
		&state, (const unsigned char *)secret_reveal(key), secret_len(key));
	crypto_auth_hmacsha256_update(&state, data, len);
	crypto_auth_hmacsha256_final(&state, ours);
	sodium_memzero(&state, sizeof(state));
	bool same = sodium_memcmp(ours, theirs, sizeof(ours)) == 0;
	sodium_memzero(ours, sizeof(ours));
	return same;
}
