#!/usr/bin/env python3
"""What people are shown: `weir status` and `weir explain`, with a daemon and without."""

import json
import shutil
import unittest

from weirtest import DEADLINE_S, Site, document, main, wait_for

TWO = {"orders.yaml": document("orders-dr"), "payments.yaml": document("payments-dr")}
TIME = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"


def failing(s):
    """A daemon with two replicators that are well and one that is not; the commit."""
    s.start()
    sha = s.push(TWO | {"bad.yaml": document("bad-dr")})
    s.wait_status(sha, "failure", "^bad-dr")
    wait_for(lambda: "not posted" not in s.cli("status"), DEADLINE_S)
    return sha


def shown(s, *words):
    return json.loads(s.cli(*words, "-o", "json"))


class StatusTest(unittest.TestCase):
    def test_what_is_out_of_sync_is_shown_with_since_when_why_and_what_to_do(self):
        with Site("replicatord", {"fail": ["bad-*"]}) as s:
            sha = failing(s)
            s.wait_pass()
            text = s.cli("status")
            self.assertRegex(text, rf"^acme at {sha[:12]}, last pass {TIME}\n")
            self.assertRegex(text, rf"(?m)^{sha[:12]}  failure  weir/acme/sync +bad-dr: ended in Error")
            self.assertRegex(text, r"(?m)^bad-dr +failed +{TIME} +backoff$".replace("{TIME}", TIME))
            self.assertRegex(text, "(?m)^ +why +ended in Error at generation 1")
            self.assertRegex(text, "(?m)^ +do +change it in Git$")
            self.assertRegex(text, f"(?m)^ +again +{TIME}$")
            self.assertRegex(text, r"(?m)^2 healthy and as Git says \(--all lists them\)$")
            self.assertNotRegex(text, "(?m)^orders-dr")
            self.assertRegex(s.cli("status", "--all"), "(?m)^orders-dr +healthy$")
            self.assertNotIn("\x1b", text)

    def test_it_stays_since_when_over_passes_and_restarts(self):
        with Site("replicatord", {"fail": ["bad-*"]}) as s:
            failing(s)
            s.wait_pass()
            since = shown(s, "status")["replicators"]["bad-dr"]["since"]
            self.assertRegex(since, f"^{TIME}$")
            s.wait_pass(2)
            s.stop()
            self.assertEqual(shown(s, "status")["replicators"]["bad-dr"]["since"], since)
            s.start()
            s.wait_pass()
            self.assertEqual(shown(s, "status")["replicators"]["bad-dr"]["since"], since)

    def test_lines_are_wrapped_for_a_terminal_only(self):
        with Site("replicatord", {"fail": ["bad-*"]}, environment={"COLUMNS": "80"}) as s:
            failing(s)
            for words in (("status",), ("status", "--all"), ("explain", "bad-dr")):
                text = s.cli(*words)
                self.assertLessEqual(max(map(len, text.splitlines())), 80)
                self.assertNotRegex(text, "(?m) $")
            del s.environment["COLUMNS"]
            self.assertGreater(max(map(len, s.cli("status").splitlines())), 80)

    def test_what_is_in_trouble_is_shown_first(self):
        with Site() as s:
            s.start()
            s.wait_status(s.push(TWO), "success")
            self.assertEqual(shown(s, "status")["troubles"], [])
            s.api.rule("status", "GET", times=None, status=503, body={"detail": "maintenance"})
            s.repository.bare.rename(s.folder / "away")
            wait_for(lambda: len(shown(s, "status")["troubles"]) == 2, DEADLINE_S)
            text = s.cli("status")
            self.assertRegex(text, rf"(?m)^trouble  the repository cannot be read since {TIME}: .*; (tried again at {TIME}|it is being tried)$")
            self.assertRegex(text, rf"(?m)^trouble  the API cannot be used since {TIME}: .*maintenance")
            (s.folder / "away").rename(s.repository.bare)
            s.api.reset("rules")
            s.wake()
            wait_for(lambda: not shown(s, "status")["troubles"], DEADLINE_S)

    def test_without_a_daemon_it_says_so(self):
        with Site() as s:
            self.assertRegex(s.cli("status", status=1), "no store in .*/state yet: weir has not run")
            s.start()
            sha = s.push(TWO)
            s.wait_status(sha, "success")
            self.assertEqual(shown(s, "status")["daemon"], True)
            s.stop()
            text = s.cli("status")
            self.assertIn("and no daemon runs: this is how things stood last", text)
            self.assertRegex(text, "(?m)^2 healthy and as Git says")
            status = shown(s, "status")
            self.assertEqual((status["daemon"], status["head"], status["last_pass"]), (False, sha, None))
            self.assertEqual(status["replicators"]["orders-dr"]["standing"], "healthy")

    def test_the_command_line_is_checked(self):
        with Site() as s:
            self.assertIn("must be text or json", s.cli("status", "-o", "yaml", status=64))
            self.assertIn("must be text or json", s.cli("explain", "a", "-o", "yaml", status=64))
            for limit in ("many", "-1", "1001", ""):
                self.assertIn("must be a number", s.cli("explain", "a", "--limit", limit, status=64))
            s.cli("explain", status=64)


class OrdersTest(unittest.TestCase):
    """What people order while no daemon runs is shown by those who ask before one does."""

    def row(self, s, name):
        row = shown(s, "status")["replicators"].get(name)
        if row:
            told = shown(s, "explain", name)
            self.assertEqual([told[key] for key in ("standing", "why", "release")],
                             [row[key] for key in ("standing", "why", "release")])
        return row

    def test_suspensions_are(self):
        with Site() as s:
            s.start()
            s.wait_status(s.push(TWO), "success", "^2 in sync")
            s.cli("suspend", "payments-dr", "--reason", "audit")
            wait_for(lambda: shown(s, "status")["replicators"]["payments-dr"]["standing"] == "suspended", DEADLINE_S)
            row = self.row(s, "payments-dr")
            self.assertEqual((row["release"], row["hold"]), ("`weir resume payments-dr`", "suspend"))
            self.assertRegex(row["why"], "^suspended by .*: audit$")
            s.stop()
            s.cli("suspend", "orders-dr", "--reason", "upgrade", "--until", "2100-01-01T00:00:00Z")
            row = self.row(s, "orders-dr")
            self.assertEqual((row["standing"], row["until"]), ("suspended", "2100-01-01T00:00:00Z"))
            self.assertRegex(row["why"], "^suspended by .*: upgrade$")
            self.assertEqual(row["release"], "`weir resume orders-dr`")
            s.cli("resume", "orders-dr")
            self.assertEqual(self.row(s, "orders-dr")["standing"], "healthy")
            s.cli("resume", "payments-dr")
            row = self.row(s, "payments-dr")
            self.assertEqual(row["standing"], "applying")
            self.assertRegex(row["why"], "^suspended no more")

    def test_what_git_suspends_stays_so_while_nobody_runs(self):
        with Site() as s:
            s.start()
            s.wait_status(s.push({"orders.yaml": document("orders-dr") + "sync: {suspend: {reason: audit}}\n"}), "success")
            wait_for(lambda: shown(s, "status")["replicators"]["orders-dr"]["standing"] == "suspended", DEADLINE_S)
            s.stop()
            row = self.row(s, "orders-dr")
            self.assertEqual((row["standing"], row["release"]), ("suspended", "take sync.suspend out of its YAML"))

    def test_what_is_forgotten_is_not_shown(self):
        with Site() as s:
            s.start()
            s.wait_status(s.push(TWO), "success", "^2 in sync")
            s.wait_status(s.push({"payments.yaml": None}), "success", "1 not in Git")
            s.stop()
            self.assertEqual(self.row(s, "payments-dr")["standing"], "not in Git")
            s.cli("forget", "payments-dr")
            self.assertIsNone(self.row(s, "payments-dr"))

    def test_approvals_are(self):
        with Site() as s:
            s.start()
            s.wait_status(s.push(TWO), "success", "^2 in sync")
            s.stop()
            shutil.rmtree(s.state)
            sha = s.push({"orders.yaml": document("orders-dr", lag_alert_threshold=9)})
            s.start()
            s.wait_status(sha, "failure", "weir approve orders-dr")
            s.stop()
            self.assertTrue(self.row(s, "orders-dr")["approvable"])
            s.cli("approve", "--yes", "orders-dr")
            row = self.row(s, "orders-dr")
            self.assertEqual((row["standing"], row["approvable"]), ("applying", False))
            self.assertRegex(row["why"], ": approved by .*, and done once weir runs$")

    def test_a_rewound_branch_is_held(self):
        with Site() as s:
            s.start()
            first = s.push(TWO)
            s.wait_status(first, "success", "^2 in sync")
            second = s.push({"orders.yaml": document("orders-dr", lag_alert_threshold=2)})
            s.wait_status(second, "success", "^2 in sync")
            s.repository.git("push", "--quiet", "--force", "origin", f"{first}:refs/heads/main")
            s.wake()
            s.wait_status(first, "failure", "was rewound")
            s.stop()
            text = s.cli("status")
            self.assertRegex(text, rf"(?m)^rewound  .*from {second[:12]} to {first[:12]}.*`weir approve --rewind`")
            row = self.row(s, "orders-dr")
            self.assertEqual(row["why"], f"the branch was rewound: as commit {second[:7]} said")
            self.assertRegex(row["release"], "`weir approve --rewind`$")
            self.assertFalse(shown(s, "status")["rewound"]["approved"])
            s.cli("approve", "--yes", "--rewind")
            self.assertIn("approved, and followed once weir runs", s.cli("status"))


class ExplainTest(unittest.TestCase):
    def test_it_tells_what_it_is_why_and_what_happened(self):
        with Site("replicatord", {"fail": ["bad-*"]}) as s:
            sha = failing(s)
            s.wait_pass()
            text = s.cli("explain", "bad-dr")
            self.assertRegex(text, rf"^bad-dr: failed \(backoff\) since {TIME}\n")
            self.assertRegex(text, "(?m)^why +ended in Error at generation 1")
            self.assertRegex(text, "(?m)^do +change it in Git")
            self.assertRegex(text, r"(?m)^document +replicators/bad.yaml:\d+$")
            self.assertRegex(text, rf"(?m)^generation +1, seen through 1; 1 failed 1 time, again at {TIME}$")
            self.assertRegex(text, rf"(?m)^{TIME}  created: generation 1$")
            self.assertRegex(text, rf"(?m)^{TIME}  reconciling: generation 1, operation \S+$")
            self.assertRegex(text, rf"(?m)^{TIME}  failed: ended in Error")
            told = shown(s, "explain", "bad-dr")
            self.assertEqual((told["standing"], told["hold"], told["failures"]), ("failed", "backoff", 1))
            self.assertEqual(told["document"]["file"], "replicators/bad.yaml")
            self.assertEqual([e["what"] for e in told["events"]], ["created", "reconciling", "failed"])
            self.assertEqual(told["events"][0]["commit"], sha)
            self.assertEqual([e["what"] for e in shown(s, "explain", "bad-dr", "--limit", "1")["events"]], ["failed"])
            s.stop()
            self.assertEqual(shown(s, "explain", "bad-dr"), told)

    def test_what_is_under_way_is_shown(self):
        with Site(server_options=("--delay", "3600")) as s:
            s.start()
            sha = s.push(TWO)
            s.wait_status(sha, "pending", "waiting for Healthy")
            wait_for(lambda: shown(s, "explain", "orders-dr")["intent"]["state"] == "waiting for its end", DEADLINE_S)
            self.assertRegex(
                s.cli("explain", "orders-dr"),
                f"(?m)^under way +create, waiting for its end, generation 1, for commit {sha[:12]}, since {TIME}$",
            )

    def test_a_name_that_is_not_known_gets_a_near_one(self):
        with Site() as s:
            s.start()
            s.wait_status(s.push(TWO), "success")
            self.assertIn("nothing is known of order-dr; did you mean orders-dr?", s.cli("explain", "order-dr", status=1))
            self.assertIn("`weir status --all` lists", s.cli("explain", "../../etc", status=1))
            for name in ("..", "."):
                self.assertIn(f'nothing is known of "{name}"', s.cli("explain", name, status=1))
            s.stop()
            self.assertIn("did you mean orders-dr?", s.cli("explain", "order-dr", status=1))


if __name__ == "__main__":
    main()
