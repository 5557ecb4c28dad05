/* Letting go of what nobody needs any more, a piece at a time. */
#include "base/limits.h"
#include "store/internal.h"

/* Rows that one call takes of each kind at most, so that none takes long. */
#define PIECE 500

#define DAY_MS ((int64_t)24 * 60 * 60 * 1000)

static int run(struct db_stmt *q, struct store *s, int64_t before, int64_t most, int64_t *gone,
	struct err *e)
{
	db_bind_text(q, 1, s->scope);
	db_bind_int(q, 2, before);
	db_bind_int(q, 3, most);
	db_bind_int(q, 4, PIECE);
	int rc = db_run(q, e);
	if (rc == 0)
		*gone += db_changes(s->db);
	return rc;
}

static int trim_events(struct store *s, int64_t now_ms, int64_t *gone, struct err *e)
{
	struct db_stmt *q = db_prepare(s->db,
		"DELETE FROM event WHERE id IN (SELECT id FROM event WHERE scope = ?1"
		" AND (at_ms < ?2 OR id <= (SELECT id FROM event WHERE scope = ?1"
		" ORDER BY id DESC LIMIT 1 OFFSET ?3)) ORDER BY id LIMIT ?4)");
	return run(q, s, now_ms - LIMIT_EVENT_DAYS * DAY_MS, LIMIT_STORE_EVENTS, gone, e);
}

/*
 * Those of the head count what it changed. The keys that were sent for a generation that may still
 * be live, and those after it, have to be known: an operation must not be started twice.
 */
static int trim_intents(
	struct store *s, const char *head, int64_t now_ms, int64_t *gone, struct err *e)
{
	struct db_stmt *q = db_prepare(s->db,
		"DELETE FROM intent WHERE id IN (SELECT i.id FROM intent i LEFT JOIN inventory v"
		" ON v.scope = i.scope AND v.name = i.name WHERE i.scope = ?1 AND i.state >= 4"
		" AND i.sha IS NOT ?5 AND NOT (i.key IS NOT NULL AND v.name IS NOT NULL"
		" AND v.uid IS i.uid AND i.generation >= v.seen_generation)"
		" AND (i.created_ms < ?2 OR i.id <= (SELECT id FROM intent WHERE scope = ?1"
		" ORDER BY id DESC LIMIT 1 OFFSET ?3)) ORDER BY i.id LIMIT ?4)");
	db_bind_text(q, 5, head);
	return run(q, s, now_ms - LIMIT_INTENT_DAYS * DAY_MS, LIMIT_STORE_INTENTS, gone, e);
}

/* Of commits that are head no more: what is final, and arrived or never will. */
static int trim_outbox(
	struct store *s, const char *head, int64_t now_ms, int64_t *gone, struct err *e)
{
	struct db_stmt *q = db_prepare(s->db,
		"DELETE FROM outbox WHERE scope = ?1 AND (sha, context) IN (SELECT sha, context"
		" FROM outbox WHERE scope = ?1 AND sha <> ?5 AND state <> 0 AND (updated_ms < ?2"
		" OR (posted AND posted_state = state AND posted_text IS text AND updated_ms <="
		" (SELECT updated_ms FROM outbox WHERE scope = ?1 ORDER BY updated_ms DESC"
		" LIMIT 1 OFFSET ?3))) ORDER BY updated_ms LIMIT ?4)");
	db_bind_text(q, 5, head);
	return run(q, s, now_ms - LIMIT_STATUS_DAYS * DAY_MS, LIMIT_STORE_STATUSES, gone, e);
}

int store_trim(struct store *s, const char *head, int64_t now_ms, bool *ret_more, struct err *e)
{
	int64_t gone[3] = {0};
	int rc = trim_events(s, now_ms, &gone[0], e);
	if (rc == 0)
		rc = trim_intents(s, head, now_ms, &gone[1], e);
	if (rc == 0)
		rc = trim_outbox(s, head, now_ms, &gone[2], e);
	if (rc == 0)
		*ret_more = gone[0] == PIECE || gone[1] == PIECE || gone[2] == PIECE;
	return rc;
}
