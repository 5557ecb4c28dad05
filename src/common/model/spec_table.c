/* The table of the replicator's fields, and what is looked up in it. */
#include "model/spec.h"

#include <string.h>

#include "base/alloc.h"
#include "model/internal.h"

#define IDENTIFIER_MAX 63

static const char *const providers[] = {"MirrorMaker2", "ClusterLink", NULL};
static const char *const modes[] = {"active-passive", "active-active", NULL};
static const char *const units[] = {"messages", "bytes", "seconds", NULL};

#define PATTERNS_FORM "A list, or one string with commas. "

const struct spec_field_info spec_fields[SPEC__COUNT] = {
	[SPEC_IDENTIFIER] = {.name = "identifier",
		.kind = SPEC_KIND_STRING,
		.immutable = true,
		.required = true,
		.doc = "The replicator's name: 1 to 63 lower-case letters, digits and hyphens."},
	[SPEC_PROVIDER] = {.name = "provider",
		.kind = SPEC_KIND_CHOICE,
		.choices = providers,
		.immutable = true,
		.required = true,
		.doc = "What does the copying: MirrorMaker 2, or a cluster link."},
	[SPEC_SOURCE_KAFKA_ID] = {.name = "source_kafka_id",
		.kind = SPEC_KIND_STRING,
		.immutable = true,
		.doc = "The cluster to copy from, by the id that the API knows it by. Either this "
		       "or source_connection_details."},
	[SPEC_SOURCE_CONNECTION_DETAILS] = {.name = "source_connection_details",
		.kind = SPEC_KIND_DETAILS,
		.immutable = true,
		.secret = true,
		.doc = "How to reach an external cluster to copy from. Its credentials stand "
		       "behind source_secret_path."},
	[SPEC_SOURCE_SECRET_PATH] = {.name = "source_secret_path",
		.kind = SPEC_KIND_STRING,
		.immutable = true,
		.inferred = true,
		.secret = true,
		.doc = "Where the source's credentials are. Only with source_connection_details."},
	[SPEC_DESTINATION_KAFKA_ID] = {.name = "destination_kafka_id",
		.kind = SPEC_KIND_STRING,
		.immutable = true,
		.doc = "The cluster to copy to, by the id that the API knows it by. Either this or "
		       "destination_connection_details."},
	[SPEC_DESTINATION_CONNECTION_DETAILS] = {.name = "destination_connection_details",
		.kind = SPEC_KIND_DETAILS,
		.immutable = true,
		.secret = true,
		.doc = "How to reach an external cluster to copy to. Its credentials stand behind "
		       "destination_secret_path."},
	[SPEC_DESTINATION_SECRET_PATH] = {.name = "destination_secret_path",
		.kind = SPEC_KIND_STRING,
		.immutable = true,
		.inferred = true,
		.secret = true,
		.doc = "Where the destination's credentials are. Only with "
		       "destination_connection_details."},
	[SPEC_REPLICATION_MODE] = {.name = "replication_mode",
		.kind = SPEC_KIND_CHOICE,
		.choices = modes,
		.immutable = true,
		.required = true,
		.doc = "active-passive copies one way, active-active both ways."},
	[SPEC_TOPIC_WHITELIST] = {.name = "topic_whitelist",
		.kind = SPEC_KIND_PATTERNS,
		.required = true,
		.doc = "The topics to copy: names or regular expressions that match whole "
		       "names. " PATTERNS_FORM
		       "A cluster link takes names, and prefixes written as orders.* only."},
	[SPEC_TOPIC_BLACKLIST] = {.name = "topic_blacklist",
		.kind = SPEC_KIND_PATTERNS,
		.inferred = true,
		.reset = SPEC_RESET_EMPTY,
		.doc = "Topics not to copy even if topic_whitelist names them. " PATTERNS_FORM
		       "Default: none."},
	[SPEC_GROUPS_WHITELIST] = {.name = "groups_whitelist",
		.kind = SPEC_KIND_PATTERNS,
		.inferred = true,
		.reset = SPEC_RESET_EMPTY,
		.doc = "The consumer groups whose offsets are translated. " PATTERNS_FORM
		       "Default: none."},
	[SPEC_GROUPS_BLACKLIST] = {.name = "groups_blacklist",
		.kind = SPEC_KIND_PATTERNS,
		.inferred = true,
		.reset = SPEC_RESET_EMPTY,
		.doc = "Consumer groups to leave out even if groups_whitelist names "
		       "them. " PATTERNS_FORM "Default: none."},
	[SPEC_LAG_ALERT_THRESHOLD] = {.name = "lag_alert_threshold",
		.kind = SPEC_KIND_INTEGER,
		.reset = SPEC_RESET_NULL,
		.doc = "An alert fires when replication lags by more than this. Default: no "
		       "alert."},
	[SPEC_LAG_ALERT_THRESHOLD_UNIT] = {.name = "lag_alert_threshold_unit",
		.kind = SPEC_KIND_CHOICE,
		.choices = units,
		.only_with = SPEC_LAG_ALERT_THRESHOLD,
		.def = "messages",
		.reset = SPEC_RESET_NULL,
		.doc = "What lag_alert_threshold counts. Only together with it."},
	[SPEC_ADVANCED_CONFIGURATION] = {.name = "advanced_configuration",
		.kind = SPEC_KIND_CONFIG,
		.inferred = true,
		.secret = true,
		.reset = SPEC_RESET_NULL,
		.doc = "Settings of the provider's own, by its own keys with their dots."},
};

static const char *const security_protocols[] = {
	"PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL", NULL};
static const char *const sasl_mechanisms[] = {
	"PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER", NULL};

const struct field details_fields[] = {
	{.name = "bootstrap_servers",
		.type = FIELD_STRING,
		.flags = FIELD_NULL_OK,
		.offset = offsetof(struct details, bootstrap_servers),
		.doc = "Brokers to begin with: host:port, more of them with commas between. "
		       "Required."},
	{.name = "security_protocol",
		.type = FIELD_CHOICE,
		.flags = FIELD_NULL_OK,
		.offset = offsetof(struct details, security_protocol),
		.choices = security_protocols,
		.def = "PLAINTEXT",
		.doc = "How to connect."},
	{.name = "sasl_mechanism",
		.type = FIELD_CHOICE,
		.flags = FIELD_NULL_OK,
		.offset = offsetof(struct details, sasl_mechanism),
		.choices = sasl_mechanisms,
		.doc = "How to log in. With security_protocol SASL_PLAINTEXT or SASL_SSL, and only "
		       "then."},
	{0},
};

enum spec_field spec_field_find(const char *name)
{
	enum spec_field field = 0;

	while (field < SPEC__COUNT && strcmp(spec_fields[field].name, name) != 0)
		field++;
	return field;
}

static bool is_word_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

bool identifier_valid(const char *name)
{
	size_t len = strlen(name);

	if (len == 0 || len > IDENTIFIER_MAX || !is_word_char(name[0]) ||
		!is_word_char(name[len - 1]))
		return false;
	for (size_t i = 0; i < len; i++) {
		if (!is_word_char(name[i]) && name[i] != '-')
			return false;
	}
	return true;
}

enum security_protocol details_protocol(const struct node *details)
{
	const char *word = node_get_string(details, "security_protocol");
	enum security_protocol protocol = PROTOCOL_PLAINTEXT;

	if (!node_get(details, "security_protocol"))
		return PROTOCOL_PLAINTEXT;
	while (protocol < PROTOCOL__COUNT &&
		!(word && strcmp(word, security_protocols[protocol]) == 0))
		protocol++;
	return protocol;
}
