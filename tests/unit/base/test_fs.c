/* Files: what a reader sees, what a failure leaves, who holds a lock. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <dirent.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/alloc.h"
#include "base/fs.h"

static char folder[64];

static int make_folder(void **state)
{
	(void)state;
	snprintf(folder, sizeof(folder), "/tmp/test-fs-XXXXXX");
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	(void)state;
	return fs_remove_tree(folder, NULL);
}

static char *path_of(const char *name)
{
	return fs_join(folder, name);
}

static size_t count_entries(void)
{
	DIR *dir = opendir(folder);
	size_t n = 0;

	while (readdir(dir))
		n++;
	closedir(dir);
	return n - 2;
}

static void assert_content(const char *path, const char *expected)
{
	auto_buf struct buf b = BUF_LIMIT(1 << 20);

	assert_int_equal(fs_read(path, &b, NULL), 0);
	assert_string_equal(buf_str(&b), expected);
}

static void test_read_stops_at_the_limit(void **state)
{
	(void)state;
	auto_free char *path = path_of("a");
	auto_buf struct buf exact = BUF_LIMIT(5), small = BUF_LIMIT(4);
	struct err e = ERR_INIT;

	assert_int_equal(fs_write(path, "12345", 5, 0600, &e), 0);
	assert_int_equal(fs_read(path, &exact, &e), 0);
	assert_string_equal(buf_str(&exact), "12345");
	assert_int_equal(fs_read(path, &small, &e), -ERR_LIMIT);
	assert_non_null(strstr(e.msg, "larger than 4 bytes"));
}

static void test_read_says_what_is_missing(void **state)
{
	(void)state;
	auto_buf struct buf b = BUF_LIMIT(10);
	struct err missing = ERR_INIT, is_folder = ERR_INIT;

	assert_int_equal(fs_read("/nonexistent/x", &b, &missing), -ERR_NOT_FOUND);
	assert_string_equal(missing.msg, "/nonexistent/x: no such file or directory");
	assert_int_equal(fs_read(folder, &b, &is_folder), -ERR_IO);
}

static void test_write_sets_mode_and_leaves_no_other_file(void **state)
{
	(void)state;
	auto_free char *path = path_of("a");
	struct stat st;

	assert_int_equal(fs_write(path, "old", 3, 0600, NULL), 0);
	assert_int_equal(fs_write(path, "new", 3, 0640, NULL), 0);
	assert_content(path, "new");
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0640);
	assert_int_equal(count_entries(), 1);
}

/* A limit on the size of files stands in for a full disk. */
static void test_failed_write_leaves_the_old_content_and_nothing_else(void **state)
{
	(void)state;
	auto_free char *path = path_of("a");
	const struct rlimit small = {.rlim_cur = 4, .rlim_max = RLIM_INFINITY};
	struct rlimit before;
	struct err e = ERR_INIT;

	assert_int_equal(fs_write(path, "old", 3, 0600, NULL), 0);
	getrlimit(RLIMIT_FSIZE, &before);
	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &small);
	int rc = fs_write(path, "much too long", 13, 0600, &e);
	setrlimit(RLIMIT_FSIZE, &before);
	assert_int_equal(rc, -ERR_IO);
	assert_content(path, "old");
	assert_int_equal(count_entries(), 1);
}

enum { LONG = 100000, ROUNDS = 200 };

struct racing_writer {
	const char *path;
	atomic_bool done;
};

static void *write_many(void *arg)
{
	struct racing_writer *w = arg;
	auto_free char *content = xmalloc(LONG);

	for (int i = 0; i < ROUNDS; i++) {
		memset(content, 'a' + i % 2, LONG);
		fs_write(w->path, content, LONG, 0600, NULL);
	}
	atomic_store(&w->done, true);
	return NULL;
}

static void test_reader_never_sees_a_part(void **state)
{
	(void)state;
	auto_free char *path = path_of("a");
	struct racing_writer w = {.path = path};
	pthread_t thread;

	assert_int_equal(fs_write(path, "", 0, 0600, NULL), 0);
	assert_int_equal(pthread_create(&thread, NULL, write_many, &w), 0);
	while (!atomic_load(&w.done)) {
		auto_buf struct buf b = BUF_INIT;

		assert_int_equal(fs_read(path, &b, NULL), 0);
		if (b.len == 0)
			continue;
		assert_int_equal(b.len, LONG);
		assert_int_equal(strspn(b.data, (const char[]){b.data[0], '\0'}), LONG);
	}
	pthread_join(thread, NULL);
}

static void test_mkdirs_makes_all_and_minds_none_that_is_there(void **state)
{
	(void)state;
	auto_free char *path = path_of("a/b//c/");
	auto_free char *file = path_of("file");
	auto_free char *below = path_of("file/x");
	struct err e = ERR_INIT, in_file = ERR_INIT;
	struct stat st;

	assert_int_equal(fs_mkdirs(path, 0700, &e), 0);
	assert_int_equal(fs_mkdirs(path, 0700, &e), 0);
	assert_int_equal(stat(path, &st), 0);
	fs_write(file, "", 0, 0600, NULL);
	assert_int_equal(fs_mkdirs(file, 0700, &e), -ERR_IO);
	assert_non_null(strstr(e.msg, "not a folder"));
	assert_int_equal(fs_mkdirs(below, 0700, &in_file), -ERR_IO);
}

static void test_remove_tree_does_not_follow_links(void **state)
{
	(void)state;
	auto_free char *kept = path_of("kept");
	auto_free char *kept_file = path_of("kept/file");
	auto_free char *tree = path_of("tree");
	auto_free char *deep = path_of("tree/a/b");
	auto_free char *link = path_of("tree/a/link");

	fs_mkdirs(kept, 0700, NULL);
	fs_write(kept_file, "x", 1, 0600, NULL);
	fs_mkdirs(deep, 0700, NULL);
	assert_int_equal(symlink(kept, link), 0);
	assert_int_equal(fs_remove_tree(tree, NULL), 0);
	assert_int_equal(fs_remove_tree(tree, NULL), 0);
	assert_content(kept_file, "x");
	assert_int_equal(count_entries(), 1);
}

static void test_join_puts_one_slash(void **state)
{
	(void)state;
	static const char *const rows[][3] = {
		{"a", "b", "a/b"}, {"a/", "b", "a/b"}, {"a//", "/b", "a/b"}, {"/", "b", "/b"}};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		auto_free char *path = fs_join(rows[i][0], rows[i][1]);

		assert_string_equal(path, rows[i][2]);
	}
}

static void test_lock_conflict_names_the_holder_until_it_is_closed(void **state)
{
	(void)state;
	auto_free char *path = path_of("lock");
	auto_close int second = -1;
	int first = -1;
	struct err e = ERR_INIT;
	char pid[32];

	assert_int_equal(fs_lock(path, &first, &e), 0);
	assert_int_equal(fs_lock(path, &second, &e), -ERR_CONFLICT);
	snprintf(pid, sizeof(pid), "(pid %ld)", (long)getpid());
	assert_non_null(strstr(e.msg, pid));
	assert_int_equal(second, -1);
	close(first);
	assert_int_equal(fs_lock(path, &second, NULL), 0);
}

/* Takes the lock, leaves a child that has it for `ms` more, and is gone. The child ends with the
 * descriptor that is returned. */
static int lock_and_leave(const char *path, int ms)
{
	int ends[2];
	assert_int_equal(pipe(ends), 0);
	pid_t holder = fork();
	int fd = -1;

	if (holder == 0) {
		bool locked = fs_lock(path, &fd, NULL) == 0;
		if (locked && fork() == 0) {
			struct pollfd end = {ends[0], POLLIN, 0};
			close(ends[1]);
			poll(&end, 1, ms);
			_exit(0);
		}
		_exit(locked ? 0 : 1);
	}
	close(ends[0]);
	int status = 0;
	assert_int_equal(waitpid(holder, &status, 0), holder);
	assert_int_equal(status, 0);
	return ends[1];
}

static void test_lock_that_a_killed_holder_left_to_a_child_is_waited_for(void **state)
{
	(void)state;
	auto_free char *path = path_of("lock");
	auto_close int fd = -1;
	struct err e = ERR_INIT;

	auto_close int first = lock_and_leave(path, 100);
	assert_int_equal(fs_lock(path, &fd, &e), 0);
	close(fd);
	fd = -1;
	auto_close int second = lock_and_leave(path, 10000);
	assert_int_equal(fs_lock(path, &fd, &e), -ERR_CONFLICT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			test_read_stops_at_the_limit, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(
			test_read_says_what_is_missing, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(
			test_lock_that_a_killed_holder_left_to_a_child_is_waited_for, make_folder,
			remove_folder),
		cmocka_unit_test_setup_teardown(
			test_write_sets_mode_and_leaves_no_other_file, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(
			test_failed_write_leaves_the_old_content_and_nothing_else, make_folder,
			remove_folder),
		cmocka_unit_test_setup_teardown(
			test_reader_never_sees_a_part, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(test_mkdirs_makes_all_and_minds_none_that_is_there,
			make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(
			test_remove_tree_does_not_follow_links, make_folder, remove_folder),
		cmocka_unit_test(test_join_puts_one_slash),
		cmocka_unit_test_setup_teardown(
			test_lock_conflict_names_the_holder_until_it_is_closed, make_folder,
			remove_folder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
