/* The inventory: which replicators are ours and what was last applied to each; and the documents
 * that were accepted. */
#include "base/alloc.h"
#include "store/internal.h"

void store_row_release(struct store_row *r)
{
	free(r->name);
	free(r->uid);
	free(r->created_at);
	free(r->last_applied);
	free(r->provisioned);
	free(r->failure);
	free(r->not_kept);
	free(r->contested);
	free(r->leftovers);
	free(r->labels);
	free(r->refused_body);
	free(r->refusal);
	*r = (struct store_row){0};
}

void store_rows_release(struct store_rows *rows)
{
	vec_each (row, rows)
		store_row_release(row);
	vec_release(rows);
}

int store_load_rows(struct store *s, struct store_rows *ret_rows, struct err *e)
{
	struct store_rows rows = VEC_INIT;
	struct db_stmt *q =
		db_prepare(s->db, "SELECT name, uid, created_at, last_applied, seen_generation, "
				  "provisioned_generation, provisioned,"
				  " failed_generation, failures, retry_at_ms, failure, not_kept, "
				  "owned, gone_since_ms,"
				  " contested, replaced, leftovers, protected, over_max, labels, "
				  "refused_body, refusal, seen_observed FROM inventory"
				  " WHERE scope = ?1 ORDER BY name");
	db_bind_text(q, 1, s->scope);
	int rc;
	while ((rc = db_step(q, e)) > 0)
		vec_push(&rows, (struct store_row){
					.name = store_text(q, 0),
					.uid = store_text(q, 1),
					.created_at = store_text(q, 2),
					.last_applied = store_text(q, 3),
					.seen_generation = db_int(q, 4),
					.provisioned_generation = db_int(q, 5),
					.provisioned = store_text(q, 6),
					.failed_generation = db_int(q, 7),
					.failures = db_int(q, 8),
					.retry_at_ms = db_int(q, 9),
					.failure = store_text(q, 10),
					.not_kept = store_text(q, 11),
					.owned = db_int(q, 12) != 0,
					.gone_since_ms = db_int(q, 13),
					.contested = store_text(q, 14),
					.replaced = db_int(q, 15) != 0,
					.leftovers = store_text(q, 16),
					.is_protected = db_int(q, 17) != 0,
					.over_max = db_int(q, 18) != 0,
					.labels = store_text(q, 19),
					.refused_body = store_text(q, 20),
					.refusal = store_text(q, 21),
					.seen_observed = db_int(q, 22),
				});
	if (rc < 0) {
		store_rows_release(&rows);
		return rc;
	}
	db_reset(q);
	*ret_rows = rows;
	return 0;
}

int store_put_row(struct store *s, const struct store_row *row, struct err *e)
{
	struct db_stmt *q = db_prepare(s->db,
		"INSERT OR REPLACE INTO inventory (scope, name, uid, created_at, last_applied, "
		"seen_generation,"
		" provisioned_generation, provisioned, failed_generation, failures, retry_at_ms, "
		"failure, not_kept,"
		" owned, gone_since_ms, contested, replaced, leftovers, protected, over_max, "
		"labels, refused_body, refusal, seen_observed)"
		" VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, "
		"?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24)");
	db_bind_text(q, 1, s->scope);
	db_bind_text(q, 2, row->name);
	db_bind_text(q, 3, row->uid);
	db_bind_text(q, 4, row->created_at);
	db_bind_text(q, 5, row->last_applied);
	db_bind_int(q, 6, row->seen_generation);
	db_bind_int(q, 7, row->provisioned_generation);
	db_bind_text(q, 8, row->provisioned);
	db_bind_int(q, 9, row->failed_generation);
	db_bind_int(q, 10, row->failures);
	db_bind_int(q, 11, row->retry_at_ms);
	db_bind_text(q, 12, row->failure);
	db_bind_text(q, 13, row->not_kept);
	db_bind_int(q, 14, row->owned);
	db_bind_int(q, 15, row->gone_since_ms);
	db_bind_text(q, 16, row->contested);
	db_bind_int(q, 17, row->replaced);
	db_bind_text(q, 18, row->leftovers);
	db_bind_int(q, 19, row->is_protected);
	db_bind_int(q, 20, row->over_max);
	db_bind_text(q, 21, row->labels);
	db_bind_text(q, 22, row->refused_body);
	db_bind_text(q, 23, row->refusal);
	db_bind_int(q, 24, row->seen_observed);
	return db_run(q, e);
}

int store_drop_row(struct store *s, const char *name, struct err *e)
{
	struct db_stmt *q =
		db_prepare(s->db, "DELETE FROM inventory WHERE scope = ?1 AND name = ?2");
	db_bind_text(q, 1, s->scope);
	db_bind_text(q, 2, name);
	return db_run(q, e);
}

int store_load_accepted(struct store *s, struct map *ret_json_by_name, struct err *e)
{
	struct db_stmt *q = db_prepare(
		s->db, "SELECT name, document FROM accepted WHERE scope = ?1 ORDER BY name");
	db_bind_text(q, 1, s->scope);
	int rc;
	while ((rc = db_step(q, e)) > 0)
		map_put(ret_json_by_name, db_text(q, 0), store_text(q, 1));
	if (rc == 0)
		db_reset(q);
	return rc;
}

int store_get_accepted(struct store *s, const char *name, char **ret_json, struct err *e)
{
	struct db_stmt *q =
		db_prepare(s->db, "SELECT document FROM accepted WHERE scope = ?1 AND name = ?2");
	db_bind_text(q, 1, s->scope);
	db_bind_text(q, 2, name);
	int rc = db_step(q, e);
	if (rc < 0)
		return rc;
	*ret_json = rc > 0 ? store_text(q, 0) : NULL;
	db_reset(q);
	return 0;
}

int store_put_accepted(struct store *s, const char *name, const char *json, struct err *e)
{
	struct db_stmt *q = db_prepare(s->db,
		"INSERT OR REPLACE INTO accepted (scope, name, document) VALUES (?1, ?2, ?3)");
	db_bind_text(q, 1, s->scope);
	db_bind_text(q, 2, name);
	db_bind_text(q, 3, json);
	return db_run(q, e);
}

int store_drop_accepted(struct store *s, const char *name, struct err *e)
{
	struct db_stmt *q =
		db_prepare(s->db, "DELETE FROM accepted WHERE scope = ?1 AND name = ?2");
	db_bind_text(q, 1, s->scope);
	db_bind_text(q, 2, name);
	return db_run(q, e);
}
