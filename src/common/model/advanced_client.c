/* The keys of Kafka's own clients, as they stand behind producer., admin. and the like. */
#include "model/advanced.h"

static const char *const acks[] = {"all", "-1", "0", "1", NULL};
static const char *const resets[] = {"earliest", "latest", "none", NULL};
static const char *const dns_lookups[] = {
	"use_all_dns_ips", "resolve_canonical_bootstrap_servers_only", NULL};
static const char *const compressions[] = {"none", "gzip", "snappy", "lz4", "zstd", NULL};
static const char *const group_protocols[] = {"classic", "consumer", NULL};
static const char *const isolations[] = {"read_uncommitted", "read_committed", NULL};
static const char *const recording_levels[] = {"INFO", "DEBUG", "TRACE", NULL};
static const char *const recoveries[] = {"none", "rebootstrap", NULL};

#define SET(clients_, name_, type_, ...)                                                           \
	.clients = (clients_), .key = {.name = (name_), .type = ADVANCED_##type_, __VA_ARGS__}
#define NUMBER(clients_, name_, least_)	  SET(clients_, name_, INT, .min = (least_))
#define CHOICE(clients_, name_, choices_) SET(clients_, name_, CHOICE, .choices = (choices_))
#define NOT_HERE(clients_, name_, rule_, doc_)                                                     \
	.clients = (clients_), .key = {.name = (name_), .rule = ADVANCED_##rule_, .doc = (doc_)}

#define ALL	 (CLIENT_ADMIN | CLIENT_CONSUMER | CLIENT_PRODUCER)
#define ADMIN	 CLIENT_ADMIN
#define CONSUMER CLIENT_CONSUMER
#define PRODUCER CLIENT_PRODUCER

#define DETAILS                                                                                    \
	"comes from source_connection_details or destination_connection_details: set it there"
#define STORES "belongs behind the secret path of its end, as ca, certificate and key: remove it"
#define ITSELF "is set by the provider itself: remove it"
#define BYTES  "cannot be set, records are always copied byte for byte: remove it"

const struct advanced_client_key advanced_client_keys[] = {
	{CHOICE(PRODUCER, "acks", acks)},
	{SET(CONSUMER, "allow.auto.create.topics", BOOL)},
	{NUMBER(CONSUMER, "auto.commit.interval.ms", 0)},
	{SET(CLIENT_ANY, "auto.include.jmx.reporter", BOOL)},
	{CHOICE(CONSUMER, "auto.offset.reset", resets)},
	{NUMBER(PRODUCER, "batch.size", 0)},
	{SET(ADMIN, "bootstrap.controllers", STRING)},
	{NOT_HERE(CLIENT_ANY, "bootstrap.servers", ELSEWHERE, DETAILS)},
	{NUMBER(PRODUCER, "buffer.memory", 0)},
	{SET(CONSUMER, "check.crcs", BOOL)},
	{CHOICE(ALL, "client.dns.lookup", dns_lookups)},
	{SET(ALL, "client.id", STRING)},
	{SET(CONSUMER, "client.rack", STRING)},
	{SET(PRODUCER, "compression.gzip.level", INT, .min = -1, .max = 9)},
	{SET(PRODUCER, "compression.lz4.level", INT, .min = 1, .max = 17)},
	{CHOICE(PRODUCER, "compression.type", compressions)},
	{SET(PRODUCER, "compression.zstd.level", INT, .min = -131072, .max = 22)},
	{NUMBER(ALL, "connections.max.idle.ms", -1)},
	{NUMBER(ADMIN | CONSUMER, "default.api.timeout.ms", 0)},
	{NUMBER(PRODUCER, "delivery.timeout.ms", 0)},
	{NOT_HERE(CONSUMER, "enable.auto.commit", INTERNAL, ITSELF)},
	{SET(PRODUCER, "enable.idempotence", BOOL)},
	{SET(ALL, "enable.metrics.push", BOOL)},
	{SET(CONSUMER, "exclude.internal.topics", BOOL)},
	{NUMBER(CONSUMER, "fetch.max.bytes", 0)},
	{NUMBER(CONSUMER, "fetch.max.wait.ms", 0)},
	{NUMBER(CONSUMER, "fetch.min.bytes", 0)},
	{SET(CONSUMER, "group.id", STRING)},
	{SET(CONSUMER, "group.instance.id", STRING)},
	{CHOICE(CONSUMER, "group.protocol", group_protocols)},
	{SET(CONSUMER, "group.remote.assignor", STRING)},
	{NUMBER(CONSUMER, "heartbeat.interval.ms", 1)},
	{SET(CONSUMER | PRODUCER, "interceptor.classes", LIST)},
	{CHOICE(CONSUMER, "isolation.level", isolations)},
	{NOT_HERE(CONSUMER, "key.deserializer", INTERNAL, BYTES)},
	{NOT_HERE(PRODUCER, "key.serializer", INTERNAL, BYTES)},
	{NUMBER(PRODUCER, "linger.ms", 0)},
	{NUMBER(PRODUCER, "max.block.ms", 0)},
	{NUMBER(PRODUCER, "max.in.flight.requests.per.connection", 1)},
	{NUMBER(CONSUMER, "max.partition.fetch.bytes", 0)},
	{NUMBER(CONSUMER, "max.poll.interval.ms", 1)},
	{NUMBER(CONSUMER, "max.poll.records", 1)},
	{NUMBER(PRODUCER, "max.request.size", 0)},
	{NUMBER(ALL, "metadata.max.age.ms", 0)},
	{NUMBER(PRODUCER, "metadata.max.idle.ms", 5000)},
	{NUMBER(ALL, "metadata.recovery.rebootstrap.trigger.ms", 0)},
	{CHOICE(ALL, "metadata.recovery.strategy", recoveries)},
	{SET(ALL, "metric.reporters", LIST)},
	{NUMBER(ALL, "metrics.num.samples", 1)},
	{CHOICE(ALL, "metrics.recording.level", recording_levels)},
	{NUMBER(ALL, "metrics.sample.window.ms", 0)},
	{SET(CONSUMER, "partition.assignment.strategy", LIST)},
	{SET(PRODUCER, "partitioner.adaptive.partitioning.enable", BOOL)},
	{NUMBER(PRODUCER, "partitioner.availability.timeout.ms", 0)},
	{SET(PRODUCER, "partitioner.class", CLASS)},
	{SET(PRODUCER, "partitioner.ignore.keys", BOOL)},
	{NUMBER(ALL, "receive.buffer.bytes", -1)},
	{NUMBER(ALL, "reconnect.backoff.max.ms", 0)},
	{NUMBER(ALL, "reconnect.backoff.ms", 0)},
	{NUMBER(ALL, "request.timeout.ms", 0)},
	{NUMBER(ADMIN | PRODUCER, "retries", 0)},
	{NUMBER(ALL, "retry.backoff.max.ms", 0)},
	{NUMBER(ALL, "retry.backoff.ms", 0)},
	{SET(CLIENT_ANY, "sasl.client.callback.handler.class", CLASS)},
	{SET(CLIENT_ANY, "sasl.kerberos.kinit.cmd", STRING)},
	{NUMBER(CLIENT_ANY, "sasl.kerberos.min.time.before.relogin", 0)},
	{SET(CLIENT_ANY, "sasl.kerberos.service.name", STRING)},
	{SET(CLIENT_ANY, "sasl.kerberos.ticket.renew.jitter", REAL)},
	{SET(CLIENT_ANY, "sasl.kerberos.ticket.renew.window.factor", REAL)},
	{SET(CLIENT_ANY, "sasl.login.callback.handler.class", CLASS)},
	{SET(CLIENT_ANY, "sasl.login.class", CLASS)},
	{NUMBER(CLIENT_ANY, "sasl.login.connect.timeout.ms", 0)},
	{NUMBER(CLIENT_ANY, "sasl.login.read.timeout.ms", 0)},
	{NUMBER(CLIENT_ANY, "sasl.login.refresh.buffer.seconds", 0)},
	{NUMBER(CLIENT_ANY, "sasl.login.refresh.min.period.seconds", 0)},
	{SET(CLIENT_ANY, "sasl.login.refresh.window.factor", REAL)},
	{SET(CLIENT_ANY, "sasl.login.refresh.window.jitter", REAL)},
	{NUMBER(CLIENT_ANY, "sasl.login.retry.backoff.max.ms", 0)},
	{NUMBER(CLIENT_ANY, "sasl.login.retry.backoff.ms", 0)},
	{NOT_HERE(CLIENT_ANY, "sasl.mechanism", ELSEWHERE, DETAILS)},
	{NUMBER(CLIENT_ANY, "sasl.oauthbearer.clock.skew.seconds", 0)},
	{SET(CLIENT_ANY, "sasl.oauthbearer.expected.audience", LIST)},
	{SET(CLIENT_ANY, "sasl.oauthbearer.expected.issuer", STRING)},
	{SET(CLIENT_ANY, "sasl.oauthbearer.header.urlencode", BOOL)},
	{SET(CLIENT_ANY, "sasl.oauthbearer.jwks.endpoint.url", STRING)},
	{SET(CLIENT_ANY, "sasl.oauthbearer.scope.claim.name", STRING)},
	{SET(CLIENT_ANY, "sasl.oauthbearer.sub.claim.name", STRING)},
	{SET(CLIENT_ANY, "sasl.oauthbearer.token.endpoint.url", STRING)},
	{NOT_HERE(CLIENT_ANY, "security.protocol", ELSEWHERE, DETAILS)},
	{SET(CLIENT_ANY, "security.providers", STRING)},
	{NUMBER(ALL, "send.buffer.bytes", -1)},
	{NUMBER(CONSUMER, "session.timeout.ms", 1)},
	{NUMBER(ALL, "socket.connection.setup.timeout.max.ms", 0)},
	{NUMBER(ALL, "socket.connection.setup.timeout.ms", 0)},
	{SET(CLIENT_ANY, "ssl.cipher.suites", LIST)},
	{SET(CLIENT_ANY, "ssl.enabled.protocols", LIST)},
	{SET(CLIENT_ANY, "ssl.endpoint.identification.algorithm", STRING)},
	{SET(CLIENT_ANY, "ssl.engine.factory.class", CLASS)},
	{SET(CLIENT_ANY, "ssl.keymanager.algorithm", STRING)},
	{NOT_HERE(CLIENT_ANY, "ssl.keystore.certificate.chain", ELSEWHERE, STORES)},
	{NOT_HERE(CLIENT_ANY, "ssl.keystore.location", ELSEWHERE, STORES)},
	{NOT_HERE(CLIENT_ANY, "ssl.keystore.type", ELSEWHERE, STORES)},
	{SET(CLIENT_ANY, "ssl.protocol", STRING)},
	{SET(CLIENT_ANY, "ssl.provider", STRING)},
	{SET(CLIENT_ANY, "ssl.secure.random.implementation", STRING)},
	{SET(CLIENT_ANY, "ssl.trustmanager.algorithm", STRING)},
	{NOT_HERE(CLIENT_ANY, "ssl.truststore.certificates", ELSEWHERE, STORES)},
	{NOT_HERE(CLIENT_ANY, "ssl.truststore.location", ELSEWHERE, STORES)},
	{NOT_HERE(CLIENT_ANY, "ssl.truststore.type", ELSEWHERE, STORES)},
	{NUMBER(PRODUCER, "transaction.timeout.ms", 1)},
	{NOT_HERE(PRODUCER, "transactional.id", INTERNAL, ITSELF)},
	{NOT_HERE(CONSUMER, "value.deserializer", INTERNAL, BYTES)},
	{NOT_HERE(PRODUCER, "value.serializer", INTERNAL, BYTES)},
	{0},
};
