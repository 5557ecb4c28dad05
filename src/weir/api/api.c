/* Names and ownership of calls and answers. */
#include "api/api.h"

#include "base/alloc.h"

const char *api_verb_name(enum api_verb verb)
{
	static const char *const names[API__COUNT] = {
		[API_LIST] = "list",
		[API_GET] = "get",
		[API_CREATE] = "create",
		[API_PATCH] = "patch",
		[API_RECONCILE] = "reconcile",
		[API_DELETE] = "delete",
	};
	return names[verb];
}

const char *api_outcome_name(enum api_outcome outcome)
{
	static const char *const names[API_OUTCOME__COUNT] = {
		[API_OK] = "ok",
		[API_ABSENT] = "absent",
		[API_EXISTS] = "exists",
		[API_STALE] = "stale",
		[API_KEY_REUSED] = "key-reused",
		[API_REFUSED] = "refused",
		[API_AUTH] = "auth",
		[API_FORBIDDEN] = "forbidden",
		[API_TRY_AGAIN] = "try-again",
		[API_NONSENSE] = "nonsense",
	};
	return names[outcome];
}

void api_call_free(struct api_call *c)
{
	if (!c)
		return;
	free(c->identifier);
	free(c->body);
	free(c->idempotency_key);
	free(c->page);
	free(c);
}

void api_answer_free(struct api_answer *a)
{
	if (!a)
		return;
	arena_release(&a->arena);
	api_page_unref(a->page);
	free(a);
}

struct api_page *api_page_ref(struct api_page *page)
{
	page->refs++;
	return page;
}

void api_page_unref(struct api_page *page)
{
	if (!page || --page->refs)
		return;
	arena_release(&page->arena);
	free(page->list);
	free(page->next);
	free(page);
}
