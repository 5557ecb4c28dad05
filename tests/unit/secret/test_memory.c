/* The memory that secrets live in: what is in it, and what is left of it. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "secret/secret.h"

/* The sanitizers turn mlock into nothing. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define MLOCK_WORKS false
#else
#define MLOCK_WORKS true
#endif

static void test_holds_what_it_was_given(void **state)
{
	auto_secret struct secret *s = secret_new("tok\0en", 6);
	auto_secret struct secret *empty = secret_new(NULL, 0);

	(void)state;
	assert_int_equal(secret_len(s), 6);
	assert_memory_equal(secret_reveal(s), "tok\0en", 7);
	assert_int_equal(secret_len(empty), 0);
	assert_string_equal(secret_reveal(empty), "");
}

static void test_free_takes_null(void **state)
{
	(void)state;
	secret_free(NULL);
}

/* The slots of the pool stay mapped, so what was in one can be looked at after it was given back.
 */
static void test_value_is_wiped_when_freed(void **state)
{
	struct secret *s = secret_new("visible?", 8);
	const volatile char *bytes = secret_reveal(s);

	(void)state;
	secret_free(s);
	for (size_t i = 0; i < 8; i++)
		assert_int_equal(bytes[i], 0);
}

static void test_more_secrets_than_slots_do_not_mix(void **state)
{
	struct secret *secrets[200];
	char text[32];

	(void)state;
	for (int round = 0; round < 2; round++) {
		for (size_t i = 0; i < ARRAY_SIZE(secrets); i++) {
			snprintf(text, sizeof(text), "secret %zu of round %d", i, round);
			secrets[i] = secret_new(text, strlen(text));
		}
		for (size_t i = 0; i < ARRAY_SIZE(secrets); i++) {
			snprintf(text, sizeof(text), "secret %zu of round %d", i, round);
			assert_string_equal(secret_reveal(secrets[i]), text);
			secret_free(secrets[i]);
		}
	}
}

static void test_sizes_around_a_slot_are_held_whole(void **state)
{
	auto_free char *data = xmalloc(70000);

	(void)state;
	memset(data, 'x', 70000);
	for (size_t len = 490; len < 530; len++) {
		auto_secret struct secret *s = secret_new(data, len);
		auto_secret struct secret *neighbour = secret_new("n", 1);

		assert_int_equal(strlen(secret_reveal(s)), len);
		assert_string_equal(secret_reveal(neighbour), "n");
	}
	auto_secret struct secret *large = secret_new(data, 70000);
	assert_int_equal(secret_len(large), 70000);
	assert_memory_equal(secret_reveal(large), data, 70000);
}

static void *churn(void *arg)
{
	const char *text = arg;

	for (int i = 0; i < 5000; i++) {
		auto_secret struct secret *a = secret_new(text, strlen(text));
		auto_secret struct secret *b = secret_new(text, strlen(text));

		if (strcmp(secret_reveal(a), text) != 0 || strcmp(secret_reveal(b), text) != 0)
			return arg;
	}
	return NULL;
}

static void test_threads_never_share_a_slot(void **state)
{
	char texts[][8] = {"one", "two", "three", "four"};
	pthread_t threads[ARRAY_SIZE(texts)];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		assert_int_equal(pthread_create(&threads[i], NULL, churn, texts[i]), 0);
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		void *mixed_up = NULL;

		pthread_join(threads[i], &mixed_up);
		assert_null(mixed_up);
	}
}

/* The kernel's flags of the mapping that an address is in. */
static void read_vm_flags(const void *address, char *out, size_t size)
{
	FILE *smaps = fopen("/proc/self/smaps", "re");
	char line[512];
	bool inside = false;

	out[0] = '\0';
	while (smaps && fgets(line, sizeof(line), smaps)) {
		uintptr_t from;
		uintptr_t to;

		if (sscanf(line, "%lx-%lx ", &from, &to) == 2)
			inside = (uintptr_t)address >= from && (uintptr_t)address < to;
		else if (inside && strncmp(line, "VmFlags:", 8) == 0)
			snprintf(out, size, "%s", line);
	}
	if (smaps)
		fclose(smaps);
}

static void test_memory_is_locked_and_not_dumped(void **state)
{
	auto_free char *data = xcalloc(1, 4000);
	auto_secret struct secret *pooled = secret_new("small", 5);
	auto_secret struct secret *own = secret_new(data, 4000);
	const struct secret *const each[] = {pooled, own};
	char flags[512];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(each); i++) {
		read_vm_flags(secret_reveal(each[i]), flags, sizeof(flags));
		assert_non_null(strstr(flags, " dd"));
		if (MLOCK_WORKS && geteuid() == 0)
			assert_non_null(strstr(flags, " lo"));
	}
}

static void test_setup_turns_off_core_dumps(void **state)
{
	struct err e = ERR_INIT;
	struct rlimit limit;

	(void)state;
	assert_int_equal(secret_setup(&e), 0);
	assert_int_equal(prctl(PR_GET_DUMPABLE), 0);
	assert_int_equal(getrlimit(RLIMIT_CORE, &limit), 0);
	assert_int_equal(limit.rlim_cur, 0);
	assert_int_equal(limit.rlim_max, 0);
}

static _Noreturn void set_up_without_locked_memory(int stderr_fd)
{
	const struct rlimit none = {0, 0};
	struct err e = ERR_INIT;
	int rc = 1;

	dup2(stderr_fd, STDERR_FILENO);
	if (setrlimit(RLIMIT_MEMLOCK, &none) == 0 &&
		(geteuid() != 0 || setresuid(65534, 65534, 65534) == 0))
		rc = secret_setup(&e) == 0 ? 0 : 2;
	_exit(rc);
}

static void test_setup_warns_where_memory_cannot_be_locked(void **state)
{
	char text[1024];
	size_t len = 0;
	ssize_t got;
	int pipe_fds[2];
	int status;

	(void)state;
	assert_int_equal(pipe(pipe_fds), 0);
	pid_t child = fork();
	if (child == 0)
		set_up_without_locked_memory(pipe_fds[1]);
	close(pipe_fds[1]);
	while ((got = read(pipe_fds[0], text + len, sizeof(text) - 1 - len)) > 0)
		len += (size_t)got;
	close(pipe_fds[0]);
	text[len] = '\0';
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_int_equal(strstr(text, "memory cannot be locked") != NULL, MLOCK_WORKS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_holds_what_it_was_given),
		cmocka_unit_test(test_free_takes_null),
		cmocka_unit_test(test_value_is_wiped_when_freed),
		cmocka_unit_test(test_more_secrets_than_slots_do_not_mix),
		cmocka_unit_test(test_sizes_around_a_slot_are_held_whole),
		cmocka_unit_test(test_threads_never_share_a_slot),
		cmocka_unit_test(test_memory_is_locked_and_not_dumped),
		cmocka_unit_test(test_setup_turns_off_core_dumps),
		cmocka_unit_test(test_setup_warns_where_memory_cannot_be_locked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
