/* The words of --compat and of `compat` in the configuration. */
#include "server/compat.h"

#include <string.h>

#include "base/alloc.h"
#include "base/text.h"

static const struct compat_word {
	const char *word;
	unsigned bits;
} words[] = {
	{"minimal", COMPAT_MINIMAL},
	{"no-created-at", COMPAT_NO_CREATED_AT},
	{"no-if-match", COMPAT_NO_IF_MATCH},
	{"no-observed-generation", COMPAT_NO_OBSERVED_GENERATION},
	{"no-operation-state", COMPAT_NO_OPERATION_STATE},
	{"no-uid", COMPAT_NO_UID},
};

static int unknown(const char *word, struct err *e)
{
	auto_buf struct buf all = BUF_INIT;
	const char *known[ARRAY_SIZE(words)];

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		known[i] = words[i].word;
		buf_addf(&all, "%s%s", i ? ", " : "", words[i].word);
	}
	const char *near = text_suggest(word, known, ARRAY_SIZE(words));
	return err_set(e, ERR_INVALID, "\"%s\" is nothing that can be left out; %s%s", word,
		near ? "did you mean " : "what can: ", near ? near : buf_str(&all));
}

int compat_add(unsigned *bits, const char *word, struct err *e)
{
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		if (!strcmp(word, words[i].word)) {
			*bits |= words[i].bits;
			return 0;
		}
	}
	return unknown(word, e);
}

int compat_parse(const char *list, unsigned *ret_bits, struct err *e)
{
	unsigned bits = 0;
	int rc = 0;

	for (;;) {
		size_t len = strcspn(list, ",");
		auto_free char *word = xasprintf("%.*s", (int)len, list);

		rc = compat_add(&bits, word, e);
		if (rc < 0 || !list[len])
			break;
		list += len + 1;
	}
	if (rc == 0)
		*ret_bits = bits;
	return rc;
}
