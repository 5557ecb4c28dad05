/* What a provider makes of advanced_configuration: keys it does not know, values it could not use.
 */
#include "model/advanced.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "base/vec.h"
#include "doc/json.h"
#include "model/internal.h"
#include "model/patterns.h"

/* One key and its value, and where to complain. */
struct setting {
	const struct node *map;
	const struct advanced_provider *provider;
	const struct field_place *place;
	struct problems *problems;
	const struct node_pair *pair;
	const char *key;
};

#define complain_at(s, level, at, ...)                                                             \
	problem_at((s)->problems, (level), (s)->place, (s)->key, (at), __VA_ARGS__)
#define complain_key(s, ...)   complain_at((s), PROBLEM_ERROR, (s)->pair->key, __VA_ARGS__)
#define complain_value(s, ...) complain_at((s), PROBLEM_ERROR, (s)->pair->value, __VA_ARGS__)

static bool settable(const struct advanced_key *key)
{
	return key->rule == ADVANCED_SET;
}

/* The near keys are the provider's own and those of the client, each with its prefix. */
static void complain_unknown(const struct setting *s)
{
	VEC(const char *) names = VEC_INIT;
	const char *near;

	for (const struct advanced_key *k = s->provider->keys; k->name; k++) {
		if (settable(k))
			vec_push(&names, k->name);
	}
	near = suggest(s->problems, s->key, names.at, names.n);
	if (near)
		complain_key(s, "is no setting of %s; did you mean %s?", s->provider->name, near);
	else
		complain_key(
			s, "is no setting of %s: check its name, or remove it", s->provider->name);
	vec_release(&names);
}

/* Of several the first. */
static const char *client_name(unsigned clients)
{
	return clients & CLIENT_CONNECTION ? "TLS and SASL"
	       : clients & CLIENT_ADMIN	   ? "admin client"
	       : clients & CLIENT_CONSUMER ? "consumer"
					   : "producer";
}

static const char *near_client_key(const struct setting *s, unsigned clients, const char *word)
{
	VEC(const char *) names = VEC_INIT;
	const char *near;

	for (const struct advanced_client_key *k = advanced_client_keys; k->key.name; k++) {
		if (k->clients & clients && settable(&k->key))
			vec_push(&names, k->key.name);
	}
	near = suggest(s->problems, word, names.at, names.n);
	vec_release(&names);
	return near;
}

/* The name of the client that does know the key, or NULL. */
static const char *client_of(const char *key)
{
	for (const struct advanced_client_key *k = advanced_client_keys; k->key.name; k++) {
		if (strcmp(k->key.name, key) == 0)
			return client_name(k->clients);
	}
	return NULL;
}

/* Clients take settings of their plug-ins too, so only what looks like a slip is an error. */
static void complain_unknown_client_key(const struct setting *s, const struct advanced_match *match)
{
	unsigned clients = match->prefix->clients;
	const char *near = near_client_key(s, clients, match->client_key);
	const char *other = client_of(match->client_key);

	if (clients == CLIENT_CONNECTION && !near)
		complain_key(
			s, "would be dropped, only ssl. and sasl. settings work here: remove it");
	else if (other)
		complain_key(s, "is a setting of Kafka's %s, and this is a %s: remove it", other,
			client_name(clients));
	else if (near)
		complain_key(s, "is no setting of Kafka's %s; did you mean %s%s?",
			client_name(clients), match->prefix->whole ? "" : match->prefix->name,
			near);
	else
		complain_at(s, PROBLEM_WARNING, s->pair->key,
			"is no known setting of Kafka's %s; it is passed on as it is",
			client_name(clients));
}

static const enum field_type field_types[] = {
	[ADVANCED_STRING] = FIELD_STRING,
	[ADVANCED_BOOL] = FIELD_BOOL,
	[ADVANCED_INT] = FIELD_INT,
	[ADVANCED_REPLICAS] = FIELD_INT,
	[ADVANCED_REAL] = FIELD_NODE,
	[ADVANCED_CHOICE] = FIELD_CHOICE,
	[ADVANCED_LIST] = FIELD_STRING,
	[ADVANCED_PATTERNS] = FIELD_STRING,
	[ADVANCED_CLASS] = FIELD_STRING,
	[ADVANCED_JSON] = FIELD_STRING,
};

static void check_real(const struct setting *s)
{
	const struct node *value = s->pair->value;

	if ((value->type != NODE_REAL && value->type != NODE_INT) ||
		value->ambiguity != AMBIGUOUS_NOT)
		complain_value(s, "must be a number in plain digits, such as 0.8");
}

static void check_replicas(const struct setting *s)
{
	if (s->pair->value->type == NODE_INT && s->pair->value->u.integer == 0)
		complain_value(s, "must be at least 1, or -1 for the broker's default");
}

static void check_string(const struct setting *s, const struct advanced_key *key)
{
	const char *text = s->pair->value->u.string.s;

	if (key->max_length && strlen(text) > key->max_length)
		complain_value(s, "must have at most %zu characters", key->max_length);
	else if (key->characters && text[strspn(text, key->characters)])
		complain_value(s, "may hold only %s",
			strlen(key->characters) > 3 ? "letters, digits, '.', '_' and '-'"
						    : "'.', '_' and '-'");
}

static void check_patterns(const struct setting *s)
{
	auto_free char *list = xstrdup(s->pair->value->u.string.s);
	char *rest = list;

	for (char *one = strsep(&rest, ","); one; one = strsep(&rest, ",")) {
		auto_buf struct buf why = BUF_INIT;

		if (*one && !pattern_check_regex(one, PATTERN_KEYS, &why))
			complain_value(s, "%s", buf_str(&why));
	}
}

static void check_json(const struct setting *s)
{
	const struct node *value = s->pair->value;
	auto_arena struct arena arena = ARENA_INIT;
	struct err e = ERR_INIT;
	struct node *read;

	if (value->u.string.len == 0)
		return;
	if (json_read(&arena, value->u.string.s, value->u.string.len, &read, &e) < 0)
		complain_value(s, "%s", e.msg);
	else if (read->type != NODE_MAP)
		complain_value(s, "must hold a JSON object, not a %s", node_type_name(read->type));
}

static void check_typed(const struct setting *s, const struct advanced_key *key)
{
	const struct field row = {.name = s->key,
		.type = field_types[key->type],
		.choices = key->choices,
		.min = key->min,
		.max = key->max};

	if (!decode_one(&row, s->pair->value, s->place, NULL, s->problems))
		return;
	switch (key->type) {
	case ADVANCED_BOOL:
	case ADVANCED_INT:
	case ADVANCED_CHOICE:
		break;
	case ADVANCED_REPLICAS:
		check_replicas(s);
		break;
	case ADVANCED_REAL:
		check_real(s);
		break;
	case ADVANCED_STRING:
	case ADVANCED_CLASS:
	case ADVANCED_LIST:
		check_string(s, key);
		break;
	case ADVANCED_PATTERNS:
		check_patterns(s);
		break;
	case ADVANCED_JSON:
		check_json(s);
		break;
	}
}

/* What is passed on as it is must be the same to every reader of YAML. */
static bool check_plain(const struct setting *s, const struct node *value)
{
	const char *unused;
	bool ok = true;

	for (size_t i = 0; value->type == NODE_SEQ && i < value->u.seq.n; i++)
		ok &= check_plain(s, value->u.seq.at[i]);
	if (value->ambiguity != AMBIGUOUS_NOT)
		ok = field_expect_string(value, s->place, s->key, s->problems, &unused);
	return ok;
}

static void check_value(const struct setting *s, const struct advanced_key *key)
{
	if (!key || s->pair->value->type == NODE_SEQ) {
		if (!check_plain(s, s->pair->value))
			return;
	}
	if (key)
		check_typed(s, key);
}

static const char *other_provider(const struct setting *s)
{
	for (size_t i = 0; advanced_providers[i]; i++) {
		struct advanced_match match = {0};

		if (advanced_providers[i] != s->provider)
			match = advanced_find(advanced_providers[i], s->key);
		if (match.key && match.key->rule == ADVANCED_SET)
			return advanced_providers[i]->name;
	}
	return NULL;
}

static void check_unmatched(const struct setting *s)
{
	const char *other = other_provider(s);
	const char *arrow = strstr(s->key, "->");
	const char *dot = arrow ? strchr(arrow, '.') : NULL;
	const struct advanced_key *key = dot ? advanced_find(s->provider, dot + 1).key : NULL;

	if (key && settable(key))
		complain_key(s, "names a flow, and a replicator is one flow: write %s", key->name);
	else if (arrow)
		complain_key(s, "names a flow, and a replicator is one flow, from its source to "
				"its destination: remove it");
	else if (other)
		complain_key(s, "is a setting of %s, and the provider here is %s: remove it", other,
			s->provider->name);
	else
		complain_unknown(s);
}

static void check_setting(const struct setting *s)
{
	struct advanced_match match = advanced_find(s->provider, s->key);

	if (match.key && settable(match.key)) {
		check_value(s, match.key);
	} else if (advanced_is_credential(s->key)) {
		complain_key(s, "credentials do not belong in a replicator: put them behind "
				"source_secret_path or destination_secret_path, and remove this");
	} else if (match.key) {
		complain_key(s, "%s", match.key->doc);
	} else if (!match.prefix) {
		check_unmatched(s);
	} else if (match.prefix->rule != ADVANCED_SET) {
		complain_key(s, "%s", match.prefix->doc);
	} else {
		if (match.prefix->clients)
			complain_unknown_client_key(s, &match);
		check_value(s, NULL);
	}
}

static bool is_set_to(const struct setting *s, const char *key, const char *text)
{
	auto_buf struct buf scratch = BUF_INIT;
	const struct node *value = node_get(s->map, key);
	const char *found = value ? advanced_value_text(value, &scratch) : NULL;

	return found && strcmp(found, text) == 0;
}

/* A key that with this value needs another key. */
struct dependency {
	const char *key;
	const char *value; /* NULL: any */
	const char *needs;
	const char *needed; /* NULL: any */
	bool by_default; /* fulfilled by not writing it */
};

static const struct dependency dependencies[] = {
	{"emit.checkpoints.enabled", "true", "emit.offset-syncs.enabled", "true", true},
	{"exactly.once.support", "required", "source.consumer.isolation.level", "read_committed",
		false},
	{"acl.sync.enable", "true", "acl.filters", NULL, false},
	{"consumer.group.prefix.enable", "true", "cluster.link.prefix", NULL, false},
};

static void check_dependency(const struct setting *s, const struct dependency *d)
{
	const struct node *needed = node_get(s->map, d->needs);

	if (d->value && !is_set_to(s, d->key, d->value))
		return;
	if (needed ? !d->needed || is_set_to(s, d->needs, d->needed) : d->by_default)
		return;
	complain_value(
		s, "needs %s%s%s", d->needs, d->needed ? ": " : " too", d->needed ? d->needed : "");
}

static void check_together(struct setting *s)
{
	for (size_t i = 0; i < ARRAY_SIZE(dependencies); i++) {
		s->key = dependencies[i].key;
		s->pair = node_pair(s->map, s->key);
		if (s->pair && advanced_find(s->provider, s->key).key)
			check_dependency(s, &dependencies[i]);
	}
	s->key = "acl.sync.enable";
	s->pair = node_pair(s->map, s->key);
	if (s->pair && is_set_to(s, s->key, "true") && node_get(s->map, "cluster.link.prefix"))
		complain_value(
			s, "does not work together with cluster.link.prefix: remove one of them");
}

bool advanced_check(const struct node *map, const struct advanced_provider *provider,
	const struct field_place *place, struct problems *problems)
{
	struct setting s = {.map = map, .provider = provider, .place = place, .problems = problems};
	size_t n_before = problems->n_errors;

	for (size_t i = 0; i < map->u.map.n; i++) {
		s.pair = &map->u.map.at[i];
		s.key = s.pair->key->u.string.s;
		check_setting(&s);
	}
	check_together(&s);
	return problems->n_errors == n_before;
}
