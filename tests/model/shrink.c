/* Makes a history that goes wrong as short as can be, by trying. */
#include "history.h"

#include <stdlib.h>

static struct history without(const struct history *h, size_t from, size_t n)
{
	struct history out = {0};
	for (size_t i = 0; i < h->n; i++)
		if (i < from || i >= from + n)
			vec_push(&out, h->at[i]);
	return out;
}

static bool replace_if_fails(
	struct history *h, struct history *candidate, history_fails_fn fails, void *ctx)
{
	if (!fails(ctx, candidate)) {
		history_release(candidate);
		return false;
	}
	history_release(h);
	*h = *candidate;
	return true;
}

/* Chunks of half of it, then of a quarter, …, then single steps. */
static bool drop_steps(struct history *h, history_fails_fn fails, void *ctx)
{
	bool any = false;
	for (size_t chunk = h->n / 2 ? h->n / 2 : 1; chunk; chunk /= 2) {
		for (size_t at = 0; at < h->n;) {
			struct history candidate = without(h, at, chunk);
			if (replace_if_fails(h, &candidate, fails, ctx))
				any = true;
			else
				at += chunk;
		}
	}
	return any;
}

static bool try_step(
	struct history *h, size_t i, struct step step, history_fails_fn fails, void *ctx)
{
	const struct step *old = &h->at[i];
	if (old->n == step.n && old->m == step.m && old->what == step.what)
		return false;
	struct history candidate = without(h, 0, 0);
	candidate.at[i] = step;
	return replace_if_fails(h, &candidate, fails, ctx);
}

/* Round numbers read better than odd ones, small ones better than large ones. */
static bool simplify_step(struct history *h, size_t i, history_fails_fn fails, void *ctx)
{
	static const int64_t simpler[] = {1, 2, 1000, 5000, 60000, 600000, 3600000};
	struct step step = h->at[i];
	bool any = false;
	if (!(step_rows[step.kind].args & ARG_MISHAP) && step.m) {
		step.m = 0;
		any = try_step(h, i, step, fails, ctx) || any;
	}
	for (size_t k = 0; k < sizeof(simpler) / sizeof(*simpler); k++) {
		step = h->at[i];
		if (!(step_rows[step.kind].args & ARG_N) || llabs(step.n) <= simpler[k])
			break;
		step.n = step.n < 0 ? -simpler[k] : simpler[k];
		if (try_step(h, i, step, fails, ctx)) {
			any = true;
			break;
		}
	}
	return any;
}

void history_shrink(struct history *h, history_fails_fn fails, void *ctx)
{
	while (drop_steps(h, fails, ctx))
		;
	for (size_t i = 0; i < h->n; i++)
		simplify_step(h, i, fails, ctx);
	while (drop_steps(h, fails, ctx))
		;
}
