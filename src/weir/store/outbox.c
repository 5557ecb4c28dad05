/* The outbox: per commit and context, the status that is wanted and the one that was posted last.
 */
#include <string.h>

#include "base/alloc.h"
#include "store/internal.h"

const char *status_state_name(enum status_state state)
{
	static const char *const names[STATUS__COUNT] = {
		[STATUS_PENDING] = "pending",
		[STATUS_SUCCESS] = "success",
		[STATUS_FAILURE] = "failure",
		[STATUS_ERROR] = "error",
	};
	return state < STATUS__COUNT ? names[state] : "unknown";
}

void outbox_row_release(struct outbox_row *r)
{
	free(r->sha);
	free(r->context);
	free(r->text);
	free(r->posted_text);
	*r = (struct outbox_row){0};
}

bool outbox_row_is_posted(const struct outbox_row *r)
{
	return r->posted && r->posted_state == r->state && r->posted_text &&
	       !strcmp(r->posted_text, r->text);
}

void outbox_rows_release(struct outbox_rows *rows)
{
	vec_each (row, rows)
		outbox_row_release(row);
	vec_release(rows);
}

int store_load_outbox(
	struct store *s, const char *head, struct outbox_rows *ret_rows, struct err *e)
{
	struct outbox_rows rows = VEC_INIT;
	struct db_stmt *q = db_prepare(s->db,
		"SELECT sha, context, state, text, posted, posted_state, posted_text, latched,"
		" updated_ms, posts, refused FROM outbox r WHERE scope = ?1 AND (sha = ?2 OR ("
		"(state = 0 OR posted = 0 OR posted_state <> state OR posted_text IS NOT text)"
		" AND NOT EXISTS (SELECT 1 FROM outbox o WHERE o.scope <> r.scope"
		" AND o.sha = r.sha AND o.context = r.context AND o.updated_ms > r.updated_ms)))"
		" ORDER BY updated_ms, sha, context");
	db_bind_text(q, 1, s->scope);
	db_bind_text(q, 2, head);
	int rc;
	while ((rc = db_step(q, e)) > 0)
		vec_push(&rows, (struct outbox_row){
					.sha = store_text(q, 0),
					.context = store_text(q, 1),
					.state = (enum status_state)db_int(q, 2),
					.text = store_text(q, 3),
					.posted = db_int(q, 4) != 0,
					.posted_state = (enum status_state)db_int(q, 5),
					.posted_text = store_text(q, 6),
					.latched = db_int(q, 7) != 0,
					.updated_ms = db_int(q, 8),
					.posts = db_int(q, 9),
					.refused = db_int(q, 10) != 0,
				});
	if (rc < 0) {
		outbox_rows_release(&rows);
		return rc;
	}
	db_reset(q);
	*ret_rows = rows;
	return 0;
}

int store_put_outbox(struct store *s, const struct outbox_row *row, struct err *e)
{
	struct db_stmt *q = db_prepare(s->db,
		"INSERT OR REPLACE INTO outbox (scope, sha, context, state, text, posted, "
		"posted_state, posted_text,"
		" latched, updated_ms, posts, refused)"
		" VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)");
	db_bind_text(q, 1, s->scope);
	db_bind_text(q, 2, row->sha);
	db_bind_text(q, 3, row->context);
	db_bind_int(q, 4, row->state);
	db_bind_text(q, 5, row->text);
	db_bind_int(q, 6, row->posted);
	db_bind_int(q, 7, row->posted_state);
	db_bind_text(q, 8, row->posted_text);
	db_bind_int(q, 9, row->latched);
	db_bind_int(q, 10, row->updated_ms);
	db_bind_int(q, 11, row->posts);
	db_bind_int(q, 12, row->refused);
	return db_run(q, e);
}

int store_get_claim(struct store *s, char **ret_claim, struct err *e)
{
	struct db_stmt *q =
		db_prepare(s->db, "SELECT value FROM value WHERE scope = '' AND key = 'outbox'");
	int rc = db_step(q, e);
	if (rc < 0)
		return rc;
	*ret_claim = rc > 0 ? store_text(q, 0) : NULL;
	db_reset(q);
	return 0;
}

int store_put_claim(struct store *s, const char *claim, struct err *e)
{
	struct db_stmt *q =
		db_prepare(s->db, "INSERT INTO value (scope, key, value) VALUES ('', 'outbox', ?1)"
				  " ON CONFLICT (scope, key) DO UPDATE SET value = excluded.value");
	db_bind_text(q, 1, claim);
	return db_run(q, e);
}
