/* Statuses through a forge's REST API. */
#include "forge/rest.h"

#include <string.h>

#include "base/alloc.h"
#include "base/strv.h"
#include "secret/secret.h"

#define ANSWER_MAX	(256u << 10)
#define LIMIT_FIRST_MS	60000 /* a rate limit that does not say for how long */
#define LIMIT_MOST_MS	((int64_t)15 * 60000)
#define FULL_REMEMBERED 256
/* Of those that a commit takes, for another state than the last: a green that is none is worse than
 * an old text. The rest is for what somebody else posts, or we did not count. */
#define FOR_STATES (int64_t)90
#define FOR_OTHERS (int64_t)10

struct rest_forge {
	struct forge forge;
	const struct rest_kind *kind;
	const struct clock *clock;
	struct http_client *client;
	char *statuses; /* {api}/repos/{owner}/{name}/statuses */
	char *repository;
	char *token_ref;
	int64_t timeout_ms;
	int64_t quiet_until; /* monotonic: a rate limit; nothing is asked before */
	unsigned limits; /* in a row */
	struct err limit;
	struct strv full; /* "sha context" of those that take no more statuses */
};

static int build_request(const struct rest_forge *f, const struct forge_status *s,
	struct http_request **ret_request, struct err *e)
{
	auto_buf struct buf url = BUF_INIT;
	buf_adds(&url, f->statuses);
	int rc = url_add_segment(&url, s->sha, e);
	if (rc < 0)
		return rc;
	struct http_request *r = http_request_new("POST", buf_str(&url));
	r->timeout_ms = f->timeout_ms;
	r->max_answer_bytes = ANSWER_MAX;
	r->wanted = rest_wanted;
	rest_write_status(f->kind, s, &r->body);
	rc = http_request_header(r, "Accept", f->kind->accept, e);
	if (rc == 0)
		rc = http_request_header(r, "Content-Type", "application/json", e);
	if (rc == 0 && f->kind->version)
		rc = http_request_header(r, "X-GitHub-Api-Version", f->kind->version, e);
	if (rc == 0 && secret_ref_read(f->token_ref, &r->bearer, e) < 0)
		rc = err_prefix(e, "forge.token");
	if (rc < 0) {
		http_request_free(r);
		return rc;
	}
	*ret_request = r;
	return 0;
}

static void remember_full(struct rest_forge *f, const char *key)
{
	if (f->full.n == FULL_REMEMBERED)
		strv_clear(&f->full);
	strv_push(&f->full, key);
}

/* Where the server does not say how long: a minute, and twice that each time it goes on. */
static void keep_quiet(struct rest_forge *f, const struct err *e)
{
	int64_t wait = e->retry_after_ms;
	if (!wait) {
		wait = LIMIT_FIRST_MS;
		for (unsigned i = 0; i < f->limits && wait < LIMIT_MOST_MS; i++)
			wait *= 2;
	}
	f->limits++;
	f->quiet_until = clock_mono_ms(f->clock) + wait;
	f->limit = *e;
}

static struct rest_verdict post_one(
	struct rest_forge *f, const struct forge_status *s, struct err *e)
{
	struct rest_verdict verdict = {POST_NOT, .all = true};
	struct http_request *request = NULL;
	if (build_request(f, s, &request, e) < 0)
		return verdict;
	struct http_response answer;
	int rc = http_perform(f->client, request, &answer, e);
	http_request_free(request);
	if (rc < 0) {
		err_prefix(e, "%s", f->kind->name);
		return verdict;
	}
	if (rest_arrived(&answer)) {
		f->limits = 0;
		verdict = (struct rest_verdict){.end = POST_ARRIVED};
	} else {
		verdict =
			rest_judge(f->kind, f->repository, s, &answer, clock_wall_ms(f->clock), e);
	}
	http_response_release(&answer);
	if (verdict.limited)
		keep_quiet(f, e);
	return verdict;
}

static bool is_nearly_full(const struct rest_forge *f, const struct forge_status *s)
{
	int64_t kept = FOR_OTHERS + (s->same_state ? FOR_STATES : 0);
	return f->kind->most && s->posts >= f->kind->most - kept;
}

static void tell_nearly_full(
	const struct rest_forge *f, const struct forge_status *s, struct err *e)
{
	err_set(e, ERR_INVALID,
		"%s: %s on %.7s has had %lld statuses, and a commit takes %lld: %s; `weir status` "
		"shows how things stand, and the next commit has statuses of its own",
		f->kind->name, s->context, s->sha, (long long)s->posts, (long long)f->kind->most,
		s->same_state ? "it gets one only when its state changes" : "it gets no more");
}

/* One that is full is not asked about again, and told once. */
static struct rest_verdict post_unless_full(
	struct rest_forge *f, const struct forge_status *s, struct err *e)
{
	auto_free char *key = xasprintf("%s %s", s->sha, s->context);
	auto_free char *text_key = xasprintf("%s text", key);
	const struct rest_verdict refused = {.end = POST_REFUSED};
	if (strv_contains(&f->full, key))
		return refused;
	if (is_nearly_full(f, s)) {
		const char *told = s->same_state ? text_key : key;
		if (!strv_contains(&f->full, told)) {
			tell_nearly_full(f, s, e);
			remember_full(f, told);
		}
		return refused;
	}
	struct rest_verdict verdict = post_one(f, s, e);
	if (verdict.full)
		remember_full(f, key);
	return verdict;
}

/*
 * A refusal is told only where nothing else went wrong, since there is one error for all: otherwise
 * what was refused is tried again later, and told then.
 */
static int tell(enum post_end *ends, size_t n, const struct err *refused, const struct err *passing,
	struct err *e)
{
	const struct err *told = passing->code != ERR_OK ? passing : refused;
	if (told->code == ERR_OK)
		return 0;
	for (size_t i = 0; i < n && told == passing; i++)
		if (ends[i] == POST_REFUSED)
			ends[i] = POST_NOT;
	*e = *told;
	return -(int)e->code;
}

static int post(struct forge *forge, const struct forge_status *statuses, size_t n,
	enum post_end *ret_ends, struct err *e)
{
	struct rest_forge *f = (struct rest_forge *)forge;
	struct err refused = ERR_INIT;
	struct err passing = ERR_INIT;
	for (size_t i = 0; i < n; i++)
		ret_ends[i] = POST_NOT;
	int64_t wait = f->quiet_until - clock_mono_ms(f->clock);
	if (wait > 0) {
		*e = f->limit;
		e->retry_after_ms = wait;
		return -(int)e->code;
	}
	for (size_t i = 0; i < n && i < f->kind->at_once; i++) {
		struct err one = ERR_INIT;
		struct rest_verdict verdict = post_unless_full(f, &statuses[i], &one);
		ret_ends[i] = verdict.end;
		if (verdict.end == POST_REFUSED && refused.code == ERR_OK)
			refused = one;
		if (verdict.end == POST_NOT && passing.code == ERR_OK)
			passing = one;
		if (verdict.all)
			break;
	}
	return tell(ret_ends, n, &refused, &passing, e);
}

static void rest_free(struct forge *forge)
{
	struct rest_forge *f = (struct rest_forge *)forge;
	http_client_free(f->client);
	strv_release(&f->full);
	free(f->statuses);
	free(f->repository);
	free(f->token_ref);
	free(f);
}

static const struct forge_ops ops_of[] = {
	[FORGE_KIND_GITHUB] = {.name = "github", .post = post, .free = rest_free},
	[FORGE_KIND_GITEA] = {.name = "gitea", .post = post, .free = rest_free},
};

static int build_base(const char *api, const char *repository, struct buf *out, struct err *e)
{
	int rc = forge_check_repository(repository, e);
	if (rc < 0)
		return err_prefix(e, "forge.repository");
	const char *slash = strchr(repository, '/');
	auto_free char *owner = xmemdupz(repository, (size_t)(slash - repository));
	size_t len = strlen(api);
	while (len && api[len - 1] == '/')
		len--;
	buf_add(out, api, len);
	buf_adds(out, "/repos");
	rc = url_add_segment(out, owner, e);
	if (rc == 0)
		rc = url_add_segment(out, slash + 1, e);
	buf_adds(out, "/statuses");
	return rc < 0 ? err_prefix(e, "forge.repository") : 0;
}

int forge_rest_new(
	const struct forge_rest_options *options, struct forge **ret_forge, struct err *e)
{
	auto_buf struct buf base = BUF_INIT;
	int rc = build_base(options->api, options->repository, &base, e);
	if (rc < 0)
		return rc;
	const struct http_options http = {.ca_file = options->ca_file, .max_connections = 1};
	struct rest_forge *f = xcalloc(1, sizeof(*f));
	*f = (struct rest_forge){
		.forge.ops = &ops_of[options->kind],
		.kind = &rest_kinds[options->kind],
		.clock = options->clock,
		.client = http_client_new(&http),
		.statuses = buf_take(&base),
		.repository = xstrdup(options->repository),
		.token_ref = xstrdup(options->token_ref),
		.timeout_ms = options->timeout_ms,
	};
	*ret_forge = &f->forge;
	return 0;
}
