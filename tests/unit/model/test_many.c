/* Catalogs of thousands: what is done for each must not grow with all. */
#include "tree.h"

#include "base/alloc.h"
#include "base/limits.h"
#include "model/catalog.h"

#define MANY 5000

static void add_replicator_of(struct buf *text, size_t i, const char *topics, const char *more)
{
	buf_addf(text,
		"---\napiVersion: weir/v1\nkind: KafkaReplicator\nmetadata: {name: r%zu}\n"
		"spec: {provider: MirrorMaker2, source_kafka_id: a, destination_kafka_id: b, "
		"replication_mode: active-passive, topic_whitelist: [%s]%s\n",
		i, topics, more);
}

static void add_replicator(struct buf *text, size_t i, const char *more)
{
	auto_free char *topic = xasprintf("t%zu", i);

	add_replicator_of(text, i, topic, more);
}

static void add_text(struct catalog *c, const char *path, const struct buf *text)
{
	struct parsed_file *parsed = parsed_file_new(buf_str(text), text->len);

	catalog_add(c, path, parsed);
	parsed_file_unref(parsed);
}

/* Each depends on the next, of `n` in a row or, if `closed`, in a circle. */
static struct catalog *load_row(size_t n, bool closed)
{
	struct catalog *c = catalog_new();

	for (size_t i = 0; i < n; i++) {
		auto_buf struct buf text = BUF_INIT, more = BUF_INIT;
		auto_free char *path = xasprintf("f%zu.yaml", i);

		buf_adds(&more, "}\n");
		if (closed || i + 1 < n)
			buf_addf(&more, "sync: {depends_on: [r%zu]}", (i + 1) % n);
		add_replicator(&text, i, buf_str(&more));
		add_text(c, path, &text);
	}
	catalog_finish(c);
	return c;
}

static void test_a_row_of_dependences_is_no_circle(void **state)
{
	struct catalog *c = load_row(MANY, false);

	(void)state;
	assert_true(c->complete);
	catalog_free(c);
}

static void test_everybody_in_a_large_circle_fails(void **state)
{
	struct catalog *c = load_row(MANY, true);
	auto_buf struct buf line = BUF_INIT;

	(void)state;
	assert_int_equal(c->n_failed, MANY);
	assert_int_equal(c->problems.n_errors, MANY);
	assert_int_equal(c->problems.n, LIMIT_PROBLEMS);
	problem_format(&c->problems.at[0], &line);
	assert_non_null(strstr(buf_str(&line), "r0 -> r1 -> r2 -> "));
	assert_non_null(strstr(buf_str(&line), "(5000 in all) -> r0"));
	catalog_free(c);
}

static void test_names_that_are_missing_in_thousands(void **state)
{
	struct catalog *c = catalog_new();

	(void)state;
	for (size_t i = 0; i < MANY; i++) {
		auto_buf struct buf text = BUF_INIT;
		auto_free char *path = xasprintf("f%zu.yaml", i);
		auto_free char *more =
			xasprintf(", source_cluster: none}\nsync: {depends_on: [x%zu]}", i);

		add_replicator(&text, i, more);
		add_text(c, path, &text);
	}
	catalog_finish(c);
	assert_int_equal(c->n_failed, MANY);
	catalog_free(c);
}

/* 40,000 labels for each of 1,000. */
static void test_more_than_there_is_room_for_is_an_error(void **state)
{
	struct catalog *c = catalog_new();
	auto_buf struct buf defaults = BUF_INIT;

	(void)state;
	buf_adds(&defaults, "apiVersion: weir/v1\nkind: Defaults\nmetadata:\n  labels:\n");
	for (int i = 0; i < 40000; i++)
		buf_addf(&defaults, "    l%d: x\n", i);
	add_text(c, "defaults.yaml", &defaults);
	for (size_t i = 0; i < 1000; i++) {
		auto_buf struct buf text = BUF_INIT;
		auto_free char *path = xasprintf("f%zu.yaml", i);

		add_replicator(&text, i, "}");
		add_text(c, path, &text);
	}
	catalog_finish(c);
	assert_false(c->complete);
	assert_int_equal(c->n_failed, 1000 - LIMIT_MERGED_KEYS / 40000);
	assert_non_null(strstr(c->problems.at[0].message, "take some of those in defaults.yaml:1"));
	catalog_free(c);
}

/*
 * Two replicators copy the same `n` topics, and the first leaves out all but the last of them, each
 * by an expression of its own: to see that the last is copied twice takes n * n / 2 matches.
 */
static size_t count_overlap_warnings(size_t n)
{
	struct catalog *c = catalog_new();
	auto_buf struct buf text = BUF_INIT, names = BUF_INIT, more = BUF_INIT;

	buf_adds(&more, ", topic_blacklist: [x");
	for (size_t i = 0; i < n; i++) {
		buf_addf(&names, "%sn%zu", i ? ", " : "", i);
		if (i + 1 < n)
			buf_addf(&more, ", 'n%zu[.]?'", i);
	}
	buf_adds(&more, "]}");
	add_replicator_of(&text, 0, buf_str(&names), buf_str(&more));
	add_replicator_of(&text, 1, buf_str(&names), "}");
	add_text(c, "overlap.yaml", &text);
	catalog_finish(c);
	size_t n_warnings = c->problems.n_warnings;
	assert_int_equal(c->n_failed, 0);
	catalog_free(c);
	return n_warnings;
}

static void test_blacklists_are_held_against_names_up_to_a_budget(void **state)
{
	(void)state;
	assert_int_equal(count_overlap_warnings(100), 1);
	assert_int_equal(count_overlap_warnings(500), 0);
}

/* One of `n` settings is misspelt in sync.ignore. */
static bool is_setting_suggested(size_t n)
{
	struct catalog *c = catalog_new();
	auto_buf struct buf text = BUF_INIT, more = BUF_INIT, line = BUF_INIT;
	bool found = false;

	buf_adds(&more, ", advanced_configuration: {producer.linger.ms: 5");
	for (size_t i = 1; i < n; i++)
		buf_addf(&more, ", consumer.k%zu: x", i);
	buf_adds(&more, "}}\nsync: {ignore: [/advanced_configuration/producer.lingr.ms]}");
	add_replicator(&text, 0, buf_str(&more));
	add_text(c, "ignore.yaml", &text);
	catalog_finish(c);
	vec_each (it, &c->problems) {
		buf_clear(&line);
		problem_format(it, &line);
		found = found || strstr(buf_str(&line), "did you mean /advanced_configuration");
	}
	catalog_free(c);
	return found;
}

static void test_settings_are_held_against_few_others(void **state)
{
	(void)state;
	assert_true(is_setting_suggested(200));
	assert_false(is_setting_suggested(201));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_row_of_dependences_is_no_circle),
		cmocka_unit_test(test_everybody_in_a_large_circle_fails),
		cmocka_unit_test(test_names_that_are_missing_in_thousands),
		cmocka_unit_test(test_more_than_there_is_room_for_is_an_error),
		cmocka_unit_test(test_blacklists_are_held_against_names_up_to_a_budget),
		cmocka_unit_test(test_settings_are_held_against_few_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
