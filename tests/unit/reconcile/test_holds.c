/* What the statuses say of whatever holds a replicator: whom, why, until when, and what releases
 * it, also where names are long. The plans are those of tests/data/plan. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../plan/case.h"
#include "base/alloc.h"
#include "base/fs.h"
#include "base/text.h"
#include "reconcile/internal.h"

#define CASES	   TEST_DATA "/plan"
#define TIMEOUT_MS 600000
#define LONG_NAME  "a-replicator-the-name-of-which-is-as-long-as-a-name-may-be-here"

/* A plan, and what /sync says of what it holds. */
static const struct held {
	enum plan_hold hold;
	const char *folder;
	const char *name; /* of what is held */
	enum status_state state;
	const char *text;
	const char *release; /* that is there with a long name too */
} holds[] = {
	{PLAN_HOLD_ADOPT, "adopt-differs", "orders-dr", STATUS_FAILURE,
		"orders-dr: exists already and is not as Git says (topic_whitelist, "
		"lag_alert_threshold); `weir approve orders-dr`",
		"`weir approve orders-dr`"},
	{PLAN_HOLD_ADOPT, "adopt-never", "orders-dr", STATUS_FAILURE,
		"orders-dr: exists already, and sync.adopt is never; set sync.adopt: match, or "
		"take it out of Git",
		"set sync.adopt: match"},
	{PLAN_HOLD_ADOPT, "adopt-never-differs", "orders-dr", STATUS_FAILURE,
		"orders-dr: exists already, and sync.adopt is never (lag_alert_threshold); write "
		"in Git what is live and set sync.adopt: match",
		"write in Git what is live and set sync.adopt: match"},
	{PLAN_HOLD_ADOPT, "adopt-immutable", "orders-dr", STATUS_FAILURE,
		"orders-dr: exists already, is not as Git says, and cannot be changed: "
		"replication_mode; write in Git what is live",
		"write in Git what is live"},
	{PLAN_HOLD_PRUNE, "prune", "orders-dr", STATUS_SUCCESS,
		"1 in sync, 1 not in Git (prune is off; weir forget orders-dr): orders-dr",
		"weir forget orders-dr"},
	{PLAN_HOLD_FOREIGN, "draft-foreign-and-update", "orders-dr", STATUS_FAILURE,
		"orders-dr: a draft of somebody else (generation 4) would be provisioned too; "
		"`weir approve orders-dr`",
		"`weir approve orders-dr`"},
	{PLAN_HOLD_IMMUTABLE, "immutable", "orders-dr", STATUS_FAILURE,
		"orders-dr: cannot be changed after it was created: replication_mode; set "
		"sync.replace: true to have it deleted and made anew",
		"set sync.replace: true to have it deleted and made anew"},
	{PLAN_HOLD_SECRET, "secret-in-sync", "orders-dr", STATUS_FAILURE,
		"orders-dr: eu.yaml:15: source_secret_path: kafka/eu: password is missing in store "
		"vault; put it where the path says",
		"put it where the path says"},
	{PLAN_HOLD_REPORT, "scalar-drift-report", "orders-dr", STATUS_SUCCESS,
		"0 in sync, 1 drifted (sync.mode is report): orders-dr", "sync.mode is report"},
	{PLAN_HOLD_INCOMPLETE, "incomplete-reset", "orders-dr", STATUS_FAILURE,
		"orders-dr: gone from YAML, and nothing is reset while Git has errors; fix the "
		"errors in Git",
		"fix the errors in Git"},
	{PLAN_HOLD_NOT_KEPT, "not-kept", "orders-dr", STATUS_FAILURE,
		"orders-dr: was written, and the API does not keep it (lag_alert_threshold); write "
		"in Git what the API keeps",
		"write in Git what the API keeps"},
	{PLAN_HOLD_BACKOFF, "failed-backoff", "orders-dr", STATUS_FAILURE,
		"orders-dr: generation 4 ended in Error; the next attempt is at "
		"2026-11-30T12:00:00Z; change it in Git, next attempt at 12:00Z",
		"change it in Git, next attempt at 12:00Z"},
	{PLAN_HOLD_DELETING, "deleting", "orders-dr", STATUS_ERROR,
		"orders-dr: the API is deleting it; nothing to do: it is created again once it is "
		"gone",
		"nothing to do: it is created again once it is gone"},
	{PLAN_HOLD_BUSY, "draft-foreign-busy", "orders-dr", STATUS_ERROR,
		"orders-dr: somebody else's operation is under way, up to generation 4; nothing to "
		"do: it goes on once that has ended",
		"nothing to do: it goes on once that has ended"},
	{PLAN_HOLD_UNKNOWN, "vanished-three-of-four", "b-dr", STATUS_ERROR,
		"b-dr: more than half of all is missing at once: the API may be hiding it; `weir "
		"approve b-dr` +2 more",
		"`weir approve b-dr`"},
	{PLAN_HOLD_PROTECT, "prune-protected", "gone-dr", STATUS_FAILURE,
		"gone-dr: not in Git any more, and protected (sync.protect); `weir forget gone-dr` "
		"lets go of it",
		"`weir forget gone-dr`"},
	{PLAN_HOLD_PROTECT, "replace-was-protected", "orders-dr", STATUS_FAILURE,
		"orders-dr: was protected (sync.protect) until this commit, and to cha…; take the "
		"change back in one commit, and make it again in a later one",
		"take the change back in one commit, and make it again in a later one"},
	{PLAN_HOLD_GRACE, "prune-grace", "gone-dr", STATUS_SUCCESS,
		"1 in sync, 1 to be deleted at 20:30Z (unless put back into Git): gone-dr",
		"unless put back into Git"},
	{PLAN_HOLD_PRUNE_MAX, "prune-max", "gone-1", STATUS_FAILURE,
		"gone-1: 2 would be deleted, and sync.prune.max is 1: gone-1, gone-2; `weir "
		"approve gone-1` +1 more",
		"`weir approve gone-1`"},
	{PLAN_HOLD_EMPTY, "prune-nothing-declared", "gone-dr", STATUS_FAILURE,
		"gone-dr: Git declares no replicators at all any more, as if source.path had gone; "
		"`weir approve gone-dr`",
		"`weir approve gone-dr`"},
	{PLAN_HOLD_DEPENDANTS, "prune-dependants-protected", "child-dr", STATUS_FAILURE,
		"child-dr: not in Git any more, and protected (sync.protect); `weir forget "
		"child-dr` lets go of it",
		"`weir forget child-dr`"},
	{PLAN_HOLD_SUSPEND, "suspend-yaml", "orders-dr", STATUS_SUCCESS,
		"0 in sync, 1 suspended until 2026-12-24T06:00:00Z (broker upgrade; sync.suspend "
		"in Git): orders-dr",
		"sync.suspend in Git"},
	{PLAN_HOLD_SUSPEND, "suspend-person", "orders-dr", STATUS_SUCCESS,
		"0 in sync, 1 suspended until 06:00Z (by alice: audit; weir resume orders-dr): "
		"orders-dr",
		"weir resume orders-dr"},
	{PLAN_HOLD_WINDOW, "window-create", "orders-dr", STATUS_SUCCESS,
		"0 in sync, 1 waiting for a window until 16:00Z (sync.windows): orders-dr",
		"sync.windows"},
	{PLAN_HOLD_WINDOW, "window-drift", "orders-dr", STATUS_SUCCESS,
		"0 in sync, 1 waiting for a window until 16:00Z (sync.windows): orders-dr",
		"sync.windows"},
	{PLAN_HOLD_DEPENDS, "depends-suspended-ill", "child-dr", STATUS_SUCCESS,
		"0 in sync, 1 suspended (x; sync.suspend in Git): base-dr, 1 waiting for these "
		"(sync.depends_on): child-dr",
		"sync.depends_on"},
	{PLAN_HOLD_CONTESTED, "contested", "orders-dr", STATUS_FAILURE,
		"orders-dr: somebody else keeps changing it back (lag_alert_threshold); `weir "
		"approve orders-dr`",
		"`weir approve orders-dr`"},
	{PLAN_HOLD_BRAKE, "brake", "a-dr", STATUS_FAILURE,
		"a-dr: nothing more of this commit is begun: a-dr, b-dr and c-dr ended in "
		"Error one after th…; `weir approve --brake` for all of them +2 more",
		"`weir approve --brake`"},
	{PLAN_HOLD_MAX_UPDATES, "max-updates", "a-dr", STATUS_FAILURE,
		"a-dr: the commit changes 3 replicators, and sync.max_updates is 2; `weir approve "
		"a-dr` +2 more",
		"`weir approve a-dr`"},
};

static int64_t wall(void *ctx)
{
	return *(const int64_t *)ctx;
}

/* As it is once nothing has become of it in time. */
static void judge_plan(const struct plan *plan, int64_t now, struct report *r)
{
	auto_arena struct arena a = ARENA_INIT;
	const struct clock clock = {wall, wall, &now};
	const struct config config = {.sync = {.timeout_ms = TIMEOUT_MS}};
	const struct engine en = {.config = &config, .options = {.clock = &clock}};
	struct report_item *items = arena_alloc(&a, (plan->items.n + 1) * sizeof(*items));
	for (size_t i = 0; i < plan->items.n; i++)
		judge_item(&en, &plan->items.at[i], &a, &items[i]);
	const struct report_input in = {
		.items = items,
		.n_items = plan->items.n,
		.compared = true,
		.now_ms = now,
		.head_since_ms = now - TIMEOUT_MS,
		.timeout_ms = TIMEOUT_MS,
	};
	report_make(&in, r);
}

static void judge_folder(const struct held *h, const char *folder, struct report *r)
{
	struct plan_case c;
	bool found = false;
	plan_case_load(&c, folder);
	struct plan *plan = plan_build(&c.input);
	vec_each (item, &plan->items)
		found = found || item->hold == h->hold;
	assert_true(found);
	judge_plan(plan, c.input.now_ms, r);
	plan_free(plan);
	plan_case_release(&c);
}

static void test_what_is_held_is_told_with_why_and_what_releases_it(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(holds); i++) {
		auto_free char *folder = fs_join(CASES, holds[i].folder);
		struct report r;
		judge_folder(&holds[i], folder, &r);
		assert_string_equal(r.sync.text, holds[i].text);
		assert_int_equal(r.sync.state, holds[i].state);
		assert_non_null(strstr(r.sync.text, holds[i].name));
		assert_non_null(strstr(r.sync.text, holds[i].release));
	}
}

/* `old` wherever it stands. */
static char *replace(const char *text, const char *old, const char *new)
{
	struct buf out = BUF_INIT;
	for (const char *at; (at = strstr(text, old)); text = at + strlen(old)) {
		buf_add(&out, text, (size_t)(at - text));
		buf_adds(&out, new);
	}
	buf_adds(&out, text);
	return buf_take(&out);
}

static void copy_file(const char *from, const char *to, const char *name)
{
	auto_buf struct buf text = BUF_INIT;
	struct err e = ERR_INIT;
	assert_int_equal(fs_read(from, &text, &e), 0);
	auto_free char *changed = replace(buf_str(&text), name, LONG_NAME);
	FILE *out = fopen(to, "w"); /* nobody waits for a disk */
	assert_non_null(out);
	assert_true(fputs(changed, out) >= 0);
	assert_int_equal(fclose(out), 0);
}

/* A copy of the case in which the name is as long as can be. */
static void copy_folder(const char *from, const char *to, const char *name)
{
	struct err e = ERR_INIT;
	DIR *dir = opendir(from);
	assert_int_equal(fs_mkdirs(to, 0755, &e), 0);
	for (struct dirent *entry; dir && (entry = readdir(dir));) {
		auto_free char *source = fs_join(from, entry->d_name);
		auto_free char *target = fs_join(to, entry->d_name);
		if (!strcmp(entry->d_name, "accepted"))
			copy_folder(source, target, name);
		else if (entry->d_name[0] != '.')
			copy_file(source, target, name);
	}
	if (dir)
		closedir(dir);
}

static void test_a_long_name_leaves_room_for_both(void **state)
{
	(void)state;
	char folder[] = "/tmp/weir-holds-XXXXXX";
	assert_non_null(mkdtemp(folder));
	for (size_t i = 0; i < ARRAY_SIZE(holds); i++) {
		const struct held *h = &holds[i];
		auto_free char *from = fs_join(CASES, h->folder);
		auto_free char *to = fs_join(folder, h->folder);
		auto_free char *release = replace(h->release, h->name, LONG_NAME);
		struct report r;
		copy_folder(from, to, h->name);
		judge_folder(h, to, &r);
		assert_int_equal(r.sync.state, h->state);
		assert_true(text_length(r.sync.text) <= FORGE_TEXT_MAX);
		assert_non_null(strstr(r.sync.text, "a-replicator-the-na"));
		assert_non_null(strstr(r.sync.text, release));
	}
	fs_remove_tree(folder, NULL);
}

/* What holds all of a rewound branch is told of the branch: see test_guards.c. */
static void test_no_hold_is_left_out(void **state)
{
	(void)state;
	bool seen[PLAN_HOLD__COUNT] = {[PLAN_HOLD_NOT] = true, [PLAN_HOLD_REWOUND] = true};
	for (size_t i = 0; i < ARRAY_SIZE(holds); i++)
		seen[holds[i].hold] = true;
	for (size_t i = 0; i < PLAN_HOLD__COUNT; i++)
		assert_true(seen[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_is_held_is_told_with_why_and_what_releases_it),
		cmocka_unit_test(test_a_long_name_leaves_room_for_both),
		cmocka_unit_test(test_no_hold_is_left_out),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
