/* weir status: what is out of sync, since when, why, and what to do about it. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/daemon.h"
#include "cli/host.h"
#include "cli/show.h"
#include "cli/view.h"
#include "doc/json.h"

static bool json;
static bool all;

static const struct opt opts[] = {
	CLI_CONFIG_OPTION,
	CLI_OUTPUT_OPTION,
	{.name = "all",
		.type = OPT_FLAG,
		.value = &all,
		.help = "List those that are as Git says, too."},
	{.name = NULL},
};

static int status_from_store(
	const struct config *c, struct arena *a, struct node **ret_answer, struct err *e)
{
	struct store *store = NULL;
	struct view v = {0};
	int rc = view_open(c, &store, &v, e);
	if (rc == 0)
		*ret_answer = view_status(&v, a);
	view_release(&v);
	store_close(store);
	return rc;
}

static int show(const struct config *config, void *ctx)
{
	(void)ctx;
	auto_arena struct arena a = ARENA_INIT;
	struct node *answer = NULL;
	struct err e = ERR_INIT;
	bool runs;
	int rc = daemon_runs(config, &runs, &e);
	if (rc == 0)
		rc = runs ? daemon_ask(config, "/v1/status", NULL, &a, &answer, &e)
			  : status_from_store(config, &a, &answer, &e);
	if (rc < 0)
		return cli_fail("status", &e);
	auto_buf struct buf out = BUF_INIT;
	if (json)
		json_write_text(&out, answer);
	else
		show_status(answer, all, cli_screen(), &out);
	fputs(buf_str(&out), stdout);
	return 0;
}

static int run(size_t n_args, char **args)
{
	(void)n_args;
	(void)args;
	struct err e = ERR_INIT;
	if (cli_output(&json, &e) < 0)
		return cli_fail("status", &e);
	return cli_with_config(LOG_ERROR, show, NULL);
}

const struct command cmd_status = {
	.name = "status",
	.summary = "What is out of sync, and what to do about it",
	.args = "",
	.help = "Shows the statuses of the head, what is in trouble, each replicator that is not "
		"as "
		"Git says with since when, why, and what releases it, and the last events: from "
		"the daemon, or, where none runs, as it was last, with what people ordered since. "
		"The exit status is 0.",
	.opts = opts,
	.run = run,
};
