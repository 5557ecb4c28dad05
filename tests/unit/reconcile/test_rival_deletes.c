/*
 * What weir is about to delete, and somebody else saves, starts, deletes or makes anew at the worst
 * moments: what they made is never deleted, and what is left comes to its end without a storm.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "apis.h"
#include "base/alloc.h"
#include "base/log.h"
#include "documents.h"
#include "reconcile/internal.h"
#include "world.h"

#define FIRST	ONE DOCUMENT("payments", "1")
#define SECOND	ONE DOCUMENT("payments", "2")
#define WITHOUT ONE
#define MADE                                                                                       \
	"{\"identifier\": \"payments\", \"provider\": \"MirrorMaker2\", \"source_kafka_id\": "     \
	"\"prod-eu\", \"destination_kafka_id\": \"dr-eu\", \"replication_mode\": "                 \
	"\"active-passive\", \"topic_whitelist\": \"payments.*\", \"lag_alert_threshold\": 2, "    \
	"\"lag_alert_threshold_unit\": \"messages\"}"
#define GRACE (10 * MINUTE)

static void save(struct world *w)
{
	world_save(w, "payments", "groups_whitelist", "\"theirs\"");
}

static void save_and_start(struct world *w)
{
	save(w);
	world_reconcile(w, "payments");
}

static void start(struct world *w)
{
	world_reconcile(w, "payments");
}

static void delete_it(struct world *w)
{
	world_delete(w, "payments");
}

static void make_anew(struct world *w)
{
	world_delete(w, "payments");
	world_create(w, MADE);
}

static void draft_anew(struct world *w)
{
	world_delete(w, "payments");
	world_draft(w, MADE);
}

static const struct act {
	const char *name;
	void (*act)(struct world *w);
	bool changes; /* what was planned to be deleted is not as it was */
	bool theirs; /* what is there afterwards is theirs */
} acts[] = {
	{"saves", save, true, false},
	{"saves and starts", save_and_start, true, false},
	{"starts what is there", start, false, false},
	{"deletes", delete_it, false, false},
	{"makes it anew", make_anew, true, true},
	{"makes it anew and does not start it", draft_anew, true, true},
};

#define BY_ITSELF API__COUNT /* not when a call arrives */

static const struct moment {
	const char *name;
	enum api_verb verb;
	bool after;
} moments[] = {
	{"in its grace", BY_ITSELF, false},
	{"once it was seen being deleted", BY_ITSELF, true},
	{"before the last look", API_GET, false},
	{"between the last look and the DELETE", API_DELETE, false},
	{"while it is being deleted", API_DELETE, true},
};

/* What is being tried, for whoever reads that it went wrong. */
static struct {
	const struct api *api;
	const struct moment *moment;
	const struct act *act;
	int64_t generation; /* of what is to be deleted; what is made anew begins at 1 */
	struct world w;
} at;

#define check(cond)                                                                                \
	do {                                                                                       \
		if (!(cond))                                                                       \
			fail_msg("an API with %s; %s, at generation %d, somebody %s: %s (sync: "   \
				 "%s)",                                                            \
				at.api->name, at.moment->name, (int)at.generation, at.act->name,   \
				#cond, world_note(&at.w, "sync"));                                 \
	} while (0)

static void set_up(struct world *w)
{
	world_setup(w);
	set_api(w, at.api);
	w->operation_ms = 20000;
	w->config.sync.prune.enabled = true;
	w->config.sync.prune.max.value = 1;
	w->config.sync.prune.grace_ms = GRACE;
	world_start_with(w, at.generation == 1 ? SECOND : FIRST);
	world_commit(w, SECOND);
	world_run(w, 2 * MINUTE);
	check(world_object(w, "payments")->observed == at.generation);
}

static void strike_in_time(struct world *w)
{
	if (at.moment->verb == BY_ITSELF) {
		world_run(w, GRACE / 2);
		while (at.moment->after && !world_count(w, API_DELETE))
			world_run(w, 1000);
		world_run(w, 3000);
		at.act->act(w);
	} else {
		w->strike = (struct strike){at.moment->verb, at.moment->after, 1, at.act->act};
	}
}

/* Neither we nor the server can tell theirs from ours. */
static bool cannot_be_told(void)
{
	bool too_late = at.moment->verb == API_DELETE && !at.moment->after;
	bool nameless = at.api->no_uid && at.api->no_created;
	if (at.generation == 1)
		return too_late ||
		       (nameless && !(at.moment->verb == BY_ITSELF && at.moment->after));
	return too_late && at.api->no_if_match;
}

/* What the last look found changed is planned anew before it is deleted. */
static bool was_deleted_at_once(size_t from)
{
	const struct world *w = &at.w;
	for (size_t i = from; i + 1 < w->log.n; i++)
		if (w->log.at[i].verb == API_GET)
			return w->log.at[i + 1].verb == API_DELETE;
	return false;
}

static void try_one(void)
{
	struct world *w = &at.w;
	set_up(w);
	size_t calls = w->log.n;
	world_commit(w, WITHOUT);
	strike_in_time(w);
	for (int i = 0; i < 60; i++) {
		world_run(w, MINUTE);
		check(strncmp(world_note(w, "sync"), "failure ", strlen("failure ")) != 0 ||
			cannot_be_told());
	}
	check(w->strike.times == 0);
	if (at.moment->verb == API_GET && at.act->changes && !cannot_be_told())
		check(!was_deleted_at_once(calls));
	check(!strncmp(world_note(w, "sync"), "success 1 in sync", strlen("success 1 in sync")));
	bool there = world_object(w, "payments") != NULL;
	check(there == at.act->theirs || cannot_be_told());
	check(!there || !strcmp(world_object(w, "payments")->uid, "uid-3"));
	check(world_count(w, API_DELETE) <= 2);
	check(w->log.n - calls < 60);
}

static void try_all(void)
{
	for (size_t m = 0; m < ARRAY_SIZE(moments); m++) {
		for (size_t k = 0; k < ARRAY_SIZE(acts); k++) {
			at.moment = &moments[m];
			at.act = &acts[k];
			try_one();
			world_teardown(&at.w);
		}
	}
}

static void test_somebody_else_and_what_is_to_be_deleted(void **state)
{
	(void)state;
	for (size_t a = 0; a < ARRAY_SIZE(apis); a++) {
		at.api = &apis[a];
		for (at.generation = 1; at.generation <= 2; at.generation++)
			try_all();
	}
}

int main(void)
{
	log_setup(getenv("WEIR_DEBUG") ? LOG_DEBUG : LOG__COUNT, LOG_TEXT);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_somebody_else_and_what_is_to_be_deleted),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
