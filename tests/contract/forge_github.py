#!/usr/bin/env python3
"""Statuses on GitHub with Prism between: weir's requests and the fake's answers are as GitHub describes them."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import urllib.parse
import urllib.request

import contract

sys.path.insert(0, str(contract.ROOT / "tests/fake"))
# pylint: disable=wrong-import-position
from forge import TOKEN, FakeForge  # noqa: E402
from weirtest import DEADLINE_S, Site, document, wait_for  # noqa: E402

PATHS = ("/repos/{owner}/{repo}/statuses/{sha}",)


def cut(description):
    """The description of PATHS alone, with what they refer to."""
    paths = {path: description["paths"][path] for path in PATHS}
    components = {}
    waiting = [paths]
    while waiting:
        part = waiting.pop()
        if isinstance(part, list):
            waiting += part
        elif isinstance(part, dict):
            waiting += part.values()
            reference = part.get("$ref")
            if isinstance(reference, str):
                _, _, kind, name = reference.split("/")
                if name not in components.setdefault(kind, {}):
                    components[kind][name] = description["components"][kind][name]
                    waiting.append(components[kind][name])
    return {name: description[name] for name in ("openapi", "info")} | {"paths": paths, "components": components}


def get(url):
    with urllib.request.urlopen(url, timeout=DEADLINE_S) as answer:
        return answer.read().decode()


def wait_state(forge, sha, state, kind="sync"):
    wait_for(lambda: (forge.latest(sha, f"weir/acme/{kind}") or ("",))[0] == state, DEADLINE_S, f"{kind} to be {state}")


def run_flows(proxy):
    """Every state, on both contexts, with and without a link."""
    with FakeForge() as forge:
        url = get(f"{proxy}/?upstream={urllib.parse.quote(forge.url)}")
        section = {"type": "github", "url": url, "repository": "acme/flows", "token": "env:FORGE_TOKEN"}
        with Site(forge=section, environment={"FORGE_TOKEN": TOKEN}) as site:
            site.start()
            wait_state(forge, site.push({"orders.yaml": document("orders-dr")}), "success", "drift")
            wait_state(forge, site.push({"orders.yaml": document("orders-dr", provider="\U0001f600")}), "failure")
            site.stop()
            site.configure(http={"public_url": "https://weir.example.com/"})
            site.start()
            head = site.push({"orders.yaml": document("orders-dr", lag_alert_threshold=5, lag_alert_threshold_unit="messages")})
            wait_state(forge, head, "success", "drift")
        states = {state for kept in forge.statuses.values() for state, _, _ in kept}
        if {status for _, _, status in forge.requests} != {201} or not states >= {"pending", "success", "failure"}:
            sys.exit(f"not what was to be seen: {states} {forge.requests}")


tools = contract.node_tools("forge")
prism = contract.node_tools("prism")
description = json.loads((tools / "node_modules/@octokit/openapi/generated/api.github.com.json").read_text())
with contract.scratch() as folder:
    (folder / "github.json").write_text(json.dumps(cut(description)))
    program = pathlib.Path(shutil.copy(contract.HERE / "prism/proxy.mjs", folder))
    (folder / "node_modules").symlink_to(prism / "node_modules")
    command = ["node", program, folder / "github.json"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=os.environ) as process:
        try:
            control = process.stdout.readline().split()[-1]
            run_flows(control)
            report = json.loads(get(f"{control}/report"))
        finally:
            process.kill()
print("\n".join(sorted(set(report["violations"]))))
print(f"{report['requests']} requests, {len(report['violations'])} violations")
sys.exit(1 if report["violations"] or not report["requests"] else 0)
