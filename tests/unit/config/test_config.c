/*
 * The case folders in tests/data/config. valid/CASE/ holds weir.yaml and `config`, every key with
 * the value it comes to; invalid/CASE/ holds weir.yaml and `error`, every problem with it. UPDATE=1
 * writes what is found, for a person to read before it is committed.
 */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/fs.h"
#include "base/limits.h"
#include "base/strv.h"
#include "base/text.h"
#include "config/config.h"
#include "config/tables.h"

/* ---- a configuration as text ---- */

static void add_map(struct buf *out, const struct node *map)
{
	buf_adds(out, map ? "{" : "none");
	for (size_t i = 0; map && i < map->u.map.n; i++)
		buf_addf(out, "%s%s: %s", i ? ", " : "", map->u.map.at[i].key->u.string.s,
			map->u.map.at[i].value->u.string.s);
	buf_adds(out, map ? "}" : "");
}

static void add_value(struct buf *out, const struct field *field, const void *slot)
{
	char text[CLOCK_TEXT_MAX];
	const char *const *string = slot;
	const int64_t *number = slot;
	const struct count_or_percent *share = slot;

	switch (field->type) {
	case FIELD_STRING:
		buf_addf(out, *string ? "\"%s\"" : "none", *string);
		return;
	case FIELD_INT:
		buf_addf(out, "%lld", (long long)*number);
		return;
	case FIELD_DURATION:
		buf_adds(out, duration_format(*number, text));
		return;
	case FIELD_CHOICE:
		buf_adds(out, field->choices[*(const int *)slot]);
		return;
	case FIELD_BOOL:
		buf_adds(out, *(const bool *)slot ? "true" : "false");
		return;
	case FIELD_STRING_MAP:
		add_map(out, *(const struct node *const *)slot);
		return;
	case FIELD_COUNT_OR_PERCENT:
		buf_addf(out, "%lld%s", (long long)share->value, share->percent ? "%" : "");
		return;
	case FIELD_TIME:
	case FIELD_MAP:
	case FIELD_LIST:
	case FIELD_STRINGS:
	case FIELD_NODE:
	case FIELD__COUNT:
		break;
	}
	fail_msg("%s: no key that is built has this type so far", field->name);
}

static void add_fields(
	struct buf *out, const struct field *fields, const char *path, const unsigned char *base);

static void add_items(
	struct buf *out, const struct field *field, const char *path, const struct field_list *list)
{
	const unsigned char *items = list->at;

	for (size_t i = 0; i < list->n; i++) {
		auto_free char *item = xasprintf("%s[%zu]", path, i);
		add_fields(out, field->sub, item, items + i * field->sub_size);
	}
}

static void add_fields(
	struct buf *out, const struct field *fields, const char *path, const unsigned char *base)
{
	for (const struct field *f = fields; f->name; f++) {
		auto_free char *name = xasprintf("%s%s%s", path, path[0] ? "." : "", f->name);
		const void *slot = base + f->offset;

		if (f->flags & FIELD_NOT_BUILT)
			continue;
		if (f->type == FIELD_MAP) {
			add_fields(out, f->sub, name, slot);
		} else if (f->type == FIELD_LIST) {
			add_items(out, f, name, slot);
		} else {
			buf_addf(out, "%s: ", name);
			add_value(out, f, slot);
			buf_addc(out, '\n');
		}
	}
}

static void add_problems(struct buf *out, const struct problems *problems)
{
	vec_each (p, problems) {
		problem_format(p, out);
		buf_addc(out, '\n');
	}
}

/* ---- the cases ---- */

static void check_file(const char *name, const struct buf *found)
{
	auto_buf struct buf wanted = BUF_LIMIT(LIMIT_CONFIG_BYTES);

	if (getenv("UPDATE"))
		assert_int_equal(fs_write(name, found->data, found->len, 0644, NULL), 0);
	assert_int_equal(fs_read(name, &wanted, NULL), 0);
	assert_string_equal(buf_str(found), buf_str(&wanted));
}

static void test_valid_case(void **state)
{
	struct problems problems = PROBLEMS_INIT;
	auto_buf struct buf found = BUF_INIT;

	assert_int_equal(chdir(*state), 0);
	struct config *c = config_load("weir.yaml", &problems);
	add_problems(&found, &problems);
	if (!c)
		fail_msg("something is wrong with it:\n%s", buf_str(&found));
	assert_string_equal(c->file, "weir.yaml");
	add_fields(&found, config_fields, "", (const unsigned char *)c);
	check_file("config", &found);
	problems_release(&problems);
	config_free(c);
}

static void test_invalid_case(void **state)
{
	struct problems problems = PROBLEMS_INIT;
	auto_buf struct buf found = BUF_INIT;

	assert_int_equal(chdir(*state), 0);
	assert_null(config_load("weir.yaml", &problems));
	assert_true(problems.n_errors > 0);
	add_problems(&found, &problems);
	check_file("error", &found);
	/* What stands where a reference to a secret belongs is never repeated. */
	assert_null(strstr(buf_str(&found), "hunter2"));
	problems_release(&problems);
}

/* ---- files that are none ---- */

static void assert_does_not_load(const char *file, const char *says)
{
	struct problems problems = PROBLEMS_INIT;

	assert_null(config_load(file, &problems));
	assert_int_equal(problems.n, 1);
	assert_null(problems.at[0].file); /* the message names it */
	assert_non_null(strstr(problems.at[0].message, file));
	if (!strstr(problems.at[0].message, says))
		fail_msg("not \"%s\", but \"%s\"", says, problems.at[0].message);
	problems_release(&problems);
}

static void test_missing_file_says_how_to_make_one(void **state)
{
	(void)state;
	assert_does_not_load("/nowhere/weir.yaml", "-c FILE, or make one with `weir init`");
}

static void test_folder_is_no_file(void **state)
{
	(void)state;
	assert_does_not_load("/tmp", "/tmp");
}

static void test_file_without_end_is_not_read(void **state)
{
	(void)state;
	assert_does_not_load("/dev/zero", "/dev/zero");
}

static void test_what_was_wrong_before_does_not_count(void **state)
{
	struct problems problems = PROBLEMS_INIT;

	(void)state;
	problems_add(&problems, PROBLEM_ERROR, "another.yaml", 1, 1, "", "is wrong");
	struct config *c = config_load(TEST_DATA "/config/valid/minimal/weir.yaml", &problems);
	assert_non_null(c);
	problems_release(&problems);
	config_free(c);
}

static void test_stores_resolve_what_they_are_configured_for(void **state)
{
	static const char *const keys[] = {"username"};
	struct problems problems = PROBLEMS_INIT;
	struct secret_status status;

	(void)state;
	struct config *c = config_load(TEST_DATA "/config/valid/everything/weir.yaml", &problems);
	assert_non_null(c);
	struct secret_stores *stores = config_secret_stores(c);
	setenv("KAFKA_ORDERS_USERNAME", "somebody", 1);
	assert_int_equal(secret_check(stores, "env/orders", keys, 1, &status, NULL), 0);
	assert_true(status.checked);
	assert_int_equal(status.missing.n, 0);
	secret_status_release(&status);
	secret_stores_free(stores);
	problems_release(&problems);
	config_free(c);
}

static void test_windows_are_made_from_what_is_written(void **state)
{
	struct problems problems = PROBLEMS_INIT;
	auto_arena struct arena a = ARENA_INIT;
	struct node *labels = node_map(&a);
	int64_t saturday;

	(void)state;
	struct config *c = config_load(TEST_DATA "/config/valid/windows/weir.yaml", &problems);
	assert_non_null(c);
	assert_int_equal(problems.n, 0);
	assert_true(clock_parse("2026-11-28T12:00:00Z", &saturday));
	assert_true(windows_at(c->sync.windows, NULL, saturday).open);
	assert_false(windows_at(c->sync.windows, NULL, saturday + 48 * 3600 * 1000).open);
	node_map_set(&a, labels, "team", node_string(&a, "orders"));
	assert_false(windows_at(c->sync.windows, labels, saturday).open);
	problems_release(&problems);
	config_free(c);
}

/* ---- the table ---- */

static void check_table(const struct field *fields, const char *path)
{
	for (const struct field *f = fields; f->name; f++) {
		auto_free char *name = xasprintf("%s.%s", path, f->name);

		if (!f->doc || !text_has_suffix(f->doc, "."))
			fail_msg("%s: is not documented, or not in whole sentences", name);
		for (const struct field *other = fields; other < f; other++)
			if (!strcmp(other->name, f->name))
				fail_msg("%s: stands there twice", name);
		if ((f->flags & FIELD_NOT_BUILT) && !f->def && f->type != FIELD_LIST)
			fail_msg("%s: is not built, and has no value that it may have", name);
		if (f->sub)
			check_table(f->sub, name);
	}
}

static void test_every_key_is_unique_and_documented(void **state)
{
	(void)state;
	check_table(config_fields, "weir.yaml");
}

static void test_every_key_is_in_reference_and_schema(void **state)
{
	auto_buf struct buf mdoc = BUF_INIT;
	auto_arena struct arena a = ARENA_INIT;

	(void)state;
	config_mdoc(&mdoc);
	const struct node *properties = node_get(config_schema(&a), "properties");
	for (const struct field *f = config_fields; f->name; f++) {
		assert_non_null(strstr(buf_str(&mdoc), f->name));
		assert_non_null(node_get(properties, f->name));
	}
}

/* ---- */

struct suite {
	VEC_FIELDS(struct CMUnitTest);
	struct strv folders; /* of the cases; names and arguments of tests point in here */
};

static void add_cases(struct suite *suite, const char *kind, CMUnitTestFunction test)
{
	auto_free char *parent = fs_join(TEST_DATA "/config", kind);
	auto_strv struct strv names = VEC_INIT;
	DIR *dir = opendir(parent);

	for (const struct dirent *entry; dir && (entry = readdir(dir));)
		if (entry->d_name[0] != '.')
			strv_push(&names, entry->d_name);
	if (dir)
		closedir(dir);
	strv_sort(&names);
	vec_each (name, &names) {
		char *folder = fs_join(parent, *name);
		strv_push_take(&suite->folders, folder);
		vec_push(suite, (struct CMUnitTest){
					.name = folder + strlen(TEST_DATA "/config/"),
					.test_func = test,
					.initial_state = folder,
				});
	}
}

int main(void)
{
	const struct CMUnitTest others[] = {
		cmocka_unit_test(test_missing_file_says_how_to_make_one),
		cmocka_unit_test(test_folder_is_no_file),
		cmocka_unit_test(test_file_without_end_is_not_read),
		cmocka_unit_test(test_what_was_wrong_before_does_not_count),
		cmocka_unit_test(test_stores_resolve_what_they_are_configured_for),
		cmocka_unit_test(test_windows_are_made_from_what_is_written),
		cmocka_unit_test(test_every_key_is_unique_and_documented),
		cmocka_unit_test(test_every_key_is_in_reference_and_schema),
	};
	struct suite suite = {.n = 0};

	add_cases(&suite, "valid", test_valid_case);
	add_cases(&suite, "invalid", test_invalid_case);
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		vec_push(&suite, others[i]);
	int failed = _cmocka_run_group_tests("config", suite.at, suite.n, NULL, NULL);
	vec_release(&suite);
	strv_release(&suite.folders);
	return failed;
}
