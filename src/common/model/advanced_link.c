/* The settings of a cluster link, and what belongs elsewhere. */
#include "model/advanced.h"

static const char *const connection_modes[] = {"OUTBOUND", "INBOUND", NULL};
static const char *const link_modes[] = {"DESTINATION", "SOURCE", "BIDIRECTIONAL", NULL};
static const char *const dns_lookups[] = {
	"use_all_dns_ips", "resolve_canonical_bootstrap_servers_only", NULL};

#define SET(name_, type_, ...) .name = (name_), .type = ADVANCED_##type_, __VA_ARGS__
#define SWITCH(name_, doc_)    .name = (name_), .type = ADVANCED_BOOL, .doc = (doc_)
#define NUMBER(name_, least_, doc_)                                                                \
	.name = (name_), .type = ADVANCED_INT, .min = (least_), .max = INT32_MAX, .doc = (doc_)
#define NOT_HERE(name_, rule_, doc_) .name = (name_), .rule = ADVANCED_##rule_, .doc = (doc_)

#define ENDS                                                                                       \
	"comes from the two ends (source_kafka_id or source_connection_details, and the same for " \
	"the destination): remove it"

static const struct advanced_key keys[] = {
	{SET("acl.filters", JSON, .doc = "Which ACLs are copied.")},
	{SWITCH("acl.sync.enable", "Copy ACLs; needs acl.filters, and no cluster.link.prefix.")},
	{NUMBER("acl.sync.ms", 1000, "Time between two copies of ACLs.")},
	{NOT_HERE("auto.create.mirror.topics.enable", ELSEWHERE,
		"comes from topic_whitelist, which says what is copied: remove it")},
	{NOT_HERE("auto.create.mirror.topics.filters", ELSEWHERE,
		"belongs in topic_whitelist and topic_blacklist: move it there")},
	{NUMBER("availability.check.consecutive.failure.threshold", 1,
		"Failed checks until the source counts as gone.")},
	{NUMBER("availability.check.ms", 1000, "Time between two looks at the source.")},
	{NOT_HERE("bootstrap.servers", ELSEWHERE, ENDS)},
	{SET("client.dns.lookup", CHOICE, .choices = dns_lookups,
		.doc = "How names of brokers are resolved.")},
	{SWITCH("cluster.link.paused", "Pause the whole link.")},
	{SET("cluster.link.prefix", STRING, .characters = ADVANCED_TOPIC_CHARACTERS,
		.max_length = 12,
		.doc = "What the names of copied topics begin with; fixed once the link is made.")},
	{NUMBER("cluster.link.retry.timeout.ms", 0,
		"How long to try again until a copied topic fails.")},
	{SET("connection.mode", CHOICE, .choices = connection_modes,
		.doc = "Which side opens the connection.")},
	{NUMBER("connections.max.idle.ms", 0, "Close a connection that was idle for so long.")},
	{SWITCH("consumer.group.prefix.enable", "Put cluster.link.prefix before group names too.")},
	{NOT_HERE("consumer.offset.group.filters", ELSEWHERE,
		"belongs in groups_whitelist and groups_blacklist: move it there")},
	{SWITCH("consumer.offset.sync.enable", "Copy the offsets of consumer groups.")},
	{NUMBER("consumer.offset.sync.ms", 1000, "Time between two copies of offsets.")},
	{SET("link.mode", CHOICE, .choices = link_modes,
		.doc = "The side that this link is made on.")},
	{NUMBER("metadata.max.age.ms", 0, "Ask for metadata again after so long.")},
	{SET("mirror.start.offset.spec", STRING,
		.doc = "Where new topics start: earliest, latest, or a UTC time.")},
	{NOT_HERE("name", ELSEWHERE,
		"is the replicator's identifier (metadata.name in YAML): remove it")},
	{NUMBER("num.cluster.link.fetchers", 1, "Fetchers for each broker of the source.")},
	{NUMBER("replica.fetch.backoff.ms", 0, "Wait after a fetch that failed.")},
	{NUMBER("replica.fetch.max.bytes", 1, "Most bytes of a partition in one fetch.")},
	{NUMBER("replica.fetch.min.bytes", 1, "Least bytes that a fetch waits for.")},
	{NUMBER("replica.fetch.response.max.bytes", 1, "Most bytes of one fetch.")},
	{NUMBER("replica.fetch.wait.max.ms", 0, "Most time that a fetch waits.")},
	{NUMBER("replica.socket.receive.buffer.bytes", -1,
		"TCP receive buffer; -1: the system's.")},
	{NUMBER("replica.socket.timeout.ms", 1, "Time-out of a fetcher's connection.")},
	{NUMBER("request.timeout.ms", 1, "How long one request may take.")},
	{NUMBER("retry.backoff.ms", 0, "Wait before a request is sent again.")},
	{NOT_HERE("security.protocol", ELSEWHERE, ENDS)},
	{NUMBER("socket.connection.setup.timeout.max.ms", 1,
		"Most time for opening a connection.")},
	{NUMBER("socket.connection.setup.timeout.ms", 1,
		"Time for opening a connection at first.")},
	{SET("topic.config.sync.include", LIST, .doc = "Topic settings that are copied.")},
	{NUMBER("topic.config.sync.ms", 1000, "Time between two copies of topic settings.")},
	{0},
};

static const struct advanced_prefix prefixes[] = {
	{.name = "local.", .rule = ADVANCED_ELSEWHERE, .doc = ENDS},
	{.name = "sasl.",
		.clients = CLIENT_CONNECTION,
		.whole = true,
		.doc = "How the link talks SASL."},
	{.name = "ssl.",
		.clients = CLIENT_CONNECTION,
		.whole = true,
		.doc = "How the link talks TLS."},
	{0},
};

const struct advanced_provider advanced_link = {
	.name = "ClusterLink",
	.keys = keys,
	.prefixes = prefixes,
};
