/*
 * What is wrong with a document, as many as there are, each with its place:
 *
 *	replicators/eu.yaml:14:20: spec.topic_whitelist: must name something; list a topic
 *
 * Unlike struct err, which ends a call, problems are collected: a person wants to see all of them
 * at once.
 */
#ifndef DOC_PROBLEM_H
#define DOC_PROBLEM_H

#include <stdbool.h>
#include <stdio.h>

#include "base/buf.h"
#include "base/vec.h"

enum problem_level { PROBLEM_ERROR, PROBLEM_WARNING };

struct problem {
	enum problem_level level;
	char *file; /* NULL where there is none (JSON over HTTP) */
	unsigned line; /* from 1; 0: the file as a whole */
	unsigned col;
	unsigned origin; /* of the node that it is about, as in node.h */
	char *path; /* "spec.topic_whitelist", "" for the document */
	char *message; /* what, and what to do; escaped */
};

struct problems {
	VEC_FIELDS(struct problem);
	size_t n_errors; /* counted even past LIMIT_PROBLEMS, where no more are kept; errors before
			    warnings */
	size_t n_warnings;
	size_t last; /* where the one added last is; n: it was not kept */
};

#define PROBLEMS_INIT                                                                              \
	{                                                                                          \
		NULL, 0, 0, 0, 0, 0                                                                \
	}

void problems_add(struct problems *p, enum problem_level level, const char *file, unsigned line,
	unsigned col, const char *path, const char *fmt, ...) __attribute__((format(printf, 7, 8)));
/* Of the problem added last. */
void problems_set_origin(struct problems *p, unsigned origin);
/* By file, line, column. */
void problems_sort(struct problems *p);
/* One line, without the line end; used wherever a problem is shown. */
void problem_format(const struct problem *p, struct buf *out);
void problems_print(const struct problems *p, FILE *out);
void problems_release(struct problems *p);

#endif
