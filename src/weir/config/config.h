/*
 * weir.yaml. One table per section; the reference in weir.yaml(5) and the checks come from the same
 * rows.
 */
#ifndef CONFIG_CONFIG_H
#define CONFIG_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "calendar/calendar.h"
#include "doc/fields.h"
#include "doc/problem.h"
#include "model/catalog.h"
#include "secret/secret.h"

enum forge_type {
	FORGE_AUTO, /* as it is written only; config_load says which one it is */
	FORGE_GITHUB,
	FORGE_GITEA,
	FORGE_NOTES,
	FORGE_NONE
};

enum window_kind { WINDOW_ALLOW, WINDOW_DENY };

struct window_keys {
	int kind; /* enum window_kind */
	const char *schedule;
	int64_t duration_ms;
	const char *timezone;
	const struct node *match;
};

enum source_rewind { REWIND_HOLD, REWIND_FOLLOW };

struct config {
	const char *file;
	const char *name; /* in every status context; [a-z0-9-]{1,63} */
	struct {
		const char *url;
		const char *branch;
		const char *path;
		int64_t interval_ms;
		int64_t timeout_ms;
		const char *token;
		const char *user;
		const char *ca_file;
		const char *ssh_key;
		const char *known_hosts;
		int rewind;
	} source;
	struct {
		const char *url;
		const char *organization;
		const char *token;
		const char *ca_file;
		int64_t timeout_ms;
	} api;
	struct {
		int type; /* enum forge_type, never FORGE_AUTO */
		const char *url; /* github, gitea: the API's address */
		const char *repository; /* github, gitea: owner/name */
		const char *token;
		const char *ca_file;
		int64_t timeout_ms;
		const char *ref; /* notes: refs/notes/weir/<name> */
	} forge;
	struct {
		struct field_list stores;
	} secrets;
	struct {
		int64_t interval_ms;
		int mode; /* enum sync_mode */
		int adopt; /* enum sync_adopt */
		int64_t timeout_ms;
		int64_t concurrency;
		int foreign_drafts; /* enum foreign_drafts */
		int64_t max_updates; /* that one commit may lead to; 0: no limit */
		struct {
			bool enabled;
			struct count_or_percent max; /* deletes at once; a percentage is of the
							inventory, rounded down */
			int64_t grace_ms; /* how long something must have been gone from Git */
		} prune;
		struct field_list window_list; /* struct window_keys, as they are written */
		struct windows *windows; /* NULL: none */
	} sync;
	struct {
		const char *listen; /* "" : none */
		const char *public_url;
		const char *webhook_secret; /* NULL: webhooks are off */
	} http;
	const char *state;
	char unused[64]; /* where the keys decode to that are documented and not built yet */
	struct arena arena;
};

/* Everything that is wrong goes to `problems`; NULL then. Warnings alone do not fail it. */
struct config *config_load(const char *file, struct problems *problems);
void config_free(struct config *c);
/* The secret stores of the configuration; the caller frees. */
struct secret_stores *config_secret_stores(const struct config *c);
/* The mdoc reference of all keys. */
void config_mdoc(struct buf *out);
/* schema/weir.schema.json */
struct node *config_schema(struct arena *a);

#endif
