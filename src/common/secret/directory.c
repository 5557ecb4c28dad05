/*
 * The store of type directory: a folder for each path, a file for each key. Symbolic links may
 * point anywhere below the root (Kubernetes swaps a whole mount by one), nowhere else: the kernel
 * sees to it.
 */
#include "secret/memory.h"
#include "secret/store.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/fs.h"
#include "base/hash.h"

static int open_root(const struct secret_store_config *config, int *ret_fd, struct err *e)
{
	int fd = open(config->root, O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return err_retriable(e, ERR_IO, "cannot open the store's folder %s: %s",
			config->root, strerrordesc_np(errno));
	*ret_fd = fd;
	return 0;
}

/* Returns ERR_NOT_FOUND quietly where there is nothing: what that means is the caller's to say. */
static int open_below(int root, const char *name, int flags, int *ret_fd, struct err *e)
{
	const struct open_how how = {
		.flags = (unsigned)flags | O_CLOEXEC,
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS,
	};
	long fd = syscall(SYS_openat2, root, name, &how, sizeof(how));

	if (fd >= 0) {
		*ret_fd = (int)fd;
		return 0;
	}
	if (errno == ENOENT || errno == ENOTDIR || errno == ENAMETOOLONG)
		return -ERR_NOT_FOUND;
	if (errno == EXDEV || errno == ELOOP)
		return err_set(e, ERR_INVALID,
			"%s is a link that leaves the store or goes in circles", name);
	return err_retriable(e, ERR_IO, "cannot open %s: %s", name, strerrordesc_np(errno));
}

static int check_folder(
	const struct secret_store_config *config, int root, const char *below, struct err *e)
{
	auto_close int fd = -1;
	int rc;

	if (!*below)
		return 0;
	rc = open_below(root, below, O_PATH | O_DIRECTORY, &fd, e);
	if (rc == -ERR_NOT_FOUND)
		return err_set(e, ERR_NOT_FOUND, "there is no folder %s/%s", config->root, below);
	return rc;
}

/* Adds what changes when a key's file is written or replaced; the value itself is not read. */
static bool add_file(struct hash *h, const char *key, int fd)
{
	struct stat st;

	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size == 0)
		return false;
	hash_adds(h, key);
	hash_add(h, &st.st_mtim.tv_sec, sizeof(st.st_mtim.tv_sec));
	hash_add(h, &st.st_mtim.tv_nsec, sizeof(st.st_mtim.tv_nsec));
	hash_add(h, &st.st_ino, sizeof(st.st_ino));
	hash_add(h, &st.st_size, sizeof(st.st_size));
	return true;
}

static char *key_file(const char *below, const char *key)
{
	return *below ? fs_join(below, key) : xstrdup(key);
}

static int check_key(int root, const char *below, const char *key, struct hash *h,
	struct secret_status *status, struct err *e)
{
	auto_free char *name = key_file(below, key);
	auto_close int fd = -1;
	int rc = open_below(root, name, O_PATH, &fd, e);

	if (rc < 0 && rc != -ERR_NOT_FOUND)
		return rc;
	if (rc < 0 || !add_file(h, key, fd))
		strv_push(&status->missing, key);
	return 0;
}

static int check_directory(const struct secret_store_config *config, const char *below,
	const char *const *keys, size_t n_keys, struct secret_status *status, struct err *e)
{
	auto_close int root = -1;
	unsigned char digest[HASH_BYTES];
	struct hash h;
	int rc = open_root(config, &root, e);

	if (rc < 0 || (rc = check_folder(config, root, below, e)) < 0)
		return rc;
	hash_begin(&h);
	for (size_t i = 0; i < n_keys; i++)
		if ((rc = check_key(root, below, keys[i], &h, status, e)) < 0)
			return rc;
	hash_end(&h, digest);
	if (n_keys && !status->missing.n)
		hash_hex(digest, status->version);
	return 0;
}

static int fetch_directory(const struct secret_store_config *config, const char *below,
	const char *key, struct secret **ret_secret, struct err *e)
{
	auto_free char *name = key_file(below, key);
	auto_close int root = -1;
	auto_close int fd = -1;
	int rc = open_root(config, &root, e);

	if (rc < 0)
		return rc;
	/* Without O_NONBLOCK, opening a FIFO would wait for its writer. */
	rc = open_below(root, name, O_RDONLY | O_NOCTTY | O_NONBLOCK, &fd, e);
	if (rc == -ERR_NOT_FOUND)
		return err_set(e, ERR_NOT_FOUND, "there is no key %s", key);
	return rc < 0 ? rc : secret_read_fd(fd, key, ret_secret, e);
}

const struct secret_store_ops secret_store_directory = {
	.check = check_directory,
	.fetch = fetch_directory,
};
