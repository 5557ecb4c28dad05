/*
 * What has to be done so that the API is as Git says: pure, from what was read. No I/O, no clock of
 * its own.
 *
 * Per field, with L last applied, D desired, V live (design §4.2): D = V is in sync; D != L is a
 * change, and a conflict where V != L too; D = L != V is drift; a field once owned and gone from
 * YAML is reset as its table row says. weir owns the fields that are written in YAML and no others.
 */
#ifndef PLAN_PLAN_H
#define PLAN_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/hash.h"
#include "base/strv.h"
#include "base/vec.h"
#include "calendar/calendar.h"
#include "model/catalog.h"
#include "model/live.h"

enum plan_action {
	PLAN_NONE, /*     in sync, or waiting for what is under way */
	PLAN_CREATE, /* +   */
	PLAN_UPDATE, /* ~   PATCH and reconcile */
	PLAN_REPLACE, /* -/+ delete, and create anew once it is gone */
	PLAN_RECONCILE, /* >   saved but never provisioned, or an attempt to repeat */
	PLAN_ADOPT, /* =   take into the inventory; nothing is written */
	PLAN_DELETE, /* -   */
	PLAN_HOLD, /* !   something is to be done and may not be: `held` says why and what releases
		      it */
	PLAN__COUNT
};

enum plan_change {
	PLAN_CHANGE, /* Git changed it (or it is new) */
	PLAN_CONFLICT, /* Git changed it, and somebody else too */
	PLAN_DRIFT, /* only somebody else changed it */
	PLAN_RESET /* gone from YAML */
};

enum plan_hold {
	PLAN_HOLD_NOT,
	PLAN_HOLD_ADOPT, /* exists already and differs */
	PLAN_HOLD_PRUNE, /* not in Git any more; pruning is off */
	PLAN_HOLD_FOREIGN, /* a reconcile would provision somebody else's draft as well */
	PLAN_HOLD_IMMUTABLE, /* the change needs a replacement */
	PLAN_HOLD_SECRET, /* a secret path that does not resolve */
	PLAN_HOLD_REPORT, /* drift, in mode report */
	PLAN_HOLD_INCOMPLETE, /* would reset or delete while something failed to load */
	PLAN_HOLD_NOT_KEPT, /* the API does not keep what is written */
	PLAN_HOLD_REWOUND, /* the branch was rewound */
	PLAN_HOLD_BACKOFF, /* ended in Error; waits for its next attempt */
	PLAN_HOLD_DELETING, /* the API is deleting it */
	PLAN_HOLD_BUSY, /* somebody else's operation is under way */
	PLAN_HOLD_UNKNOWN, /* so much is absent at once that the API may be hiding it, or the API
			      does not say whether it is there */
	PLAN_HOLD_PROTECT, /* would delete what is protected */
	PLAN_HOLD_GRACE, /* gone from Git, and not for long enough to be deleted */
	PLAN_HOLD_PRUNE_MAX, /* more would be deleted at once than sync.prune.max allows */
	PLAN_HOLD_EMPTY, /* nothing is declared any more: deletes need a person */
	PLAN_HOLD_DEPENDANTS, /* is deleted once those that depend on it are gone */
	PLAN_HOLD_SUSPEND, /* left alone, for a reason somebody gave */
	PLAN_HOLD_WINDOW, /* no change may be made at this time */
	PLAN_HOLD_DEPENDS, /* waits for those it depends on to be as Git says, and Healthy */
	PLAN_HOLD_CONTESTED, /* somebody else takes back what weir writes, again and again */
	PLAN_HOLD_BRAKE, /* several of this commit ended in Error: nothing more of it is begun */
	PLAN_HOLD_MAX_UPDATES, /* the commit changes more than sync.max_updates */
	PLAN_HOLD__COUNT
};

#define PLAN_RETRY_MOST_MS 3600000

/* The same setting taken back by somebody else so often within so long is contested. */
#define PLAN_CONTESTED_TIMES	 3
#define PLAN_CONTESTED_WITHIN_MS 3600000

/* Somebody keeps a replicator from being touched, from outside of Git. */
struct plan_suspension {
	const char *name;
	const char *reason;
	const char *by; /* who did */
	const char *text; /* of one in force: "suspended by jane until …: broker upgrade" */
	bool has_until;
	int64_t until_ms; /* wall */
};

/* A key of advanced_configuration that is gone from YAML, was written without, and that the API
 * still shows. */
struct plan_leftover {
	const char *key;
	bool sent_as_null; /* that was tried too: there is no more to be done about it */
};

/* What our records know of one replicator; comes from the store. */
struct plan_record {
	const char *name;
	const char *uid; /* of the object that last_applied belongs to; NULL if the API has none */
	const char *created_at;
	struct spec last_applied; /* L: canonical nodes; all NULL if none */
	bool has_last_applied;
	int64_t seen_generation; /* the highest generation that was answered to us or seen */
	int64_t seen_observed; /* the highest plan_observed of it */
	int64_t provisioned_generation; /* the highest that we saw through, 0 if none */
	const struct spec *provisioned; /* the whole body of that generation; NULL if not known,
					   and perhaps where nothing live is above it */
	/* An intent that is still open: a create or update whose fields were or will be sent. */
	bool intent_open;
	struct spec intended; /* L', whole: what plan_intended gave when the intent was made */
	int64_t intent_base; /* the generation it was sent against; 0 for a create */
	int64_t intent_ours_from; /* above it, up to the base, there are only drafts of ours, or
				     such as were approved */
	int64_t intent_generation; /* what the API answered; 0 if no answer came */
	bool intent_reconciled; /* its reconcile was accepted: waiting for the end */
	int64_t failed_generation; /* the generation whose operation ended in Error, 0 if none */
	int64_t retry_at_ms; /* wall; when the next attempt may start, at most PLAN_RETRY_MOST_MS
				ahead: what lies further is of a clock that was set back, and due */
	unsigned not_kept; /* bit per field: the API did not keep what we wrote */
	struct spec not_kept_value; /* ... and what was written then */
	int64_t gone_since_ms; /* wall; since when it has been gone from a Git that loads, 0 if it
				  is not */
	bool was_protected; /* and no commit that does not say so was in sync since */
	const struct node *labels; /* that it had when it was in sync last while sync.windows let
				      it be changed; NULL: not known */
	const char *refused_body; /* the digest of a body that the API refused to create; NULL */
	const char *refusal; /* ... and what it said */
	bool over_max; /* held as one of too many at once, and not back in Git since */
	const char *const *contested; /* "topic_whitelist", "advanced_configuration.tasks.max":
					 settings that are contested; sorted */
	size_t n_contested;
	bool found; /* was there and differed when the store was new, and Git did not change it
		       since: overwrite acts as match */
	const char *unread; /* the list lacks it, and asking for it failed so: whether it is there
			       is not known; NULL if it is */
	bool deleted; /* a DELETE of ours was accepted, for good or to create it anew: that it is
			 not there is no surprise */
	const struct plan_leftover *leftovers; /* what plan_leftovers gave when the last answer
						  came */
	size_t n_leftovers;
};

struct plan_secret { /* the result of resolving one secret path for a replicator */
	const char *name;
	enum spec_field field;
	const char *message; /* what is wrong; NULL if nothing is */
};

struct plan_input {
	const struct catalog *catalog; /* of the head */
	const struct replicator *const *accepted; /* last versions that loaded, for names that fail
						     now and for those of the inventory that are
						     gone: what protects them, suspends them and
						     depends on them is remembered there; sorted as
						     they come */
	size_t n_accepted;
	const struct live *const *live; /* the complete list */
	size_t n_live;
	const struct plan_record *const *records; /* the inventory of this source */
	size_t n_records;
	const struct plan_secret *secrets; /* only those that are wrong */
	size_t n_secrets;
	/* The defaults of replicators that do not say. */
	enum sync_mode mode;
	enum sync_adopt adopt;
	enum foreign_drafts foreign_drafts;
	bool store_is_empty; /* nothing was ever done from this store: overwrite acts as match */
	bool rewound; /* hold everything: the branch was rewound */
	const char *rewound_approval; /* the digest that releases it: of the old head and the new
					 tree; NULL: nobody can */
	struct {
		bool enabled;
		struct count_or_percent max;
		int64_t grace_ms;
	} prune;
	const struct windows *windows; /* NULL: it may be changed at any time */
	const struct plan_suspension *suspensions; /* by name */
	size_t n_suspensions;
	const char *const
		*approvals; /* digests (plan_item.approval) that somebody approved, sorted */
	size_t n_approvals;
	const char *brake; /* why nothing new is begun for this commit; NULL: it may be */
	const char *brake_approval; /* the digest that releases it, for all; NULL: nobody can */
	int64_t max_updates; /* 0: no limit */
	int64_t n_updated; /* replicators that this commit changed so far */
	int64_t now_ms; /* wall */
};

struct plan_diff {
	enum spec_field field;
	enum plan_change change;
	const char *key; /* of advanced_configuration, each for itself; NULL: the whole field */
	const struct node
		*before; /* live, or, of what is only to be provisioned, what runs; NULL: absent */
	const struct node *after; /* desired; NULL: reset or absent */
	bool as_null; /* a key that leaving out did not take away: it is sent as null */
	const char *file; /* of the desired value; NULL if none */
	unsigned line;
};

/*
 * One for each name in Git or in the inventory. An item whose action is NONE is in sync, or waits
 * (`waiting`), or is left as it is: its document does not load and no earlier version did (no
 * `desired`), or it is not in Git any more and there is nothing to delete (`gone`, once all of Git
 * loaded).
 */
struct plan_item {
	const char *name;
	enum plan_action action;
	enum plan_action held_action; /* what would be done were it not held; PLAN_NONE unless
					 action is PLAN_HOLD */
	enum plan_hold hold;
	const char *held; /* why, "" if not held */
	const char *release; /* what releases it: "change orders-dr in Git", …; also of what is
				suspended and in sync */
	int64_t until_ms; /* wall; when time alone releases it, 0: it does not */
	/* What a person approves who lets it go: a digest of name, object, action and the values
	 * before, which no commit and no secret changes; NULL: nobody can. Kept where it was
	 * approved. */
	const char *approval;
	bool approved; /* ... and it was */
	struct {
		VEC_FIELDS(const char *);
	} given; /* all that was approved of it, also where something else still holds it */
	struct {
		VEC_FIELDS(struct plan_diff);
	} diffs;
	struct strv notes; /* "also provisions lag_alert_threshold (saved by somebody else)", … */
	const struct replicator *desired; /* NULL for deletes and unmanaged ones */
	const struct replicator *remembered; /* of one that is not in Git any more: its last
						version that loaded, NULL if that is not known */
	const struct plan_suspension *suspended; /* in force; `by` is NULL where YAML says so. Then
						    nothing is done, also where all is in sync */
	int64_t suspended_to_ms; /* wall; the end of a suspension that is over, 0: none */
	const struct live *live; /* NULL for creates */
	const struct plan_record *record; /* NULL if it is not in the inventory */
	bool from_accepted; /* the file fails to load; healed to the last version that did */
	bool ours; /* the live one is what the record is about; else acting on it adopts it */
	bool gone; /* not in Git any more, and not ours, not there, or let go by sync.on_remove: its
		      record can be dropped */
	bool waiting; /* an operation of ours is under way */
	bool queued; /* it is for whoever acts on the plan to say: it may be begun, and not yet */
	bool draft; /* ours, and its live generation was saved and, as far as is known, not started
		     */
	bool healthy; /* live, provisioned at its generation, and Healthy */
	bool leaves; /* besides what is done, something is not as Git says and stays so */
	const char *file; /* of the document */
	unsigned line;
};

struct plan {
	struct {
		VEC_FIELDS(struct plan_item);
	} items; /* by name; unmanaged live ones are left out */
	struct strv unmanaged; /* live, in neither Git nor inventory */
	size_t count[PLAN__COUNT];
	size_t n_changes; /* items whose action is neither NONE nor HOLD */
	const struct problems *problems; /* of the catalog */
	struct arena arena;
};

/*
 * The plan points to the replicators, live objects and records of its input, and to the catalog's
 * problems: they must outlive it. The arrays need not.
 */
struct plan *plan_build(const struct plan_input *input);
void plan_free(struct plan *p);
/* The item of a name, NULL if it has none. */
struct plan_item *plan_find(const struct plan *p, const char *name);
/* What the item plans may still be begun, some time after the plan was made. */
bool plan_window_is_open(
	const struct windows *windows, const struct plan_item *item, int64_t now_ms);
/* Something that Git changed is begun: neither drift that is healed, nor the end of what was begun
 * before. */
bool plan_begins_change(const struct plan_item *it);

/*
 * For an item whose action is CREATE, UPDATE or REPLACE: what is sent, as canonical values (a null
 * resets a field) and as the body of the POST or PATCH (only what changes, but a map as a whole).
 * Of a replacement it is the POST that comes once the old one is gone. Empty for all others.
 */
struct spec plan_sent(struct arena *a, const struct plan_item *item);
struct node *plan_body(struct arena *a, const struct plan_item *item);
/*
 * L', whole: what will have been applied once the item is done; for one in sync, what L follows to.
 * The item must have `desired` and not be held.
 */
struct spec plan_intended(struct arena *a, const struct plan_item *item);

/* Up to which generation the API says that it was provisioned: where it does not say, 1 if it was
 * once, which is only less than before if it never was. Of one object it does not get less. */
int64_t plan_observed(const struct live *live);
/* Nothing that tells it from another is shown, and it was provisioned less than was seen: it is
 * another, or the API shows it as it was. */
bool plan_went_back(const struct live *live, int64_t seen_observed);

/* What the open intent was to change is as it was to be, whoever saw to that. */
bool plan_intent_shows(const struct plan_record *record, const struct live *live);

/* Of the text of a body: two that are the same get the same answer. */
void plan_body_digest(const char *body, char ret_digest[HASH_HEX_MAX]);
/* What is live as a JSON object, for whoever wants it back; secrets are masked. */
void plan_live_json(const struct live *live, struct buf *out);

/* What of an answer differs from what was sent: bit per field. Fields whose values the API masks do
 * not count. */
unsigned plan_not_kept(const struct spec *sent, const struct spec *answered);

/* A key of advanced_configuration that is taken away, or was and stayed. */
struct plan_taken {
	const char *key;
	const struct node *before; /* the value that goes; NULL: one that stays from earlier,
				      whatever it is */
	bool as_null; /* leaving it out was not enough */
};
/* Those of an item whose action is UPDATE, sorted, in `a`: kept until the answer comes, since the
 * plan may be gone by then. */
const struct plan_taken *plan_taken(struct arena *a, const struct plan_item *item, size_t *ret_n);
/* Of these, the ones that the answer still shows. They point into `taken`. What is left over is
 * sent as null once, by the next plan that is given it. */
const struct plan_leftover *plan_leftovers(struct arena *a, const struct plan_taken *taken,
	size_t n, const struct spec *answered, size_t *ret_n);

enum plan_format {
	PLAN_TEXT,
	PLAN_TEXT_COLOUR,
	PLAN_MARKDOWN,
	PLAN_JSON /* schema/plan.schema.json */
};

struct plan_header { /* what the plan was made from, for the reader */
	const char *name; /* of weir.yaml */
	const char *sha; /* or NULL for a folder */
	const char *summary; /* of the commit, or NULL */
	const char *api; /* URL and organization */
};

void plan_render(const struct plan *p, const struct plan_header *header, enum plan_format format,
	struct buf *out);
/* "lag_alert_threshold: 100 in Git, 78 live": escaped, long values cut, secrets masked. */
void plan_diff_text(const struct plan_diff *d, struct buf *out);
/* All that differs, so written, on one line: "lag_alert_threshold: 78 -> 100 (drift), …". */
void plan_diffs_text(const struct plan_item *item, struct buf *out);
/* "2 to create, 1 to update, 1 held": the summary line alone. */
void plan_summary(const struct plan *p, struct buf *out);
const char *plan_action_symbol(enum plan_action action);
const char *plan_action_name(enum plan_action action);
const char *plan_hold_name(enum plan_hold hold);

#endif
