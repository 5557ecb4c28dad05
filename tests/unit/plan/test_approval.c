/* What an approval is bound to, and what it is not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/hash.h"
#include "doc/json.h"
#include "plan/plan.h"

/* A replicator that is not in Git any more, and whose delete asks for an approval. */
struct removed {
	struct arena arena;
	struct catalog *catalog;
	struct replicator document;
	struct live live;
	struct plan_record record;
	char digest[HASH_HEX_MAX];
};

static const char body[] = "{\"provider\": \"MirrorMaker2\", \"source_kafka_id\": \"prod-eu\","
			   "\"destination_kafka_id\": \"dr-eu\", \"topic_whitelist\": \"b, a\","
			   "\"advanced_configuration\": {\"tasks.max\": 4, \"x.secret\": \"s1\"}}";

static struct spec decode(struct removed *r, const char *json)
{
	struct field_place place = {.arena = &r->arena, .path = ""};
	struct problems problems = PROBLEMS_INIT;
	struct spec spec = {0};
	struct node *root = NULL;

	assert_int_equal(json_read(&r->arena, json, strlen(json), &root, NULL), 0);
	spec_decode(root, &place, false, &spec, &problems);
	problems_release(&problems);
	return spec;
}

static void removed_init(struct removed *r)
{
	*r = (struct removed){.catalog = catalog_new()};
	r->catalog->complete = true;
	r->document = (struct replicator){.name = "gone-dr", .file = "eu.yaml", .line = 4};
	r->live = (struct live){
		.identifier = "gone-dr",
		.uid = "u-1",
		.created_at = "2026-11-30T16:44:23.100Z",
		.generation = 3,
		.has_observed = true,
		.observed_generation = 3,
		.status = LIVE_HEALTHY,
		.status_word = "Healthy",
		.status_message = "",
		.spec = decode(r, body),
	};
	r->record = (struct plan_record){
		.name = "gone-dr", .has_last_applied = true, .seen_generation = 1};
}

static void removed_release(struct removed *r)
{
	catalog_free(r->catalog);
	arena_release(&r->arena);
}

/* Returns what has to be approved, until the next call. */
static const char *digest_of(struct removed *r)
{
	const struct replicator *accepted = &r->document;
	const struct live *live = &r->live;
	const struct plan_record *record = &r->record;
	const struct plan_input in = {
		.catalog = r->catalog,
		.accepted = &accepted,
		.n_accepted = 1,
		.live = &live,
		.n_live = 1,
		.records = &record,
		.n_records = 1,
		.prune = {.enabled = true, .max = {.value = 0}},
	};
	struct plan *p = plan_build(&in);

	assert_non_null(p->items.at[0].approval);
	snprintf(r->digest, sizeof(r->digest), "%s", p->items.at[0].approval);
	plan_free(p);
	assert_int_equal(strlen(r->digest), HASH_HEX_MAX - 1);
	return r->digest;
}

static void expect(struct removed *changed, bool same)
{
	struct removed plain;

	removed_init(&plain);
	if (same)
		assert_string_equal(digest_of(&plain), digest_of(changed));
	else
		assert_string_not_equal(digest_of(&plain), digest_of(changed));
	removed_release(&plain);
	removed_release(changed);
}

/* An approval is kept in a store: a digest that comes out otherwise some day loses it. */
static void test_the_digest_is_the_same_in_every_version(void **state)
{
	struct removed r;

	(void)state;
	removed_init(&r);
	assert_string_equal(
		digest_of(&r), "c2998695e57495ff6252e50ee07fc845a5815a3af1206501be5750ff1698bd27");
	removed_release(&r);
}

static void test_it_does_not_bind_the_document_or_the_generation(void **state)
{
	struct removed r;

	(void)state;
	removed_init(&r);
	r.document.file = "other.yaml";
	r.document.line = 77;
	r.live.generation = r.live.observed_generation = 9;
	expect(&r, true);
}

static void test_it_does_not_bind_secrets(void **state)
{
	struct removed r;

	(void)state;
	removed_init(&r);
	r.live.spec =
		decode(&r, "{\"provider\": \"MirrorMaker2\", \"source_kafka_id\": \"prod-eu\","
			   "\"destination_kafka_id\": \"dr-eu\", \"topic_whitelist\": \"a,b\","
			   "\"advanced_configuration\": {\"x.secret\": \"s2\", \"tasks.max\": 4}}");
	expect(&r, true);
}

static void test_it_binds_the_values(void **state)
{
	struct removed r;

	(void)state;
	removed_init(&r);
	r.live.spec.value[SPEC_LAG_ALERT_THRESHOLD] = node_int(&r.arena, 5);
	expect(&r, false);
}

static void test_it_binds_the_object(void **state)
{
	struct removed r;

	(void)state;
	removed_init(&r);
	r.live.uid = "u-2";
	expect(&r, false);
}

static void test_it_binds_the_name(void **state)
{
	struct removed r;

	(void)state;
	removed_init(&r);
	r.live.identifier = r.record.name = r.document.name = "gone-us";
	expect(&r, false);
}

/* Without a uid the second of the creation has to do: answers differ in fractions. */
static void test_without_a_uid_it_binds_the_second_of_the_creation(void **state)
{
	struct removed r, other;

	(void)state;
	removed_init(&r);
	removed_init(&other);
	r.live.uid = other.live.uid = NULL;
	other.live.created_at = "2026-11-30T17:44:23+01:00";
	assert_string_equal(digest_of(&r), digest_of(&other));
	other.live.created_at = "2026-11-30T16:44:24Z";
	assert_string_not_equal(digest_of(&r), digest_of(&other));
	removed_release(&r);
	removed_release(&other);
}

static void test_it_binds_the_action(void **state)
{
	struct removed r;

	(void)state;
	removed_init(&r);
	r.document.spec = r.live.spec;
	r.document.spec.value[SPEC_PROVIDER] = node_string(&r.arena, "ClusterLink");
	r.document.sync.replace = true;
	map_put(&r.catalog->by_name, r.document.name, &r.document);
	r.record.last_applied = r.live.spec;
	expect(&r, false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_digest_is_the_same_in_every_version),
		cmocka_unit_test(test_it_does_not_bind_the_document_or_the_generation),
		cmocka_unit_test(test_it_does_not_bind_secrets),
		cmocka_unit_test(test_it_binds_the_values),
		cmocka_unit_test(test_it_binds_the_object),
		cmocka_unit_test(test_it_binds_the_name),
		cmocka_unit_test(test_without_a_uid_it_binds_the_second_of_the_creation),
		cmocka_unit_test(test_it_binds_the_action),
	};

	return cmocka_run_group_tests_name("plan_approval", tests, NULL, NULL);
}
