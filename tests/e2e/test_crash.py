#!/usr/bin/env python3
"""weir is killed at every step, and every answer is lost: it converges, nothing is done twice, no status is missing."""

import shutil
import signal
import unittest

from weirtest import DEADLINE_S, Site, document, main, wait_for

FIRST = document("orders-dr", lag_alert_threshold=1)
SECOND = document("orders-dr", lag_alert_threshold=2)

# How often each point is passed on the way of one replicator to Healthy, or a little more.
POINTS = {
    "source-downloaded": 1,
    "before-flush": 8,
    "after-flush": 8,
    "before-write": 1,
    "write-answered": 1,
    "before-reconcile": 1,
    "reconcile-answered": 1,
    "before-post": 3,
    "posted": 3,
}

# What becomes of an answer, and whether the call had its effect.
LOSSES = {
    "dropped_before": ("drop_before_effect", {}),
    "reset_before": ("drop_before_effect", {"reset": True}),
    "dropped_after": ("drop_after_effect", {}),
    "reset_after": ("drop_after_effect", {"reset": True}),
    "cut_after": ("truncate", {}),
    "failed_after": ("status", {"status": 502, "effect": True}),
    "html_after": ("html", {"effect": True}),
    "timeout_after": ("hang", {"effect": True}),
    "timeout_before": ("hang", {}),
}

LIST = r"/kafka-replicator/$"
ONE = r"/kafka-replicator/orders-dr/$"
CALLS = {
    "list": ("GET", LIST),
    "get": ("GET", ONE),
    "create": ("POST", LIST),
    "patch": ("PATCH", ONE),
    "reconcile": ("POST", r"/reconcile/$"),
}


class CrashTest(unittest.TestCase):
    """`kind`: "create" or "update", which begins with a replicator that is Healthy at generation 1."""

    def prepare(self, s, kind):
        """The commit that is to be applied; weir is not running."""
        if kind == "create":
            return s.push({"orders.yaml": FIRST})
        s.start()
        s.wait_status(s.push({"orders.yaml": FIRST}), "success", "^1 in sync")
        s.stop()
        s.api.reset("requests")
        return s.push({"orders.yaml": SECOND})

    def run_until(self, s, sha, crash_at):
        """Whether it crashed before the commit was a success."""
        s.start(crash_at)
        weir = s.weir
        wait_for(lambda: weir.poll() is not None or s.matched(sha, "success", "1 in sync", "sync"), DEADLINE_S)
        if weir.poll() is None:
            weir.kill()
            weir.wait()
        self.assertEqual(weir.returncode, -signal.SIGKILL)
        s.weir = None
        return (s.status(sha) or ("pending", ""))[0] != "success"

    def check(self, s, kind, sha):
        s.wait_status(sha, "success", "^1 in sync")
        s.wait_status(sha, "success", "^no drift$", "drift")
        wanted = {"create": {1: 1}, "update": {1: 1, 2: 1}}[kind]
        self.assertEqual(s.api.started("orders-dr"), wanted)
        self.assertEqual([r["identifier"] for r in s.api.operations()], ["orders-dr"] * len(wanted))
        live = s.api.get("orders-dr")
        self.assertEqual((live["generation"], live["lag_alert_threshold"]), (len(wanted),) * 2)
        writes = [r for r in s.api.requests() if r["effect"] and "reconcile" not in r["path"]]
        self.assertEqual([r["method"] for r in writes], [{"create": "POST", "update": "PATCH"}[kind]])
        for commit in s.repository.git("rev-list", "main", within=s.repository.bare).split():
            self.assertNotEqual(s.status(commit)[0], "pending")


def crash_case(kind, point, n, lost=False):
    """`lost`: its state, too."""

    def test(self):
        with Site() as s:
            sha = self.prepare(s, kind)
            crashed = self.run_until(s, sha, f"{point}:{n}")
            if n == 1:
                self.assertTrue(crashed, "it never came to this point")
            if lost:
                shutil.rmtree(s.state)
            s.start()
            if lost and kind == "update" and s.api.get("orders-dr")["generation"] == 1:
                # Killed before it wrote: without a state, what is there is not written over unasked.
                s.wait_status(sha, "failure", "exists already")
                s.cli("approve", "orders-dr", "-y")
            self.check(s, kind, sha)

    return test


def again_case(kind):
    """Killed at one step after the other."""

    def test(self):
        with Site() as s:
            sha = self.prepare(s, kind)
            for point in POINTS:
                self.run_until(s, sha, point)
            s.start()
            self.check(s, kind, sha)

    return test


def loss_case(kind, loss, call):
    def test(self):
        do, parameters = LOSSES[loss]
        method, path = CALLS[call]
        with Site(api={"timeout": "1s"}) as s:
            sha = self.prepare(s, kind)
            s.api.rule(do, method, path, **parameters)
            s.start()
            wait_for(lambda: any(r["action"] for r in s.api.requests()), DEADLINE_S, "the fault")
            self.check(s, kind, sha)

    return test


def held_case(kind, call):
    """Killed while the call is under way, whose answer then comes to nobody."""

    def test(self):
        method, path = CALLS[call]
        with Site() as s:
            sha = self.prepare(s, kind)
            s.api.rule("hold", method, path, effect=True)
            s.start()
            wait_for(lambda: s.api.requests(state="held"), DEADLINE_S, "the call")
            s.kill()
            s.api.release()
            s.start()
            self.check(s, kind, sha)

    return test


def late_case(call):
    """Killed while the call is under way, which takes effect only after the restart."""

    def test(self):
        method, path = CALLS[call]
        kind = "update" if call == "patch" else "create"
        with Site() as s:
            sha = self.prepare(s, kind)
            s.api.rule("hold", method, path)
            s.start()
            wait_for(lambda: s.api.requests(state="held"), DEADLINE_S, "the call")
            s.kill()
            s.start()
            s.wait_status(sha, "success", "^1 in sync")
            s.api.release()
            wait_for(lambda: not s.api.requests(state="held"), DEADLINE_S, "the late call")
            s.wait_pass(2)
            s.wait_status(sha, "success", "^no drift$", "drift")
            self.assertEqual(set(s.api.started("orders-dr").values()), {1})
            self.assertEqual(s.api.get("orders-dr")["status"], "Healthy")

    return test


def add_cases():
    for kind in ("create", "update"):
        for point, most in POINTS.items():
            for n in range(1, most + 1):
                name = f"test_{kind}_killed_at_{point.replace('-', '_')}_{n}"
                setattr(CrashTest, name, crash_case(kind, point, n))
        for point in ("write-answered", "before-reconcile", "reconcile-answered", "posted"):
            name = f"test_{kind}_killed_at_{point.replace('-', '_')}_and_its_state_lost"
            setattr(CrashTest, name, crash_case(kind, point, 1, lost=True))
        setattr(CrashTest, f"test_{kind}_killed_again_and_again", again_case(kind))
        calls = [name for name in CALLS if name not in {"create": ("patch", "get"), "update": ("create",)}[kind]]
        for call in calls:
            for loss in LOSSES:
                setattr(CrashTest, f"test_{kind}_with_answer_of_{call}_{loss}", loss_case(kind, loss, call))
            setattr(CrashTest, f"test_{kind}_killed_during_{call}", held_case(kind, call))
    for call in ("create", "patch", "reconcile"):
        setattr(CrashTest, f"test_a_late_{call}_does_nothing_twice", late_case(call))


add_cases()


if __name__ == "__main__":
    main()
