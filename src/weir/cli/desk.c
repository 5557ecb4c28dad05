/* Orders, from JSON to the ledger. */
#include "cli/desk.h"

#include <pwd.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/limits.h"

static int check_keys(const struct node *body, const char *const *known, struct err *e)
{
	if (!body || body->type != NODE_MAP)
		return err_set(e, ERR_INVALID, "the order must be a JSON object");
	for (size_t i = 0; i < body->u.map.n; i++) {
		const char *key = body->u.map.at[i].key->u.string.s;
		size_t k = 0;
		while (known[k] && strcmp(known[k], key) != 0)
			k++;
		if (!known[k])
			return err_set(e, ERR_INVALID, "the order has the unknown key %s", key);
	}
	return 0;
}

/* NULL, and the error, if it is not there. */
static const char *need_string(const struct node *map, const char *key, struct err *e)
{
	const char *value = node_get_string(map, key);
	if (value && value[0])
		return value;
	err_set(e, ERR_INVALID, "the order needs %s, a string that is not empty", key);
	return NULL;
}

static int read_order(
	const struct desk *d, const struct node *body, struct order *ret_order, struct err *e)
{
	const char *reason = node_get_string(body, "reason");
	if (node_get(body, "reason") && !reason)
		return err_set(e, ERR_INVALID, "reason must be a string");
	if (reason && strlen(reason) > LIMIT_REASON_BYTES)
		return err_set(e, ERR_LIMIT, "the reason has %zu bytes; at most %d are kept",
			strlen(reason), LIMIT_REASON_BYTES);
	*ret_order = (struct order){
		.name = node_get_string(body, "name"),
		.reason = reason ? reason : "",
		.by = d->by,
		.now_ms = d->now_ms,
	};
	return 0;
}

static int read_until(
	const struct node *body, bool *ret_has_until, int64_t *ret_until_ms, struct err *e)
{
	const struct node *until = node_get(body, "until");
	*ret_has_until = until && until->type != NODE_NULL;
	if (!*ret_has_until)
		return 0;
	if (until->type != NODE_STRING || !clock_parse(until->u.string.s, ret_until_ms))
		return err_set(e, ERR_INVALID, "until must be a time such as 2026-12-24T06:00:00Z");
	return 0;
}

static int take_suspend(const struct desk *d, const struct node *body, const struct order *o,
	struct arena *a, struct node *answer, struct err *e)
{
	bool has_until;
	int64_t until_ms = 0;
	char text[CLOCK_TEXT_MAX];
	if (!need_string(body, "reason", e))
		return -ERR_INVALID;
	int rc = read_until(body, &has_until, &until_ms, e);
	if (rc == 0)
		rc = orders_suspend(d->ledger, o, has_until, until_ms, e);
	if (rc < 0)
		return rc;
	node_map_set(a, answer, "until",
		has_until ? node_string(a, clock_format(until_ms, text)) : node_null(a));
	return 0;
}

/* What comes of it by itself then; NULL: it goes on as Git says. */
static const char *follows(const struct desk *d, const char *name, struct arena *a)
{
	const struct record *r = ledger_find(d->ledger, name);
	if (!r || !r->row.gone_since_ms)
		return NULL;
	const struct replicator *document = orders_remembered(r, a);
	return document && document->sync.on_remove == REMOVE_ORPHAN ? "let go" : "delete";
}

static int take_resume(const struct desk *d, const struct node *body, const struct order *o,
	struct arena *a, struct node *answer, struct err *e)
{
	(void)body;
	bool still;
	int rc = orders_resume(d->ledger, o, &still, e);
	if (rc < 0)
		return rc;
	const char *then = still ? NULL : follows(d, o->name, a);
	node_map_set(a, answer, "suspended", node_bool(a, still));
	node_map_set(a, answer, "then", then ? node_string(a, then) : node_null(a));
	return 0;
}

static int take_forget(const struct desk *d, const struct node *body, const struct order *o,
	struct arena *a, struct node *answer, struct err *e)
{
	(void)body;
	(void)a;
	(void)answer;
	return orders_forget(d->ledger, o, e);
}

static int check_items(const struct node *items, struct err *e)
{
	if (!items || items->type != NODE_SEQ || !items->u.seq.n)
		return err_set(e, ERR_INVALID, "the order needs items, a list that is not empty");
	for (size_t i = 0; i < items->u.seq.n; i++) {
		const struct node *item = items->u.seq.at[i];
		if (!node_get_string(item, "name")) /* empty: of the commit as a whole */
			return err_set(e, ERR_INVALID, "the order needs name, a string");
		if (!need_string(item, "digest", e) || !need_string(item, "action", e))
			return -ERR_INVALID;
	}
	return 0;
}

static int approve_item(const struct desk *d, const struct node *item, const struct order *o,
	const char **ret_list, struct err *e)
{
	const char *name = node_get_string(item, "name");
	const char *digest = node_get_string(item, "digest");
	if (map_has(&d->ledger->approvals, digest)) {
		*ret_list = "already";
		return 0;
	}
	if (d->engine && !engine_binds(d->engine, name, digest)) {
		*ret_list = "changed";
		return 0;
	}
	struct order one = *o;
	one.name = name;
	*ret_list = "approved";
	return orders_approve(d->ledger, &one, digest, node_get_string(item, "action"), e);
}

static int take_approve(const struct desk *d, const struct node *body, const struct order *o,
	struct arena *a, struct node *answer, struct err *e)
{
	static const char *const lists[] = {"approved", "changed", "already"};
	const struct node *items = node_get(body, "items");
	if (check_items(items, e) < 0)
		return -ERR_INVALID;
	for (size_t i = 0; i < ARRAY_SIZE(lists); i++)
		node_map_set(a, answer, lists[i], node_seq(a));
	for (size_t i = 0; i < items->u.seq.n; i++) {
		const struct node *item = items->u.seq.at[i];
		const char *list = NULL;
		int rc = approve_item(d, item, o, &list, e);
		if (rc < 0)
			return rc;
		const char *name = node_get_string(item, "name");
		if (!name[0]) /* about the commit */
			name = arena_printf(a, "the %s", node_get_string(item, "action"));
		node_seq_add(a, node_get(answer, list), node_string(a, name));
	}
	return 0;
}

static const struct taker {
	const char *order;
	bool is_named; /* it is about one replicator */
	const char *const keys[4];
	int (*take)(const struct desk *d, const struct node *body, const struct order *o,
		struct arena *a, struct node *answer, struct err *e);
} takers[] = {
	{"suspend", true, {"name", "reason", "until", NULL}, take_suspend},
	{"resume", true, {"name", "reason", NULL}, take_resume},
	{"forget", true, {"name", "reason", NULL}, take_forget},
	{"approve", false, {"items", "reason", NULL}, take_approve},
};

int desk_take(const struct desk *d, const char *order, const struct node *body, struct arena *a,
	struct node **ret_answer, struct err *e)
{
	const struct taker *t = takers;
	while (t < takers + ARRAY_SIZE(takers) && strcmp(t->order, order) != 0)
		t++;
	if (t == takers + ARRAY_SIZE(takers))
		return err_set(e, ERR_NOT_FOUND, "there is no order %s", order);
	struct order o = {.name = NULL};
	int rc = check_keys(body, t->keys, e);
	if (rc == 0)
		rc = read_order(d, body, &o, e);
	if (rc == 0 && t->is_named && !need_string(body, "name", e))
		rc = -ERR_INVALID;
	if (rc < 0)
		return rc;
	struct node *answer = node_map(a);
	if (t->is_named)
		node_map_set(a, answer, "name", node_string(a, o.name));
	rc = t->take(d, body, &o, a, answer, e);
	if (rc == 0)
		*ret_answer = answer;
	return rc;
}

char *desk_user_name(unsigned uid)
{
	char text[4096];
	struct passwd entry, *found = NULL;
	if (getpwuid_r(uid, &entry, text, sizeof(text), &found) == 0 && found)
		return xstrdup(found->pw_name);
	return xasprintf("uid %u", uid);
}
