/* Who may make weir look, and how often. */
#include "hook/hook.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/text.h"
#include "hook/event.h"
#include "secret/secret.h"

#define BURST		  60
#define REFILL_MS	  ((int64_t)100) /* for one more request */
#define REMEMBERED	  1000 /* deliveries */
#define REMEMBERED_FOR_MS (3600 * (int64_t)1000)
#define SIGNATURE_PREFIX  "sha256="

struct delivery {
	unsigned char digest[HASH_BYTES];
	int64_t until; /* monotonic; 0: free */
};

struct hook {
	char *branch;
	char *secret_ref;
	const struct clock *clock;
	int64_t credit_ms; /* REFILL_MS for each request that may come */
	int64_t credit_at;
	bool refusing; /* what came last was not found to be signed; logged once */
	size_t next; /* the oldest delivery */
	struct delivery deliveries[REMEMBERED];
	uint64_t counts[HOOK__COUNT];
};

static const struct outcome {
	const char *name;
	int status;
} outcomes[HOOK__COUNT] = {
	[HOOK_PUSH] = {"push", 202},
	[HOOK_PING] = {"ping", 200},
	[HOOK_IGNORED] = {"ignored", 202},
	[HOOK_REPEATED] = {"repeated", 202},
	[HOOK_REFUSED] = {"refused", 400},
	[HOOK_LIMITED] = {"limited", 429},
	[HOOK_UNREADY] = {"unready", 503},
};

const char *hook_outcome_name(enum hook_outcome outcome)
{
	return outcomes[outcome].name;
}

static void answer(struct hook_answer *out, enum hook_outcome outcome, const char *text)
{
	out->outcome = outcome;
	out->status = outcomes[outcome].status;
	text_escape_into(out->text, sizeof(out->text), text);
}

static bool is_over_limit(struct hook *h, int64_t now)
{
	h->credit_ms += now - h->credit_at;
	h->credit_at = now;
	if (h->credit_ms > BURST * REFILL_MS)
		h->credit_ms = BURST * REFILL_MS;
	if (h->credit_ms < REFILL_MS)
		return true;
	h->credit_ms -= REFILL_MS;
	return false;
}

/* Without a secret of its own Gitea sends its headers all the same, empty. */
static const char *signature_of(const struct hook_request *q)
{
	if (q->gitea_signature && q->gitea_signature[0])
		return q->gitea_signature;
	if (q->github_signature && text_has_prefix(q->github_signature, SIGNATURE_PREFIX) &&
		q->github_signature[strlen(SIGNATURE_PREFIX)])
		return q->github_signature + strlen(SIGNATURE_PREFIX);
	return NULL;
}

static void note_refusal(struct hook *h, bool refused)
{
	if (refused && !h->refusing)
		log_warn("a webhook is refused: its signature is not one of our secret; others "
			 "that follow are counted only",
			NULL);
	h->refusing = refused;
}

/* True if it is signed; else the answer says what to do. */
static bool check_signature(struct hook *h, const struct hook_request *q, struct hook_answer *out)
{
	auto_secret struct secret *secret = NULL;
	struct err e = ERR_INIT;
	const char *signature = signature_of(q);
	if (secret_ref_read(h->secret_ref, &secret, &e) < 0) {
		if (!h->refusing)
			log_error("http.webhook_secret cannot be read", "error", e.msg, NULL);
		h->refusing = true;
		answer(out, HOOK_UNREADY, "the webhook's secret cannot be read here: see the log");
		return false;
	}
	bool is_signed = signature && secret_hmac_matches(secret, q->body, q->len, signature);
	note_refusal(h, !is_signed);
	if (is_signed)
		return true;
	answer(out, HOOK_REFUSED,
		signature ? "the signature is not one of this weir's http.webhook_secret; give the "
			    "webhook the same secret"
			  : "there is no signature; give the webhook the secret that "
			    "http.webhook_secret names");
	out->status = 401;
	return false;
}

static void hash_delivery(const char *id, unsigned char out[HASH_BYTES])
{
	struct hash hash;
	hash_begin(&hash);
	hash_adds(&hash, id);
	hash_end(&hash, out);
}

static bool is_known(const struct hook *h, const unsigned char digest[HASH_BYTES], int64_t now)
{
	for (size_t i = 0; i < REMEMBERED; i++)
		if (h->deliveries[i].until > now &&
			!memcmp(h->deliveries[i].digest, digest, HASH_BYTES))
			return true;
	return false;
}

static void remember(struct hook *h, const unsigned char digest[HASH_BYTES], int64_t now)
{
	struct delivery *d = &h->deliveries[h->next];
	h->next = (h->next + 1) % REMEMBERED;
	memcpy(d->digest, digest, HASH_BYTES);
	d->until = now + REMEMBERED_FOR_MS;
}

static void take_push(const struct hook *h, const struct hook_request *q, enum hook_form form,
	struct hook_answer *out)
{
	auto_free char *ref = NULL;
	auto_free char *text = NULL;
	struct err e = ERR_INIT;
	if (hook_read_ref(q, form, &ref, &e) < 0) {
		answer(out, HOOK_REFUSED, e.msg);
	} else if (text_has_prefix(ref, "refs/heads/") &&
		   !strcmp(ref + strlen("refs/heads/"), h->branch)) {
		answer(out, HOOK_PUSH, "looking at once");
	} else {
		text = xasprintf("ignored: %.200s is not the branch %s", ref, h->branch);
		answer(out, HOOK_IGNORED, text);
	}
}

static void take_event(const struct hook *h, const struct hook_request *q, struct hook_answer *out)
{
	const char *event = q->gitea_event ? q->gitea_event : q->github_event;
	enum hook_form form = HOOK_JSON;
	struct err e = ERR_INIT;
	if (!event) {
		answer(out, HOOK_REFUSED, "no header names the event");
	} else if (!strcmp(event, "ping")) {
		answer(out, HOOK_PING, "the signature is right");
	} else if (strcmp(event, "push") != 0) {
		answer(out, HOOK_IGNORED, "ignored: only pushes matter here");
	} else if (hook_read_form(q, &form, &e) < 0) {
		answer(out, HOOK_REFUSED, e.msg);
		out->status = 415;
	} else {
		take_push(h, q, form, out);
	}
}

static void take_signed(
	struct hook *h, const struct hook_request *q, int64_t now, struct hook_answer *out)
{
	const char *id = q->gitea_delivery ? q->gitea_delivery : q->github_delivery;
	unsigned char digest[HASH_BYTES];
	hash_delivery(id ? id : "", digest);
	if (id && is_known(h, digest, now)) {
		answer(out, HOOK_REPEATED, "this delivery was dealt with before");
		return;
	}
	take_event(h, q, out);
	if (id && out->outcome != HOOK_REFUSED)
		remember(h, digest, now);
}

void hook_take(struct hook *h, const struct hook_request *q, struct hook_answer *ret_answer)
{
	int64_t now = clock_mono_ms(h->clock);
	enum hook_form form;
	struct err e = ERR_INIT;
	*ret_answer = (struct hook_answer){.outcome = HOOK_LIMITED};
	if (is_over_limit(h, now)) {
		answer(ret_answer, HOOK_LIMITED,
			"too many webhooks; the branch is looked at in any case");
		ret_answer->retry_after_ms = 1000;
	} else if (q->gitea_event && hook_read_form(q, &form, &e) < 0) {
		/* Its signature would not be found right, and that would not help anybody. */
		answer(ret_answer, HOOK_REFUSED, e.msg);
		ret_answer->status = 415;
	} else if (check_signature(h, q, ret_answer)) {
		take_signed(h, q, now, ret_answer);
	}
	h->counts[ret_answer->outcome]++;
}

const uint64_t *hook_counts(const struct hook *h)
{
	return h->counts;
}

struct hook *hook_new(const struct hook_options *options)
{
	struct hook *h = xcalloc(1, sizeof(*h));
	h->branch = xstrdup(options->branch);
	h->secret_ref = xstrdup(options->secret_ref);
	h->clock = options->clock;
	h->credit_ms = BURST * REFILL_MS;
	h->credit_at = clock_mono_ms(h->clock);
	return h;
}

void hook_free(struct hook *h)
{
	if (!h)
		return;
	free(h->branch);
	free(h->secret_ref);
	free(h);
}
