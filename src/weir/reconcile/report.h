/*
 * What the statuses say, derived from how things stand: pure, so that every sentence can be tested.
 */
#ifndef RECONCILE_REPORT_H
#define RECONCILE_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "doc/problem.h"
#include "store/store.h"

/* How one replicator stands. */
enum standing {
	STANDING_HEALTHY,
	STANDING_APPLYING, /* something is still to be written for it */
	STANDING_WAITING, /* its operation runs */
	STANDING_STUCK, /* ... for longer than the timeout */
	STANDING_UNKNOWN, /* the API does not show it, and that is not believed */
	STANDING_FAILED, /* refused, or ended in Error */
	STANDING_UNHEALTHY, /* nothing to do about it, and the API says it is not Healthy */
	STANDING_BRAKED, /* not begun, since others of the commit ended in Error; needs a person */
	STANDING_HELD, /* needs a person */
	STANDING_SUSPENDED, /* left alone, for a reason somebody gave */
	STANDING_WINDOW, /* waits for a time at which it may be changed */
	STANDING_GRACE, /* gone from Git, and to be deleted after a while */
	STANDING_BLOCKED, /* waits for others */
	STANDING_DELETING, /* on its way out */
	STANDING_GONE, /* ... and out: there is nothing more to say of it */
	STANDING_DRIFTED, /* mode report: differs, and is only told */
	STANDING_PLANNED, /* mode plan: would be changed */
	STANDING_ABSENT_OK, /* not in Git any more, and pruning is off */
	STANDING_LEFT, /* its document does not load and nothing was accepted before */
	STANDING__COUNT
};
const char *standing_name(enum standing standing);

struct report_item {
	const char *name;
	enum standing standing;
	const char *why; /* for all but healthy ones; text from outside is fine */
	const char *release; /* what a person does about it, such as a command: "" if nothing */
	const char *brief; /* the same in few words, for where it does not fit; "": nothing then;
			      NULL: its first alternative */
	const char *reason; /* of a suspension, with who ordered it; NULL if nobody gave one */
	bool in_git; /* suspended by its document, and not by a person */
	int64_t until_ms; /* wall; when time releases it, 0 if it does not, or not yet known */
	int64_t next_ms; /* wall; when a call that failed is made again, 0 if it is not known. It
			    moves too often for a commit's status */
	bool drift; /* what is written for it, or will be, repairs drift and nothing else */
	bool late; /* applying, for longer than anybody waits */
};

struct report_input {
	const struct report_item *items;
	size_t n_items;
	const struct problems *problems; /* of the catalog, NULL if none was read */
	const char *load_error; /* the tree could not be read; NULL if it could */
	bool load_is_ours; /* ... and that is not for who wrote it to mend */
	const char *rewound; /* what is held for a rewound branch; NULL if nothing is */
	const char *rewound_release; /* what a person does about it */
	const char *api_error; /* NULL: it answers */
	bool api_hopeless; /* waiting does not help, as when it refuses the token */
	int64_t api_since_ms; /* wall */
	const char *store_error; /* NULL: it can be written */
	bool compared; /* a plan was made for this head */
	bool latched; /* everything in it was Healthy once: ill health is not of its making */
	int64_t changed; /* replicators that this commit changed */
	bool new_store; /* it was empty when this commit was compared first, and the API was not */
	int64_t now_ms; /* wall */
	int64_t head_since_ms; /* wall */
	int64_t timeout_ms;
};

#define WAITS_FOR_ITS_TURN "waits for its turn" /* why something is applied, if nothing is wrong */
#define REPORT_COMPARING   "comparing with the API" /* of a head that was not yet */

struct status_text {
	enum status_state state;
	char text[640]; /* at most FORGE_TEXT_MAX code points, escaped */
};

struct report {
	struct status_text sync;
	struct status_text drift;
	bool drift_known; /* else there is nothing new to say of it */
	bool in_time; /* the head's timeout has not come yet */
	size_t late; /* items that are */
	bool moves; /* something is under way, and others may go on once it ends */
	bool whole; /* success, and everything in it is Healthy: /sync may latch */
	char progress[32]; /* "9/13" */
	size_t count[STANDING__COUNT];
	size_t total;
};

void report_make(const struct report_input *in, struct report *ret_report);

#endif
