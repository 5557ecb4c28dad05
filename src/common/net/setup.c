/* libcurl's memory: wiped when it is freed, because tokens and passwords pass through it. */
#include "net/call.h"

#include <malloc.h>
#include <pthread.h>
#include <string.h>

#include "base/alloc.h"

static void wipe_and_free(void *p)
{
	if (!p)
		return;
	explicit_bzero(p, malloc_usable_size(p));
	free(p);
}

/* realloc would leave the old bytes behind wherever it moves them. */
static void *move_and_wipe(void *p, size_t size)
{
	size_t old_size = p ? malloc_usable_size(p) : 0;

	if (p && size <= old_size)
		return p;
	void *moved = malloc(size);
	if (moved && p) {
		memcpy(moved, p, old_size);
		wipe_and_free(p);
	}
	return moved;
}

static void init_curl(void)
{
	CURLcode rc = curl_global_init_mem(
		CURL_GLOBAL_DEFAULT, malloc, wipe_and_free, move_and_wipe, strdup, calloc);

	if (rc != CURLE_OK)
		BUG("libcurl cannot start: %s", curl_easy_strerror(rc));
}

void net_setup(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, init_curl);
}

void net_check_multi(CURLMcode code)
{
	if (code != CURLM_OK)
		BUG("libcurl: %s", curl_multi_strerror(code));
}
