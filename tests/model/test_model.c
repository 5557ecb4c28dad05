/*
 * Proof by model: long random histories, each from a seed, against the reference API; the promises
 * of checks.h hold in each.
 *
 *	test_model FIRST COUNT               histories of the seeds FIRST … FIRST + COUNT - 1
 *	WEIR_FRESH=now test_model 1 COUNT    of seeds that nobody tried before; which, it says, and
 *	                                     takes in the place of "now"
 *	WEIR_SEED=17 test_model              that one, with the daemon's log
 *	WEIR_HISTORY=FILE test_model         what the file says, with the daemon's log
 *	test_model FILE …                    what these say: found/ has those that went wrong once
 *
 * A history that goes wrong is shrunk and printed, and can be played from that text.
 */
#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/fs.h"
#include "base/log.h"
#include "checks.h"

#define WORKERS_MOST 64

/* Shared with the processes that play. */
struct outcome {
	char promise[64]; /* that was broken; "" if none was */
	char text[1024];
};
static struct {
	struct {
		struct outcome outcome; /* of histories, one after the other */
		struct outcome one; /* of a history that is played for shrinking */
		uint64_t seed; /* that is played */
		uint64_t done;
		uint64_t steps;
		uint64_t ops;
		uint64_t calls;
	} worker[WORKERS_MOST];
} * shared;

static size_t self; /* which worker this is */
static struct outcome *mine; /* what this process is to fill */
static struct world *talking; /* one history alone, for a reader */

void violate(const char *promise, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	snprintf(mine->promise, sizeof(mine->promise), "%s", promise);
	vsnprintf(mine->text, sizeof(mine->text), fmt, ap);
	va_end(ap);
	if (talking)
		world_describe(talking);
	_exit(3);
}

static void play(const struct history *h, struct world *w)
{
	world_setup(w);
	world_play(w, h);
}

/* In a process of its own: it may end in any way. */
static void try(const struct history *h, struct outcome *out)
{
	mine = &shared->worker[self].one;
	*mine = (struct outcome){0};
	pid_t pid = fork();
	if (pid == 0) {
		struct world w;
		alarm(60);
		if (!getenv("WEIR_TALK") && !freopen("/dev/null", "w", stderr))
			_exit(1);
		play(h, &w);
		_exit(0);
	}
	int status;
	waitpid(pid, &status, 0);
	*out = *mine;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return;
	if (!out->promise[0])
		snprintf(out->promise, sizeof(out->promise), "%s %d",
			WIFSIGNALED(status) ? "signal" : "exit",
			WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
}

static bool fails_alike(void *ctx, const struct history *h)
{
	struct outcome out;
	try(h, &out);
	return !strcmp(out.promise, ((const struct outcome *)ctx)->promise);
}

/* Says what went wrong, and the shortest history that does. */
static void tell(const char *name, struct history *h)
{
	struct outcome out;
	try(h, &out);
	if (!out.promise[0]) {
		printf("%s: went wrong, and does not when it is played alone\n", name);
		return;
	}
	size_t before = h->n;
	history_shrink(h, fails_alike, &out);
	try(h, &out);
	auto_buf struct buf text = BUF_INIT;
	history_write(h, &text);
	printf("# %s: %s: %s\n# %zu steps of %zu; play it with WEIR_HISTORY=FILE %s\n%s\n", name,
		out.promise, out.text, h->n, before, program_invocation_name, buf_str(&text));
	fflush(stdout);
}

static void work(uint64_t first, uint64_t count, uint64_t stride)
{
	mine = &shared->worker[self].outcome;
	for (uint64_t seed = first; seed < first + count; seed += stride) {
		struct world w;
		struct history h = {0};
		shared->worker[self].seed = seed;
		history_make(&h, seed);
		play(&h, &w);
		shared->worker[self].done++;
		shared->worker[self].steps += h.n;
		shared->worker[self].ops += w.ops.n;
		for (enum api_verb v = 0; v < API__COUNT; v++)
			shared->worker[self].calls += w.calls[v];
		world_teardown(&w);
		history_release(&h);
	}
	exit(0); /* LeakSanitizer looks now */
}

/* Stops at the first history that goes wrong in each worker, or, with WEIR_KEEP_GOING, at none. */
static bool run_worker(uint64_t first, uint64_t end, uint64_t stride)
{
	bool good = true;
	while (first < end) {
		fflush(stdout);
		pid_t pid = fork();
		if (pid == 0)
			work(first, end - first, stride);
		int status;
		waitpid(pid, &status, 0);
		if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
			return good;
		good = false;
		struct history h = {0};
		auto_free char *name =
			xasprintf("seed %llu", (unsigned long long)shared->worker[self].seed);
		history_make(&h, shared->worker[self].seed);
		tell(name, &h);
		history_release(&h);
		if (!getenv("WEIR_KEEP_GOING"))
			return false;
		first = shared->worker[self].seed + stride;
	}
	return good;
}

static double cpu_seconds(void)
{
	struct rusage u;
	getrusage(RUSAGE_CHILDREN, &u);
	return (double)u.ru_utime.tv_sec + (double)u.ru_stime.tv_sec +
	       (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

static void report(size_t workers)
{
	uint64_t done = 0, steps = 0, ops = 0, calls = 0;
	for (size_t i = 0; i < workers; i++) {
		done += shared->worker[i].done;
		steps += shared->worker[i].steps;
		ops += shared->worker[i].ops;
		calls += shared->worker[i].calls;
	}
	printf("%llu histories, %llu steps, %llu operations, %llu calls; %.0f a CPU second\n",
		(unsigned long long)done, (unsigned long long)steps, (unsigned long long)ops,
		(unsigned long long)calls, (double)done / (cpu_seconds() + 1e-9));
}

static bool run_all(uint64_t first, uint64_t count, size_t workers)
{
	bool good = true;
	pid_t pids[WORKERS_MOST];
	fflush(stdout);
	for (size_t i = 0; i < workers; i++) {
		pids[i] = fork();
		self = i;
		if (pids[i] == 0)
			exit(run_worker(first + i, first + count, workers) ? 0 : 1);
	}
	for (size_t i = 0; i < workers; i++) {
		int status;
		waitpid(pids[i], &status, 0);
		good = good && WIFEXITED(status) && WEXITSTATUS(status) == 0;
	}
	return good;
}

static int run_one(const char *name, struct history *h)
{
	struct world w;
	auto_buf struct buf text = BUF_INIT;
	history_write(h, &text);
	printf("# %s\n%s", name, buf_str(&text));
	fflush(stdout);
	log_setup(LOG_DEBUG, LOG_TEXT);
	mine = &shared->worker[self].one;
	if (fork() == 0) {
		talking = &w;
		world_talks = true;
		play(h, &w);
		world_teardown(&w);
		exit(0);
	}
	int status;
	wait(&status);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 0;
	log_setup(LOG__COUNT, LOG_TEXT);
	tell(name, h);
	return 1;
}

static bool read_file(const char *file, struct history *h)
{
	struct err e = ERR_INIT;
	auto_buf struct buf text = BUF_INIT;
	if (fs_read(file, &text, &e) < 0) {
		fprintf(stderr, "%s\n", e.msg);
		return false;
	}
	return history_read(h, buf_str(&text));
}

static int run_file(const char *file)
{
	struct history h = {0};
	int rc = read_file(file, &h) ? run_one(file, &h) : 2;
	history_release(&h);
	return rc;
}

static int run_files(char **files)
{
	int rc = 0;
	for (; *files; files++) {
		struct history h = {0};
		struct outcome out = {.promise = "it can be read"};
		if (read_file(*files, &h))
			try(&h, &out);
		if (out.promise[0]) {
			printf("%s: %s: %s\n", *files, out.promise, out.text);
			rc = 1;
		}
		history_release(&h);
	}
	return rc;
}

static int run_seed(uint64_t seed)
{
	struct history h = {0};
	history_make(&h, seed);
	int rc = run_one("the history", &h);
	history_release(&h);
	return rc;
}

/* The first of the seeds that nobody tried before: a number, or a word for those of this second. */
static uint64_t first_fresh(const char *given)
{
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	uint64_t seed = strtoull(given, NULL, 10);
	return seed ? seed : (uint64_t)now.tv_sec * 1000000;
}

static size_t count_workers(void)
{
	long cores = sysconf(_SC_NPROCESSORS_ONLN);
	const char *jobs = getenv("WEIR_MODEL_JOBS");
	size_t n = jobs ? strtoul(jobs, NULL, 10) : cores > 0 ? (size_t)cores : 1;
	return n < 1 ? 1 : n > WORKERS_MOST ? WORKERS_MOST : n;
}

int main(int argc, char **argv)
{
	/* Memory that is given back to the system and asked for again takes a tenth of the time. */
	mallopt(M_TRIM_THRESHOLD, 256 << 20);
	mallopt(M_TOP_PAD, 1 << 20);
	mallopt(M_MMAP_THRESHOLD, 64 << 20);
	shared = mmap(
		NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	log_setup(LOG__COUNT, LOG_TEXT);
	const char *history = getenv("WEIR_HISTORY"), *seed = getenv("WEIR_SEED");
	if (history)
		return run_file(history);
	if (seed)
		return run_seed(strtoull(seed, NULL, 10));
	if (argc > 1 && !strtoull(argv[1], NULL, 10))
		return run_files(argv + 1);
	uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
	uint64_t count = argc > 2 ? strtoull(argv[2], NULL, 10) : 200;
	const char *fresh = getenv("WEIR_FRESH");
	if (fresh) {
		first = first_fresh(fresh);
		printf("seeds from %llu on\n", (unsigned long long)first);
	}
	size_t workers = count_workers();
	bool good = run_all(first, count, workers);
	report(workers);
	return good ? 0 : 1;
}
