/*
 * Documents for the engine's tests.
 */
#ifndef TEST_DOCUMENTS_H
#define TEST_DOCUMENTS_H

#include <stdint.h>

#define MINUTE ((int64_t)60000)

#define DOCUMENT(name, threshold)                                                                  \
	"---\n"                                                                                    \
	"apiVersion: weir/v1\n"                                                                    \
	"kind: KafkaReplicator\n"                                                                  \
	"metadata: {name: " name "}\n"                                                             \
	"spec:\n"                                                                                  \
	"  provider: MirrorMaker2\n"                                                               \
	"  source_kafka_id: prod-eu\n"                                                             \
	"  destination_kafka_id: dr-eu\n"                                                          \
	"  replication_mode: active-passive\n"                                                     \
	"  topic_whitelist: [\"" name ".*\"]\n"                                                    \
	"  lag_alert_threshold: " threshold "\n"                                                   \
	"  lag_alert_threshold_unit: messages\n"

#define ONE DOCUMENT("orders", "10000")
#define TWO ONE DOCUMENT("payments", "10000")
#define BROKEN                                                                                     \
	"---\napiVersion: weir/v1\nkind: KafkaReplicator\nmetadata: {name: orders}\nspec: "        \
	"{provider: Kafka}\n"

#endif
