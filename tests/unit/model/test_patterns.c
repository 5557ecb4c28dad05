/* Patterns: what they come down to, and which names they match. */
#include "tree.h"

#include "base/alloc.h"
#include "model/patterns.h"

static void test_shapes(void **state)
{
	static const struct {
		const char *pattern;
		enum pattern_shape shape;
		const char *text;
	} rows[] = {
		{"orders", PATTERN_NAME, "orders"},
		{"orders.v1", PATTERN_NAME, "orders.v1"},
		{"orders\\.v1", PATTERN_NAME, "orders.v1"},
		{"orders[.]v1", PATTERN_NAME, "orders.v1"},
		{"a\\-b", PATTERN_NAME, "a-b"},
		{"orders.*", PATTERN_PREFIX, "orders"},
		{"orders\\..*", PATTERN_PREFIX, "orders."},
		{".*", PATTERN_PREFIX, ""},
		{"a.b.*", PATTERN_PREFIX, "a.b"},
		{".*orders", PATTERN_REGEX, NULL},
		{"orders.*x", PATTERN_REGEX, NULL},
		{"orders.+", PATTERN_REGEX, NULL},
		{"orders*", PATTERN_REGEX, NULL},
		{"a|b", PATTERN_REGEX, NULL},
		{"a\\d", PATTERN_REGEX, NULL},
		{"[ab]", PATTERN_REGEX, NULL},
		{"a{3}", PATTERN_REGEX, NULL},
		{"a\\", PATTERN_REGEX, NULL},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		auto_buf struct buf text = BUF_INIT;

		assert_int_equal(pattern_shape(rows[i].pattern, &text), rows[i].shape);
		if (rows[i].text)
			assert_string_equal(buf_str(&text), rows[i].text);
	}
}

static bool matches(const char *pattern, const char *name)
{
	struct pattern *p = pattern_compile(pattern);

	assert_non_null(p);
	bool found = pattern_matches(p, name);
	pattern_free(p);
	return found;
}

static void test_match_is_of_the_whole_name(void **state)
{
	(void)state;
	assert_true(matches("orders", "orders"));
	assert_false(matches("orders", "orders2"));
	assert_false(matches("orders", "my-orders"));
	assert_true(matches("a|ab", "ab"));
	assert_true(matches("orders.v1", "orders-v1"));
	assert_false(matches("orders\\.v1", "orders-v1"));
	assert_false(matches("orders", "Orders"));
	assert_true(matches("(?!test-).*", "prod-a"));
	assert_false(matches("(?!test-).*", "test-a"));
	assert_true(matches("\\Qa.b\\E", "a.b"));
	assert_true(matches("a++b", "aab"));
}

/* It would match, after more steps than a warning is worth. */
static void test_match_gives_up_on_an_expression_that_explodes(void **state)
{
	(void)state;
	assert_true(matches("(a|a)*b|a+", "aaa"));
	assert_false(matches("(a|a)*b|a+", "aaaaaaaaaaaaaaaaaa"));
}

static void test_compile_of_nonsense_is_null(void **state)
{
	(void)state;
	assert_null(pattern_compile("("));
	pattern_free(NULL);
}

static void test_cut_patterns(void **state)
{
	(void)state;
	assert_true(pattern_is_cut("a{1"));
	assert_true(pattern_is_cut("(a"));
	assert_true(pattern_is_cut("[a"));
	assert_false(pattern_is_cut("a"));
	assert_false(pattern_is_cut("3}"));
	assert_false(pattern_is_cut("a\\("));
	assert_false(pattern_is_cut("a{3}"));
}

static void test_internal_topics(void **state)
{
	(void)state;
	assert_true(pattern_is_internal_topic("__consumer_offsets"));
	assert_true(pattern_is_internal_topic("billing.internal"));
	assert_true(pattern_is_internal_topic("a-internal"));
	assert_true(pattern_is_internal_topic(".hidden"));
	assert_false(pattern_is_internal_topic("internal"));
	assert_false(pattern_is_internal_topic("orders"));
}

/* Each of them compiles in Java as well, to the same. */
static void test_expressions_that_java_and_pcre_share_are_accepted(void **state)
{
	static const char *const patterns[] = {"(orders|payments)\\.v[0-9]+", "[a-z]{3}-.+",
		"(?:a|b)c", "(?=a).+", "(?<!x)a.+", "(?<=x)a.+", "(?>a+)b", "(?<name>a)b+",
		"(?i:Audit)", "[^.]+", "[a\\-z]+", "[]a]+", "a\\Qb|c\\E", "\\d+", "\\x41+", "a?",
		"a.+b{2}", "[\\[\\]]+"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(patterns); i++) {
		auto_buf struct buf why = BUF_INIT;

		if (!pattern_check_regex(patterns[i], PATTERN_TOPICS, &why))
			fail_msg("%s", buf_str(&why));
	}
}

/* PCRE2 takes all of them; Java refuses some and reads the others otherwise. */
static void test_expressions_that_only_pcre_knows_are_refused(void **state)
{
	static const char *const patterns[] = {"\\E", "\\0", "\\o{101}", "\\N", "a\\Kb", "\\07",
		"\\e", "\\cA", "\\R", "\\p{L}", "[\\b]", "[a&&b]", "[[a]]", "a{", "{2}", "(|{2})",
		"(?i)a", "(?|a|b)", "(?'n'a)", "(?<n>a)\\k<n>", "(*ACCEPT)a", "(?(?=a)b|c)",
		"(?C1)a", "(?U:a)", "\\Qa"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(patterns); i++) {
		auto_buf struct buf why = BUF_INIT;

		if (pattern_check_regex(patterns[i], PATTERN_GROUPS, &why))
			fail_msg("%s is accepted", patterns[i]);
		assert_true(why.len > 0);
	}
}

static void test_a_link_takes_names_and_prefixes(void **state)
{
	auto_buf struct buf why = BUF_INIT;

	(void)state;
	assert_true(pattern_check_link("orders.v1", PATTERN_TOPICS, &why));
	assert_true(pattern_check_link("orders\\.v1", PATTERN_TOPICS, &why));
	assert_true(pattern_check_link("orders.*", PATTERN_TOPICS, &why));
	assert_true(pattern_check_link(".*", PATTERN_TOPICS, &why));
	assert_false(pattern_check_link("orders.+", PATTERN_TOPICS, &why));
}

static void test_names_longer_than_any_topic_are_refused(void **state)
{
	char name[252];
	auto_buf struct buf why = BUF_INIT;

	(void)state;
	memset(name, 'a', sizeof(name));
	name[249] = '\0';
	assert_true(pattern_check_regex(name, PATTERN_TOPICS, &why));
	name[249] = 'a';
	name[250] = '\0';
	assert_false(pattern_check_regex(name, PATTERN_TOPICS, &why));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shapes),
		cmocka_unit_test(test_match_is_of_the_whole_name),
		cmocka_unit_test(test_match_gives_up_on_an_expression_that_explodes),
		cmocka_unit_test(test_compile_of_nonsense_is_null),
		cmocka_unit_test(test_cut_patterns),
		cmocka_unit_test(test_internal_topics),
		cmocka_unit_test(test_expressions_that_java_and_pcre_share_are_accepted),
		cmocka_unit_test(test_expressions_that_only_pcre_knows_are_refused),
		cmocka_unit_test(test_a_link_takes_names_and_prefixes),
		cmocka_unit_test(test_names_longer_than_any_topic_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
