/*
 * YAML text into trees, through libyaml. What is decided here, each with a case in tests/data/doc:
 *
 * - Plain scalars have the types of YAML 1.2's core schema; what 1.1 reads otherwise is marked
 *   (node_ambiguity).
 * - UTF-8, with or without a byte order mark; LF or CRLF. UTF-16 is refused with a hint.
 * - Duplicate keys are errors that name both places. Keys must be strings (a plain `on:` or `12:`
 *   is one).
 * - Anchors and aliases work inside one document; merge keys (<<) work, written keys win. An alias
 *   inside its own anchor, one that is not defined, and more than LIMIT_YAML_NODES nodes after
 *   following them are errors.
 * - Tags other than !!str !!int !!float !!bool !!null !!seq !!map are errors.
 * - A NUL or an other control character in a value is an error. Tabs as indentation get a hint.
 * - Directives other than %YAML 1.1 and 1.2 are refused before libyaml sees them (its time on %TAG
 *   is quadratic).
 */
#ifndef DOC_YAML_H
#define DOC_YAML_H

#include "base/vec.h"
#include "doc/node.h"
#include "doc/problem.h"

/* A document of a file. Documents that are empty (nothing but comments) are left out. */
struct yaml_docs {
	VEC_FIELDS(struct node *);
	struct arena arena; /* owns every node */
};

#define YAML_DOCS_INIT                                                                             \
	{                                                                                          \
		NULL, 0, 0, ARENA_INIT                                                             \
	}

/*
 * Adds to `problems` what is wrong. Returns 0, or a negative code when the file as a whole does not
 * parse; the documents before the error are not returned then: a syntax error fails its file.
 * Problems inside a document (duplicate key, tag) fail the file too.
 */
int yaml_parse(const char *file, const char *text, size_t len, struct yaml_docs *ret_docs,
	struct problems *problems);
void yaml_docs_release(struct yaml_docs *docs);

#endif
