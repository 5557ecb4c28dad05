/* Values of fields: compared, merged, copied, and written as the API and as people want them. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "model/advanced.h"
#include "model/internal.h"

bool spec_value_empty(const struct node *value)
{
	if (!value)
		return true;
	switch (value->type) {
	case NODE_NULL:
		return true;
	case NODE_STRING:
		return value->u.string.len == 0;
	case NODE_SEQ:
		return value->u.seq.n == 0;
	case NODE_MAP:
		return value->u.map.n == 0;
	case NODE_BOOL:
	case NODE_INT:
	case NODE_REAL:
	case NODE__COUNT:
		break;
	}
	return false;
}

bool spec_setting_equal(const struct node *a, const struct node *b)
{
	auto_buf struct buf left = BUF_INIT, right = BUF_INIT;
	bool a_null = !a || a->type == NODE_NULL, b_null = !b || b->type == NODE_NULL;
	const char *s, *t;

	if (a_null || b_null)
		return a_null && b_null;
	if (node_equal(a, b))
		return true;
	s = advanced_value_text(a, &left);
	t = advanced_value_text(b, &right);
	return s && t && strcmp(s, t) == 0;
}

static bool config_covers(const struct node *a, const struct node *b)
{
	for (size_t i = 0; i < a->u.map.n; i++) {
		const struct node_pair *pair = &a->u.map.at[i];

		if (!spec_setting_equal(pair->value, node_get(b, pair->key->u.string.s)))
			return false;
	}
	return true;
}

static bool configs_equal(const struct node *a, const struct node *b)
{
	if (a->type != NODE_MAP || b->type != NODE_MAP)
		return node_equal(a, b);
	return config_covers(a, b) && config_covers(b, a);
}

static bool has_server(const char *servers, const char *one, size_t len)
{
	for (size_t n; *servers; servers += n + (servers[n] == ',')) {
		n = strcspn(servers, ",");
		if (n == len && memcmp(servers, one, n) == 0)
			return true;
	}
	return false;
}

static bool servers_cover(const char *a, const char *b)
{
	for (size_t n; *a; a += n + (a[n] == ',')) {
		n = strcspn(a, ",");
		if (!has_server(b, a, n))
			return false;
	}
	return true;
}

bool servers_equal(const struct node *a, const struct node *b)
{
	if (a->type != NODE_STRING || b->type != NODE_STRING)
		return node_equal(a, b);
	return servers_cover(a->u.string.s, b->u.string.s) &&
	       servers_cover(b->u.string.s, a->u.string.s);
}

static bool details_cover(const struct node *a, const struct node *b)
{
	for (size_t i = 0; i < a->u.map.n; i++) {
		const char *key = a->u.map.at[i].key->u.string.s;
		const struct node *mine = a->u.map.at[i].value, *theirs = node_get(b, key);

		if (strcmp(key, "security_protocol") == 0 && !theirs &&
			details_protocol(a) == PROTOCOL_PLAINTEXT)
			continue;
		if (strcmp(key, "bootstrap_servers") == 0 && theirs
				? servers_equal(mine, theirs)
				: spec_setting_equal(mine, theirs))
			continue;
		return false;
	}
	return true;
}

static bool details_equal(const struct node *a, const struct node *b)
{
	if (a->type != NODE_MAP || b->type != NODE_MAP)
		return node_equal(a, b);
	return details_cover(a, b) && details_cover(b, a);
}

static bool is_default(enum spec_field field, const struct node *value)
{
	const char *def = spec_fields[field].def;

	return def && value->type == NODE_STRING && strcmp(value->u.string.s, def) == 0;
}

bool spec_value_equal(enum spec_field field, const struct node *a, const struct node *b)
{
	bool a_empty = spec_value_empty(a), b_empty = spec_value_empty(b);

	if (a_empty || b_empty)
		return (a_empty || is_default(field, a)) && (b_empty || is_default(field, b));
	switch (spec_fields[field].kind) {
	case SPEC_KIND_DETAILS:
		return details_equal(a, b);
	case SPEC_KIND_CONFIG:
		return configs_equal(a, b);
	case SPEC_KIND_STRING:
	case SPEC_KIND_CHOICE:
	case SPEC_KIND_PATTERNS:
	case SPEC_KIND_INTEGER:
		break;
	}
	return node_equal(a, b);
}

struct spec spec_merge(const struct spec *base, const struct spec *over)
{
	struct spec merged = *over;

	for (enum spec_field f = 0; f < SPEC__COUNT; f++) {
		if (over->value[f])
			continue;
		merged.value[f] = base->value[f];
		merged.undecoded |= base->undecoded & 1u << f;
	}
	return merged;
}

/* APIs write out what they have not: a null that stands nowhere is the same as any other. */
static const struct node *copy_value(struct arena *a, const struct node *value)
{
	static const struct node null = {.type = NODE_NULL};

	return value->type == NODE_NULL && !value->line ? &null : node_copy(a, value);
}

struct spec spec_copy(struct arena *a, const struct spec *spec)
{
	struct spec copy = *spec;

	for (enum spec_field f = 0; f < SPEC__COUNT; f++) {
		if (copy.value[f])
			copy.value[f] = copy_value(a, copy.value[f]);
	}
	return copy;
}

static struct node *joined_patterns(struct arena *a, const struct node *list)
{
	auto_buf struct buf joined = BUF_INIT;

	for (size_t i = 0; i < list->u.seq.n; i++) {
		if (list->u.seq.at[i]->type != NODE_STRING)
			return node_copy(a, list);
		buf_addf(&joined, "%s%s", i ? "," : "", list->u.seq.at[i]->u.string.s);
	}
	return node_string(a, buf_str(&joined));
}

struct node *spec_value_wire(struct arena *a, enum spec_field field, const struct node *value)
{
	if (!value || value->type == NODE_NULL)
		return node_null(a);
	if (spec_fields[field].kind == SPEC_KIND_PATTERNS && value->type == NODE_SEQ)
		return joined_patterns(a, value);
	return node_copy(a, value);
}

struct node *spec_to_wire(struct arena *a, const struct spec *spec)
{
	struct node *map = node_map(a);

	for (enum spec_field f = 0; f < SPEC__COUNT; f++) {
		if (spec->value[f])
			node_map_set(
				a, map, spec_fields[f].name, spec_value_wire(a, f, spec->value[f]));
	}
	return map;
}

static void add_text(struct buf *out, const struct node *value)
{
	auto_buf struct buf scratch = BUF_INIT;
	const char *s = advanced_value_text(value, &scratch);

	if (s && !*s)
		s = "\"\"";
	text_escape(out, s ? s : "null", s ? strlen(s) : strlen("null"));
}

static bool is_details_key(const char *key)
{
	for (const struct field *f = details_fields; f->name; f++) {
		if (strcmp(f->name, key) == 0)
			return true;
	}
	return false;
}

/* An address with an @ in it may carry a password. */
static bool may_be_shown(enum spec_field field, const char *key, const struct node *value)
{
	if (value->type == NODE_SEQ || value->type == NODE_MAP)
		return false;
	if (spec_fields[field].kind == SPEC_KIND_CONFIG)
		return advanced_is_public(key);
	return is_details_key(key) &&
	       !(value->type == NODE_STRING && strchr(value->u.string.s, '@'));
}

/* Maps may hold what somebody else put there: only values of keys that are known not to be secret
 * are shown. */
static void add_map(struct buf *out, enum spec_field field, const struct node *map)
{
	buf_addc(out, '{');
	for (size_t i = 0; i < map->u.map.n; i++) {
		const char *key = map->u.map.at[i].key->u.string.s;
		const struct node *value = map->u.map.at[i].value;

		buf_adds(out, i ? ", " : "");
		text_escape(out, key, strlen(key));
		buf_adds(out, ": ");
		if (may_be_shown(field, key, value))
			add_text(out, value);
		else
			buf_adds(out, "***");
	}
	buf_addc(out, '}');
}

void spec_value_text(struct buf *out, enum spec_field field, const struct node *value)
{
	bool map_wanted = spec_fields[field].kind == SPEC_KIND_DETAILS ||
			  spec_fields[field].kind == SPEC_KIND_CONFIG;

	if (spec_value_empty(value)) {
		buf_adds(out, "(none)");
	} else if (value->type == NODE_MAP) {
		add_map(out, field, value);
	} else if (map_wanted) {
		buf_adds(out, "***");
	} else if (value->type == NODE_SEQ) {
		buf_addc(out, '[');
		for (size_t i = 0; i < value->u.seq.n; i++) {
			buf_adds(out, i ? ", " : "");
			add_text(out, value->u.seq.at[i]);
		}
		buf_addc(out, ']');
	} else {
		add_text(out, value);
	}
}

const char *const *spec_secret_keys(const struct spec *spec, bool source_end)
{
	static const char *const none[] = {NULL};
	static const char *const login[] = {"username", "password", NULL};
	static const char *const tls[] = {"certificate", "key", "ca", NULL};
	const struct node *details = spec->value[source_end ? SPEC_SOURCE_CONNECTION_DETAILS
							    : SPEC_DESTINATION_CONNECTION_DETAILS];
	const char *mechanism = node_get_string(details, "sasl_mechanism");

	if (!details || details->type != NODE_MAP)
		return none;
	switch (details_protocol(details)) {
	case PROTOCOL_SASL_PLAINTEXT:
	case PROTOCOL_SASL_SSL:
		return mechanism && strcmp(mechanism, "OAUTHBEARER") == 0 ? none : login;
	case PROTOCOL_SSL:
		return tls;
	case PROTOCOL_PLAINTEXT:
	case PROTOCOL__COUNT:
		break;
	}
	return none;
}
