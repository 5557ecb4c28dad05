/*
 * Random fleets under random guards. Whatever they are, nothing is deleted or replaced that is
 * protected, suspended, in grace, above the limit, depended on, or not ours, or while something is
 * not known for sure.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/rng.h"
#include "plan/plan.h"

#define FLEETS	 20000
#define MEMBERS	 6
#define NOW_MS	 1000000
#define GRACE_MS 1000

struct member {
	char name[8];
	bool declared, known, is_live, deleting, in_inventory, is_other;
	struct replicator document;
	struct live live;
	struct plan_record record;
	struct plan_suspension suspension;
	bool suspended_outside;
};

struct fleet {
	struct rng_seeded seed;
	struct rng rng;
	struct arena arena;
	struct member members[MEMBERS];
	struct catalog *catalog;
	struct plan_input in;
	const struct replicator *accepted[MEMBERS];
	const struct live *live[MEMBERS];
	const struct plan_record *records[MEMBERS];
	struct plan_suspension suspensions[MEMBERS];
	const char *approvals[MEMBERS];
	struct plan *plan;
};

static bool chance(struct fleet *f, unsigned percent)
{
	return rng_below(&f->rng, 100) < percent;
}

static struct spec random_spec(struct fleet *f, unsigned percent)
{
	struct node *topics = node_seq(&f->arena);

	node_seq_add(&f->arena, topics, node_string(&f->arena, chance(f, percent) ? "a" : "b"));
	return (struct spec){
		.value = {
			[SPEC_PROVIDER] = node_string(&f->arena, "MirrorMaker2"),
			[SPEC_SOURCE_KAFKA_ID] = node_string(&f->arena, "prod"),
			[SPEC_DESTINATION_KAFKA_ID] =
				node_string(&f->arena, chance(f, percent) ? "dr" : "other"),
			[SPEC_REPLICATION_MODE] = node_string(&f->arena, "active-passive"),
			[SPEC_TOPIC_WHITELIST] = topics,
		}};
}

static void random_sync(struct fleet *f, struct member *m)
{
	struct sync_settings *sync = &m->document.sync;

	sync->protect = chance(f, 20);
	sync->replace = chance(f, 50);
	sync->on_remove = chance(f, 20) ? REMOVE_ORPHAN : REMOVE_DELETE;
	sync->suspend.is_set = chance(f, 20);
	sync->suspend.has_until = chance(f, 50);
	sync->suspend.until_ms = chance(f, 50) ? NOW_MS - 1 : NOW_MS + 1;
	if (chance(f, 30)) {
		struct node *list = node_seq(&f->arena);

		node_seq_add(&f->arena, list,
			node_string(&f->arena, f->members[rng_below(&f->rng, MEMBERS)].name));
		sync->depends_on = list;
	}
}

static void random_member(struct fleet *f, struct member *m, int i)
{
	snprintf(m->name, sizeof(m->name), "m-%d", i);
	m->declared = chance(f, 50);
	m->known = chance(f, 90);
	m->is_live = chance(f, 85);
	m->in_inventory = chance(f, 85);
	m->is_other = chance(f, 10);
	m->document = (struct replicator){
		.name = m->name, .file = "x.yaml", .line = 1, .spec = random_spec(f, 80)};
	m->live = (struct live){
		.identifier = m->name,
		.uid = m->is_other ? "other" : "ours",
		.generation = 2,
		.has_observed = true,
		.observed_generation = 2,
		.status = chance(f, 10) ? LIVE_DELETING : LIVE_HEALTHY,
		.status_word = "Healthy",
		.status_message = "",
		.spec = random_spec(f, 80),
	};
	m->record = (struct plan_record){
		.name = m->name,
		.uid = "ours",
		.has_last_applied = true,
		.last_applied = chance(f, 50) ? m->live.spec : random_spec(f, 80),
		.seen_generation = 2,
		.provisioned_generation = 2,
		.gone_since_ms =
			chance(f, 20) ? 0 : NOW_MS + 200 - (int64_t)rng_below(&f->rng, 2400),
		.deleted = chance(f, 10),
	};
	m->suspended_outside = chance(f, 15);
	m->suspension = (struct plan_suspension){.name = m->name,
		.reason = "x",
		.by = "alice",
		.has_until = chance(f, 50),
		.until_ms = chance(f, 50) ? NOW_MS : NOW_MS + 1};
}

static void add_member(struct fleet *f, struct member *m)
{
	struct plan_input *in = &f->in;

	if (m->declared)
		map_put(&f->catalog->by_name, m->name, &m->document);
	else if (m->known)
		f->accepted[in->n_accepted++] = &m->document;
	if (m->is_live)
		f->live[in->n_live++] = &m->live;
	if (m->in_inventory)
		f->records[in->n_records++] = &m->record;
	if (m->suspended_outside)
		f->suspensions[in->n_suspensions++] = m->suspension;
}

static void fleet_init(struct fleet *f, uint64_t seed)
{
	*f = (struct fleet){.catalog = catalog_new()};
	f->rng = rng_from_seed(&f->seed, seed);
	f->catalog->complete = chance(f, 80);
	f->in = (struct plan_input){
		.catalog = f->catalog,
		.accepted = f->accepted,
		.live = f->live,
		.records = f->records,
		.suspensions = f->suspensions,
		.approvals = f->approvals,
		.prune = {.enabled = chance(f, 80),
			.max = {.value = (int64_t)rng_below(&f->rng, 4)},
			.grace_ms = chance(f, 50) ? GRACE_MS : 0},
		.adopt = chance(f, 50) ? ADOPT_OVERWRITE : ADOPT_MATCH,
		.mode = chance(f, 20) ? SYNC_REPORT : SYNC_HEAL,
		.rewound = chance(f, 5),
		.brake = chance(f, 5) ? "because" : NULL,
		.max_updates = chance(f, 10) ? 1 : 0,
		.now_ms = NOW_MS,
	};
	if (chance(f, 30)) {
		f->in.prune.max.percent = true;
		f->in.prune.max.value *= 20;
	}
	for (int i = 0; i < MEMBERS; i++)
		random_member(f, &f->members[i], i);
	for (int i = 0; i < MEMBERS; i++) {
		random_sync(f, &f->members[i]);
		add_member(f, &f->members[i]);
	}
	f->plan = plan_build(&f->in);
}

static void fleet_release(struct fleet *f)
{
	plan_free(f->plan);
	catalog_free(f->catalog);
	arena_release(&f->arena);
}

static struct member *member_of(struct fleet *f, const struct plan_item *it)
{
	return &f->members[it->name[2] - '0'];
}

static bool is_suspended(const struct member *m)
{
	const struct sync_suspend *yaml = &m->document.sync.suspend;
	bool document_counts = m->declared || m->known;

	return (document_counts && yaml->is_set && (!yaml->has_until || yaml->until_ms > NOW_MS)) ||
	       (m->suspended_outside &&
		       (!m->suspension.has_until || m->suspension.until_ms > NOW_MS));
}

static bool depends_on(const struct member *m, const char *name)
{
	const struct node *list = m->document.sync.depends_on;

	return list && strcmp(list->u.seq.at[0]->u.string.s, name) == 0;
}

/* Of one that is to be deleted: nobody who is still there and ours depends on it. */
static void check_dependants(struct fleet *f, const struct member *m)
{
	for (int i = 0; i < MEMBERS; i++) {
		const struct member *other = &f->members[i];
		bool counts = other != m && other->is_live && other->in_inventory &&
			      !other->is_other && (other->declared || other->known);
		const struct plan_item *it = plan_find(f->plan, other->name);

		if (counts && it && !it->gone)
			assert_false(depends_on(other, m->name));
	}
}

static void check_destruction(struct fleet *f, const struct plan_item *it)
{
	const struct member *m = member_of(f, it);

	assert_true(m->is_live && m->in_inventory && !m->is_other);
	assert_true(it->ours);
	assert_int_not_equal(m->live.status, LIVE_DELETING);
	assert_false(m->document.sync.protect);
	assert_false(is_suspended(m));
	assert_true(f->catalog->complete);
	assert_false(f->in.rewound);
	assert_null(f->in.brake);
	if (it->action == PLAN_REPLACE) {
		assert_true(m->declared && m->document.sync.replace);
		return;
	}
	int64_t since = m->record.gone_since_ms;
	assert_true(!m->declared && m->known);
	assert_true(f->in.prune.enabled);
	assert_int_equal(m->document.sync.on_remove, REMOVE_DELETE);
	assert_true(map_size(&f->catalog->by_name) > 0);
	if (f->in.prune.grace_ms)
		assert_true(since > 0 && since + GRACE_MS <= NOW_MS);
	check_dependants(f, m);
}

static int64_t limit_of(const struct fleet *f)
{
	int64_t n = (int64_t)f->in.n_records;

	return f->in.prune.max.percent ? n * f->in.prune.max.value / 100 : f->in.prune.max.value;
}

/* Deletes of ours that are under way. */
static int64_t count_deleting(const struct fleet *f)
{
	int64_t n = 0;

	for (int i = 0; i < MEMBERS; i++) {
		const struct member *m = &f->members[i];

		n += m->is_live && m->in_inventory && !m->is_other &&
		     m->live.status == LIVE_DELETING && (!m->declared || m->record.deleted) &&
		     (m->declared || f->catalog->complete);
	}
	return n;
}

static void check_fleet(struct fleet *f, size_t *n_destroyed)
{
	int64_t n = 0;

	vec_each (it, &f->plan->items) {
		const struct member *m = member_of(f, it);
		bool destroys = it->action == PLAN_DELETE || it->action == PLAN_REPLACE;

		if (is_suspended(m))
			assert_true(it->action == PLAN_NONE ||
				    (it->action == PLAN_HOLD && it->hold == PLAN_HOLD_SUSPEND));
		if (destroys)
			check_destruction(f, it);
		n += destroys;
	}
	assert_true(n == 0 || n + count_deleting(f) <= limit_of(f));
	*n_destroyed += (size_t)n;
}

static void test_no_guard_lets_a_delete_through(void **state)
{
	size_t n_destroyed = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= FLEETS; seed++) {
		struct fleet f;

		fleet_init(&f, seed);
		check_fleet(&f, &n_destroyed);
		fleet_release(&f);
	}
	assert_true(n_destroyed > FLEETS / 50); /* or nothing was tried */
}

/* What is approved is done, or held for something that nobody can approve. */
static void test_an_approval_lifts_what_asked_for_it(void **state)
{
	size_t n_approved = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= FLEETS / 10; seed++) {
		struct fleet f;
		const char *asked = NULL;

		fleet_init(&f, seed);
		struct plan *first = f.plan;
		vec_each (it, &first->items)
			asked = asked ? asked : it->approval;
		f.approvals[0] = asked;
		f.in.n_approvals = asked ? 1 : 0;
		f.plan = plan_build(&f.in);
		vec_each (it, &f.plan->items) {
			bool is_asked = asked && it->approval && strcmp(it->approval, asked) == 0;

			if (is_asked)
				assert_true(it->approved);
			n_approved += is_asked && it->action == PLAN_DELETE;
		}
		plan_free(first);
		fleet_release(&f);
	}
	assert_true(n_approved > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_guard_lets_a_delete_through),
		cmocka_unit_test(test_an_approval_lifts_what_asked_for_it),
	};

	return cmocka_run_group_tests_name("plan_guard", tests, NULL, NULL);
}
