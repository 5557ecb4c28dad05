#!/usr/bin/env python3
"""Fetching and pushing notes over smart HTTP, from servers that work and from servers that do not."""

import contextlib
import threading
import time

from githttp import GitServer
from sourcetest import DEADLINE_S, FRUGAL, Failure, Probe, SourceTest
from weirtest import main


class Fetch(SourceTest):
    def test_first_then_same_then_forward_then_rewound(self):
        probe = self.probe()
        self.assertEqual(probe.fetch(), [self.first, "first", "add a"])
        self.assertEqual(probe.fetch(self.first)[1], "same")
        second = self.commit("b")
        self.assertEqual(probe.fetch(self.first)[:2], [second, "forward"])
        self.assertEqual(probe.ask("load", second), ["a", "b"])
        self.git("reset", "--quiet", "--hard", "HEAD~1", within=self.work)
        third = self.commit("c")
        self.assertEqual(probe.fetch(second)[:2], [third, "rewound"])
        self.assertEqual(probe.ask("load", third), ["a", "c"])

    def test_a_long_history_that_went_another_way_is_negotiated(self):
        probe = self.probe()
        for i in range(30):
            self.git("commit", "--quiet", "--allow-empty", "-m", str(i), within=self.work)
        tip = self.commit("b")
        probe.fetch()
        self.git("reset", "--quiet", "--hard", "HEAD~25", within=self.work)
        for i in range(30):
            self.git("commit", "--quiet", "--allow-empty", "-m", f"other {i}", within=self.work)
        head = self.commit("c")
        self.assertEqual(probe.fetch(tip)[:2], [head, "rewound"])
        self.assertEqual(probe.ask("load", head), ["a", "c"])

    def test_one_request_when_there_is_nothing_new(self):
        probe = self.probe()
        probe.fetch()
        before = self.server.count()
        probe.fetch(self.first)
        self.assertEqual(self.server.count() - before, 1)

    def test_missing_branch_and_empty_repository(self):
        probe = self.probe()
        self.git("branch", "--move", "main", "prod", within=self.bare)
        self.fails("not-found", "there is no branch main; there are: prod", probe.fetch)
        self.git("branch", "--delete", "--force", "prod", within=self.bare)
        self.fails("not-found", "no commits; push one to branch main", probe.fetch)

    def test_a_branch_that_stands_at_no_commit_is_said_and_not_cloned_again(self):
        probe = self.probe()
        probe.fetch()
        ref = self.bare / "refs" / "heads" / "main"
        ref.write_text(self.git("rev-parse", f"{self.first}^{{tree}}", within=self.bare) + "\n")
        for _ in range(2):
            before = self.server.count("POST", "/git-upload-pack$")
            self.fails("remote", "branch main stands at a tree, not at a commit; set it to one", probe.fetch)
            self.assertLessEqual(self.server.count("POST", "/git-upload-pack$") - before, 1)
        ref.write_text(self.first + "\n")
        self.assertEqual(probe.fetch()[0], self.first)

    def test_a_repository_that_is_not_there(self):
        probe = self.probe(self.server.url + "/other.git")
        self.fails("not-found", r"HTTP 404.*set source\.token", probe.fetch)

    def test_nobody_listens(self):
        probe = self.probe("http://127.0.0.1:9/team.git")
        self.fails("unavailable", "127.0.0.1", probe.fetch, retriable=True)

    def test_a_cut_answer_is_retriable_and_the_next_fetch_works(self):
        probe = self.probe()
        for path, sent in (("info/refs", 0), ("info/refs", 60), ("/git-upload-pack$", 0), ("/git-upload-pack$", 100)):
            self.server.fault("cut", match=path, sent=sent)
            with self.assertRaises(Failure) as caught:
                probe.fetch()
            self.assertTrue(caught.exception.retriable, caught.exception)
        self.assertEqual(probe.fetch()[0], self.first)

    def test_statuses(self):
        probe = self.probe()
        for code, name, retriable in (
            (403, "denied", False),
            (404, "not-found", False),
            (410, "not-found", False),
            (429, "unavailable", True),
            (500, "unavailable", True),
            (503, "unavailable", True),
            (418, "remote", False),
        ):
            self.server.fault("status", code=code)
            self.fails(name, f"HTTP {code}", probe.fetch, retriable=retriable)
        self.server.fault("status", code=502, match="/git-upload-pack$")
        self.fails("unavailable", "HTTP 502", probe.fetch, retriable=True)
        probe.fetch()

    def test_a_web_page_and_a_dumb_server(self):
        probe = self.probe()
        self.server.fault("html")
        self.fails("remote", r"web page.*check source\.url", probe.fetch)
        self.server.fault("dumb", match="info/refs")
        self.fails("remote", "'dumb' server", probe.fetch)

    def test_sha256_is_refused_by_name(self):
        new = self.folder / "served" / "new.git"
        self.git("init", "--quiet", "--bare", "--object-format=sha256", new)
        tree = self.git("mktree", within=new)
        commit = self.git("commit-tree", "-m", "first", tree, within=new)
        self.git("update-ref", "refs/heads/main", commit, within=new)
        probe = self.probe(self.server.url + "/new.git")
        self.fails("remote", "SHA-256", probe.fetch)


class Hanging(SourceTest):
    def test_no_answer(self):
        self.server.fault("hang", times=None)
        self.fails_in_time("gave up after 1s with 0 bytes received", self.probe(timeout_ms=1000))

    def test_headers_only(self):
        self.server.fault("headers_only", times=None)
        self.fails_in_time("gave up after 1s with 0 bytes received", self.probe(timeout_ms=1000))

    def test_a_byte_every_now_and_then(self):
        self.server.fault("slow", times=None, interval_s=0.2)
        self.fails_in_time("gave up after 15s with [1-9][0-9]* bytes received", self.probe(timeout_ms=15000), 15)

    def test_references_without_end(self):
        self.server.fault("endless", times=None)
        self.fails("limit", "sends more than 67108864 bytes", self.probe().fetch)

    def test_the_pack_never_comes(self):
        self.server.fault("hang", times=None, match="/git-upload-pack$")
        self.fails_in_time("gave up after 15s with [1-9][0-9]* bytes received", self.probe(timeout_ms=15000), 15)

    def test_the_pack_drips(self):
        self.server.fault("slow", times=None, match="/git-upload-pack$", interval_s=0.1)
        self.fails_in_time("gave up after 15s with [1-9][0-9]* bytes received", self.probe(timeout_ms=15000), 15)

    def test_killed_in_the_middle_and_started_again(self):
        self.server.fault("slow", match="/git-upload-pack$", interval_s=0.01)
        killed = Probe(self.url, self.folder / "mirror")
        killed.process.stdin.write("fetch\n")
        killed.process.stdin.flush()
        pack = self.folder / "mirror" / "git" / "objects" / "pack"
        until = time.monotonic() + DEADLINE_S
        while not any(pack.glob("pack_git2_*")) and time.monotonic() < until:
            time.sleep(0.01)
        killed.process.kill()
        killed.process.communicate()
        self.assertTrue(any(pack.glob("pack_git2_*")))
        (self.folder / "mirror" / "git" / "refs" / "heads" / "main.lock").touch()
        probe = self.probe()
        probe.ask("rss")  # it is open by then
        self.assertFalse(any(pack.glob("pack_git2_*")))
        self.assertEqual(probe.fetch()[0], self.first)


class Redirects(SourceTest):
    token = "t0ken"

    def test_it_is_named_and_never_followed(self):
        with GitServer(self.folder / "served") as elsewhere:
            probe = self.probe(token_ref="env:GIT_TOKEN", environment={"GIT_TOKEN": "t0ken"})
            for code in (301, 302, 303, 307, 308):
                self.server.fault("redirect", url=elsewhere.url, code=code)
                self.fails("remote", f"redirects to {elsewhere.url}/team.git, .*source.url", probe.fetch)
            self.server.fault("redirect", url=elsewhere.url, match="/git-upload-pack$")
            self.fails("remote", f"redirects to {elsewhere.url}/team.git/git-upload-pack,", probe.fetch)
            self.assertEqual(elsewhere.count(), 0)
            probe.fetch()


class Tokens(SourceTest):
    token = "t0ken"

    def test_wanted_and_not_given(self):
        self.fails("auth", r"wants a token; set source\.token", self.probe().fetch)

    def test_refused(self):
        probe = self.probe(token_ref="env:GIT_TOKEN", environment={"GIT_TOKEN": "s3cr3t"})
        with self.assertRaises(Failure) as caught:
            probe.fetch()
        self.assertEqual(caught.exception.name, "auth")
        self.assertIn("refuses the token", caught.exception.message)
        self.assertNotIn("s3cr3t", caught.exception.message)

    def test_read_anew_for_each_fetch(self):
        (self.folder / "token").write_text("old\n")
        probe = self.probe(token_ref=f"file:{self.folder}/token")
        self.fails("auth", "refuses the token", probe.fetch)
        (self.folder / "token").write_text("t0ken\n")
        self.assertEqual(probe.fetch()[0], self.first)
        (self.folder / "token").unlink()
        with self.assertRaises(Failure):
            probe.fetch()


class Notes(SourceTest):
    def note(self, sha):
        return self.git("notes", "--ref=weir/acme", "show", sha, within=self.bare)

    def test_pushed_and_replaced(self):
        probe = self.probe()
        probe.fetch()
        probe.ask("note", self.first, "1 in sync")
        self.assertEqual(self.note(self.first), "success weir/acme/sync 1 in sync")
        pushes = self.server.count("POST", "/git-receive-pack$")
        probe.ask("note", self.first, "1 in sync")
        self.assertEqual(self.server.count("POST", "/git-receive-pack$"), pushes)
        probe.ask("note", self.first, "2 in sync")
        self.assertEqual(self.note(self.first), "success weir/acme/sync 2 in sync")

    def test_somebody_pushes_between_our_look_and_our_push(self):
        probe = self.probe()
        probe.fetch()
        self.server.fault("hold", match="/git-receive-pack$")
        asking = threading.Thread(target=probe.ask, args=("note", self.first, "1 in sync"))
        asking.start()
        until = time.monotonic() + DEADLINE_S
        while not self.server.count("POST", "/git-receive-pack$", held=True) and time.monotonic() < until:
            time.sleep(0.01)
        self.git("notes", "--ref=weir/acme", "add", "-m", "a rival", self.first, within=self.bare)
        self.server.release()
        asking.join(DEADLINE_S)
        self.assertEqual(self.note(self.first), "a rival\nsuccess weir/acme/sync 1 in sync")

    def test_the_answer_to_a_push_is_lost(self):
        probe = self.probe()
        probe.fetch()
        self.server.fault("cut", match="/git-receive-pack$", sent=0)
        with self.assertRaises(Failure) as caught:
            probe.ask("note", self.first, "1 in sync")
        self.assertTrue(caught.exception.retriable)
        probe.ask("note", self.first, "1 in sync")
        self.assertEqual(self.git("rev-list", "--count", "refs/notes/weir/acme", within=self.bare), "1")

    def test_a_push_that_hangs(self):
        with contextlib.closing(self.probe()) as patient:
            patient.fetch()
        probe = self.probe(timeout_ms=1500)
        self.server.fault("hang", match="/git-receive-pack$")
        self.fails("timeout", "gave up after 1s500ms", probe.ask, "note", self.first, "x", retriable=True)

    def test_nothing_else_is_held_up_when_notes_are_refused(self):
        self.server.push = False
        probe = self.probe()
        probe.fetch()
        self.fails("denied", "HTTP 403", probe.ask, "note", self.first, "1 in sync")
        self.assertEqual(probe.fetch(self.first)[1], "same")
        for code in (401, 404):
            self.server.fault("status", code=code, match="receive-pack")
            self.fails("denied", f"HTTP {code}", probe.ask, "note", self.first, "1 in sync")


class Memory(SourceTest):
    def test_stays_where_it_is_over_five_hundred_fetches(self):
        probe = self.probe(environment=FRUGAL)
        for _ in range(100):
            probe.fetch(self.first)
        before = int(probe.ask("rss")[0])
        for _ in range(400):
            probe.fetch(self.first)
        after = int(probe.ask("rss")[0])
        self.assertLess(after - before, 4096, f"{before} kB, then {after} kB")


if __name__ == "__main__":
    main()
