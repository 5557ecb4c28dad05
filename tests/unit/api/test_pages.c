/* Pages that say what they said before are shared, and all others are read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "api/pages.h"
#include "base/alloc.h"

#define ONE   "[{\"identifier\": \"a\", \"generation\": 1}]"
#define OTHER "[{\"identifier\": \"a\", \"generation\": 2}]"

static struct api_answer *read_page(
	struct api_pages *p, uint64_t token, int status, const char *body)
{
	const struct api_raw_answer raw = {
		.status = status, .body = body, .body_len = strlen(body)};
	struct api_answer *a = api_pages_read(p, token, &raw);

	assert_int_equal(a->verb, API_LIST);
	assert_int_equal(a->token, token);
	return a;
}

/* The answer goes at once; the page is only to be compared. */
static const struct api_page *page_of(struct api_pages *p, const char *body)
{
	struct api_answer *a = read_page(p, 1, 200, body);
	const struct api_page *page = a->page;

	assert_int_equal(a->outcome, API_OK);
	api_answer_free(a);
	return page;
}

static void test_same_page_is_shared_with_the_last_list(void **state)
{
	(void)state;
	struct api_pages p = {0};

	api_pages_begin(&p);
	struct api_answer *first = read_page(&p, 1, 200, ONE);
	api_pages_begin(&p);
	struct api_answer *second = read_page(&p, 2, 200, ONE);
	assert_ptr_equal(first->page, second->page);
	assert_int_equal(second->page->list[0].generation, 1);
	api_pages_release(&p);
	api_answer_free(first);
	assert_string_equal(second->page->list[0].identifier, "a");
	api_answer_free(second);
}

static void test_page_stays_shared_over_many_lists(void **state)
{
	(void)state;
	struct api_pages p = {0};

	api_pages_begin(&p);
	const struct api_page *page = page_of(&p, ONE);
	for (int i = 0; i < 5; i++) {
		api_pages_begin(&p);
		assert_ptr_equal(page_of(&p, ONE), page);
	}
	api_pages_release(&p);
}

static void test_page_that_changed_is_read(void **state)
{
	(void)state;
	struct api_pages p = {0};

	api_pages_begin(&p);
	page_of(&p, ONE);
	api_pages_begin(&p);
	assert_int_equal(page_of(&p, OTHER)->list[0].generation, 2);
	api_pages_release(&p);
}

static void test_page_that_was_missing_once_is_forgotten(void **state)
{
	(void)state;
	struct api_pages p = {0};

	api_pages_begin(&p);
	struct api_answer *first = read_page(&p, 1, 200, ONE);
	api_pages_begin(&p);
	page_of(&p, OTHER);
	api_pages_begin(&p);
	assert_ptr_not_equal(page_of(&p, ONE), first->page);
	assert_int_equal(first->page->refs, 1);
	api_pages_release(&p);
	api_answer_free(first);
}

static void test_errors_are_read_each_time(void **state)
{
	(void)state;
	struct api_pages p = {0};

	for (int i = 0; i < 3; i++) {
		api_pages_begin(&p);
		struct api_answer *a = read_page(&p, 1, 503, ONE);
		assert_int_equal(a->outcome, API_TRY_AGAIN);
		assert_null(a->page);
		api_answer_free(a);
		a = read_page(&p, 1, 200, "[{}]");
		assert_int_equal(a->outcome, API_NONSENSE);
		api_answer_free(a);
	}
	api_pages_release(&p);
}

static void test_two_pages_that_say_the_same_are_both_there(void **state)
{
	(void)state;
	struct api_pages p = {0};

	for (int i = 0; i < 2; i++) {
		api_pages_begin(&p);
		assert_int_equal(page_of(&p, "[]")->n, 0);
		assert_int_equal(page_of(&p, "[]")->n, 0);
	}
	api_pages_release(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same_page_is_shared_with_the_last_list),
		cmocka_unit_test(test_page_stays_shared_over_many_lists),
		cmocka_unit_test(test_page_that_changed_is_read),
		cmocka_unit_test(test_page_that_was_missing_once_is_forgotten),
		cmocka_unit_test(test_errors_are_read_each_time),
		cmocka_unit_test(test_two_pages_that_say_the_same_are_both_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
