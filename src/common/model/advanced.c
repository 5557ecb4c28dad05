/* Finding keys of advanced_configuration in their tables, and bringing values into one form. */
#include "model/advanced.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "model/internal.h"

const struct advanced_provider *const advanced_providers[] = {
	&advanced_mirrormaker, &advanced_link, NULL};

const struct advanced_provider *advanced_provider_find(const char *name)
{
	for (size_t i = 0; advanced_providers[i]; i++) {
		if (strcmp(advanced_providers[i]->name, name) == 0)
			return advanced_providers[i];
	}
	return NULL;
}

static const struct advanced_key *find_key(
	const struct advanced_provider *provider, const char *name)
{
	for (const struct advanced_key *k = provider->keys; k->name; k++) {
		if (strcmp(k->name, name) == 0)
			return k;
	}
	return NULL;
}

static const struct advanced_key *find_client_key(unsigned clients, const char *name)
{
	for (const struct advanced_client_key *k = advanced_client_keys; k->key.name; k++) {
		if (k->clients & clients && strcmp(k->key.name, name) == 0)
			return &k->key;
	}
	return NULL;
}

static const struct advanced_prefix *find_prefix(
	const struct advanced_provider *provider, const char *key)
{
	const struct advanced_prefix *longest = NULL;

	for (const struct advanced_prefix *p = provider->prefixes; p->name; p++) {
		if (text_has_prefix(key, p->name) &&
			(!longest || strlen(p->name) > strlen(longest->name)))
			longest = p;
	}
	return longest;
}

struct advanced_match advanced_find(const struct advanced_provider *provider, const char *key)
{
	struct advanced_match match = {.key = find_key(provider, key)};

	if (match.key)
		return match;
	match.prefix = find_prefix(provider, key);
	if (!match.prefix)
		return match;
	match.client_key = match.prefix->whole ? key : key + strlen(match.prefix->name);
	match.key = find_client_key(match.prefix->clients, match.client_key);
	return match;
}

const char *const advanced_credential_parts[] = {"password", "passwd", "passphrase", "secret",
	"credential", "jaas.config", "keystore.key", "private.key", "user.info", "username",
	"api.key", "apikey", "access.key", "auth.token", "access.token", NULL};

bool advanced_is_credential(const char *key)
{
	for (size_t i = 0; advanced_credential_parts[i]; i++) {
		if (strcasestr(key, advanced_credential_parts[i]))
			return true;
	}
	return false;
}

/* The row of a key in the first table that has one. */
static const struct advanced_key *find_anywhere(const char *key)
{
	for (size_t i = 0; advanced_providers[i]; i++) {
		struct advanced_match match = advanced_find(advanced_providers[i], key);

		if (match.key)
			return match.key;
	}
	return NULL;
}

bool advanced_is_public(const char *key)
{
	const struct advanced_key *k = find_anywhere(key);

	return k && k->rule == ADVANCED_SET && !advanced_is_credential(key);
}

const char *advanced_value_text(const struct node *value, struct buf *scratch)
{
	buf_clear(scratch);
	switch (value->type) {
	case NODE_STRING:
		return value->u.string.s;
	case NODE_BOOL:
		return value->u.boolean ? "true" : "false";
	case NODE_INT:
		buf_addf(scratch, "%lld", (long long)value->u.integer);
		return buf_str(scratch);
	case NODE_REAL:
		buf_addf(scratch, "%.15g", value->u.real);
		return buf_str(scratch);
	case NODE_NULL:
	case NODE_SEQ:
	case NODE_MAP:
	case NODE__COUNT:
		break;
	}
	return NULL;
}

static struct node *at_place_of(struct node *made, const struct node *written)
{
	made->line = written->line;
	made->col = written->col;
	return made;
}

/* Adds the items of a comma-separated text, without the white space around them. */
static void join_items(struct buf *out, const char *text)
{
	while (*text) {
		const char *end = text + strcspn(text, ",");
		const char *first = text + strspn(text, " \t");
		const char *last = end;

		while (last > first && strchr(" \t", last[-1]))
			last--;
		if (last > first) {
			if (out->len)
				buf_addc(out, ',');
			buf_add(out, first, (size_t)(last - first));
		}
		text = *end ? end + 1 : end;
	}
}

static struct node *joined_list(struct arena *a, struct node *value)
{
	auto_buf struct buf out = BUF_INIT, scratch = BUF_INIT;

	if (value->type != NODE_SEQ) {
		join_items(&out, advanced_value_text(value, &scratch));
	} else {
		for (size_t i = 0; i < value->u.seq.n; i++)
			join_items(&out, advanced_value_text(value->u.seq.at[i], &scratch));
	}
	return at_place_of(node_string(a, buf_str(&out)), value);
}

static struct node *typed_int(struct arena *a, struct node *value)
{
	char *end;
	long long number;

	if (value->type != NODE_STRING || !value->u.string.s[strspn(value->u.string.s, "-")])
		return value;
	if (value->u.string.s[strspn(value->u.string.s, "-0123456789")])
		return value;
	errno = 0;
	number = strtoll(value->u.string.s, &end, 10);
	return *end || errno ? value : at_place_of(node_int(a, number), value);
}

static struct node *typed_bool(struct arena *a, struct node *value)
{
	if (value->type != NODE_STRING)
		return value;
	if (strcmp(value->u.string.s, "true") == 0 || strcmp(value->u.string.s, "false") == 0)
		return at_place_of(node_bool(a, value->u.string.s[0] == 't'), value);
	return value;
}

static struct node *typed_text(struct arena *a, struct node *value)
{
	auto_buf struct buf scratch = BUF_INIT;
	const char *text = advanced_value_text(value, &scratch);

	return value->type == NODE_STRING || !text ? value
						   : at_place_of(node_string(a, text), value);
}

static struct node *typed_value(struct arena *a, const struct advanced_key *key, struct node *value)
{
	switch (key->type) {
	case ADVANCED_BOOL:
		return typed_bool(a, value);
	case ADVANCED_INT:
	case ADVANCED_REPLICAS:
		return typed_int(a, value);
	case ADVANCED_LIST:
	case ADVANCED_PATTERNS:
		return joined_list(a, value);
	case ADVANCED_STRING:
	case ADVANCED_CHOICE:
	case ADVANCED_CLASS:
		return typed_text(a, value);
	case ADVANCED_REAL:
	case ADVANCED_JSON:
		break;
	}
	return value;
}

static bool is_scalar(const struct node *n)
{
	return n->type != NODE_NULL && n->type != NODE_SEQ && n->type != NODE_MAP;
}

/* A word for what cannot stand as the value of a key, or NULL. */
static const char *misfit(const struct advanced_key *row, const struct node *value)
{
	if (value->type == NODE_MAP && row && row->type == ADVANCED_JSON)
		return "is a map; put quotes around the JSON: '{…}'";
	if (value->type == NODE_MAP)
		return "is a map; write each key on its own line with dots, such as "
		       "producer.linger.ms: 5";
	if (value->type != NODE_SEQ)
		return NULL;
	for (size_t i = 0; i < value->u.seq.n; i++) {
		if (!is_scalar(value->u.seq.at[i]))
			return "is a list that holds more than plain values; put quotes around "
			       "what has brackets";
	}
	return NULL;
}

static bool is_ambiguous(const struct node *value)
{
	if (value->type == NODE_SEQ) {
		for (size_t i = 0; i < value->u.seq.n; i++) {
			if (value->u.seq.at[i]->ambiguity != AMBIGUOUS_NOT)
				return true;
		}
	}
	return value->ambiguity != AMBIGUOUS_NOT;
}

bool advanced_decode(struct node *map, const struct field_place *place, bool keep_nulls,
	struct node **ret_map, struct problems *problems)
{
	struct node *decoded = node_map(place->arena);
	bool ok = true;

	at_place_of(decoded, map);
	for (size_t i = 0; i < map->u.map.n; i++) {
		const char *key = map->u.map.at[i].key->u.string.s;
		struct node *value = map->u.map.at[i].value;
		const struct advanced_key *row = find_anywhere(key);
		const char *wrong = misfit(row, value);

		if (wrong) {
			problem_at(problems, PROBLEM_ERROR, place, key, value, "%s", wrong);
			ok = false;
		} else if (value->type == NODE_NULL) {
			if (keep_nulls)
				node_map_add(place->arena, decoded, map->u.map.at[i].key, value);
		} else {
			node_map_add(place->arena, decoded, map->u.map.at[i].key,
				row && !is_ambiguous(value) ? typed_value(place->arena, row, value)
							    : value);
		}
	}
	*ret_map = decoded;
	return ok;
}
