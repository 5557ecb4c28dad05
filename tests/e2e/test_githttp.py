#!/usr/bin/env python3
"""The Git server serves what git itself asks of it, and fails as it is told."""

import base64
import gzip
import http.client
import os
import pathlib
import subprocess
import tempfile
import threading
import time
import unittest

from githttp import GitServer

DEADLINE_S = 180


class ServerTest(unittest.TestCase):
    token = None
    push = True

    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        (self.folder / "served").mkdir()
        self.bare = self.folder / "served" / "team.git"
        self.work = self.folder / "work"
        self.git("init", "--quiet", "--bare", "--initial-branch=main", self.bare)
        self.git("init", "--quiet", "--initial-branch=main", self.work)
        self.commit("first", b"one\n")
        self.git("push", "--quiet", self.bare, "main", within=self.work)
        self.server = self.enterContext(GitServer(self.folder / "served", self.token, self.push))
        self.url = self.server.url + "/team.git"

    def run_git(self, *arguments, within=None, timeout_s=DEADLINE_S):
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.folder),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_TERMINAL_PROMPT": "0",
            **{f"GIT_{who}_{what}": "t@example.com" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
        }
        return subprocess.run(
            ["git", *arguments], cwd=within or self.folder, env=environment, capture_output=True, timeout=timeout_s
        )

    def git(self, *arguments, **more):
        done = self.run_git(*arguments, **more)
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        return done.stdout.decode().strip()

    def fails(self, words, *arguments, **more):
        done = self.run_git(*arguments, **more)
        self.assertNotEqual(done.returncode, 0)
        self.assertRegex(done.stderr.decode(), words)

    def commit(self, name, content):
        (self.work / name).write_bytes(content)
        self.git("add", name, within=self.work)
        self.git("commit", "--quiet", "--message", name, within=self.work)
        return self.head()

    def head(self, within=None):
        return self.git("rev-parse", "main", within=within or self.work)

    def ended(self, method, match):
        """The last such request, once the server is done with it: whoever asked may be so before."""
        deadline = time.monotonic() + DEADLINE_S
        while not (request := self.server.requests(method, match)[-1])["ended"]:
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.01)
        return request

    def get(self, path, method="GET", body=None, headers=(), timeout_s=DEADLINE_S):
        connection = http.client.HTTPConnection("127.0.0.1", self.server.server_port, timeout=timeout_s)
        try:
            connection.request(method, path, body, dict(headers))
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read()
        finally:
            connection.close()


class ServingTest(ServerTest):
    def test_clone_fetch_and_push(self):
        self.git("clone", "--quiet", self.url, "copy")
        self.assertEqual(self.head(self.folder / "copy"), self.head())
        pushed = self.commit("second", b"two\n")
        self.git("push", "--quiet", self.url, "main", within=self.work)
        self.assertEqual(self.head(self.bare), pushed)
        self.git("fetch", "--quiet", within=self.folder / "copy")
        self.assertEqual(self.git("rev-parse", "origin/main", within=self.folder / "copy"), pushed)
        self.assertEqual(self.server.count("GET", r"service=git-receive-pack$", status=200), 1)
        self.assertEqual(self.server.count("POST", r"/git-receive-pack$", status=200), 1)
        self.assertGreater(self.server.requests("POST", r"/git-upload-pack$")[0]["sent"], 100)

    def test_the_older_protocol_works(self):
        self.git("-c", "protocol.version=0", "clone", "--quiet", self.url, "copy")
        self.assertEqual(self.head(self.folder / "copy"), self.head())

    def test_a_large_push_comes_in_chunks(self):
        pushed = self.commit("large", os.urandom(3_000_000))
        self.git("-c", "http.postBuffer=65536", "push", "--quiet", self.url, "main", within=self.work)
        self.assertEqual(self.head(self.bare), pushed)
        self.assertGreater(self.ended("POST", r"/git-receive-pack$")["received"], 3_000_000)
        self.git("clone", "--quiet", self.url, "copy")
        self.git("fsck", "--strict", within=self.folder / "copy")

    def test_a_gzipped_body_is_understood(self):
        self.git("clone", "--quiet", self.url, "copy")
        want = f"want {self.head()} ofs-delta\n".encode()
        body = b"%04x%b00000009done\n" % (len(want) + 4, want)
        headers = {"Content-Type": "application/x-git-upload-pack-request"}
        path = "/team.git/git-upload-pack"
        plain = self.get(path, "POST", body, headers)
        zipped = self.get(path, "POST", gzip.compress(body), headers | {"Content-Encoding": "gzip"})
        self.assertEqual(plain[0], 200)
        self.assertIn(b"PACK", plain[2])
        self.assertEqual(zipped[2], plain[2])

    def test_what_is_not_there_is_404(self):
        self.fails("not found", "clone", "--quiet", self.server.url + "/other.git", "copy")
        self.assertEqual(self.get("/team.git/nothing")[0], 404)


class TokenTest(ServerTest):
    token = "t0ken"

    def test_the_token_is_taken_as_password_or_bearer(self):
        for header in (
            "Basic " + base64.b64encode(b"anybody:t0ken").decode(),
            "Bearer t0ken",
        ):
            self.git("-c", f"http.extraHeader=Authorization: {header}", "ls-remote", self.url)
        self.git("ls-remote", self.url.replace("://", "://user:t0ken@"))

    def test_without_it_nothing_is_served(self):
        for header in ("X: y", "Authorization: Bearer t0ke", "Authorization: Basic x", "Authorization: t0ken"):
            self.fails("Authentication|prompts", "-c", f"http.extraHeader={header}", "ls-remote", self.url)
        self.assertEqual(self.server.count(status=200), 0)
        self.assertEqual(self.get("/team.git/HEAD")[1]["WWW-Authenticate"], 'Basic realm="git"')


class ReadOnlyTest(ServerTest):
    push = False

    def test_a_push_is_refused_and_a_fetch_is_not(self):
        self.commit("second", b"two\n")
        self.fails("403", "push", "--quiet", self.url, "main", within=self.work)
        self.git("ls-remote", self.url)


class FaultTest(ServerTest):
    def test_a_fault_acts_on_what_matches_for_some_times(self):
        self.server.fault("status", times=2, match="info/refs", code=503, headers={"Retry-After": "7"})
        self.assertEqual(self.get("/team.git/HEAD")[0], 200)
        first = self.get("/team.git/info/refs")
        self.assertEqual((first[0], first[1]["Retry-After"]), (503, "7"))
        self.assertEqual([self.get("/team.git/info/refs")[0] for _ in range(2)], [503, 200])
        self.assertEqual(self.server.count(fault="status"), 2)

    def test_a_fault_without_end_acts_until_it_is_cleared(self):
        for code, words in ((401, "Authentication|prompts"), (403, "403"), (404, "not found"), (500, "500")):
            self.server.fault("status", times=None, code=code)
            self.fails(words, "ls-remote", self.url)
            self.server.clear_faults()
        self.git("ls-remote", self.url)

    def test_a_silent_server_is_waited_for(self):
        for mode in ("hang", "headers_only"):
            self.server.fault(mode)
            with self.assertRaises(TimeoutError):
                self.get("/team.git/info/refs?service=git-upload-pack", timeout_s=0.3)
        self.assertEqual([r["status"] for r in self.server.requests()], [None, 200])

    def test_a_slow_server_sends_byte_by_byte(self):
        self.server.fault("slow", interval_s=0.001)
        slow = self.get("/team.git/info/refs?service=git-upload-pack")
        self.assertEqual(slow[2], self.get("/team.git/info/refs?service=git-upload-pack")[2])
        self.server.fault("slow")
        with self.assertRaises(TimeoutError):
            self.get("/team.git/info/refs?service=git-upload-pack", timeout_s=0.3)

    def test_a_redirect_leads_to_the_other_origin(self):
        with GitServer(self.folder / "served") as other:
            self.server.fault("redirect", times=None, url=other.url)
            self.git("ls-remote", self.url)
            self.assertEqual(other.count("GET", "/team.git/info/refs"), 1)

    def test_a_pack_is_cut(self):
        self.commit("large", os.urandom(100_000))
        self.git("push", "--quiet", self.url, "main", within=self.work)
        self.server.fault("cut", match="/git-upload-pack$", times=None, sent=50_000)
        self.fails("early EOF|unexpected|hung up", "-c", "protocol.version=0", "clone", "--quiet", self.url, "copy")
        self.assertEqual(self.server.requests("POST", "/git-upload-pack$")[-1]["sent"], 50_000)
        self.server.clear_faults()
        self.git("clone", "--quiet", self.url, "copy")

    def test_an_answer_that_is_lost_leaves_the_effect(self):
        pushed = self.commit("second", b"two\n")
        self.server.fault("cut", match="/git-receive-pack$")
        self.fails("hung up|early|Empty reply|closed", "push", "--quiet", self.url, "main", within=self.work)
        self.assertEqual(self.head(self.bare), pushed)

    def test_a_dumb_server_lists_references_as_text(self):
        self.server.fault("dumb")
        status, headers, body = self.get("/team.git/info/refs?service=git-upload-pack")
        self.assertEqual((status, headers.get_content_type()), (200, "text/plain"))
        self.assertEqual(body.decode(), f"{self.head()}\trefs/heads/main\n")

    def test_a_page_for_people_is_no_repository(self):
        self.server.fault("html")
        status, headers, body = self.get("/team.git/info/refs?service=git-upload-pack")
        self.assertEqual((status, headers.get_content_type(), body[:9]), (200, "text/html", b"<!DOCTYPE"))

    def test_an_endless_list_does_not_end(self):
        self.server.fault("endless")
        connection = http.client.HTTPConnection("127.0.0.1", self.server.server_port, timeout=DEADLINE_S)
        connection.request("GET", "/team.git/info/refs?service=git-upload-pack")
        answer = connection.getresponse()
        self.assertEqual(len(answer.read(2_000_000)), 2_000_000)
        connection.close()

    def test_a_held_request_waits_until_it_is_released(self):
        self.server.fault("hold")
        answers = []
        thread = threading.Thread(target=lambda: answers.append(self.get("/team.git/HEAD")[0]))
        thread.start()
        deadline = time.monotonic() + DEADLINE_S
        while not self.server.count(held=True):
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.01)
        self.assertEqual(answers, [])
        self.server.release()
        thread.join()
        self.assertEqual(answers, [200])

    def test_a_fault_that_is_none_is_refused(self):
        with self.assertRaises(ValueError):
            self.server.fault("explode")


if __name__ == "__main__":
    unittest.main()
