/*
 * What git and ssh print before they end, and what it means.
 */
#ifndef SOURCE_LAST_WORDS_H
#define SOURCE_LAST_WORDS_H

#include "base/err.h"

/* Sets the error that `said` speaks of: ERR_UNAVAILABLE, retriable, for what nobody knows. */
int last_words_explain(const char *url, const char *said, struct err *e);

#endif
