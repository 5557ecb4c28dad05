#!/usr/bin/env python3
"""Statuses on a forge that is not as it should be: refused, limited, away, full."""

import contextlib
import sqlite3
import time
import unittest

from weirtest import DEADLINE_S, Site, document, main, wait_for

# pylint: disable=wrong-import-order
from forge import TOKEN, FakeForge

SYNC = "weir/acme/sync"
DRIFT = "weir/acme/drift"
ONE = {"orders.yaml": document("orders-dr")}
BROKEN = {"orders.yaml": "apiVersion: weir/v1\n  kind: nothing\n"}


def site(forge, **keys):
    section = {"type": "github", "url": forge.url, "repository": "acme/flows", "token": "env:FORGE_TOKEN"} | keys
    made = Site(forge=section, environment={"FORGE_TOKEN": TOKEN})
    made.canaries.add(TOKEN)
    return made


def wait_latest(forge, sha, state, kind=SYNC, deadline_s=DEADLINE_S):
    return wait_for(
        lambda: (found := forge.latest(sha, kind)) and found[0] == state and found,
        deadline_s,
        f"{kind} to be {state}",
    )[1]


class ForgeTest(unittest.TestCase):
    def test_statuses_arrive_and_the_repository_gets_no_notes(self):
        with FakeForge() as forge, site(forge) as s:
            s.start()
            sha = s.push(ONE)
            self.assertEqual(wait_latest(forge, sha, "success"), "1 in sync (1 changed)")
            wait_latest(forge, sha, "success", DRIFT)
            self.assertEqual(s.repository.note(sha), {})
            self.assertEqual({status for _, _, status in forge.requests}, {201})

    def test_an_unchanged_state_costs_no_call(self):
        with FakeForge() as forge, site(forge) as s:
            s.start()
            wait_latest(forge, s.push(ONE), "success", DRIFT)
            before = forge.count()
            s.wait_pass(3)
            s.stop()
            s.start()
            s.wait_pass(3)
            self.assertEqual(forge.count(), before)

    def test_long_texts_and_rare_letters_are_made_to_fit(self):
        with FakeForge() as forge, site(forge) as s:
            s.start()
            files = {f"{'x' * 60}-\U0001f600-{'y' * 60}.yaml": document("orders-dr", provider="M\U0001f600" * 80)}
            text = wait_latest(forge, s.push(files), "failure")
            self.assertLessEqual(len(text), 140)
            self.assertEqual(forge.count(422), 0)

    def test_a_refused_token_is_said_and_a_new_one_is_taken(self):
        with FakeForge(token="another") as forge, site(forge, token="file:/dev/null") as s:
            file = s.folder / "forge-token"
            file.write_text(TOKEN + "\n")
            s.configure(forge={"token": f"file:{file}"})
            s.start()
            sha = s.push(ONE)
            s.wait_log("the token is refused: Bad credentials; put a valid one where forge.token says")
            wait_for(lambda: (s.api.get("orders-dr") or {}).get("status") == "Healthy", DEADLINE_S)
            file.write_text("another")
            wait_latest(forge, sha, "success")

    def test_a_rate_limit_is_waited_for(self):
        with FakeForge() as forge, site(forge) as s:
            forge.fail(403, {"Retry-After": "3"}, {"message": "You have exceeded a secondary rate limit"})
            s.start()
            started = time.monotonic()
            sha = s.push(ONE)
            wait_latest(forge, sha, "success")
            self.assertGreater(time.monotonic() - started, 2.9)
            self.assertEqual(forge.count(403), 1)
            s.wait_log("rate limit: You have exceeded a secondary rate limit; statuses wait until")

    def test_a_forge_that_fails_holds_up_no_work_and_loses_no_status(self):
        with FakeForge() as forge, site(forge) as s:
            forge.fail(502, times=2)
            s.start()
            sha = s.push(ONE)
            wait_for(lambda: (s.api.get("orders-dr") or {}).get("status") == "Healthy", DEADLINE_S)
            wait_latest(forge, sha, "success")
            self.assertGreaterEqual(s.metric("weir_status_post_failures_total"), 2)

    def test_a_commit_that_the_forge_has_not_is_told_once(self):
        with FakeForge(commits={"0" * 40}) as forge, site(forge) as s:
            s.start()
            sha = s.push(ONE)
            s.wait_log(f"No commit found for SHA: {sha}")
            wait_for(lambda: "1 in sync" in s.cli("status"), DEADLINE_S)
            s.wait_pass(3)
            s.stop()
            s.start()
            s.wait_pass(3)
            texts = [raw for _, raw, _ in forge.requests]
            self.assertEqual(len(texts), len(set(texts)))

    def test_a_context_that_is_full_keeps_its_last_status(self):
        with FakeForge(most=1) as forge, site(forge) as s:
            s.start()
            sha = s.push(ONE)
            s.wait_log("reached the maximum number of statuses.; the commit keeps its last status")
            second = s.push(BROKEN)
            wait_for(lambda: forge.latest(second, SYNC), DEADLINE_S)
            self.assertLessEqual(sum(sha in path for path, _, status in forge.requests if status == 422), 2)

    def test_a_commit_that_nearly_has_all_it_may_gets_no_more(self):
        with FakeForge() as forge, site(forge) as s:
            s.start()
            sha = s.push(ONE)
            wait_latest(forge, sha, "success", DRIFT)
            s.stop()
            with contextlib.closing(sqlite3.connect(s.state / "weir.db")) as store, store:
                [(posts,)] = store.execute("SELECT posts FROM outbox WHERE context = ?", [DRIFT])
                self.assertEqual(posts, len(forge.statuses[sha, DRIFT]))
                store.execute("UPDATE outbox SET posts = 990 WHERE context = ?", [DRIFT])
            s.api.edit("orders-dr", remove=True)
            s.start()
            s.wait_log(f"{DRIFT} on {sha[:7]} has had 990 statuses, and a commit takes 1000: it gets no more")
            s.wait_live("orders-dr", status="Healthy")
            self.assertEqual(len(forge.statuses[sha, DRIFT]), posts)
            wait_latest(forge, s.push(BROKEN), "failure")

    def test_killed_before_a_post_it_is_made_good(self):
        with FakeForge() as forge, site(forge) as s:
            forge.fail(503, times=1)
            s.start()
            sha = s.push(ONE)
            wait_for(lambda: forge.count(503), DEADLINE_S)
            s.kill()
            s.start()
            wait_latest(forge, sha, "success")


if __name__ == "__main__":
    main()
