/* weir explain: all that is known of one replicator, and why. */
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/daemon.h"
#include "cli/host.h"
#include "cli/show.h"
#include "cli/view.h"
#include "doc/json.h"
#include "net/http.h"

static bool json;
static const char *limit;

static const struct opt opts[] = {
	CLI_CONFIG_OPTION,
	CLI_OUTPUT_OPTION,
	{.name = "limit",
		.type = OPT_STRING,
		.value = &limit,
		.value_name = "N",
		.help = "How many of the last events are shown (default 10)."},
	{.name = NULL},
};

struct question {
	const char *name;
	uint64_t n_events;
};

static int explain_from_store(const struct config *c, const struct question *q, struct arena *a,
	struct node **ret_answer, struct err *e)
{
	struct store *store = NULL;
	struct view v = {0};
	int rc = view_open(c, &store, &v, e);
	if (rc == 0)
		rc = view_explain(&v, store, q->name, (size_t)q->n_events, a, ret_answer, e);
	view_release(&v);
	store_close(store);
	return rc;
}

static int explain_from_daemon(const struct config *c, const struct question *q, struct arena *a,
	struct node **ret_answer, struct err *e)
{
	auto_buf struct buf path = BUF_INIT;
	buf_adds(&path, "/v1/explain");
	if (url_add_segment(&path, q->name, NULL) < 0)
		return err_set(e, ERR_NOT_FOUND, "nothing is known of \"%s\"", q->name);
	buf_addf(&path, "?limit=%llu", (unsigned long long)q->n_events);
	return daemon_ask(c, buf_str(&path), NULL, a, ret_answer, e);
}

static int explain(const struct config *config, void *ctx)
{
	const struct question *q = ctx;
	auto_arena struct arena a = ARENA_INIT;
	struct node *answer = NULL;
	struct err e = ERR_INIT;
	bool runs;
	int rc = daemon_runs(config, &runs, &e);
	if (rc == 0)
		rc = runs ? explain_from_daemon(config, q, &a, &answer, &e)
			  : explain_from_store(config, q, &a, &answer, &e);
	if (rc < 0)
		return cli_fail("explain", &e);
	auto_buf struct buf out = BUF_INIT;
	if (json)
		json_write_text(&out, answer);
	else
		show_explained(answer, cli_screen(), &out);
	fputs(buf_str(&out), stdout);
	return 0;
}

static int run(size_t n_args, char **args)
{
	(void)n_args;
	struct question q = {.name = args[0], .n_events = VIEW_EVENTS_EXPLAINED};
	struct err e = ERR_INIT;
	if (cli_output(&json, &e) == 0 && limit &&
		(!text_parse_u64(limit, &q.n_events) || q.n_events > LIMIT_EVENTS_SHOWN))
		err_set(&e, ERR_USAGE, "--limit %s: must be a number up to %d, such as 50", limit,
			LIMIT_EVENTS_SHOWN);
	if (e.code != ERR_OK)
		return cli_fail("explain", &e);
	return cli_with_config(LOG_ERROR, explain, &q);
}

const struct command cmd_explain = {
	.name = "explain",
	.summary = "Why a replicator stands as it does",
	.args = "NAME",
	.help = "Shows how the replicator stands, since when and why, what would change that, what "
		"is under way for it, what people ordered, and what happened to it last.",
	.opts = opts,
	.min_args = 1,
	.max_args = 1,
	.run = run,
};
