/*
 * Brings together what is said of each name. Git, accepted documents, the API, the inventory and
 * secrets are facts about names; sorted, the facts about one name are neighbours.
 */
#include "plan/planner.h"

#include <stdlib.h>
#include <string.h>

#include "doc/problem.h"

/* So many must be missing at once before the API is suspected of hiding them. */
#define HIDDEN_LEAST 3

enum fact_kind {
	FACT_DECLARED,
	FACT_ACCEPTED,
	FACT_LIVE,
	FACT_RECORD,
	FACT_SUSPENSION,
	FACT_SECRET
};

struct fact {
	const char *name;
	enum fact_kind kind;
	size_t order; /* as given: of equal facts the first counts */
	union {
		const struct replicator *replicator;
		const struct live *live;
		const struct plan_record *record;
		const struct plan_suspension *suspension;
		const struct plan_secret *secret;
	} u;
};

struct facts {
	VEC_FIELDS(struct fact);
};

static void gather(struct facts *out, const struct plan_input *in)
{
	for (size_t i = 0; i < map_size(&in->catalog->by_name); i++) {
		const struct replicator *r = map_value(&in->catalog->by_name, i);

		vec_push(out, (struct fact){r->name, FACT_DECLARED, i, .u.replicator = r});
	}
	for (size_t i = 0; i < in->n_accepted; i++)
		vec_push(out, (struct fact){in->accepted[i]->name, FACT_ACCEPTED, i,
				      .u.replicator = in->accepted[i]});
	for (size_t i = 0; i < in->n_live; i++)
		vec_push(out, (struct fact){in->live[i]->identifier, FACT_LIVE, i,
				      .u.live = in->live[i]});
	for (size_t i = 0; i < in->n_records; i++)
		vec_push(out, (struct fact){in->records[i]->name, FACT_RECORD, i,
				      .u.record = in->records[i]});
	for (size_t i = 0; i < in->n_suspensions; i++)
		vec_push(out, (struct fact){in->suspensions[i].name, FACT_SUSPENSION, i,
				      .u.suspension = &in->suspensions[i]});
	for (size_t i = 0; i < in->n_secrets; i++)
		if (in->secrets[i].message)
			vec_push(out, (struct fact){in->secrets[i].name, FACT_SECRET, i,
					      .u.secret = &in->secrets[i]});
}

static int compare_facts(const void *a, const void *b)
{
	const struct fact *left = a, *right = b;
	int order = strcmp(left->name, right->name);

	if (order)
		return order;
	if (left->kind != right->kind)
		return left->kind < right->kind ? -1 : 1;
	return left->order < right->order ? -1 : left->order > right->order;
}

struct secrets {
	VEC_FIELDS(const struct plan_secret *);
};

static void add_fact(struct subject *s, struct secrets *secrets, const struct fact *f)
{
	switch (f->kind) {
	case FACT_DECLARED:
		s->declared = s->declared ? s->declared : f->u.replicator;
		break;
	case FACT_ACCEPTED:
		s->accepted = s->accepted ? s->accepted : f->u.replicator;
		break;
	case FACT_LIVE:
		s->live = s->live ? s->live : f->u.live;
		break;
	case FACT_RECORD:
		s->record = s->record ? s->record : f->u.record;
		break;
	case FACT_SUSPENSION:
		s->suspension = s->suspension ? s->suspension : f->u.suspension;
		break;
	case FACT_SECRET:
		vec_push(secrets, f->u.secret);
		break;
	}
}

struct subjects {
	VEC_FIELDS(struct subject);
};

/* Facts about one name become one subject. */
static void join(struct subjects *out, struct secrets *secrets, const struct facts *facts)
{
	/* Secrets are pointed to once there will be no more of them. */
	vec_each (f, facts) {
		if (out->n == 0 || strcmp(out->at[out->n - 1].name, f->name) != 0)
			vec_push(out, (struct subject){.name = f->name});
		struct subject *s = &out->at[out->n - 1];

		s->n_secrets += f->kind == FACT_SECRET;
		add_fact(s, secrets, f);
	}
	size_t n = 0;
	vec_each (s, out) {
		s->secrets = secrets->at + n;
		n += s->n_secrets;
	}
}

/* More than half of what was live before, and more than two, is missing at once. What we deleted
 * ourselves is not missed. */
static void count_inventory(struct planner *p, const struct subjects *subjects)
{
	size_t missing = 0;

	vec_each (s, subjects) {
		if (!s->record || !record_was_live(s->record))
			continue;
		p->n_inventory++;
		missing += !s->live && !s->record->deleted && !s->record->unread;
	}
	p->hidden = missing >= HIDDEN_LEAST && missing * 2 > p->n_inventory;
}

static void count_items(struct plan *plan)
{
	vec_each (it, &plan->items) {
		plan->count[it->action]++;
		plan->n_changes += action_does_something(it->action);
	}
}

struct plan *plan_build(const struct plan_input *input)
{
	struct planner p = {.in = input, .plan = xcalloc(1, sizeof(*p.plan))};
	struct facts facts = VEC_INIT;
	struct secrets secrets = VEC_INIT;
	struct subjects subjects = VEC_INIT;

	p.plan->problems = &input->catalog->problems;
	gather(&facts, input);
	if (facts.n)
		qsort(facts.at, facts.n, sizeof(*facts.at), compare_facts);
	join(&subjects, &secrets, &facts);
	count_inventory(&p, &subjects);
	vec_each (s, &subjects)
		plan_subject(&p, s);
	guard_items(&p);
	count_items(p.plan);
	vec_release(&facts);
	vec_release(&subjects);
	vec_release(&secrets);
	vec_release(&p.settings);
	return p.plan;
}

static int compare_name(const void *name, const void *item)
{
	return strcmp(name, ((const struct plan_item *)item)->name);
}

struct plan_item *plan_find(const struct plan *p, const char *name)
{
	if (p->items.n == 0)
		return NULL;
	return bsearch(name, p->items.at, p->items.n, sizeof(*p->items.at), compare_name);
}

void plan_free(struct plan *p)
{
	if (!p)
		return;
	vec_each (it, &p->items) {
		vec_release(&it->diffs);
		vec_release(&it->given);
		strv_release(&it->notes);
	}
	vec_release(&p->items);
	strv_release(&p->unmanaged);
	arena_release(&p->arena);
	free(p);
}
