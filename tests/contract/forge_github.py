#!/usr/bin/env python3
"""Statuses on GitHub with Prism between: weir's requests and the fake's answers are as GitHub describes them."""

import concurrent.futures
import contextlib
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
# Of this call GitHub describes success alone; these are its answers to all calls.
REFUSALS = {
    "400": "bad_request",
    "401": "requires_authentication",
    "403": "forbidden",
    "404": "not_found",
    "422": "validation_failed",
    "429": "forbidden",
    "503": "service_unavailable",
}
# What makes the fake refuse: how it is started, or what it is told to answer.
REFUSING = (
    (401, {"token": "another"}, None),
    (403, {}, {"headers": {"Retry-After": "1"}, "body": {"message": "You have exceeded a secondary rate limit"}}),
    (403, {}, {"headers": {"X-Accepted-GitHub-Permissions": "statuses=write"}, "body": {"message": "Forbidden"}}),
    (404, {"repository": "acme/others"}, None),
    (422, {"commits": {"0" * 40}}, None),
    (422, {"most": 0}, None),
    (429, {}, {"headers": {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1"}}),
    (503, {}, {"body": {"code": "503", "message": "Service unavailable"}}),
)


def cut(description):
    """The description of PATHS alone, with what they refer to."""
    paths = {path: description["paths"][path] for path in PATHS}
    for refusals in (path["post"]["responses"] for path in paths.values()):
        refusals |= {status: {"$ref": f"#/components/responses/{name}"} for status, name in REFUSALS.items()}
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


@contextlib.contextmanager
def site_behind(proxy, **options):
    """A fake forge, and a site that posts to it through the proxy."""
    with FakeForge(**options) as forge:
        url = get(f"{proxy}/?upstream={urllib.parse.quote(forge.url)}")
        section = {"type": "github", "url": url, "repository": "acme/flows", "token": "env:FORGE_TOKEN"}
        with Site(forge=section, environment={"FORGE_TOKEN": TOKEN}) as site:
            yield forge, site


def run_refusal(proxy, status, options, told):
    """Each is answered, and what can be made good is: a status arrives after it."""
    with site_behind(proxy, **options) as (forge, site):
        if told:
            forge.fail(status, **told)
        site.start()
        sha = site.push({"orders.yaml": document("orders-dr")})
        wait_for(lambda: forge.count(status), DEADLINE_S, f"a refusal with {status}")
        if told:
            wait_state(forge, sha, "success")


def run_flows(proxy):
    """Every state, on both contexts, with and without a link; then all refusals, side by side."""
    with site_behind(proxy) as (forge, site):
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
    with concurrent.futures.ThreadPoolExecutor(len(REFUSING)) as pool:
        for done in [pool.submit(run_refusal, proxy, *row) for row in REFUSING]:
            done.result()


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
