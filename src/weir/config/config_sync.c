/* What the keys of `sync` say together: windows, and settings that contradict each other. */
#include "config/config.h"

#include <string.h>

#include "base/alloc.h"
#include "base/limits.h"
#include "config/tables.h"

struct check {
	struct config *config;
	const struct node *sync; /* the section */
	struct problems *problems;
};

static void tell(const struct check *c, enum problem_level level, const struct node *at,
	const char *path, const char *message)
{
	problems_add(c->problems, level, c->config->file, at ? at->line : 0, at ? at->col : 0, path,
		"%s", message);
}

static void check_prune(const struct check *c)
{
	const struct node *prune = node_get(c->sync, "prune");

	if (!c->config->sync.prune.enabled)
		return;
	if (c->config->sync.prune.max.value == 0)
		tell(c, PROBLEM_ERROR, node_get(prune, "max"), "sync.prune.max",
			"holds whatever would be deleted: raise it, or set prune.enabled to false");
	if (c->config->sync.mode == SYNC_PLAN)
		tell(c, PROBLEM_WARNING, node_get(prune, "enabled"), "sync.prune.enabled",
			"has no effect with mode plan, which writes nothing: what would be deleted "
			"is only shown");
}

static const struct node *written_window(const struct check *c, size_t i)
{
	return node_get(c->sync, "windows")->u.seq.at[i];
}

static struct window_rule *make_rules(struct config *c)
{
	const struct window_keys *keys = c->sync.window_list.at;
	size_t n = c->sync.window_list.n;
	struct window_rule *rules = arena_alloc(&c->arena, n * sizeof(*rules));

	for (size_t i = 0; i < n; i++)
		rules[i] = (struct window_rule){keys[i].kind == WINDOW_DENY, keys[i].schedule,
			keys[i].duration_ms, keys[i].timezone, keys[i].match};
	return rules;
}

/* Each by itself, so that all that are wrong are told. */
static bool check_rules(const struct check *c, const struct window_rule *rules, size_t n)
{
	bool good = true;

	for (size_t i = 0; i < n; i++) {
		const struct node *window = written_window(c, i);
		struct err e = ERR_INIT;
		const char *key;

		if (window_check(&rules[i], &key, &e) == 0)
			continue;
		auto_free char *path = xasprintf("sync.windows[%zu].%s", i, key);
		tell(c, PROBLEM_ERROR, node_get(window, key), path, e.msg);
		good = false;
	}
	return good;
}

/* Whether an earlier window has the same match, and told. */
static bool is_repeated(const struct window_rule *rules, size_t i)
{
	for (size_t k = 0; k < i; k++) {
		if (node_equal(rules[k].match, rules[i].match))
			return true;
	}
	return false;
}

static bool is_same(const struct window_rule *a, const struct window_rule *b)
{
	return a->deny == b->deny && a->duration_ms == b->duration_ms &&
	       !strcmp(a->schedule, b->schedule) && !strcmp(a->timezone, b->timezone) &&
	       node_equal(a->match, b->match);
}

static void check_for_twins(const struct check *c, const struct window_rule *rules, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		size_t k = 0;

		while (k < i && !is_same(&rules[k], &rules[i]))
			k++;
		if (k == i)
			continue;
		auto_free char *path = xasprintf("sync.windows[%zu]", i);
		auto_free char *message = xasprintf(
			"is the same as sync.windows[%zu], and changes nothing: remove it", k);
		tell(c, PROBLEM_ERROR, written_window(c, i), path, message);
	}
}

/* The window alone, with all that deny. */
static bool is_denied_entirely(const struct window_rule *rules, size_t n, size_t i)
{
	struct window_rule *some = xcalloc(n, sizeof(*some));
	struct windows *windows = NULL;
	struct err e = ERR_INIT;
	size_t n_some = 0, bad;

	for (size_t k = 0; k < n; k++)
		if (k == i || rules[k].deny)
			some[n_some++] = rules[k];
	bool made = windows_new(some, n_some, &windows, &bad, &e) == 0;
	bool denied = made && !windows_open_ever(windows, rules[i].match);
	windows_free(windows);
	free(some);
	return denied;
}

/* Where another one lets those that it concerns be changed; else that is told. The first is enough:
 * to look through years of windows takes its time. */
static void check_that_each_allows(const struct check *c, const struct window_rule *rules, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (rules[i].deny || !windows_open_ever(c->config->sync.windows, rules[i].match) ||
			!is_denied_entirely(rules, n, i))
			continue;
		auto_free char *path = xasprintf("sync.windows[%zu]", i);
		tell(c, PROBLEM_ERROR, written_window(c, i), path,
			"allows nothing: the windows that deny leave no time of it; remove it, or "
			"shorten them");
		return;
	}
}

static void check_that_they_open(const struct check *c, const struct window_rule *rules, size_t n)
{
	const struct windows *windows = c->config->sync.windows;

	if (!windows_open_ever(windows, NULL)) {
		tell(c, PROBLEM_ERROR, node_get(c->sync, "windows"), "sync.windows",
			"never let anything be changed: shorten what denies, or, to change "
			"nothing, "
			"set sync.mode to plan");
		return;
	}
	for (size_t i = 0; i < n; i++) {
		const struct node *match = node_get(written_window(c, i), "match");

		if (!rules[i].match || is_repeated(rules, i) ||
			windows_open_ever(windows, rules[i].match))
			continue;
		auto_free char *path = xasprintf("sync.windows[%zu].match", i);
		tell(c, PROBLEM_WARNING, match, path,
			"replicators with these labels may never be changed: the windows that "
			"concern them leave no time for it");
	}
}

static void check_windows(const struct check *c)
{
	size_t n = c->config->sync.window_list.n, bad;
	struct window_rule *rules;
	struct err e = ERR_INIT;

	if (n == 0)
		return;
	rules = make_rules(c->config);
	if (n <= LIMIT_WINDOWS && !check_rules(c, rules, n))
		return;
	if (windows_new(rules, n, &c->config->sync.windows, &bad, &e) < 0)
		tell(c, PROBLEM_ERROR, node_get(c->sync, "windows"), "sync.windows", e.msg);
	else {
		check_for_twins(c, rules, n);
		check_that_they_open(c, rules, n);
		check_that_each_allows(c, rules, n);
	}
}

void config_check_sync(struct config *config, const struct node *root, struct problems *problems)
{
	const struct check c = {config, node_get(root, "sync"), problems};

	check_prune(&c);
	check_windows(&c);
}
