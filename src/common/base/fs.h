/*
 * Files: bounded reads, atomic writes, locks.
 */
#ifndef BASE_FS_H
#define BASE_FS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/err.h"

/* Reads the whole file into `out`; ERR_LIMIT past out->max, ERR_NOT_FOUND if there is none. */
int fs_read(const char *path, struct buf *out, struct err *e);
/* Writes beside it, syncs, renames, syncs the folder: readers see the old or the new content, never
 * a part. */
int fs_write(const char *path, const void *data, size_t len, mode_t mode, struct err *e);
/* What was made, renamed or removed beside this file stays so after a power cut. */
int fs_sync_folder(const char *path, struct err *e);
/* The folder and those above it; no error if it is there. */
int fs_mkdirs(const char *path, mode_t mode, struct err *e);
/* Removes a file or a whole folder; no error if it is not there. Does not follow symbolic links. */
int fs_remove_tree(const char *path, struct err *e);
/* Both parts with one slash between; the caller frees. */
char *fs_join(const char *dir, const char *name);

/*
 * Takes an exclusive lock on a file, which is made if need be; the lock goes with the descriptor.
 * ERR_CONFLICT, with the pid of the holder where it is known, if somebody else has it; where that
 * one was killed, only after a moment in which what it left behind may let go.
 */
int fs_lock(const char *path, int *ret_fd, struct err *e);

/* Hands a descriptor over and leaves -1 behind, so that an auto_close fd closes nothing. */
int fd_take(int *fd);
void close_fdp(const int *fd);
/* `auto_close int fd = -1;` */
#define auto_close __attribute__((cleanup(close_fdp)))

#endif
