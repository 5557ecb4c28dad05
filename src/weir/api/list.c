/* Pages into one complete list. */
#include <string.h>

#include "api/api.h"
#include "base/alloc.h"
#include "base/limits.h"

void api_list_init(struct api_list *l)
{
	*l = (struct api_list){.by_name = MAP_INIT, .seen = MAP_INIT, .count = -1};
}

void api_list_release(struct api_list *l)
{
	for (size_t i = 0; i < l->pages.n; i++)
		api_answer_free(l->pages.at[i]);
	vec_release(&l->pages);
	map_release(&l->by_name);
	map_release(&l->seen);
}

/* An item that stands on two pages (something was created or deleted meanwhile) counts once; the
 * later page is newer. */
static void take_items(struct api_list *l, const struct api_page *page)
{
	for (size_t i = 0; i < page->n; i++)
		map_put(&l->by_name, page->list[i].identifier, &page->list[i]);
}

int api_list_add(
	struct api_list *l, struct api_answer *owned_page, const char **ret_next, struct err *e)
{
	const struct api_page *page = owned_page->page;
	vec_push(&l->pages, owned_page);
	take_items(l, page);
	l->count = page->count;
	if (map_size(&l->by_name) > LIMIT_API_OBJECTS)
		return err_set(
			e, ERR_LIMIT, "the list holds more than %d replicators", LIMIT_API_OBJECTS);
	if (page->next) {
		if (map_has(&l->seen, page->next) || l->pages.n >= LIMIT_API_PAGES)
			return err_retriable(e, ERR_REMOTE,
				"the list does not end: page %zu leads to one that was "
				"read already",
				l->pages.n);
		map_put(&l->seen, page->next, l);
		*ret_next = page->next;
		return 1;
	}
	if (l->count >= 0 && (size_t)l->count != map_size(&l->by_name))
		return err_retriable(e, ERR_REMOTE,
			"the list says it has %lld replicators and holds %zu; it changed "
			"while it was read",
			(long long)l->count, map_size(&l->by_name));
	return 0;
}
