/* One table of words to look for. */
#include "source/last_words.h"

#include <stdbool.h>
#include <string.h>

#include "base/alloc.h"

/* What is shown of words that are told as they are: their end, where the reason stands. */
#define SHOWN_MAX 300

/* The first row whose words are in it counts. */
static const struct meaning {
	const char *words;
	enum err_code code;
	bool retriable;
	const char *what; /* NULL: as it was said */
	const char *hint;
} meanings[] = {
	{.words = "REMOTE HOST IDENTIFICATION HAS CHANGED",
		.code = ERR_AUTH,
		.what = "its host key is not the one that is known: this may be another server",
		.hint = "ask its owner; if the key was really changed, take the old one out of "
			"known_hosts with ssh-keygen -R and put the new one in"},
	{.words = "REVOKED HOST KEY",
		.code = ERR_AUTH,
		.what = "its host key is marked as revoked in known_hosts",
		.hint = "ask its owner for the new one"},
	{.words = "Host key verification failed",
		.code = ERR_AUTH,
		.what = "its host key is not known",
		.hint = "compare what ssh-keyscan prints with what its owner publishes, and put it "
			"into the file of source.known_hosts or ~/.ssh/known_hosts"},
	{.words = "are too open",
		.code = ERR_AUTH,
		.what = "the private key may be read by others, so ssh does not use it",
		.hint = "give its file mode 0600"},
	{.words = "Load key ", .code = ERR_AUTH, .hint = "check source.ssh_key"},
	{.words = "Too many authentication failures",
		.code = ERR_AUTH,
		.what = "it refused the first of our keys and would see no more",
		.hint = "name the right one as source.ssh_key"},
	{.words = "Permission denied (",
		.code = ERR_AUTH,
		.what = "lets in none of our keys (permission denied)",
		.hint = "register the public key there, or name the right one as source.ssh_key; "
			"a key with a passphrase needs an ssh-agent"},
	{.words = "Could not resolve hostname",
		.code = ERR_UNAVAILABLE,
		.retriable = true,
		.hint = "check the name and this machine's DNS"},
	{.words = "Unable to negotiate",
		.code = ERR_REMOTE,
		.hint = "renew the server, or allow what it offers in ssh_config"},
	{.words = "Bad configuration option", .code = ERR_CONFIG, .hint = "correct ssh_config"},
	{.words = "bad configuration options", .code = ERR_CONFIG, .hint = "correct ssh_config"},
	{.words = "marked as read only", .code = ERR_DENIED, .hint = "let the key write"},
	{.words = "does not appear to be a git repository",
		.code = ERR_NOT_FOUND,
		.hint = "check source.url, and what may be read there"},
	{.words = "not a git repository",
		.code = ERR_NOT_FOUND,
		.hint = "check source.url, and what may be read there"},
	{.words = "epository not found",
		.code = ERR_NOT_FOUND,
		.hint = "check source.url, and what the key may read"},
	{.words = "Cannot find repository",
		.code = ERR_NOT_FOUND,
		.hint = "check source.url, and what the key may read"},
	{.words = "could not be found",
		.code = ERR_NOT_FOUND,
		.hint = "check source.url, and what the key may read"},
	{.words = "does not exist",
		.code = ERR_NOT_FOUND,
		.hint = "check source.url, and what the key may read"},
	{.words = "git-upload-pack: not found", .code = ERR_REMOTE, .hint = "install git there"},
	{.words = "command not found", .code = ERR_REMOTE, .hint = "install git there"},
	{.words = "dubious ownership",
		.code = ERR_DENIED,
		.hint = "run weir as the owner of that folder, or name it as safe.directory in the "
			"configuration of git"},
	{.words = "Permission denied", .code = ERR_DENIED, .hint = "check the owner and the mode"},
	{.words = "Connection refused",
		.code = ERR_UNAVAILABLE,
		.retriable = true,
		.hint = "check source.url, and that its server is running"},
	{.words = "timed out",
		.code = ERR_UNAVAILABLE,
		.retriable = true,
		.hint = "check source.url, and whether a firewall is between"},
	{.words = "denied to", .code = ERR_DENIED, .hint = "check what the key may do"},
};

static const struct meaning *find_meaning(const char *said)
{
	static const struct meaning unknown = {.code = ERR_UNAVAILABLE, .retriable = true};

	for (size_t i = 0; i < ARRAY_SIZE(meanings); i++)
		if (strstr(said, meanings[i].words))
			return &meanings[i];
	return &unknown;
}

int last_words_explain(const char *url, const char *said, struct err *e)
{
	const struct meaning *m = find_meaning(said);
	size_t len = strlen(said);
	const char *end = len > SHOWN_MAX ? said + len - SHOWN_MAX : said;
	auto_free char *text = xasprintf("%s: %s%s%s", url, m->what ? m->what : end,
		m->hint ? "; " : "", m->hint ? m->hint : "");

	return m->retriable ? err_retriable(e, m->code, "%s", text)
			    : err_set(e, m->code, "%s", text);
}
