#include "fixture.h"

static void test_place_takes_the_first_that_serves_and_has_room(void **state)
{
	struct fixture *f = *state;
	auto_buf struct buf why = BUF_INIT;

	assert_string_equal(fleets_place(&f->fleets, "ClusterLink", &why)->config->name, "links");
	assert_string_equal(fleets_place(&f->fleets, "MirrorMaker2", &why)->config->name, "dev");
	fleets_find(&f->fleets, "links")->n_used = 1;
	assert_string_equal(fleets_place(&f->fleets, "ClusterLink", &why)->config->name, "dev");
}

static void test_place_says_who_is_full(void **state)
{
	struct fixture *f = *state;
	auto_buf struct buf why = BUF_INIT;

	fleets_find(&f->fleets, "dev")->n_used = 3;
	assert_null(fleets_place(&f->fleets, "MirrorMaker2", &why));
	assert_string_equal(buf_str(&why),
		"no room in any fleet that serves MirrorMaker2: dev (3 of 3); delete a "
		"replicator or raise a fleet's capacity");
}

static void test_place_says_what_is_served(void **state)
{
	struct fixture *f = *state;
	auto_buf struct buf why = BUF_INIT;

	assert_null(fleets_place(&f->fleets, "Carrier", &why));
	assert_string_equal(buf_str(&why),
		"no fleet serves Carrier; fleet links serves ClusterLink, fleet dev serves "
		"MirrorMaker2 and ClusterLink");
}

static void test_room_is_never_negative(void **state)
{
	struct fixture *f = *state;
	struct fleet *dev = fleets_find(&f->fleets, "dev");

	assert_int_equal(fleet_room(dev), 3);
	dev->n_used = 5;
	assert_int_equal(fleet_room(dev), 0);
	assert_null(fleets_find(&f->fleets, "nowhere"));
}

static void test_count_refuses_a_fleet_that_is_gone(void **state)
{
	struct fixture *f = *state;
	struct replicator_row row = {
		.org = "acme",
		.identifier = "orders-dr",
		.uid = "u",
		.fleet = "retired",
		.spec = "{}",
		.endpoints = "{}",
		.generation = 1,
		.status_message = "",
	};
	struct err e = ERR_INIT;

	assert_int_equal(store_insert_replicator(f->store, &row, NULL), 0);
	assert_int_equal(fleets_count(&f->fleets, f->store, &e), -ERR_CONFIG);
	assert_string_equal(e.msg,
		"fleet retired has 1 replicators and is not in the configuration; put it back "
		"until they are deleted");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_with_fixture(test_place_takes_the_first_that_serves_and_has_room),
		test_with_fixture(test_place_says_who_is_full),
		test_with_fixture(test_place_says_what_is_served),
		test_with_fixture(test_room_is_never_negative),
		test_with_fixture(test_count_refuses_a_fleet_that_is_gone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
