/*
 * Scalars as YAML that yaml_parse reads back as the same value, whatever they look like to YAML 1.1
 * or 1.2: numbers, dates, "no", quotes, backslashes, line ends.
 */
#ifndef DOC_YAML_WRITE_H
#define DOC_YAML_WRITE_H

#include <stddef.h>

#include "base/buf.h"
#include "doc/node.h"

/* Plain where nobody can take it for something else, else quoted. Bytes that are not UTF-8 become
 * U+FFFD. */
void yaml_write_string(struct buf *out, const char *s, size_t len);
/* null, bool, numbers and strings. */
void yaml_write_scalar(struct buf *out, const struct node *n);

#endif
