/* Which fleet a replicator goes to. */
#include "server/fleets.h"

#include <string.h>

#include "base/alloc.h"

void fleets_init(struct fleets *f, const struct config *config)
{
	const struct fleet_config *configs = config->fleets.at;

	f->n = config->fleets.n;
	f->at = xcalloc(f->n, sizeof(*f->at));
	for (size_t i = 0; i < f->n; i++) {
		f->at[i].config = &configs[i];
		f->at[i].runner = runner_types[configs[i].runner]->new (&configs[i].simulate);
	}
}

void fleets_release(struct fleets *f)
{
	for (size_t i = 0; i < f->n; i++)
		runner_free(f->at[i].runner);
	free(f->at);
	*f = (struct fleets){0};
}

struct fleet *fleets_find(const struct fleets *f, const char *name)
{
	for (size_t i = 0; i < f->n; i++)
		if (!strcmp(f->at[i].config->name, name))
			return &f->at[i];
	return NULL;
}

int64_t fleet_room(const struct fleet *f)
{
	int64_t room = f->config->capacity - f->n_used;

	return room > 0 ? room : 0;
}

struct counting {
	struct fleets *fleets;
	struct err *err;
};

static void take_count(void *ctx, const char *name, int64_t n)
{
	struct counting *c = ctx;
	struct fleet *fleet = fleets_find(c->fleets, name);

	if (fleet)
		fleet->n_used = n;
	else
		err_set(c->err, ERR_CONFIG,
			"fleet %s has %lld replicators and is not in the configuration; put it "
			"back "
			"until they are deleted",
			name, (long long)n);
}

int fleets_count(struct fleets *f, struct store *store, struct err *e)
{
	struct err missing = ERR_INIT;
	struct counting c = {f, &missing};

	for (size_t i = 0; i < f->n; i++)
		f->at[i].n_used = 0;
	int rc = store_count_by_fleet(store, take_count, &c, e);
	if (rc == 0 && missing.code != ERR_OK)
		rc = err_set(e, missing.code, "%s", missing.msg);
	return rc;
}

void fleet_providers(const struct fleet *f, struct strv *ret_names)
{
	const struct node *chosen = f->config->providers;

	for (size_t i = 0; chosen && i < chosen->u.seq.n; i++)
		strv_push(ret_names, chosen->u.seq.at[i]->u.string.s);
	for (const char *const *p = f->runner->type->providers; !chosen && *p; p++)
		strv_push(ret_names, *p);
}

bool fleet_serves(const struct fleet *f, const char *provider)
{
	auto_strv struct strv names = VEC_INIT;

	fleet_providers(f, &names);
	return strv_contains(&names, provider);
}

static void explain_none(const struct fleets *f, const char *provider, struct buf *out)
{
	buf_addf(out, "no fleet serves %s", provider);
	for (size_t i = 0; i < f->n; i++) {
		auto_strv struct strv names = VEC_INIT;

		fleet_providers(&f->at[i], &names);
		buf_addf(out, "%s fleet %s serves", i ? "," : ";", f->at[i].config->name);
		for (size_t k = 0; k < names.n; k++)
			buf_addf(out, "%s %s", k ? " and" : "", names.at[k]);
	}
}

struct fleet *fleets_place(const struct fleets *f, const char *provider, struct buf *ret_why)
{
	auto_buf struct buf full = BUF_INIT;

	for (size_t i = 0; i < f->n; i++) {
		struct fleet *fleet = &f->at[i];

		if (!fleet_serves(fleet, provider))
			continue;
		if (fleet_room(fleet) > 0)
			return fleet;
		buf_addf(&full, "%s%s (%lld of %lld)", full.len ? ", " : "", fleet->config->name,
			(long long)fleet->n_used, (long long)fleet->config->capacity);
	}
	if (full.len)
		buf_addf(ret_why,
			"no room in any fleet that serves %s: %s; delete a replicator or raise a "
			"fleet's capacity",
			provider, buf_str(&full));
	else
		explain_none(f, provider, ret_why);
	return NULL;
}
