/* weir apply: one commit, to its end. */
#include <stdio.h>

#include "base/log.h"
#include "cli/beside.h"
#include "cli/cli.h"
#include "cli/daemon.h"
#include "cli/host.h"

static const char *path;

static const struct opt opts[] = {
	CLI_CONFIG_OPTION,
	{.name = "path",
		.type = OPT_STRING,
		.value = &path,
		.value_name = "DIR",
		.help = "Apply this folder instead of the repository. Nothing of it is recorded as "
			"ours."},
	CLI_LOG_OPTIONS,
	{.name = NULL},
};

static void print_line(void *ctx, const char *line)
{
	(void)ctx;
	puts(line);
	fflush(stdout);
}

static void print_plan(void *ctx, const struct plan *plan, const struct plan_header *header)
{
	bool *shown = ctx;
	if (*shown)
		return;
	*shown = true;
	auto_buf struct buf out = BUF_INIT;
	plan_render(plan, header, cli_colours() ? PLAN_TEXT_COLOUR : PLAN_TEXT, &out);
	fputs(buf_str(&out), stdout);
	fflush(stdout);
}

static int tell_outcome(const struct engine *engine)
{
	struct engine_stats stats;
	engine_stats(engine, &stats);
	if (stats.trouble[0])
		fprintf(stderr, "weir apply: %s\n", stats.trouble);
	if (!stats.head[0] && stats.trouble[0]) {
		puts("error: nothing could be read, and nothing was done");
		return 1;
	}
	printf("%s: %s\n", status_state_name(stats.state),
		stats.text[0] ? stats.text : "nothing was done");
	return stats.state == STATUS_SUCCESS && stats.ready ? 0 : 1;
}

static int apply_here(const struct config *config)
{
	bool shown = false;
	const struct host_options options = {
		.config = config,
		.folder = path,
		.once = true,
		.on_plan = print_plan,
		.on_progress = print_line,
		.ctx = &shown,
	};
	struct host *h = NULL;
	struct err e = ERR_INIT;
	int rc = host_new(&options, &h, &e);
	if (rc < 0 && e.code == ERR_CONFLICT && path)
		err_prefix(&e, "a folder cannot be applied beside a daemon");
	if (rc == 0)
		rc = host_run(h, &e);
	int status = rc < 0 ? cli_fail("apply", &e) : tell_outcome(host_engine(h));
	host_free(h);
	return status;
}

static int apply_with(const struct config *config, void *ctx)
{
	(void)ctx;
	struct err e = ERR_INIT;
	bool runs = false;
	if (!path && daemon_runs(config, &runs, &e) < 0)
		return cli_fail("apply", &e);
	return runs ? beside_apply(config) : apply_here(config);
}

static int run(size_t n_args, char **args)
{
	(void)n_args;
	(void)args;
	return cli_with_config(LOG_WARN, apply_with, NULL);
}

const struct command cmd_apply = {
	.name = "apply",
	.summary = "Make the API as Git says, once",
	.args = "",
	.help = "Takes the newest commit of the branch (or --path DIR), makes the API as it says, "
		"and waits until every replicator "
		"is Healthy or cannot become so. What cannot be reached is tried again for "
		"sync.timeout. "
		"The exit status is 0 if all is well, 1 if not. "
		"Where a daemon works on the same state, it is told to look now, and waited for; "
		"only a folder is refused then.",
	.opts = opts,
	.run = run,
};
