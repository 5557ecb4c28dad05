/* Many replicators, and large ones: what a plan costs and how long what it shows may get. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "plan/plan.h"

struct fleet {
	struct arena arena;
	struct catalog *catalog;
	struct spec spec;
	struct {
		VEC_FIELDS(const struct live *);
	} live;
	struct {
		VEC_FIELDS(const struct plan_record *);
	} records;
	struct plan *plan;
};

static const struct plan_header header = {.name = "acme"};

static struct spec plain_spec(struct arena *a)
{
	struct node *topics = node_seq(a);

	node_seq_add(a, topics, node_string(a, "orders.*"));
	return (struct spec){.value = {
				     [SPEC_PROVIDER] = node_string(a, "MirrorMaker2"),
				     [SPEC_SOURCE_KAFKA_ID] = node_string(a, "prod-eu"),
				     [SPEC_DESTINATION_KAFKA_ID] = node_string(a, "dr-eu"),
				     [SPEC_REPLICATION_MODE] = node_string(a, "active-passive"),
				     [SPEC_TOPIC_WHITELIST] = topics,
			     }};
}

static void fleet_init(struct fleet *f)
{
	*f = (struct fleet){.catalog = catalog_new()};
	f->catalog->complete = true;
	f->spec = plain_spec(&f->arena);
}

static struct replicator *declare(struct fleet *f, const char *name)
{
	struct replicator *r = arena_alloc(&f->arena, sizeof(*r));

	*r = (struct replicator){.name = name, .file = "eu.yaml", .line = 4, .spec = f->spec};
	map_put(&f->catalog->by_name, name, r);
	return r;
}

static void add_drifted(
	struct fleet *f, const char *name, const struct spec *applied, const struct spec *spec)
{
	struct live *live = arena_alloc(&f->arena, sizeof(*live));
	struct plan_record *record = arena_alloc(&f->arena, sizeof(*record));

	*live = (struct live){.identifier = name,
		.generation = 1,
		.has_observed = true,
		.observed_generation = 1,
		.status = LIVE_HEALTHY,
		.status_word = "Healthy",
		.status_message = "",
		.spec = *spec};
	*record = (struct plan_record){.name = name,
		.has_last_applied = true,
		.last_applied = *applied,
		.seen_generation = 1};
	vec_push(&f->live, live);
	vec_push(&f->records, record);
}

static void add_live(struct fleet *f, const char *name, const struct spec *spec)
{
	add_drifted(f, name, spec, spec);
}

static void build(struct fleet *f)
{
	struct plan_input in = {.catalog = f->catalog,
		.live = f->live.at,
		.n_live = f->live.n,
		.records = f->records.at,
		.n_records = f->records.n};

	f->plan = plan_build(&in);
}

static void fleet_release(struct fleet *f)
{
	plan_free(f->plan);
	catalog_free(f->catalog);
	vec_release(&f->live);
	vec_release(&f->records);
	arena_release(&f->arena);
}

static void test_what_is_in_sync_takes_no_memory_of_its_own(void **state)
{
	struct fleet f;
	auto_buf struct buf out = BUF_INIT;

	(void)state;
	fleet_init(&f);
	for (int i = 9999; i >= 0; i--) {
		const char *name = arena_printf(&f.arena, "r-%04d", i);

		declare(&f, name);
		add_live(&f, name, &f.spec);
	}
	build(&f);
	assert_int_equal(f.plan->items.n, 10000);
	assert_int_equal(f.plan->arena.used, 0);
	vec_each (it, &f.plan->items) {
		assert_int_equal(it->action, PLAN_NONE);
		assert_null(it->diffs.at);
		assert_null(it->notes.at);
	}
	plan_render(f.plan, &header, PLAN_TEXT, &out);
	assert_string_equal(
		buf_str(&out), "Plan for acme\n\nNo changes. 10000 replicators are as Git says.\n");
	fleet_release(&f);
}

static void test_a_comment_counts_what_it_has_no_room_for(void **state)
{
	struct fleet f;
	auto_buf struct buf out = BUF_INIT;

	(void)state;
	fleet_init(&f);
	for (int i = 0; i < 2000; i++)
		declare(&f, arena_printf(&f.arena, "r-%04d", i));
	build(&f);
	plan_render(f.plan, &header, PLAN_MARKDOWN, &out);
	assert_true(out.len <= 60000);
	assert_non_null(strstr(buf_str(&out), "**Plan: 2000 to create.**"));
	assert_non_null(strstr(buf_str(&out), "more, too much for a comment: "));
	assert_non_null(strstr(buf_str(&out), "+ r-0000  create"));
	fleet_release(&f);
}

static void test_an_item_too_long_for_a_comment_does_not_hide_the_others(void **state)
{
	struct fleet f;
	auto_buf struct buf out = BUF_INIT;

	(void)state;
	fleet_init(&f);
	struct replicator *r = declare(&f, "a-large");
	struct node *config = node_map(&f.arena);
	for (int i = 0; i < 5000; i++)
		node_map_set(&f.arena, config, arena_printf(&f.arena, "producer.key.%d", i),
			node_int(&f.arena, i));
	r->spec.value[SPEC_ADVANCED_CONFIGURATION] = config;
	declare(&f, "b-small");
	build(&f);
	plan_render(f.plan, &header, PLAN_MARKDOWN, &out);
	assert_true(out.len <= 60000);
	assert_non_null(strstr(buf_str(&out), "+ b-small  create"));
	assert_non_null(
		strstr(buf_str(&out), "… and 1 more, too much for a comment: 1 to create\n"));
	fleet_release(&f);
}

/* A quadratic step over the keys would take minutes. */
static void test_a_map_of_many_keys_is_emptied(void **state)
{
	struct fleet f;
	const int n_keys = 50000;

	(void)state;
	fleet_init(&f);
	struct node *config = node_map(&f.arena);
	for (int i = 0; i < n_keys; i++)
		node_map_set(&f.arena, config, arena_printf(&f.arena, "producer.key.%d", i),
			node_int(&f.arena, i));
	declare(&f, "a");
	struct spec live = f.spec;
	live.value[SPEC_ADVANCED_CONFIGURATION] = config;
	add_live(&f, "a", &live);
	build(&f);
	const struct plan_item *it = &f.plan->items.at[0];
	assert_int_equal(it->action, PLAN_UPDATE);
	assert_int_equal(it->diffs.n, n_keys);
	struct spec sent = plan_sent(&f.arena, it), intended = plan_intended(&f.arena, it);
	assert_int_equal(sent.value[SPEC_ADVANCED_CONFIGURATION]->type, NODE_NULL);
	assert_null(intended.value[SPEC_ADVANCED_CONFIGURATION]);
	fleet_release(&f);
}

#define DECLARED 10000

static void parse_documents(struct fleet *f)
{
	for (int i = 0; i < DECLARED; i++) {
		auto_buf struct buf text = BUF_INIT;

		buf_addf(&text,
			"apiVersion: weir/v1\nkind: KafkaReplicator\nmetadata:\n  name: "
			"r-%d\nspec:\n"
			"  provider: MirrorMaker2\n  source_kafka_id: prod-eu\n"
			"  destination_kafka_id: dr-eu\n  replication_mode: active-passive\n"
			"  topic_whitelist: [r-%d.orders]\n  lag_alert_threshold: 100\n"
			"sync:\n  depends_on: [r-%d]\n",
			i, i, i ? i / 2 : 1);
		struct parsed_file *parsed = parsed_file_new(buf_str(&text), text.len);
		catalog_add(f->catalog, arena_printf(&f->arena, "r-%d.yaml", i), parsed);
		parsed_file_unref(parsed);
	}
}

/* A third of them drifted, so that everything there is to decide is decided. */
static void show_them_live(struct fleet *f)
{
	for (int i = 0; i < DECLARED; i++) {
		const char *name = arena_printf(&f->arena, "r-%d", i);
		struct replicator *r = map_get(&f->catalog->by_name, name);

		struct spec spec = r->spec;
		if (i % 3 == 0)
			spec.value[SPEC_LAG_ALERT_THRESHOLD] = node_int(&f->arena, 7);
		add_drifted(f, name, &r->spec, &spec);
	}
}

static void test_planning_takes_less_than_parsing(void **state)
{
	struct fleet f;
	clock_t begun = clock();

	(void)state;
	f = (struct fleet){.catalog = catalog_new()};
	parse_documents(&f);
	clock_t parsed = clock() - begun;
	f.catalog->complete = true;
	show_them_live(&f);
	begun = clock();
	build(&f);
	clock_t planned = clock() - begun;
	print_message("%d replicators: parsed in %ld ms, planned in %ld ms of CPU\n", DECLARED,
		parsed * 1000L / CLOCKS_PER_SEC, planned * 1000L / CLOCKS_PER_SEC);
	assert_int_equal(f.plan->items.n, DECLARED);
	assert_true(f.plan->count[PLAN_UPDATE] > 0 && f.plan->count[PLAN_HOLD] > 0);
	assert_true(planned < parsed);
	fleet_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_is_in_sync_takes_no_memory_of_its_own),
		cmocka_unit_test(test_a_comment_counts_what_it_has_no_room_for),
		cmocka_unit_test(test_an_item_too_long_for_a_comment_does_not_hide_the_others),
		cmocka_unit_test(test_a_map_of_many_keys_is_emptied),
		cmocka_unit_test(test_planning_takes_less_than_parsing),
	};

	return cmocka_run_group_tests_name("plan_large", tests, NULL, NULL);
}
