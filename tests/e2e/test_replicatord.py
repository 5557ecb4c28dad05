#!/usr/bin/env python3
"""The API of the design over the real program: what each call answers, and what it does not let through."""

import pathlib
import re
import unittest
import urllib.parse

from replicatord import OTHER, READER, Answer, running, spec, wait_until

OPENAPI = pathlib.Path(__file__).resolve().parents[2] / "schema/openapi.yaml"


class ServerCase(unittest.TestCase):
    options = {}

    @classmethod
    def setUpClass(cls):
        context = running(**cls.options)
        cls.server = context.__enter__()
        cls.addClassCleanup(context.__exit__, None, None, None)

    def assert_status(self, answer, status):
        self.assertEqual(answer.status, status, answer)
        if answer.text:
            self.assertEqual(answer.headers["Content-Type"], "application/json")
        return answer

    def assert_detail(self, answer, status, part):
        self.assert_status(answer, status)
        self.assertEqual(list(answer.body), ["detail"], answer)
        self.assertIn(part, answer.body["detail"])

    def assert_fields(self, answer, *names):
        """400 with messages for exactly these fields."""
        self.assert_status(answer, 400)
        self.assertEqual(sorted(answer.body), sorted(names), answer)
        for messages in answer.body.values():
            self.assertIsInstance(messages, list)
            self.assertTrue(all(messages))

    def healthy(self, identifier, **more):
        self.assert_status(self.server.create(identifier, **more), 201)
        self.assert_status(self.server.reconcile(identifier, 1, "first"), 202)
        return self.server.wait_for(identifier, "Healthy")


class Tokens(ServerCase):
    def test_without_a_token_that_is_known_it_is_401(self):
        for header in (None, "Bearer nonsense", "Basic d3JpdGVy", "Bearer", "Bearer "):
            headers = {"Authorization": header} if header else {}
            answer = self.server.call("GET", "/kafka-replicator/", token=None, headers=headers)
            self.assertEqual(list(self.assert_status(answer, 401).body), ["detail"])
            self.assertTrue(answer.headers["WWW-Authenticate"].startswith("Bearer"))

    def test_the_scheme_is_read_in_any_case(self):
        answer = self.server.call("GET", "/kafka-replicator/", token=None, headers={"Authorization": f"bearer {READER}"})
        self.assert_status(answer, 200)

    def test_another_organization_is_404(self):
        self.server.create("private")
        for org in ("acme", "nobody"):
            for path in ("/kafka-replicator/", "/kafka-replicator/private/", "/fleet/"):
                self.assert_detail(self.server.call("GET", path, token=OTHER, org=org), 404, "organization")
        self.assert_detail(self.server.call("GET", "/kafka-replicator/private/", token=OTHER, org="other"), 404, "private")
        self.assertEqual(self.server.call("GET", "/kafka-replicator/", token=OTHER, org="other").body["count"], 0)

    def test_a_token_that_may_read_gets_403_for_the_rest(self):
        self.server.create("guarded")
        calls = (
            ("POST", "/kafka-replicator/", spec("more")),
            ("PATCH", "/kafka-replicator/guarded/", {"topic_whitelist": "a"}),
            ("DELETE", "/kafka-replicator/guarded/", None),
            ("POST", "/kafka-replicator/guarded/reconcile/", {"generation": 1}),
            ("DELETE", "/kafka-replicator/nowhere/", None),
        )
        for method, path, body in calls:
            answer = self.server.call(method, path, body, token=READER, headers={"Idempotency-Key": "k"})
            self.assert_detail(answer, 403, "read")
        answer = self.server.call("GET", "/kafka-replicator/guarded/", token=READER)
        self.assertEqual((answer.body["generation"], answer.body["status"]), (1, "Pending"))


class Routes(ServerCase):
    def test_unknown_paths_are_404(self):
        for path in ("//", "/", "/kafka-replicator/a/b/", "/fleet/dev/", "/fleet/dev/metrics/a/b/", "//favicon.ico"):
            self.assert_detail(self.server.call("GET", path), 404, "nothing")
        self.assert_detail(self.server.call("GET", "/kafka-replicator"), 404, "slash")

    def test_other_methods_are_405(self):
        for path, allowed in openapi_paths().items():
            for method in ("GET", "POST", "PUT", "PATCH", "DELETE"):
                if method not in allowed:
                    answer = self.server.call(method, fill(path))
                    self.assert_detail(answer, 405, "method")
                    offered = {m.strip() for m in answer.headers["Allow"].split(",")}
                    self.assertLessEqual(set(allowed), offered)

    def test_every_call_of_the_description_is_there(self):
        self.server.create("described")
        for path, methods in openapi_paths().items():
            for method in methods:
                answer = self.server.call(method, fill(path), token=None)
                self.assert_status(answer, 401)

    def test_an_error_behind_a_thousand_warnings_is_told(self):
        settings = {f"consumer.not.known.{i}": "x" for i in range(1100)}
        answer = self.server.create("warned", advanced_configuration=settings, source_kafka_id="nowhere")
        self.assert_fields(answer, "source_kafka_id")

    def test_a_body_that_is_too_large_is_413_before_it_is_read(self):
        self.server.create("small")
        for path, announced in (
            ("kafka-replicator/", (1 << 20) + 1),
            ("kafka-replicator/small/", (1 << 20) + 1),
            ("kafka-replicator/small/reconcile/", 5000),
        ):
            connection = self.server.connect()
            connection.putrequest("PATCH" if path.endswith("small/") else "POST", f"/organizations/acme/{path}")
            connection.putheader("Content-Length", str(announced))
            connection.endheaders()
            response = connection.getresponse()
            self.assert_detail(Answer(response.status, response.headers, response.read().decode()), 413, "too large")
            connection.close()


def openapi_paths():
    """Path → methods. The file is ours, so its layout is known."""
    paths = {}
    for line in OPENAPI.read_text().splitlines():
        if found := re.match(r"  (/organizations/\S+):$", line):
            methods = paths[found[1]] = []
        elif found := re.match(r"    (get|post|put|patch|delete):$", line):
            methods.append(found[1].upper())
    return paths


def openapi_required(schema):
    block = re.search(rf"^    {schema}:\n(.*?)(?=^    \w|\Z)", OPENAPI.read_text(), re.S | re.M)[1]
    found = re.search(r"^      required:(?: \[(.*)\]\n|\n((?:        - \S+\n)+))", block, re.M)
    return set(re.findall(r"\w+", found[1] or found[2]))


def fill(path):
    values = {"org_identifier": "acme", "identifier": "described", "fleet_id": "dev", "name": "capacity"}
    return path.format(**values)


class Create(ServerCase):
    def test_a_draft(self):
        answer = self.assert_status(self.server.create("draft", lag_alert_threshold=10000), 201)
        body = answer.body
        self.assertEqual(set(body), openapi_required("KafkaReplicator"))
        self.assertRegex(body.pop("uid"), r"^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$")
        self.assertRegex(body.pop("created_at"), r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$")
        self.assertEqual(
            body,
            spec("draft", lag_alert_threshold=10000)
            | {
                "source_connection_details": None,
                "source_secret_path": None,
                "destination_connection_details": None,
                "destination_secret_path": None,
                "topic_blacklist": None,
                "groups_whitelist": None,
                "groups_blacklist": None,
                "lag_alert_threshold_unit": None,
                "advanced_configuration": None,
                "generation": 1,
                "observed_generation": 0,
                "status": "Pending",
                "status_message": "saved; reconcile generation 1 to provision it",
                "fleet": "dev",
                "endpoints": {"source": "prod-eu:9092", "destination": "dr-eu:9092"},
            },
        )
        self.assertEqual(self.server.get("draft").body, answer.body | self.server.get("draft").body)

    def test_an_external_cluster(self):
        body = spec("external")
        del body["source_kafka_id"]
        body["source_connection_details"] = {
            "bootstrap_servers": "far:9093",
            "security_protocol": "SASL_SSL",
            "sasl_mechanism": "SCRAM-SHA-512",
        }
        self.assert_fields(self.server.call("POST", "/kafka-replicator/", body), "source_secret_path")
        body["source_secret_path"] = "kafka/far"
        answer = self.assert_status(self.server.call("POST", "/kafka-replicator/", body), 201)
        self.assertEqual(answer.body["source_connection_details"], body["source_connection_details"])
        self.assertEqual(answer.body["endpoints"]["source"], "far:9093")

    def test_an_identifier_that_exists_is_409(self):
        self.server.create("twice")
        self.assert_detail(self.server.create("twice"), 409, "twice exists")

    def test_every_wrong_field_is_named(self):
        post = lambda body: self.server.call("POST", "/kafka-replicator/", body)
        self.assert_fields(
            post({}),
            "identifier",
            "provider",
            "replication_mode",
            "topic_whitelist",
            "source_kafka_id",
            "destination_kafka_id",
        )
        self.assert_fields(post(spec("a", provider="Carrier")), "provider")
        self.assert_fields(post(spec("a", replication_mode="both")), "replication_mode")
        self.assert_fields(post(spec("a", topic_whitelist="")), "topic_whitelist")
        self.assert_fields(post(spec("a", topic_whitelist=7)), "topic_whitelist")
        self.assert_fields(post(spec("a", topic_whitelist="[")), "topic_whitelist")
        self.assert_fields(post(spec("a", lag_alert_threshold=-1)), "lag_alert_threshold")
        self.assert_fields(post(spec("a", lag_alert_threshold=2**53)), "lag_alert_threshold")
        self.assert_fields(post(spec("a", lag_alert_threshold_unit="bytes")), "lag_alert_threshold_unit")
        self.assert_fields(post(spec("a", destination_kafka_id="prod-eu")), "destination_kafka_id")
        self.assert_fields(post(spec("a", advanced_configuration={"taks.max": 1})), "advanced_configuration")
        self.assert_fields(post(spec("a", advanced_configuration=[])), "advanced_configuration")
        self.assert_fields(post(spec("a", generation=4, status="Healthy")), "generation", "status")
        self.assert_fields(post(spec("a", colour="red")), "colour")
        for identifier in ("", "A", "-a", "a-", "a" * 64, "a/b", "ä", 5, None):
            self.assert_fields(post(spec(identifier)), "identifier")
        self.assert_status(self.server.get("a"), 404)

    def test_a_cluster_that_is_not_known_is_400(self):
        answer = self.server.create("a", source_kafka_id="prod-ue")
        self.assert_fields(answer, "source_kafka_id")
        self.assertIn("prod-eu", answer.body["source_kafka_id"][0])

    def test_a_body_that_is_no_json_object_is_400(self):
        bodies = (b"", b"{", b"[]", b"null", b'"a"', b"<html>", b'{"identifier": "a", "identifier": "b"}', b"\xff",
                  b'{"identifier": "a\\u0000b"}', b"[" * 100000)
        for body in bodies:
            self.assert_detail(self.server.call("POST", "/kafka-replicator/", body), 400, "body: ")


class Placement(ServerCase):
    options = {"capacity": 2, "providers": "MirrorMaker2"}

    def test_a_provider_that_no_fleet_serves_and_a_fleet_that_is_full(self):
        answer = self.server.create("a", provider="ClusterLink", topic_whitelist="orders")
        self.assert_fields(answer, "provider")
        self.assertEqual(
            answer.body["provider"], ["no fleet serves ClusterLink; fleet dev serves MirrorMaker2"]
        )
        self.assert_status(self.server.create("a"), 201)
        self.assert_status(self.server.create("b"), 201)
        answer = self.server.create("c")
        self.assert_fields(answer, "provider")
        self.assertIn("dev (2 of 2)", answer.body["provider"][0])
        self.assertEqual(self.server.call("GET", "/fleet/").body["results"][0]["room"], 0)
        self.assert_status(self.server.delete("b"), 204)
        self.assert_status(self.server.create("c"), 201)


class Lists(ServerCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.names = [f"r{n:03}" for n in range(7)]
        for name in reversed(cls.names):
            cls.server.create(name)

    def pages(self, path):
        items, addresses = [], []
        while path:
            answer = self.assert_status(self.server.call("GET", path), 200)
            self.assertEqual(set(answer.body), {"count", "next", "previous", "results"})
            items += answer.body["results"]
            addresses.append(answer.body["next"])
            url = urllib.parse.urlsplit(answer.body["next"] or "")
            path = answer.body["next"] and f"{url.path}?{url.query}"
        return items, addresses

    def test_pages_hold_everything_once_in_the_order_of_creation(self):
        for size in (1, 3, 7, 100):
            items, addresses = self.pages(f"/kafka-replicator/?page_size={size}")
            self.assertEqual([item["identifier"] for item in items], self.names[::-1])
            self.assertEqual(len(addresses), -(-7 // size))
            self.assertTrue(all(a.startswith(self.server.url) for a in addresses[:-1]))
        self.assertEqual(items[0], self.server.get(self.names[-1]).body)

    def test_previous_leads_back(self):
        page = self.server.call("GET", "/kafka-replicator/?page=2&page_size=3").body
        self.assertEqual(page["count"], 7)
        self.assertIn("page=1&page_size=3", page["previous"])
        self.assertIn("page=3&page_size=3", page["next"])

    def test_pages_that_are_not_there(self):
        self.assert_detail(self.server.call("GET", "/kafka-replicator/?page=2"), 404, "page 2")
        for query, field in (("page=0", "page"), ("page=x", "page"), ("page_size=0", "page_size"), ("page_size=", "page_size")):
            self.assert_fields(self.server.call("GET", f"/kafka-replicator/?{query}"), field)
        self.assert_status(self.server.call("GET", "/kafka-replicator/?page_size=100000"), 200)

    def test_a_strange_host_is_not_repeated(self):
        answer = self.server.call("GET", "/kafka-replicator/?page_size=1", headers={"Host": 'x"/><b>'})
        if answer.status == 200:
            self.assertTrue(answer.body["next"].startswith(self.server.url))


class Update(ServerCase):
    def test_only_a_change_makes_a_generation(self):
        self.server.create("steady", lag_alert_threshold=5)
        before = self.server.get("steady").body
        for body in ({}, {"lag_alert_threshold": 5}, {"topic_whitelist": "orders.*"}, {"groups_whitelist": ""}, spec("steady")):
            answer = self.assert_status(self.server.patch("steady", body), 200)
            self.assertEqual(answer.body, before)
        answer = self.server.patch("steady", {"topic_whitelist": "orders.*,payments.*", "lag_alert_threshold": 5000})
        self.assertEqual(answer.body["generation"], 2)
        self.assertEqual(answer.body["topic_whitelist"], "orders.*,payments.*")
        self.assertEqual(answer.body["lag_alert_threshold"], 5000)
        self.assertEqual(answer.body["status"], "Pending")
        self.assertEqual(self.server.get("steady").body, answer.body)

    def test_immutable_fields_are_named(self):
        self.server.create("fixed")
        for field, value in (
            ("identifier", "other"),
            ("provider", "ClusterLink"),
            ("source_kafka_id", "dr-eu"),
            ("source_kafka_id", None),
            ("destination_connection_details", {"bootstrap_servers": "a:9092"}),
            ("replication_mode", "active-active"),
        ):
            self.assert_fields(self.server.patch("fixed", {field: value, "lag_alert_threshold": 9}), field)
        self.assertEqual(self.server.get("fixed").body["generation"], 1)
        self.assertIsNone(self.server.get("fixed").body["lag_alert_threshold"])

    def test_null_takes_back_where_it_may(self):
        self.server.create("nulls", lag_alert_threshold=5, lag_alert_threshold_unit="bytes", groups_whitelist="g")
        self.assert_fields(self.server.patch("nulls", {"lag_alert_threshold": None}), "lag_alert_threshold_unit")
        self.assert_fields(self.server.patch("nulls", {"topic_whitelist": None}), "topic_whitelist")
        body = {"lag_alert_threshold": None, "lag_alert_threshold_unit": None, "groups_whitelist": None}
        answer = self.assert_status(self.server.patch("nulls", body), 200)
        self.assertEqual({name: answer.body[name] for name in body}, body)
        self.assertEqual(answer.body["generation"], 2)

    def test_advanced_configuration_is_replaced_as_a_whole(self):
        self.server.create("tuned", advanced_configuration={"tasks.max": 4, "sync.topic.acls.enabled": False})
        answer = self.assert_status(self.server.patch("tuned", {"advanced_configuration": {"tasks.max": 8}}), 200)
        self.assertEqual(answer.body["advanced_configuration"], {"tasks.max": 8})
        self.assertEqual(answer.body["generation"], 2)
        answer = self.server.patch("tuned", {"advanced_configuration": {"tasks.max": 8, "sync.topic.acls.enabled": None}})
        self.assertEqual((answer.body["generation"], answer.body["advanced_configuration"]), (2, {"tasks.max": 8}))

    def test_if_match(self):
        self.server.create("matched")
        change = iter(range(1, 100))
        for tag in ('"2"', "1", 'W/"1"', '"1', '"", "x"', '"01"'):
            answer = self.server.patch("matched", {"lag_alert_threshold": next(change)}, If_Match=tag)
            self.assert_detail(answer, 412, "generation 1")
            self.assert_detail(
                self.server.call("DELETE", "/kafka-replicator/matched/", headers={"If-Match": tag}), 412, "generation 1"
            )
        for generation, tag in ((2, '"1"'), (3, "*"), (4, '"9", "3"')):
            answer = self.server.patch("matched", {"lag_alert_threshold": next(change)}, If_Match=tag)
            self.assertEqual(self.assert_status(answer, 200).body["generation"], generation)

    def test_what_is_not_there_is_404(self):
        self.assert_detail(self.server.get("nowhere"), 404, "nowhere")
        self.assert_detail(self.server.patch("nowhere", {}), 404, "nowhere")
        self.assert_detail(self.server.delete("nowhere"), 404, "nowhere")
        self.assert_detail(self.server.reconcile("nowhere", 1, "k"), 404, "nowhere")
        for odd in ("%2e%2e", "a%22b", "%ff", "a%0ab", "ORDERS"):
            self.assert_status(self.server.get(odd), 404)


class Reconcile(ServerCase):
    def test_from_draft_to_healthy_and_on(self):
        self.server.create("orders")
        operation = self.assert_status(self.server.reconcile("orders", 1, "one"), 202).body
        self.assertEqual(set(operation), openapi_required("Operation"))
        self.assertEqual((operation["generation"], operation["state"], operation["error"]), (1, "Running", None))
        self.assertEqual(self.server.get("orders").body["status"], "Provisioning")
        body = self.server.wait_for("orders", "Healthy")
        self.assertEqual(body["observed_generation"], 1)
        self.assertEqual(body["status_message"], "simulated: no data is moved")
        self.server.patch("orders", {"topic_whitelist": "a"})
        self.assertEqual(self.server.get("orders").body["status"], "Healthy")
        self.assert_status(self.server.reconcile("orders", 2, "two"), 202)
        self.assertEqual(self.server.get("orders").body["status"], "Updating")
        self.assertEqual(self.server.wait_for("orders", "Healthy")["observed_generation"], 2)

    def test_the_same_key_is_the_same_operation(self):
        self.healthy("keyed")
        first = self.server.reconcile("keyed", 1, "first").body
        self.assertEqual(first["state"], "Succeeded")
        self.assertEqual(self.server.get("keyed").body["status"], "Healthy")
        self.server.patch("keyed", {"topic_whitelist": "a"})
        # The key goes before the generation, which is out of date by now.
        self.assertEqual(self.server.reconcile("keyed", 1, "first").body, first)
        self.assert_detail(self.server.reconcile("keyed", 2, "first"), 422, "key")
        self.assertEqual(self.server.get("keyed").body["status"], "Healthy")

    def test_a_409_is_not_remembered(self):
        self.server.create("early")
        self.assert_detail(self.server.reconcile("early", 2, "k"), 409, "generation 1")
        self.server.patch("early", {"topic_whitelist": "a"})
        self.assert_detail(self.server.reconcile("early", 1, "k"), 409, "generation 2")
        self.assertEqual(self.assert_status(self.server.reconcile("early", 2, "k"), 202).body["generation"], 2)

    def test_keys_belong_to_the_uid(self):
        self.healthy("phoenix")
        self.healthy("neighbour")
        old = self.server.reconcile("phoenix", 1, "first").body
        self.assertNotEqual(self.server.reconcile("neighbour", 1, "first").body["id"], old["id"])
        self.server.delete("phoenix")
        wait_until(lambda: self.server.get("phoenix").status == 404, "phoenix gone")
        self.server.create("phoenix")
        self.assertNotEqual(self.server.reconcile("phoenix", 1, "first").body["id"], old["id"])

    def test_a_new_key_for_a_generation_that_ran_runs_it_again(self):
        self.healthy("rotated")
        self.assertEqual(self.server.reconcile("rotated", 1, "again").body["state"], "Running")
        self.assertEqual(self.server.get("rotated").body["status"], "Updating")
        self.server.wait_for("rotated", "Healthy")

    def test_what_fails_is_an_error_with_its_reason(self):
        self.server.create("broken-eu")
        self.server.reconcile("broken-eu", 1, "k")
        body = self.server.wait_for("broken-eu", "Error")
        self.assertEqual(body["observed_generation"], 1)
        self.assertIn("broken-*", body["status_message"])
        operation = self.server.reconcile("broken-eu", 1, "k").body
        self.assertEqual((operation["state"], operation["error"]), ("Failed", body["status_message"]))

    def test_requests_that_make_no_sense(self):
        self.server.create("asked")
        path = "/kafka-replicator/asked/reconcile/"
        key = {"Idempotency-Key": "k"}
        for body in ({}, {"generation": "1"}, {"generation": 0}, {"generation": None}, {"generation": True}):
            self.assert_fields(self.server.call("POST", path, body, headers=key), "generation")
        self.assert_fields(self.server.call("POST", path, {"generation": 1, "force": True}, headers=key), "force")
        self.assert_detail(self.server.call("POST", path, b"{", headers=key), 400, "body")
        self.assert_fields(self.server.call("POST", path, {"generation": 1}), "Idempotency-Key")
        for bad in ("", "x" * 256, "a\tb", "\xe4"):
            answer = self.server.call("POST", path, {"generation": 1}, headers={"Idempotency-Key": bad})
            self.assert_fields(answer, "Idempotency-Key")
        self.assertEqual(self.server.get("asked").body["status"], "Pending")


class Slow(ServerCase):
    options = {"delay": "700ms"}

    def test_a_newer_reconcile_supersedes(self):
        self.server.create("busy")
        self.server.reconcile("busy", 1, "one")
        self.assert_status(self.server.patch("busy", {"topic_whitelist": "a"}), 200)
        self.server.reconcile("busy", 2, "two")
        first = self.server.reconcile("busy", 1, "one").body
        self.assertEqual(first["state"], "Superseded")
        self.assertIn("newer", first["error"])
        self.assertEqual(self.server.wait_for("busy", "Healthy")["observed_generation"], 2)
        self.assertEqual(self.server.reconcile("busy", 1, "one").body, first)

    def test_while_deleting_everything_else_is_409(self):
        self.healthy("doomed")
        answer = self.assert_status(self.server.delete("doomed"), 202)
        self.assertEqual(answer.body["status"], "Deleting")
        self.assert_detail(self.server.patch("doomed", {"topic_whitelist": "a"}), 409, "being deleted")
        self.assert_detail(self.server.reconcile("doomed", 1, "new"), 409, "being deleted")
        self.assert_detail(self.server.create("doomed"), 409, "being deleted")
        self.assertEqual(self.assert_status(self.server.delete("doomed"), 202).body, answer.body)
        wait_until(lambda: self.server.get("doomed").status == 404, "doomed gone")
        self.assert_status(self.server.delete("doomed"), 404)
        self.assert_status(self.server.create("doomed"), 201)

    def test_deleting_ends_what_was_running(self):
        self.server.create("halfway")
        self.server.reconcile("halfway", 1, "k")
        self.assert_status(self.server.delete("halfway"), 202)
        operation = self.server.reconcile("halfway", 1, "k").body
        self.assertEqual(operation["state"], "Superseded")
        wait_until(lambda: self.server.get("halfway").status == 404, "halfway gone")


class Fleets(ServerCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for name in ("good", "broken-a", "broken-b"):
            cls.server.create(name)
            cls.server.reconcile(name, 1, "k")
        cls.server.create("draft")
        cls.server.wait_for("good", "Healthy")
        cls.server.wait_for("broken-a", "Error")
        cls.server.wait_for("broken-b", "Error")

    def results(self, path, **options):
        return self.assert_status(self.server.call("GET", path, **options), 200).body["results"]

    def test_list(self):
        self.assertEqual(
            self.results("/fleet/"),
            [
                {
                    "identifier": "dev",
                    "status": "Healthy",
                    "runner": "simulate",
                    "providers": ["MirrorMaker2", "ClusterLink"],
                    "capacity": 1000,
                    "room": 996,
                }
            ],
        )

    def test_overview_counts_what_the_organization_has(self):
        body = self.server.call("GET", "/fleet/dev/metrics/overview/").body
        self.assertEqual(set(body), openapi_required("FleetOverview"))
        self.assertEqual(body["replicators"], 4)
        self.assertEqual(
            body["by_status"],
            {"Pending": 1, "Provisioning": 0, "Updating": 0, "Healthy": 1, "Error": 2, "Deleting": 0},
        )
        self.assertIn("no data is moved", body["note"])
        body = self.server.call("GET", "/fleet/dev/metrics/overview/", token=OTHER, org="other").body
        self.assertEqual(body["replicators"], 0)

    def test_metrics(self):
        listed = self.results("/fleet/dev/metrics/")
        self.assertEqual([m["name"] for m in listed], ["capacity", "replicators", "room"])
        for metric in listed:
            body = self.server.call("GET", f"/fleet/dev/metrics/{metric['name']}/").body
            self.assertEqual(set(body), openapi_required("MetricSamples"))
            self.assertEqual(body, body | metric)
        samples = self.server.call("GET", "/fleet/dev/metrics/replicators/").body["samples"]
        self.assertIn({"labels": {"status": "Error"}, "value": 2}, samples)
        self.assert_detail(self.server.call("GET", "/fleet/dev/metrics/lag/"), 404, "metric")

    def test_alerts_fire_for_what_is_in_error(self):
        alerts = self.results("/fleet/dev/alerts/")
        self.assertEqual([a["replicator"] for a in alerts], ["broken-a", "broken-b"])
        self.assertEqual(set(alerts[0]), openapi_required("Alert"))
        self.assertIn("broken-*", alerts[0]["message"])
        self.assertEqual(self.results("/fleet/dev/alerts/", token=OTHER, org="other"), [])

    def test_logs(self):
        lines = self.results("/fleet/dev/logs/?since=60")
        self.assertEqual(set(lines[0]), openapi_required("LogLine"))
        good = [line["message"] for line in lines if line["replicator"] == "good"]
        self.assertEqual(good[0], "created")
        self.assertIn("Healthy", good[-1])
        self.assertEqual(self.results("/fleet/dev/logs/?since=60", token=OTHER, org="other"), [])
        page = self.server.call("GET", "/fleet/dev/logs/?since=5&page_size=1").body
        self.assertIn("since=5", page["next"])
        for since in ("0", "-1", "soon", ""):
            self.assert_fields(self.server.call("GET", f"/fleet/dev/logs/?since={since}"), "since")

    def test_a_fleet_that_is_not_there_is_404(self):
        for path in ("metrics/overview/", "metrics/", "metrics/room/", "alerts/", "logs/"):
            self.assert_detail(self.server.call("GET", f"/fleet/nowhere/{path}"), 404, "fleet")


if __name__ == "__main__":
    unittest.main()
