/* Payloads of GitHub and Gitea, as JSON or in a form. */
#include "hook/event.h"

#include <string.h>
#include <strings.h>

#include "base/alloc.h"
#include "base/text.h"
#include "doc/json.h"

static bool is_type(const char *content_type, const char *wanted)
{
	size_t len = strlen(wanted);
	return strncasecmp(content_type, wanted, len) == 0 &&
	       (!content_type[len] || strchr("; \t", content_type[len]));
}

int hook_read_form(const struct hook_request *q, enum hook_form *ret_form, struct err *e)
{
	const char *type = q->content_type ? q->content_type : "";
	if (is_type(type, "application/json")) {
		*ret_form = HOOK_JSON;
		return 0;
	}
	if (is_type(type, "application/x-www-form-urlencoded") && !q->gitea_event) {
		*ret_form = HOOK_URLENCODED;
		return 0;
	}
	return err_set(e, ERR_INVALID,
		"the content type is %s; set the webhook's to application/json",
		*type ? type : "missing");
}

static void decode(const char *s, size_t len, struct buf *out)
{
	for (size_t i = 0; i < len; i++) {
		char c = s[i];
		if (text_percent(s + i, len - i, &c))
			i += 2;
		else if (c == '+')
			c = ' ';
		buf_addc(out, c);
	}
}

/* The field `payload`; false if there is none. */
static bool decode_payload(const char *body, size_t len, struct buf *out)
{
	static const char name[] = "payload=";
	const char *end = body + len;
	for (const char *at = body; at < end;) {
		const char *next = memchr(at, '&', (size_t)(end - at));
		size_t n = (size_t)((next ? next : end) - at);
		if (n > strlen(name) && !memcmp(at, name, strlen(name))) {
			decode(at + strlen(name), n - strlen(name), out);
			return true;
		}
		at += n + 1;
	}
	return false;
}

int hook_read_ref(const struct hook_request *q, enum hook_form form, char **ret_ref, struct err *e)
{
	auto_buf struct buf decoded = BUF_INIT;
	struct arena a = ARENA_INIT;
	struct node *root = NULL;
	if (form == HOOK_JSON)
		buf_add(&decoded, q->body, q->len);
	else if (!decode_payload(q->body, q->len, &decoded))
		return err_set(e, ERR_INVALID, "the form has no field payload");
	struct err of_json = ERR_INIT;
	int rc = json_read_loose(&a, buf_str(&decoded), decoded.len, &root, &of_json);
	const char *ref = rc == 0 ? node_get_string(root, "ref") : NULL;
	if (rc < 0)
		rc = err_set(e, ERR_INVALID, "the payload is not JSON: %s", of_json.msg);
	else if (!ref)
		rc = err_set(e, ERR_INVALID, "the payload of a push has no ref");
	else
		*ret_ref = xstrdup(ref);
	arena_release(&a);
	return rc;
}
