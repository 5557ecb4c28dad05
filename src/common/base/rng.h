/*
 * Randomness as an argument, so that a history can be replayed from its seed.
 */
#ifndef BASE_RNG_H
#define BASE_RNG_H

#include <stddef.h>
#include <stdint.h>

struct rng {
	void (*fill)(void *ctx, void *out, size_t len);
	void *ctx;
};

/* From the kernel, through libsodium. */
extern const struct rng rng_real;

struct rng_seeded {
	unsigned char seed[32];
	uint64_t counter;
};

/* Deterministic; `state` must outlive the returned rng. */
struct rng rng_from_seed(struct rng_seeded *state, uint64_t seed);

/* Uniform in [0, bound); 0 for bound 0. */
uint64_t rng_below(const struct rng *r, uint64_t bound);

#endif
