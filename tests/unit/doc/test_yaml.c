/*
 * Runs tests/data/doc: valid/<case>/input.yaml must give the tree in `tree`,
 * invalid/<case>/input.yaml the problems in `error`. UPDATE=1 rewrites what is expected; read the
 * difference before you keep it.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <dirent.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/fs.h"
#include "base/strv.h"
#include "doc/json.h"
#include "doc/yaml.h"

static const char *const ambiguity_marks[] = {
	[AMBIGUOUS_NOT] = "",
	[AMBIGUOUS_BOOL] = " <bool>",
	[AMBIGUOUS_OCTAL] = " <octal>",
	[AMBIGUOUS_SEXAGESIMAL] = " <sexagesimal>",
	[AMBIGUOUS_NUMBER] = " <number>",
	[AMBIGUOUS_DATE] = " <date>",
};

static void dump(struct buf *out, const struct node *n, int depth);

static void dump_map(struct buf *out, const struct node *n, int depth)
{
	for (size_t i = 0; i < n->u.map.n; i++) {
		buf_addf(out, "%s\n%*s", i ? "," : "", depth * 2 + 2, "");
		json_write_string(out, n->u.map.at[i].key->u.string.s);
		buf_adds(out, ": ");
		dump(out, n->u.map.at[i].value, depth + 1);
	}
}

static void dump_seq(struct buf *out, const struct node *n, int depth)
{
	for (size_t i = 0; i < n->u.seq.n; i++) {
		buf_addf(out, "%s\n%*s", i ? "," : "", depth * 2 + 2, "");
		dump(out, n->u.seq.at[i], depth + 1);
	}
}

/* JSON but for the marks and for what JSON cannot say (infinities). */
static void dump(struct buf *out, const struct node *n, int depth)
{
	bool is_map = n->type == NODE_MAP;

	if (is_map || n->type == NODE_SEQ) {
		buf_addc(out, is_map ? '{' : '[');
		(is_map ? dump_map : dump_seq)(out, n, depth);
		if (is_map ? n->u.map.n : n->u.seq.n)
			buf_addf(out, "\n%*s", depth * 2, "");
		buf_addc(out, is_map ? '}' : ']');
	} else if (n->type == NODE_REAL && !isfinite(n->u.real)) {
		buf_adds(out, isnan(n->u.real) ? "nan" : n->u.real < 0 ? "-inf" : "inf");
	} else {
		json_write(out, n, JSON_STYLE_COMPACT);
	}
	buf_adds(out, ambiguity_marks[n->ambiguity]);
}

static void dump_docs(struct buf *out, const struct yaml_docs *docs)
{
	for (size_t i = 0; i < docs->n; i++) {
		buf_adds(out, i ? "---\n" : "");
		dump(out, docs->at[i], 0);
		buf_addc(out, '\n');
	}
}

static void list_problems(struct buf *out, const struct problems *problems)
{
	vec_each (it, problems) {
		problem_format(it, out);
		buf_addc(out, '\n');
	}
}

static void compare(const char *folder, const char *name, const struct buf *actual)
{
	auto_free char *path = fs_join(folder, name);
	auto_buf struct buf expected = BUF_INIT;

	if (getenv("UPDATE"))
		assert_int_equal(fs_write(path, buf_str(actual), actual->len, 0644, NULL), 0);
	assert_int_equal(fs_read(path, &expected, NULL), 0);
	assert_string_equal(buf_str(actual), buf_str(&expected));
}

static void test_case(void **state)
{
	const char *folder = *state;
	auto_free char *path = fs_join(folder, "input.yaml");
	auto_buf struct buf input = BUF_INIT, actual = BUF_INIT;
	struct yaml_docs docs = YAML_DOCS_INIT;
	struct problems problems = PROBLEMS_INIT;

	assert_int_equal(fs_read(path, &input, NULL), 0);
	int rc = yaml_parse("input.yaml", buf_str(&input), input.len, &docs, &problems);
	if (strstr(folder, "/invalid/")) {
		assert_true(rc < 0);
		assert_int_equal(docs.n, 0);
		assert_true(problems.n_errors > 0);
		list_problems(&actual, &problems);
		compare(folder, "error", &actual);
	} else {
		list_problems(&actual, &problems);
		assert_string_equal(buf_str(&actual), "");
		assert_int_equal(rc, 0);
		dump_docs(&actual, &docs);
		compare(folder, "tree", &actual);
	}
	yaml_docs_release(&docs);
	problems_release(&problems);
}

static void find_cases(struct strv *folders, const char *kind)
{
	auto_free char *root = xasprintf("%s/doc/%s", TEST_DATA, kind);
	DIR *dir = opendir(root);
	struct dirent *entry;

	if (!dir)
		BUG("no folder %s", root);
	while ((entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			strv_pushf(folders, "%s/%s", root, entry->d_name);
	closedir(dir);
}

int main(void)
{
	auto_strv struct strv folders = VEC_INIT;
	VEC(struct CMUnitTest) tests = VEC_INIT;

	find_cases(&folders, "valid");
	find_cases(&folders, "invalid");
	strv_sort(&folders);
	vec_each (it, &folders)
		vec_push(&tests, (struct CMUnitTest){
					 .name = *it + strlen(TEST_DATA "/doc/"),
					 .test_func = test_case,
					 .initial_state = *it,
				 });
	int n_failed = _cmocka_run_group_tests("yaml", tests.at, tests.n, NULL, NULL);
	vec_release(&tests);
	return n_failed;
}
