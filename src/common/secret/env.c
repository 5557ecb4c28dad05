/* The store of type env: a variable for each key. */
#include "secret/memory.h"
#include "secret/store.h"

#include <ctype.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include <sodium.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/rng.h"
#include "base/text.h"

/* Versions are made under a key of this process: from a plain hash, passwords can be guessed. */
static unsigned char process_key[HASH_BYTES];
static pthread_once_t process_key_once = PTHREAD_ONCE_INIT;

static void make_process_key(void)
{
	rng_real.fill(rng_real.ctx, process_key, sizeof(process_key));
}

static void add_shouted(struct buf *out, const char *s)
{
	for (; *s; s++)
		buf_addc(out, isalnum((unsigned char)*s) ? (char)toupper((unsigned char)*s) : '_');
}

/* What the names of all variables of a path begin with. */
static char *variable_stem(const struct secret_store_config *config, const char *below)
{
	struct buf name = BUF_INIT;

	buf_adds(&name, config->variable_prefix);
	add_shouted(&name, below);
	if (*below)
		buf_addc(&name, '_');
	return buf_take(&name);
}

static char *variable_name(
	const struct secret_store_config *config, const char *below, const char *key)
{
	auto_free char *stem = variable_stem(config, below);
	struct buf name = BUF_INIT;

	buf_adds(&name, stem);
	add_shouted(&name, key);
	return buf_take(&name);
}

static bool any_variable_begins_with(const char *stem)
{
	for (char **variable = environ; *variable; variable++)
		if (text_has_prefix(*variable, stem))
			return true;
	return false;
}

static void check_variable(
	const char *name, const char *key, struct hash *h, struct secret_status *status)
{
	const char *value = getenv(name);

	if (!value || !*value) {
		strv_push(&status->missing, key);
		return;
	}
	hash_adds(h, key);
	hash_adds(h, value);
}

static int check_env(const struct secret_store_config *config, const char *below,
	const char *const *keys, size_t n_keys, struct secret_status *status, struct err *e)
{
	auto_free char *stem = variable_stem(config, below);
	unsigned char digest[HASH_BYTES];
	struct hash h;

	if (!any_variable_begins_with(stem))
		return err_set(e, ERR_NOT_FOUND, "there is no environment variable %s…", stem);
	pthread_once(&process_key_once, make_process_key);
	hash_begin(&h);
	hash_add(&h, process_key, sizeof(process_key));
	for (size_t i = 0; i < n_keys; i++) {
		auto_free char *name = variable_name(config, below, keys[i]);

		check_variable(name, keys[i], &h, status);
	}
	hash_end(&h, digest);
	sodium_memzero(&h, sizeof(h));
	if (n_keys && !status->missing.n)
		hash_hex(digest, status->version);
	return 0;
}

static int fetch_env(const struct secret_store_config *config, const char *below, const char *key,
	struct secret **ret_secret, struct err *e)
{
	auto_free char *name = variable_name(config, below, key);

	return secret_read_variable(name, ret_secret, e);
}

const struct secret_store_ops secret_store_env = {
	.check = check_env,
	.fetch = fetch_env,
};
