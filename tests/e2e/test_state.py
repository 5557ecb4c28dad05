#!/usr/bin/env python3
"""`weir state`: copies of the store while the daemon works on it, and back."""

import json
import sqlite3
import stat
import threading
import unittest

from weirtest import Site, document, main

TWO = {"orders.yaml": document("orders-dr", lag_alert_threshold=1), "payments.yaml": document("payments-dr")}


def in_sync(s, files=TWO):
    s.start()
    sha = s.push(files)
    s.wait_status(sha, "success", "in sync")
    s.wait_pass()
    return sha


def query(file, sql, *values):
    with sqlite3.connect(file) as db:
        rows = db.execute(sql, values).fetchall()
    db.close()
    return rows


class BackupTest(unittest.TestCase):
    def test_it_is_whole_while_the_daemon_works(self):
        with Site() as s:
            in_sync(s)
            stop = threading.Event()

            def work():
                n = 0
                while not stop.is_set():
                    s.cli("suspend", "orders-dr", "--reason", f"round {n}")
                    n += 1

            worker = threading.Thread(target=work)
            worker.start()
            try:
                for i in range(5):
                    file = s.folder / f"copy-{i}"
                    self.assertIn(f"is copied to {file}", s.cli("state", "backup", file))
                    self.assertEqual(query(file, "PRAGMA integrity_check"), [("ok",)])
                    self.assertEqual(query(file, "SELECT name FROM inventory ORDER BY name"), [("orders-dr",), ("payments-dr",)])
                    self.assertEqual(stat.S_IMODE(file.stat().st_mode), 0o600)
            finally:
                stop.set()
                worker.join()

    def test_no_file_is_written_over(self):
        with Site() as s:
            in_sync(s)
            file = s.folder / "copy"
            file.write_text("mine")
            self.assertIn("is there already", s.cli("state", "backup", file, status=1))
            self.assertEqual(file.read_text(), "mine")
            self.assertRegex(s.cli("state", "backup", s.folder / "nowhere" / "copy", status=1), "cannot create .*nowhere/copy")

    def test_without_a_store_there_is_nothing_to_copy(self):
        with Site() as s:
            self.assertIn("no store in", s.cli("state", "backup", s.folder / "copy", status=1))
            self.assertFalse((s.folder / "copy").exists())

    def test_the_command_line_is_checked(self):
        with Site() as s:
            self.assertIn("must be backup or restore", s.cli("state", "remove", "x", status=64))
            s.cli("state", "backup", status=64)
            s.cli("state", status=64)


class RestoreTest(unittest.TestCase):
    def test_what_is_restored_is_as_it_was_copied(self):
        with Site() as s:
            in_sync(s)
            s.cli("suspend", "orders-dr", "--reason", "before")
            copy = s.folder / "copy"
            s.cli("state", "backup", copy)
            s.cli("resume", "orders-dr")
            s.stop()
            text = s.cli("state", "restore", copy)
            kept = next(f for f in s.state.glob("weir.db.before-*") if f.name.endswith("Z"))
            self.assertIn(f"what was there is kept as {kept}", text)
            self.assertEqual(json.loads(s.cli("explain", "orders-dr", "-o", "json"))["suspension"]["reason"], "before")
            self.assertEqual(query(kept, "SELECT count(*) FROM suspension"), [(0,)])
            self.assertEqual(query(copy, "SELECT count(*) FROM suspension"), [(1,)])
            s.api.reset("requests")
            s.start()
            s.wait_pass()
            self.assertEqual([r for r in s.api.requests() if r["method"] != "GET"], [])

    def test_what_a_crash_left_in_the_log_is_kept_and_not_mixed_in(self):
        with Site() as s:
            in_sync(s)
            copy = s.folder / "copy"
            s.cli("state", "backup", copy)
            s.cli("suspend", "orders-dr", "--reason", "after")
            s.kill()
            self.assertGreater((s.state / "weir.db-wal").stat().st_size, 0)
            s.cli("state", "restore", copy)
            self.assertEqual(json.loads(s.cli("explain", "orders-dr", "-o", "json"))["suspension"], None)
            kept = next(f for f in s.state.glob("weir.db.before-*") if f.name.endswith("Z"))
            self.assertEqual(query(kept, "SELECT reason FROM suspension"), [("after",)])

    def test_into_an_empty_state(self):
        with Site() as s:
            in_sync(s)
            copy = s.folder / "copy"
            s.cli("state", "backup", copy)
            s.stop()
            s.state.rename(s.folder / "lost")
            said = s.cli("state", "restore", copy)
            self.assertIn("there was none before", said)
            self.assertNotIn("nothing is known yet", said)
            self.assertIn("No changes.", s.cli("plan"))

    def test_one_of_something_else_is_said_to_be_so(self):
        with Site() as s:
            in_sync(s)
            copy = s.folder / "copy"
            s.cli("state", "backup", copy)
            s.stop()
            s.configure(source={"branch": "other"})
            self.assertIn("for this one nothing is known yet", s.cli("state", "restore", copy))

    def test_a_store_that_is_damaged_is_replaced_and_kept(self):
        with Site() as s:
            in_sync(s)
            copy = s.folder / "copy"
            s.cli("state", "backup", copy)
            s.stop()
            (s.state / "weir.db").write_bytes(b"rubbish" * 1000)
            s.cli("status", status=1)
            self.assertIn("`weir state restore FILE` puts an earlier copy back", s.cli("state", "backup", s.folder / "b", status=1))
            s.cli("state", "restore", copy)
            self.assertIn("No changes.", s.cli("plan"))
            self.assertEqual(next(f for f in s.state.glob("weir.db.before-*") if f.name.endswith("Z")).read_bytes()[:7], b"rubbish")

    def test_not_while_the_daemon_runs(self):
        with Site() as s:
            in_sync(s)
            copy = s.folder / "copy"
            s.cli("state", "backup", copy)
            self.assertRegex(s.cli("state", "restore", copy, status=1), "a weir works on .*; stop it first")
            self.assertEqual(list(s.state.glob("weir.db.*")), [])

    def test_what_is_no_store_is_refused_and_nothing_changes(self):
        with Site() as s:
            in_sync(s)
            s.cli("state", "backup", s.folder / "good")
            s.stop()
            before = (s.state / "weir.db").read_bytes()
            (s.folder / "text").write_text("hello " * 1000)
            (s.folder / "empty").write_text("")
            query(s.folder / "other", "CREATE TABLE a (b)")
            good = (s.folder / "good").read_bytes()
            (s.folder / "cut").write_bytes(good[: len(good) // 2])
            (s.folder / "newer").write_bytes(good)
            query(s.folder / "newer", "PRAGMA user_version = 999")
            for name, words in (
                ("nowhere", "nowhere"),
                ("text", "is not a database; nothing was changed; name another copy"),
                ("empty", "no store of weir"),
                ("other", "no store of weir.*has no table value; nothing was changed; name another copy"),
                ("cut", "is damaged; nothing was changed; name another copy"),
                ("newer", "newer: .*of a newer release"),
                (".", "is no file; name the copy that"),
            ):
                self.assertRegex(s.cli("state", "restore", s.folder / name, status=1), words)
                self.assertEqual((s.state / "weir.db").read_bytes(), before)
                self.assertEqual(list(s.state.glob("weir.db.*")), [])


if __name__ == "__main__":
    main()
