/* weir.yaml as tables: a new key is a row here, a line in the manual and a test case. */
#include "config/tables.h"

#include <stddef.h>

#include "base/limits.h"
#include "config/config.h"

#define SECOND ((int64_t)1000)
#define MINUTE (60 * SECOND)
#define HOUR   (60 * MINUTE)
#define DAY    (24 * HOUR)

static const char *const rewind_words[] = {"hold", "follow", NULL};
static const char *const mode_words[] = {"heal", "report", "plan", NULL};
static const char *const adopt_words[] = {
	[ADOPT_MATCH] = "match", [ADOPT_OVERWRITE] = "overwrite", [ADOPT_NEVER] = "never", NULL};
static const char *const forge_words[] = {"auto", "github", "gitea", "notes", "none", NULL};
static const char *const store_words[] = {"directory", "env", NULL};

static const struct field source_fields[] = {
	{.name = "url",
		.type = FIELD_STRING,
		.flags = FIELD_REQUIRED,
		.offset = offsetof(struct config, source.url),
		.doc = "Where the repository is: https://…, http://…, ssh://user@host/path, "
		       "user@host:path, file:///… or an absolute path. No credentials in it; they "
		       "have keys of their own."},
	{.name = "branch",
		.type = FIELD_STRING,
		.def = "main",
		.offset = offsetof(struct config, source.branch),
		.doc = "The branch that is followed."},
	{.name = "path",
		.type = FIELD_STRING,
		.def = "",
		.offset = offsetof(struct config, source.path),
		.doc = "The folder below which every *.yaml and *.yml file is read. Empty: the "
		       "whole repository."},
	{.name = "interval",
		.type = FIELD_DURATION,
		.def = "30s",
		.min = SECOND,
		.max = DAY,
		.offset = offsetof(struct config, source.interval_ms),
		.doc = "How often the branch is looked at; up to a tenth is added or taken at "
		       "random."},
	{.name = "timeout",
		.type = FIELD_DURATION,
		.def = "60s",
		.min = SECOND,
		.max = HOUR,
		.offset = offsetof(struct config, source.timeout_ms),
		.doc = "The time one fetch or one push may take in all."},
	{.name = "token",
		.type = FIELD_STRING,
		.flags = FIELD_SECRET,
		.offset = offsetof(struct config, source.token),
		.doc = "A token for http(s), as env:NAME, file:PATH or systemd:NAME."},
	{.name = "user",
		.type = FIELD_STRING,
		.def = "x-access-token",
		.offset = offsetof(struct config, source.user),
		.doc = "The user name that is sent with the token."},
	{.name = "ca_file",
		.type = FIELD_STRING,
		.offset = offsetof(struct config, source.ca_file),
		.doc = "Certificates (PEM) that are trusted for this server instead of the "
		       "system's."},
	{.name = "ssh_key",
		.type = FIELD_STRING,
		.offset = offsetof(struct config, source.ssh_key),
		.doc = "For ssh: the absolute path of the private key, which nobody else may read. "
		       "Without it ssh takes the keys that it is configured to. One with a "
		       "passphrase needs an ssh-agent."},
	{.name = "known_hosts",
		.type = FIELD_STRING,
		.offset = offsetof(struct config, source.known_hosts),
		.doc = "For ssh: the absolute path of a file with the host keys that are trusted, "
		       "in the form of known_hosts and instead of ssh's own files."},
	{.name = "rewind",
		.type = FIELD_CHOICE,
		.choices = rewind_words,
		.def = "hold",
		.offset = offsetof(struct config, source.rewind),
		.doc = "What happens when the branch is rewound or rewritten: hold keeps "
		       "everything as it was until "
		       "history goes on from the commit that was applied; follow takes the new "
		       "head."},
	{.name = NULL},
};

static const struct field api_fields[] = {
	{.name = "url",
		.type = FIELD_STRING,
		.flags = FIELD_REQUIRED,
		.offset = offsetof(struct config, api.url),
		.doc = "The API's address, without /organizations."},
	{.name = "organization",
		.type = FIELD_STRING,
		.flags = FIELD_REQUIRED,
		.offset = offsetof(struct config, api.organization),
		.doc = "The organization's identifier."},
	{.name = "token",
		.type = FIELD_STRING,
		.flags = FIELD_REQUIRED | FIELD_SECRET,
		.offset = offsetof(struct config, api.token),
		.doc = "The access token, as env:NAME, file:PATH or systemd:NAME; read anew at "
		       "each call."},
	{.name = "ca_file",
		.type = FIELD_STRING,
		.offset = offsetof(struct config, api.ca_file),
		.doc = "Certificates (PEM) that are trusted for the API instead of the system's."},
	{.name = "timeout",
		.type = FIELD_DURATION,
		.def = "30s",
		.min = 100,
		.max = 10 * MINUTE,
		.offset = offsetof(struct config, api.timeout_ms),
		.doc = "The time one call may take."},
	{.name = NULL},
};

static const struct field forge_fields[] = {
	{.name = "type",
		.type = FIELD_CHOICE,
		.choices = forge_words,
		.def = "auto",
		.offset = offsetof(struct config, forge.type),
		.doc = "Where commit statuses go: github (GitHub and its Enterprise Server), gitea "
		       "(Gitea and Forgejo), notes (Git notes in the same repository), none (they "
		       "are kept in the store alone). auto is github where source.url is on "
		       "github.com or ghe.com and there is a token, else notes."},
	{.name = "token",
		.type = FIELD_STRING,
		.flags = FIELD_SECRET,
		.offset = offsetof(struct config, forge.token),
		.doc = "github, gitea: a token that may set commit statuses, as env:NAME, "
		       "file:PATH or systemd:NAME; read anew at each call."},
	{.name = "url",
		.type = FIELD_STRING,
		.offset = offsetof(struct config, forge.url),
		.doc = "github, gitea: the address of the API, such as "
		       "https://git.example.com/api/v1. Default: as source.url has it."},
	{.name = "repository",
		.type = FIELD_STRING,
		.offset = offsetof(struct config, forge.repository),
		.doc = "github, gitea: the repository there, as owner/name. Default: as source.url "
		       "has it."},
	{.name = "ca_file",
		.type = FIELD_STRING,
		.offset = offsetof(struct config, forge.ca_file),
		.doc = "github, gitea: certificates (PEM) that are trusted for the API instead of "
		       "the system's."},
	{.name = "timeout",
		.type = FIELD_DURATION,
		.def = "15s",
		.min = 100,
		.max = 10 * MINUTE,
		.offset = offsetof(struct config, forge.timeout_ms),
		.doc = "github, gitea: the time one call may take."},
	{.name = "ref",
		.type = FIELD_STRING,
		.offset = offsetof(struct config, forge.ref),
		.doc = "notes: their ref. Default: refs/notes/weir/<name>."},
	{.name = NULL},
};

static const struct field store_fields[] = {
	{.name = "type",
		.type = FIELD_CHOICE,
		.choices = store_words,
		.flags = FIELD_REQUIRED,
		.offset = offsetof(struct secret_store_config, type),
		.doc = "directory: a file for each key in the folder root/PATH; env: an "
		       "environment variable for each key. PATH is the secret path without the "
		       "store's prefix."},
	{.name = "prefix",
		.type = FIELD_STRING,
		.def = "",
		.offset = offsetof(struct secret_store_config, prefix),
		.doc = "The store serves paths that begin with this, by whole segments; the "
		       "longest prefix wins."},
	{.name = "root",
		.type = FIELD_STRING,
		.offset = offsetof(struct secret_store_config, root),
		.doc = "directory: the absolute folder."},
	{.name = "variable_prefix",
		.type = FIELD_STRING,
		.def = "",
		.offset = offsetof(struct secret_store_config, variable_prefix),
		.doc = "env: what the variables' names begin with."},
	{.name = NULL},
};

static const struct field secrets_fields[] = {
	{.name = "stores",
		.type = FIELD_LIST,
		.sub = store_fields,
		.sub_size = sizeof(struct secret_store_config),
		.offset = offsetof(struct config, secrets.stores),
		.doc = "What secret paths name something in. A path that no store serves is passed "
		       "on unchecked."},
	{.name = NULL},
};

static const struct field prune_fields[] = {
	{.name = "enabled",
		.type = FIELD_BOOL,
		.def = "false",
		.offset = offsetof(struct config, sync.prune.enabled),
		.doc = "Delete replicators that weir created or adopted and whose document is gone "
		       "from Git. Without it they are shown and left running."},
	{.name = "max",
		.type = FIELD_COUNT_OR_PERCENT,
		.def = "1",
		.offset = offsetof(struct config, sync.prune.max),
		.doc = "The most that may be deleted at once: a count, or a share of all that weir "
		       "looks after, rounded down. Where more are gone, none is deleted: each is "
		       "held until a person approves it or it is back in Git, also when there "
		       "are fewer left. A replacement counts too."},
	{.name = "grace",
		.type = FIELD_DURATION,
		.def = "1h",
		.max = 90 * DAY,
		.offset = offsetof(struct config, sync.prune.grace_ms),
		.doc = "How long a document must have been gone before its replicator is deleted. "
		       "Setting the clock while weir runs makes that no shorter."},
	{.name = NULL},
};

static const char *const window_words[] = {[WINDOW_ALLOW] = "allow", [WINDOW_DENY] = "deny", NULL};

static const struct field window_fields[] = {
	{.name = "kind",
		.type = FIELD_CHOICE,
		.choices = window_words,
		.flags = FIELD_REQUIRED,
		.offset = offsetof(struct window_keys, kind),
		.doc = "deny: no change while it lasts. allow: changes only while it, or another "
		       "window that allows them, lasts. deny wins."},
	{.name = "schedule",
		.type = FIELD_STRING,
		.flags = FIELD_REQUIRED,
		.offset = offsetof(struct window_keys, schedule),
		.doc = "When it begins, as five fields of cron: minute, hour, day of the month, "
		       "month, day of the week."},
	{.name = "duration",
		.type = FIELD_DURATION,
		.flags = FIELD_REQUIRED,
		.min = LIMIT_WINDOW_MS_MIN,
		.max = LIMIT_WINDOW_MS_MAX,
		.offset = offsetof(struct window_keys, duration_ms),
		.doc = "How long it lasts, as time elapses."},
	{.name = "timezone",
		.type = FIELD_STRING,
		.def = "UTC",
		.offset = offsetof(struct window_keys, timezone),
		.doc = "Where the clock is that the schedule is read from: a name of the tz "
		       "database, such as Europe/Berlin."},
	{.name = "match",
		.type = FIELD_STRING_MAP,
		.flags = FIELD_NULL_OK,
		.offset = offsetof(struct window_keys, match),
		.doc = "Labels (metadata.labels) that a replicator must have, all of them, to be "
		       "concerned. Default: all replicators are."},
	{.name = NULL},
};

static const char *const draft_words[] = {[DRAFTS_HOLD] = "hold", [DRAFTS_APPLY] = "apply", NULL};

struct review_keys {
	bool enabled;
};

static const struct field review_fields[] = {
	{.name = "enabled",
		.type = FIELD_BOOL,
		.flags = FIELD_NOT_BUILT,
		.def = "false",
		.offset = offsetof(struct review_keys, enabled),
		.doc = "Plans on pull requests."},
	{.name = NULL},
};

static const struct field sync_fields[] = {
	{.name = "interval",
		.type = FIELD_DURATION,
		.def = "5m",
		.min = SECOND,
		.max = DAY,
		.offset = offsetof(struct config, sync.interval_ms),
		.doc = "How often the API is compared with Git when nothing was pushed; finds "
		       "drift."},
	{.name = "mode",
		.type = FIELD_CHOICE,
		.choices = mode_words,
		.def = "heal",
		.offset = offsetof(struct config, sync.mode),
		.doc = "heal repairs drift; report applies what changes in Git and only tells "
		       "drift; plan writes "
		       "nothing."},
	{.name = "adopt",
		.type = FIELD_CHOICE,
		.choices = adopt_words,
		.def = "match",
		.offset = offsetof(struct config, sync.adopt),
		.doc = "A replicator that exists already: match takes it over if nothing written "
		       "in Git differs, and holds it otherwise; overwrite takes it over and makes "
		       "it as Git says, but is match for what was there before the state folder "
		       "was, until Git changes that; never holds it."},
	{.name = "timeout",
		.type = FIELD_DURATION,
		.def = "10m",
		.min = SECOND,
		.max = DAY,
		.offset = offsetof(struct config, sync.timeout_ms),
		.doc = "How long a replicator may take to become Healthy, and the API may be away, "
		       "before the status is "
		       "an error."},
	{.name = "concurrency",
		.type = FIELD_INT,
		.def = "8",
		.min = 1,
		.max = 256,
		.offset = offsetof(struct config, sync.concurrency),
		.doc = "Calls to the API at one time."},
	{.name = "foreign_drafts",
		.type = FIELD_CHOICE,
		.choices = draft_words,
		.def = "hold",
		.offset = offsetof(struct config, sync.foreign_drafts),
		.doc = "What happens when a reconcile would also provision what somebody else "
		       "saved and did not start: hold waits for a person, apply provisions it "
		       "too."},
	{.name = "max_updates",
		.type = FIELD_INT,
		.def = "0",
		.offset = offsetof(struct config, sync.max_updates),
		.doc = "The most replicators that one commit may change; of one that would change "
		       "more, "
		       "none is changed without approval. 0 is no limit."},
	{.name = "windows",
		.type = FIELD_LIST,
		.sub = window_fields,
		.sub_size = sizeof(struct window_keys),
		.offset = offsetof(struct config, sync.window_list),
		.doc = "When changes may be made. Without any, at all times."},
	{.name = "prune",
		.type = FIELD_MAP,
		.sub = prune_fields,
		.offset = 0,
		.doc = "Deleting what is gone from Git."},
	{.name = NULL},
};

static const struct field http_fields[] = {
	{.name = "listen",
		.type = FIELD_STRING,
		.def = "127.0.0.1:8481",
		.offset = offsetof(struct config, http.listen),
		.doc = "Address and port of /healthz, /readyz, /metrics and /hooks/<name>. Port 0: "
		       "the system "
		       "chooses, and the address is "
		       "printed. Empty: none."},
	{.name = "public_url",
		.type = FIELD_STRING,
		.offset = offsetof(struct config, http.public_url),
		.doc = "How people reach it; statuses link there."},
	{.name = "webhook_secret",
		.type = FIELD_STRING,
		.flags = FIELD_SECRET,
		.offset = offsetof(struct config, http.webhook_secret),
		.doc = "What the webhooks of a forge are signed with, as env:NAME, file:PATH or "
		       "systemd:NAME. Without it there are none."},
	{.name = NULL},
};

const struct field config_fields[] = {
	{.name = "name",
		.type = FIELD_STRING,
		.flags = FIELD_REQUIRED,
		.offset = offsetof(struct config, name),
		.doc = "Stands in every status context: weir/<name>/sync. Lower-case letters, "
		       "digits and dashes."},
	{.name = "source",
		.type = FIELD_MAP,
		.flags = FIELD_REQUIRED,
		.sub = source_fields,
		.offset = 0,
		.doc = "The Git repository."},
	{.name = "api",
		.type = FIELD_MAP,
		.flags = FIELD_REQUIRED,
		.sub = api_fields,
		.offset = 0,
		.doc = "The Kafka Replicator API."},
	{.name = "forge",
		.type = FIELD_MAP,
		.sub = forge_fields,
		.offset = 0,
		.doc = "Commit statuses."},
	{.name = "secrets",
		.type = FIELD_MAP,
		.sub = secrets_fields,
		.offset = 0,
		.doc = "Secret stores."},
	{.name = "sync",
		.type = FIELD_MAP,
		.sub = sync_fields,
		.offset = 0,
		.doc = "How Git is followed."},
	{.name = "review",
		.type = FIELD_MAP,
		.sub = review_fields,
		.offset = offsetof(struct config, unused),
		.doc = "Pull requests."},
	{.name = "http",
		.type = FIELD_MAP,
		.sub = http_fields,
		.offset = 0,
		.doc = "Health, metrics and webhooks."},
	{.name = "state",
		.type = FIELD_STRING,
		.flags = FIELD_REQUIRED,
		.offset = offsetof(struct config, state),
		.doc = "The folder of the store and of the mirror of the repository."},
	{.name = NULL},
};
