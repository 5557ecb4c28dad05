/* libgit2's remote over our own transports, and what its failures mean. */
#include "source/remote.h"

#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "source/last_words.h"
#include "source/wire.h"

#define GREETING_SHOWN 120

struct remote {
	struct wire wire;
	struct mirror *mirror;
	git_remote *remote;
	const git_remote_head **heads;
	size_t n_heads;
	char *refusal; /* of the reference pushed; NULL: none */
};

static int make_transport(git_transport **ret, git_remote *owner, void *payload)
{
	struct remote *r = payload;
	bool http = r->wire.source->location.kind == LOCATION_HTTP;
	git_smart_subtransport_definition definition = {
		.callback = http ? wire_over_http : wire_over_program,
		.rpc = http,
		.param = &r->wire,
	};

	return git_transport_smart(ret, owner, &definition);
}

/* Also called while nothing arrives and a large pack is being indexed. */
static int on_progress(const git_indexer_progress *progress, void *payload)
{
	(void)progress;
	return wire_check_deadline(&((struct remote *)payload)->wire);
}

/* While reading, these are only counts of objects. */
static int on_words(const char *text, int len, void *payload)
{
	struct remote *r = payload;

	if (r->wire.pushing)
		wire_heard(&r->wire, text, (size_t)len);
	return 0;
}

static int on_pushed(const char *ref, const char *refusal, void *payload)
{
	(void)ref;
	str_replace(&((struct remote *)payload)->refusal, xstrdup_opt(refusal));
	return 0;
}

static git_remote_callbacks callbacks_of(struct remote *r)
{
	git_remote_callbacks callbacks;

	git_remote_init_callbacks(&callbacks, GIT_REMOTE_CALLBACKS_VERSION);
	callbacks.transport = make_transport;
	callbacks.transfer_progress = on_progress;
	callbacks.sideband_progress = on_words;
	callbacks.push_update_reference = on_pushed;
	callbacks.payload = r;
	return callbacks;
}

/* Git's answers begin with four hexadecimal digits. Anything else was written by what runs before
 * it: a shell's startup file, a shell that lets nobody in. */
static int not_git(const struct wire *w, struct err *e)
{
	const char *url = w->source->location.url;
	char shown[GREETING_SHOWN];

	if (w->n_greeting < 4 || strspn(w->greeting, "0123456789abcdef") >= 4)
		return err_set(e, ERR_REMOTE, "%s: not an answer of Git's: %s", url, libgit_says());
	auto_free char *greeting = xmemdupz(w->greeting, w->n_greeting);
	greeting[strcspn(greeting, "\r\n")] = '\0';
	text_escape_into(shown, sizeof(shown), greeting);
	return err_set(e, ERR_REMOTE, "%s: not an answer of Git's, but: %s", url, shown);
}

static int remote_failed(struct remote *r, int error, struct err *e)
{
	struct wire *w = &r->wire;
	const char *url = w->source->location.url;

	if (w->err.code != ERR_OK) {
		if (e && e->code == ERR_OK)
			*e = w->err;
		return -(int)w->err.code;
	}
	if (wire_greeting_has(w, "object-format=sha256"))
		return err_set(e, ERR_REMOTE,
			"%s: is a SHA-256 repository; only SHA-1 is supported yet", url);
	if (wire_greeting_has(w, "0035shallow "))
		return err_set(e, ERR_REMOTE,
			"%s: is a shallow repository, its history is cut off; complete it there "
			"with git fetch --unshallow",
			url);
	if (libgit_class() != GIT_ERROR_NET)
		return mirror_failed(r->mirror, e, "%s", url);
	if (w->said.len > 0)
		return last_words_explain(url, buf_str(&w->said), e);
	if (error == GIT_EEOF)
		return err_retriable(e, ERR_UNAVAILABLE,
			"%s: the answer breaks off after %llu bytes; see the server's log", url,
			(unsigned long long)w->n_received);
	if (text_has_prefix(libgit_says(), "remote error: "))
		return err_set(e, ERR_REMOTE, "%s: %s", url, libgit_says());
	return not_git(w, e);
}

static int connect(struct remote *r, git_repository *repo, git_direction direction, struct err *e)
{
	git_remote_create_options creation;
	git_remote_connect_options connection;

	git_remote_create_options_init(&creation, GIT_REMOTE_CREATE_OPTIONS_VERSION);
	git_remote_connect_options_init(&connection, GIT_REMOTE_CONNECT_OPTIONS_VERSION);
	/* Without this flag each remote leaks 360 KB in libgit2 before 1.6. */
	creation.flags = GIT_REMOTE_CREATE_SKIP_INSTEADOF;
	creation.repository = repo;
	connection.callbacks = callbacks_of(r);
	connection.follow_redirects = GIT_REMOTE_REDIRECT_NONE;
	git_error_clear();
	int error =
		git_remote_create_with_opts(&r->remote, r->wire.source->location.url, &creation);
	if (error == 0)
		error = git_remote_connect_ext(r->remote, direction, &connection);
	if (error == 0)
		error = git_remote_ls(&r->heads, &r->n_heads, r->remote);
	if (error < 0 || wire_greeting_has(&r->wire, "object-format=sha256"))
		return remote_failed(r, error, e);
	return 0;
}

int remote_open(struct source *s, git_repository *repo, git_direction direction,
	int64_t deadline_mono_ms, struct remote **ret_remote, struct err *e)
{
	struct remote *r = xcalloc(1, sizeof(*r));

	wire_init(&r->wire, s, direction == GIT_DIRECTION_PUSH, deadline_mono_ms);
	r->mirror = &s->mirror;
	int rc = connect(r, repo, direction, e);
	if (rc < 0) {
		remote_close(r);
		return rc;
	}
	*ret_remote = r;
	return 0;
}

void remote_close(struct remote *r)
{
	if (!r)
		return;
	git_remote_free(r->remote);
	wire_release(&r->wire);
	free(r->refusal);
	free(r);
}

void remote_closep(struct remote **r)
{
	remote_close(*r);
}

bool remote_find(const struct remote *r, const char *ref, git_oid *ret_oid)
{
	for (size_t i = 0; i < r->n_heads; i++) {
		if (strcmp(r->heads[i]->name, ref) == 0) {
			git_oid_cpy(ret_oid, &r->heads[i]->oid);
			return true;
		}
	}
	return false;
}

bool remote_is_empty(const struct remote *r)
{
	return r->n_heads == 0;
}

void remote_list_branches(const struct remote *r, size_t max, struct buf *out)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n_heads; i++) {
		const char *name = r->heads[i]->name;

		if (!text_has_prefix(name, "refs/heads/"))
			continue;
		if (n++ < max)
			buf_addf(out, "%s%s", out->len ? ", " : "", name + strlen("refs/heads/"));
	}
	if (n > max)
		buf_addf(out, " and %zu more", n - max);
}

int remote_download(
	struct remote *r, const char *ref, const git_oid *oid, bool *ret_new_pack, struct err *e)
{
	auto_free char *spec = xstrdup(ref);
	auto_odb git_odb *odb = NULL;
	git_fetch_options options;

	git_fetch_options_init(&options, GIT_FETCH_OPTIONS_VERSION);
	options.callbacks = callbacks_of(r);
	options.download_tags = GIT_REMOTE_DOWNLOAD_TAGS_NONE;
	options.follow_redirects = GIT_REMOTE_REDIRECT_NONE;
	git_error_clear();
	int error = git_remote_download(r->remote, &(git_strarray){&spec, 1}, &options);
	if (error == 0)
		error = git_repository_odb(&odb, git_remote_owner(r->remote));
	if (error < 0)
		return remote_failed(r, error, e);
	if (!git_odb_exists(odb, oid))
		return err_set(e, ERR_REMOTE, "%s: did not send what %s stands at",
			r->wire.source->location.url, ref);
	*ret_new_pack = git_remote_stats(r->remote)->total_objects > 0;
	return 0;
}

/* How servers say that a reference is not where the push took it to be. */
static const char *const race_words[] = {
	"failed to update ref",
	"failed to lock",
	"cannot lock ref",
	"non-fast-forward",
	"fetch first",
	"stale info",
	"incorrect old value",
	"already exists",
};

static bool is_race(const char *refusal)
{
	for (size_t i = 0; i < ARRAY_SIZE(race_words); i++)
		if (strcasestr(refusal, race_words[i]))
			return true;
	return false;
}

static int refused(const struct remote *r, const char *ref, const char *why, struct err *e)
{
	const char *said = buf_str(&r->wire.said);

	return err_set(e, ERR_DENIED, "%s: refuses a push to %s: %s%s%s",
		r->wire.source->location.url, ref, why, *said ? ": " : "", said);
}

int remote_push(struct remote *r, const char *local_ref, const char *ref, struct err *e)
{
	auto_free char *spec = xasprintf("%s:%s", local_ref, ref);
	git_push_options options;

	git_push_options_init(&options, GIT_PUSH_OPTIONS_VERSION);
	options.callbacks = callbacks_of(r);
	options.follow_redirects = GIT_REMOTE_REDIRECT_NONE;
	git_error_clear();
	int error = git_remote_upload(r->remote, &(git_strarray){&spec, 1}, &options);
	if (error == GIT_ENONFASTFORWARD)
		return 0;
	/* A server that has answered, and in words, has refused. */
	if (error < 0 && r->wire.err.code == ERR_OK && r->wire.said.len > 0)
		return refused(r, ref, libgit_says(), e);
	if (error < 0)
		return remote_failed(r, error, e);
	return r->refusal && !is_race(r->refusal) ? refused(r, ref, r->refusal, e) : 0;
}
