/* What the parts of the engine have in common: its clock, its troubles, and how a call leaves. */
#include <stdarg.h>
#include <string.h>

#include "base/alloc.h"
#include "base/log.h"
#include "reconcile/internal.h"

#define BACKOFF_FIRST_MS 1000
#define RETRY_FIRST_MS	 60000 /* after the first operation that ended in Error */
#define LOST_FORGET_MS	 600000 /* after so long, what was in the way does not count */
#define PASS_LEAST_MS	 1000 /* between two lists */
#define PASS_LEAST_TIMES 10 /* ... and as many times what a list takes */

int64_t now_mono(const struct engine *en)
{
	return clock_mono_ms(en->options.clock);
}

int64_t now_wall(const struct engine *en)
{
	return clock_wall_ms(en->options.clock);
}

static int64_t doubled(int64_t first_ms, int64_t times, int64_t most_ms)
{
	int64_t ms = first_ms;
	for (int64_t i = 1; i < times && ms < most_ms; i++)
		ms *= 2;
	return ms < most_ms ? ms : most_ms;
}

int64_t retry_wait(int64_t failures)
{
	return doubled(RETRY_FIRST_MS, failures, PLAN_RETRY_MOST_MS);
}

int64_t backoff(const struct engine *en, unsigned tries, int64_t first_ms, int64_t most_ms)
{
	int64_t ms = doubled(first_ms, tries, most_ms);
	return ms / 2 + (int64_t)rng_below(en->options.rng, (uint64_t)(ms / 2 + 1));
}

void progress(struct engine *en, const char *fmt, ...)
{
	if (!en->options.on_progress)
		return;
	va_list ap;
	va_start(ap, fmt);
	auto_free char *line = xvasprintf(fmt, ap);
	va_end(ap);
	en->options.on_progress(en->options.ctx, line);
}

void pass_soon(struct engine *en, int64_t delay_ms)
{
	int64_t at = now_mono(en) + delay_ms;
	int64_t pause = en->list_took_ms * PASS_LEAST_TIMES;
	int64_t least = en->listed_at + (pause > PASS_LEAST_MS ? pause : PASS_LEAST_MS);
	if (at < least)
		at = least;
	if (at < en->pass_at)
		en->pass_at = at;
}

void trouble_starts(struct engine *en, struct trouble *t, const struct err *e, const char *what)
{
	if (!t->times)
		t->since_wall = now_wall(en);
	if (!t->times || strcmp(t->err.msg, e->msg) != 0)
		log_warn(what, "error", e->msg, NULL);
	t->times++;
	t->err = *e;
	int64_t wait = e->retry_after_ms < BACKOFF_MOST_MS ? e->retry_after_ms : BACKOFF_MOST_MS;
	int64_t jitter = backoff(en, t->times, BACKOFF_FIRST_MS, BACKOFF_MOST_MS);
	t->until_mono = now_mono(en) + (wait > jitter ? wait : jitter);
	en->report_due = true;
}

void trouble_ends(struct engine *en, struct trouble *t, const char *what)
{
	if (!t->times)
		return;
	log_info(what, NULL);
	*t = (struct trouble){0};
	en->report_due = true;
}

int64_t next_look(const struct engine *en, struct record *r)
{
	r->poll_every += r->poll_every / 2;
	if (r->poll_every > LOOK_MOST_MS)
		r->poll_every = LOOK_MOST_MS;
	return now_mono(en) + r->poll_every;
}

void look_again(struct engine *en, struct record *r, const char *why)
{
	int64_t now = now_mono(en);
	if (now - r->lost_at >= LOST_FORGET_MS)
		r->lost = 0;
	int64_t wait = r->lost ? backoff(en, r->lost, BACKOFF_FIRST_MS, BACKOFF_MOST_MS) : 0;
	r->lost++;
	r->lost_at = now;
	r->blocked_until = now + wait;
	str_replace(&r->last_error, xstrdup(why));
	pass_soon(en, wait);
}

struct plan_item *item_of(const struct engine *en, const struct record *r)
{
	return en->plan ? plan_find(en->plan, r->name) : NULL;
}

const char *commit_of(const struct engine *en)
{
	return en->head.sha[0] ? en->head.sha : NULL;
}

int64_t timeout_of(const struct engine *en, const struct plan_item *item)
{
	const struct replicator *d = item ? item->desired : NULL;
	return d && d->sync.has_timeout ? d->sync.timeout_ms : en->config->sync.timeout_ms;
}

void send_call(struct engine *en, struct api_call *owned_call, enum flight_purpose purpose,
	struct record *r)
{
	owned_call->token = ++en->next_token;
	int64_t intent = r && r->intent ? r->intent->id : 0;
	vec_push(
		&en->flights, (struct flight){owned_call->token, purpose, r, intent, now_mono(en)});
	en->stats.calls[owned_call->verb]++;
	const struct api_transport *t = &en->options.ports.api;
	t->send(t->ctx, owned_call);
}
