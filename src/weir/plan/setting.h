/*
 * The settings of one replicator side by side, and what is to be done about each. A setting is a
 * field, or one key of advanced_configuration: of that map the keys written in YAML are ours and
 * the others are not.
 */
#ifndef PLAN_SETTING_H
#define PLAN_SETTING_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/vec.h"
#include "model/spec.h"
#include "plan/plan.h"

enum side {
	SIDE_DESIRED, /* D: Git */
	SIDE_APPLIED, /* L: what was written last */
	SIDE_INTENDED, /* L': what an open intent leads to */
	SIDE_LIVE, /* V: the API */
	SIDE_PROVISIONED, /* what runs, as far as is known */
	SIDE_NOT_KEPT, /* what was written and not kept */
	SIDE__COUNT
};

enum verdict {
	VERDICT_FREE, /* neither in Git nor ever ours, or ignored */
	VERDICT_SAME, /* as Git says */
	VERDICT_WRITE, /* to be written; `change` says why */
	VERDICT_REPORT, /* drift that is only told */
	VERDICT_WITHHOLD, /* a reset that waits until all of Git loads */
	VERDICT_NOT_KEPT, /* written before, and the API did not keep it */
	VERDICT_CONTESTED, /* drift that somebody makes again and again: not healed */
	VERDICT_STAYS, /* gone from YAML, and cannot be taken back */
	VERDICT__COUNT
};

enum draft_part { /* of a live generation that was never provisioned */
	DRAFT_NOT, /* as it was provisioned, or not known */
	DRAFT_OURS, /* as Git says, and not as it was provisioned */
	DRAFT_FOREIGN /* saved by somebody else */
};

struct setting {
	enum spec_field field;
	struct node *key; /* of advanced_configuration; NULL: the whole field */
	const struct node *value[SIDE__COUNT]; /* NULL: absent there, or null */
	enum verdict verdict;
	enum plan_change change; /* unless the verdict is FREE or SAME */
	enum draft_part draft;
	bool as_null; /* leaving it out did not take it away: it is to be written as null */
};

struct settings {
	VEC_FIELDS(struct setting);
};

/* Replaces what was there by every setting that any of the sides has; NULL: a side that is not
 * known. By field, then key. */
void settings_collect(struct settings *out, const struct spec *const sides[SIDE__COUNT]);

/* Two values of the setting mean the same. */
bool setting_equal(const struct setting *s, const struct node *a, const struct node *b);
/* An API shows nothing of the value, only that there is one. */
bool value_is_masked(enum spec_field field, const struct node *value);
/* "topic_whitelist", "advanced_configuration.producer.linger.ms" */
void setting_name(const struct setting *s, struct buf *out);

struct rules { /* what the item's surroundings allow */
	bool intent_open;
	bool report; /* drift is only told */
	bool complete; /* all of Git loaded */
	unsigned not_kept; /* bit per field */
	bool emptied; /* advanced_configuration was written as a whole with nothing in it */
	const struct sync_settings *sync; /* of the document: what of it is ignored */
	const char *const *contested; /* names of settings, sorted */
	size_t n_contested;
	const struct plan_leftover *leftovers; /* by key */
	size_t n_leftovers;
};

/* It is sent on create, and left alone from then on. */
bool setting_is_ignored(const struct setting *s, const struct sync_settings *sync);

/* Sets verdict and change of each. */
void settings_judge(struct settings *settings, const struct rules *rules);

#endif
