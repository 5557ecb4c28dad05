/* What is sent to a forge, and what its answers mean: pure, so that each can be tested. */
#include <string.h>
#include <strings.h>

#include "base/alloc.h"
#include "base/text.h"
#include "doc/json.h"
#include "forge/rest.h"

#define SAID_MAX     200
#define WAIT_MOST_MS ((int64_t)3600000)

const struct rest_kind rest_kinds[] = {
	[FORGE_KIND_GITHUB] = {.name = "github",
		.accept = "application/vnd.github+json",
		.version = "2022-11-28",
		.at_once = 1,
		.most = 1000,
		.no_4_byte_text = true,
		.right = "\"Commit statuses: write\" (repo:status for a classic token)"},
	[FORGE_KIND_GITEA] = {.name = "gitea",
		.accept = "application/json",
		.at_once = SIZE_MAX,
		.right = "the scope write:repository, and its owner write access to the "
			 "repository"},
};

const char *const rest_wanted[] = {
	"X-RateLimit-Remaining", "X-RateLimit-Reset", "X-Accepted-GitHub-Permissions", NULL};

/* GitHub takes 140 characters and none that UTF-8 writes in four bytes. */
static void add_text(const struct rest_kind *kind, const char *text, struct buf *out)
{
	size_t len = strlen(text);
	while (len) {
		uint32_t c = 0;
		size_t n = text_next(text, len, &c);
		if (!n || (c > 0xffff && kind->no_4_byte_text))
			buf_addc(out, '?');
		else
			buf_add(out, text, n);
		text += n ? n : 1;
		len -= n ? n : 1;
	}
	text_truncate(out, FORGE_TEXT_MAX);
}

void rest_write_status(const struct rest_kind *kind, const struct forge_status *s, struct buf *out)
{
	auto_buf struct buf text = BUF_INIT;
	add_text(kind, s->text, &text);
	buf_addf(out, "{\"state\":\"%s\",\"context\":", status_state_name(s->state));
	json_write_string(out, s->context);
	buf_adds(out, ",\"description\":");
	json_write_string(out, buf_str(&text));
	if (s->target_url) {
		buf_adds(out, ",\"target_url\":");
		json_write_string(out, s->target_url);
	}
	buf_addc(out, '}');
}

/* A sign-in page of something in between is no success, whatever its status. */
bool rest_arrived(const struct http_response *r)
{
	return (r->status == 200 || r->status == 201) && strcasestr(r->content_type, "json");
}

/* {"message": …, "errors": [{"message": …} or "…"]}, as both forges have it. */
static void read_said(const struct http_response *r, struct buf *out)
{
	struct arena a = ARENA_INIT;
	struct node *root = NULL;
	if (json_read_loose(&a, buf_str(&r->body), r->body.len, &root, NULL) == 0) {
		const char *message = node_get_string(root, "message");
		const struct node *errors = node_get(root, "errors");
		buf_adds(out, message ? message : "");
		for (size_t i = 0; errors && errors->type == NODE_SEQ && i < errors->u.seq.n; i++) {
			const struct node *one = errors->u.seq.at[i];
			const char *text = one->type == NODE_STRING
						   ? one->u.string.s
						   : node_get_string(one, "message");
			if (text)
				buf_addf(out, "%s%s", out->len ? ": " : "", text);
		}
	}
	arena_release(&a);
	if (!out->len)
		buf_adds(out, "it gave no reason");
	text_truncate(out, SAID_MAX);
}

/* Forges count by the hour; what asks for more has a wrong clock, and nothing would be posted. */
static int64_t bounded_wait(int64_t wait_ms)
{
	return wait_ms < 1000 ? 1000 : wait_ms > WAIT_MOST_MS ? WAIT_MOST_MS : wait_ms;
}

/* How long a rate limit asks us to wait; 0 if it does not say, -1 if it is none. */
static int64_t read_limit(const struct http_response *r, const char *said, int64_t now_ms)
{
	const char *left = http_response_header(r, "X-RateLimit-Remaining");
	const char *reset = http_response_header(r, "X-RateLimit-Reset");
	uint64_t reset_s = 0;
	if (r->status != 403 && r->status != 429)
		return -1;
	if (r->retry_after_ms)
		return bounded_wait(r->retry_after_ms);
	if (left && !strcmp(left, "0") && reset && text_parse_u64(reset, &reset_s) &&
		reset_s < INT64_MAX / 1000)
		return bounded_wait((int64_t)reset_s * 1000 - now_ms);
	return r->status == 429 || strcasestr(said, "rate limit") ? 0 : -1;
}

static struct rest_verdict judge_denied(const struct rest_kind *kind, const char *repository,
	const struct http_response *r, const char *said, struct err *e)
{
	const char *wanted = http_response_header(r, "X-Accepted-GitHub-Permissions");
	err_set(e, ERR_DENIED, "%s: the token may not set statuses on %s: %s; it needs %s%s%s",
		kind->name, repository, said, kind->right, wanted ? ", in the forge's words: " : "",
		wanted ? wanted : "");
	return (struct rest_verdict){.end = POST_NOT, .all = true};
}

static struct rest_verdict judge_refused(const struct rest_kind *kind, const struct forge_status *s,
	int status, const char *said, struct err *e)
{
	bool full = strcasestr(said, "maximum number of statuses") != NULL;
	err_set(e, ERR_INVALID, "%s: %d for %s on %.7s: %s; %s", kind->name, status, s->context,
		s->sha, said,
		full ? "the commit keeps its last status, `weir status` shows how things stand, "
		       "and "
		       "the next commit has statuses of its own"
		     : "it is not sent again until it changes");
	return (struct rest_verdict){.end = POST_REFUSED, .full = full};
}

static struct rest_verdict judge_limited(const struct rest_kind *kind, int64_t wait_ms,
	const char *said, int64_t now_ms, struct err *e)
{
	char until[CLOCK_TEXT_MAX];
	err_retriable(e, ERR_UNAVAILABLE, "%s: rate limit: %s; %s%s", kind->name, said,
		wait_ms ? "statuses wait until " : "statuses wait for a minute or more",
		wait_ms ? clock_format_short(now_ms + wait_ms, until) : "");
	e->retry_after_ms = wait_ms;
	return (struct rest_verdict){.end = POST_NOT, .all = true, .limited = true};
}

struct rest_verdict rest_judge(const struct rest_kind *kind, const char *repository,
	const struct forge_status *s, const struct http_response *r, int64_t now_ms, struct err *e)
{
	auto_buf struct buf text = BUF_INIT;
	read_said(r, &text);
	const char *said = buf_str(&text);
	int64_t wait_ms = read_limit(r, said, now_ms);
	if (wait_ms >= 0)
		return judge_limited(kind, wait_ms, said, now_ms, e);
	if (r->status == 403)
		return judge_denied(kind, repository, r, said, e);
	if (r->status == 400 || r->status == 422)
		return judge_refused(kind, s, r->status, said, e);
	if (r->status == 401) {
		err_set(e, ERR_AUTH,
			"%s: the token is refused: %s; put a valid one where forge.token says",
			kind->name, said);
	} else if (r->status == 404) {
		err_set(e, ERR_NOT_FOUND,
			"%s: there is no commit %.7s in %s, or the token may not see it: check "
			"forge.repository, and that the token has %s",
			kind->name, s->sha, repository, kind->right);
		return (struct rest_verdict){.end = POST_NOT, .all = false};
	} else if (r->status >= 500 || r->status == 408 || r->status == 409 || r->status == 423) {
		err_retriable(e, ERR_UNAVAILABLE, "%s: %d: %s; it is tried again", kind->name,
			r->status, said);
		e->retry_after_ms = r->retry_after_ms;
	} else if (r->status >= 300 && r->status < 400) {
		err_set(e, ERR_REMOTE,
			"%s: %s has moved; set source.url or forge.repository to where it is",
			kind->name, repository);
	} else {
		err_set(e, ERR_REMOTE,
			"%s: an answer that is not the API's (%d, %s); check forge.url", kind->name,
			r->status, r->content_type[0] ? r->content_type : "without a type");
	}
	return (struct rest_verdict){.end = POST_NOT, .all = true};
}
