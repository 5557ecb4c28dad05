/*
 * The case folders in tests/data/model. valid/CASE/ holds YAML files, in folders or not, and
 * `catalog`, what they declare; invalid/CASE/ holds YAML files and `error`, every problem with
 * them, and `catalog` too where something of it is still good. UPDATE=1 writes what is found, for a
 * person to read before it is committed.
 */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/fs.h"
#include "base/limits.h"
#include "base/strv.h"
#include "base/text.h"
#include "model/catalog.h"

static void list_folder(const char *folder, struct strv *names)
{
	DIR *dir = opendir(folder);

	assert_non_null(dir);
	for (const struct dirent *entry; (entry = readdir(dir));) {
		if (entry->d_name[0] != '.')
			strv_push(names, entry->d_name);
	}
	closedir(dir);
	strv_sort(names);
}

static void add_file(struct catalog *c, const char *path, const char *name)
{
	auto_buf struct buf text = BUF_LIMIT(LIMIT_YAML_FILE_BYTES * 2);
	struct err e = ERR_INIT;

	assert_int_equal(fs_read(path, &text, &e), 0);
	struct parsed_file *parsed = parsed_file_new(buf_str(&text), text.len);
	catalog_add(c, name, parsed);
	parsed_file_unref(parsed);
}

/* `below` is the way from the case's folder, "" or with a slash at its end. */
static void add_folder(struct catalog *c, const char *folder, const char *below)
{
	auto_strv struct strv names = VEC_INIT;

	list_folder(folder, &names);
	vec_each (it, &names) {
		auto_free char *path = fs_join(folder, *it);
		auto_buf struct buf name = BUF_INIT;
		struct stat st;

		buf_addf(&name, "%s%s", below, *it);
		assert_int_equal(stat(path, &st), 0);
		if (S_ISDIR(st.st_mode)) {
			buf_addc(&name, '/');
			add_folder(c, path, buf_str(&name));
		} else if (text_has_suffix(*it, ".yaml")) {
			add_file(c, path, buf_str(&name));
		}
	}
}

static struct catalog *load_case(const char *folder)
{
	struct catalog *c = catalog_new();

	add_folder(c, folder, "");
	catalog_finish(c);
	return c;
}

/* "(14:20)", with the file and what it is where that is not the replicator's document. */
static void describe_place(const struct replicator *r, const struct node *value, struct buf *out)
{
	struct origin origin = replicator_origin(r, value);

	if (origin.kind == ORIGIN_DOCUMENT)
		buf_addf(out, " (%u:%u)", value->line, value->col);
	else
		buf_addf(out, " (%s%s%s %s:%u:%u)",
			origin.kind == ORIGIN_DEFAULTS ? "Defaults" : "KafkaCluster",
			origin.name ? " " : "", origin.name ? origin.name : "", origin.file,
			value->line, value->col);
}

static void describe_strings(
	const struct replicator *r, const char *key, const struct node *list, struct buf *out)
{
	for (size_t i = 0; list && i < list->u.seq.n; i++) {
		buf_addf(out, "  sync.%s", key);
		describe_place(r, list->u.seq.at[i], out);
		buf_addf(out, ": %s\n", list->u.seq.at[i]->u.string.s);
	}
}

static void describe_suspend(const struct sync_suspend *suspend, struct buf *out)
{
	char until[CLOCK_TEXT_MAX];

	if (suspend->is_set)
		buf_addf(out, "  sync.suspend: %s, %s\n", suspend->reason,
			suspend->has_until ? clock_format(suspend->until_ms, until) : "for good");
}

static void describe_sync(const struct replicator *r, struct buf *out)
{
	const struct sync_settings *sync = &r->sync;
	static const char *const modes[] = {"heal", "report", "plan"};
	static const char *const adoptions[] = {"match", "overwrite", "never"};

	if (sync->has_mode)
		buf_addf(out, "  sync.mode: %s\n", modes[sync->mode]);
	if (sync->has_timeout)
		buf_addf(out, "  sync.timeout: %lld ms\n", (long long)sync->timeout_ms);
	if (sync->has_adopt)
		buf_addf(out, "  sync.adopt: %s\n", adoptions[sync->adopt]);
	if (sync->has_foreign_drafts)
		buf_addf(out, "  sync.foreign_drafts: %s\n",
			sync->foreign_drafts == DRAFTS_HOLD ? "hold" : "apply");
	if (sync->protect)
		buf_adds(out, "  sync.protect\n");
	if (sync->replace)
		buf_adds(out, "  sync.replace\n");
	if (sync->on_remove == REMOVE_ORPHAN)
		buf_adds(out, "  sync.on_remove: orphan\n");
	describe_suspend(&sync->suspend, out);
	describe_strings(r, "depends_on", sync->depends_on, out);
	describe_strings(r, "ignore", sync->ignore, out);
}

static void describe_replicator(const struct replicator *r, struct buf *out)
{
	buf_addf(out, "%s at %s:%u:%u\n", r->name, r->file, r->line, r->col);
	for (size_t i = 0; r->labels && i < r->labels->u.map.n; i++)
		buf_addf(out, "  label %s: %s\n", r->labels->u.map.at[i].key->u.string.s,
			r->labels->u.map.at[i].value->u.string.s);
	for (enum spec_field f = SPEC_IDENTIFIER + 1; f < SPEC__COUNT; f++) {
		if (!r->spec.value[f])
			continue;
		buf_addf(out, "  %s", spec_fields[f].name);
		describe_place(r, r->spec.value[f], out);
		buf_adds(out, ": ");
		spec_value_text(out, f, r->spec.value[f]);
		buf_addc(out, '\n');
	}
	describe_sync(r, out);
}

static void describe_catalog(const struct catalog *c, struct buf *out)
{
	for (size_t i = 0; i < map_size(&c->by_name); i++) {
		const struct replicator *r = map_value(&c->by_name, i);

		if (!r->failed)
			describe_replicator(r, out);
	}
}

static void describe_problems(const struct catalog *c, struct buf *out)
{
	vec_each (it, &c->problems) {
		problem_format(it, out);
		buf_addc(out, '\n');
	}
}

/* Each that fails says for which of the problems. */
static bool name_their_failure(const struct catalog *c, const struct buf *problems)
{
	for (size_t i = 0; i < map_size(&c->by_name); i++) {
		const struct replicator *r = map_value(&c->by_name, i);

		if (r->failed != (r->failure && strstr(buf_str(problems), r->failure))) {
			print_error("%s fails for: %s\n", r->name, r->failure ? r->failure : "?");
			return false;
		}
	}
	return true;
}

/* True if the file says what was found; an empty text and no file are the same. */
static bool compare(const char *folder, const char *name, const struct buf *found)
{
	auto_free char *path = fs_join(folder, name);
	auto_buf struct buf wanted = BUF_LIMIT(LIMIT_YAML_FILE_BYTES);
	struct err e = ERR_INIT;

	if (getenv("UPDATE")) {
		if (found->len)
			assert_int_equal(fs_write(path, found->data, found->len, 0644, &e), 0);
		else
			unlink(path);
		return true;
	}
	fs_read(path, &wanted, &e);
	if (strcmp(buf_str(&wanted), buf_str(found)) == 0)
		return true;
	print_error("%s: is not what was found:\n%s", path, buf_str(found));
	return false;
}

static bool run_valid(const char *folder)
{
	struct catalog *c = load_case(folder);
	auto_buf struct buf found = BUF_INIT;

	describe_catalog(c, &found);
	describe_problems(c, &found);
	bool complete = c->complete && c->n_failed == 0;
	if (!complete)
		print_error("%s: something is wrong with it\n", folder);
	catalog_free(c);
	return compare(folder, "catalog", &found) && complete;
}

static bool run_invalid(const char *folder)
{
	struct catalog *c = load_case(folder);
	auto_buf struct buf problems = BUF_INIT, rest = BUF_INIT;

	describe_problems(c, &problems);
	describe_catalog(c, &rest);
	bool complete = c->complete, named = name_their_failure(c, &problems);
	if (complete)
		print_error("%s: nothing is wrong with it\n", folder);
	catalog_free(c);
	return compare(folder, "error", &problems) & compare(folder, "catalog", &rest) & !complete &
	       named;
}

static void run_cases(const char *suite, bool (*run)(const char *folder))
{
	auto_strv struct strv names = VEC_INIT;
	size_t n_bad = 0;

	list_folder(suite, &names);
	assert_true(names.n > 0);
	vec_each (it, &names) {
		auto_free char *folder = fs_join(suite, *it);

		n_bad += !run(folder);
	}
	assert_int_equal(n_bad, 0);
}

static void test_valid_cases(void **state)
{
	(void)state;
	run_cases(TEST_DATA "/model/valid", run_valid);
}

static void test_invalid_cases(void **state)
{
	(void)state;
	run_cases(TEST_DATA "/model/invalid", run_invalid);
}

static void test_unreadable_entry_makes_catalog_incomplete(void **state)
{
	struct catalog *c = catalog_new();
	auto_buf struct buf line = BUF_INIT;

	(void)state;
	catalog_add_unreadable(c, "eu.yaml", "is a symbolic link: put the file itself there");
	catalog_finish(c);
	assert_false(c->complete);
	assert_int_equal(c->n_files, 1);
	assert_int_equal(c->problems.n, 1);
	problem_format(&c->problems.at[0], &line);
	assert_string_equal(
		buf_str(&line), "eu.yaml: is a symbolic link: put the file itself there");
	catalog_free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_valid_cases),
		cmocka_unit_test(test_invalid_cases),
		cmocka_unit_test(test_unreadable_entry_makes_catalog_incomplete),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
