/* The tables of settings: in order, each key once, each with words, and the same key the same thing
 * everywhere. */
#include "tree.h"

#include "base/alloc.h"
#include "model/advanced.h"

static void check_words(const struct advanced_key *key)
{
	assert_non_null(key->doc);
	assert_true(strlen(key->doc) > 0);
	if (key->rule != ADVANCED_SET)
		assert_true(key->doc[0] >= 'a' && key->doc[0] <= 'z');
	if (key->type == ADVANCED_CHOICE && key->rule == ADVANCED_SET)
		assert_non_null(key->choices);
}

static void test_keys_are_sorted_and_documented(void **state)
{
	(void)state;
	for (size_t i = 0; advanced_providers[i]; i++) {
		for (const struct advanced_key *k = advanced_providers[i]->keys; k->name; k++) {
			check_words(k);
			if (k[1].name && strcmp(k->name, k[1].name) >= 0)
				fail_msg("%s stands before %s", k->name, k[1].name);
		}
	}
	for (const struct advanced_client_key *k = advanced_client_keys; k->key.name; k++) {
		assert_true(k->clients != 0);
		if (k->key.rule != ADVANCED_SET)
			check_words(&k->key);
		if (k[1].key.name && strcmp(k->key.name, k[1].key.name) >= 0)
			fail_msg("%s stands before %s", k->key.name, k[1].key.name);
	}
}

static void test_prefixes_end_in_a_dot_and_are_documented(void **state)
{
	(void)state;
	for (size_t i = 0; advanced_providers[i]; i++) {
		for (const struct advanced_prefix *p = advanced_providers[i]->prefixes; p->name;
			p++) {
			assert_non_null(p->doc);
			assert_int_equal(p->name[strlen(p->name) - 1], '.');
		}
	}
}

/* Values are typed before anybody knows which provider they are for. */
static void test_keys_of_two_providers_have_one_type(void **state)
{
	(void)state;
	for (const struct advanced_key *k = advanced_mirrormaker.keys; k->name; k++) {
		const struct advanced_key *other = advanced_find(&advanced_link, k->name).key;

		if (other && other->rule == ADVANCED_SET && k->rule == ADVANCED_SET)
			assert_int_equal(other->type, k->type);
	}
}

static void test_find_takes_the_longest_prefix(void **state)
{
	struct advanced_match match =
		advanced_find(&advanced_mirrormaker, "producer.override.linger.ms");

	(void)state;
	assert_string_equal(match.prefix->name, "producer.override.");
	assert_string_equal(match.client_key, "linger.ms");
	assert_string_equal(match.key->name, "linger.ms");
}

static void test_find_prefers_a_key_of_its_own_to_a_prefix(void **state)
{
	struct advanced_match match =
		advanced_find(&advanced_mirrormaker, "consumer.poll.timeout.ms");

	(void)state;
	assert_non_null(match.key);
	assert_null(match.prefix);
}

static void test_find_keeps_clients_apart(void **state)
{
	(void)state;
	assert_null(advanced_find(&advanced_mirrormaker, "source.consumer.linger.ms").key);
	assert_non_null(
		advanced_find(&advanced_mirrormaker, "source.consumer.fetch.min.bytes").key);
	assert_null(advanced_find(&advanced_mirrormaker, "source.cluster.fetch.min.bytes").key);
	assert_non_null(advanced_find(&advanced_mirrormaker, "source.cluster.ssl.protocol").key);
	assert_non_null(advanced_find(&advanced_link, "ssl.protocol").key);
}

static void test_credentials_are_known_by_name(void **state)
{
	static const char *const credentials[] = {"sasl.jaas.config",
		"producer.override.sasl.jaas.config", "ssl.keystore.password", "ssl.key.password",
		"ssl.keystore.key", "basic.auth.user.info", "transforms.x.api.key",
		"some.client.SECRET"};
	static const char *const others[] = {"tasks.max", "topics",
		"sasl.oauthbearer.token.endpoint.url", "ssl.truststore.location", "key.converter",
		"producer.override.partitioner.ignore.keys"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(credentials); i++)
		assert_true(advanced_is_credential(credentials[i]));
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		assert_false(advanced_is_credential(others[i]));
}

static void test_no_settable_key_is_named_like_a_credential(void **state)
{
	(void)state;
	for (size_t i = 0; advanced_providers[i]; i++) {
		for (const struct advanced_key *k = advanced_providers[i]->keys; k->name; k++)
			assert_false(k->rule == ADVANCED_SET && advanced_is_credential(k->name));
	}
	for (const struct advanced_client_key *k = advanced_client_keys; k->key.name; k++)
		assert_false(k->key.rule == ADVANCED_SET && advanced_is_credential(k->key.name));
}

static void test_only_values_of_known_keys_are_public(void **state)
{
	(void)state;
	assert_true(advanced_is_public("tasks.max"));
	assert_true(advanced_is_public("cluster.link.prefix"));
	assert_true(advanced_is_public("producer.override.acks"));
	assert_false(advanced_is_public("topics"));
	assert_false(advanced_is_public("sasl.jaas.config"));
	assert_false(advanced_is_public("transforms.mask.type"));
	assert_false(advanced_is_public("producer.override.anything"));
}

static const struct node *decode(struct arena *a, const char *yaml, bool wanted)
{
	const struct field_place place = {.arena = a, .path = "advanced_configuration"};
	struct problems problems = PROBLEMS_INIT;
	struct node *decoded;

	assert_int_equal(
		advanced_decode(tree(a, yaml), &place, false, &decoded, &problems), wanted);
	assert_int_equal(problems.n_errors == 0, wanted);
	problems_release(&problems);
	return decoded;
}

static void test_decode_types_what_is_known(void **state)
{
	auto_arena struct arena a = ARENA_INIT;
	const struct node *map = decode(&a,
		"{tasks.max: '4', emit.heartbeats.enabled: 'true', producer.override.acks: 1, "
		"metric.reporters: [a, ' b '], predicates: ' a , b,', errors.retry.timeout: '-1', "
		"unknown: '4'}",
		true);

	(void)state;
	assert_int_equal(node_get(map, "tasks.max")->type, NODE_INT);
	assert_int_equal(node_get(map, "emit.heartbeats.enabled")->type, NODE_BOOL);
	assert_string_equal(node_get_string(map, "producer.override.acks"), "1");
	assert_string_equal(node_get_string(map, "metric.reporters"), "a,b");
	assert_string_equal(node_get_string(map, "predicates"), "a,b");
	assert_int_equal(node_get(map, "errors.retry.timeout")->u.integer, -1);
	assert_string_equal(node_get_string(map, "unknown"), "4");
}

static void test_decode_leaves_out_nulls(void **state)
{
	auto_arena struct arena a = ARENA_INIT;
	const struct node *map = decode(&a, "{tasks.max: ~, offset.lag.max: 5}", true);

	(void)state;
	assert_int_equal(map->u.map.n, 1);
}

static void test_decode_goes_on_after_a_map(void **state)
{
	auto_arena struct arena a = ARENA_INIT;
	const struct node *map = decode(&a, "{producer: {acks: all}, tasks.max: 4}", false);

	(void)state;
	assert_int_equal(map->u.map.n, 1);
	assert_non_null(node_get(map, "tasks.max"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_keys_are_sorted_and_documented),
		cmocka_unit_test(test_prefixes_end_in_a_dot_and_are_documented),
		cmocka_unit_test(test_keys_of_two_providers_have_one_type),
		cmocka_unit_test(test_find_takes_the_longest_prefix),
		cmocka_unit_test(test_find_prefers_a_key_of_its_own_to_a_prefix),
		cmocka_unit_test(test_find_keeps_clients_apart),
		cmocka_unit_test(test_credentials_are_known_by_name),
		cmocka_unit_test(test_no_settable_key_is_named_like_a_credential),
		cmocka_unit_test(test_only_values_of_known_keys_are_public),
		cmocka_unit_test(test_decode_types_what_is_known),
		cmocka_unit_test(test_decode_leaves_out_nulls),
		cmocka_unit_test(test_decode_goes_on_after_a_map),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
