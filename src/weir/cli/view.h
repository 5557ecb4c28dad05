/*
 * How things stand, gathered from the store and, where there is one, from the engine; as trees for
 * people's eyes and for programs. Times in them are RFC 3339.
 *
 * status: {name, daemon, head, seen_head, state, text, settled, ready, passes, reads, last_pass,
 *	troubles: [{what, since, next, message}], rewound: {from, to, approval, approved} or null,
 *	brake: {commit, why, approval} or null,
 *	statuses: [{commit, context, state, text, posted}],
 *	replicators: {NAME: {generation, standing, hold, since, why, release, until, approvable,
 *		live_generation, differs: ["lag_alert_threshold: 100 in Git, 78 live"]}},
 *	events: […]}
 * progress: of these, {seen_head, state, text, settled, ready, passes, reads, last_pass, troubles}:
 *	what somebody who waits wants to know again and again. It takes no look at the store.
 * explain: the same of one replicator, with its suspension, approvals, open intent and events.
 */
#ifndef CLI_VIEW_H
#define CLI_VIEW_H

#include "config/config.h"
#include "reconcile/engine.h"

#define VIEW_EVENTS_EXPLAINED 10 /* unless more are asked for */

struct view {
	const struct config *config;
	bool daemon;
	struct engine_stats stats; /* of the daemon; points into its engine */
	bool is_rewound;
	struct engine_rewind rewound; /* the same */
	bool is_braked;
	struct engine_brake brake; /* the same */
	char *head; /* that was taken last */
	char *seen; /* where the branch was seen last: another one if it was rewound */
	char *rewind; /* the digest that lets that be followed; NULL or "" if it was not rewound */
	char *standings; /* JSON, as the engine's; NULL if none */
	struct map accepted; /* names of documents that loaded; char * */
	struct store_rows rows;
	struct outbox_rows outbox;
	struct events events;
	struct suspensions suspensions;
	struct approvals approvals;
	struct intents intents;
};

int view_load(struct store *s, const struct config *c, struct view *ret_view, struct err *e);
/* The same of the store in the state folder, which is opened beside whoever works on it. */
int view_open(
	const struct config *c, struct store **ret_store, struct view *ret_view, struct err *e);
/* What the engine knows better, or nobody else. It must not work while the view is used. */
void view_take_engine(struct view *v, const struct engine *engine);
void view_release(struct view *v);

struct node *view_rewind(struct arena *a, const struct engine_rewind *r);
struct node *view_brake(struct arena *a, const struct engine_brake *b);
struct node *view_progress(const struct engine_stats *stats, struct arena *a);
struct node *view_status(const struct view *v, struct arena *a);
/* ERR_NOT_FOUND with a "did you mean" if nothing is known of it. */
int view_explain(const struct view *v, struct store *s, const char *name, size_t n_events,
	struct arena *a, struct node **ret_answer, struct err *e);

#endif
