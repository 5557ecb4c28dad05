/* How the world stood when a history went wrong: for whoever reads it. */
#include <stdio.h>

#include "world.h"

#define EVENTS_MOST 40

bool world_talks;

void world_tell(const struct world *w, const char *what, const struct api_call *c)
{
	char at[CLOCK_TEXT_MAX];
	if (!world_talks)
		return;
	printf("%s %s of %s %s, generation %lld %s\n", clock_format(world_wall(w), at), what,
		api_verb_name(c->verb), c->identifier ? c->identifier : "-",
		(long long)c->generation, c->body ? c->body : "");
	fflush(stdout);
}

static void describe_body(const char *what, const struct body *b)
{
	printf("  %s:", what);
	for (enum field_of f = 0; f < F__COUNT; f++)
		if (b->v[f])
			printf(" %s %d", field_rows[f].name, b->v[f]);
	printf("\n");
}

static void describe_object(const struct world *w, int who)
{
	const struct object *o = &w->object[who];
	struct body git = {0};
	for (enum field_of f = 0; w->head && f < F__COUNT; f++)
		git.v[f] = doc_value(&git_commit(w, w->head)->tree.doc[who], f);
	if (!o->exists && !git.v[F_TOPICS])
		return;
	printf("%s: uid %u, generation %lld, observed %lld%s%s%s\n", who_names[who], o->uid,
		(long long)o->generation, (long long)o->observed, o->op ? ", busy" : "",
		o->failed ? ", failed" : "", o->deleting ? ", deleting" : "");
	describe_body("Git ", &git);
	describe_body("live", &o->live);
	describe_body("runs", &o->runs);
	for (size_t i = 0; i < o->past.n; i++)
		describe_body("was ", &o->past.at[i]);
}

void world_describe(struct world *w)
{
	struct events events = VEC_INIT;
	struct err e = ERR_INIT;
	for (int who = 0; who < WHO__COUNT; who++)
		describe_object(w, who);
	for (size_t c = 1; c <= w->commits.n; c++)
		printf("commit %zu: %s; %s\n", c, world_note(w, c, "sync"),
			world_note(w, c, "drift"));
	if (store_load_events(w->store, NULL, EVENTS_MOST, &events, &e) < 0)
		return;
	for (size_t i = events.n; i-- > 0;) {
		const struct event *ev = &events.at[i];
		char at[CLOCK_TEXT_MAX];
		printf("%s %s %.7s %s %s\n", clock_format(ev->at_ms, at), ev->name ? ev->name : "-",
			ev->sha ? ev->sha + 33 : "-", ev->what, ev->detail ? ev->detail : "");
	}
	events_release(&events);
	fflush(stdout);
}
