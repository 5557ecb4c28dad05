/* weir suspend: a replicator is left alone, for a reason. */
#include <stdio.h>

#include "base/clock.h"
#include "cli/cli.h"
#include "cli/daemon.h"

static const char *reason;
static const char *until;
static const char *duration;

static const struct opt opts[] = {
	CLI_CONFIG_OPTION,
	CLI_REASON_OPTION(&reason),
	{.name = "until",
		.type = OPT_STRING,
		.value = &until,
		.value_name = "TIME",
		.help = "Until this time, such as 2026-12-24T06:00:00Z."},
	{.name = "for",
		.type = OPT_STRING,
		.value = &duration,
		.value_name = "DURATION",
		.help = "For so long, such as 90m or 4h."},
	{.name = NULL},
};

static int read_end(struct arena *a, struct node *body, struct err *e)
{
	char text[CLOCK_TEXT_MAX];
	int64_t ms;
	if (until && duration)
		return err_set(e, ERR_USAGE, "give --until or --for, not both");
	if (until && !clock_parse(until, &ms))
		return err_set(e, ERR_USAGE,
			"--until %s: must be a time such as 2026-12-24T06:00:00Z", until);
	if (duration && (!duration_parse(duration, &ms) || ms <= 0 || ms > CLI_LONGEST_MS))
		return err_set(e, ERR_USAGE,
			"--for %s: must be a duration such as 90m or 4h, up to a year", duration);
	if (duration)
		ms += clock_wall_ms(&clock_real);
	if (until || duration)
		node_map_set(a, body, "until", node_string(a, clock_format_second(ms, text)));
	return 0;
}

static int suspend(const struct config *config, void *ctx)
{
	char **args = ctx;
	auto_arena struct arena a = ARENA_INIT;
	struct node *answer = NULL, *body = node_map(&a);
	struct err e = ERR_INIT;
	node_map_set(&a, body, "name", node_string(&a, args[0]));
	node_map_set(&a, body, "reason", node_string(&a, reason));
	int rc = read_end(&a, body, &e);
	if (rc == 0)
		rc = daemon_order(config, "suspend", body, &a, &answer, &e);
	if (rc < 0)
		return cli_fail("suspend", &e);
	const char *end = node_get_string(answer, "until");
	printf("%s is suspended %s%s\n", args[0], end ? "until " : "until it is resumed",
		end ? end : "");
	return 0;
}

static int run(size_t n_args, char **args)
{
	(void)n_args;
	if (!reason || !reason[0]) {
		struct err e = ERR_INIT;
		err_set(&e, ERR_USAGE,
			"say why with --reason: whoever finds it suspended wants to know");
		return cli_fail("suspend", &e);
	}
	return cli_with_config(LOG_ERROR, suspend, args);
}

const struct command cmd_suspend = {
	.name = "suspend",
	.summary = "Leave a replicator alone for a while",
	.args = "NAME",
	.help = "Nothing is written for the replicator until it is resumed, or until a time; what "
		"differs is shown still. It is not deleted either. A `sync.suspend` in its "
		"document does the same and stands in Git.",
	.opts = opts,
	.min_args = 1,
	.max_args = 1,
	.run = run,
};
