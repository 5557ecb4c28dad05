/* Rows of operations. */
#include <string.h>

#include "server/store_db.h"

#define OPERATION_COLUMNS                                                                          \
	"o.ticket, o.replicator, o.id, o.key, o.spec, o.generation, o.state, o.error, "            \
	"o.created_at"

static enum operation_state parse_state(const char *word)
{
	for (int i = 0; i < OPERATION_UNKNOWN; i++)
		if (!strcmp(operation_state_name((enum operation_state)i), word))
			return (enum operation_state)i;
	return OPERATION_UNKNOWN;
}

static void read_operation(struct db_stmt *s, int col, struct operation_row *ret_op)
{
	*ret_op = (struct operation_row){
		.ticket = db_int(s, col),
		.replicator = db_int(s, col + 1),
		.id = db_text(s, col + 2),
		.key = db_text(s, col + 3),
		.spec = db_text(s, col + 4),
		.generation = db_int(s, col + 5),
		.state = parse_state(db_text(s, col + 6)),
		.error = db_text(s, col + 7),
		.created_at_ms = db_int(s, col + 8),
	};
}

static int find_one(struct db_stmt *s, struct arena *a, struct operation_row *ret_op, struct err *e)
{
	int rc = db_step(s, e);

	if (rc > 0) {
		read_operation(s, 0, ret_op);
		ret_op->id = arena_strdup(a, ret_op->id);
		ret_op->key = arena_strdup(a, ret_op->key);
		ret_op->spec = ret_op->spec ? arena_strdup(a, ret_op->spec) : NULL;
		ret_op->error = arena_strdup(a, ret_op->error);
	}
	db_reset(s);
	return rc;
}

int store_insert_operation(struct store *s, struct operation_row *op, struct err *e)
{
	struct db_stmt *q = db_prepare(s->db, "INSERT INTO operation (replicator, id, key, spec, "
					      "generation, state, error, created_at)"
					      " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)");

	db_bind_int(q, 1, op->replicator);
	db_bind_text(q, 2, op->id);
	db_bind_text(q, 3, op->key);
	db_bind_text(q, 4, op->spec);
	db_bind_int(q, 5, op->generation);
	db_bind_text(q, 6, operation_state_name(op->state));
	db_bind_text(q, 7, op->error);
	db_bind_int(q, 8, op->created_at_ms);
	int rc = db_run(q, e);
	if (rc == 0)
		op->ticket = db_last_rowid(s->db);
	return rc;
}

int store_find_operation(struct store *s, struct arena *a, int64_t replicator, const char *key,
	struct operation_row *ret_op, struct err *e)
{
	struct db_stmt *q = db_prepare(s->db, "SELECT " OPERATION_COLUMNS " FROM operation AS o"
					      " WHERE o.replicator = ?1 AND o.key = ?2");

	db_bind_int(q, 1, replicator);
	db_bind_text(q, 2, key);
	return find_one(q, a, ret_op, e);
}

int store_get_running(struct store *s, struct arena *a, int64_t ticket,
	struct operation_row *ret_op, struct err *e)
{
	struct db_stmt *q = db_prepare(s->db, "SELECT " OPERATION_COLUMNS " FROM operation AS o"
					      " WHERE o.ticket = ?1 AND o.state = 'Running'");

	db_bind_int(q, 1, ticket);
	return find_one(q, a, ret_op, e);
}

int store_finish_operation(struct store *s, int64_t ticket, enum operation_state state,
	const char *error, struct err *e)
{
	struct db_stmt *q = db_prepare(s->db,
		"UPDATE operation SET state = ?1, error = ?2, spec = NULL WHERE ticket = ?3");

	db_bind_text(q, 1, operation_state_name(state));
	db_bind_text(q, 2, error);
	db_bind_int(q, 3, ticket);
	return db_run(q, e);
}

int store_supersede_operation(struct store *s, int64_t replicator, const char *why, struct err *e)
{
	struct db_stmt *q = db_prepare(s->db,
		"UPDATE operation SET state = 'Superseded', error = ?1, spec = NULL"
		" WHERE replicator = ?2 AND state = 'Running'");

	db_bind_text(q, 1, why);
	db_bind_int(q, 2, replicator);
	return db_run(q, e);
}

int store_list_running(struct store *s, operation_fn fn, void *ctx, struct err *e)
{
	struct db_stmt *q =
		db_prepare(s->db, "SELECT " REPLICATOR_COLUMNS ", " OPERATION_COLUMNS
				  " FROM operation AS o JOIN replicator AS r ON r.id = o.replicator"
				  " WHERE o.state = 'Running' ORDER BY o.ticket");
	struct replicator_row row;
	struct operation_row op;
	int rc;

	while ((rc = db_step(q, e)) > 0) {
		store_read_replicator(q, &row);
		read_operation(q, REPLICATOR_N_COLUMNS, &op);
		fn(ctx, &row, &op);
	}
	db_reset(q);
	return rc;
}
