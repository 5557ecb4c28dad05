/* The sentences of the statuses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/text.h"
#include "forge/forge.h"
#include "reconcile/report.h"

#define NOW ((int64_t)1790000000000)

static const struct report_input quiet = {
	.compared = true,
	.now_ms = NOW,
	.head_since_ms = NOW - 1000,
	.timeout_ms = 600000,
};

static struct report make(struct report_input in, const struct report_item *items, size_t n)
{
	struct report r;
	in.items = items;
	in.n_items = n;
	report_make(&in, &r);
	return r;
}

static void assert_sync(const struct report *r, enum status_state state, const char *text)
{
	assert_string_equal(r->sync.text, text);
	assert_int_equal(r->sync.state, state);
}

static void test_sync_counts_what_is_healthy(void **state)
{
	(void)state;
	const struct report_item items[] = {
		{.name = "a", .standing = STANDING_HEALTHY, .why = ""},
		{.name = "b", .standing = STANDING_HEALTHY, .why = ""},
		{.name = "c", .standing = STANDING_ABSENT_OK, .why = ""},
	};
	struct report_input in = quiet;
	in.changed = 2;
	struct report r = make(in, items, 3);
	assert_sync(&r, STATUS_SUCCESS,
		"2 in sync (2 changed), 1 not in Git (prune is off; weir forget c): c");
	assert_true(r.whole);
	assert_string_equal(r.drift.text, "no drift");
}

static void test_sync_is_pending_while_something_is_under_way(void **state)
{
	(void)state;
	const struct report_item items[] = {
		{.name = "a", .standing = STANDING_HEALTHY, .why = ""},
		{.name = "b", .standing = STANDING_APPLYING, .why = ""},
		{.name = "c", .standing = STANDING_WAITING, .why = ""},
	};
	struct report r = make(quiet, items, 3);
	assert_sync(&r, STATUS_PENDING, "applying 2/3");
	r = make(quiet, items + 2, 1);
	assert_sync(&r, STATUS_PENDING, "waiting for Healthy 0/1");
	assert_false(r.whole);
}

static void test_sync_names_the_first_failure_and_counts_the_others(void **state)
{
	(void)state;
	const struct report_item items[] = {
		{.name = "a",
			.standing = STANDING_FAILED,
			.why = "the API refused it (400 topic_whitelist: no)"},
		{.name = "b", .standing = STANDING_FAILED, .why = "x"},
		{.name = "c", .standing = STANDING_HEALTHY, .why = ""},
	};
	struct report r = make(quiet, items, 3);
	assert_sync(&r, STATUS_FAILURE, "a: the API refused it (400 topic_whitelist: no) +1 more");
}

static void test_texts_are_cut_to_what_forges_take_and_escaped(void **state)
{
	(void)state;
	char why[2000];
	memset(why, 'x', sizeof(why) - 1);
	memcpy(why, "evil\n\x1b[31m", 10);
	why[sizeof(why) - 1] = '\0';
	const struct report_item items[] = {
		{.name = "a", .standing = STANDING_FAILED, .why = why},
		{.name = "b", .standing = STANDING_FAILED, .why = "y"},
	};
	struct report r = make(quiet, items, 2);
	assert_true(text_length(r.sync.text) <= FORGE_TEXT_MAX);
	assert_null(strpbrk(r.sync.text, "\n\x1b"));
	assert_true(text_has_suffix(r.sync.text, " +1 more"));
}

static void test_load_problems_name_the_place(void **state)
{
	(void)state;
	struct problems problems = PROBLEMS_INIT;
	problems_add(&problems, PROBLEM_WARNING, "a.yaml", 1, 1, "", "only a warning");
	problems_add(&problems, PROBLEM_ERROR, "eu.yaml", 14, 20, "spec.topic_whitelist",
		"must name something");
	problems_add(&problems, PROBLEM_ERROR, "us.yaml", 2, 1, "", "is wrong too");
	struct report_input in = quiet;
	in.problems = &problems;
	struct report r = make(in, NULL, 0);
	assert_sync(&r, STATUS_FAILURE,
		"spec.topic_whitelist: must name something (eu.yaml:14) +1 more");
	problems_release(&problems);
}

static void test_an_api_that_is_away_is_an_error_only_after_the_timeout(void **state)
{
	(void)state;
	struct report_input in = quiet;
	in.api_error = "cannot reach it";
	in.api_since_ms = NOW - 1000;
	struct report r = make(in, NULL, 0);
	assert_int_equal(r.sync.state, STATUS_PENDING);
	in.api_since_ms = NOW - in.timeout_ms;
	r = make(in, NULL, 0);
	assert_int_equal(r.sync.state, STATUS_ERROR);
	assert_non_null(strstr(r.sync.text, "cannot reach it"));
}

static void test_nothing_stays_pending_for_ever(void **state)
{
	(void)state;
	const struct report_item items[] = {
		{.name = "a",
			.standing = STANDING_APPLYING,
			.why = "the API failed (500)",
			.late = true},
		{.name = "b", .standing = STANDING_UNHEALTHY, .why = "the API says Updating"},
		{.name = "c", .standing = STANDING_STUCK, .why = "not Healthy since 16:44Z"},
		{.name = "d", .standing = STANDING_UNKNOWN, .why = "the API may be hiding it"},
	};
	struct report_input in = quiet;
	in.head_since_ms = NOW - in.timeout_ms;
	for (size_t i = 0; i < ARRAY_SIZE(items); i++) {
		struct report r = make(in, &items[i], 1);
		assert_int_equal(r.sync.state, STATUS_ERROR);
		assert_non_null(strstr(r.sync.text, items[i].why));
	}
}

/* Those that may still become Healthy are counted once their time is over. */
static void test_the_unwell_are_counted_behind_others_once_they_are_late(void **state)
{
	(void)state;
	const struct report_item items[] = {
		{.name = "a", .standing = STANDING_UNHEALTHY, .why = "Degraded"},
		{.name = "b", .standing = STANDING_FAILED, .why = "refused"},
	};
	struct report_input in = quiet;
	assert_string_equal(make(in, items, 2).sync.text, "b: refused");
	in.head_since_ms = NOW - in.timeout_ms;
	assert_string_equal(make(in, items, 2).sync.text, "b: refused +1 more");
}

static void test_drift_is_never_pending(void **state)
{
	(void)state;
	const struct report_item items[] = {{.name = "a",
		.standing = STANDING_WAITING,
		.why = "lag_alert_threshold",
		.drift = true}};
	struct report r = make(quiet, items, 1);
	assert_int_equal(r.drift.state, STATUS_FAILURE);
	assert_string_equal(r.drift.text, "healing 1: a: lag_alert_threshold");
}

#define AT(hours) (NOW + (hours) * (int64_t)3600000)

/* One sentence each: what stands how, what /sync says, and what /drift says, NULL: "no drift". */
static const struct sentence {
	const char *name;
	struct report_item items[4];
	enum status_state state;
	const char *sync;
	const char *drift;
} sentences[] = {
	{"suspended until a time",
		{{.name = "a", .standing = STANDING_HEALTHY},
			{.name = "b", .standing = STANDING_SUSPENDED, .until_ms = AT(2)}},
		STATUS_SUCCESS, "1 in sync, 1 suspended until 16:13Z (weir resume b): b", NULL},
	{"suspended until somebody resumes it",
		{{.name = "b", .standing = STANDING_SUSPENDED, .in_git = true}}, STATUS_SUCCESS,
		"0 in sync, 1 suspended (sync.suspend in Git): b", NULL},
	{"times that differ", /* the first, and with its date where that is far */
		{{.name = "a", .standing = STANDING_SUSPENDED, .until_ms = AT(50)},
			{.name = "b", .standing = STANDING_SUSPENDED, .until_ms = AT(48)}},
		STATUS_SUCCESS,
		"0 in sync, 2 suspended, first until 2026-09-23T14:13:20Z (weir resume b, …): b, a",
		NULL},
	{"a window",
		{{.name = "a", .standing = STANDING_WINDOW, .until_ms = AT(1)},
			{.name = "b", .standing = STANDING_WINDOW, .until_ms = AT(1)}},
		STATUS_SUCCESS,
		"0 in sync, 2 waiting for a window until 15:13Z (sync.windows): a, b", NULL},
	{"a window that holds back drift",
		{{.name = "a",
			.standing = STANDING_WINDOW,
			.until_ms = AT(1),
			.why = "no changes until 15:13Z",
			.release = "wait",
			.drift = true}},
		STATUS_SUCCESS, "0 in sync, 1 waiting for a window until 15:13Z (sync.windows): a",
		"a: no changes until 15:13Z; wait"},
	{"many wait, the first to go on is named",
		{{.name = "a", .standing = STANDING_WINDOW},
			{.name = "b", .standing = STANDING_WINDOW, .until_ms = AT(2)},
			{.name = "c", .standing = STANDING_WINDOW, .until_ms = AT(1)}},
		STATUS_SUCCESS,
		"0 in sync, 3 waiting for a window, first until 15:13Z (sync.windows): c +2 more",
		NULL},
	{"why somebody suspended it",
		{{.name = "a", .standing = STANDING_SUSPENDED, .reason = "broker upgrade"}},
		STATUS_SUCCESS, "0 in sync, 1 suspended (broker upgrade; weir resume a): a", NULL},
	{"much waits: of each there is something",
		{{.name = "a-name-that-is-rather-long",
			 .standing = STANDING_SUSPENDED,
			 .until_ms = AT(50),
			 .reason = "the brokers are upgraded"},
			{.name = "another-name-that-is-long",
				.standing = STANDING_GRACE,
				.until_ms = AT(50)},
			{.name = "yet-another-name-that-is-long", .standing = STANDING_ABSENT_OK}},
		STATUS_SUCCESS,
		"0 in sync, 1 suspended until 2026-09-23T16:13:20Z, 1 to be "
		"deleted at 2026-09-23T16:13:20Z, 1 not in Git",
		NULL},
	{"grace",
		{{.name = "a", .standing = STANDING_HEALTHY},
			{.name = "b", .standing = STANDING_GRACE, .until_ms = AT(1)}},
		STATUS_SUCCESS,
		"1 in sync, 1 to be deleted at 15:13Z (unless put back into Git): b", NULL},
	{"deleting",
		{{.name = "a", .standing = STANDING_HEALTHY},
			{.name = "b", .standing = STANDING_DELETING},
			{.name = "c", .standing = STANDING_DELETING}},
		STATUS_PENDING, "deleting 2", NULL},
	{"deleting and waiting",
		{{.name = "a", .standing = STANDING_WAITING},
			{.name = "b", .standing = STANDING_DELETING}},
		STATUS_PENDING, "waiting for Healthy 0/1, deleting 1", NULL},
	{"gone",
		{{.name = "a", .standing = STANDING_HEALTHY},
			{.name = "b", .standing = STANDING_GONE}},
		STATUS_SUCCESS, "1 in sync", NULL},
	{"others are being applied",
		{{.name = "a", .standing = STANDING_APPLYING},
			{.name = "b", .standing = STANDING_BLOCKED, .why = "waits for a"},
			{.name = "c", .standing = STANDING_HEALTHY}},
		STATUS_PENDING, "applying 1/3", NULL},
	{"others become Healthy",
		{{.name = "a", .standing = STANDING_WAITING},
			{.name = "b", .standing = STANDING_BLOCKED, .why = "waits for a"}},
		STATUS_PENDING, "waiting for Healthy 0/2", NULL},
	{"others wait for a time",
		{{.name = "a", .standing = STANDING_SUSPENDED, .until_ms = AT(1)},
			{.name = "b", .standing = STANDING_BLOCKED, .why = "waits for a"}},
		STATUS_SUCCESS,
		"0 in sync, 1 suspended until 15:13Z (weir resume a): a, 1 waiting for these "
		"(sync.depends_on): b",
		NULL},
	{"waits for who knows whom",
		{{.name = "b", .standing = STANDING_BLOCKED, .why = "waits for a"}}, STATUS_PENDING,
		"waiting for others 0/1", NULL},
	{"a person is needed before time helps",
		{{.name = "a", .standing = STANDING_SUSPENDED},
			{.name = "b",
				.standing = STANDING_HELD,
				.why = "it is protected",
				.release = "`weir approve b`"}},
		STATUS_FAILURE, "b: it is protected; `weir approve b`",
		"b: it is protected; `weir approve b`"},
	{"a person is needed before Git is to be changed, and the others are counted",
		{{.name = "a", .standing = STANDING_FAILED, .why = "refused"},
			{.name = "b",
				.standing = STANDING_DRIFTED,
				.why = "differs",
				.drift = true},
			{.name = "c", .standing = STANDING_HELD, .why = "contested", .drift = true},
			{.name = "d", .standing = STANDING_STUCK, .why = "not Healthy"}},
		STATUS_FAILURE, "c: contested +2 more", "c: contested +3 more"},
	{"nobody believes it before it failed",
		{{.name = "a", .standing = STANDING_FAILED, .why = "refused"},
			{.name = "b", .standing = STANDING_UNKNOWN, .why = "it is missing"},
			{.name = "c", .standing = STANDING_UNHEALTHY, .why = "Degraded"}},
		STATUS_ERROR, "b: it is missing +1 more", "b: it is missing +2 more"},
	{"what begins nothing goes before what waits for a person",
		{{.name = "a", .standing = STANDING_HELD, .why = "it is protected"},
			{.name = "b", .standing = STANDING_BRAKED, .why = "three failed"},
			{.name = "c", .standing = STANDING_WAITING, .why = "x", .drift = true},
			{.name = "d", .standing = STANDING_APPLYING, .late = true}},
		STATUS_FAILURE, "b: three failed +2 more", "b: three failed +1 more"},
	{"what differs and waits is counted behind what is held",
		{{.name = "a", .standing = STANDING_WINDOW, .why = "no changes", .drift = true},
			{.name = "b", .standing = STANDING_HELD, .why = "it is protected"}},
		STATUS_FAILURE, "b: it is protected", "b: it is protected +1 more"},
};

static void test_every_sentence(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(sentences); i++) {
		const struct sentence *s = &sentences[i];
		size_t n = 0;
		while (n < ARRAY_SIZE(s->items) && s->items[n].name)
			n++;
		struct report r = make(quiet, s->items, n);
		assert_sync(&r, s->state, s->sync);
		assert_string_equal(r.drift.text, s->drift ? s->drift : "no drift");
		assert_int_equal(r.whole, !strcmp(s->name, "gone"));
	}
}

static void test_the_first_advice_is_given_where_not_all_fits(void **state)
{
	(void)state;
	struct report_item items[] = {
		{.name = "orders-dr",
			.standing = STANDING_HELD,
			.why = "replicators/orders.yaml:10: source_secret_path: the secret "
			       "kafka/orders lacks username and password",
			.release = "put it where the path says, or change the path in Git"},
	};
	struct report_input in = {.items = items, .n_items = 1, .compared = true};
	struct report r;
	report_make(&in, &r);
	assert_true(text_has_suffix(
		r.sync.text, "lacks username and password; put it where the path says"));
	items[0].why = "secret";
	report_make(&in, &r);
	assert_true(text_has_suffix(r.sync.text, "or change the path in Git"));
}

static void test_what_releases_it_is_never_cut_off(void **state)
{
	(void)state;
	char why[400];
	memset(why, 'y', sizeof(why) - 1);
	why[sizeof(why) - 1] = '\0';
	char name[64];
	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	auto_free char *release = xasprintf("`weir approve %s`", name);
	const struct report_item items[] = {
		{.name = name, .standing = STANDING_HELD, .why = why, .release = release},
		{.name = "b", .standing = STANDING_HELD, .why = "y", .release = "x"},
	};
	auto_free char *end = xasprintf("; %s +1 more", release);
	struct report r = make(quiet, items, 2);
	assert_true(text_length(r.sync.text) <= FORGE_TEXT_MAX);
	assert_true(text_has_suffix(r.sync.text, end));
	struct report_input in = quiet;
	in.rewound = why;
	in.rewound_release = "; push what follows abcdefg, or `weir approve`";
	r = make(in, NULL, 0);
	assert_true(text_length(r.sync.text) <= FORGE_TEXT_MAX);
	assert_true(text_has_suffix(r.sync.text, in.rewound_release));
}

static void test_those_that_wait_for_nobody_are_an_error_after_the_timeout(void **state)
{
	(void)state;
	const struct report_item items[] = {
		{.name = "b", .standing = STANDING_BLOCKED, .why = "waits for a"}};
	struct report_input in = quiet;
	in.head_since_ms = NOW - in.timeout_ms;
	struct report r = make(in, items, 1);
	assert_sync(&r, STATUS_ERROR, "b: waits for a");
}

/* What begins long after its commit was taken, as when a window opens, is not late. */
static void test_what_begins_late_is_pending(void **state)
{
	(void)state;
	const struct report_item items[] = {
		{.name = "a", .standing = STANDING_APPLYING, .why = ""}};
	struct report_input in = quiet;
	in.head_since_ms = NOW - 10 * in.timeout_ms;
	struct report r = make(in, items, 1);
	assert_sync(&r, STATUS_PENDING, "applying 0/1");
}

static void test_every_standing_has_a_name(void **state)
{
	(void)state;
	for (int i = 0; i < STANDING__COUNT; i++)
		assert_non_null(standing_name((enum standing)i));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sync_counts_what_is_healthy),
		cmocka_unit_test(test_sync_is_pending_while_something_is_under_way),
		cmocka_unit_test(test_sync_names_the_first_failure_and_counts_the_others),
		cmocka_unit_test(test_texts_are_cut_to_what_forges_take_and_escaped),
		cmocka_unit_test(test_load_problems_name_the_place),
		cmocka_unit_test(test_an_api_that_is_away_is_an_error_only_after_the_timeout),
		cmocka_unit_test(test_nothing_stays_pending_for_ever),
		cmocka_unit_test(test_the_unwell_are_counted_behind_others_once_they_are_late),
		cmocka_unit_test(test_drift_is_never_pending),
		cmocka_unit_test(test_every_sentence),
		cmocka_unit_test(test_the_first_advice_is_given_where_not_all_fits),
		cmocka_unit_test(test_what_releases_it_is_never_cut_off),
		cmocka_unit_test(test_those_that_wait_for_nobody_are_an_error_after_the_timeout),
		cmocka_unit_test(test_what_begins_late_is_pending),
		cmocka_unit_test(test_every_standing_has_a_name),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
