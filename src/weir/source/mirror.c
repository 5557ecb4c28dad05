/* The mirror's folder: its lock, what is swept when it is opened, its replacement. */
#include "source/mirror.h"

#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/fs.h"
#include "base/text.h"

#define SWEEP_OPEN_FOLDERS 16
#define PACKS_KEPT	   50
#define OBJECTS_KEPT	   6400 /* that are files of their own */

/* libgit2 puts _git2_ and six characters into the names of its temporary files. */
static int sweep_entry(const char *path, const struct stat *st, int type, struct FTW *walk)
{
	const char *name = path + walk->base;

	(void)st;
	if (type == FTW_F && (text_has_suffix(name, ".lock") || strstr(name, "_git2_")))
		unlink(path);
	return 0;
}

static int init_repository(const char *path, git_repository **ret_repo, struct err *e)
{
	git_repository_init_options options;

	git_repository_init_options_init(&options, GIT_REPOSITORY_INIT_OPTIONS_VERSION);
	options.flags = GIT_REPOSITORY_INIT_BARE | GIT_REPOSITORY_INIT_MKDIR;
	options.initial_head = "main";
	if (git_repository_init_ext(ret_repo, path, &options) < 0)
		return err_set(e, ERR_IO, "%s: %s", path, libgit_says());
	return 0;
}

static int open_or_init(struct mirror *m, struct err *e)
{
	if (git_repository_open_bare(&m->repo, m->git_dir) == 0)
		return 0;
	int rc = fs_remove_tree(m->git_dir, e);
	return rc < 0 ? rc : init_repository(m->git_dir, &m->repo, e);
}

int mirror_open(struct mirror *m, const char *dir, struct err *e)
{
	auto_free char *lock = fs_join(dir, "lock");

	*m = (struct mirror){.lock_fd = -1};
	m->git_dir = fs_join(dir, "git");
	m->new_dir = fs_join(dir, "git.new");
	int rc = fs_mkdirs(dir, 0700, e);
	if (rc == 0)
		rc = fs_lock(lock, &m->lock_fd, e);
	if (rc == 0)
		rc = fs_remove_tree(m->new_dir, e);
	if (rc < 0)
		return rc;
	nftw(m->git_dir, sweep_entry, SWEEP_OPEN_FOLDERS, FTW_PHYS);
	return open_or_init(m, e);
}

void mirror_close(struct mirror *m)
{
	git_repository_free(m->repo);
	close_fdp(&m->lock_fd);
	free(m->git_dir);
	free(m->new_dir);
}

int mirror_begin(struct mirror *m, struct err *e)
{
	m->broken = false;
	return m->repo ? 0 : open_or_init(m, e);
}

int mirror_failed(struct mirror *m, struct err *e, const char *fmt, ...)
{
	int class = libgit_class();
	va_list ap;

	va_start(ap, fmt);
	auto_free char *what = xvasprintf(fmt, ap);
	va_end(ap);
	if (class == GIT_ERROR_OS || class == GIT_ERROR_NOMEMORY)
		return err_retriable(e, ERR_IO,
			"mirror %s: %s: %s; check the space and the rights there", m->git_dir, what,
			libgit_says());
	m->broken = true;
	return err_set(e, ERR_IO, "mirror %s: %s: %s", m->git_dir, what, libgit_says());
}

int mirror_begin_new(struct mirror *m, git_repository **ret_repo, struct err *e)
{
	int rc = fs_remove_tree(m->new_dir, e);

	return rc < 0 ? rc : init_repository(m->new_dir, ret_repo, e);
}

/* Killed in between, it leaves no mirror, which the next start takes as a first one. */
int mirror_replace(struct mirror *m, git_repository *repo, struct err *e)
{
	git_repository_free(repo);
	git_repository_free(TAKE(m->repo));
	int rc = fs_remove_tree(m->git_dir, e);
	if (rc == 0 && rename(m->new_dir, m->git_dir) < 0)
		rc = err_errno(e, errno, "%s", m->git_dir);
	return rc < 0 ? rc : mirror_begin(m, e);
}

/* Of the mirror's folder, those files whose names end so. */
static size_t count_files(const struct mirror *m, const char *below, const char *suffix)
{
	auto_free char *path = fs_join(m->git_dir, below);
	DIR *dir = opendir(path);
	size_t n = 0;

	if (!dir)
		return 0;
	for (struct dirent *entry; (entry = readdir(dir));)
		n += entry->d_name[0] != '.' && text_has_suffix(entry->d_name, suffix);
	closedir(dir);
	return n;
}

/* Objects are spread evenly over 256 folders: one of them tells, as `git gc --auto` has it. */
bool mirror_is_cluttered(const struct mirror *m)
{
	return count_files(m, "objects/pack", ".pack") >= PACKS_KEPT ||
	       count_files(m, "objects/17", "") >= OBJECTS_KEPT / 256;
}
