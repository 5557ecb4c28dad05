/* How the ledger comes from the store, and the flush that calls wait for. */
#include "base/alloc.h"
#include "base/crash.h"
#include "reconcile/ledger.h"

static int load_records(struct ledger *l, struct err *e)
{
	struct store_rows rows = VEC_INIT;
	int rc = store_load_rows(l->store, &rows, e);
	if (rc < 0)
		return rc;
	vec_each (row, &rows) {
		struct record *r = ledger_need(l, row->name);
		store_row_release(&r->row);
		r->row = *row;
	}
	vec_release(&rows);

	struct map accepted = MAP_INIT;
	rc = store_load_accepted(l->store, &accepted, e);
	for (size_t i = 0; i < map_size(&accepted); i++) {
		struct record *r = ledger_need(l, map_key(&accepted, i));
		r->accepted = map_value(&accepted, i);
	}
	map_release(&accepted);
	return rc;
}

static int load_intents(struct ledger *l, struct err *e)
{
	struct intents intents = VEC_INIT;
	int rc = store_last_intent(l->store, &l->next_intent, e);
	if (rc == 0)
		rc = store_load_intents(l->store, &intents, e);
	if (rc < 0)
		return rc;
	l->next_intent++;
	vec_each (i, &intents) {
		struct record *r = ledger_need(l, i->name);
		struct intent *copy = xmalloc(sizeof(*copy));
		*copy = *i;
		ledger_close_intent(l, r, INTENT_SUPERSEDED, NULL); /* the newest counts */
		r->intent = copy;
		r->healed = copy->heals;
	}
	vec_release(&intents);
	return 0;
}

static int load_outbox(struct ledger *l, struct err *e)
{
	struct outbox_rows rows = VEC_INIT;
	int rc = store_load_outbox(l->store, l->head, &rows, e);
	if (rc < 0)
		return rc;
	vec_each (row, &rows) {
		struct outbox_entry *entry = ledger_outbox(l, row->sha, row->context);
		outbox_row_release(&entry->row);
		entry->row = *row;
	}
	vec_release(&rows);
	return 0;
}

static int load_orders(struct ledger *l, struct err *e)
{
	struct suspensions suspensions = VEC_INIT;
	struct approvals approvals = VEC_INIT;
	int rc = store_load_suspensions(l->store, &suspensions, e);
	if (rc == 0)
		rc = store_load_approvals(l->store, &approvals, e);
	vec_each (s, &suspensions) {
		struct suspension *copy = xmalloc(sizeof(*copy));
		*copy = *s;
		map_put(&l->suspensions, s->name, copy);
	}
	vec_each (a, &approvals) {
		struct approval *copy = xmalloc(sizeof(*copy));
		*copy = *a;
		map_put(&l->approvals, a->digest, copy);
	}
	vec_release(&suspensions);
	vec_release(&approvals);
	return rc;
}

int ledger_load(struct ledger *l, struct store *store, struct err *e)
{
	*l = (struct ledger){.store = store};
	int rc = store_get(store, "head", &l->head, e);
	if (rc == 0)
		rc = load_records(l, e);
	if (rc == 0)
		rc = load_intents(l, e);
	if (rc == 0)
		rc = load_orders(l, e);
	if (!l->head)
		l->head = xstrdup("");
	if (rc == 0)
		rc = load_outbox(l, e);
	return rc;
}

void ledger_detach(struct ledger *l)
{
	l->store = NULL;
	if (!l->head)
		l->head = xstrdup("");
}

static int write_record(struct ledger *l, struct record *r, struct err *e)
{
	int rc = 0;
	bool gone = !r->row.owned && !r->row.failure && !r->row.seen_generation;
	if (r->dirty)
		rc = gone ? store_drop_row(l->store, r->name, e)
			  : store_put_row(l->store, &r->row, e);
	if (rc == 0 && r->accepted_dirty)
		rc = r->accepted ? store_put_accepted(l->store, r->name, r->accepted, e)
				 : store_drop_accepted(l->store, r->name, e);
	if (rc == 0 && r->intent_dirty && r->intent)
		rc = store_put_intent(l->store, r->intent, e);
	return rc;
}

static int write_orders(struct ledger *l, struct err *e)
{
	int rc = 0;
	for (size_t i = 0; rc == 0 && i < l->ordered.n; i++) {
		const struct suspension *s = map_get(&l->suspensions, l->ordered.at[i]);
		rc = s ? store_put_suspension(l->store, s, e)
		       : store_drop_suspension(l->store, l->ordered.at[i], e);
	}
	for (size_t i = 0; rc == 0 && i < l->decided.n; i++) {
		const struct approval *a = map_get(&l->approvals, l->decided.at[i]);
		rc = a ? store_put_approval(l->store, a, e)
		       : store_drop_approval(l->store, l->decided.at[i], e);
	}
	return rc;
}

static int write_all(struct ledger *l, struct err *e)
{
	int rc = 0;
	for (size_t i = 0; rc == 0 && i < l->closed.n; i++)
		rc = store_put_intent(l->store, l->closed.at[i], e);
	for (size_t i = 0; rc == 0 && i < l->dirty.n; i++)
		rc = write_record(l, l->dirty.at[i], e);
	for (size_t i = 0; rc == 0 && i < l->events.n; i++)
		rc = store_add_event(l->store, &l->events.at[i], e);
	if (rc == 0)
		rc = write_orders(l, e);
	for (size_t i = 0; rc == 0 && i < map_size(&l->values); i++)
		rc = store_set(l->store, map_key(&l->values, i), map_value(&l->values, i), e);
	for (size_t i = 0; rc == 0 && i < map_size(&l->outbox); i++) {
		const struct outbox_entry *entry = map_value(&l->outbox, i);
		if (entry->dirty)
			rc = store_put_outbox(l->store, &entry->row, e);
	}
	if (rc == 0 && l->claim)
		rc = store_put_claim(l->store, l->claim, e);
	return rc;
}

int ledger_flush(struct ledger *l, struct err *e)
{
	if (!ledger_is_dirty(l))
		return 0;
	if (!l->store) {
		ledger_written(l);
		return 0;
	}
	crash_point("before-flush");
	int rc = store_begin(l->store, e);
	if (rc < 0)
		return rc;
	rc = write_all(l, e);
	if (rc < 0)
		store_rollback(l->store);
	else
		rc = store_commit(l->store, e);
	if (rc < 0)
		return err_prefix(e, "store");
	crash_point("after-flush");
	ledger_written(l);
	return 0;
}
