/*
 * What weir remembers between passes and across crashes, in SQLite: heads, inventory with what was
 * last applied, the journal of intents, the outbox of statuses, events. Losing it is survivable
 * (design §4.7). The loop's thread owns it. Every function that writes may fail with ERR_IO (disk
 * full: nothing committed is lost).
 */
#ifndef STORE_STORE_H
#define STORE_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/map.h"
#include "base/strv.h"
#include "base/vec.h"
#include "model/live.h"
#include "model/spec.h"

struct store;

/*
 * `scope` is what the inventory is keyed by: a hash of API URL, organization, source URL, branch
 * and path. Takes the store's lock: a second process gets ERR_CONFLICT with the pid of the first.
 */
int store_open(const char *folder, const char *scope, struct store **ret_store, struct err *e);
/* In memory, for tests. */
int store_open_memory(const char *scope, struct store **ret_store, struct err *e);
/* Beside a process that has the lock, to look and not to write: for `weir status` and `weir plan`.
 * ERR_NOT_FOUND if there is none. One of an older release stays as that release can use it. */
int store_open_shared(
	const char *folder, const char *scope, struct store **ret_store, struct err *e);
/* In memory, with all that `of` holds now: what is done there leaves no trace. */
int store_fork(struct store *of, struct store **ret_store, struct err *e);
void store_close(struct store *s);
const char *store_scope(const struct store *s);

/* A consistent copy of the store in `folder` into a file that is not there yet; a daemon may run on
 * it. ERR_NOT_FOUND if there is none. */
int store_backup(const char *folder, const char *file, struct err *e);
/*
 * Puts a copy in place of the store in `folder`, under its lock: ERR_CONFLICT while somebody works
 * on it, or if the file is no store, or one of a newer release. The store that was there is kept
 * beside it, under the name in `ret_kept` (the caller frees; NULL if there was none). The file
 * stays as it is.
 */
int store_restore(
	const char *folder, const char *file, int64_t now_ms, char **ret_kept, struct err *e);

int store_begin(struct store *s, struct err *e);
int store_commit(struct store *s, struct err *e);
void store_rollback(struct store *s);

/* Small values by name: "head", "seen-head", … NULL if there is none; the caller frees. */
int store_get(struct store *s, const char *key, char **ret_value, struct err *e);
int store_set(struct store *s, const char *key, const char *value, struct err *e);

/*
 * Inventory: one row per replicator that this source created or adopted. Specs are JSON as the
 * API's body, or NULL.
 */
struct store_row {
	char *name;
	char *uid;
	char *created_at;
	char *last_applied; /* L */
	int64_t seen_generation;
	int64_t seen_observed; /* the highest plan_observed of it */
	int64_t provisioned_generation;
	char *provisioned; /* the whole body of that generation */
	int64_t failed_generation;
	int64_t failures; /* attempts of that generation that ended in Error */
	int64_t retry_at_ms;
	char *failure; /* why, for the status */
	char *not_kept; /* fields and values that the API does not keep */
	bool owned; /* created or adopted by this source; false: only tried */
	int64_t gone_since_ms; /* since when it has been gone from a Git that loads, 0 if it is not
				*/
	bool replaced; /* deleted by us, and to be created anew */
	bool is_protected; /* until a commit that does not say so was in sync */
	bool over_max; /* one of more deletes at once than sync.prune.max: until it is back in Git
			  or approved */
	char *labels; /* of the last version that was in sync while sync.windows let it be changed:
			 JSON; NULL if none was */
	char *refused_body; /* digest of the body that the API refused to create, NULL if none */
	char *refusal; /* what it said */
	char *leftovers; /* keys that were taken away and that the API still shows: JSON; NULL if
			    none */
	char *contested; /* what of it others take back, and when we wrote it: JSON; NULL if nothing
			  */
};
void store_row_release(struct store_row *r);
struct store_rows {
	VEC_FIELDS(struct store_row);
};
int store_load_rows(struct store *s, struct store_rows *ret_rows, struct err *e);
void store_rows_release(struct store_rows *rows);
/* Inserts or replaces. */
int store_put_row(struct store *s, const struct store_row *row, struct err *e);
int store_drop_row(struct store *s, const char *name, struct err *e);

/* Accepted documents: the last version of each that loaded. */
int store_load_accepted(struct store *s, struct map *ret_json_by_name,
	struct err *e); /* values: char *, owned by the caller */
/* NULL if there is none; the caller frees. */
int store_get_accepted(struct store *s, const char *name, char **ret_json, struct err *e);
int store_put_accepted(struct store *s, const char *name, const char *json, struct err *e);
int store_drop_accepted(struct store *s, const char *name, struct err *e);

/* The journal: what we set out to do, written before the call that does it. */
enum intent_kind {
	INTENT_CREATE,
	INTENT_UPDATE,
	INTENT_RECONCILE,
	INTENT_DELETE, /* of the object with this uid, at base_generation */
	INTENT_REPLACE /* the same; once it is gone, a CREATE follows */
};
enum intent_state {
	INTENT_OPEN, /* journalled; its call may or may not have had its effect. Next: SAVED, or
			SENT where the answer was lost; FAILED, SUPERSEDED; of a delete: RUNNING,
			DONE, FAILED, SUPERSEDED */
	INTENT_SAVED, /* the API answered with a generation. Next: SENT, SUPERSEDED */
	INTENT_SENT, /* the key is journalled and the reconcile may have been sent. Next: RUNNING,
			SAVED, SUPERSEDED */
	INTENT_RUNNING, /* the operation, or the DELETE, was accepted: waiting for its end. Next:
			   DONE, FAILED, SUPERSEDED; SENT for a further attempt */
	INTENT_DONE,
	INTENT_FAILED, /* refused, or the operation ended in Error */
	INTENT_SUPERSEDED /* a newer intent, or somebody else, took over */
};
struct intent {
	int64_t id;
	char *name;
	enum intent_kind kind;
	enum intent_state state;
	char *uid; /* of the object, once known */
	char *created_at;
	char *sha; /* the commit it is for */
	char *intended; /* L': JSON */
	char *body; /* what is sent */
	int64_t base_generation; /* what a PATCH was made against */
	int64_t ours_from; /* of the generations above this one, up to the base, each was answered
			      to us, and none was started: drafts of ours, one on the other; or a
			      person approved that they are started: 0 */
	int64_t generation; /* what is or was to be reconciled; 0 until known */
	int64_t attempt;
	char *key; /* idempotency key of the reconcile, once made */
	int64_t created_ms;
	int64_t started_ms; /* when the reconcile, or the DELETE, was accepted */
	char *error; /* why it failed */
	bool heals; /* repairs drift and nothing else */
};
void intent_release(struct intent *i);
struct intents {
	VEC_FIELDS(struct intent);
};
void intents_release(struct intents *intents);
/* Those in a state from OPEN to RUNNING, the oldest first. */
int store_load_intents(struct store *s, struct intents *ret_intents, struct err *e);
/* Inserts or replaces, by id; ids are the caller's, above the last one. */
int store_put_intent(struct store *s, const struct intent *i, struct err *e);
/* The highest id there is, 0 if none. */
int store_last_intent(struct store *s, int64_t *ret_id, struct err *e);
/* The replicators that a commit changed, drift that was healed and deletes aside: those that were
 * written or for which an operation was started, and those of them where one came to its end. */
int store_load_changed(struct store *s, const char *sha, struct strv *ret_begun,
	struct strv *ret_done, struct err *e);
/*
 * The attempt to ask with for the object and generation of an intent: the last whose key was
 * journalled as sent, since asking again with it starts nothing new; the one after it if its
 * operation failed; else 1. Objects without a uid are told apart by the second in which they were
 * created.
 */
int store_next_attempt(
	struct store *s, const struct intent *of, int64_t *ret_attempt, struct err *e);
/* 1: the last operation that was accepted for them was superseded before it was seen to end. */
int store_was_cut_short(
	struct store *s, const struct intent *of, int64_t *ret_whether, struct err *e);

/* The outbox: per commit and context what the status should be and what was posted last. */
enum status_state {
	STATUS_PENDING,
	STATUS_SUCCESS,
	STATUS_FAILURE, /* the user's to mend */
	STATUS_ERROR, /* ours or the API's */
	STATUS__COUNT
};
const char *status_state_name(enum status_state state);
struct outbox_row {
	char *sha;
	char *context;
	enum status_state state;
	char *text;
	bool posted; /* something was posted */
	enum status_state posted_state;
	char *posted_text;
	bool latched; /* /sync: everything in it was Healthy once while it was head */
	int64_t updated_ms;
	int64_t posts; /* how many arrived: a forge may take no more than so many */
	bool refused; /* the forge will not take it as it is wanted */
};
void outbox_row_release(struct outbox_row *r);
/* What was posted last is what is wanted. */
bool outbox_row_is_posted(const struct outbox_row *r);
struct outbox_rows {
	VEC_FIELDS(struct outbox_row);
};
void outbox_rows_release(struct outbox_rows *rows);
/* All rows of `head`, and of other commits those that are pending or not posted as wanted, unless
 * another scope has had its say on them since; the oldest first. */
int store_load_outbox(
	struct store *s, const char *head, struct outbox_rows *ret_rows, struct err *e);
int store_put_outbox(struct store *s, const struct outbox_row *row, struct err *e);
/*
 * Whose statuses the last ones were that were posted from this file, of whatever scope: what was
 * put there, NULL if nothing was. After somebody else's, what is posted is not as our rows say.
 */
int store_get_claim(struct store *s, char **ret_claim, struct err *e);
int store_put_claim(struct store *s, const char *claim, struct err *e);

/* What people ordered (weir suspend, weir approve). */
struct suspension { /* left alone until it is resumed */
	char *name;
	char *reason;
	bool has_until;
	int64_t until_ms; /* wall */
	char *by;
	int64_t at_ms;
};
void suspension_release(struct suspension *s);
struct suspensions {
	VEC_FIELDS(struct suspension); /* by name */
};
void suspensions_release(struct suspensions *all);
int store_load_suspensions(struct store *s, struct suspensions *ret_all, struct err *e);
/* Inserts or replaces, by name. */
int store_put_suspension(struct store *s, const struct suspension *what, struct err *e);
int store_drop_suspension(struct store *s, const char *name, struct err *e);

struct approval { /* what a held item of the plan binds was approved */
	char *digest;
	char *name;
	char *action; /* "delete", … */
	char *by;
	char *reason;
	int64_t at_ms;
};
void approval_release(struct approval *a);
struct approvals {
	VEC_FIELDS(struct approval); /* by digest */
};
void approvals_release(struct approvals *all);
int store_load_approvals(struct store *s, struct approvals *ret_all, struct err *e);
int store_put_approval(struct store *s, const struct approval *what, struct err *e);
int store_drop_approval(struct store *s, const char *digest, struct err *e);

/*
 * Lets go of events, ended intents and statuses of commits other than `head` that are older or more
 * than base/limits.h says, of each kind at most a few hundred; true in `ret_more` if there are
 * more. Never of what is needed: what is open, what counts for the head, and keys that were sent
 * for a generation that may still be live.
 */
int store_trim(struct store *s, const char *head, int64_t now_ms, bool *ret_more, struct err *e);

/* Events: what happened, when, to whom and why. */
struct event {
	int64_t at_ms;
	char *name; /* NULL: to the commit */
	char *sha;
	char *what;
	char *detail;
	char *by; /* the person who ordered it; NULL: weir itself */
};
int store_add_event(struct store *s, const struct event *event, struct err *e);
struct events {
	VEC_FIELDS(struct event);
};
/* The newest first; `name` NULL: of all. */
int store_load_events(
	struct store *s, const char *name, size_t most, struct events *ret_events, struct err *e);
void events_release(struct events *ev);
/* When this happened last to the commit, wall; 0 if it did not. */
int store_commit_event(
	struct store *s, const char *sha, const char *what, int64_t *ret_at_ms, struct err *e);

#endif
