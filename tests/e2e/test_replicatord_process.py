#!/usr/bin/env python3
"""replicatord as a program: kills, restarts, signals, options, and everything that can stand in its way."""

import http.client
import json
import os
import pathlib
import resource
import signal
import socket
import sqlite3
import subprocess
import tempfile
import threading
import time
import unittest

from replicatord import (
    PATIENCE_S,
    READER,
    WRITER,
    Replicatord,
    environment,
    program,
    read_until_listening,
    running,
    spec,
    wait_until,
)


class FolderCase(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.servers = []

    def server(self, **options):
        server = Replicatord(self.folder, **options)
        self.addCleanup(self.end, server)
        return server

    def end(self, server):
        if server.process and server.process.poll() is None:
            self.assertEqual(server.end(), 0, server.log)

    def run_program(self, *arguments, status, **more_environment):
        """Runs it to its end; returns what it printed."""
        done = subprocess.run(
            [program(), *arguments],
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            cwd=self.folder,
            env=environment(**more_environment),
        )
        self.assertEqual(done.returncode, status, done)
        return done.stdout + done.stderr


class Kill(FolderCase):
    def test_an_operation_goes_on_after_kill_9(self):
        server = self.server(delay="500ms").start()
        server.create("orders")
        before = server.reconcile("orders", 1, "k").body
        server.patch("orders", {"topic_whitelist": "a"})
        server.kill()
        server.start()
        self.assertEqual(server.get("orders").body["status"], "Provisioning")
        self.assertEqual(server.reconcile("orders", 1, "k").body, before)
        body = server.wait_for("orders", "Healthy")
        self.assertEqual((body["generation"], body["observed_generation"]), (2, 1))
        self.assertEqual(server.reconcile("orders", 1, "k").body, before | {"state": "Succeeded"})

    def test_a_deletion_goes_on_after_kill_9(self):
        server = self.server(delay="300ms").start()
        server.create("orders")
        server.reconcile("orders", 1, "k")
        server.wait_for("orders", "Healthy")
        server.delete("orders")
        server.kill()
        server.start()
        self.assertEqual(server.get("orders").body["status"], "Deleting")
        wait_until(lambda: server.get("orders").status == 404, "orders gone")

    def test_what_ended_stays_ended(self):
        server = self.server().start()
        for name in ("orders", "broken-eu"):
            server.create(name)
            server.reconcile(name, 1, "k")
        before = [server.wait_for("orders", "Healthy"), server.wait_for("broken-eu", "Error")]
        operation = server.reconcile("orders", 1, "k").body
        server.kill()
        server.start()
        self.assertEqual(server.call("GET", "/kafka-replicator/").body["results"], before)
        self.assertEqual(server.reconcile("orders", 1, "k").body, operation)
        self.assertEqual(server.get("orders").body, before[0])

    def test_many_kills_while_it_works(self):
        server = self.server(delay="20ms").start()
        names = [f"r{n}" for n in range(10)]
        operations = {}
        for name in names:
            server.create(name)
        for moment in range(10):
            # One is asked for and killed at once, the others are somewhere on their way.
            name = names[moment]
            operations[name] = server.reconcile(name, 1, "k").body["id"]
            time.sleep(moment / 200)
            server.kill()
            server.start()
        for name in names:
            server.wait_for(name, "Healthy")
            operation = server.reconcile(name, 1, "k").body
            self.assertEqual((operation["id"], operation["state"]), (operations[name], "Succeeded"))


class CrashPoints(FolderCase):
    """The program kills itself at a named point, where it was built with these."""

    def crash(self, server, point, act):
        """Does something that must not get past the point; the answer is lost."""
        server.start(WEIR_CRASH_AT=point)
        try:
            act(server)
        except (http.client.HTTPException, OSError):
            pass
        self.assertEqual(server.wait_for_death(), -signal.SIGKILL)
        server.start()

    def setUp(self):
        super().setUp()
        if b"WEIR_CRASH_AT" not in pathlib.Path(program()).read_bytes():
            self.skipTest("built without crash points")

    def test_accepted_and_not_answered(self):
        server = self.server(delay="100ms").start()
        server.create("orders")
        self.end(server)
        self.crash(server, "replicatord-reconcile", lambda s: s.reconcile("orders", 1, "k"))
        self.assertEqual(server.get("orders").body["status"], "Provisioning")
        operation = server.reconcile("orders", 1, "k").body
        self.assertEqual(operation["state"], "Running")
        self.assertEqual(server.wait_for("orders", "Healthy")["observed_generation"], 1)
        self.assertEqual(server.reconcile("orders", 1, "k").body, operation | {"state": "Succeeded"})
        self.assertEqual(operations(self.folder), 1)

    def test_ended_and_not_saved_and_saved(self):
        server = self.server(delay="100ms").start()
        server.create("orders")
        self.end(server)
        self.crash(server, "replicatord-report", lambda s: s.reconcile("orders", 1, "k"))
        self.assertEqual(server.get("orders").body["status"], "Provisioning")
        server.wait_for("orders", "Healthy")
        self.end(server)
        self.crash(server, "replicatord-reported", lambda s: s.reconcile("orders", 1, "again"))
        self.assertEqual(server.get("orders").body["status"], "Healthy")
        self.assertEqual(server.reconcile("orders", 1, "again").body["state"], "Succeeded")
        self.assertEqual(operations(self.folder), 2)

    def test_deleting_and_not_answered(self):
        server = self.server(delay="100ms").start()
        server.create("orders")
        server.reconcile("orders", 1, "k")
        server.wait_for("orders", "Healthy")
        self.end(server)
        self.crash(server, "replicatord-delete", lambda s: s.delete("orders"))
        self.assertEqual(server.get("orders").body["status"], "Deleting")
        wait_until(lambda: server.get("orders").status == 404, "orders gone")


def operations(folder):
    with sqlite3.connect(folder / "data/replicatord.db") as db:
        return db.execute("SELECT count(*) FROM operation").fetchone()[0]


class Signals(FolderCase):
    def test_sigterm_and_sigint_end_it_well(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            server = self.server().start()
            server.create("orders")
            server.process.send_signal(number)
            self.assertEqual(server.wait_for_death(), 0)
            with self.assertRaises(ConnectionRefusedError):
                server.connect().connect()

    def test_sigterm_lets_answers_leave(self):
        server = self.server().start()
        answers = []

        def ask():
            connection = server.connect()
            for number in range(10000):
                try:
                    connection.request("POST", "/organizations/acme/kafka-replicator/", json.dumps(spec(f"r{number}")),
                                       {"Authorization": f"Bearer {WRITER}"})
                    answers.append(connection.getresponse().read())
                except (OSError, http.client.HTTPException):
                    connection.close()
                    return

        threads = [threading.Thread(target=ask) for _ in range(4)]
        for thread in threads:
            thread.start()
        wait_until(lambda: len(answers) > 20, "some answers")
        self.assertEqual(server.end(), 0)
        for thread in threads:
            thread.join(PATIENCE_S)
        for answer in answers:
            json.loads(answer)

    def test_sighup_reads_tokens_anew(self):
        token = self.folder / "token"
        token.write_text("first-0123456789abcdef0123456789\n")
        server = self.server()
        server.config.write_text(server.config.read_text().replace("env:READER", f"file:{token}"))
        server.start()
        status = lambda secret: server.call("GET", "/kafka-replicator/", token=secret).status
        self.assertEqual(status("first-0123456789abcdef0123456789"), 200)
        token.write_text("second-0123456789abcdef0123456789\n")
        server.process.send_signal(signal.SIGHUP)
        wait_until(lambda: status("second-0123456789abcdef0123456789") == 200, "the new token")
        self.assertEqual(status("first-0123456789abcdef0123456789"), 401)
        # Gone from the configuration.
        text = server.config.read_text()
        server.config.write_text("".join(line for line in text.splitlines(True) if "name: reader" not in line))
        server.process.send_signal(signal.SIGHUP)
        wait_until(lambda: status("second-0123456789abcdef0123456789") == 401, "the token gone")
        self.assertEqual(status(WRITER), 200)
        # A configuration that does not load changes nothing.
        server.config.write_text("organizations: []\n")
        server.process.send_signal(signal.SIGHUP)
        wait_until(lambda: "stay as they were" in server.log, "the complaint")
        self.assertEqual(status(WRITER), 200)

    def test_tokens_that_changed_take_effect_at_start(self):
        server = self.server().start()
        self.end(server)
        server.start(READER="third-0123456789abcdef0123456789")
        self.assertEqual(server.call("GET", "/kafka-replicator/", token=READER).status, 401)
        self.assertEqual(server.call("GET", "/kafka-replicator/", token="third-0123456789abcdef0123456789").status, 200)


class Start(FolderCase):
    def refused(self, server, *parts, **more_environment):
        text = self.run_program(*server.arguments, status=1, **more_environment)
        for part in parts:
            self.assertIn(part, text)

    def test_the_configuration_is_missing(self):
        text = self.run_program(status=1)
        self.assertIn("replicatord.yaml", text)
        self.assertIn("-c FILE", text)
        self.assertIn("--memory", text)
        self.run_program("-c", "elsewhere.yaml", status=1)

    def test_the_configuration_is_wrong_in_several_places(self):
        file = self.folder / "replicatord.yaml"
        file.write_text("lisen: 127.0.0.1:0\norganizations: []\nfleets: [{name: dev, runner: simulat}]\n")
        text = self.run_program(status=1)
        self.assertIn("replicatord.yaml:1:1: lisen", text)
        self.assertIn("did you mean", text)
        self.assertIn("replicatord.yaml:3:30: fleets[0].runner", text)

    def test_check(self):
        server = self.server()
        self.assertIn("is good", self.run_program(*server.arguments, "--check", status=0))
        self.assertFalse((self.folder / "data").exists())
        server.config.write_text("fleets: 1\n")
        self.run_program(*server.arguments, "--check", status=1)

    def test_help_and_version(self):
        text = self.run_program("--help", status=0)
        for part in ("--memory", "--listen", "demo", "STREAMTIME_TOKEN"):
            self.assertIn(part, text)
        for arguments in (("--version",), ("-c", "x", "--version")):
            self.assertRegex(self.run_program(*arguments, status=0), r"^replicatord \d+\.\d+\.\d+\n$")
        self.assertIn("--memory", self.run_program("--memry", status=64))
        self.run_program("word", status=64)

    def test_the_port_is_taken(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            server = self.server(arguments=("--listen", f"127.0.0.1:{taken.getsockname()[1]}"))
            self.refused(server, "is in use")

    def test_a_second_one_on_the_same_data(self):
        server = self.server().start()
        self.refused(server, str(self.folder / "data"), str(server.process.pid))
        self.assertEqual(server.create("orders").status, 201)

    def test_the_folder_cannot_be_written_to(self):
        server = self.server()
        (self.folder / "data").write_text("a file in the way")
        self.refused(server, str(self.folder / "data"), "not a folder")

    def test_the_database_is_newer(self):
        server = self.server().start()
        self.end(server)
        with sqlite3.connect(self.folder / "data/replicatord.db") as db:
            db.execute("PRAGMA user_version = 99")
        self.refused(server, "replicatord.db", "99", "newer release")

    def test_the_database_is_none(self):
        server = self.server().start()
        self.end(server)
        for file in (self.folder / "data").glob("replicatord.db*"):
            file.write_bytes(b"not a database" * 1000)
        self.refused(server, "replicatord.db")

    def test_a_token_is_missing(self):
        server = self.server()
        self.refused(server, "token reader of organization acme", READER="")

    def test_a_fleet_with_replicators_is_gone(self):
        server = self.server().start()
        server.create("orders")
        self.end(server)
        server.config.write_text(server.config.read_text().replace("name: dev", "name: new"))
        self.refused(server, "fleet dev has 1 replicators")

    def test_it_listens_on_loopback_unless_told_otherwise(self):
        server = self.server()
        text = server.config.read_text()
        server.config.write_text(text.replace("listen: 127.0.0.1:0\n", ""))
        # Somebody else may have the default port; who it was tried for is what counts.
        process = subprocess.Popen([program(), *server.arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   env=environment())
        lines = read_until_listening(process)
        if lines:
            self.assertEqual(lines[0], "listening on http://127.0.0.1:8480")
            process.terminate()
            process.wait(PATIENCE_S)
            process.stdout.close()
        else:
            self.assertIn(b"127.0.0.1:8480", process.stderr.read())
        process.stderr.close()


class Memory(FolderCase):
    def start(self, *arguments, **more_environment):
        variables = environment(**more_environment)
        if "STREAMTIME_TOKEN" not in more_environment:
            variables.pop("STREAMTIME_TOKEN", None)
        process = subprocess.Popen([program(), "--memory", "--listen", "127.0.0.1:0", *arguments],
                                   stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=self.folder, env=variables)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait, PATIENCE_S)
        self.addCleanup(process.terminate)
        return process, read_until_listening(process)

    def call(self, lines, method, path, token, body=None):
        connection = http.client.HTTPConnection(lines[0].removeprefix("listening on http://"), timeout=PATIENCE_S)
        connection.request(method, path, json.dumps(body) if body else None, {"Authorization": f"Bearer {token}"})
        response = connection.getresponse()
        result = response.status, json.loads(response.read())
        connection.close()
        return result

    def test_a_newcomer_needs_nothing_else(self):
        process, lines = self.start()
        text = "\n".join(lines)
        if "export" not in text:
            text += os.read(process.stdout.fileno(), 4096).decode()
        token = text.split("export STREAMTIME_TOKEN=")[1].split()[0]
        self.assertIn("organization demo", text)
        body = spec("orders", source_kafka_id="any", destination_kafka_id="other")
        status, answer = self.call(lines, "POST", "/organizations/demo/kafka-replicator/", token, body)
        self.assertEqual(status, 201, answer)
        self.assertEqual(answer["fleet"], "dev")
        self.assertEqual(os.listdir(self.folder), [])

    def test_the_token_of_the_environment(self):
        _, lines = self.start(STREAMTIME_TOKEN=WRITER)
        self.assertEqual(self.call(lines, "GET", "/organizations/demo/fleet/", WRITER)[0], 200)
        self.assertNotIn(WRITER, "".join(lines))

    def test_with_a_configuration(self):
        server = self.server()
        _, lines = self.start(*server.arguments)
        self.assertEqual(self.call(lines, "GET", "/organizations/acme/fleet/", WRITER)[0], 200)
        self.assertFalse((self.folder / "data").exists())


class Compat(FolderCase):
    FIELDS = {
        "no-observed-generation": ({"observed_generation"}, set()),
        "no-uid": ({"uid"}, set()),
        "no-created-at": ({"created_at"}, {"created_at"}),
        "no-operation-state": (set(), {"state", "error"}),
        "no-if-match": (set(), set()),
    }

    def look(self, *arguments):
        """The names in a replicator and in an operation, and the status of a PATCH whose If-Match is out of date."""
        with tempfile.TemporaryDirectory() as folder:
            server = Replicatord(folder, arguments=arguments).start()
            try:
                created = server.create("orders").body
                operation = server.reconcile("orders", 1, "k").body
                shown = server.wait_for("orders", "Healthy")
                listed = server.call("GET", "/kafka-replicator/").body["results"][0]
                patched = server.patch("orders", {"lag_alert_threshold": 1}, If_Match='"7"').status
                self.assertEqual({*created}, {*shown})
                self.assertEqual({*created}, {*listed})
                return {*created}, {*operation}, patched
            finally:
                server.end()

    def test_each_is_left_out_alone_and_all_together(self):
        replicator, operation, patched = self.look()
        self.assertEqual(patched, 412)
        for word, (fields, operation_fields) in self.FIELDS.items():
            with self.subTest(word):
                expected = (replicator - fields, operation - operation_fields, 200 if word == "no-if-match" else 412)
                self.assertEqual(self.look("--compat", word), expected)
        least = replicator - {"observed_generation", "uid", "created_at"}, {"id", "generation"}, 200
        self.assertEqual(self.look("--compat", "minimal"), least)
        self.assertEqual(self.look("--compat", ",".join(self.FIELDS)), least)

    def test_what_it_does_not_know(self):
        server = self.server(arguments=("--compat", "no-uid,no-body"))
        printed = self.run_program(*server.arguments, status=1)
        self.assertIn('--compat: "no-body" is nothing that can be left out', printed)

    def test_the_command_line_goes_before_the_file(self):
        server = self.server(arguments=("--compat", "no-uid"))
        server.config.write_text(server.config.read_text() + "compat: minimal\n")
        created = server.start().create("orders").body
        self.assertNotIn("uid", created)
        self.assertIn("created_at", created)


class Trouble(FolderCase):
    def test_a_full_disk(self):
        server = self.server(delay="100ms").start()
        server.create("orders")
        server.reconcile("orders", 1, "k")
        # No file of the program may grow any more.
        resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (1, resource.RLIM_INFINITY))
        answer = server.create("payments")
        self.assertEqual(answer.status, 500)
        self.assertEqual(list(answer.body), ["detail"])
        self.assertNotIn(str(self.folder), answer.text)
        wait_until(lambda: "cannot save what the fleets report" in server.log, "the complaint")
        self.assertEqual(server.get("orders").body["status"], "Provisioning")
        resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        server.wait_for("orders", "Healthy")
        self.assertEqual(server.get("payments").status, 404)
        self.assertEqual(server.create("payments").status, 201)
        self.assertEqual(server.call("GET", "/fleet/").body["results"][0]["room"], 998)

    def test_no_secret_is_logged(self):
        with running() as server:
            server.create("orders")
            server.call("GET", "/kafka-replicator/", token="wrong-0123456789abcdef")
            server.process.send_signal(signal.SIGHUP)
            wait_until(lambda: "tokens read anew" in server.log, "the reload")
            log = server.log
            for secret in (READER, WRITER, "wrong-0123456789abcdef"):
                self.assertNotIn(secret, log)
            database = b"".join(file.read_bytes() for file in (server.folder / "data").iterdir())
            self.assertNotIn(WRITER.encode(), database)


class Size(FolderCase):
    def measure(self, count):
        """Seconds of CPU to create so many, and to list them. Other programs on the machine do not count."""
        server = self.server(delay="0", capacity=100000, arguments=("--memory",)).start()
        used = lambda: int(pathlib.Path(f"/proc/{server.process.pid}/schedstat").read_text().split()[0]) / 1e9
        started = used()
        for number in range(count):
            self.assertEqual(server.create(f"r{number}").status, 201)
        created = used()
        page, seen = 1, 0
        while seen < count:
            body = server.call("GET", f"/kafka-replicator/?page_size=500&page={page}").body
            seen += len(body["results"])
            page += 1
        listed = used()
        self.end(server)
        return created - started, listed - created

    def test_ten_times_as_many_take_nowhere_near_a_hundred_times_the_work(self):
        few = self.measure(500)
        many = self.measure(5000)
        for name, small, large in zip(("create", "list"), few, many):
            self.assertLess(large, 40 * max(small, 0.002), f"{name}: {few} {many}")


if __name__ == "__main__":
    unittest.main()
