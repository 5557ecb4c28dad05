/* From references in the configuration to hashes in the store. */
#include "server/tokens.h"

#include <string.h>

#include "base/vec.h"
#include "secret/secret.h"

#define SHORT_TOKEN 16

struct token_rows {
	VEC_FIELDS(struct token_row);
};

void token_hash(const char *token, unsigned char out[HASH_BYTES])
{
	struct hash h;

	hash_begin(&h);
	hash_adds(&h, "replicatord token");
	hash_adds(&h, token);
	hash_end(&h, out);
}

static int read_token(const struct organization_config *organization,
	const struct token_config *token, struct token_rows *rows, struct err *e)
{
	auto_secret struct secret *secret = NULL;
	struct token_row row = {
		.org = organization->name,
		.name = token->name,
		.write = token->access == ACCESS_WRITE,
	};

	if (secret_ref_read(token->token, &secret, e) < 0)
		return err_prefix(
			e, "token %s of organization %s", token->name, organization->name);
	if (secret_len(secret) == 0)
		return err_set(e, ERR_CONFIG, "token %s of organization %s is empty", token->name,
			organization->name);
	if (secret_len(secret) < SHORT_TOKEN)
		log_warn("a short token can be guessed; use 32 random characters", "organization",
			organization->name, "token", token->name, NULL);
	token_hash(secret_reveal(secret), row.hash);
	vec_push(rows, row);
	return 0;
}

int tokens_load(struct store *store, const struct config *config, struct err *e)
{
	const struct organization_config *organizations = config->organizations.at;
	struct token_rows rows = VEC_INIT;
	int rc = 0;

	for (size_t i = 0; i < config->organizations.n && rc == 0; i++) {
		const struct token_config *tokens = organizations[i].tokens.at;

		for (size_t k = 0; k < organizations[i].tokens.n && rc == 0; k++)
			rc = read_token(&organizations[i], &tokens[k], &rows, e);
	}
	if (rc == 0)
		rc = store_replace_tokens(store, rows.at, rows.n, e);
	vec_release(&rows);
	return rc;
}
