#!/usr/bin/env python3
"""`weir approve`: what is held goes on, as it was shown and not otherwise."""

import datetime
import json
import os
import pty
import pwd
import subprocess
import time
import unittest

from repository import clean_environment
from weirtest import BIN, DEADLINE_S, Site, document, main, wait_for

TWO = {"orders.yaml": document("orders-dr", lag_alert_threshold=1), "payments.yaml": document("payments-dr")}
FOUR = TWO | {"stock.yaml": document("stock-dr"), "kept.yaml": document("kept-dr")}
PRUNE = {"prune": {"enabled": True, "max": 1, "grace": "0s"}}
ME = pwd.getpwuid(os.getuid()).pw_name


def parse(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


def in_sync(s, files=TWO):
    s.start()
    sha = s.push(files)
    s.wait_status(sha, "success", "in sync")
    s.wait_pass()
    return sha


def told(s, name):
    return json.loads(s.cli("explain", name, "-o", "json"))


def wait_held(s, *names):
    def look():
        rows = json.loads(s.cli("status", "-o", "json"))["replicators"]
        return all(rows.get(name, {}).get("approvable") for name in names)

    wait_for(look, DEADLINE_S, f"{names} to be held")


def three_gone(s):
    """Three documents are gone; once one is deleted, that are still too many."""
    in_sync(s, FOUR)
    s.push({"orders.yaml": None, "payments.yaml": None, "stock.yaml": None})
    wait_held(s, "orders-dr", "payments-dr", "stock-dr")


def on_terminal(s, answer, *words, meanwhile=None):
    """Runs it where it can ask; status and what it showed. `meanwhile` is called before it is answered."""
    ours, theirs = pty.openpty()
    environment = clean_environment() | s.environment | {"NO_COLOR": "1"}
    command = [BIN / "weir", words[0], "-c", s.config_file, *words[1:]]
    process = subprocess.Popen(command, cwd=s.folder, env=environment, stdin=theirs, stdout=theirs, stderr=theirs)
    os.close(theirs)
    shown = b""
    while b"[y/N] " not in shown:
        shown += os.read(ours, 4096)
    if meanwhile:
        meanwhile()
    os.write(ours, answer.encode())
    status = process.wait(DEADLINE_S)
    try:
        while more := os.read(ours, 4096):
            shown += more
    except OSError:
        pass  # the other end is closed
    os.close(ours)
    return status, shown.decode().replace("\r\n", "\n")


def rewind(s, sha, files=None):
    """The branch is at `sha` again, or at a commit on top of it that is none on top of what was there."""
    s.repository.rewind(sha)
    if files:
        s.repository.push(files)
    s.wake()


class ApproveTest(unittest.TestCase):
    def test_what_is_held_is_shown_and_done_once_it_is_approved(self):
        with Site(sync=PRUNE) as s:
            three_gone(s)
            text = s.cli("approve")
            self.assertRegex(text, "(?m)^! orders-dr  delete$")
            self.assertRegex(text, r"(?m)^    held    3 would be deleted, and sync.prune.max is 1: orders-dr, payments-dr, stock-dr$")
            self.assertRegex(text, "(?m)^    loses   generation 1, Healthy, uid .*: it stops copying, and its offsets are gone$")
            self.assertRegex(text, "(?m)^    binds   this delete of this object with the values it has now")
            self.assertRegex(text, "(?m)^3 can be approved: ")
            self.assertIn("add --yes", s.cli("approve", "orders-dr", status=64))
            text = s.cli("approve", "orders-dr", "--yes", "--reason", "moved")
            self.assertRegex(text, "(?m)^orders-dr is approved$")
            wait_for(lambda: not s.api.get("orders-dr"), DEADLINE_S)
            self.assertTrue(s.api.get("payments-dr"))
            event = next(e for e in told(s, "orders-dr")["events"] if e["what"] == "approved")
            self.assertEqual((event["by"], event["detail"]), (ME, "delete: moved"))

    def test_on_a_terminal_it_asks(self):
        with Site(sync=PRUNE) as s:
            three_gone(s)
            status, text = on_terminal(s, "n\n", "approve", "orders-dr")
            self.assertEqual(status, 1)
            self.assertIn("nothing was approved", text)
            self.assertEqual(told(s, "orders-dr")["approvals"], [])
            status, text = on_terminal(s, "y\n", "approve", "--all")
            self.assertEqual(status, 0)
            self.assertIn("Approve these as shown?", text)
            wait_for(lambda: not s.api.get("orders-dr") and not s.api.get("payments-dr"), DEADLINE_S)
            self.assertTrue(s.api.get("kept-dr"))

    def test_what_changed_since_it_was_shown_is_not_approved(self):
        with Site() as s:
            s.api.create("orders-dr", lag_alert_threshold=5)
            s.start()
            s.push(TWO)
            wait_held(s, "orders-dr")
            before = told(s, "orders-dr")

            def change():
                s.api.edit("orders-dr", fields={"lag_alert_threshold": 6})
                s.wait_pass(2)

            status, text = on_terminal(s, "y\n", "approve", "orders-dr", meanwhile=change)
            self.assertIn("lag_alert_threshold: 5 -> 1", text)
            self.assertEqual((status, "orders-dr has changed since it was shown, and is not approved" in text), (1, True))
            self.assertEqual(told(s, "orders-dr")["approvals"], [])
            self.assertEqual(s.api.get("orders-dr")["lag_alert_threshold"], 6)
            self.assertEqual(before["hold"], "adopt")

    def test_what_of_others_it_starts_is_shown_and_bound(self):
        with Site(server="replicatord") as s:
            in_sync(s)
            s.api.patch("orders-dr", {"groups_blacklist": "theirs"})
            s.push({"orders.yaml": document("orders-dr", lag_alert_threshold=2)})
            wait_held(s, "orders-dr")
            shown = r"(?m)^    note    would also provision groups_blacklist: \(none\) -> \[theirs\]$"
            self.assertRegex(s.cli("approve"), shown)

            def change():
                s.api.patch("orders-dr", {"groups_blacklist": "theirs.*"})
                s.wait_pass(2)

            status, text = on_terminal(s, "y\n", "approve", "orders-dr", meanwhile=change)
            self.assertRegex(text, shown)
            self.assertEqual((status, "has changed since it was shown" in text), (1, True))
            self.assertEqual(s.api.get("orders-dr")["lag_alert_threshold"], 1)
            self.assertIn("[theirs.*]", s.cli("approve", "orders-dr", "--yes"))
            s.wait_live("orders-dr", lag_alert_threshold=2, groups_blacklist="theirs.*", status="Healthy")

    def test_a_draft_that_is_overwritten_shows_what_it_starts_besides(self):
        with Site(server="replicatord") as s:
            s.api.create("orders-dr", lag_alert_threshold=5, groups_blacklist="theirs")
            s.start()
            s.push(TWO)
            wait_held(s, "orders-dr")
            text = s.cli("approve", "orders-dr", "--yes")
            self.assertRegex(text, r"(?m)^    note    would also provision groups_blacklist: \[theirs\]$")
            s.wait_live("orders-dr", lag_alert_threshold=1, groups_blacklist="theirs", status="Healthy")

    def test_without_a_daemon_the_plan_is_made_for_it(self):
        with Site(sync=PRUNE) as s:
            three_gone(s)
            s.stop()
            self.assertIn("3 can be approved", s.cli("approve"))
            s.cli("approve", "orders-dr", "--yes")
            self.assertEqual(len(told(s, "orders-dr")["approvals"]), 1)
            self.assertIn("is approved already", s.cli("approve", "orders-dr", "--yes", status=1))
            s.start()
            wait_for(lambda: not s.api.get("orders-dr"), DEADLINE_S)
            self.assertTrue(s.api.get("payments-dr"))

    def test_an_approval_survives_a_crash(self):
        with Site(sync=PRUNE) as s:
            three_gone(s)
            s.api.rule("status", "DELETE", times=None, status=503, body={"detail": "later"})
            s.cli("approve", "orders-dr", "--yes")
            s.kill()
            s.api.reset("rules")
            s.start()
            wait_for(lambda: not s.api.get("orders-dr"), DEADLINE_S)

    def test_a_rewind_is_approved_as_such(self):
        with Site() as s:
            first = in_sync(s)
            s.wait_status(s.push({"orders.yaml": document("orders-dr", lag_alert_threshold=2)}), "success")
            s.repository.git("reset", "--hard", first)
            s.repository.git("push", "--force", "origin", "main")
            s.wake()
            s.wait_status(first, "failure", "was rewound")
            self.assertRegex(s.cli("status"), "(?m)^rewound  the branch was rewound from .*`weir approve --rewind` if it is meant$")
            self.assertIn("weir approve --rewind", s.cli("approve"))
            self.assertIn("the rewind is approved", s.cli("approve", "--rewind", "--yes"))
            s.wait_live("orders-dr", lag_alert_threshold=1)
            self.assertIn("the branch was not rewound", s.cli("approve", "--rewind", "--yes", status=1))

    def test_what_follows_a_rewind_is_shown_before_it_is_ordered(self):
        with Site(sync=PRUNE) as s:
            first = in_sync(s, {"orders.yaml": document("orders-dr", lag_alert_threshold=1)})
            second = s.push({"orders.yaml": document("orders-dr", lag_alert_threshold=2), "z.yaml": document("z-dr")})
            s.wait_status(second, "success", "^2 in sync")
            rewind(s, first)
            s.wait_status(first, "failure", "was rewound")
            following = f"rewound from {second[:12]} to {first[:12]}; what follows:" + r"""
    - z-dr  delete
    ~ orders-dr  update
    Plan: 1 to update, 1 to delete\.
"""
            self.assertRegex(s.cli("approve", "--rewind", status=64), following)
            s.wait_pass(2)
            self.assertEqual(s.api.get("orders-dr")["lag_alert_threshold"], 2)

            def go_on():
                rewind(s, first, {"orders.yaml": document("orders-dr", lag_alert_threshold=3)})
                s.wait_pass(2)

            status, text = on_terminal(s, "y\n", "approve", "--rewind", meanwhile=go_on)
            self.assertRegex(text, following)
            self.assertEqual((status, "the rewind has changed since it was shown" in text), (1, True))
            s.wait_pass(2)
            self.assertEqual(s.api.get("orders-dr")["lag_alert_threshold"], 2)
            s.stop()
            self.assertIn("the rewind is approved", s.cli("approve", "--rewind", "--yes"))
            s.start()
            s.wait_live("orders-dr", lag_alert_threshold=3)
            wait_for(lambda: not s.api.get("z-dr"), DEADLINE_S)

    def test_each_mistake_is_told(self):
        with Site() as s:
            in_sync(s)
            for running in (True, False):
                for words, said in (
                    (("order-dr",), "the plan has no order-dr; did you mean orders-dr?"),
                    (("something-else",), "`weir plan` shows what it has"),
                    (("orders-dr",), "orders-dr is not held"),
                    (("--all",), "nothing is held that can be approved"),
                    (("--rewind",), "the branch was not rewound"),
                ):
                    self.assertIn(said, s.cli("approve", *words, "--yes", status=1))
                self.assertIn("not both", s.cli("approve", "--all", "orders-dr", status=64))
                self.assertEqual(s.cli("approve"), "Nothing is held that can be approved.\n")
                if running:
                    s.stop()

    def test_what_no_approval_releases_says_what_does(self):
        with Site(sync={"mode": "report"}) as s:
            in_sync(s)
            s.api.edit("orders-dr", fields={"lag_alert_threshold": 7}, provision=True)
            wait_for(lambda: "drifted" in s.cli("status"), DEADLINE_S)
            text = s.cli("approve", "orders-dr", "--yes", status=1)
            self.assertRegex(text, r"orders-dr is held \(.*\), and no approval releases it; what does: .")

    def test_without_a_plan_it_says_why(self):
        with Site() as s:
            s.push({"a.yaml": "a: ["})
            s.configure(api={"url": s.api.url})
            s.api.stop()
            self.assertRegex(s.cli("approve", status=1), "weir approve: there is no plan: .*cannot be reached")
            s.api.start()


class HoldTest(unittest.TestCase):
    """That what people order holds, and is shown."""

    def test_what_is_suspended_is_not_changed_until_it_is_resumed(self):
        with Site() as s:
            in_sync(s)
            s.cli("suspend", "orders-dr", "--reason", "broker upgrade")
            sha = s.push({"orders.yaml": document("orders-dr", lag_alert_threshold=2)})
            s.wait_status(sha, "success", "1 suspended")
            self.assertEqual(s.cli("approve"), "Nothing is held that can be approved.\n")
            self.assertRegex(s.cli("status"), "(?m)^orders-dr +suspended +.* suspend$")
            self.assertEqual(s.api.get("orders-dr")["lag_alert_threshold"], 1)
            s.cli("resume", "orders-dr")
            s.wait_live("orders-dr", lag_alert_threshold=2)

    def test_it_ends_by_itself(self):
        with Site(sync={"interval": "1h"}) as s:
            in_sync(s)
            s.cli("suspend", "orders-dr", "--reason", "x", "--for", "3s")
            s.push({"orders.yaml": document("orders-dr", lag_alert_threshold=2)})
            s.wait_live("orders-dr", lag_alert_threshold=2)

    def test_what_git_says_wins_over_resume(self):
        with Site() as s:
            in_sync(s)
            s.push({"orders.yaml": document("orders-dr", sync={"suspend": {"reason": "by Git"}}, lag_alert_threshold=2)})
            wait_for(lambda: told(s, "orders-dr")["hold"] == "suspend", DEADLINE_S)
            text = s.cli("resume", "orders-dr", status=1)
            self.assertRegex(text, r"orders-dr is suspended in Git \(replicators/orders.yaml:\d+: by Git\); take sync.suspend out")
            s.cli("suspend", "orders-dr", "--reason", "too")
            self.assertIn("its document suspends it still", s.cli("resume", "orders-dr"))
            self.assertEqual(s.api.get("orders-dr")["lag_alert_threshold"], 1)

    def test_a_suspension_outlives_its_document_and_keeps_it_from_being_deleted(self):
        with Site(sync=PRUNE) as s:
            in_sync(s)
            s.push({"orders.yaml": document("orders-dr", sync={"suspend": {"reason": "by Git"}}, lag_alert_threshold=1)})
            s.wait_pass(2)
            s.push({"orders.yaml": None})
            wait_for(lambda: told(s, "orders-dr")["gone_since"], DEADLINE_S)
            s.wait_pass(2)
            self.assertTrue(s.api.get("orders-dr"))
            self.assertIn("suspended: by Git; deleted right after that, since it is not in Git", s.cli("explain", "orders-dr"))
            text = s.cli("resume", "orders-dr")
            self.assertIn("orders-dr is resumed; it is not in Git any more, and is deleted now unless", text)
            wait_for(lambda: not s.api.get("orders-dr"), DEADLINE_S)

    def test_its_grace_begins_once_it_is_resumed(self):
        with Site(sync={"prune": {"enabled": True, "max": 1, "grace": "8s"}}) as s:
            in_sync(s)
            s.cli("suspend", "orders-dr", "--reason", "audit")
            s.push({"orders.yaml": None})
            wait_for(lambda: told(s, "orders-dr")["gone_since"], DEADLINE_S)
            gone_since = told(s, "orders-dr")["gone_since"]
            wait_for(lambda: time.time() > parse(gone_since) + 9, DEADLINE_S)
            self.assertIn("is deleted after 8s", s.cli("resume", "orders-dr"))
            self.assertGreater(parse(told(s, "orders-dr")["gone_since"]), parse(gone_since) + 8)
            wait_for(lambda: not s.api.get("orders-dr"), DEADLINE_S)


if __name__ == "__main__":
    main()
