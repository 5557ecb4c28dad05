/* weir resume: the end of a suspension. */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "cli/cli.h"
#include "cli/daemon.h"
#include "cli/show.h"

static const char *reason;

static const struct opt opts[] = {
	CLI_CONFIG_OPTION,
	CLI_REASON_OPTION(&reason),
	{.name = NULL},
};

/* What is gone from Git goes on to be deleted. */
static void tell_then(const struct config *config, const char *name, const char *then)
{
	char grace[CLOCK_TEXT_MAX];
	int64_t ms = config->sync.prune.grace_ms;
	printf("%s is resumed", name);
	if (!strcmp(then, "let go"))
		printf("; it is not in Git any more, and is let go of");
	else if (*then && config->sync.prune.enabled)
		printf("; it is not in Git any more, and is deleted %s%s unless something else "
		       "holds it:\n`weir suspend %s` keeps it, `weir explain %s` tells",
			ms ? "after " : "now", ms ? duration_format(ms, grace) : "", name, name);
	putchar('\n');
}

static int resume(const struct config *config, void *ctx)
{
	char **args = ctx;
	auto_arena struct arena a = ARENA_INIT;
	struct node *answer = NULL, *body = cli_named_order(&a, args[0], reason);
	struct err e = ERR_INIT;
	if (daemon_order(config, "resume", body, &a, &answer, &e) < 0)
		return cli_fail("resume", &e);
	bool still = false;
	node_get_bool(answer, "suspended", &still);
	if (still)
		printf("%s: the order is taken back; its document suspends it still\n", args[0]);
	else
		tell_then(config, args[0], show_get(answer, "then"));
	return 0;
}

static int run(size_t n_args, char **args)
{
	(void)n_args;
	return cli_with_config(LOG_ERROR, resume, args);
}

const struct command cmd_resume = {
	.name = "resume",
	.summary = "End the suspension of a replicator",
	.args = "NAME",
	.help = "Takes back what `weir suspend` ordered, and what a document that is gone from Git "
		"said. What a document in Git says is ended there.",
	.opts = opts,
	.min_args = 1,
	.max_args = 1,
	.run = run,
};
