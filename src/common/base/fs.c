/* Files: bounded reads, atomic writes, locks. */
#include "base/fs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/text.h"

#define LOCK_LEFT_MS 1000
#define LOCK_LOOK_MS 10
#define READ_CHUNK   65536
#define TEMP_SUFFIX  ".tmp-XXXXXX"

static int read_into(int fd, struct buf *out, const char *path, struct err *e)
{
	char chunk[READ_CHUNK];

	for (;;) {
		ssize_t n = read(fd, chunk, sizeof(chunk));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_errno(e, errno, "%s", path);
		if (n == 0)
			return 0;
		if (!buf_add(out, chunk, (size_t)n))
			return err_set(e, ERR_LIMIT, "%s: larger than %zu bytes", path, out->max);
	}
}

int fs_read(const char *path, struct buf *out, struct err *e)
{
	auto_close int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return err_errno(e, errno, "%s", path);
	return read_into(fd, out, path, e);
}

static int write_all(int fd, const char *data, size_t len)
{
	while (len > 0) {
		ssize_t n = write(fd, data, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		data += n;
		len -= (size_t)n;
	}
	return 0;
}

/* The folder that holds `path`, as a string of its own. */
static char *parent_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		return xstrdup(".");
	return slash == path ? xstrdup("/") : xmemdupz(path, (size_t)(slash - path));
}

int fs_sync_folder(const char *path, struct err *e)
{
	auto_free char *dir = parent_of(path);
	auto_close int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0 || fsync(fd) < 0)
		return err_errno(e, errno, "%s", dir);
	return 0;
}

int fs_write(const char *path, const void *data, size_t len, mode_t mode, struct err *e)
{
	auto_free char *temp = xasprintf("%s" TEMP_SUFFIX, path);
	auto_close int fd = mkostemp(temp, O_CLOEXEC);

	if (fd < 0)
		return err_errno(e, errno, "%s", path);
	if (fchmod(fd, mode) < 0 || write_all(fd, data, len) < 0 || fsync(fd) < 0 ||
		rename(temp, path) < 0) {
		int rc = err_errno(e, errno, "%s", path);

		unlink(temp);
		return rc;
	}
	return fs_sync_folder(path, e);
}

int fs_mkdirs(const char *path, mode_t mode, struct err *e)
{
	auto_free char *part = xstrdup(path);
	struct stat st;

	for (char *p = part + 1; *part; p++) {
		char end = *p;

		if (end != '/' && end != '\0')
			continue;
		*p = '\0';
		if (mkdir(part, mode) < 0 && errno != EEXIST)
			return err_errno(e, errno, "%s", part);
		if (end == '\0')
			break;
		*p = end;
	}
	if (stat(path, &st) < 0)
		return err_errno(e, errno, "%s", path);
	if (!S_ISDIR(st.st_mode))
		return err_set(e, ERR_IO, "%s: is there, and is not a folder", path);
	return 0;
}

static int remove_at(int dir_fd, const char *name);

static int remove_entries(DIR *dir)
{
	struct dirent *entry;

	while ((entry = readdir(dir))) {
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		if (remove_at(dirfd(dir), entry->d_name) < 0)
			return -1;
	}
	return 0;
}

static int remove_at(int dir_fd, const char *name)
{
	if (unlinkat(dir_fd, name, 0) == 0 || errno == ENOENT)
		return 0;
	if (errno != EISDIR && errno != EPERM)
		return -1;
	int fd = openat(dir_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -1;
	DIR *dir = fdopendir(fd);
	if (!dir) {
		close(fd);
		return -1;
	}
	int rc = remove_entries(dir);
	closedir(dir);
	return rc < 0 ? rc : unlinkat(dir_fd, name, AT_REMOVEDIR);
}

int fs_remove_tree(const char *path, struct err *e)
{
	return remove_at(AT_FDCWD, path) < 0 ? err_errno(e, errno, "%s", path) : 0;
}

char *fs_join(const char *dir, const char *name)
{
	size_t len = strlen(dir);

	while (len > 0 && dir[len - 1] == '/')
		len--;
	while (*name == '/')
		name++;
	return xasprintf("%.*s/%s", (int)len, dir, name);
}

/* Who holds the lock wrote its pid there; it may be about to. 0: it did not. */
static pid_t read_holder(int fd)
{
	char pid[24];
	uint64_t number;
	ssize_t n = pread(fd, pid, sizeof(pid) - 1, 0);

	pid[n > 0 ? n : 0] = '\0';
	pid[strcspn(pid, "\n")] = '\0';
	return text_parse_u64(pid, &number) && number <= INT32_MAX ? (pid_t)number : 0;
}

static int held_by_other(int fd, const char *path, struct err *e)
{
	pid_t holder = read_holder(fd);

	if (!holder)
		return err_set(e, ERR_CONFLICT, "%s: held by another process", path);
	return err_set(
		e, ERR_CONFLICT, "%s: held by another process (pid %ld)", path, (long)holder);
}

/*
 * A child that was being started when the holder was killed has the lock too, until it runs: where
 * the holder is no more, that is waited for. Nothing tells of a lock's end, so we look. Returns an
 * errno value.
 */
static int take_lock(int fd)
{
	int64_t deadline = clock_mono_ms(&clock_real) + LOCK_LEFT_MS;

	while (flock(fd, LOCK_EX | LOCK_NB) < 0) {
		int errnum = errno;
		pid_t holder = read_holder(fd);
		bool gone = holder && kill(holder, 0) < 0 && errno == ESRCH;
		if (errnum != EWOULDBLOCK || !gone || clock_mono_ms(&clock_real) >= deadline)
			return errnum;
		poll(NULL, 0, LOCK_LOOK_MS);
	}
	return 0;
}

int fs_lock(const char *path, int *ret_fd, struct err *e)
{
	auto_close int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	if (fd < 0)
		return err_errno(e, errno, "%s", path);
	int errnum = take_lock(fd);
	if (errnum)
		return errnum == EWOULDBLOCK ? held_by_other(fd, path, e)
					     : err_errno(e, errnum, "%s", path);
	if (ftruncate(fd, 0) < 0 || dprintf(fd, "%ld\n", (long)getpid()) < 0)
		return err_errno(e, errno, "%s", path);
	*ret_fd = fd_take(&fd);
	return 0;
}

int fd_take(int *fd)
{
	int taken = *fd;

	*fd = -1;
	return taken;
}

void close_fdp(const int *fd)
{
	if (*fd >= 0)
		close(*fd);
}
