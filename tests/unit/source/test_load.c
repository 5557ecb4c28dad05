/* What is loaded from a commit and from a folder, and what is not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/limits.h"
#include "base/fs.h"
#include "scratch.h"

static struct catalog *load_commit(struct scratch *s)
{
	struct catalog *c = NULL;
	struct err e = ERR_INIT;
	auto_free char *sha = scratch_push(s, "main");

	if (!s->source)
		scratch_open(s);
	assert_string_equal(scratch_fetch(s, NULL).sha, sha);
	if (source_load(s->source, sha, &c, &e) < 0)
		fail_msg("%s: %s", err_name(e.code), e.msg);
	return c;
}

static struct catalog *load_folder(struct scratch *s)
{
	auto_free char *dir = fs_join(s->work, s->options.path);
	struct catalog *c = NULL;
	struct err e = ERR_INIT;

	if (source_load_paths((const char *const[]){dir}, 1, &c, &e) < 0)
		fail_msg("%s: %s", err_name(e.code), e.msg);
	return c;
}

static void assert_problem(const struct catalog *c, const char *file_end, const char *words)
{
	vec_each (it, &c->problems) {
		size_t len = strlen(it->file);
		size_t end = strlen(file_end);

		if (len >= end && strcmp(it->file + len - end, file_end) == 0 &&
			strstr(it->message, words))
			return;
	}
	fail_msg("no problem '%s' in %s", words, file_end);
}

static void assert_names(const struct catalog *c, size_t n, const char *const *names)
{
	for (size_t i = 0; i < n; i++)
		if (!map_has(&c->by_name, names[i]))
			fail_msg("%s was not loaded", names[i]);
	assert_int_equal(map_size(&c->by_name), n);
}

static void put_all_kinds(struct scratch *s)
{
	auto_free char *big = xmalloc(LIMIT_YAML_FILE_BYTES + 2);

	memset(big, '#', LIMIT_YAML_FILE_BYTES + 1);
	big[LIMIT_YAML_FILE_BYTES + 1] = '\0';
	scratch_put_replicator(s, "replicators/deep/er/b.yml", "b");
	scratch_put_replicator(s, "replicators/x.yaml/c.yaml", "c");
	scratch_put_replicator(s, "replicators/.hidden/d.yaml", "d");
	scratch_put_replicator(s, "replicators/.e.yaml", "e");
	scratch_put_replicator(s, "replicators/f.YAML", "f");
	scratch_put_replicator(s, "elsewhere/g.yaml", "g");
	scratch_put(s, "replicators/README.md", "not: [yaml\n");
	scratch_put(s, "replicators/broken.yaml", "a: [\n");
	scratch_put(s, "replicators/big.yaml", "%s", big);
	scratch_put(s, "replicators/lfs.yaml",
		"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n");
	scratch_run(s, "cd work/replicators && ln -s a.yaml link.yaml && ln -s a.yaml link && "
		       "ln -s ../elsewhere folder");
}

static void check_all_kinds(const struct catalog *c)
{
	assert_names(c, 3, (const char *const[]){"a", "b", "c"});
	assert_problem(c, "replicators/link.yaml", "symbolic link");
	assert_problem(c, "replicators/lfs.yaml", "LFS");
	assert_problem(c, "replicators/big.yaml", "larger");
	assert_problem(c, "replicators/broken.yaml", "");
	assert_int_equal(c->problems.n_errors, 4);
	assert_false(c->complete);
}

static void test_all_kinds_of_entries_when_read_from_a_commit(void **state)
{
	struct scratch *s = *state;
	struct catalog *c;

	put_all_kinds(s);
	scratch_run(s, "git -C work update-index --add --cacheinfo "
		       "160000,0123456789012345678901234567890123456789,replicators/sub.yaml && "
		       "git -C work update-index --add --cacheinfo "
		       "160000,0123456789012345678901234567890123456789,replicators/sub");
	scratch_run(s,
		"git -C work add -A -- ':!replicators/sub.yaml' ':!replicators/sub' && "
		"git -C work commit -q -m submodules && git -C work push -q origin HEAD:main");
	scratch_open(s);
	struct source_head head = scratch_fetch(s, NULL);
	assert_int_equal(source_load(s->source, head.sha, &c, NULL), 0);
	assert_problem(c, "replicators/sub.yaml", "submodule");
	assert_int_equal(c->problems.n_errors, 5);
	assert_names(c, 3, (const char *const[]){"a", "b", "c"});
	const struct replicator *b = map_get(&c->by_name, "b");
	assert_string_equal(b->file, "replicators/deep/er/b.yml");
	catalog_free(c);
}

static void test_all_kinds_of_entries_when_read_from_a_folder(void **state)
{
	struct scratch *s = *state;
	struct catalog *c;

	put_all_kinds(s);
	scratch_put_replicator(s, "replicators/other/h.yaml", "h");
	scratch_run(s, "git init -q work/replicators/other");
	c = load_folder(s);
	check_all_kinds(c);
	catalog_free(c);
	scratch_run(s, "rm -rf work/replicators/other");
	c = load_commit(s);
	check_all_kinds(c);
	catalog_free(c);
}

static void test_the_whole_tree_when_path_is_empty(void **state)
{
	struct scratch *s = *state;
	struct catalog *c;

	scratch_put_replicator(s, "b.yaml", "b");
	s->options.path = "";
	c = load_commit(s);
	assert_names(c, 2, (const char *const[]){"a", "b"});
	catalog_free(c);
}

static void test_not_found_when_the_path_is_not_in_the_commit(void **state)
{
	struct scratch *s = *state;
	struct catalog *c = NULL;
	struct err e = ERR_INIT;

	s->options.path = "nowhere";
	scratch_open(s);
	struct source_head head = scratch_fetch(s, NULL);
	assert_int_equal(source_load(s->source, head.sha, &c, &e), -ERR_NOT_FOUND);
	assert_non_null(strstr(e.msg, "there is no folder nowhere in commit"));
	assert_null(c);
}

static void test_a_file_when_it_is_named_itself(void **state)
{
	struct scratch *s = *state;
	auto_free char *path = fs_join(s->work, "replicators/a.yaml");
	struct catalog *c = NULL;
	struct err e = ERR_INIT;

	assert_int_equal(source_load_paths((const char *const[]){path}, 1, &c, &e), 0);
	assert_names(c, 1, (const char *const[]){"a"});
	catalog_free(c);
	assert_int_equal(source_load_paths((const char *const[]){"/nonexistent/x"}, 1, &c, &e),
		-ERR_NOT_FOUND);
}

static void test_a_name_declared_in_two_paths_is_declared_twice(void **state)
{
	struct scratch *s = *state;
	auto_free char *path = fs_join(s->work, "replicators/a.yaml");
	auto_free char *copy = fs_join(s->work, "copy.yaml");
	auto_buf struct buf text = BUF_INIT;
	struct catalog *c = NULL;
	struct err e = ERR_INIT;

	assert_int_equal(fs_read(path, &text, &e), 0);
	assert_int_equal(fs_write(copy, buf_str(&text), text.len, 0644, &e), 0);
	assert_int_equal(source_load_paths((const char *const[]){path, copy}, 2, &c, &e), 0);
	assert_int_equal(c->problems.n_errors, 2);
	assert_false(c->complete);
	catalog_free(c);
}

static void test_a_commit_that_was_never_fetched_is_an_error(void **state)
{
	struct scratch *s = *state;
	struct catalog *c = NULL;
	struct err e = ERR_INIT;

	scratch_open(s);
	scratch_fetch(s, NULL);
	assert_int_equal(source_load(s->source, "0123456789012345678901234567890123456789", &c, &e),
		-ERR_IO);
	assert_null(c);
}

static void test_folders_in_folders_without_end_are_refused(void **state)
{
	struct scratch *s = *state;
	struct catalog *c = NULL;
	struct err e = ERR_INIT;

	scratch_run(s, "cd work/replicators && mkdir -p $(printf 'd/%%.0s' $(seq 70)) && "
		       "cp a.yaml $(printf 'd/%%.0s' $(seq 70))z.yaml");
	free(scratch_push(s, "main"));
	scratch_open(s);
	struct source_head head = scratch_fetch(s, NULL);
	assert_int_equal(source_load(s->source, head.sha, &c, &e), -ERR_LIMIT);
	assert_non_null(strstr(e.msg, "folders deep"));
}

/* Twenty trees that each hold the one below ten times: 10^20 entries in a few hundred bytes. */
static void test_a_tree_bomb_is_refused(void **state)
{
	struct scratch *s = *state;
	struct catalog *c = NULL;
	struct err e = ERR_INIT;

	scratch_run(s,
		"cd work && t=$(git rev-parse HEAD:replicators) && for level in $(seq 20); do "
		"t=$(for i in 0 1 2 3 4 5 6 7 8 9; do printf '040000 tree %%s\\t%%s\\n' $t d$i; "
		"done | "
		"git mktree); done && c=$(git commit-tree -m bomb $t) && "
		"git push -q -f origin $c:refs/heads/main");
	s->options.path = "";
	scratch_open(s);
	struct source_head head = scratch_fetch(s, NULL);
	assert_int_equal(source_load(s->source, head.sha, &c, &e), -ERR_LIMIT);
}

static void put_many(struct scratch *s, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		auto_free char *name = xasprintf("r-%04u", i);
		auto_free char *path = xasprintf("replicators/%02u/%s.yaml", i % 50, name);

		scratch_put_replicator(s, path, name);
	}
}

static void test_a_thousand_files_and_again_after_one_changed(void **state)
{
	struct scratch *s = *state;
	struct catalog *c, *again;

	put_many(s, 1000);
	c = load_commit(s);
	assert_int_equal(map_size(&c->by_name), 1001);
	assert_true(c->complete);
	scratch_put_replicator(s, "replicators/00/r-0000.yaml", "renamed");
	scratch_run(s, "cd work && git mv replicators/01 replicators/moved");
	again = load_commit(s);
	assert_int_equal(map_size(&again->by_name), 1001);
	assert_false(map_has(&again->by_name, "r-0000"));
	const struct replicator *moved = map_get(&again->by_name, "r-0001");
	assert_string_equal(moved->file, "replicators/moved/r-0001.yaml");
	/* What the first load gave lives on, whatever the source keeps. */
	const struct replicator *before = map_get(&c->by_name, "r-0001");
	assert_string_equal(before->file, "replicators/01/r-0001.yaml");
	catalog_free(c);
	catalog_free(again);
}

/* Blobs that were read before are not read again: they could not be. */
static void test_a_second_load_reads_nothing_that_it_knows(void **state)
{
	struct scratch *s = *state;
	struct catalog *c = NULL;
	struct err e = ERR_INIT;

	scratch_put_replicator(s, "replicators/b.yaml", "b");
	free(scratch_push(s, "main"));
	scratch_open(s);
	struct source_head head = scratch_fetch(s, NULL);
	source_free(TAKE(s->source));
	scratch_run(s, "mv mirror/git/objects/pack packs && mkdir mirror/git/objects/pack && "
		       "for p in packs/*.pack; do git -C mirror/git unpack-objects -q <$p; done");
	scratch_open(s);
	assert_int_equal(source_load(s->source, head.sha, &c, &e), 0);
	catalog_free(c);
	scratch_run(s, "for b in $(git -C work rev-parse HEAD:replicators/a.yaml "
		       "HEAD:replicators/b.yaml); do rm -f "
		       "mirror/git/objects/$(echo $b | sed 's/../&\\//'); done");
	s->options.url = "/nonexistent";
	if (source_load(s->source, head.sha, &c, &e) < 0)
		fail_msg("%s", e.msg);
	assert_names(c, 2, (const char *const[]){"a", "b"});
	catalog_free(c);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, scratch_setup, scratch_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_all_kinds_of_entries_when_read_from_a_commit),
		TEST(test_all_kinds_of_entries_when_read_from_a_folder),
		TEST(test_the_whole_tree_when_path_is_empty),
		TEST(test_not_found_when_the_path_is_not_in_the_commit),
		TEST(test_a_file_when_it_is_named_itself),
		TEST(test_a_name_declared_in_two_paths_is_declared_twice),
		TEST(test_a_commit_that_was_never_fetched_is_an_error),
		TEST(test_folders_in_folders_without_end_are_refused),
		TEST(test_a_tree_bomb_is_refused),
		TEST(test_a_thousand_files_and_again_after_one_changed),
		TEST(test_a_second_load_reads_nothing_that_it_knows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
