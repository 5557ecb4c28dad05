/* The same from a folder on disk, for working trees. */
#include "source/source.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/fs.h"
#include "base/limits.h"
#include "base/strv.h"
#include "source/files.h"

/* In Git's tree, a repository inside is a submodule: an entry without files. */
static bool is_other_repository(const char *path)
{
	auto_free char *git = fs_join(path, ".git");
	struct stat st;

	return lstat(git, &st) == 0;
}

static const char *why_unreadable(mode_t mode)
{
	if (S_ISREG(mode))
		return NULL;
	return S_ISLNK(mode) ? "is a symbolic link; put the file itself there" : "is not a file";
}

static void read_text(struct file *file)
{
	auto_buf struct buf text = BUF_LIMIT(LIMIT_YAML_FILE_BYTES);
	struct err e = ERR_INIT;

	if (fs_read(file->path, &text, &e) < 0) {
		file->unreadable = "cannot be read; check its owner and mode";
		return;
	}
	file->bytes = text.len;
	files_set_text(file, buf_take(&text));
}

static int add_file(struct files *f, const char *path, const struct stat *st, struct err *e)
{
	struct file file = {
		.path = xstrdup(path),
		.unreadable = why_unreadable(st->st_mode),
		.bytes = S_ISREG(st->st_mode) ? (size_t)st->st_size : 0,
	};

	if (!file.unreadable && file.bytes <= LIMIT_YAML_FILE_BYTES)
		read_text(&file);
	return files_add(f, file, e);
}

static int list_names(const char *dir, struct strv *names, struct err *e)
{
	DIR *stream = opendir(dir);

	if (!stream)
		return err_errno(e, errno, "%s", dir);
	for (struct dirent *entry; (entry = readdir(stream));)
		if (!files_is_hidden(entry->d_name))
			strv_push(names, entry->d_name);
	closedir(stream);
	strv_sort(names);
	return 0;
}

static int list_folder(struct files *f, const char *dir, unsigned depth, struct err *e);

static int add_entry(
	struct files *f, const char *path, const char *name, unsigned depth, struct err *e)
{
	struct stat st;
	int rc = files_count_entry(f, depth, path, e);

	if (rc < 0)
		return rc;
	if (lstat(path, &st) < 0)
		return err_errno(e, errno, "%s", path);
	if (S_ISDIR(st.st_mode))
		return is_other_repository(path) ? 0 : list_folder(f, path, depth + 1, e);
	return files_is_yaml(name) ? add_file(f, path, &st, e) : 0;
}

static int list_folder(struct files *f, const char *dir, unsigned depth, struct err *e)
{
	auto_strv struct strv names = VEC_INIT;
	int rc = list_names(dir, &names, e);

	vec_each (it, &names) {
		auto_free char *path = strcmp(dir, ".") == 0 ? xstrdup(*it) : fs_join(dir, *it);

		if (rc == 0)
			rc = add_entry(f, path, *it, depth, e);
	}
	return rc;
}

static int add_path(struct files *f, const char *path, struct err *e)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return err_errno(e, errno, "%s", path);
	return S_ISDIR(st.st_mode) ? list_folder(f, path, 0, e) : add_file(f, path, &st, e);
}

int source_load_paths(
	const char *const *paths, size_t n, struct catalog **ret_catalog, struct err *e)
{
	__attribute__((cleanup(files_release))) struct files files = {.n = 0};

	for (size_t i = 0; i < n; i++) {
		int rc = add_path(&files, paths[i], e);
		if (rc < 0)
			return rc;
	}
	files_parse(&files);
	*ret_catalog = files_to_catalog(&files);
	return 0;
}
