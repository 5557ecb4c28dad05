/* weir plan: what would be done, and nothing is. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/host.h"

enum { EXIT_NO_CHANGES = 0, EXIT_FAILED = 1, EXIT_CHANGES = 2 };

static const char *path;
static const char *format = "text";

static const struct opt opts[] = {
	CLI_CONFIG_OPTION,
	{.name = "path",
		.type = OPT_STRING,
		.value = &path,
		.value_name = "DIR",
		.help = "Read this folder instead of the repository."},
	{.name = "output",
		.letter = 'o',
		.type = OPT_STRING,
		.value = &format,
		.value_name = "FORMAT",
		.help = "text, markdown or json."},
	CLI_LOG_OPTIONS,
	{.name = NULL},
};

struct outcome {
	enum plan_format format;
	bool planned;
	bool problems;
	bool changes;
};

static void print_plan(void *ctx, const struct plan *plan, const struct plan_header *header)
{
	struct outcome *o = ctx;
	auto_buf struct buf out = BUF_INIT;
	plan_render(plan, header, o->format, &out);
	fputs(buf_str(&out), stdout);
	o->planned = true;
	o->problems = plan->problems && plan->problems->n_errors;
	vec_each (item, &plan->items)
		o->problems = o->problems || item->hold == PLAN_HOLD_SECRET;
	o->changes = plan->n_changes > 0 || plan->count[PLAN_HOLD] > 0;
}

static bool choose_format(enum plan_format *ret_format)
{
	if (!strcmp(format, "text"))
		*ret_format = cli_colours() ? PLAN_TEXT_COLOUR : PLAN_TEXT;
	else if (!strcmp(format, "markdown"))
		*ret_format = PLAN_MARKDOWN;
	else if (!strcmp(format, "json"))
		*ret_format = PLAN_JSON;
	else
		return false;
	return true;
}

/* Why there is no plan, or only one of what was accepted before. */
static void find_failure(const struct engine *engine, const struct outcome *o, struct err *e)
{
	struct engine_stats stats;
	engine_stats(engine, &stats);
	if (stats.load_error[0])
		err_set(e, ERR_NOT_FOUND, "%s", stats.load_error);
	else if (stats.trouble[0])
		err_set(e, ERR_UNAVAILABLE, "%s", stats.trouble);
	else if (!o->planned)
		err_set(e, ERR_CANCELLED, "interrupted before there was a plan");
}

static int plan_with(const struct config *config, void *ctx)
{
	struct outcome *o = ctx;
	const struct host_options options = {
		.config = config,
		.folder = path,
		.dry = true,
		.once = true,
		.on_plan = print_plan,
		.ctx = o,
	};
	struct host *h = NULL;
	struct err e = ERR_INIT;
	int rc = host_new(&options, &h, &e);
	if (rc == 0)
		rc = host_run(h, &e);
	if (rc == 0)
		find_failure(host_engine(h), o, &e);
	host_free(h);
	if (e.code != ERR_OK)
		return cli_fail("plan", &e);
	if (o->problems)
		return EXIT_FAILED;
	return o->changes ? EXIT_CHANGES : EXIT_NO_CHANGES;
}

static int run(size_t n_args, char **args)
{
	(void)n_args;
	(void)args;
	struct outcome o = {.planned = false};
	if (!choose_format(&o.format)) {
		struct err e = ERR_INIT;
		err_set(&e, ERR_USAGE, "-o %s: must be text, markdown or json", format);
		return cli_fail("plan", &e);
	}
	return cli_with_config(LOG_ERROR, plan_with, &o);
}

const struct command cmd_plan = {
	.name = "plan",
	.summary = "Show what would change, and change nothing",
	.args = "",
	.help = "Reads the branch (or --path DIR), compares it with the API and shows what `apply` "
		"would do. "
		"The exit status is 0 if nothing is to be done, 2 if something is, and 1 on an "
		"error, if a file does not load, or if a secret is missing.",
	.opts = opts,
	.run = run,
};
