/*
 * Trees for tests, from YAML in a line: `{topics: [a, b], n: 5}`.
 */
#ifndef TESTS_MODEL_TREE_H
#define TESTS_MODEL_TREE_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <string.h>

#include <cmocka.h>

#include "doc/yaml.h"

static inline struct node *tree(struct arena *a, const char *yaml)
{
	struct yaml_docs docs = YAML_DOCS_INIT;
	struct problems problems = PROBLEMS_INIT;

	assert_int_equal(yaml_parse(NULL, yaml, strlen(yaml), &docs, &problems), 0);
	assert_int_equal(docs.n, 1);
	struct node *n = node_copy(a, docs.at[0]);
	yaml_docs_release(&docs);
	problems_release(&problems);
	return n;
}

#endif
