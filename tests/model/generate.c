/* The history of a seed. */
#include "history.h"

#include "base/alloc.h"
#include "base/rng.h"
#include "config/config.h"
#include "model.h"

#define ACTS_LEAST  8
#define ACTS_MOST   24
#define WINDOW_MOST 8 /* minutes */

struct maker {
	struct history *h;
	struct rng_seeded seed;
	struct rng rng;
	unsigned skills; /* bit per row of `acts`: this history has it */
};

static int64_t dice(struct maker *m, int64_t bound)
{
	return (int64_t)rng_below(&m->rng, (uint64_t)bound);
}

static int64_t between(struct maker *m, int64_t from, int64_t to)
{
	return from + dice(m, to - from + 1);
}

static void add(struct maker *m, enum step_kind kind, int who, int what, int64_t n, int64_t extra)
{
	vec_push(m->h, (struct step){kind, who, what, n, extra});
}

static int somebody(struct maker *m)
{
	return (int)dice(m, WHO__COUNT);
}

static int some_field(struct maker *m)
{
	return (int)dice(m, F__COUNT);
}

/* ---- acts: a few steps that belong together */

static void change_git(struct maker *m)
{
	for (int64_t i = between(m, 1, 3); i > 0; i--) {
		int who = somebody(m), f = some_field(m);
		int64_t n = dice(m, 4) ? between(m, 1, field_rows[f].most) : between(m, -1, 0);
		add(m, STEP_DECLARE, who, 0, 0, 0);
		if (f == F_UNIT && n > 0)
			add(m, STEP_WRITE, who, F_THRESHOLD, between(m, 1, 9), 0);
		if (f != F_SOURCE || !dice(m, 3))
			add(m, STEP_WRITE, who, f, n, 0);
	}
	add(m, STEP_PUSH, 0, 0, 0, 0);
}

/* All at once, and perhaps none of it ends well. */
static void change_all(struct maker *m)
{
	int f = F_GROUPS + (int)dice(m, 3);
	if (dice(m, 2))
		add(m, STEP_API, 0, API_SWITCH_FAILS, 1, 0);
	for (int who = 0; who < WHO__COUNT; who++) {
		add(m, STEP_DECLARE, who, 0, 0, 0);
		add(m, STEP_WRITE, who, f, between(m, 1, field_rows[f].most), 0);
	}
	add(m, STEP_PUSH, 0, 0, 0, 0);
}

static void shuffle_git(struct maker *m)
{
	static const enum step_kind kinds[] = {STEP_REMOVE, STEP_MOVE, STEP_DECLARE};
	for (int who = 0, all = dice(m, 8) == 0; all && who < WHO__COUNT; who++)
		add(m, STEP_REMOVE, who, 0, 0, 0);
	add(m, kinds[dice(m, ARRAY_SIZE(kinds))], somebody(m), 0, 0, 0);
	add(m, STEP_PUSH, 0, 0, 0, 0);
}

static void break_git(struct maker *m)
{
	if (dice(m, 5) == 0)
		add(m, STEP_PATH, 0, 0, dice(m, 2), 0);
	else
		add(m, STEP_BREAK, somebody(m), 0, dice(m, 4), 0);
	add(m, STEP_PUSH, 0, 0, 0, 0);
}

static void set_git(struct maker *m)
{
	static const int64_t most[SETTING__COUNT] = {2, 1, 1, 1, 1, F__COUNT - 1, WHO__COUNT - 1};
	for (int64_t i = between(m, 1, 2); i > 0; i--) {
		int what = (int)dice(m, SETTING__COUNT);
		int64_t least = what == SETTING_IGNORE || what == SETTING_DEPENDS ? -1 : 0;
		add(m, STEP_SETTING, somebody(m), what, between(m, least, most[what]), 0);
	}
	add(m, STEP_PUSH, 0, 0, 0, 0);
}

static void rewind_git(struct maker *m)
{
	if (dice(m, 2))
		add(m, STEP_REWIND, 0, 0, between(m, 1, 3), 0);
	else
		add(m, STEP_REWRITE, 0, 0, 0, 0);
}

static void fail_git(struct maker *m)
{
	add(m, dice(m, 3) ? STEP_GIT : STEP_BRANCH, 0, 0, dice(m, 2), 0);
}

static void rival_saves(struct maker *m)
{
	int f = some_field(m);
	add(m, STEP_SAVE, somebody(m), f, dice(m, field_rows[f].most + 1), 0);
}

static void rival_launches(struct maker *m)
{
	add(m, STEP_LAUNCH, somebody(m), 0, 0, 0);
}

static void rival_edits(struct maker *m)
{
	int f = some_field(m);
	add(m, STEP_EDIT, somebody(m), f, dice(m, field_rows[f].most + 1), 0);
}

static void rival_deletes(struct maker *m)
{
	int who = somebody(m);
	add(m, STEP_DELETE, who, 0, 0, 0);
	if (dice(m, 3))
		return;
	add(m, STEP_RUN, 0, 0, dice(m, 2) ? 5000 : 60000, dice(m, 1000));
	add(m, STEP_MAKE, who, 0, dice(m, 2) ? 0 : dice(m, 2187), dice(m, 2));
}

static void rival_makes(struct maker *m)
{
	add(m, STEP_MAKE, somebody(m), 0, dice(m, 2) ? 0 : dice(m, 2187), dice(m, 2));
}

static void fail_calls(struct maker *m)
{
	int64_t mishap = between(m, MISHAP_LOST, MISHAP_HTML);
	add(m, STEP_FAULT, 0, (int)dice(m, 5), between(m, 1, dice(m, 4) ? 2 : 6), mishap);
}

static void change_api(struct maker *m)
{
	static const struct {
		enum api_switch what;
		int64_t least, most;
	} switches[] = {
		{API_SWITCH_DOWN, 0, 1},
		{API_SWITCH_FAILS, 0, 1},
		{API_SWITCH_SLOW, 0, 20000},
		{API_SWITCH_LAG, 0, 30000},
		{API_SWITCH_TAKES, 0, 20000},
		{API_SWITCH_TAKES, 0, 1200000},
		{API_SWITCH_HIDES, 0, 15},
	};
	int64_t i = dice(m, ARRAY_SIZE(switches));
	bool off = dice(m, 2) && switches[i].what != API_SWITCH_TAKES;
	int64_t n = off ? 0 : between(m, switches[i].least, switches[i].most);
	add(m, STEP_API, 0, (int)switches[i].what, n, 0);
}

static void fail_forge(struct maker *m)
{
	add(m, STEP_FORGE, 0, 0, dice(m, 4), 0);
}

static void fill_disk(struct maker *m)
{
	add(m, STEP_DISK, 0, 0, dice(m, 2), 0);
}

static void order(struct maker *m)
{
	int what = (int)dice(m, ORDER__COUNT);
	int64_t ms = what == ORDER_SUSPEND && dice(m, 2) ? between(m, 1, 7200000) : 0;
	add(m, STEP_ORDER, somebody(m), what, ms, 0);
}

/* It was protected, or a person lets go of it in its grace: both are remembered, and alone. */
static void remove_guarded(struct maker *m)
{
	int who = somebody(m);
	add(m, STEP_DECLARE, who, 0, 0, 0);
	add(m, STEP_DECLARE, (who + 1) % WHO__COUNT, 0, 0, 0);
	if (dice(m, 2)) {
		add(m, STEP_SETTING, who, SETTING_REPLACE, 0, 0);
		add(m, STEP_SETTING, who, SETTING_PROTECT, 1, 0);
	}
	add(m, STEP_PUSH, 0, 0, 0, 0);
	add(m, STEP_RUN, 0, 0, between(m, 0, 2) * 30000, 0);
	add(m, STEP_REMOVE, who, 0, 0, 0);
	add(m, STEP_PUSH, 0, 0, 0, 0);
	add(m, STEP_RUN, 0, 0, between(m, 1, 20) * 1000, 0);
	if (dice(m, 2))
		add(m, STEP_ORDER, who, ORDER_FORGET, 0, 0);
	add(m, STEP_RUN, 0, 0, between(m, 0, 2) * 600000, 0);
}

/* Something is held, a person approves it, and before weir comes to it somebody changes it. */
static void approve_and_change(struct maker *m)
{
	int who = somebody(m), f = some_field(m), other = F_GROUPS + (int)dice(m, 3);
	bool is_new = dice(m, 2);
	if (is_new)
		add(m, STEP_MAKE, who, 0, between(m, 1, 2186), dice(m, 2));
	add(m, STEP_DECLARE, who, 0, 0, 0);
	add(m, STEP_WRITE, who, other, between(m, 1, field_rows[other].most), 0);
	if (!is_new)
		add(m, STEP_SAVE, who, f, between(m, 1, field_rows[f].most), 0);
	add(m, STEP_PUSH, 0, 0, 0, 0);
	add(m, STEP_RUN, 0, 0, between(m, 1, 20) * 1000, 0);
	add(m, STEP_ORDER, who, ORDER_APPROVE, 0, 0);
	add(m, dice(m, 2) ? STEP_SAVE : STEP_EDIT, who, f, between(m, 0, field_rows[f].most), 0);
	add(m, STEP_RUN, 0, 0, between(m, 1, 20) * 1000, 0);
}

static void jump(struct maker *m)
{
	int64_t ms = between(m, 0, dice(m, 2) ? 20000 : 7200000);
	add(m, STEP_CLOCK, 0, 0, dice(m, 2) ? ms : -ms, 0);
}

static void restart(struct maker *m)
{
	if (dice(m, 4))
		add(m, STEP_KILL, 0, 0, dice(m, 243), 0);
	else
		add(m, STEP_STOP, 0, 0, 0, 0);
	if (dice(m, 4) == 0)
		add(m, STEP_CONFIG, 0, CONFIG_CONCURRENCY, between(m, 1, 4), 0);
	add(m, STEP_START, 0, 0, 0, 0);
}

static void twin(struct maker *m)
{
	add(m, STEP_TWIN, 0, 0, dice(m, 3) > 0, 0);
}

static void lose_store(struct maker *m)
{
	add(m, STEP_KILL, 0, 0, dice(m, 243), 0);
	add(m, STEP_LOSE_STORE, 0, 0, 0, 0);
	add(m, STEP_START, 0, 0, 0, 0);
}

static const struct act_row {
	void (*make)(struct maker *m);
	unsigned weight;
	unsigned one_of; /* histories have it */
} acts[] = {
	{change_git, 8, 1},
	{shuffle_git, 2, 2},
	{break_git, 2, 2},
	{set_git, 3, 2},
	{rewind_git, 1, 3},
	{fail_git, 1, 3},
	{rival_saves, 2, 2},
	{rival_launches, 2, 2},
	{rival_edits, 3, 2},
	{rival_deletes, 2, 3},
	{rival_makes, 1, 3},
	{fail_calls, 4, 2},
	{change_api, 2, 2},
	{fail_forge, 1, 3},
	{fill_disk, 1, 4},
	{jump, 1, 3},
	{restart, 3, 2},
	{lose_store, 1, 8},
	{order, 3, 2},
	{change_all, 2, 3},
	{twin, 2, 6},
	{remove_guarded, 2, 4},
	{approve_and_change, 2, 4},
};

static void choose_skills(struct maker *m)
{
	for (size_t i = 0; i < ARRAY_SIZE(acts); i++)
		if (dice(m, acts[i].one_of) == 0)
			m->skills |= 1u << i;
}

static void act(struct maker *m)
{
	int64_t total = 0;
	for (size_t i = 0; i < ARRAY_SIZE(acts); i++)
		total += m->skills >> i & 1 ? acts[i].weight : 0;
	int64_t at = dice(m, total);
	for (size_t i = 0; i < ARRAY_SIZE(acts); i++) {
		at -= m->skills >> i & 1 ? acts[i].weight : 0;
		if (at < 0) {
			acts[i].make(m);
			return;
		}
	}
}

/* Mostly between two events: that is where it hurts. */
static void pass_time(struct maker *m)
{
	int64_t salt = dice(m, 2) ? between(m, 1, 999) : 0;
	switch (dice(m, 8)) {
	case 0:
	case 1:
	case 2:
		add(m, STEP_EVENTS, 0, 0, between(m, 1, 4), salt);
		break;
	case 3:
		add(m, STEP_EVENTS, 0, 0, between(m, 1, 20), salt);
		break;
	case 4:
	case 5:
		add(m, STEP_RUN, 0, 0, between(m, 1, 8) * 1000, salt);
		break;
	case 6:
		add(m, STEP_RUN, 0, 0, between(m, 1, 20) * 30000, salt);
		break;
	default:
		break;
	}
}

static void make_api(struct maker *m)
{
	for (int v = 0; v < VARIANT__COUNT; v++)
		if (dice(m, 6) == 0 && v != VARIANT_MERGES) /* its keys are not reset yet */
			add(m, STEP_VARIANT, 0, v, 0, 0);
}

static void make_guards(struct maker *m)
{
	if (dice(m, 6) == 0)
		add(m, STEP_CONFIG, 0, CONFIG_MAX_UPDATES, between(m, 1, 3), 0);
	if (dice(m, 4))
		return;
	add(m, STEP_CONFIG, 0, CONFIG_WINDOW, between(m, -WINDOW_MOST, WINDOW_MOST), 0);
	add(m, STEP_CONFIG, 0, CONFIG_WINDOW_MATCH, dice(m, 2), 0);
}

static void make_config(struct maker *m)
{
	if (dice(m, 2))
		add(m, STEP_CONFIG, 0, CONFIG_REWIND, 1, 0);
	if (dice(m, 2))
		add(m, STEP_CONFIG, 0, CONFIG_CONCURRENCY, between(m, 1, 4), 0);
	if (dice(m, 4) == 0)
		add(m, STEP_CONFIG, 0, CONFIG_ADOPT, between(m, 1, 2), 0);
	if (dice(m, 2))
		return;
	if (dice(m, 5))
		add(m, STEP_CONFIG, 0, CONFIG_PRUNE, 1, 0);
	add(m, STEP_CONFIG, 0, CONFIG_PRUNE_MAX, between(m, 0, 3), 0);
	add(m, STEP_CONFIG, 0, CONFIG_PRUNE_GRACE, dice(m, 3) ? between(m, 0, 600000) : 0, 0);
}

void history_make(struct history *h, uint64_t seed)
{
	struct maker m = {.h = h};
	m.rng = rng_from_seed(&m.seed, seed);
	choose_skills(&m);
	if (dice(&m, 2))
		make_api(&m);
	make_config(&m);
	make_guards(&m);
	for (int64_t i = between(&m, 1, WHO__COUNT); i > 0; i--)
		add(&m, STEP_DECLARE, somebody(&m), 0, 0, 0);
	change_git(&m);
	add(&m, STEP_START, 0, 0, 0, 0);
	for (int64_t i = between(&m, ACTS_LEAST, ACTS_MOST); i > 0; i--) {
		pass_time(&m);
		act(&m);
	}
}
