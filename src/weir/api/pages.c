/* Pages of the list that were read before. */
#include "api/pages.h"

#include "base/hash.h"

static void drop_page(void *page)
{
	api_page_unref(page);
}

void api_pages_begin(struct api_pages *p)
{
	map_release_with(&p->last, drop_page);
	p->last = p->current;
	p->current = (struct map)MAP_INIT;
}

static void keep(struct api_pages *p, const char *digest, struct api_page *page)
{
	api_page_unref(map_put(&p->current, digest, api_page_ref(page)));
}

struct api_answer *api_pages_read(
	struct api_pages *p, uint64_t token, const struct api_raw_answer *raw)
{
	struct hash hash;
	unsigned char bytes[HASH_BYTES];
	char digest[HASH_HEX_MAX];
	if (raw->status != 200)
		return api_answer_read(API_LIST, token, raw);
	hash_begin(&hash);
	hash_add(&hash, raw->body, raw->body_len);
	hash_end(&hash, bytes);
	struct api_page *page = map_get(&p->last, hash_hex(bytes, digest));
	struct api_answer *a =
		page ? api_answer_again(token, page) : api_answer_read(API_LIST, token, raw);
	if (a->outcome == API_OK)
		keep(p, digest, a->page);
	return a;
}

void api_pages_release(struct api_pages *p)
{
	map_release_with(&p->last, drop_page);
	map_release_with(&p->current, drop_page);
}
