/* Memory for secrets: locked, left out of core dumps, wiped when it is given back. */
#include "secret/memory.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include <sodium.h>

#include "base/alloc.h"
#include "base/log.h"

/*
 * Each call of sodium_malloc locks whole pages, and a process may lock few of them (64 KiB where
 * nobody raised the limit). So passwords and tokens share one region that is cut into slots; what
 * does not fit there gets pages of its own. A slot is taken by its bit in one word, which needs no
 * lock.
 */
#define SLOT_BYTES ((size_t)512)
#define SLOT_COUNT 64

static unsigned char *pool;
static _Atomic uint64_t slots_taken;
static pthread_once_t pool_once = PTHREAD_ONCE_INIT;

static void *alloc_pages(size_t size)
{
	/* A multiple of 16 is aligned, as what sodium_malloc returns ends at the end of a page. */
	void *p = sodium_malloc((size + 15) & ~(size_t)15);

	if (!p) {
		log_error("out of memory for secrets", NULL);
		abort();
	}
	return p;
}

static void make_pool(void)
{
	if (sodium_init() < 0)
		BUG("libsodium does not start");
	pool = alloc_pages(SLOT_BYTES * SLOT_COUNT);
}

int secret_setup(struct err *e)
{
	const struct rlimit none = {0, 0};

	if (setrlimit(RLIMIT_CORE, &none) < 0 || prctl(PR_SET_DUMPABLE, 0) < 0)
		return err_errno(e, errno, "cannot turn off core dumps, which would hold secrets");
	pthread_once(&pool_once, make_pool);
	/* sodium_malloc does not tell whether it could lock; locking a second time does. */
	if (sodium_mlock(pool, SLOT_BYTES * SLOT_COUNT) < 0)
		log_warn("memory cannot be locked, so secrets may reach the swap space: raise the "
			 "limit (LimitMEMLOCK= of the service, ulimit -l)",
			NULL);
	return 0;
}

static void *claim_slot(void)
{
	uint64_t taken = atomic_load(&slots_taken);

	while (taken != UINT64_MAX) {
		uint64_t lowest_free = ~taken & (taken + 1);

		if (atomic_compare_exchange_weak(&slots_taken, &taken, taken | lowest_free))
			return pool + (size_t)__builtin_ctzll(lowest_free) * SLOT_BYTES;
	}
	return NULL;
}

static bool give_back_slot(struct secret *s)
{
	uintptr_t offset = (uintptr_t)s - (uintptr_t)pool;

	if (offset >= SLOT_BYTES * SLOT_COUNT)
		return false;
	sodium_memzero(s, SLOT_BYTES);
	atomic_fetch_and(&slots_taken, ~(UINT64_C(1) << (offset / SLOT_BYTES)));
	return true;
}

struct secret *secret_alloc(size_t len)
{
	size_t size = sizeof(struct secret) + len + 1;
	struct secret *s = NULL;

	pthread_once(&pool_once, make_pool);
	if (size <= SLOT_BYTES)
		s = claim_slot();
	if (!s)
		s = alloc_pages(size);
	s->len = len;
	s->bytes[len] = '\0';
	return s;
}

void secret_cut(struct secret *s, size_t len)
{
	sodium_memzero(s->bytes + len, s->len - len);
	s->len = len;
}

struct secret *secret_new(const void *data, size_t len)
{
	struct secret *s = secret_alloc(len);

	if (len)
		memcpy(s->bytes, data, len);
	return s;
}

void secret_free(struct secret *s)
{
	if (s && !give_back_slot(s))
		sodium_free(s);
}

void secret_freep(struct secret **s)
{
	secret_free(*s);
}

const char *secret_reveal(const struct secret *s)
{
	return s->bytes;
}

size_t secret_len(const struct secret *s)
{
	return s->len;
}
