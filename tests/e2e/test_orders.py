#!/usr/bin/env python3
"""What people order: through the daemon's socket, and without a daemon."""

import json
import os
import pwd
import socket
import stat
import subprocess
import threading
import unittest

from weirtest import BIN, DEADLINE_S, Site, document, main, wait_for

TWO = {"orders.yaml": document("orders-dr"), "payments.yaml": document("payments-dr")}
ME = pwd.getpwuid(os.getuid()).pw_name
TIME = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"


def in_sync(s, files=TWO):
    s.start()
    sha = s.push(files)
    s.wait_status(sha, "success", "in sync")
    s.wait_pass()
    return sha


def told(s, name):
    return json.loads(s.cli("explain", name, "-o", "json"))


def curl(s, path, body=None):
    """Status and answer, as any HTTP client gets them."""
    words = ["curl", "-s", "-w", "\n%{http_code}", "--unix-socket", s.state / "weir.sock", f"http://weir{path}"]
    words += ["-d", body] if body is not None else []
    text = subprocess.run(words, capture_output=True, text=True, check=True, timeout=DEADLINE_S).stdout
    answer, _, status = text.rpartition("\n")
    return int(status), json.loads(answer)


class SocketTest(unittest.TestCase):
    def test_only_its_user_may_open_it_and_it_goes_at_the_end(self):
        with Site() as s:
            s.start()
            path = s.state / "weir.sock"
            self.assertEqual(stat.S_IMODE(path.stat().st_mode), 0o600)
            self.assertTrue(stat.S_ISSOCK(path.stat().st_mode))
            s.stop()
            self.assertFalse(path.exists())

    def test_one_that_was_left_behind_is_replaced(self):
        with Site() as s:
            in_sync(s)
            s.kill()
            self.assertTrue((s.state / "weir.sock").exists())
            self.assertIn("no daemon runs", s.cli("status"))
            s.cli("suspend", "orders-dr", "--reason", "by the store")
            s.start()
            self.assertEqual(told(s, "orders-dr")["suspension"]["reason"], "by the store")

    def test_a_second_daemon_leaves_the_first_ones_alone(self):
        with Site() as s:
            in_sync(s)
            self.assertRegex(s.cli("run", status=1), "another weir works on .*state")
            self.assertEqual(curl(s, "/v1/status")[0], 200)

    def test_a_path_that_is_too_long_is_said(self):
        with Site() as s:
            s.configure(state=str(s.folder / ("x" * 100)))
            self.assertRegex(s.cli("run", status=1), "weir run: state: .*weir.sock has .* choose a shorter folder")

    def test_what_stands_in_its_way_and_is_no_socket_stays(self):
        with Site() as s:
            s.state.mkdir()
            (s.state / "weir.sock").write_text("mine")
            self.assertRegex(s.cli("run", status=1), "in the way of a socket")
            self.assertEqual((s.state / "weir.sock").read_text(), "mine")

    def test_any_http_client_can_use_it(self):
        with Site() as s:
            sha = in_sync(s)
            status, answer = curl(s, "/v1/status")
            self.assertEqual((status, answer["head"], answer["daemon"]), (200, sha, True))
            progress = curl(s, "/v1/progress")[1]
            self.assertLess(progress.keys(), answer.keys())
            self.assertEqual((progress["seen_head"], progress["state"]), (sha, "success"))
            self.assertEqual(curl(s, "/v1/plan")[1]["source"]["sha"], sha)
            self.assertEqual(curl(s, "/v1/explain/orders-dr")[1]["name"], "orders-dr")
            self.assertEqual(set(curl(s, "/v1/sync", "")[1]), {"passes", "reads"})
            body = json.dumps({"name": "orders-dr", "reason": "why not"})
            self.assertEqual(curl(s, "/v1/orders/suspend", body)[1], {"name": "orders-dr", "until": None})
            self.assertEqual(told(s, "orders-dr")["suspension"]["by"], ME)

    def test_orders_that_make_no_sense_are_refused(self):
        with Site() as s:
            in_sync(s)
            for order, body, status, words in (
                ("suspend", "{", 502, "the body of the order"),
                ("suspend", "[]", 400, "must be a JSON object"),
                ("suspend", '{"name": "orders-dr"}', 400, "needs reason"),
                ("suspend", '{"name": "", "reason": "x"}', 400, "needs name"),
                ("suspend", '{"name": 5, "reason": "x"}', 400, "needs name"),
                ("suspend", '{"name": "orders-dr", "reason": 5}', 400, "reason must be a string"),
                ("suspend", '{"name": "orders-dr", "reason": "x", "untl": 5}', 400, "unknown key untl"),
                ("suspend", '{"name": "orders-dr", "reason": "x", "until": "tomorrow"}', 400, "must be a time"),
                ("suspend", '{"name": "orders-dr", "reason": "x", "until": "2020-01-01T00:00:00Z"}', 400, "has passed"),
                ("suspend", json.dumps({"name": "orders-dr", "reason": "x" * 1001}), 413, "at most 1000"),
                ("suspend", '{"name": "nobody", "reason": "x"}', 404, "neither in Git nor in the inventory"),
                ("resume", '{"name": "orders-dr"}', 409, "is not suspended"),
                ("approve", "{}", 400, "needs items"),
                ("approve", '{"items": []}', 400, "needs items"),
                ("approve", '{"items": [5]}', 400, "needs name"),
                ("approve", '{"items": [{"name": "orders-dr", "digest": "x"}]}', 400, "needs action"),
                (
                    "approve",
                    '{"items": [{"name": "orders-dr", "digest": "x", "action": "delete"}, {"name": "x"}]}',
                    400,
                    "needs digest",
                ),
                ("dance", "{}", 404, "there is no order dance"),
            ):
                got, answer = curl(s, f"/v1/orders/{order}", body)
                self.assertEqual((got, words in answer["error"]), (status, True), (body, answer))
            self.assertEqual(told(s, "orders-dr")["suspension"], None)
            self.assertNotIn("approved", s.cli("explain", "orders-dr"))
            self.assertEqual(curl(s, "/v1/nothing")[0], 404)
            refused = {"error": "this path does not take that method", "code": "invalid"}
            self.assertEqual(curl(s, "/v1/orders/suspend"), (405, refused))
            refused = {"error": "the body is too large", "code": "limit"}
            self.assertEqual(curl(s, "/v1/sync", "x" * 65), (413, refused))
            self.assertEqual(curl(s, "/v1/explain/orders-dr?limit=many")[0], 400)
            body = '{"items": [{"name": "orders-dr", "digest": "x", "action": "delete"}]}'
            answer = curl(s, "/v1/orders/approve", body)[1]
            self.assertEqual(answer, {"approved": [], "changed": ["orders-dr"], "already": []})

    def test_a_daemon_that_does_not_speak_is_an_error(self):
        with Site() as s:
            s.state.mkdir()
            with socket.socket(socket.AF_UNIX) as server:
                server.bind(str(s.state / "weir.sock"))
                server.listen()

                def hang_up():
                    for _ in range(2):
                        server.accept()[0].close()

                thread = threading.Thread(target=hang_up)
                thread.start()
                self.assertRegex(s.cli("status", status=1), "^weir status: the daemon: .*weir.sock")
                thread.join()


class SuspendTest(unittest.TestCase):
    def test_it_is_kept_with_who_why_and_until_when(self):
        with Site() as s:
            in_sync(s)
            for running in (True, False):
                text = s.cli("suspend", "orders-dr", "--reason", "broker upgrade", "--for", "2h")
                self.assertRegex(text, f"^orders-dr is suspended until {TIME}\n$")
                order = told(s, "orders-dr")["suspension"]
                self.assertEqual((order["by"], order["reason"]), (ME, "broker upgrade"))
                text = s.cli("explain", "orders-dr")
                self.assertRegex(text, f"(?m)^suspended +by {ME} at {TIME}: broker upgrade; until {TIME}$")
                self.assertRegex(text, f"(?m)^{TIME}  suspended by {ME}: broker upgrade, until {TIME}$")
                text = s.cli("resume", "orders-dr", "--reason", "done")
                self.assertEqual(text, "orders-dr is resumed\n")
                self.assertEqual(told(s, "orders-dr")["suspension"], None)
                self.assertRegex(s.cli("explain", "orders-dr"), f"(?m)^{TIME}  resumed by {ME}: done$")
                self.assertIn("orders-dr is not suspended", s.cli("resume", "orders-dr", status=1))
                if running:
                    s.stop()

    def test_it_survives_a_crash(self):
        with Site() as s:
            in_sync(s)
            s.cli("suspend", "orders-dr", "--reason", "x", "--until", "2099-01-01T00:00:00+01:00")
            s.kill()
            s.start()
            self.assertEqual(told(s, "orders-dr")["suspension"]["until"], "2098-12-31T23:00:00Z")

    def test_the_command_line_is_checked(self):
        with Site() as s:
            in_sync(s)
            for words, said in (
                ((), "say why with --reason"),
                (("--reason", ""), "say why with --reason"),
                (("--reason", "x", "--for", "2h", "--until", "2099-01-01T00:00:00Z"), "not both"),
                (("--reason", "x", "--until", "tomorrow"), "must be a time such as"),
                (("--reason", "x", "--for", "2 hours"), "must be a duration such as"),
                (("--reason", "x", "--for", "0"), "must be a duration such as"),
                (("--reason", "x", "--for", "99999999h"), "up to a year"),
            ):
                self.assertIn(said, s.cli("suspend", "orders-dr", *words, status=64))
            self.assertIn("has passed", s.cli("suspend", "orders-dr", "--reason", "x", "--until", "2020-01-01T00:00:00Z", status=1))
            s.cli("suspend", status=64)
            s.cli("suspend", "a", "b", "--reason", "x", status=64)

    def test_names_that_are_not_known_get_a_near_one(self):
        with Site() as s:
            in_sync(s)
            for running in (True, False):
                for words in (("suspend", "order-dr", "--reason", "x"), ("resume", "order-dr"), ("forget", "order-dr")):
                    self.assertIn("did you mean orders-dr?", s.cli(*words, status=1))
                if running:
                    s.stop()

    def test_without_daemon_and_store_there_is_nothing_to_suspend(self):
        with Site() as s:
            for words in (("suspend", "orders-dr", "--reason", "x"), ("resume", "orders-dr"), ("forget", "orders-dr")):
                text = s.cli(*words, status=1)
                self.assertRegex(text, "no daemon runs, and there is nothing to work on: no store in .*state yet")
            self.assertFalse(s.state.exists())

    def test_beside_a_command_that_works_it_waits_its_turn(self):
        with Site(server_options=("--delay", "3600")) as s:
            s.push(TWO)
            applying = s.spawn("apply", log="apply")
            wait_for(lambda: s.api.get("orders-dr"), DEADLINE_S)
            self.assertRegex(s.cli("suspend", "orders-dr", "--reason", "x", status=1), "another weir works on")
            applying.terminate()
            applying.wait(DEADLINE_S)


class ForgetTest(unittest.TestCase):
    def test_what_is_in_git_is_not_forgotten(self):
        with Site() as s:
            in_sync(s)
            for running in (True, False):
                text = s.cli("forget", "orders-dr", status=1)
                where = "" if running else ", commit [0-9a-f]{7}"
                self.assertRegex(text, rf"orders-dr is in Git \(replicators/orders.yaml:\d+{where}\); take its document out")
                if running:
                    s.stop()

    def test_what_is_gone_from_git_is_let_go_and_stays_in_the_api(self):
        for running in (True, False):
            with Site() as s:
                in_sync(s)
                s.push({"payments.yaml": None})
                wait_for(lambda: "payments-dr" in s.cli("status"), DEADLINE_S)
                s.wait_pass()
                if not running:
                    s.stop()
                text = s.cli("forget", "payments-dr", "--reason", "moved to another team")
                self.assertIn("it stays in the API", text)
                self.assertRegex(s.cli("explain", "payments-dr"), f"(?m)^{TIME}  forgotten by {ME}: moved to another team$")
                self.assertIn("neither in Git nor in the inventory", s.cli("forget", "payments-dr", status=1))
                if not running:
                    s.start()
                s.wait_pass()
                self.assertNotIn("payments-dr", json.loads(s.cli("status", "-o", "json"))["replicators"])
                self.assertEqual(json.loads(s.cli("plan", "-o", "json"))["unmanaged"], ["payments-dr"])
                self.assertEqual(s.api.get("payments-dr")["generation"], 1)

    def test_without_a_daemon_git_is_looked_at_first(self):
        with Site() as s:
            in_sync(s)
            gone = s.push({"payments.yaml": None})
            wait_for(lambda: told(s, "payments-dr")["gone_since"], DEADLINE_S)
            s.stop()
            back = s.push({"payments.yaml": TWO["payments.yaml"]})
            text = s.cli("forget", "payments-dr", status=1)
            self.assertRegex(text, rf"payments-dr is in Git \(replicators/payments.yaml:\d+, commit {back[:7]}\)")
            s.push({"payments.yaml": None, "orders.yaml": None})
            text = s.cli("forget", "orders-dr", status=1)  # that it is gone was not seen
            self.assertRegex(text, rf"orders-dr is in Git .* \(no daemon runs: as of commit {gone[:7]}, taken at {TIME}\)")

    def test_without_git_it_says_how_old_the_answer_is(self):
        with Site() as s:
            in_sync(s)
            gone = s.push({"payments.yaml": None})
            wait_for(lambda: told(s, "payments-dr")["gone_since"], DEADLINE_S)
            s.stop()
            s.repository.bare.rename(s.folder / "away")
            text = s.cli("forget", "payments-dr")
            (s.folder / "away").rename(s.repository.bare)
            self.assertRegex(text, r"(?m)^No daemon runs, and Git could not be looked at: .+\.$")
            self.assertRegex(text, rf"(?m)^That its document is gone is as of commit {gone[:7]}, taken at {TIME}: ")


if __name__ == "__main__":
    main()
