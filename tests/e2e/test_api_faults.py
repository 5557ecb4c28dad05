#!/usr/bin/env python3
"""An API that is away, slow, or says what makes no sense: the commit says so, nothing is lost, and it recovers."""

import re
import tempfile
import time
import unittest

from weirtest import DEADLINE_S, PROXY, Fake, Site, document, main, wait_for

TWO = {"orders.yaml": document("orders-dr", lag_alert_threshold=1), "payments.yaml": document("payments-dr")}
LIST = r"/kafka-replicator/$"

# What a proxy between says of a server that it could not ask.
BEHIND_A_PROXY = r"|the API failed \(500\)|timed out" if PROXY else ""

# The rule, and what the status says; for every call to the API.
BROKEN = {
    "drops": ("drop_before_effect", {}, "closed the connection|connection broke"),
    "resets": ("drop_before_effect", {"reset": True}, "connection broke|closed the connection"),
    "hangs": ("hang", {}, "timed out"),
    "drips": ("slow_drip", {"interval_ms": 300}, "timed out"),
    "500": ("status", {"status": 500}, r"the API failed \(500 made to fail\)"),
    "502_html": ("html", {"status": 502}, r"the API failed \(502\)"),
    "503": ("status", {"status": 503}, r"the API failed \(503 made to fail\)"),
    "429": ("status", {"status": 429}, r"the API asks to slow down \(429"),
    "200_html": ("html", {}, r"200, \d+ bytes of text/html.*makes no sense"),
    "truncated": ("truncate", {"keep": 0.5}, "ended before it was complete"),
    "no_json": ("status", {"status": 200, "body": '{"results": [', "headers": {}}, "makes no sense"),
    "no_list": ("status", {"status": 200, "body": {"items": []}}, "neither an array nor a page"),
    "no_item": ("status", {"status": 200, "body": [{"generation": 1}]}, "item 1 of the list"),
    "empty": ("status", {"status": 200, "body": ""}, "makes no sense"),
    "204": ("status", {"status": 204, "body": ""}, "makes no sense"),
    "404": ("status", {"status": 404, "body": {"detail": "Not found."}}, "acme: check api.url and api.organization"),
    "huge": ("huge", {"size": 10_000_000}, "makes no sense|larger than|more than"),
    "huge_500": ("huge", {"size": 10_000_000, "status": 500}, "failed|larger than|more than"),
    "count_off": ("status", {"status": 200, "body": {"count": 9, "next": None, "results": []}}, "9 replicators"),
    "loops": (
        "status",
        {"status": 200, "body": {"count": 1, "next": "/organizations/acme/kafka-replicator/?page=2", "results": []}},
        "the list does not end",
    ),
}


class AwayTest(unittest.TestCase):
    """Every call fails from before the second push on; the first was a success."""

    def check(self, s, sha, words, begin, end):
        s.start()
        s.wait_status(sha, "success", "^2 in sync")
        s.api.reset("requests")
        begin()
        second = s.push({"orders.yaml": document("orders-dr", lag_alert_threshold=2), "payments.yaml": None})
        s.wait_seen(second, "pending", "^API unreachable since .*: ")
        s.wait_status(second, "error", f"^API unreachable since .*: .*({words}{BEHIND_A_PROXY})")
        self.assertEqual(s.get("/readyz")[0], 503)
        self.assertEqual(s.get("/healthz")[0], 200)
        end()
        s.wake()
        s.wait_status(second, "success", r"^1 in sync \(1 changed\), 1 not in Git \(prune is off.*: payments-dr$")
        self.assertEqual(s.get("/readyz")[0], 200)
        self.assertEqual(s.api.started("orders-dr"), {1: 1, 2: 1})
        self.assertEqual(s.api.get("payments-dr")["status"], "Healthy")
        self.assertEqual(s.api.requests(method="DELETE"), [])
        self.assertEqual(s.api.requests(method="POST", path="/kafka-replicator/", effect=True, status=201), [])


def broken_case(do, parameters, words):
    def test(self):
        with Site(api={"timeout": "1s"}, sync={"timeout": "3s"}) as s:
            self.check(
                s,
                s.push(TWO),
                words,
                lambda: s.api.rule(do, times=None, **parameters),
                lambda: s.api.reset("rules"),
            )
            self.assertLess(len([r for r in s.api.requests() if r["action"]]), 12, "a storm")

    return test


def down(self):
    with tempfile.TemporaryDirectory() as folder:
        with Site("fake", ["--delay", "0.1", "--state", f"{folder}/api"], sync={"timeout": "3s"}) as s:
            self.check(s, s.push(TWO), "cannot be reached", s.api.kill, s.api.start)


AwayTest.test_api_down = down
for name, row in BROKEN.items():
    setattr(AwayTest, f"test_api_{name}", broken_case(*row))


class FaultTest(unittest.TestCase):
    def test_one_odd_replicator_is_not_the_end_of_the_list(self):
        for odd in ("a\0b", "a\ud800b"):
            with self.subTest(odd), Site() as s:
                s.start()
                sha = s.push({"orders.yaml": document("orders-dr", topic_blacklist=["x"]), "p.yaml": document("p-dr")})
                s.wait_status(sha, "success", "^2 in sync")
                plain = {"provider": "MirrorMaker2", "replication_mode": "active-passive", "topic_whitelist": "x"}
                stranger = plain | {"topic_blacklist": odd, "advanced_configuration": {odd: odd}}
                s.api.edit("stranger", create=True, fields=stranger, provision=True)
                s.api.edit("orders-dr", fields={"topic_blacklist": odd}, provision=True)
                s.wait_live("orders-dr", topic_blacklist="x", status="Healthy")
                s.wait_status(sha, "success", "^no drift$", "drift")
                self.assertEqual(s.api.get("stranger")["topic_blacklist"], odd)
                self.assertEqual(s.get("/readyz")[0], 200)

    def test_down_at_the_start(self):
        with Site() as s:
            s.api.stop()
            sha = s.push(TWO)
            s.start()
            s.wait_status(sha, "pending", f"^API unreachable since .*(cannot be reached{BEHIND_A_PROXY})")
            s.api.start()
            s.wait_status(sha, "success", r"^2 in sync \(2 changed\)$")

    def test_a_slow_api_is_waited_for(self):
        with Site(api={"timeout": "5s"}) as s:
            s.api.rule("delay", times=6, ms=800)
            s.start()
            sha = s.push(TWO)
            s.wait_status(sha, "success", "^2 in sync")
            self.assertEqual(s.api.started("orders-dr"), {1: 1})

    def test_a_redirect_is_not_followed(self):
        for status in (301, 302, 307, 308):
            with self.subTest(status), Fake() as other, Site(sync={"timeout": "2s"}) as s:
                s.api.rule("redirect", times=None, url=f"{other.url}/organizations/acme/", status=status)
                s.start()
                sha = s.push(TWO)
                s.wait_status(sha, "error", f"answered with a redirect; set api.url .*{status}")
                self.assertEqual(other.requests(), [])
                s.api.reset("rules")
                s.wake()
                s.wait_status(sha, "success", "^2 in sync")
                self.assertEqual(other.requests(), [])

    def test_a_page_elsewhere_is_asked_for_here(self):
        with Fake() as other, Site() as s:
            url = f"{other.url}/organizations/acme/kafka-replicator/?page=2"
            s.api.rule("status", "GET", LIST, status=200, body={"count": 0, "next": url, "results": []})
            s.start()
            sha = s.push(TWO)
            s.wait_log("new commit")
            wait_for(lambda: s.api.requests(method="GET", query={"page": "2"}), DEADLINE_S)
            s.wake()
            s.wait_status(sha, "success", "^2 in sync")
            self.assertEqual(other.requests(), [])

    def test_a_refused_token_stops_the_calls_until_it_is_right(self):
        with Site() as s:
            token = s.folder / "token"
            token.write_text("a-wrong-token\n")
            s.canaries.add("a-wrong-token")
            s.configure(api={"token": f"file:{token}"})
            sha = s.push(TWO)
            s.start()
            text = s.wait_status(sha, "error", "refused the token; check api.token")
            self.assertNotIn("unreachable", text)
            before = len(s.api.requests())
            s.wait_log("new commit")
            newer = s.push({"other.yaml": document("other-dr")})
            s.wait_status(newer, "error", "refused the token")
            self.assertLessEqual(len(s.api.requests()), before + 2)
            token.write_text("test-token\n")
            s.wake()
            s.wait_status(newer, "success", "^3 in sync")

    def test_without_a_token_nobody_is_left_to_wait(self):
        with Site() as s:
            token = s.folder / "token"
            s.configure(api={"token": f"file:{token}"})
            s.start()
            sha = s.push(TWO)
            s.wait_status(sha, "error", f"api.token: cannot open {token}")
            self.assertEqual(s.api.requests(), [])

    def test_a_token_that_may_only_read_is_named_for_each_replicator(self):
        with Site(environment={"API_TOKEN": "read-token"}) as s:
            sha = s.push(TWO)
            s.start()
            s.wait_status(sha, "failure", r"^orders-dr: .*forbids this.* \+1 more$")
            self.assertEqual(s.api.state()["replicators"], {})

    def test_one_forbidden_object_holds_up_nothing_else(self):
        with Site() as s:
            s.api.rule("status", "POST", "/orders-dr/reconcile/$", status=403, body={"detail": "not this one"})
            s.start()
            sha = s.push(TWO)
            s.wait_status(sha, "failure", r"^orders-dr: .*forbids this.*403 not this one")
            s.wait_live("payments-dr", status="Healthy")
            s.wait_status(sha, "success", "^2 in sync")
            self.assertEqual(s.api.started("orders-dr"), {1: 1})

    def test_retry_after_is_honoured(self):
        with Site() as s:
            headers = {"Retry-After": "4"}
            s.api.rule("status", "POST", "/orders-dr/reconcile/$", status=429, headers=headers)
            s.start()
            sha = s.push(TWO)
            s.wait_status(sha, "success", "^2 in sync")
            first, second = (r["at_ms"] for r in s.api.requests(method="POST", path="/orders-dr/reconcile/"))
            self.assertGreaterEqual(second - first, 3900)

    def test_what_is_refused_is_not_sent_again_until_git_changes(self):
        for status, body, words in (
            (400, {"topic_whitelist": ["too many"]}, "topic_whitelist: too many"),
            (422, {"detail": "not today"}, "not today"),
            (405, {"detail": "Method not allowed."}, "Method not allowed"),
        ):
            with self.subTest(status), Site() as s:
                s.api.rule("status", "POST", LIST, times=None, status=status, body=body)
                s.start()
                sha = s.push({"orders.yaml": document("orders-dr")})
                s.wait_status(sha, "failure", f"^orders-dr: the API refused it .{status}.*{words}")
                s.wait_pass(3)
                self.assertEqual(len(s.api.requests(method="POST")), 1)
                s.api.reset("rules")
                s.wait_status(s.push({"orders.yaml": document("orders-dr", lag_alert_threshold=4)}), "success", "^1 in")

    def test_a_refused_change_leaves_the_live_one_as_it_is(self):
        with Site() as s:
            s.start()
            s.wait_status(s.push(TWO), "success", "^2 in sync")
            s.api.rule("status", "PATCH", times=None, status=400, body={"lag_alert_threshold": ["too high"]})
            sha = s.push({"orders.yaml": document("orders-dr", lag_alert_threshold=9)})
            s.wait_status(sha, "failure", "^orders-dr: .*lag_alert_threshold: too high")
            s.wait_pass(3)
            self.assertEqual(len(s.api.requests(method="PATCH")), 1)
            self.assertEqual(s.api.get("orders-dr")["lag_alert_threshold"], 1)
            s.wait_status(s.push({"orders.yaml": TWO["orders.yaml"]}), "success", "^2 in sync$")

    def test_a_conflict_is_looked_at_again(self):
        for method, path in (("POST", LIST), ("POST", "/orders-dr/reconcile/$"), ("PATCH", "/orders-dr/$")):
            with self.subTest(path), Site() as s:
                if method == "PATCH":
                    s.wait_status(self.start_with(s, TWO), "success", "^2 in sync")
                s.api.rule("status", method, path, status=409, body={"detail": "changed meanwhile"})
                sha = s.push(TWO | {"orders.yaml": document("orders-dr", lag_alert_threshold=7)})
                if not s.weir:
                    s.start()
                s.wait_status(sha, "success", "^2 in sync")
                self.assertEqual(s.api.get("orders-dr")["lag_alert_threshold"], 7)
                self.assertEqual(set(s.api.started("orders-dr").values()), {1})

    def start_with(self, s, files):
        s.start()
        return s.push(files)

    def test_a_change_that_comes_in_between_is_not_overwritten_unseen(self):
        with Site() as s:
            s.start()
            s.wait_status(s.push(TWO), "success", "^2 in sync")
            s.api.rule("hold", "PATCH", "/orders-dr/$")
            sha = s.push({"orders.yaml": document("orders-dr", lag_alert_threshold=7)})
            wait_for(lambda: s.api.requests(state="held"), DEADLINE_S)
            s.api.edit("orders-dr", fields={"topic_blacklist": "secret.*"}, provision=True)
            s.api.release()
            s.wait_status(sha, "success", "^2 in sync")
            self.assertEqual([r["status"] for r in s.api.requests(method="PATCH")], [412, 200])
            live = s.api.get("orders-dr")
            self.assertEqual((live["lag_alert_threshold"], live["topic_blacklist"]), (7, "secret.*"))

    def test_what_is_removed_behind_the_back_is_made_again(self):
        with Site() as s:
            s.start()
            sha = s.push(TWO | {"third.yaml": document("third-dr")})
            s.wait_status(sha, "success", "^3 in sync")
            s.api.edit("orders-dr", remove=True)
            s.wait_seen(sha, "failure", "healing 1: orders-dr: it was deleted behind Git's back", "drift")
            wait_for(lambda: (s.api.get("orders-dr") or {}).get("status") == "Healthy", DEADLINE_S)
            s.wait_status(sha, "success", "^no drift$", "drift")

    def test_an_api_that_hides_everything_is_not_believed(self):
        with Site() as s:
            s.start()
            names = [f"r{n}-dr" for n in range(5)]
            sha = s.push({f"{n}.yaml": document(n) for n in names})
            s.wait_status(sha, "success", "^5 in sync")
            for name in names:
                s.api.edit(name, hidden=True)
            s.wait_status(sha, "error", "missing at once", "drift")
            s.wait_pass(2)
            self.assertEqual(len(s.api.requests(method="POST", path="/kafka-replicator/", status=201)), 5)
            for name in names:
                s.api.edit(name, hidden=False)
            s.wait_status(sha, "success", "^no drift$", "drift")

    def test_a_list_without_one_is_not_believed_either(self):
        with Site() as s:
            s.start()
            sha = s.push(TWO)
            s.wait_status(sha, "success", "^2 in sync")
            s.wait_status(sha, "success", "^no drift$", "drift")
            s.api.reset("requests")
            s.api.rule("status", "GET", LIST, times=3, status=200, body=[])
            s.wait_pass(3)
            self.assertEqual(s.api.requests(method="POST"), [])
            self.assertEqual(s.status(sha, "drift"), ("success", "no drift"))

    def test_an_operation_that_fails_is_told_and_a_commit_mends_it(self):
        with Site() as s:
            s.api.rule("fail_operation", "POST", "/orders-dr/reconcile/$", error="broker \x1b[31mis\x1b[0m away")
            s.start()
            sha = s.push(TWO)
            text = s.wait_status(sha, "failure", "^orders-dr: ended in Error at generation 1: broker ")
            self.assertNotIn("\x1b", text)
            self.assertNotIn("\x1b", s.log())
            sha = s.push({"orders.yaml": document("orders-dr", lag_alert_threshold=3)})
            s.wait_status(sha, "success", "^2 in sync")
            self.assertEqual(s.api.started("orders-dr"), {1: 1, 2: 1})

    def test_a_stuck_operation_is_told_and_holds_up_nothing(self):
        with Site("fake", ["--delay", "6"], sync={"timeout": "2s"}) as s:
            s.start()
            sha = s.push(TWO)
            s.wait_status(sha, "error", r"^orders-dr: not Healthy since .* \+1 more$")
            s.wait_status(sha, "success", "^2 in sync")
            self.assertEqual(s.api.started("orders-dr"), {1: 1})


class RivalTest(unittest.TestCase):
    """Somebody else works with the API at the same time."""

    def test_one_hanging_call_holds_up_nothing_else(self):
        with Site(api={"timeout": "4s"}) as s:
            s.api.rule("hang", "POST", "/orders-dr/reconcile/$")
            s.start()
            sha = s.push(TWO)
            wait_for(lambda: s.api.requests(state="hanging"), DEADLINE_S)
            s.wait_live("payments-dr", status="Healthy")
            self.assertTrue(s.api.requests(state="hanging"))
            s.wait_status(sha, "success", "^2 in sync")
            self.assertEqual(s.api.started("orders-dr"), {1: 1})

    def test_a_newer_commit_waits_for_the_write_that_is_under_way(self):
        with Site() as s:
            s.api.rule("hold", "POST", LIST, effect=True)
            s.start()
            first = s.push({"orders.yaml": TWO["orders.yaml"]})
            wait_for(lambda: s.api.requests(state="held"), DEADLINE_S)
            second = s.push({"orders.yaml": document("orders-dr", lag_alert_threshold=8)})
            s.api.release()
            s.wait_status(second, "success", "^1 in sync")
            self.assertEqual(s.api.get("orders-dr")["lag_alert_threshold"], 8)
            self.assertEqual(set(s.api.started("orders-dr").values()), {1})
            self.assertNotEqual(s.status(first)[0], "pending")

    def test_what_somebody_deletes_is_made_again(self):
        with Site("fake", ["--delay", "4"]) as s:
            s.start()
            sha = s.push(TWO)
            s.wait_status(sha, "success", "^2 in sync")
            before = s.api.get("orders-dr")["uid"]
            self.assertEqual(s.api.delete("orders-dr").status, 202)
            s.wait_seen(sha, "failure", "orders-dr: the API is deleting it", "drift")
            s.wait_status(sha, "success", "^no drift$", "drift")
            self.assertNotEqual(s.api.get("orders-dr")["uid"], before)
            self.assertEqual(s.status(sha)[0], "success")

    def test_what_somebody_made_anew_is_adopted_or_held(self):
        for threshold, state in ((1, "success"), (2, "failure")):
            with self.subTest(state), Site(sync={"interval": "1h"}) as s:
                s.start()
                sha = s.push(TWO)
                s.wait_status(sha, "success", "^2 in sync")
                s.wait_status(sha, "success", "^no drift$", "drift")
                s.api.edit("orders-dr", remove=True)
                s.api.create("orders-dr", lag_alert_threshold=threshold)
                s.api.reconcile("orders-dr", 1)
                s.wait_live("orders-dr", status="Healthy")
                s.api.reset("requests")
                s.wait_pass()
                s.wait_status(sha, state, "no drift|exists already and is not as Git says", "drift")
                self.assertEqual(s.api.requests(effect=True), [])

    def test_the_time_that_one_may_take_can_be_its_own(self):
        with Site("fake", ["--delay", "5"]) as s:
            s.start()
            sha = s.push({"orders.yaml": document("orders-dr", {"timeout": "2s"})})
            s.wait_status(sha, "error", "^orders-dr: not Healthy since .*Provisioning")
            s.wait_status(sha, "success", "^1 in sync")


class OtherApiTest(unittest.TestCase):
    """Servers that differ in what is not certain about the API."""

    def check(self, options, n=3, **more):
        with Site("fake", ["--delay", "0.1", *options], **more) as s:
            s.start()
            files = {f"r{i}.yaml": document(f"r{i}-dr", lag_alert_threshold=1) for i in range(n)}
            s.wait_status(s.push(files), "success", rf"^{n} in sync \({n} changed\)$")
            sha = s.push({"r1.yaml": document("r1-dr", lag_alert_threshold=2)})
            s.wait_status(sha, "success", rf"^{n} in sync \(1 changed\)$")
            self.assertEqual(s.api.started("r1-dr"), {1: 1, 2: 1})
            self.assertEqual(s.api.started("r0-dr"), {1: 1})
            s.kill()
            s.start()
            s.wait_pass(2)
            s.wait_status(sha, "success", "^no drift$", "drift")
            self.assertEqual(s.metric("weir_api_calls_total", verb="patch"), 0)

    def test_small_pages(self):
        self.check(["--max-page-size", "2"], n=7)

    def test_bare_lists(self):
        self.check(["--bare-lists"])

    def test_no_if_match(self):
        self.check(["--no-if-match"])

    def test_no_uid(self):
        self.check(["--without", "uid"])

    def test_no_uid_and_no_created_at(self):
        self.check(["--without", "uid,created_at"])

    def test_no_observed_generation(self):
        self.check(["--without", "observed_generation"])

    def test_nothing_that_is_not_certain(self):
        of_replicators = "uid,created_at,observed_generation,status_message,endpoints,fleet"
        self.check(["--without", f"{of_replicators},operation.created_at,operation.error"])

    def test_no_state_of_operations(self):
        self.check(["--without", "observed_generation,operation.state", "--delay", "1.5"], n=2)

    def test_a_field_that_is_not_kept_is_told_once(self):
        with Site("fake", ["--delay", "0.1", "--forget", "lag_alert_threshold"]) as s:
            s.start()
            sha = s.push(TWO)
            s.wait_status(sha, "failure", "^orders-dr: .*lag_alert_threshold")
            s.wait_pass(3)
            self.assertEqual(s.api.requests(method="PATCH"), [])
            self.assertEqual(s.api.started("orders-dr"), {1: 1})


class TimeTest(unittest.TestCase):
    def test_a_hanging_call_does_not_hold_up_the_end(self):
        with Site(api={"timeout": "300s"}) as s:
            s.api.rule("hang", times=None)
            sha = s.push(TWO)
            s.start()
            wait_for(lambda: s.api.requests(state="hanging"), DEADLINE_S)
            started = time.monotonic()
            s.stop()
            self.assertLess(time.monotonic() - started, 60)
            self.assertFalse(re.search("Sanitizer", s.log()))
            s.api.reset("rules")
            s.start()
            s.wait_status(sha, "success", "^2 in sync")


if __name__ == "__main__":
    main()
