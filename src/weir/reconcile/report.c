/* The sentences of /sync and /drift. */
#include "reconcile/report.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "forge/forge.h"

const char *standing_name(enum standing standing)
{
	static const char *const names[STANDING__COUNT] = {
		[STANDING_HEALTHY] = "healthy",
		[STANDING_APPLYING] = "applying",
		[STANDING_WAITING] = "waiting",
		[STANDING_STUCK] = "stuck",
		[STANDING_UNKNOWN] = "unknown",
		[STANDING_FAILED] = "failed",
		[STANDING_UNHEALTHY] = "unhealthy",
		[STANDING_HELD] = "held",
		[STANDING_DRIFTED] = "drifted",
		[STANDING_PLANNED] = "planned",
		[STANDING_ABSENT_OK] = "not in Git",
		[STANDING_LEFT] = "left alone",
	};
	return names[standing];
}

/* Escapes, cuts to what forges take, and puts `tail` behind, whole: counts and places must survive
 * the cut. */
__attribute__((format(printf, 4, 5))) static void say_with(
	struct status_text *out, enum status_state state, const char *tail, const char *fmt, ...)
{
	auto_buf struct buf raw = BUF_INIT;
	auto_buf struct buf end = BUF_INIT;
	auto_buf struct buf text = BUF_INIT;
	va_list ap;
	va_start(ap, fmt);
	buf_vaddf(&raw, fmt, ap);
	va_end(ap);
	text_escape(&end, tail, strlen(tail));
	text_truncate(&end, FORGE_TEXT_MAX / 2);
	text_escape(&text, buf_str(&raw), raw.len);
	text_truncate(&text, FORGE_TEXT_MAX - text_length(buf_str(&end)));
	out->state = state;
	snprintf(out->text, sizeof(out->text), "%s%s", buf_str(&text), buf_str(&end));
}

#define say(out, state, ...) say_with(out, state, "", __VA_ARGS__)

/* "…: why +2 more" for the first item that stands so, and how many do. */
static bool say_first(struct status_text *out, enum status_state state,
	const struct report_input *in, const struct report *r, enum standing standing)
{
	size_t n = r->count[standing];
	if (!n)
		return false;
	const struct report_item *it = in->items;
	while (it->standing != standing)
		it++;
	auto_buf struct buf more = BUF_INIT;
	if (n > 1)
		buf_addf(&more, " +%zu more", n - 1);
	say_with(out, state, buf_str(&more), "%s: %s", it->name, it->why);
	return true;
}

static bool say_problems(struct status_text *out, const struct problems *problems)
{
	if (!problems || !problems->n_errors)
		return false;
	const struct problem *p = problems->at;
	while (p->level != PROBLEM_ERROR)
		p++;
	auto_buf struct buf place = BUF_INIT;
	buf_addf(&place, " (%s", p->file ? p->file : "?");
	if (p->line)
		buf_addf(&place, ":%u", p->line);
	buf_addc(&place, ')');
	if (problems->n_errors > 1)
		buf_addf(&place, " +%zu more", problems->n_errors - 1);
	say_with(out, STATUS_FAILURE, buf_str(&place), "%s%s%s", p->path, p->path[0] ? ": " : "",
		p->message);
	return true;
}

static bool say_api(struct status_text *out, const struct report_input *in)
{
	if (!in->api_error)
		return false;
	char since[CLOCK_TEXT_MAX];
	clock_format_short(in->api_since_ms, since);
	if (in->api_hopeless)
		say(out, STATUS_ERROR, "%s (since %s)", in->api_error, since);
	else
		say(out,
			in->now_ms - in->api_since_ms >= in->timeout_ms ? STATUS_ERROR
									: STATUS_PENDING,
			"API unreachable since %s: %s", since, in->api_error);
	return true;
}

static void say_success(
	struct status_text *out, const struct report_input *in, const struct report *r)
{
	auto_buf struct buf text = BUF_INIT;
	buf_addf(&text, "%zu in sync", r->count[STANDING_HEALTHY]);
	if (in->changed > 0)
		buf_addf(&text, " (%lld changed)", (long long)in->changed);
	if (r->count[STANDING_PLANNED])
		buf_addf(&text, ", %zu to change (sync.mode is plan)", r->count[STANDING_PLANNED]);
	if (r->count[STANDING_DRIFTED])
		buf_addf(&text, ", %zu drifted (sync.mode is report)", r->count[STANDING_DRIFTED]);
	if (r->count[STANDING_ABSENT_OK])
		buf_addf(&text, ", %zu not in Git (prune is off)", r->count[STANDING_ABSENT_OK]);
	say(out, STATUS_SUCCESS, "%s", buf_str(&text));
}

static void make_sync(const struct report_input *in, struct report *r)
{
	struct status_text *out = &r->sync;
	size_t healthy = r->count[STANDING_HEALTHY];
	if (in->rewound) {
		say(out, STATUS_FAILURE, "%s", in->rewound);
	} else if (in->load_error) {
		say(out, STATUS_FAILURE, "%s", in->load_error);
	} else if (say_problems(out, in->problems)) {
		return;
	} else if (in->store_error) {
		say(out, STATUS_ERROR, "%s", in->store_error);
	} else if (say_api(out, in)) {
		return;
	} else if (!in->compared) {
		say(out, STATUS_PENDING, "comparing with the API");
	} else if (say_first(out, STATUS_FAILURE, in, r, STANDING_FAILED) ||
		   say_first(out, STATUS_FAILURE, in, r, STANDING_HELD) ||
		   say_first(out, STATUS_ERROR, in, r, STANDING_UNKNOWN) ||
		   say_first(out, STATUS_ERROR, in, r, STANDING_STUCK)) {
		return;
	} else if (r->count[STANDING_APPLYING] && !r->in_time) {
		say_first(out, STATUS_ERROR, in, r, STANDING_APPLYING);
	} else if (r->count[STANDING_APPLYING]) {
		say(out, STATUS_PENDING, "applying %zu/%zu", r->total - r->count[STANDING_APPLYING],
			r->total);
	} else if (r->count[STANDING_WAITING] || r->count[STANDING_UNHEALTHY]) {
		if (r->in_time || r->count[STANDING_WAITING])
			say(out, STATUS_PENDING, "waiting for Healthy %zu/%zu", healthy, r->total);
		else
			say_first(out, STATUS_ERROR, in, r, STANDING_UNHEALTHY);
	} else {
		say_success(out, in, r);
		r->whole = healthy == r->total;
	}
}

static size_t count_drift(const struct report_input *in)
{
	size_t n = 0;
	for (size_t i = 0; i < in->n_items; i++)
		n += in->items[i].drift;
	return n;
}

/* Never pending: what is on its way to being mended is still a difference. */
static void make_drift(const struct report_input *in, struct report *r)
{
	struct status_text *out = &r->drift;
	size_t healing = count_drift(in);
	r->drift_known = true;
	if (in->store_error) {
		say(out, STATUS_ERROR, "%s", in->store_error);
	} else if (in->api_error &&
		   (in->api_hopeless || in->now_ms - in->api_since_ms >= in->timeout_ms)) {
		say_api(out, in);
	} else if (say_first(out, STATUS_FAILURE, in, r, STANDING_FAILED) ||
		   say_first(out, STATUS_FAILURE, in, r, STANDING_DRIFTED) ||
		   say_first(out, STATUS_FAILURE, in, r, STANDING_PLANNED) ||
		   say_first(out, STATUS_FAILURE, in, r, STANDING_HELD) ||
		   say_first(out, STATUS_ERROR, in, r, STANDING_UNKNOWN) ||
		   say_first(out, STATUS_ERROR, in, r, STANDING_STUCK) ||
		   say_first(out, STATUS_FAILURE, in, r, STANDING_UNHEALTHY)) {
		return;
	} else if (healing) {
		const struct report_item *it = in->items;
		while (!it->drift)
			it++;
		say(out, STATUS_FAILURE, "healing %zu: %s: %s", healing, it->name, it->why);
	} else if (in->compared) {
		say(out, STATUS_SUCCESS, "no drift");
	} else {
		r->drift_known = false;
	}
}

void report_make(const struct report_input *in, struct report *ret_report)
{
	struct report *r = ret_report;
	*r = (struct report){.in_time = in->now_ms - in->head_since_ms < in->timeout_ms};
	for (size_t i = 0; i < in->n_items; i++) {
		r->count[in->items[i].standing]++;
		r->total += in->items[i].standing != STANDING_ABSENT_OK;
	}
	snprintf(r->progress, sizeof(r->progress), "%zu/%zu", r->count[STANDING_HEALTHY], r->total);
	make_sync(in, r);
	make_drift(in, r);
}
