/*
 * Topic and group patterns. A list of them is a list of Java regular expressions to MirrorMaker 2
 * (each must match a whole name; the list is sent with commas between and joined by `|` there), and
 * of names and prefixes to a cluster link. PCRE2 stands in for Java; where the two differ, or where
 * the join changes what one pattern means, the pattern is refused.
 */
#ifndef MODEL_PATTERNS_H
#define MODEL_PATTERNS_H

#include <stdbool.h>

#include "base/buf.h"

enum pattern_subject {
	PATTERN_TOPICS,
	PATTERN_GROUPS,
	PATTERN_KEYS /* of topic configurations */
};

enum pattern_shape {
	PATTERN_NAME, /* orders.v1, orders\.v1: a dot counts as a dot */
	PATTERN_PREFIX, /* orders.* */
	PATTERN_REGEX
};

/* What a pattern comes down to. The name or the prefix, without escapes, goes to `ret_text`. */
enum pattern_shape pattern_shape(const char *pattern, struct buf *ret_text);

/* False, with what is wrong and what to do in `why`. */
bool pattern_check_regex(const char *pattern, enum pattern_subject subject, struct buf *why);
bool pattern_check_link(const char *pattern, enum pattern_subject subject, struct buf *why);
/* A bracket is open at the end: what a comma inside an expression leaves behind. */
bool pattern_is_cut(const char *pattern);
/* A topic that MirrorMaker 2 never copies, whatever the lists say. */
bool pattern_is_internal_topic(const char *name);

struct pattern;

/* NULL if it does not compile. */
struct pattern *pattern_compile(const char *pattern);
/* The whole name matches. */
bool pattern_matches(const struct pattern *p, const char *name);
void pattern_free(struct pattern *p);

#endif
