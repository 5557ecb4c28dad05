/* weir validate: everything that is wrong with a folder of replicators. */
#include <stdio.h>
#include <sys/stat.h>

#include "cli/cli.h"
#include "source/source.h"

static const struct opt opts[] = {
	{.name = NULL},
};

static const char *plural(size_t n)
{
	return n == 1 ? "" : "s";
}

static int validate(const char *const *paths, size_t n)
{
	struct catalog *catalog = NULL;
	struct err e = ERR_INIT;
	if (source_load_paths(paths, n, &catalog, &e) < 0)
		return cli_fail("validate", &e);
	struct problems *p = &catalog->problems;
	problems_sort(p);
	problems_print(p, stdout);
	size_t declared = map_size(&catalog->by_name);
	printf("%zu replicator%s in %zu file%s: ", declared, plural(declared), catalog->n_files,
		plural(catalog->n_files));
	if (!p->n_errors && !p->n_warnings)
		puts("all is well");
	else
		printf("%zu error%s, %zu warning%s\n", p->n_errors, plural(p->n_errors),
			p->n_warnings, plural(p->n_warnings));
	int status = p->n_errors ? 1 : 0;
	catalog_free(catalog);
	return status;
}

/* Beside a weir.yaml, the folder that it names; else where we stand. */
static int validate_here(void)
{
	struct stat st;
	const char *path = ".";
	if (stat("weir.yaml", &st) < 0)
		return validate(&path, 1);
	struct config *c = cli_config();
	if (!c)
		return 1;
	if (c->source.path[0])
		path = c->source.path;
	int status = validate(&path, 1);
	config_free(c);
	return status;
}

static int run(size_t n_args, char **args)
{
	return n_args ? validate((const char *const *)args, n_args) : validate_here();
}

const struct command cmd_validate = {
	.name = "validate",
	.summary = "Check files of replicators, without any API",
	.args = "[PATH ...]",
	.help = "Reads every *.yaml and *.yml below the given folders or files and prints all that "
		"is wrong with them, as "
		"file:line:column: path: what, what to do. Without a PATH: the folder that "
		"./weir.yaml names as source.path, or this "
		"one. The exit status is 0 if there is no error, 1 if there is.",
	.opts = opts,
	.max_args = SIZE_MAX,
	.run = run,
};
