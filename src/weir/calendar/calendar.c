/* Windows of time: which are on, what follows from it for a replicator, and until when. */
#include "calendar/calendar.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/limits.h"
#include "calendar/schedule.h"

#define YEAR_S	  ((int64_t)366 * 86400)
#define DAY_S	  ((int64_t)86400) /* "not within a year" is looked at anew after it */
#define NEVER	  INT64_MAX
#define NO_WINDOW SIZE_MAX

/* What is known of sets of windows; as many as there are likely to be different sets. */
#define REMEMBERED 64

/* Whether a window is on, and the seconds in which that holds. */
struct phase {
	bool on;
	int64_t from_s;
	int64_t to_s; /* exclusive; NEVER: not within a year */
};

struct window {
	bool deny;
	const char *text; /* the schedule as it was written */
	const char *timezone;
	int64_t duration_s;
	const struct node *match;
	struct schedule schedule;
	struct phase last;
};

/* What a set of windows comes to. */
struct verdict {
	uint64_t set; /* bit per window that concerns a replicator */
	bool open;
	size_t rule;
	int64_t from_s;
	int64_t to_s; /* until when all of this holds */
	int64_t looked_s; /* when it was looked for the next: */
	int64_t turn_s; /* when `open` changes; NEVER: not within a year */
};

struct memory {
	size_t next; /* to be forgotten */
	struct verdict verdicts[REMEMBERED];
};

/* What is remembered stands behind pointers: it changes nothing that shows. */
struct windows {
	size_t n;
	struct window *at;
	struct memory *memory;
	struct arena arena;
};
_Static_assert(LIMIT_WINDOWS <= 64, "a set of windows is 64 bits");

/* ---- making them ---- */

static int check_duration(const struct window_rule *rule, struct err *e)
{
	if (rule->duration_ms < LIMIT_WINDOW_MS_MIN || rule->duration_ms > LIMIT_WINDOW_MS_MAX)
		return err_set(e, ERR_INVALID, "must be a duration between %dm and %dh, such as 9h",
			(int)(LIMIT_WINDOW_MS_MIN / 60000), (int)(LIMIT_WINDOW_MS_MAX / 3600000));
	if (rule->duration_ms % 1000)
		return err_set(e, ERR_INVALID, "must be whole seconds, such as 90s");
	return 0;
}

int window_check(const struct window_rule *rule, const char **ret_key, struct err *e)
{
	struct zone *zone = NULL;
	struct cron cron;

	*ret_key = "schedule";
	if (cron_parse(rule->schedule, &cron, e) < 0)
		return -ERR_INVALID;
	*ret_key = "duration";
	if (check_duration(rule, e) < 0)
		return -ERR_INVALID;
	*ret_key = "timezone";
	if (zone_new(rule->timezone, &zone, e) < 0)
		return -ERR_INVALID;
	zone_free(zone);
	return 0;
}

static int add_window(struct windows *w, const struct window_rule *rule, struct err *e)
{
	struct window *it = &w->at[w->n];
	const char *key;

	if (window_check(rule, &key, e) < 0)
		return err_prefix(e, "%s", key);
	cron_parse(rule->schedule, &it->schedule.cron, NULL);
	if (zone_new(rule->timezone, &it->schedule.zone, e) < 0)
		return -ERR_INVALID;
	it->deny = rule->deny;
	it->text = arena_strdup(&w->arena, rule->schedule);
	it->timezone = arena_strdup(&w->arena, rule->timezone);
	it->duration_s = rule->duration_ms / 1000;
	it->match = rule->match ? node_copy(&w->arena, rule->match) : NULL;
	w->n++;
	return 0;
}

int windows_new(const struct window_rule *rules, size_t n, struct windows **ret_windows,
	size_t *ret_bad, struct err *e)
{
	struct windows *w;

	*ret_bad = LIMIT_WINDOWS;
	if (n > LIMIT_WINDOWS)
		return err_set(e, ERR_INVALID,
			"there are %zu windows, more than the %d that weir takes: put some "
			"together",
			n, LIMIT_WINDOWS);
	w = xcalloc(1, sizeof(*w));
	w->at = arena_alloc(&w->arena, n * sizeof(*w->at));
	w->memory = arena_alloc(&w->arena, sizeof(*w->memory));
	for (size_t i = 0; i < n; i++) {
		if (add_window(w, &rules[i], e) < 0) {
			*ret_bad = i;
			windows_free(w);
			return -ERR_INVALID;
		}
	}
	*ret_windows = w;
	return 0;
}

void windows_free(struct windows *w)
{
	if (!w)
		return;
	for (size_t i = 0; i < w->n; i++)
		zone_free(w->at[i].schedule.zone);
	arena_release(&w->arena);
	free(w);
}

/* ---- one window ---- */

/* When a window that began at `begin` is over, however often it begins again before. */
static int64_t find_end(const struct window *w, int64_t begin)
{
	int64_t horizon = begin + w->duration_s + YEAR_S;
	int64_t again = begin;

	do
		begin = again;
	while (begin < horizon &&
		schedule_last(&w->schedule, begin + 1, begin + w->duration_s + 1, &again));
	return begin < horizon ? begin + w->duration_s : NEVER;
}

/* The phase that `now` is in. Where it began does not matter, so it is taken to begin there. */
static void find_phase(struct window *w, int64_t now_s)
{
	struct phase *p = &w->last;
	int64_t begin;

	*p = (struct phase){.on = true, .from_s = now_s, .to_s = NEVER};
	if (cron_is_always(&w->schedule.cron))
		return;
	if (schedule_last(&w->schedule, now_s - w->duration_s + 1, now_s + 1, &begin)) {
		p->to_s = find_end(w, begin);
		return;
	}
	p->on = false;
	schedule_first(&w->schedule, now_s + 1, now_s + YEAR_S, &p->to_s);
}

/* Whether what was found at `from` and holds until `to` is of use at `now`. */
static bool holds(int64_t from_s, int64_t to_s, int64_t now_s)
{
	return now_s >= from_s && now_s < to_s && (to_s != NEVER || now_s - from_s < DAY_S);
}

static struct phase phase_at(struct window *w, int64_t now_s)
{
	if (!holds(w->last.from_s, w->last.to_s, now_s))
		find_phase(w, now_s);
	return w->last;
}

/* ---- a set of them ---- */

static int64_t earlier(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* Sets what holds at `now`, and until when all of it does. Of windows that deny, the one that does
 * so longest is named. */
static void judge(const struct windows *w, int64_t now_s, struct verdict *v)
{
	int64_t denied_until = 0;
	bool any_allows = false, allowed = false;

	v->from_s = now_s;
	v->to_s = NEVER;
	v->rule = NO_WINDOW;
	for (size_t i = 0; i < w->n; i++) {
		struct phase p;

		if (!(v->set >> i & 1))
			continue;
		p = phase_at(&w->at[i], now_s);
		v->to_s = earlier(v->to_s, p.to_s);
		any_allows |= !w->at[i].deny;
		allowed |= !w->at[i].deny && p.on;
		if (w->at[i].deny && p.on && p.to_s > denied_until) {
			denied_until = p.to_s;
			v->rule = i;
		}
	}
	v->open = v->rule == NO_WINDOW && (allowed || !any_allows);
}

/* When it is first otherwise than `v` says. */
static int64_t find_turn(const struct windows *w, const struct verdict *v)
{
	struct verdict next = *v;

	while (next.to_s != NEVER && next.to_s - v->from_s < YEAR_S) {
		judge(w, next.to_s, &next);
		if (next.open != v->open)
			return next.from_s;
	}
	return NEVER;
}

static struct verdict *find_verdict(struct memory *m, uint64_t set)
{
	struct verdict *v;

	for (size_t i = 0; i < REMEMBERED; i++) {
		if (m->verdicts[i].set == set)
			return &m->verdicts[i];
	}
	v = &m->verdicts[m->next++ % REMEMBERED];
	*v = (struct verdict){.set = set};
	return v;
}

/* `set` is not empty. */
static const struct verdict *verdict_at(const struct windows *w, uint64_t set, int64_t now_s)
{
	struct verdict *v = find_verdict(w->memory, set);

	if (!holds(v->from_s, v->to_s, now_s))
		judge(w, now_s, v);
	if (!holds(v->looked_s, v->turn_s, now_s)) {
		v->looked_s = now_s;
		v->turn_s = find_turn(w, v);
	}
	return v;
}

static bool concerns(const struct window *w, const struct node *labels)
{
	for (size_t i = 0; w->match && i < w->match->u.map.n; i++) {
		const struct node_pair *wanted = &w->match->u.map.at[i];
		const char *label = node_get_string(labels, wanted->key->u.string.s);

		if (!label || strcmp(label, wanted->value->u.string.s) != 0)
			return false;
	}
	return true;
}

struct window_state windows_at(const struct windows *w, const struct node *labels, int64_t now_ms)
{
	int64_t now_s = now_ms / 1000 - (now_ms % 1000 < 0);
	const struct verdict *v;
	uint64_t set = 0;

	for (size_t i = 0; w && i < w->n; i++)
		set |= (uint64_t)concerns(&w->at[i], labels) << i;
	if (!set)
		return (struct window_state){true, INT64_MAX, NO_WINDOW};
	v = verdict_at(w, set, now_s);
	return (struct window_state){
		v->open, v->turn_s == NEVER ? INT64_MAX : v->turn_s * 1000, v->rule};
}

/* 2028 has a 29 February, and within eight years each date falls on each day of the week. */
#define YEARS_BEGIN_MS INT64_C(1830297600000)
#define YEARS	       8

bool windows_open_ever(const struct windows *w, const struct node *labels)
{
	for (int64_t year = 0; year < YEARS; year++) {
		struct window_state s =
			windows_at(w, labels, YEARS_BEGIN_MS + year * YEAR_S * 1000);

		if (s.open || s.until_ms != INT64_MAX)
			return true;
	}
	return false;
}

void windows_text(const struct windows *w, const struct window_state *state, struct buf *out)
{
	char text[CLOCK_TEXT_MAX];

	if (state->open) {
		buf_adds(out, "open");
	} else if (state->rule == NO_WINDOW) {
		buf_adds(out, "closed outside of the windows that allow changes");
	} else {
		const struct window *it = &w->at[state->rule];

		buf_addf(out, "closed by the window \"%s\" for %s (%s)", it->text,
			duration_format(it->duration_s * 1000, text), it->timezone);
	}
	if (state->until_ms != INT64_MAX)
		buf_addf(out, ", until %s", clock_format(state->until_ms, text));
}
