#!/usr/bin/env python3
"""weir works on a commit within a second of the webhook by which Gitea tells of it. Run alone: it measures."""

import datetime
import re
import tempfile
import unittest

import build_gitea

build_gitea.need()

# pylint: disable=wrong-import-position
from gitea import Gitea  # noqa: E402
from site_gitea import DEADLINE_S, GiteaSite, document, main, wait_for  # noqa: E402

PROMPT_S = 1  # from Gitea's webhook until weir works on the commit; a twentieth where nothing else runs
STAMP = r"(?m)^(\S+Z) .*"


def seconds_since_webhook(log, sha):
    """How long before the line about the new commit the last webhook of a push came."""
    found = re.search(f"{STAMP}new commit commit={sha}", log)
    webhook = re.findall(f"{STAMP}outcome=push", log[: found.start()])[-1]
    return (datetime.datetime.fromisoformat(found[1]) - datetime.datetime.fromisoformat(webhook)).total_seconds()


class PromptTest(unittest.TestCase):
    def test_weir_works_on_a_commit_within_a_second_of_its_webhook(self):
        with tempfile.TemporaryDirectory(prefix="weir-gitea-") as folder, Gitea(folder) as gitea, GiteaSite(gitea) as s:
            s.start()
            took = []
            for threshold in range(1, 6):
                sha = s.push({"orders.yaml": document("orders-dr", lag_alert_threshold=threshold)})
                s.wait_status(sha, "success", "^1 in sync")
                took.append(seconds_since_webhook(s.log(), sha))
            wait_for(lambda: s.metric("weir_webhooks_total", outcome="push") == 5, DEADLINE_S, "all webhooks")
            print(f"from the webhook to the commit: {sorted(took)} s")
            self.assertLess(sorted(took)[len(took) // 2], PROMPT_S)


if __name__ == "__main__":
    main()
