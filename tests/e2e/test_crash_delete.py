#!/usr/bin/env python3
"""weir is killed at every step of a delete and of a replacement: each is done, and once."""

import signal
import unittest

from weirtest import DEADLINE_S, Site, document, main, wait_for

PRUNE = {"prune": {"enabled": True, "max": 1, "grace": "0s"}}
KEEP = {"keep.yaml": document("keep-dr", topic_whitelist=["keep.*"])}
BEFORE = document("orders-dr", {"replace": True})
AFTER = document("orders-dr", {"replace": True}, replication_mode="active-active")

# What is pushed, how many are in sync then, and how often each point is passed on the way, or a little more.
KINDS = {
    "delete": ({"orders.yaml": None}, 1),
    "replace": ({"orders.yaml": AFTER}, 2),
}
POINTS = {
    "delete": {"before-flush": 7, "after-flush": 7, "before-delete": 1, "delete-answered": 1, "deleted": 1, "posted": 2},
    "replace": {
        "before-flush": 9,
        "after-flush": 9,
        "before-delete": 1,
        "delete-answered": 1,
        "deleted": 1,
        "before-write": 1,
        "write-answered": 1,
        "before-reconcile": 1,
        "reconcile-answered": 1,
        "posted": 2,
    },
}


class CrashDeleteTest(unittest.TestCase):
    def prepare(self, s, kind):
        """The commit that is to be applied; weir is not running."""
        s.start()
        s.wait_status(s.push(KEEP | {"orders.yaml": BEFORE}), "success", "^2 in sync")
        s.stop()
        s.api.reset("requests")
        return s.push(KINDS[kind][0])

    def run_until(self, s, kind, sha, crash_at):
        """Whether it crashed before the commit was a success."""
        words = f"{KINDS[kind][1]} in sync"
        s.start(crash_at)
        weir = s.weir
        wait_for(lambda: weir.poll() is not None or s.matched(sha, "success", words, "sync"), DEADLINE_S)
        if weir.poll() is None:
            weir.kill()
            weir.wait()
        self.assertEqual(weir.returncode, -signal.SIGKILL)
        s.weir = None
        return (s.status(sha) or ("pending", ""))[0] != "success"

    def check(self, s, kind, sha):
        s.wait_status(sha, "success", f"^{KINDS[kind][1]} in sync")
        s.wait_status(sha, "success", "^no drift$", "drift")
        writes = [r["method"] for r in s.api.requests() if r["effect"] and "reconcile" not in r["path"]]
        self.assertEqual(writes, {"delete": ["DELETE"], "replace": ["DELETE", "POST"]}[kind])
        self.assertEqual(s.api.started("orders-dr"), {1: {"delete": 1, "replace": 2}[kind]})
        if kind == "replace":
            live = s.api.get("orders-dr")
            self.assertEqual((live["generation"], live["replication_mode"]), (1, "active-active"))


def crash_case(kind, point, n):
    def test(self):
        with Site(sync=PRUNE) as s:
            sha = self.prepare(s, kind)
            crashed = self.run_until(s, kind, sha, f"{point}:{n}")
            if n == 1:
                self.assertTrue(crashed, "it never came to this point")
            s.start()
            self.check(s, kind, sha)

    return test


def again_case(kind):
    """Killed at one step after the other."""

    def test(self):
        with Site(sync=PRUNE) as s:
            sha = self.prepare(s, kind)
            for point in POINTS[kind]:
                self.run_until(s, kind, sha, point)
            s.start()
            self.check(s, kind, sha)

    return test


def lost_case(kind, loss):
    """The answer to the DELETE does not come, or says nothing."""

    def test(self):
        do, parameters = loss
        with Site(api={"timeout": "1s"}, sync=PRUNE) as s:
            sha = self.prepare(s, kind)
            s.api.rule(do, "DELETE", r"/kafka-replicator/orders-dr/$", **parameters)
            s.start()
            wait_for(lambda: any(r["action"] for r in s.api.requests()), DEADLINE_S, "the fault")
            self.check(s, kind, sha)

    return test


LOSSES = {
    "dropped_before": ("drop_before_effect", {}),
    "dropped_after": ("drop_after_effect", {}),
    "failed_after": ("status", {"status": 502, "effect": True}),
    "timeout_after": ("hang", {"effect": True}),
}


def add_cases():
    for kind, points in POINTS.items():
        for point, most in points.items():
            for n in range(1, most + 1):
                name = f"test_{kind}_killed_at_{point.replace('-', '_')}_{n}"
                setattr(CrashDeleteTest, name, crash_case(kind, point, n))
        for name, loss in LOSSES.items():
            setattr(CrashDeleteTest, f"test_{kind}_with_answer_{name}", lost_case(kind, loss))
        setattr(CrashDeleteTest, f"test_{kind}_killed_again_and_again", again_case(kind))


add_cases()


if __name__ == "__main__":
    main()
