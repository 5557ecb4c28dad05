/*
 * What the files that read YAML share: the types of scalars, and the words for what libyaml
 * complains about.
 */
#ifndef DOC_YAML_PARTS_H
#define DOC_YAML_PARTS_H

#include <stdbool.h>
#include <stddef.h>

#include <yaml.h>

#include "doc/node.h"
#include "doc/problem.h"

/* The text of a file and where it is from. */
struct yaml_text {
	const char *file;
	const char *at; /* behind the byte order mark */
	size_t len;
};

/* A scalar with a text is that string. */
void yaml_set_string(struct node *n);
/* Sets type, value and ambiguity from n->u.text, as of a plain scalar. */
void yaml_resolve_plain(struct node *n);
/* The type that a tag such as tag:yaml.org,2002:int names; NODE__COUNT if it is not one of ours. */
enum node_type yaml_tag_type(const char *tag);
/* As a tag of that type says; false if the text is none. */
bool yaml_resolve_as(struct node *n, enum node_type type);

/* What must be known before libyaml may see the text; skips the byte order mark. Returns 0 or a
 * negative code. */
int yaml_check_text(struct yaml_text *text, struct problems *problems);
/* Why the parser stopped, where, and what to do. */
void yaml_explain(
	const yaml_parser_t *parser, const struct yaml_text *text, struct problems *problems);

#endif
