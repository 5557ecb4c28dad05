/* Pages of lists. */
#include <string.h>

#include "base/limits.h"
#include "base/text.h"
#include "doc/json.h"
#include "server/call.h"

#define DEFAULT_PAGE_SIZE 100

/* False if it is there and is no number from 1. */
static bool read_number(struct call *c, const char *name, int64_t otherwise, int64_t *ret_value)
{
	const char *text = httpd_query(c->request, name);
	uint64_t value;

	*ret_value = otherwise;
	if (!text)
		return true;
	if (!text_parse_u64(text, &value) || value == 0 || value > INT32_MAX) {
		call_field(c, name, "must be a whole number, at least 1");
		return false;
	}
	*ret_value = (int64_t)value;
	return true;
}

/* A Host that could not stand in a URL is left out: clients use no more than path and query. */
static bool is_host(const char *host)
{
	return host && *host &&
	       strspn(host,
		       "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-:[]") ==
		       strlen(host);
}

static void write_link(struct call *c, const char *name, int64_t page, int64_t size)
{
	auto_buf struct buf url = BUF_INIT;
	const char *host = httpd_header(c->request, "Host");
	const char *since = httpd_query(c->request, "since");
	uint64_t minutes;

	if (is_host(host))
		buf_addf(&url, "http://%s", host);
	else
		buf_adds(&url, httpd_url(c->server->httpd));
	buf_addf(&url, "%s?page=%lld&page_size=%lld", httpd_path(c->request), (long long)page,
		(long long)size);
	if (since && text_parse_u64(since, &minutes))
		buf_addf(&url, "&since=%s", since);
	buf_addf(c->out, ",\"%s\":", name);
	if (page)
		json_write_string(c->out, buf_str(&url));
	else
		buf_adds(c->out, "null");
}

bool call_begin_page(struct call *c, int64_t count, struct window *ret_window)
{
	int64_t page, size;

	if (!read_number(c, "page", 1, &page) ||
		!read_number(c, "page_size", DEFAULT_PAGE_SIZE, &size))
		return false;
	if (size > LIMIT_API_PAGE_SIZE)
		size = LIMIT_API_PAGE_SIZE;
	*ret_window = (struct window){.offset = (page - 1) * size, .limit = size};
	if (page > 1 && ret_window->offset >= count) {
		call_detail(c, 404, "there is no page %lld", (long long)page);
		return false;
	}
	buf_addf(c->out, "{\"count\":%lld", (long long)count);
	write_link(c, "next", ret_window->offset + size < count ? page + 1 : 0, size);
	write_link(c, "previous", page - 1, size);
	buf_adds(c->out, ",\"results\":[");
	return true;
}

void call_item(struct call *c)
{
	if (c->out->data[c->out->len - 1] != '[')
		buf_addc(c->out, ',');
}

void call_end_page(struct call *c, int rc, const struct err *e)
{
	if (rc < 0) {
		call_error(c, e);
		return;
	}
	buf_adds(c->out, "]}");
	call_answer(c, 200);
}
