/*
 * What the files of the engine share.
 */
#ifndef RECONCILE_INTERNAL_H
#define RECONCILE_INTERNAL_H

#include "base/hash.h"
#include "reconcile/engine.h"
#include "reconcile/ledger.h"
#include "reconcile/report.h"

enum pass_state {
	PASS_IDLE, /* Next: READING */
	PASS_READING, /* Git is looked at. Next: LISTING, or IDLE where nothing is new */
	PASS_LISTING, /* the API's list comes, page by page. Next: CONFIRMING, IDLE */
	PASS_CONFIRMING, /* what the list lacks is asked for one by one. Next: WRITING, IDLE */
	PASS_WRITING /* writes are under way; Git is looked at meanwhile, since a newer commit goes
			before what still waits. Next: IDLE */
};

enum flight_purpose {
	FLIGHT_LIST,
	FLIGHT_CONFIRM,
	FLIGHT_WRITE,
	FLIGHT_RECONCILE,
	FLIGHT_CHECK,
	FLIGHT_DELETE,
	FLIGHT_WATCH,
	FLIGHT_ASK,
	FLIGHT_AWAIT
};

/* A call that is under way. */
struct flight {
	uint64_t token;
	enum flight_purpose purpose;
	struct record *record; /* NULL for a list */
	int64_t intent; /* the id of the record's open one when it left, 0 if none */
	int64_t left_at; /* monotonic */
};

/* Something outside that fails: since when, how often, and what it said last. */
struct trouble {
	unsigned times; /* in a row; 0: all is well */
	int64_t since_wall;
	int64_t until_mono; /* not tried again before */
	struct err err;
};

/* Replicators of one commit that ended in Error, one after the other. */
struct brake {
	char *sha; /* the commit */
	struct strv failed;
	char *reason; /* why nothing more of it is begun, NULL if it may be */
	char *approval; /* the digest that releases it, NULL if nothing is held */
	bool was_on; /* when the plan was made */
	size_t room; /* how many more may begin in this pass */
	size_t queue; /* items of the plan that wait for room */
	size_t next; /* the index of the first of them */
	int64_t frees_ms; /* wall; when time alone makes some, 0: it does not */
	int64_t well_ms; /* wall; when an operation ended well last, 0: none did since the start */
};

struct turns {
	VEC_FIELDS(struct record *);
	size_t at_turn; /* the first that is still to go */
};

struct engine {
	struct engine_options options;
	const struct config *config;
	struct ledger ledger;

	enum pass_state pass;
	bool pass_full; /* compares with the API, and does not only look whether there is a new
			   commit */
	bool reading;
	bool read_again; /* somebody woke us meanwhile: what is being read may be too old */
	int64_t read_at; /* monotonic; when to look at Git */
	int64_t pass_at; /* monotonic; when to compare with the API */
	int64_t listed_at; /* monotonic; when the last list was begun */
	int64_t list_took_ms;
	bool stopping;

	struct source_head head; /* sha "" if none */
	bool head_unread; /* there is a newer one, and what the store knows of it cannot be read:
			     it is not taken before that */
	bool rewound; /* the branch was rewound and that is held: `head` is the new one */
	struct catalog *catalog; /* of the head; NULL if it could not be read */
	char tree[SHA_MAX]; /* that the catalog is of */
	struct err load_err;
	struct secret_problems secrets;
	bool catalog_new; /* since the last plan */
	bool compared; /* the plan was made for this head */
	int64_t head_since; /* wall; when the head was taken */
	struct brake brake;
	char *rewound_from; /* the head that was taken before a rewind that is held; NULL */
	char *rewind_approval; /* the digest that lets a rewound branch be followed; NULL if none is
				  held */
	char *rewind_kept; /* the same as the store has it, NULL if nothing was written yet */
	bool store_is_new; /* nothing was ever done from it */
	bool found_changed; /* some of what was found then is not to be so remembered any more */
	char new_store_at
		[SHA_MAX]; /* the commit at which it was, and the API was not; "" if none */
	struct map begun; /* names of replicators that this head changed, or had started */
	struct map changed; /* ... and whose operation came to its end */

	int64_t wall_ahead; /* of the monotonic clock, as far as was reckoned with */
	struct catalog *nothing; /* empty and incomplete: stands for a tree that cannot be read */

	struct api_list incoming; /* the list that is being read */
	struct api_list list; /* the last complete one; the plan points into it */
	struct {
		VEC_FIELDS(struct record *);
	} confirms; /* records to be asked for one by one, since the list lacks them */
	size_t confirming; /* not answered yet */
	struct err confirm_err; /* of the API as a whole: then no other is asked for */
	unsigned unanswered; /* how many in a row got no answer */

	struct plan_suspension *suspended; /* what people ordered, as the plan has it */
	size_t n_suspended;
	struct arena suspended_arena;
	struct plan *plan;
	bool held_for_others; /* something of the plan waits for others to be Healthy, or gone */
	uint64_t plans; /* that were made; the number of the last one */
	uint64_t dropped; /* the one of which something that had not left yet was let go */
	struct turns completing; /* records whose next call waits for its turn */
	struct turns beginning;
	struct {
		VEC_FIELDS(struct flight);
	} flights;
	uint64_t next_token;

	struct trouble source;
	struct trouble api;
	struct trouble store;
	struct trouble forge;
	bool auth_refused; /* the API refused the token: it is probed, nothing else is called */

	bool report_due;
	int64_t report_at; /* monotonic; not before */
	int64_t report_by; /* monotonic; when time alone changes what it says */
	struct report report;
	char *standings; /* what `weir status` shows of it, as it was written last */
	struct map since; /* of those that are not Healthy; see standings.c */
	bool posting;
	int64_t posted_at; /* monotonic; when the last batch was given away */
	struct {
		VEC_FIELDS(struct record *);
	} watching; /* records in WORK_WATCH and beyond */
	struct {
		VEC_FIELDS(struct record *);
	} awaited; /* records that others are at, and that the plan waits for */
	bool watch_waits; /* some are due, and there was no room */
	bool watch_turn; /* the place that came free last was theirs */
	int64_t watch_at; /* monotonic; when the first of them is due */

	int64_t trim_at; /* monotonic; when the store is trimmed next */

	struct engine_stats stats;
};

#define LOOK_FIRST_MS	1000 /* what is waited for is looked at after so long, */
#define LOOK_MOST_MS	10000 /* ... and less and less often, but as often as this */
#define LAG_GRACE_MS	60000 /* how long the API may not yet show what it answered */
#define BACKOFF_MOST_MS 60000 /* the longest wait between two tries of the same thing */

/* shared.c */
/* Now, by the engine's clock. */
int64_t now_mono(const struct engine *en);
int64_t now_wall(const struct engine *en);

/* A pass after so long, and not so often that lists are most of what the API gets. */
void pass_soon(struct engine *en, int64_t delay_ms);
void send_call(struct engine *en, struct api_call *owned_call, enum flight_purpose purpose,
	struct record *r);
void progress(struct engine *en, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void trouble_starts(struct engine *en, struct trouble *t, const struct err *e, const char *what);
void trouble_ends(struct engine *en, struct trouble *t, const char *what);
/* Full jitter: between half and the whole of first_ms doubled for each try, at most most_ms. */
int64_t backoff(const struct engine *en, unsigned tries, int64_t first_ms, int64_t most_ms);
/* When something that is waited for is looked at next: monotonic, less often each time. */
int64_t next_look(const struct engine *en, struct record *r);
/* After so many operations in a row that ended in Error, until the next. */
int64_t retry_wait(int64_t failures);
/* Somebody else was faster, or it could not be read: the next pass reads again and tells what is
 * still wanted. At once the first time, then less and less often: they may be writing as fast as we
 * are. */
void look_again(struct engine *en, struct record *r, const char *why);
struct plan_item *item_of(const struct engine *en, const struct record *r);
const char *commit_of(const struct engine *en);
/* How long its operations may take; of NULL, what weir.yaml says. */
int64_t timeout_of(const struct engine *en, const struct plan_item *item);

/* pass.c */
void pass_start(struct engine *en);
void pass_read_done(struct engine *en, struct read_result *result);
void pass_page(struct engine *en, struct api_answer *owned_answer);
void pass_confirmed(struct engine *en, const struct flight *f, struct api_answer *owned_answer);
/* Ends the pass if nothing of it is under way any more. */
void pass_written(struct engine *en);
/* What was not sent yet is planned anew; a reconcile completes what was written, and leaves. */
void pass_stop_begun(struct engine *en);
/* Lets go of what was not sent yet; the next pass plans it anew. */
void pass_abandon(struct engine *en);
/* The plan points into catalog, list and accepted documents: it goes before any of them does. */
void pass_forget_plan(struct engine *en);
/* Or, if the API cannot be read now, as soon as it can. */
void pass_compare_now(struct engine *en);

/* head.c: what was read of Git. Nothing is taken of a commit whose past the store cannot tell. */
void head_take(struct engine *en, struct read_result *result);
void head_take_secrets(struct engine *en, struct read_result *result);

/* inputs.c: what a plan is made from */
struct plan *inputs_plan(struct engine *en);
/* A tree was taken: what is gone from Git counts as gone from now on, and what is back as back. */
void inputs_mark_gone(struct engine *en);
/* All of Git, as it is now, was read: absence from it means something. */
bool inputs_complete(const struct engine *en);
/* What is there already and differs, when the store is new, is not written over until Git changes
 * it or a person approves: which those are. */
int found_load(struct engine *en, struct err *e);
void found_note(struct engine *en);
void found_forget(struct engine *en, struct record *r);
/* Before a flush: what was forgotten since, all at once. */
void found_write(struct engine *en);

/* tidy.c */
/* While there is no plan: what nothing is known of leaves the memory. */
void tidy_records(struct engine *en);
/* Now and then: what nobody needs any more leaves the store. */
void tidy_store(struct engine *en);

/* guards.c */
/* What the plan says of it that later plans must know. Once it was begun: also of what is new. */
void guards_remember(struct engine *en, const struct plan_item *item);
/* A digest of what a person approves. The caller frees. */
char *approval_of(const char *kind, const char *first, const char *second);
bool rewind_is_held(struct engine *en, const struct source_head *head);
/* What was approved and is not there any more to be done needs an approval of its own if it comes
 * again. */
void approvals_sweep(struct engine *en);
/* What was approved of the item lets the open intent be. */
void approval_note(struct record *r, const struct plan_item *item);
/* What the open intent was approved for is done. */
void approval_used(struct engine *en, struct record *r);

/* brake.c */
/* What the store has of this commit; nothing changes if it cannot be read. */
int brake_load(struct engine *en, const char *sha, struct err *e);
void brake_release(struct brake *b);
/* The operation of the open intent came to its end. */
void brake_note_end(struct engine *en, const struct record *r, bool well);
/* Before a plan: lets go of it if that was approved. */
void brake_check(struct engine *en);
/*
 * The slow start. Failures come later than calls, so while most of a commit has not proven itself
 * only as many are begun as are needed to tell. All of it is counted anew in each pass, from the
 * journal: what is under way, what ended in Error in a row, what ended well.
 */
bool brake_counts(const struct plan_item *item);
void brake_open(struct engine *en);
/* True if the item has to wait for its turn. */
bool brake_queues(struct engine *en, struct plan_item *item);
void brake_began(struct engine *en, const struct plan_item *item);
/* Comes back when a turn comes by time alone. */
void brake_close(struct engine *en);
/* A call on the record was answered: if nothing of it is under way any more, there is room. */
void brake_freed(struct engine *en, const struct record *r);

/* contested.c: what others take back */
/* Which settings the item heals; once that shows, it counts. */
void contested_note(struct record *r, const struct plan_item *item);
void contested_healed(struct engine *en, struct record *r);
void contested_age(struct engine *en, struct record *r);
void contested_seen(struct engine *en, struct record *r, const struct plan_item *item);
/* Before the document is accepted. */
void contested_changed(struct engine *en, struct record *r, const struct replicator *desired);

/* tell.c: what events say beside what was done */
/* The item is about to be written: what differs, and what of it is drift. */
void tell_writing(struct engine *en, struct record *r, const struct plan_item *item);
/* The open intent was saved at that generation, as an answer said, or as it shows. */
void tell_written(struct engine *en, const struct record *r, int64_t generation, bool was_answered);
/* It is held: once for each reason. */
void tell_held(struct engine *en, struct record *r, const struct plan_item *item);

/* observe.c */
/* Before a plan: what the list shows of operations of others. */
void work_observe(struct engine *en);
/* Where the API does not say which generation runs, others are watched starting it: `started` is
 * the highest that is known to be started. */
void work_note_others(struct record *r, const struct live *live, int64_t started);

/* work.c: what a plan wants done about one replicator */
void work_begin(struct engine *en, struct plan_item *item);
void work_resume(struct engine *en, struct record *r);
/* What is live runs, or was set going: drafts are measured by it. */
void work_provisioned(struct record *r, const struct live *live);
/* How far it is, if that is news: an API shows nothing older of it, but for a while. */
bool work_note_seen(const struct engine *en, struct record *r, const struct live *live);
/* What the open intent leads to shows in the live object: it is what was last applied. */
void work_applied(struct engine *en, struct record *r, const struct live *live);
/* A call that failed may not be tried again yet; then the next pass comes in time. */
bool work_waits(struct engine *en, const struct record *r);
/* The object is gone. What was applied to it stays: a new one is to be the same. */
void work_forget_object(struct record *r);
/* It is ours no more; what Git says of it stays, if it says anything. */
void work_let_go(struct engine *en, struct record *r);
/* Those that wait for this one to be Healthy, or gone, need not wait for the next interval. */
void work_wake_others(struct engine *en, const char *name);

/* turns.c: who calls next */
void turns_add(struct engine *en, struct record *r, enum work_state work);
bool turns_any(const struct engine *en);
struct record *turns_next(struct engine *en);
/* Lets go of what was not sent yet; a reconcile completes what was written. */
void turns_drop(struct engine *en, bool reconciles_too);
void turns_release(struct engine *en);

/* calls.c: the calls of the open intent */
/* The journalled write waits for its turn. */
void calls_write(struct engine *en, struct record *r);
/* The reconcile waits for its turn, under the key it had before, if any, or under the next. */
void calls_reconcile(struct engine *en, struct record *r, bool next_attempt);
void calls_send(struct engine *en, struct record *r);
/* The open intent came to nothing before it left, and had taken the place of an operation on
 * what is live. */
bool calls_cut_short(struct engine *en, const struct record *r, const struct live *live);
/* The open intent changed what is live, for the commit that it is from. */
void calls_changed(struct engine *en, const struct record *r);
/* The reconcile was accepted, also where only what came of it shows that. */
void calls_started(struct engine *en, struct record *r);
/* What the API refused is not sent again until Git or the live object changes. The body of a
 * reconcile is "", and of a create there is nothing live. */
bool calls_refused(const struct record *r, const char *body, const struct live *live);
/* What failed before was something else, and says nothing of what is to be done. What is tried
 * again as it was has not ceased to fail. */
void calls_forget_failure(struct engine *en, struct record *r, const struct plan_item *item);
/* What answers mean to all of them: OK, and what stands in the way of only one, are not for here.
 */
void calls_failed(struct engine *en, struct record *r, const struct api_answer *a);
/* What was set out for makes no sense any more; the next plan says what does. */
void calls_overtaken(struct engine *en, struct record *r, const char *why);
void calls_wrote(struct engine *en, struct record *r, struct api_answer *a);
void calls_reconciled(struct engine *en, struct record *r, struct api_answer *a);

/* watch.c: waiting for Healthy */
void watch_begin(struct engine *en, struct record *r);
int64_t watch_step(struct engine *en, int64_t now);
/* A call was answered: there is room. */
void watch_landed(struct engine *en);
void watch_looked(struct engine *en, struct record *r, struct api_answer *a);
void watch_asked(struct engine *en, struct record *r, struct api_answer *a);
/* What an answer shows of the object, for when the operation is known to have ended. */
void watch_note(const struct engine *en, struct record *r, const struct live *live);
/* The operation of the open intent came to its end, seen in whatever way. */
void watch_succeed(struct engine *en, struct record *r);
void watch_fail(struct engine *en, struct record *r, const char *why);

/* Looks as soon as there is room, or after a while. */
void watch_soon(struct engine *en, struct record *r);
void watch_later(struct engine *en, struct record *r);

/* await.c: what is up to others */
/* After a plan: what of it waits for whom. */
void await_gather(struct engine *en);
int64_t await_step(struct engine *en, int64_t now);
void await_looked(struct engine *en, struct record *r, const struct api_answer *a);

/* removal.c: deletes and replacements */
#define REMOVAL_BODY "DELETE" /* stands for the body of a DELETE where bodies are told apart */
bool removal_is(const struct intent *i);
void removal_begin(struct engine *en, struct plan_item *item);
void removal_send(struct engine *en, struct record *r);
void removal_checked(struct engine *en, struct record *r, struct api_answer *a);
void removal_answered(struct engine *en, struct record *r, struct api_answer *a);
void removal_looked(struct engine *en, struct record *r, const struct api_answer *a);
/* Before a plan is made from a complete list. */
void removal_settle(struct engine *en);
bool removal_goes_on(struct engine *en, struct plan_item *item);

/* judge.c: how a replicator of the plan stands, and why */
void judge_item(const struct engine *en, const struct plan_item *item, struct arena *a,
	struct report_item *out);

/* standings.c: what `weir status` shows */
/* From what the store has, NULL if nothing. */
void standings_load(struct engine *en, const char *json);
/* The items are those of the plan, in its order. */
void standings_keep(struct engine *en, const struct report_item *items, size_t n);
void standings_release(struct engine *en);

/* statuses.c: the outbox */
/* Another branch, folder or forge may have had the statuses since we had: then those of the head
 * are said anew. */
int statuses_claim(struct engine *en, struct err *e);
/* A start and an orderly end of who posts: without the end, nobody knows what the forge has. */
int statuses_resume(struct engine *en, struct err *e);
void statuses_stop(struct engine *en);
void statuses_head(struct engine *en);
void statuses_update(struct engine *en);
int64_t statuses_step(struct engine *en, int64_t now);
/* Something is not posted as it should be. */
bool statuses_owed(const struct engine *en);

#endif
