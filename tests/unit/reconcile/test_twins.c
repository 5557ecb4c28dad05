/*
 * Two daemons on one API by mistake, each with a store of its own and the same Git: short histories
 * from seeds, with edits and deletions by others, lost answers, failures and kills of either one.
 * No change is two operations, both come to the same end and say so, and then both are quiet.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/log.h"
#include "documents.h"
#include "reconcile/internal.h"
#include "world.h"

#define HISTORIES 150
#define STEPS	  12

static struct {
	uint64_t seed; /* 0: none runs */
	struct world w[2]; /* the API is that of the first */
	struct rng_seeded dice_seed;
	struct rng dice;
	unsigned threshold;
	bool meddled; /* since the last commit */
} h;

#define check(cond)                                                                                \
	do {                                                                                       \
		if (!(cond))                                                                       \
			fail_msg("seed %llu: %s; %s; %s", (unsigned long long)h.seed, #cond,       \
				world_note(&h.w[0], "sync"), world_note(&h.w[1], "sync"));         \
	} while (0)

static uint64_t dice(uint64_t bound)
{
	return rng_below(&h.dice, bound);
}

/* By turns, so that each gets in between what the other does. */
static void run_both(int64_t ms, int64_t slice)
{
	while (ms > 0) {
		int64_t length = 1 + (int64_t)dice((uint64_t)slice);
		size_t first = dice(2);
		int64_t now = 0;
		for (size_t i = 0; i < 2; i++) {
			struct world *w = &h.w[(first + i) % 2];
			if (w->engine)
				world_run(w, length);
			now = w->now > now ? w->now : now;
		}
		h.w[0].now = h.w[1].now = now;
		ms -= length;
	}
}

static void commit(void)
{
	auto_free char *yaml = xasprintf(DOCUMENT("orders", "%u") DOCUMENT("payments", "7"),
		h.threshold = 1 + (unsigned)dice(1000));
	for (size_t i = 0; i < 2; i++)
		world_commit(&h.w[i], yaml);
	h.meddled = false;
}

static void meddle(void)
{
	struct world *w = &h.w[0];
	struct object *o = world_object(w, "orders");
	if (!o || !o->observed)
		return;
	h.meddled = true;
	if (dice(3))
		world_edit(w, "orders", "lag_alert_threshold", "2000");
	else
		world_delete(w, "orders");
}

static void restart(struct world *w)
{
	if (dice(2))
		world_kill(w);
	else
		world_stop(w);
	if (dice(2))
		run_both((int64_t)dice(3 * 60000), 5000);
	world_start(w);
}

static void happen_next(void)
{
	switch (dice(6)) {
	case 0:
	case 1:
		commit();
		break;
	case 2:
		meddle();
		break;
	case 3:
		restart(&h.w[dice(2)]);
		break;
	case 4:
		h.w[0].chaos = dice(3) == 0;
		h.w[1].chaos = dice(3) == 0;
		break;
	case 5:
		h.w[0].fails = dice(4) == 0;
		break;
	default:
		break;
	}
	run_both((int64_t)dice(dice(3) ? 8000 : 10 * 60000), 1 + (int64_t)dice(2000));
}

/* No operation is started twice but after one that failed, or that others ended. */
static void check_operations(void)
{
	const struct map *keys = &h.w[0].keys;
	for (size_t i = 0; i < map_size(keys); i++) {
		const struct operation_of *one = map_value(keys, i);
		unsigned good = 0;
		for (size_t k = 0; k < map_size(keys); k++) {
			const struct operation_of *other = map_value(keys, k);
			good += !strcmp(one->uid, other->uid) &&
				one->generation == other->generation &&
				other->state != OPERATION_FAILED &&
				other->state != OPERATION_SUPERSEDED;
		}
		check(good <= 1);
	}
}

static void check_end(void)
{
	struct object *o = world_object(&h.w[0], "orders");
	auto_free char *value = xasprintf("\"lag_alert_threshold\":%u,", h.threshold);
	check(o && strstr(o->body, value) && !o->running && !o->failed);
	check(o->observed == o->generation);
	for (size_t i = 0; i < 2; i++) {
		check(!strncmp(world_note(&h.w[i], "sync"), "success ", 8));
		check(!strcmp(world_note(&h.w[i], "drift"), "success no drift"));
	}
	size_t calls = h.w[0].log.n;
	size_t lists = world_count(&h.w[0], API_LIST);
	run_both(20 * MINUTE, 60000);
	check(h.w[0].log.n - calls == world_count(&h.w[0], API_LIST) - lists);
}

static void begin(void)
{
	h.dice = rng_from_seed(&h.dice_seed, h.seed);
	for (size_t i = 0; i < 2; i++) {
		struct world *w = &h.w[i];
		world_setup(w);
		w->seed_of_history = h.seed;
		w->dice = rng_from_seed(&w->dice_seed, h.seed + 1000 * i);
		w->call_ms = (int64_t)dice(3) * (int64_t)dice(2000);
		w->config.source.rewind = REWIND_FOLLOW;
	}
	struct world *w = &h.w[0];
	h.w[1].serves = w;
	w->no_observed = dice(3) == 0;
	w->no_uid = dice(3) == 0;
	w->no_created = !w->no_uid && dice(3) == 0;
	w->no_state = dice(3) == 0;
	w->no_if_match = dice(3) == 0;
	w->operation_ms = dice(6) ? (int64_t)dice(20000) : 0;
	commit();
	world_start(&h.w[0]);
	world_start(&h.w[1]);
}

static void live_through(void)
{
	begin();
	for (int i = 0; i < STEPS; i++)
		happen_next();
	h.w[0].chaos = h.w[1].chaos = h.w[0].fails = false;
	commit();
	run_both(90 * MINUTE, 10000);
	check_operations();
	check_end();
	for (size_t i = 2; i-- > 0;)
		world_teardown(&h.w[i]);
}

static void test_two_daemons_do_nothing_twice(void **state)
{
	(void)state;
	const char *one = getenv("WEIR_SEED");
	uint64_t first = one ? strtoull(one, NULL, 10) : 1;
	for (h.seed = first; h.seed < first + (one ? 1 : HISTORIES); h.seed++)
		live_through();
	h.seed = 0;
}

/* Also where it crashed. */
static int tell_seed(void **state)
{
	(void)state;
	if (h.seed)
		print_error("the history of WEIR_SEED=%llu\n", (unsigned long long)h.seed);
	return 0;
}

int main(void)
{
	log_setup(getenv("WEIR_SEED") ? LOG_DEBUG : LOG__COUNT, LOG_TEXT);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_two_daemons_do_nothing_twice, tell_seed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
