/* weir forget: lets go of a replicator without deleting it. */
#include <stdio.h>

#include "cli/cli.h"
#include "cli/daemon.h"

static const char *reason;

static const struct opt opts[] = {
	CLI_CONFIG_OPTION,
	CLI_REASON_OPTION(&reason),
	{.name = NULL},
};

static int forget(const struct config *config, void *ctx)
{
	char **args = ctx;
	auto_arena struct arena a = ARENA_INIT;
	struct node *answer = NULL, *body = cli_named_order(&a, args[0], reason);
	struct err e = ERR_INIT;
	if (daemon_order(config, "forget", body, &a, &answer, &e) < 0)
		return cli_fail("forget", &e);
	printf("%s is forgotten: it stays in the API, and weir has nothing to do with it\n",
		args[0]);
	return 0;
}

static int run(size_t n_args, char **args)
{
	(void)n_args;
	return cli_with_config(LOG_ERROR, forget, args);
}

const struct command cmd_forget = {
	.name = "forget",
	.summary = "Let go of a replicator without deleting it",
	.args = "NAME",
	.help = "For a replicator whose document is gone from Git: it leaves the inventory, stays "
		"in the API as it is, and is never deleted by weir.",
	.opts = opts,
	.min_args = 1,
	.max_args = 1,
	.run = run,
};
