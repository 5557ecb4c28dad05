#include <unistd.h>

#include "fixture.h"

static struct replicator_row row_of(const char *org, const char *identifier)
{
	return (struct replicator_row){
		.org = org,
		.identifier = identifier,
		.uid = identifier,
		.fleet = "dev",
		.spec = "{}",
		.endpoints = "{}",
		.generation = 1,
		.status = LIVE_PENDING,
		.status_message = "",
		.created_at_ms = 5,
	};
}

static struct replicator_row insert(struct fixture *f, const char *org, const char *identifier)
{
	struct replicator_row row = row_of(org, identifier);

	assert_int_equal(store_insert_replicator(f->store, &row, NULL), 0);
	return row;
}

static void add_name(void *ctx, const struct replicator_row *row)
{
	strv_push(ctx, row->identifier);
}

static void assert_names(const struct strv *names, const char *const *expected, size_t n)
{
	assert_int_equal(names->n, n);
	for (size_t i = 0; i < n; i++)
		assert_string_equal(names->at[i], expected[i]);
}

static void test_open_refuses_a_second_one(void **state)
{
	struct fixture *f = *state;
	struct store *second = NULL;
	struct err e = ERR_INIT;

	assert_int_equal(store_open(f->folder, &second, &e), -ERR_CONFLICT);
	assert_non_null(strstr(e.msg, f->folder));
	assert_null(second);
}

static void test_open_makes_the_folder_and_keeps_others_out(void **state)
{
	struct fixture *f = *state;
	auto_free char *folder = fs_join(f->folder, "deep/down");
	auto_free char *file = fs_join(folder, "replicatord.db");
	struct store *store = NULL;

	assert_int_equal(store_open(folder, &store, NULL), 0);
	assert_int_equal(access(file, R_OK | W_OK), 0);
	store_close(store);
}

static void test_open_says_what_stands_in_the_way(void **state)
{
	struct fixture *f = *state;
	auto_free char *file = fs_join(f->folder, "lock");
	auto_free char *folder = fs_join(file, "data");
	struct store *store = NULL;
	struct err e = ERR_INIT;

	assert_int_not_equal(store_open(folder, &store, &e), 0);
	assert_non_null(strstr(e.msg, folder));
}

static void test_list_is_in_the_order_of_creation_and_of_one_organization(void **state)
{
	static const char *const all[] = {"c", "a", "b"};
	static const char *const middle[] = {"a"};
	struct fixture *f = *state;
	auto_strv struct strv names = VEC_INIT;
	int64_t n = 0;

	insert(f, "acme", "c");
	insert(f, "other", "x");
	insert(f, "acme", "a");
	insert(f, "acme", "b");
	assert_int_equal(store_count_replicators(f->store, "acme", &n, NULL), 0);
	assert_int_equal(n, 3);
	assert_int_equal(store_list_replicators(
				 f->store, "acme", (struct window){0, 10}, add_name, &names, NULL),
		0);
	assert_names(&names, all, 3);
	strv_clear(&names);
	assert_int_equal(store_list_replicators(
				 f->store, "acme", (struct window){1, 1}, add_name, &names, NULL),
		0);
	assert_names(&names, middle, 1);
}

static void test_statuses_are_counted_and_listed(void **state)
{
	static const char *const ill[] = {"b", "c"};
	struct fixture *f = *state;
	auto_strv struct strv names = VEC_INIT;
	int64_t counts[LIVE__COUNT];

	insert(f, "acme", "a");
	for (size_t i = 0; i < ARRAY_SIZE(ill); i++) {
		struct replicator_row row = insert(f, "acme", ill[i]);

		row.status = LIVE_ERROR;
		assert_int_equal(store_update_replicator(f->store, &row, NULL), 0);
	}
	insert(f, "other", "d");
	assert_int_equal(store_count_by_status(f->store, "dev", "acme", counts, NULL), 0);
	assert_int_equal(counts[LIVE_PENDING], 1);
	assert_int_equal(counts[LIVE_ERROR], 2);
	assert_int_equal(counts[LIVE_HEALTHY], 0);
	assert_int_equal(store_list_by_status(f->store, "dev", "acme", LIVE_ERROR,
				 (struct window){0, 10}, add_name, &names, NULL),
		0);
	assert_names(&names, ill, 2);
}

static void test_ids_are_never_used_twice(void **state)
{
	struct fixture *f = *state;
	const struct replicator_row first = insert(f, "acme", "a");

	assert_int_equal(store_delete_replicator(f->store, first.id, NULL), 0);
	assert_true(insert(f, "acme", "a").id > first.id);
}

static void test_end_rolls_back_when_a_step_failed(void **state)
{
	struct fixture *f = *state;
	struct replicator_row row;

	assert_int_equal(store_begin(f->store, NULL), 0);
	insert(f, "acme", "a");
	assert_int_equal(store_end(f->store, -ERR_INVALID, NULL), -ERR_INVALID);
	assert_int_equal(store_find_replicator(f->store, &f->arena, "acme", "a", &row, NULL), 0);
}

static void test_log_keeps_a_bounded_number_of_lines(void **state)
{
	const struct replicator_row row = row_of("acme", "a");
	struct fixture *f = *state;
	int64_t n = 0;

	assert_int_equal(store_begin(f->store, NULL), 0);
	for (int64_t i = 0; i < STORE_LOG_ROWS + 10; i++)
		assert_int_equal(store_log(f->store, &row, i, LOG_INFO, "x", NULL), 0);
	assert_int_equal(store_end(f->store, 0, NULL), 0);
	assert_int_equal(store_count_log(f->store, "dev", "acme", 0, &n, NULL), 0);
	assert_int_equal(n, STORE_LOG_ROWS);
	assert_int_equal(store_count_log(f->store, "dev", "acme", STORE_LOG_ROWS, &n, NULL), 0);
	assert_int_equal(n, 10);
	assert_int_equal(store_count_log(f->store, "dev", "other", 0, &n, NULL), 0);
	assert_int_equal(n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_with_fixture(test_open_refuses_a_second_one),
		test_with_fixture(test_open_makes_the_folder_and_keeps_others_out),
		test_with_fixture(test_open_says_what_stands_in_the_way),
		test_with_fixture(test_list_is_in_the_order_of_creation_and_of_one_organization),
		test_with_fixture(test_statuses_are_counted_and_listed),
		test_with_fixture(test_ids_are_never_used_twice),
		test_with_fixture(test_end_rolls_back_when_a_step_failed),
		test_with_fixture(test_log_keeps_a_bounded_number_of_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
