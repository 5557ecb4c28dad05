/*
 * A replicator as the API reports it. Fields that an API does not have (those marked inferred in
 * the design) have a presence flag; unknown fields are passed over.
 */
#ifndef MODEL_LIVE_H
#define MODEL_LIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "model/spec.h"

enum live_status {
	LIVE_PENDING,
	LIVE_PROVISIONING,
	LIVE_UPDATING,
	LIVE_HEALTHY,
	LIVE_ERROR,
	LIVE_DELETING,
	LIVE_UNKNOWN, /* a word we do not know: shown, never acted on */
	LIVE__COUNT
};

struct live {
	const char *identifier;
	const char *uid; /* NULL if the API has none */
	const char *created_at; /* as sent; NULL if the API has none */
	int64_t generation;
	bool has_observed;
	int64_t observed_generation;
	enum live_status status;
	const char *status_word; /* as sent, fit to be read */
	const char *status_message; /* "" if none; fit to be read */
	const char *fleet; /* NULL if none */
	struct spec spec;
	const struct node *unknown; /* names of fields that we do not know, a list; NULL if none */
};

const char *live_status_name(enum live_status status);
/* The object that had this uid, or, where one of them has none, was created in this second; true if
 * neither tells. NULL: not known. */
bool live_is_same(const struct live *live, const char *uid, const char *created_at);

/*
 * From one JSON object. What is fit to be read is escaped (see base/text.h) and cut to
 * LIMIT_API_WORDS_BYTES. Values that do not decode are kept as they came (a difference then shows),
 * only a missing identifier or generation is an error (ERR_REMOTE). Everything points into `arena`
 * and the tree.
 */
int live_decode(
	const struct node *object, struct arena *arena, struct live *ret_live, struct err *e);
/* Deep, into an arena: the tree that it came from is several times as large. */
struct live live_copy(struct arena *a, const struct live *live);

enum operation_state {
	OPERATION_RUNNING,
	OPERATION_SUCCEEDED,
	OPERATION_FAILED,
	OPERATION_SUPERSEDED,
	OPERATION_UNKNOWN /* an API without a state */
};

struct operation {
	const char *id;
	int64_t generation;
	enum operation_state state;
	const char *error; /* "" if none; fit to be read */
};

/* Points into `arena` and the tree. */
int operation_decode(const struct node *object, struct arena *arena,
	struct operation *ret_operation, struct err *e);
const char *operation_state_name(enum operation_state state);

#endif
