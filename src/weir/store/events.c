/* Events: what happened, when, to whom and why. */
#include "base/alloc.h"
#include "store/internal.h"

int store_add_event(struct store *s, const struct event *event, struct err *e)
{
	struct db_stmt *q = db_prepare(s->db,
		"INSERT INTO event (scope, at_ms, name, sha, what, detail, \"by\")"
		" VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)");
	db_bind_text(q, 1, s->scope);
	db_bind_int(q, 2, event->at_ms);
	db_bind_text(q, 3, event->name);
	db_bind_text(q, 4, event->sha);
	db_bind_text(q, 5, event->what);
	db_bind_text(q, 6, event->detail);
	db_bind_text(q, 7, event->by);
	return db_run(q, e);
}

int store_load_events(
	struct store *s, const char *name, size_t most, struct events *ret_events, struct err *e)
{
	struct events events = VEC_INIT;
	struct db_stmt *q =
		db_prepare(s->db, "SELECT at_ms, name, sha, what, detail, \"by\" FROM event "
				  "WHERE scope = ?1 AND (?2 IS NULL OR name = ?2)"
				  " ORDER BY id DESC LIMIT ?3");
	db_bind_text(q, 1, s->scope);
	db_bind_text(q, 2, name);
	db_bind_int(q, 3, (int64_t)most);
	int rc;
	while ((rc = db_step(q, e)) > 0)
		vec_push(&events, (struct event){
					  .at_ms = db_int(q, 0),
					  .name = store_text(q, 1),
					  .sha = store_text(q, 2),
					  .what = store_text(q, 3),
					  .detail = store_text(q, 4),
					  .by = store_text(q, 5),
				  });
	if (rc < 0) {
		events_release(&events);
		return rc;
	}
	db_reset(q);
	*ret_events = events;
	return 0;
}

int store_commit_event(
	struct store *s, const char *sha, const char *what, int64_t *ret_at_ms, struct err *e)
{
	struct db_stmt *q = db_prepare(s->db,
		"SELECT at_ms FROM event WHERE scope = ?1 AND name IS NULL AND sha = ?2"
		" AND what = ?3 ORDER BY id DESC LIMIT 1");
	db_bind_text(q, 1, s->scope);
	db_bind_text(q, 2, sha);
	db_bind_text(q, 3, what);
	int rc = db_step(q, e);
	if (rc < 0)
		return rc;
	*ret_at_ms = rc > 0 ? db_int(q, 0) : 0;
	db_reset(q);
	return 0;
}

void events_release(struct events *ev)
{
	vec_each (event, ev) {
		free(event->name);
		free(event->sha);
		free(event->what);
		free(event->detail);
		free(event->by);
	}
	vec_release(ev);
}
