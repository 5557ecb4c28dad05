/* Pages into a list that is complete, or an error. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "api/answer.h"
#include "base/alloc.h"
#include "base/limits.h"
#include "doc/json.h"

struct fixture {
	struct api_list list;
	const char *next;
	struct err e;
};

static int set_up(void **state)
{
	struct fixture *f = xcalloc(1, sizeof(*f));

	api_list_init(&f->list);
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	api_list_release(&f->list);
	free(f);
	return 0;
}

/* Adds the page, as an API would send it; what api_list_add says. */
static int add(struct fixture *f, const char *body)
{
	const struct api_raw_answer raw = {.status = 200, .body = body, .body_len = strlen(body)};
	struct api_answer *a = api_answer_read(API_LIST, 1, &raw);

	assert_string_equal(a->err.msg, "");
	err_clear(&f->e);
	f->next = NULL;
	return api_list_add(&f->list, a, &f->next, &f->e);
}

#define ITEM(name, generation) "{\"identifier\": \"" name "\", \"generation\": " #generation "}"

static const struct live *item(struct fixture *f, const char *name)
{
	return map_get(&f->list.by_name, name);
}

static void assert_error(const struct fixture *f, enum err_code code, const char *says)
{
	assert_int_equal(f->e.code, code);
	assert_true(f->e.retriable == (code == ERR_REMOTE));
	assert_non_null(strstr(f->e.msg, says));
}

static void test_bare_array_is_complete(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(add(f, "[" ITEM("a", 1) ", " ITEM("b", 2) "]"), 0);
	assert_int_equal(map_size(&f->list.by_name), 2);
	assert_int_equal(item(f, "b")->generation, 2);
	assert_int_equal(f->list.count, -1);
}

static void test_empty_list_is_complete(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(add(f, "{\"count\": 0, \"next\": null, \"results\": []}"), 0);
	assert_int_equal(map_size(&f->list.by_name), 0);
}

static void test_pages_are_followed_to_the_end(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(add(f, "{\"count\": 3, \"next\": \"/x/?page=2\", \"results\": [" ITEM(
					"a", 1) ", " ITEM("b", 1) "]}"),
		1);
	assert_string_equal(f->next, "/x/?page=2");
	assert_int_equal(
		add(f, "{\"count\": 3, \"next\": null, \"results\": [" ITEM("c", 1) "]}"), 0);
	assert_string_equal(map_key(&f->list.by_name, 0), "a");
	assert_string_equal(map_key(&f->list.by_name, 1), "b");
	assert_string_equal(map_key(&f->list.by_name, 2), "c");
	assert_int_equal(f->list.count, 3);
}

/* Something was created meanwhile, and all moved by one. */
static void test_item_on_two_pages_counts_once_and_is_the_newer(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(add(f, "{\"count\": 2, \"next\": \"?page=2\", \"results\": [" ITEM(
					"a", 1) ", " ITEM("b", 1) "]}"),
		1);
	assert_int_equal(
		add(f, "{\"count\": 3, \"results\": [" ITEM("b", 2) ", " ITEM("c", 1) "]}"), 0);
	assert_int_equal(map_size(&f->list.by_name), 3);
	assert_int_equal(item(f, "b")->generation, 2);
}

static void test_fewer_than_counted_is_no_list(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(add(f, "{\"count\": 2, \"results\": [" ITEM("a", 1) "]}"), -ERR_REMOTE);
	assert_error(f, ERR_REMOTE, "says it has 2 replicators and holds 1");
}

static void test_more_than_counted_is_no_list(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(add(f, "{\"count\": 0, \"results\": [" ITEM("a", 1) "]}"), -ERR_REMOTE);
	assert_error(f, ERR_REMOTE, "says it has 0 replicators and holds 1");
}

static void test_page_that_leads_to_itself_is_an_error(void **state)
{
	struct fixture *f = *state;
	static const char page[] = "{\"next\": \"?page=2\", \"results\": []}";

	assert_int_equal(add(f, page), 1);
	assert_int_equal(add(f, page), -ERR_REMOTE);
	assert_error(f, ERR_REMOTE, "page 2 leads to one that was read already");
}

static void test_pages_in_a_circle_are_an_error(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(add(f, "{\"next\": \"?page=2\", \"results\": []}"), 1);
	assert_int_equal(add(f, "{\"next\": \"?page=3\", \"results\": []}"), 1);
	assert_int_equal(add(f, "{\"next\": \"?page=2\", \"results\": []}"), -ERR_REMOTE);
	assert_error(f, ERR_REMOTE, "was read already");
}

static void test_pages_without_end_are_an_error(void **state)
{
	struct fixture *f = *state;
	char page[100];
	int rc = 1;
	size_t n = 0;

	for (; rc == 1 && n <= LIMIT_API_PAGES; n++) {
		snprintf(page, sizeof(page), "{\"next\": \"?page=%zu\", \"results\": []}", n + 2);
		rc = add(f, page);
	}
	assert_int_equal(rc, -ERR_REMOTE);
	assert_int_equal(n, LIMIT_API_PAGES);
}

static void test_more_than_we_take_is_a_limit(void **state)
{
	struct fixture *f = *state;
	struct api_page *page = xcalloc(1, sizeof(*page));
	struct api_answer *a;

	page->refs = 1;
	page->count = -1;
	page->n = LIMIT_API_OBJECTS + 1;
	page->list = xcalloc(page->n, sizeof(*page->list));
	for (size_t i = 0; i < page->n; i++)
		page->list[i].identifier = arena_printf(&page->arena, "r%zu", i);
	a = api_answer_again(1, page);
	api_page_unref(page);
	assert_int_equal(api_list_add(&f->list, a, &f->next, &f->e), -ERR_LIMIT);
	assert_error(f, ERR_LIMIT, "more than 200000 replicators");
}

int main(void)
{
#define test(fn) cmocka_unit_test_setup_teardown(fn, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		test(test_bare_array_is_complete),
		test(test_empty_list_is_complete),
		test(test_pages_are_followed_to_the_end),
		test(test_item_on_two_pages_counts_once_and_is_the_newer),
		test(test_fewer_than_counted_is_no_list),
		test(test_more_than_counted_is_no_list),
		test(test_page_that_leads_to_itself_is_an_error),
		test(test_pages_in_a_circle_are_an_error),
		test(test_pages_without_end_are_an_error),
		test(test_more_than_we_take_is_a_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
