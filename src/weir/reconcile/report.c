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

#define WHY_LEAST  20 /* code points of what is wrong, however long all else is */
#define NAME_LEAST 20 /* ... of a name */
#define HEAD_LEAST (NAME_LEAST + 2 + WHY_LEAST) /* in front of a tail */
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

static void add_cut(struct buf *out, const char *text, size_t most)
{
	auto_buf struct buf cut = BUF_INIT;
	buf_adds(&cut, text);
	text_truncate(&cut, most);
	buf_adds(out, buf_str(&cut));
}

/* "a, or b; or c" is a. */
static void add_first_alternative(struct buf *out, const char *release)
{
	const char *next = strstr(release, ", or ");
	const char *then = strstr(release, "; ");
	const char *end = next && (!then || next < then) ? next : then;
	buf_add(out, release, end ? (size_t)(end - release) : strlen(release));
}

/* Whole if there is room for it beside what is wrong; the next attempt to the minute, since people
 * read it the same day. */
static void add_release(struct buf *out, const struct report_item *it)
{
	const char *release = it->release ? it->release : "";
	size_t said = text_length(it->name) + text_length(it->why);
	bool fits = said + text_length(release) + MARKS_MOST <= FORGE_TEXT_MAX;
	char at[CLOCK_TEXT_MAX];
	if (!release[0] || (!fits && it->brief && !it->brief[0]))
		return;
	buf_adds(out, "; ");
	if (fits || it->brief)
		buf_adds(out, fits ? release : it->brief);
	else
		add_first_alternative(out, release);
	if (it->standing == STANDING_FAILED && it->until_ms)
		buf_addf(out, ", next attempt at %s", clock_format_short(it->until_ms, at));
}

/* How much of the name there is room for beside what is wrong; little where the release has it. */
static size_t room_for_name(const struct report_item *it, const char *tail)
{
	size_t room = FORGE_TEXT_MAX - text_length(tail) - strlen(": ");
	size_t why = text_length(it->why);
	if (text_length(it->name) + why <= room)
		return room;
	why = why < WHY_LEAST ? why : WHY_LEAST;
	return strstr(tail, it->name) || room < why + NAME_LEAST ? NAME_LEAST : room - why;
}

/* "orders-dr: why; what releases it +2 more" for an item. */
static void say_item(struct status_text *out, enum status_state state, const struct report_item *it,
	size_t others)
{
	auto_buf struct buf tail = BUF_INIT;
	auto_buf struct buf name = BUF_INIT;
	add_release(&tail, it);
	if (others)
		buf_addf(&tail, " +%zu more", others);
	add_cut(&name, it->name, room_for_name(it, buf_str(&tail)));
	say_with(out, state, buf_str(&tail), "%s: %s", buf_str(&name), it->why);
}

static bool is_moving(const struct report_item *it)
{
	return it->standing == STANDING_APPLYING || it->standing == STANDING_WAITING;
}

/* Which status tells of it. Unwell is what may still become Healthy until its time is over. */
enum tell {
	TELL_SYNC = 1,
	TELL_DRIFT = 2,
	TELL_SYNC_UNWELL = 4,
	TELL_DRIFT_UNWELL = 8,
};

/* What makes a status fail, in the order in which it is told: what needs a person goes first. */
static const struct ill {
	enum standing standing; /* APPLYING: for too long; STANDING__COUNT: any that differs */
	enum status_state state;
	unsigned tells;
} ills[] = {
	{STANDING_BRAKED, STATUS_FAILURE, TELL_SYNC | TELL_DRIFT},
	{STANDING_HELD, STATUS_FAILURE, TELL_SYNC | TELL_DRIFT},
	{STANDING_UNKNOWN, STATUS_ERROR, TELL_SYNC | TELL_DRIFT},
	{STANDING_FAILED, STATUS_FAILURE, TELL_SYNC | TELL_DRIFT},
	{STANDING_DRIFTED, STATUS_FAILURE, TELL_DRIFT},
	{STANDING_PLANNED, STATUS_FAILURE, TELL_DRIFT},
	{STANDING_STUCK, STATUS_ERROR, TELL_SYNC | TELL_DRIFT},
	{STANDING_APPLYING, STATUS_ERROR, TELL_SYNC},
	{STANDING_UNHEALTHY, STATUS_ERROR, TELL_SYNC_UNWELL},
	{STANDING_UNHEALTHY, STATUS_FAILURE, TELL_DRIFT_UNWELL},
	{STANDING__COUNT, STATUS_FAILURE, TELL_DRIFT},
};

static bool has_ill(const struct report_item *it, const struct ill *ill)
{
	if (ill->standing == STANDING__COUNT)
		return it->drift && !is_moving(it);
	return it->standing == ill->standing && (it->standing != STANDING_APPLYING || it->late);
}

static const struct ill *worst_ill(const struct report_item *it, unsigned tells)
{
	for (size_t i = 0; i < ARRAY_SIZE(ills); i++)
		if ((ills[i].tells & tells) && has_ill(it, &ills[i]))
			return &ills[i];
	return NULL;
}

/* The first of the worst items, and how many more there are of all that is told here or, if
 * anything is, also. */
static bool say_worst(
	struct status_text *out, const struct report_input *in, unsigned tells, unsigned also)
{
	const struct report_item *first = NULL;
	const struct ill *worst = NULL;
	size_t n = 0;
	for (size_t i = 0; i < in->n_items; i++) {
		const struct ill *ill = worst_ill(&in->items[i], tells | also);
		n += ill != NULL;
		if (!ill || (worst && worst <= ill))
			continue;
		worst = ill;
		first = &in->items[i];
	}
	if (!worst || !(worst->tells & tells))
		return false;
	say_item(out, worst->state, first, n - 1);
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

/* How much is said of those that stand so: all, or what there is room for. */
enum detail { DETAIL_COUNT, DETAIL_TIME, DETAIL_RELEASE, DETAIL_NAME, DETAIL_ALL };

/* What a success says besides, in this order. */
static const struct aside {
	enum standing standing;
	const char *text; /* behind the count */
	const char *until; /* in front of the time; NULL: there is none */
	const char *why; /* and what releases it, of NAME; NULL: whoever suspended it */
} asides[] = {
	{STANDING_PLANNED, "to change", NULL, "sync.mode is plan"},
	{STANDING_DRIFTED, "drifted", NULL, "sync.mode is report"},
	{STANDING_SUSPENDED, "suspended", "until", NULL},
	{STANDING_WINDOW, "waiting for a window", "until", "sync.windows"},
	{STANDING_GRACE, "to be deleted", "at", "unless put back into Git"},
	{STANDING_BLOCKED, "waiting for these", NULL, "sync.depends_on"},
	{STANDING_ABSENT_OK, "not in Git", NULL, "prune is off; weir forget NAME"},
};

/* Those that stand so: the one that is released first, another one, and when. */
struct group {
	const struct report_item *first;
	const struct report_item *second;
	bool same; /* all at the same time */
};

static struct group gather(const struct report_input *in, enum standing standing)
{
	struct group g = {.same = true};
	for (size_t i = 0; i < in->n_items; i++) {
		const struct report_item *it = &in->items[i];
		if (it->standing != standing)
			continue;
		g.same = g.same && (!g.first || it->until_ms == g.first->until_ms);
		bool sooner = g.first && it->until_ms &&
			      (!g.first->until_ms || it->until_ms < g.first->until_ms);
		if (!g.first || sooner) {
			g.second = g.first;
			g.first = it;
		} else if (!g.second) {
			g.second = it;
		}
	}
	return g;
}

/* " until 06:00Z", or with the date if that is far; of several, the first. */
static void add_until(
	struct buf *out, const struct report_input *in, const struct group *g, const char *word)
{
	char text[CLOCK_TEXT_MAX];
	int64_t first = g->first->until_ms;
	if (!word || !first)
		return;
	if (first - in->now_ms < DAY_MS)
		clock_format_short(first, text);
	else
		clock_format_second(first, text);
	buf_addf(out, "%s %s %s", g->same ? "" : ", first", word, text);
}

static void add_names(struct buf *out, const struct group *g, size_t n, enum detail detail)
{
	bool all = detail == DETAIL_ALL;
	buf_adds(out, ": ");
	add_cut(out, g->first->name, all ? FORGE_TEXT_MAX : NAME_LEAST);
	if (all && n == 2 && g->second)
		buf_addf(out, ", %s", g->second->name);
	else if (n > 1)
		buf_addf(out, " +%zu more", n - 1);
}

/* Of several, the first stands for all. */
static void add_command(struct buf *out, const char *command, const char *name, size_t n)
{
	const char *at = strstr(command, "NAME");
	if (!at)
		buf_adds(out, command);
	else
		buf_addf(out, "%.*s%s%s", (int)(at - command), command, name, n > 1 ? ", …" : "");
}

/* ", 1 suspended until 06:00Z (by jane: broker upgrade; weir resume orders-dr): orders-dr" */
static void add_aside(struct buf *out, const struct report_input *in, const struct aside *a,
	size_t n, enum detail detail)
{
	const struct group g = gather(in, a->standing);
	if (!g.first)
		return;
	const char *resume = g.first->in_git ? "sync.suspend in Git" : "weir resume NAME";
	const char *why = a->why ? a->why : resume;
	const char *reason = detail == DETAIL_ALL ? g.first->reason : NULL;
	bool has_reason = reason && reason[0];
	buf_addf(out, ", %zu %s", n, a->text);
	if (detail >= DETAIL_TIME)
		add_until(out, in, &g, a->until);
	if (detail >= DETAIL_RELEASE) {
		buf_addf(out, " (%s%s", has_reason ? reason : "", has_reason ? "; " : "");
		add_command(out, why, g.first->name, n);
		buf_addc(out, ')');
	}
	if (detail >= DETAIL_NAME)
		add_names(out, &g, n, detail);
}

/* The next one to be shortened: the longest, of several the last; NULL if there is nothing left. */
static enum detail *longest(const struct report *r, enum detail details[ARRAY_SIZE(asides)])
{
	enum detail *found = NULL;
	for (size_t i = 0; i < ARRAY_SIZE(asides); i++)
		if (r->count[asides[i].standing] && details[i] > DETAIL_COUNT &&
			(!found || details[i] >= *found))
			found = &details[i];
	return found;
}

static void add_success(struct buf *out, const struct report_input *in, const struct report *r,
	const enum detail details[ARRAY_SIZE(asides)])
{
	buf_addf(out, "%zu in sync", r->count[STANDING_HEALTHY]);
	if (in->changed > 0)
		buf_addf(out, " (%lld changed%s", (long long)in->changed,
			in->new_store ? "; " : ")");
	if (in->new_store)
		buf_addf(out, "%snew state: nothing is pruned)", in->changed > 0 ? "" : " (");
	for (size_t i = 0; i < ARRAY_SIZE(asides); i++)
		if (r->count[asides[i].standing])
			add_aside(out, in, &asides[i], r->count[asides[i].standing], details[i]);
}

/* As much as there is room for. */
static void say_success(
	struct status_text *out, const struct report_input *in, const struct report *r)
{
	enum detail details[ARRAY_SIZE(asides)];
	auto_buf struct buf text = BUF_INIT;
	for (size_t i = 0; i < ARRAY_SIZE(asides); i++)
		details[i] = DETAIL_ALL;
	add_success(&text, in, r, details);
	for (enum detail *d;
		text_length(buf_str(&text)) > FORGE_TEXT_MAX && (d = longest(r, details));) {
		--*d;
		buf_clear(&text);
		add_success(&text, in, r, details);
	}
	say(out, STATUS_SUCCESS, "%s", buf_str(&text));
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

static void say_blocked(
	struct status_text *out, const struct report_input *in, const struct report *r)
{
	const struct report_item *it = in->items;
	while (it->standing != STANDING_BLOCKED)
		it++;
	say_item(out, STATUS_ERROR, it, r->count[STANDING_BLOCKED] - 1);
}

static void make_sync(const struct report_input *in, struct report *r)
{
	struct status_text *out = &r->sync;
	if (in->rewound) {
		say_with(out, STATUS_FAILURE, in->rewound_release, "%s", in->rewound);
	} else if (in->load_error) {
		say(out, in->load_is_ours ? STATUS_ERROR : STATUS_FAILURE, "%s", in->load_error);
	} else if (say_problems(out, in->problems)) {
		return;
	} else if (in->store_error) {
		say(out, STATUS_ERROR, "%s", in->store_error);
	} else if (say_api(out, in)) {
		return;
	} else if (!in->compared) {
		say(out, STATUS_PENDING, REPORT_COMPARING);
	} else if (say_worst(out, in, TELL_SYNC, r->in_time ? 0 : TELL_SYNC_UNWELL)) {
		return;
	} else if (r->moves || (r->count[STANDING_UNHEALTHY] && r->in_time)) {
		say_moving(out, r);
	} else if (say_worst(out, in, TELL_SYNC_UNWELL, 0)) {
		return;
	} else if (r->count[STANDING_BLOCKED] && !waits_for_time(r)) {
		if (r->in_time)
			say_moving(out, r);
		else
			say_blocked(out, in, r);
	} else {
		say_success(out, in, r);
		r->whole = r->count[STANDING_HEALTHY] == r->total && !r->count[STANDING_GRACE];
	}
}

/* Of what is on its way to being mended. */
static bool say_healing(struct status_text *out, const struct report_input *in)
{
	const struct report_item *first = NULL;
	size_t n = 0;
	for (size_t i = in->n_items; i-- > 0;) {
		if (!in->items[i].drift || !is_moving(&in->items[i]))
			continue;
		first = &in->items[i];
		n++;
	}
	if (first)
		say(out, STATUS_FAILURE, "healing %zu: %s: %s", n, first->name, first->why);
	return first;
}

/* Never pending: what is on its way to being mended is still a difference. What a commit changes is
 * none, nor is what may still become Healthy in time once it was applied. */
static void make_drift(const struct report_input *in, struct report *r)
{
	struct status_text *out = &r->drift;
	bool is_unwell = in->latched || r->sync.state != STATUS_PENDING;
	r->drift_known = true;
	if (in->store_error) {
		say(out, STATUS_ERROR, "%s", in->store_error);
	} else if (in->api_error &&
		   (in->api_hopeless || in->now_ms - in->api_since_ms >= in->timeout_ms)) {
		say_api(out, in);
	} else if (say_worst(out, in, TELL_DRIFT | (is_unwell ? TELL_DRIFT_UNWELL : 0), 0) ||
		   say_healing(out, in)) {
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
