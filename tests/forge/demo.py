#!/usr/bin/env python3
"""weir with a forge between: what contrib/demo --forge shows."""

import argparse
import collections
import os
import signal
import sys
import tempfile
import time

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--bin", required=True, help="the folder of the programs")
parser.add_argument("--keep", action="store_true", help="stay up at the end")
arguments = parser.parse_args()
os.environ["WEIR_BIN"] = arguments.bin

# pylint: disable=wrong-import-position
from gitea import PASSWORD, USER, Gitea  # noqa: E402
from site_gitea import DEADLINE_S, GiteaSite, document  # noqa: E402

STATES = {"success": 32, "pending": 33, "failure": 31, "error": 31}
COLOURS = sys.stdout.isatty() and "NO_COLOR" not in os.environ
told = collections.Counter()  # statuses of a commit and a kind
ORDERS = document("orders-dr", lag_alert_threshold=10000, lag_alert_threshold_unit="messages")


def paint(text, colour):
    return f"\x1b[{colour}m{text}\x1b[0m" if COLOURS else text


def step(text):
    step.n = getattr(step, "n", 0) + 1
    print(f"\n{paint(f'{step.n}. {text}', 1)}", flush=True)


def say(text):
    print(f"   {text}", flush=True)


def push(site, files, message):
    sha = site.push(files, message)
    say(f"pushed {sha[:7]} {message}")
    return sha


def watch(site, sha, wanted, kind="sync"):
    """Prints each status of the commit that was not told yet, until one is what is wanted."""
    deadline = time.monotonic() + DEADLINE_S
    context = f"weir/acme/{kind}"
    while True:
        ever = site.gitea.statuses_ever(site.name, sha, context)
        for state, text in ever[told[sha, kind] :]:
            told[sha, kind] += 1
            say(f"{paint(state, STATES[state])} {context} {text}")
            if state == wanted:
                return
        if time.monotonic() > deadline:
            raise AssertionError(f"{kind} of {sha[:7]} did not become {wanted}; it was {ever}")
        time.sleep(0.05)


def show(site, gitea):
    step("A push: Gitea tells weir, and weir tells Gitea how far it is")
    files = {"orders.yaml": ORDERS, "payments.yaml": document("payments-dr", topic_whitelist=["payments.*"])}
    sha = push(site, files, "Copy orders and payments")
    watch(site, sha, "success")
    step("A mistake: its commit says which line")
    broken = files["payments.yaml"].replace("topic_whitelist", "topic_whitelst")
    watch(site, push(site, {"payments.yaml": broken}, "Tidy up payments"), "failure")
    sha = push(site, {"payments.yaml": files["payments.yaml"]}, "Put it right")
    watch(site, sha, "success")
    watch(site, sha, "success", "drift")
    step("A change behind Git's back: drift is told on the newest commit, and put right")
    generation = site.api.patch("orders-dr", {"lag_alert_threshold": 1}).json["generation"]
    if site.api.reconcile("orders-dr", generation, "by-hand").status == 409:
        say("weir put it right before it could be started")
    watch(site, sha, "failure", "drift")
    watch(site, sha, "success", "drift")
    say(f"they stand on {gitea.url}/{USER}/{site.name}/commits/branch/main")


def stay(site, gitea):
    try:
        step("Everything stays up until Ctrl-C")
        say(f"{gitea.url}/{USER}/{site.name}   user {USER}, password {PASSWORD}")
        say(f"edit replicators/orders.yaml there, commit, and see the status beside the commit")
        say(f"git clone {gitea.clone_url(site.name)}")
        say(f"{site.url}/metrics   logs in {site.logs}")
        site.weir.wait()
    except KeyboardInterrupt:
        print()


def main():
    step("Gitea, the API that runs replicators, and weir between them")
    with tempfile.TemporaryDirectory(prefix="weir-demo-forge.") as folder, Gitea(folder) as gitea:
        say(f"Gitea listens on {gitea.url}")
        with GiteaSite(gitea, server="replicatord", server_options={"delay": "1s"}) as site:
            site.configure(sync={"interval": "10s"})
            site.start()
            say(f"replicatord listens on {site.api.url}")
            say(f"weir listens on {site.url}; it looks at everything every 10 s, and at once when Gitea tells it of a push")
            show(site, gitea)
            if arguments.keep:
                stay(site, gitea)
    print(f"\n{paint('That was the loop, with a forge.', 32)} Click through it: contrib/demo --forge --keep")


signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
main()
