#!/usr/bin/env python3
"""GitHub's own examples of webhooks, signed by GitHub's own library, are read as what they are; changed ones are not."""

import collections
import http.client
import json
import pathlib
import shutil
import sys
import urllib.parse

import contract

# pylint: disable=wrong-import-order
from weirtest import DEADLINE_S, Site

SECRET = "a secret that both know: grün"
EVENTS = ("push", "ping", "create")
BRANCH = "master"  # of those of the examples that are about a branch
AT_ONCE = 25
FEWEST = {"push": 14, "ping": 4, "create": 2}


def read_examples():
    tools = contract.node_tools("forge")
    with contract.scratch() as folder:
        program = pathlib.Path(shutil.copy(contract.HERE / "forge/sign.mjs", folder))
        (folder / "node_modules").symlink_to(tools / "node_modules")
        return [json.loads(line) for line in contract.run(["node", program, SECRET, *EVENTS]).splitlines()]


def send(connection, example, body):
    headers = {
        "Content-Type": example["type"],
        "X-GitHub-Event": example["event"],
        "X-Hub-Signature-256": example["signature"],
    }
    connection.request("POST", "/hooks/acme", body, headers)
    answer = connection.getresponse()
    return answer.status, answer.read().decode()


def payload_of(example):
    if example["type"] == "application/json":
        return json.loads(example["body"])
    return json.loads(urllib.parse.parse_qs(example["body"])["payload"][0])


def complaint_about(connection, example):
    """What is wrong with the answers to one example, whole and changed; None if nothing is."""
    body = example["body"].encode()
    status, text = send(connection, example, body)
    if example["event"] == "push":
        wanted = (202, "looking" if payload_of(example)["ref"] == f"refs/heads/{BRANCH}" else "ignored")
    else:
        wanted = (200, "the signature") if example["event"] == "ping" else (202, "ignored")
    if status != wanted[0] or not text.startswith(wanted[1]):
        return f"{example['event']} as {example['type']}: {status} {text}"
    middle = len(body) // 2
    status, text = send(connection, example, body[:middle] + bytes([body[middle] ^ 1]) + body[middle + 1 :])
    return None if status == 401 else f"a changed {example['event']} as {example['type']}: {status} {text}"


def check(examples):
    """On a site of its own, since a site takes so many webhooks at once."""
    with Site(source={"branch": BRANCH}, environment={"HOOK_SECRET": SECRET}) as site:
        site.configure(http={"webhook_secret": "env:HOOK_SECRET"})
        site.start()
        connection = http.client.HTTPConnection(urllib.parse.urlsplit(site.url).netloc, timeout=DEADLINE_S)
        complaints = [complaint_about(connection, example) for example in examples]
        connection.close()
        return [complaint for complaint in complaints if complaint]


found = read_examples()
counts = collections.Counter(example["event"] for example in found)
wrong = [complaint for i in range(0, len(found), AT_ONCE) for complaint in check(found[i : i + AT_ONCE])]
print("\n".join(wrong))
print(f"{dict(counts)}, {len(wrong)} wrong")
sys.exit(1 if wrong or any(counts[event] < least for event, least in FEWEST.items()) else 0)
