/*
 * The store in memory: one record per replicator that was ever ours, is being worked on, or was
 * accepted from Git; and the outbox. Whoever changes something marks it; ledger_flush writes all
 * that was marked in one transaction.
 *
 * The rule that makes a crash harmless: no call that changes anything leaves before a flush that
 * covers it succeeded. A flush that fails (a full disk) loses nothing: everything stays marked and
 * is written by the next.
 */
#ifndef RECONCILE_LEDGER_H
#define RECONCILE_LEDGER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "base/strv.h"
#include "plan/plan.h"
#include "store/store.h"

/* What is going on with a replicator right now; not stored, made again from the journal at start.
 */
enum work_state {
	WORK_NONE, /* nothing. Next: WRITE, RECONCILE, CHECK */
	WORK_WRITE, /* its POST or PATCH is journalled and waits for its turn. Next: WRITING */
	WORK_WRITING, /* it is under way. Next: RECONCILE, NONE */
	WORK_RECONCILE, /* its key is journalled and the reconcile waits for its turn. Next:
			   RECONCILING */
	WORK_RECONCILING, /* it is under way. Next: WATCH, RECONCILE, NONE */
	WORK_CHECK, /* its delete is journalled, and the last look before it waits for its turn.
		       Next: CHECKING */
	WORK_CHECKING, /* it is under way. Next: DELETE, WATCH, NONE */
	WORK_DELETE, /* the DELETE waits for its turn. Next: DELETING */
	WORK_DELETING, /* it is under way. Next: WATCH, NONE */
	WORK_WATCH, /* the operation runs; looked at from time to time. Next: WATCHING, ASKING */
	WORK_WATCHING, /* a GET is under way. Next: WATCH, RECONCILE, NONE */
	WORK_ASKING /* the reconcile is asked again by its own key. Next: WATCH, NONE */
};

struct record {
	char *name;
	struct store_row row;
	struct intent *intent; /* the open one, NULL if none; there is never more than one */
	char *accepted; /* JSON of the last version that loaded, NULL if none */
	struct replicator *desired; /* the same, decoded; NULL if it is not: see ledger_desired */
	struct arena desired_arena;
	struct plan_record plan; /* see ledger_plan */
	struct arena plan_arena;
	bool plan_is_made;
	bool dirty;
	bool intent_dirty;
	bool accepted_dirty;

	enum work_state work;
	int64_t poll_at; /* monotonic; when to look next: WORK_WATCH, and what is awaited */
	int64_t poll_every;
	uint64_t awaited_by; /* the last plan that waited for others to bring it about, 0: none */
	int64_t awaited_since; /* monotonic */
	bool is_looked_at; /* for that */
	int64_t asked_at; /* monotonic; when the operation was last asked for by its key */
	bool fresh_key; /* this key was never journalled as sent before this attempt */
	bool old_operation; /* under a fresh key it had ended at once: perhaps one of a store that
			       was lost */
	bool status_left; /* the status was seen other than Healthy since the reconcile */
	int64_t steady_since; /* monotonic; since when the status has been the same */
	enum live_status last_status;
	bool unobserved; /* the generation was not, when the operation was begun: once it is, that
			    has ended */
	bool was_observed; /* it was: others had started it before */
	bool superseded; /* the operation: what others started instead is waited for */
	char *saved; /* JSON of the whole body at the open intent's generation, NULL if not known */
	int64_t looked_generation; /* that was seen last since the operation began */
	int64_t rest_generation; /* at which the status was last seen at rest */
	int64_t busy_generation; /* at which others were seen to have it provisioned, 0 if none */
	int64_t confirmed_at; /* monotonic; when a pass asked for it by itself, and got an answer */
	int64_t shown_at; /* monotonic; when an answer about it alone showed it last */
	int64_t seen_at; /* monotonic; when row.seen_generation was seen first, a create was
			    answered or given up, or the start */
	int64_t blocked_until; /* monotonic; after a call that may be tried again */
	unsigned tries; /* calls in a row that failed that way */
	int64_t kept_generation; /* whose body is in the events, since it is to be deleted; 0 */
	unsigned reused; /* keys in a row that the API said were used before */
	unsigned undeleted; /* times in a row that a delete came to nothing */
	unsigned lost; /* times, lately, that somebody else was faster, or it could not be read */
	int64_t lost_at; /* monotonic; the last of them */
	char *unread; /* why it could not be asked for, when the list lacked it; NULL if it could */
	char *last_error; /* what the last of them said, NULL if none */
	unsigned char
		refused[32]; /* digest of the body that the API refused; not sent again as it is */
	char *refused_uid; /* ... and the object it was for, NULL where not known */
	char *refused_created_at;
	bool is_refused;
	int64_t wanted_ms; /* wall; since when plans have wanted something done about it, 0 if not
			    */
	int64_t leaving_ms; /* wall; since when it has been on its way out, or wanted there, by us
			       or by others; 0 if it is not */
	char *differs; /* what the open intent changes, for people; NULL where not known */
	char *drift; /* what others had changed when it was looked at last, NULL if nothing */
	unsigned held_told; /* bit per plan_hold: there is an event of it */
	int64_t held_told_at; /* monotonic; the first of them, 0: none since the start */
	struct strv heals; /* settings whose drift the open intent repairs */
	struct strv approvals; /* the digests that let the open intent be */
	const struct plan_taken *taken; /* what the last write takes away, in taken_arena */
	size_t n_taken;
	struct arena taken_arena;
	bool found; /* was there, and not as Git says, when the store was new; and Git did not
		       change it since */
	bool healed; /* the open intent repairs drift, and nothing else */
	uint64_t begun_by; /* the plan that the open intent is from */
};

struct outbox_entry {
	struct outbox_row row;
	bool dirty;
	bool posting;
	bool latching; /* that it is latched is not on disk yet: it is not posted before */
};

struct ledger {
	struct store *store; /* NULL: nothing is ever written (a plan, a dry run) */
	struct map records; /* struct record * */
	struct map outbox; /* "sha context" to struct outbox_entry * */
	struct {
		VEC_FIELDS(struct record *);
	} dirty;
	struct {
		VEC_FIELDS(struct intent *);
	} closed; /* intents that ended, until they are written */
	struct events events;
	struct map values; /* changed values by name, char * */
	struct map suspensions; /* by name, struct suspension *: what people ordered */
	struct map approvals; /* by digest, struct approval * */
	struct strv ordered; /* names whose suspension changed */
	struct strv decided; /* digests whose approval changed */
	char *head; /* the last commit that was taken, "" if none */
	char *claim; /* whose statuses these are, until it is written; NULL if it is */
	int64_t next_intent; /* the id of the next one */
};

/* Reads everything. `store` is borrowed. */
int ledger_load(struct ledger *l, struct store *store, struct err *e);
/* Only what is needed to plan; nothing will be written, the store may go. */
void ledger_detach(struct ledger *l);
void ledger_release(struct ledger *l);

struct record *ledger_find(const struct ledger *l, const char *name);
/* Makes it if need be. */
struct record *ledger_need(struct ledger *l, const char *name);

/* Marks the row as changed. */
void ledger_changed(struct ledger *l, struct record *r);
/* Puts the document that loaded; marks it, and says so, if it differs from what is stored. */
bool ledger_accept(struct ledger *l, struct record *r, const struct replicator *desired);
/* What a plan is given of it, decoded when it is first asked for since something changed. It stays
 * as it is until it is asked for again, so that the plan may point there. What runs counts only
 * below a draft, and is decoded only then; `live` may be NULL. */
const struct plan_record *ledger_plan(struct record *r, const struct live *live);
/* The accepted document, decoded when it is first asked for. Only where there is one. */
const struct replicator *ledger_desired(struct record *r);
/* The replicator is in Git no more. */
void ledger_unaccept(struct ledger *l, struct record *r);
/* Takes an intent as the record's open one; the one that was open is superseded. */
void ledger_open_intent(struct ledger *l, struct record *r, struct intent *owned_intent);
void ledger_intent_changed(struct ledger *l, struct record *r);
/* Ends the open intent, if there is one. `error` may be NULL. */
void ledger_close_intent(
	struct ledger *l, struct record *r, enum intent_state state, const char *error);
/* It is ours, or was about to be. */
bool ledger_is_ours(const struct record *r);
/* Nothing is known of it that has to be remembered; then it can leave the memory. */
bool ledger_is_idle(const struct record *r);
void ledger_remove(struct ledger *l, struct record *r);
/* What was seen of the object counts for no other. */
void ledger_forget_seen(struct record *r);
/* Forgets a record that is gone everywhere. */
void ledger_drop(struct ledger *l, struct record *r);
void ledger_set(struct ledger *l, const char *key, const char *value);
void ledger_event(struct ledger *l, int64_t now_ms, const char *name, const char *sha,
	const char *what, const char *detail);
/* The same, of what a person ordered. */
void ledger_event_by(struct ledger *l, int64_t now_ms, const char *name, const char *what,
	const char *detail, const char *by);
/* Puts one in place of what there is under its name or digest. */
void ledger_suspend(struct ledger *l, struct suspension *owned);
void ledger_approve(struct ledger *l, struct approval *owned);
/* False if there is none. */
bool ledger_resume(struct ledger *l, const char *name);
bool ledger_disapprove(struct ledger *l, const char *digest);
struct outbox_entry *ledger_outbox(struct ledger *l, const char *sha, const char *context);
/* Lets go of the statuses of other commits than `head` that need nothing more; the store keeps
 * them. */
void ledger_tidy_outbox(struct ledger *l, const char *head);

/* All that was marked is on disk, or is not to get there. */
void ledger_written(struct ledger *l);
bool ledger_is_dirty(const struct ledger *l);
int ledger_flush(struct ledger *l, struct err *e);

/* contested.c: the settings that stand as contested in a row's JSON, sorted. */
const char *const *contested_names(const char *json, struct arena *arena, size_t *ret_n);

/* A spec as JSON for the store, and back (all NULL for NULL). */
char *spec_to_json(const struct spec *spec);
void spec_from_json(const char *json, struct arena *arena, struct spec *ret_spec);

#endif
