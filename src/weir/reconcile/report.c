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
		[STANDING_BRAKED] = "not begun",
		[STANDING_HELD] = "held",
		[STANDING_SUSPENDED] = "suspended",
		[STANDING_WINDOW] = "waits for a window",
		[STANDING_GRACE] = "to be deleted",
		[STANDING_BLOCKED] = "waits for others",
		[STANDING_DELETING] = "deleting",
		[STANDING_GONE] = "deleted",
		[STANDING_DRIFTED] = "drifted",
		[STANDING_PLANNED] = "planned",
		[STANDING_ABSENT_OK] = "not in Git",
		[STANDING_LEFT] = "left alone",
	};
	return names[standing];
}

#define HEAD_LEAST 20 /* code points in front of a tail, however long that is */
#define MARKS_MOST 16 /* of punctuation and of how many more there are */

/* Escapes, cuts to what forges take, and puts `tail` behind, whole: counts, places and commands
 * must survive the cut. */
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
	text_truncate(&end, FORGE_TEXT_MAX - HEAD_LEAST);
	text_escape(&text, buf_str(&raw), raw.len);
	text_truncate(&text, FORGE_TEXT_MAX - text_length(buf_str(&end)));
	out->state = state;
	snprintf(out->text, sizeof(out->text), "%s%s", buf_str(&text), buf_str(&end));
}

#define say(out, state, ...) say_with(out, state, "", __VA_ARGS__)

/* A command must be read to its end. Advice that is a matter of course gives way to what is
 * wrong. */
static bool has_room_for(const struct report_item *it, const char *release)
{
	size_t said = text_length(it->name) + text_length(it->why) + text_length(release);
	return strstr(release, "weir ") || said + MARKS_MOST <= FORGE_TEXT_MAX;
}

/* "…: why; what releases it +2 more" for an item. */
static void say_item(struct status_text *out, enum status_state state, const struct report_item *it,
	size_t others)
{
	auto_buf struct buf tail = BUF_INIT;
	const char *release = it->release ? it->release : "";
	if (release[0] && has_room_for(it, release))
		buf_addf(&tail, "; %s", release);
	if (others)
		buf_addf(&tail, " +%zu more", others);
	say_with(out, state, buf_str(&tail), "%s: %s", it->name, it->why);
}

/* The first item that stands so, and how many do. */
static bool say_first(struct status_text *out, enum status_state state,
	const struct report_input *in, const struct report *r, enum standing standing)
{
	if (!r->count[standing])
		return false;
	const struct report_item *it = in->items;
	while (it->standing != standing)
		it++;
	say_item(out, state, it, r->count[standing] - 1);
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

#define DAY_MS ((int64_t)24 * 60 * 60 * 1000)

/* " until 06:00Z", or with the date if that is far; of several, the first. */
static void add_until(
	struct buf *out, const struct report_input *in, enum standing standing, const char *word)
{
	int64_t first = INT64_MAX;
	int64_t last = 0;
	char text[CLOCK_TEXT_MAX];
	for (size_t i = 0; i < in->n_items; i++) {
		int64_t until = in->items[i].until_ms;
		if (in->items[i].standing != standing)
			continue;
		last = until > last ? until : last;
		first = until && until < first ? until : first;
	}
	if (!last)
		return;
	if (first - in->now_ms < DAY_MS)
		clock_format_short(first, text);
	else
		clock_format(first / 1000 * 1000, text);
	buf_addf(out, "%s %s %s", first == last ? "" : ", first", word, text);
}

/* What a success says besides, in this order. */
static const struct aside {
	enum standing standing;
	const char *text; /* behind the count */
	const char *until; /* in front of the time; NULL: there is none */
} asides[] = {
	{STANDING_PLANNED, "to change (sync.mode is plan)", NULL},
	{STANDING_DRIFTED, "drifted (sync.mode is report)", NULL},
	{STANDING_SUSPENDED, "suspended", "until"},
	{STANDING_WINDOW, "waiting for a window", "until"},
	{STANDING_GRACE, "to be deleted", "at"},
	{STANDING_BLOCKED, "waiting for these", NULL},
	{STANDING_ABSENT_OK, "not in Git (prune is off)", NULL},
};

static void say_success(
	struct status_text *out, const struct report_input *in, const struct report *r)
{
	auto_buf struct buf text = BUF_INIT;
	buf_addf(&text, "%zu in sync", r->count[STANDING_HEALTHY]);
	if (in->changed > 0)
		buf_addf(&text, " (%lld changed)", (long long)in->changed);
	for (size_t i = 0; i < ARRAY_SIZE(asides); i++) {
		const struct aside *a = &asides[i];
		if (!r->count[a->standing])
			continue;
		buf_addf(&text, ", %zu %s", r->count[a->standing], a->text);
		if (a->until)
			add_until(&text, in, a->standing, a->until);
	}
	say(out, STATUS_SUCCESS, "%s", buf_str(&text));
}

static bool say_late(struct status_text *out, const struct report_input *in, const struct report *r)
{
	if (!r->late)
		return false;
	const struct report_item *it = in->items;
	while (!it->late)
		it++;
	say_item(out, STATUS_ERROR, it, r->late - 1);
	return true;
}

/* What is under way, and will be told of again when it ends. */
static void say_moving(struct status_text *out, const struct report *r)
{
	size_t left = r->count[STANDING_APPLYING] + r->count[STANDING_BLOCKED];
	bool waits = r->count[STANDING_WAITING] || r->count[STANDING_UNHEALTHY];
	auto_buf struct buf text = BUF_INIT;
	if (r->count[STANDING_APPLYING])
		buf_addf(&text, "applying %zu/%zu", r->total - left, r->total);
	else if (waits)
		buf_addf(&text, "waiting for Healthy %s", r->progress);
	if (r->count[STANDING_DELETING])
		buf_addf(
			&text, "%sdeleting %zu", text.len ? ", " : "", r->count[STANDING_DELETING]);
	if (!text.len)
		buf_addf(&text, "waiting for others %zu/%zu", r->total - left, r->total);
	say(out, STATUS_PENDING, "%s", buf_str(&text));
}

/* Those that wait for others wait for time, if those do. */
static bool waits_for_time(const struct report *r)
{
	return r->count[STANDING_SUSPENDED] || r->count[STANDING_WINDOW] ||
	       r->count[STANDING_GRACE];
}

static void make_sync(const struct report_input *in, struct report *r)
{
	struct status_text *out = &r->sync;
	if (in->rewound) {
		say_with(out, STATUS_FAILURE, in->rewound_release, "%s", in->rewound);
	} else if (in->load_error) {
		say(out, STATUS_FAILURE, "%s", in->load_error);
	} else if (say_problems(out, in->problems)) {
		return;
	} else if (in->store_error) {
		say(out, STATUS_ERROR, "%s", in->store_error);
	} else if (say_api(out, in)) {
		return;
	} else if (!in->compared) {
		say(out, STATUS_PENDING, REPORT_COMPARING);
	} else if (say_first(out, STATUS_FAILURE, in, r, STANDING_BRAKED) ||
		   say_first(out, STATUS_FAILURE, in, r, STANDING_FAILED) ||
		   say_first(out, STATUS_FAILURE, in, r, STANDING_HELD) ||
		   say_first(out, STATUS_ERROR, in, r, STANDING_UNKNOWN) ||
		   say_first(out, STATUS_ERROR, in, r, STANDING_STUCK) || say_late(out, in, r)) {
		return;
	} else if (r->moves || (r->count[STANDING_UNHEALTHY] && r->in_time)) {
		say_moving(out, r);
	} else if (say_first(out, STATUS_ERROR, in, r, STANDING_UNHEALTHY)) {
		return;
	} else if (r->count[STANDING_BLOCKED] && !waits_for_time(r)) {
		if (r->in_time)
			say_moving(out, r);
		else
			say_first(out, STATUS_ERROR, in, r, STANDING_BLOCKED);
	} else {
		say_success(out, in, r);
		r->whole = r->count[STANDING_HEALTHY] == r->total && !r->count[STANDING_GRACE];
	}
}

static bool is_moving(const struct report_item *it)
{
	return it->standing == STANDING_APPLYING || it->standing == STANDING_WAITING;
}

/* Of the items with drift, those that are on their way to being mended, or the others. */
static const struct report_item *first_drift(
	const struct report_input *in, bool moving, size_t *ret_n)
{
	const struct report_item *first = NULL;
	*ret_n = 0;
	for (size_t i = in->n_items; i-- > 0;) {
		if (!in->items[i].drift || is_moving(&in->items[i]) != moving)
			continue;
		first = &in->items[i];
		++*ret_n;
	}
	return first;
}

static bool say_drift(struct status_text *out, const struct report_input *in)
{
	size_t n;
	const struct report_item *it = first_drift(in, false, &n);
	if (it) {
		say_item(out, STATUS_FAILURE, it, n - 1);
		return true;
	}
	it = first_drift(in, true, &n);
	if (it)
		say(out, STATUS_FAILURE, "healing %zu: %s: %s", n, it->name, it->why);
	return it != NULL;
}

/* Never pending: what is on its way to being mended is still a difference. */
static void make_drift(const struct report_input *in, struct report *r)
{
	struct status_text *out = &r->drift;
	r->drift_known = true;
	if (in->store_error) {
		say(out, STATUS_ERROR, "%s", in->store_error);
	} else if (in->api_error &&
		   (in->api_hopeless || in->now_ms - in->api_since_ms >= in->timeout_ms)) {
		say_api(out, in);
	} else if (say_first(out, STATUS_FAILURE, in, r, STANDING_BRAKED) ||
		   say_first(out, STATUS_FAILURE, in, r, STANDING_FAILED) ||
		   say_first(out, STATUS_FAILURE, in, r, STANDING_DRIFTED) ||
		   say_first(out, STATUS_FAILURE, in, r, STANDING_PLANNED) ||
		   say_first(out, STATUS_FAILURE, in, r, STANDING_HELD) ||
		   say_first(out, STATUS_ERROR, in, r, STANDING_UNKNOWN) ||
		   say_first(out, STATUS_ERROR, in, r, STANDING_STUCK) ||
		   say_first(out, STATUS_FAILURE, in, r, STANDING_UNHEALTHY) ||
		   say_drift(out, in)) {
		return;
	} else if (in->compared) {
		say(out, STATUS_SUCCESS, "no drift");
	} else {
		r->drift_known = false;
	}
}

/* What is on its way out, or not to be in Git, is not among those that are to be in sync. */
static bool is_counted(enum standing standing)
{
	return standing != STANDING_ABSENT_OK && standing != STANDING_GRACE &&
	       standing != STANDING_DELETING && standing != STANDING_GONE;
}

void report_make(const struct report_input *in, struct report *ret_report)
{
	struct report *r = ret_report;
	*r = (struct report){.in_time = in->now_ms - in->head_since_ms < in->timeout_ms};
	for (size_t i = 0; i < in->n_items; i++) {
		r->count[in->items[i].standing]++;
		r->total += is_counted(in->items[i].standing);
		r->late += in->items[i].late;
	}
	r->moves = r->count[STANDING_APPLYING] || r->count[STANDING_WAITING] ||
		   r->count[STANDING_DELETING];
	snprintf(r->progress, sizeof(r->progress), "%zu/%zu", r->count[STANDING_HEALTHY], r->total);
	make_sync(in, r);
	make_drift(in, r);
}
