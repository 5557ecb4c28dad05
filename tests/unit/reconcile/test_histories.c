/*
 * Short histories with everything that may go wrong, each from a seed: commits, edits and deletions
 * by others, answers that are lost, operations that fail, kills. Once the faults stop, all is as
 * Git says, and nothing was done that nobody asked for. WEIR_SEED runs the history of one seed,
 * with its log.
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

#define HISTORIES 300
#define STEPS	  24
#define NAMES	  3

static const char *const names[NAMES] = {"orders", "payments", "sales"};

struct history {
	uint64_t seed; /* 0: none runs */
	struct world w;
	int threshold[NAMES]; /* of each in Git; 0: it is not in Git */
	bool broken; /* the first one does not load */
	unsigned reasons[NAMES]; /* for a PATCH: changes in Git and by others */
	unsigned deletions;
	bool meddled; /* others changed something since the last commit */
};

static struct history h;

#define check(cond)                                                                                \
	do {                                                                                       \
		if (!(cond))                                                                       \
			fail_msg("seed %llu: %s", (unsigned long long)h.seed, #cond);              \
	} while (0)

static uint64_t dice(uint64_t bound)
{
	return rng_below(&h.w.dice, bound);
}

static void write_documents(struct buf *out)
{
	for (size_t i = 0; i < NAMES; i++) {
		if (!h.threshold[i])
			continue;
		buf_addf(out,
			"---\napiVersion: weir/v1\nkind: KafkaReplicator\nmetadata: {name: %s}\n"
			"spec: {provider: %s, source_kafka_id: a, destination_kafka_id: b, "
			"replication_mode: active-passive, topic_whitelist: [\"%s.*\"], "
			"lag_alert_threshold: %d, lag_alert_threshold_unit: messages}\n",
			names[i], h.broken && i == 0 ? "Kafka" : "MirrorMaker2", names[i],
			h.threshold[i]);
	}
}

static void commit(void)
{
	auto_buf struct buf text = BUF_INIT;
	write_documents(&text);
	world_commit(&h.w, buf_str(&text));
	h.w.path_missing = false;
	h.meddled = false;
}

static void change_git(void)
{
	size_t i = dice(NAMES);
	h.broken = dice(6) == 0;
	h.threshold[i] = dice(5) ? 1 + (int)dice(1000) : 0;
	h.reasons[i]++;
	commit();
	h.w.path_missing = dice(12) == 0;
	if (dice(6) == 0)
		h.w.relation = SOURCE_REWOUND;
}

/* Of what was provisioned once: else it is a draft that nobody knows the owner of. */
static void meddle(void)
{
	size_t i = dice(NAMES);
	struct object *o = world_object(&h.w, names[i]);
	if (!o || !o->observed || map_size(&h.w.objects) < 2) /* all at once would be hidden */
		return;
	h.meddled = true;
	h.reasons[i]++;
	/* Whether an edit was provisioned, nobody knows without observed_generation. */
	if (dice(3) && !h.w.no_observed) {
		auto_free char *value = xasprintf("%d", 2000 + (int)dice(1000));
		world_edit(&h.w, names[i], "lag_alert_threshold", value);
	} else {
		world_delete(&h.w, names[i]);
		h.deletions++;
	}
}

static bool is_as_git_says(size_t i)
{
	struct object *o = world_object(&h.w, names[i]);
	if (!h.threshold[i])
		return true;
	if (!o || o->running || o->failed || o->observed != o->generation)
		return false;
	auto_free char *value = xasprintf("\"lag_alert_threshold\":%d,", h.threshold[i]);
	return strstr(o->body, value) != NULL;
}

static bool is_success(const char *note)
{
	return !strncmp(note, "success ", strlen("success "));
}

/* A success on the head is the truth, unless others came in between. */
static void check_truth(void)
{
	if (h.meddled || !is_success(world_note(&h.w, "sync")))
		return;
	check(!h.broken || !h.threshold[0]);
	for (size_t i = 0; i < NAMES; i++)
		check(is_as_git_says(i));
}

/* Asked to, nothing new is started. */
static void end_it(void)
{
	struct world *w = &h.w;
	size_t under_way = w->calls.n;
	size_t calls = w->log.n;
	if (dice(2))
		world_stop(w);
	else
		world_kill(w);
	check(w->log.n == calls + under_way);
}

/* Everything there is is in Git, and as Git says: then an empty store adopts it. */
static bool is_adoptable(void)
{
	size_t declared = 0;
	if (h.broken || h.meddled || !is_success(world_note(&h.w, "sync")))
		return false;
	for (size_t i = 0; i < NAMES; i++) {
		if (!is_as_git_says(i))
			return false;
		declared += h.threshold[i] != 0;
	}
	return declared == map_size(&h.w.objects);
}

/* It gets the time to adopt what there is, before Git says otherwise. */
static void lose_store(void)
{
	struct world *w = &h.w;
	w->chaos = false;
	world_lose_store(w);
	world_start(w);
	world_run(w, 3 * MINUTE);
	check_truth();
	world_kill(w);
}

static void happen_next(void)
{
	struct world *w = &h.w;
	switch (dice(8)) {
	case 0:
	case 1:
		change_git();
		break;
	case 2:
		meddle();
		break;
	case 3:
		end_it();
		if (is_adoptable() && dice(3) == 0)
			lose_store();
		world_start(w);
		break;
	case 4:
		/* What was created, and neither answered nor shown, may as well be another's. */
		w->chaos = !w->lag_ms && dice(2);
		break;
	case 5:
		w->fails = dice(4) == 0;
		if (w->folder_of_store)
			world_fill_disk(w, dice(2));
		break;
	default:
		break;
	}
	world_run(w, (int64_t)dice(dice(3) ? 8000 : 10 * 60000));
	check_truth();
}

/* No operation is started twice but after one that failed, or that others ended. */
static void check_operations(void)
{
	const struct map *keys = &h.w.keys;
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

static void check_writes(void)
{
	check(world_count(&h.w, API_DELETE) == 0);
	check(h.w.uids <= NAMES + h.deletions);
	for (size_t i = 0; i < NAMES; i++) {
		const struct object *o = world_object(&h.w, names[i]);
		check(!o || o->patches <= h.reasons[i]);
	}
}

static void check_notes(void)
{
	const struct map *notes = &h.w.notes;
	for (size_t i = 0; i < map_size(notes); i++)
		check(strncmp(map_value(notes, i), "pending", strlen("pending")) != 0);
	check(is_success(world_note(&h.w, "sync")));
	check(!strcmp(world_note(&h.w, "drift"), "success no drift"));
}

static void check_rest(void)
{
	size_t calls = h.w.log.n;
	size_t lists = world_count(&h.w, API_LIST);
	unsigned posts = h.w.posts;
	world_run(&h.w, 20 * MINUTE);
	check(world_count(&h.w, API_LIST) > lists);
	check(h.w.log.n - calls == world_count(&h.w, API_LIST) - lists);
	check(h.w.posts == posts);
}

static void live_through(void)
{
	struct world *w = &h.w;
	w->seed_of_history = h.seed;
	w->dice = rng_from_seed(&w->dice_seed, h.seed);
	w->no_observed = dice(4) == 0;
	w->lag_ms = dice(4) == 0 ? 20000 : 0;
	w->operation_ms = dice(6) ? (int64_t)dice(20000) : 0;
	w->config.source.rewind = REWIND_FOLLOW;
	w->config.sync.concurrency = 1 + (int64_t)dice(4);
	for (size_t i = 0; i < NAMES; i++)
		h.threshold[i] = 1 + (int)dice(1000);
	if (dice(8) == 0)
		world_store_on_disk(w);
	commit();
	world_start(w);
	for (int i = 0; i < STEPS; i++)
		happen_next();
	w->chaos = w->fails = h.broken = false;
	world_fill_disk(w, false);
	commit();
	world_run(w, 90 * MINUTE); /* more than the longest wait after failures */
	for (size_t i = 0; i < NAMES; i++)
		check(is_as_git_says(i));
	check_operations();
	check_writes();
	check_notes();
	check_rest();
}

static void test_all_is_well_once_the_faults_stop(void **state)
{
	(void)state;
	const char *one = getenv("WEIR_SEED");
	uint64_t first = one ? strtoull(one, NULL, 10) : 1;
	for (uint64_t seed = first; seed < first + (one ? 1 : HISTORIES); seed++) {
		h = (struct history){.seed = seed};
		world_setup(&h.w);
		live_through();
		world_teardown(&h.w);
	}
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
		cmocka_unit_test_teardown(test_all_is_well_once_the_faults_stop, tell_seed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
