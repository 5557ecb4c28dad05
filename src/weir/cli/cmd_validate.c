/* weir validate: everything that is wrong with a folder of replicators. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fs.h"
#include "cli/cli.h"
#include "source/source.h"

static const struct opt opts[] = {
	{.name = NULL},
};

struct totals {
	size_t replicators;
	size_t files;
	size_t errors;
	size_t warnings;
};

static int validate(const char *path, struct totals *t)
{
	struct catalog *catalog = NULL;
	struct err e = ERR_INIT;
	if (source_load_folder(path, &catalog, &e) < 0)
		return cli_fail("validate", &e);
	problems_sort(&catalog->problems);
	problems_print(&catalog->problems, stdout);
	t->replicators += map_size(&catalog->by_name);
	t->files += catalog->n_files;
	t->errors += catalog->problems.n_errors;
	t->warnings += catalog->problems.n_warnings;
	catalog_free(catalog);
	return 0;
}

/* Beside a weir.yaml, the folder that it names; else where we stand. */
static char *default_path(void)
{
	struct stat st;
	if (stat("weir.yaml", &st) == 0) {
		struct problems ignored = PROBLEMS_INIT;
		struct config *c = config_load("weir.yaml", &ignored);
		problems_release(&ignored);
		char *path = c && c->source.path[0] && stat(c->source.path, &st) == 0
				     ? xstrdup(c->source.path)
				     : NULL;
		config_free(c);
		if (path)
			return path;
	}
	return xstrdup(".");
}

static const char *plural(size_t n)
{
	return n == 1 ? "" : "s";
}

static int run(size_t n_args, char **args)
{
	struct totals t = {0};
	int status = 0;
	if (!n_args) {
		auto_free char *path = default_path();
		status = validate(path, &t);
	}
	for (size_t i = 0; i < n_args && !status; i++)
		status = validate(args[i], &t);
	if (status)
		return status;
	printf("%zu replicator%s in %zu file%s: ", t.replicators, plural(t.replicators), t.files,
		plural(t.files));
	if (!t.errors && !t.warnings)
		puts("all is well");
	else
		printf("%zu error%s, %zu warning%s\n", t.errors, plural(t.errors), t.warnings,
			plural(t.warnings));
	return t.errors ? 1 : 0;
}

const struct command cmd_validate = {
	.name = "validate",
	.summary = "Check files of replicators, without any API",
	.args = "[PATH...]",
	.help = "Reads every *.yaml and *.yml below the given folders or files and prints all that "
		"is wrong with them, as "
		"file:line:column: path: what, what to do. Without a PATH: the folder that "
		"./weir.yaml names as source.path, or this "
		"one. The exit status is 0 if there is no error, 1 if there is.",
	.opts = opts,
	.max_args = SIZE_MAX,
	.run = run,
};
