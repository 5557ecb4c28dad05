/* Rows of replicators. */
#include <string.h>

#include "server/store_db.h"

static enum live_status parse_status(const char *word)
{
	for (int i = 0; i < LIVE__COUNT; i++)
		if (!strcmp(live_status_name((enum live_status)i), word))
			return (enum live_status)i;
	return LIVE_UNKNOWN;
}

void store_read_replicator(struct db_stmt *s, struct replicator_row *ret_row)
{
	*ret_row = (struct replicator_row){
		.id = db_int(s, 0),
		.org = db_text(s, 1),
		.identifier = db_text(s, 2),
		.uid = db_text(s, 3),
		.fleet = db_text(s, 4),
		.spec = db_text(s, 5),
		.endpoints = db_text(s, 6),
		.generation = db_int(s, 7),
		.observed_generation = db_int(s, 8),
		.status = parse_status(db_text(s, 9)),
		.status_message = db_text(s, 10),
		.status_at_ms = db_int(s, 11),
		.created_at_ms = db_int(s, 12),
	};
}

static void copy_strings(struct arena *a, struct replicator_row *row)
{
	const char **strings[] = {&row->org, &row->identifier, &row->uid, &row->fleet, &row->spec,
		&row->endpoints, &row->status_message};

	for (size_t i = 0; i < ARRAY_SIZE(strings); i++)
		*strings[i] = arena_strdup(a, *strings[i]);
}

static int find_one(
	struct db_stmt *s, struct arena *a, struct replicator_row *ret_row, struct err *e)
{
	int rc = db_step(s, e);

	if (rc > 0) {
		store_read_replicator(s, ret_row);
		copy_strings(a, ret_row);
	}
	db_reset(s);
	return rc;
}

static int list_all(struct db_stmt *s, replicator_fn fn, void *ctx, struct err *e)
{
	struct replicator_row row;
	int rc;

	while ((rc = db_step(s, e)) > 0) {
		store_read_replicator(s, &row);
		fn(ctx, &row);
	}
	db_reset(s);
	return rc;
}

/* Parameters 1 to 7 of both statements below. */
static void bind_changing(struct db_stmt *s, const struct replicator_row *row)
{
	db_bind_text(s, 1, row->spec);
	db_bind_text(s, 2, row->endpoints);
	db_bind_int(s, 3, row->generation);
	db_bind_int(s, 4, row->observed_generation);
	db_bind_text(s, 5, live_status_name(row->status));
	db_bind_text(s, 6, row->status_message);
	db_bind_int(s, 7, row->status_at_ms);
}

int store_insert_replicator(struct store *s, struct replicator_row *row, struct err *e)
{
	struct db_stmt *q = db_prepare(s->db,
		"INSERT INTO replicator (spec, endpoints, generation, observed_generation, status,"
		" status_message, status_at, org, identifier, uid, fleet, created_at)"
		" VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)");

	bind_changing(q, row);
	db_bind_text(q, 8, row->org);
	db_bind_text(q, 9, row->identifier);
	db_bind_text(q, 10, row->uid);
	db_bind_text(q, 11, row->fleet);
	db_bind_int(q, 12, row->created_at_ms);
	int rc = db_run(q, e);
	if (rc == 0)
		row->id = db_last_rowid(s->db);
	return rc;
}

int store_update_replicator(struct store *s, const struct replicator_row *row, struct err *e)
{
	struct db_stmt *q = db_prepare(s->db,
		"UPDATE replicator SET spec = ?1, endpoints = ?2, generation = ?3,"
		" observed_generation = ?4, status = ?5, status_message = ?6, status_at = ?7"
		" WHERE id = ?8");

	bind_changing(q, row);
	db_bind_int(q, 8, row->id);
	return db_run(q, e);
}

int store_delete_replicator(struct store *s, int64_t id, struct err *e)
{
	struct db_stmt *q = db_prepare(s->db, "DELETE FROM replicator WHERE id = ?1");

	db_bind_int(q, 1, id);
	return db_run(q, e);
}

int store_find_replicator(struct store *s, struct arena *a, const char *org, const char *identifier,
	struct replicator_row *ret_row, struct err *e)
{
	struct db_stmt *q = db_prepare(s->db, "SELECT " REPLICATOR_COLUMNS " FROM replicator AS r"
					      " WHERE r.org = ?1 AND r.identifier = ?2");

	db_bind_text(q, 1, org);
	db_bind_text(q, 2, identifier);
	return find_one(q, a, ret_row, e);
}

int store_get_replicator(
	struct store *s, struct arena *a, int64_t id, struct replicator_row *ret_row, struct err *e)
{
	struct db_stmt *q = db_prepare(
		s->db, "SELECT " REPLICATOR_COLUMNS " FROM replicator AS r WHERE r.id = ?1");

	db_bind_int(q, 1, id);
	return find_one(q, a, ret_row, e);
}

int store_count_replicators(struct store *s, const char *org, int64_t *ret_n, struct err *e)
{
	struct db_stmt *q = db_prepare(s->db, "SELECT count(*) FROM replicator WHERE org = ?1");

	db_bind_text(q, 1, org);
	return store_number(q, ret_n, e);
}

int store_list_replicators(struct store *s, const char *org, struct window window, replicator_fn fn,
	void *ctx, struct err *e)
{
	struct db_stmt *q = db_prepare(s->db, "SELECT " REPLICATOR_COLUMNS " FROM replicator AS r"
					      " WHERE r.org = ?1 ORDER BY r.id LIMIT ?2 OFFSET ?3");

	db_bind_text(q, 1, org);
	db_bind_int(q, 2, window.limit);
	db_bind_int(q, 3, window.offset);
	return list_all(q, fn, ctx, e);
}

int store_list_by_status(struct store *s, const char *fleet, const char *org,
	enum live_status status, struct window window, replicator_fn fn, void *ctx, struct err *e)
{
	struct db_stmt *q = db_prepare(s->db, "SELECT " REPLICATOR_COLUMNS " FROM replicator AS r"
					      " WHERE r.fleet = ?1 AND r.org = ?2 AND r.status = ?3"
					      " ORDER BY r.id LIMIT ?4 OFFSET ?5");

	db_bind_text(q, 1, fleet);
	db_bind_text(q, 2, org);
	db_bind_text(q, 3, live_status_name(status));
	db_bind_int(q, 4, window.limit);
	db_bind_int(q, 5, window.offset);
	return list_all(q, fn, ctx, e);
}

int store_count_by_status(struct store *s, const char *fleet, const char *org,
	int64_t ret_n[LIVE__COUNT], struct err *e)
{
	struct db_stmt *q = db_prepare(s->db, "SELECT status, count(*) FROM replicator"
					      " WHERE fleet = ?1 AND org = ?2 GROUP BY status");
	int rc;

	memset(ret_n, 0, LIVE__COUNT * sizeof(*ret_n));
	db_bind_text(q, 1, fleet);
	db_bind_text(q, 2, org);
	while ((rc = db_step(q, e)) > 0)
		ret_n[parse_status(db_text(q, 0))] = db_int(q, 1);
	db_reset(q);
	return rc;
}

int store_list_deleting(struct store *s, replicator_fn fn, void *ctx, struct err *e)
{
	struct db_stmt *q = db_prepare(s->db, "SELECT " REPLICATOR_COLUMNS " FROM replicator AS r"
					      " WHERE r.status = 'Deleting' ORDER BY r.id");

	return list_all(q, fn, ctx, e);
}

int store_count_by_fleet(struct store *s, count_fn fn, void *ctx, struct err *e)
{
	struct db_stmt *q = db_prepare(
		s->db, "SELECT fleet, count(*) FROM replicator GROUP BY fleet ORDER BY fleet");
	int rc;

	while ((rc = db_step(q, e)) > 0)
		fn(ctx, db_text(q, 0), db_int(q, 1));
	db_reset(q);
	return rc;
}
