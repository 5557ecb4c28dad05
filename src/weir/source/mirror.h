/*
 * The mirror on disk: <dir>/lock, held while it is open, and <dir>/git, a bare repository that is
 * only a cache.
 */
#ifndef SOURCE_MIRROR_H
#define SOURCE_MIRROR_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "source/libgit.h"

struct mirror {
	char *git_dir;
	char *new_dir; /* where a replacement is built */
	int lock_fd;
	git_repository *repo;
	bool broken; /* what has to be in it is not, or cannot be read; see mirror_failed */
};

/*
 * Makes it if need be, and removes what a killed process left: lock files, temporary packs and
 * objects, a half built replacement. A repository that cannot be opened is replaced by an empty
 * one. ERR_CONFLICT if another process has it.
 */
int mirror_open(struct mirror *m, const char *dir, struct err *e);
void mirror_close(struct mirror *m);
/* At the start of every operation: nothing is known to be broken, and there is a repository. */
int mirror_begin(struct mirror *m, struct err *e);

/*
 * Turns the failure of a libgit2 call on it into an error (ERR_IO), and notes that the mirror is
 * broken, unless it was the disk or memory.
 */
int mirror_failed(struct mirror *m, struct err *e, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* An empty repository beside the mirror, and the step that puts it in the mirror's place (takes
 * `repo` either way). */
int mirror_begin_new(struct mirror *m, git_repository **ret_repo, struct err *e);
int mirror_replace(struct mirror *m, git_repository *repo, struct err *e);

/* It consists of many pieces: a pack comes with each fetch that brings something, and a few objects
 * with each note that is written; libgit2 never puts them together. */
bool mirror_is_cluttered(const struct mirror *m);

#endif
