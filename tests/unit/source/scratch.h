/*
 * A temporary folder with a bare repository, a working copy of it, and a source that mirrors it.
 * For the fixtures of a test; whatever fails in here fails the test.
 */
#ifndef TEST_SCRATCH_H
#define TEST_SCRATCH_H

#include <stdint.h>

#include "source/source.h"

struct scratch {
	char *dir;
	char *origin; /* bare, with one commit on main: replicators/a.yaml */
	char *work;
	char *mirror;
	struct source_options options; /* of a source that reads `origin` */
	struct source *source; /* NULL until scratch_open */
};

int scratch_setup(void **state);
int scratch_teardown(void **state);

/* Runs a line of shell in the folder. */
void scratch_run(struct scratch *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The first line that it prints; the caller frees. */
char *scratch_ask(struct scratch *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Writes a file below the working copy. */
void scratch_put(struct scratch *s, const char *path, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Commits all of the working copy, pushes it to `branch`, and gives the id; the caller frees. */
char *scratch_push(struct scratch *s, const char *branch);
/* A file of one replicator. */
void scratch_put_replicator(struct scratch *s, const char *path, const char *name);

/* Closes the source that is open and opens one with the options as they are. */
void scratch_open(struct scratch *s);
/* Fetches and expects success. */
struct source_head scratch_fetch(struct scratch *s, const char *known);
/* Fetches and expects this error; gives its message. */
struct err scratch_fetch_error(struct scratch *s, enum err_code code);
int64_t scratch_now_ms(void);

#endif
