/* Values, the inventory, and accepted documents: what goes in comes out, in its own scope. */
#include "fixture.h"

static char *get(struct store *s, const char *key)
{
	char *value = NULL;

	assert_int_equal(store_get(s, key, &value, NULL), 0);
	return value;
}

static void test_value_is_kept_and_replaced(void **state)
{
	struct fixture *f = *state;

	assert_null(get(f->ours, "head"));
	assert_int_equal(store_set(f->ours, "head", "abc", NULL), 0);
	assert_int_equal(store_set(f->ours, "head", "def", NULL), 0);
	assert_int_equal(store_set(f->ours, "", "", NULL), 0);
	fixture_reopen(f);
	auto_free char *head = get(f->ours, "head");
	auto_free char *empty = get(f->ours, "");
	assert_string_equal(head, "def");
	assert_string_equal(empty, "");
	assert_null(get(f->ours, "HEAD"));
	assert_null(get(f->other, "head"));
}

static void assert_row(const struct store_row *a, const struct store_row *b)
{
	assert_string_equal(a->name, b->name);
	assert_string_or_null(a->uid, b->uid);
	assert_string_or_null(a->created_at, b->created_at);
	assert_string_or_null(a->last_applied, b->last_applied);
	assert_int_equal(a->seen_generation, b->seen_generation);
	assert_int_equal(a->seen_observed, b->seen_observed);
	assert_int_equal(a->provisioned_generation, b->provisioned_generation);
	assert_string_or_null(a->provisioned, b->provisioned);
	assert_int_equal(a->failed_generation, b->failed_generation);
	assert_int_equal(a->failures, b->failures);
	assert_int_equal(a->retry_at_ms, b->retry_at_ms);
	assert_string_or_null(a->failure, b->failure);
	assert_string_or_null(a->not_kept, b->not_kept);
	assert_int_equal(a->owned, b->owned);
	assert_int_equal(a->gone_since_ms, b->gone_since_ms);
	assert_string_or_null(a->contested, b->contested);
	assert_int_equal(a->replaced, b->replaced);
	assert_string_or_null(a->leftovers, b->leftovers);
	assert_string_or_null(a->labels, b->labels);
	assert_string_or_null(a->refused_body, b->refused_body);
	assert_string_or_null(a->refusal, b->refusal);
}

/* Every field its own value, so that two that are mixed up show. */
static struct store_row full_row(const char *name)
{
	return (struct store_row){
		.name = xstrdup(name),
		.uid = xstrdup("uid"),
		.created_at = xstrdup("2026-11-30T16:44:23Z"),
		.last_applied = xstrdup("{\"a\":1}"),
		.seen_generation = 11,
		.seen_observed = 10,
		.provisioned_generation = 12,
		.provisioned = xstrdup("{\"b\":2}"),
		.failed_generation = 13,
		.failures = 14,
		.retry_at_ms = INT64_MAX,
		.failure = xstrdup("it's \"no\" good; DROP TABLE inventory"),
		.not_kept = xstrdup("{\"c\":3}"),
		.owned = true,
		.gone_since_ms = 7,
		.contested = xstrdup("{\"d\":4}"),
		.replaced = true,
		.leftovers = xstrdup("{\"e\":false}"),
	};
}

static struct store_rows load_rows(struct store *s)
{
	struct store_rows rows = VEC_INIT;

	assert_int_equal(store_load_rows(s, &rows, NULL), 0);
	return rows;
}

static void test_row_comes_back_as_it_was_put(void **state)
{
	struct fixture *f = *state;
	struct store_row full = full_row("orders"), bare = {.name = xstrdup("bare")};

	assert_int_equal(store_put_row(f->ours, &full, NULL), 0);
	assert_int_equal(store_put_row(f->ours, &bare, NULL), 0);
	fixture_reopen(f);
	struct store_rows rows = load_rows(f->ours);
	assert_int_equal(rows.n, 2);
	assert_row(&rows.at[0], &bare);
	assert_row(&rows.at[1], &full);
	store_rows_release(&rows);
	assert_int_equal(rows.n, 0);

	rows = load_rows(f->other);
	assert_int_equal(rows.n, 0);
	store_row_release(&full);
	store_row_release(&bare);
	assert_null(full.name);
}

static void test_row_is_replaced_as_a_whole(void **state)
{
	struct fixture *f = *state;
	struct store_row full = full_row("orders"), bare = {.name = xstrdup("orders")};

	assert_int_equal(store_put_row(f->ours, &full, NULL), 0);
	assert_int_equal(store_put_row(f->ours, &bare, NULL), 0);
	struct store_rows rows = load_rows(f->ours);
	assert_int_equal(rows.n, 1);
	assert_row(&rows.at[0], &bare);
	store_rows_release(&rows);
	store_row_release(&full);
	store_row_release(&bare);
}

static void test_drop_takes_only_its_own_row(void **state)
{
	struct fixture *f = *state;
	struct store_row a = full_row("a"), b = full_row("b");

	assert_int_equal(store_put_row(f->ours, &a, NULL), 0);
	assert_int_equal(store_put_row(f->ours, &b, NULL), 0);
	assert_int_equal(store_put_row(f->other, &a, NULL), 0);
	assert_int_equal(store_drop_row(f->ours, "a", NULL), 0);
	assert_int_equal(store_drop_row(f->ours, "never there", NULL), 0);
	struct store_rows ours = load_rows(f->ours), other = load_rows(f->other);
	assert_int_equal(ours.n, 1);
	assert_row(&ours.at[0], &b);
	assert_int_equal(other.n, 1);
	assert_row(&other.at[0], &a);
	store_rows_release(&ours);
	store_rows_release(&other);
	store_row_release(&a);
	store_row_release(&b);
}

static struct map load_accepted(struct store *s)
{
	struct map accepted = MAP_INIT;

	assert_int_equal(store_load_accepted(s, &accepted, NULL), 0);
	return accepted;
}

static void test_accepted_document_is_kept_and_replaced(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(store_put_accepted(f->ours, "b", "{\"old\":1}", NULL), 0);
	assert_int_equal(store_put_accepted(f->ours, "b", "{\"new\":1}", NULL), 0);
	assert_int_equal(store_put_accepted(f->ours, "a", "{}", NULL), 0);
	assert_int_equal(store_put_accepted(f->other, "b", "{\"other\":1}", NULL), 0);
	fixture_reopen(f);
	struct map ours = load_accepted(f->ours), other = load_accepted(f->other);
	assert_int_equal(map_size(&ours), 2);
	assert_string_equal(map_key(&ours, 0), "a");
	assert_string_equal(map_get(&ours, "b"), "{\"new\":1}");
	assert_int_equal(map_size(&other), 1);
	assert_string_equal(map_get(&other, "b"), "{\"other\":1}");
	map_release_with(&ours, free);
	map_release_with(&other, free);
}

static void test_dropped_document_is_gone(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(store_put_accepted(f->ours, "a", "{}", NULL), 0);
	assert_int_equal(store_put_accepted(f->other, "a", "{}", NULL), 0);
	assert_int_equal(store_drop_accepted(f->ours, "a", NULL), 0);
	assert_int_equal(store_drop_accepted(f->ours, "never there", NULL), 0);
	struct map ours = load_accepted(f->ours), other = load_accepted(f->other);
	assert_int_equal(map_size(&ours), 0);
	assert_int_equal(map_size(&other), 1);
	map_release_with(&ours, free);
	map_release_with(&other, free);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_with_fixture(test_value_is_kept_and_replaced),
		test_with_fixture(test_row_comes_back_as_it_was_put),
		test_with_fixture(test_row_is_replaced_as_a_whole),
		test_with_fixture(test_drop_takes_only_its_own_row),
		test_with_fixture(test_accepted_document_is_kept_and_replaced),
		test_with_fixture(test_dropped_document_is_gone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
