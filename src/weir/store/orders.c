/* What people ordered: replicators that are left alone, and what was approved. */
#include "base/alloc.h"
#include "store/internal.h"

void suspension_release(struct suspension *s)
{
	free(s->name);
	free(s->reason);
	free(s->by);
	*s = (struct suspension){0};
}

void suspensions_release(struct suspensions *all)
{
	vec_each (s, all)
		suspension_release(s);
	vec_release(all);
}

int store_load_suspensions(struct store *s, struct suspensions *ret_all, struct err *e)
{
	struct suspensions all = VEC_INIT;
	struct db_stmt *q =
		db_prepare(s->db, "SELECT name, reason, until_ms, \"by\", at_ms FROM suspension "
				  "WHERE scope = ?1 ORDER BY name");
	db_bind_text(q, 1, s->scope);
	int rc;
	while ((rc = db_step(q, e)) > 0)
		vec_push(&all, (struct suspension){
				       .name = store_text(q, 0),
				       .reason = store_text(q, 1),
				       .has_until = !db_is_null(q, 2),
				       .until_ms = db_int(q, 2),
				       .by = store_text(q, 3),
				       .at_ms = db_int(q, 4),
			       });
	if (rc < 0) {
		suspensions_release(&all);
		return rc;
	}
	db_reset(q);
	*ret_all = all;
	return 0;
}

int store_put_suspension(struct store *s, const struct suspension *what, struct err *e)
{
	struct db_stmt *q = db_prepare(s->db,
		"INSERT OR REPLACE INTO suspension (scope, name, reason, until_ms, \"by\", at_ms) "
		"VALUES (?1, ?2, ?3, ?4, ?5, ?6)");
	db_bind_text(q, 1, s->scope);
	db_bind_text(q, 2, what->name);
	db_bind_text(q, 3, what->reason);
	if (what->has_until)
		db_bind_int(q, 4, what->until_ms);
	db_bind_text(q, 5, what->by);
	db_bind_int(q, 6, what->at_ms);
	return db_run(q, e);
}

int store_drop_suspension(struct store *s, const char *name, struct err *e)
{
	struct db_stmt *q =
		db_prepare(s->db, "DELETE FROM suspension WHERE scope = ?1 AND name = ?2");
	db_bind_text(q, 1, s->scope);
	db_bind_text(q, 2, name);
	return db_run(q, e);
}

void approval_release(struct approval *a)
{
	free(a->digest);
	free(a->name);
	free(a->action);
	free(a->by);
	free(a->reason);
	*a = (struct approval){0};
}

void approvals_release(struct approvals *all)
{
	vec_each (a, all)
		approval_release(a);
	vec_release(all);
}

int store_load_approvals(struct store *s, struct approvals *ret_all, struct err *e)
{
	struct approvals all = VEC_INIT;
	struct db_stmt *q = db_prepare(s->db,
		"SELECT digest, name, action, \"by\", reason, at_ms FROM approval "
		"WHERE scope = ?1 ORDER BY digest");
	db_bind_text(q, 1, s->scope);
	int rc;
	while ((rc = db_step(q, e)) > 0)
		vec_push(&all, (struct approval){
				       .digest = store_text(q, 0),
				       .name = store_text(q, 1),
				       .action = store_text(q, 2),
				       .by = store_text(q, 3),
				       .reason = store_text(q, 4),
				       .at_ms = db_int(q, 5),
			       });
	if (rc < 0) {
		approvals_release(&all);
		return rc;
	}
	db_reset(q);
	*ret_all = all;
	return 0;
}

int store_put_approval(struct store *s, const struct approval *what, struct err *e)
{
	struct db_stmt *q = db_prepare(s->db,
		"INSERT OR REPLACE INTO approval (scope, digest, name, action, \"by\", reason, "
		"at_ms) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)");
	db_bind_text(q, 1, s->scope);
	db_bind_text(q, 2, what->digest);
	db_bind_text(q, 3, what->name);
	db_bind_text(q, 4, what->action);
	db_bind_text(q, 5, what->by);
	db_bind_text(q, 6, what->reason);
	db_bind_int(q, 7, what->at_ms);
	return db_run(q, e);
}

int store_drop_approval(struct store *s, const char *digest, struct err *e)
{
	struct db_stmt *q =
		db_prepare(s->db, "DELETE FROM approval WHERE scope = ?1 AND digest = ?2");
	db_bind_text(q, 1, s->scope);
	db_bind_text(q, 2, digest);
	return db_run(q, e);
}
