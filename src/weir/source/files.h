/*
 * The YAML files of a tree or a folder, on their way to a catalog. Both are walked by the same
 * rules: everything below, names that begin with a dot left out (files and folders), and of the
 * rest those called *.yaml or *.yml.
 */
#ifndef SOURCE_FILES_H
#define SOURCE_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/vec.h"
#include "model/catalog.h"
#include "source/libgit.h"

struct file {
	char *path; /* as messages call it */
	git_oid id; /* of the blob; not used for a folder on disk */
	size_t bytes;
	const char *unreadable; /* a literal: why it is no YAML file; NULL: it is one */
	char *text; /* read and not parsed yet, or NULL */
	struct parsed_file *parsed;
};

struct files {
	VEC_FIELDS(struct file);
	size_t n_entries; /* looked at */
	size_t n_bytes; /* of the files found */
};

void files_release(struct files *f);

bool files_is_hidden(const char *name);
bool files_is_yaml(const char *name);

/* Counts one more entry, `depth` folders down. ERR_LIMIT, as below. */
int files_count_entry(struct files *f, unsigned depth, const char *path, struct err *e);
/* Adds a file (its path is taken). Marks it unreadable if it is larger than a YAML file may be. */
int files_add(struct files *f, struct file file, struct err *e);
/* Takes the text. A Git LFS pointer is not the file that it stands for. */
void files_set_text(struct file *file, char *owned_text);

/* Parses whatever has a text, on two threads if that is much. */
void files_parse(struct files *f);
/* All of them, in their order; finished. */
struct catalog *files_to_catalog(const struct files *f);

#endif
