"""The flows of the product's page, with the generated Python client.

What is not a call of the page checks what came of it.
"""

import os
import time
import uuid
from http import HTTPStatus

from streamtime_sdk.api.kafka_replicator import organizations_kafka_replicator_reconcile_create
from streamtime_sdk.api.kafka_replicators import organizations_kafka_replicator_destroy
from streamtime_sdk.api.kafka_replicators import organizations_kafka_replicator_partial_update
from streamtime_sdk.api.kafka_replicators import organizations_kafka_replicator_retrieve
from streamtime_sdk.client import AuthenticatedClient
from streamtime_sdk.models import KafkaReplicator, LagAlertThresholdUnit, Operation
from streamtime_sdk.models import PatchedKafkaReplicatorRequest, ReconcileRequest

client = AuthenticatedClient(
    base_url=os.environ["API_URL"],
    token=os.environ["STREAMTIME_TOKEN"],
)
ORG = os.environ["ORG"]
FLEET = os.environ["FLEET"]
DEADLINE_S = 180


def poll_until_gone_or(status: str, generation: int) -> KafkaReplicator | None:
    """The replicator once it is that far; None once there is none."""
    deadline = time.monotonic() + DEADLINE_S
    while True:
        answer = organizations_kafka_replicator_retrieve.sync_detailed(ORG, "orders-dr", client=client)
        if answer.status_code == HTTPStatus.NOT_FOUND:
            return None
        assert isinstance(answer.parsed, KafkaReplicator), answer
        if (answer.parsed.status, answer.parsed.observed_generation) == (status, generation):
            return answer.parsed
        assert time.monotonic() < deadline, f"never {status} at generation {generation}: {answer.parsed}"
        time.sleep(0.2)


def create() -> None:
    resp = client.get_httpx_client().post(
        f"/organizations/{ORG}/kafka-replicator/",
        json={
            "identifier": "orders-dr",
            "provider": "MirrorMaker2",
            "source_kafka_id": os.environ["SOURCE_CLUSTER"],
            "destination_kafka_id": os.environ["DESTINATION_CLUSTER"],
            "replication_mode": "active-passive",
            "topic_whitelist": "orders.*",
            "lag_alert_threshold": 10000,
            "lag_alert_threshold_unit": "messages",
        },
    )
    resp.raise_for_status()

    operation = organizations_kafka_replicator_reconcile_create.sync(
        ORG,
        "orders-dr",
        client=client,
        body=ReconcileRequest(generation=resp.json()["generation"]),
        idempotency_key=str(uuid.uuid4()),
    )
    assert isinstance(operation, Operation) and operation.generation == 1, operation


def status() -> None:
    res = organizations_kafka_replicator_retrieve.sync(ORG, "orders-dr", client=client)
    assert isinstance(res, KafkaReplicator)
    print(res.status)
    assert res.status == "Provisioning"
    assert poll_until_gone_or("Healthy", 1)


def change() -> None:
    resp = client.get_httpx_client().patch(
        f"/organizations/{ORG}/kafka-replicator/orders-dr/",
        json={"topic_whitelist": "orders.*,payments.*", "lag_alert_threshold": 5000},
    )
    resp.raise_for_status()

    operation = organizations_kafka_replicator_reconcile_create.sync(
        ORG,
        "orders-dr",
        client=client,
        body=ReconcileRequest(generation=resp.json()["generation"]),
        idempotency_key=str(uuid.uuid4()),
    )
    assert isinstance(operation, Operation) and operation.generation == 2, operation
    changed = poll_until_gone_or("Healthy", 2)
    assert changed and changed.topic_whitelist == "orders.*,payments.*", changed
    assert changed.lag_alert_threshold == 5000, changed


def change_typed() -> None:
    """The call that the product's own client lacks; None takes a field back, and what is not said stays."""
    saved = organizations_kafka_replicator_partial_update.sync(
        ORG,
        "orders-dr",
        client=client,
        body=PatchedKafkaReplicatorRequest(
            topic_blacklist="orders.internal",
            lag_alert_threshold=600,
            lag_alert_threshold_unit=LagAlertThresholdUnit.SECONDS,
        ),
        if_match='"2"',
    )
    assert isinstance(saved, KafkaReplicator), saved
    assert (saved.generation, saved.topic_blacklist) == (3, "orders.internal"), saved
    assert (saved.lag_alert_threshold, saved.lag_alert_threshold_unit) == (600, "seconds"), saved
    assert saved.topic_whitelist == "orders.*,payments.*", saved
    late = organizations_kafka_replicator_partial_update.sync_detailed(
        ORG,
        "orders-dr",
        client=client,
        body=PatchedKafkaReplicatorRequest(topic_blacklist=None),
        if_match='"2"',
    )
    assert late.status_code == HTTPStatus.PRECONDITION_FAILED, late
    reset = organizations_kafka_replicator_partial_update.sync(
        ORG,
        "orders-dr",
        client=client,
        body=PatchedKafkaReplicatorRequest(topic_blacklist=None),
    )
    assert isinstance(reset, KafkaReplicator), reset
    assert (reset.generation, reset.topic_blacklist) == (4, None), reset


def watch() -> None:
    resp = client.get_httpx_client().get(f"/organizations/{ORG}/fleet/{FLEET}/alerts/")
    print(resp.json())
    assert resp.json()["results"] == []


def delete() -> None:
    organizations_kafka_replicator_destroy.sync_detailed(ORG, "orders-dr", client=client)
    assert poll_until_gone_or("", 0) is None


for flow in (create, status, change, change_typed, watch, delete):
    print(f"== {flow.__name__}", flush=True)
    flow()
