/* Randomness from the kernel or from a seed. */
#include "base/rng.h"

#include <string.h>

#include <sodium.h>

#include "base/alloc.h"

static void fill_real(void *ctx, void *out, size_t len)
{
	(void)ctx;
	if (sodium_init() < 0)
		BUG("libsodium does not start");
	randombytes_buf(out, len);
}

const struct rng rng_real = {fill_real, NULL};

/* Each call is a stream of its own, numbered in the upper half of the seed. */
static void fill_seeded(void *ctx, void *out, size_t len)
{
	struct rng_seeded *state = ctx;

	_Static_assert(sizeof(state->seed) == randombytes_SEEDBYTES, "libsodium's seed");
	memcpy(state->seed + sizeof(state->seed) / 2, &state->counter, sizeof(state->counter));
	state->counter++;
	randombytes_buf_deterministic(out, len, state->seed);
}

struct rng rng_from_seed(struct rng_seeded *state, uint64_t seed)
{
	memset(state, 0, sizeof(*state));
	memcpy(state->seed, &seed, sizeof(seed));
	return (struct rng){fill_seeded, state};
}

uint64_t rng_below(const struct rng *r, uint64_t bound)
{
	uint64_t value;

	if (bound == 0)
		return 0;
	/* What lies below the remainder of 2^64 would make the small numbers likelier. */
	uint64_t reject_below = -bound % bound;
	do {
		r->fill(r->ctx, &value, sizeof(value));
	} while (value < reject_below);
	return value % bound;
}
