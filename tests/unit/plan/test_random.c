/*
 * A random history of one replicator: Git edits, drift, and edits of what is not ours. After what
 * the plan says was sent, there is nothing left to do, and what is not ours is as it was.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/rng.h"
#include "doc/json.h"
#include "plan/plan.h"

#define HISTORIES 300
#define STEPS	  12

static const char *const topics[] = {
	"orders", "payments.*", "stock", "refunds", "billing.*", "a", "b"};
static const char *const lists[] = {"topic_blacklist", "groups_whitelist", "groups_blacklist"};
static const char *const units[] = {"messages", "bytes", "seconds"};
static const char *const keys[] = {"tasks.max", "replication.factor", "offset.lag.max",
	"refresh.topics.interval.seconds", "checkpoints.topic.replication.factor"};

struct history {
	struct rng_seeded seed;
	struct rng rng;
	struct arena arena;
	struct replicator desired;
	struct plan_record record;
	bool has_record;
	struct node *body; /* what the API has, NULL before it was created */
	struct live live;
	int64_t generation;
	struct plan *plan;
	struct catalog *catalog;
};

static bool chance(struct history *h, unsigned percent)
{
	return rng_below(&h->rng, 100) < percent;
}

static const char *pick(struct history *h, const char *const *words, size_t n)
{
	return words[rng_below(&h->rng, n)];
}

/* The same patterns are a list or a string, in any order, with repetitions. */
static struct node *random_patterns(struct history *h, size_t least)
{
	struct node *list = node_seq(&h->arena);
	size_t n = least + rng_below(&h->rng, 4);
	auto_buf struct buf joined = BUF_INIT;

	for (size_t i = 0; i < n; i++) {
		const char *topic = pick(h, topics, ARRAY_SIZE(topics));

		node_seq_add(&h->arena, list, node_string(&h->arena, topic));
		buf_addf(&joined, "%s%s", i ? ", " : "", topic);
	}
	return chance(h, 50) ? list : node_string(&h->arena, buf_str(&joined));
}

static struct node *random_number(struct history *h)
{
	return node_int(&h->arena, 1 + (int64_t)rng_below(&h->rng, 5));
}

static struct node *random_config(struct history *h)
{
	struct node *map = node_map(&h->arena);

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (chance(h, 40))
			node_map_set(&h->arena, map, keys[i],
				chance(h, 10) ? node_null(&h->arena) : random_number(h));
	return map;
}

/* A unit says nothing alone, and an API refuses it then. */
static void add_threshold(struct history *h, struct node *body)
{
	struct arena *a = &h->arena;
	bool is_null = chance(h, 25);

	if (chance(h, 40))
		return;
	node_map_set(a, body, "lag_alert_threshold", is_null ? node_null(a) : random_number(h));
	if (is_null)
		node_map_set(a, body, "lag_alert_threshold_unit", node_null(a));
	else if (chance(h, 70))
		node_map_set(a, body, "lag_alert_threshold_unit",
			node_string(a, pick(h, units, ARRAY_SIZE(units))));
}

static struct node *random_body(struct history *h)
{
	struct arena *a = &h->arena;
	struct node *body = node_map(a);

	node_map_set(a, body, "provider", node_string(a, "MirrorMaker2"));
	node_map_set(a, body, "source_kafka_id", node_string(a, "prod-eu"));
	node_map_set(a, body, "destination_kafka_id", node_string(a, "dr-eu"));
	node_map_set(a, body, "replication_mode", node_string(a, "active-passive"));
	node_map_set(a, body, "topic_whitelist", random_patterns(h, 1));
	for (size_t i = 0; i < ARRAY_SIZE(lists); i++)
		if (chance(h, 40))
			node_map_set(a, body, lists[i], random_patterns(h, 0));
	add_threshold(h, body);
	if (chance(h, 60))
		node_map_set(a, body, "advanced_configuration", random_config(h));
	return body;
}

static struct spec decode(struct history *h, const struct node *body)
{
	struct field_place place = {.arena = &h->arena, .path = ""};
	struct problems problems = PROBLEMS_INIT;
	struct spec spec = {0};

	if (!spec_decode(body, &place, false, &spec, &problems))
		fail_msg("%s: %s", problems.at[0].path, problems.at[0].message);
	problems_release(&problems);
	return spec;
}

/* As an API would: null takes a field away or stays there as null. */
static void apply(struct history *h, const struct node *patch)
{
	if (!h->body)
		h->body = node_map(&h->arena);
	for (size_t i = 0; i < patch->u.map.n; i++)
		node_map_set(&h->arena, h->body, patch->u.map.at[i].key->u.string.s,
			patch->u.map.at[i].value);
	h->generation++;
}

static void plan(struct history *h)
{
	const struct live *live = &h->live;
	const struct plan_record *record = &h->record;
	struct plan_input in = {.live = &live,
		.n_live = h->body ? 1 : 0,
		.records = &record,
		.n_records = h->has_record ? 1 : 0};

	if (h->body)
		h->live = (struct live){
			.identifier = "x",
			.generation = h->generation,
			.has_observed = true,
			.observed_generation = h->generation,
			.status = LIVE_HEALTHY,
			.status_word = "Healthy",
			.status_message = "",
			.spec = decode(h, h->body),
		};
	plan_free(h->plan);
	catalog_free(h->catalog);
	h->catalog = catalog_new();
	h->catalog->complete = true;
	map_put(&h->catalog->by_name, "x", &h->desired);
	in.catalog = h->catalog;
	h->plan = plan_build(&in);
	assert_int_equal(h->plan->items.n, 1);
}

/* What the item says is sent, its effect is remembered, and then there must be nothing more to do.
 */
static void carry_out(struct history *h)
{
	const struct plan_item *it = &h->plan->items.at[0];
	struct spec sent = plan_sent(&h->arena, it), intended = plan_intended(&h->arena, it);

	if (it->action != PLAN_NONE)
		apply(h, plan_body(&h->arena, it));
	h->record = (struct plan_record){
		.name = "x",
		.has_last_applied = true,
		.last_applied = intended,
		.seen_generation = h->generation,
		.provisioned_generation = h->generation,
	};
	h->has_record = true;
	plan(h);
	it = &h->plan->items.at[0];
	assert_int_equal(it->action, PLAN_NONE);
	assert_int_equal(it->diffs.n, 0);
	assert_int_equal(it->notes.n, 0);
	assert_true(it->healthy && it->ours);
	assert_int_equal(plan_not_kept(&sent, &h->live.spec), 0);
}

static bool owns(const struct spec *spec, enum spec_field field, const char *key)
{
	const struct node *value = spec->value[field];

	if (!value || value->type == NODE_NULL)
		return false;
	return !key || node_get(value, key);
}

/* A unit goes with its threshold, whosever it is. */
static bool is_alone(const struct spec *after, enum spec_field field)
{
	enum spec_field with = spec_fields[field].only_with;

	return with && spec_value_empty(after->value[with]);
}

static void check_alone(const struct spec *after)
{
	for (enum spec_field f = 0; f < SPEC__COUNT; f++)
		if (is_alone(after, f))
			assert_true(spec_value_empty(after->value[f]));
}

/* What neither Git nor the inventory has is as it was. */
static void check_rest(const struct spec *before, const struct spec *after,
	const struct spec *desired, const struct spec *applied)
{
	const struct node *config = before->value[SPEC_ADVANCED_CONFIGURATION];

	for (enum spec_field f = SPEC_PROVIDER; f < SPEC_ADVANCED_CONFIGURATION; f++)
		if (!owns(desired, f, NULL) && !owns(applied, f, NULL) && !is_alone(after, f))
			assert_true(spec_value_equal(f, before->value[f], after->value[f]));
	for (size_t i = 0; config && config->type == NODE_MAP && i < config->u.map.n; i++) {
		const char *key = config->u.map.at[i].key->u.string.s;

		if (!owns(desired, SPEC_ADVANCED_CONFIGURATION, key) &&
			!owns(applied, SPEC_ADVANCED_CONFIGURATION, key))
			assert_true(spec_setting_equal(config->u.map.at[i].value,
				node_get(after->value[SPEC_ADVANCED_CONFIGURATION], key)));
	}
}

static void check_changes(const struct plan_item *it, bool git_changed, bool live_changed)
{
	vec_each (d, &it->diffs) {
		if (!git_changed)
			assert_int_equal(d->change, PLAN_DRIFT);
		if (!live_changed)
			assert_true(d->change == PLAN_CHANGE || d->change == PLAN_RESET);
	}
}

static void step(struct history *h)
{
	bool git_changes = chance(h, 60), live_changes = chance(h, 60);

	if (git_changes)
		h->desired.spec = decode(h, random_body(h));
	if (live_changes)
		apply(h, random_body(h));
	plan(h);
	const struct plan_item *it = &h->plan->items.at[0];
	struct spec before = h->live.spec, applied = h->record.last_applied;
	assert_true(it->action == PLAN_UPDATE || it->action == PLAN_NONE);
	check_changes(it, git_changes, live_changes);
	carry_out(h);
	check_alone(&h->live.spec);
	check_rest(&before, &h->live.spec, &h->desired.spec, &applied);
}

static void run_history(uint64_t seed)
{
	struct history h = {.arena = ARENA_INIT};

	h.rng = rng_from_seed(&h.seed, seed);
	h.desired = (struct replicator){
		.name = "x", .file = "x.yaml", .line = 1, .spec = decode(&h, random_body(&h))};
	plan(&h);
	assert_int_equal(h.plan->items.at[0].action, PLAN_CREATE);
	carry_out(&h);
	for (int i = 0; i < STEPS; i++)
		step(&h);
	plan_free(h.plan);
	catalog_free(h.catalog);
	arena_release(&h.arena);
}

static void test_nothing_is_left_to_do_after_a_plan_was_carried_out(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= HISTORIES; seed++)
		run_history(seed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing_is_left_to_do_after_a_plan_was_carried_out),
	};

	return cmocka_run_group_tests_name("plan_random", tests, NULL, NULL);
}
