#!/usr/bin/env python3
"""A Git server that hangs, fails, or has not what is looked for; notes that are refused; a mirror that is damaged."""

import shutil
import socket
import subprocess
import sys
import time
import unittest

import githttp
from githttp import GitServer
from weirtest import DEADLINE_S, Site, document, main, wait_for

TWO = {"orders.yaml": document("orders-dr", lag_alert_threshold=1), "payments.yaml": document("payments-dr")}
NEWER = {"orders.yaml": document("orders-dr", lag_alert_threshold=2)}
PACK = "/git-upload-pack$"

# The fault, its parameters, and what is said about it.
BROKEN = {
    "hangs": ("hang", {}, "timed out|gave up after"),
    "hangs_after_its_headers": ("headers_only", {}, "timed out|gave up after"),
    "hangs_at_the_pack": ("hang", {"match": PACK}, "timed out|gave up after"),
    "drips": ("slow", {"interval_s": 0.2}, "timed out|gave up after"),
    "drips_the_pack": ("slow", {"interval_s": 0.2, "match": PACK}, "timed out|gave up after"),
    "never_ends": ("endless", {}, "more than|gave up after"),
    "cuts_the_list": ("cut", {"sent": 100}, "ended before|closed|broke|makes no sense"),
    "cuts_the_pack": ("cut", {"sent": 60, "match": PACK}, "ended before|closed|broke|pack|makes no sense"),
    "is_dumb": ("dumb", {}, "smart|dumb|Git"),
    "is_a_page": ("html", {}, "Git|text/html"),
    "401": ("status", {"code": 401}, "token"),
    "403": ("status", {"code": 403}, "403"),
    "404": ("status", {"code": 404}, "404|there is no"),
    "500": ("status", {"code": 500}, "500"),
    "503": ("status", {"code": 503, "headers": {"Retry-After": "1"}}, "503"),
}


class GitProgram:
    """The Git server as a program, which can be killed."""

    def __init__(self, folder):
        self.folder = folder
        self.port = 0
        self.start()

    def start(self):
        command = [sys.executable, githttp.__file__, self.folder, "--port", str(self.port)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.url = self.process.stdout.readline().strip().removeprefix("listening on ")
        self.port = int(self.url.rpartition(":")[2])

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    def __enter__(self):
        return self

    def __exit__(self, *_exception):
        self.kill()


class ServerTest(unittest.TestCase):
    """The first commit is in sync when the server begins to misbehave."""

    def check(self, s, words, begin, end):
        s.start()
        first = s.push(TWO)
        s.wait_status(first, "success", "^2 in sync")
        begin()
        second = s.push(NEWER)
        s.wait_log(f"the repository cannot be read error=.*({words})")
        wait_for(lambda: s.get("/readyz")[0] == 503, DEADLINE_S)
        self.assertEqual(s.get("/healthz")[0], 200)
        # What was accepted is still seen to.
        s.api.edit("payments-dr", fields={"topic_whitelist": "other"}, provision=True)
        s.wait_live("payments-dr", topic_whitelist="orders.*")
        self.assertEqual(s.api.get("orders-dr")["lag_alert_threshold"], 1)
        self.assertEqual(s.status(second), None)
        end()
        s.wake()
        s.wait_status(second, "success", r"^2 in sync \(1 changed\)$")
        self.assertEqual(s.api.get("orders-dr")["lag_alert_threshold"], 2)
        self.assertEqual(s.get("/readyz")[0], 200)
        self.assertEqual(s.api.requests(method="DELETE"), [])

    def test_a_repository_that_is_gone(self):
        with Site() as s:
            away = s.folder / "away.git"

            def begin():
                s.repository.bare.rename(away)
                s.repository.git("remote", "set-url", "origin", away)

            def end():
                away.rename(s.repository.bare)

            self.check(s, "there is no such folder", begin, end)

    def test_a_server_that_is_down(self):
        with Site() as s:
            server = s.stack.enter_context(GitProgram(s.repository.served))
            s.configure(source={"url": f"{server.url}/team.git"})
            self.check(s, "cannot be reached|connection broke|ended before|closed", server.kill, server.start)


def broken_case(mode, parameters, words):
    def test(self):
        with Site(http=True, source={"timeout": "2s"}) as s:
            self.check(
                s,
                words,
                lambda: s.git_server.fault(mode, times=None, **parameters),
                s.git_server.clear_faults,
            )

    return test


for name, row in BROKEN.items():
    setattr(ServerTest, f"test_a_server_that_{name}", broken_case(*row))


class RedirectTest(unittest.TestCase):
    def test_a_redirect_takes_the_token_nowhere(self):
        with Site(http=True) as s, GitServer(s.repository.served) as other:
            s.git_server.fault("redirect", times=None, url=other.url)
            s.start()
            sha = s.push(TWO)
            s.wait_log("the repository cannot be read error=.*redirect")
            self.assertEqual(other.requests(), [])
            s.git_server.clear_faults()
            s.wake()
            s.wait_status(sha, "success", "^2 in sync")
            self.assertEqual(other.requests(), [])


class TimeTest(unittest.TestCase):
    def test_a_deadline_holds(self):
        with Site(http=True, source={"timeout": "2s"}) as s:
            s.git_server.fault("slow", times=None, interval_s=0.2)
            started = time.monotonic()
            s.start()
            s.wait_log("the repository cannot be read")
            self.assertLess(time.monotonic() - started, 30)

    def test_a_server_that_hangs_does_not_hold_up_the_end(self):
        with Site(http=True, source={"timeout": "1h"}) as s:
            s.git_server.fault("hang", times=None)
            s.start()
            wait_for(lambda: s.git_server.count(fault="hang"), DEADLINE_S)
            started = time.monotonic()
            s.stop()
            self.assertLess(time.monotonic() - started, 30)

    def test_to_be_told_again_does_not_put_off_the_end(self):
        with Site(http=True, source={"timeout": "1h"}) as s:
            s.git_server.fault("hang", times=None)
            s.start()
            wait_for(lambda: s.git_server.count(fault="hang"), DEADLINE_S)

            def end():
                s.weir.terminate()
                try:
                    return s.weir.wait(0.3) == 0
                except subprocess.TimeoutExpired:
                    return False

            wait_for(end, DEADLINE_S)
            self.assertEqual(s.log().count("stopping signal="), 1)
            s.weir = None

    def test_a_port_that_accepts_and_says_nothing(self):
        with Site(source={"timeout": "2s"}) as s, socket.create_server(("127.0.0.1", 0)) as silent:
            s.configure(source={"url": f"http://127.0.0.1:{silent.getsockname()[1]}/team.git"})
            s.start()
            s.wait_log("the repository cannot be read error=.*timed out")


class MissingTest(unittest.TestCase):
    def sites(self, **more):
        for http in (False, True):
            with self.subTest(http=http), Site(http=http, **more) as s:
                yield s

    def test_an_empty_repository_gets_its_first_commit(self):
        for s in self.sites():
            s.start()
            s.wait_log("the repository has no commits; push one to branch main")
            self.assertEqual(s.get("/readyz")[0], 503)
            self.assertIn("no commits", s.get("/readyz")[1])
            self.assertEqual(s.api.requests(method="POST"), [])
            s.wait_status(s.push(TWO), "success", "^2 in sync")

    def test_a_branch_that_is_missing_comes_later(self):
        for s in self.sites(source={"branch": "release"}):
            sha = s.push(TWO)
            s.start()
            s.wait_log("there is no branch release; there are: main")
            self.assertEqual(s.api.requests(method="POST"), [])
            s.repository.git("push", "--quiet", "origin", "HEAD:refs/heads/release")
            s.wake()
            s.wait_status(sha, "success", "^2 in sync")

    def test_a_branch_that_is_deleted_deletes_nothing(self):
        with Site() as s:
            s.start()
            first = s.push(TWO)
            s.wait_status(first, "success", "^2 in sync")
            s.repository.git("push", "--quiet", "origin", "HEAD:refs/heads/other")
            s.repository.git("update-ref", "-d", "refs/heads/main", within=s.repository.bare)
            s.wake()
            s.wait_log("there is no branch main; there are: other")
            s.api.edit("orders-dr", fields={"lag_alert_threshold": 9}, provision=True)
            s.wait_live("orders-dr", lag_alert_threshold=1)
            s.stop()
            s.start()
            s.wait_log("there is no branch main")
            self.assertEqual(s.api.requests(method="DELETE"), [])
            self.assertEqual(s.api.get("payments-dr")["status"], "Healthy")
            s.wait_status(s.push(NEWER), "success", r"^2 in sync \(1 changed\)$")

    def test_a_path_that_is_missing_is_told_and_comes_later(self):
        for s in self.sites(source={"path": "elsewhere"}):
            first = s.push(TWO)
            s.start()
            s.wait_status(first, "failure", f"there is no folder elsewhere in commit {first[:7]}.*source.path")
            s.wait_log("the commit cannot be read")
            reads = s.metric("weir_source_reads_total")
            wait_for(lambda: s.metric("weir_source_reads_total") >= reads + 2, DEADLINE_S)
            self.assertEqual(s.log().count("there is no folder elsewhere"), 1)
            self.assertEqual(s.api.requests(method="POST"), [])
            second = s.push({"../elsewhere/orders.yaml": TWO["orders.yaml"]})
            s.wait_status(second, "success", "^1 in sync")

    def test_a_path_that_goes_deletes_nothing(self):
        with Site() as s:
            s.start()
            s.wait_status(s.push(TWO), "success", "^2 in sync")
            second = s.push({"orders.yaml": None, "payments.yaml": None, "../README": "empty\n"})
            s.wait_status(second, "failure", "there is no folder replicators")
            s.wait_pass(2)
            self.assertEqual(s.api.requests(method="DELETE"), [])
            self.assertEqual(s.api.get("payments-dr")["status"], "Healthy")
            s.wait_status(s.push(TWO), "success", "^2 in sync")

    def test_the_whole_repository_can_be_the_path(self):
        for s in self.sites(source={"path": ""}):
            s.start()
            s.wait_status(s.push(TWO | {"../.github/workflow.yaml": "on: push\n"}), "success", "^2 in sync")


class NotesTest(unittest.TestCase):
    def test_a_server_that_takes_no_notes_holds_up_nothing(self):
        with Site(http=True) as s:
            s.git_server.fault("status", times=None, match="git-receive-pack", code=403)
            s.start()
            sha = s.push(TWO)
            wait_for(lambda: (s.api.get("orders-dr") or {}).get("status") == "Healthy", DEADLINE_S)
            wait_for(lambda: s.metric("weir_status_post_failures_total") > 0, DEADLINE_S)
            self.assertEqual(s.metric("weir_ready"), 1)
            self.assertIn("not posted yet", s.cli("status"))
            s.git_server.clear_faults()
            s.wake()
            s.wait_status(sha, "success", "^2 in sync")

    def test_a_push_whose_answer_is_lost_is_read_back(self):
        with Site(http=True) as s:
            s.git_server.fault("cut", times=3, match="/git-receive-pack$")
            s.start()
            sha = s.push(TWO)
            s.wait_status(sha, "success", "^2 in sync")
            s.wait_status(sha, "success", "^no drift$", "drift")
            wait_for(lambda: "not posted" not in s.cli("status"), DEADLINE_S)
            self.assertEqual(len(s.repository.note(sha)), 2)

    def test_notes_of_others_stay(self):
        with Site() as s:
            s.start()
            sha = s.push(TWO)
            wait_for(lambda: s.status(sha), DEADLINE_S)
            notes = ["notes", "--ref=weir/acme", "append", "-m", "success weir/other/sync 1 in sync", sha]
            wait_for(lambda: s.repository.run(*notes, within=s.repository.bare).returncode == 0, DEADLINE_S)
            s.wait_status(sha, "success", "^2 in sync")
            second = s.push(NEWER)
            s.wait_status(second, "success", "^2 in sync")
            self.assertEqual(s.repository.note(sha)["weir/other/sync"], ("success", "1 in sync"))

    def test_without_a_forge_the_statuses_stay_in_the_store(self):
        with Site(forge={"type": "none"}) as s:
            s.start()
            sha = s.push(TWO)
            wait_for(lambda: (s.api.get("orders-dr") or {}).get("status") == "Healthy", DEADLINE_S)
            wait_for(lambda: "2 in sync" in s.cli("status"), DEADLINE_S)
            self.assertEqual(s.repository.note(sha), {})

    def test_another_ref_can_have_the_notes(self):
        with Site(forge={"ref": "refs/notes/statuses"}) as s:
            s.start()
            sha = s.push(TWO)
            wait_for(
                lambda: s.repository.note(sha, "refs/notes/statuses").get("weir/acme/sync", ("",))[0] == "success",
                DEADLINE_S,
            )
            self.assertEqual(s.repository.note(sha), {})


class MirrorTest(unittest.TestCase):
    """The mirror is a cache."""

    def test_damaged_while_it_runs(self):
        with Site() as s:
            s.start()
            s.wait_status(s.push(TWO), "success", "^2 in sync")
            damage_objects(s, lambda file: file.unlink())
            s.wait_status(s.push(NEWER), "success", r"^2 in sync \(1 changed\)$")


def damage_objects(s, how):
    for file in [file for file in (s.state / "mirror" / "git" / "objects").rglob("*") if file.is_file()]:
        file.chmod(0o600)
        how(file)


DAMAGES = {
    "lost": lambda s: shutil.rmtree(s.state / "mirror"),
    "without_objects": lambda s: damage_objects(s, lambda file: file.unlink()),
    "with_cut_objects": lambda s: damage_objects(s, lambda file: file.write_bytes(file.read_bytes()[:20])),
    "with_zeroed_objects": lambda s: damage_objects(s, lambda file: file.write_bytes(bytes(file.stat().st_size))),
}


def damage_case(damage):
    def test(self):
        with Site() as s:
            s.start()
            s.wait_status(s.push(TWO), "success", "^2 in sync")
            s.stop()
            damage(s)
            s.start()
            s.wait_status(s.push(NEWER), "success", r"^2 in sync \(1 changed\)$")
            self.assertEqual(s.api.started("payments-dr"), {1: 1})

    return test


for name, damage in DAMAGES.items():
    setattr(MirrorTest, f"test_{name}", damage_case(damage))


if __name__ == "__main__":
    main()
