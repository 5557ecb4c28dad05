/*
 * A second daemon on the same branch and organization, with a store of its own: started by mistake,
 * or by somebody who does not know of the first. To the one that is judged it is one of the others;
 * of itself only what no daemon may ever do is judged.
 */
#include <string.h>

#include "checks.h"

#define STORM_CALLS ARRAY_SIZE(((struct twin *)NULL)->left_at)

static void take_call(void *ctx, struct api_call *owned_call)
{
	struct world *w = ctx;
	size_t slot = w->twin.left++ % STORM_CALLS;
	if (w->twin.left > STORM_CALLS && w->now - w->twin.left_at[slot] < MINUTE)
		violate("no_storm", "%zu calls of a second daemon in a minute", STORM_CALLS);
	w->twin.left_at[slot] = w->now;
	world_tell(w, "second daemon: leave", owned_call);
	if (owned_call->verb == API_DELETE)
		check_twin_deletes(w, who_is(owned_call->identifier));
	world_schedule_twin(w, (struct pending){.kind = EVENT_EFFECT, .call = owned_call},
		w->api[API_SWITCH_SLOW]);
}

static void take_read(void *ctx, struct read_request *owned_request)
{
	world_schedule_twin(ctx, (struct pending){.kind = EVENT_READ, .read = owned_request}, 0);
}

static void take_post(void *ctx, struct post_batch *owned_batch)
{
	world_schedule_twin(ctx, (struct pending){.kind = EVENT_POST, .post = owned_batch}, 0);
}

void twin_start(struct world *w)
{
	struct err e = ERR_INIT;
	if (w->twin.engine)
		return;
	if (!w->twin.store && store_open_memory("twin", &w->twin.store, &e) < 0)
		BUG("%s", e.msg);
	w->twin.config = w->config;
	w->twin.config.name = "twin";
	const struct engine_options options = {
		.config = &w->twin.config,
		.store = w->twin.store,
		.ports = {.api = {take_call, w}, .read = take_read, .post = take_post, .ctx = w},
		.clock = &w->clock,
		.rng = &w->rng,
	};
	if (engine_new(&options, &w->twin.engine, &e) < 0)
		violate("starts", "%s", e.msg);
}

void twin_kill(struct world *w)
{
	size_t kept = 0;
	engine_free(w->twin.engine);
	w->twin.engine = NULL;
	for (size_t i = 0; i < w->events.n; i++)
		if (w->events.at[i].twin)
			world_release_event(&w->events.at[i]);
		else
			w->events.at[kept++] = w->events.at[i];
	w->events.n = kept;
}

void twin_release(struct world *w)
{
	if (w->twin.engine)
		twin_kill(w);
	store_close(w->twin.store);
	w->twin.store = NULL;
}

void twin_happen(struct world *w, struct pending *e)
{
	struct api_answer *answer;
	switch (e->kind) {
	case EVENT_READ:
		engine_read_done(w->twin.engine, git_read_by_twin(w, e->read));
		break;
	case EVENT_EFFECT:
		w->twin.acts = true;
		w->effect_left = e->left;
		answer = api_take_of_twin(w, e->call);
		w->twin.acts = false;
		engine_answer(w->twin.engine, answer);
		break;
	case EVENT_POST:
		for (size_t i = 0; i < e->post->statuses.n; i++)
			e->post->ends[i] = POST_ARRIVED;
		engine_posted(w->twin.engine, TAKE(e->post));
		break;
	case EVENT_ANSWER:
		break;
	}
	world_release_event(e);
}
