/* Log lines of fleets: what happened to their replicators. */
#include "server/store_db.h"

static const char *const level_words[LOG__COUNT] = {
	[LOG_DEBUG] = "debug", [LOG_INFO] = "info", [LOG_WARN] = "warn", [LOG_ERROR] = "error"};

/* Ids have no gaps, so this takes away one row at most: the table has a size, and no sweep. */
static int drop_oldest(struct store *s, struct err *e)
{
	struct db_stmt *q = db_prepare(s->db, "DELETE FROM log WHERE id <= ?1");

	db_bind_int(q, 1, db_last_rowid(s->db) - STORE_LOG_ROWS);
	return db_run(q, e);
}

int store_log(struct store *s, const struct replicator_row *row, int64_t at_ms,
	enum log_level level, const char *message, struct err *e)
{
	struct db_stmt *q =
		db_prepare(s->db, "INSERT INTO log (fleet, org, at, level, identifier, message)"
				  " VALUES (?1, ?2, ?3, ?4, ?5, ?6)");

	db_bind_text(q, 1, row->fleet);
	db_bind_text(q, 2, row->org);
	db_bind_int(q, 3, at_ms);
	db_bind_text(q, 4, level_words[level]);
	db_bind_text(q, 5, row->identifier);
	db_bind_text(q, 6, message);
	int rc = db_run(q, e);
	return rc < 0 ? rc : drop_oldest(s, e);
}

int store_count_log(struct store *s, const char *fleet, const char *org, int64_t since_ms,
	int64_t *ret_n, struct err *e)
{
	struct db_stmt *q = db_prepare(
		s->db, "SELECT count(*) FROM log WHERE fleet = ?1 AND org = ?2 AND at >= ?3");

	db_bind_text(q, 1, fleet);
	db_bind_text(q, 2, org);
	db_bind_int(q, 3, since_ms);
	return store_number(q, ret_n, e);
}

int store_list_log(struct store *s, const char *fleet, const char *org, int64_t since_ms,
	struct window window, log_fn fn, void *ctx, struct err *e)
{
	struct db_stmt *q = db_prepare(s->db,
		"SELECT at, level, identifier, message FROM log"
		" WHERE fleet = ?1 AND org = ?2 AND at >= ?3 ORDER BY at, id LIMIT ?4 OFFSET ?5");
	int rc;

	db_bind_text(q, 1, fleet);
	db_bind_text(q, 2, org);
	db_bind_int(q, 3, since_ms);
	db_bind_int(q, 4, window.limit);
	db_bind_int(q, 5, window.offset);
	while ((rc = db_step(q, e)) > 0)
		fn(ctx, &(struct log_row){
				db_int(q, 0), db_text(q, 1), db_text(q, 2), db_text(q, 3)});
	db_reset(q);
	return rc;
}
