/*
 * What this server can leave out to be like an API that has less, so that clients can be tried
 * against one: fields of its answers, the state of operations, and If-Match.
 */
#ifndef SERVER_COMPAT_H
#define SERVER_COMPAT_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"

enum compat { /* bits */
	COMPAT_NO_OBSERVED_GENERATION = 1 << 0,
	COMPAT_NO_UID = 1 << 1,
	COMPAT_NO_CREATED_AT = 1 << 2, /* of replicators and of operations */
	COMPAT_NO_OPERATION_STATE = 1 << 3,
	COMPAT_NO_IF_MATCH = 1 << 4, /* the header is not looked at */
	COMPAT_MINIMAL = (1 << 5) - 1 /* all of these */
};

/* One word, such as no-uid: adds its bits. ERR_INVALID says which words there are. */
int compat_add(unsigned *bits, const char *word, struct err *e);
/* Words with commas between them. */
int compat_parse(const char *words, unsigned *ret_bits, struct err *e);

#endif
