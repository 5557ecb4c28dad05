/* weir state: a copy of what weir remembers, and back. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "cli/cli.h"
#include "cli/host.h"
#include "store/store.h"

static const struct opt opts[] = {
	CLI_CONFIG_OPTION,
	{.name = NULL},
};

static int backup(const struct config *config, const char *file, struct err *e)
{
	int rc = store_backup(config->state, file, e);
	if (rc == 0)
		printf("the store in %s is copied to %s\n", config->state, file);
	return rc;
}

/* Whether weir knows what it is to work on from that store. */
static int knows_source(const struct config *config, bool *ret_knows, struct err *e)
{
	auto_free char *head = NULL;
	struct store *s = NULL;
	int rc = host_open_shared(config, &s, e);
	if (rc == 0)
		rc = store_get(s, "head", &head, e);
	*ret_knows = head && head[0];
	store_close(s);
	return rc;
}

static int restore(const struct config *config, const char *file, struct err *e)
{
	auto_free char *kept = NULL;
	bool knows = false;
	int rc = store_restore(config->state, file, clock_wall_ms(&clock_real), &kept, e);
	if (rc == 0)
		rc = knows_source(config, &knows, e);
	if (rc < 0)
		return rc;
	printf("%s is the store in %s now; %s%s\n", file, config->state,
		kept ? "what was there is kept as " : "there was none before", kept ? kept : "");
	if (!knows)
		puts("It is of another repository, branch, path, API or organization than "
		     "weir.yaml names: for this one nothing is known yet.");
	puts("What was created or adopted since that copy was made is adopted anew where it is as "
	     "Git says, and held where it is not.");
	return 0;
}

static int run_with(const struct config *config, void *ctx)
{
	char **args = ctx;
	struct err e = ERR_INIT;
	int rc;
	if (!strcmp(args[0], "backup"))
		rc = backup(config, args[1], &e);
	else if (!strcmp(args[0], "restore"))
		rc = restore(config, args[1], &e);
	else
		rc = err_set(&e, ERR_USAGE, "%s: must be backup or restore", args[0]);
	return rc < 0 ? cli_fail("state", &e) : 0;
}

static int run(size_t n_args, char **args)
{
	(void)n_args;
	return cli_with_config(LOG_ERROR, run_with, args);
}

const struct command cmd_state = {
	.name = "state",
	.summary = "Copy what weir remembers, or put a copy back",
	.args = "backup|restore FILE",
	.help = "`backup` makes a consistent copy of the store, also while a daemon runs. "
		"`restore` puts one in its place while none does; the store that was there is "
		"kept beside it.",
	.opts = opts,
	.min_args = 2,
	.max_args = 2,
	.run = run,
};
