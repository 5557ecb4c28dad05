/* Answers of the API, also of one that is older, newer or odd. */
#include "tree.h"

#include "base/alloc.h"
#include "base/limits.h"
#include "base/text.h"
#include "model/live.h"

static int decode(struct arena *a, const char *yaml, struct live *ret_live, struct err *e)
{
	return live_decode(tree(a, yaml), a, ret_live, e);
}

static void test_decode_full_answer(void **state)
{
	auto_arena struct arena a = ARENA_INIT;
	struct err e = ERR_INIT;
	struct live live;

	(void)state;
	assert_int_equal(
		decode(&a,
			"{identifier: orders-dr, uid: u-1, created_at: '2026-11-30T00:00:00Z', "
			"generation: 4, "
			"observed_generation: 3, status: Updating, status_message: working, fleet: "
			"eu, "
			"provider: MirrorMaker2, topic_whitelist: 'payments.*, orders.*', "
			"source_connection_details: {bootstrap_servers: 'a:1', rack: r1}, "
			"lag_alert_threshold: 10000, endpoints: [], something_new: {a: 1}}",
			&live, &e),
		0);
	assert_string_equal(live.identifier, "orders-dr");
	assert_string_equal(live.uid, "u-1");
	assert_string_equal(live.created_at, "2026-11-30T00:00:00Z");
	assert_int_equal(live.generation, 4);
	assert_true(live.has_observed);
	assert_int_equal(live.observed_generation, 3);
	assert_int_equal(live.status, LIVE_UPDATING);
	assert_string_equal(live.status_message, "working");
	assert_string_equal(live.fleet, "eu");
	assert_string_equal(live.spec.value[SPEC_IDENTIFIER]->u.string.s, "orders-dr");
	assert_int_equal(live.spec.value[SPEC_TOPIC_WHITELIST]->u.seq.n, 2);
	assert_string_equal(
		live.spec.value[SPEC_TOPIC_WHITELIST]->u.seq.at[0]->u.string.s, "orders.*");
	assert_int_equal(live.unknown->u.seq.n, 2);
	assert_string_equal(live.unknown->u.seq.at[0]->u.string.s, "something_new");
	assert_string_equal(
		live.unknown->u.seq.at[1]->u.string.s, "source_connection_details.rack");
}

static void test_decode_only_what_must_be_there(void **state)
{
	auto_arena struct arena a = ARENA_INIT;
	struct err e = ERR_INIT;
	struct live live;

	(void)state;
	assert_int_equal(decode(&a, "{identifier: orders-dr, generation: 1}", &live, &e), 0);
	assert_null(live.uid);
	assert_null(live.created_at);
	assert_null(live.fleet);
	assert_null(live.unknown);
	assert_false(live.has_observed);
	assert_int_equal(live.status, LIVE_UNKNOWN);
	assert_string_equal(live.status_word, "");
	assert_string_equal(live.status_message, "");
	assert_null(live.spec.value[SPEC_PROVIDER]);
}

static void test_decode_keeps_a_status_it_does_not_know(void **state)
{
	auto_arena struct arena a = ARENA_INIT;
	struct err e = ERR_INIT;
	struct live live;

	(void)state;
	assert_int_equal(
		decode(&a, "{identifier: a, generation: 1, status: Paused}", &live, &e), 0);
	assert_int_equal(live.status, LIVE_UNKNOWN);
	assert_string_equal(live.status_word, "Paused");
	assert_int_equal(
		decode(&a, "{identifier: a, generation: 1, status: healthy}", &live, &e), 0);
	assert_int_equal(live.status, LIVE_UNKNOWN);
	assert_int_equal(
		decode(&a, "{identifier: a, generation: 1, status: Unknown}", &live, &e), 0);
	assert_int_equal(live.status, LIVE_UNKNOWN);
}

static void test_decode_passes_over_odd_types(void **state)
{
	auto_arena struct arena a = ARENA_INIT;
	struct err e = ERR_INIT;
	struct live live;

	(void)state;
	assert_int_equal(decode(&a,
				 "{identifier: a, generation: 1, uid: 7, created_at: null, "
				 "observed_generation: 'x', "
				 "status: 5, status_message: null, fleet: {id: eu}}",
				 &live, &e),
		0);
	assert_null(live.uid);
	assert_null(live.created_at);
	assert_false(live.has_observed);
	assert_string_equal(live.status_word, "");
	assert_string_equal(live.status_message, "");
	assert_null(live.fleet);
}

/* So that a difference shows, and is written over. */
static void test_decode_keeps_fields_that_do_not_decode(void **state)
{
	auto_arena struct arena a = ARENA_INIT;
	struct err e = ERR_INIT;
	struct live live;

	(void)state;
	assert_int_equal(decode(&a,
				 "{identifier: a, generation: 1, provider: Mirror3, "
				 "topic_whitelist: [1, a], "
				 "lag_alert_threshold: many, source_connection_details: 'a:9092', "
				 "advanced_configuration: {a: {b: 1}}}",
				 &live, &e),
		0);
	assert_string_equal(live.spec.value[SPEC_PROVIDER]->u.string.s, "Mirror3");
	assert_int_equal(live.spec.value[SPEC_TOPIC_WHITELIST]->u.seq.n, 2);
	assert_string_equal(live.spec.value[SPEC_LAG_ALERT_THRESHOLD]->u.string.s, "many");
	assert_int_equal(live.spec.value[SPEC_SOURCE_CONNECTION_DETAILS]->type, NODE_STRING);
	assert_non_null(node_get(live.spec.value[SPEC_ADVANCED_CONFIGURATION], "a"));
}

/* An API may know more of a connection than we do, and may show credentials as stars. */
static void test_decode_passes_over_unknown_keys_of_a_connection(void **state)
{
	auto_arena struct arena a = ARENA_INIT;
	struct err e = ERR_INIT;
	struct live live;

	(void)state;
	assert_int_equal(decode(&a,
				 "{identifier: a, generation: 1, source_connection_details: "
				 "{password: '***', "
				 "bootstrap_servers: 'b:2, a:1', ssl_enabled: false}}",
				 &live, &e),
		0);
	assert_true(spec_value_equal(SPEC_SOURCE_CONNECTION_DETAILS,
		live.spec.value[SPEC_SOURCE_CONNECTION_DETAILS],
		tree(&a, "{bootstrap_servers: 'a:1,b:2'}")));
}

static void test_decode_takes_numbers_in_strings(void **state)
{
	auto_arena struct arena a = ARENA_INIT;
	struct err e = ERR_INIT;
	struct live live;

	(void)state;
	assert_int_equal(decode(&a, "{identifier: a, generation: 1, lag_alert_threshold: '5000'}",
				 &live, &e),
		0);
	assert_int_equal(live.spec.value[SPEC_LAG_ALERT_THRESHOLD]->type, NODE_INT);
	assert_int_equal(live.spec.value[SPEC_LAG_ALERT_THRESHOLD]->u.integer, 5000);
}

static void refuse(const char *yaml, const char *message)
{
	auto_arena struct arena a = ARENA_INIT;
	struct err e = ERR_INIT;
	struct live live;

	assert_int_equal(decode(&a, yaml, &live, &e), -ERR_REMOTE);
	assert_string_equal(e.msg, message);
}

static void test_decode_refuses_what_cannot_be_told_apart(void **state)
{
	(void)state;
	refuse("{generation: 1}", "a replicator without an identifier");
	refuse("{identifier: 5, generation: 1}", "a replicator without an identifier");
	refuse("{identifier: a}", "replicator \"a\" has no generation");
	refuse("{identifier: a, generation: '1'}", "replicator \"a\" has no generation");
	refuse("[a]", "a replicator is a list and not an object");
}

static void test_operation_in_full(void **state)
{
	auto_arena struct arena a = ARENA_INIT;
	struct err e = ERR_INIT;
	struct operation operation;

	(void)state;
	assert_int_equal(
		operation_decode(
			tree(&a, "{id: o-1, generation: 3, state: Failed, error: no brokers}"), &a,
			&operation, &e),
		0);
	assert_string_equal(operation.id, "o-1");
	assert_int_equal(operation.generation, 3);
	assert_int_equal(operation.state, OPERATION_FAILED);
	assert_string_equal(operation.error, "no brokers");
}

static void test_operation_without_a_state(void **state)
{
	auto_arena struct arena a = ARENA_INIT;
	struct err e = ERR_INIT;
	struct operation operation;

	(void)state;
	assert_int_equal(operation_decode(tree(&a, "{id: 7, error: null}"), &a, &operation, &e), 0);
	assert_string_equal(operation.id, "");
	assert_int_equal(operation.state, OPERATION_UNKNOWN);
	assert_string_equal(operation.error, "");
	assert_int_equal(operation_decode(tree(&a, "{state: Queued}"), &a, &operation, &e), 0);
	assert_int_equal(operation.state, OPERATION_UNKNOWN);
	assert_int_equal(operation_decode(tree(&a, "text"), &a, &operation, &e), -ERR_REMOTE);
}

static struct node *long_words(struct arena *a, const char *key)
{
	auto_buf struct buf words = BUF_INIT;
	struct node *object = node_map(a);

	buf_adds(&words, "red \x1b[31m, turned \xe2\x80\xae, two\nlines ");
	for (int i = 0; i < 100000; i++)
		buf_adds(&words, "\xc3\xa9");
	node_map_set(a, object, "identifier", node_string(a, "orders-dr"));
	node_map_set(a, object, "generation", node_int(a, 1));
	node_map_set(a, object, key, node_string(a, buf_str(&words)));
	return object;
}

static void assert_fit_to_be_read(const char *words)
{
	const char *begin = "red \\x1b[31m, turned \\u{202e}, two\\nlines \xc3\xa9";

	assert_memory_equal(words, begin, strlen(begin));
	assert_in_range(strlen(words), LIMIT_API_WORDS_BYTES - 3, LIMIT_API_WORDS_BYTES - 1);
	for (uint32_t c; *words;) {
		size_t n = text_next(words, strlen(words), &c);

		assert_true(n > 0);
		words += n;
	}
}

static void test_words_of_the_api_are_escaped_and_cut(void **state)
{
	auto_arena struct arena a = ARENA_INIT;
	struct err e = ERR_INIT;
	struct live live;
	struct operation operation;

	(void)state;
	assert_int_equal(live_decode(long_words(&a, "status_message"), &a, &live, &e), 0);
	assert_fit_to_be_read(live.status_message);
	assert_int_equal(live_decode(long_words(&a, "status"), &a, &live, &e), 0);
	assert_fit_to_be_read(live.status_word);
	assert_int_equal(operation_decode(long_words(&a, "error"), &a, &operation, &e), 0);
	assert_fit_to_be_read(operation.error);
}

static void test_names_of_states(void **state)
{
	(void)state;
	assert_string_equal(live_status_name(LIVE_HEALTHY), "Healthy");
	assert_string_equal(live_status_name(LIVE_UNKNOWN), "Unknown");
	assert_string_equal(operation_state_name(OPERATION_SUPERSEDED), "Superseded");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_decode_full_answer),
		cmocka_unit_test(test_decode_only_what_must_be_there),
		cmocka_unit_test(test_decode_keeps_a_status_it_does_not_know),
		cmocka_unit_test(test_decode_passes_over_odd_types),
		cmocka_unit_test(test_decode_keeps_fields_that_do_not_decode),
		cmocka_unit_test(test_decode_passes_over_unknown_keys_of_a_connection),
		cmocka_unit_test(test_decode_takes_numbers_in_strings),
		cmocka_unit_test(test_decode_refuses_what_cannot_be_told_apart),
		cmocka_unit_test(test_operation_in_full),
		cmocka_unit_test(test_operation_without_a_state),
		cmocka_unit_test(test_words_of_the_api_are_escaped_and_cut),
		cmocka_unit_test(test_names_of_states),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
