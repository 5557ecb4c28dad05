/*
 * A history: steps as data, so that any of them can be left out, and a text of one line a step that
 * plays again. Whatever a step names, it does nothing where it makes no sense.
 */
#ifndef TEST_HISTORY_H
#define TEST_HISTORY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/vec.h"

enum step_kind {
	STEP_VARIANT, /* what the API has; before all else */
	STEP_CONFIG, /* weir.yaml, from the next start on */
	STEP_START, /* the daemon */
	STEP_KILL, /* kill -9; n says what becomes of calls under way */
	STEP_STOP, /* SIGTERM */
	STEP_LOSE_STORE, /* while it does not run */

	STEP_RUN, /* n ms go by; m: the seed of delays, 0: none */
	STEP_EVENTS, /* n things happen: an answer, an effect, a read, a post */

	STEP_DECLARE, /* a document, unless there is one */
	STEP_WRITE, /* a field of a document; 0: its line goes, -1: an explicit null */
	STEP_REMOVE, /* the document */
	STEP_BREAK, /* n: enum breakage; 0 mends it */
	STEP_MOVE, /* into another file */
	STEP_SETTING, /* of its sync */
	STEP_PATH, /* n: gone */
	STEP_PUSH, /* all that was written, as a commit */
	STEP_REWIND, /* the branch points n commits back */
	STEP_REWRITE, /* what was written, as a commit in place of the head */
	STEP_BRANCH, /* n: gone */

	STEP_SAVE, /* by somebody else: a PATCH, and no reconcile */
	STEP_LAUNCH, /* by somebody else: a reconcile of what is there */
	STEP_EDIT, /* both */
	STEP_DELETE, /* by somebody else */
	STEP_MAKE, /* by somebody else; n: the values; m: launched */

	STEP_FAULT, /* the next n calls of a verb */
	STEP_API, /* a switch of the API */
	STEP_GIT, /* n: does not answer */
	STEP_FORGE, /* n: 1 does not answer, 2 refuses, 3 takes them and does not say so */
	STEP_DISK, /* n: full */
	STEP_CLOCK, /* the wall clock jumps by n ms */
	STEP_TWIN, /* a second daemon; n: 1 starts, 0 is killed */
	STEP_ORDER, /* by a person, through the daemon; suspend: for n ms, 0: without an end */
	STEP__COUNT
};

struct step {
	enum step_kind kind;
	int who;
	int what; /* a field, a switch, … by the step's list of words */
	int64_t n;
	int64_t m;
};

struct history {
	VEC_FIELDS(struct step);
};

enum step_args { ARG_WHO = 1, ARG_WHAT = 2, ARG_N = 4, ARG_M = 8, ARG_MISHAP = 16 };

struct step_row {
	const char *word;
	unsigned args; /* which a step has */
	const char *const *whats;
};
extern const struct step_row step_rows[STEP__COUNT];

enum variant {
	VARIANT_NO_OBSERVED, /* no observed_generation */
	VARIANT_NO_UID,
	VARIANT_NO_CREATED_AT,
	VARIANT_NO_STATE, /* operations without a state */
	VARIANT_NO_IF_MATCH, /* the header is not looked at */
	VARIANT_MERGES, /* a PATCH of a map leaves the keys that it does not have */
	VARIANT_PAGES, /* lists come in pages of two */
	VARIANT_MORE, /* a PATCH that changes nothing makes a generation all the same */
	VARIANT__COUNT
};

enum configured {
	CONFIG_REWIND, /* 1: follow */
	CONFIG_CONCURRENCY,
	CONFIG_ADOPT, /* enum sync_adopt */
	CONFIG_PRUNE, /* 1: enabled */
	CONFIG_PRUNE_MAX,
	CONFIG_PRUNE_GRACE, /* ms */
	CONFIG_MAX_UPDATES, /* 0: no limit */
	CONFIG_WINDOW, /* of each 20 minutes, n at the beginning are closed; or -n at the end, since
			  those before are what is open; 0: none */
	CONFIG_WINDOW_MATCH, /* 1: the window is only for some; see check_has_windows */
	CONFIG__COUNT
};

enum setting_of {
	SETTING_MODE, /* 0 not written, 1 heal, 2 report */
	SETTING_PROTECT,
	SETTING_SUSPEND,
	SETTING_ORPHAN,
	SETTING_REPLACE,
	SETTING_IGNORE, /* n: a field, or -1: none */
	SETTING_DEPENDS, /* n: a replicator, or -1: none */
	SETTING__COUNT
};

enum order_of {
	ORDER_SUSPEND,
	ORDER_RESUME,
	ORDER_FORGET,
	ORDER_APPROVE,
	ORDER_REWIND,
	ORDER__COUNT
};

enum api_switch {
	API_SWITCH_DOWN,
	API_SWITCH_FAILS, /* operations end in Error */
	API_SWITCH_SLOW, /* ms until a call is answered */
	API_SWITCH_LAG, /* ms until what was made shows */
	API_SWITCH_TAKES, /* ms of an operation */
	API_SWITCH_HIDES, /* bits: not in the list, but there for who asks */
	API_SWITCH__COUNT
};

enum mishap { /* of a call */
	MISHAP_NONE,
	MISHAP_LOST, /* no effect, no answer */
	MISHAP_UNANSWERED, /* the effect, and no answer */
	MISHAP_LATE, /* no answer, and the effect comes later */
	MISHAP_500,
	MISHAP_429,
	MISHAP_401,
	MISHAP_403,
	MISHAP_404,
	MISHAP_409,
	MISHAP_422,
	MISHAP_REFUSE, /* 400 */
	MISHAP_HTML, /* an answer that is not the API's, and the effect */
	MISHAP__COUNT
};
extern const char *const mishap_words[MISHAP__COUNT + 1];

void history_release(struct history *h);
/* One line a step. */
void history_write(const struct history *h, struct buf *out);
/* Lines that begin with a # are passed over. False, with a message on stderr. */
bool history_read(struct history *h, const char *text);
/* The history of a seed. */
void history_make(struct history *h, uint64_t seed);

/* Says whether a history goes wrong as the first one did. */
typedef bool (*history_fails_fn)(void *ctx, const struct history *h);
/* Leaves out steps and makes values simpler as long as it goes wrong. */
void history_shrink(struct history *h, history_fails_fn fails, void *ctx);

#endif
