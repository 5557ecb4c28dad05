/* weir plan: what would be done, and nothing is. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "base/text.h"
#include "cli/host.h"
#include "cli/provenance.h"

enum { EXIT_NO_CHANGES = 0, EXIT_FAILED = 1, EXIT_CHANGES = 2 };

static const char *path;
static const char *explain;
static const char *format = "text";

static const struct opt opts[] = {
	CLI_CONFIG_OPTION,
	{.name = "path",
		.type = OPT_STRING,
		.value = &path,
		.value_name = "DIR",
		.help = "Read this folder instead of the repository."},
	{.name = "explain",
		.type = OPT_STRING,
		.value = &explain,
		.value_name = "NAME",
		.help = "Instead of a plan: where each setting of a replicator comes from."},
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

/* What came of --explain. */
struct told {
	bool json;
	struct err err;
	bool failed; /* the replicator has errors */
};

static void no_such_name(const struct catalog *c, struct err *e)
{
	VEC(const char *) names = VEC_INIT;
	for (size_t i = 0; i < map_size(&c->by_name); i++)
		vec_push(&names, map_key(&c->by_name, i));
	const char *near = text_suggest(explain, names.at, names.n);
	if (near)
		err_set(e, ERR_NOT_FOUND, "no replicator is called %s; did you mean %s?", explain,
			near);
	else
		err_set(e, ERR_NOT_FOUND, "no replicator is called %s", explain);
	vec_release(&names);
}

/* That there are errors is said beside it, so that JSON stays JSON. */
static void print_settings(void *ctx, const struct read_result *read)
{
	struct told *t = ctx;
	auto_buf struct buf out = BUF_INIT;
	if (!read->catalog) {
		t->err = read->err.code != ERR_OK ? read->err : read->load_err;
		return;
	}
	problems_print(&read->catalog->problems, stderr);
	const struct replicator *r = map_get(&read->catalog->by_name, explain);
	if (!r) {
		no_such_name(read->catalog, &t->err);
		return;
	}
	if (t->json)
		provenance_json(r, &out);
	else
		provenance_text(r, &out);
	fputs(buf_str(&out), stdout);
	t->failed = r->failed;
	if (r->failed)
		fprintf(stderr, "weir plan: %s has errors: it is not used as shown here\n",
			explain);
}

static int explain_with(const struct config *config, void *ctx)
{
	struct told *t = ctx;
	const struct host_options options = {
		.config = config,
		.folder = path,
		.dry = true,
		.once = true,
		.on_read = print_settings,
		.ctx = t,
	};
	struct host *h = NULL;
	int rc = host_new(&options, &h, &t->err);
	if (rc == 0)
		host_run(h, &t->err);
	host_free(h);
	if (t->err.code != ERR_OK)
		return cli_fail("plan", &t->err);
	return t->failed ? EXIT_FAILED : EXIT_NO_CHANGES;
}

static int run_explain(void)
{
	struct told t = {.json = !strcmp(format, "json"), .err = ERR_INIT};
	if (!t.json && strcmp(format, "text") != 0) {
		err_set(&t.err, ERR_USAGE, "-o %s: must be text or json with --explain", format);
		return cli_fail("plan", &t.err);
	}
	return cli_with_config(LOG_ERROR, explain_with, &t);
}

static int run(size_t n_args, char **args)
{
	(void)n_args;
	(void)args;
	struct outcome o = {.planned = false};
	if (explain)
		return run_explain();
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
		"error, if a file does not load, or if a secret is missing. With --explain nobody "
		"but the repository is asked.",
	.opts = opts,
	.run = run,
};
