/* What walking a tree and walking a folder have in common: names, limits, parsing. */
#include "source/files.h"

#include <pthread.h>
#include <string.h>

#include "base/limits.h"
#include "base/text.h"

/* From here on a second thread is worth its start. */
#define MANY_FILES 200

#define LFS_POINTER "version https://git-lfs.github.com/spec/"

void files_release(struct files *f)
{
	vec_each (it, f) {
		free(it->path);
		free(it->text);
		parsed_file_unref(it->parsed);
	}
	vec_release(f);
}

bool files_is_hidden(const char *name)
{
	return name[0] == '.';
}

bool files_is_yaml(const char *name)
{
	return text_has_suffix(name, ".yaml") || text_has_suffix(name, ".yml");
}

int files_count_entry(struct files *f, unsigned depth, const char *path, struct err *e)
{
	if (++f->n_entries > LIMIT_TREE_ENTRIES)
		return err_set(e, ERR_LIMIT,
			"more than %u files and folders; set source.path to the folder of the "
			"replicators",
			LIMIT_TREE_ENTRIES);
	if (depth > LIMIT_TREE_DEPTH)
		return err_set(
			e, ERR_LIMIT, "%s: more than %d folders deep", path, LIMIT_TREE_DEPTH);
	return 0;
}

int files_add(struct files *f, struct file file, struct err *e)
{
	if (file.bytes > LIMIT_YAML_FILE_BYTES && !file.unreadable) {
		file.unreadable = "is larger than 1 MiB; split it";
		file.bytes = 0;
	}
	vec_push(f, file);
	f->n_bytes += file.bytes;
	if (f->n > LIMIT_TREE_FILES)
		return err_set(e, ERR_LIMIT, "more than %d YAML files", LIMIT_TREE_FILES);
	if (f->n_bytes > LIMIT_TREE_BYTES)
		return err_set(
			e, ERR_LIMIT, "more than %u MiB of YAML files", LIMIT_TREE_BYTES >> 20);
	return 0;
}

void files_set_text(struct file *file, char *owned_text)
{
	if (text_has_prefix(owned_text, LFS_POINTER)) {
		file->unreadable = "is a Git LFS pointer; take it out of LFS";
		free(owned_text);
		return;
	}
	file->text = owned_text;
}

static void parse_every_other(struct files *f, size_t first)
{
	for (size_t i = first; i < f->n; i += 2) {
		struct file *file = &f->at[i];

		if (!file->text)
			continue;
		file->parsed = parsed_file_new(file->text, file->bytes);
		str_replace(&file->text, NULL);
	}
}

static void *parse_odd_ones(void *files)
{
	parse_every_other(files, 1);
	return NULL;
}

void files_parse(struct files *f)
{
	size_t todo = 0;
	pthread_t helper;

	vec_each (it, f)
		todo += it->text != NULL;
	bool helped = todo > MANY_FILES && pthread_create(&helper, NULL, parse_odd_ones, f) == 0;
	parse_every_other(f, 0);
	if (helped)
		pthread_join(helper, NULL);
	else
		parse_odd_ones(f);
}

struct catalog *files_to_catalog(const struct files *f)
{
	struct catalog *c = catalog_new();

	vec_each (it, f) {
		if (it->unreadable)
			catalog_add_unreadable(c, it->path, it->unreadable);
		else
			catalog_add(c, it->path, it->parsed);
	}
	catalog_finish(c);
	return c;
}
