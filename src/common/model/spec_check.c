/* What the fields of a replicator say together, and what a provider makes of them. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "model/advanced.h"
#include "model/internal.h"
#include "model/patterns.h"

struct check {
	const struct spec *spec;
	const struct field_place *place;
	struct problems *problems;
	size_t skip; /* of the names of fields: what is not written there */
};

#define name_of(c, field) (spec_fields[field].name + (c)->skip)
#define complain_at(c, field, at, ...)                                                             \
	problem_at((c)->problems, PROBLEM_ERROR, (c)->place, name_of((c), (field)), (at),          \
		__VA_ARGS__)
#define warn_at(c, field, at, ...)                                                                 \
	problem_at((c)->problems, PROBLEM_WARNING, (c)->place, name_of((c), (field)), (at),        \
		__VA_ARGS__)
/* Of one key of the connection details. */
#define complain_in(c, field, key, at, ...)                                                        \
	do {                                                                                       \
		auto_free char *name_ = xasprintf("%s.%s", name_of((c), (field)), (key));          \
		problem_at((c)->problems, PROBLEM_ERROR, (c)->place, name_, (at), __VA_ARGS__);    \
	} while (0)
#define complain(c, field, ...) complain_at((c), (field), (c)->spec->value[field], __VA_ARGS__)

/* There is a value, good or bad. */
static bool has_value(const struct check *c, enum spec_field field)
{
	return !spec_value_empty(c->spec->value[field]);
}

/* Nobody needs to be told that it is missing: it was meant, if not written as it should be. */
static bool is_meant(const struct check *c, enum spec_field field)
{
	return c->spec->undecoded & 1u << field || has_value(c, field);
}

static const char *string_of(const struct check *c, enum spec_field field)
{
	const struct node *n = c->spec->value[field];

	return n && n->type == NODE_STRING ? n->u.string.s : NULL;
}

static bool field_is(const struct check *c, enum spec_field field, const char *word)
{
	const char *s = string_of(c, field);

	return s && strcmp(s, word) == 0;
}

/* Where a field should be: at its empty value if it is written at all, else where the map begins.
 */
static void complain_missing(const struct check *c, enum spec_field field, const char *what)
{
	struct node begin = {.line = c->spec->line, .col = c->spec->col};
	const struct node *at = c->spec->value[field];

	complain_at(c, field, at ? at : &begin, "%s", what);
}

static void check_required(const struct check *c)
{
	static const char *const wanted[SPEC__COUNT] = {
		[SPEC_IDENTIFIER] = "is required: the replicator's name",
		[SPEC_PROVIDER] = "is required: MirrorMaker2 or ClusterLink",
		[SPEC_REPLICATION_MODE] = "is required: active-passive or active-active",
		[SPEC_TOPIC_WHITELIST] =
			"must name something: list the topics to copy, .* for all of them",
	};

	for (enum spec_field f = 0; f < SPEC__COUNT; f++) {
		if (spec_fields[f].required && !is_meant(c, f))
			complain_missing(c, f, wanted[f]);
	}
}

const struct end_fields ends[END__COUNT] = {
	[END_SOURCE] = {"source_cluster", SPEC_SOURCE_KAFKA_ID, SPEC_SOURCE_CONNECTION_DETAILS,
		SPEC_SOURCE_SECRET_PATH},
	[END_DESTINATION] = {"destination_cluster", SPEC_DESTINATION_KAFKA_ID,
		SPEC_DESTINATION_CONNECTION_DETAILS, SPEC_DESTINATION_SECRET_PATH},
};

static void check_kafka_id(const struct check *c, const struct end_fields *end)
{
	const char *id = string_of(c, end->kafka_id);

	auto_buf struct buf shown = BUF_INIT;

	if (id && id[strcspn(id, " \t\r\n")])
		complain(c, end->kafka_id, "\"%s\" is no cluster's id: it has white space",
			shorten(id, &shown));
}

/* One end by its id and by details too. */
static void check_both_kinds(const struct check *c, const struct end_fields *end)
{
	if (has_value(c, end->kafka_id) && has_value(c, end->details))
		problem_of_two(c->problems, c->place, name_of(c, end->details),
			c->spec->value[end->details], name_of(c, end->kafka_id),
			c->spec->value[end->kafka_id], "a cluster has either");
}

static void check_kind_of_end(const struct check *c, const struct end_fields *end)
{
	const char *details = name_of(c, end->details);
	auto_free char *missing =
		xasprintf("is required: the cluster's id, or %s for an external cluster", details);

	if (!is_meant(c, end->kafka_id) && !is_meant(c, end->details))
		complain_missing(c, end->kafka_id, missing);
	check_both_kinds(c, end);
	if (has_value(c, end->secret_path) && !is_meant(c, end->details))
		complain(c, end->secret_path, "goes only with %s: remove it%s", details,
			has_value(c, end->kafka_id)
				? ", the API knows the credentials of its own clusters"
				: "");
}

/* It may also come from Defaults, so nobody asked for it before. */
static void check_servers(const struct check *c, const struct end_fields *end)
{
	const struct node *details = c->spec->value[end->details];

	if (details->u.map.n > 0 && !node_get(details, "bootstrap_servers") &&
		!(c->spec->undecoded & 1u << end->details))
		complain_in(c, end->details, "bootstrap_servers", details, "is missing");
}

static void check_mechanism(
	const struct check *c, const struct end_fields *end, enum security_protocol protocol)
{
	const struct node *details = c->spec->value[end->details];
	const struct node *mechanism = node_get(details, "sasl_mechanism");
	bool sasl = protocol == PROTOCOL_SASL_PLAINTEXT || protocol == PROTOCOL_SASL_SSL;

	if (sasl && !mechanism)
		complain_in(c, end->details, "sasl_mechanism", details,
			"is required with SASL: PLAIN, SCRAM-SHA-256, SCRAM-SHA-512 or "
			"OAUTHBEARER");
	if (!sasl && mechanism)
		complain_in(c, end->details, "sasl_mechanism", mechanism,
			"goes only with SASL: set security_protocol to SASL_SSL, or remove it");
}

static void check_secret_path(
	const struct check *c, const struct end_fields *end, enum security_protocol protocol)
{
	bool sasl = protocol == PROTOCOL_SASL_PLAINTEXT || protocol == PROTOCOL_SASL_SSL;

	if (sasl && !is_meant(c, end->secret_path))
		complain_at(c, end->secret_path, c->spec->value[end->details],
			"is required: SASL logs in with the credentials behind it");
	if (protocol == PROTOCOL_PLAINTEXT && has_value(c, end->secret_path))
		warn_at(c, end->secret_path, c->spec->value[end->secret_path],
			"is not used: security_protocol is PLAINTEXT, which neither logs in nor "
			"encrypts; SASL_SSL does both");
}

static void check_end(const struct check *c, const struct end_fields *end)
{
	const struct node *details = c->spec->value[end->details];
	enum security_protocol protocol = details_protocol(details);

	check_kind_of_end(c, end);
	check_kafka_id(c, end);
	if (!details || details->type != NODE_MAP)
		return;
	check_servers(c, end);
	if (protocol == PROTOCOL__COUNT)
		return;
	check_mechanism(c, end, protocol);
	check_secret_path(c, end, protocol);
}

bool spec_check_cluster(
	const struct spec *spec, const struct field_place *place, struct problems *problems)
{
	const struct check c = {spec, place, problems, CLUSTER_SKIP};
	size_t n_before = problems->n_errors;

	check_end(&c, &ends[END_SOURCE]);
	return problems->n_errors == n_before;
}

static void check_ends_differ(const struct check *c)
{
	const char *source = string_of(c, SPEC_SOURCE_KAFKA_ID);
	const struct node *details = c->spec->value[SPEC_DESTINATION_CONNECTION_DETAILS];
	const struct node *from =
		node_get(c->spec->value[SPEC_SOURCE_CONNECTION_DETAILS], "bootstrap_servers");
	const struct node *to = node_get(details, "bootstrap_servers");

	if (source && *source && field_is(c, SPEC_DESTINATION_KAFKA_ID, source))
		complain(c, SPEC_DESTINATION_KAFKA_ID,
			"\"%s\" is the source too: a replicator copies between two clusters",
			source);
	if (from && to && servers_equal(from, to))
		complain_in(c, SPEC_DESTINATION_CONNECTION_DETAILS, "bootstrap_servers", to,
			"are the source's too: a replicator copies between two clusters");
}

static void check_threshold(const struct check *c)
{
	if (has_value(c, SPEC_LAG_ALERT_THRESHOLD_UNIT) && !is_meant(c, SPEC_LAG_ALERT_THRESHOLD))
		complain(c, SPEC_LAG_ALERT_THRESHOLD_UNIT,
			"says nothing without lag_alert_threshold: set one, or remove the unit");
}

static void check_pattern(
	const struct check *c, enum spec_field field, const struct node *item, bool link)
{
	auto_buf struct buf why = BUF_INIT, name = BUF_INIT;
	bool topics = field == SPEC_TOPIC_WHITELIST || field == SPEC_TOPIC_BLACKLIST;
	enum pattern_subject subject = topics ? PATTERN_TOPICS : PATTERN_GROUPS;
	const char *pattern = item->u.string.s;

	if (link ? !pattern_check_link(pattern, subject, &why)
		 : !pattern_check_regex(pattern, subject, &why))
		complain_at(c, field, item, "%s", buf_str(&why));
	else if (!link && field == SPEC_TOPIC_WHITELIST &&
		 pattern_shape(pattern, &name) == PATTERN_NAME &&
		 pattern_is_internal_topic(buf_str(&name)))
		warn_at(c, field, item,
			"\"%s\" is never copied: MirrorMaker 2 takes it for an internal topic",
			pattern);
}

static int compare_item(const void *word, const void *item)
{
	const struct node *const *n = item;

	return strcmp(word, (*n)->u.string.s);
}

/* Lists are sorted. */
static bool has_item(const struct node *list, const char *word)
{
	return list->u.seq.n > 0 &&
	       bsearch(word, list->u.seq.at, list->u.seq.n, sizeof(struct node *), compare_item);
}

static const struct node *patterns_of(const struct check *c, enum spec_field field)
{
	static const struct node empty = {.type = NODE_SEQ};
	const struct node *list = c->spec->value[field];

	return spec_fields[field].kind == SPEC_KIND_PATTERNS && list && list->type == NODE_SEQ
		       ? list
		       : &empty;
}

/* The blacklist wins, so a pattern that stands in both copies nothing. */
static void check_contradictions(
	const struct check *c, enum spec_field white, enum spec_field black)
{
	const struct node *list = patterns_of(c, white), *wins = patterns_of(c, black);

	for (size_t i = 0; i < list->u.seq.n; i++) {
		const struct node *item = list->u.seq.at[i];
		auto_buf struct buf shown = BUF_INIT;

		if (has_item(wins, item->u.string.s))
			complain_at(c, white, item,
				"\"%s\" stands in %s too, which wins: remove it from one of them",
				shorten(item->u.string.s, &shown), spec_fields[black].name);
	}
}

static void check_patterns(const struct check *c)
{
	bool link = field_is(c, SPEC_PROVIDER, advanced_link.name);

	for (enum spec_field f = 0; f < SPEC__COUNT; f++) {
		const struct node *list = patterns_of(c, f);

		for (size_t i = 0; i < list->u.seq.n; i++)
			check_pattern(c, f, list->u.seq.at[i], link);
	}
	check_contradictions(c, SPEC_TOPIC_WHITELIST, SPEC_TOPIC_BLACKLIST);
	check_contradictions(c, SPEC_GROUPS_WHITELIST, SPEC_GROUPS_BLACKLIST);
}

static void check_advanced(const struct check *c)
{
	const struct node *config = c->spec->value[SPEC_ADVANCED_CONFIGURATION];
	const char *word = string_of(c, SPEC_PROVIDER);
	const struct advanced_provider *provider = word ? advanced_provider_find(word) : NULL;
	auto_free char *path = path_below(c->place, spec_fields[SPEC_ADVANCED_CONFIGURATION].name);
	struct field_place place = *c->place;

	place.path = path;
	if (config && config->type == NODE_MAP && provider)
		advanced_check(config, provider, &place, c->problems);
}

/* With names kept as they are, nothing tells a copy from an original: both ways, records would go
 * round for ever. */
static void check_loop(const struct check *c)
{
	const struct node *config = c->spec->value[SPEC_ADVANCED_CONFIGURATION];
	const struct node *policy = node_get(config, "replication.policy.class");

	if (field_is(c, SPEC_REPLICATION_MODE, "active-active") &&
		field_is(c, SPEC_PROVIDER, advanced_mirrormaker.name) && policy &&
		policy->type == NODE_STRING &&
		strstr(policy->u.string.s, "IdentityReplicationPolicy"))
		problem_at(c->problems, PROBLEM_ERROR, c->place,
			"advanced_configuration.replication.policy.class", policy,
			"IdentityReplicationPolicy with active-active copies every record round "
			"for ever: use another policy, or active-passive");
}

bool spec_check(const struct spec *spec, const struct field_place *place, struct problems *problems)
{
	const struct check c = {spec, place, problems, 0};
	size_t n_before = problems->n_errors;

	check_required(&c);
	for (enum end end = 0; end < END__COUNT; end++)
		check_end(&c, &ends[end]);
	check_ends_differ(&c);
	check_threshold(&c);
	check_patterns(&c);
	check_advanced(&c);
	check_loop(&c);
	return problems->n_errors == n_before;
}
