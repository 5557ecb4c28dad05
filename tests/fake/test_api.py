#!/usr/bin/env python3
"""The fake API behaves as the real one should, and misbehaves as it is told."""

import http.client
import pathlib
import tempfile
import threading
import time
import unittest

from client import Fake, body, wait_for

KEY = "6f1c9a52-0000-8000-8000-000000000001"


class FakeTest(unittest.TestCase):
    """A fake for each class, forgetting everything between its tests."""

    options = ("--delay", "0.05")

    @classmethod
    def setUpClass(cls):
        cls.fake = Fake(*cls.options)

    @classmethod
    def tearDownClass(cls):
        cls.fake.stop()

    def setUp(self):
        self.fake.reset()

    def provisioned(self, identifier="a", **fields):
        self.fake.create(identifier, **fields)
        self.fake.reconcile(identifier, 1)
        return self.healthy(identifier)

    def healthy(self, identifier="a"):
        return self.status(identifier, "Healthy")

    def status(self, identifier, status):
        wait_for(lambda: self.fake.get(identifier)["status"] == status, what=f"{identifier} to be {status}")
        return self.fake.get(identifier)


class SavingTest(FakeTest):
    def test_create_saves_a_draft(self):
        answer = self.fake.create("orders-dr", lag_alert_threshold=10, lag_alert_threshold_unit="messages")
        self.assertEqual(answer.status, 201)
        made = answer.json
        self.assertEqual((made["identifier"], made["generation"], made["status"]), ("orders-dr", 1, "Pending"))
        self.assertEqual(made["lag_alert_threshold"], 10)
        self.assertEqual(made["observed_generation"], 0)
        self.assertEqual(made["fleet"], "dev")
        self.assertRegex(made["created_at"], r"^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")
        self.assertEqual(self.fake.get("orders-dr"), made)
        self.assertEqual(self.fake.operations(), [])

    def test_create_refuses_a_name_that_exists(self):
        first = self.fake.create("a").json
        self.assertEqual(self.fake.create("a", topic_whitelist="other").status, 409)
        self.assertEqual(self.fake.get("a"), first)

    def test_create_names_the_fields_that_are_wrong(self):
        cases = (
            ({"identifier": "Orders"}, "identifier"),
            ({"identifier": "-a"}, "identifier"),
            ({"identifier": None}, "identifier"),
            ({"provider": "Uploader"}, "provider"),
            ({"replication_mode": "active"}, "replication_mode"),
            ({"topic_whitelist": " , "}, "topic_whitelist"),
            ({"topic_whitelist": ["orders"]}, "topic_whitelist"),
            ({"lag_alert_threshold": -1}, "lag_alert_threshold"),
            ({"lag_alert_threshold": True}, "lag_alert_threshold"),
            ({"lag_alert_threshold": 2**53}, "lag_alert_threshold"),
            ({"lag_alert_threshold_unit": "bytes"}, "lag_alert_threshold_unit"),
            ({"source_kafka_id": None}, "source_kafka_id"),
            ({"destination_connection_details": {"bootstrap_servers": "b:9092"}}, "destination_kafka_id"),
            ({"advanced_configuration": "x"}, "advanced_configuration"),
        )
        for fields, name in cases:
            with self.subTest(fields):
                answer = self.fake.api("POST", "/kafka-replicator/", body("a") | fields)
                self.assertEqual((answer.status, list(answer.json)), (400, [name]))
        self.assertIsNone(self.fake.get("a"))

    def test_bodies_that_are_no_json_object_are_refused(self):
        for raw in (b"", b"{", b"[]", b"null", b"<html>"):
            self.assertEqual(self.fake.api("POST", "/kafka-replicator/", raw).status, 400)

    def test_patch_makes_a_generation_only_of_a_change(self):
        self.fake.create("a", lag_alert_threshold=5)
        same = self.fake.patch("a", {"lag_alert_threshold": 5, "topic_blacklist": None})
        self.assertEqual((same.status, same.json["generation"]), (200, 1))
        changed = self.fake.patch("a", {"lag_alert_threshold": None}).json
        self.assertEqual((changed["generation"], changed["lag_alert_threshold"]), (2, None))

    def test_patch_replaces_maps_whole(self):
        self.fake.create("a", advanced_configuration={"tasks.max": 2, "x": 1})
        changed = self.fake.patch("a", {"advanced_configuration": {"tasks.max": 3}}).json
        self.assertEqual(changed["advanced_configuration"], {"tasks.max": 3})

    def test_patch_refuses_what_cannot_change(self):
        self.fake.create("a")
        for fields in ({"provider": "ClusterLink"}, {"source_kafka_id": "b"}, {"replication_mode": "active-active"}):
            answer = self.fake.patch("a", fields)
            self.assertEqual((answer.status, list(answer.json)), (400, list(fields)))
        self.assertEqual(self.fake.patch("a", {"provider": "MirrorMaker2"}).status, 200)
        self.assertEqual(self.fake.get("a")["generation"], 1)

    def test_patch_with_if_match_loses_to_a_newer_generation(self):
        self.fake.create("a")
        self.assertEqual(self.fake.patch("a", {"topic_whitelist": "b"}, {"If-Match": '"1"'}).status, 200)
        self.assertEqual(self.fake.patch("a", {"topic_whitelist": "c"}, {"If-Match": '"1"'}).status, 412)
        self.assertEqual(self.fake.get("a")["topic_whitelist"], "b")
        self.assertEqual(self.fake.patch("a", {"topic_whitelist": "c"}, {"If-Match": "*"}).status, 200)
        self.assertEqual(self.fake.delete("a", {"If-Match": '"2"'}).status, 412)
        self.assertEqual(self.fake.delete("a", {"If-Match": '"3"'}).status, 204)

    def test_what_is_not_there_is_404(self):
        for method, path in (
            ("GET", "/kafka-replicator/a/"),
            ("PATCH", "/kafka-replicator/a/"),
            ("DELETE", "/kafka-replicator/a/"),
            ("POST", "/kafka-replicator/a/reconcile/"),
            ("GET", "/kafka-replicator"),
            ("GET", "/nothing/"),
            ("GET", "/fleet/other/"),
        ):
            self.assertEqual(self.fake.api(method, path, {}).status, 404, path)
        self.assertEqual(self.fake.api("PUT", "/kafka-replicator/", {}).status, 405)

    def test_tokens_are_asked_for_first(self):
        self.fake.create("a")
        for token in (None, "wrong"):
            answer = self.fake.api("GET", "/kafka-replicator/nothing/", token=token)
            self.assertEqual((answer.status, answer.headers["WWW-Authenticate"]), (401, "Bearer"))
        self.assertEqual(self.fake.api("GET", "/kafka-replicator/a/", token="read-token").status, 200)
        self.assertEqual(self.fake.api("DELETE", "/kafka-replicator/a/", token="read-token").status, 403)
        self.assertEqual([r["authorized"] for r in self.fake.requests()], ["write", "no", "no", "read", "read"])
        other = self.fake.request("GET", "/organizations/x/fleet/", headers={"Authorization": "Bearer test-token"})
        self.assertEqual(other.status, 404)


class ProvisioningTest(FakeTest):
    options = ("--delay", "0.3")

    def test_reconcile_goes_by_provisioning_to_healthy(self):
        self.fake.create("a")
        answer = self.fake.reconcile("a", 1, KEY)
        self.assertEqual(answer.status, 202)
        self.assertEqual((answer.json["generation"], answer.json["state"], answer.json["error"]), (1, "Running", None))
        self.assertEqual(self.fake.get("a")["status"], "Provisioning")
        self.assertEqual(self.healthy()["observed_generation"], 1)
        self.assertEqual(self.healthy()["fleet"], "dev")

    def test_a_change_is_a_draft_until_it_is_reconciled(self):
        self.provisioned()
        self.fake.patch("a", {"topic_whitelist": "b"})
        saved = self.fake.get("a")
        self.assertEqual((saved["generation"], saved["observed_generation"], saved["status"]), (2, 1, "Healthy"))
        self.fake.reconcile("a", 2)
        self.assertEqual(self.fake.get("a")["status"], "Updating")
        self.assertEqual(self.healthy()["observed_generation"], 2)

    def test_a_key_returns_its_operation_for_ever(self):
        self.fake.create("a")
        first = self.fake.reconcile("a", 1, KEY).json
        self.assertEqual(self.fake.reconcile("a", 1, KEY).json["id"], first["id"])
        self.healthy()
        self.fake.patch("a", {"topic_whitelist": "b"})
        again = self.fake.reconcile("a", 1, KEY)
        self.assertEqual((again.status, again.json["id"], again.json["state"]), (202, first["id"], "Succeeded"))
        self.assertEqual(self.fake.started("a"), {1: 1})

    def test_a_key_with_another_body_is_422(self):
        self.fake.create("a")
        self.fake.reconcile("a", 1, KEY)
        self.assertEqual(self.fake.reconcile("a", 2, KEY).status, 422)

    def test_a_generation_out_of_date_is_409_and_not_remembered(self):
        self.fake.create("a")
        for generation in (0, 2):
            self.assertEqual(self.fake.reconcile("a", generation, KEY).status, 409)
        self.assertEqual(self.fake.started("a"), {})
        self.assertEqual(self.fake.reconcile("a", 1, KEY).status, 202)

    def test_a_generation_that_is_no_integer_is_400(self):
        self.fake.create("a")
        for generation in (None, "1", 1.5, True):
            self.assertEqual(self.fake.reconcile("a", generation).status, 400)

    def test_keys_belong_to_the_uid(self):
        self.fake.create("a")
        first = self.fake.reconcile("a", 1, KEY).json
        self.fake.edit("a", remove=True)
        self.fake.create("a")
        self.assertNotEqual(self.fake.reconcile("a", 1, KEY).json["id"], first["id"])
        self.assertEqual([row["started"] for row in self.fake.operations()], [1, 1])
        self.assertEqual(self.fake.started("a"), {1: 2})

    def test_a_newer_reconcile_supersedes_the_older(self):
        self.fake.create("a")
        self.fake.reconcile("a", 1, KEY)
        self.assertEqual(self.fake.patch("a", {"topic_whitelist": "b"}).status, 200)
        self.fake.reconcile("a", 2)
        self.assertEqual(self.fake.reconcile("a", 1, KEY).json["state"], "Superseded")
        self.assertEqual(self.healthy()["observed_generation"], 2)

    def test_another_key_starts_another_operation(self):
        self.fake.create("a")
        self.fake.reconcile("a", 1, KEY)
        self.fake.reconcile("a", 1, KEY + "-other")
        self.assertEqual(self.fake.started("a"), {1: 2})

    def test_a_failed_operation_ends_in_error(self):
        self.fake.rule("fail_operation", path="/reconcile/$", error="no room")
        self.fake.create("a")
        self.fake.reconcile("a", 1, KEY)
        ill = self.status("a", "Error")
        self.assertEqual((ill["status_message"], ill["observed_generation"]), ("no room", 1))
        operation = self.fake.reconcile("a", 1, KEY).json
        self.assertEqual((operation["state"], operation["error"]), ("Failed", "no room"))
        self.fake.reconcile("a", 1, KEY + "-retry")
        self.healthy()

    def test_a_draft_is_deleted_at_once(self):
        self.fake.create("a")
        self.fake.patch("a", {"topic_whitelist": "b"})
        self.assertEqual(self.fake.delete("a").status, 204)
        self.assertIsNone(self.fake.get("a"))

    def test_what_was_provisioned_is_deleting_until_it_is_gone(self):
        self.provisioned()
        answer = self.fake.delete("a")
        self.assertEqual((answer.status, answer.json["status"]), (202, "Deleting"))
        self.assertEqual(self.fake.get("a")["status"], "Deleting")
        self.assertEqual(self.fake.patch("a", {"topic_whitelist": "b"}).status, 409)
        self.assertEqual(self.fake.reconcile("a", 1).status, 409)
        self.assertEqual(self.fake.create("a").status, 409)
        wait_for(lambda: self.fake.get("a") is None)
        self.assertEqual(self.fake.create("a").status, 201)

    def test_the_fleet_tells_about_its_replicators(self):
        self.provisioned()
        self.fake.create("draft")
        self.fake.edit("a", status="Error", status_message="lost")
        self.assertEqual(self.fake.api("GET", "/fleet/").json["results"][0]["workloads"], 2)
        self.assertEqual(self.fake.api("GET", "/fleet/dev/").json["status"], "Healthy")
        overview = self.fake.api("GET", "/fleet/dev/metrics/overview/").json
        self.assertEqual(overview, {"fleet": "dev", "replicators": 2, "healthy": 0})
        self.assertEqual(self.fake.api("GET", "/fleet/dev/alerts/").json["results"][0]["replicator"], "a")
        self.assertEqual(self.fake.api("GET", "/fleet/dev/logs/?since=60").json["results"][0]["replicator"], "a")
        self.assertEqual(self.fake.api("GET", "/fleet/dev/logs/?since=x").status, 400)
        name = self.fake.api("GET", "/fleet/dev/metrics/").json["results"][0]["name"]
        self.assertEqual(self.fake.api("GET", f"/fleet/dev/metrics/{name}/").json["values"][0]["value"], 0)


class ListTest(FakeTest):
    options = ("--page-size", "3", "--max-page-size", "5")

    def setUp(self):
        super().setUp()
        for i in range(7):
            self.fake.create(f"r{i}")

    def follow(self, path):
        """Everything, and the number of pages it took."""
        found, pages = [], 0
        while path:
            page = self.fake.request("GET", path, headers={"Authorization": "Bearer test-token"}).json
            found += [r["identifier"] for r in page["results"]]
            self.assertEqual(page["count"], 7)
            path = page["next"] and page["next"].removeprefix(self.fake.url)
            pages += 1
        return found, pages

    def test_pages_hold_everything_once(self):
        everything = [f"r{i}" for i in range(7)]
        start = "/organizations/acme/kafka-replicator/"
        self.assertEqual(self.follow(start), (everything, 3))
        self.assertEqual(self.follow(start + "?page_size=4"), (everything, 2))
        self.assertEqual(self.follow(start + "?page_size=100"), (everything, 2))

    def test_previous_leads_back(self):
        page = self.fake.api("GET", "/kafka-replicator/?page=2&page_size=3").json
        self.assertIn("page=1&page_size=3", page["previous"])
        self.assertIsNone(self.fake.api("GET", "/kafka-replicator/").json["previous"])

    def test_pages_that_are_not_there_are_404(self):
        for page in ("4", "0", "x", "-1"):
            self.assertEqual(self.fake.api("GET", f"/kafka-replicator/?page={page}").status, 404)


class OptionsTest(unittest.TestCase):
    def test_optional_fields_can_be_left_out(self):
        with Fake("--without", "uid,created_at,observed_generation,operation.state") as fake:
            made = fake.create("a").json
            self.assertFalse({"uid", "created_at", "observed_generation"} & made.keys())
            self.assertLessEqual({"status", "fleet"}, fake.api("GET", "/kafka-replicator/").json["results"][0].keys())
            self.assertEqual(fake.reconcile("a", 1).json.keys(), {"id", "generation", "error", "created_at"})

    def test_all_that_is_optional_can_be_left_out(self):
        with Fake("--minimal") as fake:
            self.assertFalse({"uid", "created_at", "observed_generation"} & fake.create("a").json.keys())
            self.assertEqual(fake.reconcile("a", 1).json.keys(), {"id", "generation"})
            self.assertEqual(fake.patch("a", {"topic_whitelist": "b"}, {"If-Match": '"7"'}).status, 200)

    def test_fields_can_be_forgotten(self):
        with Fake("--forget", "topic_blacklist") as fake:
            self.assertIsNone(fake.create("a", topic_blacklist="x").json["topic_blacklist"])
            self.assertEqual(fake.patch("a", {"topic_blacklist": "y"}).json["generation"], 1)

    def test_lists_can_be_bare_and_if_match_ignored(self):
        with Fake("--bare-lists", "--no-if-match") as fake:
            fake.create("a")
            self.assertEqual([r["identifier"] for r in fake.api("GET", "/kafka-replicator/").json], ["a"])
            self.assertEqual(fake.patch("a", {"topic_whitelist": "b"}, {"If-Match": '"7"'}).status, 200)

    def test_state_outlives_a_kill(self):
        with tempfile.TemporaryDirectory() as folder:
            with Fake("--state", str(pathlib.Path(folder, "state.json")), "--delay", "0.2") as fake:
                fake.create("a")
                first = fake.reconcile("a", 1, KEY).json
                url = fake.url
                fake.kill()
                fake.start()
                self.assertEqual(fake.url, url)
                self.assertEqual(fake.reconcile("a", 1, KEY).json["id"], first["id"])
                wait_for(lambda: fake.get("a")["status"] == "Healthy")
                self.assertEqual(fake.started("a"), {1: 1})


class BehindTheBackTest(FakeTest):
    def test_an_edit_can_be_a_draft_provisioned_or_without_a_generation(self):
        self.provisioned()
        silent = self.fake.edit("a", fields={"topic_whitelist": "x"}, new_generation=False)
        self.assertEqual((silent["topic_whitelist"], silent["generation"]), ("x", 1))
        draft = self.fake.edit("a", fields={"topic_whitelist": "y"})
        self.assertEqual((draft["generation"], draft["observed_generation"]), (2, 1))
        done = self.fake.edit("a", fields={"topic_whitelist": "z"}, provision=True)
        self.assertEqual((done["generation"], done["observed_generation"], done["status"]), (3, 3, "Healthy"))
        self.assertEqual(self.fake.get("a"), done)

    def test_an_edit_can_start_an_operation_that_takes_its_time(self):
        self.provisioned()
        self.fake.patch("a", {"topic_whitelist": "x"})
        mine = self.fake.reconcile("a", 2, KEY).json
        started = self.fake.edit("a", fields={"topic_whitelist": "y"}, start=True)
        self.assertEqual((started["generation"], started["status"]), (3, "Updating"))
        self.assertEqual(self.fake.reconcile("a", 2, KEY).json, mine | {"state": "Superseded"})
        self.assertEqual(self.healthy()["observed_generation"], 3)

    def test_somebody_can_meddle_before_and_after_a_request(self):
        self.provisioned()
        before = [{"identifier": "a", "fields": {"topic_blacklist": "x"}}, {"identifier": "a", "provision": True}]
        self.fake.rule("meddle", "PATCH", edits=before)
        self.assertEqual(self.fake.patch("a", {"topic_whitelist": "x"}, {"If-Match": '"1"'}).status, 412)
        self.fake.rule("meddle", "PATCH", edits=[{"identifier": "a", "remove": True}], after=True)
        answer = self.fake.patch("a", {"topic_whitelist": "x"})
        self.assertEqual((answer.status, answer.json["generation"]), (200, 3))
        self.assertIsNone(self.fake.get("a"))

    def test_an_edit_can_create_hide_and_remove(self):
        self.fake.edit("a", create=True, fields=body("a"), provision=True)
        self.assertEqual(self.fake.get("a")["status"], "Healthy")
        self.fake.edit("a", hidden=True)
        self.assertIsNone(self.fake.get("a"))
        self.assertEqual(self.fake.api("GET", "/kafka-replicator/").json["count"], 0)
        self.fake.edit("a", hidden=False)
        self.assertEqual(self.fake.get("a")["generation"], 1)
        self.fake.edit("a", remove=True)
        self.assertIsNone(self.fake.get("a"))

    def test_what_does_not_exist_is_refused(self):
        for call in (
            lambda: self.fake.edit("a"),
            lambda: self.fake.edit("a", create=True, colour="red"),
            lambda: self.fake.rule("explode"),
            lambda: self.fake.rule("delay", seconds=3),
            lambda: self.fake.rule("redirect"),
            lambda: self.fake.reset("everything"),
            lambda: self.fake.control("GET", "nothing"),
        ):
            with self.assertRaises(AssertionError):
                call()


class RulesTest(FakeTest):
    def test_a_rule_acts_from_the_nth_match_for_some_times(self):
        self.fake.rule("status", method="GET", path="/a/$", nth=2, times=2, status=503, headers={"Retry-After": "1"})
        self.fake.create("a")
        answers = [self.fake.api("GET", "/kafka-replicator/a/") for _ in range(5)]
        self.assertEqual([a.status for a in answers], [200, 503, 503, 200, 200])
        self.assertEqual(answers[1].headers["Retry-After"], "1")
        self.assertEqual(self.fake.api("GET", "/fleet/").status, 200)

    def test_a_rule_without_end_acts_until_it_is_reset(self):
        self.fake.rule("status", times=None, status=500, body="oops")
        self.assertEqual([self.fake.api("GET", "/fleet/").raw for _ in range(3)], [b"oops"] * 3)
        self.fake.reset("rules")
        self.assertEqual(self.fake.api("GET", "/fleet/").status, 200)

    def test_a_status_comes_instead_of_the_effect_or_after_it(self):
        self.fake.rule("status", method="POST", status=500)
        self.fake.rule("status", method="POST", status=500, effect=True)
        self.assertEqual(self.fake.create("a").status, 500)
        self.assertIsNone(self.fake.get("a"))
        self.assertEqual(self.fake.create("a").status, 500)
        self.assertEqual(self.fake.get("a")["generation"], 1)
        self.assertEqual([r["effect"] for r in self.fake.requests(method="POST")], [False, True])

    def test_a_drop_comes_before_the_effect_or_after_it(self):
        for do, reset, effect in (
            ("drop_before_effect", False, False),
            ("drop_before_effect", True, False),
            ("drop_after_effect", False, True),
            ("drop_after_effect", True, True),
        ):
            with self.subTest(do, reset=reset):
                self.fake.reset()
                self.fake.rule(do, method="POST", reset=reset)
                with self.assertRaises((http.client.RemoteDisconnected, ConnectionResetError)):
                    self.fake.create("a")
                self.assertEqual(self.fake.get("a") is not None, effect)
                [entry] = self.fake.requests(method="POST")
                self.assertEqual((entry["state"], entry["status"], entry["effect"]), ("dropped", None, effect))

    def test_a_truncated_answer_ends_early(self):
        self.fake.rule("truncate", method="POST")
        with self.assertRaises(http.client.IncompleteRead) as caught:
            self.fake.create("a")
        self.assertGreater(len(caught.exception.partial), 100)
        self.assertIsNotNone(self.fake.get("a"))

    def test_answers_that_are_not_the_apis(self):
        self.fake.rule("html")
        self.fake.rule("huge")
        self.fake.rule("redirect", url="http://127.0.0.2:1/elsewhere")
        html = self.fake.api("GET", "/fleet/")
        self.assertEqual((html.status, html.headers.get_content_type()), (200, "text/html"))
        self.assertEqual(len(self.fake.api("GET", "/fleet/").raw), 10_000_000)
        redirect = self.fake.api("GET", "/fleet/")
        self.assertEqual((redirect.status, redirect.headers["Location"]), (302, "http://127.0.0.2:1/elsewhere"))

    def test_only_answers_that_are_wrong_on_purpose_say_so(self):
        self.fake.rule("status", method="POST", status=500)
        self.fake.rule("delay", method="POST", ms=1)
        marks = [self.fake.create(name).headers["X-Fake-Fault"] for name in ("a", "b", "b")]
        self.assertEqual(marks, ["status", None, None])
        with Fake("--without", "uid,created_at") as fake:
            self.assertEqual(fake.create("a").headers["X-Fake-Fault"], "created_at,uid")

    def test_a_delayed_request_takes_as_long(self):
        self.fake.rule("delay", ms=150)
        started = time.monotonic()
        self.assertEqual(self.fake.create("a").status, 201)
        self.assertGreaterEqual(time.monotonic() - started, 0.15)

    def test_a_hanging_request_gets_no_answer(self):
        self.fake.rule("hang", method="POST")
        with self.assertRaises(TimeoutError):
            self.fake.api("POST", "/kafka-replicator/", body("a"), timeout_s=0.2)
        wait_for(lambda: self.fake.requests(method="POST", state="dropped"))
        self.assertIsNone(self.fake.get("a"))

    def test_a_held_request_waits_until_it_is_released(self):
        for effect in (False, True):
            self.fake.reset()
            self.fake.rule("hold", method="POST", effect=effect)
            answers = []
            thread = threading.Thread(target=lambda: answers.append(self.fake.create("a").status))
            thread.start()
            wait_for(lambda: self.fake.requests(method="POST", state="held"))
            self.assertEqual(self.fake.get("a") is not None, effect)
            self.assertEqual(self.fake.release(), 1)
            thread.join()
            self.assertEqual(answers, [201])

    def test_a_slow_answer_comes_byte_by_byte(self):
        self.fake.rule("slow_drip", path="/fleet/", interval_ms=1)
        self.assertEqual(self.fake.api("GET", "/fleet/").json["count"], 1)
        self.fake.rule("slow_drip", path="/fleet/", interval_ms=100)
        with self.assertRaises(TimeoutError):
            self.fake.api("GET", "/fleet/", timeout_s=0.05)

    def test_the_log_has_what_was_asked(self):
        self.fake.create("a")
        self.fake.reconcile("a", 1, KEY)
        self.fake.reconcile("a", 1, KEY)
        self.fake.patch("a", {"topic_whitelist": "orders.*"}, {"If-Match": '"1"'})
        self.fake.api("GET", "/kafka-replicator/?page=1")
        shown = [(r["method"], r["path"], r["status"], r["effect"]) for r in self.fake.requests()]
        at = "/organizations/acme/kafka-replicator/"
        self.assertEqual(
            shown,
            [
                ("POST", at, 201, True),
                ("POST", at + "a/reconcile/", 202, True),
                ("POST", at + "a/reconcile/", 202, False),
                ("PATCH", at + "a/", 200, False),
                ("GET", at, 200, False),
            ],
        )
        last = self.fake.requests(after=2)
        self.assertEqual(last[0]["headers"]["idempotency-key"], KEY)
        self.assertEqual(last[0]["body"], {"generation": 1})
        self.assertEqual(last[1]["headers"]["if-match"], '"1"')
        self.assertEqual(last[2]["query"], {"page": "1"})
        self.assertNotIn("test-token", repr(self.fake.requests()))


if __name__ == "__main__":
    unittest.main()
