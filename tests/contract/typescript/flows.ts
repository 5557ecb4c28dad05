// The flows of the product's page, with the generated TypeScript client. What is not a call of the page checks what
// came of it.
import assert from "node:assert/strict";

import {
  organizationsKafkaReplicatorDestroy,
  organizationsKafkaReplicatorPartialUpdate,
  organizationsKafkaReplicatorReconcileCreate,
  organizationsKafkaReplicatorRetrieve,
} from "./client";
import { client } from "./client/client.gen";

client.setConfig({
  baseUrl: process.env.API_URL!,
  headers: { Authorization: `Bearer ${process.env.STREAMTIME_TOKEN}` },
});
const org = process.env.ORG!;
const fleet = process.env.FLEET!;
const DEADLINE_MS = 60_000;

/** The replicator once it is that far; nothing once there is none. */
async function pollUntilGoneOr(status: string, generation: number) {
  const deadline = Date.now() + DEADLINE_MS;
  for (;;) {
    const { data, response } = await organizationsKafkaReplicatorRetrieve({
      path: { org_identifier: org, identifier: "orders-dr" },
    });
    if (response.status === 404) return undefined;
    assert(data);
    if (data.status === status && data.observed_generation === generation) return data;
    assert(Date.now() < deadline, `never ${status} at generation ${generation}: ${JSON.stringify(data)}`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

async function create() {
  const { data: saved } = await client.post({
    url: "/organizations/{org_identifier}/kafka-replicator/",
    path: { org_identifier: org },
    body: {
      identifier: "orders-dr",
      provider: "MirrorMaker2",
      source_kafka_id: process.env.SOURCE_CLUSTER,
      destination_kafka_id: process.env.DESTINATION_CLUSTER,
      replication_mode: "active-passive",
      topic_whitelist: "orders.*",
      lag_alert_threshold: 10000,
      lag_alert_threshold_unit: "messages",
    },
  });

  const { data: operation } = await organizationsKafkaReplicatorReconcileCreate({
    path: { org_identifier: org, identifier: "orders-dr" },
    headers: { "Idempotency-Key": crypto.randomUUID() },
    body: { generation: (saved as { generation: number }).generation },
  });
  assert.equal(operation?.generation, 1);
}

async function status() {
  const { data } = await organizationsKafkaReplicatorRetrieve({
    path: { org_identifier: org, identifier: "orders-dr" },
  });
  console.log(data?.status);
  assert.equal(data?.status, "Provisioning");
  assert(await pollUntilGoneOr("Healthy", 1));
}

async function change() {
  const { data: saved } = await client.patch({
    url: "/organizations/{org_identifier}/kafka-replicator/orders-dr/",
    path: { org_identifier: org },
    body: { topic_whitelist: "orders.*,payments.*", lag_alert_threshold: 5000 },
  });

  const { data: operation } = await organizationsKafkaReplicatorReconcileCreate({
    path: { org_identifier: org, identifier: "orders-dr" },
    headers: { "Idempotency-Key": crypto.randomUUID() },
    body: { generation: (saved as { generation: number }).generation },
  });
  assert.equal(operation?.generation, 2);
  const changed = await pollUntilGoneOr("Healthy", 2);
  assert.equal(changed?.topic_whitelist, "orders.*,payments.*");
  assert.equal(changed?.lag_alert_threshold, 5000);
}

/** The call that the product's own client lacks; null takes a field back, and what is not said stays. */
async function changeTyped() {
  const path = { org_identifier: org, identifier: "orders-dr" };
  const headers = { "If-Match": '"2"' };
  const { data: saved } = await organizationsKafkaReplicatorPartialUpdate({
    path,
    headers,
    body: { topic_blacklist: "orders.internal", lag_alert_threshold: 600, lag_alert_threshold_unit: "seconds" },
  });
  assert.equal(saved?.generation, 3);
  assert.equal(saved?.topic_blacklist, "orders.internal");
  assert.equal(saved?.lag_alert_threshold, 600);
  assert.equal(saved?.lag_alert_threshold_unit, "seconds");
  assert.equal(saved?.topic_whitelist, "orders.*,payments.*");
  const late = await organizationsKafkaReplicatorPartialUpdate({ path, headers, body: { topic_blacklist: null } });
  assert.equal(late.response.status, 412);
  const { data: reset } = await organizationsKafkaReplicatorPartialUpdate({ path, body: { topic_blacklist: null } });
  assert.equal(reset?.generation, 4);
  assert.equal(reset?.topic_blacklist, null);
}

async function watch() {
  const { data: alerts } = await client.get({
    url: "/organizations/{org_identifier}/fleet/{fleet_id}/alerts/",
    path: { org_identifier: org, fleet_id: fleet },
  });
  console.log(alerts);
  assert.deepEqual((alerts as { results: unknown[] }).results, []);
}

async function remove() {
  await organizationsKafkaReplicatorDestroy({ path: { org_identifier: org, identifier: "orders-dr" } });
  assert.equal(await pollUntilGoneOr("", 0), undefined);
}

for (const flow of [create, status, change, changeTyped, watch, remove]) {
  console.log(`== ${flow.name}`);
  await flow();
}
