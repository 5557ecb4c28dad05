/* The database file, its schema, and tokens. */
#include "server/store_db.h"

#include <errno.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/fs.h"

/*
 * status and state hold the API's words, so that a person who opens the file can read it. An
 * operation's spec is what a restart has to hand to the runner again: by then the replicator's own
 * may be a later draft.
 */
static const char *const migrations[] = {
	"CREATE TABLE token ("
	" org TEXT NOT NULL,"
	" name TEXT NOT NULL,"
	" hash BLOB NOT NULL,"
	" may_write INTEGER NOT NULL,"
	" PRIMARY KEY (org, name)) STRICT, WITHOUT ROWID;"
	"CREATE INDEX token_hash ON token (hash);"

	"CREATE TABLE replicator ("
	" id INTEGER PRIMARY KEY AUTOINCREMENT,"
	" org TEXT NOT NULL,"
	" identifier TEXT NOT NULL,"
	" uid TEXT NOT NULL,"
	" fleet TEXT NOT NULL,"
	" spec TEXT NOT NULL,"
	" endpoints TEXT NOT NULL,"
	" generation INTEGER NOT NULL,"
	" observed_generation INTEGER NOT NULL,"
	" status TEXT NOT NULL,"
	" status_message TEXT NOT NULL,"
	" status_at INTEGER NOT NULL,"
	" created_at INTEGER NOT NULL,"
	" UNIQUE (org, identifier)) STRICT;"
	"CREATE INDEX replicator_page ON replicator (org, id);"
	"CREATE INDEX replicator_fleet ON replicator (fleet, org, status);"
	"CREATE INDEX replicator_deleting ON replicator (id) WHERE status = 'Deleting';"

	"CREATE TABLE operation ("
	" ticket INTEGER PRIMARY KEY AUTOINCREMENT,"
	" replicator INTEGER NOT NULL REFERENCES replicator ON DELETE CASCADE,"
	" id TEXT NOT NULL,"
	" key TEXT NOT NULL,"
	" spec TEXT,"
	" generation INTEGER NOT NULL,"
	" state TEXT NOT NULL,"
	" error TEXT NOT NULL,"
	" created_at INTEGER NOT NULL,"
	" UNIQUE (replicator, key)) STRICT;"
	"CREATE UNIQUE INDEX operation_running ON operation (replicator) WHERE state = 'Running';"

	"CREATE TABLE log ("
	" id INTEGER PRIMARY KEY AUTOINCREMENT,"
	" fleet TEXT NOT NULL,"
	" org TEXT NOT NULL,"
	" at INTEGER NOT NULL,"
	" level TEXT NOT NULL,"
	" identifier TEXT NOT NULL,"
	" message TEXT NOT NULL) STRICT;"
	"CREATE INDEX log_fleet ON log (fleet, org, at);",
};

static int open_folder(struct store *s, const char *dir, char **ret_path, struct err *e)
{
	auto_free char *lock = fs_join(dir, "lock");
	int rc = fs_mkdirs(dir, 0700, e);

	if (rc == 0)
		rc = fs_lock(lock, &s->lock_fd, e);
	if (rc < 0)
		return err_prefix(e, "data folder %s", dir);
	*ret_path = fs_join(dir, "replicatord.db");
	return 0;
}

int store_open(const char *dir, struct store **ret_store, struct err *e)
{
	struct store *s = xcalloc(1, sizeof(*s));
	auto_free char *path = NULL;
	int rc = 0;

	s->lock_fd = -1;
	if (dir)
		rc = open_folder(s, dir, &path, e);
	if (rc == 0)
		rc = db_open(path, migrations, ARRAY_SIZE(migrations), &s->db, e);
	if (rc < 0) {
		store_close(s);
		return rc;
	}
	*ret_store = s;
	return 0;
}

void store_close(struct store *s)
{
	if (!s)
		return;
	db_close(s->db);
	if (s->lock_fd >= 0)
		close(s->lock_fd);
	free(s);
}

int store_begin(struct store *s, struct err *e)
{
	return db_begin(s->db, e);
}

int store_end(struct store *s, int rc, struct err *e)
{
	if (rc == 0)
		return db_commit(s->db, e);
	db_rollback(s->db);
	return rc;
}

int store_number(struct db_stmt *s, int64_t *ret_n, struct err *e)
{
	int rc = db_step(s, e);

	if (rc < 0)
		return rc;
	*ret_n = db_int(s, 0);
	db_reset(s);
	return 0;
}

static int insert_token(struct store *s, const struct token_row *row, struct err *e)
{
	struct db_stmt *q = db_prepare(
		s->db, "INSERT INTO token (org, name, hash, may_write) VALUES (?1, ?2, ?3, ?4)");

	db_bind_text(q, 1, row->org);
	db_bind_text(q, 2, row->name);
	db_bind_blob(q, 3, row->hash, sizeof(row->hash));
	db_bind_int(q, 4, row->write);
	return db_run(q, e);
}

int store_replace_tokens(struct store *s, const struct token_row *rows, size_t n, struct err *e)
{
	int rc = store_begin(s, e);

	if (rc < 0)
		return rc;
	rc = db_run(db_prepare(s->db, "DELETE FROM token"), e);
	for (size_t i = 0; i < n && rc == 0; i++)
		rc = insert_token(s, &rows[i], e);
	return store_end(s, rc, e);
}

int store_find_token(struct store *s, const unsigned char hash[HASH_BYTES], const char *org,
	bool *ret_write, struct err *e)
{
	struct db_stmt *q = db_prepare(s->db, "SELECT max(may_write) FROM token WHERE hash = ?1 "
					      "AND org = ?2 HAVING count(*) > 0");

	db_bind_blob(q, 1, hash, HASH_BYTES);
	db_bind_text(q, 2, org);
	int rc = db_step(q, e);
	if (rc > 0)
		*ret_write = db_int(q, 0) != 0;
	db_reset(q);
	return rc;
}

int store_knows_token(struct store *s, const unsigned char hash[HASH_BYTES], struct err *e)
{
	struct db_stmt *q = db_prepare(s->db, "SELECT 1 FROM token WHERE hash = ?1 LIMIT 1");

	db_bind_blob(q, 1, hash, HASH_BYTES);
	int rc = db_step(q, e);
	db_reset(q);
	return rc;
}
