/* The journal of intents: written before the call that does what they say. */
#include "base/alloc.h"
#include "store/internal.h"

_Static_assert(INTENT_DONE == 4, "the index intent_open covers the states below 4");
_Static_assert(INTENT_FAILED == 5, "only after a failed attempt there is another");
_Static_assert(INTENT_DELETE == 3, "deletes are left out where changes are counted");
_Static_assert(
	INTENT_CREATE == 0 && INTENT_UPDATE == 1, "these change something before they start it");

void intent_release(struct intent *i)
{
	free(i->name);
	free(i->uid);
	free(i->created_at);
	free(i->sha);
	free(i->intended);
	free(i->body);
	free(i->key);
	free(i->error);
	*i = (struct intent){0};
}

void intents_release(struct intents *intents)
{
	vec_each (i, intents)
		intent_release(i);
	vec_release(intents);
}

int store_load_intents(struct store *s, struct intents *ret_intents, struct err *e)
{
	struct intents intents = VEC_INIT;
	struct db_stmt *q = db_prepare(s->db,
		"SELECT id, name, kind, state, uid, created_at, sha, intended, body, "
		"base_generation, generation,"
		" attempt, key, created_ms, started_ms, error, heals, ours_from FROM intent"
		" WHERE scope = ?1 AND state < 4 ORDER BY id");
	db_bind_text(q, 1, s->scope);
	int rc;
	while ((rc = db_step(q, e)) > 0)
		vec_push(&intents, (struct intent){
					   .id = db_int(q, 0),
					   .name = store_text(q, 1),
					   .kind = (enum intent_kind)db_int(q, 2),
					   .state = (enum intent_state)db_int(q, 3),
					   .uid = store_text(q, 4),
					   .created_at = store_text(q, 5),
					   .sha = store_text(q, 6),
					   .intended = store_text(q, 7),
					   .body = store_text(q, 8),
					   .base_generation = db_int(q, 9),
					   .generation = db_int(q, 10),
					   .attempt = db_int(q, 11),
					   .key = store_text(q, 12),
					   .created_ms = db_int(q, 13),
					   .started_ms = db_int(q, 14),
					   .error = store_text(q, 15),
					   .heals = db_int(q, 16) != 0,
					   .ours_from = db_int(q, 17),
				   });
	if (rc < 0) {
		intents_release(&intents);
		return rc;
	}
	db_reset(q);
	*ret_intents = intents;
	return 0;
}

int store_put_intent(struct store *s, const struct intent *i, struct err *e)
{
	struct db_stmt *q = db_prepare(s->db, "INSERT OR REPLACE INTO intent (scope, name, kind, "
					      "state, uid, created_at, sha, intended, body,"
					      " base_generation, generation, attempt, key, "
					      "created_ms, started_ms, error, id, heals, ours_from)"
					      " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, "
					      "?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19)");
	db_bind_text(q, 1, s->scope);
	db_bind_text(q, 2, i->name);
	db_bind_int(q, 3, i->kind);
	db_bind_int(q, 4, i->state);
	db_bind_text(q, 5, i->uid);
	db_bind_text(q, 6, i->created_at);
	db_bind_text(q, 7, i->sha);
	db_bind_text(q, 8, i->intended);
	db_bind_text(q, 9, i->body);
	db_bind_int(q, 10, i->base_generation);
	db_bind_int(q, 11, i->generation);
	db_bind_int(q, 12, i->attempt);
	db_bind_text(q, 13, i->key);
	db_bind_int(q, 14, i->created_ms);
	db_bind_int(q, 15, i->started_ms);
	db_bind_text(q, 16, i->error);
	db_bind_int(q, 17, i->id);
	db_bind_int(q, 18, i->heals);
	db_bind_int(q, 19, i->ours_from);
	return db_run(q, e);
}

/* The one number of a row that is always there. */
static int read_number(struct db_stmt *q, int64_t *ret_number, struct err *e)
{
	int rc = db_step(q, e);
	if (rc < 0)
		return rc;
	*ret_number = db_int(q, 0);
	db_reset(q);
	return 0;
}

int store_last_intent(struct store *s, int64_t *ret_id, struct err *e)
{
	return read_number(db_prepare(s->db, "SELECT coalesce(max(id), 0) FROM intent"), ret_id, e);
}

int store_load_changed(struct store *s, const char *sha, struct strv *ret_begun,
	struct strv *ret_done, struct err *e)
{
	struct strv begun = VEC_INIT;
	struct strv done = VEC_INIT;
	struct db_stmt *q = db_prepare(s->db,
		"SELECT name, max(state = 4 AND kind <> 4) FROM intent WHERE scope = ?1 AND sha = "
		"?2"
		" AND (started_ms > 0 OR (generation > 0 AND kind < 2)) AND NOT heals AND kind <> 3"
		" GROUP BY name ORDER BY name");
	db_bind_text(q, 1, s->scope);
	db_bind_text(q, 2, sha);
	int rc;
	while ((rc = db_step(q, e)) > 0) {
		strv_push(&begun, db_text(q, 0));
		if (db_int(q, 1))
			strv_push(&done, db_text(q, 0));
	}
	if (rc < 0) {
		strv_release(&begun);
		strv_release(&done);
		return rc;
	}
	db_reset(q);
	*ret_begun = begun;
	*ret_done = done;
	return 0;
}

/* A moment begins with its second, 2026-11-30T12:00:00; a fraction may follow. */
#define OF_THE_SAME                                                                                \
	"FROM intent WHERE scope = ?1 AND name = ?2 AND uid IS ?3"                                 \
	" AND generation = ?4 AND key IS NOT NULL"                                                 \
	" AND (?3 IS NOT NULL OR substr(created_at, 1, 19) IS substr(?5, 1, 19))"

static void bind_same(struct db_stmt *q, const struct store *s, const struct intent *of)
{
	db_bind_text(q, 1, s->scope);
	db_bind_text(q, 2, of->name);
	db_bind_text(q, 3, of->uid);
	db_bind_int(q, 4, of->generation);
	db_bind_text(q, 5, of->created_at);
}

int store_next_attempt(
	struct store *s, const struct intent *of, int64_t *ret_attempt, struct err *e)
{
	struct db_stmt *q = db_prepare(s->db,
		"SELECT coalesce(max(attempt + (state = 5 AND started_ms > 0)), 1) " OF_THE_SAME);
	bind_same(q, s, of);
	return read_number(q, ret_attempt, e);
}

int store_was_cut_short(
	struct store *s, const struct intent *of, int64_t *ret_whether, struct err *e)
{
	struct db_stmt *q = db_prepare(s->db,
		"SELECT coalesce((SELECT state = 6 AND started_ms > 0 " OF_THE_SAME
		" ORDER BY id DESC LIMIT 1), 0)");
	bind_same(q, s, of);
	return read_number(q, ret_whether, e);
}
