#!/usr/bin/env python3
"""weir as a process: signals, restarts, its pages and logs."""

import json
import signal
import socket
import time
import unittest

from weirtest import DEADLINE_S, Site, document, main, wait_for

TWO = {"orders.yaml": document("orders-dr", lag_alert_threshold=10000), "payments.yaml": document("payments-dr")}


def site(**more):
    return Site(**{"server": "replicatord"} | more)


class LifeTest(unittest.TestCase):
    def test_sighup_makes_it_look_at_once(self):
        with site(source={"interval": "1h"}, sync={"interval": "1h"}) as s:
            s.start()
            s.wait_log("cannot be read")
            sha = s.push(TWO)
            s.wait_status(sha, "success", "^2 in sync")

    def test_sigterm_ends_it_while_an_operation_runs_and_a_start_takes_it_up(self):
        with site(server_options={"delay": "15s"}) as s:
            s.start()
            sha = s.push(TWO)
            s.wait_status(sha, "pending", "^waiting for Healthy 0/2$")
            started = time.monotonic()
            s.stop()
            self.assertLess(time.monotonic() - started, 10)
            s.start()
            s.wait_status(sha, "success", "^2 in sync")
            self.assertEqual(s.metric("weir_api_calls_total", verb="create"), 0)
            self.assertEqual(s.metric("weir_api_calls_total", verb="patch"), 0)

    def test_a_second_daemon_on_the_same_state_is_refused(self):
        with site() as s:
            s.start()
            self.assertRegex(s.cli("run", status=1), "another weir works on .*/state")
            s.wait_status(s.push(TWO), "success", "^2 in sync")

    def test_a_restart_with_nothing_new_writes_nothing(self):
        with site() as s:
            s.start()
            sha = s.push(TWO)
            s.wait_status(sha, "success", "^2 in sync")
            s.wait_status(sha, "success", "^no drift$", "drift")
            tip = (s.repository.bare / "refs/notes/weir/acme").read_text()
            s.stop()
            s.start()
            wait_for(lambda: s.get("/readyz")[0] == 200, DEADLINE_S)
            s.wait_pass(2)
            for verb in ("create", "patch", "reconcile", "delete"):
                self.assertEqual(s.metric("weir_api_calls_total", verb=verb), 0)
            self.assertEqual((s.repository.bare / "refs/notes/weir/acme").read_text(), tip)

    def test_the_pages_tell_how_it_is(self):
        with site() as s:
            s.start()
            self.assertEqual(s.get("/healthz")[0], 200)
            self.assertEqual(s.get("/readyz")[0], 503)
            s.wait_status(s.push(TWO), "success", "^2 in sync")
            self.assertEqual(s.get("/readyz")[0], 200)
            self.assertEqual(s.get("/elsewhere")[0], 404)
            self.assertEqual(s.metric("weir_replicators", standing="healthy"), 2)
            self.assertEqual(s.metric("weir_ready"), 1)

    def test_logs_can_be_json(self):
        with site() as s:
            s.weir = s.spawn("run", "--log-format", "json", log="json")
            sha = s.push(TWO)
            s.wait_status(sha, "success", "^2 in sync")
            s.stop()
            lines = [line for line in s.log("json").splitlines() if line.startswith("{")]
            events = [json.loads(line) for line in lines]
            self.assertTrue(any(sha in event.values() for event in events))

    def test_ctrl_c_ends_it_and_a_second_one_at_once(self):
        with Site(api={"timeout": "60s"}) as s:
            s.start()
            s.stop(signal.SIGINT)
            s.api.rule("hang", times=None)
            s.start()
            wait_for(lambda: s.api.requests(state="hanging"), DEADLINE_S)
            s.weir.send_signal(signal.SIGINT)
            s.wait_log("(?s)stopping signal=Interrupt.*stopping signal=Interrupt")
            s.stop(signal.SIGINT, 130)

    def test_the_service_manager_is_told(self):
        with Site() as s, socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
            manager.bind(str(s.folder / "notify"))
            manager.settimeout(DEADLINE_S)
            s.environment["NOTIFY_SOCKET"] = str(s.folder / "notify")
            s.start()
            self.assertIn(b"READY=1", manager.recv(1000))
            s.stop()
            self.assertIn(b"STOPPING=1", manager.recv(1000))

    def test_credentials_come_from_the_service_manager(self):
        with Site(api={"token": "systemd:api-token"}) as s:
            folder = s.folder / "credentials"
            folder.mkdir()
            (folder / "api-token").write_text("test-token\n")
            s.environment["CREDENTIALS_DIRECTORY"] = str(folder)
            s.start()
            s.wait_status(s.push(TWO), "success", "^2 in sync")

    def test_the_state_is_for_its_owner_alone(self):
        with Site() as s:
            s.start()
            s.wait_status(s.push(TWO), "success", "^2 in sync")
            self.assertEqual(s.state.stat().st_mode & 0o777, 0o700)


class RestartTest(unittest.TestCase):
    def test_a_commit_that_was_overtaken_while_it_was_down_says_so(self):
        with Site("fake", ["--delay", "3"]) as s:
            s.start()
            first = s.push(TWO)
            s.wait_status(first, "pending", "^waiting for Healthy")
            s.kill()
            second = s.push({"third.yaml": document("third-dr")})
            s.start()
            s.wait_status(first, "error", f"^superseded by {second[:7]}")
            s.wait_status(second, "success", "^3 in sync")
            self.assertEqual(s.api.started("orders-dr"), {1: 1})

    def test_an_api_that_dies_while_it_provisions_is_waited_for(self):
        with site(server_options={"delay": "2s"}) as s:
            s.start()
            sha = s.push(TWO)
            s.wait_status(sha, "pending", "^waiting for Healthy 0/2$")
            s.api.kill()
            s.api.start()
            s.wait_status(sha, "success", r"^2 in sync \(2 changed\)$")
            self.assertEqual(s.api.get("orders-dr")["generation"], 1)

    def test_statuses_that_could_not_go_are_sent_later_for_each_commit(self):
        with Site(http=True) as s:
            s.git_server.fault("status", times=None, match="git-receive-pack", code=403)
            s.start()
            first = s.push(TWO)
            wait_for(lambda: "2 in sync" in s.cli("status"), DEADLINE_S)
            s.kill()
            s.start()
            second = s.push({"third.yaml": document("third-dr")})
            wait_for(lambda: "3 in sync" in s.cli("status"), DEADLINE_S)
            s.git_server.clear_faults()
            s.wait_status(second, "success", r"^3 in sync \(1 changed\)$")
            s.wait_status(first, "success", r"^2 in sync \(2 changed\)$")

    def test_it_can_be_killed_at_any_time(self):
        with Site("fake", ["--delay", "0.5"]) as s:
            wanted = {}
            for generation in range(1, 6):
                sha = s.push({"orders.yaml": document("orders-dr", lag_alert_threshold=generation)})
                for _ in range(3):
                    s.start()
                    before = len(s.api.requests())
                    wait_for(lambda n=before: len(s.api.requests()) > n, DEADLINE_S, "a call")
                    s.kill()
                s.start()
                s.wait_status(sha, "success", "^1 in sync")
                s.kill()
                wanted[generation] = 1
            self.assertEqual(s.api.started("orders-dr"), wanted)


if __name__ == "__main__":
    main()
