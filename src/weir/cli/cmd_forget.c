/* weir forget: lets go of a replicator without deleting it. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "cli/cli.h"
#include "cli/daemon.h"
#include "cli/host.h"
#include "store/store.h"

static const char *reason;

static const struct opt opts[] = {
	CLI_CONFIG_OPTION,
	CLI_REASON_OPTION(&reason),
	{.name = NULL},
};

/* What Git says of it at this moment. */
struct look {
	const char *name;
	bool found;
	bool complete; /* all of Git was read: that it is not there means something */
	struct err err; /* or this is why not */
	char commit[SHA_MAX];
	struct buf place;
};

static void look_for(void *ctx, const struct read_result *read)
{
	struct look *l = ctx;
	if (!read->catalog) {
		l->err = read->err.code != ERR_OK ? read->err : read->load_err;
		return;
	}
	const struct replicator *r = map_get(&read->catalog->by_name, l->name);
	snprintf(l->commit, sizeof(l->commit), "%s", read->head.sha);
	l->complete = read->catalog->complete;
	if (!l->complete)
		err_set(&l->err, ERR_INVALID, "it has errors");
	l->found = r != NULL;
	if (r)
		buf_addf(&l->place, "%s:%u", r->file ? r->file : "?", r->line);
}

static void look(const struct config *config, struct look *l)
{
	const struct host_options options = {
		.config = config, .dry = true, .once = true, .on_read = look_for, .ctx = l};
	struct host *h = NULL;
	struct err e = ERR_INIT;
	int rc = host_new(&options, &h, &e);
	if (rc == 0)
		rc = host_run(h, &e);
	if (rc < 0)
		l->err = e;
	else if (!l->complete && l->err.code == ERR_OK)
		err_set(&l->err, ERR_CANCELLED, "it was interrupted");
	host_free(h);
}

/* "commit 1234567, taken at 2026-11-30T20:00:00Z": what is known without a daemon is as old as
 * that. Left as it is if there is no store, or nothing was ever taken. */
static int describe_seen(const struct config *config, char **ret_seen, struct err *e)
{
	auto_free char *head = NULL;
	struct store *store = NULL;
	char at[CLOCK_TEXT_MAX] = "";
	int64_t at_ms = 0;
	int rc = host_open_shared(config, &store, e);
	if (rc == -ERR_NOT_FOUND) {
		err_clear(e);
		return 0;
	}
	if (rc == 0)
		rc = store_get(store, "head", &head, e);
	if (rc == 0 && head)
		rc = store_commit_event(store, head, "taken", &at_ms, e);
	if (at_ms)
		clock_format_second(at_ms, at);
	if (rc == 0 && head && head[0])
		*ret_seen = xasprintf("commit %.7s%s%s", head, at[0] ? ", taken at " : "", at);
	store_close(store);
	return rc;
}

static int order(const struct config *config, const char *name, struct err *e)
{
	auto_arena struct arena a = ARENA_INIT;
	struct node *answer = NULL, *body = cli_named_order(&a, name, reason);
	return daemon_order(config, "forget", body, &a, &answer, e);
}

static void tell(const char *name)
{
	printf("%s is forgotten: it stays in the API, and weir has nothing to do with it\n", name);
}

/* Nobody follows the branch: it is looked at once, or it is said how old the answer is. */
static int forget_alone(const struct config *config, struct look *l, struct err *e)
{
	auto_free char *seen = NULL;
	struct err failed = ERR_INIT;
	int rc = describe_seen(config, &seen, e);
	if (rc < 0)
		return rc;
	if (seen)
		look(config, l);
	if (l->found)
		return err_set(e, ERR_CONFLICT,
			"%s is in Git (%s, commit %.7s); take its document out there first, with "
			"sync.on_remove: orphan if it must not be deleted",
			l->name, buf_str(&l->place), l->commit);
	rc = order(config, l->name, &failed);
	if (rc < 0)
		return err_set(e, failed.code, "%s%s%s%s", failed.msg,
			seen ? " (no daemon runs: as of " : "", seen ? seen : "", seen ? ")" : "");
	tell(l->name);
	if (l->complete)
		printf("No daemon runs; it is not in Git at commit %.7s.\n", l->commit);
	else
		printf("No daemon runs, and Git could not be looked at: %s.\nThat its document is "
		       "gone is as of %s: if it is back since, it is taken over again.\n",
			l->err.msg, seen ? seen : "an earlier look");
	return 0;
}

static int forget(const struct config *config, void *ctx)
{
	char **args = ctx;
	struct look l = {.name = args[0], .place = BUF_INIT};
	struct err e = ERR_INIT;
	bool runs;
	int rc = daemon_runs(config, &runs, &e);
	if (rc == 0 && !runs)
		rc = forget_alone(config, &l, &e);
	else if (rc == 0)
		rc = order(config, args[0], &e);
	if (rc == 0 && runs)
		tell(args[0]);
	buf_release(&l.place);
	return rc < 0 ? cli_fail("forget", &e) : 0;
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
		"in the API as it is, and is never deleted by weir. Where no daemon runs, Git is "
		"looked at first, and if it cannot be, the answer says how old what it knows is.",
	.opts = opts,
	.min_args = 1,
	.max_args = 1,
	.run = run,
};
