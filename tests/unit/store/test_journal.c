/* The journal: what is open comes back, what ended is remembered for its attempts and counts. */
#include "fixture.h"

#include "base/buf.h"
#include "base/strv.h"

/* Every field its own value, so that two that are mixed up show. */
static struct intent full_intent(int64_t id, const char *name, enum intent_state state)
{
	return (struct intent){
		.id = id,
		.name = xstrdup(name),
		.kind = INTENT_UPDATE,
		.state = state,
		.uid = xstrdup("uid"),
		.created_at = xstrdup("2026-11-30T16:44:23Z"),
		.sha = xstrdup("abc123"),
		.intended = xstrdup("{\"a\":1}"),
		.body = xstrdup("{\"b\":2}"),
		.base_generation = 3,
		.generation = 4,
		.attempt = 5,
		.key = xstrdup("key"),
		.created_ms = 6,
		.started_ms = 7,
		.error = xstrdup("failed"),
		.heals = true,
	};
}

static void assert_intent(const struct intent *a, const struct intent *b)
{
	assert_int_equal(a->id, b->id);
	assert_string_equal(a->name, b->name);
	assert_int_equal(a->kind, b->kind);
	assert_int_equal(a->state, b->state);
	assert_string_or_null(a->uid, b->uid);
	assert_string_or_null(a->created_at, b->created_at);
	assert_string_or_null(a->sha, b->sha);
	assert_string_or_null(a->intended, b->intended);
	assert_string_or_null(a->body, b->body);
	assert_int_equal(a->base_generation, b->base_generation);
	assert_int_equal(a->generation, b->generation);
	assert_int_equal(a->attempt, b->attempt);
	assert_string_or_null(a->key, b->key);
	assert_int_equal(a->created_ms, b->created_ms);
	assert_int_equal(a->started_ms, b->started_ms);
	assert_string_or_null(a->error, b->error);
	assert_int_equal(a->heals, b->heals);
}

static void put(struct store *s, const struct intent *i)
{
	assert_int_equal(store_put_intent(s, i, NULL), 0);
}

static void put_new(struct store *s, int64_t id, const char *name, enum intent_state state)
{
	struct intent i = full_intent(id, name, state);

	put(s, &i);
	intent_release(&i);
	assert_null(i.name);
}

static struct intents load(struct store *s)
{
	struct intents intents = VEC_INIT;

	assert_int_equal(store_load_intents(s, &intents, NULL), 0);
	return intents;
}

static int64_t last_id(struct store *s)
{
	int64_t id = -1;

	assert_int_equal(store_last_intent(s, &id, NULL), 0);
	return id;
}

static void test_intent_comes_back_as_it_was_put(void **state)
{
	struct fixture *f = *state;
	struct intent full = full_intent(2, "orders", INTENT_RUNNING),
		      bare = {.id = 1, .name = xstrdup("bare")};

	put(f->ours, &full);
	put(f->ours, &bare);
	fixture_reopen(f);
	struct intents intents = load(f->ours);
	assert_int_equal(intents.n, 2);
	assert_intent(&intents.at[0], &bare);
	assert_intent(&intents.at[1], &full);
	intents_release(&intents);
	intent_release(&full);
	intent_release(&bare);
}

static void test_intent_is_replaced_by_its_id(void **state)
{
	struct fixture *f = *state;
	struct intent i = full_intent(1, "orders", INTENT_OPEN);

	put(f->ours, &i);
	i.state = INTENT_SAVED;
	str_replace(&i.key, NULL);
	put(f->ours, &i);
	struct intents intents = load(f->ours);
	assert_int_equal(intents.n, 1);
	assert_intent(&intents.at[0], &i);
	intents_release(&intents);
	intent_release(&i);
}

static void test_only_what_is_open_comes_back(void **state)
{
	struct fixture *f = *state;

	for (enum intent_state s = INTENT_OPEN; s <= INTENT_SUPERSEDED; s++)
		put_new(f->ours, 1 + (int64_t)s, "orders", s);
	struct intents intents = load(f->ours);
	assert_int_equal(intents.n, 4);
	for (size_t i = 0; i < intents.n; i++)
		assert_int_equal(intents.at[i].state, i);
	assert_int_equal(intents.at[3].state, INTENT_RUNNING);
	intents_release(&intents);
}

static void test_intents_of_another_scope_stay_there(void **state)
{
	struct fixture *f = *state;

	put_new(f->other, 1, "orders", INTENT_OPEN);
	struct intents ours = load(f->ours), other = load(f->other);
	assert_int_equal(ours.n, 0);
	assert_int_equal(other.n, 1);
	intents_release(&other);
}

/* Ids are one row of numbers for all scopes. */
static void test_last_id_counts_whatever_ended_and_whoever_made_it(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(last_id(f->ours), 0);
	put_new(f->ours, 3, "a", INTENT_DONE);
	assert_int_equal(last_id(f->ours), 3);
	put_new(f->other, 9, "b", INTENT_OPEN);
	assert_int_equal(last_id(f->ours), 9);
	assert_int_equal(last_id(f->other), 9);
}

static void assert_changed(struct store *s, const char *sha, const char *begun, const char *done)
{
	struct strv names[2] = {VEC_INIT, VEC_INIT};
	const char *const wanted[] = {begun, done};

	assert_int_equal(store_load_changed(s, sha, &names[0], &names[1], NULL), 0);
	for (size_t k = 0; k < ARRAY_SIZE(names); k++) {
		auto_buf struct buf text = BUF_INIT;

		vec_each (name, &names[k])
			buf_adds(&text, *name);
		assert_string_equal(buf_str(&text), wanted[k]);
		strv_release(&names[k]);
	}
}

static void put_kind(struct store *s, int64_t id, const char *name, enum intent_kind kind)
{
	struct intent i = full_intent(id, name, INTENT_DONE);

	i.kind = kind;
	i.heals = false;
	put(s, &i);
	intent_release(&i);
}

static void test_changed_are_counted_once_each_and_when_done(void **state)
{
	struct fixture *f = *state;

	assert_changed(f->ours, "abc123", "", "");
	put_kind(f->ours, 1, "a", INTENT_CREATE);
	put_kind(f->ours, 2, "a", INTENT_UPDATE);
	put_kind(f->ours, 3, "b", INTENT_REPLACE);
	put_kind(f->ours, 4, "deleted", INTENT_DELETE);
	put_new(f->ours, 5, "healed", INTENT_DONE);
	for (enum intent_state s = INTENT_OPEN; s <= INTENT_SUPERSEDED; s++) {
		struct intent i = full_intent(10 + (int64_t)s, "c", s);

		i.heals = false;
		i.name[0] = (char)('c' + (int)s);
		i.started_ms = s == INTENT_RUNNING || s == INTENT_FAILED;
		i.generation = i.started_ms ? 4 : 0;
		put(f->ours, &i);
		intent_release(&i);
	}
	put_kind(f->other, 20, "z", INTENT_CREATE);
	assert_changed(f->ours, "abc123", "abfh", "a"); /* b is yet to be made anew */
	assert_changed(f->ours, "abc12", "", "");
}

static void put_saved(struct store *s, int64_t id, const char *name, enum intent_kind kind)
{
	struct intent i = full_intent(id, name, INTENT_SAVED);

	i.kind = kind;
	i.heals = false;
	i.started_ms = 0;
	put(s, &i);
	intent_release(&i);
}

static void test_what_was_written_counts_before_it_is_started(void **state)
{
	struct fixture *f = *state;

	put_saved(f->ours, 1, "a", INTENT_CREATE);
	put_saved(f->ours, 2, "b", INTENT_UPDATE);
	put_saved(f->ours, 3, "others", INTENT_RECONCILE);
	assert_changed(f->ours, "abc123", "ab", "");
}

static int64_t next_attempt(struct store *s, const char *name, const char *uid, int64_t generation)
{
	const struct intent of = {
		.name = (char *)(uintptr_t)name,
		.uid = (char *)(uintptr_t)uid,
		.generation = generation,
	};
	int64_t attempt = -1;

	assert_int_equal(store_next_attempt(s, &of, &attempt, NULL), 0);
	return attempt;
}

static void put_attempt_in(struct store *s, enum intent_state state, int64_t id, const char *uid,
	int64_t generation, int64_t attempt, const char *key)
{
	const struct intent i = {
		.id = id,
		.name = (char *)(uintptr_t) "orders",
		.kind = INTENT_RECONCILE,
		.state = state,
		.started_ms = 1,
		.uid = (char *)(uintptr_t)uid,
		.generation = generation,
		.attempt = attempt,
		.key = (char *)(uintptr_t)key,
	};

	put(s, &i);
}

static void put_attempt(struct store *s, int64_t id, const char *uid, int64_t generation,
	int64_t attempt, const char *key)
{
	put_attempt_in(s, INTENT_FAILED, id, uid, generation, attempt, key);
}

static void test_an_attempt_that_did_not_fail_is_asked_for_again(void **state)
{
	struct fixture *f = *state;

	put_attempt_in(f->ours, INTENT_FAILED, 1, "u1", 4, 1, "k1");
	put_attempt_in(f->ours, INTENT_SUPERSEDED, 2, "u1", 4, 2, "k2");
	assert_int_equal(next_attempt(f->ours, "orders", "u1", 4), 2);
}

static bool was_cut_short(struct store *s, const char *uid, int64_t generation)
{
	const struct intent of = {
		.name = (char *)(uintptr_t) "orders",
		.uid = (char *)(uintptr_t)uid,
		.generation = generation,
	};
	int64_t whether = -1;

	assert_int_equal(store_was_cut_short(s, &of, &whether, NULL), 0);
	return whether;
}

static void test_an_operation_that_was_superseded_was_cut_short(void **state)
{
	struct fixture *f = *state;

	assert_false(was_cut_short(f->ours, "u1", 4));
	put_attempt_in(f->ours, INTENT_SUPERSEDED, 1, "u1", 4, 1, "k1");
	assert_true(was_cut_short(f->ours, "u1", 4));
	assert_false(was_cut_short(f->ours, "u1", 5));
	assert_false(was_cut_short(f->ours, "u2", 4));
	put_attempt_in(f->ours, INTENT_FAILED, 2, "u1", 4, 1, "k1");
	assert_false(was_cut_short(f->ours, "u1", 4));
}

static void test_the_next_attempt_is_of_this_object_and_generation(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(next_attempt(f->ours, "orders", "u1", 4), 1);
	put_attempt(f->ours, 1, "u1", 4, 1, "k1");
	put_attempt(f->ours, 2, "u1", 4, 2, "k2");
	put_attempt(f->ours, 3, "u1", 4, 9, NULL); /* its key was never journalled as sent */
	put_attempt(f->ours, 4, "u1", 5, 6, "k4");
	put_attempt(f->ours, 5, "u2", 4, 7, "k5");
	put_attempt(f->other, 6, "u1", 4, 8, "k6");
	assert_int_equal(next_attempt(f->ours, "orders", "u1", 4), 3);
	assert_int_equal(next_attempt(f->ours, "orders", "u1", 5), 7);
	assert_int_equal(next_attempt(f->ours, "orders", "u2", 4), 8);
	assert_int_equal(next_attempt(f->ours, "payments", "u1", 4), 1);
	assert_int_equal(next_attempt(f->other, "orders", "u1", 4), 9);
}

static void put_created(struct store *s, int64_t id, char *created_at, int64_t attempt)
{
	char name[] = "orders", key[] = "k";
	const struct intent i = {
		.id = id,
		.name = name,
		.kind = INTENT_UPDATE,
		.state = INTENT_DONE,
		.created_at = created_at,
		.generation = 4,
		.attempt = attempt,
		.key = key,
	};

	put(s, &i);
}

static void test_the_next_attempt_without_a_uid_is_of_what_was_created_in_that_second(void **state)
{
	struct fixture *f = *state;
	char first[] = "2026-11-30T12:00:00Z", same[] = "2026-11-30T12:00:00.25Z";
	char later[] = "2026-11-30T12:00:01Z", none[] = "2026-11-30T12:00:02Z", name[] = "orders";
	static const int64_t attempts[] = {2, 2, 5, 1};
	char *const moments[] = {first, same, later, none};

	put_created(f->ours, 1, first, 2);
	put_created(f->ours, 2, later, 5);
	for (size_t i = 0; i < ARRAY_SIZE(moments); i++) {
		const struct intent of = {.name = name, .created_at = moments[i], .generation = 4};
		int64_t attempt = -1;

		assert_int_equal(store_next_attempt(f->ours, &of, &attempt, NULL), 0);
		assert_int_equal(attempt, attempts[i]);
	}
}

static void test_the_next_attempt_where_the_api_has_no_uid(void **state)
{
	struct fixture *f = *state;

	put_attempt(f->ours, 1, NULL, 4, 3, "k1");
	assert_int_equal(next_attempt(f->ours, "orders", NULL, 4), 4);
	assert_int_equal(next_attempt(f->ours, "orders", "u1", 4), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_with_fixture(test_intent_comes_back_as_it_was_put),
		test_with_fixture(test_intent_is_replaced_by_its_id),
		test_with_fixture(test_only_what_is_open_comes_back),
		test_with_fixture(test_intents_of_another_scope_stay_there),
		test_with_fixture(test_last_id_counts_whatever_ended_and_whoever_made_it),
		test_with_fixture(test_changed_are_counted_once_each_and_when_done),
		test_with_fixture(test_what_was_written_counts_before_it_is_started),
		test_with_fixture(test_an_attempt_that_did_not_fail_is_asked_for_again),
		test_with_fixture(test_an_operation_that_was_superseded_was_cut_short),
		test_with_fixture(test_the_next_attempt_is_of_this_object_and_generation),
		test_with_fixture(
			test_the_next_attempt_without_a_uid_is_of_what_was_created_in_that_second),
		test_with_fixture(test_the_next_attempt_where_the_api_has_no_uid),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
