/* What is too large to be a case folder: limits, places, and time that does not grow with the
 * square of the input. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

#include "base/err.h"
#include "base/limits.h"
#include "doc/yaml.h"

struct result {
	struct yaml_docs docs;
	struct problems problems;
	int rc;
};

static struct result parse(const char *text, size_t len)
{
	struct result r = {YAML_DOCS_INIT, PROBLEMS_INIT, 0};

	r.rc = yaml_parse("x.yaml", text, len, &r.docs, &r.problems);
	return r;
}

static void release(struct result *r)
{
	yaml_docs_release(&r->docs);
	problems_release(&r->problems);
}

static void assert_first_problem(const struct result *r, const char *expected)
{
	auto_buf struct buf line = BUF_INIT;

	assert_true(r->problems.n > 0);
	problem_format(&r->problems.at[0], &line);
	assert_string_equal(buf_str(&line), expected);
}

static void test_a_file_past_the_limit_is_not_read(void **state)
{
	(void)state;
	auto_buf struct buf b = BUF_INIT;

	while (b.len <= LIMIT_YAML_FILE_BYTES)
		buf_adds(&b, "# filler\n");
	struct result r = parse(b.data, b.len);
	assert_int_equal(r.rc, -ERR_LIMIT);
	assert_first_problem(&r, "x.yaml: larger than 1024 KiB; split it into several files");
	release(&r);
}

static void test_too_many_nodes_are_refused(void **state)
{
	(void)state;
	auto_buf struct buf b = BUF_INIT;

	for (int i = 0; i <= LIMIT_YAML_NODES; i++)
		buf_adds(&b, "- 1\n");
	struct result r = parse(b.data, b.len);
	assert_int_equal(r.rc, -ERR_LIMIT);
	assert_first_problem(&r, "x.yaml:100000:3: too many values in one file, counting what "
				 "aliases stand for; split it");
	release(&r);
}

static void test_many_documents_of_one_file(void **state)
{
	(void)state;
	auto_buf struct buf b = BUF_INIT;

	for (int i = 0; i < 3000; i++)
		buf_addf(&b, "---\nname: replicator-%d\nspec: {a: 1, b: [x, y]}\n", i);
	struct result r = parse(b.data, b.len);
	assert_int_equal(r.rc, 0);
	assert_int_equal(r.docs.n, 3000);
	assert_string_equal(node_get_string(r.docs.at[2999], "name"), "replicator-2999");
	assert_int_equal(r.docs.at[2999]->line, 2999 * 3 + 2);
	release(&r);
}

static void test_documents_are_added_to_those_there(void **state)
{
	(void)state;
	struct result r = parse("a: 1", 4);

	assert_int_equal(
		yaml_parse("y.yaml", "b: 2\n---\nc: ]", 13, &r.docs, &r.problems), -ERR_CONFIG);
	assert_int_equal(r.docs.n, 1);
	assert_int_equal(yaml_parse("z.yaml", "b: 2", 4, &r.docs, &r.problems), 0);
	assert_int_equal(r.docs.n, 2);
	release(&r);
}

static void test_places_count_characters_and_skip_the_byte_order_mark(void **state)
{
	(void)state;
	static const char text[] =
		"\xef\xbb\xbfkey: {é: ü, second: [1, x]}\r\nlast:\r\n  - deep\r\n";
	struct result r = parse(text, sizeof(text) - 1);

	assert_int_equal(r.rc, 0);
	const struct node *map = node_get(r.docs.at[0], "key");
	const struct node_pair *second = node_pair(map, "second");
	assert_int_equal(r.docs.at[0]->u.map.at[0].key->col, 1);
	assert_int_equal(map->col, 6);
	assert_true(map->flow);
	assert_int_equal(second->key->col, 13);
	assert_int_equal(second->value->u.seq.at[1]->col, 25);
	assert_true(second->value->u.seq.at[1]->flow);
	const struct node *deep = node_get(r.docs.at[0], "last")->u.seq.at[0];
	assert_int_equal(deep->line, 3);
	assert_int_equal(deep->col, 5);
	assert_false(deep->flow);
	release(&r);
}

static void test_text_is_kept_as_written(void **state)
{
	(void)state;
	static const char text[] = "[012, '012', null, \"a\\tb\", 1e3]";
	static const char *const expected[] = {"012", "012", "null", "a\tb", "1e3"};
	struct result r = parse(text, sizeof(text) - 1);

	for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
		const struct node *item = r.docs.at[0]->u.seq.at[i];

		assert_string_equal(node_text(item), expected[i]);
		assert_int_equal(item->quoted, i == 1 || i == 3);
	}
	release(&r);
}

static void test_aliases_share_their_node(void **state)
{
	(void)state;
	static const char text[] = "a: &x [1]\nb: *x\n";
	struct result r = parse(text, sizeof(text) - 1);

	assert_ptr_equal(node_get(r.docs.at[0], "a"), node_get(r.docs.at[0], "b"));
	release(&r);
}

/* The CPU time in which each of these must be read, or refused; quadratic, they would take from
 * seconds to minutes. */
enum { AT_MOST_S = 4 };

static void repeat(struct buf *b, const char *piece)
{
	buf_clear(b);
	while (b->len + strlen(piece) <= LIMIT_YAML_FILE_BYTES)
		buf_adds(b, piece);
}

static void number(struct buf *b, const char *format)
{
	buf_clear(b);
	for (int i = 0; b->len < LIMIT_YAML_FILE_BYTES - 64; i++) {
		auto_free char *n = xasprintf("%d", i);

		for (const char *p = format; *p; p++) {
			if (*p == '#')
				buf_adds(b, n);
			else
				buf_addc(b, *p);
		}
	}
}

static void assert_is_quick(const struct buf *b)
{
	clock_t start = clock();
	struct result r = parse(b->data, b->len);

	assert_true((clock() - start) / CLOCKS_PER_SEC < AT_MOST_S);
	release(&r);
}

static void test_no_input_takes_quadratic_time(void **state)
{
	(void)state;
	static const char *const repeated[] = {"[", "{a: ", "- ", "? ", "%TAG ! x\n", "*a\n", "&",
		"!", "'", "\t", "#\n", "a:\n", "---\n", "\xff", "%", "!!str ", "\"\\x00\" "};
	static const char *const numbered[] = {"k#: 1\n", "k#: &a# 1\n", "- &a# {b#: [*a#]}\n",
		"%TAG !# x\n", "- k#: 1\n", "[a#, ", "a#: {", "---\nk#: v\n", "same: #\n"};
	auto_buf struct buf b = BUF_INIT;

	for (size_t i = 0; i < ARRAY_SIZE(repeated); i++) {
		repeat(&b, repeated[i]);
		assert_is_quick(&b);
	}
	for (size_t i = 0; i < ARRAY_SIZE(numbered); i++) {
		number(&b, numbered[i]);
		assert_is_quick(&b);
	}
}

static void test_a_bomb_of_merge_keys_is_refused(void **state)
{
	(void)state;
	auto_buf struct buf b = BUF_INIT;

	buf_adds(&b, "- &a0 {x: 1, y: 2}\n");
	for (int i = 1; i < 40; i++)
		buf_addf(&b, "- &a%d {<<: [*a%d, *a%d], k%d: 1}\n", i, i - 1, i - 1, i);
	struct result r = parse(b.data, b.len);
	assert_int_equal(r.rc, -ERR_LIMIT);
	release(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_file_past_the_limit_is_not_read),
		cmocka_unit_test(test_too_many_nodes_are_refused),
		cmocka_unit_test(test_many_documents_of_one_file),
		cmocka_unit_test(test_documents_are_added_to_those_there),
		cmocka_unit_test(test_places_count_characters_and_skip_the_byte_order_mark),
		cmocka_unit_test(test_text_is_kept_as_written),
		cmocka_unit_test(test_aliases_share_their_node),
		cmocka_unit_test(test_no_input_takes_quadratic_time),
		cmocka_unit_test(test_a_bomb_of_merge_keys_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
