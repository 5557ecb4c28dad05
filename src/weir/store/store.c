/* The store: opening, locking, the schema, and small values by name. */
#include "store/store.h"

#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/fs.h"
#include "store/internal.h"

/* Number i brings the schema from version i to i + 1; a script that was released is never edited.
 */
static const char *const migrations[] = {
	"CREATE TABLE value (scope TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL,"
	" PRIMARY KEY (scope, key)) WITHOUT ROWID;"
	"CREATE TABLE inventory (scope TEXT NOT NULL, name TEXT NOT NULL, uid TEXT, created_at "
	"TEXT,"
	" last_applied TEXT, seen_generation INTEGER NOT NULL, provisioned_generation INTEGER NOT "
	"NULL,"
	" provisioned TEXT, failed_generation INTEGER NOT NULL, failures INTEGER NOT NULL,"
	" retry_at_ms INTEGER NOT NULL, failure TEXT, not_kept TEXT, owned INTEGER NOT NULL,"
	" PRIMARY KEY (scope, name)) WITHOUT ROWID;"
	"CREATE TABLE accepted (scope TEXT NOT NULL, name TEXT NOT NULL, document TEXT NOT NULL,"
	" PRIMARY KEY (scope, name)) WITHOUT ROWID;"
	"CREATE TABLE intent (id INTEGER PRIMARY KEY, scope TEXT NOT NULL, name TEXT NOT NULL,"
	" kind INTEGER NOT NULL, state INTEGER NOT NULL, uid TEXT, created_at TEXT, sha TEXT, "
	"intended TEXT,"
	" body TEXT, base_generation INTEGER NOT NULL, generation INTEGER NOT NULL, attempt "
	"INTEGER NOT NULL,"
	" key TEXT, operation TEXT, created_ms INTEGER NOT NULL, started_ms INTEGER NOT NULL, "
	"error TEXT);"
	"CREATE INDEX intent_open ON intent (scope, state) WHERE state < 4;"
	"CREATE INDEX intent_name ON intent (scope, name);"
	"CREATE INDEX intent_sha ON intent (scope, sha, state);"
	"CREATE TABLE outbox (scope TEXT NOT NULL, sha TEXT NOT NULL, context TEXT NOT NULL,"
	" state INTEGER NOT NULL, text TEXT NOT NULL, posted INTEGER NOT NULL, posted_state "
	"INTEGER NOT NULL,"
	" posted_text TEXT, latched INTEGER NOT NULL, updated_ms INTEGER NOT NULL,"
	" PRIMARY KEY (scope, sha, context)) WITHOUT ROWID;"
	"CREATE INDEX outbox_updated ON outbox (scope, updated_ms);"
	"CREATE TABLE event (id INTEGER PRIMARY KEY, scope TEXT NOT NULL, at_ms INTEGER NOT NULL, "
	"name TEXT,"
	" sha TEXT, what TEXT NOT NULL, detail TEXT);"
	"CREATE INDEX event_name ON event (scope, name, id);",

	"ALTER TABLE inventory ADD COLUMN gone_since_ms INTEGER NOT NULL DEFAULT 0;"
	"ALTER TABLE inventory ADD COLUMN contested TEXT;"
	"ALTER TABLE intent ADD COLUMN heals INTEGER NOT NULL DEFAULT 0;",

	"CREATE TABLE suspension (scope TEXT NOT NULL, name TEXT NOT NULL, reason TEXT NOT NULL,"
	" until_ms INTEGER, \"by\" TEXT NOT NULL, at_ms INTEGER NOT NULL,"
	" PRIMARY KEY (scope, name)) WITHOUT ROWID;"
	"CREATE TABLE approval (scope TEXT NOT NULL, digest TEXT NOT NULL, name TEXT NOT NULL,"
	" action TEXT NOT NULL, \"by\" TEXT NOT NULL, reason TEXT NOT NULL,"
	" at_ms INTEGER NOT NULL, PRIMARY KEY (scope, digest)) WITHOUT ROWID;"
	"ALTER TABLE event ADD COLUMN \"by\" TEXT;",

	"ALTER TABLE inventory ADD COLUMN replaced INTEGER NOT NULL DEFAULT 0;"
	"ALTER TABLE inventory ADD COLUMN leftovers TEXT;"
	"ALTER TABLE intent ADD COLUMN ours_from INTEGER NOT NULL DEFAULT 0;",

	"ALTER TABLE outbox ADD COLUMN posts INTEGER NOT NULL DEFAULT 0;"
	"ALTER TABLE outbox ADD COLUMN refused INTEGER NOT NULL DEFAULT 0;",

	"ALTER TABLE inventory ADD COLUMN protected INTEGER NOT NULL DEFAULT 0;"
	"ALTER TABLE inventory ADD COLUMN over_max INTEGER NOT NULL DEFAULT 0;",

	"ALTER TABLE inventory ADD COLUMN labels TEXT;",

	"ALTER TABLE inventory ADD COLUMN refused_body TEXT;"
	"ALTER TABLE inventory ADD COLUMN refusal TEXT;",

	"ALTER TABLE intent DROP COLUMN operation;",

	"ALTER TABLE inventory ADD COLUMN seen_observed INTEGER NOT NULL DEFAULT 0;",
};

int store_open_file(const char *path, struct db **ret_db, struct err *e)
{
	return db_open(path, migrations, ARRAY_SIZE(migrations), ret_db, e);
}

int store_look_at_file(const char *path, struct db **ret_db, struct err *e)
{
	return db_open_beside(path, migrations, ARRAY_SIZE(migrations), ret_db, e);
}

static struct store *store_new(struct db *db, const char *scope)
{
	struct store *s = xcalloc(1, sizeof(*s));
	*s = (struct store){.db = db, .scope = xstrdup(scope), .lock = -1};
	return s;
}

int store_open(const char *folder, const char *scope, struct store **ret_store, struct err *e)
{
	if (fs_mkdirs(folder, 0700, e) < 0)
		return err_prefix(e, "state: choose a folder that weir may write to");
	auto_free char *lock_path = fs_join(folder, "lock");
	auto_free char *path = fs_join(folder, "weir.db");
	int lock = -1;
	if (fs_lock(lock_path, &lock, e) < 0) {
		if (e->code == ERR_CONFLICT)
			return err_prefix(e,
				"another weir works on %s; stop it, or give this one another state",
				folder);
		return err_prefix(e, "state");
	}
	struct db *db;
	if (store_open_file(path, &db, e) < 0) {
		close(lock);
		return err_prefix(e, "store");
	}
	*ret_store = store_new(db, scope);
	(*ret_store)->lock = lock;
	return 0;
}

int store_open_memory(const char *scope, struct store **ret_store, struct err *e)
{
	struct db *db;
	int rc = store_open_file(NULL, &db, e);
	if (rc < 0)
		return rc;
	*ret_store = store_new(db, scope);
	return 0;
}

int store_open_shared(
	const char *folder, const char *scope, struct store **ret_store, struct err *e)
{
	auto_free char *path = fs_join(folder, "weir.db");
	if (access(path, F_OK) < 0)
		return err_set(e, ERR_NOT_FOUND,
			"no store in %s yet: weir has not run with this state", folder);
	struct db *db;
	if (store_look_at_file(path, &db, e) < 0)
		return err_prefix(e, "store");
	*ret_store = store_new(db, scope);
	return 0;
}

int store_fork(struct store *of, struct store **ret_store, struct err *e)
{
	struct db *db;
	int rc = db_fork(of->db, &db, e);
	if (rc < 0)
		return rc;
	*ret_store = store_new(db, of->scope);
	return 0;
}

void store_close(struct store *s)
{
	if (!s)
		return;
	db_close(s->db);
	if (s->lock >= 0)
		close(s->lock);
	free(s->scope);
	free(s);
}

int store_begin(struct store *s, struct err *e)
{
	return db_begin(s->db, e);
}

int store_commit(struct store *s, struct err *e)
{
	return db_commit(s->db, e);
}

void store_rollback(struct store *s)
{
	db_rollback(s->db);
}

char *store_text(struct db_stmt *s, int col)
{
	return xstrdup_opt(db_text(s, col));
}

const char *store_scope(const struct store *s)
{
	return s->scope;
}

int store_get(struct store *s, const char *key, char **ret_value, struct err *e)
{
	struct db_stmt *q =
		db_prepare(s->db, "SELECT value FROM value WHERE scope = ?1 AND key = ?2");
	db_bind_text(q, 1, s->scope);
	db_bind_text(q, 2, key);
	int rc = db_step(q, e);
	if (rc < 0)
		return rc;
	*ret_value = rc > 0 ? store_text(q, 0) : NULL;
	db_reset(q);
	return 0;
}

int store_set(struct store *s, const char *key, const char *value, struct err *e)
{
	struct db_stmt *q =
		db_prepare(s->db, "INSERT INTO value (scope, key, value) VALUES (?1, ?2, ?3)"
				  " ON CONFLICT (scope, key) DO UPDATE SET value = excluded.value");
	db_bind_text(q, 1, s->scope);
	db_bind_text(q, 2, key);
	db_bind_text(q, 3, value);
	return db_run(q, e);
}
