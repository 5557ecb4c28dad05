#!/usr/bin/env python3
"""weir with Gitea: clone with a token, push, webhook, statuses read back, and what may go wrong between them."""

import shutil
import tempfile
import unittest

import build_gitea

build_gitea.need()

# pylint: disable=wrong-import-position
from gitea import USER, Gitea  # noqa: E402
from site_gitea import DEADLINE_S, GiteaSite, document, main, wait_for  # noqa: E402

ONE = {"orders.yaml": document("orders-dr")}
TWO = ONE | {"payments.yaml": document("payments-dr", topic_whitelist=["payments.*"])}


class GiteaTest(unittest.TestCase):
    def test_a_push_is_a_webhook_a_pass_and_statuses(self):
        with GiteaSite(GITEA) as s:
            s.start()
            sha = s.push(ONE)
            self.assertEqual(s.wait_status(sha, "success", "^1 in sync"), "1 in sync (1 changed)")
            s.wait_status(sha, "success", "^no drift", "drift")
            second = s.push(TWO)
            self.assertEqual(s.wait_status(second, "success", "^2 in sync"), "2 in sync (1 changed)")
            wait_for(lambda: s.metric("weir_webhooks_total", outcome="push") == 2, DEADLINE_S, "both webhooks")
            broken = s.push({"orders.yaml": document("orders-dr", topic_whitelst="x")})
            s.wait_status(broken, "failure", "did you mean topic_whitelist")

    def test_a_token_that_may_only_read_posts_nothing_and_holds_up_no_work(self):
        with GiteaSite(GITEA) as s:
            file = s.folder / "forge-token"
            file.write_text(GITEA.make_token(s.name, "read:repository"))
            s.canaries.add(file.read_text())
            s.configure(forge={"token": f"file:{file}"})
            s.start()
            sha = s.push(ONE)
            wait_for(lambda: (s.api.get("orders-dr") or {}).get("status") == "Healthy", DEADLINE_S)
            s.wait_log("the token may not set statuses on .*it needs the scope write:repository")
            self.assertIsNone(s.status(sha))
            file.write_text(GITEA.token)
            s.wait_status(sha, "success", "^1 in sync")

    def test_a_token_that_is_refused_is_said(self):
        with GiteaSite(GITEA) as s:
            s.environment["FORGE_TOKEN"] = "0" * 40
            s.configure(forge={"token": "env:FORGE_TOKEN"})
            s.start()
            s.push(ONE)
            s.wait_log("the token is refused: .*put a valid one where forge.token says")

    def test_a_repository_that_is_not_there_is_said(self):
        with GiteaSite(GITEA) as s:
            s.configure(forge={"repository": f"{USER}/nothing"})
            s.start()
            s.wait_log(rf"there is no commit \w{{7}} in {USER}/nothing, or the token may not see it")

    def test_a_webhook_that_is_lost_costs_the_interval_and_no_more(self):
        with GiteaSite(GITEA, hook=None, interval="2s") as s:
            s.start()
            s.wait_status(s.push(ONE), "success", "^1 in sync")

    def test_a_webhook_with_another_secret_is_refused(self):
        with GiteaSite(GITEA, secret="another") as s:
            s.start()
            reads = s.metric("weir_source_reads_total")
            s.push(ONE)
            wait_for(lambda: s.metric("weir_webhooks_total", outcome="refused"), DEADLINE_S)
            self.assertEqual(s.metric("weir_source_reads_total"), reads)

    def test_a_webhook_as_a_form_is_refused_with_what_to_set(self):
        with GiteaSite(GITEA, hook="form") as s:
            s.start()
            s.push(ONE)
            s.wait_log("set the webhook's to application/json")

    def test_a_webhook_for_another_branch_wakes_nobody(self):
        with GiteaSite(GITEA) as s:
            s.start()
            s.wait_status(s.push(ONE), "success", "^1 in sync")
            s.push(TWO, branch="other")
            s.wait_log("refs/heads/other is not the branch main")
            self.assertEqual(s.metric("weir_webhooks_total", outcome="push"), 1)


class RestartTest(unittest.TestCase):
    def test_a_forge_that_is_restarted_midway_gets_all_statuses(self):
        folder = tempfile.mkdtemp(prefix="weir-gitea-")
        try:
            with Gitea(folder) as gitea, GiteaSite(gitea, interval="1s") as s:
                s.start()
                s.wait_status(s.push(ONE), "success", "^1 in sync")
                s.api.rule("hold", method="POST", path="/reconcile/$")
                sha = s.push(TWO)
                s.wait_status(sha, "pending")
                gitea.stop()
                s.wait_log("the repository cannot be read|cannot be reached")
                s.api.release()
                wait_for(lambda: (s.api.get("payments-dr") or {}).get("status") == "Healthy", DEADLINE_S)
                gitea.start()
                s.wait_status(sha, "success", "^2 in sync")
        finally:
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="weir-gitea-") as shared, Gitea(shared) as GITEA:
        main()
