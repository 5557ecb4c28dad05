/* The engine's ports, and the loop that drives it. */
#include "cli/host.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/fs.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/queue.h"
#include "cli/jobs.h"

#define STOP_GRACE_MS 10000 /* for what was sent to be answered */
#define READ_GRACE_MS 1000 /* a fetch is left behind sooner: the mirror is a cache */

struct host {
	struct host_options options;
	struct loop *loop;
	struct queue *results;
	struct workers *workers;
	struct workers *posters; /* NULL: statuses go through the source, on its thread */
	struct store *store;
	struct store *
		locked; /* apply --path: the real store, which is only read, and kept from others */
	struct source *source;
	struct forge *forge;
	struct secret_stores *secrets;
	struct api_http *api;
	struct engine *engine;
	char *scratch; /* a mirror of our own, removed at the end; NULL: the one in the state */
	bool stopping;
	int64_t stop_since; /* monotonic; 0: nobody told us to */
	bool left_behind; /* a worker still hangs */
};

struct loop *host_loop(struct host *h)
{
	return h->loop;
}

struct engine *host_engine(struct host *h)
{
	return h->engine;
}

struct store *host_store(struct host *h)
{
	return h->store;
}

char *host_scope(const struct config *c)
{
	const char *parts[] = {
		c->api.url, c->api.organization, c->source.url, c->source.branch, c->source.path};
	struct hash hash;
	unsigned char digest[HASH_BYTES];
	char hex[HASH_HEX_MAX];
	hash_begin(&hash);
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		hash_adds(&hash, parts[i]);
	hash_end(&hash, digest);
	return xstrdup(hash_hex(digest, hex));
}

int host_open_shared(const struct config *c, struct store **ret_store, struct err *e)
{
	auto_free char *scope = host_scope(c);
	return store_open_shared(c->state, scope, ret_store, e);
}

static void port_read(void *ctx, struct read_request *owned_request)
{
	struct host *h = ctx;
	struct read_job *job = xmalloc(sizeof(*job));
	*job = (struct read_job){h->source, h->options.folder, h->secrets, owned_request};
	workers_submit(h->workers, job_read, job);
}

static void port_post(void *ctx, struct post_batch *owned_batch)
{
	struct host *h = ctx;
	struct post_job *job = xmalloc(sizeof(*job));
	*job = (struct post_job){h->forge, owned_batch};
	workers_submit(h->posters ? h->posters : h->workers, job_post, job);
}

/* All that was wanted of the host. */
static void tell_read(struct host *h, struct read_result *read)
{
	h->options.on_read(h->options.ctx, read);
	read_result_free(read);
	loop_stop(h->loop);
}

static void take_results(void *ctx, short revents)
{
	(void)revents;
	struct host *h = ctx;
	struct job_result *r;
	while ((r = queue_pop(h->results))) {
		if (r->read && h->options.on_read)
			tell_read(h, r->read);
		else if (r->read)
			engine_read_done(h->engine, r->read);
		else
			engine_posted(h->engine, r->posted);
		free(r);
	}
}

static void take_answer(void *ctx, struct api_answer *owned_answer)
{
	engine_answer(((struct host *)ctx)->engine, owned_answer);
}

static int64_t drive(void *ctx, int64_t now)
{
	struct host *h = ctx;
	int64_t due = engine_step(h->engine, now);
	if (h->options.once && !h->stopping && engine_settled(h->engine)) {
		h->stopping = true;
		engine_stop(h->engine);
		return now; /* for what is still to be written */
	}
	if (!h->stopping)
		return due;
	int64_t grace = engine_only_reads(h->engine) ? READ_GRACE_MS : STOP_GRACE_MS;
	int64_t stop_by = h->stop_since ? h->stop_since + grace : INT64_MAX;
	if (engine_idle(h->engine) || now >= stop_by) {
		h->left_behind = !engine_idle(h->engine);
		loop_stop(h->loop);
	}
	return stop_by < due ? stop_by : due;
}

/* A fetch cannot be interrupted. */
static int64_t drive_reading(void *ctx, int64_t now)
{
	struct host *h = ctx;
	(void)now;
	if (h->stopping) {
		h->left_behind = true;
		loop_stop(h->loop);
	}
	return INT64_MAX;
}

static void on_signal(void *ctx, int signum)
{
	struct host *h = ctx;
	if (signum == SIGHUP && h->engine) {
		log_info("looking again, as asked", NULL);
		engine_wake(h->engine);
		return;
	}
	if (h->stopping && signum == SIGINT)
		_exit(130); /* the second time: at once; the journal knows where we were */
	if (h->stop_since)
		return; /* who says it again does not give us more time */
	log_info("stopping", "signal", strsignal(signum), NULL);
	loop_notify("STOPPING=1");
	h->stopping = true;
	h->stop_since = clock_mono_ms(&clock_real);
	if (h->engine)
		engine_stop(h->engine);
}

static int open_mirror(struct host *h, const char *folder, struct err *e)
{
	const struct config *c = h->options.config;
	const struct source_options options = {
		.url = c->source.url,
		.branch = c->source.branch,
		.path = c->source.path,
		.mirror = folder,
		.token_ref = c->source.token,
		.user = c->source.user,
		.ca_file = c->source.ca_file,
		.ssh_key = c->source.ssh_key,
		.known_hosts = c->source.known_hosts,
		.timeout_ms = c->source.timeout_ms,
	};
	return source_open(&options, &h->source, e);
}

/* A plan disturbs nobody: it reads Git through a mirror that it throws away. */
static int open_source(struct host *h, struct err *e)
{
	if (h->options.folder)
		return 0;
	if (!h->options.dry) {
		auto_free char *mirror = fs_join(h->options.config->state, "mirror");
		return open_mirror(h, mirror, e);
	}
	const char *tmp = getenv("TMPDIR");
	h->scratch = xasprintf("%s/weir-plan-XXXXXX", tmp && tmp[0] ? tmp : "/tmp");
	if (!mkdtemp(h->scratch))
		return err_errno(e, errno, "cannot make a folder for the repository below %s",
			tmp ? tmp : "/tmp");
	auto_free char *mirror = fs_join(h->scratch, "mirror");
	return open_mirror(h, mirror, e);
}

/* What is applied from a working tree leaves no trace, and minds all that is known: what is
 * suspended, protected, approved. */
static int fork_store(struct host *h, struct err *e)
{
	h->locked = h->store;
	h->store = NULL;
	return store_fork(h->locked, &h->store, e);
}

static int open_store(struct host *h, struct err *e)
{
	const char *folder = h->options.config->state;
	auto_free char *scope = host_scope(h->options.config);
	if (h->options.dry) {
		struct err none = ERR_INIT;
		int rc = store_open_shared(folder, scope, &h->store, &none);
		if (rc < 0 && none.code != ERR_NOT_FOUND) {
			*e = none;
			return rc;
		}
		return 0;
	}
	int rc = store_open(folder, scope, &h->store, e);
	if (rc == 0 && h->options.folder)
		rc = fork_store(h, e);
	return rc;
}

static int open_api(struct host *h, struct err *e)
{
	const struct config *c = h->options.config;
	const struct api_http_options options = {
		.url = c->api.url,
		.organization = c->api.organization,
		.token_ref = c->api.token,
		.ca_file = c->api.ca_file,
		.timeout_ms = c->api.timeout_ms,
		.concurrency = (unsigned)c->sync.concurrency,
	};
	return api_http_new(h->loop, &options, take_answer, h, &h->api, e);
}

static int open_rest_forge(struct host *h, enum forge_kind kind, struct err *e)
{
	const struct config *c = h->options.config;
	const struct forge_rest_options options = {
		.kind = kind,
		.api = c->forge.url,
		.repository = c->forge.repository,
		.token_ref = c->forge.token,
		.ca_file = c->forge.ca_file,
		.timeout_ms = c->forge.timeout_ms,
		.clock = &clock_real,
	};
	return forge_rest_new(&options, &h->forge, e);
}

static int open_forge(struct host *h, struct err *e)
{
	const struct config *c = h->options.config;
	switch (h->source ? (enum forge_type)c->forge.type : FORGE_NONE) {
	case FORGE_GITHUB:
		return open_rest_forge(h, FORGE_KIND_GITHUB, e);
	case FORGE_GITEA:
		return open_rest_forge(h, FORGE_KIND_GITEA, e);
	case FORGE_AUTO:
	case FORGE_NOTES:
		h->forge = forge_notes_new(h->source, c->forge.ref);
		return 0;
	case FORGE_NONE:
		break;
	}
	h->forge = forge_none_new();
	return 0;
}

static int open_engine(struct host *h, struct err *e)
{
	const struct engine_options options = {
		.config = h->options.config,
		.store = h->store,
		.ports = {.api = api_http_transport(h->api),
			.read = port_read,
			.post = port_post,
			.ctx = h},
		.clock = &clock_real,
		.rng = &rng_real,
		.dry = h->options.dry,
		.follows = h->options.follows,
		.once = h->options.once,
		.on_plan = h->options.on_plan,
		.on_progress = h->options.on_progress,
		.ctx = h->options.ctx,
	};
	return engine_new(&options, &h->engine, e);
}

static void open_workers(struct host *h)
{
	h->results = queue_new();
	h->workers = workers_new(1, h->results);
	loop_add_fd(h->loop, queue_fd(h->results), POLLIN, take_results, h);
}

static int open_loop(struct host *h, struct err *e)
{
	static const int signals[] = {SIGTERM, SIGINT, SIGHUP};
	int rc = loop_new(&clock_real, &h->loop, e);
	if (rc == 0)
		rc = loop_on_signals(h->loop, signals, ARRAY_SIZE(signals), on_signal, h, e);
	return rc;
}

static int open_for_reading(struct host *h, struct err *e)
{
	int rc = open_loop(h, e);
	if (rc == 0)
		rc = open_source(h, e);
	if (rc < 0)
		return rc;
	open_workers(h);
	loop_add_due(h->loop, drive_reading, h);
	port_read(h, xcalloc(1, sizeof(struct read_request)));
	return 0;
}

static int open_all(struct host *h, struct err *e)
{
	int rc = open_loop(h, e);
	if (rc == 0)
		rc = open_store(h, e);
	if (rc == 0)
		rc = open_source(h, e);
	if (rc == 0)
		rc = open_api(h, e);
	if (rc == 0)
		rc = open_forge(h, e);
	if (rc < 0)
		return rc;
	h->secrets = config_secret_stores(h->options.config);
	open_workers(h);
	if (!h->forge->ops->uses_source)
		h->posters = workers_new(1, h->results);
	rc = open_engine(h, e);
	if (rc == 0)
		loop_add_due(h->loop, drive, h);
	return rc;
}

int host_new(const struct host_options *options, struct host **ret_host, struct err *e)
{
	struct host *h = xcalloc(1, sizeof(*h));
	h->options = *options;
	int rc = options->on_read ? open_for_reading(h, e) : open_all(h, e);
	if (rc < 0) {
		host_free(h);
		return rc;
	}
	*ret_host = h;
	return 0;
}

int host_run(struct host *h, struct err *e)
{
	int rc = loop_run(h->loop, e);
	if (h->left_behind) {
		log_warn("a fetch or a post that hangs is left behind", NULL);
		if (h->scratch)
			fs_remove_tree(h->scratch, NULL);
		_exit(rc < 0 || h->options.once ? 1 : 0);
	}
	return rc;
}

void host_free(struct host *h)
{
	if (!h)
		return;
	if (h->workers)
		workers_free(h->workers, job_drop);
	if (h->posters)
		workers_free(h->posters, job_drop);
	engine_free(h->engine);
	api_http_free(h->api);
	if (h->results)
		queue_free(h->results);
	forge_free(h->forge);
	source_free(h->source);
	secret_stores_free(h->secrets);
	store_close(h->store);
	store_close(h->locked);
	loop_free(h->loop);
	if (h->scratch)
		fs_remove_tree(h->scratch, NULL);
	free(h->scratch);
	free(h);
}
