/* weir export: the live organization as documents for Git. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/fs.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/export.h"
#include "cli/live_list.h"

#define LEFT_OUT "_left-out.yaml" /* no replicator is called so */

static const char *folder;
static bool force;

static const struct opt opts[] = {
	CLI_CONFIG_OPTION,
	{.name = "out",
		.type = OPT_STRING,
		.value = &folder,
		.value_name = "DIR",
		.help = "A file for each replicator in this folder, instead of standard output."},
	{.name = "force",
		.type = OPT_FLAG,
		.value = &force,
		.help = "Write over files that are there."},
	{.name = NULL},
};

struct wish {
	size_t n_names;
	char **names;
};

struct exports {
	const struct config *config;
	VEC_FIELDS(struct export);
	struct strv names;
	size_t n_declared;
};

static void exports_release(struct exports *all)
{
	vec_each (x, all)
		export_release(x);
	vec_release(all);
	strv_release(&all->names);
}

static void add_live(struct exports *all, const struct live *live)
{
	struct export x;
	export_live(live, &x);
	all->n_declared += x.declares;
	strv_push(&all->names, live->identifier);
	vec_push(all, x);
}

static int fail_unknown(const struct api_list *list, const char *name, struct err *e)
{
	VEC(const char *) names = VEC_INIT;
	for (size_t i = 0; i < map_size(&list->by_name); i++)
		vec_push(&names, map_key(&list->by_name, i));
	const char *near = text_suggest(name, names.at, names.n);
	err_set(e, ERR_NOT_FOUND, "the API has no %s%s%s%s", name, near ? "; did you mean " : "",
		near ? near : "", near ? "?" : "");
	vec_release(&names);
	return -ERR_NOT_FOUND;
}

static int gather(const struct wish *w, struct api_list *list, struct exports *all, struct err *e)
{
	map_sort(&list->by_name);
	for (size_t i = 0; !w->n_names && i < map_size(&list->by_name); i++)
		add_live(all, map_value(&list->by_name, i));
	for (size_t i = 0; i < w->n_names; i++) {
		const struct live *live = map_get(&list->by_name, w->names[i]);
		if (!live)
			return fail_unknown(list, w->names[i], e);
		add_live(all, live);
	}
	return 0;
}

static void add_header(const struct config *c, struct buf *out)
{
	buf_adds(out, "# Exported by weir from ");
	text_escape(out, c->api.url, strlen(c->api.url));
	buf_addf(out,
		", organization %s, without what only the API sets (status, generation, …).\n",
		c->api.organization);
}

static char *file_of(const struct exports *all, size_t i)
{
	auto_free char *name = xasprintf("%s.yaml", all->names.at[i]);
	return fs_join(folder, name);
}

static int check_free(const char *path, struct err *e)
{
	struct stat st;
	if (!force && lstat(path, &st) == 0)
		return err_set(e, ERR_CONFLICT,
			"%s is there already; choose another --out, or say --force to write over "
			"it",
			path);
	return 0;
}

/* Before anything is written. */
static int check_files(const struct exports *all, struct err *e)
{
	auto_free char *left_out = fs_join(folder, LEFT_OUT);
	int rc = all->n_declared < all->n ? check_free(left_out, e) : 0;
	for (size_t i = 0; rc == 0 && i < all->n; i++) {
		auto_free char *path = file_of(all, i);
		if (all->at[i].declares)
			rc = check_free(path, e);
	}
	return rc;
}

static int write_files(const struct exports *all, struct err *e)
{
	auto_buf struct buf rest = BUF_INIT;
	auto_free char *left_out = fs_join(folder, LEFT_OUT);
	int rc = fs_mkdirs(folder, 0777, e);
	if (rc == 0)
		rc = check_files(all, e);
	for (size_t i = 0; rc == 0 && i < all->n; i++) {
		const struct buf *text = &all->at[i].text;
		auto_buf struct buf file = BUF_INIT;
		if (!all->at[i].declares) {
			buf_add(&rest, buf_str(text), text->len);
			continue;
		}
		auto_free char *path = file_of(all, i);
		add_header(all->config, &file);
		buf_add(&file, buf_str(text), text->len);
		rc = fs_write(path, buf_str(&file), file.len, 0644, e);
	}
	if (rc == 0 && rest.len)
		rc = fs_write(left_out, buf_str(&rest), rest.len, 0644, e);
	return rc;
}

static void write_stream(const struct exports *all)
{
	auto_buf struct buf out = BUF_INIT;
	add_header(all->config, &out);
	vec_each (x, all)
		buf_addf(&out, "---\n%s", buf_str(&x->text));
	fputs(buf_str(&out), stdout);
}

/* What is not as it was, for whoever looks at standard error only. */
static void tell(const struct exports *all)
{
	for (size_t i = 0; i < all->n; i++) {
		auto_buf struct buf name = BUF_INIT;
		text_escape(&name, all->names.at[i], strlen(all->names.at[i]));
		vec_each (reason, &all->at[i].reasons)
			fprintf(stderr, "weir export: %s: %s: %s\n", buf_str(&name),
				all->at[i].declares ? "left out" : "cannot be declared in Git",
				*reason);
	}
	if (folder)
		printf("%zu replicator%s in %s\n", all->n_declared, all->n_declared == 1 ? "" : "s",
			folder);
}

static int export_with(const struct config *config, void *ctx)
{
	struct exports all = {.config = config};
	struct api_list list;
	struct err e = ERR_INIT;
	int rc = live_list_read(config, &list, &e);
	if (rc == 0)
		rc = gather(ctx, &list, &all, &e);
	if (rc == 0 && folder)
		rc = write_files(&all, &e);
	else if (rc == 0)
		write_stream(&all);
	if (rc == 0)
		tell(&all);
	int status = rc < 0 ? cli_fail("export", &e) : all.n_declared < all.n;
	exports_release(&all);
	api_list_release(&list);
	return status;
}

static int run(size_t n_args, char **args)
{
	struct wish w = {n_args, args};
	return cli_with_config(LOG_ERROR, export_with, &w);
}

const struct command cmd_export = {
	.name = "export",
	.summary = "Write what is live as documents for Git",
	.args = "[NAME ...]",
	.help = "Reads the organization and writes each replicator, or those that are named, as a "
		"document, such that a plan of it finds nothing to change. What the API masks, "
		"what cannot be written, and fields that weir does not know become comments. The "
		"exit status is 1 if a replicator could not be written at all.",
	.opts = opts,
	.max_args = SIZE_MAX,
	.run = run,
};
