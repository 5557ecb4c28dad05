/* From maps, written in YAML or sent as JSON, to the canonical form of each field. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "model/advanced.h"
#include "model/internal.h"
#include "model/patterns.h"

/* Lists of brokers are compared broker by broker. */
#define SERVERS_MAX 100

/* A field on its way. */
struct decoding {
	const struct spec_field_info *info;
	size_t skip; /* of its name: what is not written there */
	const char *name;
	struct node *value;
	const struct field_place *place;
	struct problems *problems;
	bool from_yaml;
};

#define complain(d, at, ...)                                                                       \
	problem_at((d)->problems, PROBLEM_ERROR, (d)->place, (d)->name, (at), __VA_ARGS__)

static bool decode_string(struct decoding *d)
{
	const struct field row = {.name = d->name, .type = FIELD_STRING};
	auto_buf struct buf shown = BUF_INIT;

	if (!decode_one(&row, d->value, d->place, NULL, d->problems))
		return false;
	if (d->info != &spec_fields[SPEC_IDENTIFIER] || identifier_valid(d->value->u.string.s))
		return true;
	complain(d, d->value,
		"\"%s\" is no identifier: use 1 to 63 lower-case letters, digits and hyphens, with "
		"a letter or digit at both ends",
		shorten(d->value->u.string.s, &shown));
	return false;
}

static bool decode_choice(struct decoding *d)
{
	const struct field row = {
		.name = d->name, .type = FIELD_CHOICE, .choices = d->info->choices};

	return decode_one(&row, d->value, d->place, NULL, d->problems);
}

static struct node *integer_node(const struct decoding *d, int64_t number)
{
	struct node *n = node_int(d->place->arena, number);

	n->line = d->value->line;
	n->col = d->value->col;
	return n;
}

/* APIs may send numbers as strings; in YAML that is a slip. */
static bool decode_integer(struct decoding *d)
{
	const struct field row = {
		.name = d->name, .type = FIELD_INT, .max = SPEC_THRESHOLD_MAX - 1};
	uint64_t digits;
	int64_t number;

	if (!d->from_yaml && d->value->type == NODE_STRING &&
		text_parse_u64(d->value->u.string.s, &digits) &&
		digits < (uint64_t)SPEC_THRESHOLD_MAX)
		d->value = integer_node(d, (int64_t)digits);
	if (!decode_one(&row, d->value, d->place, &number, d->problems))
		return false;
	if (d->value->type != NODE_INT)
		d->value = integer_node(d, number);
	return true;
}

static void add_pattern(
	struct decoding *d, struct node *list, const char *s, size_t len, const struct node *at)
{
	struct node *item;

	while (len && strchr(" \t\r\n", *s))
		s++, len--;
	while (len && strchr(" \t\r\n", s[len - 1]))
		len--;
	item = node_stringn(d->place->arena, s, len);
	item->line = at->line;
	item->col = at->col;
	node_seq_add(d->place->arena, list, item);
}

static int compare_items(const void *a, const void *b)
{
	const struct node *const *left = a, *const *right = b;

	return strcmp((*left)->u.string.s, (*right)->u.string.s);
}

/* Sorted, each once, nothing empty. */
static void make_set(struct node *list)
{
	uint32_t n = 0;

	if (list->u.seq.n > 1)
		qsort(list->u.seq.at, list->u.seq.n, sizeof(*list->u.seq.at), compare_items);
	for (size_t i = 0; i < list->u.seq.n; i++) {
		const char *item = list->u.seq.at[i]->u.string.s;

		if (*item && (n == 0 || strcmp(list->u.seq.at[n - 1]->u.string.s, item) != 0))
			list->u.seq.at[n++] = list->u.seq.at[i];
	}
	list->u.seq.n = n;
}

#define NO_COMMAS "patterns are parted at commas, so none can have one inside: "

static bool split_patterns(struct decoding *d, struct node *list)
{
	const char *s = d->value->u.string.s;

	for (size_t len; *s; s += len + (s[len] == ',')) {
		len = strcspn(s, ",");
		add_pattern(d, list, s, len, d->value);
		const char *item = list->u.seq.at[list->u.seq.n - 1]->u.string.s;
		if (s[len] == ',' && pattern_is_cut(item)) {
			auto_buf struct buf shown = BUF_INIT;

			complain(d, d->value,
				"\"%s\" is cut off: " NO_COMMAS "write a{1,3} as (a|aa|aaa)",
				shorten(item, &shown));
			return false;
		}
	}
	return true;
}

/* What YAML made of an item, where that is no string. */
static bool expect_pattern(struct decoding *d, const struct node *item, size_t i)
{
	const char *unused;

	if (item->type == NODE_NULL) {
		complain(d, item, "item %zu is empty: remove it, or write a pattern there", i + 1);
		return false;
	}
	if (item->type == NODE_SEQ || item->type == NODE_MAP) {
		complain(d, item, "item %zu is a %s: %s", i + 1, node_type_name(item->type),
			d->from_yaml ? "YAML takes [ ], { } and \": \" for its own; put quotes "
				       "around the pattern"
				     : "write each pattern as a string");
		return false;
	}
	return field_expect_string(item, d->place, d->name, d->problems, &unused);
}

static void complain_of_comma(struct decoding *d, const struct node *item)
{
	const char *s = item->u.string.s;
	auto_free char *first = xmemdupz(s, strcspn(s, ","));
	auto_buf struct buf shown = BUF_INIT;

	complain(d, item, "\"%s\" has a comma: " NO_COMMAS "%s", shorten(s, &shown),
		pattern_is_cut(first) ? "write a{1,3} as (a|aa|aaa)" : "make two items of it");
}

static bool list_patterns(struct decoding *d, struct node *list)
{
	bool ok = true;

	for (size_t i = 0; i < d->value->u.seq.n; i++) {
		const struct node *item = d->value->u.seq.at[i];

		if (!expect_pattern(d, item, i)) {
			ok = false;
		} else if (strchr(item->u.string.s, ',')) {
			complain_of_comma(d, item);
			ok = false;
		} else {
			add_pattern(d, list, item->u.string.s, item->u.string.len, item);
		}
	}
	return ok;
}

static bool fill_patterns(struct decoding *d, struct node *list)
{
	const char *unused;

	if (d->value->type == NODE_SEQ)
		return list_patterns(d, list);
	if (d->value->type != NODE_MAP)
		return field_expect_string(d->value, d->place, d->name, d->problems, &unused) &&
		       split_patterns(d, list);
	complain(d, d->value, "must be a list of patterns, or one string with commas; is a map");
	return false;
}

static bool decode_patterns(struct decoding *d)
{
	struct node *list = node_seq(d->place->arena);

	list->line = d->value->line;
	list->col = d->value->col;
	list->flow = d->value->flow;
	bool ok = fill_patterns(d, list);
	make_set(list);
	d->value = list;
	return ok;
}

/* The name of the field that holds the secret path of the same end. */
static const char *secret_path_of(const struct decoding *d)
{
	bool source = d->info == &spec_fields[SPEC_SOURCE_CONNECTION_DETAILS];
	enum spec_field path = source ? SPEC_SOURCE_SECRET_PATH : SPEC_DESTINATION_SECRET_PATH;

	return spec_fields[path].name + d->skip;
}

static bool is_secret_key(const char *key)
{
	static const char *const keys[] = {"ca", "certificate", "key", "token"};

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		if (strcmp(key, keys[i]) == 0)
			return true;
	}
	return advanced_is_credential(key);
}

/* The map without credentials, which are complained of by name only. In YAML a null stays: it may
 * take away what Defaults say. */
static struct node *without_credentials(
	struct decoding *d, const struct field_place *inside, bool *ret_ok)
{
	struct node *rest = node_map(d->place->arena);

	rest->line = d->value->line;
	rest->col = d->value->col;
	for (size_t i = 0; i < d->value->u.map.n; i++) {
		const struct node_pair *pair = &d->value->u.map.at[i];

		if (is_secret_key(pair->key->u.string.s)) {
			problem_at(d->problems, PROBLEM_ERROR, inside, pair->key->u.string.s,
				pair->key,
				"does not belong here: put credentials behind %s, and remove this",
				secret_path_of(d));
			*ret_ok = false;
		} else if (d->from_yaml || pair->value->type != NODE_NULL) {
			node_map_add(d->place->arena, rest, pair->key, pair->value);
		}
	}
	return rest;
}

static bool is_server(const char *s)
{
	const char *colon = strrchr(s, ':');
	uint64_t port;

	return colon && colon > s && !s[strcspn(s, " \t\r\n/@\"'")] &&
	       text_parse_u64(colon + 1, &port) && port > 0 && port <= UINT16_MAX;
}

/* What has an @ in it is not repeated: it may be a password. */
static void complain_of_server(struct decoding *d, const struct field_place *inside,
	const struct node *at, const char *server)
{
	auto_buf struct buf shown = BUF_INIT;

	if (strchr(server, '@'))
		problem_at(d->problems, PROBLEM_ERROR, inside, "bootstrap_servers", at,
			"must be host:port without a user before it: put credentials behind %s",
			secret_path_of(d));
	else if (!*server)
		problem_at(d->problems, PROBLEM_ERROR, inside, "bootstrap_servers", at,
			"names nothing, or ends in a comma: write host:port, and commas only "
			"between several");
	else
		problem_at(d->problems, PROBLEM_ERROR, inside, "bootstrap_servers", at,
			"\"%s\" is no broker's address: write host:port, and commas between "
			"several",
			shorten(server, &shown));
}

static char *trimmed(char *s)
{
	size_t len = strlen(s);

	while (len && strchr(" \t", s[len - 1]))
		s[--len] = '\0';
	return s + strspn(s, " \t");
}

/* Checks host:port,… and takes the white space out. */
static bool tidy_servers(struct decoding *d, const struct field_place *inside, struct node *details)
{
	struct node *value = node_get(details, "bootstrap_servers");

	if (!value || value->type == NODE_NULL)
		return true;

	auto_free char *copy = xstrdup(value->u.string.s);
	auto_buf struct buf servers = BUF_INIT;
	char *rest = copy;
	size_t n = 0;

	for (char *one = strsep(&rest, ","); one; one = strsep(&rest, ",")) {
		one = trimmed(one);
		if (!is_server(one)) {
			complain_of_server(d, inside, value, one);
			return false;
		}
		buf_addf(&servers, "%s%s", n++ ? "," : "", one);
	}
	if (n > SERVERS_MAX) {
		problem_at(d->problems, PROBLEM_ERROR, inside, "bootstrap_servers", value,
			"names %zu brokers: %d at most, the others are found through them", n,
			SERVERS_MAX);
		return false;
	}
	struct node *tidy = node_string(d->place->arena, buf_str(&servers));
	tidy->line = value->line;
	tidy->col = value->col;
	node_map_set(d->place->arena, details, "bootstrap_servers", tidy);
	return true;
}

static bool decode_details_map(struct decoding *d, const struct field_place *inside)
{
	bool ok = true;
	struct details unused;
	struct node *details = without_credentials(d, inside, &ok);
	const struct node *servers = node_get(details, "bootstrap_servers");

	if (servers && servers->type == NODE_SEQ) {
		problem_at(d->problems, PROBLEM_ERROR, inside, "bootstrap_servers", servers,
			"must be one string: write \"a:9092,b:9092\"");
		node_map_set(d->place->arena, details, "bootstrap_servers",
			node_string(d->place->arena, ""));
		ok = false;
	}
	if (!fields_decode(details_fields, details, inside, &unused, d->problems) || !ok)
		return false;
	d->value = details;
	return tidy_servers(d, inside, details);
}

/* Decodes what is inside a map whose own path goes before. */
static bool decode_inside(struct decoding *d,
	bool (*decode)(struct decoding *, const struct field_place *), const char *wanted)
{
	auto_free char *path = path_below(d->place, d->name);
	const struct field_place inside = {
		.arena = d->place->arena, .file = d->place->file, .path = path};

	if (d->value->type == NODE_MAP)
		return decode(d, &inside);
	complain(d, d->value, "must be a map %s, not a %s", wanted, node_type_name(d->value->type));
	return false;
}

static bool decode_details(struct decoding *d)
{
	return decode_inside(d, decode_details_map, "with bootstrap_servers and security_protocol");
}

static bool decode_settings(struct decoding *d, const struct field_place *inside)
{
	return advanced_decode(d->value, inside, d->from_yaml, &d->value, d->problems);
}

static bool decode_config(struct decoding *d)
{
	return decode_inside(d, decode_settings, "of the provider's settings");
}

bool spec_decode_value(enum spec_field field, size_t skip, struct node *value,
	const struct field_place *place, bool from_yaml, const struct node **ret_value,
	struct problems *problems)
{
	static bool (*const decoders[])(struct decoding *) = {
		[SPEC_KIND_STRING] = decode_string,
		[SPEC_KIND_CHOICE] = decode_choice,
		[SPEC_KIND_PATTERNS] = decode_patterns,
		[SPEC_KIND_INTEGER] = decode_integer,
		[SPEC_KIND_DETAILS] = decode_details,
		[SPEC_KIND_CONFIG] = decode_config,
	};
	struct decoding d = {.info = &spec_fields[field],
		.skip = skip,
		.name = spec_fields[field].name + skip,
		.value = value,
		.place = place,
		.problems = problems,
		.from_yaml = from_yaml};
	bool ok = value->type == NODE_NULL || decoders[d.info->kind](&d);

	*ret_value = d.value;
	return ok;
}

/* One pair of the map; true if nothing is wrong with it. */
static bool decode_pair(const struct node_pair *pair, const struct field_place *place,
	bool from_yaml, struct spec *spec, struct problems *problems)
{
	enum spec_field field = spec_field_find(pair->key->u.string.s);

	if (field == SPEC__COUNT) {
		field = spec_unknown_key(pair->key, place, from_yaml, problems);
	} else if (field == SPEC_IDENTIFIER && from_yaml) {
		problem_at(problems, PROBLEM_ERROR, place, spec_fields[field].name, pair->key,
			"is metadata.name in YAML: remove it here");
	} else if (spec_decode_value(field, 0, pair->value, place, from_yaml, &spec->value[field],
			   problems)) {
		return true;
	}
	if (field != SPEC__COUNT)
		spec->undecoded |= 1u << field;
	return false;
}

bool spec_decode(const struct node *map, const struct field_place *place, bool from_yaml,
	struct spec *ret_spec, struct problems *problems)
{
	bool ok = true;

	*ret_spec = (struct spec){.line = map->line, .col = map->col};
	if (map->type != NODE_MAP) {
		problem_at(problems, PROBLEM_ERROR, place, "", map,
			"must be a map of a replicator's fields, not a %s",
			node_type_name(map->type));
		return false;
	}
	for (size_t i = 0; i < map->u.map.n; i++)
		ok &= decode_pair(&map->u.map.at[i], place, from_yaml, ret_spec, problems);
	return ok;
}
