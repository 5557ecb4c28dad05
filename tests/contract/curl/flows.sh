#!/bin/bash
# The flows of the product's page, with curl. What is not a call of the page checks what came of it.
set -euo pipefail

export API=$API_URL/organizations/$ORG

# Any status from 400 on is an error.
curl()
{
	command curl --silent --show-error --fail-with-body "$@"
}

# expect STATUS GENERATION: polls until the replicator is that far.
expect()
{
	local deadline=$((SECONDS + 60)) shown
	until shown=$(curl "$API/kafka-replicator/orders-dr/" -H "Authorization: Bearer $STREAMTIME_TOKEN") &&
		jq -e ".status == \"$1\" and .observed_generation == $2" <<<"$shown" >/dev/null; do
		((SECONDS < deadline)) || { echo "never $1 at generation $2: $shown" >&2; exit 1; }
		sleep 0.2
	done
}

create()
{
	curl -X POST "$API/kafka-replicator/" \
		-H "Authorization: Bearer $STREAMTIME_TOKEN" \
		-H "Content-Type: application/json" \
		-d '{
			"identifier": "orders-dr",
			"provider": "MirrorMaker2",
			"source_kafka_id": "'"$SOURCE_CLUSTER"'",
			"destination_kafka_id": "'"$DESTINATION_CLUSTER"'",
			"replication_mode": "active-passive",
			"topic_whitelist": "orders.*",
			"lag_alert_threshold": 10000,
			"lag_alert_threshold_unit": "messages"
		}' | jq -e '.generation == 1 and .status == "Pending"'

	curl -X POST "$API/kafka-replicator/orders-dr/reconcile/" \
		-H "Authorization: Bearer $STREAMTIME_TOKEN" \
		-H "Content-Type: application/json" \
		-H "Idempotency-Key: $(uuidgen)" \
		-d '{"generation": 1}' | jq -e '.generation == 1 and .state == "Running"'
}

status()
{
	curl -s "$API/kafka-replicator/orders-dr/" -H "Authorization: Bearer $STREAMTIME_TOKEN" |
		jq -e '.status == "Provisioning"'
	expect Healthy 1
}

change()
{
	GEN=$(curl -s -X PATCH "$API/kafka-replicator/orders-dr/" \
		-H "Authorization: Bearer $STREAMTIME_TOKEN" \
		-H "Content-Type: application/json" \
		-d '{"topic_whitelist": "orders.*,payments.*", "lag_alert_threshold": 5000}' | jq .generation)
	[[ $GEN == 2 ]]

	curl -X POST "$API/kafka-replicator/orders-dr/reconcile/" \
		-H "Authorization: Bearer $STREAMTIME_TOKEN" \
		-H "Content-Type: application/json" \
		-H "Idempotency-Key: $(uuidgen)" \
		-d "{\"generation\": $GEN}" | jq -e '.generation == 2'
	expect Healthy 2
	curl "$API/kafka-replicator/orders-dr/" -H "Authorization: Bearer $STREAMTIME_TOKEN" |
		jq -e '.topic_whitelist == "orders.*,payments.*" and .lag_alert_threshold == 5000'
}

# A generation that is out of date is a 409; the same key is the same operation again.
again()
{
	local key first second
	key=$(uuidgen)
	first=$(reconcile "$key" 2)
	second=$(reconcile "$key" 2)
	[[ $(jq .id <<<"$first") == $(jq .id <<<"$second") ]]
	[[ $(reconcile "$(uuidgen)" 1 --no-fail-with-body -o /dev/null -w '%{http_code}') == 409 ]]
	expect Healthy 2
}

reconcile()
{
	curl -X POST "$API/kafka-replicator/orders-dr/reconcile/" \
		-H "Authorization: Bearer $STREAMTIME_TOKEN" \
		-H "Content-Type: application/json" \
		-H "Idempotency-Key: $1" \
		-d "{\"generation\": $2}" "${@:3}"
}

watch()
{
	curl -s "$API/fleet/$FLEET/metrics/overview/" -H "Authorization: Bearer $STREAMTIME_TOKEN" |
		jq -e '.by_status.Healthy == 1'
	curl -s "$API/fleet/$FLEET/alerts/" -H "Authorization: Bearer $STREAMTIME_TOKEN" | jq -e '.results | arrays'
	curl -s "$API/fleet/$FLEET/logs/?since=60" -H "Authorization: Bearer $STREAMTIME_TOKEN" |
		jq -e '.results | map(.replicator) | index("orders-dr") != null'
}

delete()
{
	local deadline=$((SECONDS + 60)) code
	curl -X DELETE "$API/kafka-replicator/orders-dr/" -H "Authorization: Bearer $STREAMTIME_TOKEN"
	until code=$(command curl -s "$API/kafka-replicator/orders-dr/" -H "Authorization: Bearer $STREAMTIME_TOKEN" \
		-o /dev/null -w '%{http_code}') && [[ $code == 404 ]]; do
		((SECONDS < deadline)) || { echo "it is still there: $code" >&2; exit 1; }
		sleep 0.2
	done
}

for flow in create status change again watch delete; do
	echo "== $flow"
	"$flow"
done
