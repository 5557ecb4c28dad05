/* Prints what the man pages of weir take from its tables (`man_weir config`, `spec`, `sync`,
 * `cluster`, `kept`), and words that have to stand in one, each on a line (`holds`, `standings`,
 * `symbols`). */
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/limits.h"
#include "config/config.h"
#include "model/catalog.h"
#include "plan/plan.h"
#include "reconcile/report.h"

static void tell_what_is_kept(struct buf *out)
{
	buf_addf(out,
		"Events are kept for %d days, at most %d of them; what was done for earlier "
		"commits for %d days, at most %d times; and their statuses for %d days, at most "
		"%d of them.\n",
		LIMIT_EVENT_DAYS, LIMIT_STORE_EVENTS, LIMIT_INTENT_DAYS, LIMIT_STORE_INTENTS,
		LIMIT_STATUS_DAYS, LIMIT_STORE_STATUSES);
}

static void list_holds(struct buf *out)
{
	for (int i = PLAN_HOLD_NOT + 1; i < PLAN_HOLD__COUNT; i++)
		buf_addf(out, "%s\n", plan_hold_name((enum plan_hold)i));
}

static void list_symbols(struct buf *out)
{
	for (int i = PLAN_NONE + 1; i < PLAN__COUNT; i++)
		buf_addf(out, "%s\n", plan_action_symbol((enum plan_action)i));
}

static void list_standings(struct buf *out)
{
	for (int i = 0; i < STANDING__COUNT; i++)
		buf_addf(out, "%s\n", standing_name((enum standing)i));
}

static const struct {
	const char *name;
	void (*write)(struct buf *out);
} references[] = {
	{"config", config_mdoc},
	{"spec", spec_mdoc},
	{"sync", sync_mdoc},
	{"cluster", cluster_mdoc},
	{"kept", tell_what_is_kept},
	{"holds", list_holds},
	{"standings", list_standings},
	{"symbols", list_symbols},
};

int main(int argc, char **argv)
{
	for (size_t i = 0; argc == 2 && i < sizeof(references) / sizeof(references[0]); i++) {
		if (strcmp(argv[1], references[i].name) == 0) {
			auto_buf struct buf out = BUF_INIT;

			references[i].write(&out);
			return fputs(buf_str(&out), stdout) == EOF;
		}
	}
	fputs("usage: man_weir config|spec|sync|cluster|kept|holds|standings|symbols\n", stderr);
	return 64;
}
